"""Exported animations, read by Pillow: each frame must be the picture that `render` draws of the same state."""

import unittest

import numpy as np
from PIL import Image

from program import ArgumentsTest

SMALL = ("--figure", "heatmap", "--size", "320x240", "--theme", "light")


class Animation(ArgumentsTest):
    def pixels(self, picture):
        return np.asarray(picture.convert("RGB")).astype(int)

    def frames(self, name):
        with Image.open(self.folder / name) as film:
            return [(film.seek(i), self.pixels(film), film.info["duration"])[1:] for i in range(film.n_frames)]

    def rendered(self, *arguments):
        self.succeed("render", *arguments, *SMALL, "-o", "one.png")
        with Image.open(self.folder / "one.png") as picture:
            return self.pixels(picture)

    def assert_same(self, frame, still):
        """A GIF has 256 colours for all its frames."""
        self.assertEqual(frame.shape, still.shape)
        self.assertLessEqual(np.abs(frame - still).max(), 40)
        self.assertLess(np.abs(frame - still).mean(), 1)

    def test_a_sweep_of_one_value(self):
        what = ("--setup", "good.toml", "--tensor", "weights")
        self.succeed("export", *what, "--frames", "temperature=0.5..4/3", "--seconds", 0.25, *SMALL, "-o", "f.gif")
        frames = self.frames("f.gif")
        self.assertEqual([duration for _, duration in frames], [250, 250, 250])
        for (pixels, _), value in zip(frames, (0.5, 2.25, 4)):
            still = self.rendered(*what, "--set", f"attention.temperature={value}")
            self.assert_same(pixels, still)
            self.assertLessEqual(np.abs(pixels - still).max(), 24)

    def test_heads_and_seeds(self):
        self.succeed("export", "--setup", "good.toml", "--tensor", "weights", "--frames", "heads", *SMALL, "-o", "f.gif")
        frames = self.frames("f.gif")
        self.assertEqual(len(frames), 2)
        for head, (pixels, _) in enumerate(frames):
            still = self.rendered("--setup", "good.toml", "--tensor", "weights", "--head", head)
            self.assert_same(pixels, still)
        self.succeed("export", "--setup", "good.toml", "--frames", "seed=2..0", *SMALL, "-o", "f.gif")
        still = self.rendered("--setup", "good.toml", "--set", "random.draws[0]=seed 1")
        self.assert_same(self.frames("f.gif")[1][0], still)

    def test_the_steps_of_a_lecture(self):
        what = ("--lecture", "udl-12-2")
        self.succeed("export", *what, "--frames", "steps", *SMALL, "-o", "f.gif")
        frames = self.frames("f.gif")
        self.assertEqual(len(frames), 11)
        for step in (1, 6, 11):
            self.assert_same(frames[step - 1][0], self.rendered(*what, "--step", step))

    def test_pictures_of_other_sizes_stand_in_the_middle(self):
        what = ("--lecture", "numpy-from-scratch", "--figure", "heatmap", "--theme", "light")
        self.succeed("export", *what, "--frames", "steps", "-o", "f.gif")
        frames = [pixels for pixels, _ in self.frames("f.gif")]
        height, width = frames[0].shape[:2]
        sizes = set()
        for step in (1, 3):
            self.succeed("render", *what, "--step", step, "-o", "one.png")
            with Image.open(self.folder / "one.png") as picture:
                still = self.pixels(picture)
            sizes.add(still.shape)
            canvas = np.empty((height, width, 3), int)
            canvas[:] = still[0, 0]
            top, left = (height - still.shape[0]) // 2, (width - still.shape[1]) // 2
            canvas[top : top + still.shape[0], left : left + still.shape[1]] = still
            self.assert_same(frames[step - 1], canvas)
        self.assertEqual(len(sizes), 2)
        self.assertIn(width, [shape[1] for shape in sizes], "a picture as wide as the widest, and lower")

    def test_how_a_dot_product_comes_about(self):
        what = ("--lecture", "numpy-from-scratch", "--step", 4)
        look = ("--figure", "equation", "--size", "480x400", "--theme", "light")
        self.succeed("export", *what, "--frames", "motion/5", *look, "-o", "f.gif")
        frames = [pixels for pixels, _ in self.frames("f.gif")]
        self.assertEqual(len(frames), 5)
        self.succeed("render", *what, *look, "-o", "end.png")
        with Image.open(self.folder / "end.png") as picture:
            self.assert_same(frames[-1], self.pixels(picture))
        for earlier, later in zip(frames, frames[1:]):
            self.assertGreater(np.abs(earlier - later).max(), 50)
        self.complain("export", *what, "--frames", "motion", *SMALL, "-o", "f.gif")
        self.complain("export", *what, "--frames", "motion/1", *look, "-o", "f.gif")

    def test_progress_for_programs(self):
        frames = ("--frames", "heads", *SMALL)
        for command in (
            ("export", *frames, "-o", "f.gif"),
            ("export", "--tensor", "weights", "-o", "f.csv"),
            ("export", "--tensor", "weights", "-o", "f.npy"),
            ("export", "-o", "f.npz"),
            *(("render", *SMALL, "-o", f"f.{ending}") for ending in ("png", "svg", "pdf")),
        ):
            with self.subTest(command):
                said = self.start(*command, "--setup", "good.toml", "--progress").stderr.decode().splitlines()
                self.assertEqual({line.split()[0] for line in said}, {"progress"})
                fractions = [float(line.split()[1]) for line in said]
                self.assertGreaterEqual(len(fractions), 3)
                self.assertEqual(fractions, sorted(set(fractions)))
                self.assertGreater(fractions[0], 0)
                self.assertLessEqual(fractions[-1], 1)
                self.assertEqual(self.succeed(*command, "--setup", "good.toml"), "", "nobody asked")


class BadAnimation(ArgumentsTest):
    def test_arguments(self):
        for arguments, *words in (
            ("--frames nothing -o f.gif", "--frames", "nothing", "steps"),
            ("--frames seed=1.. -o f.gif", "--frames", "seed=1.."),
            ("--frames seed=0..99999 -o f.gif", "--frames", "99999"),
            ("--frames temperature=1..2/1 -o f.gif", "--frames", "1..2/1"),
            ("--frames temperature=1..x/3 -o f.gif", "--frames", "1..x/3"),
            ("--frames temperature=0..2/3 -o f.gif", "attention.temperature", "0"),
            ("--frames sizes.haeds=1,2 -o f.gif", "sizes.haeds"),
            ("--frames steps -o f.gif", "--frames", "steps", "--lecture"),
            ("--frames heads -o f.mp4", "f.mp4", ".gif"),
            ("--frames heads -o f.png", "f.png", ".gif"),
            ("--frames heads", "-o", ".gif"),
            ("--frames heads --seconds 0 -o f.gif", "--seconds", "0"),
            ("--frames heads --transparent --figure heatmap -o f.gif", "--transparent", "GIF"),
            ("--frames heads --as npz -o f.gif", "--as", "npz"),
            ("--theme light -o f.npz", "--theme", "--frames"),
            ("--frames heads -o no/f.gif", "no/f.gif"),
        ):
            self.refuse(f"export --setup good.toml {arguments}", *words)


if __name__ == "__main__":
    unittest.main()
