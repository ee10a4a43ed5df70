"""Weights of which nothing else is known: opened, shown, exported, and files that must be refused."""

import io
import subprocess
import sys
import unittest

import numpy as np

from program import ProgramTest

LAYERS, HEADS, LENGTH = 3, 4, 5
TOKENS = ["The", "keys", "are", "on", "ナ"]


def softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attentions(*shape, causal=True, seed=0, dtype=np.float32):
    scores = np.random.default_rng(seed).standard_normal(shape) * 2
    if causal:
        scores[..., np.triu(np.ones(shape[-2:], bool), 1)] = -np.inf
    return softmax(scores).astype(dtype)


class Weights(ProgramTest):
    def save(self, name="a.npz", compressed=False, **arrays):
        held = io.BytesIO()
        (np.savez_compressed if compressed else np.savez)(held, **arrays)
        return self.write(name, held.getvalue())

    def trace(self, *what):
        self.succeed("compute", *what, "-o", "trace.npz")
        with np.load(self.folder / "trace.npz") as file:
            return dict(file)


class AttentionAlone(Weights):
    def test_a_stack_gives_each_layer_as_it_is(self):
        for dtype in (np.float16, np.float32, np.float64):
            for compressed in (False, True):
                a = attentions(LAYERS, 2, HEADS, LENGTH, LENGTH, dtype=dtype)
                self.save(attentions=a, tokens=TOKENS, compressed=compressed)
                for layer in (0, LAYERS - 1):
                    trace = self.trace("--model", "a.npz", "--layer", layer)
                    self.assertEqual(list(trace), ["weights"])
                    np.testing.assert_array_equal(trace["weights"], a[layer].astype(np.float64))

    def test_without_a_batch_and_in_fortran_order(self):
        a = attentions(LAYERS, HEADS, LENGTH, LENGTH)
        for array in (a, np.asfortranarray(a)):
            self.save(attentions=array)
            np.testing.assert_array_equal(self.trace("--model", "a.npz", "--layer", "1")["weights"][0], a[1])

    def test_the_names_of_transformer_lens_are_counted_as_people_do(self):
        a = attentions(12, 1, HEADS, LENGTH, LENGTH)
        self.save(**{f"blocks.{layer}.attn.hook_pattern": a[layer] for layer in sorted(range(12), key=str)})
        lines = self.succeed("layers", "a.npz").splitlines()
        self.assertEqual([line.split()[1] for line in lines[2:]], [f"blocks.{layer}.attn" for layer in range(12)])
        np.testing.assert_array_equal(self.trace("--model", "a.npz", "--layer", "10")["weights"], a[10])

    def test_cross_attention_has_tokens_of_its_own(self):
        a = attentions(LAYERS, 1, HEADS, 3, 7, causal=False)
        self.save(cross_attentions=a, tokens=list("abc"), key_tokens=list("pqrstuv"))
        setup = self.succeed("layers", "a.npz", "--layer", "2")
        for line in ('source = "cross"', "query_length = 3", "key_length = 7", 'tokens = ["a", "b", "c"]', 'key_tokens = ["p"'):
            self.assertIn(line, setup)
        self.assertNotIn("d_model =", setup)

    def test_the_setup_says_what_is_known(self):
        self.save(attentions=attentions(LAYERS, 1, HEADS, LENGTH, LENGTH), tokens=TOKENS)
        self.succeed("layers", "a.npz", "--layer", "1", "-o", "s.toml")
        text = (self.folder / "s.toml").read_text(encoding="utf-8")
        self.assertIn('weights = "a.npz:attentions[1]#', text)
        self.assertIn('kinds = ["causal"]', text)
        self.assertIn('"ナ"', text)
        for key in ("d_model =", "temperature", "draws", "encoding"):
            self.assertNotIn(key, text)
        first, second = self.trace("--setup", "s.toml"), self.trace("--model", "a.npz", "--layer", "1")
        np.testing.assert_array_equal(first["weights"], second["weights"])

    def test_a_cell_says_that_nothing_before_it_is_known(self):
        self.save(attentions=attentions(LAYERS, 1, HEADS, LENGTH, LENGTH), tokens=TOKENS)
        said = self.succeed("explain", "--model", "a.npz", "--layer", "1", "--cell", "weights[0,2,3,1]")
        self.assert_in_order(said, "nothing before them is known", "a.npz:attentions[1]")
        self.assertIn("weights", self.complain(
            "explain", "--model", "a.npz", "--layer", "1", "--cell", "scores[0,2,3,1]")[0])

    def test_rows_that_are_not_whole_are_named_and_shown(self):
        a = attentions(LAYERS, 1, HEADS, LENGTH, LENGTH)
        a[1, 0, 2, 3] *= 1.25
        self.save(attentions=a)
        self.assert_in_order(self.succeed("layers", "a.npz"), "layer 1: 1 of 20 rows of weights", "(1.25)", "model.eval()")
        said = self.succeed("explain", "--model", "a.npz", "--layer", "1", "--cell", "weights[0,2,3,1]")
        self.assertIn("its row adds up to 1.25, not to 1", said)
        self.assertNotIn("adds up", self.succeed("explain", "--model", "a.npz", "--layer", "1", "--cell", "weights[0,2,2,1]"))
        a[1, 0, 2, 3] = 0
        self.save(attentions=a)
        self.assertNotIn("rows of weights", self.succeed("layers", "a.npz"))
        self.assertIn("sees no key", self.succeed("explain", "--model", "a.npz", "--layer", "1", "--cell", "weights[0,2,3,1]"))

    def test_every_view_figure_and_export(self):
        a = attentions(LAYERS, 1, HEADS, LENGTH, LENGTH)
        self.save(attentions=a, tokens=TOKENS)
        what = ("--model", "a.npz", "--layer", "1")
        for view in ("pipeline", "heads", "tokens", "compare", "layers"):
            self.succeed("render", *what, "--view", view, "-o", "f.png")
        for figure in ("heatmap", "heads", "tokens", "equation", "explanation"):
            self.succeed("render", *what, "--figure", figure, "-o", "f.svg")
        self.succeed("render", *what, "--view", "heads", "--show", "weights.range=even", "-o", "f.png")
        self.succeed("export", *what, "--tensor", "weights[0,2]", "-o", "w.csv")
        numbers = [[float(n) for n in line.split(",")[-LENGTH:]] for line in
                   (self.folder / "w.csv").read_text(encoding="utf-8").splitlines()[-LENGTH:]]
        np.testing.assert_allclose(numbers, a[1, 0, 2], rtol=1e-6)
        self.succeed("export", *what, "-o", "s.toml")
        for name in ("w.md", "w.tex", "w.npy"):
            self.succeed("export", *what, "--tensor", "weights[0,2]", "-o", name)

    def test_scripts_load_the_weights(self):
        self.save(attentions=attentions(LAYERS, 1, HEADS, LENGTH, LENGTH), tokens=TOKENS)
        what = ("--model", "a.npz", "--layer", "1")
        self.succeed("compute", *what, "-o", "trace.npz")
        for framework in ("numpy", "torch"):
            self.succeed("script", *what, "--framework", framework, "-o", "f.py")
            ended = subprocess.run([sys.executable, "f.py", "trace.npz"], cwd=self.folder, capture_output=True, text=True, timeout=300)
            if framework == "torch" and "No module named 'torch'" in ended.stderr:
                continue
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            self.assertIn("agrees", ended.stdout)
        self.assertIn("a setup that computes them", self.complain("script", *what, "--framework", "numpy", "--check")[0])

    def test_one_number_can_be_changed(self):
        self.save(attentions=attentions(LAYERS, 1, HEADS, LENGTH, LENGTH))
        trace = self.trace("--model", "a.npz", "--layer", "1", "--set", "values.weights[0,1,2,1]=0.25")
        self.assertEqual(trace["weights"][0, 1, 2, 1], 0.25)


