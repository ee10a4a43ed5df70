"""Compares what models write with NumPy and PyTorch: chances, sampling, and where a text ends.

    writing.py --headlight build/release/headlight [--count 12] [--seed 0]

Random models of 1 to 4 layers whose task is a text, with everything that a layer may have. `headlight generate` must write
the texts that a loop over the model in PyTorch writes, with and without its cache, and give each character the same chance.
Exit code 0: all agree; 1: some do not.
"""
import argparse
import json
import pathlib
import random
import sys
import tempfile

import numpy as np
import torch

import compare
import learning
import model
import random_setups


def random_writer(number):
    """A random model with a text and a causal mask."""
    for attempt in range(100):
        setup = model.random_model(1000 * number + attempt, 0)
        if setup.get("task", {}).get("name") == "text":
            break
    r = random.Random(f"writer {number}")
    setup["mask"] = {"kinds": ["causal"]} if r.random() < 0.7 else {"kinds": ["causal", "window"], "window": 2}
    setup["task"].pop("shown", None)
    return setup


def uniforms(setup, seed):
    kind = setup["random"]["generator"]
    if kind == "torch":
        generator = torch.Generator().manual_seed(seed)
        return lambda: torch.rand((), generator=generator, dtype=torch.float64).item()
    if kind == "numpy":
        return np.random.RandomState(seed).random_sample
    return np.random.default_rng(seed).random


def chances_of(logits, temperature, top_k):
    if temperature == 0:
        return (np.arange(len(logits)) == np.argmax(logits)).astype(float)
    scores = logits / temperature
    p = np.exp(scores - scores.max())
    p /= p.sum()
    if top_k:
        p[np.argsort(-logits, kind="stable")[top_k:]] = 0
    return p / p.sum()


class Writer:
    def __init__(self, setup):
        self.model = model.Model(setup)
        self.length = self.model.source.length
        self.characters = ["\n"] + sorted(set("".join(setup["task"]["text"])))

    def logits(self, text):
        X, labels = self.model.source.held_and_asked(["\n" + text])
        layers, _ = self.model.run((X, np.zeros_like(labels)))
        return layers[-1]["logits"][0, len(text)].detach().numpy()

    def write(self, prompt, draw, options):
        """The text, why it ended, and the chance of each character."""
        text, chances = prompt, []
        while len(text) + 1 < self.length:
            if options["length"] is not None and len(text) - len(prompt) >= options["length"]:
                return text, "length", chances
            p = chances_of(self.logits(text), options["temperature"], options["top_k"])
            total = np.cumsum(p)
            at = int(np.argmax(p)) if options["temperature"] == 0 else \
                int(np.searchsorted(total, draw() * total[-1], side="right"))
            chances.append(p[at])
            if at == 0:
                return text, "line break", chances
            text += self.characters[at]
        return text, "window", chances


def problems(number, binary, folder):
    setup = random_writer(number)
    (folder / "setup.toml").write_text(random_setups.to_toml(setup))
    writer, r = Writer(setup), random.Random(f"options {number}")
    for round_ in range(3):
        options = {"temperature": r.choice([0, 0.5, 1, 2.5]), "top_k": r.choice([0, 0, 1, 2]),
                   "length": r.choice([None, None, 1, 3])}
        prompt = "".join(r.choices(writer.characters[1:], k=r.randrange(max(1, writer.length - 1))))
        if len(prompt) + 1 >= writer.length:
            prompt = ""
        seed = r.choice([0, 7, 2**32 - 1])
        arguments = ["--prompt", prompt, "--count", "4", "--temperature", str(options["temperature"]), "--top-k",
                     str(options["top_k"]), "--seed", str(seed), "--json"]
        if options["length"]:
            arguments += ["--length", str(options["length"])]
        said = compare.headlight(binary, "generate", "--setup", folder / "setup.toml", *arguments)
        if said != compare.headlight(binary, "generate", "--setup", folder / "setup.toml", *arguments, "--no-cache"):
            yield f"{arguments}: other texts without the cache"
        draw = uniforms(setup, seed)
        for found in json.loads(said)["texts"]:
            text, end, chances = writer.write(prompt, draw, options)
            if (found["text"], found["end"]) != (text, end):
                yield f"{arguments}: wrote {found['text']!r} ({found['end']}) instead of {text!r} ({end})"
                break
            limit = 1e-5 if compare.is_single(setup) else 1e-9
            given = [character["chance"] for character in found["characters"]]
            if len(given) != len(chances) or np.abs(np.array(given) - chances).max(initial=0) > limit:
                yield f"{arguments}: {text!r} has the chances {given} instead of {chances}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headlight", required=True)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    failed = 0
    for number in range(arguments.seed, arguments.seed + arguments.count):
        with tempfile.TemporaryDirectory() as name:
            found = list(problems(number, arguments.headlight, pathlib.Path(name)))
        failed += bool(found)
        for problem in found:
            print(f"writer {number}: {problem}")
    print(f"{arguments.count - failed} of {arguments.count} models write as NumPy and PyTorch do")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
