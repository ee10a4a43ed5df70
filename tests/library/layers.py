"""`headlight layers` against PyTorch: a file of each known family, whose layer Headlight must find and compute alike.

    layers.py build/release/headlight

Exit code 0: all agree to 1e-5; 1: not.
"""
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import torch

import courses
import families
import model_types

HEADLIGHT = pathlib.Path(sys.argv.pop(1)).resolve()


class Layers(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="headlight-layers-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        torch.manual_seed(0)

    def run_headlight(self, *arguments):
        ended = subprocess.run([HEADLIGHT, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def row_of(self, file, path):
        """The row of the table that has this name, and what stands below the table."""
        table, _, notes = self.run_headlight("layers", file).partition("\n\n")
        rows = [line.split() for line in table.splitlines()[2:]]
        found = [row for row in rows if row[1] == path]
        self.assertEqual(len(found), 1, table)
        return found[0], notes

    def trace_of(self, file, number, *options):
        setup = self.folder / "setups" / "setup.toml"
        setup.parent.mkdir(exist_ok=True)
        self.run_headlight("layers", file, "--layer", number, *options, "-o", setup)
        self.run_headlight("compute", "--setup", setup, "-o", "trace.npz")
        with np.load(self.folder / "trace.npz") as trace:
            return {name: torch.from_numpy(trace[name]) for name in trace}

    def judge(self, layer, file):
        row, notes = self.row_of(file, layer.path)
        trace = self.trace_of(file, row[0])
        y = trace["Y"] if layer.cross else trace["X"]
        self.assertEqual("Y" in trace, layer.cross)
        self.assertEqual(trace["weights"].shape[1], layer.heads)
        self.assertEqual(trace["K_heads"].shape[1], layer.kv_heads)
        with torch.no_grad():
            output, weights = layer.attend(trace["X"].float(), y.float())
        torch.testing.assert_close(trace["weights"].float(), weights, atol=1e-5, rtol=0)
        torch.testing.assert_close(trace["output"].float(), output, atol=1e-5, rtol=0)
        return notes

    def test_each_family_agrees(self):
        for family in families.FAMILIES:
            with self.subTest(family.__name__):
                layer = family()
                families.write_safetensors(self.folder / "model.safetensors", layer.arrays(layer.path))
                (self.folder / "config.json").write_text(json.dumps(layer.config))
                notes = self.judge(layer, "model.safetensors")
                self.assertIn(layer.left_out, notes)
                self.assertEqual("does not compute" in notes, bool(layer.left_out), notes)

    def test_each_model_type_agrees_in_two_sizes(self):
        for family, size in itertools.product(model_types.MODELS, range(2)):
            with self.subTest(family.__name__, size=size):
                model = family(size)
                families.write_safetensors(self.folder / "model.safetensors", model.arrays())
                (self.folder / "config.json").write_text(json.dumps(model.config))
                table, _, notes = self.run_headlight("layers", "model.safetensors").partition("\n\n")
                self.assertNotIn("not checked", notes)
                self.assertEqual("does not compute" in notes, bool(model.left_out), notes)
                self.assertIn(model.left_out, notes)
                rows = [line.split()[1] for line in table.splitlines()[2:]]
                self.assertEqual(rows, [model.path.format(layer) for layer in range(model.layers)])
                for layer in range(model.layers):
                    trace = self.trace_of("model.safetensors", layer)
                    output, weights = model.attend(layer, trace["X"].float())
                    torch.testing.assert_close(trace["weights"].float(), weights, atol=1e-5, rtol=0)
                    torch.testing.assert_close(trace["output"].float(), output, atol=1e-5, rtol=0)

    def test_the_layers_of_books_and_courses_agree(self):
        for name, layer, arrays, how, heads in courses.layouts():
            with self.subTest(name):
                np.savez(self.folder / "layer.npz", **{array: t.contiguous().numpy() for array, t in arrays.items()})
                trace = self.trace_of("layer.npz", "0", *(["--heads", heads] if heads else []))
                self.assertEqual(trace["weights"].shape[1], layer.heads)
                torch.testing.assert_close(trace["output"].float(), layer.attend(trace["X"].float(), **how), atol=1e-5, rtol=0)

    def test_a_model_type_that_nobody_has_checked_is_said(self):
        layer = families.Llama()
        families.write_safetensors(self.folder / "model.safetensors", layer.arrays(layer.path))
        (self.folder / "config.json").write_text(json.dumps(layer.config | {"model_type": "foo"}))
        said = "A layer of foo: opened as one of Llama, Mistral"
        self.assertIn(said, self.run_headlight("layers", "model.safetensors"))
        self.assertIn("# " + said, self.run_headlight("layers", "model.safetensors", "--layer", "0"))

    def test_captured_results_decide(self):
        layer = courses.Layer(biases=False)
        x = torch.randn(2, 6, 16)
        arrays = layer.linears("q_proj", "k_proj", "v_proj", "o_proj") | {"X": x, "num_heads": torch.tensor(4)}
        for causal, turned, words in ((True, False, "no positions of its own"), (False, False, "no causal mask"),
                                      (True, True, "rotary positions of neighbours")):
            with self.subTest(causal=causal, turned=turned):
                output = layer.attend(x, causal, turned)
                np.savez(self.folder / "own.npz", **{name: t.numpy() for name, t in (arrays | {"output": output}).items()})
                self.assertIn(words, self.run_headlight("layers", "own.npz"))
                trace = self.trace_of("own.npz", "0")
                torch.testing.assert_close(trace["output"].float(), output, atol=1e-5, rtol=0)
        other = layer.attend(x * x, True)
        np.savez(self.folder / "own.npz", **{name: t.numpy() for name, t in (arrays | {"output": other}).items()})
        for said in (self.run_headlight("layers", "own.npz"), self.run_headlight("layers", "own.npz", "--layer", "0")):
            self.assertIn("Our output differs from the captured one by up to", said)

    def test_npz_and_float64(self):
        layer = families.NeoX()
        layer.state = {name: array.double() for name, array in layer.state.items()}
        np.savez(self.folder / "model.npz", **{name: array.numpy() for name, array in layer.arrays(layer.path).items()})
        (self.folder / "config.json").write_text(json.dumps(layer.config))
        layer.state = {name: array.float() for name, array in layer.state.items()}
        self.judge(layer, "model.npz")
        self.run_headlight("layers", "model.npz", "--layer", "0", "-o", "setup.toml")
        self.assertIn('precision = "float64"', (self.folder / "setup.toml").read_text())

    def test_a_pickle_is_converted_by_the_lines_of_its_message(self):
        layer = families.Gpt2()
        state = layer.arrays(layer.path)
        tied = {"lm_head.weight": torch.randn(9, 5).T, "wte.weight": torch.randn(4).expand(3, 4), "norm.weight": torch.ones(3).bfloat16()}
        torch.save(state | tied | {"same": tied["norm.weight"]}, self.folder / "pytorch_model.bin")
        (self.folder / "config.json").write_text(json.dumps(layer.config))
        ended = subprocess.run([HEADLIGHT, "layers", "pytorch_model.bin"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 2)
        lines = ended.stderr.partition("in Python: ")[2].strip().replace("; ", "\n")
        subprocess.run([sys.executable, "-c", "import numpy as np, torch\n" + lines], cwd=self.folder, check=True)
        self.judge(layer, "pytorch_model.npz")

    def test_a_model_in_several_files(self):
        layer = families.Llama()
        arrays = layer.arrays(layer.path)
        places = {name: f"model-0000{1 + place % 2}-of-00002.safetensors" for place, name in enumerate(arrays)}
        for file in set(places.values()):
            families.write_safetensors(self.folder / file, {name: arrays[name] for name in arrays if places[name] == file})
        (self.folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
        (self.folder / "config.json").write_text(json.dumps(layer.config))
        self.judge(layer, "model.safetensors.index.json")

    def test_heads_of_each_layer_and_the_order_of_layers(self):
        arrays = {}
        for number in (0, 2, 10):
            arrays |= families.Gpt2().arrays(f"h.{number}.attn")
        families.write_safetensors(self.folder / "model.safetensors", arrays)
        rows = self.run_headlight("layers", "model.safetensors", "--heads", "2").splitlines()[2:]
        self.assertEqual([row.split()[1] for row in rows], ["h.0.attn", "h.2.attn", "h.10.attn"])
        self.assertEqual({row.split()[4] for row in rows}, {"2"})

    def test_a_trace_with_norms_and_any_widths_is_a_layer(self):
        (self.folder / "setup.toml").write_text('''version = 1
sizes = { d_head = 6, d_out = 5, d_source = 7, kv_heads = 1, key_length = 3 }
norm = { kind = "layer" }
attention = { source = "cross", qk_norm = true }
random = { draws = ["seed 0", "X normal", "Y normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal", "b_k normal",
                    "norm_gain normal", "norm_bias normal", "q_gain uniform"] }
''')
        self.run_headlight("compute", "--setup", "setup.toml", "-o", "first.npz")
        table = self.run_headlight("layers", "first.npz").splitlines()
        self.assertEqual(table[2].split(), "0 - Headlight 8 2 1 6 k cross".split())
        self.run_headlight("layers", "first.npz", "--layer", "0", "-o", "again.toml")
        self.run_headlight("compute", "--setup", "again.toml", "-o", "again.npz")
        with np.load(self.folder / "first.npz") as first, np.load(self.folder / "again.npz") as again:
            for name in ("Q", "K_normed", "weights", "output"):
                np.testing.assert_array_equal(again[name], first[name])

    def test_a_trace_of_headlight_is_a_layer_with_its_inputs(self):
        self.run_headlight("compute", "--lecture", "valid-lengths", "-o", "first.npz")
        self.run_headlight("layers", "first.npz", "--layer", "0", "-o", "again.toml")
        self.run_headlight("compute", "--setup", "again.toml", "--set", 'mask.kinds=["padding"]',
                           "--set", "mask.valid_lengths=[3, 2]", "-o", "again.npz")
        with np.load(self.folder / "first.npz") as first, np.load(self.folder / "again.npz") as again:
            for name in ("X", "Y", "output"):
                np.testing.assert_array_equal(again[name], first[name])


if __name__ == "__main__":
    unittest.main()
