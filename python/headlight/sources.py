"""What people pass to show(), check() and trace(), as files and as arguments of the program."""
import dataclasses
import io
import json
import os
import pathlib
import re

from . import modules
from .masks import mask_of
from .numbers import as_array, np, require_finite, whole
from .tokens import require_tokens, texts_of

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
    if isinstance(first, type):
        raise ValueError(f"{first.__name__} is a class: make one, as show({first.__name__}(...), x)")
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
    number = 1 if step is None else whole(step, "step", 1)
    more = [] if step is None else ["--step", str(number)]
    return Source(["--lecture", text, *more], place=f"lecture={text}&step={number}", title=text)


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


def of_session(session, began):
    """What the session file of the app in a page says is shown; None where that isn't known here. The page has the files of
    `began`, with which it began, whatever it has shown since."""
    said = dict(re.findall(r"^(lecture|step|setup) = (.*)$", session.partition("\n[")[0], re.MULTILINE))
    text = {name: json.loads(said[name]) for name in ("lecture", "setup") if name in said}
    if "setup" not in text:
        return of_text(text["lecture"], int(said["step"]) + 1) if text.get("lecture") else None
    own = text["setup"].replace('"/page/', '"')
    files = {name: content for name, content in began.files.items() if name != "setup.toml"}
    return Source(["--setup", "setup.toml"], setup=own, files={**files, "setup.toml": own.encode()}, weights=began.weights,
                  title=began.title)


# Arrays under Headlight's names.

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
            raise ValueError(unknown_name(name))
    given = {name: as_array(arrays[name], name) for name in (*INPUTS, "weights") if arrays.get(name) is not None}
    if "weights" in given:
        return of_weights(given, tokens)
    for name, array in given.items():
        require_finite(array, name)
    given |= side_by_side(given, arrays.get("heads"))
    text = setup_of_layer(given, arrays, tokens)
    files = {"arrays.npz": archive(given)}
    text += "\n[values]\n" + "".join(f'{name} = "arrays.npz:{name}"\n' for name in given)
    return Source(["--setup", "setup.toml"], setup=text, files={**files, "setup.toml": text.encode()}, values=given)


def unknown_name(name):
    plain = {each.lower().replace("_", ""): each for each in (*INPUTS, *SIZES)} | dict.fromkeys(("numheads", "nheads", "nhead", "h"), "heads")
    if (meant := plain.get(name.lower().replace("_", ""))) is not None:
        return f"{name}= is called {meant}= here: write {meant}={name}"
    return (f"{name}= is nothing that a layer is made of: {', '.join(INPUTS)}, {', '.join(SIZES)}, or weights alone. What you have "
            "computed from these goes to headlight.check()")


def side_by_side(given, heads):
    """The matrices and biases that have an axis of heads, as Keras' (d_model, heads, d_head) and (heads, d_head, d_model), or a matrix
    for each head, with the heads side by side."""
    made, width = {}, given["X"].shape[-1] if "X" in given and given["X"].ndim else 0
    for name, array in given.items():
        if name in ("W_q", "W_k", "W_v") and array.ndim == 3:
            own = given["Y"].shape[-1] if name != "W_q" and "Y" in given and given["Y"].ndim else width
            if array.shape[0] == own:
                made[name] = array.reshape(own, -1)
            elif array.shape[1] == own:
                made[name] = array.transpose(1, 0, 2).reshape(own, -1)
        elif name == "W_o" and array.ndim == 3 or name in ("b_q", "b_k", "b_v") and array.ndim == 2 and array.shape[0] == heads:
            made[name] = array.reshape(-1, *array.shape[2:])
    return made


def heading(arrays, tokens, precision):
    text = "version = 1\n" + toml_line("title", arrays.get("title"))
    if tokens is not None:
        text += toml_line("tokens", texts_of(tokens))
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
    return of_attention({"attentions": weights if weights.ndim == 5 else one_layer(weights, "weights=")}, tokens)


def one_layer(weights, name):
    if weights.ndim not in (2, 3, 4):
        raise ValueError(f"{name} has the shape {weights.shape}, not (batch, head, query, key)")
    return weights.reshape((1,) * (5 - weights.ndim) + weights.shape)


