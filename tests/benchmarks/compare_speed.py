"""Times the same work in NumPy, PyTorch and Headlight, one after the other, on this machine.

    compare_speed.py --measure build/release/tests/benchmarks/headlight_measure --headlight build/release/headlight
                     --lectures assets/lectures [--rounds 5 | --short] [--only traces,draws,training,edits,stages,
                     memory,waiting,frames]

In each round every contestant does the work once (quick work: often enough to be timed). A ratio is how many times
faster Headlight is than the faster of the other two in the same round; the table has the median of the rounds and,
behind it, the smallest and the largest. "asked" is the ratio that the project sets itself. PyTorch may use one thread
or all, whichever is faster in the round. --short does a little of everything once, to see that it runs.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import statistics
import string
import subprocess
import sys
import tempfile
import time
import tomllib

import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "library"))
import frameworks  # noqa: E402
from random_setups import to_toml  # noqa: E402

SECTIONS = ("traces", "draws", "training", "edits", "diagnosis", "stages", "memory", "waiting", "frames")
THREADS = len(os.sched_getaffinity(0))
ENOUGH = 0.03  # seconds that quick work is repeated for
CALM = 0.15  # seconds for which the threads of a library may still spin after its work; nobody else starts before
NN = ["X normal", "W_q linear", "W_k linear", "W_v linear", "W_o linear"]


def own_setup(batch, tokens, heads, d_model):
    return {
        "version": 1,
        "sizes": {"batch": batch, "query_length": tokens, "heads": heads, "d_model": d_model},
        "attention": {"precision": "float32", "weight_layout": "out_in"},
        "random": {"generator": "torch", "draws": ["seed 0", *NN]},
    }


SMALL, BATCH, LARGE = own_setup(1, 64, 8, 512), own_setup(32, 128, 8, 512), own_setup(1, 1024, 16, 1024)


def lecture_setups(folder):
    for path in sorted(folder.glob("[a-z]*.md")):
        yield path.stem, {"version": 1, **tomllib.loads(path.read_text().split("+++\n")[1])["setup"]}


class Measure:
    """headlight_measure: one process, so that its start is in no time."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"headlight_measure ended at {request}")
        return json.loads(line)

    def seconds(self, **request):
        """Seconds that a request takes once; quick work is repeated until it can be timed."""
        repeat = 2
        while True:
            times = self(repeat=repeat, **request)["seconds"]
            if sum(times) >= ENOUGH:
                return sum(times) / len(times)
            repeat = int(repeat * max(2, min(1000, 1.5 * ENOUGH / max(sum(times), 1e-9))))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def seconds(work):
    """Seconds that one call of work(turn) takes; quick work is repeated until it can be timed."""
    repeat = 1
    while True:
        start = time.perf_counter()
        for turn in range(repeat):
            kept = work(turn % 2)
        taken = time.perf_counter() - start
        del kept
        if taken >= ENOUGH:
            return taken / repeat
        repeat = int(repeat * max(2, min(1000, 1.5 * ENOUGH / max(taken, 1e-9))))


def with_threads(count, work):
    torch.set_num_threads(count)
    time.sleep(CALM)
    return seconds(work)


def short(value):
    unit, factor = next(((u, f) for u, f in (("s", 1), ("ms", 1e3), ("µs", 1e6)) if value * f >= 1), ("ns", 1e9))
    return f"{value * factor:.3g} {unit}"


def spread(ratios):
    return f"{statistics.median(ratios):5.2f}  ({min(ratios):.2f} to {max(ratios):.2f})"


def line(*cells):
    """Prints a line of the table: the first cell aligned left, the others right."""
    print(f"{cells[0]:38}" + "".join(f"{cell:>14}" for cell in cells[1:-2]) + f"{cells[-2]:>26}" + f"{cells[-1]:>8}", flush=True)


def compare(name, contestants, headlight, asked, rounds):
    """Prints a row. contestants: functions of the turn, by name; headlight: a function that returns its own seconds."""
    times = {each: [] for each in (*contestants, "Headlight")}
    for _ in range(rounds):
        for each, work in contestants.items():
            time.sleep(CALM)
            times[each].append(min(with_threads(count, work) for count in (1, THREADS)) if each == "PyTorch" else seconds(work))
        time.sleep(CALM)
        times["Headlight"].append(headlight())
    ratios = [min(others) / own for *others, own in zip(*times.values())]
    columns = [short(statistics.median(times[each])) if each in times else "-" for each in ("NumPy", "PyTorch", "Headlight")]
    line(name, *columns, spread(ratios), f"{asked:g}" if asked else "-")


