"""Attention layers of families that only their config.json tells apart, each as its own code computes it, in PyTorch.

Written from what each family computes, and independent of Headlight's table of model types on purpose. A class has, for a
`size` (0 or 1):
- `config`: its config.json;
- `arrays()`: the arrays of all its layers, as its files name and pack them;
- `attend(layer, x)`: the output and the weights of a layer for this input;
- `left_out`: words of what Headlight says that it doesn't compute. `attend` leaves it out too.
"""
import math

import torch
from torch.nn import functional

from families import drawn, turned_halves, turned_neighbours, turned_part

SIZES = [dict(width=16, heads=4, kv_heads=2, layers=4), dict(width=36, heads=6, kv_heads=3, layers=5)]


def rms(t, gain, epsilon):
    return t / (t.square().mean(-1, keepdim=True) + epsilon).sqrt() * gain


class Model:
    left_out, path = "", "model.layers.{}.self_attn"
    more = {}
    type = None
    names = ("q_proj", "k_proj", "v_proj", "o_proj")
    biases = ()
    causal = True
    keys_for_each = "group"  # of heads; or "heads", or "layer": one for all
    wide = None  # how many features each head has, if that is not its share of the model's

    def __init__(self, size):
        self.__dict__ |= SIZES[size]
        self.kv_heads = {"group": self.kv_heads, "heads": self.heads, "layer": 1}[self.keys_for_each]
        self.d_head = self.wide or self.width // self.heads
        self.config = {"model_type": self.type, "hidden_size": self.width, "num_attention_heads": self.heads,
                       "num_key_value_heads": self.kv_heads, "num_hidden_layers": self.layers} | self.keys()
        self.state = [self.layer_state(i) for i in range(self.layers)]

    def keys(self):
        return self.more

    def layer_state(self, layer):
        columns = self.heads * self.d_head, self.kv_heads * self.d_head
        outs = {self.names[0]: columns[0], self.names[1]: columns[1], self.names[2]: columns[1]}
        state = {f"{name}.weight": drawn(out, self.width) for name, out in outs.items()}
        state[f"{self.names[3]}.weight"] = drawn(self.width, columns[0])
        for name in self.names:
            if name in self.biases:
                state[f"{name}.bias"] = drawn(outs.get(name, self.width))
        return state

    def arrays(self):
        return {f"{self.path.format(i)}.{name}": array for i, state in enumerate(self.state) for name, array in state.items()}

    # What families do otherwise.
    def qkv(self, layer, x):
        return [self.linear(layer, name, x) for name in self.names[:3]]

    def linear(self, layer, name, x):
        return functional.linear(x, self.state[layer][f"{name}.weight"], self.state[layer].get(f"{name}.bias"))

    def heads_of(self, t):
        return t.unflatten(-1, (-1, self.d_head)).transpose(1, 2)

    def positioned(self, layer, q, k):
        return turned_halves(q, 10000.0), turned_halves(k, 10000.0)

    def scale(self, layer):
        return self.d_head ** -0.5

    def scores(self, layer, q, k):
        return q @ k.transpose(-1, -2) * self.scale(layer)

    def hidden(self, layer, length):
        return torch.ones(length, length).triu(1).bool() if self.causal else torch.zeros(length, length).bool()

    def shares(self, layer, scores):
        return scores.softmax(-1)

    def attend(self, layer, x):
        q, k, v = map(self.heads_of, self.qkv(layer, x))
        q, k = self.positioned(layer, q, k)
        k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (k, v))
        weights = self.shares(layer, self.scores(layer, q, k).masked_fill(self.hidden(layer, x.shape[1]), -math.inf))
        return self.linear(layer, self.names[3], (weights @ v).transpose(1, 2).flatten(2)), weights


def behind(length, keys):
    """True where a key is not among the last so many, with the query's own."""
    return torch.ones(length, length).tril(-keys).bool()


class Llama(Model):
    type, more = "llama", {"rope_theta": 10000.0, "sliding_window": 3}  # which Llama's code does not read


class Mistral(Model):
    type, more = "mistral", {"rope_theta": 10000.0, "sliding_window": 3}

    def hidden(self, layer, length):
        return super().hidden(layer, length) | behind(length, 3)


class Qwen2(Model):
    type, more, biases = "qwen2", {"rope_theta": 10000.0, "sliding_window": 3}, ("q_proj", "k_proj", "v_proj")


