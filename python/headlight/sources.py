"""What people pass to show(), check() and trace(), as files and as arguments of the program."""
import dataclasses
import io
import json
import os
import pathlib
import re

from . import modules
from .numbers import np

INPUTS = ("X", "Y", "P", "W_q", "W_k", "W_v", "W_o", "b_q", "b_k", "b_v", "b_o", "q_gain", "k_gain", "norm_gain", "norm_bias",
          "sinks")
SIZES = ("heads", "kv_heads", "causal", "hidden", "visible", "valid_lengths", "title")
MINE = "mine.npz"  # somebody's arrays, beside the files of what they are compared with
OF_ATTENTION = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")


@dataclasses.dataclass
class Source:
    """`what` are arguments of the program, which runs in a folder with the files; `place` is what a link says of the same."""

    what: list
    place: str = ""  # "lecture=bank&step=2"; empty: the files say it alone
    setup: str = None  # the setup's text, where it is known without the program
    files: dict = dataclasses.field(default_factory=dict)
    values: dict = dataclasses.field(default_factory=dict)  # arrays that were given, by Headlight's names
    weights: object = None  # (layer or batch item, head, query, key), for a picture
    title: str = ""


def of(inputs, tokens=None, setup=None, step=None, arrays=None):
    arrays = dict(arrays or {})
    if setup is not None:
        inputs = (setup, *inputs)
    if not inputs:
        if not arrays:
            raise ValueError("nothing to show: pass a lecture, a setup, a module with its input, attention weights, or arrays as "
                             "X=..., W_q=..., heads=...")
        return of_arrays(arrays, tokens)
    first, rest = inputs[0], inputs[1:]
    if isinstance(getattr(first, "source", None), Source):  # what was shown, as it is now
        no_more(rest, arrays, "what was shown")
        return first.source
    if isinstance(first, (str, os.PathLike)):
        no_more(rest, arrays, "a lecture or a setup")
        return of_text(first, step)
    if step is not None:
        raise ValueError("step= is for lectures alone")
    if modules.is_module(first):
        return of_module(first, rest, tokens, arrays)
    if callable(first) and not hasattr(first, "items"):
        raise ValueError(f"a {type(first).__name__} that is no module of PyTorch can't be looked into: pass its arrays, as "
                         "X=..., W_q=..., W_k=..., W_v=..., W_o=..., heads=...")
    no_more(rest, arrays, "attention weights")
    return of_attention(first, tokens)


def no_more(rest, arrays, what):
    if rest or arrays:
        more = ", ".join([type(each).__name__ for each in rest] + [f"{name}=" for name in arrays])
        raise ValueError(f"{what} can't be shown together with {more}: call show() once for each")


# Texts: a lecture, a link, a setup or its file.

def of_text(text, step):
    is_path = isinstance(text, os.PathLike) or str(text).endswith((".toml", ".png"))
    if step is not None and (is_path or not re.fullmatch(r"[\w-]+", text)):
        raise ValueError("step= is for lectures alone")
    if is_path:
        path = pathlib.Path(text)
        if not path.is_file():
            raise ValueError(f"{path}: there is no such file")
        if path.suffix == ".png":
            raise ValueError(f"{path}: a picture holds its setup only for the program itself; write headlight export --setup "
                             f"{path.name} --as setup -o setup.toml, and show that")
        return of_setup(path.read_text(encoding="utf-8"), path.parent)
    if "\n" in text or re.search(r"^\s*\w+\s*=", text):
        return of_setup(text, pathlib.Path("."))
    if "#" in text:
        return Source(["--setup", text], place=text.partition("#")[2])
    if not re.fullmatch(r"[\w-]+", text):
        raise ValueError(f'"{text[:60]}" is neither the id of a lecture, as "bank", nor a setup, nor the path of one (.toml)')
    if step is not None and int(step) < 1:
        raise ValueError("steps are counted from 1")
    more = [] if step is None else ["--step", str(int(step))]
    return Source(["--lecture", text, *more], place=f"lecture={text}&step={int(step or 1)}", title=text)


