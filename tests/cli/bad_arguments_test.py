"""Wrong arguments, outputs that cannot be written and broken lectures: each gets a clear message and leaves no file."""

import os
import resource
import unittest

from program import DONE, BAD_INPUT, MACHINE_CANNOT, SETUP, ArgumentsTest, ProgramTest

LECTURE = """\
+++
title = "Mine"
source = "my own"

[setup]
[setup.sizes]
batch = 1
query_length = 3
d_model = 4
heads = 2
[setup.random]
generator = "numpy"
draws = ["seed 1", "X uniform"]

[[facts]]
tensor = "output"
shape = [1, 3, 4]
+++

## The input

```step
tensor = "X"
```

Look at *X*.
"""


class BadArguments(ArgumentsTest):
    def test_a_file_to_open(self):
        self.refuse("rendr", "rendr", "neither a file nor a command", "render")
        self.refuse("nowhere.toml", "nowhere.toml", "an existing file")
        self.refuse("good.toml --lecture bank", "good.toml", "one of them")

    def test_commands_and_options(self):
        self.refuse("dance", "dance")
        self.refuse("--lecture no-such-lecture", "no-such-lecture", "numpy-from-scratch")
        self.refuse("--present no-such-lecture", "no-such-lecture", "numpy-from-scratch")
        self.refuse("--present shapes --lecture shapes", "--present", "--lecture")
        self.refuse("--present shapes --setup good.toml", "--present", "--setup")
        self.refuse("--present shapes --step 99", "--step", "99")
        self.refuse("--presenter", "--presenter", "only with --present")
        self.refuse("--lecture shapes --presenter", "--presenter", "only with --present")
        self.refuse("--lecture shapes --check nowhere.npz", "nowhere.npz")
        self.refuse("render --setup good.toml --figure presenter -o f.png", "presenter", "--lecture")
        self.refuse("render --lecture shapes --figure presenter -o f.svg", "f.svg", ".png")
        self.refuse("render --lecture shapes --figure presenter --transparent -o f.png", "--transparent", "presenter")
        self.refuse("compute --setup good.toml -o f.npz --hat", "--hat")
        self.refuse("compute --setup good.toml", "-o")
        self.refuse("compute -o f.npz", "--setup")
        self.refuse("compute --setup good.toml --lecture shapes -o f.npz", "--lecture")
        self.refuse("compute --lecture no-such-lecture -o f.npz", "no-such-lecture", "numpy-from-scratch")
        self.refuse("check no-such-lecture", "no-such-lecture", "numpy-from-scratch")

    def test_overrides(self):
        self.refuse("compute --setup good.toml --set sizes.query_length=10000000 -o f.npz", "sizes", "10000000", "2.0 GiB")
        for override, *words in (
            ("sizes.heads=3", "sizes.heads", "3", "divisor"),
            ("sizes.haeds=2", "sizes.haeds", "heads"),
            ("sizes.heads=two", "sizes.heads", "two", "number"),
            ("sizes.heads", "sizes.heads", "="),
            ("=3", "=3"),
            ("sizes.query_length=-1", "sizes.query_length", "-1"),
            ("mask.valid_lengths=[1]", "mask.valid_lengths", "1"),
            ("version=2", "version", "2"),
        ):
            with self.subTest(override):
                lines = self.complain("compute", "--setup", "good.toml", "--set", override, "-o", "f.npz")
                self.assert_in_order(lines[0], "--set", *words)

    def test_explain(self):
        for cell, *words in (
            ("nothing[0]", "nothing"),
            ("scores", "scores"),
            ("scores[0,0,0]", "scores[0,0,0]"),
            ("scores[0,0,0,4]", "scores[0,0,0,4]"),
            ("scores[0,0,0,-1]", "scores[0,0,0,-1]"),
            ("scores[0,0,0,99999999999999999999]", "scores"),
            ("scores[0,0,0,x]", "scores[0,0,0,x]"),
            ("scores[0,0,0,0", "scores[0,0,0,0"),
            ("Y[0,0,0]", "Y"),
            ("b_q[0]", "b_q"),
            ("", "cell", '""'),
        ):
            with self.subTest(cell):
                lines = self.complain("explain", "--setup", "good.toml", "--cell", cell)
                self.assert_in_order(lines[0], *words)

    def test_script(self):
        self.refuse("script --setup good.toml --framework jax -o f.py", "jax", "numpy")


