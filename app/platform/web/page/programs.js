// Programs that run beside this one: the same one once more, in a worker with memory of its own. It gets the files of
// this page, and what it writes comes back. Ending the worker ends it at any time.

// Every file in these folders: its path, its bytes, and the time when it was written.
function files_below(folders) {
  const files = [];
  const look_into = (folder) => {
    for (const name of FS.readdir(folder)) {
      if (name === "." || name === "..") continue;
      const path = `${folder}/${name}`;
      const { mode, mtime } = FS.stat(path);
      if (FS.isDir(mode)) look_into(path);
      else if (FS.isFile(mode)) files.push([path, FS.readFile(path), mtime.getTime()]);
    }
  };
  folders.filter((folder) => FS.analyzePath(folder).exists).forEach(look_into);
  return files;
}

function write_files(files) {
  for (const [path, bytes, time] of files) {
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    FS.writeFile(path, bytes);
    if (time) FS.utime(path, time, time);
  }
}

const folders_of_programs = ["/tmp", "/page", home];

// The worker runs this before the program.
function begin_beside(most_threads, mainScriptUrlOrBlob) {
  const given = new Promise((done) => { self.onmessage = ({ data }) => done(data); });
  let sent = new Map();
  const read = () => new Map(files_below(folders_of_programs).map(([path, bytes, time]) => [path, { bytes, time }]));
  const leave = (status, thrown) => {
    const is_new = ([path, { bytes, time }]) => {
      const before = sent.get(path);
      return !before || before.time !== time || before.bytes.length !== bytes.length;
    };
    const files = [...read()].filter(is_new).map(([path, { bytes, time }]) => [path, bytes, time]);
    postMessage({ status, files });
    throw thrown;
  };
  self.Module = {
    arguments: [], most_threads, mainScriptUrlOrBlob,
    printErr: (line) => postMessage({ said: line + "\n" }),
    print: () => {},
    onAbort: (why) => postMessage({ said: `headlight: ${why}\n`, status: 3 }),
    instantiateWasm(imports, done) {
      given.then(async ({ program, words, files, folders, folder, environment, trained_layer }) => {
        self.Module.trained_layer = trained_layer;
        self.Module.arguments.push(...words.slice(1));
        self.Module.preRun = [() => {
          quit_ = leave;  // what the program calls at its end
          Object.assign(ENV, environment);
          folders.forEach((path) => FS.mkdirTree(path));
          write_files(files);
          FS.chdir(folder);
          sent = read();
        }];
        done(await WebAssembly.instantiate(program, imports), program);
      });
      return {};
    },
  };
}

const programs = new Map();  // by number

// A program may also need the trained layer, and for writing pages this page as one file.
async function prepared(words, job) {
  const with_trained_layer = /trained|sentence-encoder/.test(job);
  if (with_trained_layer && self.origin !== "null")
    Module.trained_layer ??= await part("sentence-encoder.bin").then((bytes) => new Uint8Array(bytes), () => undefined);
  if (!words.some((word) => word.endsWith(".html"))) return [];
  return [["/usr/share/headlight/headlight.html", await own_file(with_trained_layer), 0]];
}

function start_program(words) {
  const number = programs.size === 0 ? 1 : Math.max(...programs.keys()) + 1;
  const state = { said: "", status: -1 };
  const text = [`const home = "${home}";`, files_below, write_files,
                `const folders_of_programs = ${JSON.stringify(folders_of_programs)};`, `(${begin_beside})(${(Module.processors ?? 1) - 1}, "${Module.mainScriptUrlOrBlob}");`, Module.script];
  programs.set(number, state);
  const refused = (why) => {
    if (state.status !== -1) return;  // that is how a program ends
    state.said += `headlight: ${why ?? "the policy of this page's host lets no program run beside the page, so nothing can be exported here"}\n`;
    state.status = 3;
  };
  try {
    state.worker = new Worker(script_address(new Blob(text.map((part) => part instanceof ArrayBuffer ? part : `${part}\n`))));
  } catch (_) {
    refused();
    return number;
  }
  state.worker.onmessage = ({ data }) => {
    state.said += data.said ?? "";
    if (data.files) {
      write_files(data.files);
      Module.keep_now();
    }
    if (data.status === undefined) return;
    state.status = data.status;
    state.worker.terminate();
  };
  state.worker.onerror = ({ message }) => refused(message);
  const files = files_below(folders_of_programs);
  const job = words.length > 2 ? new TextDecoder().decode(files.find(([path]) => path === words[2])?.[1]) : "";
  prepared(words, job).then((more) => state.worker.postMessage({
    program: Module.program, words, files: [...files, ...more], folders: ["/page", ...kept_folders, ...given_folders],
    folder: FS.cwd(), environment: { ...ENV }, trained_layer: Module.trained_layer }), state.worker.onerror);
  return number;
}

function end_program(number) {
  const state = programs.get(number);
  state?.worker?.terminate();
  if (state && state.status === -1) state.status = 128 + 15;
}

// --- This page as one file -------------------------------------------------------------------------------------------

// The page as it came: this runs before anything has changed it.
const page_as_it_came = "<!doctype html>\n" + document.documentElement.outerHTML;

// What from_letters reads.
function in_letters(bytes) {
  const whole = new Uint8Array(Math.ceil(bytes.length / 4) * 4), words = new DataView(whole.buffer);
  whole.set(bytes);
  const text = new Uint8Array(whole.length / 4 * 5);
  for (let at = 0, i = 0; at < whole.length; at += 4, i += 5)
    for (let word = words.getUint32(at), k = 4; k >= 0; k--, word = Math.floor(word / 85)) text[i + k] = letters.charCodeAt(word % 85);
  return new TextDecoder().decode(text.subarray(0, Math.ceil(bytes.length * 5 / 4)));
}

async function packed_part(name) {
  const stream = new Blob([await part(name)]).stream().pipeThrough(new CompressionStream("gzip"));
  const packed = in_letters(new Uint8Array(await new Response(stream).arrayBuffer()));
  return `<script type="text/plain" id="part ${name}">${packed}${"</"}script>\n`;
}

// The bytes of the page with everything inside, and with nobody's setup.
async function own_file(with_trained_layer) {
  const page = page_as_it_came.replace(/(<script type="application\/json" id="headlight-document">)[^<]*/, "$1");
  const missing = [];
  if (!part_inside("headlight.wasm")) missing.push("headlight.js", "headlight.wasm");
  if (with_trained_layer && !part_inside("sentence-encoder.bin")) missing.push("sentence-encoder.bin");
  let parts = "";
  for (const name of missing) parts += await packed_part(name);
  return new TextEncoder().encode(page.replace(/<script type="application\/json" id="headlight-document">/, (begin) => parts + begin));
}
