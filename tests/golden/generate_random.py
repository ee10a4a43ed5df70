"""Writes what the real NumPy and PyTorch draw: random_streams.txt and random_setups.txt, beside this file.

    /usr/bin/python3 generate_random.py           writes them
    /usr/bin/python3 generate_random.py --check   writes nothing; exits 1 where a file would change

Each array is one line of its first values' bits in hexadecimal and a digest of all of them (see `digest`), so that a
million numbers are compared to the last bit in a few bytes. The files were made with NumPy 1.24 and PyTorch 1.13 (of
Debian 12) on a machine with AVX2. PyTorch's float32 normal numbers in arrays of 16 and more depend on the machine's
vector instructions, and its dropout on whether it was built with MKL; the rest is the same but for last digits.
"""

import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

FOLDER = pathlib.Path(__file__).parent
SHOWN = 10
KINDS = {"float32": (np.float32, torch.float32), "float64": (np.float64, torch.float64)}


def bits(values):
    values = np.ascontiguousarray(values).reshape(-1)
    return values.view({4: np.uint32, 8: np.uint64, 1: np.uint8}[values.itemsize]).astype(np.uint64)


def digest(values):
    """The sum of (2 i + 1) · bits(value i), modulo 2^64: it changes with every bit and with every exchange."""
    pattern = bits(values)
    weights = 2 * np.arange(pattern.size, dtype=np.uint64) + np.uint64(1)
    return int((pattern * weights).sum(dtype=np.uint64))


def line(values):
    values = np.asarray(values)
    shown = " ".join(f"{word:x}" for word in bits(values)[:SHOWN].tolist())
    return f"{digest(values):x} {shown}"


# ---- Streams: calls one after another on one generator ----

# Sizes around 16, where PyTorch changes its method; around 624 words, where the generator makes a new block; odd ones,
# that leave half a pair of normal numbers for later; and large ones.
SIZES = [1, 15, 16, 17, 31, 1, 3, 311, 312, 313, 2, 623, 624, 625, 1000, 1, 4096, 4099, 100000]


def calls():
    """(what, count, from, to) in an order that brings every method to every place within a block."""
    for i, size in enumerate(SIZES):
        yield ("uniform", size, 0.0, 1.0)
        yield ("normal", size, 0.0, 1.0)
        if i % 3 == 0:
            yield ("normal", 5, 0.0, 1.0)
            yield ("uniform", size, -0.25, 0.75)
        if i % 3 == 1:
            yield ("uniform", size, -1 / 3, 1 / 3)
            yield ("dropout", size, 0.3, 0.0)
    yield ("uniform", 1500000, 0.0, 1.0)
    yield ("normal", 1000003, 0.0, 1.0)
    yield ("dropout", 20011, 0.5, 0.0)


def numpy_call(what, count, precision):
    if what == "dropout":
        return (np.random.rand(count) >= 0.3).astype(np.uint8)
    draw = np.random.rand if what == "uniform" else np.random.randn
    return draw(count).astype(KINDS[precision][0])


def rng_call(rng, what, count, precision):
    if what == "dropout":
        return (rng.random(count) >= 0.3).astype(np.uint8)
    return (rng.random if what == "uniform" else rng.standard_normal)(count).astype(KINDS[precision][0])


def torch_call(what, count, low, high, precision):
    dtype = KINDS[precision][1]
    if what == "dropout":
        return (F.dropout(torch.ones(count, dtype=dtype), low, training=True) != 0).numpy().astype(np.uint8)
    if what == "normal":
        return torch.randn(count, dtype=dtype).numpy()
    if (low, high) == (0.0, 1.0):
        return torch.rand(count, dtype=dtype).numpy()
    return torch.empty(count, dtype=dtype).uniform_(low, high).numpy()


