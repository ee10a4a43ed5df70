"""Compares models of several layers with PyTorch: every tensor, the gradients by autograd, training by torch.optim.

    model.py --headlight build/release/headlight [--count 24] [--seed 0] [--keep FOLDER]

Random setups of 1 to 4 layers, with everything that a layer may have, and numbers drawn, given and ablated layer by layer.
`headlight compute` must give the same as the layers one after the other, in float64, and `headlight train` the same curve.
Exit code 0: all agree; 1: some do not.
"""
import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import torch

import block
import compare
import learning
import random_setups
import reference

OF_FIRST = ("W_E", "P")
OF_LAST = ("final_norm_gain", "final_norm_bias", "W_U", "b_U")
ONCE = ("W_E", "embed", "P", "X_plus_P", "N_final", "unembed", "logits", "probabilities", "loss", *OF_LAST)


def seen_at(setup, layer):
    """The setup of one layer: what only the first and the last have is theirs."""
    last = setup["sizes"].get("layers", 1) - 1
    own = {**setup, "attention": dict(setup.get("attention", {})), "position": dict(setup.get("position", {})),
           "norm": dict(setup.get("norm", {})), "embedding": dict(setup.get("embedding", {}))}
    heads = [reference.in_layer(str(head)) for head in own["attention"].pop("ablated_heads", [])]
    own["attention"]["ablated_heads"] = [int(head) for at, head in heads if at == layer]
    if layer > 0:
        own["embedding"].pop("learned", None)
        if own["position"].get("encoding") in ("one_hot", "sinusoidal", "learned"):
            own["position"].pop("encoding")
    if layer < last:
        own["norm"].pop("final", None)
        own["embedding"].pop("unembed", None)
    return own


def weights_of(setup, layer):
    drawn, _ = reference.run_draws(setup, reference.Sizes(setup), layer)
    last = setup["sizes"].get("layers", 1) - 1
    gone = {"X", *(OF_FIRST if layer > 0 else ()), *(OF_LAST if layer < last else ())}
    return {name: learning.leaf(value) for name, value in drawn.items() if name not in gone}


