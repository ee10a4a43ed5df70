"""Runs the code of each lecture from its first step to its last, as it is shown.

    lecture_code.py FOLDER HEADLIGHT

It must give the facts that the lecture states, and each step's lines the tensors that they name, as Headlight computes
them for that step. A fact is checked if the code of its part computes its tensor; a part without code is passed
over. Exit code 0: all agree; 1: some do not.
"""
import functools
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

import numpy as np
import torch


def fenced(text, info):
    found = re.search(rf"^```{info}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def read(path):
    """Reads a lecture: its front matter, and for each part the code of its steps in order, with their numbers."""
    _, front, body = path.read_text().split("+++\n", 2)
    part, codes = "main", {}
    for number, step in enumerate(re.split(r"^## ", body, flags=re.MULTILINE)[1:], 1):
        part = tomllib.loads(fenced(step, "step")).get("part", part)
        codes.setdefault(part, []).append((number, fenced(step, "python")))
    return tomllib.loads(front), codes


def numbers(values):
    if isinstance(values, str):
        return np.array([float(number) for number in re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?", values)])
    return np.ravel(values)


def array(value):
    return value.detach().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)


def agrees(fact, found, columns):
    if "shape" in fact:
        return list(found.shape) == fact["shape"]
    # With tokens in columns, the code has no batch axis, and its tensors are transposed just like the printed ones.
    block = np.ravel(found if columns else found[tuple(fact.get("at", []))]).astype(np.float64)
    printed = numbers(fact["values"])
    return block.size == printed.size and all(
        f"{a:.{fact['decimals']}f}" == f"{b:.{fact['decimals']}f}" for a, b in zip(block, printed))


def same(found, ours):
    """Whether an array is one of ours: axes of one element may be left out, and the last two may have changed places."""
    found, ours = np.squeeze(found), np.squeeze(ours)
    ways = [ours, np.swapaxes(ours, -1, -2)] if ours.ndim > 1 else [ours]
    return any(way.shape == found.shape and np.allclose(found, way, rtol=1e-4, atol=1e-5, equal_nan=True) for way in ways)


@functools.cache
def trace(headlight, lecture, step):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "trace.npz"
        subprocess.run([headlight, "compute", "--lecture", lecture, "--step", str(step), "-o", file], check=True)
        with np.load(file) as arrays:
            return dict(arrays)


class Part:
    """The code of one part, run step by step in a space that later parts go on with."""

    def __init__(self, path, name, steps, space):
        self.path, self.name, self.space = path, name, space
        self.made = {}  # by name: the step that made it, and a copy of it as it was then
        for number, code in steps:
            before = dict(space)
            with torch.no_grad():
                exec(compile(code, f"{path.name}, step {number}", "exec"), space)
            for name in space.keys() - {"np", "torch", "nn", "__builtins__"}:
                if space[name] is not before.get(name) and isinstance(space[name], (np.ndarray, torch.Tensor)):
                    self.made[name] = (number, np.array(array(space[name])))
        self.last = steps[-1][0]

    def differing(self, headlight):
        """The tensors that are not Headlight's. One that a later step filled further is that step's."""
        compared = 0
        for name, (number, then) in self.made.items():
            now = array(self.space[name])
            filled = then.shape == now.shape and not np.array_equal(then, now, equal_nan=then.dtype.kind == "f")
            ours = trace(headlight, self.path.stem, self.last if filled else number)
            if name not in ours:
                continue
            compared += 1
            if not same(now if filled else then, ours[name]):
                yield f"{self.path.name}, step {number}: its code gives another {name}"
        print(f"{self.path.name}, part {self.name}: {compared} tensors")


def problems(path, headlight):
    front, codes = read(path)
    parts = {"main": front, **{part["id"]: part for part in front.get("parts", [])}}
    space = {"np": np, "torch": torch, "nn": torch.nn}
    for name, steps in codes.items():
        if not any(code for _, code in steps):  # a part that is shown, not told in code
            continue
        part = Part(path, name, steps, space)
        yield from part.differing(headlight)
        columns = parts[name]["setup"].get("attention", {}).get("token_axis") == "columns"
        compared = 0
        for fact in parts[name]["facts"]:
            if "not_reproducible" in fact or fact["tensor"] not in part.made:
                continue
            compared += 1
            if not agrees(fact, array(space[fact["tensor"]]), columns):
                yield f"{path.name}, part {name}: {fact['tensor']} differs"
        if compared == 0:
            yield f"{path.name}, part {name}: its code makes nothing that was printed"
        print(f"{path.name}, part {name}: {compared} facts")


if __name__ == "__main__":
    lectures = sorted(path for path in pathlib.Path(sys.argv[1]).glob("*.md") if path.name != "README.md")
    found = [problem for path in lectures for problem in problems(path, sys.argv[2])]
    print(*found, sep="\n")
    sys.exit(1 if found or not lectures else 0)
