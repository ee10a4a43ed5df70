"""What the lectures say in general, computed again with NumPy and PyTorch alone.

    lecture_claims.py build/release/headlight assets/models [LectureClaims.test_...]

A fact of a lecture is about one tensor of one setup, and `headlight check` proves it. The sentences here are about more than
that: other seeds, other sizes, other texts, or what a training would have done. tests/library/general_words.tsv names these
tests as what backs a sentence.
"""
import functools
import pathlib
import tomllib
import unittest

import numpy as np
import torch

import trained  # takes the program and the models' folder off the command line
import writing

torch.set_num_threads(1)


def softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@functools.cache
def encoder():
    return trained.Encoder()


def run_encoder(text, without_places=False):
    """The pieces, and the weights and values (head, position, ...) of the trained layer."""
    e = encoder()
    rows = e.rows(text)
    s = e.embedding[rows]
    if not without_places:
        angle = np.arange(len(rows))[:, None] * e.frequencies
        s = s + np.concatenate([np.sin(angle), np.cos(angle)], -1)
    centred = s - s.mean(-1, keepdims=True)
    n = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6) * e.norm_gain + e.norm_bias
    q, k, v = ((n @ w + b).reshape(len(rows), 4, 64).swapaxes(0, 1)
               for w, b in ((e.W_q, e.b_q), (e.W_k, e.b_k), (e.W_v, e.b_v)))
    return [e.vocabulary[row][0].strip("▁") for row in rows], softmax(q @ k.swapaxes(1, 2) / 8), v


def effects(weights, values, head):
    """|weight · V · W_o| of each key for each query."""
    return np.linalg.norm(values[head] @ encoder().W_o[64 * head:64 * head + 64], axis=-1) * weights[head]


def one_hot(index, width):
    return np.eye(width)[index]


