"""Classes as books and courses write them: headlight.show() opens each with the numbers that it has, check() finds its own work
right, and names the mistake of a wrong version.

    textbooks.py build/release/headlight
"""
import math
import unittest

import numpy as np
import torch
import torch.nn.functional as F

import notebook
from notebook import headlight, nn

BATCH, LENGTH, WIDTH, HEADS, SIZE = 2, 5, 12, 3, 4
LENGTHS = torch.tensor([5, 3])


class Book(nn.Module):
    """What all of them have in common: where a reader goes wrong (`wrong`), and what they have seen on the way."""

    def __init__(self, wrong=""):
        super().__init__()
        self.wrong, self.seen = wrong, {}
        self.parts()

    def linear(self, *names, bias=True):
        for name in names:
            setattr(self, name, nn.Linear(WIDTH, WIDTH, bias=bias))

    def matrices(self, *names, shape=(WIDTH, WIDTH)):
        for name in names:
            setattr(self, name, nn.Parameter(torch.randn(shape) / 2))

    def cut(self, x):
        if self.wrong == "split_without_transpose":
            return x.reshape(len(x), HEADS, -1, SIZE)
        return x.reshape(len(x), -1, HEADS, SIZE).transpose(1, 2)

    def joined(self, context):
        if self.wrong == "concat_without_transpose":
            return context.reshape(len(context), -1, WIDTH)
        return context.transpose(1, 2).reshape(len(context), -1, WIDTH)

    def attend(self, q, k, v, hidden=None):
        """(..., query, d_head)"""
        scores = q @ k.transpose(-1, -2) / {"scale_missing": 1, "scale_d_head": SIZE}.get(self.wrong, math.sqrt(SIZE))
        if hidden is not None:
            hidden = {"mask_inverted": ~hidden, "mask_missing": torch.zeros_like(hidden)}.get(self.wrong, hidden)
        weights = F.softmax(scores if hidden is None else scores.masked_fill(hidden, -1e9),
                            dim=-2 if self.wrong == "softmax_over_queries" else -1)
        self.keep(scores=scores, weights=weights)
        return weights @ (k if self.wrong == "values_from_keys" else v)

    def keep(self, **arrays):
        for name, array in arrays.items():
            self.seen[name] = array.detach()


class NoBias(Book):
    """nn.Linear without bias."""

    def parts(self):
        self.linear("W_q", "W_k", "W_v", "W_o", bias=False)

    def forward(self, x):
        return self.W_o(self.joined(self.attend(*(self.cut(part(x)) for part in (self.W_q, self.W_k, self.W_v)))))


class Lettered(NoBias):
    """Its parts have the names that T5 has, which doesn't scale."""

    def parts(self):
        self.linear("q", "k", "v", "o", bias=False)
        self.W_q, self.W_k, self.W_v, self.W_o = self.q, self.k, self.v, self.o


class Fused(Book):
    """Queries, keys and values at once, one after the other."""

    def parts(self):
        self.c_attn, self.c_proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return self.c_proj(self.joined(self.attend(*map(self.cut, self.c_attn(x).chunk(3, -1)))))


class FusedByHead(Book):
    """Queries, keys and values at once, each head's own together."""

    def parts(self):
        self.qkv_proj, self.o_proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = self.qkv_proj(x).reshape(len(x), -1, HEADS, 3 * SIZE).transpose(1, 2).chunk(3, -1)
        return self.o_proj(self.joined(self.attend(q, k, v)))


class Interleaved(Book):
    """Queries, keys and values at once, with the heads of a number side by side, as einops' "b t (d k h)"."""

    def parts(self):
        self.to_qkv, self.W_0 = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        q, k, v = self.to_qkv(x).reshape(len(x), -1, SIZE, 3, HEADS).permute(3, 0, 4, 1, 2)
        return self.W_0(self.joined(self.attend(q, k, v)))