class Qwen2Windowed(Mistral):
    type, more = "qwen2", {"rope_theta": 10000.0, "sliding_window": 3, "use_sliding_window": True, "max_window_layers": 2}

    def hidden(self, layer, length):
        return Mistral.hidden(self, layer, length) if layer >= 2 else Model.hidden(self, layer, length)


class Granite(Model):
    type, more = "granite", {"attention_multiplier": 0.03125, "rope_theta": 10000.0, "rope_scaling": None}

    def scale(self, layer):
        return 0.03125


class GraniteAlone(Granite):
    """Without the key its code multiplies by 1."""
    more = {"rope_theta": 10000.0}

    def scale(self, layer):
        return 1


class SmolLm3(Model):
    type, more = "smollm3", {"rope_theta": 10000.0, "no_rope_layers": [1, 0, 1, 1, 0]}

    def positioned(self, layer, q, k):
        return super().positioned(layer, q, k) if self.more["no_rope_layers"][layer] else (q, k)


class SmolLm3Interval(Model):
    type, more = "smollm3", {"rope_theta": 10000.0, "no_rope_layer_interval": 3}

    def positioned(self, layer, q, k):
        return super().positioned(layer, q, k) if layer % 3 != 2 else (q, k)


class Cohere(Model):
    type, more = "cohere", {"rope_theta": 8000000.0, "use_qk_norm": False}
    base = 8000000.0

    def positioned(self, layer, q, k):
        return turned_neighbours(q, self.base), turned_neighbours(k, self.base)


class Cohere2(Cohere):
    """Only the layers with a window are turned."""
    type, base = "cohere2", 50000.0
    more = {"rope_theta": 50000.0, "sliding_window": 3, "sliding_window_pattern": 3}

    def positioned(self, layer, q, k):
        return super().positioned(layer, q, k) if layer % 3 != 2 else (q, k)

    def hidden(self, layer, length):
        return super().hidden(layer, length) | (behind(length, 3) if layer % 3 != 2 else False)


class Ernie(Cohere):
    type, more, base = "ernie4_5", {"rope_theta": 500000.0, "use_bias": True}, 500000.0
    biases = Model.names


class Normed(Model):
    """A norm of each head's queries and keys, after the projection."""
    epsilon = 1e-5

    def layer_state(self, layer):
        return super().layer_state(layer) | {f"{name}.weight": 1 + drawn(self.d_head) for name in ("q_norm", "k_norm")}

    def positioned(self, layer, q, k):
        gains = self.state[layer]["q_norm.weight"], self.state[layer]["k_norm.weight"]
        return self.turned(layer, rms(q, gains[0], self.epsilon), rms(k, gains[1], self.epsilon))

    def turned(self, layer, q, k):
        return Model.positioned(self, layer, q, k)


class SomeWindowed(Model):
    """The layers whose type says so have a window."""

    def windowed(self, layer):
        return self.more["layer_types"][layer] == "sliding_attention"

    def hidden(self, layer, length):
        return super().hidden(layer, length) | (behind(length, 3) if self.windowed(layer) else False)


class Exaone4(SomeWindowed, Normed):
    """Layers without a window are not turned."""
    type, more = "exaone4", {"rope_theta": 10000.0, "rms_norm_eps": 1e-5, "sliding_window": 3, "layer_types":
                             ["sliding_attention", "full_attention", "sliding_attention", "full_attention", "full_attention"]}

    def turned(self, layer, q, k):
        return super().turned(layer, q, k) if self.windowed(layer) else (q, k)


class Exaone4Small(Normed):
    """Where no layer has a window, all are turned."""
    type, more = "exaone4", {"rope_theta": 10000.0, "rms_norm_eps": 1e-5, "sliding_window": None}


class Olmo2(Model):
    type, more = "olmo2", {"rope_theta": 10000.0, "rms_norm_eps": 1e-6}

    def layer_state(self, layer):
        return super().layer_state(layer) | {"q_norm.weight": 1 + drawn(self.heads * self.d_head),
                                             "k_norm.weight": 1 + drawn(self.kv_heads * self.d_head)}

    def qkv(self, layer, x):
        q, k, v = super().qkv(layer, x)
        return rms(q, self.state[layer]["q_norm.weight"], 1e-6), rms(k, self.state[layer]["k_norm.weight"], 1e-6), v


