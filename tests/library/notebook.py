"""The Python package: what show(), check() and trace() take, what they answer, and its wheel.

    notebook.py build/release/headlight

The page is a stand-in with the place that the real one has: what is inside it is what the program opens.
"""
import base64
import html
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zlib

import numpy as np
import torch

HEADLIGHT = pathlib.Path(sys.argv.pop(1)).resolve()
TOP = pathlib.Path(__file__).parents[2]
EMPTY = ('<!DOCTYPE html><title>Headlight</title><script type="application/json" id="headlight-document"></script>'
         "<script>start()</script>")
nn = torch.nn

os.environ["HEADLIGHT"] = str(HEADLIGHT)
sys.path.insert(0, str(TOP / "python"))
sys.dont_write_bytecode = True
import headlight  # noqa: E402
import headlight.page  # noqa: E402


def document_in(page):
    """Its arguments and files, as the page unpacks them."""
    text = re.search(r'<script type="application/json" id="headlight-document">(.*?)</script>', page, re.DOTALL)[1]
    document = json.loads(text)
    check_sum = 0
    for each in [*document["arguments"], *(part for item in document["files"].items() for part in item)]:
        check_sum = zlib.crc32((each + "\n").encode(), check_sum)
    assert document["version"] == 1 and document["crc32"] == f"{check_sum:08x}"

    def unpacked(text):
        return zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), wbits=-15)
    return document["arguments"], {name: unpacked(packed) for name, packed in document["files"].items()}


class NotebookTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="headlight-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "data/headlight").mkdir(parents=True)
        (self.folder / "data/headlight/headlight.html").write_text(EMPTY)
        self.set("XDG_DATA_HOME", str(self.folder / "data"))
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        torch.manual_seed(0)
        headlight._last = None

    def set(self, name, value):
        old = os.environ.get(name)
        self.addCleanup(lambda: os.environ.pop(name, None) if old is None else os.environ.__setitem__(name, old))
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value

    def opened(self, shown):
        """What the program computes of what is in the page that a notebook shows."""
        frame = shown._repr_html_()
        page = html.unescape(re.search(r' srcdoc="([^"]*)"></iframe></div>$', frame)[1])
        arguments, files = document_in(page)
        arguments = [word for word in arguments if word not in ("--check", "mine.npz")]  # of the window alone
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            subprocess.run([HEADLIGHT, "compute", *arguments, "-o", "trace.npz"], cwd=folder, check=True, capture_output=True)
            with np.load(pathlib.Path(folder, "trace.npz")) as trace:
                return dict(trace)

    def refuses(self, words, call, error=ValueError):
        with self.assertRaises(error) as refused:
            call()
        self.assertIn(words, str(refused.exception))
        self.assertNotIn("\n", str(refused.exception), "one sentence")

    def layer(self, d_model=8, heads=2, **more):
        return nn.MultiheadAttention(d_model, heads, batch_first=True, **more)


