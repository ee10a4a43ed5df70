"""Attention layers of known families, as their libraries keep and compute them: arrays by name, and attention in PyTorch.

Written from public descriptions of the families' layouts, and independent of Headlight's table of them on purpose.
Each family is a class with
- `arrays(path)`: the arrays of a layer by name, with some of other modules among them;
- `config`: what its config.json says;
- `attend(x, y)`: (output, weights) of the layer, with its masks, and with its positions unless `left_out` says otherwise.
"""
import json
import math
import struct

import torch
from torch.nn import functional

DTYPES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}


def write_safetensors(path, arrays):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in arrays.items():
        # NumPy knows no bfloat16: its bytes are those of 16-bit whole numbers.
        plain = array.contiguous().view(torch.int16) if array.dtype == torch.bfloat16 else array.contiguous()
        content = plain.numpy().tobytes()
        header[name] = {"dtype": DTYPES[array.dtype], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def turned_halves(t, base):
    """Rotary positions as in Llama: feature k of a head and feature k + d_head/2 turn by i / base^(2k/d_head)."""
    positions, d_head = t.shape[-2:]
    angles = torch.outer(torch.arange(positions).double(), base ** (-torch.arange(0, d_head, 2).double() / d_head))
    cos, sin = (f(torch.cat([angles, angles], -1)).to(t) for f in (torch.cos, torch.sin))
    first, second = t.chunk(2, -1)
    return t * cos + torch.cat([-second, first], -1) * sin


def turned_neighbours(t, base):
    """As in GPT-J: features 2k and 2k + 1 turn together."""
    positions, d_head = t.shape[-2:]
    angles = torch.outer(torch.arange(positions).double(), base ** (-torch.arange(0, d_head, 2).double() / d_head))
    pairs = torch.view_as_complex(t.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2).to(t)


def turned_part(t, base, features, turned):
    """The first features of each head, by one of the two; the others stay."""
    return torch.cat([turned(t[..., :features], base), t[..., features:]], -1)


def attention(q, k, v, heads, causal=False, scale=None, turn=None, added=None, cap=None, window=None, norms=()):
    """(batch, position, heads·d_head) -> context side by side, weights. Fewer key and value heads are repeated; `norms`
    and `turn` are done to queries and keys, and `added` to the scores, which then approach `cap`. A query sees the keys
    of its `window`, which ends with itself."""
    def split(t, count):
        return t.reshape(*t.shape[:2], count, -1).transpose(1, 2)
    d_head = q.shape[-1] // heads
    kv_heads = k.shape[-1] // d_head
    q, k, v = split(q, heads), split(k, kv_heads), split(v, kv_heads)
    k, v = (t.repeat_interleave(heads // kv_heads, dim=1) for t in (k, v))
    q, k = (norm(t) for norm, t in zip(norms, (q, k))) if norms else (q, k)
    q, k = (turn(q), turn(k)) if turn else (q, k)
    scores = q @ k.transpose(-1, -2) * (scale or 1 / math.sqrt(d_head))
    scores = scores if added is None else scores + added
    scores = torch.tanh(scores / cap) * cap if cap else scores
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
    if window:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).tril(-window), -math.inf)
    weights = scores.softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2), weights


def drawn(*shape):
    return torch.randn(*shape) * 0.3


class Layer:
    left_out = ""  # what its scores know of positions that a setup cannot say, and `attend` leaves out too
    turn = added = None  # how they know positions otherwise
    d_model, heads, kv_heads, causal, cross = 12, 3, 3, False, False
    cap = window = None  # of the scores
    norms = ()           # of queries and keys
    path, config, dtype, modules = "layers.1.attn", {}, torch.float32, None

    def __init__(self):
        self.d_head = self.d_model // self.heads
        self.state = {name: drawn(*shape).to(self.dtype) for name, shape in self.shapes().items()}

    def arrays(self, path):
        others = {f"{path.rpartition('.')[0]}.{name}": drawn(*shape) for name, shape in self.others().items()}
        return {f"{path}.{name}": array for name, array in self.state.items()} | others

    def others(self):
        return {"norm.weight": (self.d_model,), "mlp.dense.weight": (4 * self.d_model, self.d_model)}

    def project(self, x, name):
        """By the layer's arrays, or by modules that hold them and can be observed."""
        return self.modules.get_submodule(name)(x) if self.modules else self.applied(x, name)

    def applied(self, x, name):
        """As nn.Linear does it: the weight is (out, in)."""
        bias = self.state.get(f"{name}.bias")
        return functional.linear(x, self.state[f"{name}.weight"].float(), None if bias is None else bias.float())

    def linears(self, names, biases=True, outs=None, ins=None):
        outs = outs or [self.d_model] * len(names)
        shapes = {f"{name}.weight": (out, n) for name, out, n in zip(names, outs, ins or [self.d_model] * len(names))}
        return shapes | ({f"{name}.bias": (out,) for name, out in zip(names, outs)} if biases else {})


