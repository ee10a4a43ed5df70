"""Modules of PyTorch, captured while they run by the program that `headlight capture` prints."""
import contextlib
import copy
import importlib.util
import io
import pathlib
import sys
import tempfile

from .masks import padding_and_mask
from .numbers import np, require_finite
from .tokens import require_tokens, texts_of


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
    program, module = capture_program(), computable(unwrapped(module))
    inputs, keywords = [tensor(module, each) for each in inputs], {name: tensor(module, each) for name, each in keywords.items()}
    if isinstance(module, torch.nn.MultiheadAttention) and len(inputs) in (1, 2):
        inputs = [inputs[0], *(inputs[-1:] * 2)]  # of one input for all, or of one for keys and values
    with tempfile.TemporaryDirectory() as folder, torch.no_grad(), evaluating(module):
        folder = pathlib.Path(folder) / "capture"
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                program.capture(module, *inputs, folder=folder, tokens=None if tokens is None else texts_of(tokens), **keywords)
        except ValueError as refused:
            if str(refused) != program.NOTHING_FOUND:
                raise
        except Exception as failed:  # whatever the module's own code raises
            said = str(failed).partition("\n")[0]
            raise ValueError(f"{type(module).__name__} can't be called with this ({type(failed).__name__}: {said})") from failed
        layers = {path.stem: layer_of(path) for path in sorted(folder.glob("*.npz")) if path.stem != "whole-model"}
        by_names = not any("num_heads" in layer for layer in layers.values()) and not (folder / "config.json").exists()
        if by_names and (alone := softmaxes(program, module, inputs, keywords)):  # names alone don't say what a class does
            return None, None, alone
        if not layers:
            raise ValueError(f"{type(module).__name__}: no linear layers whose results are queries, keys and values, and no softmax over keys "
                             "was seen; pass its arrays, as X=..., W_q=..., heads=...")
        for name, layer in layers.items():
            refuse_what_no_setup_has(name, layer)
        require_tokens(tokens, [layer["X"].shape[1] for layer in layers.values() if "X" in layer])
        files = {f"capture/{path.name}": path.read_bytes() for path in sorted(folder.iterdir())}
    return files, next(iter(layers.values())).get("weights"), None


def unwrapped(module):
    """The module that somebody wrote, out of one that runs it on several devices, or compiled."""
    import torch
    while True:
        if isinstance(module, (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)):
            module = module.module
        elif hasattr(module, "_orig_mod"):
            module = module._orig_mod
        else:
            return module


def layer_of(path):
    with np.load(path) as arrays:
        return dict(arrays)


def refuse_what_no_setup_has(name, layer):
    """What a captured layer of the program can't have, so that its numbers would be others."""
    for array, value in layer.items():
        if array not in ("weights", "output"):
            require_finite(value, f"{name}: {array}")
    words = {"mask_per_head": "its heads have different masks", "added_scores": "its mask adds other numbers than -inf to the scores",
             "add_zero_attn": "add_zero_attn gives it a key that is in no input", f"{name}.bias_k": "add_bias_kv gives it a key that is in no input"}
    for array, why in words.items():
        if array in layer:
            raise ValueError(f"{name}: {why}, which can't be computed here; show its weights, as in "
                             "output, weights = module(..., average_attn_weights=False) and headlight.show(weights=weights)")
    if "mask" in layer and padding_and_mask(layer["mask"]) is None:
        raise ValueError(f"{name}: each item of the batch has a mask of its own that is more than padding behind it; show one item, as in "
                         "headlight.show(module, x[:1], ...) with the mask of that item")


def tensor(module, value):
    """On the module's device, and in its kind of numbers; arrays of NumPy and lists of numbers become tensors."""
    import torch
    if isinstance(value, list) and (array := np.asarray(value, dtype=None if uniform(value) else object)).dtype.kind in "fiub":
        value = array
    if not torch.is_tensor(value):
        if not hasattr(value, "__array__"):
            return value
        value = torch.from_numpy(np.ascontiguousarray(value))
    if value.numel() == 0:
        raise ValueError(f"what {type(module).__name__} is called with has the shape {tuple(value.shape)}, and no numbers in it")
    if isinstance(module, torch.nn.MultiheadAttention) and value.dtype == torch.uint8:  # a mask, which PyTorch 2 wants otherwise
        value = value.bool()
    own = next(module.parameters(), torch.zeros(()))
    kind = kind_of(module) if value.is_floating_point() else None
    return value.to(own.device, kind or value.dtype)


def uniform(nested):
    """Whether lists in a list are all of one length, and hold numbers."""
    if all(isinstance(each, (int, float)) for each in nested):
        return True
    return all(isinstance(each, list) and len(each) == len(nested[0]) and uniform(each) for each in nested)


def kind_of(module):
    """The type of all its numbers, or None."""
    kinds = {each.dtype for each in module.parameters() if each.is_floating_point()}
    return kinds.pop() if len(kinds) == 1 else None


def computable(module):
    """It, or where this PyTorch can't multiply numbers of 16 bits on a processor a copy with 32."""
    import torch
    on_processor = all(each.device.type == "cpu" for each in module.parameters())
    if not on_processor or torch.float16 not in {each.dtype for each in module.parameters()}:
        return module
    try:
        torch.ones(1, 1, dtype=torch.float16) @ torch.ones(1, 1, dtype=torch.float16)
        return module
    except RuntimeError:
        pass
    try:
        return copy.deepcopy(module).float()
    except Exception:  # such as a result with its graph that the module keeps
        raise ValueError(f"{type(module).__name__} has numbers of 16 bits, which this PyTorch can't multiply on a processor: write "
                         "module.float() before") from None


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


def softmaxes(program, module, inputs, keywords):
    """What softmax over the last axis gave while the module ran, as (batch, head, query, key) each."""
    import torch
    seen = []
    batch = len(inputs[0]) if inputs and torch.is_tensor(inputs[0]) and inputs[0].dim() == 3 else 1
    with contextlib.ExitStack() as undo:
        program.watch_softmax(seen, undo)
        module(*inputs, **keywords)
    if len(seen) > 1 and len({each.shape for each in seen}) == 1 and seen[0].shape[:1] == (batch,) and seen[0].dim() == 3:
        seen = [torch.stack(seen, 1)]  # one head after the other

    def by_head(weights):
        fits = weights.dim() > 2 and weights.shape[:-2].numel() % batch == 0
        return weights.float().cpu().reshape(batch if fits else 1, -1, *weights.shape[-2:])
    return [by_head(each).numpy() for each in seen]
