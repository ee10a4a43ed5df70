"""How time and memory grow with the input of each reader, up to the limit of its size: n, 2n and 4n of it.

    growth.py --headlight build/release/headlight [--only npz,csv,...] [--short]

Prints a row for each reader: the processor's seconds and the most memory for n, 2n and 4n, and how many times as long 4n
takes as n, without what the program takes to start; 4 is linear, 16 is quadratic. Fails where the program ends with a
signal or an error of its own, or where each byte more takes more than 96 bytes of memory: that depends on no clock. --short
takes a tenth of each n, to see that it runs.
"""

import argparse
import base64
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

import numpy as np

MOST_MEMORY = 96  # bytes for each byte of input more
ENDS = (0, 1, 2)  # done, a check failed, bad input

SMALL = """\
version = 1
tokens = ["The", "cat", "sat"]
[sizes]
query_length = 3
d_model = 4
[random]
draws = ["seed 0", "X uniform", "W_q uniform", "W_k uniform", "W_v uniform", "W_o uniform"]
"""
LECTURE = """\
+++
title = "A long one"
[setup]
tokens = ["The", "cat", "sat"]
[setup.sizes]
query_length = 3
d_model = 4
[setup.random]
draws = ["seed 0", "X uniform", "W_q uniform", "W_k uniform", "W_v uniform", "W_o uniform"]
+++
"""
ACCENT = "\u0301"
SNOWMAN = "\u2603"
CELL = ["--cell", "X[0,0,0]"]


def experts(count):
    """A layer of a mixture of experts: its attention, and very many matrices beside it."""
    shapes = {f"model.layers.0.self_attn.{name}_proj.weight": (8, 8) for name in "qkvo"}
    return shapes | {f"model.layers.0.mlp.experts.{i}.up_proj.weight": (1, 1) for i in range(count)}


def safetensors(shapes):
    header, end = {}, 0
    for name, shape in shapes.items():
        size = 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(end)


def npz(path, shapes, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, shape in shapes.items():
            with archive.open(name + ".npy", "w") as file:
                np.lib.format.write_array(file, np.zeros(shape, np.float32))


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def values(n):
    return SMALL.replace("d_model = 4", "d_model = 1000") + "[values]\n" + "".join(
        f'"W_q[{i // 1000},{i % 1000}]" = {i}\n' for i in range(n))


# Each makes an input of a size in a folder, and returns the arguments that read it, and its size in bytes.

def text_reader(name, content, arguments):
    def make(folder, n):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content(n), encoding="utf-8")
        return arguments, path.stat().st_size
    return make


def read_npz(folder, n):
    npz(folder / "a.npz", experts(n))
    return ["layers", "a.npz", "--heads", "2", "--layer", "0"], (folder / "a.npz").stat().st_size


def read_packed_layers(folder, n):
    npz(folder / "a.npz", {"attentions": (n, 1, 1, 2, 1024)}, zipfile.ZIP_DEFLATED)
    return ["layers", "a.npz"], n * 2 * 1024 * 4


def read_npy(folder, n):
    np.save(folder / "X.npy", np.zeros((1, n, 8), np.float32))
    return ["diagnose", "--setup", "small.toml", "X.npy"], (folder / "X.npy").stat().st_size


def read_safetensors(folder, n):
    (folder / "a.safetensors").write_bytes(safetensors(experts(n)))
    return ["layers", "a.safetensors", "--heads", "2", "--layer", "0"], (folder / "a.safetensors").stat().st_size


def read_many_layers(folder, n):
    names = ("self.query", "self.key", "self.value", "output.dense")
    content = safetensors({f"bert.encoder.layer.{i}.attention.{name}.weight": (1, 1) for i in range(n) for name in names})
    (folder / "a.safetensors").write_bytes(content)
    return ["layers", "a.safetensors"], len(content)


def read_index(folder, n):
    npz(folder / "one.npz", {"a.in_proj_weight": (24, 8), "a.out_proj.weight": (8, 8), "X": (1, 3, 8)})
    index = json.dumps({"version": 1, "layers": [{"name": f"a{i}", "file": "one.npz"} for i in range(n)]})
    (folder / "index.headlight.json").write_text(index)
    return ["layers", "index.headlight.json", "--heads", "2"], len(index)


def read_assignments(folder, n):
    (folder / "a.toml").write_text(values(n))
    assigned = [word for i in range(n) for word in ("--set", f"values.W_k[{i // 1000},{i % 1000}]={i}")]
    return ["explain", "--setup", "a.toml", *CELL, *assigned], len(values(n)) + sum(map(len, assigned))


def assigned(assignment):
    """n assignments to a small setup, each with its own number."""
    def make(folder, n):
        words = [word for i in range(n) for word in ("--set", assignment.format(i))]
        return ["explain", "--setup", "small.toml", *CELL, *words], sum(map(len, words))
    return make


