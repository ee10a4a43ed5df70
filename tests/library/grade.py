"""`headlight grade` on the work of a class, against the truth: 40 right submissions, 160 with a known mistake, half of them all
under other names, as archives, folders, printouts and notebooks, and ten files that can't be read.

    grade.py build/release/headlight [--keep FOLDER] [--seed 1]

Exit code 0: every verdict is right, and at least 99 % of the mistakes have their name; 1: not.
"""
import argparse
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

import random_setups
from diagnose import changes, drawn, is_level, step_of
from student import ORDER, Student

RIGHT, WRONG = 40, 160
SETUP = {
    "version": 1, "title": "The class's exercise", "tokens": [],
    "sizes": {"batch": 2, "query_length": 5, "d_model": 12, "heads": 3},
    "attention": {"source": "self"},
    "mask": {"kinds": ["causal"]},
    "random": {"generator": "torch", "draws": ["seed 3", "X normal", *(f"{w}_{m} linear" for w in "W" for m in "qkvo")]},
}
NAMES = {"Q": "queries", "K": "keys", "V": "values", "Q_heads": "q_split", "K_heads": "k_split", "V_heads": "v_split",
         "scores": "attn_scores", "masked_scores": "scores_after_mask", "weights": "attention", "context": "ctx", "concat": "joined",
         "output": "out"}
HANDED_IN = [("scores", "weights", "output"), ("Q", "K", "V", "scores", "weights", "context", "output"), ("weights", "output"),
             ("Q_heads", "K_heads", "V_heads", "masked_scores", "weights", "concat", "output")]
BROKEN = {"a-picture.npz": b"\x89PNG\r\n\x1a\n", "cut-off.npz": None, "empty.npz": b"", "empty.npy": b"", "nan.npz": None,
          "pickled.npz": None, "program.py": b"import numpy as np\n", "shortened.txt": b"scores =\n[[1. 2. ... 3. 4.]]\n",
          "other-shapes.npz": None, "words.txt": b"I could not do it, sorry"}


def printed(arrays):
    with np.printoptions(threshold=sys.maxsize, precision=8):
        return "\n".join(f"{name} =\n{array}" for name, array in arrays.items())


def notebook(arrays):
    cells = [{"cell_type": "code", "source": [f"print({name})"],
              "outputs": [{"output_type": "stream", "name": "stdout", "text": printed({name: array}).partition("\n")[2]}]}
             for name, array in arrays.items()]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


def save(folder, number, arrays, r):
    """One submission; returns its name."""
    name = f"{r.choice(['ann', 'bob', 'chi', 'dan', 'eve'])} {number:03}"
    form = r.choice(["npz", "npz", "folder", "txt", "ipynb"])
    # Where softmax overflowed, a printout has nan, which a text can't tell from a missing number: the archive can.
    if form == "npz" or not all(np.isfinite(array).all() for array in arrays.values()):
        form = "npz"
        np.savez(folder / f"{name}.npz", **arrays)
    elif form == "folder":
        (folder / name).mkdir()
        (folder / name / "answers.md").write_text("See the arrays.")
        for array in arrays:
            np.save(folder / name / f"{array}.npy", arrays[array])
        return name
    else:
        (folder / f"{name}.{form}").write_text(printed(arrays) if form == "txt" else notebook(arrays))
    return f"{name}.{form}"


