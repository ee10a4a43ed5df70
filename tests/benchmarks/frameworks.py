"""The work of a setup in NumPy and in PyTorch, as an experienced user would write it, keeping every tensor.

Each maker takes a setup as tomllib reads it and gives a function of a number that is added to all the seeds, and returns
the tensors by name. What the setup says about random numbers is done with the library's own generator.
"""
import math

import numpy as np
import torch
import torch.nn.functional as F

import model


class Setup:
    def __init__(self, setup):
        sizes, attention, self.mask = setup["sizes"], setup.get("attention", {}), setup.get("mask", {})
        self.cross = attention.get("source", "self") == "cross"
        self.batch, self.queries = sizes.get("batch", 1), sizes.get("query_length", 4)
        self.keys = sizes.get("key_length", self.queries) if self.cross else self.queries
        self.d_model, self.heads = sizes.get("d_model", 8), sizes.get("heads", 2)
        self.d_head = self.d_model // self.heads
        self.single = attention.get("precision", "float64") == "float32"
        self.columns = attention.get("token_axis", "rows") == "columns"
        self.out_in = attention.get("weight_layout", "in_out") == "out_in"
        scale = attention.get("scale", "inverse_sqrt_d_head")
        scale = {"inverse_sqrt_d_head": 1 / math.sqrt(self.d_head), "none": 1.0}.get(scale, scale)
        self.factor = scale / attention.get("temperature", 1.0)
        self.draws = [draw.split(" ") for draw in setup["random"]["draws"]]

    def shape(self, name):
        d = self.d_model
        return {"X": (self.batch, self.queries, d), "Y": (self.batch, self.keys, d)}.get(name, (d, d) if name[0] == "W" else (d,))

    def part(self, name, head):
        """The slices of a tensor that are one head's block."""
        block = slice(head * self.d_head, (head + 1) * self.d_head)
        return (slice(None), block) if name[:2] == "W_" and name != "W_o" else (block,)

    def is_turned(self, name, distribution):
        """Whether the tensor is drawn with its last two axes swapped."""
        if distribution in ("linear", "xavier_uniform"):
            return name[0] == "W"
        return self.columns if name in "XY" else self.out_in and name[0] == "W"


def left_out(toml):
    """What numpy_work and torch_work cannot do of a setup, in words; empty if they can do all of it."""
    sizes, attention, random = toml.get("sizes", {}), toml.get("attention", {}), toml.get("random", {})
    found = {
        "a trained layer": "model" in toml,
        "given values": "values" in toml,
        "a task": "task" in toml,
        "positions": "position" in toml,
        "grouped queries": sizes.get("kv_heads", sizes.get("heads", 2)) != sizes.get("heads", 2),
        "dropout": attention.get("dropout", 0) != 0,
        "default_rng": random.get("generator") == "numpy_rng",
    }
    return ", ".join(words for words, is_in in found.items() if is_in)


def steps(setup, draw, seed, zeros):
    """The list of draws as functions of (tensors, shift). What does not change between calls is prepared here."""
    result = []

    def placed(name, head, shape, turned, distribution, bound=None):
        if head is None:
            if turned:
                shape = (*shape[:-2], shape[-1], shape[-2])
                return lambda t, shift: t.__setitem__(name, draw(distribution, shape, bound).swapaxes(-1, -2))
            return lambda t, shift: t.__setitem__(name, draw(distribution, shape, bound))
        whole, part = setup.shape(name), setup.part(name, head)
        shape = zeros(whole)[part].shape
        drawn = shape[::-1] if turned else shape

        def place(t, shift):
            if name not in t:
                t[name] = zeros(whole)
            block = draw(distribution, drawn, bound)
            t[name][part] = block.swapaxes(-1, -2) if turned else block
        return place

    for target, distribution in setup.draws:
        if target == "seed":
            result.append(lambda t, shift, number=int(distribution): seed(number + shift))
            continue
        if target == "W_qkv":
            d = setup.d_model
            bound = math.sqrt(6 / (4 * d))

            def packed(t, shift):
                whole = draw("within", (3 * d, d), bound)
                t["W_q"], t["W_k"], t["W_v"] = whole[:d].T, whole[d:2 * d].T, whole[2 * d:].T
            result.append(packed)
            continue
        name, _, head = target.rstrip("]").partition("[")
        head, shape = int(head) if head else None, setup.shape(name)
        turned = setup.is_turned(name, distribution)
        if distribution == "linear":
            bound = 1 / math.sqrt(shape[0])
            result.append(placed(name, head, shape, turned, "within", bound))
            result.append(placed("b" + name[1:], head, shape[1:], False, "within", bound))
        elif distribution == "xavier_uniform":
            result.append(placed(name, head, shape, turned, "within", math.sqrt(6 / sum(shape))))
        else:
            result.append(placed(name, head, shape, turned, distribution))
    return result


