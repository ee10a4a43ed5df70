"""Compares tasks, gradients and training with PyTorch's autograd and torch.optim, on random setups.

    learning.py --headlight build/release/headlight [--count 24] [--seed 0] [--keep FOLDER]

For each setup
- `headlight compute` must give the same sequences, logits, probabilities and losses, and the same gradient of every tensor;
- both generated scripts must run without a warning and agree with that archive;
- the weights after some steps of training must be the same, and the curve that `headlight train` writes.
The layer is written down here once more, in PyTorch, in float64. Exit code 0: all agree; 1: some do not.
"""
import argparse
import csv
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import torch

import block
import compare
import random_setups
import reference

ANSWERS = {"induction": 1, "previous": 1, "first": 1, "reverse": 1, "lookup": 1, "previous_and_first": 2, "text": 1}


class Source:
    """Draws batches of sequences with the library that the setup names."""

    def __init__(self, setup):
        sizes = reference.Sizes(setup)
        self.task, self.length, self.past = setup["task"], sizes.tokens, sizes.past
        self.width = block.symbols_held(setup) if block.embeds(setup) else setup["sizes"]["d_model"]
        seed, kind = self.task.get("seed", 0), setup["random"]["generator"]
        if kind == "torch":
            generator = torch.Generator().manual_seed(seed)
            self.integers = lambda end, *shape: torch.randint(0, end, shape, generator=generator).numpy()
            self.numbers = lambda *shape: torch.rand(*shape, generator=generator, dtype=torch.float64).numpy()
        elif kind == "numpy":
            generator = np.random.RandomState(seed)
            self.integers = lambda end, *shape: generator.randint(0, end, shape)
            self.numbers = generator.rand
        else:
            generator = np.random.default_rng(seed)
            self.integers = lambda end, *shape: generator.integers(0, end, shape)
            self.numbers = lambda *shape: generator.random(shape)

    def next(self, count):
        """X and the labels of its queries in the next sequences; a label of -1 is not asked for."""
        X, labels = self.next_whole(count)
        return X, labels[:, self.past:]

    def parts_of_text(self, count):
        """What the next sequences have: characters, each position's and one more."""
        lines = self.task["text"]
        if self.task.get("split", "lines") == "lines":
            return ["\n" + lines[n] + "\n" for n in self.integers(len(lines), count)]
        text = "\n".join(lines)
        return [text[n:n + self.length + 1] for n in self.integers(len(text) - self.length, count)]

    def held_and_asked(self, parts):
        X, labels = np.zeros((len(parts), self.length, self.width)), np.full((len(parts), self.length, 1), -1)
        characters = ["\n"] + sorted(set("".join(self.task["text"])))
        for n, part in enumerate(parts):
            symbols = [characters.index(character) for character in part]
            for i in range(self.length):
                X[n, i, symbols[i] if i < len(symbols) else 0] = 1
                if i + 1 < len(symbols):
                    labels[n, i, 0] = symbols[i + 1]
        return X, labels

    def shown(self, count):
        """The sequences that are shown: the task's own texts, or else the first ones."""
        if "shown" not in self.task:
            return self.next(count)
        in_lines = self.task.get("split", "lines") == "lines"
        X, labels = self.held_and_asked([f"\n{text}\n" if in_lines else text for text in self.task["shown"]])
        return X, labels[:, self.past:]

    def next_whole(self, count):
        if self.task["name"] == "text":
            return self.held_and_asked(self.parts_of_text(count))
        S, L, name = block.symbol_count(self.task), self.length, self.task["name"]
        X, labels = np.zeros((count, L, self.width)), np.full((count, L, ANSWERS[name]), -1)
        if name == "lookup":
            keys = np.argsort(self.numbers(count, S), axis=1)[:, :L - 1]
            values, asked = self.integers(S, count, L - 1), self.integers(L - 1, count)
            for n in range(count):
                for i in range(L - 1):
                    X[n, i, keys[n, i]] = X[n, i, S + values[n, i]] = 1
                X[n, -1, keys[n, asked[n]]] = 1
                labels[n, -1, 0] = values[n, asked[n]]
            return X, labels
        if name == "induction":
            r = L // 3
            first = np.argsort(self.numbers(count, S), axis=1)[:, :L - r]
            starts = self.integers(L - r - r, count)
            for n in range(count):
                held = [*first[n], *first[n, starts[n]:starts[n] + r]]
                X[n, range(L), held] = 1
                labels[n, L - r:, 0] = first[n, starts[n] + 1:starts[n] + r + 1]
            return X, labels
        held = self.integers(S, count, L)
        for n in range(count):
            for i in range(L):
                X[n, i, held[n, i]] = 1
                right = {"previous": [held[n, i - 1]], "first": [held[n, 0]], "reverse": [held[n, L - 1 - i]],
                         "previous_and_first": [held[n, i - 1], held[n, 0]]}[name]
                if i > 0 or name in ("first", "reverse"):
                    labels[n, i] = right
        return X, labels


