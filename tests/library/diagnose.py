"""`headlight diagnose` against students who make known mistakes, on random setups.

    diagnose.py --headlight build/release/headlight [--count 24] [--first 0]

Each setup is computed by student.py, an implementation of its own, and handed over right and wrong:
- right, as an archive and as a printout, in rows or in columns: called right;
- each mistake of the table by itself, with all tensors: the mistake is among those that explain, the first difference is
  the step of the mistake, and executing the fix in its place gives the right tensors;
- the same with the output alone;
- two mistakes in different steps: both are among those that explain;
- mistakes in drawing, with all tensors.

A trial counts only if the mistake changes something: if at its own step (for the output alone: there) some number moves by
more than 20 times the tolerance and 100 times what float32 rounds. Exit code 0: all rates reached; 1: not.
"""
import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import torch

import random_setups
import reference
from student import ORDER, Student

ATOL, RTOL = 1e-6, 1e-5
RATES = {"right": 1.0, "first difference": 1.0, "single": 0.99, "fix": 1.0, "output alone": 0.95, "two": 0.95, "draws": 0.99,
         "more": 0.99, "more, output alone": 0.9, "other right": 1.0,
         "wrong in a half": 0.95}


def drawn(setup):
    """The inputs and parameters in the setup's precision, and the decisions of dropout."""
    sizes = reference.Sizes(setup)
    tensors, generator = reference.run_draws(setup, sizes)
    attention = setup.get("attention", {})
    precision = np.float32 if attention.get("precision") == "float32" else np.float64
    p = attention.get("dropout", 0)
    shape = (sizes.batch, sizes.heads, sizes.past + sizes.queries, sizes.keys)
    keep = generator.dropped(np.ones(shape), p)[:, :, sizes.past:] != 0 if p > 0 else None
    return {name: tensor.astype(precision) for name, tensor in tensors.items()}, keep


def in_layout(name, tensor, columns, out_in):
    turned = out_in if name.startswith("W") else columns and not name.startswith("b") and name != "sinks" and "gain" not in name and name != "norm_bias"
    return tensor.swapaxes(-1, -2) if turned else tensor


class Trials:
    def __init__(self, headlight, folder):
        self.headlight, self.folder = headlight, pathlib.Path(folder)
        self.tried, self.reached = collections.Counter(), collections.Counter()
        self.by_mistake = collections.Counter()

    def judge(self, what, holds, words=""):
        self.tried[what] += 1
        self.reached[what] += bool(holds)
        if not holds:
            print(f"{what}: {words}", flush=True)

    def run(self, setup, path):
        (self.folder / "setup.toml").write_text(random_setups.to_toml(setup))
        ended = subprocess.run([self.headlight, "diagnose", "--setup", self.folder / "setup.toml", path, "--json"],
                               capture_output=True, text=True, timeout=120)
        if ended.returncode not in (0, 1):
            return {"agrees": None, "first_difference": None, "diagnoses": [], "error": ended.stderr}
        report = json.loads(ended.stdout)
        assert report["agrees"] == (ended.returncode == 0)
        return report

    def diagnose(self, setup, tensors, columns=False, out_in=False):
        path = self.folder / "mine.npz"
        np.savez(path, **{name: in_layout(name, tensor, columns, out_in) for name, tensor in tensors.items()})
        return self.run(setup, path)


def explaining(report):
    return {d["mistake"]: d for d in reversed(report["diagnoses"]) if d["explains"]}


def changes(wrong, right, exact):
    """Whether a mistake shows in an array."""
    if wrong.shape != right.shape:
        return True
    finite = np.isfinite(right)
    both = finite & np.isfinite(wrong)
    if (np.isfinite(wrong) != finite).any():
        return True
    largest = np.abs(right[finite]).max(initial=0)
    rounding = np.abs(right[finite].astype(float) - exact[finite]).max(initial=0) if right.dtype == np.float32 else 0
    return np.abs(wrong[both].astype(float) - right[both]).max(initial=0) > 20 * (ATOL + RTOL * largest) + 100 * rounding


def is_level(wrong, right, step):
    """Whether scores differ by a constant in each row alone, which softmax doesn't see: that is no mistake."""
    if step not in ("dot_products", "position_bias", "scores", "masked_scores") or wrong.shape != right.shape:
        return False
    both = np.isfinite(wrong) & np.isfinite(right)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # infinities, and rows of NaN alone
        moved = np.where(both, wrong.astype(float) - right, np.nan)
        spread = np.nanmax(moved, axis=-1) - np.nanmin(moved, axis=-1)
    return (np.isfinite(wrong) == np.isfinite(right)).all() and not (spread > ATOL).any()


