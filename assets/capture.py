"""Writes the attention layers of a running PyTorch model into a folder for Headlight: an index and a file for each layer.

    from capture import capture

    model.eval()
    result = capture(model, x)     # calls model(x), and writes capture/index.headlight.json and capture/NAME.npz for each layer
    result = capture(model, x, tokens=["The", "cat", "sat"])     # the same, with labels for the positions

Instead of x, pass whatever the model takes. Then open the folder in the window (Ctrl+O), or in a shell:

    headlight layers capture
    headlight layers capture --layer 0 -o setup.toml
    headlight --setup setup.toml
    headlight diagnose --setup setup.toml capture/NAME.npz

A file holds the layer's parameters under their own names, its input X (and Y, where keys and values come from another
sequence), its masks, its output, and its weights where they can be had. What a model of transformers says of itself, as
its rotary positions, goes into a config.json beside the files. The model stays as it was.
"""
import contextlib
import inspect
import json
import pathlib

import numpy as np
import torch

# The modules that make queries, keys, values and output in the layers of other libraries.
PROJECTIONS = []

HIDDEN = -1e4  # masks of floats add this or less, often -inf, where a key is hidden


def capture(model, *inputs, folder="capture", tokens=None, **keywords):
    """Calls the model, writes what its attention layers do, and returns what the model returns."""
    if model.training:
        raise ValueError("the model is in training mode, in which dropout changes the numbers: call model.eval() first")
    files = Files(pathlib.Path(folder))
    with contextlib.ExitStack() as undo:
        turn_off_fast_paths(model, undo)
        for name, module in model.named_modules():
            watch(name or type(module).__name__, module, files, undo)
        result = model(*inputs, **keywords)
    if not files.written:
        raise ValueError("no attention layer that is known here has run")
    files.save_index(tokens)
    if hasattr(getattr(model, "config", None), "to_dict"):
        text = json.dumps(model.config.to_dict(), default=str)
        (files.folder / "config.json").write_text(text)
    return result


def watch(name, module, files, undo):
    """Lets the module, if it is an attention layer, save what it does whenever it is called."""
    if isinstance(module, torch.nn.MultiheadAttention):
        replace(module, "forward", watched_torch(name, module, files), undo)
    found = [paths for paths in PROJECTIONS if all(has_module(module, path) for path in paths)]
    if found:
        projections = [module.get_submodule(path) for path in max(found, key=lambda paths: len(set(paths)))]
        replace(module, "forward", watched_projections(name, module, projections, files, undo), undo)


def has_module(module, path):
    with contextlib.suppress(AttributeError):
        return module.get_submodule(path) is not None
    return False


def watched_torch(name, module, files):
    """nn.MultiheadAttention: its call says everything."""
    forward = module.forward

    def watched(query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, **more):
        output, weights = forward(query, key, value, key_padding_mask, True, attn_mask, False, **more)
        is_batch = query.dim() == 3

        def batch_first(tensor):
            return tensor[None] if not is_batch else tensor if module.batch_first else tensor.transpose(0, 1)

        all_weights = weights if is_batch else weights[None]
        if key_padding_mask is not None:
            key_padding_mask = (key_padding_mask if is_batch else key_padding_mask[None])[:, None, None]
        if attn_mask is not None and attn_mask.dim() == 3:  # one for each head of each batch item
            attn_mask = attn_mask.unflatten(0, all_weights.shape[:2])
        files.save(name, module, module.num_heads, *map(batch_first, (query, key, value, output)), all_weights,
                   [mask for mask in (attn_mask, key_padding_mask) if mask is not None])
        if not need_weights:
            return output, None
        return output, weights.mean(dim=-3) if average_attn_weights else weights

    return watched


def watched_projections(name, module, projections, files, undo):
    """Layers of other libraries: what goes into their projections, and what comes out of the last."""
    forward, seen = module.forward, {}

    def remember(what):
        def hook(_, inputs, output):
            seen[what] = (inputs[0], output)
        return hook

    for what, projection in zip(("query", "key", "value", "output"), projections):
        undo.callback(projection.register_forward_hook(remember(what)).remove)

    def watched(*inputs, **keywords):
        seen.clear()
        result = forward(*inputs, **keywords)
        if len(seen) == 4:
            query, key, value, output = seen["query"][0], seen["key"][0], seen["value"][0], seen["output"][1]
            given = inspect.signature(forward).bind(*inputs, **keywords).arguments
            given = {**given, **given.get("kwargs", {})}
            mask = additive(given.get("attention_mask", given.get("mask")), key.shape[1])
            heads = heads_of(module)
            weights = weights_in(result, (len(query), heads, query.shape[1], key.shape[1]))
            files.save(name, module, heads, query, key, value, output, weights, mask)
        return result

    return watched


