"""Compares Headlight with the real NumPy and PyTorch, on random setups and on the setups of the lectures.

    compare.py --headlight build/release/headlight [--count 40] [--seed 0] [--lectures assets/lectures] [--keep FOLDER]

For each setup
- `headlight compute` must give the same tensors as reference.py;
- each stage by itself must give Headlight's result from Headlight's operands;
- both generated scripts must run without a warning and agree with the archive that `headlight compute` wrote;
- both scripts must name the tensor that differs if one is changed, cut, removed or added in that archive.
Exit code 0: all agree; 1: some do not.
"""
import argparse
import json
import contextlib
import io
import pathlib
import random
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import tomllib
import traceback
import warnings

import numpy as np
import torch

import random_setups
import reference

FRAMEWORKS = ("numpy", "torch")


def is_single(setup):
    return setup.get("attention", {}).get("precision") == "float32"


def largest_difference(found, expected):
    """The largest difference relative to the largest finite magnitude; inf if infinities are not in the same places."""
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(expected)
    if not np.array_equal(found[~finite], expected[~finite]) or not np.isfinite(found[finite]).all():
        return np.inf
    difference = np.abs(found[finite] - expected[finite]).max(initial=0)
    magnitude = np.abs(expected[finite]).max(initial=0)
    return difference / magnitude if magnitude > 0 else difference


def tolerance(setup, name, scores):
    """The allowed difference. Softmax turns the absolute error of a score into a relative error of a weight."""
    rounding = np.finfo(np.float32 if is_single(setup) else np.float64).eps
    base = 2e-5 if is_single(setup) else 1e-10
    return max(base, 8 * rounding * np.abs(scores).max()) if name in reference.AFTER_SOFTMAX else base


def trace_problems(setup, computed):
    """Checks all tensors that `headlight compute` wrote, from the draws to the output."""
    expected = reference.trace(setup)
    if expected.keys() != computed.keys():
        yield f"tensors {sorted(computed)} instead of {sorted(expected)}"
    dtype = np.float32 if is_single(setup) else np.float64
    for name in computed.keys() & expected.keys():
        mine, theirs = computed[name], expected[name]
        if mine.dtype != dtype or mine.shape != theirs.shape:
            yield f"{name} is {mine.dtype} {mine.shape} instead of {np.dtype(dtype)} {theirs.shape}"
            continue
        difference, limit = largest_difference(mine, theirs), tolerance(setup, name, expected["scores"])
        if not difference <= limit:
            yield f"{name} differs by {difference:.1e}, allowed {limit:.1e}"


def stage_problems(setup, computed):
    """Checks each stage from the inputs that Headlight used, so that errors of earlier stages do not count."""
    for name, expected in reference.restaged(setup, computed).items():
        difference, limit = largest_difference(computed[name], expected), 2e-5 if is_single(setup) else 1e-10
        if not difference <= limit:
            yield f"{name} differs by {difference:.1e} from what its own inputs give, allowed {limit:.1e}"


