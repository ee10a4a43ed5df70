// Loads the program, gives it what its address or its page asks for, and keeps what the user does.
"use strict";
const home = "/home/web_user";
const files_of_person = `${home}/files`;  // those that the user gave
const kept_folders = [`${home}/.local/state/headlight`, `${home}/.config/headlight`, files_of_person];
const given_folders = ["Documents", "Pictures", "Downloads"].map((name) => `${home}/${name}`);
const page_address = location.href.replace(/#.*/, "");
// A page that is one file keeps its place for itself: the browser gives all files of a folder, or of a disk, one store.
const name_of_page = document.getElementById("part headlight.wasm") ? `headlight ${location.pathname}` : "headlight";

// Says something above the page, until the user closes it.
function tell(words) {
  const notice = document.getElementById("notice");
  notice.querySelector("p").textContent = words;
  notice.hidden = false;
}

// Says why the program does not start, or why it has stopped.
function fail(words) {
  if (!document.getElementById("loading")) return tell(`Headlight has stopped: ${words}. Reload the page to continue.`);
  document.getElementById("progress")?.remove();
  document.querySelector("#loading div").textContent = "Headlight can't start here";
  document.getElementById("problem").textContent = words;
}

// --- Bytes -----------------------------------------------------------------------------------------------------------

const from_base64 = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
// The program, where it is inside the page: five of these letters for four bytes. HTML and JSON leave each of them
// as it is, so the page takes no more room in an attribute or in a notebook.
const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#,%/()*+-;:=[?@^_`]|}~";
function from_letters(text) {
  const values = new Uint8Array(128);
  for (let value = 0; value < letters.length; value++) values[letters.charCodeAt(value)] = value;
  const bytes = new Uint8Array(Math.ceil(text.length / 5) * 4), words = new DataView(bytes.buffer);
  for (let i = 0, at = 0; i < text.length; i += 5, at += 4) {
    let word = 0;
    for (let k = i; k < i + 5; k++) word = Math.imul(word, 85) + (k < text.length ? values[text.charCodeAt(k)] : 84) | 0;
    words.setInt32(at, word);
  }
  return bytes.subarray(0, Math.floor(text.length * 4 / 5));
}
// What was packed into the bytes. A few bytes can hold very many: `room` is how many more there may be, of all that is
// unpacked with it.
const decompressed = (bytes, format, room = { bytes: Infinity }) => {
  const counted = new TransformStream({
    transform(piece, all) {
      room.bytes -= piece.byteLength;
      if (room.bytes < 0) throw new Error("too large");
      all.enqueue(piece);
    },
  });
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)).pipeThrough(counted)).arrayBuffer();
};
const part_inside = (name) => document.getElementById(`part ${name}`);

// A file of the program: out of this page where it is one file, else from beside it. Tells how far it is.
async function part(name, progress = () => {}) {
  const inside = part_inside(name);
  if (inside) return decompressed(from_letters(inside.textContent.trim()), "gzip");
  const response = await fetch(name).catch((error) => {
    // A frame without an origin may load no files, but one file with everything inside works there.
    throw new Error(self.origin === "null" ? `${name} can't be loaded here: use headlight.html, which has everything inside` : `${name}: ${error.message}`);
  });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  const total = Number(response.headers.get("content-length"));
  // A compressed file has another length here.
  if (!total || response.headers.get("content-encoding") || !response.body) return response.arrayBuffer();
  const chunks = [];
  let loaded = 0;
  for (const reader = response.body.getReader();;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    progress((loaded += value.length) / total);
  }
  return new Blob(chunks).arrayBuffer();
}

// --- What is kept ----------------------------------------------------------------------------------------------------