class Show(NotebookTest):
    def test_a_lecture(self):
        shown = headlight.show("udl-12-2", step=8, view="heads", cell="weights[0,1,2,0]", theme="dark", height=300)
        arguments, files = document_in(shown.page())
        self.assertEqual(arguments, ["--setup", "#lecture=udl-12-2&step=8&view=heads&cell=weights[0,1,2,0]&theme=dark"])
        self.assertEqual(files, {})
        self.assertIn('height="300"', shown._repr_html_())
        self.assertIn("weights", self.opened(shown))
        self.assertIn("[sizes]", shown.setup)
        self.assertEqual(sorted(shown.values), ["W_k", "W_o", "W_q", "W_v", "X", "b_k", "b_q", "b_v"])
        self.assertIn("udl-12-2", repr(shown))

    def test_a_setup_as_text_and_as_a_file(self):
        np.save("mine.npy", np.eye(8) / 2)
        text = 'version = 1\ntitle = "My < own"\n[sizes]\nheads = 4\n[values]\nW_q = "mine.npy"\n'
        pathlib.Path("my.headlight.toml").write_text(text)
        for setup in (text, "my.headlight.toml", pathlib.Path("my.headlight.toml")):
            shown = headlight.show(setup)
            np.testing.assert_array_equal(self.opened(shown)["W_q"], np.eye(8) / 2)
            self.assertIn("<title>My &lt; own · Headlight</title>", shown.page())
            self.assertIn("heads = 4", shown.setup)

    def test_arrays_by_their_names(self):
        draw = np.random.default_rng(0).standard_normal
        x, y = draw((2, 3, 8)), draw((2, 5, 6))
        given = {"X": x, "Y": y, "W_q": draw((8, 12)), "W_k": draw((6, 6)), "W_v": draw((6, 6)), "W_o": draw((12, 4)), "b_q": draw(12)}
        shown = headlight.show(**given, heads=4, title='In "words" \\ \n', tokens=["a", "b", 'c"'])
        trace = self.opened(shown)
        for name, array in given.items():
            np.testing.assert_array_equal(trace[name], array)
            np.testing.assert_array_equal(shown.values[name], array)
        self.assertEqual(trace["output"].shape, (2, 3, 4))
        square = {name: draw((8, 8)) for name in ("W_q", "W_k", "W_v", "W_o")}
        seen = np.tril(np.ones((3, 3), dtype=bool))
        causal = self.opened(headlight.show(X=x, **square, heads=2, causal=True))["weights"]
        for mask in ({"visible": seen}, {"hidden": ~seen}, {"visible": torch.from_numpy(seen)[None, None]}):
            np.testing.assert_array_equal(self.opened(headlight.show(X=x, **square, heads=2, **mask))["weights"], causal)
        padded = self.opened(headlight.show(X=x, **square, heads=2, valid_lengths=[2, 3]))["weights"]
        self.assertEqual(np.count_nonzero(padded == 0), 2 * 3)

    def test_attention_weights(self):
        layers = tuple(torch.randn(2, 3, 4, 4).softmax(-1).requires_grad_() for _ in range(3))
        with_names = type("Output", (), {"attentions": layers})()
        cache = {f"blocks.{i}.attn.hook_pattern": layer for i, layer in enumerate(layers)} | {"blocks.0.hook_resid_pre": torch.zeros(2, 4, 8)}
        stack = torch.stack(layers)
        for given in (layers, list(layers), stack, stack.half(), stack.bfloat16(), stack.detach().numpy(), with_names, cache):
            trace = self.opened(headlight.show(given, tokens=list("abcd")))
            np.testing.assert_allclose(trace["weights"][0], layers[0][0].detach().numpy(), atol=2e-2)
        single = headlight.show(weights=layers[0])
        self.assertEqual(self.opened(single)["weights"].shape, (2, 3, 4, 4))
        self.assertTrue(single._repr_png_().startswith(b"\x89PNG"))
        more = {"hook_q": torch.randn(2, 4, 3, 5), "hook_z": torch.randn(2, 4, 3, 5), "hook_attn_scores": torch.randn(2, 3, 4, 4)}
        whole = cache | {f"blocks.{i}.attn.{name}": tensor for i in range(3) for name, tensor in more.items()}
        np.testing.assert_array_equal(headlight.trace(whole, layer=2)["weights"], layers[2].detach())
        uneven = self.opened(headlight.show((layers[0], torch.randn(2, 5, 4, 4).softmax(-1))))
        self.assertEqual(uneven["weights"].shape[1], 3)

    def test_modules(self):
        x = torch.randn(2, 5, 8)
        mha = self.layer()
        self.assertTrue(mha.training)
        for call in ((x,), (x, x), (x, x, x), (x.numpy(),), (x[0],)):
            weights = self.opened(headlight.show(mha, *call))["weights"]
            want = mha(x, x, x, average_attn_weights=False)[1].detach().numpy()[:len(weights)]
            np.testing.assert_allclose(weights, want, atol=1e-6)
        self.assertTrue(mha.training, "as it was")
        np.testing.assert_array_equal(headlight.trace(nn.DataParallel(mha), x)["weights"], headlight.trace(mha, x)["weights"])
        shown = headlight.show(mha, x, tokens=list("abcde"))
        np.testing.assert_allclose(shown.values["W_q"], mha.in_proj_weight[:8].T.detach().numpy())
        self.assertIn("tokens", shown.setup)
        self.assertIn('"capture/MultiheadAttention.npz:', shown.setup)
        self.assertTrue(shown._repr_png_().startswith(b"\x89PNG"))
        second = nn.MultiheadAttention(8, 2)
        self.assertEqual(self.opened(headlight.show(second, x.transpose(0, 1)))["weights"].shape, (2, 2, 5, 5))
        hidden = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
        weights = self.opened(headlight.show(mha, x, key_padding_mask=hidden))["weights"]
        np.testing.assert_array_equal(weights[1, :, :, 3:], 0)
        block = nn.TransformerEncoderLayer(8, 2, batch_first=True).eval()
        self.assertIn("weights", self.opened(headlight.show(block, x)))
        half = self.layer().bfloat16()
        self.assertIn("weights", self.opened(headlight.show(half, x.bfloat16())))

    def test_numbers_of_another_kind_than_the_module(self):
        """Half precision is computed with 32 bits where this PyTorch can't on a processor; inputs become what the module has."""
        x, mha = torch.randn(2, 5, 8), self.layer()
        want = mha(x, x, x, average_attn_weights=False)[1].detach().numpy()
        half = self.layer().half()
        half.load_state_dict(mha.state_dict())
        for module, given in ((half, x.half()), (half, x), (mha, x.half()), (mha, x.bfloat16()), (mha, x.double()), (mha, x.tolist()),
                              (mha, x.double().numpy()), (mha, x.clone().requires_grad_() * 1)):
            np.testing.assert_allclose(self.opened(headlight.show(module, given))["weights"], want, atol=1e-2)
        self.assertEqual(half.in_proj_weight.dtype, torch.float16, "as it was")

    def test_a_module_without_biases(self):
        x, mha = torch.randn(2, 5, 8), self.layer(bias=False)
        for module in (mha, mha.eval()):
            trace = headlight.trace(module, x)
            np.testing.assert_allclose(trace["output"], mha(x, x, x)[0].detach(), atol=1e-6)

    def test_masks_of_a_module_that_no_setup_can_have(self):
        x, mha = torch.randn(2, 5, 8), self.layer()
        seen = torch.ones(5, 5).tril()
        trace = self.opened(headlight.show(mha, x, attn_mask=(1 - seen).byte()))
        np.testing.assert_array_equal(trace["weights"][0, 0] == 0, ~seen.bool())
        left = torch.tensor([[False] * 5, [True] * 2 + [False] * 3])
        self.refuses("show one item", lambda: headlight.show(mha, x, key_padding_mask=left))
        self.assertIn("weights", self.opened(headlight.show(mha, x[1:], key_padding_mask=left[1:])))
        for words, call in (("adds other numbers than -inf", lambda: headlight.show(mha, x, attn_mask=torch.randn(5, 5))),
                            ("its heads have different masks", lambda: headlight.show(mha, x, attn_mask=torch.stack([seen, seen.T] * 2) == 0)),
                            ("add_bias_kv", lambda: headlight.show(self.layer(add_bias_kv=True), x)),
                            ("add_zero_attn", lambda: headlight.show(self.layer(add_zero_attn=True), x)),
                            ("X[0, 1, 2] is nan", lambda: headlight.show(mha, torch.where(torch.arange(80).reshape(2, 5, 8) == 10, torch.nan, x))),
                            ("no numbers in it", lambda: headlight.show(mha, x[:0])),
                            ("MultiheadAttention can't be called with this (", lambda: headlight.show(mha, torch.ones(2, 5, 7))),
                            ("MultiheadAttention can't be called with this (TypeError", lambda: headlight.show(mha, x, unknown=1)),
                            ("MultiheadAttention is a class", lambda: headlight.show(nn.MultiheadAttention, x)),
                            ("2 words, but there are 5 positions", lambda: headlight.show(mha, x, tokens=["a", "b"])),
                            ("tokens=text.split()", lambda: headlight.show(mha, x, tokens="a b c d e")),
                            ("tokens=tokens[0]", lambda: headlight.show(mha, x, tokens=[list("abcde")] * 2))):
            with self.subTest(words):
                self.refuses(words, call)

    def test_masks_of_a_batch_beside_arrays(self):
        draw = np.random.default_rng(0).standard_normal
        x, square = draw((2, 5, 8)), {name: draw((8, 8)) for name in ("W_q", "W_k", "W_v", "W_o")}
        causal, padded = np.triu(np.ones((5, 5), dtype=bool), 1), np.arange(5) >= np.array([5, 3])[:, None]
        both = causal | padded[:, None]
        for hides, mask in ((padded[:, None], padded), (padded[:, None], padded[:, None]), (padded[:, None], padded[:, None, None]),
                            (both, both), (both, both[:, None]), (both, np.repeat(both, 2, 0)), (causal, np.where(causal, -np.inf, 0)),
                            (causal, torch.tensor(causal).float()), (causal, np.stack([causal] * 4)), (causal & False, causal & False)):
            want = np.broadcast_to(hides, (2, 5, 5))
            given = [{"hidden": mask}] if (as_float := np.asarray(mask)).min() < 0 else [{"hidden": mask}, {"visible": as_float == 0}]
            for each in given:
                weights = self.opened(headlight.show(X=x, **square, heads=2, **each))["weights"]
                np.testing.assert_array_equal(weights == 0, np.broadcast_to(want[:, None], weights.shape))
        mixed = self.opened(headlight.show(X=x, **square, heads=2, causal=True, valid_lengths=torch.tensor([4, 5]), hidden=padded))
        np.testing.assert_array_equal((mixed["weights"] != 0).any((1, 2)).sum(-1), [4, 3])
        for words, mask in (("show one item", {"hidden": padded[:, ::-1]}), ("another one for each head", {"hidden": np.stack([causal, causal.T])[None]}),
                            ("write hidden=mask", {"visible": np.where(causal, -np.inf, 0)}), ("adds other numbers", {"hidden": draw((5, 5))}),
                            ("has the shape (4, 4)", {"visible": causal[:4, :4]}), ("of at most 5 keys", {"valid_lengths": [9, 2]}),
                            ("for each of 2 batch items", {"valid_lengths": [1, 2, 3]}), ("True or False", {"causal": ~causal})):
            with self.subTest(words):
                self.refuses(words, lambda mask=mask: headlight.show(X=x, **square, heads=2, **mask))

    def test_arrays_with_an_axis_of_heads(self):
        """As Keras has them, and one matrix for each head."""
        draw = np.random.default_rng(0).standard_normal
        x, kernels = draw((2, 5, 6)), {f"W_{letter}": draw((6, 2, 4)) for letter in "qkv"}
        more = {"W_o": draw((2, 4, 6)), "b_q": draw((2, 4)), "b_o": draw(6), "b_k": None}
        q, k, v = (np.einsum("btd,dhs->bhts", x, kernel) for kernel in kernels.values())
        weights = torch.tensor((q + more["b_q"][:, None]) @ k.swapaxes(-1, -2) / 2).softmax(-1).numpy()
        output = np.einsum("bhts,hsd->btd", weights @ v, more["W_o"]) + more["b_o"]
        for own in (kernels, {name: kernel.transpose(1, 0, 2) for name, kernel in kernels.items()},
                    {name: [torch.tensor(kernel[:, head]).requires_grad_() for head in range(2)] for name, kernel in kernels.items()}):
            headlight.show(X=x, **own, **more, heads=2)
            self.assertTrue(headlight.check(weights=weights, output=output).agrees)

    def test_arrays_that_do_not_fit(self):
        draw = np.random.default_rng(0).standard_normal
        x, square = draw((2, 5, 8)), {name: draw((8, 8)) for name in ("W_q", "W_k", "W_v", "W_o")}
        for words, more in (("write W_q=layer.weight.T", {"W_q": draw((6, 8))}), ("W_v= has the shape (8, 4)", {"W_v": draw((8, 4))}),
                            ("b_q= has the shape (8, 1)", {"b_q": draw((8, 1))}), ("W_k= has 6 columns", {"W_k": draw((8, 6)), "W_v": draw((8, 6))}),
                            ("X[0, 0, 0] is nan", {"X": x * np.nan}), ("X= has the shape (0, 5, 8)", {"X": x[:0]}),
                            ("write W_q=WQ", {"WQ": x}), ("write heads=num_heads", {"num_heads": 2}), ("Y= has 3 batch items", {"Y": draw((3, 4, 8))}),
                            ("2 words, but there are 5 positions", {"tokens": ["a", "b"]})):
            with self.subTest(words):
                self.refuses(words, lambda more=more: headlight.show(**{"X": x, **square, **more}, heads=2))

    def test_attention_weights_with_few_axes_or_none(self):
        layers = tuple(torch.randn(2, 3, 4, 4).softmax(-1) for _ in range(3))
        for given, shape in ((layers[0][0, 0], (1, 1, 4, 4)), (layers[0][0], (1, 3, 4, 4)), ([each[0] for each in layers], (1, 3, 4, 4)),
                             ([each[0, 0] for each in layers], (1, 1, 4, 4)), (torch.stack(layers).tolist(), (2, 3, 4, 4)),
                             ((None, layers[0]), (2, 3, 4, 4)), (torch.eye(4)[None].long(), (1, 1, 4, 4))):
            self.assertEqual(self.opened(headlight.show(given))["weights"].shape, shape)
        nothing_seen = layers[0].clone()
        nothing_seen[1, :, 2] = torch.nan  # as PyTorch gives it for a query that sees no key
        np.testing.assert_array_equal(self.opened(headlight.show(weights=nothing_seen))["weights"][1, :, 2], 0)
        self.assertEqual(self.opened(headlight.show(layers, tokens=[list("abcd"), list("efgh")]))["weights"].shape[1:], (3, 4, 4))
        named = {f"blocks.{number}.attn.hook_pattern": torch.randn(1, 2, 3, 3).softmax(-1) for number in (10, 2, 0)}
        np.testing.assert_allclose(headlight.trace(named, layer=2)["weights"], named["blocks.10.attn.hook_pattern"])
        for words, call in (("write attentions[0]", lambda: headlight.show((layers, layers))), ("output_attentions=True", lambda: headlight.show(None)),
                            ("no weights in it", lambda: headlight.show(layers[0][:0])), ("add up to 1", lambda: headlight.show(torch.tensor([[1.5, -0.5]]))),
                            ("2 words, but there are 4 positions", lambda: headlight.show(layers, tokens=["a", "b"]))):
            with self.subTest(words):
                self.refuses(words, call)

    def test_figures_and_looks(self):
        for figure in ("pipeline", "heads", "tokens", "heatmap", "learn"):
            self.assertIn(f"&embed={figure}", document_in(headlight.show("bank", figure=figure).page())[0][1])
        arguments, _ = document_in(headlight.show(self.layer(), torch.randn(1, 3, 8), figure="heads", theme="auto").page())
        self.assertEqual(arguments, ["--model", "capture", "--setup", "#theme=auto&embed=heads"])

    def test_what_changes_in_the_app_comes_back(self):
        """As the page tells it: in a session file of the app."""
        x, square = np.ones((3, 8)), {name: np.eye(8) / 2 for name in ("W_q", "W_k", "W_v", "W_o")}
        shown = headlight.show(X=x, **square, heads=2)
        text = shown.setup.replace('"arrays.npz', '"/page/arrays.npz') + 'W_k = "/page/arrays.npz:W_k"\n"W_q[0,1]" = 7\n'
        text = text.replace('W_k = "/page/arrays.npz:W_k"\n', "", 1)
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        shown.told(f'batch = 0\nlecture = ""\nsetup = "{quoted}"\nstep = 0\n\n[work]\nfile = ""\n')
        self.assertIn('"W_q[0,1]" = 7', shown.setup)
        self.assertNotIn("/page/", shown.setup)
        np.testing.assert_array_equal(shown.values["W_q"][0, :2], [0.5, 7])
        changed = headlight.trace(shown)
        self.assertTrue(headlight.check(Q=changed["Q"], setup=shown).agrees)
        self.assertFalse(headlight.check(Q=changed["Q"]).agrees, "without setup= it is compared with what the cell showed")
        self.assertEqual(document_in(shown.page())[0][0], "--setup")
        shown.told('lecture = "bank"\nstep = 2\n')
        shown.told(f'lecture = ""\nsetup = "{quoted}"\nstep = 0\n')
        np.testing.assert_array_equal(shown.values["W_q"][0, :2], [0.5, 7], "back from a lecture, its arrays are still there")
        lecture = headlight.show("bank")
        lecture.told('lecture = "bank"\nstep = 2\n')
        self.assertIn("lecture=bank&step=3", document_in(lecture.page())[0][1])
        before = lecture.setup
        lecture.told('lecture = ""\nstep = 0\n')
        self.assertEqual(lecture.setup, before, "nothing that is known here")

    def test_a_still_picture(self):
        """For a PDF, and below the frame for previews that take frames and scripts out."""
        x, draw = torch.randn(1, 4, 8), np.random.default_rng(0).standard_normal
        arrays = {"X": draw((4, 8)), **{name: draw((8, 8)) for name in ("W_q", "W_k", "W_v", "W_o")}, "heads": 2}
        for shown in (headlight.show("bank"), headlight.show(**arrays), headlight.show(self.layer(), x), headlight.show(weights=torch.eye(4))):
            image = shown._repr_png_()
            self.assertTrue(image.startswith(b"\x89PNG"))
            frame = shown._repr_html_()
            self.assertIn(f'src="data:image/png;base64,{base64.b64encode(image).decode()}"', re.sub("<iframe.*</iframe>", "", frame, flags=re.DOTALL))
        self.set("HEADLIGHT", "/nowhere/headlight")
        self.assertIsNone(headlight.show("bank")._repr_png_())
        self.assertIn("Headlight shows the attention", headlight.show("bank")._repr_html_().partition("<iframe")[0])
        self.assertIsNotNone(headlight.show(weights=torch.eye(4))._repr_png_())

    def test_out_of_the_notebook(self):
        frame = headlight.show("bank", inline=False)._repr_html_()
        name = re.search(r' href="(headlight[^"]*)"', frame)[1]
        self.assertNotIn(" src=", re.search("<iframe.*</iframe>", frame)[0], "JupyterLab would open itself there")
        self.assertIn(f'"{name}")</script>', frame)
        self.assertEqual(document_in(pathlib.Path(name).read_text())[0], ["--setup", "#lecture=bank&step=1"])
        self.assertLess(len(frame), 5000)
        other = headlight.show("bank", inline=False)._repr_html_()
        self.assertNotIn(f'"{name}"', other)

    def test_without_the_program(self):
        """The page is enough for everything that is shown."""
        self.set("HEADLIGHT", "/nowhere/headlight")
        self.set("PATH", "")
        headlight.show("bank").save("bank.html")
        self.assertEqual(document_in(pathlib.Path("bank.html").read_text())[0], ["--setup", "#lecture=bank&step=1"])
        draw = np.random.default_rng(0).standard_normal
        shown = headlight.show(X=draw((2, 8)), **{name: draw((8, 8)) for name in ("W_q", "W_k", "W_v", "W_o")}, heads=2)
        self.assertIn("sizes", shown.setup)
        self.refuses("the program headlight isn't here", lambda: headlight.check(output=draw((1, 2, 8))), RuntimeError)
        self.refuses("the program headlight isn't here", lambda: headlight.trace("bank"), RuntimeError)

    def test_what_is_refused(self):
        x, draw = torch.randn(2, 5, 8), np.random.default_rng(0).standard_normal
        square = {name: draw((8, 8)) for name in ("W_q", "W_k", "W_v", "W_o")}
        for words, call in (
                ("nothing to show", lambda: headlight.show()),
                ("write module.eval()", lambda: headlight.show(self.layer(dropout=0.1), x)),
                ("write module.eval()", lambda: headlight.show(nn.TransformerEncoderLayer(8, 2), x)),
                ("show(module, x)", lambda: headlight.show(self.layer())),
                ("softmax over keys was seen", lambda: headlight.show(nn.Linear(8, 8), x)),
                ("neither the id of a lecture", lambda: headlight.show("no such thing")),
                ("no such file", lambda: headlight.show("nowhere.toml")),
                ("heads= is missing", lambda: headlight.show(X=x, **square)),
                ("W_q= is missing", lambda: headlight.show(X=x, heads=2)),
                ("visible=mask", lambda: headlight.show(X=x, **square, heads=2, mask=np.ones((5, 5)))),
                ("headlight.check()", lambda: headlight.show(X=x, **square, heads=2, scores=x)),
                ("doesn't divide", lambda: headlight.show(X=x, **square, heads=3)),
                ("add up to 1", lambda: headlight.show(torch.randn(2, 3, 4, 4))),
                ("output_attentions=True", lambda: headlight.show((None, None))),
                ("no attention weights", lambda: headlight.show({"hidden": x})),
                ("step= is for lectures", lambda: headlight.show("version = 1", step=2)),
                ("step=0: write a whole number", lambda: headlight.show("bank", step=0)),
                ("step='two': write a whole number", lambda: headlight.show("bank", step="two")),
                ("height='600px': write a whole number, as height=600", lambda: headlight.show("bank", height="600px")),
                ("heads='two': write a whole number, as heads=4", lambda: headlight.show(X=x, **square, heads="two")),
                ("heads= is missing", lambda: headlight.show(X=x, **square, heads=None)),
                ("layer= is for attention of several layers", lambda: headlight.trace("two-layers", layer=1)),
                ("step= is for lectures", lambda: headlight.show(self.layer(), x, step=2)),
                ("can't be shown together", lambda: headlight.show("bank", x)),
                ("figure=", lambda: headlight.show("bank", figure="window")),
                ("theme=", lambda: headlight.show("bank", theme="blue")),
                ("nothing was shown yet", lambda: headlight.check(output=x))):
            with self.subTest(words):
                self.refuses(words, call)