def hidden(setup, library, boolean):
    """Which key the mask hides from which query, written with functions that have the same name in both libraries."""
    kinds, i, j = setup.mask.get("kinds", []), library.arange(setup.queries)[:, None], library.arange(setup.keys)
    result = library.zeros((setup.batch, 1, setup.queries, setup.keys), dtype=boolean)
    if "causal" in kinds:
        result |= j > i
    if "window" in kinds:
        result |= abs(i - j) > setup.mask.get("window", 1)
    if "padding" in kinds:
        result |= j >= library.asarray(setup.mask["valid_lengths"])[:, None, None, None]
    if "custom" in kinds:
        for query, key in setup.mask["blocked"]:
            result[:, :, query, key] = True
    return result


def projected(setup, drawing, layer, shift):
    """All drawn tensors, and the queries, keys and values computed from them."""
    t = {}
    for step in drawing:
        step(t, shift)
    source = t["Y"] if setup.cross else t["X"]
    t["Q"], t["K"], t["V"] = layer(t["X"], t, "q"), layer(source, t, "k"), layer(source, t, "v")
    return t


def numpy_work(toml):
    setup = Setup(toml)
    dtype = np.float32 if setup.single else np.float64

    def draw(distribution, shape, bound):
        if distribution == "zeros":
            return np.zeros(shape, dtype)
        if distribution == "within":
            values = np.random.uniform(-bound, bound, shape)
        else:
            values = np.random.standard_normal(shape) if distribution == "normal" else np.random.random_sample(shape)
        return values.astype(dtype) if setup.single else values

    drawing = steps(setup, draw, np.random.seed, lambda shape: np.zeros(shape, dtype))
    b, n, m, h, d = setup.batch, setup.queries, setup.keys, setup.heads, setup.d_head

    def layer(x, t, name):
        y = x @ t["W_" + name]
        return y + t["b_" + name] if "b_" + name in t else y

    def run(shift=0):
        t = projected(setup, drawing, layer, shift)
        t["Q_heads"] = t["Q"].reshape(b, n, h, d).transpose(0, 2, 1, 3)
        t["K_heads"] = t["K"].reshape(b, m, h, d).transpose(0, 2, 1, 3)
        t["V_heads"] = t["V"].reshape(b, m, h, d).transpose(0, 2, 1, 3)
        t["dot_products"] = t["Q_heads"] @ t["K_heads"].transpose(0, 1, 3, 2)
        t["scores"] = t["dot_products"] * dtype(setup.factor)
        t["masked_scores"] = t["scores"]
        if setup.mask.get("kinds"):
            t["masked_scores"] = np.where(hidden(setup, np, np.bool_), dtype(-np.inf), t["scores"])
        e = t["masked_scores"] - t["masked_scores"].max(axis=-1, keepdims=True)
        np.exp(e, out=e)
        e /= e.sum(axis=-1, keepdims=True)
        t["weights"] = e
        t["context"] = t["weights"] @ t["V_heads"]
        t["concat"] = t["context"].transpose(0, 2, 1, 3).reshape(b, n, h * d)
        t["output"] = layer(t["concat"], t, "o")
        return t
    return run


