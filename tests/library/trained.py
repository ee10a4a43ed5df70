"""The trained layer against NumPy: pieces, X, P, N and weights of many texts.

    trained.py build/release/headlight assets/models

The judge reads the same files as the program but shares no code with it. Exit code 0: all agree; 1: not.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

import numpy as np

HEADLIGHT = pathlib.Path(sys.argv.pop(1)).resolve()
MODELS = pathlib.Path(sys.argv.pop(1)).resolve()
PIECES = pathlib.Path(__file__).parents[1] / "golden" / "encoder_pieces.txt"
LECTURES = MODELS.parent / "lectures"
SHAPES = {"embedding": (8000, 256), "norm_gain": (256,), "norm_bias": (256,), "W_q": (256, 256), "W_k": (256, 256),
          "W_v": (256, 256), "W_o": (256, 512), "b_q": (256,), "b_k": (256,), "b_v": (256,), "b_o": (512,)}
SENTENCES = [
    "The animal did not cross the street because it was too tired.",
    "The cat sat on the mat and the dog sat on the rug.",
    "She gave him the old red book that her father had written.",
    "The keys to the cabinet are on the table.",
    "A very small child with a broken toy cried in the garden.",
    "two  spaces,  and (brackets) - 12,345.67 & more!",
    "Antidisestablishmentarianism",
]


class Encoder:
    """The layer in NumPy, in float64, from the numbers of the asset."""

    def __init__(self):
        self.vocabulary = [line.split("\t") for line in
                           (MODELS / "sentence-encoder.tsv").read_text(encoding="utf-8").split("\n")[:-1]]
        self.scores = {piece: (row, float(score)) for row, (piece, score) in enumerate(self.vocabulary) if row > 5}
        data = (MODELS / "sentence-encoder.bin").read_bytes()
        self.frequencies = np.frombuffer(data, "<f4", 128).astype(np.float64)
        offset = 128 * 4
        for name, shape in SHAPES.items():
            array = np.frombuffer(data, "<f2", int(np.prod(shape)), offset).reshape(shape)
            setattr(self, name, array.astype(np.float64))
            offset += array.nbytes
        assert offset == len(data)

    def rows(self, text):
        """The rows of the pieces, by the recursion over the first piece instead of over the last; the shortest of equals."""
        text = ("▁" + text.replace(" ", "▁"))
        best = [(0.0, None)]
        for start in range(len(text) - 1, -1, -1):
            tails = ((self.scores[text[start:end]][1] + best[len(text) - end][0], end)
                     for end in range(start + 1, min(len(text), start + 20) + 1) if text[start:end] in self.scores)
            best.append(max(tails, key=lambda tail: (round(tail[0], 9), -tail[1]), default=(-np.inf, start + 1)))
        rows, at = [], 0
        while at < len(text):
            end = best[len(text) - at][1]
            rows.append(self.scores[text[at:end]][0])
            at = end
        return rows

    def run(self, text):
        x = self.embedding[self.rows(text)]
        angle = np.arange(len(x))[:, None] * self.frequencies
        p = np.concatenate([np.sin(angle), np.cos(angle)], -1)
        s = x + p
        centred = s - s.mean(-1, keepdims=True)
        n = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6) * self.norm_gain + self.norm_bias
        q, k, v = (n @ w + b for w, b in ((self.W_q, self.b_q), (self.W_k, self.b_k), (self.W_v, self.b_v)))
        split = lambda t: t.reshape(len(x), 4, 64).swapaxes(0, 1)
        scores = split(q) @ split(k).swapaxes(1, 2) / 8
        e = np.exp(scores - scores.max(-1, keepdims=True))
        weights = e / e.sum(-1, keepdims=True)
        concat = (weights @ split(v)).swapaxes(0, 1).reshape(len(x), 256)
        return {"X": x, "P": p, "N": n, "weights": weights, "output": concat @ self.W_o + self.b_o}


def random_texts(encoder, count, generator):
    """Words of the vocabulary, whole and in parts, in random order, and some letters in random order."""
    pieces = [piece for piece, _ in encoder.vocabulary[6:]]
    for _ in range(count):
        words = "".join(generator.choice(pieces, generator.integers(1, 30))).replace("▁", " ").strip()
        letters = "".join(generator.choice(list("abcdefghijklmnopqrstuvwxyz.,"), generator.integers(0, 12)))
        yield (words + " " + letters).strip() or "a"


class Trained(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.encoder = Encoder()

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="headlight-trained-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def headlight(self, *arguments):
        return subprocess.run([HEADLIGHT, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def setup_with(self, text, more=""):
        (self.folder / "setup.toml").write_text(
            f'version = 1\n{more}\n[model]\nname = "sentence-encoder"\nlayer = 0\ntext = {json.dumps(text, ensure_ascii=False)}\n',
            encoding="utf-8")

    def trace_of(self, text, *arguments):
        self.setup_with(text)
        ended = self.headlight("compute", "--setup", "setup.toml", *arguments, "-o", "trace.npz")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        with np.load(self.folder / "trace.npz") as trace:
            return {name: trace[name] for name in trace}

    def agree(self, trace, text, item=0):
        ours = self.encoder.run(text)
        count = len(ours["X"])
        self.assertTrue(np.array_equal(trace["X"][item, :count], ours["X"]), text)
        self.assertLess(abs(trace["P"][:count] - ours["P"]).max(), 1e-12, text)
        self.assertLess(abs(trace["N"][item, :count] - ours["N"]).max(), 1e-9, text)
        self.assertLess(abs(trace["weights"][item, :, :count, :count] - ours["weights"]).max(), 1e-5, text)
        self.assertLess(abs(trace["output"][item, :count] - ours["output"]).max(), 1e-5, text)

    def test_two_hundred_sentences_as_the_package_splits_them(self):
        """Of tests/golden/generate_pieces.py, which reads the package itself."""
        lines = PIECES.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), 200)
        for text, rows, most in (line.split("\t") for line in lines):
            with self.subTest(text=text):
                rows = [int(row) for row in rows.split()]
                trace = self.trace_of(text)
                self.assertTrue(np.array_equal(trace["X"][0], self.encoder.embedding[rows]), rows)
                looks = trace["weights"][0, :, len(rows) // 2]
                for head, (key, weight) in enumerate(zip(most.split()[::2], most.split()[1::2])):
                    self.assertLess(abs(looks[head, int(key)] - float(weight)), 1e-5)
                self.agree(trace, text)

    def test_random_texts(self):
        generator = np.random.default_rng(29)
        for text in [*SENTENCES, *random_texts(self.encoder, 50, generator)]:
            with self.subTest(text=text):
                self.agree(self.trace_of(text), text)

    def test_what_the_lecture_says_was_computed(self):
        _, matter, _ = (LECTURES / "trained.md").read_text(encoding="utf-8").split("+++\n")
        matter = tomllib.loads(matter)
        facts = 0
        for part in [matter, *matter["parts"]]:
            ours = self.encoder.run(part["setup"]["model"]["text"])
            for fact in part["facts"]:
                item, *at = fact["at"]
                said = np.array(fact["values"].strip("[]").split(), float)
                self.assertEqual(item, 0)
                self.assertLess(abs(ours[fact["tensor"]][tuple(at)] - said).max(), 0.5000001 * 10.0**-fact["decimals"], fact)
                facts += 1
        self.assertGreaterEqual(facts, 6)

    def test_a_batch_is_padded_and_its_padding_hidden(self):
        trace = self.trace_of(SENTENCES[:3])
        for item, text in enumerate(SENTENCES[:3]):
            self.agree(trace, text, item)
            self.assertEqual(trace["weights"][item, :, :, len(self.encoder.rows(text)):].sum(), 0)

    def test_the_most_pieces_and_one_more(self):
        text = " ".join(["the"] * 128)
        self.agree(self.trace_of(text), text)
        self.setup_with(text + " the")
        ended = self.headlight("compute", "--setup", "setup.toml", "-o", "trace.npz")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("model.text: found 129 pieces; allowed: at most 128 pieces in a text", ended.stderr)

    def test_what_contradicts_the_model_is_refused(self):
        for key, more in [("sizes.d_model", "[sizes]\nd_model = 8"), ("tokens", 'tokens = ["a", "b"]'),
                          ("position.encoding", '[position]\nencoding = "none"'), ("values.b_q", "[values]\nb_q = [0]")]:
            with self.subTest(key=key):
                self.setup_with("Hello there", more)
                ended = self.headlight("compute", "--setup", "setup.toml", "-o", "trace.npz")
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(key, ended.stderr)

    def test_parts_temperature_and_masks_can_be_changed(self):
        plain = self.trace_of(SENTENCES[3])
        other = self.trace_of(SENTENCES[3], "--set", "values.W_v[2,5]=0.25", "--set", "attention.temperature=2",
                              "--set", 'mask.kinds=["causal"]')
        self.assertEqual(other["W_v"][2, 5], 0.25)
        self.assertTrue(np.allclose(other["scores"], plain["scores"] / 2))
        self.assertEqual(other["weights"][0, 0, 0, 1], 0)

    def test_what_no_piece_has_is_the_unknown_piece(self):
        trace = self.trace_of("a 日本 b")
        rows = [int(np.flatnonzero((self.encoder.embedding == x).all(-1))[0]) for x in trace["X"][0]]
        self.assertEqual(rows.count(0), 1, rows)


if __name__ == "__main__":
    unittest.main()