class Separate(nn.Module):
    """Four linear layers without a bias, as in most books; `wrong` is what the reader got wrong."""

    def __init__(self, wrong="", bias=False):
        super().__init__()
        self.num_heads, self.wrong = 2, wrong
        self.query, self.key, self.value, self.out = (nn.Linear(8, 8, bias=bias) for _ in range(4))

    def split(self, x):
        if self.wrong == "split_without_transpose":
            return x.reshape(len(x), 2, -1, 4)
        return x.reshape(len(x), -1, 2, 4).transpose(1, 2)

    def attend(self, q, k, v, visible=None):
        q, k, v = map(self.split, (q, k, v))
        self.scores = q @ k.transpose(-1, -2) / (1 if self.wrong == "scale_missing" else 4 if self.wrong == "scale_d_head" else 2)
        masked = self.scores if visible is None else self.scores.masked_fill(~visible, -torch.inf)
        self.weights = masked.softmax(-2 if self.wrong == "softmax_over_queries" else -1)
        context = self.weights @ v
        if self.wrong == "concat_without_transpose":
            return context.reshape(len(context), -1, 8)
        return context.transpose(1, 2).reshape(len(context), -1, 8)

    def forward(self, x):
        self.output = self.out(self.attend(self.query(x), self.key(x), self.value(x)))
        return self.output