def precision_of(given):
    return "float32" if all(array.dtype == np.float32 for array in given.values()) else "float64"


def setup_of_layer(given, more, tokens):
    missing = [name for name in ("X", "W_q", "W_k", "W_v", "W_o") if name not in given]
    if missing:
        raise ValueError(f"{missing[0]}= is missing: a layer is X, W_q, W_k, W_v and W_o (applied as X @ W), and heads=")
    if more.get("heads") is None:
        raise ValueError("heads= is missing: how many heads the columns of W_q are shared by")
    x, y = given["X"], given.get("Y")
    for name, array in (("X", x), ("Y", y)):
        if array is not None and (array.ndim not in (2, 3) or array.size == 0):
            raise ValueError(f"{name}= has the shape {array.shape}, not (batch, position, d_model)")
    heads, width = whole(more["heads"], "heads", 4), given["W_q"].shape[-1]
    if width % heads:
        raise ValueError(f"heads={heads} doesn't divide the {width} columns of W_q")
    d_head, d_source = width // heads, (x if y is None else y).shape[-1]
    of_keys = given["W_k"].shape[-1]
    require_shape(given, "W_q", x.shape[-1], width)
    require_shape(given, "W_k", d_source, of_keys)
    require_shape(given, "W_v", d_source, of_keys)
    require_shape(given, "W_o", width, given["W_o"].shape[-1])
    for name, size in (("b_q", width), ("b_k", of_keys), ("b_v", of_keys), ("b_o", given["W_o"].shape[1])):
        require_shape(given, name, size)
    kv_heads = of_keys // d_head if more.get("kv_heads") is None else whole(more["kv_heads"], "kv_heads", 2)
    if kv_heads < 1 or kv_heads * d_head != of_keys or heads % kv_heads:
        raise ValueError(f"W_k= has {of_keys} columns, which are no heads of {d_head} that {heads} heads of queries can share")
    batch, queries, keys = x.shape[0] if x.ndim == 3 else 1, x.shape[-2], (x if y is None else y).shape[-2]
    if y is not None and y.ndim == 3 and len(y) not in (1, batch):
        raise ValueError(f"Y= has {len(y)} batch items, and X= has {batch}")
    require_tokens(tokens, [queries])
    sizes = {"batch": batch, "query_length": queries, "d_model": x.shape[-1], "heads": heads, "d_head": d_head}
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
    mask = mask_lines(mask_of(more, batch, heads, queries, keys))
    return text + "\n[sizes]\n" + "".join(toml_line(*each) for each in sizes.items()) + attention + mask + norm_of(given)


def require_shape(given, name, *shape):
    if name in given and given[name].shape != shape:
        hint = f": matrices are applied as X @ W, so write {name}=layer.weight.T for a layer of PyTorch" if len(shape) == 2 else ""
        raise ValueError(f"{name}= has the shape {given[name].shape}, where X= and the others ask for {shape}{hint}")


def mask_lines(entries):
    return "\n[mask]\n" + "".join(toml_line(*each) for each in entries.items()) if entries else ""


def norm_of(given):
    if "norm_gain" not in given:
        return ('\n[position]\nencoding = "learned"\n' if "P" in given else "")
    kind = "layer" if "norm_bias" in given else "rms"
    return f'\n[norm]\nkind = "{kind}"\n' + ('\n[position]\nencoding = "learned"\n' if "P" in given else "")


# Attention weights, of which nothing else is known.