def is_unseen(student, name, flow, right, exact, step):
    """Whether nothing that follows differs, which makes it another convention: numbers in hidden places that are so low
    that their weights are 0 all the same, all positions turned by one angle, or other queries for keys that are all 0. A
    row without visible keys says nothing of how weak a mask is."""
    weights = [tensors["weights"] for tensors in (flow, right, exact)]
    if name == "mask_too_weak":
        seeing = np.broadcast_to(student.visible, weights[0].shape).any(axis=-1)
        return not changes(*(each[seeing] for each in weights))
    same = [name for name in ("dot_products", "output") if not changes(flow[name], right[name], exact[name])]
    return step in ("Q_heads", "K_heads", "Q_rotated", "K_rotated") and "dot_products" in same and (
        "output" in same or step.endswith("rotated"))


def step_of(mistake):
    return next(name for name in ORDER if mistake.get(name))


def mended(student, wrong, fixes, in_torch):
    """The wrong flow with the lines of the fixes executed in the place of their steps."""
    def convert(x):
        return torch.from_numpy(np.ascontiguousarray(x)) if isinstance(x, np.ndarray) and in_torch else x

    steps = dict(wrong)
    for fix in fixes:
        lines = fix.split("\n")
        made = [line.split(" = ")[0].partition("[")[0] for line in lines]  # also where only a part is assigned
        for at, name in enumerate(made):
            if name not in ORDER:
                continue
            code = "\n".join(line for line, other in zip(lines[:at + 1], made) if other not in ORDER or other == name)

            def step(t, code=code, name=name):
                space = {k: convert(v) for k, v in (student.names() | t).items()} | {"torch": torch}
                exec(code, space)
                return np.asarray(space[name])
            steps[name] = step
    return student.run(steps)


def same(found, right, exact):
    return all(not changes(found[name], right[name], exact[name]) for name in right)


def printed(array, digits):
    with np.printoptions(threshold=sys.maxsize, precision=digits, suppress=random.random() < 0.5):
        return str(array)


def try_right(trials, number, r, setup, tensors):
    columns = setup["attention"].get("token_axis") == "columns" and r.random() < 0.7
    out_in = setup["attention"].get("weight_layout") == "out_in" and r.random() < 0.7
    report = trials.diagnose(setup, tensors, columns, out_in)
    trials.judge("right", report["agrees"], f"{number}: {report}")
    path = trials.folder / "printed.txt"
    names = [name for name in ORDER if name in tensors and not np.isnan(tensors[name]).any()]
    path.write_text("\n".join(f"{name} =\n{printed(tensors[name], r.choice([3, 4, 8]))}" for name in names))
    report = trials.run(setup, path)
    trials.judge("right", report["agrees"], f"{number} printed: {report}")


def try_setup(trials, number, singles):
    r = random.Random(number)
    setup = random_setups.random_setup(number, number % 2 == 1)
    tensors, keep = drawn(setup)
    student = Student(setup, tensors, keep)
    right = student.run({})
    exact = Student(setup, {k: v.astype(float) for k, v in tensors.items()}, keep).run({})
    try_right(trials, number, r, setup, right)

    mistakes = list(student.mistakes(r))
    r.shuffle(mistakes)
    shown = []
    for name, wrong in mistakes[:singles]:
        flow, step = student.run(wrong), step_of(wrong)
        where = f"{number} {name} at {step}"
        if (changes(flow[step], right[step], exact[step]) and not is_level(flow[step], right[step], step) and
                not is_unseen(student, name, flow, right, exact, step)):
            report = trials.diagnose(setup, flow)
            found = explaining(report)
            trials.judge("single", name in found, f"{where}: {sorted(found)} {report.get('error')} {report['diagnoses'][:3]}")
            trials.judge("first difference", report["first_difference"] == step, f"{where}: {report['first_difference']}")
            trials.by_mistake[name] += 1
            shown.append((name, wrong))
            if name in found:
                fixes = [d["fix"] for d in report["diagnoses"] if d["mistake"] == name and d["explains"]]
                in_torch = setup["random"]["generator"] == "torch"
                trials.judge("fix", same(mended(student, wrong, fixes, in_torch), right, exact), f"{where}: {fixes}")
        if changes(flow["output"], right["output"], exact["output"]) and np.isfinite(right["output"]).all():
            report = trials.diagnose(setup, {"output": flow["output"]})
            trials.judge("output alone", name in explaining(report),
                         f"{where}: {sorted(explaining(report))} {report.get('error')} {report['diagnoses'][:3]}")

    pairs = [(a, b) for a in shown for b in shown if ORDER.index(step_of(a[1])) < ORDER.index(step_of(b[1])) and
             not set(a[1]) & set(b[1]) and "batch_and_position_swapped" not in (a[0], b[0])]
    for (first, one), (second, two) in r.sample(pairs, min(1, len(pairs))):
        both, alone = student.run(one | two), student.run(one)
        if changes(both[step_of(two)], alone[step_of(two)], alone[step_of(two)].astype(float)):
            report = trials.diagnose(setup, both)
            trials.judge("two", {first, second} <= explaining(report).keys(),
                         f"{number} {first} and {second}: {sorted(explaining(report))} {report.get('error')}")
    try_draws(trials, number, r, setup, right, exact)