class Model:
    def __init__(self, setup):
        self.setup, self.layers = setup, setup["sizes"].get("layers", 1)
        sizes = reference.Sizes(setup)
        self.weights = [weights_of(setup, layer) for layer in range(self.layers)]
        if "task" in setup:
            self.source = learning.Source(setup)
            self.shown = self.source.shown(sizes.batch)
        else:
            self.shown = reference.run_draws(setup, sizes)[0]["X"], None

    def run(self, batch):
        """The tensors of each layer, and L; without a task None."""
        X, labels = batch
        leaving = learning.leaf(X)
        visible = learning.visible_keys(self.setup, X.shape[0])
        layers = []
        for layer in range(self.layers):
            t, leaving = learning.pass_through(seen_at(self.setup, layer), self.weights[layer], leaving, visible)
            layers.append(t)
        if labels is None:
            if block.unembeds(self.setup):
                layers[-1] |= {"logits": leaving, "probabilities": leaving.softmax(-1)}
            return layers, None
        return layers, learning.answer(self.setup, layers[-1], leaving, torch.tensor(labels))

    def train(self):
        training = self.setup["training"]
        kind = torch.optim.SGD if training["optimizer"] == "sgd" else torch.optim.Adam
        parameters = [tensor for weights in self.weights for tensor in weights.values()]
        optimizer, rows = kind(parameters, lr=training["learning_rate"]), []
        for step in range(1, training["steps"] + 1):
            _, loss = self.run(self.source.next(training["batch"]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                layers, shown = self.run(self.shown)
            rows.append((step, loss.item(), shown.item(), learning.accuracy(self.setup, layers[-1], self.shown[1])))
        return rows

    def trace(self):
        layers, loss = self.run(self.shown)
        tensors = {self.name(layer, name): tensor for layer, t in enumerate(layers) for name, tensor in t.items()}
        arrays = {name: tensor.detach().numpy() for name, tensor in tensors.items()}
        for layer in range(self.layers):
            own = {name: arrays[self.name(layer, name)] for name in ("W_q", "W_k", "W_v", "W_o")}
            heads = reference.head_matrices(self.setup, reference.Sizes(self.setup), own)
            arrays |= {self.name(layer, name): value for name, value in heads.items()}
        if loss is None:
            return arrays
        gradients = torch.autograd.grad(loss, list(tensors.values()))
        named = {self.gradient(name): g.numpy() for name, g in zip(tensors, gradients)}
        return arrays | named

    def name(self, layer, name):
        return name if name in ONCE or self.layers == 1 else f"L{layer}.{name}"

    @staticmethod
    def gradient(name):
        prefix, dot, rest = name.rpartition(".")
        return f"{prefix}{dot}grad_{rest}"


def random_model(number, steps):
    setup = learning.random_task_setup(number, steps)
    r = random.Random(f"model {number}")
    setup["sizes"].pop("past", None)
    setup["sizes"].pop("d_out", None)
    setup["training"] = {key: value for key, value in setup["training"].items() if not key.endswith("_heads")}
    setup["mask"].pop("align", None)
    if not block.is_residual(setup):
        random_setups.add_block(r, setup)
    setup["sizes"].pop("d_out", None)
    S, L = block.symbol_count(setup["task"]), setup["sizes"]["query_length"]
    if S * learning.ANSWERS[setup["task"]["name"]] > setup["sizes"]["d_model"] and not block.unembeds(setup):
        setup.setdefault("embedding", {})["unembed"] = True
        setup["random"]["draws"] += ["W_U normal"]
    setup["mask"] = random_setups.mask(r, L, L, setup["sizes"]["batch"])
    if setup["sizes"].get("query_length", 0) < 2:
        setup["sizes"]["query_length"] = 2
    layers = setup["sizes"]["layers"] = r.choice([1, 2, 2, 3, 4])
    setup["random"]["draws"] = layered(r, setup["random"]["draws"], layers)
    # So that no step explodes and no right answer has a probability of 0, in four layers without a norm neither.
    setup["random"]["draws"] = [tamed(draw) for draw in setup["random"]["draws"]]
    if steps:
        setup["training"]["learning_rate"] = 0.001
        setup["mask"]["kinds"] = [kind for kind in setup["mask"]["kinds"] if kind != "padding"]
    heads = setup["sizes"]["heads"]
    ablated = [f"L{layer}.{r.randrange(heads)}" if layer else r.randrange(heads) for layer in range(layers) if r.random() < 0.3]
    setup.setdefault("attention", {})["ablated_heads"] = ablated
    if r.random() < 0.4:
        layer = r.randrange(layers)
        setup["values"] = {f"{f'L{layer}.' if layer else ''}W_k[0,0:2]": r.choice([-0.5, 0.25])}
    if learning.ANSWERS[setup["task"]["name"]] == 1 and setup["task"]["name"] != "lookup" and r.random() < 0.35:
        setup["task"] = text_task(r, setup)
    if not steps and r.random() < 0.25:
        setup.pop("task"), setup.pop("training")
        setup.pop("embedding", None)
        setup["random"]["draws"] = ["seed 1", "X normal"] + [d for d in setup["random"]["draws"] if "W_E" not in d and "_U" not in d]
    return setup


def text_task(r, setup):
    """A text of as many characters as the task has symbols, line break included."""
    task, sizes = setup["task"], setup["sizes"]
    letters = r.sample("abcdefghijklmnop ,é漢😀", task["symbols"] - 1)
    lines = ["".join(r.choices(letters, k=r.randint(0, 12))) for _ in range(r.randint(1, 9))] + ["".join(letters)]
    split = r.choice(["lines", "stream"])
    if split == "stream":
        lines.append("".join(r.choices(letters, k=sizes["query_length"] + 2)))
    text = {"name": "text", "text": lines, "split": split, "symbols": task["symbols"], "seed": task["seed"]}
    if r.random() < 0.4:
        text["shown"] = ["".join(r.choices(letters, k=r.randint(2, 9))) for _ in range(sizes["batch"])]
    return text


def tamed(draw):
    """The same draws of smaller numbers."""
    smaller = {"normal": "normal 0.2", "uniform": "uniform 0.1"}
    return re.sub(r"(?<= )(normal|uniform)( [0-9.]+)?(?=,|$)", lambda found: smaller[found[1]], draw)


def layered(r, draws, layers):
    """The draws for several layers: all together, or each layer's in a line of its own."""
    seeds = [draw for draw in draws if draw.startswith("seed")] or ["seed 0"]
    once = [draw for draw in draws if draw.split()[0] in reference.ONCE]
    each = [draw for draw in draws if draw not in once and not draw.startswith("seed")]
    if not each:
        return seeds[:1] + once
    if r.random() < 0.6:
        own = ["L*: " + ", ".join(each)]
    else:
        own = [f"L{layer}.{draw}" if layer or r.random() < 0.5 else draw for layer in range(layers) for draw in each]
    return seeds[:1] + (once + own if r.random() < 0.5 else own + once)


def setup_problems(number, steps, binary, folder):
    setup = random_model(number, steps)
    (folder / "setup.toml").write_text(random_setups.to_toml(setup))
    archive = folder / "trace.npz"
    try:
        compare.headlight(binary, "compute", "--setup", folder / "setup.toml", "-o", archive)
    except (RuntimeError, subprocess.TimeoutExpired) as failure:
        yield str(failure)
        return
    with np.load(archive) as file:
        computed = dict(file)
    model = Model(setup)
    rows = model.train() if steps else []
    limit = 1e-7 if steps else 2e-5 if compare.is_single(setup) else 1e-9
    yield from differences(computed, model.trace(), limit)
    if steps:
        yield from learning.curve_problems(setup, binary, folder, rows, 1e-5)
    for framework in compare.FRAMEWORKS:
        path = folder / f"{framework}.py"
        compare.headlight(binary, "script", "--setup", folder / "setup.toml", "--framework", framework, "-o", path)
        code, printed = compare.run_script(path, archive)
        if code != 0:
            yield f"the {framework} script exits with {code}:\n{printed}"


def differences(computed, expected, limit):
    least = np.abs(expected["grad_logits"]).max() if "grad_logits" in expected else 0
    scores = max(np.abs(array[np.isfinite(array)]).max(initial=0) for name, array in expected.items() if name.endswith("scores"))
    precision = next(iter(computed.values())).dtype
    limit = max(limit, 64 * np.finfo(precision).eps * scores)
    for name in sorted(set(expected) | set(computed) - {"curve"}):
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
        magnitude = np.abs(theirs[finite]).max(initial=least if "grad_" in name else 1e-300)
        if not difference <= limit * magnitude:
            yield f"{name} differs by {difference / magnitude:.1e}, allowed {limit:.1e}"


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
        steps = 10 if number % 3 == 2 else 0
        with tempfile.TemporaryDirectory() as name:
            problems = list(setup_problems(number, steps, arguments.headlight, pathlib.Path(name)))
            if problems and arguments.keep:
                shutil.copytree(name, arguments.keep / str(number), dirs_exist_ok=True)
        failed += bool(problems)
        for problem in problems:
            print(f"model {number}, {steps} steps: {problem}")
    libraries = f"NumPy {np.__version__} and PyTorch {torch.__version__}"
    print(f"{arguments.count - failed} of {arguments.count} models agree with {libraries}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