def additive(mask, keys):
    """The mask as a list: of nothing, or of a mask that is added to the scores, or true where a key is hidden."""
    if not torch.is_tensor(mask) or mask.dim() not in (2, 4):
        return []
    mask = mask[..., :keys]
    if mask.dim() == 2:  # (batch, key), 0 where a key is hidden
        return [mask[:, None, None] == 0]
    return [~mask if mask.dtype == torch.bool else mask]


def heads_of(module):
    for owner in (module, *module.children()):
        for holder in (owner, getattr(owner, "config", None)):
            for name in ("num_heads", "num_attention_heads", "n_heads", "n_head"):
                if isinstance(getattr(holder, name, None), int):
                    return getattr(holder, name)
    return None


def weights_in(result, shape):
    """The weights among a layer's results, if it gave any."""
    for each in result if isinstance(result, (tuple, list)) else [result]:
        if torch.is_tensor(each) and tuple(each.shape) == shape and torch.allclose(each.sum(-1), torch.ones(()).to(each), atol=1e-2):
            return each
    return None


class Files:
    """The folder that the layers are written to."""

    def __init__(self, folder):
        self.folder, self.written = folder, []  # the layers in running order, by name and file

    def save(self, name, module, heads, query, key, value, output, weights, masks):
        arrays = {f"{name}.{parameter}": tensor for parameter, tensor in module.named_parameters()}
        arrays |= {"X": query, "output": output} | sources(query, key, value)
        if heads is not None:
            arrays["num_heads"] = torch.tensor(heads)
        if weights is not None:
            arrays["weights"] = weights
        if masks or isinstance(module, torch.nn.MultiheadAttention):  # of other layers it is not known that none means none
            arrays |= masked((len(query), heads or 1, query.shape[1], key.shape[1]), masks)
        if getattr(module, "add_zero_attn", False):
            arrays["add_zero_attn"] = torch.tensor(True)
        calls = 1 + sum(parameters == name for parameters, _ in self.written)
        path = self.folder / (f"{name}.npz" if calls == 1 else f"{name}-{calls}.npz")
        self.written.append((name, path))
        self.folder.mkdir(parents=True, exist_ok=True)
        np.savez(path, **{array: numbers(tensor) for array, tensor in arrays.items()})
        print(path)

    def save_index(self, tokens):
        index = {"version": 1, "layers": [{"name": path.stem, "file": path.name} for _, path in self.written]}
        if tokens is not None:
            index["tokens"] = [str(token) for token in tokens]
        (self.folder / "index.headlight.json").write_text(json.dumps(index, indent=1, ensure_ascii=False), encoding="utf-8")


def sources(query, key, value):
    """What keys and values are made from, where it is not X."""
    if same(key, value):
        return {} if same(query, key) else {"Y" if key.shape[-1] == query.shape[-1] else "keys_from": key}
    return {"keys_from": key, "values_from": value}


def same(a, b):
    return a is b or (a.shape == b.shape and torch.equal(a, b))


def masked(shape, masks):
    """All masks as one, (batch, query, key), true where a key is hidden; and what else they add to the scores."""
    hidden, added = torch.zeros(shape, dtype=torch.bool), torch.zeros(shape)
    for mask in (mask.cpu() for mask in masks):
        gone = mask if mask.dtype == torch.bool else mask <= HIDDEN
        hidden = hidden | gone
        if mask.dtype != torch.bool:
            added = added + mask.masked_fill(gone, 0)
    arrays = {"mask": hidden[:, 0]} if (hidden == hidden[:, :1]).all() else {"mask_per_head": hidden}
    return arrays | ({"added_scores": added} if added.any() else {})


def numbers(tensor):
    tensor = tensor.detach().cpu()
    return (tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor).numpy()


def turn_off_fast_paths(model, undo):
    """nn.TransformerEncoder in eval mode has one that never calls its attention layers."""
    for module in model.modules():
        for name in ("activation_relu_or_gelu", "enable_nested_tensor", "use_nested_tensor"):
            if getattr(module, name, False):
                replace(module, name, False, undo)


def replace(module, name, value, undo):
    old = vars(module).get(name)
    undo.callback(setattr, module, name, old) if name in vars(module) else undo.callback(delattr, module, name)
    setattr(module, name, value)
