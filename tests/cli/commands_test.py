"""Runs the commands and checks their files, output and exit codes with NumPy and Python."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib
import unittest

import numpy as np

from program import CHECK_FAILED, DONE, HEADLIGHT, MACHINE_CANNOT, SETUP, ProgramTest

LECTURES = ["numpy-from-scratch", "behind-the-scenes", "udl-12-2", "valid-lengths", "shapes"]
LECTURES += ["meaning", "scale", "masks", "mistakes"]
TOP = pathlib.Path(__file__).parents[2]


class Words(ProgramTest):
    def test_help_names_every_command(self):
        said = self.succeed("--help")
        for command in ("lectures", "keys", "tensors", "check", "compute", "explain", "diagnose", "script", "export", "render"):
            self.assertRegex(said, rf"(?m)^ +{command}\b")
            self.assertIn("--help", self.succeed(command, "--help"))

    def test_version_is_the_project_s(self):
        version = re.search(r"VERSION (\d+\.\d+\.\d+)", (TOP / "CMakeLists.txt").read_text())[1]
        self.assertIn(version, self.succeed("--version"))
        for command in ("lectures", "keys", "tensors", "check", "compute", "explain", "diagnose", "script", "export", "render"):
            self.assertIn(version, self.succeed(command, "--version"))

    def test_without_a_display(self):
        for arguments in ([], ["--lecture", "shapes"]):
            said = "\n".join(self.complain(*arguments, code=MACHINE_CANNOT))
            self.assertIn("display", said)
            self.assertIn("render", said, "says what to do instead")


def page(name):
    """One of the pages that README.md leads to."""
    return (TOP / "docs" / name).read_text(encoding="utf-8")


class Pages(ProgramTest):
    """The examples in docs/ work."""

    def test_the_table_of_lectures(self):
        told = re.findall(r"(?m)^\| `([a-z0-9-]+)` \| (\d+) \|", page("lectures.md"))
        rows = re.findall(r"(?m)^([a-z0-9-]+) +(\d+) ", self.succeed("lectures"))
        self.assertEqual(told, rows)

    def test_the_course_comes_first_and_one_s_own_lectures_last(self):
        lecture = '+++\ntitle = "Two words"\n{}[setup]\n+++\n\n## Every word asks every word\n'
        (self.folder / "own").mkdir()
        self.write("own/mine.md", lecture.format(""))
        self.write("own/between.md", lecture.format('group = "course"\norder = 2.5\n'))
        said = self.succeed("lectures", "--lectures", "own")
        self.assert_in_order(said, "\nThe course\n", "meaning ", "\nbetween ", "\nFollow your notebook\n",
                             "behind-the-scenes ", "\nYour lectures\n", "mine ")
        self.write("own/mine.md", lecture.format('group = "seminar"\n'))
        self.assert_in_order(self.complain("lectures", "--lectures", "own")[0], "mine.md", "group", "seminar", "course")

    def test_the_setup_files(self):
        examples = [text for text in re.findall(r"```toml\n(.*?)```", page("setups.md"), re.DOTALL) if "version = 1" in text]
        self.assertEqual(len(examples), 6)
        for text in examples:
            self.write("setup.toml", text)
            self.succeed("compute", "--setup", "setup.toml", "-o", "trace.npz")

    def test_a_program_that_compares_what_was_computed(self):
        lines = re.findall(r"(?m)^headlight ((?:compute|script) +--lecture .*--set .*)$", page("command-line.md"))
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.succeed(*shlex.split(line))
        ended = subprocess.run([sys.executable, "f.py", "trace.npz"], cwd=self.folder, capture_output=True, timeout=120)
        self.assertEqual(ended.returncode, DONE, ended.stdout + ended.stderr)

    def test_the_makefile(self):
        self.write("Makefile", re.search(r"```make\n(.*?)```", page("presenting-and-exporting.md"), re.DOTALL)[1])
        path = f"{HEADLIGHT.parent}{os.pathsep}{os.environ['PATH']}"
        ended = subprocess.run(
            ["make", "--silent"], cwd=self.folder, env=os.environ | {"PATH": path}, capture_output=True, timeout=240
        )
        self.assertEqual(ended.returncode, DONE, ended.stdout + ended.stderr)
        figures = {"step-4.pdf", "step-5.pdf", "step-6.pdf", "heads.svg", "who-looks-at-whom.svg", "one-weight.png"}
        numbers = {"weights.tex", "temperature.gif"}
        self.assertEqual(set(self.files()), {"Makefile", *figures, *numbers})


class Tensors(ProgramTest):
    """`headlight tensors` lists the tensors, and the names that arrays are known by."""

    def rows(self, *names):
        return [re.split(r" {2,}", row) for row in self.succeed("tensors", *names).splitlines()[2:]]

    def test_all_of_them(self):
        listed = dict(self.rows())
        self.assertIn("masked_scores", listed)
        self.assertTrue(all(listed.values()), listed)

    def test_names_of_somebody(self):
        self.assertEqual(self.rows("attn_scores", "foo", "my_scores", "Q", "X_train"),
                         [["attn_scores", "scores"], ["my_scores", "scores"], ["Q", "Q"]])


class Keys(ProgramTest):
    """`headlight keys` lists the table of setup keys."""

    def rows(self):
        return [re.split(r" {2,}", row) for row in self.succeed("keys").splitlines()[2:]]

    def test_every_key_of_a_setup_file_has_a_row(self):
        self.write("setup.toml", SETUP)
        sections = tomllib.loads(self.succeed("export", "--setup", "setup.toml", "--as", "setup"))
        sections = {name: keys for name, keys in sections.items() if isinstance(keys, dict)}
        written = {f"{name}.{key}" for name, keys in sections.items() for key in keys}
        rows = self.rows()
        self.assertLessEqual(written, {row[0] for row in rows})
        for row in rows:
            self.assertEqual(len(row), 4, row)

    def test_its_defaults_are_those_of_a_setup_that_says_nothing(self):
        self.write("nothing.toml", "version = 1\n")
        nothing = self.succeed("export", "--setup", "nothing.toml", "--as", "setup")
        rows = self.rows()
        names = {row[0] for row in rows}
        # mask.align is what the source has, until somebody chooses it
        sets = [word for key, default, *_ in rows if default not in names and key != "mask.align"
                for word in ("--set", f"{key}={default}")]
        self.assertEqual(self.succeed("export", "--setup", "nothing.toml", *sets, "--as", "setup"), nothing)

    def test_every_number_can_be_swept(self):
        self.write("nothing.toml", 'version = 1\nrandom.draws = ["seed 0"]\n')
        defaults = {key: default for key, default, *_ in self.rows()}
        for key, default in defaults.items():
            value = defaults.get(default, default)
            if re.fullmatch(r"[0-9.]+", value) is None:
                continue
            with self.subTest(key):
                frames = ("--frames", f"{key}={value},{value}", "--figure", "heatmap", "--size", "64x64")
                self.succeed("export", "--setup", "nothing.toml", "--tensor", "weights", *frames, "-o", "f.gif")


class Lectures(ProgramTest):
    def test_table(self):
        rows = self.succeed("lectures").splitlines()
        for name in LECTURES:
            self.assertEqual(sum(row.split()[:1] == [name] for row in rows), 1, rows)

    def test_check_holds_for_all(self):
        said = self.succeed("check")
        for name in LECTURES:
            self.assertIn(name, said)

    def test_check_of_one(self):
        said = self.succeed("check", "shapes")
        self.assertIn("shapes", said)
        self.assertNotIn("udl-12-2", said)


class Compute(ProgramTest):
    def trace(self, *arguments):
        self.succeed("compute", *arguments, "-o", "trace.npz")
        with np.load(self.folder / "trace.npz") as archive:
            return {name: archive[name] for name in archive.files}

    def test_every_tensor_equals_numpy_s(self):
        self.write("setup.toml", SETUP)
        trace = self.trace("--setup", "setup.toml")

        np.random.seed(0)
        want = {"X": np.random.rand(2, 4, 8)}
        want |= {name: np.random.rand(8, 8) for name in ("W_q", "W_k", "W_v", "W_o")}
        for name in "QKV":
            want[name] = want["X"] @ want[f"W_{name.lower()}"]
            want[f"{name}_heads"] = want[name].reshape(2, 4, 2, 4).transpose(0, 2, 1, 3)
        want["dot_products"] = want["Q_heads"] @ want["K_heads"].transpose(0, 1, 3, 2)
        want["scores"] = want["dot_products"] / 2
        visible = np.tril(np.ones((4, 4), bool)) & (np.arange(4) < np.array([3, 2])[:, None, None, None])
        want["masked_scores"] = np.where(visible, want["scores"], -np.inf)
        raised = np.exp(want["masked_scores"] - want["masked_scores"].max(-1, keepdims=True))
        want["weights"] = raised / raised.sum(-1, keepdims=True)
        want["context"] = want["weights"] @ want["V_heads"]
        want["concat"] = want["context"].transpose(0, 2, 1, 3).reshape(2, 4, 8)
        want["output"] = want["concat"] @ want["W_o"]

        self.assertEqual(set(trace), set(want))
        for name, tensor in want.items():
            self.assertEqual(trace[name].dtype, np.float64, name)
            self.assertEqual(trace[name].shape, tensor.shape, name)
            np.testing.assert_allclose(trace[name], tensor, rtol=1e-12, atol=1e-12, err_msg=name)

    def test_overrides(self):
        self.write("setup.toml", SETUP)
        narrow = self.trace("--setup", "setup.toml", "--set", "sizes.heads=4", "--set", "attention.precision=float32")
        self.assertEqual(narrow["weights"].shape, (2, 4, 4, 4))
        self.assertEqual(narrow["weights"].dtype, np.float32)
        # All settings are applied before the setup is checked, so their order does not matter.
        wide = self.trace("--setup", "setup.toml", "--set", "sizes.heads=3", "--set", "sizes.d_model=12")
        self.assertEqual(wide["Q_heads"].shape, (2, 3, 4, 4))

    def test_a_lecture(self):
        trace = self.trace("--lecture", "valid-lengths")
        self.assertEqual(trace["output"].shape, (2, 4, 100))
        self.assertEqual(trace["Y"].shape, (2, 6, 100))

    def test_the_same_twice(self):
        self.succeed("compute", "--lecture", "udl-12-2", "-o", "a.npz")
        self.succeed("compute", "--lecture", "udl-12-2", "-o", "b.npz")
        self.assertEqual((self.folder / "a.npz").read_bytes(), (self.folder / "b.npz").read_bytes())

    def test_nothing_but_the_target_is_written(self):
        self.succeed("compute", "--lecture", "udl-12-2", "-o", "a.npz")
        self.assertEqual(list(self.files()), ["a.npz"])


class Explain(ProgramTest):
    def told_as_computed(self, setup):
        """Checks that `explain` gives the numbers of `compute`, for a cell of every tensor in the last batch item."""
        self.write("setup.toml", setup)
        self.succeed("compute", "--setup", "setup.toml", "-o", "trace.npz")
        with np.load(self.folder / "trace.npz") as trace:
            for name in trace.files:
                index = tuple(extent - 1 for extent in trace[name].shape[:-1]) + (0,)
                cell = f"{name}[{','.join(map(str, index))}]"
                with self.subTest(cell):
                    told = json.loads(self.succeed("explain", "--setup", "setup.toml", "--cell", cell, "--json"))
                    self.assertEqual(told["tensor"], name)
                    self.assertEqual(tuple(told["index"]), index)
                    self.assertEqual(float(told["value"]), trace[name][index])
                    if np.isfinite(trace[name][index]):
                        terms = sum(float(term["value"]) for term in told["terms"])
                        self.assertAlmostEqual(terms, float(told["value"]), delta=1e-12 * abs(terms) + 1e-300)

    def test_every_tensor_with_tokens_in_rows(self):
        self.told_as_computed(SETUP)

    def test_every_tensor_with_tokens_in_columns(self):
        self.told_as_computed(SETUP.replace("[attention]", '[attention]\ntoken_axis = "columns"'))

    def test_every_tensor_of_cross_attention_with_unequal_lengths(self):
        cross = SETUP.replace('source = "self"', 'source = "cross"').replace("d_model", "key_length = 7\nd_model")
        self.told_as_computed(cross.replace('"X uniform"', '"X uniform", "Y normal"').replace('"causal", ', ""))

    def test_a_masked_cell_says_so(self):
        self.write("setup.toml", SETUP)
        for name in ("masked_scores", "weights"):
            said = self.succeed("explain", "--setup", "setup.toml", "--cell", f"{name}[0,1,0,2]")
            self.assertIn("hidden", said)

    def test_in_words(self):
        said = self.succeed("explain", "--lecture", "numpy-from-scratch", "--cell", "scores[0, 1, 2, 0]")
        self.assertIn("scores[0,1,2,0]", said)
        self.assertIn("dot_products", said)


class Script(ProgramTest):
    def run_script(self, *arguments):
        return subprocess.run([sys.executable, *arguments], cwd=self.folder, capture_output=True, timeout=120)

    def test_it_agrees_and_it_notices(self):
        self.write("setup.toml", SETUP)
        self.succeed("script", "--setup", "setup.toml", "--framework", "numpy", "-o", "f.py")
        self.succeed("compute", "--setup", "setup.toml", "-o", "trace.npz")
        self.assertEqual(self.run_script("f.py").returncode, DONE)
        agreed = self.run_script("f.py", "trace.npz")
        self.assertEqual(agreed.returncode, DONE, agreed.stdout + agreed.stderr)

        self.succeed("compute", "--setup", "setup.toml", "--set", "attention.temperature=1.001", "-o", "other.npz")
        differed = self.run_script("f.py", "other.npz")
        self.assertEqual(differed.returncode, CHECK_FAILED)
        self.assertIn(b"scores", differed.stdout)


if __name__ == "__main__":
    unittest.main()