class Gemma3Nested(Normed):
    """Its text has a table of its own that leaves out whatever is as usual: the bases, and which layers have a window."""
    type, epsilon, path = "gemma3", 1e-6, "language_model.model.layers.{}.self_attn"

    def __init__(self, size):
        super().__init__(size)
        self.config = {"model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"],
                       "text_config": {"model_type": "gemma3_text", "hidden_size": self.width, "head_dim": self.d_head,
                                       "rms_norm_eps": 1e-6, "sliding_window": 3, "query_pre_attn_scalar": self.d_head},
                       "vision_config": {"num_attention_heads": 5, "model_type": "siglip_vision_model"}}

    def positioned(self, layer, q, k):
        base = 10000.0 if layer % 6 != 5 else 1000000.0
        gains = 1 + self.state[layer]["q_norm.weight"], 1 + self.state[layer]["k_norm.weight"]
        return turned_halves(rms(q, gains[0], 1e-6), base), turned_halves(rms(k, gains[1], 1e-6), base)

    def hidden(self, layer, length):
        return super().hidden(layer, length) | (behind(length, 3) if layer % 6 != 5 else False)


class Gemma2(Model):
    type, more = "gemma2", {"rope_theta": 10000.0, "query_pre_attn_scalar": 20, "sliding_window": 3, "attn_logit_softcapping": 2.5}

    def scores(self, layer, q, k):
        return 2.5 * torch.tanh(q @ k.transpose(-1, -2) * 20 ** -0.5 / 2.5)

    def hidden(self, layer, length):
        return super().hidden(layer, length) | (behind(length, 3) if layer % 2 == 0 else False)


class Gemma3n(SomeWindowed, Normed):
    """Its gains are whole, its scale is 1; the norm of its values Headlight leaves out."""
    type, left_out = "gemma3n_text", "a norm of the values"
    more = {"rope_theta": 1000000.0, "rope_local_base_freq": 10000.0, "rms_norm_eps": 1e-5, "sliding_window": 3, "layer_types":
            ["sliding_attention", "full_attention", "sliding_attention", "full_attention", "full_attention"]}

    def turned(self, layer, q, k):
        base = 10000.0 if self.windowed(layer) else 1000000.0
        return turned_halves(q, base), turned_halves(k, base)

    def scale(self, layer):
        return 1


class T5Gemma(Model):
    """An encoder sees on both sides, a decoder behind itself."""
    type, path = "t5gemma", "model.encoder.layers.{}.self_attn"
    causal, cap = False, 2.5

    def __init__(self, size):
        super().__init__(size)
        part = {"model_type": "t5_gemma_module", "num_attention_heads": self.heads, "head_dim": self.d_head, "rope_theta": 10000.0,
                "query_pre_attn_scalar": 20, "sliding_window": 3, "attn_logit_softcapping": 2.5}
        self.config = {"model_type": "t5gemma", "encoder": part, "decoder": part | {"rope_theta": 10000.0}}

    scores = Gemma2.scores

    def hidden(self, layer, length):
        both = behind(length, 3) | behind(length, 3).T
        return super().hidden(layer, length) | (both if layer % 2 == 0 else False)


class T5GemmaDecoder(T5Gemma):
    path, causal = "model.decoder.layers.{}.self_attn", True


class Llama4(Cohere):
    """Turned queries and keys are divided by their root mean square; layers that are not turned are not."""
    type, base = "llama4_text", 500000.0
    more = {"rope_theta": 500000.0, "no_rope_layers": [1, 1, 0, 1, 0], "use_qk_norm": True, "rms_norm_eps": 1e-5,
            "attention_chunk_size": 8192}

    def positioned(self, layer, q, k):
        if not self.more["no_rope_layers"][layer]:
            return q, k
        q, k = super().positioned(layer, q, k)
        return rms(q, 1, 1e-5), rms(k, 1, 1e-5)


class Jamba(Model):
    type = "jamba"

    def positioned(self, layer, q, k):
        return q, k


class GptOss(SomeWindowed):
    """Its softmax has a sink: one more score in each row, of each head's own."""
    type, biases = "gpt_oss", Model.names
    more = {"rope_theta": 150000.0, "sliding_window": 3, "layer_types":
            ["sliding_attention", "full_attention", "sliding_attention", "full_attention", "full_attention"]}

    def layer_state(self, layer):
        return super().layer_state(layer) | {"sinks": 3 * drawn(self.heads)}

    def positioned(self, layer, q, k):
        return turned_halves(q, 150000.0), turned_halves(k, 150000.0)

    def shares(self, layer, scores):
        sinks = self.state[layer]["sinks"].reshape(1, -1, 1, 1).expand(scores.shape[0], -1, scores.shape[-2], 1)
        return torch.cat([scores, sinks], -1).softmax(-1)[..., :-1]


