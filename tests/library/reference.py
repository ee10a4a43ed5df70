"""Multi-head attention with the real NumPy and PyTorch, as the reference that Headlight is compared with.

Takes a setup as tomllib reads it, and gives every tensor of its trace. Nothing here comes from Headlight. The draws are
made by the library that the setup names, in its precision; everything else is plain loops and einsums in float64.
"""
import math

import numpy as np
import torch

import block

WEIGHTS = ("W_q", "W_k", "W_v", "W_o", "W_in", "W_gate", "W_out", "W_U")
AFTER_SOFTMAX = ("weights", "dropped_weights", "context", "concat", "output", "resid_mid", "N_post", "N_mlp", "mlp_pre",
                 "mlp_gate", "mlp_act", "mlp_post", "mlp_out", "resid_post", "N_mlp_post", "N_final", "unembed", "logits",
                 "probabilities")


class Sizes:
    def __init__(self, setup):
        self.setup = setup
        sizes = setup.get("sizes", {})
        self.cross = setup.get("attention", {}).get("source", "self") == "cross"
        self.batch = sizes.get("batch", 1)
        self.queries = sizes.get("query_length", 4)
        self.past = sizes.get("past", 0)
        self.tokens = self.past + self.queries
        self.keys = sizes.get("key_length", self.queries) if self.cross else self.tokens
        self.d_model = sizes.get("d_model", 8)
        self.heads = sizes.get("heads", 2)
        self.kv_heads = sizes.get("kv_heads", self.heads)
        self.d_head = sizes.get("d_head", self.d_model // self.heads)
        self.d_out = sizes.get("d_out", self.d_model)
        self.d_source = sizes.get("d_source", self.d_model) if self.cross else self.d_model
        self.positions = max(self.queries, self.keys)

    def shape(self, name):
        """The shape of an input or a parameter in a trace."""
        q_columns, kv_columns = self.heads * self.d_head, self.kv_heads * self.d_head
        return {
            "X": (self.batch, self.tokens, self.d_model),
            "Y": (self.batch, self.keys, self.d_source),
            "P": (self.positions, self.d_model),
            "W_q": (self.d_model, q_columns), "b_q": (q_columns,),
            "W_k": (self.d_source, kv_columns), "b_k": (kv_columns,),
            "W_v": (self.d_source, kv_columns), "b_v": (kv_columns,),
            "W_o": (q_columns, self.d_out), "b_o": (self.d_out,),
            "norm_gain": (self.d_model,), "norm_bias": (self.d_model,),
            "q_gain": (self.d_head,), "k_gain": (self.d_head,),
            "q_head_gains": (self.heads, self.d_head), "k_head_gains": (self.kv_heads, self.d_head),
            "sinks": (self.heads,),
            **block.bias_shapes(self.setup, self), **block.parameters(self.setup, self),
        }[name]


class NumpyDraws:
    def __init__(self, single):
        self.precision = np.float32 if single else np.float64

    def seed(self, seed):
        np.random.seed(seed)

    def uniform(self, *shape, factor=1):
        return (np.random.random_sample(shape) * factor).astype(self.precision)

    def normal(self, *shape, factor=1):
        return (np.random.standard_normal(shape) * factor).astype(self.precision)

    def dropped(self, weights, p):
        return weights * (np.random.random_sample(weights.shape) >= p) / (1 - p)


class RngDraws:
    def __init__(self, single):
        self.precision = np.float32 if single else np.float64

    def seed(self, seed):
        self.rng = np.random.default_rng(seed)

    def uniform(self, *shape, factor=1):
        return (self.rng.random(shape) * factor).astype(self.precision)

    def normal(self, *shape, factor=1):
        return (self.rng.standard_normal(shape) * factor).astype(self.precision)

    def dropped(self, weights, p):
        return weights * (self.rng.random(weights.shape) >= p) / (1 - p)


class TorchDraws:
    def __init__(self, single):
        self.precision = torch.float32 if single else torch.float64

    def seed(self, seed):
        torch.manual_seed(seed)

    def uniform(self, *shape, factor=1):
        return (torch.rand(*shape, dtype=self.precision) * factor).numpy()

    def normal(self, *shape, factor=1):
        return (torch.randn(*shape, dtype=self.precision) * factor).numpy()

    def linear(self, n_in, n_out):
        layer = torch.nn.Linear(n_in, n_out, dtype=self.precision)
        return layer.weight.detach().numpy().T, layer.bias.detach().numpy()

    def linear_no_bias(self, n_in, n_out):
        return torch.nn.Linear(n_in, n_out, bias=False, dtype=self.precision).weight.detach().numpy().T

    def xavier_uniform(self, n_out, n_in):
        return torch.nn.init.xavier_uniform_(torch.empty(n_out, n_in, dtype=self.precision)).numpy()

    def dropped(self, weights, p):
        keep = torch.nn.functional.dropout(torch.ones(weights.shape, dtype=self.precision), p, training=True)
        return weights * (keep.numpy() != 0) / (1 - p)


# The tensors that a model has once, however many layers it has.
ONCE = ("W_E", "X", "Y", "P", "final_norm_gain", "final_norm_bias", "W_U", "b_U")

GENERATORS = {"numpy": NumpyDraws, "torch": TorchDraws, "numpy_rng": RngDraws}


def filled_by(target, distribution):
    """The tensors that a draw fills."""
    if target == "W_qkv":
        return ["W_q", "W_k", "W_v"]
    name = target.partition("[")[0]
    return [name, "b" + name[1:]] if distribution == "linear" else [name]


def give(tensors, given, sizes, precision):
    """Puts given numbers into their places: whole tensors first, then parts."""
    for key in sorted(given, key=lambda key: "[" in key):
        name, bracket, index = key.partition("[")
        whole = tensors.setdefault(name, np.zeros(sizes.shape(name)))
        whole[eval("np.s_[" + index) if bracket else ...] = np.array(given[key], dtype=precision)


def encoding_of(setup):
    return setup.get("position", {}).get("encoding", "none")


def norm_of(setup):
    return setup.get("norm", {}).get("kind", "none")


def sink_of(setup):
    return setup.get("attention", {}).get("sink", "none")


def gains_of(setup):
    """The names of the gains of the setup's norms."""
    attention = setup.get("attention", {})
    names = ["norm_gain"] if norm_of(setup) != "none" else []
    if attention.get("qk_norm"):
        names += ["q_head_gains", "k_head_gains"] if attention.get("qk_norm_over") == "heads" else ["q_gain", "k_gain"]
    return names


def draws_in_order(setup):
    """(layer, draw) for every draw: those behind "L*:" for each layer in turn."""
    for draw in setup.get("random", {}).get("draws", []):
        if draw.startswith("L*:"):
            for layer in range(setup["sizes"].get("layers", 1)):
                yield from ((layer, each.strip()) for each in draw[3:].split(","))
        else:
            yield in_layer(draw)


def in_layer(name):
    """The layer of "L1.W_q", and the rest of it."""
    prefix, dot, rest = name.partition(".")
    return (int(prefix[1:]), rest) if dot and prefix[0] == "L" and prefix[1:].isdigit() else (0, name)


def run_draws(setup, sizes, layer=0):
    """Runs the list of draws: the inputs and parameters of a layer in float64, and the generator after the last draw.
    The draws of other layers are drawn too, and thrown away. Tensors that a model has once are there in each layer."""
    attention, random = setup.get("attention", {}), setup.get("random", {})
    single = attention.get("precision", "float64") == "float32"
    columns = attention.get("token_axis", "rows") == "columns"
    out_in = attention.get("weight_layout", "in_out") == "out_in"
    generator = GENERATORS[random.get("generator", "numpy")](single)

    tensors = {name: np.zeros(sizes.shape(name)) for name in ("X", "W_q", "W_k", "W_v", "W_o")}
    tensors |= {name: (np.ones if name.endswith("gain") else np.zeros)(shape)
                for name, shape in block.parameters(setup, sizes).items()}
    if sizes.cross:
        tensors["Y"] = np.zeros(sizes.shape("Y"))
    if encoding_of(setup) == "learned":
        tensors["P"] = np.zeros(sizes.shape("P"))
    tensors |= {name: np.ones(sizes.shape(name)) for name in gains_of(setup)}
    if sink_of(setup) == "learned":
        tensors["sinks"] = np.zeros(sizes.shape("sinks"))
    if norm_of(setup) == "layer":
        tensors["norm_bias"] = np.zeros(sizes.shape("norm_bias"))

    def part_of(name, head, own=True):
        """The part of a tensor that a draw fills; for another layer's something like it."""
        whole = tensors.setdefault(name, np.zeros(sizes.shape(name))) if own else np.zeros(sizes.shape(name))
        if head is None:
            return whole
        part = slice(head * sizes.d_head, (head + 1) * sizes.d_head)
        return whole[part] if name == "W_o" or name.startswith("b_") else whole[:, part]

    all_given = [(*in_layer(key), numbers) for key, numbers in setup.get("values", {}).items()]
    given = {key: numbers for at, key, numbers in all_given if at == layer or key.partition("[")[0] in ONCE}
    for at, draw in draws_in_order(setup):
        target, distribution, *factor = draw.split(" ")
        wholes = {key for of, key, _ in all_given if of == at}
        if target != "seed" and all(name in wholes for name in filled_by(target, distribution)):
            continue
        own = at == layer or target in ONCE
        if target == "seed":
            generator.seed(int(distribution))
            continue
        if target == "W_qkv":
            packed = generator.xavier_uniform(3 * sizes.d_model, sizes.d_model)
            for i, name in enumerate(("W_q", "W_k", "W_v")):
                part_of(name, None, own)[...] = packed[i * sizes.d_model:(i + 1) * sizes.d_model].T
            continue
        name, _, head = target.rstrip("]").partition("[")
        part = part_of(name, int(head) if head else None, own)
        if distribution == "zeros":
            part[...] = 0
        elif distribution == "linear":
            weight, bias = generator.linear(*part.shape)
            part[...] = weight
            part_of("b" + name[1:], int(head) if head else None, own)[...] = bias
        elif distribution == "linear_no_bias":
            part[...] = generator.linear_no_bias(*part.shape)
        elif distribution == "xavier_uniform":
            part[...] = generator.xavier_uniform(*part.shape[::-1]).T
        else:
            turned = columns if name in ("X", "Y") else out_in and name in WEIGHTS
            view = part.swapaxes(-1, -2) if turned else part
            view[...] = getattr(generator, distribution)(*view.shape, factor=float(factor[0]) if factor else 1)
    give(tensors, given, sizes, np.float32 if single else np.float64)
    return tensors, generator


def visible(setup, sizes, item, query, key):
    mask = setup.get("mask", {})
    more = max(sizes.keys - sizes.queries, 0)
    align = mask.get("align", "top_left" if sizes.cross else "bottom_right")
    place = query + (more if align == "bottom_right" else 0)

    def is_real():
        length = mask["valid_lengths"][item]
        return key >= sizes.keys - length if mask.get("padding_side") == "left" else key < length
    rules = {
        "causal": lambda: key <= place,
        "padding": is_real,
        "window": lambda: abs(place - key) <= mask.get("window", 1),
        "custom": lambda: [query, key] not in mask.get("blocked", []),
    }
    return all(rules[kind]() for kind in mask.get("kinds", []))


def softmax_row(scores):
    """Softmax of one row of scores. A row in which the mask hides every key gives zeros."""
    top = max(scores)
    if top == -math.inf:
        return [0.0] * len(scores)
    exponentials = [math.exp(score - top) for score in scores]
    total = math.fsum(exponentials)
    return [e / total for e in exponentials]


def place_of(setup, sizes, item, token, of_keys=True):
    """The position of a token; without its padding on the left where positions count from the first real one."""
    mask = setup.get("mask", {})
    skips = setup.get("position", {}).get("from") == "first_real" and "padding" in mask.get("kinds", []) and \
        mask.get("padding_side") == "left" and (of_keys or not sizes.cross)
    return max(token - (sizes.keys - mask["valid_lengths"][item]), 0) if skips else token


# One function per stage, which computes its result from the tensors `t` that it reads.

def encode(setup, sizes, t):
    encoding, base = encoding_of(setup), setup.get("position", {}).get("base", 10000.0)
    table = np.zeros((sizes.positions, sizes.d_model))
    if encoding not in ("one_hot", "sinusoidal"):
        return {}
    for i in range(sizes.positions):
        if encoding == "one_hot":
            table[i, sizes.d_model - sizes.positions + i] = 1
            continue
        for f in range(sizes.d_model):
            angle = i / base ** (f // 2 * 2 / sizes.d_model)
            table[i, f] = math.cos(angle) if f % 2 else math.sin(angle)
    return {"P": table}


def add_positions(setup, sizes, t):
    if "P" not in t:
        return {}
    def added(x, of_keys):
        return np.stack([[row + t["P"][place_of(setup, sizes, b, i, of_keys)] for i, row in enumerate(rows)]
                         for b, rows in enumerate(x)])
    result = {"X_plus_P": added(t["X"], False)}
    if sizes.cross:
        result["Y_plus_P"] = added(t["Y"], True)
    return result


def enter(setup, sizes, t):
    return {"resid_pre": t.get("X_plus_P", t["X"])} if block.is_residual(setup) else {}


def normalised(rows, epsilon, centred=False):
    """Each row with the mean square 1, and the mean 0 if it is centred."""
    result = np.empty_like(rows)
    for index in np.ndindex(rows.shape[:-1]):
        row = rows[index] - (math.fsum(rows[index]) / rows.shape[-1] if centred else 0)
        result[index] = row / math.sqrt(math.fsum(row * row) / rows.shape[-1] + epsilon)
    return result


def epsilon_of(setup):
    return setup.get("norm", {}).get("epsilon", 1e-6)


def normalise(setup, sizes, t):
    if norm_of(setup) == "none" or block.is_after(setup):
        return {}
    rows = normalised(t.get("X_plus_P", t["X"]), epsilon_of(setup), norm_of(setup) == "layer")
    return {"N": rows * t["norm_gain"] + t.get("norm_bias", 0)}


def project(setup, sizes, t):
    x = t.get("N", t.get("X_plus_P", t["X"]))
    source = t.get("Y_plus_P", t["Y"]) if sizes.cross else x
    return {name.upper(): np.einsum("bpf,fc->bpc", x, t["W_" + name]) + t.get("b_" + name, 0)
            for name, x in (("q", x[:, sizes.past:]), ("k", source), ("v", source))}


def split(setup, sizes, t):
    result = {}
    for name, heads in (("Q", sizes.heads), ("K", sizes.kv_heads), ("V", sizes.kv_heads)):
        columns = [t[name][:, :, h * sizes.d_head:(h + 1) * sizes.d_head] for h in range(heads)]
        result[name + "_heads"] = np.stack(columns, axis=1)
    return result


def normalise_heads(setup, sizes, t):
    attention, result = setup.get("attention", {}), {}
    if not attention.get("qk_norm"):
        return {}
    for name in "QK":
        heads = t[name + "_heads"]
        if attention.get("qk_norm_over") == "heads":
            joined = heads.swapaxes(1, 2)  # (batch, position, head, d_head)
            rows = normalised(joined.reshape(*joined.shape[:2], -1), epsilon_of(setup)).reshape(joined.shape)
            result[name + "_normed"] = (rows * t[name.lower() + "_head_gains"]).swapaxes(1, 2)
        else:
            result[name + "_normed"] = normalised(heads, epsilon_of(setup)) * t[name.lower() + "_gain"]
    return result


def shared_head(sizes, head):
    return head // (sizes.heads // sizes.kv_heads)


def rotated(setup, sizes, x, name):
    """Each pair of features is a complex number, which is multiplied by another of length 1."""
    settings = setup["position"]
    width = int(settings.get("fraction", 1) * sizes.d_head)
    half = width // 2
    first = sizes.past if name == "Q" else 0
    places = np.array([[place_of(setup, sizes, b, first + i, name == "K") for i in range(x.shape[2])]
                       for b in range(sizes.batch)])
    neighbours = settings.get("layout", "half") == "interleaved"
    result = np.array(x)
    for k in range(half):
        a, b = (2 * k, 2 * k + 1) if neighbours else (k, k + half)
        angles = places / settings.get("base", 10000.0) ** (2 * k / width)
        turned = (x[..., a] + 1j * x[..., b]) * np.exp(1j * angles)[:, None]
        result[..., a], result[..., b] = turned.real, turned.imag
    return result


def rotate(setup, sizes, t):
    if encoding_of(setup) != "rotary":
        return {}
    return {name + "_rotated": rotated(setup, sizes, t.get(name + "_normed", t[name + "_heads"]), name)
            for name in "QK"}


def slopes(heads):
    """As the ALiBi paper tells: of heads that are no power of two, the rest have every other slope of twice as many."""
    if heads & (heads - 1) == 0:
        return [2.0 ** (-8 * (h + 1) / heads) for h in range(heads)]
    power = 1 << (heads.bit_length() - 1)
    return slopes(power) + slopes(2 * power)[::2][:heads - power]


def position_bias(setup, sizes, t):
    if encoding_of(setup) != "alibi":
        return {}
    distance = np.abs(np.subtract.outer(sizes.past + np.arange(sizes.queries), np.arange(sizes.keys)))
    return {"position_bias": np.stack([-slope * distance for slope in slopes(sizes.heads)])}


def dot_products(setup, sizes, t):
    q, k = (t.get(name + "_rotated", t.get(name + "_normed", t[name + "_heads"])) for name in "QK")
    per_head = [np.einsum("bid,bjd->bij", q[:, h], k[:, shared_head(sizes, h)])
                for h in range(sizes.heads)]
    return {"dot_products": np.stack(per_head, axis=1)}


def scale(setup, sizes, t):
    attention = setup.get("attention", {})
    choice = attention.get("scale", "inverse_sqrt_d_head")
    factor = {"inverse_sqrt_d_head": 1 / math.sqrt(sizes.d_head), "none": 1.0}.get(choice, choice)
    return {"scores": t["dot_products"] * factor / attention.get("temperature", 1.0) + t.get("position_bias", 0)}


def cap(setup, sizes, t):
    most = setup.get("attention", {}).get("soft_cap", 0)
    return {"capped_scores": most * np.tanh(t["scores"] / most)} if most else {}


def mask(setup, sizes, t):
    result = np.array(t.get("capped_scores", t["scores"]))
    for b in range(sizes.batch):
        for i in range(sizes.queries):
            for j in range(sizes.keys):
                if not visible(setup, sizes, b, i, j):
                    result[b, :, i, j] = -math.inf
    return {"masked_scores": result}


def softmax(setup, sizes, t):
    result = np.empty_like(t["masked_scores"])
    for index in np.ndindex(result.shape[:-1]):
        scores = t["masked_scores"][index].tolist()
        sink = {"none": [], "zero": [0.0], "learned": [float(t["sinks"][index[1]])] if "sinks" in t else []}
        result[index] = softmax_row(scores + sink[sink_of(setup)])[:len(scores)]
    return {"weights": result}


def context(setup, sizes, t):
    weights = t.get("dropped_weights", t["weights"])
    per_head = [np.einsum("bij,bjd->bid", weights[:, h], t["V_heads"][:, shared_head(sizes, h)])
                for h in range(sizes.heads)]
    for head in setup.get("attention", {}).get("ablated_heads", []):
        per_head[head] = np.zeros_like(per_head[head])
    return {"context": np.stack(per_head, axis=1)}


def concat(setup, sizes, t):
    return {"concat": np.concatenate([t["context"][:, h] for h in range(sizes.heads)], axis=-1)}


def output(setup, sizes, t):
    return {"output": np.einsum("bpc,cf->bpf", t["concat"], t["W_o"]) + t.get("b_o", 0)}


def head_matrices(setup, sizes, t):
    """What each head asks for and writes, where the features have names and there are not too many numbers."""
    named = setup.get("features") or (setup.get("task", {}).get("name", "none") != "none" and not block.embeds(setup))
    if not named or sizes.heads * sizes.d_source * max(sizes.d_model, sizes.d_out) > 2**20:
        return {}

    def columns(head):
        return slice(head * sizes.d_head, (head + 1) * sizes.d_head)
    asked, written = [], []
    for head in range(sizes.heads):
        own, shared = columns(head), columns(shared_head(sizes, head))
        asked.append(np.einsum("fd,gd->fg", t["W_q"][:, own], t["W_k"][:, shared]))
        written.append(np.einsum("fd,dg->fg", t["W_v"][:, shared], t["W_o"][own]))
    return {"W_qk": np.stack(asked), "W_vo": np.stack(written)}


BEFORE_DROPOUT = (encode, add_positions, enter, normalise, project, split, normalise_heads, rotate, dot_products, position_bias,
                  scale, cap, mask, softmax)
AFTER_DROPOUT = (context, concat, output, block.made_from, head_matrices)


def trace(setup):
    """Computes every tensor of the setup, from the draws on."""
    sizes = Sizes(setup)
    tensors, generator = run_draws(setup, sizes)
    for stage in BEFORE_DROPOUT:
        tensors |= stage(setup, sizes, tensors)
    p = setup.get("attention", {}).get("dropout", 0)
    if p > 0:
        # Past positions are decided about too, as if they made queries.
        shape = (sizes.batch, sizes.heads, sizes.tokens, sizes.keys)
        tensors["dropped_weights"] = tensors["weights"] * generator.dropped(np.ones(shape), p)[:, :, sizes.past:]
    for stage in AFTER_DROPOUT:
        tensors |= stage(setup, sizes, tensors)
    return tensors


def restaged(setup, tensors):
    """Computes every tensor from the given tensors that its stage reads, so that errors of stages do not add up."""
    sizes = Sizes(setup)
    given = {name: np.asarray(tensor, dtype=np.float64) for name, tensor in tensors.items()}
    result = {}
    for stage in BEFORE_DROPOUT + AFTER_DROPOUT:
        result |= stage(setup, sizes, given)
    return result