def check_same_work(name, setup, works, output_sum):
    """The framework whose generator the setup names must give Headlight's output."""
    own = "PyTorch" if setup["random"].get("generator") == "torch" else "NumPy"
    theirs = float(np.asarray(works[own](0)["output"], dtype=np.float64).sum())
    if abs(theirs - output_sum) > 1e-3 * max(1, abs(theirs)):
        sys.exit(f"{name}: {own}'s output adds up to {theirs}, Headlight's to {output_sum}: not the same work")


def traces(measure, options):
    print("\nA whole trace, draws included, every tensor kept")
    line("", "NumPy", "PyTorch", "Headlight", "ratio", "asked")
    work = [(name, setup, 5 if name == "shapes" else 10) for name, setup in lecture_setups(options.lectures)]
    work += [("64 tokens, 8 heads, d_model 512", SMALL, 3), ("1024 tokens, 16 heads, d_model 1024", LARGE, 1.5),
             ("32 x 128 tokens, 8 heads, d_model 512", BATCH, 2)]
    for name, setup, asked in work:
        if frameworks.left_out(setup):
            print(f"{name:38}not compared: it has {frameworks.left_out(setup)}")
            continue
        works = {"NumPy": frameworks.numpy_work(setup), "PyTorch": frameworks.torch_work(setup)}
        request = {"do": "trace", "setup": to_toml(setup), "edit": "seed"}
        check_same_work(name, setup, works, measure(**request)["output_sum"])
        compare(name, works, lambda: measure.seconds(**request), asked, options.rounds)


def draws(measure, options):
    count = 10_000 if options.short else 10_000_000
    print(f"\n{count:,} random numbers, each generator against the library that it follows")
    line("", "NumPy", "PyTorch", "Headlight", "ratio", "asked")
    rng = np.random.default_rng(0)
    singles, doubles = {"dtype": torch.float32}, {"dtype": torch.float64}
    work = [
        ("NumPy uniform float64", "NumPy", lambda turn: np.random.random_sample(count), 2),
        ("NumPy normal float64", "NumPy", lambda turn: np.random.standard_normal(count), 1),
        ("default_rng uniform float64", "NumPy", lambda turn: rng.random(count), 2),
        ("default_rng normal float64", "NumPy", lambda turn: rng.standard_normal(count), 1),
        ("PyTorch uniform float32", "PyTorch", lambda turn: torch.rand(count, **singles), 2),
        ("PyTorch normal float32", "PyTorch", lambda turn: torch.randn(count, **singles), 1),
        ("PyTorch uniform float64", "PyTorch", lambda turn: torch.rand(count, **doubles), 2),
        ("PyTorch normal float64", "PyTorch", lambda turn: torch.randn(count, **doubles), 1),
    ]
    for name, library, draw, asked in work:
        generator, kind, precision = name.split()
        named = {"NumPy": "numpy", "PyTorch": "torch", "default_rng": "numpy_rng"}
        request = {"do": "draw", "generator": named[generator], "kind": kind,
                   "precision": precision, "count": count}
        compare(name, {library: draw}, lambda: measure.seconds(**request), asked, options.rounds)


def task_setup(name, d_model, tokens=8, heads=2, symbols=6, precision="float64"):
    return {
        "version": 1,
        "sizes": {"batch": 16, "query_length": tokens, "heads": heads, "d_model": d_model},
        "attention": {"precision": precision},
        "position": {"encoding": "one_hot"},
        "random": {"generator": "torch", "draws": ["seed 0", *(f"W_{each} normal" for each in "qkvo")]},
        "task": {"name": name, "symbols": symbols},
        "training": {"learning_rate": 0.02, "batch": 64},
    }