class HeadModules(Book):
    """A module for each head."""

    class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.key, self.query, self.value = (nn.Linear(WIDTH, SIZE, bias=False) for _ in range(3))
            self.register_buffer("tril", torch.tril(torch.ones(8, 8)))

    def parts(self):
        self.heads, self.proj = nn.ModuleList(self.Head() for _ in range(HEADS)), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        length, results, seen = x.shape[1], [], []
        for head in self.heads:
            k, q, v = head.key(x), head.query(x), head.value(x)
            results.append(self.attend(q, k, v, head.tril[:length, :length] == 0))
            seen.append(self.seen)
            self.seen = {}
        self.keep(**{name: torch.stack([each[name] for each in seen], 1) for name in seen[0]})
        return self.proj(torch.cat(results, -1))


class HeadMatrices(Book):
    """A matrix for each head, and no linear layers."""

    def parts(self):
        self.queries, self.keys, self.values = (nn.ParameterList(nn.Parameter(torch.randn(WIDTH, SIZE) / 2) for _ in range(HEADS))
                                                for _ in range(3))
        self.matrices("out")

    def forward(self, x):
        q, k, v = (torch.stack([x @ matrix for matrix in part], 1) for part in (self.queries, self.keys, self.values))
        return self.joined(self.attend(q, k, v)) @ self.out


class Keras(Book):
    """Kernels with an axis of heads, and biases."""

    def parts(self):
        self.matrices("query_kernel", "key_kernel", "value_kernel", shape=(WIDTH, HEADS, SIZE))
        self.matrices("query_bias", "value_bias", shape=(HEADS, SIZE))
        self.matrices("output_kernel", shape=(HEADS, SIZE, WIDTH))
        self.matrices("output_bias", shape=(WIDTH,))

    def forward(self, x, attention_mask=None):
        q, k, v = (torch.einsum("btd,dhs->bhts", x, kernel) for kernel in (self.query_kernel, self.key_kernel, self.value_kernel))
        q, v = q + self.query_bias[:, None], v + self.value_bias[:, None]
        context = self.attend(q, k, v, None if attention_mask is None else attention_mask[:, None] == 0)
        return torch.einsum("bhts,hsd->btd", context, self.output_kernel) + self.output_bias


class SeenMask(Book):
    """A mask that is 1 where a key is seen, and the layers in a list; it takes queries, keys and values."""

    def parts(self):
        self.h, self.linears, self.dropout = HEADS, nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(4)), nn.Dropout(0.1)

    def forward(self, query, key, value, mask=None):
        q, k, v = (self.cut(layer(each)) for layer, each in zip(self.linears, (query, key, value)))
        return self.linears[-1](self.joined(self.attend(q, k, v, None if mask is None else mask[:, None] == 0)))


class ValidLengths(SeenMask):
    """How many keys of each item are seen."""

    def parts(self):
        self.linear("W_q", "W_k", "W_v", "W_o", bias=False)
        self.linears = [self.W_q, self.W_k, self.W_v, self.W_o]

    def forward(self, query, key, value, valid_lens):
        return super().forward(query, key, value, (torch.arange(key.shape[1]) < valid_lens[:, None])[:, None].int())


class BatchSecond(Book):
    """(position, batch, feature), and all heads of all items in one axis."""

    def parts(self):
        self.linear("q", "k", "v", "o")

    def forward(self, x):
        length, batch = x.shape[:2]
        q, k, v = (part(x).reshape(length, batch * HEADS, SIZE).transpose(0, 1) for part in (self.q, self.k, self.v))
        context = self.attend(q, k, v)
        if self.wrong == "concat_without_transpose":
            return self.o(context.reshape(length, batch, WIDTH))
        return self.o(context.transpose(0, 1).reshape(length, batch, WIDTH))


class OneHead(Book):
    """The first that most books show: no split, and nothing after it."""

    def parts(self):
        self.W_query, self.W_key, self.W_value = (nn.Linear(WIDTH, SIZE, bias=False) for _ in range(3))

    def forward(self, x):
        return self.attend(self.W_query(x), self.W_key(x), self.W_value(x))


