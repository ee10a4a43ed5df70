// The work of a lecture in TensorFlow.js and in onnxruntime-web, with their WebAssembly backends on one thread.
//
//   node libraries.mjs NODE_MODULES
//
// reads one request per line, a JSON object, and answers each with one line:
//   {"library": "tfjs" | "onnxruntime", "folder": F, "repeat": N, "all": true}
// F/work.json has the sizes and shapes, F/*.bin the float32 inputs, and F/model.onnx the graph. `all`: every tensor is
// wanted, as a page needs them that shows every number; without it the output alone. Of a layer with a task these are
// also the gradients of its weights, which onnxruntime-web can't compute. X is new each time; what else is prepared
// beforehand is not in the times. The numbers go to F/LIBRARY-*.bin.
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const modules = path.resolve(process.argv[2]);
const load = createRequire(path.join(modules, "package.json"));
const WEIGHTS = ["W_q", "W_k", "W_v", "W_o"];

function work_of(folder) {
  const work = JSON.parse(fs.readFileSync(path.join(folder, "work.json")));
  const read = (name) => {
    const bytes = fs.readFileSync(path.join(folder, name + ".bin"));
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  };
  return { ...work, inputs: Object.entries(work.shapes).map(([name, shape]) => ({ name, shape, data: read(name) })) };
}

async function tfjs_runner(work, wants_all) {
  const tf = load("@tensorflow/tfjs");
  const wasm = load("@tensorflow/tfjs-backend-wasm");
  wasm.setWasmPaths(path.join(modules, "@tensorflow/tfjs-backend-wasm/dist/"));
  await tf.setBackend("wasm");
  const t = Object.fromEntries(work.inputs.map(({ name, shape, data }) => [name, tf.tensor(data, shape)]));
  const { batch, queries, keys, heads, kv_heads, d_head } = work;
  const project = (x, weight, bias) => {
    const flat = tf.matMul(tf.reshape(x, [-1, x.shape[2]]), weight);
    const whole = bias ? tf.add(flat, bias) : flat;
    return tf.reshape(whole, [batch, x.shape[1], -1]);
  };
  const split = (x, length, count) => tf.transpose(tf.reshape(x, [batch, length, count, d_head]), [0, 2, 1, 3]);
  const forward = (W_q, W_k, W_v, W_o) => {
    const source = t.Y ?? t.X;
    const Q = project(t.X, W_q, t.b_q), K = project(source, W_k, t.b_k), V = project(source, W_v, t.b_v);
    const Q_heads = split(Q, queries, heads), K_heads = split(K, keys, kv_heads), V_heads = split(V, keys, kv_heads);
    const dot_products = tf.matMul(Q_heads, K_heads, false, true);
    const scores = tf.mul(dot_products, work.scale);
    const masked_scores = t.bias ? tf.add(scores, t.bias) : scores;
    const weights = tf.softmax(masked_scores);
    const context = tf.matMul(weights, V_heads);
    const concat = tf.reshape(tf.transpose(context, [0, 2, 1, 3]), [batch, queries, heads * d_head]);
    const output = project(concat, W_o, t.b_o);
    return { Q, K, V, Q_heads, K_heads, V_heads, dot_products, scores, masked_scores, weights, context, concat, output };
  };
  const learning = (results) => tf.grads((...weights) => {
    Object.assign(results, forward(...weights));
    results.logits = tf.slice(results.output, [0, 0, 0], t.right.shape);
    results.probabilities = tf.softmax(results.logits);
    for (const tensor of Object.values(results)) tf.keep(tensor);
    return tf.neg(tf.sum(tf.mul(t.right, tf.logSoftmax(results.logits))));
  });
  const given = WEIGHTS.map((name) => t[name]);
  const X = work.inputs.find(({ name }) => name === "X");
  return () => {
    const results = tf.tidy(() => {
      t.X = tf.tensor(X.data, X.shape);
      if (!wants_all || !t.right) return forward(...given);
      const kept = {};
      learning(kept)(given).forEach((gradient, i) => { kept["grad_" + WEIGHTS[i]] = gradient; });
      return kept;
    });
    const wanted = wants_all ? Object.keys(results) : ["output"];
    const numbers = Object.fromEntries(wanted.map((name) => [name, results[name].dataSync()]));
    tf.dispose(results);
    return numbers;
  };
}

async function onnxruntime_runner(work, wants_all, folder) {
  const ort = await import(pathToFileURL(path.join(modules, "onnxruntime-web/dist/ort.node.min.mjs")));
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
  const session = await ort.InferenceSession.create(fs.readFileSync(path.join(folder, "model.onnx")), { executionProviders: ["wasm"] });
  const feeds = Object.fromEntries(work.inputs.filter(({ name }) => name !== "right").map(({ name, shape, data }) => [name, new ort.Tensor("float32", data, shape)]));
  const wanted = wants_all ? session.outputNames : ["output"];
  const X = work.inputs.find(({ name }) => name === "X");
  return async () => {
    feeds.X = new ort.Tensor("float32", X.data, X.shape);
    const results = await session.run(feeds, wanted);
    return Object.fromEntries(wanted.map((name) => [name, results[name].data]));
  };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { library, folder, repeat, all } = JSON.parse(line);
  const work = work_of(folder);
  const run = await (library === "tfjs" ? tfjs_runner(work, all) : onnxruntime_runner(work, all, folder));
  const numbers = await run();
  for (const [name, data] of Object.entries(numbers)) fs.writeFileSync(path.join(folder, `${library}-${name}.bin`), Float32Array.from(data));
  const seconds = [];
  for (let i = 0; i < repeat; ++i) {
    const start = performance.now();
    const result = run();
    if (result instanceof Promise) await result;
    seconds.push((performance.now() - start) / 1000);
  }
  console.log(JSON.stringify({ seconds }));
}
