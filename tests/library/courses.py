"""The layers of books, courses and other libraries: how each keeps the same four matrices, and its attention in PyTorch.

`layouts(layer)` gives, for matrices applied as x @ W, the arrays by name as each keeps them.
"""
import math

import torch

from families import drawn, turned_neighbours


class Layer:
    """Matrices of a layer, and its attention."""

    def __init__(self, width=16, heads=4, d_head=4, biases=True):
        self.width, self.heads, self.d_head = width, heads, d_head
        columns = heads * d_head
        self.q, self.k, self.v = (drawn(width, columns) for _ in range(3))
        self.o = drawn(columns, width)
        self.bq, self.bk, self.bv = (drawn(columns) if biases else torch.zeros(columns) for _ in range(3))
        self.bo = drawn(width) if biases else torch.zeros(width)
        self.biases = biases

    def attend(self, x, causal, turned=False, output=True):
        q, k, v = (t.unflatten(-1, (self.heads, self.d_head)).transpose(1, 2)
                   for t in (x @ self.q + self.bq, x @ self.k + self.bk, x @ self.v + self.bv))
        if turned:
            q, k = turned_neighbours(q, 10000.0), turned_neighbours(k, 10000.0)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.d_head)
        if causal:
            scores = scores.masked_fill(torch.ones(x.shape[1], x.shape[1]).triu(1).bool(), -math.inf)
        context = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return context @ self.o + self.bo if output else context

    def linears(self, *names):
        """Of nn.Linear: (out, in)."""
        weights = {f"{name}.weight": weight.T for name, weight in zip(names, (self.q, self.k, self.v, self.o))}
        biases = {f"{name}.bias": bias for name, bias in zip(names, (self.bq, self.bk, self.bv, self.bo))}
        return weights | (biases if self.biases else {})

    def by_head(self, t):
        return t.unflatten(-1, (self.heads, self.d_head))

    def modules(self, query, key, value):
        """A module for each head."""
        parts = {f"heads.{h}.{name}.weight": self.by_head(t)[:, h].T
                 for h in range(self.heads) for name, t in zip((query, key, value), (self.q, self.k, self.v))}
        return parts | {f"heads.{h}.tril": torch.ones(8, 8).tril() for h in range(self.heads)}


def layouts():
    """By name: the layer, its arrays, and how it attends; the heads where its file doesn't tell them."""
    full, bare = Layer(), Layer(biases=False)
    mask = torch.ones(8, 8).triu(1)
    yield "LLMs from scratch", full, {f"att.{name}": t for name, t in full.linears("W_query", "W_key", "W_value", "out_proj").items()
                                      } | {"att.mask": mask}, {"causal": True}, 4
    yield "Raschka's wrapper", bare, {f"mha.{name}": t for name, t in bare.modules("W_query", "W_key", "W_value").items()}, {
        "causal": True, "output": False}, None
    lecture = bare.modules("query", "key", "value") | {"proj.weight": bare.o.T, "proj.bias": bare.bo}
    yield "the lecture before nanoGPT", bare, {f"blocks.0.sa.{name}": t for name, t in lecture.items()}, {"causal": True}, None
    yield "the annotated transformer", full, {f"encoder.layers.0.self_attn.{name}": t for name, t in full.linears(
        *(f"linears.{i}" for i in range(4))).items()}, {"causal": False}, 4
    yield "Dive into Deep Learning", bare, {f"attention.{name}": t for name, t in bare.linears("W_q", "W_k", "W_v", "W_o").items()}, {
        "causal": False}, 4
    einops = {"to_qkv.weight": torch.cat([bare.q, bare.k, bare.v], 1).T, "to_out.0.weight": bare.o.T, "to_out.0.bias": bare.bo}
    yield "einops", bare, {f"transformer.layers.0.0.{name}": t for name, t in einops.items()}, {"causal": False}, 4
    yield "diffusers", full, {f"down.attn1.{name}": t for name, t in full.linears("to_q", "to_k", "to_v", "to_out.0").items()}, {
        "causal": False}, 4
    lens = {f"W_{name}": full.by_head(t).transpose(0, 1) for name, t in zip("QKV", (full.q, full.k, full.v))} | {
        f"b_{name}": full.by_head(t) for name, t in zip("QKV", (full.bq, full.bk, full.bv))} | {
        "W_O": full.o.unflatten(0, (full.heads, full.d_head)), "b_O": full.bo, "mask": mask}
    yield "TransformerLens", full, {f"blocks.0.attn.{name}": t for name, t in lens.items()}, {"causal": True}, None
    wide = Layer(width=16, heads=2, d_head=6)
    kernels = {f"{name}/kernel": wide.by_head(t) for name, t in zip(("query", "key", "value"), (wide.q, wide.k, wide.v))}
    biases = {f"{name}/bias": wide.by_head(t) for name, t in zip(("query", "key", "value"), (wide.bq, wide.bk, wide.bv))}
    last = {"kernel": wide.o.unflatten(0, (wide.heads, wide.d_head)), "bias": wide.bo}
    for library, output in (("Keras", "attention_output"), ("Flax", "out")):
        yield library, wide, {f"block/attention/{name}": t for name, t in (
            kernels | biases | {f"{output}/{name}": t for name, t in last.items()}).items()}, {"causal": False}, None
    in_order = [t for name in ("query", "key", "value") for t in (kernels[f"{name}/kernel"], biases[f"{name}/bias"])] + list(last.values())
    yield "Keras get_weights", wide, {f"arr_{i}": t for i, t in enumerate(in_order)}, {"causal": False}, None
    yield "Meta", bare, {f"layers.0.attention.{name}": t for name, t in bare.linears("wq", "wk", "wv", "wo").items()}, {
        "causal": True, "turned": True}, 4
