"""Exported files, read by NumPy, Python's csv module, and Headlight's own readers of lectures and setups."""

import base64
import csv
import io
import re
import struct
import unittest
import zlib

import numpy as np

from program import SETUP, ArgumentsTest


def black_pixel():
    """The bytes of the smallest PNG."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixel = zlib.compress(b"\0\0")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


class Export(ArgumentsTest):
    def setUp(self):
        super().setUp()
        self.succeed("compute", "--setup", "good.toml", "-o", "trace.npz")
        self.trace = np.load(self.folder / "trace.npz")

    def export(self, *arguments, setup="good.toml"):
        return self.succeed("export", "--setup", setup, *arguments)

    def table(self, part, *arguments):
        """Reads a CSV; returns its header, the labels of its rows, and its fields."""
        rows = list(csv.reader(io.StringIO(self.export("--tensor", part, "--as", "csv", *arguments))))
        return rows[0], [row[0] for row in rows[1:]], [row[1:] for row in rows[1:]]

    def test_every_tensor(self):
        self.export("-o", "all.npz")
        with np.load(self.folder / "all.npz") as others:
            self.assertEqual(list(others), list(self.trace))
            for name in others:
                np.testing.assert_array_equal(others[name], self.trace[name])

    def test_a_link_opens_the_same_place(self):
        step = self.succeed("export", "--lecture", "udl-12-2", "--step", 8, "--as", "link").strip()
        self.assertEqual(step, "headlight.html#lecture=udl-12-2&step=8")
        link = self.export("--set", "attention.temperature=2", "--as", "link").strip()
        packed = dict(pair.split("=", 1) for pair in link.split("#", 1)[1].split("&"))["setup"]
        text = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), wbits=-15).decode()
        self.assertIn("temperature = 2.0", text)
        for option in ("--setup", "--lecture"):
            self.succeed("compute", option, link, "-o", "linked.npz")
            with np.load(self.folder / "linked.npz") as linked:
                np.testing.assert_array_equal(linked["scores"], self.trace["scores"] / 2)
        self.succeed("render", "--setup", step, "-o", "linked.png")
        cut = link[: link.index("setup=") + 40]
        self.refuse(f"export --setup {cut} --as setup", "the link: setup", "damaged", "last character")
        self.refuse("compute --lecture #lecture=udl-12-2&steps=8 -o f.npz", "the link: steps", "lecture, step")

    def test_npy(self):
        for part, numbers in (
            ("weights", self.trace["weights"]),
            ("masked_scores[1,0]", self.trace["masked_scores"][1, 0]),
            ("scores[:,1,2]", self.trace["scores"][:, 1, 2]),
            ("Q_heads[0,:,:,3]", self.trace["Q_heads"][0, :, :, 3]),
            ("X[1,3,2]", self.trace["X"][1, 3, 2]),
        ):
            self.export("--tensor", part, "-o", "part.npy")
            read = np.load(self.folder / "part.npy")
            self.assertEqual(read.dtype, numbers.dtype)
            np.testing.assert_array_equal(read, numbers)

    def test_csv_has_every_digit(self):
        for precision in ("float64", "float32"):
            kind = np.dtype(precision).type
            choices = f'temperature = 0.3\nprecision = "{precision}"'
            self.write("setup.toml", SETUP.replace("temperature = 1.0", choices))
            self.export("-o", "trace.npz", setup="setup.toml")
            with np.load(self.folder / "trace.npz") as trace:
                for part, at in (("masked_scores[1,0]", (1, 0)), ("W_q", ()), ("output[1]", (1,))):
                    said = self.export("--tensor", part, "--as", "csv", setup="setup.toml")
                    rows = list(csv.reader(io.StringIO(said)))
                    read = np.array([[kind(field) for field in row[1:]] for row in rows[1:]])
                    np.testing.assert_array_equal(read, trace[part.split("[")[0]][at])

    def test_csv_labels_are_tokens(self):
        header, labels, _ = self.table("weights[0,1]")
        self.assertEqual(header, ["query", "The", "cat", "sat", "down"])
        self.assertEqual(labels, ["The", "cat", "sat", "down"])
        tokens = '["a,b", "\\"quoted\\"", " blank", "two\\nlines"]'
        header, labels, _ = self.table("weights[0,1]", "--set", "tokens=" + tokens)
        self.assertEqual(header[1:], ["a,b", '"quoted"', " blank", "two\nlines"])
        self.assertEqual(labels, header[1:])

    def test_csv_of_more_axes_is_long(self):
        self.export("--tensor", "weights", "-o", "weights.csv")
        with open(self.folder / "weights.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), self.trace["weights"].size)
        read = np.zeros_like(self.trace["weights"])
        for row in rows:
            read[tuple(int(row[axis]) for axis in ("batch", "head", "query", "key"))] = float(row["value"])
        np.testing.assert_array_equal(read, self.trace["weights"])
        self.assertEqual((rows[6]["query_token"], rows[6]["key_token"]), ("cat", "sat"))

    def test_tables_are_rounded_numbers(self):
        weights = self.trace["weights"][0, 1]
        masked = np.isinf(self.trace["masked_scores"][0, 1])
        markdown = self.export("--tensor", "weights[0,1]", "--as", "md", "--digits", 6).splitlines()
        cells = [re.findall(r"[^| ]+", line)[1:] for line in markdown[2:6]]
        latex = self.export("--tensor", "weights[0,1]", "--as", "tex", "--digits", 6).splitlines()
        latex_cells = [re.sub(r"[$\\ ]", "", line).split("&")[1:] for line in latex[4:8]]
        for read in (cells, latex_cells):
            for i, row in enumerate(read):
                for j, cell in enumerate(row):
                    if masked[i, j]:
                        self.assertIn(cell, ("–", "--"))
                    else:
                        self.assertAlmostEqual(float(cell), weights[i, j], delta=5.1e-6)

    def test_setup_and_lecture_are_read_again(self):
        changes = ("--set", "sizes.heads=4", "--set", 'title="Quoted \\"title\\""')
        self.export(*changes, "-o", "own.toml")
        (self.folder / "mine").mkdir()
        self.export(*changes, "--as", "lecture", "-o", "mine/own.md")
        self.assertIn("own", self.succeed("lectures", "--lectures", "mine"))
        for what in (("--setup", "own.toml"), ("--lecture", "own", "--lectures", "mine")):
            self.succeed("compute", *what, "-o", "again.npz")
            self.succeed("compute", "--setup", "good.toml", *changes, "-o", "changed.npz")
            self.assertEqual((self.folder / "again.npz").read_bytes(), (self.folder / "changed.npz").read_bytes())

    def test_a_lecture_begins_where_the_step_looks(self):
        said = self.succeed("export", "--lecture", "numpy-from-scratch", "--step", 5, "--as", "lecture")
        self.assertRegex(said, r'```step\ncell = "\w+\[[\d,]+\]"\nview = "\w+"\n```')

    def test_scripts(self):
        for form in ("numpy", "torch"):
            self.export("--as", form, "-o", "f.py")
            self.succeed("script", "--setup", "good.toml", "--framework", form, "-o", "g.py")
            self.assertEqual((self.folder / "f.py").read_bytes(), (self.folder / "g.py").read_bytes())


class PictureAsSetup(ArgumentsTest):
    def test_a_picture_stands_for_its_setup(self):
        self.succeed("render", "--setup", "good.toml", "--set", "sizes.heads=4", "--size", "640x480", "-o", "p.png")
        self.succeed("compute", "--setup", "p.png", "-o", "picture.npz")
        self.succeed("compute", "--setup", "good.toml", "--set", "sizes.heads=4", "-o", "setup.npz")
        self.assertEqual((self.folder / "picture.npz").read_bytes(), (self.folder / "setup.npz").read_bytes())
        self.assertIn("heads = 2", self.succeed("export", "--setup", "p.png", "--set", "sizes.heads=2", "--as", "setup"))

    def test_a_picture_opens_as_it_was(self):
        first = ("--lecture", "udl-12-2", "--step", 7, "--set", "attention.temperature=2", "--size", "640x480")
        self.succeed("render", *first, "-o", "a.png")
        self.succeed("render", "--setup", "a.png", "--size", "640x480", "-o", "b.png")
        self.assertEqual((self.folder / "a.png").read_bytes(), (self.folder / "b.png").read_bytes())

    def test_a_picture_without_a_setup_is_refused(self):
        plain = black_pixel()
        self.write("plain.png", plain)
        self.write("text.png", SETUP)
        self.write("cut.png", plain[:40])
        self.refuse("compute --setup plain.png -o f.npz", "plain.png", "without a setup", "Headlight drew")
        self.refuse("compute --setup text.png -o f.npz", "text.png", "PNG")
        self.refuse("compute --setup cut.png -o f.npz", "cut.png", "PNG")
        self.refuse("compute --setup none.png -o f.npz", "none.png", "no such file")
        self.refuse("export --setup plain.png --step 2 --as setup", "--step")


class Begun(ArgumentsTest):
    """The exported beginning of a lecture is a valid lecture."""

    def test_it_opens(self):
        (self.folder / "mine").mkdir()
        self.succeed("export", "--setup", "good.toml", "--as", "lecture", "--view", "heads", "--cell", "scores[1,1,2,0]",
                     "-o", "mine/begun.md")
        for lectures in ("mine", "mine/begun.md"):
            self.assertIn("begun", self.succeed("lectures", "--lectures", lectures))
            self.succeed("check", "begun", "--lectures", lectures)
            self.succeed("render", "--lecture", "begun", "--lectures", lectures, "--figure", "heatmap", "-o", "f.png")
            session = self.succeed("export", "--setup", "f.png", "--as", "lecture")
            self.assertIn('cell = "scores[1,1,2,0]"', session)
            self.assertIn('view = "heads"', session)


class BadExport(ArgumentsTest):
    COMMANDS = (
        ("export", "f.npz"),
        ("export", "f.toml"),
        ("export --tensor weights", "f.npy"),
        ("export --tensor weights", "f.csv"),
        ("export --tensor weights[0,0]", "f.tex"),
        ("export --as lecture", "f.md"),
    )

    def test_arguments(self):
        for arguments, *words in (
            ("", "-o", "--as", "npz"),
            ("--as jpeg", "--as", "jpeg", "csv"),
            ("-o f.xyz", "f.xyz", ".npz"),
            ("-o f", "f", ".npz"),
            ("-o f.py", "--as", "f.py", "numpy", "torch"),
            ("-o f.md", "--as", "f.md", "--as md", "--as lecture"),
            ("-o f.csv", "--as", "f.csv", "--as curve", "--as csv"),
            ("--as curve", "task.name", "none", "a task"),
            ("--as csv", "--tensor", "csv"),
            ("--as npz", "-o", "npz"),
            ("--as npy --tensor X", "-o", "npy"),
            ("--as setup --tensor X", "--tensor", "X"),
            ("--as csv --tensor Y", "tensor", "Y", "weights"),
            ("--as csv --tensor weights[0,5]", "weights[0,5]", "(2, 2, 4, 4)"),
            ("--as md --tensor weights", "weights with 4 axes", "weights[0,1]"),
            ("--as md --tensor weights[0,0] --digits 0", "--digits", "0", "17"),
            ("--as md --tensor weights[0,0] --digits x", "--digits", "x"),
        ):
            self.refuse(f"export --setup good.toml {arguments}", *words)

    def test_bad_targets(self):
        self.refuse_bad_targets(self.COMMANDS)


if __name__ == "__main__":
    unittest.main()