class GptOssRescaled(GptOss):
    """As it was published, its angles are rescaled, which Headlight says that it leaves out."""
    more, left_out = GptOss.more | {"rope_scaling": {"rope_type": "yarn", "factor": 32.0}}, "rotary positions with rescaled angles"

    def positioned(self, layer, q, k):
        return q, k


class Part(Model):
    """It turns the first features of each head alone."""
    wide, base, turn = 10, 10000.0, staticmethod(turned_halves)
    share, share_key = 0.4, "partial_rotary_factor"

    def keys(self):
        return {"rope_theta": self.base, "head_dim": self.d_head} | ({self.share_key: self.share} if self.share_key else {}) | self.more

    def positioned(self, layer, q, k):
        return [turned_part(t, self.base, int(self.share * self.d_head), self.turn) for t in (q, k)]


class Phi2(Part):
    type, names, biases = "phi", ("q_proj", "k_proj", "v_proj", "dense"), ("q_proj", "k_proj", "v_proj", "dense")


class Phi2Untold(Phi2):
    """Its config.json may leave out what its code has as usual."""
    wide, share, share_key = 8, 0.5, None


class StableLm(Part):
    type, wide, share = "stablelm", 8, 0.25


class StableLm2(StableLm):
    """With `qk_layernorm` each head has a LayerNorm of its own, which Headlight leaves out, and says so."""
    more, left_out = {"qk_layernorm": True}, "a norm of the queries"

    def layer_state(self, layer):
        norms = {f"{part}_layernorm.norms.{head}.weight": 1 + drawn(self.d_head) for part, heads in
                 (("q", self.heads), ("k", self.kv_heads)) for head in range(heads)}
        return super().layer_state(layer) | norms


class PhiNormed(Phi2):
    """The same with one LayerNorm for all heads, and a shift."""
    more, left_out = {"qk_layernorm": True}, "a norm of the keys"

    def layer_state(self, layer):
        return super().layer_state(layer) | {f"{part}_layernorm.{name}": drawn(self.d_head) for part in "qk" for name in
                                             ("weight", "bias")}


class Nemotron(Part):
    type, wide, share, share_key = "nemotron", 12, 0.5, None


class Glm(Part):
    """Neighbours turn."""
    type, turn, biases = "glm", staticmethod(turned_neighbours), ("q_proj", "k_proj", "v_proj")


class Glm45(Normed, Part):
    type, more = "glm4_moe", {"rms_norm_eps": 1e-5, "use_qk_norm": True}

    def turned(self, layer, q, k):
        return Part.positioned(self, layer, q, k)


class Packed(Model):
    """Queries, keys and values in one array."""
    packed, out = "query_key_value", "dense"

    @property
    def names(self):
        return ("q", "k", "v", self.out)

    def layer_state(self, layer):
        q, kv = self.heads * self.d_head, self.kv_heads * self.d_head
        state = {f"{self.packed}.weight": drawn(q + 2 * kv, self.width), f"{self.out}.weight": drawn(self.width, q)}
        if self.biases:
            state |= {f"{self.packed}.bias": drawn(q + 2 * kv), f"{self.out}.bias": drawn(self.width)}
        return state

    def qkv(self, layer, x):
        q, kv = self.heads * self.d_head, self.kv_heads * self.d_head
        return self.linear(layer, self.packed, x).split([q, kv, kv], -1)


class Equal(Packed):
    keys_for_each = "heads"


class Phi3(Packed):
    type, packed, out, more = "phi3", "qkv_proj", "o_proj", {"rope_theta": 10000.0, "sliding_window": 3}

    def hidden(self, layer, length):
        return super().hidden(layer, length) | behind(length, 3)


class InternLm2(Packed):
    """For each key: the queries that share it, the key, its value."""
    type, packed, out, path = "internlm2", "wqkv", "wo", "model.layers.{}.attention"
    more = {"rope_theta": 10000.0, "rope_scaling": {"type": "dynamic", "factor": 2.0}}

    def qkv(self, layer, x):
        groups = self.linear(layer, self.packed, x).unflatten(-1, (self.kv_heads, -1, self.d_head))
        return groups[..., :-2, :].flatten(-3), groups[..., -2, :].flatten(-2), groups[..., -1, :].flatten(-2)