def model_setup(task, tokens, heads, d_model, **parts):
    """Two layers that learn what one cannot; see tests/library/model.py for what each key means."""
    normed = {"norm": {"kind": "layer", "final": True, "epsilon": 1e-5}} if parts.get("block") else {}
    each = [f"W_{name} xavier_uniform" for name in (*"qkvo", *(("in", "out") if normed else ()))]
    zeros = ["b_in zeros", "b_out zeros"] if normed else []
    places = ["P normal"] if parts["encoding"] == "learned" else []
    return {
        "version": 1,
        "sizes": {"batch": 16, "query_length": tokens, "heads": heads, "d_model": d_model, "layers": 2},
        "attention": {"precision": parts.get("precision", "float64")},
        "block": {"residual": True, **parts.get("block", {})},
        "embedding": {"learned": True, "unembed": True},
        "position": {"encoding": parts["encoding"]},
        "mask": {"kinds": ["causal"]},
        **normed,
        "random": {"generator": "torch", "draws": ["seed 0", "W_E normal", *places, "L*: " + ", ".join(each + zeros),
                                                   "W_U xavier_uniform"]},
        "task": task,
        "training": {"learning_rate": 0.003, "batch": 64 if task["name"] == "induction" else 32},
    }


def made_up_words(count):
    """So that nobody needs a dictionary: what is learned of them is of no matter here."""
    r = random.Random(0)
    return ["".join(r.choices(string.ascii_lowercase, k=r.randint(4, 10))) for _ in range(count)]


def models():
    """The two-layer models that the app offers, with an MLP too, as (name, setup, asked)."""
    induction, words = {"name": "induction", "symbols": 12}, {"name": "text", "text": made_up_words(1000)}
    for precision in ("float64", "float32"):
        yield (f"two layers, induction, {precision}",
               model_setup(induction, 12, 2, 32, encoding="rotary", precision=precision), 5)
        yield (f"two layers, words, {precision}", model_setup(words, 12, 4, 32, encoding="learned", precision=precision), 5)
        yield (f"two layers, words, MLP, {precision}",
               model_setup(words, 12, 4, 48, encoding="learned", precision=precision, block={"mlp": "gelu"}), 5)


def training(measure, options):
    """The setups that the app offers, with 64 sequences in a step; a layer of the size of a small model; and two layers."""
    print("\nA step of training: sequences, forward, back, Adam")
    line("", "NumPy", "PyTorch", "Headlight", "ratio", "asked")
    large = {"tokens": 64, "heads": 8, "d_model": 128, "name": "previous"}
    work = [(name, task_setup(name, d_model, tokens), 10)
            for name, d_model, tokens in (("previous", 14, 8), ("previous_and_first", 20, 8), ("lookup", 20, 7))]
    work += [(f"64 tokens, 8 heads, d_model 128, {each}", task_setup(**large, precision=each), 1.5)
             for each in ("float32", "float64")]
    for name, setup, asked in (*work, *models()):
        request = {"do": "train", "setup": to_toml(setup)}
        learner = frameworks.torch_model_training if "block" in setup else frameworks.torch_training
        step, own = learner(setup), measure(repeat=2, **request)["losses"]
        theirs = [step() for _ in own]
        if not np.allclose(theirs, own, rtol=1e-3 if setup["attention"]["precision"] == "float32" else 1e-8):
            sys.exit(f"{name}: PyTorch's losses are {theirs}, Headlight's {own}: not the same work")
        compare(name, {"PyTorch": step}, lambda: measure.seconds(**request), asked, options.rounds)


def edits(measure, options):
    print("\nAn edit as a part of the whole trace")
    line("", "whole", "edit", "", "part", "asked")
    for name, setup in (("1024 tokens, 16 heads, d_model 1024", LARGE), ("shapes", dict(lecture_setups(options.lectures))["shapes"])):
        for edit in ("temperature", "mask"):
            times = {kind: [] for kind in ("seed", edit)}
            for _ in range(options.rounds):
                for kind, found in times.items():
                    found.append(measure.seconds(do="trace", setup=to_toml(setup), edit=kind))
            parts = [part / whole for whole, part in zip(times["seed"], times[edit])]
            line(f"{name}: {edit}", *(short(statistics.median(found)) for found in times.values()), "", spread(parts), "< 0.5")