const answered = (request) => new Promise((done, failed) => {
  request.onsuccess = () => done(request.result);
  request.onerror = () => failed(request.error);
});
// Files by their paths, with the time when they were written, in the browser's database. If the browser keeps nothing
// (in a frame of another site, or a private window), everything still works, but is forgotten with the page.
const kept = {
  writing: 0,  // transactions that are under way
  async opened(name) {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("files");
    const database = await answered(request);
    const store = database.transaction("files").objectStore("files");
    const [paths, files] = await Promise.all([answered(store.getAllKeys()), answered(store.getAll())]);
    return [database, paths.map((path, i) => [path, files[i]])];
  },
  async load() {
    try {
      let files;
      [this.database, files] = await this.opened(name_of_page);
      if (files.length > 0 || name_of_page === "headlight") return files;
      const [of_all, earlier] = await this.opened("headlight");  // before each file had a place of its own
      of_all.close();
      return earlier.filter(([path]) => !path.startsWith(kept_folders[0]));
    } catch (_) {
      this.database = undefined;
      return [];
    }
  },
  change(edits) {
    if (!this.database || edits.length === 0) return;
    try {
      const transaction = this.database.transaction("files", "readwrite"), store = transaction.objectStore("files");
      this.writing++;
      transaction.oncomplete = transaction.onabort = () => this.writing--;
      for (const [path, bytes, time] of edits) bytes ? store.put({ bytes, time }, path) : store.delete(path);
    } catch (error) {
      console.warn(error);
    }
  },
};

// Calls `changed(path, bytes, time)` for each file in a folder, or below it, that is new or was written since the last call, and with null
// for one that is gone.
function watch(folder, seen, changed) {
  const there = new Set();
  const look_into = (place) => {
    for (const name of FS.readdir(place)) {
      if (name.startsWith(".")) continue;
      const path = `${place}/${name}`;
      const { mtime, mode, size, ino } = FS.stat(path);
      if (FS.isDir(mode)) look_into(path);
      if (!FS.isFile(mode)) continue;
      there.add(path);
      const now = `${mtime.getTime()} ${size} ${ino}`;
      if (seen.get(path) !== now) changed(path, FS.readFile(path), mtime.getTime());
      seen.set(path, now);
    }
  };
  look_into(folder);
  for (const path of [...seen.keys()])
    if (path.startsWith(folder + "/") && !there.has(path)) {
      seen.delete(path);
      changed(path, null);
    }
}

function download(path, bytes) {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(new Blob([bytes]));
  anchor.download = path.slice(path.lastIndexOf("/") + 1);
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60000);
}

// --- What to start with ----------------------------------------------------------------------------------------------

// What this tab alone remembers, where the browser lets it.
const of_tab = {
  get(key) { try { return sessionStorage.getItem(`headlight ${key}`); } catch (_) { return null; } },
  set(key, value) { try { sessionStorage.setItem(`headlight ${key}`, value); } catch (_) { /* then it forgets */ } },
};

// Whether this tab shows the same address once more: then it goes on where it was, as without one.
function is_reloaded() {
  const again = performance.getEntriesByType("navigation")[0]?.type === "reload" && of_tab.get("address") === location.href;
  of_tab.set("address", location.href);
  return again;
}

// The check sum of texts, with a line feed behind each: CRC-32, as zlib computes it.
function check_sum(texts) {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? 0xEDB88320 ^ (byte >>> 1) : byte >>> 1;
    return byte;
  });
  let sum = -1;
  for (const text of texts)
    for (const byte of new TextEncoder().encode(text + "\n")) sum = table[(sum ^ byte) & 255] ^ (sum >>> 8);
  return (~sum >>> 0).toString(16).padStart(8, "0");
}