class Separate(Layer):
    """Four modules of the kind of nn.Linear, under the names of the family."""
    names, biases, scale = (), True, None

    def shapes(self):
        return self.linears(self.names, self.biases)

    def attend(self, x, y):
        q, k, v, o = self.names
        mixed, weights = attention(self.project(x, q), self.project(y, k), self.project(y, v), self.heads, self.causal,
                                   self.scale, self.turn, self.added, self.cap, self.window, self.norms)
        return self.project(mixed, o), weights


class Bert(Separate):
    path, names = "bert.encoder.layer.0.attention", ("self.query", "self.key", "self.value", "output.dense")
    config = {"model_type": "bert", "num_attention_heads": 3}


class BertCross(Bert):
    path, cross = "decoder.bert.encoder.layer.0.crossattention", True


class BertDecoder(Bert):
    causal, config = True, {"num_attention_heads": 3, "is_decoder": True}


class DistilBert(Separate):
    path, names = "distilbert.transformer.layer.2.attention", ("q_lin", "k_lin", "v_lin", "out_lin")
    config = {"n_heads": 3}


class ViT(Separate):
    path, names = "vit.encoder.layer.0.attention", ("attention.query", "attention.key", "attention.value", "output.dense")
    config = {"num_attention_heads": 3}

    def shapes(self):  # made with qkv_bias=False
        return {name: shape for name, shape in super().shapes().items() if name.startswith("output") or "bias" not in name}


class Bart(Separate):
    path, names = "model.decoder.layers.0.self_attn", ("q_proj", "k_proj", "v_proj", "out_proj")
    causal, config = True, {"encoder_attention_heads": 2, "decoder_attention_heads": 3}


class BartCross(Bart):
    path, cross, causal = "model.decoder.layers.0.encoder_attn", True, False


class GptNeo(Separate):
    """Scores are not scaled, and only the output has a bias."""
    path, names, scale = "transformer.h.0.attn.attention", ("q_proj", "k_proj", "v_proj", "out_proj"), 1
    causal, config = True, {"num_heads": 3}

    def shapes(self):
        return self.linears(self.names, biases=False) | {"out_proj.bias": (12,)}


class GptJ(Separate):
    path, names, biases = "transformer.h.0.attn", ("q_proj", "k_proj", "v_proj", "out_proj"), False
    causal, config = True, {"n_head": 3, "rotary_dim": 4}

    def turn(self, t):
        return turned_neighbours(t, 10000)


class GptJPart(Separate):
    """It turns 2 of a head's 4 features."""
    path, names, biases = "transformer.h.0.attn", ("q_proj", "k_proj", "v_proj", "out_proj"), False
    causal, config = True, {"n_head": 3, "rotary_dim": 2}

    def turn(self, t):
        return turned_part(t, 10000, 2, turned_neighbours)


class T5(Separate):
    path, names, biases, scale = "encoder.block.0.layer.0.SelfAttention", ("q", "k", "v", "o"), False, 1
    left_out = "relative"

    def others(self):  # which says how many heads there are
        return {"SelfAttention.relative_attention_bias.weight": (32, 3), "layer_norm.weight": (12,)}


class T5Cross(T5):
    path, cross, left_out, config = "decoder.block.1.layer.1.EncDecAttention", True, "", {"num_heads": 3}


class Llama(Separate):
    path, names = "model.layers.0.self_attn", ("q_proj", "k_proj", "v_proj", "o_proj")
    d_model, heads, kv_heads, causal, dtype = 16, 4, 2, True, torch.bfloat16
    config, base = {"num_attention_heads": 4, "num_key_value_heads": 2, "rope_theta": 500000.0}, 500000.0

    def turn(self, t):
        return turned_halves(t, self.base)

    def shapes(self):
        return self.linears(self.names, biases=False, outs=[16, 8, 8, 16])


class Llama31(Llama):
    """Its angles are rescaled."""
    turn, left_out = None, "rotary positions with rescaled angles"
    config = Llama.config | {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}


class Qwen2(Llama):
    dtype = torch.float16
    config, base = {"num_attention_heads": 4, "rope_parameters": {"rope_theta": 20000.0, "rope_type": "default"}}, 20000.0

    def shapes(self):
        return super().shapes() | {"q_proj.bias": (16,), "k_proj.bias": (8,), "v_proj.bias": (8,)}


def rms(t, gain, epsilon):
    return t.float() * torch.rsqrt(t.float().pow(2).mean(-1, keepdim=True) + epsilon) * gain.float()