class Falcon40(InternLm2):
    type, packed, out, path = "falcon", "query_key_value", "dense", "transformer.h.{}.self_attention"
    more = {"new_decoder_architecture": True, "multi_query": True, "alibi": False}


class Falcon7(Packed):
    type, path, more = "falcon", "transformer.h.{}.self_attention", {"multi_query": True, "alibi": False, "new_decoder_architecture": False}

    keys_for_each = "layer"


class ChatGlm2(Part, Packed):
    """Neighbours in the first half of each head turn."""
    type, path, biases, turn = "chatglm", "transformer.encoder.layers.{}.self_attention", ("all",), staticmethod(turned_neighbours)
    wide, share, share_key = 8, 0.5, None

    def __init__(self, size):
        super().__init__(size)
        self.config |= {"kv_channels": self.d_head, "multi_query_attention": True, "multi_query_group_num": self.kv_heads,
                        "add_qkv_bias": True, "rope_ratio": 1}


class Glm4(ChatGlm2):
    """Its code multiplies the base by `rope_ratio`; its vocabulary tells it from ChatGLM 2."""
    base = 10000.0 * 500

    def __init__(self, size):
        super().__init__(size)
        self.config |= {"rope_ratio": 500, "padded_vocab_size": 151552, "apply_query_key_layer_scaling": True}
        del self.config["rope_theta"]


class ChatGlmRatio(ChatGlm2):
    """ChatGLM 2 divides the positions by `rope_ratio`, ChatGLM 3 multiplies the base by it; their files look alike."""
    left_out = "rope_ratio, which families read differently"

    def __init__(self, size):
        super().__init__(size)
        self.config |= {"rope_ratio": 50, "padded_vocab_size": 65024}

    def positioned(self, layer, q, k):
        return q, k


class StarCoder(Falcon7):
    type, packed, out, path = "gpt_bigcode", "c_attn", "c_proj", "transformer.h.{}.attn"
    more, biases = {"multi_query": True}, ("all",)

    def positioned(self, layer, q, k):
        return q, k


class PerHead(Equal):
    def qkv(self, layer, x):
        of_heads = self.linear(layer, self.packed, x).unflatten(-1, (self.heads, 3, self.d_head))
        return [of_heads[..., part, :].flatten(-2) for part in range(3)]


class FalconRw(PerHead):
    """It adds ALiBi before it divides by the root of d_head; Headlight says that it leaves this out."""
    type, path, left_out, biases = "falcon", "transformer.h.{}.self_attention", "ALiBi, divided", ("all",)
    more = {"alibi": True, "multi_query": False, "new_decoder_architecture": False}

    def positioned(self, layer, q, k):
        return q, k


class NeoX(Part, PerHead):
    type, path, biases, share_key, wide, share = "gpt_neox", "gpt_neox.layers.{}.attention", ("all",), "rotary_pct", 8, 0.25


class ChatGlm(PerHead):
    """Positions of two kinds, which Headlight says that it leaves out."""
    type, path, biases, left_out = "chatglm", "transformer.layers.{}.attention", ("all",), "rotary positions of tokens and of blocks"
    more = {"position_encoding_2d": True}

    def positioned(self, layer, q, k):
        return q, k


class BigCodePerHead(PerHead):
    type, packed, out, path, more = "gpt_bigcode", "c_attn", "c_proj", "transformer.h.{}.attn", {"multi_query": False}
    positioned = StarCoder.positioned


class Qwen1(Equal):
    type, packed, out, path = "qwen", "c_attn", "c_proj", "transformer.h.{}.attn"
    more = {"rotary_emb_base": 10000, "kv_channels": 4}

    def __init__(self, size):
        super().__init__(size)
        self.config["kv_channels"] = self.d_head

    def layer_state(self, layer):
        return super().layer_state(layer) | {"c_attn.bias": drawn(3 * self.width)}


class Baichuan7(Equal):
    type, packed, out, more = "baichuan", "W_pack", "o_proj", {"max_position_embeddings": 4096}


def slopes(heads):
    """Of ALiBi: a geometric row for a power of two, else the row of the next lower one and every other of the next higher."""
    if heads & (heads - 1) == 0:
        return [2 ** (-8 * (i + 1) / heads) for i in range(heads)]
    lower = 1 << (heads.bit_length() - 1)
    return slopes(lower) + slopes(2 * lower)[0::2][:heads - lower]


