"""Times lectures in the browser edition, in TensorFlow.js and in onnxruntime-web, one after the other under Node.js, each
as WebAssembly on one thread; and a training in the browser edition and in the native program.

    compare_speed.py --headlight build/release/headlight --measure build/release/tests/benchmarks/headlight_measure
                     --web build/browser/headlight_measure_node.cjs --modules build/npm/node_modules [--rounds 5]

It needs python3-numpy and python3-onnx, and in the folder of --modules:

    npm install --prefix build/npm --ignore-scripts onnxruntime-web @tensorflow/tfjs @tensorflow/tfjs-backend-wasm
    cmake --build build/browser --target headlight_measure_node

In each round every contestant computes a lecture's setup (quick work: often enough to be timed). The libraries have the
weights, get X, and give back every tensor, as a page needs them that shows every number; "output alone" is for a page
that needs no more. Of a layer with a task these are also the gradients of its weights, which onnxruntime-web doesn't
compute. Headlight computes after an edit of a number of X (of the task's seed where a task makes X), so that it too has
the weights and computes all the rest. Its time "drawn" is that after an edit of the seed of the draws, which nobody else
does. A ratio is how many times faster Headlight is than the library in the same round; the table has the median of the
rounds. All numbers are compared first, to 1e-4.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import tomllib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / "library"))
from random_setups import to_toml  # noqa: E402

LECTURES = pathlib.Path(__file__).parent.parent.parent.parent / "assets/lectures"
SHARED = ["Q", "K", "V", "Q_heads", "K_heads", "V_heads", "dot_products", "scores", "masked_scores", "weights", "context",
          "concat", "output"]
ENOUGH = 0.1  # seconds that quick work is repeated for
# Browsers have relaxed SIMD without being asked.
NODE = ["node", "--experimental-wasm-relaxed-simd", "--stack-size=4000"]
HIDDEN = -1e9  # what is added to the score of a hidden key


class Lines:
    """A program that answers each line of JSON with one."""

    def __init__(self, *command):
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args} ended at {str(request)[:200]}")
        return json.loads(line)

    def seconds(self, **request):
        """The median of the times that the work takes once; the first ones are left out, in which a machine warms up."""
        once = self(repeat=3, **request)["seconds"][-1]
        repeat = max(5, min(2000, round(ENOUGH / max(once, 1e-6))))
        times = self(repeat=2 * repeat, **request)["seconds"]
        return statistics.median(times[repeat:])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def setup_of(lecture):
    return {"version": 1, **tomllib.loads((LECTURES / f"{lecture}.md").read_text().split("+++\n")[1])["setup"]}


def work_of(trace):
    """What the libraries need of a trace, in float32."""
    batch, heads, queries, d_head = trace["Q_heads"].shape
    kv_heads, keys = trace["K_heads"].shape[1:3]
    x = next(trace[name] for name in ("N", "X_plus_P", "X") if name in trace)
    inputs = {"X": x} | {name: trace[name] for name in ("W_q", "W_k", "W_v", "W_o", "b_q", "b_k", "b_v", "b_o") if name in trace}
    if "Y" in trace:
        inputs["Y"] = trace["Y_plus_P"] if "Y_plus_P" in trace else trace["Y"]
    hides = np.isneginf(trace["masked_scores"])
    bias = np.where(hides, HIDDEN, np.where(hides, 0, trace["masked_scores"]) - np.where(hides, 0, trace["scores"]))
    if bias.any():
        inputs["bias"] = bias
    if "grad_logits" in trace:
        asked = np.abs(trace["grad_logits"]).max(axis=-1, keepdims=True) > 0
        # grad_logits is (probabilities - right) / number of answers asked
        inputs["right"] = np.where(asked, trace["probabilities"] / asked.sum() - trace["grad_logits"], 0)
    scale = float(np.abs(trace["scores"]).sum() / np.abs(trace["dot_products"]).sum())
    sizes = dict(batch=batch, queries=queries, keys=keys, heads=heads, kv_heads=kv_heads, d_head=d_head, scale=scale)
    return sizes, {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in inputs.items()}


def onnx_model(sizes, inputs):
    nodes, constants = [], []

    def constant(name, array):
        constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(kind, parts, name, **attributes):
        nodes.append(helper.make_node(kind, parts, [name], **attributes))
        return name

    def project(x, of, name):
        bias = f"b_{of}" in inputs
        product = node("MatMul", [x, f"W_{of}"], f"{name} product" if bias else name)
        return node("Add", [product, f"b_{of}"], name) if bias else product

    def split(x, length, count):
        shape = constant(f"{x} shape", np.array([sizes["batch"], length, count, sizes["d_head"]], np.int64))
        return node("Transpose", [node("Reshape", [x, shape], f"{x} apart")], f"{x}_heads", perm=[0, 2, 1, 3])

    source = "Y" if "Y" in inputs else "X"
    split(project("X", "q", "Q"), sizes["queries"], sizes["heads"])
    split(project(source, "k", "K"), sizes["keys"], sizes["kv_heads"])
    split(project(source, "v", "V"), sizes["keys"], sizes["kv_heads"])
    turned = node("Transpose", ["K_heads"], "turned keys", perm=[0, 1, 3, 2])
    node("MatMul", ["Q_heads", turned], "dot_products")
    node("Mul", ["dot_products", constant("scale", np.float32(sizes["scale"]))], "scores")
    if "bias" in inputs:
        node("Add", ["scores", "bias"], "masked_scores")
    else:
        node("Identity", ["scores"], "masked_scores")
    node("Softmax", ["masked_scores"], "weights", axis=-1)
    node("MatMul", ["weights", "V_heads"], "context")
    shape = constant("together", np.array([sizes["batch"], sizes["queries"], sizes["heads"] * sizes["d_head"]], np.int64))
    node("Reshape", [node("Transpose", ["context"], "side by side", perm=[0, 2, 1, 3]), shape], "concat")
    project("concat", "o", "output")
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape)
              for name, array in inputs.items() if name != "right"]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in SHARED]
    graph = helper.make_graph(nodes, "attention", values, results, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def prepare(folder, headlight, lecture):
    """Writes a lecture's work into the folder, and gives its trace."""
    for old in folder.iterdir():
        old.unlink()
    subprocess.run([headlight, "compute", "--lecture", lecture, "-o", folder / "trace.npz"], check=True, capture_output=True)
    with np.load(folder / "trace.npz") as file:
        trace = {name: file[name] for name in file.files}
    sizes, inputs = work_of(trace)
    shapes = {name: array.shape for name, array in inputs.items()}
    (folder / "work.json").write_text(json.dumps({**sizes, "shapes": shapes}))
    for name, array in inputs.items():
        array.tofile(folder / f"{name}.bin")
    onnx.save(onnx_model(sizes, inputs), str(folder / "model.onnx"))
    return trace


