"""`headlight layers` from outside: the table, the setup, and files that must be refused."""

import io
import json
import pickle
import unittest
import zipfile

import numpy as np

from program import ProgramTest


def safetensors(arrays):
    header, data = {}, b""
    for name, array in arrays.items():
        content = array.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def layer(path, d_model=8, seed=0):
    draw = np.random.default_rng(seed).standard_normal
    return {f"{path}.in_proj_weight": draw((3 * d_model, d_model)), f"{path}.in_proj_bias": draw(3 * d_model),
            f"{path}.out_proj.weight": draw((d_model, d_model)), f"{path}.out_proj.bias": draw(d_model)}


class Layers(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "model").mkdir()
        self.write("model/model.safetensors", safetensors(layer("layers.0.self_attn") | layer("layers.1.self_attn", seed=1)))
        self.write("model/config.json", '{"num_heads": 2}')

    def test_the_table(self):
        lines = self.succeed("layers", "model/model.safetensors").splitlines()
        self.assertEqual(lines[0].split(), "layer name family d_model heads kv_heads d_head biases attention".split())
        self.assertEqual(lines[3].split(), "1 layers.1.self_attn nn.MultiheadAttention 8 2 2 4 q k v o self".split())
        self.assertEqual(len(lines), 4)

    def test_a_setup_beside_the_model_and_elsewhere(self):
        self.succeed("layers", "model/model.safetensors", "--layer", "1", "-o", "model/setup.toml")
        text = (self.folder / "model/setup.toml").read_text()
        self.assertIn('W_k = "model.safetensors:layers.1.self_attn.in_proj_weight[8:16].T#', text)
        self.succeed("layers", "model/model.safetensors", "--layer", "1", "-o", "setup.toml")
        self.assertIn('W_k = "model/model.safetensors:layers.1', (self.folder / "setup.toml").read_text())
        self.assertEqual(self.succeed("layers", "model/model.safetensors", "--layer", "1"), (self.folder / "setup.toml").read_text())
        outputs = []
        for setup in ("setup.toml", "model/setup.toml"):
            self.succeed("compute", "--setup", setup, "-o", "trace.npz")
            with np.load(self.folder / "trace.npz") as trace:
                outputs.append(trace["output"])
                np.testing.assert_array_equal(trace["W_o"], layer("", seed=1)[".out_proj.weight"].T.astype(np.float32))
        np.testing.assert_array_equal(*outputs)

    def test_heads_are_asked_for(self):
        (self.folder / "model/config.json").unlink()
        self.assertIn("layers 0 to 1: no setup: model/model.safetensors: found d_model = 8",
                      self.succeed("layers", "model/model.safetensors"))
        said = self.complain("layers", "model/model.safetensors", "--layer", "0")
        self.assert_in_order(said[0], "d_model = 8", "--heads with one of 1, 2, 4, 8")
        self.assertIn("heads = 4", self.succeed("layers", "model/model.safetensors", "--layer", "0", "--heads", "4"))
        said = self.complain("layers", "model/model.safetensors", "--layer", "0", "--heads", "5")
        self.assert_in_order(said[0], "--heads", "5 heads", "1, 2, 4, 8")


    def test_the_program_that_captures(self):
        text = self.succeed("capture")
        compile(text, "capture.py", "exec")
        self.assertIn('("self.query", "self.key", "self.value", "output.dense"),  # BERT, RoBERTa', text)
        self.succeed("capture", "-o", "capture.py")
        self.assertEqual((self.folder / "capture.py").read_text(), text)
        self.assert_in_order(self.complain("capture", "-o", "no/capture.py")[0], "no/capture.py")


def gpt2(layers=2, d_model=4, symbols=5):
    draw = np.random.default_rng(0).standard_normal
    arrays = {"wte.weight": draw((symbols, d_model)), "wpe.weight": draw((4, d_model)), "ln_f.weight": draw(d_model), "ln_f.bias": draw(d_model)}
    for number in range(layers):
        for norm in ("ln_1", "ln_2"):
            arrays |= {f"h.{number}.{norm}.{name}": draw(d_model) for name in ("weight", "bias")}
        for linear, ins, outs in (("attn.c_attn", 4, 12), ("attn.c_proj", 4, 4), ("mlp.c_fc", 4, 16), ("mlp.c_proj", 16, 4)):
            arrays |= {f"h.{number}.{linear}.weight": draw((ins, outs)), f"h.{number}.{linear}.bias": draw(outs)}
    return arrays