// What the user's own page has inside: arguments of the program, and files as [name, bytes]. Throws an Error that says what
// is wrong with it.
async function document_inside() {
  const text = document.getElementById("headlight-document").textContent.trim();
  if (!text) return { arguments: [], files: [] };
  const damaged = new Error("what is inside this page is damaged: get the page again, or export it again");
  let own;
  try { own = JSON.parse(text); } catch (_) { throw damaged; }
  if (Number.isInteger(own?.version) && own.version > 1)
    throw new Error(`what is inside this page has version ${own.version}, and this page reads version 1: export it again with a headlight.html of the program that made it`);
  const is_text = (value) => typeof value === "string";
  const { version, arguments: words, files } = own ?? {};
  const can_be_written = (name) => {
    const parts = name.split("/");
    return parts.every((part) => part !== "" && part !== "." && part !== "..") &&
      !parts.some((_, count) => count > 0 && Object.hasOwn(files, parts.slice(0, count).join("/")));  // a file is no folder
  };
  const is_whole = version === 1 && Array.isArray(words) && words.every(is_text) &&
    typeof files === "object" && files !== null && Object.values(files).every(is_text) && Object.keys(files).every(can_be_written);
  if (!is_whole) throw damaged;
  if (own.crc32 !== undefined && own.crc32 !== check_sum([...words, ...Object.entries(files).flat()])) throw damaged;
  const room = { bytes: 256 << 20 };  // as the program that exports pages allows
  const unpack = async ([name, packed]) => [name, new Uint8Array(await decompressed(from_base64(packed), "deflate-raw", room))];
  const unpacked = await Promise.all(Object.entries(files).map(unpack)).catch(() => {
    throw room.bytes < 0 ? new Error("what is inside this page is larger than 256 MiB, the most that a page can have inside") : damaged;
  });
  return { arguments: words, files: unpacked, told_as: own.told_as };
}