class MistralNemo(Llama):
    """Its heads are wider than their share of d_model."""
    dtype = torch.float32
    config, base = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6, "rope_theta": 1000000.0}, 1000000.0

    def shapes(self):
        return self.linears(self.names, biases=False, outs=[24, 12, 12, 16], ins=[16, 16, 16, 24])


class Qwen3(MistralNemo):
    """A norm of each head's queries and keys."""
    config = MistralNemo.config | {"model_type": "qwen3", "rms_norm_eps": 1e-5}
    less = 0.0  # what its gains are less than what the norms multiply by
    epsilon = 1e-5

    def shapes(self):
        return super().shapes() | {"q_norm.weight": (6,), "k_norm.weight": (6,)}

    @property
    def norms(self):
        return [lambda t, name=name: rms(t, self.gain(name) + self.less, self.epsilon) for name in ("q_norm", "k_norm")]

    def gain(self, name):
        """Of a module, if the layer's modules are observed."""
        return self.state[f"{name}.weight"]


class Gemma2(MistralNemo):
    """The scores of every other layer are those of a window; all approach a cap."""
    path, cap, window = "model.layers.2.self_attn", 0.7, 3
    config, base = {"model_type": "gemma2", "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6, "rope_theta": 10000.0,
                    "query_pre_attn_scalar": 9, "attn_logit_softcapping": 0.7, "sliding_window": 3}, 10000.0
    scale = 1 / 3


class Gemma2Global(Gemma2):
    path, window = "model.layers.1.self_attn", None


class Gemma3(Qwen3):
    path, less, epsilon, window, base = "model.layers.4.self_attn", 1.0, 1e-6, 3, 10000.0
    config = {"model_type": "gemma3_text", "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6, "rms_norm_eps": 1e-6,
              "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0, "query_pre_attn_scalar": 6, "sliding_window": 3,
              "sliding_window_pattern": 6}


class Gemma3Global(Gemma3):
    path, window, base = "model.layers.5.self_attn", None, 1000000.0


class Gemma3Vision(Gemma3Global):
    """In the file of a model that also sees; the angles of its global layers are rescaled."""
    path, turn, left_out = "language_model.model.layers.5.self_attn", None, "rotary positions with rescaled angles"
    config = {"model_type": "gemma3", "text_config": Gemma3.config | {"rope_scaling": {"rope_type": "linear", "factor": 8.0}},
              "vision_config": {"num_attention_heads": 3}}


class Olmo2(Llama):
    """A norm of the queries, and of the keys, of all heads together."""
    dtype = torch.float32
    config = Llama.config | {"model_type": "olmo2", "rms_norm_eps": 1e-5}

    def shapes(self):
        return super().shapes() | {"q_norm.weight": (16,), "k_norm.weight": (8,)}

    def project(self, x, name):
        result = super().project(x, name)
        return rms(result, self.state[f"{name[0]}_norm.weight"], 1e-5) if name[0] in "qk" else result


class T5Large(T5Cross):
    """Its heads have twice their share of d_model."""
    config = {"num_heads": 3, "d_kv": 8}

    def shapes(self):
        return self.linears(self.names, biases=False, outs=[24, 24, 24, 12], ins=[12, 12, 12, 24])


class T5LargeSelf(T5Large):
    path, cross, left_out = "encoder.block.0.layer.0.SelfAttention", False, "relative"


class TimmViT(Layer):
    path, config = "blocks.0.attn", {"num_heads": 3}

    def shapes(self):
        return self.linears(["qkv", "proj"], outs=[3 * self.d_model, self.d_model])

    def attend(self, x, y):
        q, k, v = self.project(x, "qkv").chunk(3, -1)
        mixed, weights = attention(q, k, v, self.heads)
        return self.project(mixed, "proj"), weights


class Gpt2(Layer):
    """Its Conv1D keeps weights as (in, out) and multiplies from the right."""
    path, causal, config = "transformer.h.10.attn", True, {"n_head": 3}

    def shapes(self):
        return {"c_attn.weight": (12, 36), "c_attn.bias": (36,), "c_proj.weight": (12, 12), "c_proj.bias": (12,)}

    def others(self):
        return {"mlp.c_fc.weight": (12, 48), "mlp.c_proj.weight": (48, 12)}

    def applied(self, x, name):
        return x @ self.state[f"{name}.weight"] + self.state[f"{name}.bias"]

    def attend(self, x, y):
        q, k, v = self.project(x, "c_attn").split(12, dim=-1)
        mixed, weights = attention(q, k, v, self.heads, causal=True)
        return self.project(mixed, "c_proj"), weights