class SavedByPeople(Weights):
    """The same weights under the names and in the shapes that people save."""

    def rows(self, file="a.npz"):
        return len(self.succeed("layers", file).partition("\n\n")[0].splitlines()) - 2

    def test_one_array_for_each_layer_under_any_common_name(self):
        a = attentions(LAYERS, 1, HEADS, LENGTH, LENGTH)
        for name in ("arr_{}", "attn_{}", "layer{}", "layers.{}.attn.weights", "block{}/attention_probs"):
            for kept in (a, a[:, 0]):
                self.save(**{name.format(layer): kept[layer] for layer in range(LAYERS)})
                self.assertEqual(self.rows(), LAYERS)
                np.testing.assert_array_equal(self.trace("--model", "a.npz", "--layer", "1")["weights"], a[1])

    def test_arrays_that_only_look_like_weights(self):
        a = attentions(LAYERS, 1, HEADS, LENGTH, LENGTH)
        self.save(arr_0=a[0], arr_1=a[1] - 0.5)
        self.assertIn("no attention layer", self.complain("layers", "a.npz")[0])
        self.save(arr_0=a[0] * 3)
        self.assertIn("no attention layer", self.complain("layers", "a.npz")[0])

    def test_an_npy_array(self):
        a = attentions(LAYERS, 2, HEADS, LENGTH, LENGTH)
        np.save(self.folder / "a.npy", a[1])
        self.assertIn("can be layers or texts", self.succeed("layers", "a.npy"))
        np.save(self.folder / "a.npy", a[1, 0])
        self.assertEqual(self.rows("a.npy"), 1)
        np.testing.assert_array_equal(self.trace("--model", "a.npy", "--layer", "0")["weights"], a[1, :1])

    def test_four_axes_are_layers_or_texts(self):
        a = attentions(LAYERS, HEADS, LENGTH, LENGTH)
        self.save(attentions=a)
        self.assertIn("layers 0 to 3: The first of four axes can be layers or texts", self.succeed("layers", "a.npz"))
        self.assertEqual(self.trace("--model", "a.npz", "--layer", "0")["weights"].shape, (1, HEADS, LENGTH, LENGTH))
        np.testing.assert_array_equal(self.trace("--model", "a.npz", "--layer", str(LAYERS))["weights"], a)
        self.save(attentions=a, tokens=TOKENS)  # of one text, so they are layers
        self.assertEqual(self.rows(), LAYERS)
        self.save(attentions=a, tokens=[TOKENS] * LAYERS)  # of as many texts
        self.assertNotIn("can be", self.succeed("layers", "a.npz"))
        self.assertIn("text 2", self.succeed("layers", "a.npz"))

    def test_each_text_of_a_padded_batch_has_its_own_tokens(self):
        a = attentions(LAYERS, 2, HEADS, LENGTH, LENGTH, causal=False)
        a[:, 1, :, :, 3:] = 0
        a /= a.sum(-1, keepdims=True)
        tokens = [list("abcde"), [*"fgh", "[PAD]", "[PAD]"]]
        self.save(attentions=a, tokens=tokens)
        self.assertEqual(self.rows(), 2 * LAYERS)
        setup = self.succeed("layers", "a.npz", "--layer", "3")
        self.assertIn('tokens = ["f", "g", "h", "[PAD]", "[PAD]"]', setup)
        self.assertIn("valid_lengths = [3]", setup)
        np.testing.assert_array_equal(self.trace("--model", "a.npz", "--layer", "3")["weights"], a[1, 1:])


