"""The program of `headlight capture` in PyTorch: what it writes, Headlight reads, computes alike and calls right.

    capture.py build/release/headlight

Exit code 0: everything agrees to 1e-5; 1: not.
"""
import importlib.util
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import numpy as np
import torch

import families

HEADLIGHT = pathlib.Path(sys.argv.pop(1)).resolve()
nn = torch.nn


def causal(length):
    return torch.ones(length, length, dtype=torch.bool).triu(1)


def padding(*lengths):
    return torch.arange(max(lengths))[None] >= torch.tensor(lengths)[:, None]


class Modules(nn.Module):
    """An attention layer of another library: its projections are modules, and it is called as they are."""

    def __init__(self, layer, gives_weights):
        super().__init__()
        self.layer, self.gives_weights = layer, gives_weights
        self.config = type("Config", (), {"num_attention_heads": layer.heads, "to_dict": lambda _: layer.config})()
        for path in sorted({name.rpartition(".")[0] for name in layer.state}):
            *parents, last = path.split(".")
            parent = self
            for name in parents:
                if name not in dict(parent.named_children()):
                    parent.add_module(name, nn.Module())
                parent = parent.get_submodule(name)
            parent.add_module(last, Projection(layer, path))

    def forward(self, hidden_states, encoder_hidden_states=None, attention_mask=None):
        self.layer.modules = self
        output, weights = self.layer.attend(hidden_states, hidden_states if encoder_hidden_states is None else encoder_hidden_states)
        self.layer.modules = None
        return (output, weights) if self.gives_weights else (output,)


class Model(nn.Module):
    """A model with one attention layer at a path."""

    def __init__(self, path, attention):
        super().__init__()
        *parents, last = path.split(".")
        parent = self
        for name in parents:
            parent.add_module(name, nn.Module())
            parent = parent.get_submodule(name)
        parent.add_module(last, attention)
        self.path = path
        if hasattr(attention, "config"):
            self.config = attention.config

    def forward(self, *inputs, **keywords):
        return self.get_submodule(self.path)(*inputs, **keywords)


class Projection(nn.Module):
    def __init__(self, layer, path):
        super().__init__()
        self.layer, self.path = layer, path
        for name in {"weight", "bias"} & {name.rpartition(".")[2] for name in layer.state if name.startswith(f"{path}.")}:
            self.register_parameter(name, nn.Parameter(layer.state[f"{path}.{name}"], requires_grad=False))

    def forward(self, x):
        return self.layer.applied(x, self.path)


class CausalAttention(nn.Module):
    """As in nanoGPT, without its dropout. Keeps its weights."""

    def __init__(self, d_model, heads):
        super().__init__()
        self.n_head, self.weights = heads, None
        self.c_attn, self.c_proj = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.n_head, -1)).transpose(1, 2) for t in self.c_attn(x).chunk(3, -1))
        scores = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).masked_fill(causal(x.shape[1]), -torch.inf)
        self.weights = scores.softmax(-1)
        return self.c_proj((self.weights @ v).transpose(1, 2).flatten(2))


class Gpt(nn.Module):
    """A small model like GPT-2: blocks of attention and a feed-forward part, each after a norm and beside the stream."""

    def __init__(self, layers, d_model, heads, symbols=50):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(symbols, d_model), nn.Embedding(64, d_model)
        self.h = nn.ModuleList(nn.ModuleDict({
            "ln_1": nn.LayerNorm(d_model), "attn": CausalAttention(d_model, heads), "ln_2": nn.LayerNorm(d_model),
            "mlp": nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))})
            for _ in range(layers))
        self.ln_f, self.lm_head = nn.LayerNorm(d_model), nn.Linear(d_model, symbols, bias=False)

    def forward(self, symbols):
        x = self.wte(symbols) + self.wpe(torch.arange(symbols.shape[1]))
        for block in self.h:
            x = x + block["attn"](block["ln_1"](x))
            x = x + block["mlp"](block["ln_2"](x))
        return self.lm_head(self.ln_f(x))


