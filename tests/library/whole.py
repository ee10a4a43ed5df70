"""`headlight layers --whole` against PyTorch: models whose layers are computed from one another.

    whole.py build/release/headlight

nn.TransformerEncoder is PyTorch's own. The blocks of GPT-2, nanoGPT and Llama are written here from their published arithmetic.
Every stream that leaves a layer must agree, the last norm, and the logits where there are any; and where a part isn't known, the
chain must be cut there, and say so. Exit code 0: all agree; 1: not.
"""
import importlib.util
import itertools
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import families

HEADLIGHT = pathlib.Path(sys.argv.pop(1)).resolve() if __name__ == "__main__" else None


def drawn(*shape):
    return torch.randn(shape, dtype=torch.float64) * 0.4


def normed(x, gain, bias=None, epsilon=1e-5):
    centred = x - x.mean(-1, keepdim=True)
    result = centred / torch.sqrt((centred**2).mean(-1, keepdim=True) + epsilon) * gain
    return result if bias is None else result + bias


def rms(x, gain, epsilon):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon) * gain


def tanh_gelu(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


BENDS = {"relu": torch.relu, "gelu": lambda x: x * 0.5 * (1 + torch.erf(x / math.sqrt(2))), "gelu_new": tanh_gelu,
         "silu": lambda x: x * torch.sigmoid(x)}


class Gpt2:
    """As in Hugging Face's files: Conv1D keeps a weight as (in, out), and the unembedding is the embedding."""
    root, type, in_out, bias, bend, epsilon, head = "", "gpt2", True, True, "gelu_new", 1e-5, None

    def __init__(self, size, **more):
        self.layers, self.d, self.heads, self.symbols, self.n = ((2, 12, 3, 19, 9), (4, 32, 2, 50, 14))[size]
        self.mlp = (48, 80)[size]
        vars(self).update(more)
        self.config = self.said()
        self.state = {f"{self.root}{name}": drawn(*shape) for name, shape in self.shapes().items()}
        self.state[f"{self.root}ln_f.weight"] += 1

    def said(self):
        return {"model_type": "gpt2", "n_head": self.heads, "n_inner": self.mlp, "architectures": ["GPT2LMHeadModel"],
                "activation_function": self.bend, "layer_norm_epsilon": self.epsilon}

    def linear_shapes(self, name, ins, outs):
        shapes = {f"{name}.weight": (ins, outs) if self.in_out else (outs, ins)}
        return shapes | ({f"{name}.bias": (outs,)} if self.bias else {})

    def norm_shapes(self, name):
        return {f"{name}.weight": (self.d,)} | ({f"{name}.bias": (self.d,)} if self.bias else {})

    def shapes(self):
        shapes = {"wte.weight": (self.symbols, self.d), "wpe.weight": (self.n, self.d)} | self.norm_shapes("ln_f")
        for layer in range(self.layers):
            block = f"h.{layer}"
            shapes |= self.norm_shapes(f"{block}.ln_1") | self.norm_shapes(f"{block}.ln_2")
            shapes |= self.linear_shapes(f"{block}.attn.c_attn", self.d, 3 * self.d)
            shapes |= self.linear_shapes(f"{block}.attn.c_proj", self.d, self.d)
            shapes |= self.linear_shapes(f"{block}.mlp.c_fc", self.d, self.mlp)
            shapes |= self.linear_shapes(f"{block}.mlp.c_proj", self.mlp, self.d)
        return shapes

    def arrays(self):
        masks = {f"{self.root}h.{layer}.attn.bias": torch.ones(1, 1, self.n, self.n).tril() for layer in range(self.layers)}
        return self.state | masks

    def get(self, name):
        return self.state.get(self.root + name)

    def linear(self, name, x):
        weight, bias = self.get(f"{name}.weight"), self.get(f"{name}.bias")
        result = x @ (weight if self.in_out else weight.T)
        return result if bias is None else result + bias

    def norm(self, name, x):
        return normed(x, self.get(f"{name}.weight"), self.get(f"{name}.bias"), self.epsilon)

    def attend(self, layer, x):
        q, k, v = self.linear(f"h.{layer}.attn.c_attn", x).chunk(3, -1)
        return self.linear(f"h.{layer}.attn.c_proj", families.attention(q, k, v, self.heads, causal=True)[0])

    def run(self, symbols):
        """What leaves each layer, and the logits."""
        x = (self.get("wte.weight")[symbols] + self.get("wpe.weight")[:len(symbols)])[None]
        streams = []
        for layer in range(self.layers):
            x = x + self.attend(layer, self.norm(f"h.{layer}.ln_1", x))
            neurons = BENDS[self.bend](self.linear(f"h.{layer}.mlp.c_fc", self.norm(f"h.{layer}.ln_2", x)))
            x = x + self.linear(f"h.{layer}.mlp.c_proj", neurons)
            streams.append(x)
        head = self.get("wte.weight") if self.head is None else self.state[self.head]
        return streams, self.norm("ln_f", x) @ head.T


class NanoGpt(Gpt2):
    """Its linear layers are nn.Linear, and a checkpoint holds the unembedding too, which is the embedding."""
    root, type, in_out, bend, head = "transformer.", "", False, "gelu", "lm_head.weight"

    def __init__(self, size, **more):
        super().__init__(size, **more)
        self.state["lm_head.weight"] = self.get("wte.weight")

    def said(self):
        return {"n_head": self.heads}


class Llama:
    """RMSNorm, rotary positions, fewer keys than queries, and an MLP with a gate."""
    type, biases, epsilon, base, tied, window = "llama", False, 1e-5, 10000.0, False, None

    def __init__(self, size, **more):
        self.layers, self.d, self.heads, self.kv_heads, self.symbols = ((2, 16, 4, 2, 23), (3, 24, 6, 2, 40))[size]
        self.mlp, self.d_head = (24, 100)[size], 4
        vars(self).update(more)
        d, kv = self.d, self.kv_heads * self.d_head
        wide = self.heads * self.d_head
        shapes = {"model.embed_tokens.weight": (self.symbols, d), "model.norm.weight": (d,)}
        shapes |= {} if self.tied else {"lm_head.weight": (self.symbols, d)}
        for layer in range(self.layers):
            block = f"model.layers.{layer}"
            shapes |= {f"{block}.{name}.weight": (d,) for name in ("input_layernorm", "post_attention_layernorm")}
            shapes |= {f"{block}.mlp.{name}_proj.weight": (self.mlp, d) for name in ("gate", "up")}
            shapes |= {f"{block}.mlp.down_proj.weight": (d, self.mlp), f"{block}.self_attn.o_proj.weight": (d, wide)}
            for name, width in (("q", wide), ("k", kv), ("v", kv)):
                shapes[f"{block}.self_attn.{name}_proj.weight"] = (width, d)
                if self.biases:
                    shapes[f"{block}.self_attn.{name}_proj.bias"] = (width,)
            shapes |= self.more_shapes(f"{block}.self_attn")
        self.state = {name: drawn(*shape) + ("norm" in name) for name, shape in shapes.items()}
        self.config = {"model_type": self.type, "num_attention_heads": self.heads, "num_key_value_heads": self.kv_heads,
                       "head_dim": self.d_head, "rms_norm_eps": self.epsilon, "rope_theta": self.base, "hidden_act": "silu",
                       "tie_word_embeddings": self.tied}
        self.config |= {"sliding_window": self.window} if self.window else {}

    def more_shapes(self, attention):
        return {}

    def arrays(self):
        return self.state | {f"model.layers.{layer}.self_attn.rotary_emb.inv_freq": torch.ones(self.d_head // 2) for layer in range(self.layers)}

    def linear(self, name, x):
        bias = self.state.get(f"{name}.bias")
        result = x @ self.state[f"{name}.weight"].T
        return result if bias is None else result + bias

    def norms_of_heads(self, attention):
        return ()

    def run(self, symbols):
        x = self.state["model.embed_tokens.weight"][symbols][None]
        streams = []
        for layer in range(self.layers):
            block = f"model.layers.{layer}"
            read = rms(x, self.state[f"{block}.input_layernorm.weight"], self.epsilon)
            q, k, v = (self.linear(f"{block}.self_attn.{name}_proj", read) for name in "qkv")
            turn = lambda t: families.turned_halves(t, self.base)  # noqa: E731
            mixed, _ = families.attention(q, k, v, self.heads, causal=True, turn=turn, window=self.window,
                                          norms=self.norms_of_heads(f"{block}.self_attn"))
            x = x + self.linear(f"{block}.self_attn.o_proj", mixed)
            read = rms(x, self.state[f"{block}.post_attention_layernorm.weight"], self.epsilon)
            gate, up = (self.linear(f"{block}.mlp.{name}_proj", read) for name in ("gate", "up"))
            x = x + self.linear(f"{block}.mlp.down_proj", BENDS["silu"](gate) * up)
            streams.append(x)
        head = self.state["model.embed_tokens.weight" if self.tied else "lm_head.weight"]
        return streams, rms(x, self.state["model.norm.weight"], self.epsilon) @ head.T


class Mistral(Llama):
    type, window = "mistral", 3


class Qwen2(Llama):
    type, biases, tied, base, epsilon = "qwen2", True, True, 1e6, 1e-6


class Qwen3(Llama):
    """A norm of each head's queries and keys."""
    type, tied, epsilon = "qwen3", True, 1e-6

    def more_shapes(self, attention):
        return {f"{attention}.{name}_norm.weight": (self.d_head,) for name in "qk"}

    def norms_of_heads(self, attention):
        return [lambda t, gain=self.state[f"{attention}.{name}_norm.weight"]: rms(t, gain, self.epsilon) for name in "qk"]


def encoder(layers, d, heads, mlp, norm_first, activation, final, epsilon=1e-5, batch_first=True, dtype=torch.float64):
    layer = nn.TransformerEncoderLayer(d, heads, mlp, 0.0, activation, epsilon, batch_first, norm_first, dtype=dtype)
    model = nn.TransformerEncoder(layer, layers, nn.LayerNorm(d, epsilon, dtype=dtype) if final else None).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, 0, 0.4)
    return model


def streams_of(model, x, **masks):
    """Layer by layer, by PyTorch's own layers."""
    streams = []
    for layer in model.layers:
        x = layer(x, **masks)
        streams.append(x)
    return streams, model.norm(x) if model.norm is not None else None


class WholeTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="headlight-whole-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        torch.manual_seed(0)

    def run_headlight(self, *arguments, code=0):
        ended = subprocess.run([HEADLIGHT, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return ended.stdout + ended.stderr

    def write(self, arrays, config=None):
        families.write_safetensors(self.folder / "model.safetensors", arrays)
        (self.folder / "config.json").unlink(missing_ok=True)
        if config is not None:
            (self.folder / "config.json").write_text(json.dumps(config))

    def trace_of(self, *options, file="model.safetensors"):
        """The trace of the whole model, and the text of its setup."""
        self.run_headlight("layers", file, "--whole", *options, "-o", "setup.toml")
        self.run_headlight("compute", "--setup", "setup.toml", "-o", "trace.npz")
        with np.load(self.folder / "trace.npz") as trace:
            return dict(trace), (self.folder / "setup.toml").read_text()

    def judge_streams(self, trace, streams, name="resid_post", atol=1e-11):
        for layer, stream in enumerate(streams):
            ours = trace[name if len(streams) == 1 else f"L{layer}.{name}"]
            np.testing.assert_allclose(ours, stream.detach().numpy(), atol=atol, rtol=0, err_msg=f"layer {layer}")
        self.assertNotIn(f"L{len(streams)}.{name}", trace)


class Files(WholeTest):
    def judge(self, model, symbols, *options, whole=True):
        trace, text = self.trace_of(*options)
        streams, logits = model.run(torch.tensor(symbols))
        self.judge_streams(trace, streams)
        np.testing.assert_allclose(trace["logits"], logits.numpy(), atol=1e-11, rtol=0)
        self.assertEqual("cut" in text, not whole, text)
        return text

    def test_files_of_gpt2(self):
        for size, bend, bias in itertools.product(range(2), ("gelu_new", "relu", "gelu"), (True, False)):
            with self.subTest(size=size, bend=bend, bias=bias):
                model = Gpt2(size, bend=bend, bias=bias, epsilon=1e-5 if bias else 1e-3)
                self.write(model.arrays(), model.config)
                text = self.judge(model, range(8))
                self.assertIn('W_U = "model.safetensors:wte.weight.T#', text)
                self.judge(model, [3, 1, 4, 1, 5], "--symbols", "3,1,4,1,5")
                self.assertNotIn("assumed", text)

    def test_a_file_of_gpt2_with_a_prefix_and_its_own_unembedding(self):
        model = Gpt2(0, root="transformer.", head="lm_head.weight")
        model.state["lm_head.weight"] = drawn(model.symbols, model.d)
        self.write(model.arrays(), model.config | {"tie_word_embeddings": False})
        self.judge(model, range(8))

    def test_files_of_nanogpt(self):
        for size, bias in itertools.product(range(2), (True, False)):
            with self.subTest(size=size, bias=bias):
                model = NanoGpt(size, bias=bias)
                self.write(model.arrays(), model.config)
                text = self.judge(model, range(8))
                self.assertIn('# No config.json says it, so what nanoGPT usually has is assumed: activation_function = "gelu"', text)
                model = NanoGpt(size, bias=bias, bend="gelu_new")  # as its first versions
                self.write(model.arrays(), model.config | {"activation_function": "gelu_new"})
                self.assertNotIn('activation_function = "', self.judge(model, range(8)))

    def test_files_of_llama_and_its_relatives(self):
        for family, size in itertools.product((Llama, Mistral, Qwen2, Qwen3), range(2)):
            with self.subTest(family.__name__, size=size):
                model = family(size)
                self.write(model.arrays(), model.config)
                text = self.judge(model, range(8))
                self.assertNotIn("assumed", text)
                self.judge(model, [7, 7, 2, 0, 11, 5], "--symbols", "7,7,2,0,11,5")
        model = Llama(0, epsilon=1e-6)
        self.write(model.arrays())
        text = self.judge(model, range(8), "--heads", "4")
        self.assertIn('what Llama usually has is assumed: hidden_act = "silu", rms_norm_eps = 1e-06', text)

    def test_files_of_float32_agree_too(self):
        for model in (Gpt2(1), Llama(1)):
            model.state = {name: array.float() for name, array in model.state.items()}
            self.write(model.arrays(), model.config)
            trace, _ = self.trace_of()
            model.state = {name: array.double() for name, array in model.state.items()}
            streams, logits = model.run(torch.arange(8))
            self.judge_streams(trace, streams, atol=1e-5 * float(streams[-1].abs().max()))
            np.testing.assert_allclose(trace["logits"], logits.numpy(), atol=1e-5 * float(logits.abs().max()), rtol=0)

    def test_files_of_an_encoder(self):
        sizes = ((2, 8, 2, 12), (3, 24, 4, 96))
        for size, first, activation, final in itertools.product(range(2), (True, False), ("relu", "gelu"), (True, False)):
            with self.subTest(size=size, norm_first=first, activation=activation, final=final):
                model = encoder(*sizes[size], first, activation, final)
                heads = sizes[size][2]
                self.write(model.state_dict(), {"num_heads": heads, "norm_first": first, "activation": activation})
                trace, text = self.trace_of()
                x = torch.from_numpy(trace["L0.X"])
                with torch.no_grad():
                    streams, last = streams_of(model, x)
                self.judge_streams(trace, streams, "resid_post" if first else "N_mlp_post")
                self.assertEqual("N_final" in trace, final)
                if final:
                    np.testing.assert_allclose(trace["N_final"], last.numpy(), atol=1e-11, rtol=0)
                self.assertNotIn("logits", trace)
                self.assertIn("layer_norm_eps = 1e-05", text)
                self.assertIn("every position is assumed to see all others", text)

    def test_what_no_file_says_is_assumed_and_said(self):
        model = encoder(2, 8, 2, 12, False, "relu", False)
        self.write(model.state_dict())
        trace, text = self.trace_of("--heads", "2")
        with torch.no_grad():
            self.judge_streams(trace, streams_of(model, torch.from_numpy(trace["L0.X"]))[0], "N_mlp_post")
        assumed = 'is assumed: activation = "relu", layer_norm_eps = 1e-05, norm_first = false'
        self.assertIn(assumed, text)
        self.assertIn(assumed, self.run_headlight("layers", "model.safetensors", "--heads", "2"))


class Cuts(WholeTest):
    """Where a part isn't known."""

    def cut(self, model, where, layers, config=None, arrays=None):
        self.write(model.arrays() if arrays is None else arrays, model.config if config is None else config)
        trace, text = self.trace_of()
        self.assertIn(f"# The chain is cut {where}", text)
        self.assertIn(f"the whole model: The chain is cut {where}", self.run_headlight("layers", "model.safetensors"))
        streams, logits = model.run(torch.arange(8))
        if layers:
            self.judge_streams(trace, streams[:layers])
        return trace, streams

    def without(self, model, *names):
        return {name: array for name, array in model.arrays().items() if name not in names}

    def refused(self, arrays, config, *words, in_table=True):
        self.write(arrays, config)
        said = self.run_headlight("layers", "model.safetensors", "--whole", code=2)
        for word in words:
            self.assertIn(word, said)
        self.assertEqual("no whole model: " in self.run_headlight("layers", "model.safetensors"), in_table)

    def test_a_missing_norm_or_weight(self):
        model = Gpt2(1)
        self.cut(model, "before layer 2 of 4: there is no h.2.ln_2.weight", 2, arrays=self.without(model, "h.2.ln_2.weight"))
        self.cut(model, "before layer 1 of 4: there is no h.1.ln_1.weight", 1, arrays=self.without(model, "h.1.ln_1.weight"))
        self.cut(model, "before layer 3 of 4: h.3.ln_2 has no bias, unlike the norms before it", 3,
                 arrays=self.without(model, "h.3.ln_2.bias"))
        gone = {name: array for name, array in model.arrays().items() if not name.startswith("h.1.")}
        self.cut(model, "before layer 1 of 3: there is no h.1", 1, arrays=gone)
        trace, _ = self.cut(model, "before the last norm: there is no ln_f.weight", 4, arrays=self.without(model, "ln_f.weight"))
        self.assertNotIn("logits", trace)
        self.refused(self.without(model, "h.0.ln_1.weight"), model.config, "h.0: there is no h.0.ln_1.weight", "--layer 0")

    def test_an_unembedding_that_is_not_there(self):
        model = Llama(0)
        trace, streams = self.cut(model, "before the logits: there is no lm_head.weight", 2, arrays=self.without(model, "lm_head.weight"))
        self.assertNotIn("logits", trace)
        np.testing.assert_allclose(trace["N_final"], rms(streams[-1], model.state["model.norm.weight"], model.epsilon), atol=1e-11)
        model = Gpt2(0)
        self.cut(model, "before the logits", 2, model.config | {"architectures": ["GPT2ForSequenceClassification"]})

    def test_an_activation_that_nobody_has_checked(self):
        model = Llama(0)
        trace, _ = self.cut(model, 'before the MLP of layer 0 of 2: its MLP bends by "xielu", which nobody has checked', 0,
                            model.config | {"hidden_act": "xielu"})
        x = model.state["model.embed_tokens.weight"][:8]
        np.testing.assert_array_equal(trace["resid_pre"][0], x)
        read = rms(x[None], model.state["model.layers.0.input_layernorm.weight"], model.epsilon)
        q, k, v = (model.linear(f"model.layers.0.self_attn.{name}_proj", read) for name in "qkv")
        mixed, _ = families.attention(q, k, v, 4, causal=True, turn=lambda t: families.turned_halves(t, 10000.0))
        np.testing.assert_allclose(trace["resid_post"], x + model.linear("model.layers.0.self_attn.o_proj", mixed), atol=1e-11)

    def test_attention_that_differs_from_layer_to_layer(self):
        model = Gpt2(0)
        self.cut(model, "before layer 1 of 2: its attention differs from that of layer 0: scale", 1,
                 model.config | {"scale_attn_by_inverse_layer_idx": True})
        model = Qwen2(1)
        self.cut(model, "before layer 2 of 3: its attention differs from that of layer 0: window of keys", 2,
                 model.config | {"sliding_window": 3, "use_sliding_window": True, "max_window_layers": 2})
        self.write(model.arrays(), model.config | {"sliding_window": 8, "use_sliding_window": True, "max_window_layers": 2})
        self.assertNotIn("cut", self.trace_of()[1])  # which hides no key of eight

    def test_what_is_unknown_in_a_block(self):
        model = Gpt2(1)
        more = model.arrays() | {"h.2.ln_cross_attn.weight": drawn(32)}
        self.cut(model, "before layer 2 of 4: nobody knows what h.2.ln_cross_attn.weight does", 2, arrays=more)
        more = model.arrays() | {"h.1.attn.c_attn.lora_A.weight": drawn(2, 32)}
        self.cut(model, "before layer 1 of 4: nobody knows what h.1.attn.c_attn.lora_A.weight does", 1, arrays=more)
        self.refused(model.arrays() | {"h.0.post.weight": drawn(32)}, model.config, "nobody knows what h.0.post.weight does")
        llama = Llama(0)
        for other in ("granite", "foo"):
            self.refused(llama.arrays(), llama.config | {"model_type": other}, f"layers of {other}, whose norms and MLP nobody has checked",
                         "nn.TransformerEncoder, GPT-2, nanoGPT, Llama", in_table=False)
        self.refused(llama.arrays(), llama.config | {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}},
                     "its attention has rotary positions with rescaled angles, which is not computed")

    def test_several_stacks_and_decoders(self):
        model = nn.Transformer(8, 2, 2, 2, 12, batch_first=True).double()
        self.write(model.state_dict(), {"num_heads": 2})
        _, text = self.trace_of()
        self.assertIn("encoder.layers.1.norm1", text)  # a decoder's blocks attend to another sequence besides
        twice = {f"{side}.{name}": array for side in ("a", "b") for name, array in encoder(1, 8, 2, 12, True, "relu", True).state_dict().items()}
        self.refused(twice, {"num_heads": 2}, "several stacks of blocks: a.layers, b.layers")

    def test_the_first_layer_is_in_another_file(self):
        model = Gpt2(1)
        rest = {name: array for name, array in model.arrays().items() if not name.startswith("h.0.")}
        self.refused(rest, model.config, "h.1 without h.0", ".index.json")


def hidden(length):
    return torch.ones(length, length, dtype=torch.bool).triu(1)


class CausalAttention(nn.Module):
    """As in nanoGPT, without its dropout."""

    def __init__(self, d, heads, linear=nn.Linear):
        super().__init__()
        self.n_head, self.c_attn, self.c_proj = heads, linear(d, 3 * d), linear(d, d)

    def forward(self, x):
        q, k, v = self.c_attn(x).chunk(3, -1)
        return self.c_proj(families.attention(q, k, v, self.n_head, causal=True)[0])


class Conv1D(nn.Module):
    """As in GPT-2: x @ weight + bias."""

    def __init__(self, ins, outs):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.empty(ins, outs)), nn.Parameter(torch.empty(outs))

    def forward(self, x):
        return x @ self.weight + self.bias


class GptBlock(nn.Module):
    """`bend` is a module, or a function that nothing in the module tells of; `share` is of the MLP."""

    def __init__(self, d, heads, bend, linear):
        super().__init__()
        self.ln_1, self.ln_2, self.attn = nn.LayerNorm(d), nn.LayerNorm(d), CausalAttention(d, heads, linear)
        self.mlp = nn.ModuleDict({"c_fc": linear(d, 4 * d), "c_proj": linear(4 * d, d)})
        self.share = 1
        if isinstance(bend, nn.Module):
            self.mlp["gelu"] = bend
        self.bend = [bend]

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.share * self.mlp["c_proj"](self.bend[0](self.mlp["c_fc"](self.ln_2(x))))


class Gpt(nn.Module):
    """Its unembedding is its embedding; as nanoGPT, it may score the last position alone."""

    def __init__(self, layers, d, heads, bend, symbols=30, linear=nn.Linear, last_alone=True):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(symbols, d), "wpe": nn.Embedding(16, d), "ln_f": nn.LayerNorm(d),
            "h": nn.ModuleList(GptBlock(d, heads, bend, linear) for _ in range(layers))})
        self.lm_head, self.last_alone = nn.Linear(d, symbols, bias=False), last_alone
        self.lm_head.weight = self.transformer["wte"].weight

    def forward(self, symbols):
        x = self.transformer["wte"](symbols) + self.transformer["wpe"](torch.arange(symbols.shape[1]))
        self.streams = []
        for block in self.transformer["h"]:
            x = block(x)
            self.streams.append(x)
        x = self.transformer["ln_f"](x)
        return self.lm_head(x[:, -1:] if self.last_alone else x), None


class RmsNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight, self.variance_epsilon = nn.Parameter(torch.ones(d)), 1e-6

    def forward(self, x):
        return rms(x, self.weight, self.variance_epsilon)


class LlamaAttention(nn.Module):
    def __init__(self, d, heads, kv_heads):
        super().__init__()
        self.num_heads, wide, kv = heads, d, d // heads * kv_heads
        self.q_proj, self.o_proj = nn.Linear(d, wide, bias=False), nn.Linear(wide, d, bias=False)
        self.k_proj, self.v_proj = (nn.Linear(d, kv, bias=False) for _ in range(2))

    def forward(self, hidden_states):
        q, k, v = self.q_proj(hidden_states), self.k_proj(hidden_states), self.v_proj(hidden_states)
        turn = lambda t: families.turned_halves(t, 10000.0)  # noqa: E731
        mixed, weights = families.attention(q, k, v, self.num_heads, causal=True, turn=turn)
        return self.o_proj(mixed), weights


class LlamaBlock(nn.Module):
    def __init__(self, d, heads, kv_heads, mlp):
        super().__init__()
        self.self_attn, self.mlp = LlamaAttention(d, heads, kv_heads), nn.Module()
        self.mlp.gate_proj, self.mlp.up_proj = (nn.Linear(d, mlp, bias=False) for _ in range(2))
        self.mlp.down_proj, self.mlp.act_fn = nn.Linear(mlp, d, bias=False), nn.SiLU()
        self.input_layernorm, self.post_attention_layernorm = RmsNorm(d), RmsNorm(d)

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))[0]
        read, m = self.post_attention_layernorm(x), self.mlp
        return (x + m.down_proj(m.act_fn(m.gate_proj(read)) * m.up_proj(read)),)