def of_attention(given, tokens):
    arrays = {}
    if not hasattr(given, "items"):
        held = {name: value for name in OF_ATTENTION if (value := getattr(given, name, None)) is not None}
        given = held or {"attentions": given}
    patterns = any("attn" in str(name) and "pattern" in name for name in given)  # then the rest of a cache is something else
    for name, value in given.items():
        if name == "key_tokens":
            arrays[name] = np.array(texts_of(value))
        elif hasattr(value, "items"):
            raise ValueError(f"{name} is a dictionary, and no array")
        elif name in OF_ATTENTION:
            arrays |= stacked(name, value)
        elif "attn" in str(name) and ("pattern" in name if patterns else "scores" not in name and as_array(value, name).ndim >= 3):
            arrays[str(name)] = as_array(value, name)
    if not arrays:
        raise ValueError("no attention weights in it: (head, query, key) each, with rows that add up to 1, such as model(..., "
                         'output_attentions=True).attentions or TransformerLens\' "blocks.0.attn.hook_pattern"')
    layers = {name: array for name, array in arrays.items() if name != "key_tokens"}
    for name, array in layers.items():
        layers[name] = rows_of_weights(array, name)
    if tokens is not None:
        arrays["tokens"] = tokens_of_batch(tokens, {n for array in layers.values() for n in array.shape[-2:]})
    picture = next(iter(layers.values()))
    picture = picture.reshape(-1, *picture.shape[-3:]) if picture.ndim > 3 else picture[None]
    return Source(["--model", "attentions.npz"], files={"attentions.npz": archive(arrays | layers)}, weights=picture)


def tokens_of_batch(tokens, lengths):
    texts = list(tokens)
    each = [texts_of(one) for one in texts] if not isinstance(tokens, str) and texts and isinstance(texts[0], (list, tuple)) else [texts_of(tokens)]
    for one in each:
        if len(one) not in lengths:
            raise ValueError(f"tokens= has {len(one)} words, but there are {' or '.join(map(str, sorted(lengths)))} positions: pass one for each")
    return np.array(each if len(each) > 1 else each[0])


def rows_of_weights(array, name):
    """With zeros for a query that sees no key, of which PyTorch gives no numbers."""
    if array.size == 0:
        raise ValueError(f"{name} has the shape {array.shape}, and no weights in it")
    if array.dtype.kind != "f":
        array = array.astype(np.float32)
    array = np.where(np.isnan(array).all(-1, keepdims=True), np.zeros((), array.dtype), array)
    sums = array.sum(axis=-1)
    if (array < 0).any() or not np.all((np.abs(sums - 1) < 0.02) | (sums == 0)):
        raise ValueError(f"the rows of {name} don't add up to 1: are they scores? Pass the weights, after softmax and without dropout "
                         "(model.eval())")
    return array


def stacked(name, value):
    if value is None or isinstance(value, (list, tuple)) and all(each is None for each in value):
        raise ValueError(f'{name} is empty or None: load the model with attn_implementation="eager", and call it with '
                         "output_attentions=True")
    if not isinstance(value, (list, tuple)):
        array = as_array(value, name)
        return {name: one_layer(array, name) if array.ndim < 4 else array} if array.ndim < 6 else too_many_axes(array, name)
    if any(isinstance(each, (list, tuple)) and any(hasattr(one, "shape") for one in each) for each in value):
        raise ValueError(f"{name}[0] is a {type(value[0]).__name__} of layers, as generate() gives one for each new token: write {name}[0]")
    layers = [as_array(each, f"{name}[{i}]") for i, each in enumerate(value) if each is not None]
    if len({layer.shape for layer in layers}) > 1:
        return {f"attn_{i}": layer if layer.ndim > 2 else layer[None] for i, layer in enumerate(layers)}
    array = np.stack([layer[None] for layer in layers] if layers[0].ndim == 2 else layers) if layers[0].ndim else layers[0]
    return {name: array} if 3 < array.ndim < 6 else too_many_axes(array, name)


def too_many_axes(array, name):
    raise ValueError(f"{name} has the shape {array.shape}: attention weights are (layer, batch, head, query, key), or a part of that")


# Modules.

def of_module(module, inputs, tokens, keywords):
    """Captured while it runs: of a class whose parts aren't found, the softmax alone."""
    if not inputs and not keywords:
        raise ValueError(f"what is {type(module).__name__} called with? Write show(module, x), with x as (batch, position, d_model)")
    files, weights, alone = modules.run(module, inputs, keywords, tokens)
    if alone is not None:
        return of_attention({"attentions": alone}, tokens)
    return Source(["--model", "capture"], files=files, weights=weights)