// The arguments of the program. A link to a place replaces what the page has inside; one that only says how it looks is added.
function words_of(inside) {
  if (!location.hash.includes("=")) return inside;
  const place = inside.at(-1) ?? "";
  if (!place.startsWith("#") || /[#&](lecture|setup)=/.test(location.hash)) return ["--setup", location.hash];
  return [...inside.slice(0, -1), `${place}&${location.hash.slice(1)}`];
}

// The arguments of the program, and the files of the user's own page.
async function what_to_start_with() {
  const own = await document_inside().catch((error) => {
    tell(error.message[0].toUpperCase() + error.message.slice(1) + ".");
    return { arguments: [], files: [] };
  });
  const files = own.files;
  const embeds = /[#&]embed=/.test(location.hash);
  if (is_reloaded() && !embeds && files.length === 0) return { words: [], files, place: of_tab.get("place") };
  return { words: words_of(own.arguments), files, told_as: own.told_as };
}

// The numbers of the trained layer, where the page has them inside or starts with the layer: the program can only wait for
// them, and nothing would move meanwhile.
async function trained_layer_at_start(first, files) {
  const name = "sentence-encoder.bin";
  const packed = /[#&]setup=([^&]*)/.exec(first.words.join(" "))?.[1];
  const texts = [...first.words];
  if (packed) texts.push(decompressed(from_base64(packed), "deflate-raw", { bytes: 16 << 20 }));  // as the program reads links
  if (texts.length === 0) texts.push(...files.filter(([path]) => path.startsWith(kept_folders[0])).map(([, { bytes }]) => bytes));
  const shows_it = async (text) => /sentence-encoder|lecture(=| = ")trained/.test(await new Response(await text).text());
  const wanted = part_inside(name) || (await Promise.all(texts.map(shows_it))).includes(true);
  return wanted ? part(name) : undefined;
}

// --- The program -----------------------------------------------------------------------------------------------------

var Module = {
  canvas: document.getElementById("canvas"),
  keyboard: document.getElementById("keyboard"),
  arguments: [],
  title: document.title,
  errors: [],
  locks: [],  // what releases each
  from_person: new Set(),  // paths of files that the user has just given
  embeds: /[#&]embed=/.test(location.hash),
  printErr(words) {
    console.error(words);
    Module.errors.push(words);
    if (Module.first_frame === undefined) fail(Module.errors.join("\n"));  // why it does not start
  },
  onAbort(why) { fail(String(why)); },
};

// Which program: the one with threads, if the browser lets this page share memory with them, as it does where the page is isolated.
function program_here() {
  if (!Module.runs_own_addresses || part_inside("headlight.wasm")) return "headlight";
  try {
    Module.wasmMemory = new WebAssembly.Memory({ initial: 1024, maximum: 65536, shared: true });
  } catch (_) {
    return "headlight";  // there are not so many addresses
  }
  Module.processors = Math.min(navigator.hardwareConcurrency, 8);
  Module.most_threads = Module.processors + 3;  // some compute together, a few work beside them
  return "headlight-threads";
}

async function start(program) {
  if (typeof WebAssembly !== "object" || !WebAssembly.Tag)
    return fail("This browser is too old: it doesn't support WebAssembly exceptions. Use Firefox 100, Chrome 95, Safari 15.2 or later.");
  if (!document.createElement("canvas").getContext("webgl2"))
    return fail("This browser doesn't support WebGL 2, which Headlight needs. It may be switched off in its settings.");
  addEventListener("error", ({ error }) => {  // in the middle of a frame
    if (error instanceof WebAssembly.RuntimeError || error instanceof WebAssembly.Exception) fail(error.message);
  });
  const bar = document.getElementById("progress");
  const places = kept.load(), beginning = what_to_start_with();
  const [wasm, script, files, first, trained, held] = await Promise.all([
    part(`${program}.wasm`, (share) => { bar.value = share; }),
    part(`${program}.js`),
    places,
    beginning,
    Promise.all([beginning, places]).then((both) => trained_layer_at_start(...both)).catch(() => undefined),  // the program says why
    navigator.locks?.query().then(({ held }) => held.map((lock) => lock.name)).catch(() => []) ?? [],
  ]);
  Module.locked_elsewhere = new Set(held);
  // Compiled once, for this page and for the programs beside it.
  Module.script = script;
  Module.mainScriptUrlOrBlob = script_address(script);  // what threads read, too
  Module.program = await WebAssembly.compile(wasm).catch((error) => {
    throw /Content Security Policy|unsafe-eval|CSP/.test(error.message)
      ? new Error("The policy of this page's host forbids WebAssembly. Its script-src needs 'wasm-unsafe-eval'.")
      : new Error(`${not_whole(`${program}.wasm`)} (${error.message})`);
  });
  Module.instantiateWasm = (imports, done) => {
    WebAssembly.instantiate(Module.program, imports).then((instance) => done(instance, Module.program), (error) => fail(String(error)));
    return {};
  };
  Module.trained_layer = trained && new Uint8Array(trained);
  Module.has_no_layer = part_inside("headlight.wasm") && (location.protocol === "file:" || self.origin === "null");  // nor can it load one
  const seen = new Map();
  Module.preRun = [() => {
    ENV.HOME = home;
    if (page_address.startsWith("http")) ENV.HEADLIGHT_PAGE = page_address;  // any other is found on this machine alone
    if (Module.processors) ENV.OMP_NUM_THREADS = String(Module.processors);
    for (const folder of [...kept_folders, ...given_folders, "/page"]) FS.mkdirTree(folder);
    for (const [path, { bytes, time }] of files) {
      if (!kept_folders.some((folder) => path.startsWith(folder + "/"))) continue;
      FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
      FS.writeFile(path, bytes);
      FS.utime(path, time, time);
    }
    // The program goes on with the place that was written last.
    if (first.place && FS.analyzePath(first.place).exists) FS.utime(first.place, Date.now(), Date.now());
    for (const folder of kept_folders) watch(folder, seen, () => {});
    for (const [name, bytes] of first.files) {
      const path = `/page/${name}`;
      FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
      FS.writeFile(path, bytes);
    }
    FS.chdir("/page");
    Module.arguments.push(...first.words);
  }];
  let due = 0;
  let is_lost = false;  // whether what the user does is forgotten with this page
  Module.keep_now = () => {
    clearTimeout(due);
    due = 0;
    const edits = [];
    for (const folder of kept_folders) watch(folder, seen, (...edit) => edits.push(edit));
    const places = edits.filter(([path, bytes]) => bytes && path.startsWith(kept_folders[0])).sort((a, b) => b[2] - a[2]);
    if (places.length > 0) of_tab.set("place", places[0][0]);
    // A page that was made for the frame it is in tells the page around what it shows: a notebook, whose kernel wants to know.
    if (places.length > 0 && first.told_as && self !== parent)
      parent.postMessage({ headlight: first.told_as, session: new TextDecoder().decode(places[0][1]) }, "*");
    // What the program writes into a file that the user gave goes back to the user.
    for (const [path, bytes] of edits)
      if (bytes && path.startsWith(files_of_person) && !Module.from_person.delete(path)) download(path, bytes);
    if (!Module.embeds) kept.change(edits);  // a figure in the user's page leaves no trace
    is_lost ||= !kept.database && edits.length > 0 && !Module.embeds && navigator.userActivation?.hasBeenActive;
    for (const folder of given_folders) watch(folder, seen, (path, bytes) => bytes && download(path, bytes));
  };
  Module.is_kept = () => due === 0 && kept.writing === 0;  // everything that the program has written
  Module.on_frame = () => {
    document.getElementById("loading")?.remove();
    Module.first_frame ??= performance.now();
    due ||= setTimeout(Module.keep_now, 300);
  };
  // The numbers of the trained layer come when the user asks for them.
  Module.fetch_trained_layer = () => {
    if (Module.trained_layer || Module.layer_arrival === 1) return;
    if (Module.has_no_layer) return;  // the program knows
    Module.layer_arrival = 1;  // coming
    part("sentence-encoder.bin")
      .then((bytes) => { Module.trained_layer ??= new Uint8Array(bytes); })
      .catch(() => { Module.layer_arrival = 3; })  // failed
      .finally(() => _page_wake());
  };
  addEventListener("pagehide", () => {
    Module.keep_now();
    for (const release of Module.locks) release();  // at once, because the next page may be this tab's
  });
  addEventListener("pageshow", (event) => event.persisted && location.reload());  // its locks may be others' by now
  addEventListener("beforeunload", (event) => {
    const is_at_work = [...programs.values()].some(({ status }) => status === -1);
    if (is_lost || is_at_work) event.preventDefault();
  });
  document.addEventListener("visibilitychange", () => document.hidden && Module.keep_now());
  await run_script(program, script);
}

const script_address = (script) => URL.createObjectURL(new Blob([script], { type: "text/javascript" }));

// A script with this address or this text; whether it ran.
const ran = (given) => new Promise((done) => {
  const element = document.createElement("script");
  element.onload = () => done(true);
  element.onerror = () => done(false);
  Object.assign(element, given);
  document.body.append(element);
  if (given.textContent !== undefined) done(typeof UTF8ToString === "function");  // it ran at once, or not at all
});

// A server that gives out a page of its own under this name, or a connection that broke.
const not_whole = (name) => `What came as ${name} isn't the program, or not all of it. Load the page again.`;

// Runs the program. Where the policy of the page's host forbids addresses of the page's own making, from its file, or out of
// the page.
async function run_script(program, script) {
  const inside = part_inside(`${program}.js`);
  const runs = (Module.runs_own_addresses ?? true) && await ran({ src: Module.mainScriptUrlOrBlob }) ||
    (inside ? await ran({ textContent: new TextDecoder().decode(script) }) : await ran({ src: `${program}.js` }));
  if (!runs) return fail("The policy of this page's host forbids the script that the program is. Its script-src needs blob: or 'unsafe-inline'.");
  if (typeof UTF8ToString !== "function") return fail(not_whole(`${program}.js`));  // it came, and doesn't run
  // What doesn't run must not be kept: it would come again.
  if (self.origin !== "null" && "serviceWorker" in navigator && location.protocol.startsWith("http") && !inside)
    navigator.serviceWorker.register(`service-worker.js?${program}`).catch(() => {});
}

async function begin() {
  // Threads read the program at an address of the page's own making.
  if (self.crossOriginIsolated) Module.runs_own_addresses = await ran({ src: script_address("") });
  const program = program_here();
  start(program).catch((error) => fail(String(error?.message ?? error)));
}