def streams():
    for seed in (0, 1, 42, 2**31, 2**32 - 1):
        for precision in KINDS:
            np.random.seed(seed)
            yield f"stream numpy {precision} {seed}"
            for what, count, low, high in calls():
                if what == "uniform" and (low, high) != (0.0, 1.0):
                    continue
                if what == "dropout":
                    low = 0.3
                yield f"{what} {count} {low!r} {high!r} {line(numpy_call(what, count, precision))}"
    ranges = [(1, 2), (7, 6), (1, 1), (5000, 10), (3, 3), (5001, 2**31 + 1), (100000, 7), (9, 2**32 - 1), (100, 64)]
    for seed in (0, 42, 2**32 - 1):
        np.random.seed(seed)
        yield f"stream numpy float64 {seed}"
        for count, end in ranges:
            yield f"integers {count} 0 {end} {line(np.random.randint(0, end, count))}"
            yield f"uniform 3 0.0 1.0 {line(np.random.rand(3))}"
    for seed in (0, 42, 2**32 + 7, 2**63 - 1):
        for precision in KINDS:
            rng = np.random.default_rng(seed)
            yield f"stream numpy_rng {precision} {seed}"
            for what, count, low, high in calls():
                if what == "uniform" and (low, high) != (0.0, 1.0):
                    continue
                if what == "dropout":
                    low = 0.3
                yield f"{what} {count} {low!r} {high!r} {line(rng_call(rng, what, count, precision))}"
        rng = np.random.default_rng(seed)
        yield f"stream numpy_rng float64 {seed}"
        for count, end in [(1, 2), (7, 6), (1, 1), (1000, 10), (3, 3), (5001, 2**31 + 1), (100000, 7), (9, 2**32 - 1)]:
            yield f"integers {count} 0 {end} {line(rng.integers(0, end, count))}"
            yield f"uniform 3 0.0 1.0 {line(rng.random(3))}"  # half a word stays for later
    for seed in (0, 42, -1):
        torch.manual_seed(seed)
        yield f"stream torch float64 {seed}"
        for count, end in ranges:
            yield f"integers {count} 0 {end} {line(torch.randint(0, end, (count,)).numpy())}"
            yield f"uniform 3 0.0 1.0 {line(torch.rand(3, dtype=torch.float64).numpy())}"
    for seed in (0, 1, 42, -1, -123456789, 2**32 - 1, 2**32 + 7, 2**63 - 1, -(2**63)):
        for precision in KINDS:
            torch.manual_seed(seed)
            yield f"stream torch {precision} {seed}"
            for what, count, low, high in calls():
                yield f"{what} {count} {low!r} {high!r} {line(torch_call(what, count, low, high, precision))}"


# ---- Setups: what a notebook would write, beside the list of draws that means the same ----


def udl():
    """Columns, biases, one head after another: the tensors as the notebook has them, turned to rows."""
    d_model, positions, d_head = 8, 6, 4
    np.random.seed(3)
    x = np.random.normal(size=(d_model, positions))
    np.random.seed(0)
    heads = []
    for _ in range(2):
        weights = [np.random.normal(size=(d_head, d_model)) for _ in "qkv"]
        biases = [np.random.normal(size=(d_head, 1)) for _ in "qkv"]
        heads.append((weights, biases))
    w_o = np.random.normal(size=(d_model, d_model))
    made = {"X": x.T[None], "W_o": w_o.T}
    for i, name in enumerate("qkv"):
        made[f"W_{name}"] = np.concatenate([weights[i] for weights, _ in heads]).T
        made[f"b_{name}"] = np.concatenate([biases[i] for _, biases in heads])[:, 0]
    return made


def numpy_rows(dtype):
    np.random.seed(0)
    made = {"X": np.random.rand(2, 4, 8)}
    for name in "qkv":
        made[f"W_{name}"] = np.random.rand(8, 8 if name == "q" else 4)
    made["b_q"] = np.random.randn(8)
    made["b_k"] = np.zeros(4)
    made["W_v"] = np.random.randn(8, 4)  # drawn again: the last one counts
    made["W_o"] = np.zeros((8, 8))
    made = {name: value.astype(dtype) for name, value in made.items()}
    made["kept"] = np.random.rand(2, 4, 4, 4) >= 0.25
    return made


def numpy_cross_columns():
    np.random.seed(4294967295)
    y = np.random.randn(3, 6, 7)
    x = np.random.rand(3, 6, 5)
    w_o = np.random.randn(6, 6)
    w_o[4:6] = np.random.rand(2, 6)  # rows of W_o belong to heads
    w_q = np.random.rand(6, 6)
    w_q[:, 4:6] = np.random.randn(6, 2)
    w_q[:, 0:2] = 0
    b_v = np.zeros(6)
    b_v[2:4] = np.random.randn(2)
    return {"X": x.transpose(0, 2, 1), "Y": y.transpose(0, 2, 1), "W_q": w_q, "W_k": np.zeros((6, 6)), "W_o": w_o,
            "b_v": b_v}