class LlamaModel(nn.Module):
    def __init__(self, layers, d, heads, kv_heads, mlp, symbols=30):
        super().__init__()
        self.model = nn.Module()
        self.model.embed_tokens, self.model.norm = nn.Embedding(symbols, d), RmsNorm(d)
        self.model.layers = nn.ModuleList(LlamaBlock(d, heads, kv_heads, mlp) for _ in range(layers))
        self.lm_head = nn.Linear(d, symbols, bias=False)

    def forward(self, symbols):
        x = self.model.embed_tokens(symbols)
        self.streams = []
        for block in self.model.layers:
            x = block(x)[0]
            self.streams.append(x)
        return self.lm_head(self.model.norm(x))


class Config:
    def __init__(self, said):
        self.said = said
        vars(self).update(said)

    def to_dict(self):
        return self.said


class Captures(WholeTest):
    def setUp(self):
        super().setUp()
        self.run_headlight("capture", "-o", "capture.py")
        spec = importlib.util.spec_from_file_location("capture", self.folder / "capture.py")
        self.program = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.program)
        self.program.print = lambda *_: None
        torch.set_default_dtype(torch.float64)
        self.addCleanup(torch.set_default_dtype, torch.float32)

    def drawn(self, model):
        for parameter in model.parameters():
            nn.init.normal_(parameter, 0, 0.4)
        return model.eval()

    def captured(self, model, *inputs, **keywords):
        for file in (self.folder / "capture").glob("*"):
            file.unlink()
        with torch.no_grad():
            return self.program.capture(model, *inputs, folder=self.folder / "capture", **keywords)

    def opened(self):
        trace, text = self.trace_of(file="capture")
        self.assertIn(text.partition("# All ")[2].partition(".\n")[0], self.run_headlight("layers", "capture"))
        return trace, text

    def test_encoders(self):
        x = torch.randn(2, 6, 8)
        masks = ({}, {"mask": hidden(6)}, {"src_key_padding_mask": torch.arange(6)[None] >= torch.tensor([6, 4])[:, None]})
        for first, activation, batch_first, mask in itertools.product((True, False), ("relu", "gelu"), (True, False), masks):
            with self.subTest(norm_first=first, activation=activation, batch_first=batch_first, mask=list(mask)):
                model = encoder(2, 8, 2, 12, first, activation, True, batch_first=batch_first, epsilon=1e-4)
                given = x if batch_first else x.transpose(0, 1)
                own = nn.Sequential(nn.Identity(), model) if not mask else model
                self.captured(own.eval(), given, tokens=list("abcdef"), **mask)
                trace, text = self.opened()
                masked = {"src_mask" if name == "mask" else name: value for name, value in mask.items()}
                with torch.no_grad():
                    streams, last = streams_of(model, given, **masked)
                seen = ~mask["src_key_padding_mask"] if "src_key_padding_mask" in mask else torch.ones(2, 6, dtype=torch.bool)
                for layer, stream in enumerate([*streams, last]):
                    ours = trace["N_final" if layer == 2 else f"L{layer}.{'resid_post' if first else 'N_mlp_post'}"]
                    theirs = stream if batch_first else stream.transpose(0, 1)
                    np.testing.assert_allclose(ours[seen], theirs[seen], atol=1e-11, rtol=0)
                self.assertIn("# All 2 captured streams agree with ours: they differ by up to ", text)
                self.assertIn("# X is what entered the first layer when the model ran.", text)
                self.assertIn("# The captured last norm differs by up to ", text)
                self.assertIn('tokens = ["a", "b"', text)
                self.assertNotIn("assumed", text)
                self.assertNotIn("cut", text)

    def judge_gpt(self, model, streams, logits, text, trace):
        self.judge_streams(trace, streams)
        np.testing.assert_allclose(trace["logits"][:, -logits.shape[1]:], logits, atol=1e-11, rtol=0)
        self.assertIn("# The captured logits differ by up to", text)
        self.assertNotIn("cut", text)
        self.assertNotIn("assumed", text)

    def test_models_like_nanogpt(self):
        symbols = torch.randint(0, 30, (2, 7))
        for bend, word in ((nn.GELU(), ""), (nn.GELU(approximate="tanh"), ""), (nn.ReLU(), ""), (tanh_gelu, "its MLP bends by gelu_tanh"),
                           (torch.relu, "its MLP bends by relu"), (F.gelu, "")):
            with self.subTest(bend=bend):
                model = self.drawn(Gpt(3, 12, 3, bend))
                logits, _ = self.captured(model, symbols)
                trace, text = self.opened()
                self.judge_gpt(model, model.streams, logits, text, trace)
                self.assertEqual("# The captured streams tell that" in text, bool(word), text)
                self.assertIn(word, text)
        self.assertIn("# All 3 captured streams agree with ours", self.trace_of(file="capture/whole-model.npz")[1])

    def test_models_like_gpt2_and_llama(self):
        symbols = torch.randint(0, 30, (1, 7))
        model = self.drawn(Gpt(2, 12, 2, tanh_gelu, linear=Conv1D, last_alone=False))
        model.config = Config({"model_type": "gpt2", "n_head": 2, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5})
        logits, _ = self.captured(model, symbols)
        self.judge_gpt(model, model.streams, logits, *reversed(self.opened()))
        for config in ({"model_type": "llama", "num_attention_heads": 4, "rope_theta": 10000.0, "rms_norm_eps": 1e-6}, None):
            model = self.drawn(LlamaModel(2, 16, 4, 2, 20))
            if config:
                model.config = Config(config)
            logits = self.captured(model, symbols)
            self.judge_gpt(model, model.streams, logits, *reversed(self.opened()))

    def test_results_that_differ_cut_the_chain(self):
        symbols = torch.randint(0, 30, (2, 7))
        model = self.drawn(Gpt(3, 12, 3, nn.GELU()))
        model.transformer["h"][2].share = 0.5
        self.captured(model, symbols)
        trace, text = self.trace_of(file="capture")
        self.judge_streams(trace, model.streams[:2])
        self.assertNotIn("logits", trace)
        self.assertIn("# The captured streams after the first 2 layers agree with ours: they differ by up to ", text)
        said = "The chain is cut before layer 2 of 3: the captured stream after it differs from ours by up to "
        self.assertIn(said, text)
        self.assertIn(said, self.run_headlight("layers", "capture"))
        model.transformer["h"][0].share = 2
        self.captured(model, symbols)
        self.assertIn("our stream after layer 0 differs from the captured one by up to ",
                      self.run_headlight("layers", "capture", "--whole", code=2))

    def test_masks_that_differ_from_layer_to_layer_cut_the_chain(self):
        model, x = encoder(3, 8, 2, 12, True, "gelu", True), torch.randn(1, 6, 8)

        class Mixed(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers, self.norm = model.layers, model.norm

            def forward(self, x):
                for number, layer in enumerate(self.layers):
                    x = layer(x, src_mask=hidden(6) if number < 2 else None)
                return self.norm(x)

        self.captured(Mixed().eval(), x)
        _, text = self.trace_of(file="capture")
        self.assertIn("The chain is cut before layer 2 of 3: the captured stream after it differs", text)

    def test_what_is_no_chain_has_no_file(self):
        x = torch.randn(1, 4, 8)
        self.captured(nn.Transformer(8, 2, 1, 1, 12, batch_first=True).eval(), x, x)  # one list of known blocks: the encoder's
        _, text = self.trace_of(file="capture")
        self.assertIn("encoder.layers.0.norm1", text)

        class Twice(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = encoder(1, 8, 2, 12, True, "relu", True)

            def forward(self, x):
                return self.inner(self.inner(x))

        for model in (nn.MultiheadAttention(8, 2, batch_first=True), Twice()):
            inputs = [x] * 3 if isinstance(model, nn.MultiheadAttention) else [x]
            self.captured(model.eval(), *inputs)
            self.assertFalse((self.folder / "capture" / "whole-model.npz").exists())
            said = self.run_headlight("layers", "capture", "--whole", code=2)
            self.assertIn("a captured folder without a file of the whole model", said)


if __name__ == "__main__":
    unittest.main()
