"""Runs the lines of code that Headlight shows for each stage, in NumPy and in PyTorch, on the stage's own operands.

    stage_code.py STAGE_CODE [COUNT]

STAGE_CODE writes random setups with grouped heads, every mask and queries that see no key. Each line must run without a
warning and give the tensor of the trace. Dropped weights are random: each must be 0 or the weight scaled up.
Exit code 0: all agree; 1: some do not.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import torch


def agrees(found, expected):
    limit = 2e-5 if expected.dtype == np.float32 else 1e-10
    finite = np.isfinite(expected)
    magnitude = max(1.0, np.abs(expected[finite]).max(initial=0))
    return (found.shape == expected.shape and np.array_equal(found[~finite], expected[~finite]) and
            np.abs(found[finite] - expected[finite]).max(initial=0) <= limit * magnitude)


def dropped_agrees(found, weights, dropout):
    kept = found != 0
    return agrees(found[kept], weights[kept] / (1 - dropout))


def problems(case, trace, framework):
    space = {"math": math, "np": np, "torch": torch, "rng": np.random.default_rng(0), **case["sizes"]}
    for stage in case["stages"]:
        if not stage[framework]:
            continue  # a task's sequences are made once for all, before the stages
        for operand in stage["operands"]:
            space[operand] = torch.from_numpy(trace[operand].copy()) if framework == "torch" else trace[operand].copy()
        code = "\n".join(stage[framework])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(code, space)
        except Exception as error:
            yield f"{framework}: {stage['result']} raises {error!r}:\n{code}"
            continue
        found = np.asarray(space[stage["result"]])
        expected = trace[stage["result"]]
        holds = (dropped_agrees(found, trace["weights"], case["dropout"]) if stage["takes_chances"]
                 else agrees(found, expected))
        if not holds:
            yield f"{framework}: {stage['result']} differs:\n{code}"


def main():
    count = sys.argv[2] if len(sys.argv) > 2 else "60"
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder, count], check=True)
        cases = sorted(pathlib.Path(folder).glob("*.json"))
        for path in cases:
            with np.load(path.with_suffix(".npz")) as file:
                trace = dict(file)
            for framework in ("numpy", "torch"):
                for problem in problems(json.loads(path.read_text()), trace, framework):
                    failures += 1
                    print(f"{path.stem}: {problem}")
    print(f"{len(cases)} layers, {failures} failures")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