class Baichuan13(Equal):
    type, packed, out, more = "baichuan", "W_pack", "o_proj", {"model_max_length": 4096}

    def positioned(self, layer, q, k):
        return q, k

    def scores(self, layer, q, k):
        return super().scores(layer, q, k) + torch.tensor(slopes(self.heads))[:, None, None] * torch.arange(q.shape[-2])


class Mpt(Baichuan13):
    type, packed, out, path = "mpt", "Wqkv", "out_proj", "transformer.blocks.{}.attn"

    def __init__(self, size):
        super().__init__(size)
        self.config = {"model_type": "mpt", "n_heads": self.heads, "d_model": self.width,
                       "attn_config": {"alibi": True, "alibi_bias_max": 8, "clip_qkv": None}}

    def scores(self, layer, q, k):  # m = 8/n, 16/n, ... of the next power of two; those at odd places first
        power = 1 << (self.heads - 1).bit_length()
        m = [2 ** -((i + 1) * 8 / power) for i in range(power)]
        m = m if power == self.heads else (m[1::2] + m[::2])[:self.heads]
        bias = torch.tensor(m)[:, None, None] * torch.arange(1 - q.shape[-2], 1)
        return q @ k.transpose(-1, -2) / math.sqrt(self.d_head) + bias


class MptTurned(Packed):
    """The rotary positions of either of its implementations turn halves; keys may be shared."""
    type, packed, out, path = "mpt", "Wqkv", "out_proj", "transformer.blocks.{}.attn"
    base, rope = 10000.0, {"rope_theta": 10000}

    def __init__(self, size):
        super().__init__(size)
        self.config = {"model_type": "mpt", "n_heads": self.heads, "d_model": self.width,
                       "attn_config": {"alibi": False, "kv_n_heads": self.kv_heads, "rope": True, "sliding_window_size": -1,
                                       "attn_logit_softcapping": None} | self.rope}

    def positioned(self, layer, q, k):
        return turned_halves(q, self.base), turned_halves(k, self.base)


class MptTurnedByHf(MptTurned):
    base, rope = 500000.0, {"rope_theta": 500000, "rope_impl": "hf", "rope_hf_config": {"type": "no_scaling", "factor": 1.0},
                            "rope_dail_config": {"type": "xpos", "pos_idx_in_fp32": True, "xpos_scale_base": 512}}


class MptFading(MptTurned):
    rope = {"rope_theta": 10000, "rope_impl": "dail", "rope_hf_config": {"type": "no_scaling", "factor": 1.0},
            "rope_dail_config": {"type": "xpos", "pos_idx_in_fp32": True, "xpos_scale_base": 512}}
    left_out = "rotary positions that fade with the distance (xPos)"

    def positioned(self, layer, q, k):
        return q, k


class ModernBert(Equal):
    type, packed, out, path, causal = "modernbert", "Wqkv", "Wo", "layers.{}.attn", False
    more = {"global_attn_every_n_layers": 3, "local_attention": 4, "global_rope_theta": 160000.0, "local_rope_theta": 10000.0}

    def positioned(self, layer, q, k):
        base = 160000.0 if layer % 3 == 0 else 10000.0
        return turned_halves(q, base), turned_halves(k, base)

    def hidden(self, layer, length):
        far = (torch.arange(length)[:, None] - torch.arange(length)).abs() > 2
        return far if layer % 3 else super().hidden(layer, length)


class Bart(Model):
    names = biases = ("q_proj", "k_proj", "v_proj", "out_proj")
    keys_for_each = "heads"

    def positioned(self, layer, q, k):
        return q, k


class BioGpt(Bart):
    type, path = "biogpt", "biogpt.layers.{}.self_attn"


class Clip(Bart):
    """The text sees what is before, the image everything."""
    type, path = "clip", "text_model.encoder.layers.{}.self_attn"

    def __init__(self, size):
        super().__init__(size)
        part = {"hidden_size": self.width, "num_attention_heads": self.heads}
        self.config = {"model_type": "clip", "text_config": part, "vision_config": part}


class ClipVision(Clip):
    path, causal = "vision_model.encoder.layers.{}.self_attn", False


