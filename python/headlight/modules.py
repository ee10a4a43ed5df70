"""Modules of PyTorch, captured while they run by the program that `headlight capture` prints."""
import contextlib
import importlib.util
import io
import pathlib
import sys
import tempfile

from .numbers import np


def is_module(value):
    torch = sys.modules.get("torch")  # without it imported, nothing is a module
    return torch is not None and isinstance(value, torch.nn.Module)


def capture_program():
    """The module with capture(): a part of the wheel, else printed by the program."""
    with contextlib.suppress(ImportError):
        from . import _capture
        return _capture
    from . import program
    code = program.run(["capture"], ".", "what a module does is captured").stdout
    spec = importlib.util.spec_from_loader("headlight._capture", loader=None)
    module = importlib.util.module_from_spec(spec)
    exec(compile(code, "capture.py", "exec"), module.__dict__)
    sys.modules[spec.name] = module
    return module


def run(module, inputs, keywords, tokens):
    """(files of the captured layers, weights of the first for a picture, None), or where only softmax is seen (None, None, its
    results)."""
    import torch
    program = capture_program()
    inputs, keywords = [tensor(module, each) for each in inputs], {name: tensor(module, each) for name, each in keywords.items()}
    if isinstance(module, torch.nn.MultiheadAttention) and len(inputs) in (1, 2):
        inputs = [inputs[0], *(inputs[-1:] * 2)]  # of one input for all, or of one for keys and values
    with tempfile.TemporaryDirectory() as folder, torch.no_grad(), evaluating(module):
        folder = pathlib.Path(folder) / "capture"
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                program.capture(module, *inputs, folder=folder, tokens=tokens_of(tokens), **keywords)
        except ValueError as refused:
            if str(refused) != program.NOTHING_FOUND:
                raise
            alone = softmaxes(module, inputs, keywords)
            if not alone:
                raise ValueError(f"{type(module).__name__}: no linear layers whose results are queries, keys and values, and no "
                                 "softmax over keys was seen; pass its arrays, as X=..., W_q=..., heads=...") from None
            return None, None, alone
        files = {f"capture/{path.name}": path.read_bytes() for path in sorted(folder.iterdir())}
        with np.load(next(iter(sorted(folder.glob("*.npz"))))) as first:
            weights = first["weights"] if "weights" in first else None
    return files, weights, None


def tokens_of(tokens):
    if tokens is not None and any(isinstance(each, (list, tuple)) for each in tokens):
        raise ValueError("tokens= of a module are one list, as of its first text: write tokens=tokens[0]")
    return None if tokens is None else [str(token) for token in tokens]


def tensor(module, value):
    """On the module's device; arrays of NumPy become tensors like the module's own."""
    import torch
    own = next(module.parameters(), torch.zeros(()))
    if torch.is_tensor(value):
        return value.to(own.device)
    if not hasattr(value, "__array__"):
        return value
    made = torch.from_numpy(np.ascontiguousarray(value)).to(own.device)
    return made.to(own.dtype) if made.is_floating_point() else made


@contextlib.contextmanager
def evaluating(module):
    """A module in training mode is put into evaluation mode meanwhile, unless that changes what it computes."""
    training = [each for each in module.modules() if each.training]
    if training and (reason := what_training_changes(module)):
        raise ValueError(f"{type(module).__name__} is in training mode, in which {reason}: write module.eval() before")
    for each in training:
        each.training = False
    try:
        yield
    finally:
        for each in training:
            each.training = True


def what_training_changes(module):
    import torch
    for each in module.modules():
        if isinstance(each, torch.nn.modules.batchnorm._BatchNorm):
            return "its norms follow the batch"
        rates = {name: value for name, value in [*vars(each).items()] if "drop" in name.lower()}
        if isinstance(each, torch.nn.modules.dropout._DropoutNd):
            rates["p"] = each.p
        if any(isinstance(rate, (int, float)) and not isinstance(rate, bool) and rate > 0 for rate in rates.values()):
            return "dropout changes the numbers"
    return ""


def softmaxes(module, inputs, keywords):
    """What softmax over the last axis gave while the module ran, as (batch, head, query, key) each."""
    import torch
    seen, places = [], [(torch, "softmax"), (torch.nn.functional, "softmax"), (torch.Tensor, "softmax")]
    batch = len(inputs[0]) if inputs and torch.is_tensor(inputs[0]) and inputs[0].dim() == 3 else 1

    def watched(function):
        def softmax(*given, **named):
            result = function(*given, **named)
            sums = result.float().sum(-1)
            if result.dim() in (2, 3, 4) and bool(((sums - 1).abs() < 1e-2).all()):
                shape = result.shape[-2:]
                seen.append(result.detach().float().cpu().reshape(batch, -1, *shape) if result.numel() % (batch * shape.numel()) == 0
                            else result.detach().float().cpu().reshape(1, -1, *shape))
            return result
        return softmax

    saved = [(owner, name, getattr(owner, name)) for owner, name in places]
    try:
        for owner, name, function in saved:
            setattr(owner, name, watched(function))
        module(*inputs, **keywords)
    finally:
        for owner, name, function in saved:
            setattr(owner, name, function)
    return [each.numpy() for each in dict.fromkeys(seen)]