def read_link(folder, n):
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(values(n).encode()) + packer.flush()
    link = "headlight.html#setup=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")
    return ["explain", "--setup", link, *CELL], len(values(n))


def read_png(folder, n):
    """A picture of n rows, whose setup is behind its pixels."""
    pixels = zlib.compress((b"\0" + bytes(range(256)) * 4) * n, 0)
    setup = chunk(b"iTXt", b"Setup\0\0\0\0\0" + SMALL.encode())
    content = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, n, 8, 6, 0, 0, 0)) +
               chunk(b"IDAT", pixels) + setup + chunk(b"IEND", b""))
    (folder / "a.png").write_bytes(content)
    return ["explain", "--setup", "a.png", *CELL], len(content)


def cell(source, text):
    return {"cell_type": "code", "source": source, "outputs": [{"output_type": "stream", "name": "stdout", "text": text}]}


def read_folder(folder, n):
    """A submission of n files."""
    (folder / "class/ann").mkdir(parents=True, exist_ok=True)
    for i in range(n):
        np.save(folder / f"class/ann/a{i}.npy", np.zeros((1, 3, 4)))
    return ["grade", "class", "--setup", "small.toml", "-o", "grades.csv"], n * 224


def read_class(folder, n):
    """n submissions, each of its own file."""
    (folder / "class").mkdir(exist_ok=True)
    for i in range(n):
        np.savez(folder / f"class/{i}.npz", output=np.zeros((1, 3, 4)), X=np.ones((1, 3, 4)))
    return ["grade", "class", "--setup", "small.toml", "-o", "grades.csv"], n * 724


def read_exercise(folder, n):
    """An exercise that names its tensors n times, with as many points."""
    names = ", ".join(['"output"'] * n)
    points = "".join(f"a{i} = 1\n" for i in range(n))
    text = SMALL + f"\n[exercise]\nhand_in = [{names}]\n[exercise.points]\n{points}"
    (folder / "a.toml").write_text(text)
    read_class(folder, 1)
    return ["grade", "class", "--exercise", "a.toml", "-o", "grades.csv"], len(text)


def rows_of(row):
    return lambda n: "\n".join([row] * n)


OF_CSV = ["explain", "--setup", "small.toml", *CELL, "--set", 'values.X="a.csv"']
CHECKED = ["diagnose", "--setup", "small.toml", "a.txt"]
LESSON = ["check", "long", "--lectures", "lectures"]
WRITER = """\
version = 1
[sizes]
query_length = 8
d_model = 8
heads = 2
[block]
residual = true
[embedding]
learned = true
unembed = true
[mask]
kinds = ["causal"]
[task]
name = "text"
file = "words.txt"
[random]
draws = ["seed 0", "W_E normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal", "W_U normal"]
"""


def read_text(folder, n):
    """A text that a model learns to write, n words long."""
    words = "".join("abcdefgh"[i % 8] * (i % 5 + 1) + "\n" for i in range(n))
    (folder / "words.txt").write_text(words)
    (folder / "a.toml").write_text(WRITER)
    return ["generate", "--setup", "a.toml", "--count", "1"], len(words)