class Whole(ProgramTest):
    """tests/library/whole.py judges the numbers."""

    def setUp(self):
        super().setUp()
        (self.folder / "model").mkdir()
        self.write("model/config.json", '{"model_type": "gpt2", "n_head": 2}')
        self.write("model/model.safetensors", safetensors(gpt2()))

    def test_a_setup_of_all_layers(self):
        text = self.succeed("layers", "model/model.safetensors", "--whole")
        self.assertTrue(text.startswith("# A model of GPT-2: layers 0 to 1 of 2, computed from one another, and their logits.\n"), text)
        self.succeed("layers", "model", "--whole", "-o", "model/setup.toml")
        text = (self.folder / "model/setup.toml").read_text()
        for line in ("layers = 2", "residual = true", 'mlp = "gelu_tanh"', "final = true", "unembed = true", "symbols = 5", "query_length = 4",
                     '"L1.W_q" = "model.safetensors:h.1.attn.c_attn.weight[:, 0:4]#', 'W_U = "model.safetensors:wte.weight.T#',
                     '"L1.mlp_norm_gain" = "model.safetensors:h.1.ln_2.weight#', 'P = "model.safetensors:wpe.weight[0:4]#'):
            self.assertIn(line, text)
        self.assertIn('title = "model (GPT-2, 2 layers)"', text)
        self.succeed("compute", "--setup", "model/setup.toml", "-o", "trace.npz")
        with np.load(self.folder / "trace.npz") as trace:
            self.assertEqual(trace["logits"].shape, (1, 4, 5))

    def test_the_text(self):
        self.succeed("layers", "model", "--whole", "--symbols", "4,0,4", "-o", "model/setup.toml")
        text = (self.folder / "model/setup.toml").read_text()
        self.assert_in_order(text, 'tokens = ["4", "0", "4"]', '"X[0,0]" = "model.safetensors:wte.weight[4]#', '"X[0,1]" = "model.safetensors:wte.weight[0]#')
        for symbols, *words in (("5", "--symbols", "5", "from 0 to 4, rows of wte.weight"), ("-1", "--symbols", "-1", "from 0 to 4"),
                                ("1,1,1,1,1", "--symbols", "5 symbols", "at most 4, the rows of wpe.weight"), ("a", "--symbols", "a")):
            self.assert_in_order(self.complain("layers", "model", "--whole", f"--symbols={symbols}")[0], *words)
        self.assert_in_order(self.complain("layers", "model", "--symbols", "1")[0], "--symbols", "--whole")
        self.assert_in_order(self.complain("layers", "model", "--whole", "--layer", "0")[0], "--layer", "excludes", "--whole")

    def test_the_chain_is_cut_and_says_so(self):
        arrays = gpt2()
        del arrays["h.1.ln_2.weight"]
        self.write("model/model.safetensors", safetensors(arrays))
        said = "The chain is cut before layer 1 of 2: there is no h.1.ln_2.weight"
        table = self.succeed("layers", "model")
        self.assert_in_order(table, "the whole model (--whole): layer 0 of 2", f"the whole model: {said}")
        text = self.succeed("layers", "model", "--whole")
        self.assert_in_order(text, f"# {said}.", 'title = "model (GPT-2, 1 of 2 layers)"')
        self.assertNotIn("unembed = true", text)

    def test_what_is_no_whole_model(self):
        self.write("m.safetensors", safetensors(layer("layers.0.self_attn")))
        self.assert_in_order(self.complain("layers", "m.safetensors", "--heads", "2", "--whole")[0], "m.safetensors",
                             "layers.0: there is no layers.0.norm1.weight", "a block as in nn.TransformerEncoder", "--layer 0")
        self.write("m.safetensors", safetensors(layer("attention")))
        self.assert_in_order(self.complain("layers", "m.safetensors", "--heads", "2", "--whole")[0], "attention, a layer of nn.MultiheadAttention",
                             "in no block", "nn.TransformerEncoder, GPT-2, nanoGPT, Llama")
        self.assertNotIn("whole", self.succeed("layers", "m.safetensors", "--heads", "2"))
        (self.folder / "model/config.json").unlink()
        self.assert_in_order(self.complain("layers", "model", "--whole")[0], "d_model = 4", "number of heads", "--heads with one of 1, 2, 4")

    def test_an_index_that_names_no_file(self):
        held = io.BytesIO()
        np.savez(held, **layer("a"), num_heads=np.array(2))
        self.write("model/a.npz", held.getvalue())
        index = {"version": 1, "layers": [{"name": "a", "file": "a.npz"}]}
        for whole, *words in (("../b.npz", "whole", '"../b.npz"', "an .npz file beside the index"), (3, "whole", "3"), ("none.npz", "none.npz", "no such file")):
            self.write("model/index.headlight.json", json.dumps(index | {"whole": whole}))
            self.assert_in_order(self.complain("layers", "model", "--whole")[0], *words)