def rng_rows(dtype):
    rng = np.random.default_rng(2**40 + 5)
    made = {"X": rng.random((2, 4, 8)), "W_q": rng.standard_normal((8, 8)).T, "b_v": rng.standard_normal(8)}
    rng = np.random.default_rng(0)
    w_k = rng.random((8, 8)).T
    w_k[:, 4:6] = rng.standard_normal((2, 8)).T
    made["W_k"] = w_k
    made = {name: value.astype(dtype) for name, value in made.items()}
    made["kept"] = rng.random((2, 4, 4, 4)) >= 0.25
    return made


def state(module, weight, bias):
    """An nn.Linear's numbers as (in, out)."""
    found = {weight: module.weight.detach().numpy().T}
    if module.bias is not None:
        found[bias] = module.bias.detach().numpy()
    return found


def torch_linears(seed):
    torch.manual_seed(seed)
    made = {}
    for name in "qkvo":
        made.update(state(nn.Linear(64, 64), f"W_{name}", f"b_{name}"))
    made["X"] = torch.randn(4, 10, 64).numpy()
    weights = torch.ones(4, 8, 10, 10)
    made["kept"] = F.dropout(weights, p=0.1, training=True).numpy() != 0
    return made


def torch_linear_per_head():
    torch.manual_seed(-7)
    x = torch.rand(1, 5, 12)
    heads = [[nn.Linear(12, 4) for _ in "qkv"] for _ in range(3)]
    made = {"X": x.numpy()}
    for i, name in enumerate("qkv"):
        made[f"W_{name}"] = np.concatenate([head[i].weight.detach().numpy() for head in heads]).T
        made[f"b_{name}"] = np.concatenate([head[i].bias.detach().numpy() for head in heads])
    made.update(state(nn.Linear(12, 12), "W_o", "b_o"))
    return made


def torch_multihead(d_model, heads, seed):
    torch.manual_seed(seed)
    module = nn.MultiheadAttention(d_model, heads)
    made = state(module.out_proj, "W_o", "b_o")
    packed = module.in_proj_weight.detach().numpy()
    for i, name in enumerate("qkv"):
        made[f"W_{name}"] = packed[i * d_model : (i + 1) * d_model].T
        made[f"b_{name}"] = module.in_proj_bias.detach().numpy()[i * d_model : (i + 1) * d_model]
    made["X"] = torch.randn(1, 3, d_model).numpy()
    return made


def torch_xavier():
    torch.manual_seed(2**40 + 5)
    made = {}
    for name, outputs in (("q", 20), ("k", 10), ("v", 10), ("o", 20)):
        weight = torch.empty(outputs, 20)
        nn.init.xavier_uniform_(weight)
        made[f"W_{name}"] = weight.numpy().T
    block = torch.empty(5, 20)
    nn.init.xavier_uniform_(block)
    made["W_k"] = np.concatenate([block.numpy().T, made["W_k"][:, 5:]], axis=1)
    made["X"] = torch.rand(1, 20, 3).numpy().transpose(0, 2, 1)
    return made


def torch_out_in():
    """Small tensors, so that the normal numbers come one by one and half a pair is left for the next call."""
    torch.manual_seed(11)
    w_q = torch.randn(3, 3)
    b_q = torch.randn(3)
    w_k = torch.randn(3, 3)
    torch.manual_seed(12)
    w_v = torch.rand(3, 3)
    head = torch.randn(3, 1)  # the columns of an (out, in) W_o belong to heads
    w_o = torch.zeros(3, 3)
    w_o[:, 1:2] = head
    x = torch.randn(2, 3, 3)
    return {"X": x.numpy(), "W_q": w_q.numpy().T, "b_q": b_q.numpy(), "W_k": w_k.numpy().T, "W_v": w_v.numpy().T,
            "W_o": w_o.numpy().T}