class GptJ(Part, Bart):
    type, path, biases, turn, share = "gptj", "transformer.h.{}.attn", (), staticmethod(turned_neighbours), 0.5

    def __init__(self, size):
        self.wide = SIZES[size]["width"] // SIZES[size]["heads"]
        self.share = 4 / self.wide
        super().__init__(size)
        self.config = {"model_type": "gptj", "n_head": self.heads, "n_embd": self.width, "rotary_dim": 4}


class GptNeo(Bart):
    """Every other layer is local; nothing is scaled."""
    type, path = "gpt_neo", "transformer.h.{}.attn.attention"
    biases = ("out_proj",)

    def __init__(self, size):
        super().__init__(size)
        self.config = {"model_type": "gpt_neo", "num_heads": self.heads, "window_size": 3, "num_layers": self.layers,
                       "attention_layers": ["global", "local", "global", "local", "global"][:self.layers],
                       "attention_types": [[["global", "local"], 2]]}

    def scale(self, layer):
        return 1

    def hidden(self, layer, length):
        return super().hidden(layer, length) | (behind(length, 3) if layer % 2 else False)


class Exaone3(Bart):
    """GPT-Neo's names with Llama's attention."""
    type, path, biases, more = "exaone", "transformer.h.{}.attn.attention", (), {"rope_theta": 10000.0}
    positioned = Model.positioned


class Esm2(Bart):
    type, path, causal, more = "esm", "esm.encoder.layer.{}.attention", False, {"position_embedding_type": "rotary"}
    names = biases = ("self.query", "self.key", "self.value", "output.dense")
    positioned = Model.positioned


class Gpt2(Bart):
    """The scale of layer i is also divided by i + 1."""
    type, path = "gpt2", "h.{}.attn"

    def __init__(self, size):
        super().__init__(size)
        self.config = {"model_type": "gpt2", "n_head": self.heads, "n_embd": self.width, "scale_attn_by_inverse_layer_idx": True}

    def layer_state(self, layer):
        return {"c_attn.weight": drawn(self.width, 3 * self.width), "c_attn.bias": drawn(3 * self.width),
                "c_proj.weight": drawn(self.width, self.width), "c_proj.bias": drawn(self.width)}

    def qkv(self, layer, x):
        return (x @ self.state[layer]["c_attn.weight"] + self.state[layer]["c_attn.bias"]).chunk(3, -1)

    def linear(self, layer, name, x):
        return x @ self.state[layer]["c_proj.weight"] + self.state[layer]["c_proj.bias"]

    def scale(self, layer):
        return self.d_head ** -0.5 / (layer + 1)


class QwenVision(Equal):
    """Heads by its own table; the positions of rows and columns Headlight leaves out."""
    type, packed, out, path, causal, biases = "qwen2_5_vl", "qkv", "proj", "visual.blocks.{}.attn", False, ("all",)
    left_out = "rotary positions of rows and columns of an image"

    def __init__(self, size):
        super().__init__(size)
        self.config = {"model_type": "qwen2_5_vl", "num_attention_heads": 1 + self.heads, "hidden_size": 8 * self.width,
                       "vision_config": {"num_heads": self.heads, "hidden_size": self.width}}

    def positioned(self, layer, q, k):
        return q, k


class ByArchitecture(Cohere):
    """Without a model_type, the class says it."""

    def __init__(self, size):
        super().__init__(size)
        del self.config["model_type"]
        self.config["architectures"] = ["CohereForCausalLM"]


MODELS = [Llama, Mistral, Qwen2, Qwen2Windowed, Granite, GraniteAlone, SmolLm3, SmolLm3Interval, Cohere, Cohere2, Ernie, Exaone4,
          Exaone4Small, Olmo2, Gemma2, Gemma3Nested, Gemma3n, T5Gemma, T5GemmaDecoder, Llama4, Jamba, GptOss, GptOssRescaled, Phi2, Phi2Untold, PhiNormed, StableLm, StableLm2, Nemotron, Glm,
          Glm45, ChatGlm2, Glm4, ChatGlmRatio, ChatGlm, NeoX, GptJ, Phi3, InternLm2,
          Falcon40, Falcon7, FalconRw, StarCoder, BigCodePerHead, Qwen1, Baichuan7, Baichuan13, Mpt, MptTurned, MptTurnedByHf, MptFading, ModernBert, BioGpt, Clip, ClipVision,
          GptNeo, Exaone3, Esm2, Gpt2, QwenVision, ByArchitecture]