def torch_work(toml):
    setup = Setup(toml)
    dtype = torch.float32 if setup.single else torch.float64

    def draw(distribution, shape, bound):
        if distribution == "zeros":
            return torch.zeros(shape, dtype=dtype)
        if distribution == "within":
            return torch.empty(shape, dtype=dtype).uniform_(-bound, bound)
        return (torch.randn if distribution == "normal" else torch.rand)(shape, dtype=dtype)

    drawing = steps(setup, draw, torch.manual_seed, lambda shape: torch.zeros(shape, dtype=dtype))
    b, n, m, h, d = setup.batch, setup.queries, setup.keys, setup.heads, setup.d_head

    def layer(x, t, name):
        return F.linear(x, t["W_" + name].t(), t.get("b_" + name))

    @torch.no_grad()
    def run(shift=0):
        t = projected(setup, drawing, layer, shift)
        t["Q_heads"] = t["Q"].view(b, n, h, d).transpose(1, 2)
        t["K_heads"] = t["K"].view(b, m, h, d).transpose(1, 2)
        t["V_heads"] = t["V"].view(b, m, h, d).transpose(1, 2)
        t["dot_products"] = t["Q_heads"] @ t["K_heads"].transpose(-2, -1)
        t["scores"] = t["dot_products"] * setup.factor
        t["masked_scores"] = t["scores"]
        if setup.mask.get("kinds"):
            t["masked_scores"] = t["scores"].masked_fill(hidden(setup, torch, torch.bool), -torch.inf)
        t["weights"] = torch.softmax(t["masked_scores"], dim=-1)
        t["context"] = t["weights"] @ t["V_heads"]
        t["concat"] = t["context"].transpose(1, 2).reshape(b, n, h * d)
        t["output"] = layer(t["concat"], t, "o")
        return t
    return run