def caption(weights, tokens):
    """What the view Layers writes below a head with these (query, key) weights, in which no word comes twice, and whether
    rounding can't change it."""
    queries = range(len(weights))
    usable = [i for i in queries if weights[i].gt(0).sum() > 1]  # a query that sees only one key says nothing
    seen = weights[usable]
    shares = {"previous": [weights[i, i - 1] for i in usable if i > 0],
              "next": [weights[i, i + 1] for i in usable if i + 1 in queries and weights[i, i + 1] > 0],
              "first": list(seen[:, 0]), "itself": [weights[i, i] for i in usable]}
    mean = {word: float(sum(each) / len(each)) for word, each in shares.items() if 3 * len(each) >= len(usable)}
    mean |= {token: max(mean.get(token, 0), float(share)) for token, share in zip(tokens[1:], seen.mean(0)[1:])}
    word = max(mean, key=mean.get)
    even = float(torch.minimum(seen, seen.gt(0) / seen.gt(0).sum(-1, keepdim=True)).sum(-1).mean())
    over = float(2 ** torch.special.entr(weights).sum(-1).div(np.log(2)).mean())
    share = even if mean[word] < 0.5 and even >= 0.9 else mean[word]
    clear = all(abs(share - bound) > 1e-4 for bound in (0.3, 0.5)) and abs(even - 0.9) > 1e-4
    if share < 0.3:
        return f"over {over:.0f} keys", clear and abs(over % 1 - 0.5) > 1e-3
    return f"{'even' if share is even else word} {100 * share:.0f} %", clear and abs(100 * share % 1 - 0.5) > 1e-2


