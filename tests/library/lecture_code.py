"""Runs the code of each lecture from its first step to its last; it must give the facts that the lecture states.

    lecture_code.py FOLDER

Headlight is not needed, only the lectures' own lines, NumPy and PyTorch. A fact is checked if the code of its part
computes its tensor. Exit code 0: all agree; 1: some do not; 77: NumPy or PyTorch is not installed.
"""
import pathlib
import re
import sys
import tomllib

try:
    import numpy as np
    import torch
except ImportError as missing:
    print(f"skipped: {missing}; install python3-numpy and python3-torch to run the lectures' code")
    sys.exit(77)


def fenced(text, info):
    found = re.search(rf"^```{info}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def read(path):
    """Reads a lecture: its front matter, and for each part the code of its steps in order."""
    _, front, body = path.read_text().split("+++\n", 2)
    part, codes = "main", {}
    for step in re.split(r"^## ", body, flags=re.MULTILINE)[1:]:
        part = tomllib.loads(fenced(step, "step")).get("part", part)
        codes.setdefault(part, []).append(fenced(step, "python"))
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


def problems(path):
    front, codes = read(path)
    parts = {"main": front, **{part["id"]: part for part in front.get("parts", [])}}
    space = {"np": np, "torch": torch, "nn": torch.nn}
    for part, code in codes.items():
        before = dict(space)
        with torch.no_grad():
            exec(compile("\n".join(code), f"{path.name}, part {part}", "exec"), space)
        columns = parts[part]["setup"].get("attention", {}).get("token_axis") == "columns"
        compared = 0
        for fact in parts[part]["facts"]:
            tensor = fact["tensor"]
            made_here = tensor in space and space[tensor] is not before.get(tensor)
            if "not_reproducible" in fact or not made_here:
                continue
            compared += 1
            if not agrees(fact, array(space[tensor]), columns):
                yield f"{path.name}, part {part}: {tensor} differs"
        if compared == 0:
            yield f"{path.name}, part {part}: its code makes nothing that was printed"
        print(f"{path.name}, part {part}: {compared} facts")


if __name__ == "__main__":
    lectures = sorted(path for path in pathlib.Path(sys.argv[1]).glob("*.md") if path.name != "README.md")
    found = [problem for path in lectures for problem in problems(path)]
    print(*found, sep="\n")
    sys.exit(1 if found or not lectures else 0)
