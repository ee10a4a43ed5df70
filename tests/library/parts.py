"""Takes scores and logits apart with NumPy, and compares with what `headlight explain --by-source` says.

    parts.py --headlight build/release/headlight [--count 24] [--seed 0]

Random models of model.py whose norms, if any, come before attention and MLP. Every part is computed here from the tensors that
`headlight compute` writes: what a source has added to the stream, through the held norm, the projection and the rotation.
Exit code 0: all agree; 1: some do not.
"""
import argparse
import json
import pathlib
import random
import sys
import tempfile

import numpy as np

import compare
import model as models
import random_setups
import reference


class Taken:
    """The tensors of a model, and what is written into its stream."""

    def __init__(self, setup, arrays):
        self.setup, self.arrays = setup, arrays
        self.layers = setup["sizes"].get("layers", 1)
        self.sizes = reference.Sizes(setup)

    def get(self, layer, name):
        prefix = "" if self.layers == 1 else f"L{layer}."
        found = self.arrays.get(name, self.arrays.get(prefix + name))
        return None if found is None else found.astype(np.float64)

    def name(self, layer, word):
        return word if self.layers == 1 else f"L{layer}.{word}"

    def stream(self, below, item, row):
        """What each source has added at a position before this layer reads the stream, by its name."""
        embed = self.get(0, "embed")
        sources = {"X" if embed is None else "embed": (self.get(0, "X") if embed is None else embed)[item, row]}
        if self.setup.get("position", {}).get("encoding") in ("one_hot", "sinusoidal", "learned"):
            sources["P"] = self.get(0, "P")[row]
        for layer in range(below):
            context, W_o = self.get(layer, "context"), self.get(layer, "W_o")
            width = context.shape[-1]
            for head in range(context.shape[1]):
                name = f"L{layer}H{head}" if self.layers > 1 else f"H{head}"
                sources[name] = context[item, head, row] @ W_o[head * width:(head + 1) * width]
            for word in ("b_o", "mlp_out"):
                tensor = self.get(layer, word)
                if tensor is not None:
                    sources[self.name(layer, word)] = tensor if tensor.ndim == 1 else tensor[item, row]
        return sources

    def normed(self, sources, layer, gain, shift):
        """Each source through the norm, whose mean is taken off each and whose spread is that of the whole row."""
        kind = self.setup.get("norm", {}).get("kind", "none")
        whole = sum(sources.values())
        centred = kind == "layer"
        spread = np.sqrt(np.mean((whole - (whole.mean() if centred else 0))**2) + self.setup["norm"].get("epsilon", 1e-6))
        passed = {name: (part - (part.mean() if centred else 0)) / spread * self.get(layer, gain) for name, part in sources.items()}
        bias = self.get(layer, shift)
        if bias is not None:
            passed[shift if shift.startswith("final") else self.name(layer, shift)] = bias
        return passed

    def side(self, layer, item, head, row, letter):
        """The parts of a query or a key."""
        sources = self.stream(layer, item, row)
        if self.setup.get("norm", {}).get("kind", "none") != "none":
            sources = self.normed(sources, layer, "norm_gain", "norm_bias")
        W, b = self.get(layer, f"W_{letter}"), self.get(layer, f"b_{letter}")
        width = self.sizes.d_head
        if letter == "k":
            head = head // (self.sizes.heads // self.sizes.kv_heads)
        columns = slice(head * width, (head + 1) * width)
        parts = {name: part @ W[:, columns] for name, part in sources.items()}
        if b is not None:
            parts[self.name(layer, f"b_{letter}")] = b[columns]
        heads = self.get(layer, f"{letter.upper()}_heads")
        if self.setup.get("attention", {}).get("qk_norm"):
            together = self.setup["attention"].get("qk_norm_over", "head") == "heads"
            square = np.mean(heads[item, :, row]**2 if together else heads[item, head, row]**2)
            size = np.sqrt(square + self.setup.get("norm", {}).get("epsilon", 1e-6))
            gain = self.get(layer, f"{letter}_gain")
            gain = self.get(layer, f"{letter}_head_gains")[head] if gain is None else gain
            parts = {name: part / size * gain for name, part in parts.items()}
        if self.get(layer, f"{letter.upper()}_rotated") is not None:
            parts = {name: self.turned(part, item, row) for name, part in parts.items()}
        return parts

    def turned(self, part, item, row):
        settings = self.setup["position"]
        turned = int(len(part) * settings.get("fraction", 1.0))
        pairs = turned // 2
        position = row
        if settings.get("from") == "first_real":
            lens, mask = self.setup["mask"].get("valid_lengths"), self.setup["mask"]
            if "padding" in mask.get("kinds", []) and mask.get("padding_side") == "left":
                position = max(0, row - (self.setup["sizes"]["query_length"] - lens[item]))
        angle = position / settings.get("base", 10000.0)**(2 * np.arange(pairs) / turned) if pairs else np.zeros(0)
        first, second = (np.arange(pairs), np.arange(pairs) + pairs) if settings.get("layout", "half") == "half" else \
            (2 * np.arange(pairs), 2 * np.arange(pairs) + 1)
        result = part.copy()
        result[first] = part[first] * np.cos(angle) - part[second] * np.sin(angle)
        result[second] = part[second] * np.cos(angle) + part[first] * np.sin(angle)
        return result

    def factor(self):
        attention = self.setup.get("attention", {})
        scale = attention.get("scale", "1/sqrt(d_head)")
        factor = 1 if scale == "none" else self.sizes.d_head**-0.5 if isinstance(scale, str) else scale
        return factor / attention.get("temperature", 1)

    def score(self, layer, item, head, query, key):
        queries, keys = self.side(layer, item, head, query, "q"), self.side(layer, item, head, key, "k")
        return {(a, b): q @ k * self.factor() for a, q in queries.items() for b, k in keys.items()}

    def logit(self, item, row, symbol):
        last = self.layers - 1
        sources = self.stream(self.layers, item, row)
        if not self.setup.get("block", {}).get("residual"):
            sources = {name: part for name, part in sources.items() if name not in ("X", "embed", "P")}
        if self.get(last, "N_final") is not None:
            sources = self.normed(sources, last, "final_norm_gain", "final_norm_bias")
        W_U, b_U = self.get(last, "W_U"), self.get(last, "b_U")
        parts = {name: part[symbol] if W_U is None else part @ W_U[:, symbol] for name, part in sources.items()}
        if b_U is not None:
            parts["b_U"] = b_U[symbol]
        return parts