def in_half(setup, tensors, keep, kind):
    """The output of the same layer, with every tensor rounded to float16 or bfloat16."""
    def rounded(x):
        if kind == "float16":
            return x.astype(np.float16).astype(x.dtype)
        return torch.from_numpy(np.ascontiguousarray(x, dtype=np.float32)).bfloat16().float().numpy().astype(x.dtype)

    student = Student(setup, {name: rounded(tensor) for name, tensor in tensors.items()}, keep)
    flow = dict(student.given)
    with np.errstate(all="ignore"):
        for name, step in student.steps().items():
            flow[name] = rounded(step(flow))
    return {name: flow[name].astype(np.float32) for name in ("weights", "output")}


def try_other_right(trials, most, first=1000):
    """Right works under other names, in other layouts and precisions: no false alarm."""
    number, done = first, 0
    while done < most:
        r = random.Random(number)
        setup = random_setups.random_setup(number, number % 2 == 1)
        number += 1
        tensors, keep = drawn(setup)
        student = Student(setup, tensors, keep)
        right = student.run({})
        if not all(np.isfinite(right[name]).all() for name in ("weights", "output")):
            continue
        works = list(student.right_works(right, r))
        works += [(kind, in_half(setup, tensors, keep, kind)) for kind in ("float16", "bfloat16")]
        r.shuffle(works)
        for words, arrays in works[:3]:
            if words.startswith("averaged") and keep is not None:
                continue
            report = trials.diagnose(setup, arrays)
            trials.judge("other right", report["agrees"], f"{number - 1} {words}: {report.get('error')} "
                         f"{report['first_difference']} {[d for d in report['diagnoses'] if d['explains']]}")
            done += 1
        if number % 3 == 0:
            try_wrong_scale_in_half(trials, number - 1, setup, tensors, keep)


def try_wrong_scale_in_half(trials, number, setup, tensors, keep):
    """A scale that is missing is called wrong in a half too, where it moves the output by more than the half rounds."""
    scaled = setup["attention"].get("scale", "inverse_sqrt_d_head")
    without = {**setup, "attention": {**setup["attention"], "scale": "none"}}
    for kind in ("float16", "bfloat16"):
        right, wrong = in_half(setup, tensors, keep, kind), in_half(without, tensors, keep, kind)
        exact = {k: v.astype(float) for k, v in tensors.items()}
        rounding = np.abs(right["output"] - Student(setup, exact, keep).run({})["output"]).max()
        if scaled == "none" or not np.abs(wrong["output"] - right["output"]).max() > 20 * max(rounding, 1e-6):
            continue
        report = trials.diagnose(setup, wrong)
        trials.judge("wrong in a half", not report["agrees"], f"{number} {kind}")