class Capture(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="headlight-capture-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.headlight("capture", "-o", "capture.py")
        spec = importlib.util.spec_from_file_location("capture", self.folder / "capture.py")
        self.program = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.program)
        self.program.print = lambda *_: None
        torch.manual_seed(0)

    def headlight(self, *arguments, code=0):
        ended = subprocess.run([HEADLIGHT, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return ended.stdout + ended.stderr

    def captured(self, model, *inputs, grad=False, **keywords):
        """The files of a model in eval mode, which must answer as it does unobserved and stay as it was."""
        model.eval()
        with torch.set_grad_enabled(grad):
            before = {name: dict(vars(module)) for name, module in model.named_modules()}
            plain = model(*inputs, **{name: value for name, value in keywords.items() if name not in ("tokens", "names")})
            result = self.program.capture(model, *inputs, folder=self.folder, **keywords)
            self.assertEqual(before.keys(), dict(model.named_modules()).keys())
            for name, module in model.named_modules():
                self.assertEqual(before[name].keys(), vars(module).keys())
        for a, b in zip(*(each if isinstance(each, tuple) else (each,) for each in (plain, result))):
            if a is not None:
                seen = a.abs().sum(-1) != 0  # PyTorch's fast path leaves zeros where there is padding
                torch.testing.assert_close(a[seen], b[seen], atol=1e-5, rtol=0, equal_nan=True)
        return sorted(file for file in self.folder.glob("*.npz") if file.name != "whole-model.npz")

    def judge(self, file, *expected, right=True):
        """Opens a captured layer as a setup, computes it, compares every captured tensor and lets `diagnose` do so."""
        self.headlight("layers", file, "--layer", "0", "-o", "setup.toml")
        self.headlight("compute", "--setup", "setup.toml", "-o", "trace")
        with np.load(self.folder / "trace") as ours, np.load(file) as theirs:
            names = {"X", "Y", "output", "weights"} & set(theirs.files)
            self.assertEqual(names, {"X", "output", *expected})
            for name in names:
                seen = ~np.isnan(theirs[name])  # PyTorch gives NaN for a query that sees no key
                self.assertEqual(ours[name].shape, theirs[name].shape)
                if right:
                    np.testing.assert_allclose(ours[name][seen], theirs[name][seen], atol=1e-5, rtol=0)
            whole = not any(np.isnan(theirs[name]).any() for name in names)
        if whole and right:
            report = json.loads(self.headlight("diagnose", "--setup", "setup.toml", file, "--json", "--atol", "1e-5"))
            self.assertTrue(report["agrees"])
            self.assertLessEqual(names, {tensor["name"] for tensor in report["tensors"]})

    def judge_attention(self, options, arguments, *expected):
        for file in self.folder.glob("*.npz"):
            file.unlink()
        keywords = arguments[3] if len(arguments) > 3 else {}
        # The fast path of PyTorch 1.13, which is taken without gradients, fails by itself without biases.
        file, = self.captured(nn.MultiheadAttention(8, 2, **options), *arguments[:3], grad="bias" in options, **keywords)
        self.judge(file, *expected)

    def test_self_attention_in_every_layout(self):
        x = torch.randn(3, 5, 8)
        for batch_first, bias, needs, average in itertools.product((True, False), repeat=4):
            with self.subTest(batch_first=batch_first, bias=bias, needs=needs, average=average):
                options = {"need_weights": needs, "average_attn_weights": average}
                self.judge_attention({"batch_first": batch_first, "bias": bias}, (x, x, x, options), "weights")
        with self.subTest("without a batch"):
            self.judge_attention({}, (x[0], x[0], x[0]), "weights")
        with self.subTest("in float64"):
            torch.set_default_dtype(torch.float64)
            self.addCleanup(torch.set_default_dtype, torch.float32)
            self.judge_attention({"batch_first": True}, (x.double(),) * 3, "weights")
            self.assertIn('"float64"', (self.folder / "setup.toml").read_text())

    def test_cross_attention(self):
        x, y = torch.randn(2, 4, 8), torch.randn(2, 6, 8)
        self.judge_attention({"batch_first": True}, (x, y, y), "weights", "Y")
        self.judge_attention({}, (x.transpose(0, 1), *[y.transpose(0, 1)] * 2), "weights", "Y")
        self.judge_attention({"batch_first": True}, (x, x.clone(), x.clone()), "weights")  # which is self-attention

    def test_separate_weights(self):
        x, y, z = torch.randn(2, 4, 8), torch.randn(2, 6, 5), torch.randn(2, 6, 3)
        self.judge_attention({"batch_first": True, "kdim": 5, "vdim": 5}, (x, y, y), "weights")
        self.judge_attention({"batch_first": True, "kdim": 5, "vdim": 3, "bias": False}, (x, y, z), "weights")
        self.judge_attention({"batch_first": True, "kdim": 3, "vdim": 3}, (x, z, z + 1), "weights")
        self.judge_attention({"batch_first": True, "kdim": 20, "vdim": 11}, (x, torch.randn(2, 6, 20), torch.randn(2, 6, 11)), "weights")
        self.judge_attention({"batch_first": True}, (x, x, x + 1), "weights")

    def test_masks(self):
        x, y = torch.randn(2, 4, 8), torch.randn(2, 6, 8)
        first = {"batch_first": True}
        odd = torch.tensor([[0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 0, 1]], dtype=torch.bool)
        added = torch.zeros(4, 4).masked_fill(odd, -torch.inf)
        for mask in ({"attn_mask": causal(4)}, {"attn_mask": odd}, {"attn_mask": added}, {"attn_mask": odd.expand(4, 4, 4)},
                     {"key_padding_mask": padding(3, 4)}, {"key_padding_mask": padding(4, 2), "attn_mask": causal(4)},
                     {"key_padding_mask": torch.zeros(2, 4).masked_fill(padding(1, 4), -torch.inf)}):
            with self.subTest(mask):
                self.judge_attention(first, (x, x, x, mask), "weights")
        self.judge_attention(first, (x, y, y, {"key_padding_mask": padding(5, 6)}), "weights", "Y")
        self.judge_attention({}, (x[0], x[0], x[0], {"key_padding_mask": padding(3, 4)[0], "attn_mask": causal(4)}), "weights")
        self.judge_attention(first, (x, x, x, {"attn_mask": torch.eye(4).cumsum(0).bool()}), "weights")  # some see no key

    def test_what_no_setup_can_have_is_said(self):
        x, first = torch.randn(2, 4, 8), {"batch_first": True}
        attention = nn.MultiheadAttention(8, 2, **first)
        for what, arguments, words in (
            ("left padding", {"key_padding_mask": padding(4, 2).flip(1)}, "batch items with different masks"),
        ):
            with self.subTest(what):
                file, = self.captured(attention, x, x, x, **arguments)
                self.assertIn(words, self.headlight("layers", file, "--layer", "0", code=2))
        file, = self.captured(nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True, **first), x, x, x)
        for words in ("a learned key", "a learned value", "a key of zeros"):
            self.assertIn(words, self.headlight("layers", file))
        for what, arguments, words in (
            ("a bias", {"attn_mask": torch.randn(4, 4)}, "numbers added to the scores"),
            ("heads", {"attn_mask": torch.stack([causal(4), causal(4).T] * 2)}, "a separate mask for each head"),
        ):
            with self.subTest(what):
                file, = self.captured(attention, x, x, x, **arguments)
                self.assertIn(words, self.headlight("layers", file))
                self.judge(file, "weights", right=False)

    def test_an_encoder_in_eval_mode(self):
        for batch_first, masks in itertools.product((True, False), ({}, {"src_key_padding_mask": padding(5, 3)}, {"mask": causal(5)})):
            with self.subTest(batch_first=batch_first, masks=list(masks)):
                layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=batch_first)
                x = torch.randn(2, 5, 8)
                files = self.captured(nn.TransformerEncoder(layer, 2), x if batch_first else x.transpose(0, 1), **masks)
                self.assertEqual([file.name for file in files], ["layers.0.self_attn.npz", "layers.1.self_attn.npz"])
                for file in files:
                    self.judge(file, "weights")
                    file.unlink()

    def test_an_encoder_and_a_decoder(self):
        model = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
        files = self.captured(model, torch.randn(2, 6, 8), torch.randn(2, 4, 8), tgt_mask=causal(4),
                              memory_key_padding_mask=padding(6, 5), src_key_padding_mask=padding(6, 5))
        self.assertEqual([file.stem for file in files], ["decoder.layers.0.multihead_attn", "decoder.layers.0.self_attn",
                                                         "encoder.layers.0.self_attn"])
        for file in files:
            self.judge(file, "weights", *(["Y"] if "multihead" in file.stem else []))

    def test_layers_of_other_libraries(self):
        for family in families.FAMILIES:
            layer = family()
            if issubclass(family, families.Torch) or layer.dtype == torch.bfloat16:
                continue
            for gives_weights in (True, False):
                with self.subTest(family.__name__, gives_weights=gives_weights):
                    model = Model(layer.path, Modules(layer, gives_weights))
                    x = torch.randn(2, 5, layer.d_model)
                    options = {"encoder_hidden_states": torch.randn(2, 7, layer.d_model)} if layer.cross else {}
                    if layer.causal:
                        hidden = causal(5) | (causal(5).T.tril(-layer.window) if layer.window else False)
                        options["attention_mask"] = torch.zeros(2, 1, 5, 5).masked_fill(hidden, torch.finfo(torch.float32).min)
                    file, = self.captured(model, x, **options)
                    self.assertEqual(file.name, f"{layer.path}.npz")
                    self.judge(file, *(["weights"] if gives_weights else []), *(["Y"] if layer.cross else []))
                    file.unlink()

    def test_own_classes_are_known_by_their_parts(self):
        def attend(q, k, v, heads, masked):
            q, k, v = (t.unflatten(-1, (-1, q.shape[-1] // heads)).transpose(1, 2) for t in (q, k, v))
            k, v = (t.repeat_interleave(heads // t.shape[1], 1) for t in (k, v))
            scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
            return (scores.masked_fill(causal(q.shape[2]) & masked, -torch.inf).softmax(-1) @ v).transpose(1, 2).flatten(2)

        class Own(nn.Module):
            """Its parts are called and ordered as nobody expects."""

            def __init__(self, masked=True, kv=12):
                super().__init__()
                self.c, self.a, self.d, self.b = nn.Linear(12, kv), nn.Linear(12, 12), nn.Linear(12, 12), nn.Linear(12, kv)
                self.masked = masked

            def forward(self, x):
                k, q, v = self.c(x), self.a(x), self.b(x)
                return self.d(attend(q, k, v, 3, self.masked))

        class Fused(Own):
            def __init__(self):
                super().__init__()
                self.a = nn.Linear(12, 36, bias=False)

            def forward(self, x):
                return self.d(attend(*self.a(x).chunk(3, -1), 3, True))

        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.one, self.two, self.three = (nn.Linear(12, 4, bias=False) for _ in range(3))

            def forward(self, x):
                return attend(self.one(x), self.two(x), self.three(x), 1, True)

        class Heads(nn.Module):
            def __init__(self):
                super().__init__()
                self.all = nn.ModuleList(Head() for _ in range(3))
                self.last = nn.Linear(12, 12)

            def forward(self, x):
                return self.last(torch.cat([head(x) for head in self.all], -1))

        class Model(nn.Module):
            """Two blocks with a part that is no attention."""

            def __init__(self, attention):
                super().__init__()
                self.first, self.second = attention(), attention()
                self.mlp = nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Linear(20, 12))

            def forward(self, x):
                x = x + self.first(x)
                x = x + self.mlp(x)
                return x + self.second(x)

        for attention in (Own, lambda: Own(False), lambda: Own(kv=4), Fused, Heads):
            with self.subTest(attention):
                files = self.captured(Model(attention), torch.randn(2, 5, 12))
                self.assertEqual([file.name for file in files], ["first.npz", "second.npz"])
                for file in files:
                    self.judge(file, "weights")
                    with np.load(file) as arrays:
                        self.assertEqual(arrays["num_heads"], 3)
                    file.unlink()

    def test_parts_that_numbers_do_not_tell_are_asked_for(self):
        class Turned(nn.Module):
            def __init__(self):
                super().__init__()
                self.num_heads = 2
                self.query_proj, self.key_proj, self.value_proj, self.out_proj = (nn.Linear(8, 8) for _ in range(4))

            def forward(self, x):
                q, k, v = (f(x).unflatten(-1, (2, 4)).transpose(1, 2) for f in (self.query_proj, self.key_proj, self.value_proj))
                q, k = families.turned_neighbours(q, 10000.0), families.turned_neighbours(k, 10000.0)
                scores = (q @ k.transpose(-1, -2) / 2).masked_fill(causal(x.shape[1]), -torch.inf)
                return self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

        model, x = nn.Sequential(Turned()).eval(), torch.randn(1, 5, 8)
        with self.assertRaisesRegex(ValueError, 'names=."q": "query_proj"'):
            self.program.capture(model, x, folder=self.folder / "none")
        names = {letter: f"{part}_proj" for letter, part in zip("qkvo", ("query", "key", "value", "out"))}
        file, = self.captured(model, x, names=names)
        self.judge(file)
        self.assertIn("rotary positions of neighbours", self.headlight("layers", file))
        with self.assertRaisesRegex(ValueError, "no module has all of"):
            self.program.capture(model, x, folder=self.folder / "none", names=names | {"q": "nothing"})

    def test_what_cannot_be_captured(self):
        with self.assertRaisesRegex(ValueError, "eval"):
            self.program.capture(nn.MultiheadAttention(8, 2), *[torch.zeros(1, 2, 8)] * 3, folder=self.folder / "none")
        with self.assertRaisesRegex(ValueError, "no attention layer"):
            self.program.capture(nn.Linear(2, 2).eval(), torch.zeros(2), folder=self.folder / "none")
        self.assertFalse((self.folder / "none").exists())

    def test_a_folder_opens_in_running_order(self):
        class Model(nn.Module):
            """Registers its layers in another order than it calls them."""

            def __init__(self):
                super().__init__()
                self.last = nn.MultiheadAttention(8, 2, batch_first=True)
                self.first = nn.MultiheadAttention(8, 4, batch_first=True)

            def forward(self, x):
                return self.last(*[self.first(x, x, x)[0]] * 3)[0]

        self.captured(Model(), torch.randn(1, 3, 8), tokens=["Das", "größte", "猫"])
        index = json.loads((self.folder / "index.headlight.json").read_text(encoding="utf-8"))
        self.assertEqual(index, {"version": 1, "tokens": ["Das", "größte", "猫"],
                                 "layers": [{"name": "first", "file": "first.npz"}, {"name": "last", "file": "last.npz"}]})
        rows = self.headlight("layers", self.folder).splitlines()
        self.assertEqual([row.split()[:2] for row in rows[2:]], [["0", "first"], ["1", "last"]])
        for place, name in enumerate(("first", "last")):
            self.headlight("layers", self.folder, "--layer", place, "-o", "setup.toml")
            self.assertIn('"größte"', (self.folder / "setup.toml").read_text(encoding="utf-8"))
            self.headlight("compute", "--setup", "setup.toml", "-o", "trace")
            with np.load(self.folder / "trace") as ours, np.load(self.folder / f"{name}.npz") as theirs:
                np.testing.assert_allclose(ours["weights"], theirs["weights"], atol=1e-5, rtol=0)

    def judge_view(self, weights, tokens):
        """The captured folder in the view Layers: each layer's weights, and what is written below its heads."""
        for layer, expected in enumerate(weights):
            self.headlight("layers", self.folder, "--layer", layer, "-o", "setup.toml")
            self.headlight("compute", "--setup", "setup.toml", "-o", "trace")
            with np.load(self.folder / "trace") as ours:
                np.testing.assert_allclose(ours["weights"][0], expected.numpy(), atol=1e-5, rtol=0)
        self.headlight("render", "--model", self.folder, "--view", "layers", "--size", f"1600x{250 + 110 * len(weights)}",
                       "-o", "layers.svg")
        texts = [element.text for element in xml.etree.ElementTree.parse(self.folder / "layers.svg").iter()
                 if element.tag.endswith("text")]
        written = {}
        for text in texts[texts.index("layer 0"):]:
            if text.startswith("layer "):
                layer = written.setdefault(int(text.split()[1]), [])
            elif text.endswith((" %", " keys")):
                layer.append(text)
            if len(written) == len(weights) and len(layer) == len(weights[-1]):
                break
        self.assertEqual(len(written), len(weights), texts)
        for layer, heads in enumerate(weights):
            self.assertEqual(len(written[layer]), len(heads), texts)
            for head, each in enumerate(heads):
                words, clear = caption(each, tokens)
                if clear:
                    self.assertEqual(written[layer][head], words, (layer, head))

    def test_an_encoder_of_six_layers_in_the_view(self):
        tokens = "The keys to a cabinet lie on this table .".split()
        model = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 6)
        for parameter in model.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, 0, 0.35)
        x = torch.randn(1, len(tokens), 32)
        self.assertEqual(len(self.captured(model, x, tokens=tokens)), 6)
        weights = []
        with torch.no_grad():
            for layer in model.layers:
                weights.append(layer.self_attn(x, x, x, average_attn_weights=False)[1][0])
                x = layer(x)
        self.judge_view(weights, tokens)

    def test_a_gpt_of_twelve_layers_in_the_view(self):
        tokens = "Once upon a time there was some very old king".split()
        model = Gpt(12, 48, 6)
        for parameter in model.h.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, 0, 0.2)
        self.assertEqual(len(self.captured(model, torch.randint(0, 50, (1, len(tokens))), tokens=tokens)), 12)
        self.judge_view([block["attn"].weights[0] for block in model.h], tokens)

    def test_a_layer_that_is_called_twice(self):
        attention = nn.MultiheadAttention(8, 2, batch_first=True)

        class Twice(nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = attention

            def forward(self, x):
                return self.attention(self.attention(x, x, x)[0], x, x)[0]

        files = self.captured(Twice(), torch.randn(1, 3, 8))
        self.assertEqual([file.name for file in files], ["attention-2.npz", "attention.npz"])
        self.judge(files[0], "weights", "Y")
        self.judge(files[1], "weights")


if __name__ == "__main__":
    unittest.main()