def farthest(folder, library, trace):
    """How far the library's numbers are from the trace, of the largest number of each tensor."""
    def apart(name):
        own = np.fromfile(folder / f"{library}-{name}.bin", np.float32).reshape(trace[name].shape)
        seen = np.isfinite(trace[name])
        return np.abs(own - trace[name])[seen].max() / max(1, np.abs(trace[name][seen]).max())

    return max(apart(name) for name in trace if (folder / f"{library}-{name}.bin").exists())


def lectures_in_turn(lectures, given, folder):
    own = Lines(*NODE, given.web)
    libraries = Lines(*NODE, pathlib.Path(__file__).parent / "libraries.mjs", given.modules)
    print("lecture              headlight   drawn       tfjs   times   output alone   onnxruntime   times   output alone")
    for lecture in lectures:
        trace = prepare(folder, given.headlight, lecture)
        setup = setup_of(lecture)
        rounds, drawn = [], []
        for _ in range(given.rounds):
            row = [own.seconds(do="trace", setup=to_toml(setup), edit="input")]
            if "random" in setup:
                drawn.append(own.seconds(do="trace", setup=to_toml(setup), edit="seed"))
            for library in ("tfjs", "onnxruntime"):
                row += [libraries.seconds(library=library, folder=str(folder), all=wants_all) for wants_all in (False, True)]
            rounds.append(row)
        for library in ("tfjs", "onnxruntime"):
            if (distance := farthest(folder, library, trace)) > 1e-4:
                sys.exit(f"{lecture}: {library} computes something else, {distance:.1e} apart")
        ours, tf_short, tf_all, ort_short, ort_all = (statistics.median(column) for column in zip(*rounds))
        times = [statistics.median(row[i] / row[0] for row in rounds) for i in (2, 1, 4, 3)]
        draws = f"{statistics.median(drawn) * 1e3:7.3f}" if drawn else 7 * " "
        print(f"{lecture:19} {ours * 1e3:7.3f} ms {draws} {tf_all * 1e3:7.3f} ms {times[0]:6.1f} {tf_short * 1e3:8.3f} {times[1]:5.1f}"
              f" {ort_all * 1e3:10.3f} ms {times[2]:6.1f} {ort_short * 1e3:8.3f} {times[3]:5.1f}", flush=True)
    own.close()
    libraries.close()


def training(given):
    one_core = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    own, native = Lines(*NODE, given.web), Lines(*one_core, given.measure)
    setup, rounds = to_toml(setup_of("learning")), []
    for _ in range(given.rounds):
        answers = [program(do="train", setup=setup, repeat=300) for program in (own, native)]
        apart = np.abs(np.subtract(*(answer["losses"] for answer in answers))).max()
        if apart > 1e-4:
            sys.exit(f"the trainings are {apart:.1e} apart")
        rounds.append([sum(answer["seconds"]) for answer in answers])
    web, alone = (statistics.median(column) for column in zip(*rounds))
    print(f"300 steps of learning: {web:.2f} s in the browser edition, {alone:.2f} s native on one thread, "
          f"{statistics.median(a / b for a, b in rounds):.2f} times as long")
    own.close()
    native.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("headlight", "measure", "web", "modules"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("lectures", nargs="*", help="these lectures alone")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lectures = given.lectures or sorted(path.stem for path in LECTURES.glob("[a-z]*.md"))
        lectures_in_turn(lectures, given, pathlib.Path(folder))
    training(given)


if __name__ == "__main__":
    main()