def try_more(trials, times, first=2000, most=4000):
    """Each of the mistakes that people report, so many times in random setups, among all tensors and in the output alone."""
    made = collections.Counter()
    names = set()
    for number in range(first, first + most):
        r = random.Random(number)
        setup = random_setups.random_setup(number, number % 2 == 1)
        tensors, keep = drawn(setup)
        student = Student(setup, tensors, keep)
        right = student.run({})
        exact = Student(setup, {k: v.astype(float) for k, v in tensors.items()}, keep).run({})
        mistakes = list(student.more_mistakes(r))
        names |= {name for name, _ in mistakes}
        for name, wrong in mistakes:
            if made[name] >= times:
                continue
            flow = student.run(wrong)
            step = step_of(wrong)
            if not all(np.isfinite(flow[n]).all() for n in ("weights", "output")) or not changes(
                    flow["output"], right["output"], exact["output"]):
                continue
            made[name] += 1
            for what, arrays in (("more", flow), ("more, output alone", {"output": flow["output"]})):
                sizes = student.sizes
                shows_weights = sizes.keys <= 10 and sizes.d_out >= sizes.heads * sizes.d_head and sizes.d_head > 1
                if what == "more, output alone" and name == "dropout_active" and not shows_weights:
                    continue  # many choices of dropped weights give this output
                report = trials.diagnose(setup, arrays)
                found = explaining(report)
                trials.judge(what, name in found, f"{number} {name} at {step}: {sorted(found)} {report.get('error')} "
                             f"{report['first_difference']} {[(d['mistake'], d['misfit']) for d in report['diagnoses'][:4]]}")
        if len(names) > 15 and all(made[name] >= times for name in names):
            break
    print(dict(sorted(made.items())))


def can_draw(generator, draws):
    """Whether the generator takes these seeds and has these distributions."""
    if generator == "torch":
        return True
    seeds = [int(draw.split(" ")[1]) for draw in draws if draw.startswith("seed")]
    return (min(seeds) >= 0 and (generator != "numpy" or max(seeds) < 2**32) and
            not any(draw.endswith((" linear", " xavier_uniform")) for draw in draws))


def try_draws(trials, number, r, setup, right, exact):
    random_part = setup["random"]
    draws = random_part["draws"]
    seeds = [i for i, draw in enumerate(draws) if draw.startswith("seed")]
    others = [i for i, draw in enumerate(draws) if i not in seeds]
    wrong = {"draws": list(draws), "generator": random_part["generator"]}
    name = r.choice(["draw_order", "other_seed", "rand_for_randn", "other_generator"])
    if name == "draw_order":
        i, j = r.sample(others, 2) if len(others) > 1 else (0, 0)
        wrong["draws"][i], wrong["draws"][j] = draws[j], draws[i]
    elif name == "other_seed":
        wrong["draws"][r.choice(seeds)] = f"seed {r.randrange(10000)}"
    elif name == "rand_for_randn":
        flip = {"uniform": "normal", "normal": "uniform"}
        chosen = others if r.random() < 0.5 else [r.choice(others)] if others else []
        for i in chosen:
            target, distribution = draws[i].split(" ")
            wrong["draws"][i] = f"{target} {flip.get(distribution, distribution)}"
    else:
        generators = [g for g in reference.GENERATORS if g != random_part["generator"] and can_draw(g, draws)]
        if not generators:
            return
        wrong["generator"] = r.choice(generators)
    tensors, keep = drawn({**setup, "random": wrong})
    if not any(changes(tensors[n], right[n], exact[n]) for n in tensors):
        return
    report = trials.diagnose(setup, Student(setup, tensors, keep).run({}))
    trials.judge("draws", name in explaining(report),
                 f"{number} {name} {draws} -> {wrong}: {sorted(explaining(report))} {report.get('error')}")
    trials.by_mistake[name] += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--headlight", required=True)
    parser.add_argument("--count", type=int, default=24, help="how many random setups")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument("--singles", type=int, default=4, help="how many mistakes in each")
    parser.add_argument("--times", type=int, default=2, help="how often each of the mistakes that people report; 20 for all")
    parser.add_argument("--right", type=int, default=30, help="how many right works under other names; 200 for all")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(arguments.headlight, folder)
        for number in range(arguments.first, arguments.first + arguments.count):
            try_setup(trials, number, arguments.singles)
        try_more(trials, arguments.times)
        try_other_right(trials, arguments.right)
    print(dict(sorted(trials.by_mistake.items())))
    good = True
    for what, least in RATES.items():
        rate = trials.reached[what] / max(1, trials.tried[what])
        good &= rate >= least and trials.tried[what] > 0
        print(f"{what:18} {trials.reached[what]:5} of {trials.tried[what]:5}  {rate:7.2%}, at least {least:.0%}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