class Fused(Separate):
    def __init__(self, wrong=""):
        super().__init__(wrong)
        self.query = self.key = self.value = None
        self.qkv = nn.Linear(8, 24)

    def forward(self, x):
        self.output = self.out(self.attend(*self.qkv(x).chunk(3, dim=-1)))
        return self.output


class ByHead(Separate):
    """A module for each head."""

    def __init__(self, wrong=""):
        super().__init__(wrong)
        self.query = self.key = self.value = None
        self.parts = nn.ModuleList(nn.ModuleList(nn.Linear(8, 4) for _ in range(3)) for _ in range(2))

    def forward(self, x):
        made = [[part(x) for part in head] for head in self.parts]
        self.output = self.out(self.attend(*(torch.cat([head[i] for head in made], -1) for i in range(3))))
        return self.output


class Causal(Separate):
    """A mask that is true where a key is seen, or the other way round."""

    def forward(self, x):
        seen = torch.ones(x.shape[1], x.shape[1]).tril().bool()
        visible = {"mask_inverted": ~seen, "mask_missing": torch.ones_like(seen)}.get(self.wrong, seen)
        self.output = self.out(self.attend(self.query(x), self.key(x), self.value(x), visible))
        return self.output


class Check(NotebookTest):
    def taught(self, right, wrong, x):
        """The class shown and its work checked; then that of one with a mistake in it."""
        headlight.show(right, x)
        right(x)
        checked = headlight.check(weights=right.weights, output=right.output)
        self.assertTrue(checked.agrees, repr(checked))
        wrong.load_state_dict(right.state_dict())
        wrong(x)
        checked = headlight.check(scores=wrong.scores, weights=wrong.weights, output=wrong.output)
        self.assertFalse(checked.agrees)
        self.assertIn(wrong.wrong, checked.mistakes, repr(checked))
        self.assertTrue(checked.fix)

    def test_classes_of_textbooks(self):
        x = torch.randn(2, 5, 8)
        for kind, mistakes in ((Separate, ["scale_missing", "scale_d_head", "softmax_over_queries", "concat_without_transpose"]),
                               (Fused, ["scale_missing", "split_without_transpose"]),
                               (ByHead, ["softmax_over_queries"]),
                               (Causal, ["mask_inverted", "mask_missing"])):
            for mistake in mistakes:
                with self.subTest(kind.__name__, mistake=mistake):
                    self.taught(kind().eval(), kind(mistake).eval(), x)

    def test_kernels_for_each_head(self):
        """Keras has (d_model, heads, d_head); the class has no linear layers, so its arrays are shown by name."""
        x = torch.randn(2, 5, 8)
        q, k, v = (torch.randn(8, 2, 4) for _ in range(3))
        out = torch.randn(2, 4, 8)
        flat = {f"W_{name}": kernel.reshape(8, -1) for name, kernel in zip("qkv", (q, k, v))}
        headlight.show(X=x, **flat, W_o=out.reshape(-1, 8), heads=2)
        queries, keys, values = (torch.einsum("btd,dhf->bhtf", x, kernel) for kernel in (q, k, v))
        for scale, mistakes in ((0.5, []), (1.0, ["scale_missing"])):
            scores = torch.einsum("bhqf,bhkf->bhqk", queries, keys) * scale
            attention = scores.softmax(-1)
            output = torch.einsum("bhqk,bhkf,hfd->bqd", attention, values, out)
            checked = headlight.check(locals())
            self.assertEqual((checked.agrees, checked.mistakes), (not mistakes, mistakes), repr(checked))

    def test_batch_second(self):
        x = torch.randn(5, 2, 8)
        mha = nn.MultiheadAttention(8, 2)
        headlight.show(mha, x)
        output, weights = mha(x, x, x, average_attn_weights=False)
        self.assertTrue(headlight.check(weights=weights, output=output).agrees)
        forgotten = self.layer()
        forgotten.load_state_dict(mha.state_dict())
        output, weights = forgotten(x, x, x, average_attn_weights=False)
        checked = headlight.check(output=output.transpose(0, 1))
        self.assertTrue({"batch_first_forgotten", "batch_and_position_swapped"} & set(checked.mistakes), repr(checked))

    def test_what_no_known_mistake_explains(self):
        """The report says what to hand over next, and nothing about options of a command line."""
        x = torch.randn(2, 5, 8)
        mha = self.layer()
        headlight.show(mha, x)
        checked = headlight.check(output=mha(x, x, x)[0] + torch.sin(torch.arange(80.0)).view(2, 5, 8))
        self.assertEqual(checked.mistakes, [])
        self.assertIn("Next, hand over your scores as well", repr(checked))
        self.assertIn("(.report lists them)", repr(checked))
        self.assertEqual(checked.report["hand_over"], ["scores"])

    def test_a_class_whose_parts_are_not_found(self):
        """Its softmax is seen all the same."""
        class Strange(nn.Module):
            def forward(self, x):
                self.weights = torch.softmax(torch.stack([x @ x.transpose(-1, -2), -x @ x.transpose(-1, -2)], 1), -1)
                return self.weights.sum(1) @ x

        strange, x = Strange().eval(), torch.randn(2, 4, 8)
        trace = self.opened(headlight.show(strange, x))
        np.testing.assert_allclose(trace["weights"][0], strange.weights[0], atol=1e-6)

    def test_what_it_answers(self):
        mine = headlight.trace("numpy-from-scratch")
        right = headlight.check(weights=mine["weights"], setup="numpy-from-scratch")
        self.assertEqual((right.agrees, right.first_difference, right.mistakes, right.fix), (True, None, [], None))
        self.assertTrue(right)
        self.assertIn("Everything agrees.", repr(right))
        self.assertIn("weights", right._repr_html_())
        wrong = headlight.check({"att": mine["dot_products"] / 4, "note<b>": 3}, setup="numpy-from-scratch", names={"att": "scores"})
        self.assertEqual((wrong.agrees, wrong.first_difference, wrong.mistakes), (False, "scores", ["scale_d_head"]))
        self.assertEqual(wrong.fix, "scores = dot_products / d_head**0.5")
        self.assertIn("divided by d_head", repr(wrong))
        card = wrong._repr_html_()
        for words in ("divided by d_head", "scores = dot_products / d_head**0.5"):
            self.assertIn(words, card)
        nothing = headlight.check(output=mine["output"] + 1, setup="numpy-from-scratch")
        self.assertEqual((nothing.mistakes, nothing.fix), ([], None))
        self.assertIn("no known mistake explains it", nothing._repr_html_())
        by_name = wrong.show()
        arguments, files = document_in(by_name.page())
        self.assertEqual(arguments[:2], ["--check", "mine.npz"])
        with np.load(io.BytesIO(files["mine.npz"])) as mine_there:
            np.testing.assert_array_equal(mine_there["scores"], mine["dot_products"] / 4)
        self.opened(by_name)
        for words in ("Open the comparison", "Copy", "<b style=\"\">the dot products are divided by d_head itself</b>"):
            self.assertIn(words, card)
        self.assertNotIn("no known mistake", card)
        by_pair = headlight.check(scores=mine["scores"][0] * 3, setup="numpy-from-scratch")._repr_html_()
        self.assertRegex(by_pair, r"scores\[0,\d,\d,\d\].*yours.*ours")

    def test_of_variables_it_takes_what_it_knows(self):
        trace = headlight.trace("bank")
        headlight.show("bank")
        variables = {"torch": torch, "K": [torch.ones(2, requires_grad=True)] * 3, "weights": trace["weights"], "weights_of_somebody": np.ones((1, 1, 4, 4)), "np": np, "q": trace["Q"], "out": 3,
                     "output": trace["output"].tolist()}
        self.assertEqual({each["yours"] for each in headlight.check(variables).report["tensors"]}, {"weights", "q", "output"})
        self.refuses("nothing to check", lambda: headlight.check({"a": np.ones(3)}))
        self.refuses("nothing to check", lambda: headlight.check({"X_train": np.ones((3, 3)), "_": trace["Q"]}))
        self.refuses("no array of numbers", lambda: headlight.check(weights=np.array(["a"])))
        self.refuses("weights has rows of different lengths", lambda: headlight.check(weights=[[1, 2], [3]]))
        self.refuses('names={"att": "what"}', lambda: headlight.check(att=trace["weights"], names={"att": "what"}))
        self.refuses("headlight.check(locals())", lambda: headlight.check(trace["weights"]))
        self.assertTrue(headlight.check(weights=None, output=trace["output"]).agrees)
        with self.assertRaises(ValueError) as refused:
            headlight.check(weights=trace["weights"][..., :3])
        self.assertNotIn(".npz", str(refused.exception), "a file that nobody has seen")


