"""Whether mistakes of models of several layers are found: 60 models that somebody built wrongly in NumPy, and right ones.

    stacks.py --headlight build/release/headlight [--count 60] [--seed 0]

Each is a small transformer, with the weights that Headlight draws and one mistake, from which some arrays are handed over: under
our names with layers (L1.scores), those of TransformerLens (blocks.1.attn.hook_pattern), or stacked, layer by layer.
Headlight must name the mistake, and must not name any in right work. Exit code 0: it does; 1: it does not.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

HOOKS = {"resid_pre": "hook_resid_pre", "masked_scores": "attn.hook_attn_scores", "weights": "attn.hook_pattern",
         "output": "hook_attn_out", "resid_mid": "hook_resid_mid", "mlp_out": "hook_mlp_out", "resid_post": "hook_resid_post"}
BENDS = {"relu": lambda x: np.maximum(x, 0),
         "gelu": lambda x: x * 0.5 * (1 + np.vectorize(math.erf)(x / 2**0.5)),
         "silu": lambda x: x / (1 + np.exp(-x))}


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Model:
    """The model as somebody may have written it, with at most one mistake."""

    def __init__(self, setup, weights, mistake):
        self.setup, self.weights, self.mistake = setup, weights, mistake
        self.before = setup["placement"] == "before"
        if mistake == "norm_misplaced" and not setup["normed_stream"]:
            self.before = not self.before

    def weight(self, layer, name):
        if self.mistake == "layers_shared":
            layer = self.setup["layers"] - 1 if self.setup["last_is_shared"] else 0
        return self.weights.get(f"L{layer}.{name}")

    def normed(self, layer, x, which):
        if self.setup["norm"] == "none":
            return x
        centred = x - x.mean(-1, keepdims=True) if self.setup["norm"] == "layer" else x
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        gain, bias = self.weight(layer, f"{which}_gain"), self.weight(layer, f"{which}_bias")
        return centred / spread * (1 if gain is None else gain) + (0 if bias is None else bias)

    def attention(self, layer, x, kept):
        heads, length = self.setup["heads"], x.shape[1]
        split = lambda y: y.reshape(*y.shape[:2], heads, -1).transpose(0, 2, 1, 3)
        q, k, v = (split(x @ self.weight(layer, f"W_{name}")) for name in "qkv")
        scores = q @ k.transpose(0, 1, 3, 2)
        if not (self.mistake == "scale_missing"):
            scores = scores / np.sqrt(q.shape[-1])
        if not (self.mistake == "mask_in_first_layer_only" and layer > 0):
            scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
        weights = softmax(scores)
        output = (weights @ v).transpose(0, 2, 1, 3).reshape(x.shape) @ self.weight(layer, "W_o")
        kept |= {"masked_scores": scores, "weights": weights, "output": output}
        return output

    def mlp(self, layer, x, kept):
        pre = x @ self.weight(layer, "W_in")
        bent = pre if not self.setup["gated"] else x @ self.weight(layer, "W_gate")
        act = bent if self.mistake == "activation_missing" else BENDS[self.setup["mlp"]](bent)
        kept["mlp_out"] = (act * pre if self.setup["gated"] else act) @ self.weight(layer, "W_out")
        return kept["mlp_out"]

    def added(self, stream, found, of):
        missing = self.mistake == "residual_missing" and self.setup["missing"] in ("both", of)
        return found if missing else stream + found

    def block(self, layer, x):
        kept = {"resid_pre": x}
        stays = self.mistake == "norm_misplaced" and self.setup["normed_stream"]
        read = self.normed(layer, x, "norm") if self.before else x
        x = self.added(read if stays else x, self.attention(layer, read, kept), "attention")
        has_mid = self.setup["mlp"] != "none" or not self.before
        if self.setup["mlp"] != "none":
            kept["resid_mid"] = x
        if not self.before:
            x = self.normed(layer, x, "norm")
        if self.setup["mlp"] == "none":
            if self.before:
                kept["resid_post"] = x
            return x, kept
        read = self.normed(layer, x, "mlp_norm") if self.before else x
        x = self.added(read if stays else x, self.mlp(layer, read, kept), "mlp")
        kept["resid_post"] = x
        return (x if self.before else self.normed(layer, x, "mlp_norm")), kept

    def run(self, symbols, asked):
        x = self.weights["W_E"][symbols] + self.weights["P"]
        layers = []
        for layer in range(self.setup["layers"]):
            x, kept = self.block(layer, x)
            layers.append(kept)
        logits = x @ self.weights["W_U"]
        if self.mistake == "targets_not_shifted":
            asked = np.where(asked < 0, asked, symbols)
        largest = logits.max(-1, keepdims=True)
        chosen = np.take_along_axis(logits - largest, np.maximum(asked, 0)[..., None], -1)[..., 0]
        surprise = np.log(np.exp(logits - largest).sum(-1)) - chosen
        return layers, {"logits": logits, "loss": np.where(asked < 0, 0, surprise)}


MISTAKES = ["residual_missing", "norm_misplaced", "activation_missing", "layers_shared", "mask_in_first_layer_only",
            "targets_not_shifted", "scale_missing", None, None]


def random_case(number):
    r = random.Random(number)
    mistake = MISTAKES[number % len(MISTAKES)]
    setup = {"layers": r.choice([2, 2, 3]), "heads": r.choice([1, 2]), "mlp": r.choice(["none", "relu", "gelu", "silu"]),
             "norm": r.choice(["none", "layer", "rms"]), "placement": r.choice(["before", "after"]), "gated": False,
             "normed_stream": False, "missing": "attention", "last_is_shared": r.random() < 0.5}
    if mistake == "norm_misplaced":
        setup["norm"] = r.choice(["layer", "rms"])
        setup["normed_stream"] = setup["placement"] == "before" and r.random() < 0.4
    if mistake == "activation_missing":
        setup["mlp"] = r.choice(["relu", "gelu", "silu"])
    if setup["mlp"] != "none":
        setup["gated"] = r.random() < 0.4
        setup["missing"] = r.choice(["attention", "mlp", "both"])
    if setup["norm"] == "none":
        setup["placement"] = "before"
    return setup, mistake


def to_toml(setup):
    drawn = ["W_q", "W_k", "W_v", "W_o"] + (["W_in", "W_out"] if setup["mlp"] != "none" else []) + (["W_gate"] if setup["gated"] else [])
    drawn += ["norm_gain"] if setup["norm"] != "none" else []
    each = ", ".join(f"{name} normal 0.5" for name in drawn)
    return f"""version = 1