def of_setup(text, folder):
    """With the files that its values and its task name, under names of their own."""
    files = {}

    def taken(match):
        path = folder / match[1]
        if not path.is_file():
            return match[0]
        name = f"{len(files)}-{path.name}"
        files[name] = path.read_bytes()
        return f'"{name}{match[2]}"'

    own = re.sub(r'"([^"\n:]+\.(?:npz|npy|csv|safetensors|txt))((?::[^"\n]*)?)"', taken, text)
    title = re.search(r'^title\s*=\s*"([^"]*)"', own, re.MULTILINE)
    return Source(["--setup", "setup.toml"], setup=own, files={**files, "setup.toml": own.encode()}, title=title[1] if title else "")


def of_session(session, before):
    """What the session file of the app in a page says is shown. The page began with the files of `before`."""
    said = dict(re.findall(r"^(lecture|step|setup) = (.*)$", session.partition("\n[")[0], re.MULTILINE))
    text = {name: json.loads(said[name]) for name in ("lecture", "setup") if name in said}
    if "setup" not in text:
        return of_text(text["lecture"], int(said["step"]) + 1) if text.get("lecture") else before
    own = text["setup"].replace('"/page/', '"')
    files = {name: content for name, content in before.files.items() if name != "setup.toml"}
    return Source(["--setup", "setup.toml"], setup=own, files={**files, "setup.toml": own.encode()}, weights=before.weights,
                  title=before.title)


# Arrays under Headlight's names.

def as_array(value, name="it"):
    """A NumPy array, from wherever and in whatever precision it is."""
    if hasattr(value, "detach"):  # PyTorch
        value = value.detach().cpu()
        value = (value.float() if str(value.dtype) in ("torch.float16", "torch.bfloat16") else value).numpy()
    elif hasattr(value, "numpy") and not isinstance(value, np.ndarray):  # TensorFlow, Keras
        value = value.numpy()
    array = np.asarray(value)
    if array.dtype == np.float16 or array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    if array.dtype == object or array.dtype.kind not in "fiub":
        raise ValueError(f"{name} is a {type(value).__name__} of {array.dtype}, and no array of numbers")
    return array