def npz(header, data=b"", method=zipfile.ZIP_STORED):
    """An archive with `attentions`, whose header says what it likes."""
    text = header.encode() + b"\n"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("attentions.npy", b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data)
    return stream.getvalue()


class Promises(ProgramTest):
    """Headers that promise more than there is."""

    def test_a_tiny_file_of_a_thousand_million_layers(self):
        for kind in ("<f4", "|b1", "<f8"):
            for shape in ("(1000000000, 1, 1, 1, 1)", "(1000000000, 1, 1, 1)", "(3, 1, 1000000000, 1000000000)"):
                self.write("a.npz", npz(f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}"))
                self.assert_in_order(self.complain("layers", "a.npz")[0], "a.npz", "attentions", "ends early", shape[1:-1])

    def test_a_million_layers_that_are_there(self):
        header = "{'descr': '|b1', 'fortran_order': False, 'shape': (1000000, 1, 1, 1)}"
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            self.write("a.npz", npz(header, b"\x01" * 1000000, method))
            self.assert_in_order(self.complain("layers", "a.npz")[0], "attentions", "1000000 layers", "up to 10000")

    def test_an_archive_that_promises_what_it_cannot_hold(self):
        header = "{'descr': '|b1', 'fortran_order': False, 'shape': (9000, 1, 1, 1)}"
        content = npz(header, b"\x01" * 9000, zipfile.ZIP_DEFLATED)
        size = len(header) + 1 + 10 + 9000
        for promised in (size + 1, 1 << 30):
            changed = content.replace(size.to_bytes(4, "little"), promised.to_bytes(4, "little"))
            self.assertNotEqual(changed, content)
            self.write("a.npz", changed)
            self.assert_in_order(self.complain("layers", "a.npz")[0], "a.npz")


class BadLayers(ProgramTest):
    def refuse(self, name, content, *words, options=("--heads", "2", "--layer", "0")):
        self.write(name, content)
        said = self.complain("layers", name, *options)
        self.assertEqual(len(said), 1, said)
        self.assert_in_order(said[0], name, *words)

    def archive(self, **arrays):
        held = io.BytesIO()
        np.savez(held, **arrays)
        return held.getvalue()

    def test_weights_of_keras_in_hdf5_say_how_they_become_an_archive(self):
        self.write("model.weights.h5", b"\x89HDF\r\n\x1a\n" + bytes(64))
        said = "".join(self.complain("layers", "model.weights.h5"))
        for words in ("a file of Keras (HDF5)", "np.savez(\"model.weights.npz\""):
            self.assertIn(words, said)

    def test_what_a_capture_holds_decides_about_positions(self):
        """An own module whose names are Llama's, but that has no positions: its results tell."""
        draw = np.random.default_rng(3).standard_normal
        x = draw((2, 5, 8))
        weights = {name: draw((out, 8)) for name, out in (("q_proj", 8), ("k_proj", 4), ("v_proj", 4), ("o_proj", 8))}
        q, k, v = ((x @ weights[f"{name}_proj"].T).reshape(2, 5, -1, 2).swapaxes(1, 2) for name in "qkv")
        k, v = k.repeat(2, axis=1), v.repeat(2, axis=1)
        scores = np.where(np.tri(5) > 0, q @ k.swapaxes(-1, -2) / 2**0.5, -np.inf)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        context = shares / shares.sum(-1, keepdims=True) @ v
        output = context.swapaxes(1, 2).reshape(2, 5, 8) @ weights["o_proj"].T
        (self.folder / "capture").mkdir()
        np.savez(self.folder / "capture/attn.npz", X=x, output=output, num_heads=np.array(4),
                 **{f"attn.{name}.weight": weight for name, weight in weights.items()})
        self.write("capture/index.headlight.json", '{"version": 1, "layers": [{"name": "attn", "file": "attn.npz"}]}')
        self.assertIn("layer 0: Its captured output tells that it has no positions of its own", self.succeed("layers", "capture"))
        self.succeed("layers", "capture", "--layer", "0", "-o", "setup.toml")
        self.succeed("compute", "--setup", "setup.toml", "-o", "trace.npz")
        with np.load(self.folder / "trace.npz") as trace:
            np.testing.assert_allclose(trace["output"], output, atol=1e-5)

    def test_arrays_that_make_no_layer(self):
        good = layer("a")
        self.refuse("m.safetensors", safetensors({"w": np.ones((2, 2))}), "no attention layer among 1 arrays (w)", "c_attn.weight")
        self.refuse("m.safetensors", safetensors({k: v for k, v in good.items() if "out_proj.w" not in k}),
                    "a.in_proj_weight without a.out_proj.weight")
        self.refuse("m.safetensors", safetensors(good | {"a.in_proj_weight": good["a.in_proj_weight"].T}),
                    "a.in_proj_weight", "(8, 24)", "(24, 8)", '".T" would make it fit')
        self.refuse("m.safetensors", safetensors(good | {"a.out_proj.weight": np.full((8, 8), np.nan)}),
                    "values.W_o", "nan at [0,0]", "finite")
        self.refuse("m.npz", self.archive(**good | {"a.in_proj_weight": np.empty((24, 8), dtype=object)}),
                    "a.in_proj_weight", "Python objects", "never loaded")
        self.refuse("m.npz", self.archive(**good, num_heads=np.array([2, 2])), "num_heads", "shape (2,)", "one whole number")
        self.refuse("m.npz", self.archive(**good, X=np.ones((1, 3, 8)), mask=np.zeros((1, 3, 4))), "mask", "(1, 3, 4)", "(1, 3, 3)")

    def test_files_that_are_none(self):
        self.refuse("m.bin", pickle.dumps(layer("a")), "a pickle", "never", 'torch.load("m.bin"', 'np.savez("m.npz"')
        self.refuse("m.pt", pickle.dumps(layer("a")), "a pickle", "weights_only=True")
        self.refuse("m.txt", b"", ".txt", ".safetensors or .npz")
        self.refuse("cut.npz", self.archive(**layer("a"))[:900], "damaged")
        self.refuse("cut.safetensors", safetensors(layer("a"))[:-9], "bytes")
        self.refuse("m.safetensors", (10**18).to_bytes(8, "little") + b"{}", "a header of 1000000000000000000 bytes")
        self.refuse("m.json", "{}", "no weight_map")
        self.refuse("m.json", json.dumps({"weight_map": {"a": "none.safetensors"}})[:-1], "no JSON object")
        self.write("i.json", json.dumps({"weight_map": {"a": "none.safetensors"}}))
        self.assert_in_order(self.complain("layers", "i.json")[0], "none.safetensors", "no such file")

    def test_a_bomb_is_not_unpacked(self):
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }\n"
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in ("a.in_proj_weight", "a.out_proj.weight"):
                archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(10**7))
        self.refuse("bomb.npz", held.getvalue(), "(1000000, 1000000)")

    def test_a_config_that_is_none(self):
        self.write("m.safetensors", safetensors(layer("a")))
        for content, *words in (("no", "no JSON object"), ('{"n_head": "2"}', "n_head", '"2"', "whole number"),
                                (b"\xff\xfe{", "the byte 0xFF"), ('{"n_head": 3}', "n_head", "3 heads", "1, 2, 4, 8")):
            self.write("config.json", content)
            self.assert_in_order(self.complain("layers", "m.safetensors", "--layer", "0")[0], "config.json", *words)

    def test_options(self):
        self.write("m.safetensors", safetensors(layer("a")))
        self.assert_in_order(self.complain("layers", "m.safetensors", "--layer", "1", "--heads", "2")[0], "--layer", "1", "from 0 to 0")
        self.assert_in_order(self.complain("layers", "m.safetensors", "-o", "s.toml")[0], "--output", "--whole", "--layer N")
        self.complain("layers", "m.safetensors", "--layer", "0", "--heads", "2", "-o", "no/s.toml")
        self.complain("layers")


if __name__ == "__main__":
    unittest.main()