# The readers, each with an n for which reading takes longer than the start of the program.
READERS = {
    "setup, values": (10_000, text_reader("a.toml", values, ["explain", "--setup", "a.toml", *CELL])),
    "setup, token with accents": (20_000, text_reader(
        "a.toml", lambda n: SMALL.replace("cat", "a" + ACCENT * n), ["explain", "--setup", "a.toml", *CELL])),
    "sentence": (100_000, text_reader(
        "a.toml", lambda n: f'[model]\nname = "sentence-encoder"\ntext = "{SNOWMAN * n}"\n',
        ["explain", "--setup", "a.toml", *CELL])),
    "lecture, steps": (500, text_reader(
        "lectures/long.md",
        lambda n: LECTURE + "".join(f"\n## Step {i}\n\n{{weights[0,0,1,2]:.1%}}, *and* [on](step:1).\n" for i in range(n)), LESSON)),
    "lecture, numbers": (10_000, text_reader(
        "lectures/long.md", lambda n: LECTURE + "\n## Step\n\n" + "Of {weights[0,0,1,2]:.1%} " * n + "\n", LESSON)),
    "npz, arrays": (4_000, read_npz),
    "npz, packed layers": (500, read_packed_layers),
    "npy": (400_000, read_npy),
    "csv, rows": (200_000, text_reader("a.csv", rows_of("0.25,-1.5,3"), OF_CSV)),
    "csv, one row": (200_000, text_reader("a.csv", lambda n: "1," * n + "1", OF_CSV)),
    "printout, rows": (40_000, text_reader("a.txt", lambda n: "X = [" + rows_of("[ 0.25 -1.5   3. ]")(n) + "]\n", CHECKED)),
    "printout, blanks": (400_000, text_reader("a.txt", lambda n: "1" + " " * n + "2\n", CHECKED)),
    "printout, arrays": (2_000, text_reader("a.txt", lambda n: "".join(f"a{i} = [1. 2.]\n" for i in range(n)), CHECKED)),
    "printout, name of many parts": (100_000, text_reader("a.txt", lambda n: "." * n + "\n [3]]\n [3]]\n", CHECKED)),
    "notebook, cells": (20_000, text_reader("a.ipynb", lambda n: json.dumps(
        {"cells": [cell(f"print(a{i})", "[1. 2.]\n") for i in range(n)]}), ["diagnose", "--setup", "small.toml", "a.ipynb"])),
    "notebook, rows": (40_000, text_reader("a.ipynb", lambda n: json.dumps(
        {"cells": [cell("X", "[" + rows_of("[ 0.25 -1.5   3. ]")(n) + "]\n")]}), ["diagnose", "--setup", "small.toml", "a.ipynb"])),
    "submission, files": (250, read_folder),
    "submissions": (10, read_class),
    "exercise": (10_000, read_exercise),
    "text to write": (100_000, read_text),
    "expression, terms": (5_000, text_reader(
        "lectures/long.md", lambda n: LECTURE + "\n## Step\n\n{" + "1 + " * n + "1}\n", LESSON)),
    "expression, brackets": (5_000, text_reader(
        "lectures/long.md", lambda n: LECTURE + "\n## Step\n\n{" + "(" * n + "1" + ")" * n + "}\n", LESSON)),
    "safetensors, arrays": (10_000, read_safetensors),
    "safetensors, layers": (500, read_many_layers),
    "index": (2_500, read_index),
    "assignments": (2_000, read_assignments),
    "assignments, unknown keys": (5_000, assigned("sizes.a{}=1")),
    "assignments, unknown values": (5_000, assigned("values.W_k[{},9]=1")),
    "assignments, words": (10_000, assigned("tokens += w{}")),
    "link": (3_000, read_link),
    "PNG": (10_000, read_png),
}


# Runs the program from a small process: the most memory of a process counts from the one that started it.
OF_ONE = """
import os, sys
told, nothing = os.dup(1), os.open("/dev/null", os.O_WRONLY)
os.dup2(nothing, 1)
_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
os.write(told, f"{os.waitstatus_to_exitcode(status)} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}".encode())
"""


def measured(program, folder, arguments):
    """Seconds of the processor and bytes of memory that the program takes, and what it ends with."""
    environment = os.environ | {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    ended = subprocess.run([sys.executable, "-IS", "-c", OF_ONE, program, *arguments], cwd=folder, env=environment,
                           stdin=subprocess.DEVNULL, capture_output=True, check=True)
    code, seconds, kibibytes = ended.stdout.split()
    if int(code) not in ENDS:
        sys.exit(f"{' '.join(arguments)} ended with {int(code)}: {ended.stderr.decode()}")
    return float(seconds), int(kibibytes) * 1024, int(code)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headlight", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="", help="readers whose names begin with one of these")
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    program = options.headlight.resolve()
    greedy = []
    print("| reader | n | seconds for n, 2n, 4n | times | MiB for n, 2n, 4n | ends with |")
    print("|---|---|---|---|---|---|")
    for name, (n, make) in READERS.items():
        if not name.startswith(tuple(options.only.split(","))):
            continue
        n = max(n // 10, 1) if options.short else n
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            (folder / "small.toml").write_text(SMALL)
            start = measured(program, folder, ["explain", "--setup", "small.toml", *CELL])
            rows, sizes = [], []
            for times in (1, 2, 4):
                arguments, size = make(folder, times * n)
                sizes.append(size)
                rows.append(min(measured(program, folder, arguments) for _ in range(1 if options.short else 3)))
        growth = (rows[2][0] - start[0]) / max(rows[0][0] - start[0], 0.001)
        memory, size = rows[2][1] - rows[0][1], sizes[2] - sizes[0]
        if memory > MOST_MEMORY * size + (16 << 20):
            greedy.append(f"{name}: {memory >> 20} MiB more for {size >> 10} KiB more")
        print(f"| {name} | {n} | " + ", ".join(f"{seconds:.2f}" for seconds, _, _ in rows) + f" | {growth:.1f} | " +
              ", ".join(str(most >> 20) for _, most, _ in rows) + " | " +
              ", ".join(str(code) for _, _, code in rows) + " |", flush=True)
    if greedy:
        sys.exit("\n".join(greedy))


if __name__ == "__main__":
    main()