def waves(places, width):
    angle = np.arange(places)[:, None] / 10000 ** (np.arange(width) // 2 * 2 / width)
    return np.where(np.arange(width) % 2 == 0, np.sin(angle), np.cos(angle))


def loss_of_previous(seed, kind, causal=False, steeper=1.0):
    """The task *previous* of the lecture Where am I, after 300 steps: 6 letters, 8 places, 4 heads. `steeper` is a factor of
    ALiBi's slopes."""
    heads, width = 4, 24 if kind == "waves apart" else 16
    drawn = np.random.RandomState(seed)
    W = [torch.tensor(drawn.standard_normal((width, width)), requires_grad=True) for _ in "qkvo"]
    d = width // heads
    P = np.zeros((8, width))
    if kind == "waves apart":
        P[:, 8:] = waves(8, 16)
    elif kind == "waves":
        P = waves(8, width)
    P = torch.tensor(P)
    slopes = steeper * torch.tensor([2.0 ** (-8 * (h + 1) / heads) for h in range(heads)], dtype=torch.float64)
    distance = (torch.arange(8)[:, None] - torch.arange(8)).abs().double()
    angle = torch.arange(8)[:, None].double() * 10000 ** (-torch.arange(d // 2).double() * 2 / d)

    def turn(x):
        a, b = x[..., :d // 2], x[..., d // 2:]
        return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1)

    def loss(letters):
        x = torch.tensor(one_hot(letters, width)) + P
        q, k, v = ((x @ w).unflatten(-1, (heads, d)).transpose(1, 2) for w in W[:3])
        if kind == "rotary":
            q, k = turn(q), turn(k)
        scores = q @ k.mT / d ** 0.5
        if kind == "alibi":
            scores = scores - slopes[:, None, None] * distance
        if causal:
            scores = scores.masked_fill(torch.ones(8, 8).triu(1).bool(), -torch.inf)
        logits = ((scores.softmax(-1) @ v).transpose(1, 2).flatten(2) @ W[3])[:, 1:, :6]
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), torch.tensor(letters[:, :-1]).flatten())

    sequences = np.random.RandomState(0)
    shown = sequences.randint(0, 6, (16, 8))
    adam = torch.optim.Adam(W, lr=0.02)
    for _ in range(300):
        adam.zero_grad()
        loss(sequences.randint(0, 6, (32, 8))).backward()
        adam.step()
    return loss(shown).item()


class LectureClaims(unittest.TestCase):
    def test_trained_head_needs_places_for_next(self):
        text = "The animal did not cross the street because it was too tired."
        names, with_places, _ = run_encoder(text)
        _, without, _ = run_encoder(text, without_places=True)
        self.assertAlmostEqual(np.diagonal(with_places[2], 1).mean(), 0.548, 3)
        self.assertAlmostEqual(np.diagonal(without[2], 1).mean(), 0.131, 3)
        self.assertEqual(names[without[2][1].argmax()], "cross")
        self.assertAlmostEqual(without[2][1].max(), 0.94, 2)

    def test_trained_weight_and_effect(self):
        names, weights, values = run_encoder("He gave the dog to her.")
        effect = effects(weights, values, 3)[2]
        self.assertEqual([names[i] for i in np.argsort(-effect)[:2]], ["the", "gave"])
        self.assertEqual(names[weights[3][2].argmax()], "gave")
        np.testing.assert_allclose(effect[[1, 2]], [6.6, 8.3], atol=0.05)
        same = []
        for text in ("The animal did not cross the street because it was too tired.", "She sat on the chair.",
                     "The keys to the cabinet are on the table.", "He gave the dog to her.",
                     "She gave him the old red book that her father had written."):
            _, weights, values = run_encoder(text)
            same += [row.argmax() == of.argmax() for h in range(4)
                     for row, of in zip(weights[h], effects(weights, values, h))]
        self.assertEqual((sum(same), len(same)), (174, 200))

    def test_trained_small_word_looks_right_after(self):
        fails = set()
        for small in ("the", "a", "his", "in", "of", "very"):
            for strong in ("dog", "street", "red", "tired"):
                names, weights, _ = run_encoder(f"We saw {small} {strong} again.")
                at = names.index(small)
                if weights[1][at].argmax() != at + 1:
                    self.assertEqual(weights[1][at].argmax(), at)
                    fails.add(f"{small} {strong}")
        self.assertEqual(fails, {"the red", "a red", "in red", "of dog", "of red", "very dog", "very red"})

    def test_trained_letters_are_pieces(self):
        pieces = {piece for piece, _ in encoder().vocabulary}
        self.assertLessEqual(set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), pieces)

    def test_where_waves_lose_because_they_share_features(self):
        losses = {kind: [loss_of_previous(seed, kind) for seed in range(5)]
                  for kind in ("waves", "waves apart", "rotary", "alibi")}
        for apart, rotary, shared, slopes in zip(*(losses[k] for k in ("waves apart", "rotary", "waves", "alibi"))):
            self.assertLess(apart, rotary)
            self.assertLess(rotary, shared)
            self.assertLess(shared, slopes)
        self.assertEqual([round(f(losses["waves apart"]), 3) for f in (min, max)], [0.004, 0.007])
        self.assertEqual([round(f(losses["rotary"]), 3) for f in (min, max)], [0.037, 0.079])

    def test_where_alibi_lacks_a_side_and_steeper_slopes(self):
        masked = {kind: loss_of_previous(0, kind, causal=True) for kind in ("rotary", "waves", "alibi")}
        self.assertEqual([round(loss, 2) for loss in masked.values()], [0.01, 0.41, 0.52])
        self.assertAlmostEqual(loss_of_previous(0, "alibi", causal=True, steeper=8.0), 0.02, 2)

    def test_where_sinusoids_measure_distance_for_equal_weights_only(self):
        def by_distance(table):
            return max(np.ptp(np.diagonal(table, step)) for step in range(-8, 9)) < 1e-9

        P = waves(9, 16)
        self.assertTrue(by_distance(P @ P.T))
        W_q = np.eye(16)
        W_q[1, 1] = 0
        self.assertFalse(by_distance(P @ W_q @ P.T))
        random = np.random.RandomState(0)
        self.assertFalse(by_distance(P @ random.randn(16, 16) @ random.randn(16, 16).T @ P.T))
        # Rotary angles are applied behind the weights: the same word everywhere, and any weights.
        query, key = random.randn(2, 8) @ random.randn(8, 8)
        angle = np.arange(9)[:, None] / 10000 ** (np.arange(4) / 4)

        def turned(x):
            return np.concatenate([x[:4] * np.cos(angle) - x[4:] * np.sin(angle),
                                   x[:4] * np.sin(angle) + x[4:] * np.cos(angle)], 1)

        self.assertTrue(by_distance(turned(query) @ turned(key).T))

    def test_meaning_positions_write_nothing(self):
        W_v = np.zeros((10, 10))
        W_v[:5] = np.tile(np.eye(5), 2)
        of_head_1 = W_v[:, 5:] @ np.eye(10)[5:]
        self.assertEqual(np.abs(of_head_1[5:]).max(), 0)  # rows pos0 to pos4
        np.testing.assert_array_equal(of_head_1[0], np.eye(10)[5])  # a noun's 1 stands in the column pos0

    def test_numpy_scale_makes_up_for_a_part(self):
        random = np.random.RandomState(0)
        X = random.rand(4, 8)
        W_q, W_k = random.rand(2, 8, 8)
        spreads = []
        for d in (1, 2, 4, 8):
            q, k = ((X @ W).reshape(4, 8 // d, d).swapaxes(0, 1) for W in (W_q, W_k))
            scores = q @ k.swapaxes(1, 2) / np.sqrt(d)
            spreads.append(scores.std(-1).mean())
            if d == 4:
                self.assertTrue((scores.argmax(-1) == 2).all())  # sat wins every row, with the scale
        np.testing.assert_allclose(spreads, [0.85, 1.06, 1.45, 1.99], atol=0.005)

    def test_numpy_a_new_module_chooses_among_unit_inputs(self):
        for keys, times in ((10, 1.9), (128, 3.3)):
            shares = []
            for seed in range(5):
                torch.manual_seed(seed)
                module = torch.nn.MultiheadAttention(512, 8, batch_first=True)
                X = torch.randn(1, keys, 512)
                with torch.no_grad():
                    shares.append(module(X, X, X, average_attn_weights=False)[1].max(-1)[0].mean().item() * keys)
            self.assertAlmostEqual(np.mean(shares), times, 1)

    def test_scale_unscaled_rows(self):
        ratios = []
        for seed in range(40):
            torch.manual_seed(seed)
            X = torch.randn(1, 8, 256)
            W_q, W_k = (torch.nn.init.xavier_uniform_(torch.empty(256, 256)).T for _ in "qk")
            products = ((X @ W_q) @ (X @ W_k).mT)[0]
            slope = lambda factor: (lambda w: factor * w * (1 - w))((products * factor).softmax(-1).max(-1)[0])
            ratios += (slope(1) / slope(1 / 16)).tolist()
            if seed == 0:
                self.assertEqual([round(f(slope(1 / 16)).item(), 3) for f in (min, max)], [0.011, 0.016])
        self.assertAlmostEqual(np.median(ratios), 0.09, 2)
        self.assertAlmostEqual(np.mean(np.array(ratios) > 1), 0.37, 2)
        self.assertEqual(round(max(ratios)), 27)

    def test_udl_without_the_scale(self):
        random = np.random.RandomState(3)
        X = random.normal(size=(8, 6))
        random = np.random.RandomState(0)
        heads = [[random.normal(size=s) for s in [(4, 8)] * 3 + [(4, 1)] * 3] for _ in range(2)]
        W_o = random.normal(size=(8, 8))

        def run(scale, over_queries=False):
            weights, stack = [], []
            for head in heads:
                q, k, v = (W @ X + b for W, b in zip(head[:3], head[3:]))
                scores = q.T @ k / scale
                weights.append(softmax(scores.T).T if over_queries else softmax(scores))
                stack.append(v @ weights[-1].T)
            return weights, W_o @ np.concatenate(stack)

        (w, output), (without, other) = run(2), run(1)
        np.testing.assert_allclose([w[0][0, 4], without[0][0, 4]], [0.994, 1.000], atol=0.0005)
        np.testing.assert_allclose([w[1][0, 3], without[1][0, 3]], [0.683, 0.827], atol=0.0005)
        np.testing.assert_allclose([output[0, 0], other[0, 0], output[7, 0], other[7, 0]],
                                   [-21.207, -21.033, 1.248, -0.101], atol=0.0005)
        self.assertAlmostEqual(run(2, over_queries=True)[1][0, 0], -22.646, 3)

    def test_learning_where_and_what_are_learnt_together(self):
        random = np.random.RandomState(0)
        X = torch.tensor(one_hot(random.randint(0, 6, (16, 8)), 14) + one_hot(np.arange(8) + 6, 14))
        W = [torch.tensor(random.randn(14, 14), requires_grad=True) for _ in "qkv"]
        W_o = torch.zeros(14, 14, dtype=torch.float64, requires_grad=True)
        q, k, v = ((X @ w).unflatten(-1, (2, 7)).transpose(1, 2) for w in W)
        concat = ((q @ k.mT / 7**0.5).softmax(-1) @ v).transpose(1, 2).flatten(2)
        (concat @ W_o)[..., 0].log_softmax(-1).sum().backward()
        self.assertEqual([w.grad.abs().max().item() for w in W], [0, 0, 0])
        self.assertGreater(W_o.grad.abs().max().item(), 0)

    def test_learning_what_training_never_touched(self):
        random = np.random.RandomState(0)
        W = [torch.tensor(random.standard_normal((20, 20)), requires_grad=True) for _ in "qkvo"]
        first = [w.detach().clone() for w in W]
        sequences = np.random.RandomState(0)

        def batch(count):
            keys = sequences.rand(count, 6).argsort(-1)[:, :6]
            values, asked = sequences.randint(0, 6, (count, 6)), sequences.randint(0, 6, (count,))
            x = np.zeros((count, 7, 20))
            x[:, :6] += one_hot(keys, 20) + one_hot(values + 6, 20)
            x[np.arange(count), 6, keys[np.arange(count), asked]] += 1
            return torch.tensor(x + one_hot(np.arange(7) + 13, 20)), torch.tensor(values[np.arange(count), asked])

        batch(16)
        adam = torch.optim.Adam(W, lr=0.02)
        for _ in range(300):
            x, right = batch(32)
            q, k, v = ((x @ w).unflatten(-1, (2, 10)).transpose(1, 2) for w in W[:3])
            context = ((q @ k.mT / 10**0.5).softmax(-1) @ v).transpose(1, 2).flatten(2)
            adam.zero_grad()
            torch.nn.functional.cross_entropy((context @ W[3])[:, 6, :6], right).backward()
            adam.step()
        moved = (W[0] - first[0]).abs().max(1)[0]
        self.assertEqual(moved[6:19].max().item(), 0)  # values, and positions 0 to 5
        self.assertGreater(moved[:6].min().item(), 0.5)
        of_head_1 = [q[:, 10:] @ k[:, 10:].T for q, k in ((first[0], first[1]), (W[0], W[1]))]
        self.assertAlmostEqual((of_head_1[1] - of_head_1[0])[8].abs().max().item(), 3.9, 1)

    def test_mistakes_a_transposed_weight_fits_if_square(self):
        for d_model, heads, d_head in ((8, 2, 4), (12, 3, 4), (8, 2, 6), (8, 3, 4)):
            X, W_q = np.ones((5, d_model)), np.ones((d_model, heads * d_head))
            if heads * d_head == d_model:
                X @ W_q.T
            else:
                with self.assertRaises(ValueError):
                    X @ W_q.T

    def test_block_is_a_layer_of_pytorch(self):
        lecture = pathlib.Path(__file__).parents[2] / "assets/lectures/block.md"
        parts = tomllib.loads(lecture.read_text(encoding="utf-8").split("+++\n")[1])["parts"]
        fact = next(part["facts"][0] for part in parts if part["id"] == "torch")
        torch.manual_seed(0)
        layer = torch.nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True, norm_first=True)
        out = layer(torch.randn(1, 4, 8)).detach().numpy()
        said = np.array(fact["values"].replace("[", " ").replace("]", " ").split(), float)
        np.testing.assert_allclose(out.ravel(), said, rtol=0, atol=0.0005001)

    def test_block_bends_leave_a_little_of_minus_one(self):
        minus_one = torch.tensor(-1.0, dtype=torch.float64)
        with torch.no_grad():
            # As GPT-2 computes it, by tanh.
            gelu = 0.5 * minus_one * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (minus_one + 0.044715 * minus_one**3)))
            self.assertEqual(round(gelu.item(), 2), -0.16)
            self.assertEqual(round(torch.nn.functional.gelu(minus_one).item(), 2), -0.16)
            self.assertEqual(round(torch.nn.functional.silu(minus_one).item(), 2), -0.27)
            self.assertEqual(torch.relu(minus_one).item(), 0)

    def test_generate_invents_animals(self):
        lecture = pathlib.Path(__file__).parents[2] / "assets/lectures/generate.md"
        parts = tomllib.loads(lecture.read_text(encoding="utf-8").split("+++\n")[1])["parts"]
        setup = next(part["setup"] for part in parts if part["id"] == "letters")
        setup["training"]["optimizer"] = "adam"
        animals = setup["task"]["text"]
        self.assertEqual((len(animals), len({*"".join(animals)})), (129, 26))
        self.assertEqual({animal for animal in animals if animal.startswith("o")}, {"osprey", "otter", "oyster"})
        writer = writing.Writer(setup)
        writer.model.train()
        writer.logits = functools.cache(writer.logits)
        new = []
        for temperature in (0.3, 1, 1.5):
            draw = writing.uniforms(setup, 0)
            options = {"temperature": temperature, "top_k": 0, "length": None}
            new.append(sum(writer.write("", draw, options)[0] not in animals for _ in range(200)))
        self.assertEqual(new, [36, 118, 170])

    def test_bank_blend(self):
        X = np.array([[0, 0, 0, 1], [2, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0.0]])
        weights = softmax(2 * X @ (2 * X).T / 2)[2]
        self.assertAlmostEqual(weights @ X[:, 0], 1.456, 3)
        self.assertAlmostEqual(np.round(weights, 3) @ X[:, 0], 1.455, 9)
        self.assertAlmostEqual(np.round(weights, 2) @ X[:, 0], 1.44, 9)


if __name__ == "__main__":
    unittest.main(argv=trained.sys.argv)