X = torch.randn(BATCH, LENGTH, WIDTH, generator=torch.Generator().manual_seed(1))
CAUSAL = torch.ones(1, LENGTH, LENGTH).tril()
PADDED = (torch.arange(LENGTH) < LENGTHS[:, None])[:, None].expand(BATCH, LENGTH, LENGTH).int()
SCORES = ["scale_missing", "scale_d_head", "softmax_over_queries"]
SHAPES = ["split_without_transpose", "concat_without_transpose"]
# Each with what it is called with, and the mistakes that a reader can make in it.
BOOKS = [(NoBias, (X,), [*SCORES, *SHAPES, "values_from_keys"]), (Lettered, (X,), SCORES), (Fused, (X,), [*SCORES, *SHAPES]),
         (FusedByHead, (X,), ["scale_missing", "concat_without_transpose"]), (Interleaved, (X,), ["scale_missing"]),
         (HeadModules, (X,), ["scale_d_head", "mask_missing", "mask_inverted"]), (HeadMatrices, (X,), SCORES),
         (Keras, (X,), SCORES), (Keras, (X, CAUSAL), ["mask_inverted", "mask_missing"]),
         (SeenMask, (X, X, X), SCORES), (SeenMask, (X, X, X, CAUSAL), ["mask_inverted", "mask_missing"]),
         (SeenMask, (X, X, X, PADDED), ["mask_inverted", "mask_missing"]), (SeenMask, (X, X[:, :3] * 2, X[:, :3] * 2), ["scale_missing"]),
         (ValidLengths, (X, X, X, LENGTHS), ["mask_missing", "scale_d_head"]), (BatchSecond, (X.transpose(0, 1),), [*SCORES]),
         (OneHead, (X,), SCORES)]