def torch_training(toml):
    """A layer with one-hot positions that learns its task with Adam: a function of no use for its argument, which makes a
    step and returns the loss. Embedding by one-hot rows, products of all heads at once, F.cross_entropy."""
    setup, task, training = Setup(toml), toml["task"], toml["training"]
    dtype = torch.float32 if setup.single else torch.float64
    tensors = {}
    drawing = steps(setup, lambda distribution, shape, bound: torch.randn(shape, dtype=dtype), torch.manual_seed, None)
    for draw in drawing:
        draw(tensors, 0)
    weights = [tensors[name].requires_grad_() for name in ("W_q", "W_k", "W_v", "W_o")]
    optimizer = torch.optim.Adam(weights, lr=training["learning_rate"])
    generator = torch.Generator().manual_seed(task.get("seed", 0))
    S, n, d_model, h, d = task["symbols"], setup.queries, setup.d_model, setup.heads, setup.d_head
    P = torch.eye(d_model, dtype=dtype)[d_model - n:]

    def drawn(end, *shape):
        return torch.randint(0, end, shape, generator=generator)

    def lookups(count):
        keys = torch.rand(count, S, dtype=torch.float64, generator=generator).argsort(dim=-1)[:, :n - 1]
        values, places = drawn(S, count, n - 1), drawn(n - 1, count)
        row = torch.arange(count)
        X = torch.zeros(count, n, d_model, dtype=dtype)
        X[:, :-1, :S], X[:, :-1, S:2 * S] = F.one_hot(keys, S), F.one_hot(values, S)
        X[:, -1, :S] = F.one_hot(keys[row, places], S)
        return X, (slice(None), slice(n - 1, n)), values[row, places]

    def sequences(count):
        """X, which positions are asked, and the right answers."""
        if task["name"] == "lookup":
            return lookups(count)
        held = drawn(S, count, n)
        answers = [held[:, :-1]] + [held[:, :1].expand(-1, n - 1)] * (task["name"] == "previous_and_first")
        return F.one_hot(held, d_model).to(dtype), (slice(None), slice(1, None)), torch.stack(answers, -1)

    sequences(setup.batch)  # the shown ones come first

    def step(turn=0):
        X, asked, right = sequences(training["batch"])
        X = X + P
        Q, K, V = ((X @ W).view(-1, n, h, d).transpose(1, 2) for W in weights[:3])
        shares = torch.softmax(Q @ K.transpose(-2, -1) * setup.factor, dim=-1)
        output = (shares @ V).transpose(1, 2).reshape(-1, n, d_model) @ weights[3]
        loss = F.cross_entropy(output[asked][..., :right.numel() // (X.shape[0] * output[asked].shape[1]) * S].reshape(-1, S),
                               right.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


class TorchModel:
    """Layers on a residual stream, each with an MLP if the setup has one, that answer with scores of symbols: embedding by
    look-up, products of all heads at once, what does not change prepared beforehand. Rotary or learned positions, a causal
    mask, no norm or a LayerNorm before each part."""

    def __init__(self, toml):
        setup, attention, blocks = Setup(toml), toml["attention"], toml["block"]
        dtype = torch.float32 if setup.single else torch.float64
        self.heads, self.d_head, self.factor, self.tokens = setup.heads, setup.d_head, setup.factor, setup.queries
        self.layers = [{name: drawn.detach().to(dtype).requires_grad_() for name, drawn in model.weights_of(toml, layer).items()}
                       for layer in range(toml["sizes"]["layers"])]
        self.first, self.last = self.layers[0], self.layers[-1]
        self.epsilon = toml.get("norm", {}).get("epsilon", 1e-6)
        self.has_mlp, self.is_normed = blocks.get("mlp", "none") == "gelu", "norm" in toml
        self.hides = torch.full((setup.queries, setup.queries), -torch.inf, dtype=dtype).triu(1)
        self.is_turned = toml["position"]["encoding"] == "rotary"
        steps = 10_000.0 ** -(torch.arange(0, setup.d_head, 2, dtype=torch.float64) / setup.d_head)
        angles = torch.outer(torch.arange(setup.queries, dtype=torch.float64), steps)
        self.cos, self.sin = angles.cos().to(dtype), angles.sin().to(dtype)

    def parameters(self):
        return [tensor for layer in self.layers for tensor in layer.values()]

    def normed(self, x, t, name):
        return F.layer_norm(x, x.shape[-1:], t[name + "_gain"], t[name + "_bias"], self.epsilon) if self.is_normed else x

    def turned(self, x):
        a, b = x.chunk(2, -1)
        return torch.cat((a * self.cos - b * self.sin, a * self.sin + b * self.cos), -1)

    def __call__(self, symbols):
        x = F.embedding(symbols, self.first["W_E"])
        if "P" in self.first:
            x = x + self.first["P"]
        for t in self.layers:
            read = self.normed(x, t, "norm")
            Q, K, V = ((read @ t["W_" + each]).unflatten(-1, (self.heads, -1)).transpose(1, 2) for each in "qkv")
            if self.is_turned:
                Q, K = self.turned(Q), self.turned(K)
            weights = torch.softmax(Q @ K.transpose(-2, -1) * self.factor + self.hides, dim=-1)
            x = x + (weights @ V).transpose(1, 2).flatten(-2) @ t["W_o"]
            if self.has_mlp:
                x = x + F.gelu(self.normed(x, t, "mlp_norm") @ t["W_in"] + t["b_in"]) @ t["W_out"] + t["b_out"]
        return self.normed(x, self.last, "final_norm") @ self.last["W_U"]


def torch_model_training(toml):
    """A model of several layers that learns with Adam: a function of no use for its argument, which makes a step and returns
    the loss. Sequences are symbols, drawn for the whole batch at once."""
    task, training, length = toml["task"], toml["training"], toml["sizes"]["query_length"]
    network = TorchModel(toml)
    optimizer = torch.optim.Adam(network.parameters(), lr=training["learning_rate"])
    generator = torch.Generator().manual_seed(task.get("seed", 0))

    def repeats(count):
        """Symbols of which none comes twice, and some of them again; what follows is asked of those."""
        again = length // 3
        first = torch.rand(count, task["symbols"], dtype=torch.float64, generator=generator).argsort(-1)[:, :length - again]
        starts = torch.randint(0, length - again - again, (count, 1), generator=generator)
        copied = first.gather(-1, starts + torch.arange(again + 1))
        right = torch.full((count, length), -1)
        right[:, length - again:] = copied[:, 1:]
        return torch.cat((first, copied[:, :-1]), -1), right

    def lines(table):
        def some(count):
            drawn = torch.randint(0, len(table[0]), (count,), generator=generator)
            return table[0][drawn], table[1][drawn]
        return some

    def numbered():
        """Each line's symbols, and what is asked of each of them: the next one."""
        found = {letter: n for n, letter in enumerate(["\n", *sorted(set("".join(task["text"])))])}
        held, right = torch.zeros(len(task["text"]), length + 1, dtype=torch.long), torch.full((len(task["text"]), length), -1)
        for n, line in enumerate(task["text"]):
            symbols = torch.tensor([found[letter] for letter in f"\n{line}\n"])
            held[n, :len(symbols)], right[n, :len(symbols) - 1] = symbols, symbols[1:]
        return held[:, :-1], right

    sequences = repeats if task["name"] == "induction" else lines(numbered())
    sequences(toml["sizes"].get("batch", 1))  # the shown ones come first

    def step(turn=0):
        symbols, right = sequences(training["batch"])
        asked = right >= 0
        loss = F.cross_entropy(network(symbols)[asked], right[asked])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()
    return step
