"""Tasks and training: what the commands write about them, and what must be refused."""

import csv
import io
import json
import unittest

import numpy as np
from PIL import Image

from program import BAD_INPUT, DONE, ProgramTest

LEARN = """\
version = 1

[sizes]
batch = 4
query_length = 5
d_model = 8
heads = 2

[random]
draws = ["seed 3", "W_q normal", "W_k normal", "W_v normal", "W_o normal"]

[task]
name = "first"
symbols = 4
seed = 1

[training]
learning_rate = 0.05
batch = 8
"""


class Learning(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("learn.toml", LEARN)

    def trace(self, *arguments):
        self.succeed("compute", "--setup", "learn.toml", *arguments, "-o", "trace.npz")
        with np.load(self.folder / "trace.npz") as file:
            return dict(file)

    def test_train_writes_a_row_for_each_step(self):
        self.succeed("train", "--setup", "learn.toml", "--steps", "30", "-o", "curve.csv")
        text = (self.folder / "curve.csv").read_text()
        self.assertEqual(text, self.succeed("train", "--setup", "learn.toml", "--steps", "30"))
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(list(rows[0]), ["step", "loss", "shown_loss", "shown_accuracy"])
        self.assertEqual([int(row["step"]) for row in rows], list(range(1, 31)))
        trace = self.trace("--set", "training.steps=30")
        np.testing.assert_array_equal(trace["curve"], [float(row["loss"]) for row in rows])
        self.assertAlmostEqual(trace["loss"].mean(), float(rows[-1]["shown_loss"]), places=12)

    def test_gradients_are_tensors_like_all_others(self):
        trace = self.trace()
        self.assertNotIn("curve", trace)
        aside = ("W_qk", "W_vo")  # nothing is made from them
        for name in [name for name in trace if not name.startswith("grad_") and name not in aside]:
            self.assertEqual(trace[name].shape, trace["grad_" + name].shape)
        explained = json.loads(self.succeed("explain", "--setup", "learn.toml", "--cell", "grad_W_q[1,2]", "--json"))
        self.assertEqual(explained["value"], trace["grad_W_q"][1, 2])
        self.assertAlmostEqual(sum(term["value"] for term in explained["terms"]), explained["value"], places=14)
        table = self.succeed("export", "--setup", "learn.toml", "--tensor", "grad_W_o", "--as", "csv")
        self.assertEqual(len(table.splitlines()), 9)  # its name stands above
        weights = trace["weights"]
        npz = self.folder / "mine.npz"
        np.savez(npz, weights=weights, grad_W_q=trace["grad_W_q"] * 2)
        ended = self.start("diagnose", "--setup", "learn.toml", "mine.npz", "--json")
        self.assertEqual((ended.returncode, json.loads(ended.stdout)["first_difference"]), (1, "grad_W_q"))

    def pixels(self, name):
        with Image.open(self.folder / name) as picture:
            return [np.asarray((picture.seek(i), picture.convert("RGB"))[1]) for i in range(picture.n_frames)]

    def test_the_course_is_drawn_frame_by_frame(self):
        look = ["--figure", "view", "--view", "learn", "--size", "640x480", "--theme", "light"]
        self.succeed("export", "--setup", "learn.toml", *look, "--frames", "training.steps=0..40/5", "-o", "course.gif")
        frames = self.pixels("course.gif")
        self.assertEqual(len(frames), 5)
        self.succeed("render", "--setup", "learn.toml", *look, "--set", "training.steps=40", "-o", "last.png")
        difference = np.abs(frames[4].astype(int) - self.pixels("last.png")[0])  # a GIF has 256 colours
        self.assertLessEqual(difference.max(), 40)
        self.assertLess(difference.mean(), 1)
        # Steps are whole: 3.33 and 6.67 are not.
        sweep = ["--figure", "heatmap", "--frames", "training.steps=0..10/4", "--seconds", "0.1"]
        self.succeed("export", "--setup", "learn.toml", "--tensor", "weights", *sweep, "-o", "f.gif")
        self.assertEqual(len(self.pixels("f.gif")), 4)

    def test_the_curve_is_taken_away(self):
        learnt = ["--setup", "learn.toml", "--set", "training.steps=30"]
        self.succeed("export", *learnt, "--as", "curve", "-o", "curve.csv")
        self.assertEqual((self.folder / "curve.csv").read_text(),
                         self.succeed("train", "--setup", "learn.toml", "--steps", "30"))
        for name in ("curve.png", "curve.svg", "curve.pdf"):
            self.succeed("render", *learnt, "--figure", "curve", "-o", name)
            self.assertGreater((self.folder / name).stat().st_size, 2000)
        svg = (self.folder / "curve.svg").read_text()
        for words in ("guessing", "loss", "30"):
            self.assertIn(words, svg)

    def test_what_learns_needs_a_task(self):
        without = ["render", "--setup", "learn.toml", "--set", 'task.name="none"', "--set", "position.encoding=\"none\"",
                   "-o", "f.png"]
        self.assert_in_order(self.complain(*without, "--view", "learn")[0], "--view", "learn without a task", "task.name")
        self.assert_in_order(self.complain(*without, "--figure", "curve")[0], "--figure", "without a task", "task.name")
        self.assert_in_order(self.complain("export", "--setup", "learn.toml", "--as", "curve")[0], "training.steps", "0",
                             "how many steps")

    def test_what_must_be_refused(self):
        for arguments, words in (
            (["--steps", "0"], ["--steps", "0", "from 1"]),
            (["--steps", "-4"], ["--steps", "-4", "from 1"]),
            (["--steps", "1000001"], ["--steps", "1000001", "1000000"]),
            (["--steps", "5", "--set", 'task.name="none"'], ["task.name", "none", "a task"]),
            (["--steps", "5", "--set", "task.symbols=9"], ["task.symbols", "9", "at most 8"]),
            (["--steps", "5", "--set", "training.learning_rate=0"], ["training.learning_rate", "0", "above 0"]),
            (["--steps", "5", "--set", "training.batch=0"], ["training.batch", "0", "from 1"]),
            (["--steps", "5", "--set", "attention.dropout=0.5"], ["attention.dropout", "0.5", "0 with a task"]),
            (["--steps", "5", "-o", "missing/curve.csv"], ["missing/curve.csv", "no folder"]),
            (["--steps", "5", "-o", "."], ["a folder"]),
        ):
            said = self.complain("train", "--setup", "learn.toml", *arguments)
            self.assert_in_order(said[0], *words)

    def test_an_explosion_is_said_at_its_step_and_what_came_before_is_written(self):
        exploding = ["--set", "training.learning_rate=1e200", "--set", 'training.optimizer="sgd"']
        ended = self.start("train", "--setup", "learn.toml", *exploding, "--steps", "50", "-o", "curve.csv")
        self.assertEqual(ended.returncode, BAD_INPUT)
        self.assert_in_order(ended.stderr.decode(), "training.learning_rate", "a smaller one", "step", "not finite")
        rows = (self.folder / "curve.csv").read_text().splitlines()[1:]
        self.assertLess(len(rows), 50)
        self.assertTrue(all("nan" not in row and "inf" not in row for row in rows))
        ended = self.start("compute", "--setup", "learn.toml", *exploding, "--set", "training.steps=50",
                           "-o", "trace.npz")
        self.assertEqual(ended.returncode, DONE)
        self.assert_in_order(ended.stderr.decode(), "note", f"step {len(rows) + 1} of training", "not finite")
        with np.load(self.folder / "trace.npz") as file:
            self.assertEqual(file["curve"].shape, (len(rows),))
            self.assertTrue(np.isfinite(file["W_q"]).all())


if __name__ == "__main__":
    unittest.main()
