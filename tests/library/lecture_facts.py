"""What a lecture says a library printed, the library prints.

    lecture_facts.py FOLDER

Each part of each lecture is drawn, computed and trained here with NumPy and PyTorch alone, and each of its facts that says
`from = "library"` must be in it, to its last digit. Exit code 0: all are; 1: some are not.
"""
import pathlib
import re
import sys
import tomllib

import numpy as np
import torch

import learning
import model
import reference

DEFAULTS = {"random": {"generator": "numpy", "draws": []}, "training": {"optimizer": "adam", "steps": 0}}


def computed(setup):
    """Every tensor of the setup, after its training."""
    setup = setup | {section: values | setup.get(section, {}) for section, values in DEFAULTS.items()}
    if setup.get("sizes", {}).get("layers", 1) > 1:
        stack = model.Model(setup)
        if setup["training"]["steps"]:
            stack.train()
        return stack.trace()
    if "task" not in setup:
        return reference.trace(setup)
    layer = learning.Layer(setup)
    layer.train()
    return layer.trace()


def printed(fact):
    if isinstance(fact["values"], str):
        return np.array(re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?", fact["values"]), float)
    return np.ravel(fact["values"])


def problem(fact, tensor):
    """What is wrong with the fact, if anything. What float32 rounds may change its last digit's half."""
    if "shape" in fact:
        return None if list(tensor.shape) == fact["shape"] else f"has the shape {tensor.shape}"
    block = tensor[tuple(fact.get("at", []))].astype(np.float64)
    said = printed(fact)
    if said.size != block.size:
        return f"has {block.size} numbers instead of {said.size}"
    allowed = 0.5 * 10.0 ** -fact["decimals"] + (2e-7 * np.abs(block).max() if tensor.dtype == np.float32 else 1e-9)
    difference = np.abs(said - block.ravel()).max()
    return None if difference <= allowed else f"differs by {difference:.2g}"


def main():
    judged, problems = 0, []
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.md")):
        if path.name == "README.md":
            continue
        front = tomllib.loads(path.read_text().split("+++\n")[1])
        for part in [{"id": "main", **front}, *front.get("parts", [])]:
            facts = [fact for fact in part.get("facts", []) if fact.get("from") == "library"]
            if not facts or "model" in part["setup"]:  # trained.py judges the trained layer
                continue
            tensors = computed(part["setup"])
            for fact in facts:
                judged += 1
                if wrong := problem(fact, np.asarray(tensors[fact["tensor"]])):
                    problems.append(f"{path.name}, part {part['id']}: {fact['tensor']} {fact.get('at', '')} {wrong}")
    print(*problems, f"{judged - len(problems)} of {judged} facts are what the libraries give", sep="\n")
    return 1 if problems or judged < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