class BadOutput(ArgumentsTest):
    COMMANDS = (
        ("compute", "trace.npz"),
        ("script --framework numpy", "f.py"),
    )

    def test_missing_folder(self):
        self.refuse_each(self.COMMANDS, "no/{}")

    def test_a_folder_by_that_name(self):
        for _, name in self.COMMANDS:
            (self.folder / name).mkdir()
        self.refuse_each(self.COMMANDS, "{}")

    def test_nobody_may_write_there(self):
        # Not even root makes files in /proc.
        self.refuse_each(self.COMMANDS, "/proc/{}")

    def test_no_room(self):
        """A limit on the file size simulates a full disk: old files stay as they were, and no new one is left."""

        def two_hundred_bytes():
            resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

        self.write("trace.npz", "old")
        before = self.files()
        ended = self.start("compute", "--setup", "good.toml", "-o", "trace.npz", preexec_fn=two_hundred_bytes)
        self.assertIn(ended.returncode, (BAD_INPUT, MACHINE_CANNOT), ended.stderr)
        self.assertIn(b"trace.npz", ended.stderr)
        self.assertEqual(self.files(), before)

    def test_devices_and_links_stay_what_they_are(self):
        """The program writes into a pipe and through a link; it replaces neither by a file."""
        script = ["script", "--framework", "numpy", "--setup", "good.toml", "-o"]
        (self.folder / "real.py").write_text("old")
        (self.folder / "link.py").symlink_to("real.py")
        self.succeed(*script, "link.py")
        self.assertTrue((self.folder / "link.py").is_symlink())
        text = (self.folder / "real.py").read_text()
        self.assertIn("numpy", text)

        os.mkfifo(self.folder / "pipe.py")
        reader = os.open(self.folder / "pipe.py", os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.succeed(*script, "pipe.py")
        self.assertTrue((self.folder / "pipe.py").is_fifo())
        self.assertEqual(os.read(reader, 1 << 20).decode(), text)


class BadLecture(ProgramTest):
    WRONG = {
        "no front matter": ("+++\ntitle", "title", "+++"),
        "front matter that never ends": ("+++\n\n## The", "\n## The", "+++"),
        "front matter that is no TOML": ('title = "Mine"', "title = Mine", "2"),
        "an unknown key": ('source = "my own"', 'source = "my own"\nauhtor = "me"', "auhtor"),
        "no steps": ("## The input", "The input", "##"),
        "a setup that cannot be": ("heads = 2", "heads = 3", "sizes.heads", "3", "divisor"),
        "a fact about nothing": ('tensor = "output"\n', 'tensor = "result"\n', "result"),
        "a step that points at nothing": ('tensor = "X"', 'tensor = "Z"', "Z"),
        "a step that points outside": ('tensor = "X"', 'cell = "X[0,9,0]"', "X[0,9,0]"),
        "a step of an unknown part": ('tensor = "X"', 'tensor = "X"\npart = "second"', "second"),
    }

    def put(self, text):
        folder = self.folder / "lectures"
        folder.mkdir(exist_ok=True)
        self.write("lectures/mine.md", text)

    def test_a_good_one(self):
        self.put(LECTURE)
        self.assertIn("mine", self.succeed("lectures", "--lectures", "lectures"))
        self.assertIn("output", self.succeed("check", "mine", "--lectures", "lectures"))

    def test_each_problem_is_named(self):
        for title, (text, replacement, *words) in self.WRONG.items():
            with self.subTest(title):
                self.assertIn(text, LECTURE)
                self.put(LECTURE.replace(text, replacement, 1))
                self.assert_in_order(self.complain("check", "mine", "--lectures", "lectures")[0], "mine.md", *words)

    def test_a_fact_that_does_not_hold(self):
        self.put(LECTURE.replace("[1, 3, 4]\n+++", "[1, 3, 5]\n+++"))
        ended = self.start("check", "mine", "--lectures", "lectures")
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn(b"(1, 3, 4)", ended.stdout)

    def test_empty_binary_and_cut_off(self):
        for content in ("", bytes(range(256)) * 8):
            self.put(content)
            self.assert_in_order(self.complain("check", "mine", "--lectures", "lectures")[0], "mine.md")
        for length in range(1, len(LECTURE), 23):
            with self.subTest(length):
                self.put(LECTURE[:length])
                ended = self.start("check", "mine", "--lectures", "lectures")
                self.assertIn(ended.returncode, (DONE, BAD_INPUT), ended.stderr)

    def test_no_such_folder(self):
        self.assert_in_order(self.complain("lectures", "--lectures", "nowhere")[0], "nowhere")


if __name__ == "__main__":
    unittest.main()