def diagnosis(measure, options):
    print("\nThe diagnosis of all tensors as a multiple of the whole trace")
    line("", "trace", "diagnosis", "", "multiple", "asked")
    for mistake in ("", "scale_missing", "weights_transposed", "softmax_over_queries", "mask_too_weak", "split_interleaved"):
        setup = {**LARGE, "mask": {"kinds": ["causal"]}} if mistake.startswith("mask") else LARGE
        turns = [measure(do="diagnose", setup=to_toml(setup), mistake=mistake, repeat=2) for _ in range(options.rounds)]
        wholes, found = ([min(turn[kind]) for turn in turns] for kind in ("trace", "seconds"))
        multiples = [own / whole for whole, own in zip(wholes, found)]
        line(f"1024 tokens: {mistake or 'right work'}", short(statistics.median(wholes)), short(statistics.median(found)), "",
             spread(multiples), "< 3")
    for name, setup in lecture_setups(options.lectures):
        if setup.get("sizes", {}).get("d_model", 8) > 32:
            continue
        for mistake in ("", "scale_missing"):
            found = [min(measure(do="diagnose", setup=to_toml(setup), mistake=mistake, repeat=5)["seconds"])
                     for _ in range(options.rounds)]
            line(f"{name}: {mistake or 'right work'}", "", short(statistics.median(found)), "", "", "< 16 ms")


def machine(measure, options):
    """Operations, bytes and words per second, each the best of some tries."""
    rates = {"float32": 0, "float64": 0, "bytes": 0, "words": 0}
    side, size = (256, 2**20) if options.short else (2048, 2**28)
    for dtype in ("float32", "float64"):
        a = np.ones((side, side), dtype)
        for _ in range(options.rounds + 1):
            rates[dtype] = max(rates[dtype], 2 * side**3 / seconds(lambda turn: a @ a))
    rates["bytes"] = 2 * size / min(measure(do="copy", bytes=size, repeat=options.rounds + 1)["seconds"])
    rates["words"] = 1e7 / min(measure(do="words", count=10_000_000, repeat=options.rounds + 1)["seconds"])
    return rates


def stages(measure, options):
    rates = machine(measure, options)
    print(f"\nStages, the best of five in each round, against their floor: the larger of operations over {rates['float32'] / 1e9:.0f} GFLOP/s (OpenBLAS,"
          f" float32) and bytes over {rates['bytes'] / 1e9:.1f} GB/s;\na draw also makes words, {rates['words'] / 1e6:.0f}"
          " million a second on one thread")
    for name, setup in (("shapes", dict(lecture_setups(options.lectures))["shapes"]), ("1024 tokens, 16 heads, d_model 1024", LARGE)):
        print(f"\n{name}")
        line("", "", "floor", "Headlight", "times the floor", "asked")
        precision = setup["attention"]["precision"]
        found = [measure(do="stages", setup=to_toml(setup), repeat=5)["stages"] for _ in range(options.rounds)]
        floors, medians, drawn = [], [], 0
        for rows in zip(*found):
            row = rows[0]
            words = row["draws"] * (1 if precision == "float32" and setup["random"].get("generator") == "torch" else 2)
            floor = max(row["flops"] / rates[precision], row["bytes"] / rates["bytes"], words / rates["words"])
            times = [min(each["seconds"]) for each in rows]
            line(row["stage"], "", short(floor), short(statistics.median(times)), spread([t / floor for t in times]), "-")
            floors.append(floor)
            medians.append(times)
        total = [sum(times) for times in zip(*medians)]
        line("all stages", "", short(sum(floors)), short(statistics.median(total)), spread([t / sum(floors) for t in total]), "< 1.5")
        whole = [min(measure(do="trace", setup=to_toml(setup), edit="seed", repeat=5)["seconds"]) for _ in range(options.rounds)]
        line("a whole trace", "", short(sum(floors)), short(statistics.median(whole)), spread([t / sum(floors) for t in whole]), "< 1.5")


def memory(options):
    print("\nMemory of one computation from nothing")
    line("", "tensors", "base", "added", "added / tensors", "asked")
    for name, setup in (("1024 tokens, 16 heads, d_model 1024", LARGE), ("32 x 128 tokens, 8 heads, d_model 512", BATCH)):
        measure = Measure(options.measure)
        found = measure(do="memory", setup=to_toml(setup))
        measure.close()
        added = found["peak"] - found["base"]
        sizes = [f"{size / 2**20:.0f} MiB" for size in (found["tensors"], found["base"], added)]
        line(name, *sizes, f"{added / found['tensors']:.2f}", "< 1.3")


