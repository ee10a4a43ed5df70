"""The reader's own numbers: given in a setup, with --set, or in files beside it; and those that must be refused."""

import io
import json
import pathlib
import pickle
import subprocess
import unittest
import zipfile

import numpy as np

from program import BAD_INPUT, HEADLIGHT, SETUP, ProgramTest


def safetensors(header, data):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


class Values(ProgramTest):
    def setUp(self):
        super().setUp()
        self.numbers = np.arange(64.0).reshape(8, 8) / 7
        np.savez(self.folder / "layer.npz", W_q=self.numbers, packed=np.hstack([self.numbers, -self.numbers]))
        np.savetxt(self.folder / "x.csv", self.numbers[:4], delimiter=",", fmt="%.17g")
        self.write("good.toml", SETUP + '[values]\nW_q = "layer.npz:W_q.T"\nX = "x.csv"\n"W_v[2,5]" = 0.25\n')

    def trace(self, *arguments):
        self.succeed("compute", *arguments, "-o", "trace.npz")
        with np.load(self.folder / "trace.npz") as file:
            return dict(file)

    def test_every_command_knows_them(self):
        trace = self.trace("--setup", "good.toml")
        np.testing.assert_array_equal(trace["W_q"], self.numbers.T)
        np.testing.assert_array_equal(trace["X"], np.stack([self.numbers[:4]] * 2))
        self.assertEqual(trace["W_v"][2, 5], 0.25)
        explained = json.loads(self.succeed("explain", "--setup", "good.toml", "--cell", "W_q[1,0]", "--json"))
        self.assertEqual(explained["value"], self.numbers[0, 1])
        self.assertIn("W_q is given", explained["formula"])
        self.assertIn("layer.npz:W_q.T", explained["note"])
        self.assertIn("\nW_v[2, 5] = 0.25\n", self.succeed("script", "--setup", "good.toml", "--framework", "numpy"))
        self.succeed("render", "--setup", "good.toml", "--figure", "heatmap", "--tensor", "W_q", "-o", "f.png")

    def test_set_gives_one_number_and_a_sweep_moves_it(self):
        trace = self.trace("--setup", "good.toml", "--set", "values.W_v[2,5]=0.5", "--set", "values.b_o=[1,2,3,4,5,6,7,8]")
        self.assertEqual(trace["W_v"][2, 5], 0.5)
        self.assertEqual(trace["b_o"][7], 8)
        self.succeed("export", "--setup", "good.toml", "--tensor", "context", "--frames", "values.W_v[2,5]=-1..1/3",
                     "--seconds", "0.1", "--figure", "heatmap", "--size", "320x240", "-o", "f.gif")

    def test_a_setup_that_was_written_says_when_a_file_has_changed(self):
        self.succeed("export", "--setup", "good.toml", "--as", "setup", "-o", "written.toml")
        self.trace("--setup", "written.toml")
        np.savez(self.folder / "layer.npz", W_q=self.numbers + 1)
        said = self.complain("compute", "--setup", "written.toml", "-o", "f.npz")
        self.assertEqual(len(said), 1, said)
        self.assert_in_order(said[0], "written.toml", "values.W_q", "layer.npz:W_q.T", "has changed")
        self.trace("--setup", "good.toml")  # which never said what they were

    def test_documents_name_them_from_their_own_folder_and_can_be_moved_with_them(self):
        deep = self.folder / "deep"
        deep.mkdir()
        for form, ending in (("setup", "toml"), ("lecture", "md")):
            self.succeed("export", "--setup", "good.toml", "--as", form, "-o", f"deep/f.{ending}")
            self.assertIn('W_q = "../layer.npz:W_q.T#', (deep / f"f.{ending}").read_text())
        self.trace("--setup", "deep/f.toml")
        self.trace("--lectures", "deep", "--lecture", "f")
        self.assertIn(f'"{self.folder}/layer.npz:', self.succeed("export", "--setup", "good.toml", "--as", "setup"))

        before = self.trace("--setup", "good.toml")
        self.succeed("render", "--setup", "good.toml", "--figure", "heatmap", "--tensor", "W_q", "-o", "f.png")
        self.trace("--setup", "f.png")
        away = self.folder / "away"
        away.mkdir()
        for name in ("f.png", "layer.npz", "x.csv", "deep/f.md"):
            (self.folder / name).rename(away / pathlib.Path(name).name)
        for what in (("--setup", "away/f.png"), ("--lectures", "away", "--lecture", "f")):
            np.testing.assert_array_equal(self.trace(*what)["output"], before["output"])

    def test_the_folder_that_it_runs_in_may_be_gone(self):
        gone = self.folder / "gone"
        gone.mkdir()
        line = "W_q = \"layer.npz:W_q\"\n"
        self.write("root.toml", SETUP + "[values]\n" + line.replace("layer.npz", str(self.folder / "layer.npz")))
        command = 'cd gone && rmdir ../gone && exec "$0" "$@"'

        def run(*arguments):
            gone.mkdir(exist_ok=True)
            return subprocess.run(["sh", "-c", command, HEADLIGHT, *map(str, arguments)], cwd=self.folder,
                                  capture_output=True, text=True, timeout=120)

        explained = run("explain", "--setup", self.folder / "good.toml", "--cell", "W_q[1,0]")
        self.assertEqual((explained.returncode, explained.stderr), (0, ""))
        wanting = run("explain", "--setup", self.folder / "root.toml", "--set", "values.W_q='layer.npz:W_q'",
                      "--cell", "W_q[1,0]")
        self.assertEqual(wanting.returncode, BAD_INPUT, wanting.stderr)
        self.assert_in_order(wanting.stderr, "values.W_q", "layer.npz:W_q", "no such file")
        self.assertNotIn("filesystem", wanting.stderr)

    def test_keys_lists_them(self):
        said = self.succeed("keys")
        for key in ("values", "features", "head_names"):
            self.assertIn(f"\n{key} ", said)