class Gpt2Cross(Gpt2):
    path, cross, causal = "transformer.h.0.crossattention", True, False

    def shapes(self):
        return super().shapes() | {"c_attn.weight": (12, 24), "c_attn.bias": (24,), "q_attn.weight": (12, 12), "q_attn.bias": (12,)}

    def attend(self, x, y):
        k, v = self.project(y, "c_attn").split(12, dim=-1)
        mixed, weights = attention(self.project(x, "q_attn"), k, v, self.heads)
        return self.project(mixed, "c_proj"), weights


class NanoGpt(Gpt2):
    """The same names for nn.Linear, which keeps (out, in)."""
    path = "transformer.h.0.attn"

    def shapes(self):
        return self.linears(["c_attn", "c_proj"], biases=False, outs=[36, 12])

    def applied(self, x, name):
        return Layer.applied(self, x, name)


class NeoX(Layer):
    """Query, key and value of a head stand together, then those of the next head. It turns 2 of a head's 4 features."""
    path, causal = "gpt_neox.layers.0.attention", True
    config = {"num_attention_heads": 3, "rotary_pct": 0.6}

    def turn(self, t):
        return turned_part(t, 10000, 2, turned_halves)

    def shapes(self):
        return self.linears(["query_key_value", "dense"], outs=[36, 12])

    def attend(self, x, y):
        of_heads = self.project(x, "query_key_value").view(*x.shape[:2], self.heads, 3, self.d_head)
        q, k, v = (of_heads[:, :, :, part].flatten(2) for part in range(3))
        mixed, weights = attention(q, k, v, self.heads, causal=True, turn=self.turn, added=self.added)
        return self.project(mixed, "dense"), weights


class NeoXUntold(NeoX):
    """Without the share that turns, which no shape tells."""
    left_out, turn, config = "rotary positions of a part", None, {"num_attention_heads": 3}


class NeoXWhole(NeoX):
    config = {"num_attention_heads": 3, "rotary_pct": 1.0, "rotary_emb_base": 1000}

    def turn(self, t):
        return turned_halves(t, 1000)


class Bloom(NeoX):
    """ALiBi: it adds a slope times the key's position, which softmax makes the same as the distance."""
    path, turn, config = "h.0.self_attention", None, {"n_head": 3}

    def attend(self, x, y):
        slopes = torch.tensor([2 ** -4, 2 ** -8, 2 ** -2])  # two heads of two, and the first of four
        self.added = slopes[:, None, None] * torch.arange(x.shape[1])
        return super().attend(x, y)


class Torch(Layer):
    """nn.MultiheadAttention itself."""
    path, options = "encoder.layers.0.self_attn", {}
    config = {"num_attention_heads": 3}

    def __init__(self):
        self.module = torch.nn.MultiheadAttention(self.d_model, self.heads, batch_first=True, **self.options)
        self.state = dict(self.module.state_dict())
        for name, array in self.state.items():
            if "bias" in name:
                array.copy_(drawn(*array.shape))

    def attend(self, x, y):
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1) if self.causal else None
        y = y[..., :self.options.get("kdim", self.d_model)]
        return self.module(x, y, y, attn_mask=mask, average_attn_weights=False)


class TorchWithoutBiases(Torch):
    path, options = "attention", {"bias": False}


class TorchDecoder(Torch):
    path, causal = "layers.0.self_attn", True

    def arrays(self, path):
        return super().arrays(path) | Torch().arrays("layers.0.multihead_attn")


class TorchCross(Torch):
    path, cross = "layers.0.multihead_attn", True


class TorchSeparate(Torch):
    """Keys and values from fewer features: weights apart, biases not."""
    path, cross, options = "multihead_attn", True, {"kdim": 7, "vdim": 7}


class TorchWideSource(TorchSeparate):
    options = {"kdim": 20, "vdim": 20}


class TorchTwoSources(TorchSeparate):
    """Keys from the first features of Y, values from the others."""
    options = {"kdim": 7, "vdim": 9}

    def attend(self, x, y):
        return self.module(x, y[..., :7], y[..., 7:], average_attn_weights=False)


FAMILIES = [Bert, BertCross, BertDecoder, DistilBert, ViT, Bart, BartCross, GptNeo, GptJ, GptJPart, T5, T5Cross, T5Large,
            T5LargeSelf, Llama, Llama31, Qwen2, MistralNemo, Qwen3, Gemma2, Gemma2Global, Gemma3, Gemma3Global, Gemma3Vision,
            Olmo2, TimmViT, Gpt2, Gpt2Cross, NanoGpt, NeoX, NeoXUntold, NeoXWhole, Bloom, Torch, TorchWithoutBiases, TorchDecoder,
            TorchCross, TorchSeparate, TorchWideSource, TorchTwoSources]