class Textbooks(notebook.NotebookTest):
    def work_of(self, book, inputs):
        with torch.no_grad():
            output = book(*inputs)
        return {**book.seen, "output": output}

    def test_each_is_shown_with_its_own_numbers_and_checked(self):
        for kind, inputs, mistakes in BOOKS:
            with self.subTest(kind.__name__, inputs=len(inputs)):
                right = kind().eval()
                shown = headlight.show(right, *inputs)
                self.assertLessEqual({"X", "W_q", "W_k", "W_v", "W_o"}, {*shown.values})
                work = self.work_of(right, inputs)
                checked = headlight.check(**work)
                self.assertTrue(checked.agrees, repr(checked))
                self.assertEqual({each["name"] for each in checked.report["tensors"]}, {*work})
            for mistake in mistakes:
                with self.subTest(kind.__name__, inputs=len(inputs), mistake=mistake):
                    wrong = kind(mistake).eval()
                    wrong.load_state_dict(right.state_dict())
                    checked = headlight.check(**self.work_of(wrong, inputs))
                    self.assertFalse(checked.agrees)
                    self.assertIn(mistake, checked.mistakes, repr(checked))
                    self.assertTrue(checked.fix)

    def test_a_model_with_two_of_them_beside_other_layers(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = FusedByHead(), HeadMatrices()
                self.mlp = nn.Sequential(nn.Linear(WIDTH, 20), nn.ReLU(), nn.Linear(20, WIDTH))

            def forward(self, x):
                x = x + self.first(x)
                return self.second(x + self.mlp(x))

        model = Model().eval()
        output = self.work_of(model.second, (X,)) and model(X)
        np.testing.assert_allclose(headlight.trace(model, X)["weights"], model.first.seen["weights"], atol=1e-6)
        np.testing.assert_allclose(headlight.trace(model, X, layer=1)["output"], output.detach(), atol=1e-5)

    def test_what_it_is_called_with_may_have_names(self):
        book = Keras().eval()
        headlight.show(book, x=X, attention_mask=CAUSAL)
        with torch.no_grad():
            self.assertTrue(headlight.check(output=book(X, CAUSAL)).agrees)

    def test_a_query_that_sees_no_key(self):
        """PyTorch gives nan for it, and Headlight zeros."""
        class Before(NoBias):
            def attend(self, q, k, v):
                scores = q @ k.transpose(-1, -2) / math.sqrt(SIZE)
                self.keep(weights=scores.masked_fill(torch.ones(LENGTH, LENGTH).triu().bool(), -math.inf).softmax(-1))
                return self.seen["weights"] @ v

        before = Before().eval()
        shown = headlight.show(before, X)
        self.assertIn("W_o", shown.values)
        self.assertTrue(before.seen["weights"][:, :, 0].isnan().all())
        np.testing.assert_allclose(headlight.trace(shown)["weights"], before.seen["weights"].nan_to_num(), atol=1e-6)

    def test_the_bias_of_keys(self):
        """It changes no weights, but what comes of a wrong softmax."""
        class WithKeyBias(Keras):
            def parts(self):
                super().parts()
                self.matrices("key_bias", shape=(HEADS, SIZE))

            def attend(self, q, k, v, hidden=None):
                return super().attend(q, k + self.key_bias[:, None], v, hidden)

        right, wrong = WithKeyBias().eval(), WithKeyBias("softmax_over_queries").eval()
        wrong.load_state_dict(right.state_dict())
        shown = headlight.show(right, X)
        np.testing.assert_array_equal(shown.values["b_k"], right.key_bias.detach().flatten())
        self.assertEqual(headlight.check(**self.work_of(wrong, (X,))).mistakes, ["softmax_over_queries"])

    def test_a_class_whose_names_say_more_than_it_does(self):
        """Its parts are called like those of a library, but it loops over batch and heads: its weights are shown."""
        class Loops(Lettered):
            def forward(self, x):
                results = []
                for item in x:
                    q, k, v = (part(item).unflatten(-1, (HEADS, SIZE)) for part in (self.q, self.k, self.v))
                    heads = [F.softmax(q[:, head] @ k[:, head].T / math.sqrt(SIZE), -1) @ v[:, head] for head in range(HEADS)]
                    results.append(self.o(torch.cat(heads, -1)))
                return torch.stack(results)

        loops = Loops().eval()
        q, k = (part(X[0]).unflatten(-1, (HEADS, SIZE)).transpose(0, 1) for part in (loops.q, loops.k))
        want = (q @ k.transpose(-1, -2) / math.sqrt(SIZE)).softmax(-1).detach()
        np.testing.assert_allclose(headlight.trace(loops, X)["weights"][0, 0], want[0], atol=1e-6)

    def test_attention_in_one_function(self):
        """As PyTorch 2 has it. In older ones a function like it stands in."""
        def attend(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
            scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
            if is_causal:
                scores = scores + torch.full(scores.shape[-2:], -math.inf).triu(1)
            exponentials = (scores if attn_mask is None else scores.masked_fill(~attn_mask, -math.inf)).exp()
            return exponentials / exponentials.sum(-1, keepdim=True) @ value

        class OneFunction(HeadMatrices):
            causal = False

            def attend(self, q, k, v):
                seen = None if self.causal else (CAUSAL + CAUSAL.transpose(-1, -2) > 0) & (torch.arange(LENGTH) != 3)
                return F.scaled_dot_product_attention(q, k, v, attn_mask=seen, is_causal=self.causal)

        if not hasattr(F, "scaled_dot_product_attention"):
            F.scaled_dot_product_attention = attend
            self.addCleanup(delattr, F, "scaled_dot_product_attention")
        for causal in (True, False):
            book = OneFunction().eval()
            book.causal = causal
            trace = headlight.trace(book, X)
            np.testing.assert_allclose(trace["output"], book(X).detach(), atol=1e-5)
            np.testing.assert_array_equal(trace["weights"][0, 0] == 0, ~CAUSAL[0].bool() if causal else torch.arange(LENGTH).expand(LENGTH, -1) == 3)


if __name__ == "__main__":
    unittest.main()