class BadValues(ProgramTest):
    def refuse(self, values, *words):
        self.write("bad.toml", SETUP + "[values]\n" + values)
        lines = self.complain("compute", "--setup", "bad.toml", "-o", "trace.npz")
        self.assertEqual(len(lines), 1, lines)
        self.assert_in_order(lines[0], "bad.toml", *words)

    def test_wrong_shapes_and_numbers(self):
        self.refuse("W_q = [[1, 2], [3, 4]]", f":{len(SETUP.splitlines()) + 2}", "values.W_q", "(2, 2)", "(8, 8)")
        self.refuse("b_q = [1, 2, 3, 4, 5, 6, 7, inf]", "values.b_q", "inf", "finite")
        self.refuse('"W_q[0]" = 1\n"W_q[:,0]" = 2', "shares numbers with W_q[0]", "overlap")
        self.refuse("scores = 1", "values.scores", "unknown key", "X, Y, P, W_q")

    def test_files_that_hold_no_such_array(self):
        array = np.ones((8, 8))
        np.savez(self.folder / "a.npz", W=array, packed=np.ones((8, 24)), nan=np.full((8, 8), np.nan))
        np.save(self.folder / "objects.npy", np.array([{}, {}], dtype=object), allow_pickle=True)
        self.write("model.pt", pickle.dumps(array))
        self.write("cut.npz", (self.folder / "a.npz").read_bytes()[:700])
        held = io.BytesIO()
        np.save(held, array)
        self.write("cut.npy", held.getvalue()[:-8])
        self.refuse('W_q = "a.npz:W_q"', "values.W_q", "a.npz:W_q", "no such array", "W, packed, nan")
        self.refuse('W_q = "a.npz:packed"', "(8, 24)", "(8, 8)", "[:, 0:8]")
        self.refuse('W_q = "a.npz:nan"', "nan at [0,0]", "finite")
        self.refuse('W_q = "objects.npy"', "Python objects", "never loaded")
        self.refuse('W_q = "model.pt"', "model.pt", "an array of a file")
        self.refuse('W_q = "cut.npz:W"', "cut.npz", "damaged")
        self.refuse('W_q = "cut.npy"', "cut.npy", "ends early")
        self.refuse('W_q = "none.npy"', "none.npy", "no such file")

    def test_a_shape_that_does_not_fit_is_known_from_the_header(self):
        np.save(self.folder / "cut.npy", np.full((8, 24), np.nan, "f4"))  # which would be refused if it were read
        self.refuse('W_q = "cut.npy"', "values.W_q", "(8, 24)", "(8, 8)", "[:, 0:8]")
        self.refuse('W_q = "cut.npy[:, 0:8].reshape(2, 4, 8)"', "values.W_q", "(2, 4, 8)", "(8, 8)")
        self.refuse('"W_q[0:2]" = "cut.npy.T"', 'values."W_q[0:2]"', "(24, 8)", "(2, 8)")
        self.refuse('W_q = "cut.npy[:, 0:8]"', "values.W_q", "nan at [0,0]", "finite")
        self.write("bad.toml", SETUP.replace("heads = 2", "heads = 3") + '[values]\nW_q = "cut.npy"\n')
        self.assertNotIn("(8, 8)", "\n".join(self.complain("compute", "--setup", "bad.toml", "-o", "trace.npz")))
        self.write("bad.toml", SETUP.replace("d_model = 8", 'd_model = "8"') + '[values]\nW_q = "cut.npy[:, 0:8]"\n')
        self.assertNotIn("(8, 8)", "\n".join(self.complain("compute", "--setup", "bad.toml", "-o", "trace.npz")))

    def test_a_bomb_is_not_unpacked(self):
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }\n"
        with zipfile.ZipFile(self.folder / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("W.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(10**7))
        self.refuse('W_q = "bomb.npz:W"', "bomb.npz:W", "ends early", "(1000000, 1000000)")

    def test_a_safetensors_header_that_lies(self):
        entry = {"dtype": "F64", "shape": [8, 8], "data_offsets": [0, 512]}
        for content, *words in (
            (safetensors({"W": entry}, bytes(256)), "512", "256"),
            (safetensors({"W": {**entry, "shape": [8, 9]}}, bytes(512)), "512 bytes", "576"),
            (safetensors({"W": entry, "V": {**entry, "data_offsets": [256, 768]}}, bytes(768)), "256", "overlap"),
            ((10**18).to_bytes(8, "little") + b"{}", "a header of 1000000000000000000 bytes"),
            (safetensors(b'{"W":' + json.dumps(entry).encode() + b',"W":' + json.dumps(entry).encode() + b"}", bytes(512)), "twice"),
        ):
            self.write("m.safetensors", content)
            self.refuse('W_q = "m.safetensors:W"', "m.safetensors:W", *words)


if __name__ == "__main__":
    unittest.main()