def write_broken(folder):
    for name, content in BROKEN.items():
        if content is not None:
            (folder / name).write_bytes(content)
    np.savez(folder / "cut-off.npz", output=np.zeros((2, 5, 12)))
    whole = (folder / "cut-off.npz").read_bytes()
    (folder / "cut-off.npz").write_bytes(whole[:len(whole) // 2])
    np.savez(folder / "nan.npz", Q=np.full((2, 5, 12), np.nan))
    np.savez(folder / "pickled.npz", output=np.array([{}], dtype=object))
    np.savez(folder / "other-shapes.npz", output=np.zeros((7, 7)))


def wrong_works(student, right, first):
    """(name of the mistake, its arrays), each one that shows, over and over."""
    exact = student.run({})
    while True:
        for seed in range(first, first + 1000):
            r = random.Random(seed)
            for name, wrong in [*student.mistakes(r), *student.more_mistakes(r)]:
                flow, step = student.run(wrong), step_of(wrong)
                if changes(flow[step], right[step], exact[step]) and not is_level(flow[step], right[step], step):
                    yield name, flow, step


def class_of(folder, setup, seed):
    """Writes the submissions; returns the truth: for each name True, or the mistake."""
    tensors, keep = drawn(setup)
    student = Student(setup, tensors, keep)
    right = student.run({})
    r, truth = random.Random(seed), {}
    wrong = wrong_works(student, right, 1000 * seed)
    for number in range(RIGHT + WRONG):
        handed_in = r.choice(HANDED_IN)
        mistake, flow = True, right
        if number >= RIGHT:
            mistake, flow, step = next(wrong)
            handed_in = [name for name in ORDER if name in flow and (name in handed_in or name == step)]
        arrays = {NAMES.get(name, name) if number % 2 else name: flow[name] for name in handed_in}
        truth[save(folder, number, arrays, r)] = mistake
    write_broken(folder)
    return truth


def judge(rows, truth):
    """Sentences about wrong verdicts, and the names of mistakes that were not given."""
    faults, unnamed = [], []
    if [row["name"] for row in rows] != sorted([*truth, *BROKEN]):
        faults.append("the rows are not the submissions in the order of their names")
    for row in rows:
        name, fact = row["name"], truth.get(row["name"])
        if name in BROKEN:
            if not row["error"] or any(row[column] for column in row if column not in ("name", "error")):
                faults.append(f"{name} can't be read: {row}")
        elif row["agrees"] != ("true" if fact is True else "false") or row["error"]:
            faults.append(f"{name} is {fact}: {row}")
        elif fact is not True and fact not in row["mistake"].split():
            unnamed.append(f"{name}: {fact}, called {row['mistake'] or 'nothing'} at {row['first_difference']} of {row['tensors']}")
        elif fact is not True and not row["fix"]:
            faults.append(f"{name}: no line that mends {fact}")
    return faults, unnamed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("headlight")
    parser.add_argument("--keep", help="a folder for the submissions, which are left there")
    parser.add_argument("--seed", type=int, default=0, help="other numbers, other students")
    arguments = parser.parse_args()
    setup = json.loads(json.dumps(SETUP).replace("seed 3", f"seed {3 + arguments.seed}"))
    with tempfile.TemporaryDirectory() as temporary:
        top = pathlib.Path(arguments.keep or temporary)
        folder = top / "submissions"
        folder.mkdir(parents=True)
        (top / "setup.toml").write_text(random_setups.to_toml(setup))
        truth = class_of(folder, setup, arguments.seed)
        tables = []
        for times in range(2):
            subprocess.run([arguments.headlight, "grade", folder, "--setup", top / "setup.toml", "-o", top / f"grades-{times}.csv"],
                           check=True, timeout=300, stdout=subprocess.DEVNULL)
            with open(top / f"grades-{times}.csv", newline="") as file:
                tables.append([{**row, "seconds": ""} for row in csv.DictReader(file)])
        faults, unnamed = judge(tables[0], truth)
        if tables[0] != tables[1]:
            faults.append("a second run gives another table")
    print(*faults, *unnamed, sep="\n")
    named = WRONG - len(unnamed)
    print(f"{len(truth)} submissions and {len(BROKEN)} broken files: {len(faults)} wrong verdicts; {named} of {WRONG} mistakes named, "
          f"of {len({fact for fact in truth.values() if fact is not True})} kinds")
    return 0 if not faults and named >= 0.99 * WRONG else 1


if __name__ == "__main__":
    sys.exit(main())