def output_of(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def run(*command):
    start = time.perf_counter()
    output_of(*command)
    return time.perf_counter() - start


def waiting(measure, options):
    print("\nWhat a person waits for")
    line("", "Python", "Headlight", "", "ratio", "asked")

    def turns(name, theirs, own, asked=None):
        times = [(theirs(), own()) for _ in range(options.rounds)]
        columns = [short(statistics.median(each)) for each in zip(*times)]
        line(name, *columns, "", spread([a / b for a, b in times]), f"{asked:g}" if asked else "-")

    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder) / "picture.png"
        turns("start: a first picture / the imports", lambda: run(sys.executable, "-c", "import numpy, matplotlib.pyplot"),
              lambda: run(options.headlight, "render", "--lecture", "numpy-from-scratch", "-o", picture), 3)
        grids(options, pathlib.Path(folder), turns)


def grids(options, folder, turns):
    """16 heads of 1024 x 1024 in 1440 x 900 pixels: of numbers that are there, in a program that has drawn before; and all
    of it, from the start of a program."""
    try:
        import matplotlib_grid
    except ImportError as missing:
        return print(f"no grid of heads: install python3-matplotlib ({missing})")
    setup, picture = folder / "setup.toml", folder / "grid.png"
    size = ("1440", "900")
    setup.write_text(to_toml(LARGE))
    weights = frameworks.torch_work(LARGE)()["weights"][0].numpy()

    def theirs():
        start = time.perf_counter()
        matplotlib_grid.draw_grid(weights, *map(int, size), picture)
        return time.perf_counter() - start

    def own(figure):
        program = (options.measure + "_picture", setup, figure, *size, picture, 3)
        return statistics.median(map(float, output_of(*program).split()))

    theirs()
    turns("16 heads of 1024 x 1024 into a PNG", theirs, lambda: own("heads"), 10)
    turns("the same, against the whole window", theirs, lambda: own("window"))
    script = pathlib.Path(matplotlib_grid.__file__)
    turns("the same, numbers and start included", lambda: run(sys.executable, script, setup, *size, picture),
          lambda: run(options.headlight, "render", "--setup", setup, "--figure", "heads", "--tensor", "weights",
                      "--size", "x".join(size), "-o", picture))


def frames(options):
    """The user drags the temperature at the largest size; pixels are those of the software renderer."""
    print("\nFrames of 1440 x 900 while the temperature is dragged at 1024 tokens, 16 heads, d_model 1024: medians and worst")
    line("", "made", "worst", "drawn", "worst", "frames, traces a second", "asked")
    with tempfile.TemporaryDirectory() as folder:
        setup = pathlib.Path(folder) / "setup.toml"
        setup.write_text(to_toml(LARGE))
        for view in ("pipeline", "heads", "tokens", "compare"):
            found = json.loads(output_of(options.measure + "_frames", setup, view, 3 if options.short else 100))
            times = [short(found[what][which] / 1000) for what in ("made", "drawn") for which in ("median", "worst")]
            rates = [f"{found[what] / found['seconds']:.1f}" for what in ("frames", "new_traces")]
            line(view, *times, ", ".join(rates), "-")


def shorten(options):
    """One round with small setups, in which nothing is repeated to be timed."""
    global ENOUGH, CALM
    ENOUGH, CALM, options.rounds = 0, 0, 1
    for setup in (BATCH, LARGE):
        setup["sizes"].update(batch=1, query_length=32, heads=4, d_model=64)
    print("One short round with small setups: the times mean nothing.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", required=True)
    parser.add_argument("--headlight", required=True)
    parser.add_argument("--lectures", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, separated by commas")
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    if options.short:
        shorten(options)
    wanted = options.only.split(",")
    if not set(wanted) <= set(SECTIONS):
        parser.error(f"--only takes {', '.join(SECTIONS)}")

    print(f"NumPy {np.__version__}, PyTorch {torch.__version__}, up to {THREADS} threads; {options.rounds} rounds")
    measure = Measure(options.measure)
    with contextlib.closing(measure):
        for section in wanted:
            if section in ("memory", "frames"):
                globals()[section](options)
            else:
                globals()[section](measure, options)


if __name__ == "__main__":
    main()