MULTIHEAD = ["W_o linear", "W_qkv xavier_uniform", "b_q zeros", "b_k zeros", "b_v zeros", "b_o zeros", "X normal"]


def setups():
    """(precision, settings, draws, what to call)"""
    per_head = [f"{kind}_{name}[{head}] normal" for head in (0, 1) for kind in "Wb" for name in "qkv"]
    yield ("float64", "generator=numpy query=6 d_model=8 heads=2 token_axis=columns weight_layout=out_in",
           ["seed 3", "X normal", "seed 0", *per_head, "W_o normal"], udl)
    for precision in KINDS:
        dtype, torch_dtype = KINDS[precision]
        yield (precision, "generator=numpy batch=2 query=4 d_model=8 heads=4 kv_heads=2 dropout=0.25",
               ["seed 0", "X uniform", "W_q uniform", "W_k uniform", "W_v uniform", "b_q normal", "b_k zeros",
                "W_v normal"],
               lambda dtype=dtype: numpy_rows(dtype))
        yield (precision, "generator=numpy_rng batch=2 query=4 d_model=8 heads=4 dropout=0.25 weight_layout=out_in",
               ["seed 1099511627781", "X uniform", "W_q normal", "b_v normal", "seed 0", "W_k uniform", "W_k[2] normal"],
               lambda dtype=dtype: rng_rows(dtype))
        yield (precision, "generator=torch batch=4 query=10 d_model=64 heads=8 dropout=0.1",
               ["seed 0", "W_q linear", "W_k linear", "W_v linear", "W_o linear", "X normal"], lambda: torch_linears(0))
        yield (precision, "generator=torch batch=4 query=10 d_model=64 heads=8 dropout=0.1 weight_layout=out_in",
               ["seed 99", "W_q linear", "W_k linear", "W_v linear", "W_o linear", "X normal"],
               lambda: torch_linears(99))
        yield (precision, "generator=torch query=5 d_model=12 heads=3",
               ["seed -7", "X uniform", *(f"W_{name}[{head}] linear" for head in range(3) for name in "qkv"),
                "W_o linear"],
               torch_linear_per_head)
        for d_model, heads, seed in ((8, 2, 0), (16, 4, 1234), (100, 5, -3)):
            yield (precision, f"generator=torch query=3 d_model={d_model} heads={heads}", [f"seed {seed}", *MULTIHEAD],
                   lambda d_model=d_model, heads=heads, seed=seed: torch_multihead(d_model, heads, seed))
        yield (precision, "generator=torch query=3 d_model=20 heads=4 kv_heads=2 token_axis=columns",
               ["seed 1099511627781", *(f"W_{name} xavier_uniform" for name in "qkvo"), "W_k[0] xavier_uniform",
                "X uniform"],
               torch_xavier)
        yield (precision, "generator=torch batch=2 query=3 d_model=3 heads=3 weight_layout=out_in",
               ["seed 11", "W_q normal", "b_q normal", "W_k normal", "seed 12", "W_v uniform", "W_o[1] normal",
                "X normal"],
               torch_out_in)
    yield ("float64", "generator=numpy batch=3 source=cross query=5 key=7 d_model=6 heads=3 token_axis=columns",
           ["seed 4294967295", "Y normal", "X uniform", "W_o normal", "W_o[2] uniform", "W_q uniform", "W_q[2] normal",
            "W_q[0] zeros", "b_v[1] normal"], numpy_cross_columns)


def setup_lines():
    for precision, settings, draws, make in setups():
        torch.set_default_dtype(KINDS[precision][1])
        yield f"setup precision={precision} {settings}"
        yield from (f"draw {draw}" for draw in draws)
        for name, values in make().items():
            if name == "kept":
                values = values.astype(np.uint8)
            assert values.dtype in (np.uint8, KINDS[precision][0]), (settings, name, values.dtype)
            yield f"tensor {name} {'x'.join(map(str, values.shape))} {line(values)}"


def main():
    same = True
    for name, lines in (("random_streams.txt", streams()), ("random_setups.txt", setup_lines())):
        text = "\n".join(lines) + "\n"
        path = FOLDER / name
        if "--check" in sys.argv[1:]:
            same = same and path.read_text() == text
        else:
            path.write_text(text)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