class BadAttentionAlone(Weights):
    def refuse(self, *words, options=(), **arrays):
        self.save(**arrays)
        said = self.complain("layers", "a.npz", *options)
        self.assertEqual(len(said), 1, said)
        self.assert_in_order(said[0], "a.npz", *words)

    def test_arrays_that_are_no_weights(self):
        two_lines = ("attn_implementation=\"eager\"", "torch.stack(model(**inputs, output_attentions=True).attentions)", "np.savez(")
        self.refuse("shape (4, 5, 5)", *two_lines, attentions=attentions(HEADS, LENGTH, LENGTH))
        self.refuse("shape (1, 1, 1, 4, 5, 5)", *two_lines, attentions=attentions(1, 1, 1, HEADS, LENGTH, LENGTH))
        self.refuse("|O", *two_lines, attentions=np.array([None] * 6, dtype=object))
        self.refuse("shape (3, 1, 4, 0, 0)", attentions=np.zeros((3, 1, 4, 0, 0)))
        self.refuse("blocks.0.attn.hook_pattern", "shape (5, 5)", "(heads, query, key)",
                    **{"blocks.0.attn.hook_pattern": attentions(LENGTH, LENGTH)})
        self.refuse("no attention layer among 1 arrays (x)", *two_lines, x=np.ones((2, 2)))

    def test_tokens_that_fit_nothing(self):
        a = attentions(LAYERS, 1, HEADS, LENGTH, LENGTH)
        self.refuse("tokens", "3 labels", "layer 0 has 5 queries and 5 keys", attentions=a, tokens=["a", "b", "c"])
        self.refuse("tokens", "O'", "np.array(", "pickle", attentions=a, tokens=np.array(TOKENS, dtype=object))
        self.refuse("tokens", "(2, 5)", "a single list", attentions=a, tokens=[TOKENS, TOKENS])
        self.refuse("tokens", "<i8", attentions=a, tokens=np.arange(5))

    def test_numbers_that_are_no_weights(self):
        a = attentions(LAYERS, 1, HEADS, LENGTH, LENGTH)
        a[1, 0, 2, 3, 1] = np.nan
        self.refuse("values.weights", "nan at [0,2,3,1]", "finite", options=("--layer", "1"), attentions=a)
        self.assertIn("layer 1: no setup:", self.succeed("layers", "a.npz"))
        scores = np.random.default_rng(1).standard_normal((LAYERS, 1, HEADS, LENGTH, LENGTH))
        self.refuse("values.weights", "-", "at least 0, as after a softmax", options=("--layer", "0"), attentions=scores)

    def test_what_cannot_be_changed(self):
        self.save(attentions=attentions(LAYERS, 1, HEADS, LENGTH, LENGTH))
        what = ("compute", "--model", "a.npz", "--layer", "0", "-o", "trace.npz")
        for setting, *words in (
                ("attention.temperature=2", "attention.temperature", "nothing before them is known"),
                ("attention.dropout=0.5", "attention.dropout", "nothing before them is known"),
                ("task.name=previous", "task.name", "nothing before them is known"),
                ("position.encoding=rotary", "position.encoding", "nothing before them is known"),
                ("values.W_q[0,0]=1", "W_q", "values.weights left out"),
                ("sizes.heads=2", "values.weights", "shape (1, 4, 5, 5)", "set sizes.heads = 4"),
                ('mask.kinds=["causal", "window"]', "values.weights", "0 where the mask hides")):
            said = " ".join(self.complain(*what, "--set", setting))
            self.assert_in_order(said, *words)

    def test_a_part_of_weights_needs_all_of_them(self):
        self.write("s.toml", 'version = 1\n[values]\n"weights[0,0,1,1]" = 0.5\n')
        self.assertIn("only with all of weights", self.complain("compute", "--setup", "s.toml", "-o", "trace.npz")[0])

    def test_other_tensors_of_work_are_not_compared(self):
        a = attentions(LAYERS, 1, HEADS, LENGTH, LENGTH)
        self.save(attentions=a)
        self.save("mine.npz", weights=a[1])
        self.succeed("diagnose", "--model", "a.npz", "--layer", "1", "mine.npz")
        self.save("mine.npz", weights=a[1], Q=np.ones((1, 5, 8)))
        self.assertIn("Q", self.succeed("diagnose", "--model", "a.npz", "--layer", "1", "mine.npz"))


if __name__ == "__main__":
    unittest.main()