def archive(arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def of_arrays(arrays, tokens):
    if "mask" in arrays:
        raise ValueError("mask= could mean both: write visible=mask where True is seen, or hidden=mask where True is hidden")
    if any(name in arrays for name in OF_ATTENTION):
        if unknown := [name for name in arrays if name not in (*OF_ATTENTION, "key_tokens")]:
            raise ValueError(f"{unknown[0]}= is nothing that attention alone has")
        return of_attention(arrays, tokens)
    for name in arrays:
        if name not in (*INPUTS, *SIZES, "weights"):
            raise ValueError(f"{name}= is nothing that a layer is made of: {', '.join(INPUTS)}, {', '.join(SIZES)}, or weights "
                             "alone. What you have computed from these goes to headlight.check()")
    given = {name: as_array(arrays[name], name) for name in (*INPUTS, "weights") if name in arrays}
    if "weights" in given:
        return of_weights(given, tokens)
    text = setup_of_layer(given, arrays, tokens)
    files = {"arrays.npz": archive(given)}
    text += "\n[values]\n" + "".join(f'{name} = "arrays.npz:{name}"\n' for name in given)
    return Source(["--setup", "setup.toml"], setup=text, files={**files, "setup.toml": text.encode()}, values=given)


def heading(arrays, tokens, precision):
    text = "version = 1\n" + toml_line("title", arrays.get("title"))
    if tokens is not None:
        text += toml_line("tokens", [str(token) for token in tokens])
    return text, f'\n[attention]\nprecision = "{precision}"\n'


def toml_line(key, value):
    if value is None:
        return ""
    if isinstance(value, str):
        return f"{key} = {quoted(value)}\n"
    if isinstance(value, (list, tuple)):
        return f"{key} = [{', '.join(quoted(each) if isinstance(each, str) else str(each) for each in value)}]\n"
    return f"{key} = {value}\n"


def quoted(text):
    escapes = {'"': '\\"', "\\": "\\\\"}
    return '"' + "".join(escapes.get(c, c if c.isprintable() else f"\\U{ord(c):08X}") for c in text) + '"'


def of_weights(given, tokens):
    """Attention of which nothing else is known, (batch, head, query, key) or a part of that, as one layer."""
    if len(given) > 1:
        raise ValueError("weights= is for attention of which nothing else is known: leave it or the others out")
    weights = given["weights"]
    if weights.ndim not in (2, 3, 4):
        raise ValueError(f"weights= has the shape {weights.shape}, not (batch, head, query, key)")
    return of_attention({"attentions": weights.reshape((1,) * (5 - weights.ndim) + weights.shape)}, tokens)


def precision_of(given):
    return "float32" if all(array.dtype == np.float32 for array in given.values()) else "float64"


def setup_of_layer(given, more, tokens):
    missing = [name for name in ("X", "W_q", "W_k", "W_v", "W_o") if name not in given]
    if missing:
        raise ValueError(f"{missing[0]}= is missing: a layer is X, W_q, W_k, W_v and W_o (applied as X @ W), and heads=")
    if "heads" not in more:
        raise ValueError("heads= is missing: how many heads the columns of W_q are shared by")
    for name in ("W_q", "W_k", "W_v", "W_o"):
        if given[name].ndim != 2:
            raise ValueError(f"{name}= has the shape {given[name].shape}; write one matrix (d_model, heads * d_head) with the heads "
                             "side by side, as kernel.reshape(d_model, -1) for kernels of (d_model, heads, d_head)")
    heads, width = int(more["heads"]), given["W_q"].shape[1]
    if heads < 1 or width % heads:
        raise ValueError(f"heads={heads} doesn't divide the {width} columns of W_q")
    x, y = given["X"], given.get("Y")
    if x.ndim not in (2, 3):
        raise ValueError(f"X= has the shape {x.shape}, not (batch, position, d_model)")
    d_head = width // heads
    sizes = {"batch": x.shape[0] if x.ndim == 3 else 1, "query_length": x.shape[-2], "d_model": x.shape[-1], "heads": heads,
             "d_head": d_head}
    kv_heads = int(more.get("kv_heads", given["W_k"].shape[1] // d_head))
    if kv_heads != heads:
        sizes["kv_heads"] = kv_heads
    if given["W_o"].shape[1] != x.shape[-1]:
        sizes["d_out"] = given["W_o"].shape[1]
    text, attention = heading(more, tokens, precision_of(given))
    if y is not None:
        attention += 'source = "cross"\n'
        sizes["key_length"] = y.shape[-2]
        if y.shape[-1] != x.shape[-1]:
            sizes["d_source"] = y.shape[-1]
    if "q_gain" in given or "k_gain" in given:
        attention += "qk_norm = true\n"
    if "sinks" in given:
        attention += 'sink = "learned"\n'
    return (text + "\n[sizes]\n" + "".join(toml_line(*each) for each in sizes.items()) + attention + mask_of(more) + norm_of(given))


def norm_of(given):
    if "norm_gain" not in given:
        return ('\n[position]\nencoding = "learned"\n' if "P" in given else "")
    kind = "layer" if "norm_bias" in given else "rms"
    return f'\n[norm]\nkind = "{kind}"\n' + ('\n[position]\nencoding = "learned"\n' if "P" in given else "")


def mask_of(more):
    kinds, lines = [], ""
    if more.get("causal"):
        kinds.append("causal")
    if more.get("valid_lengths") is not None:
        kinds.append("padding")
        lines += toml_line("valid_lengths", [int(n) for n in more["valid_lengths"]])
    hidden = None
    if more.get("hidden") is not None:
        hidden = as_array(more["hidden"], "hidden") != 0
    elif more.get("visible") is not None:
        hidden = as_array(more["visible"], "visible") == 0
    if hidden is not None:
        hidden = hidden.reshape(-1, *hidden.shape[-2:])
        if not (hidden == hidden[:1]).all():
            raise ValueError("the mask is another one for each batch item or head: write valid_lengths=[...] for padding, or show one item")
        kinds.append("custom")
        lines += toml_line("blocked", [[int(q), int(k)] for q, k in np.argwhere(hidden[0])])
    return "\n[mask]\n" + toml_line("kinds", kinds) + lines if kinds else ""


# Attention weights, of which nothing else is known.

def of_attention(given, tokens):
    arrays = {}
    if not hasattr(given, "items"):
        held = {name: value for name in OF_ATTENTION if (value := getattr(given, name, None)) is not None}
        given = held or {"attentions": given}
    for name, value in given.items():
        if name == "key_tokens":
            arrays[name] = np.array([str(token) for token in value])
        elif hasattr(value, "items"):
            raise ValueError(f"{name} is a dictionary, and no array")
        elif name in OF_ATTENTION:
            arrays |= stacked(name, value)
        elif "attn" in name and ("pattern" in name or "scores" not in name and np.ndim(as_array(value, name)) >= 3):
            arrays[name] = as_array(value, name)
    if not arrays:
        raise ValueError("no attention weights in it: (head, query, key) each, with rows that add up to 1, such as model(..., "
                         'output_attentions=True).attentions or TransformerLens\' "blocks.0.attn.hook_pattern"')
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not ok_rows(array):
            raise ValueError(f"the rows of {name} don't add up to 1: are they scores? Pass the weights, after softmax and without dropout "
                             "(model.eval())")
    picture = next(array for name, array in arrays.items() if name != "key_tokens")
    if tokens is not None:
        arrays["tokens"] = np.array([[str(t) for t in each] if isinstance(each, (list, tuple)) else str(each) for each in tokens])
        if arrays["tokens"].dtype == object:
            raise ValueError("tokens= has texts of different lengths: pad them to the length of the batch")
    picture = picture.reshape(-1, *picture.shape[-3:]) if picture.ndim > 3 else picture[None]
    return Source(["--model", "attentions.npz"], files={"attentions.npz": archive(arrays)}, weights=picture)


def ok_rows(array):
    sums = array.sum(axis=-1)
    return array.ndim >= 2 and bool(np.all((np.abs(sums - 1) < 0.02) | (sums == 0)))


def stacked(name, value):
    if isinstance(value, (list, tuple)):
        layers = [as_array(each, f"{name}[{i}]") for i, each in enumerate(value) if each is not None]
        if not layers:
            raise ValueError(f'{name} is empty or None: load the model with attn_implementation="eager", and call it with '
                             "output_attentions=True")
        if len({layer.shape for layer in layers}) > 1:
            return {f"attn_{i}": layer for i, layer in enumerate(layers)}
        value = layers[0] if layers[0].ndim < 3 else np.stack(layers)
    array = as_array(value, name)
    if array.ndim < 2 or array.ndim > 5:
        raise ValueError(f"{name} has the shape {array.shape}: attention weights are (layer, batch, head, query, key), or a part of that")
    return {name: array[None] if array.ndim == 2 else array}


# Modules.

def of_module(module, inputs, tokens, keywords):
    """Captured while it runs: of a class whose parts aren't found, the softmax alone."""
    if not inputs and not keywords:
        raise ValueError(f"what is {type(module).__name__} called with? Write show(module, x), with x as (batch, position, d_model)")
    files, weights, alone = modules.run(module, inputs, keywords, tokens)
    if alone is not None:
        return of_attention({"attentions": alone}, tokens)
    return Source(["--model", "capture"], files=files, weights=weights)