[sizes]
batch = 2
query_length = 6
d_model = 8
heads = {setup["heads"]}
layers = {setup["layers"]}
d_mlp = 12
[norm]
kind = "{setup["norm"]}"
epsilon = 1e-5
{'placement = "after"' if setup["placement"] == "after" else ""}
[block]
residual = true
mlp = "{setup["mlp"]}"
gated = {str(setup["gated"]).lower()}
[embedding]
learned = true
unembed = true
[position]
encoding = "learned"
[mask]
kinds = ["causal"]
[task]
name = "text"
text = ["anna", "otto", "hannah", "nathan"]
[random]
draws = ["seed {setup["layers"]}", "W_E normal", "P normal", "L*: {each}", "W_U normal"]
"""


def handed_over(r, layers, ends, mistake):
    """Some arrays under names of three kinds."""
    kind = r.choice(["ours", "ours", "hooks", "stacked"])
    tensors = {}
    names = [name for name in HOOKS if all(name in kept for kept in layers)]
    some = r.sample(names, r.randint(1, len(names)))
    if kind == "stacked":
        some = [name for name in some if layers[0][name].ndim == 3] or ["resid_pre"]
    for name in some:
        if kind == "stacked":
            tensors[name] = np.stack([kept[name] for kept in layers])
            continue
        for layer, kept in enumerate(layers):
            tensors[f"L{layer}.{name}" if kind == "ours" else f"blocks.{layer}.{HOOKS[name]}"] = kept[name]
    tensors["logits"] = ends["logits"]
    if mistake == "targets_not_shifted" or r.random() < 0.3:
        tensors["loss"] = ends["loss"]
    return tensors


def problems(number, binary, folder):
    setup, mistake = random_case(number)
    (folder / "setup.toml").write_text(to_toml(setup))
    subprocess.run([binary, "compute", "--setup", "setup.toml", "-o", "trace.npz"], cwd=folder, check=True)
    with np.load(folder / "trace.npz") as file:
        trace = dict(file)
    characters = ["\n"] + sorted(set("annaottohannahnathan"))
    symbols = np.argmin(np.abs(trace["embed"][:, :, None] - trace["W_E"]).sum(-1), -1)
    asked = np.full(symbols.shape, -1)
    for item, row in enumerate(symbols):
        end = next((i for i in range(1, len(row)) if row[i] == 0), len(row))
        word = "".join(characters[symbol] for symbol in row[1:end])
        line = next(name for name in ("anna", "otto", "hannah", "nathan") if name == word or end == len(row) and name.startswith(word))
        asked[item, :end] = [characters.index(character) for character in (line + "\n")[:end]]
    layers, ends = Model(setup, trace, mistake).run(symbols, asked)
    right = Model(setup, trace, None).run(symbols, asked)[1]
    if mistake and all(np.allclose(ends[name], right[name], rtol=1e-4) for name in ends):
        return  # it changes nothing here
    r = random.Random(f"arrays {number}")
    np.savez(folder / "mine.npz", **handed_over(r, layers, ends, mistake))
    done = subprocess.run([binary, "diagnose", "--setup", "setup.toml", "mine.npz", "--json"], cwd=folder, capture_output=True)
    if done.returncode > 1:
        yield f"{mistake}: {done.stderr.decode()}"
        return
    report = json.loads(done.stdout)
    named = [each["mistake"] for each in report["diagnoses"] if each["explains"]]
    if mistake is None and not report["agrees"]:
        yield f"right work is called wrong, first at {report['first_difference']}: {named}"
    if mistake is not None and named[:1] != [mistake]:
        yield f"{mistake} is called {named}; first difference at {report['first_difference']} of {[t['name'] for t in report['tensors']]}; {setup}"
    if report["unrecognised"]:
        yield f"not recognised: {report['unrecognised']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headlight", required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    binary, failed = str(pathlib.Path(arguments.headlight).resolve()), 0
    for number in range(arguments.seed, arguments.seed + arguments.count):
        with tempfile.TemporaryDirectory() as name:
            found = list(problems(number, binary, pathlib.Path(name)))
        failed += bool(found)
        for problem in found:
            print(f"model {number}: {problem}")
    print(f"{arguments.count - failed} of {arguments.count} models are judged as they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