def told(binary, path, cell):
    said = json.loads(compare.headlight(binary, "explain", "--setup", path, "--cell", cell, "--by-source", "--json"))
    rows = zip(said["rows"], said["numbers"])
    parts = {(row, column): number for row, numbers in rows for column, number in zip(said["columns"] or [""], numbers)}
    return said, parts


def problems(number, binary, folder):
    setup = models.random_model(number, 0)
    if setup.get("norm", {}).get("placement") == "after":
        setup["norm"].pop("placement")
    path, archive = folder / "setup.toml", folder / "trace.npz"
    path.write_text(random_setups.to_toml(setup))
    compare.headlight(binary, "compute", "--setup", path, "-o", archive)
    with np.load(archive) as file:
        taken = Taken(setup, dict(file))
    r = random.Random(f"parts {number}")
    limit = 1e-4 if compare.is_single(setup) else 1e-9
    sizes = setup["sizes"]
    for layer in range(taken.layers):
        item, head = r.randrange(sizes.get("batch", 1)), r.randrange(sizes["heads"])
        query, key = r.randrange(sizes["query_length"]), r.randrange(sizes["query_length"])
        cell = f"{f'L{layer}.' if layer else ''}scores[{item},{head},{query},{key}]"
        yield from differences(cell, *told(binary, path, cell), taken.score(layer, item, head, query, key), limit)
    logits = taken.get(taken.layers - 1, "logits")
    if logits is None:
        return
    at = [r.randrange(extent) for extent in logits.shape]
    cell = f"logits[{at[0]},{at[1]},{at[2]}]"
    expected = {(name, ""): value for name, value in taken.logit(*at).items()}
    yield from differences(cell, *told(binary, path, cell), expected, limit)


def differences(cell, said, parts, expected, limit):
    if set(parts) != set(expected):
        yield f"{cell}: sources {sorted(set(parts) ^ set(expected))}"
        return
    largest = max([1, *(abs(value) for value in expected.values())])
    for pair, value in expected.items():
        if not abs(parts[pair] - value) <= limit * largest:
            yield f"{cell}: {pair} is {parts[pair]}, NumPy has {value}"
    whole = sum(parts.values()) + said.get("position_bias", 0) + said["rest"]
    if not abs(whole - said["value"]) <= 1e-9 * largest:
        yield f"{cell}: the parts add up to {whole}, the number is {said['value']}"
    if not abs(said["rest"]) <= limit * largest:
        yield f"{cell}: {said['rest']} is left"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--headlight", required=True)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    failed = 0
    for number in range(arguments.seed, arguments.seed + arguments.count):
        with tempfile.TemporaryDirectory() as folder:
            found = list(problems(number, arguments.headlight, pathlib.Path(folder)))
        failed += bool(found)
        for problem in found:
            print(f"model {number}: {problem}")
    print(f"{arguments.count - failed} of {arguments.count} models agree")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
