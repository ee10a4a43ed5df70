// Functions of the page that C++ code calls. In turn, the page's events call C++ functions that begin with page_, in
// window.cpp.
addToLibrary({
  // Listens to the page. Positions are in device pixels of the canvas.
  page_listen__deps: ["$stringToNewUTF8", "$UTF8ToString", "free", "$back"],
  page_listen: () => {
    const canvas = Module.canvas;
    const keyboard = Module.keyboard;
    const say = (send, ...words) => {
      const texts = words.map((word) => (typeof word === "string" ? stringToNewUTF8(word) : word));
      const answer = send(...texts);
      words.forEach((word, i) => typeof word === "string" && _free(texts[i]));
      return answer;
    };
    const at = (e) => {
      const box = canvas.getBoundingClientRect();
      const pixels = canvas.width / box.width;
      return [(e.clientX - box.left) * pixels, (e.clientY - box.top) * pixels];
    };

    const in_frame = self !== top;
    const modifiers = (e) => (e.ctrlKey || e.metaKey ? 1 : 0) | (e.shiftKey ? 2 : 0) | (e.altKey ? 4 : 0);

    // The window decides what fingers mean.
    const kinds = { pointerdown: 0, pointermove: 1, pointerup: 2, pointercancel: 3 };
    for (const name of Object.keys(kinds)) canvas.addEventListener(name, (e) => {
      e.preventDefault();
      const [x, y] = at(e);
      const is_finger = e.pointerType === "touch";
      if (name === "pointerdown") {
        if (!is_finger || document.activeElement !== keyboard) canvas.focus({ preventScroll: true });
        try { canvas.setPointerCapture(e.pointerId); } catch (_) { /* a pointer that a test made up */ }
      }
      if (is_finger && name === "pointerup") {
        back.is_wanted = true;
        back.follow();
      }
      if (is_finger) _page_finger(kinds[name], e.pointerId, x, y);
      else _page_pointer({ pointerdown: 1, pointermove: 0 }[name] ?? 2, x, y, e.button);
    });
    canvas.addEventListener("pointerleave", (e) => e.pointerType === "touch" || _page_pointer(3, 0, 0, 0));
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("wheel", (e) => {
      // A frame leaves the wheel to the page around it, where nothing in it scrolls.
      if ((Module.embeds || (in_frame && !e.ctrlKey)) && !_page_scrolls(Math.sign(-e.deltaY))) return;
      const notches = e.deltaMode === 1 ? 1 / 3 : 1 / 100;
      _page_wheel(-e.deltaX * notches, -e.deltaY * notches, modifiers(e));
      e.preventDefault();
    }, { passive: false });

    // Keys. Their text comes as an event of the hidden text area, so that dead keys, input methods and the keyboards
    // of phones work; only the keys that type nothing are kept from it.
    const key = (down) => (e) => {
      if (e.isComposing || e.key === "Process" || e.key === "Unidentified") return;
      if (say(_page_keeps_key, e.key, e.code, modifiers(e))) return;
      // A frame in someone else's page is no trap for the keyboard.
      if (in_frame && down && e.key === "Tab" && _page_leaves_by_tab(e.shiftKey ? 0 : 1)) return;
      const with_control = e.ctrlKey || e.metaKey;
      if (down && with_control && e.key.toLowerCase() === "v" && !e.altKey) return;  // the paste event follows
      const types = [...e.key].length === 1 && !with_control;
      // What isn't used here is left to the browser, or to the page around a figure.
      if (down && document.activeElement !== keyboard && !say(_page_uses_key, e.key, e.code, modifiers(e))) return;
      say(_page_key, down ? 1 : 0, e.key, e.code, modifiers(e), e.repeat ? 1 : 0);
      if (types && down && document.activeElement !== keyboard) say(_page_text, e.key);
      if (!types || document.activeElement !== keyboard) e.preventDefault();
    };
    addEventListener("keydown", key(true));
    addEventListener("keyup", key(false));
    keyboard.addEventListener("input", (e) => {
      if (e.isComposing) return;
      if (e.inputType === "deleteContentBackward") for (const down of [1, 0]) say(_page_key, down, "Backspace", "Backspace", 0, 0);
      else if (keyboard.value.length > 1) say(_page_text, keyboard.value.slice(1));
      keyboard.value = " ";  // something for Backspace to delete
    });
    keyboard.addEventListener("compositionend", () => {
      if (keyboard.value.length > 1) say(_page_text, keyboard.value.slice(1));
      keyboard.value = " ";
    });
    keyboard.value = " ";
    addEventListener("paste", (e) => {
      e.preventDefault();
      const files = [...e.clipboardData.files];
      if (files.length > 0) return void Module.give(files);
      Module.clip = e.clipboardData.getData("text/plain");
      Module.has_just_pasted = true;
      for (const down of [1, 0]) say(_page_key, down, "v", "KeyV", 1, 0);
    });
    addEventListener("blur", () => {
      _page_pointer(3, 0, 0, 0);
      say(_page_key, 0, "Control", "ControlLeft", 0, 0);  // keys that are let go elsewhere
    });
    addEventListener("popstate", () => back.went());

    // Files that the user drops or chooses, and folders with what is in them. All are there before the program hears of
    // any. Where several come together, they lie in a folder of their own: one of them may name the others.
    Module.give = async (files) => {
      const together = files.length > 1 && !files.some((file) => file.path) ? "/together" : "";
      const given = new Set();
      for (const file of files) {
        const path = `${files_of_person}${together}/${file.path ?? file.name}`;
        try {
          FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
          FS.writeFile(path, new Uint8Array(await file.arrayBuffer()));
          Module.from_person?.add(path);
        } catch (error) {  // more than fits
          tell(`${file.name} can't be read: ${error.message}`);
          continue;
        }
        given.add(file.path ? `${files_of_person}/${file.path.split("/")[0]}` : path);
      }
      for (const path of given) say(_page_file, path);
    };
    // The files of an entry, which may be a folder; each file of a folder has its path, which begins with the folder's name.
    const most_files = 10000;
    const files_of = async (entry) => {
      if (entry.isFile) {
        const file = await new Promise((done, failed) => entry.file(done, failed));
        return [Object.defineProperty(file, "path", { value: entry.fullPath.slice(1) })];
      }
      const reader = entry.createReader();
      const files = [];
      for (;;) {  // a browser gives a hundred at a time
        const some = await new Promise((done, failed) => reader.readEntries(done, failed));
        if (some.length === 0) return files;
        for (const each of some) files.push(...await files_of(each));
        if (files.length > most_files) throw new Error(`it has more than ${most_files} files`);
      }
    };
    const dropped = async (items, files) => {
      const folders = items.filter((entry) => entry?.isDirectory);
      if (folders.length === 0) return Module.give(files);
      const give = (name, those) => (those.length > 0 ? Module.give(those) : tell(`${name} has no files`));
      for (const folder of folders)
        await files_of(folder).then((those) => give(folder.name, those)).catch((error) => tell(`${folder.name} can't be read: ${error.message}`));
    };
    addEventListener("dragover", (e) => e.preventDefault());
    addEventListener("drop", (e) => {
      e.preventDefault();
      const entries = [...e.dataTransfer.items].map((item) => item.webkitGetAsEntry?.());  // gone once this returns
      Module.given = dropped(entries, [...e.dataTransfer.files]);
    });

    const fit = () => {
      if (matchMedia("print").matches) return;  // what is on paper is what was on the screen
      const pixels = devicePixelRatio;
      // The keyboard of a phone lies over the page, and only this view is above it.
      const view = globalThis.visualViewport;
      const seen = view && Math.abs(view.scale - 1) < 0.01 ? Math.min(innerHeight, view.height) : innerHeight;
      const width = Math.max(1, Math.round(innerWidth * pixels)), height = Math.max(1, Math.round(seen * pixels));
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      canvas.style.width = innerWidth + "px";
      canvas.style.height = seen + "px";
      _page_stir();
    };
    addEventListener("resize", fit);
    globalThis.visualViewport?.addEventListener("resize", fit);
    new ResizeObserver(fit).observe(document.documentElement);
    document.addEventListener("visibilitychange", () => _page_stir());
    for (const preference of ["prefers-color-scheme: light", "prefers-reduced-motion: reduce"])
      matchMedia(`(${preference})`).addEventListener("change", () => _page_stir());
    addEventListener("hashchange", () => location.reload());
    canvas.addEventListener("webglcontextlost", (e) => e.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => _page_restore());
    fit();
    canvas.focus({ preventScroll: true });
  },

  // Back, as on a phone: where fingers are used, the browser's history has an entry for each thing that going back undoes
  // here, so that it leaves the app last. A frame has no history of its own.
  $back: {
    is_wanted: false,
    ways: 0,
    own_moves: 0,  // whose events come later
    depth: () => history.state?.headlight ?? 0,
    follow: () => {
      if (!back.is_wanted || top !== self || back.own_moves > 0) return;
      const depth = back.depth();
      try {
        for (let next = depth + 1; next <= back.ways; next++) history.pushState({ headlight: next }, "");
      } catch (_) {
        back.is_wanted = false;  // this address has no history
      }
      if (depth <= back.ways) return;
      back.own_moves++;
      history.go(back.ways - depth);
    },
    went: () => {
      if (back.own_moves > 0) back.own_moves--;
      else if (back.depth() < back.ways) return _page_back();
      back.follow();
    },
  },
  page_ways_back__deps: ["$back"],
  page_ways_back: (count) => {
    back.ways = count;
    back.follow();
  },

  page_title__deps: ["$UTF8ToString"],
  // What has no name of its own keeps that of the page.
  page_title: (text) => {
    const words = UTF8ToString(text);
    document.title = words === "Headlight" ? Module.title : words;
  },

  page_full_screen: (on) => {
    if (on) document.documentElement.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement) document.exitFullscreen();
  },

  page_hidden: () => (document.hidden ? 1 : 0),

  // Whether a text field has the keyboard: phones then show theirs.
  page_types: (on) => {
    if (on) Module.keyboard.focus({ preventScroll: true });
    else if (document.activeElement === Module.keyboard) Module.canvas.focus({ preventScroll: true });
  },

  page_cursor__deps: ["$UTF8ToString"],
  page_cursor: (shape) => { Module.canvas.style.cursor = UTF8ToString(shape); },

  page_copy__deps: ["$UTF8ToString"],
  page_copy: (text) => {
    const words = UTF8ToString(text);
    Module.clip = words;
    const through_a_field = () => {
      const field = document.createElement("textarea");
      field.value = words;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
      Module.canvas.focus({ preventScroll: true });
    };
    if (navigator.clipboard) navigator.clipboard.writeText(words).catch(through_a_field);
    else through_a_field();
  },
  page_clipboard__deps: ["$stringToNewUTF8"],
  page_clipboard: () => stringToNewUTF8(Module.clip ?? ""),  // a paste event has come before
  // By a key the text is here already. By a menu the browser is asked, which may ask the person.
  page_read_clipboard__deps: ["$stringToNewUTF8", "free"],
  page_read_clipboard: () => {
    const give = (text) => {
      const words = stringToNewUTF8(text);
      _page_pasted(words);
      _free(words);
      _page_stir();
    };
    if (Module.has_just_pasted) return give(Module.clip);
    const asked = navigator.clipboard?.readText ? navigator.clipboard.readText() : Promise.reject();
    asked.then(give, () => tell("This browser doesn't let a menu read the clipboard. Press Ctrl+V, or allow it in the browser's settings for this page."));
  },

  // Puts in only the sections that have changed, so that a screen reader says just these.
  page_words__deps: ["$UTF8ToString"],
  page_words: (html) => {
    const place = document.getElementById("words");
    const told = document.createElement("template");
    told.innerHTML = UTF8ToString(html);
    const sections = [...told.content.children];
    for (const old of [...place.children]) if (!sections.some((section) => section.id === old.id)) old.remove();
    let before = null;
    for (const section of sections) {
      const old = document.getElementById(section.id);
      const is_same = old?.outerHTML === section.outerHTML;
      if (old && !is_same) old.replaceWith(section);
      if (!old) place.insertBefore(section, before ? before.nextSibling : place.firstChild);
      before = document.getElementById(section.id);
    }
  },

  // A message, because a timer would wait for some milliseconds. What the user does comes in between.
  page_wake_soon__proxy: "async",
  page_wake_soon: () => {
    if (!Module.waker) {
      Module.waker = new MessageChannel();
      Module.waker.port1.onmessage = () => _page_wake();
    }
    Module.waker.port2.postMessage(0);
  },

  // `settled`: nothing is left to draw until something happens.
  page_drawn: (settled) => {
    Module.settled = settled !== 0;
    if (settled) Module.has_just_pasted = false;
    Module.on_frame?.();
  },

  // What the browser's settings say, or the page around a frame.
  page_prefers_light: () => (matchMedia("(prefers-color-scheme: light)").matches ? 1 : 0),
  page_is_touched: () => (matchMedia("(pointer: coarse)").matches ? 1 : 0),
  page_prefers_less_motion: () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : 0),

  // Lets the user choose files, which arrive as dropped ones do.
  page_choose_files: () => {
    const chooser = document.createElement("input");
    chooser.type = "file";
    chooser.multiple = true;
    chooser.onchange = () => Module.give([...chooser.files]);
    chooser.click();
  },

  // Texts in the browser's own fonts (app/shaping/browser_fonts.cpp), drawn on a canvas that nobody sees. Node.js has none.
  $glyph_pen: (em_pixels) => {
    Module.glyphs ??= typeof OffscreenCanvas === "undefined" ? globalThis.document?.createElement("canvas") : new OffscreenCanvas(1, 1);
    const pen = Module.glyphs?.getContext("2d", { willReadFrequently: true });
    if (pen) pen.font = `${em_pixels}px system-ui, sans-serif`;
    return pen;
  },
  page_draws_glyphs__deps: ["$glyph_pen"],
  page_draws_glyphs: () => (glyph_pen(16) ? 1 : 0),
  page_glyph_advance__deps: ["$glyph_pen", "$UTF8ToString"],
  page_glyph_advance: (text) => glyph_pen(100).measureText(UTF8ToString(text)).width / 100,
  // Where the first line may end behind the byte `from` of a text, in bytes (app/shaping/line_breaks.hpp): between words, as the
  // browser finds them in scripts without spaces; before no closing sign, and behind no opening one.
  page_line_break__deps: ["$UTF8ToString", "$lengthBytesUTF8"],
  page_line_break: (text, from) => {
    Module.words ??= typeof Intl.Segmenter === "undefined" ? { segment: (all) => [...all].map((segment) => ({ segment })) }
      : new Intl.Segmenter([], { granularity: "word" });
    const letter = "[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Bopo}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\u3000-\\u30ff\\uff01-\\uff60]";
    const here = new RegExp(`${letter}\n|\n${letter}`, "u");
    const not_here = /[\p{Ps}\p{Pi}]\n|\n[\p{Pe}\p{Pf}\p{Po}]/u;
    let before = "", bytes = 0;
    for (const { segment } of Module.words.segment(UTF8ToString(text))) {
      const edge = `${before}\n${segment}`;
      if (bytes > from && here.test(edge) && !not_here.test(edge)) break;
      bytes += lengthBytesUTF8(segment);
      before = segment;
    }
    return bytes;
  },
  page_glyph_picture__deps: ["$glyph_pen", "$UTF8ToString", "malloc"],
  page_glyph_picture: (text, em_pixels, box) => {
    const words = UTF8ToString(text);
    const size = glyph_pen(em_pixels).measureText(words);
    const left = -Math.ceil(size.actualBoundingBoxLeft) - 1, top = -Math.ceil(size.actualBoundingBoxAscent) - 1;
    const width = Math.max(1, Math.ceil(size.actualBoundingBoxRight) + 1 - left);
    const height = Math.max(1, Math.ceil(size.actualBoundingBoxDescent) + 1 - top);
    Object.assign(Module.glyphs, { width, height });  // which empties it
    const pen = glyph_pen(em_pixels);
    pen.fillText(words, -left, -top);
    const { data } = pen.getImageData(0, 0, width, height);
    const address = _malloc(width * height);
    for (let i = 0; i < width * height; i++) {
      const [red, green, blue, alpha] = data.subarray(4 * i, 4 * i + 4);
      const light = (0.299 * red + 0.587 * green + 0.114 * blue) / 255;  // a picture in colour: the darker, the more it covers
      HEAPU8[address + i] = Math.round(alpha * (1 - 2 * light / 3));
    }
    HEAP32.set([left, top, width, height], box >> 2);
    return address;
  },

  // Programs that run beside this one (page/programs.js), by number.
  page_start_program__deps: ["$UTF8ToString"],
  page_start_program: (words, count) =>
    start_program(Array.from({ length: count }, (_, i) => UTF8ToString(HEAPU32[(words >> 2) + i]))),
  page_program_said__deps: ["$stringToNewUTF8"],
  page_program_said: (number) => {
    const program = programs.get(number);
    const said = program.said;
    program.said = "";
    return stringToNewUTF8(said);
  },
  page_program_status: (number) => programs.get(number).status,
  page_end_program: (number) => end_program(number),
  page_forget_program: (number) => {
    end_program(number);
    programs.delete(number);
  },

  // A context to draw pictures with, where there is no window. Answers whether there is one.
  page_offscreen_context__deps: ["$GL"],
  page_offscreen_context: () => {
    if (typeof OffscreenCanvas === "undefined") return 0;
    const attributes = { majorVersion: 2, minorVersion: 0, alpha: false, depth: false, stencil: false, antialias: false, enableExtensionsByDefault: true };
    const context = GL.createContext(new OffscreenCanvas(1, 1), attributes);
    return context && GL.makeContextCurrent(context) ? 1 : 0;
  },

  // A module with relaxed SIMD (cmake/web/relaxed_softmax.cpp) that works in the program's memory. A browser without it
  // refuses the module, and some machines round twice: then nothing is stored.
  $relaxed_softmax__deps: ["malloc", "$wasmTable"],
  $relaxed_softmax: (module, size) => {
    const stack_bytes = 1 << 16, constant_bytes = 1 << 12;
    const constants = _malloc(constant_bytes);
    HEAPU8.fill(0, constants, constants + constant_bytes);  // where memory is shared, 0 says that they are not there yet
    const address = (at, mutable) => new WebAssembly.Global({ value: "i32", mutable }, at);
    try {
      const compiled = new WebAssembly.Module(HEAPU8.slice(module, module + size));
      const { exports } = new WebAssembly.Instance(compiled, { env: {
        memory: wasmMemory,
        __indirect_function_table: wasmTable,
        __memory_base: address(constants, false),
        __stack_pointer: address(_malloc(stack_bytes) + stack_bytes, true),
      } });
      if (!exports.rounds_once(2 ** -30)) return 0;
      const first = wasmTable.grow(2);
      [exports.softmax_doubles, exports.softmax_floats].forEach((own, i) => wasmTable.set(first + i, own));
      return first;
    } catch (error) {
      if (!(error instanceof WebAssembly.CompileError)) console.warn(error);
      return 0;
    }
  },
  page_relaxed_softmax__deps: ["$relaxed_softmax"],
  page_relaxed_softmax: (module, size, functions) => {
    Module.relaxed_softmax ??= relaxed_softmax(module, size);  // in each thread, as each has a table of functions of its own
    if (Module.relaxed_softmax > 0) HEAPU32.set([Module.relaxed_softmax, Module.relaxed_softmax + 1], functions >> 2);
  },

  // As sentence_encoder::Arrival: none, coming, here, failed.
  page_trained_layer_arrival__proxy: "sync",
  page_trained_layer_arrival: () => (Module.trained_layer || ENVIRONMENT_IS_NODE ? 2 : (Module.layer_arrival ?? (Module.has_no_layer ? 3 : 0))),
  page_fetch_trained_layer__proxy: "async",
  page_fetch_trained_layer: () => Module.fetch_trained_layer?.(),
  // The numbers of the trained layer. This waits for the network, if nobody has fetched them.
  page_trained_layer__proxy: "sync",
  page_trained_layer__deps: ["malloc"],
  page_trained_layer: () => {
    let bytes = Module.trained_layer;
    try {
      if (!bytes && ENVIRONMENT_IS_NODE) bytes = require("fs").readFileSync(__dirname + "/sentence-encoder.bin");
      if (!bytes && !Module.has_no_layer) {
        const request = new XMLHttpRequest();
        request.open("GET", "sentence-encoder.bin", false);
        request.overrideMimeType("text/plain; charset=x-user-defined");  // each byte as one character
        request.send();
        if (request.status === 200) bytes = Uint8Array.from(request.responseText, (c) => c.charCodeAt(0) & 255);
      }
    } catch (error) {
      console.warn(error);
    }
    if (!bytes) return 0;
    Module.trained_layer = bytes;
    const address = _malloc(bytes.length);
    HEAPU8.set(bytes, address);
    return address;
  },

  // Whether no other tab holds this name. From then on this one does, as long as it is open.
  page_lock__deps: ["$UTF8ToString"],
  page_lock: (name) => {
    const lock = `${name_of_page} ${UTF8ToString(name)}`;
    if (Module.locked_elsewhere?.has(lock)) return 0;
    navigator.locks?.request(lock, { ifAvailable: true }, () => new Promise((release) => Module.locks.push(release))).catch(() => {});
    return 1;
  },
});
