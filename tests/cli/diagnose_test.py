"""`headlight diagnose` from outside: exit codes, JSON alone on standard output, and files that must be refused."""

import importlib.util
import io
import json
import pickle
import subprocess
import sys
import unittest
import zipfile

import numpy as np

from program import BAD_INPUT, CHECK_FAILED, DONE, SETUP, ProgramTest


class Diagnose(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("setup.toml", SETUP)
        self.succeed("compute", "--setup", "setup.toml", "-o", "trace.npz")
        with np.load(self.folder / "trace.npz") as file:
            self.trace = dict(file)

    def save(self, name="mine.npz", **arrays):
        np.savez(self.folder / name, **arrays)

    def diagnose(self, *arguments, code, mine="mine.npz"):
        ended = self.start("diagnose", "--setup", "setup.toml", mine, *arguments)
        self.assertEqual(ended.returncode, code, ended.stderr.decode())
        self.assertEqual(ended.stderr, b"")
        return ended.stdout.decode()

    def report(self, *arguments, code, mine="mine.npz"):
        return json.loads(self.diagnose("--json", *arguments, code=code, mine=mine))

    def test_a_task_whose_own_tensor_is_missing_says_so(self):
        task = ("--lecture", "masks", "--step", "13")
        self.succeed("script", *task, "--framework", "numpy", "--check", "-o", "mine.py")
        subprocess.run([sys.executable, "mine.py"], cwd=self.folder, check=True, capture_output=True)
        missing = "The task of this step asks for weights, and there is none in it yet."
        self.assertIn(missing, self.succeed("diagnose", *task, "mine.npz"))
        self.succeed("compute", *task, "-o", "all.npz")
        self.assertNotIn(missing, self.succeed("diagnose", *task, "all.npz"))

    def test_what_agrees(self):
        report = self.report(code=DONE, mine="trace.npz")
        self.assertEqual(list(report), ["agrees", "first_difference", "tensors", "diagnoses", "unrecognised", "notes", "hand_over"])
        self.assertTrue(report["agrees"])
        self.assertIsNone(report["first_difference"])
        self.assertEqual(report["diagnoses"], [])
        self.assertEqual({t["name"] for t in report["tensors"]}, set(self.trace))
        for tensor in report["tensors"]:
            self.assertEqual(list(tensor), ["name", "yours", "shape", "max_abs", "cells_off", "agrees", "step_agrees"])
            self.assertEqual(tensor["shape"], list(self.trace[tensor["name"]].shape))
        self.assertIn("Everything agrees", self.diagnose(code=DONE, mine="trace.npz"))

    def test_what_differs(self):
        unscaled = self.trace["dot_products"]
        self.save(Q=self.trace["Q"], K=self.trace["K"], V=self.trace["V"], attn_scores=unscaled, foo=np.zeros(3))
        report = self.report(code=CHECK_FAILED)
        self.assertEqual(report["first_difference"], "scores")
        self.assertEqual(report["unrecognised"], ["foo"])
        best = report["diagnoses"][0]
        self.assertEqual(list(best), ["tensor", "tensors", "mistake", "misfit", "explains", "fix"])
        self.assertEqual((best["tensor"], best["mistake"], best["explains"]), ("scores", "scale_missing", True))
        self.assertEqual(best["fix"], "scores = dot_products / d_head**0.5")
        said = self.diagnose(code=CHECK_FAILED)
        self.assertIn("The first difference is in scores (yours: attn_scores).", said)
        self.assertIn("scores = dot_products / d_head**0.5", said)
        self.assertIn("Not recognised: foo", said)

    def test_what_nothing_explains(self):
        """A line of what was tried, and a sentence about what to hand over next."""
        wrong = self.trace["output"] + np.sin(np.arange(self.trace["output"].size)).reshape(self.trace["output"].shape)
        self.save(output=wrong)
        report = self.report(code=CHECK_FAILED)
        self.assertEqual(report["hand_over"], ["scores"])
        self.assertGreater(len(report["diagnoses"]), 15)
        said = self.diagnose(code=CHECK_FAILED)
        self.assertRegex(said, r"\nNone of \d+ known mistakes explains it; \w+ comes closest, and leaves [\d.]+ \(--json lists them\)\.\n")
        self.assertIn("\nNext, hand over your scores as well: it shows whether the difference begins before it or after.\n", said)
        self.assertLess(max(map(len, said.splitlines())), 120)
        self.save(output=wrong, context=self.trace["context"])
        self.assertEqual(self.report(code=CHECK_FAILED)["hand_over"], [])
        self.assertIn("Everything before output agrees, so the difference begins in its own step.", self.diagnose(code=CHECK_FAILED))

    def test_weights_that_were_saved_transposed(self):
        self.save(attn=self.trace["weights"].swapaxes(-1, -2), output=self.trace["output"])
        self.assertIn("your attn is our weights, transposed", self.diagnose(code=DONE))

    def test_what_is_left_out_is_not_said_to_agree(self):
        self.save(weights=self.trace["weights"], zzz=self.trace["output"] + 1)
        report = self.report(code=DONE)
        self.assertEqual(report["unrecognised"], ["zzz"])
        said = self.diagnose(code=DONE)
        self.assertIn("What was compared agrees, but zzz was not compared.", said)
        self.assertNotIn("Everything", said)

    def test_a_causal_mask_that_the_setup_lacks(self):
        self.succeed("compute", "--setup", "setup.toml", "--set", 'mask.kinds=["causal"]', "-o", "mine.npz")
        with np.load(self.folder / "mine.npz") as file:
            self.save(weights=file["weights"], output=file["output"])
        best = self.report("--set", "mask.kinds=[]", code=CHECK_FAILED)["diagnoses"][0]
        self.assertEqual((best["mistake"], best["explains"]), ("mask_not_in_setup", True))

    def test_arrays_of_all_layers_in_one(self):
        self.write("stack.toml", SETUP + "[block]\nresidual = true\n" if "[block]" not in SETUP else SETUP)
        self.succeed("compute", "--setup", "stack.toml", "--set", "sizes.layers=2", "-o", "two.npz")
        with np.load(self.folder / "two.npz") as file:
            np.savez(self.folder / "mine.npz", weights=np.stack([file["L0.weights"], file["L1.weights"]]))
        ended = self.succeed("diagnose", "--setup", "stack.toml", "--set", "sizes.layers=2", "mine.npz")
        self.assertIn("weights[1]", ended)
        self.assertIn("Everything agrees.", ended)

    def test_names_and_tolerances(self):
        self.save(mine=self.trace["scores"] * (1 + 1e-4))
        self.assertEqual(self.report("--name", "mine=scores", code=CHECK_FAILED)["first_difference"], "scores")
        self.assertTrue(self.report("--name", "mine=scores", "--atol", "1e-3", code=DONE)["agrees"])

    def test_a_printout_of_the_output(self):
        with np.printoptions(precision=4, suppress=True):
            self.write("output.txt", str(self.trace["output"]))
            self.write("mine.txt", f"output:\n{self.trace['concat']}")
        self.assertTrue(self.report(code=DONE, mine="output.txt")["agrees"])
        found = self.report(code=CHECK_FAILED, mine="mine.txt")["diagnoses"][0]
        self.assertEqual((found["mistake"], found["tensor"]), ("output_projection_missing", "output"))

    def test_the_template(self):
        """It runs as it is, and with code in it that is right or wrong."""
        for framework in ("numpy", "torch"):
            if framework == "torch" and importlib.util.find_spec("torch") is None:
                continue
            self.succeed("script", "--setup", "setup.toml", "--framework", framework, "--check", "-o", "mine.py")
            template = (self.folder / "mine.py").read_text()
            for code, ends in (("", DONE), ("Q = X @ W_q", DONE), ("Q = X @ W_q.T", CHECK_FAILED)):
                self.write("mine.py", template.replace("# Save the tensors that exist.", code))
                ended = subprocess.run([sys.executable, "mine.py"], cwd=self.folder, capture_output=True, timeout=120)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertEqual(self.report(code=ends)["first_difference"], "Q" if ends else None)

    def test_lectures(self):
        self.succeed("compute", "--lecture", "udl-12-2", "-o", "udl.npz")
        self.assertIn("Everything agrees", self.succeed("diagnose", "--lecture", "udl-12-2", "udl.npz"))


class BadDiagnose(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("setup.toml", SETUP)

    def refuse(self, content, *words, name="mine.npz", arguments=()):
        self.write(name, content)
        said = self.complain("diagnose", "--setup", "setup.toml", name, *arguments)
        self.assert_in_order("\n".join(said), name, *words)

    def npz(self, **arrays):
        bytes_ = io.BytesIO()
        np.savez(bytes_, **arrays)
        return bytes_.getvalue()

    def test_shapes(self):
        self.refuse(self.npz(scores=np.zeros((4, 2, 2, 4))), "scores", "(4, 2, 2, 4)", "(2, 2, 4, 4)", "transpose")
        self.refuse(self.npz(W_q=np.zeros((8, 9))), "W_q", "(8, 9)", "(8, 8)")

    def test_heads_behind_positions(self):
        self.write("mine.npz", self.npz(Q_heads=np.zeros((2, 4, 2, 4))))
        self.assertIn("the axes of Q_heads are (batch, query, head, d_head), and it is read that way",
                      self.start("diagnose", "--setup", "setup.toml", "mine.npz").stdout.decode())

    def test_nothing_to_compare(self):
        self.refuse(self.npz(foo=np.zeros(3)), "foo (3,)", "X (2, 4, 8)")
        self.refuse("no numbers here", "npz", "print", name="mine.txt")
        self.refuse("", "no numbers", name="mine.txt")
        said = self.complain("diagnose", "--setup", "setup.toml", "none.npz")
        self.assert_in_order(said[0], "none.npz", "no such file")

    def test_nan(self):
        self.refuse(self.npz(K=np.full((2, 4, 8), np.nan)), "K", "NaN at K[0,0,0]")
        self.refuse(self.npz(output=np.full((2, 4, 8), np.nan)), "output", "NaN at output[0,0,0]")

    def test_nothing_is_executed(self):
        class Evil:
            def __reduce__(self):
                return (open, (str(self.path), "w"))

        Evil.path = self.folder / "executed"
        self.refuse(self.npz(Q=np.array([Evil()], dtype=object)), "descr", "|O")
        self.refuse(pickle.dumps(Evil()), name="mine.pkl")
        self.assertFalse((self.folder / "executed").exists())

    def test_damaged_files(self):
        whole = self.npz(Q=np.zeros((2, 4, 8)))
        self.refuse(whole[:len(whole) // 2])
        array = io.BytesIO()
        np.save(array, np.zeros((2, 4, 8)))
        self.refuse(array.getvalue()[:-8], "ends early", name="Q.npy")

    def test_a_bomb(self):
        header = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little")
        text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 100000), }"
        path = self.folder / "bomb.npz"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("Q.npy", header + text.ljust(117) + b"\n" + bytes(50_000_000))
        self.refuse(path.read_bytes(), "ends early", "(1000000, 100000)", name="bomb.npz")

    def test_arguments(self):
        content = self.npz(Q=np.zeros((2, 4, 8)))
        self.refuse(content, "--name", arguments=("--name", "Q=nothing"))
        self.refuse(content, "--name", arguments=("--name", "nothing=Q"))
        for arguments, words in (
            (("--name", "Q"), ("--name", "THEIRS=OURS")),
            (("--atol", "-1"), ("--atol", "-1")),
            (("--rtol", "x"), ("--rtol", "x")),
        ):
            said = self.complain("diagnose", "--setup", "setup.toml", "mine.npz", *arguments)
            self.assert_in_order(said[0], *words)
        self.assert_in_order(self.complain("diagnose", "--setup", "setup.toml")[0], "mine")
        self.assert_in_order(self.complain("diagnose", "mine.npz")[0], "--setup")


if __name__ == "__main__":
    unittest.main()