def run_script(path, *arguments):
    """Runs a generated script in this process (PyTorch starts slowly); returns its exit code and what it printed."""
    torch.set_default_dtype(torch.float32)
    printed = io.StringIO()
    old_arguments, sys.argv = sys.argv, [str(path), *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("error")
            runpy.run_path(str(path), run_name="__main__")
        return 0, printed.getvalue()
    except SystemExit as end:
        return end.code or 0, printed.getvalue()
    except Exception:
        return 1, printed.getvalue() + traceback.format_exc()
    finally:
        sys.argv = old_arguments


def read_from_trace(script):
    """The tensors that a script takes from the trace, because they are given and too long to be written into it."""
    return set(re.findall(r'trace\["(\w+)"\]', script.read_text()))


def damaged(r, computed, spared):
    """A copy of the tensors in which one is changed, cut, removed or added, and the name of that one."""
    name = r.choice(sorted(set(computed) - spared))
    tensors = dict(computed)
    tensor = tensors.pop(name).copy()
    at = tuple(r.randrange(extent) for extent in tensor.shape)
    way = r.choice(["changed", "infinite", "cut", "missing", "extra"])
    if way == "extra":
        return tensors | {name: tensor, "surplus": tensor}, "surplus"
    if way == "changed":
        finite = np.abs(tensor[np.isfinite(tensor)]).max(initial=0)
        tensor[at] = 3 * finite + 1 if np.isfinite(tensor[at]) else 0
    if way == "infinite":
        tensor[at] = -np.inf if np.isfinite(tensor[at]) else 1
    if way == "cut":
        tensor = tensor.ravel()[:-1]
    return tensors if way == "missing" else tensors | {name: tensor}, name


def script_problems(r, archive, scripts, computed, folder):
    spared = read_from_trace(scripts["numpy"])
    damaged_tensors, damaged_name = damaged(r, computed, spared)
    damaged_archive = folder / "damaged.npz"
    np.savez(damaged_archive, **damaged_tensors)
    for framework, path in scripts.items():
        code, printed = run_script(path, archive)
        if code != 0:
            yield f"the {framework} script exits with {code}:\n{printed}"
        code, printed = run_script(path, damaged_archive)
        objections = {line.split()[0] for line in printed.splitlines() if not line.split()[1:2] == ["agrees"]}
        if code != 1 or objections != {damaged_name}:
            yield f"the {framework} script does not see that {damaged_name} was damaged: exit code {code}\n{printed}"
    if spared:
        return
    framework = r.choice(FRAMEWORKS)
    code, printed = run_script(scripts[framework])
    unnamed = [name for name in computed if f"{name:16} {computed[name].shape}" not in printed]
    if code != 0 or unnamed:
        yield f"the {framework} script alone exits with {code} and does not print the shapes of {unnamed}:\n{printed}"


def headlight(binary, *arguments):
    command = [str(binary), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} exits with {done.returncode}: {done.stderr}{done.stdout}")
    return done.stdout


def safetensors(name, array):
    header = json.dumps({name: {"dtype": "F64", "shape": array.shape, "data_offsets": [0, array.nbytes]}}).encode()
    return len(header).to_bytes(8, "little") + header + array.tobytes()


def with_files(r, setup, folder):
    """The setup with some of its values in files beside it."""
    values = dict(setup.get("values", {}))
    for key, value in values.items():
        array = np.array(value, dtype=np.float64)
        if array.ndim == 0 or r.random() < 0.5:
            continue
        kind = r.choice(["npy", "npz", "npz.T", "safetensors", "safetensors[1]", *(["csv"] if array.ndim == 2 else [])])
        name = f"given{len(list(folder.iterdir()))}"
        if kind == "npy":
            np.save(folder / f"{name}.npy", array)
        elif kind == "csv":
            np.savetxt(folder / f"{name}.csv", array, delimiter=",", fmt="%.17g")
        elif kind.startswith("npz"):
            turned = array.swapaxes(-1, -2) if kind.endswith(".T") and array.ndim > 1 else array
            np.savez(folder / f"{name}.npz", other=np.zeros(3), a=turned)
        else:
            held = np.stack([np.zeros_like(array), array]) if kind.endswith("[1]") and array.ndim < 4 else array
            (folder / f"{name}.safetensors").write_bytes(safetensors("a", np.ascontiguousarray(held)))
        values[key] = {"npy": f"{name}.npy", "csv": f"{name}.csv", "npz": f"{name}.npz:a", "npz.T": f"{name}.npz:a.T",
                       "safetensors": f"{name}.safetensors:a", "safetensors[1]": f"{name}.safetensors:a[1]"}[kind]
    return {**setup, "values": values} if values else setup


def setup_problems(label, setup, binary, folder):
    setup_file, archive = folder / "setup.toml", folder / "trace.npz"
    setup_file.write_text(random_setups.to_toml(with_files(random.Random(label), setup, folder)))
    scripts = {framework: folder / f"{framework}.py" for framework in FRAMEWORKS}
    try:
        headlight(binary, "compute", "--setup", setup_file, "-o", archive)
        for framework, path in scripts.items():
            headlight(binary, "script", "--setup", setup_file, "--framework", framework, "-o", path)
    except (RuntimeError, subprocess.TimeoutExpired) as failure:
        return [str(failure)]
    with np.load(archive) as file:
        computed = dict(file)
    problems = list(trace_problems(setup, computed))
    if not problems:
        problems += stage_problems(setup, computed)
    return problems + list(script_problems(random.Random(label), archive, scripts, computed, folder))


def with_block(number):
    r = random.Random(f"block {number}")
    setup = random_setups.random_setup(number, with_conventions=r.random() < 0.5)
    given = setup.pop("values", {})
    random_setups.add_block(r, setup)
    if kept := {name: value for name, value in given.items() if name.partition("[")[0] not in ("W_o", "b_o")}:
        setup["values"] = kept
    if r.random() < 0.5:
        setup["sizes"]["symbols"] = r.choice([1, 5, 11])
        setup["embedding"] = {"unembed": True}
        setup["random"]["draws"].append("W_U normal")
    return setup


def lecture_setups(folder):
    for path in sorted(folder.glob("[a-z]*.md")):
        front = tomllib.loads(path.read_text().split("+++\n")[1])
        for part in [{"id": "main", **front}, *front.get("parts", [])]:
            if not part["setup"].keys() & {"task", "model"}:  # learning.py and trained.py judge these
                yield f"{path.stem} {part['id']}", {"version": 1, **part["setup"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headlight", required=True)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first setup")
    parser.add_argument("--lectures", type=pathlib.Path, help="a folder of lectures, whose setups are judged too")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the files of setups that fail")
    arguments = parser.parse_args()

    numbers = range(arguments.seed, arguments.seed + arguments.count)
    setups = [(str(number), random_setups.random_setup(number, with_conventions=number % 2 == 1)) for number in numbers]
    setups += [(f"{number} with a block", with_block(number)) for number in numbers if number % 2 == 0]
    if arguments.lectures:
        setups += lecture_setups(arguments.lectures)
    failed = 0
    for label, setup in setups:
        with tempfile.TemporaryDirectory() as name:
            problems = setup_problems(label, setup, arguments.headlight, pathlib.Path(name))
            if problems and arguments.keep:
                shutil.copytree(name, arguments.keep / label, dirs_exist_ok=True)
        failed += bool(problems)
        for problem in problems:
            print(f"setup {label}: {problem}")
    libraries = f"NumPy {np.__version__} and PyTorch {torch.__version__}"
    print(f"{len(setups) - failed} of {len(setups)} setups agree with {libraries}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