def leaf(array):
    return torch.tensor(array, requires_grad=True)


def turned(setup, x, name):
    """Rotary positions: each pair of features is turned by an angle."""
    sizes, position = reference.Sizes(setup), setup["position"]
    d_head = int(position.get("fraction", 1) * x.shape[-1])
    x, rest = x[..., :d_head], x[..., d_head:]
    first = sizes.past if name == "Q" else 0
    places = torch.tensor([[float(reference.place_of(setup, sizes, b, first + i)) for i in range(x.shape[2])]
                           for b in range(x.shape[0])] if skips_padding(setup) else
                          [[float(first + i) for i in range(x.shape[2])]])
    angle = places[:, None, :, None].double() * \
        position.get("base", 1e4) ** -(torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
    neighbours = position.get("layout", "half") == "interleaved"
    pairs = x.unflatten(-1, (-1, 2)) if neighbours else x.unflatten(-1, (2, -1)).transpose(-1, -2)
    a, b = pairs.unbind(-1)
    result = torch.stack([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1)
    return torch.cat([(result if neighbours else result.transpose(-1, -2)).flatten(-2), rest], -1)


def skips_padding(setup):
    return setup["position"].get("from") == "first_real" and "padding" in setup["mask"].get("kinds", []) and \
        setup["mask"].get("padding_side") == "left"


def normalised(setup, x, centred=False, axes=(-1,)):
    x = x - x.mean(axes, keepdim=True) if centred else x
    return x * torch.rsqrt(x.pow(2).mean(axes, keepdim=True) + setup.get("norm", {}).get("epsilon", 1e-6))


def normalised_heads(setup, x, t, name):
    if setup["attention"].get("qk_norm_over") == "heads":
        return normalised(setup, x, axes=(1, 3)) * t[name + "_head_gains"][:, None]
    return normalised(setup, x) * t[name + "_gain"]


def pass_through(setup, weights, X, visible):
    """Every tensor of the layer before the logits, and what leaves it. X has the symbols where they are embedded."""
    sizes = reference.Sizes(setup)
    batch, L = X.shape[0], sizes.queries
    t = {"X": X, **weights}
    if block.embeds(setup):
        t["embed"] = t["X"] = X @ weights["W_E"]
    t |= {name: leaf(table) for name, table in reference.encode(setup, sizes, t).items()}
    x = t["X"]
    if "P" in t:
        places = [[reference.place_of(setup, sizes, b, i) for i in range(sizes.tokens)] for b in range(batch)] \
            if skips_padding(setup) else [list(range(sizes.tokens))]
        x = t["X_plus_P"] = x + t["P"][torch.tensor(places)]
    if block.is_residual(setup):
        t["resid_pre"] = x
    if "norm_gain" in t and not block.is_after(setup):
        t["N"] = normalised(setup, x, reference.norm_of(setup) == "layer") * t["norm_gain"] + t.get("norm_bias", 0)
        x = t["N"]
    for name, heads in (("Q", sizes.heads), ("K", sizes.kv_heads), ("V", sizes.kv_heads)):
        t[name] = (x[:, sizes.past:] if name == "Q" else x) @ t["W_" + name.lower()]
        if "b_" + name.lower() in t:
            t[name] = t[name] + t["b_" + name.lower()]
        t[name + "_heads"] = t[name].reshape(batch, -1, heads, sizes.d_head).permute(0, 2, 1, 3)
    group = sizes.heads // sizes.kv_heads
    attention = setup.get("attention", {})
    choice = attention.get("scale", "inverse_sqrt_d_head")
    factor = {"inverse_sqrt_d_head": sizes.d_head ** -0.5, "none": 1.0}.get(choice, choice)
    queries, keys = t["Q_heads"], t["K_heads"]
    if attention.get("qk_norm"):
        queries = t["Q_normed"] = normalised_heads(setup, queries, t, "q")
        keys = t["K_normed"] = normalised_heads(setup, keys, t, "k")
    if reference.encoding_of(setup) == "rotary":
        queries, keys = turned(setup, queries, "Q"), turned(setup, keys, "K")
        t |= {"Q_rotated": queries, "K_rotated": keys}
    t["dot_products"] = torch.einsum("bhid,bhjd->bhij", queries, keys.repeat_interleave(group, 1))
    t["scores"] = t["dot_products"] * (factor / attention.get("temperature", 1.0))
    t |= {name: leaf(bias) for name, bias in reference.position_bias(setup, sizes, t).items()}
    if "position_bias" in t:
        t["scores"] = t["scores"] + t["position_bias"]
    if most := attention.get("soft_cap", 0):
        t["capped_scores"] = most * torch.tanh(t["scores"] / most)
    t["masked_scores"] = t.get("capped_scores", t["scores"]).masked_fill(~visible, -np.inf)
    blind = ~visible.any(-1, keepdim=True)
    if (sink := reference.sink_of(setup)) != "none":
        sinks = t["sinks"] if sink == "learned" else torch.zeros(sizes.heads, dtype=torch.float64)
        column = sinks[None, :, None, None].expand(batch, -1, L, 1)
        t["weights"] = torch.softmax(torch.cat([t["masked_scores"], column], -1), -1)[..., :-1]
    else:
        t["weights"] = torch.softmax(t["masked_scores"].masked_fill(blind, 0), -1).masked_fill(blind, 0)
    kept = torch.tensor([h not in attention.get("ablated_heads", []) for h in range(sizes.heads)])[:, None, None]
    t["context"] = torch.einsum("bhij,bhjd->bhid", t["weights"], t["V_heads"].repeat_interleave(group, 1)) * kept
    t["concat"] = t["context"].permute(0, 2, 1, 3).reshape(batch, L, -1)
    t["output"] = t["concat"] @ t["W_o"]
    if "b_o" in t:
        t["output"] = t["output"] + t["b_o"]
    made, leaving = block.run(setup, sizes, t)
    return t | made, leaving


def forward(setup, weights, X, labels, visible):
    """Every tensor of the layer and L, from leaves that require gradients."""
    t, leaving = pass_through(setup, weights, X, visible)
    return t, answer(setup, t, leaving, labels)


def answer(setup, t, leaving, labels):
    """L, and what is between it and what leaves the layer."""
    batch, L, _ = leaving.shape
    S, A = block.symbol_count(setup["task"]), labels.shape[2]
    t["logits"] = leaving[..., :A * S]
    t["probabilities"] = t["logits"].reshape(batch, L, A, S).softmax(-1).reshape(batch, L, A * S)
    right = t["probabilities"].reshape(batch, L, A, S).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    asked = labels[..., 0] >= 0
    t["loss"] = (-right.log()).mean(-1).masked_fill(~asked, 0)
    return t["loss"][asked].mean()


def visible_keys(setup, batch):
    sizes = reference.Sizes(setup)
    cells = [[[reference.visible(setup, sizes, b, i, j) for j in range(sizes.keys)] for i in range(sizes.queries)]
             for b in range(batch)]
    return torch.tensor(cells)[:, None]


class Layer:
    """The layer of a setup: drawn, and trained for as many steps as the setup says."""

    def __init__(self, setup):
        self.setup = setup
        sizes = reference.Sizes(setup)
        drawn, _ = reference.run_draws(setup, sizes)
        drawn.pop("X")
        self.source = Source(setup)
        self.shown = self.source.shown(sizes.batch)
        self.weights = {name: leaf(value) for name, value in drawn.items()}

    def run(self, setup, batch, visible):
        X, labels = batch
        return forward(setup, self.weights, leaf(X), torch.tensor(labels), visible)

    def train(self):
        """The curve: a row for each step, as `headlight train` writes them."""
        training = self.setup["training"]
        kind = torch.optim.SGD if training["optimizer"] == "sgd" else torch.optim.Adam
        optimizer = kind(self.weights.values(), lr=training["learning_rate"])
        if training["steps"] == 0:
            return []
        own, shown = visible_keys(self.setup, training["batch"]), visible_keys(self.setup, self.setup["sizes"]["batch"])
        learning, rows = while_learning(self.setup), []
        for step in range(1, training["steps"] + 1):
            _, loss = self.run(learning, self.source.next(training["batch"]), own)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                t, shown_loss = self.run(learning, self.shown, shown)
            rows.append((step, loss.item(), shown_loss.item(), accuracy(self.setup, t, self.shown[1])))
        return rows

    def trace(self):
        """Every tensor and every gradient of the sequences that are shown."""
        t, loss = self.run(self.setup, self.shown, visible_keys(self.setup, self.setup["sizes"]["batch"]))
        gradients = torch.autograd.grad(loss, list(t.values()))
        arrays = {name: tensor.detach().numpy() for name, tensor in t.items()}
        arrays |= reference.head_matrices(self.setup, reference.Sizes(self.setup), arrays)
        return arrays | {"grad_" + name: g.numpy() for name, g in zip(t, gradients)}


def accuracy(setup, t, labels):
    S = block.symbol_count(setup["task"])
    best = t["logits"].reshape(*labels.shape, S).argmax(-1).numpy()
    asked = labels >= 0
    return (best[asked] == labels[asked]).mean()


def while_learning(setup):
    """The setup of the steps: other heads may be ablated than after the last one."""
    training, attention = setup["training"], setup.get("attention", {})
    ablated = {*attention.get("ablated_heads", [])} - {*training.get("with_heads", [])} | {*training.get("without_heads", [])}
    return setup | {"attention": attention | {"ablated_heads": sorted(ablated)}}


def other_heads(number, setup):
    """Heads that are ablated only after the last step, or only before."""
    r = random.Random(f"heads {number}")
    heads = range(setup["sizes"]["heads"])
    if not r.random() < 0.5:
        return {}
    setup["attention"]["ablated_heads"] = r.sample(heads, r.randint(0, len(heads)))
    return {"with_heads": r.sample(heads, r.randint(0, len(heads))), "without_heads": r.sample(heads, r.randint(0, 1))}


def with_block(number, setup, name, symbols):
    """What is around attention, in half of the setups."""
    r = random.Random(f"block {number}")
    if r.random() < 0.4:
        return
    if r.random() < 0.8:
        random_setups.add_block(r, setup)
    if r.random() < 0.5:
        setup["embedding"] = {"learned": True}
        setup["random"]["draws"] += ["W_E normal" + r.choice(["", " 0.5"])]
        if r.random() < 0.5 and "d_head" not in setup["sizes"]:
            setup["sizes"]["d_model"] = setup["sizes"]["heads"] * 4
    if r.random() < 0.5 or columns_needed(name, symbols) > setup["sizes"].get("d_out", setup["sizes"]["d_model"]):
        setup.setdefault("embedding", {})["unembed"] = True
        setup["random"]["draws"] += ["W_U normal"] + (["b_U normal"] if r.random() < 0.3 else [])


def columns_needed(name, symbols):
    return symbols * ANSWERS[name]


def is_square(setup):
    sizes = reference.Sizes(setup)
    return sizes.heads * sizes.d_head == sizes.d_model


def random_task_setup(number, steps):
    """A random setup with a task; with `steps` one whose training is well-behaved, so that rounding does not grow."""
    setup = random_setups.random_setup(number, with_conventions=number % 3 > 0)
    r = random.Random(f"task {number}")
    sizes, attention = setup["sizes"], setup["attention"]
    sizes.pop("key_length", None)
    attention.pop("dropout", None)
    attention["source"] = "self"
    sizes["query_length"] = max(2, min(8, sizes["query_length"]))
    L = sizes.get("past", 0) + sizes["query_length"]
    name = r.choice([task for task in ANSWERS if task != "text" and (task != "induction" or L >= 3)])
    symbols = max(r.randint(2, 8), L - 1)
    needed = symbols * (2 if name in ("lookup", "previous_and_first") else 1)
    sizes.pop("d_source", None)
    if "d_head" in sizes:
        sizes["d_model"] = max(needed, sizes["d_model"])
    else:
        sizes["d_model"] = sizes["heads"] * max(-(-needed // sizes["heads"]), sizes["d_model"] // sizes["heads"])
    if "d_out" in sizes:
        sizes["d_out"] = max(symbols * ANSWERS[name], sizes["d_out"])
    sides = {key: setup["mask"][key] for key in ("align", "padding_side") if key in setup["mask"]}
    places = {key: setup["position"][key] for key in ("from", "fraction") if key in setup["position"]}
    width = int(places.get("fraction", 1) * random_setups.d_head(sizes))
    if width < 2 or width % 2 != 0:
        places.pop("fraction", None)
    setup["mask"] = random_setups.mask(r, sizes["query_length"], L, sizes["batch"]) | sides
    setup["position"] = random_setups.position(r, setup, L) | places
    drawn = setup["random"]["draws"]
    setup["random"]["draws"] = [draw for draw in drawn if not draw.startswith(("X", "Y", "P")) and
                                (draw != "W_qkv xavier_uniform" or is_square(setup))]
    if setup["position"].get("encoding") == "learned":
        setup["random"]["draws"].append("P normal")
    setup.pop("values", None)
    setup.pop("features", None)
    with_block(number, setup, name, symbols)
    if setup["position"].get("encoding") == "one_hot" and L > sizes["d_model"]:
        setup["position"].pop("encoding")
    setup["task"] = {"name": name, "symbols": symbols, "seed": r.choice([0, 3, 1234, 2**32 - 1])}
    setup["training"] = {"optimizer": r.choice(["adam", "sgd"]), "learning_rate": r.choice([0.001, 0.01]),
                         "batch": r.choice([1, 5, 32]), "steps": steps} | other_heads(number, setup)
    if steps:
        attention["precision"] = "float64"
        attention.pop("scale", None)
        attention["temperature"] = 1.0
        if attention.get("qk_norm"):  # a head that begins at zero grows out of rounding alone
            others = [draw for draw in setup["random"]["draws"] if not draw.startswith(("W_q", "W_k"))]
            setup["random"]["draws"] = others + ["W_q normal", "W_k normal"]
        setup["mask"]["kinds"] = [kind for kind in setup["mask"]["kinds"] if kind != "padding"]
    return setup


def differences(setup, computed, expected, limit):
    names = set(expected) | set(computed) - {"curve"}
    # A gradient that cancels to 0, as that of b_k, is made of rounding alone.
    least = np.abs(expected["grad_logits"]).max()
    largest_score = np.abs(expected["scores"]).max()
    limit = max(limit, 8 * np.finfo(computed["scores"].dtype).eps * largest_score)
    for name in sorted(names):
        if name not in computed or name not in expected or computed[name].shape != expected[name].shape:
            yield f"{name} is {getattr(computed.get(name), 'shape', 'missing')} instead of " \
                  f"{getattr(expected.get(name), 'shape', 'missing')}"
            continue
        mine, theirs = computed[name].astype(np.float64), expected[name]
        finite = np.isfinite(theirs)
        if not np.array_equal(mine[~finite], theirs[~finite], equal_nan=True):
            yield f"{name} is not infinite in the same places"
            continue
        difference = np.abs(mine[finite] - theirs[finite]).max(initial=0)
        magnitude = np.abs(theirs[finite]).max(initial=least if name.startswith("grad_") else 1e-300)
        if not difference <= limit * magnitude:
            yield f"{name} differs by {difference / magnitude:.1e}, allowed {limit:.1e}"


def curve_problems(setup, binary, folder, rows, limit):
    path = folder / "curve.csv"
    compare.headlight(binary, "train", "--setup", folder / "setup.toml", "--steps", len(rows), "-o", path)
    with path.open() as file:
        lines = list(csv.reader(file))
    if lines[0] != ["step", "loss", "shown_loss", "shown_accuracy"]:
        yield f"the curve begins with {lines[0]}"
    found = np.array([[float(value) for value in line] for line in lines[1:]])
    if found.shape != (len(rows), 4):
        yield f"the curve has the shape {found.shape}"
        return
    difference = np.abs(found - np.array(rows))
    if not difference[:, :3].max() <= limit:
        yield f"the curve differs by {difference[:, :3].max():.1e}"
    if (difference[:, 3] > 0).mean() > 0.02:  # a tie of two logits may fall either way
        yield f"the accuracies differ in {(difference[:, 3] > 0).sum()} steps"


def setup_problems(number, steps, binary, folder):
    setup = random_task_setup(number, steps)
    (folder / "setup.toml").write_text(random_setups.to_toml(setup))
    archive = folder / "trace.npz"
    try:
        compare.headlight(binary, "compute", "--setup", folder / "setup.toml", "-o", archive)
    except (RuntimeError, subprocess.TimeoutExpired) as failure:
        yield str(failure)
        return
    with np.load(archive) as file:
        computed = dict(file)
    layer = Layer(setup)
    rows = layer.train()
    limit = 2e-5 if compare.is_single(setup) else 1e-9
    yield from differences(setup, computed, layer.trace(), 1e-7 if steps else limit)
    yield from compare.stage_problems(setup, computed)
    if steps:
        yield from curve_problems(setup, binary, folder, rows, 1e-5)
    for framework in compare.FRAMEWORKS:
        path = folder / f"{framework}.py"
        compare.headlight(binary, "script", "--setup", folder / "setup.toml", "--framework", framework, "-o", path)
        code, printed = compare.run_script(path, archive)
        if code != 0:
            yield f"the {framework} script exits with {code}:\n{printed}"
        code, printed = compare.run_script(path)
        if code != 0:
            yield f"the {framework} script alone exits with {code}:\n{printed}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headlight", required=True)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first setup")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the files of setups that fail")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    failed = 0
    for number in range(arguments.seed, arguments.seed + arguments.count):
        steps = 0 if number % 4 < 2 else 300 if number % 12 == 2 else 50
        with tempfile.TemporaryDirectory() as name:
            problems = list(setup_problems(number, steps, arguments.headlight, pathlib.Path(name)))
            if problems and arguments.keep:
                shutil.copytree(name, arguments.keep / str(number), dirs_exist_ok=True)
        failed += bool(problems)
        for problem in problems:
            print(f"setup {number}, {steps} steps: {problem}")
    libraries = f"NumPy {np.__version__} and PyTorch {torch.__version__}"
    print(f"{arguments.count - failed} of {arguments.count} setups agree with {libraries}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