class Document(NotebookTest):
    def test_it_runs_from_top_to_bottom(self):
        text = (TOP / "docs/notebook.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        self.assertGreaterEqual(len(blocks), 4)
        names = {}
        for block in blocks:
            exec(block, names)
        self.assertEqual(names["trace"]["weights"].shape, (1, 2, 4, 4))


class Wheel(NotebookTest):
    def test_it_is_installed_offline_into_an_empty_environment(self):
        (self.folder / "page.html").write_text(EMPTY)
        subprocess.run([HEADLIGHT, "capture", "-o", "capture.py"], check=True)
        made = [subprocess.run([sys.executable, TOP / "python/make_wheel.py", "1.2.3", "page.html", "capture.py", "."], check=True,
                               capture_output=True, text=True).stdout.strip() for _ in range(2)]
        wheel = pathlib.Path(made[0])
        self.assertEqual(wheel.name, "headlight-1.2.3-py3-none-any.whl")
        subprocess.run([sys.executable, "-m", "venv", "empty"], check=True)
        run = [self.folder / "empty/bin/python", "-I"]
        subprocess.run([*run, "-m", "pip", "install", "--no-index", "--quiet", "--disable-pip-version-check", wheel], check=True)
        program = ("import headlight\n"
                   "headlight.show('bank', figure='heads').save('bank.html')\n"
                   "try:\n    headlight.show(X=[[1]], heads=1)\n"
                   "except RuntimeError as error:\n    print(error)\n")
        said = subprocess.run([*run, "-c", program], check=True, capture_output=True, text=True, env={"PATH": ""}).stdout
        self.assertIn("arrays need NumPy", said)
        self.assertEqual(document_in(pathlib.Path("bank.html").read_text())[0], ["--setup", "#lecture=bank&step=1&embed=heads"])
        # With PyTorch, and without the program: what captures is in the wheel.
        subprocess.run([*run, "-m", "pip", "install", "--no-index", "--quiet", "--disable-pip-version-check", "--target", "with", wheel],
                       check=True)
        program = ("import torch, headlight\n"
                   "headlight.show(torch.nn.MultiheadAttention(8, 2), torch.randn(3, 1, 8)).save('mha.html')\n")
        subprocess.run([sys.executable, "-c", program], check=True, env={"PATH": "", "PYTHONPATH": "with", "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertIn("capture/MultiheadAttention.npz", document_in(pathlib.Path("mha.html").read_text())[1])

    def test_the_same_files_make_the_same_bytes(self):
        made = []
        for folder in ("a", "b"):
            pathlib.Path(folder).mkdir()
            pathlib.Path("page.html").write_text(EMPTY)
            pathlib.Path("capture.py").write_text("")
            subprocess.run([sys.executable, TOP / "python/make_wheel.py", "1.2.3", "page.html", "capture.py", folder], check=True,
                           capture_output=True)
            made.append(pathlib.Path(folder, "headlight-1.2.3-py3-none-any.whl").read_bytes())
        self.assertEqual(made[0], made[1])


if __name__ == "__main__":
    unittest.main()
