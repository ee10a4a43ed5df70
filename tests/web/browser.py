"""Drives Debian's Chromium from outside, over the pipe that it listens to, and serves a folder to it."""

import base64
import contextlib
import functools
import http.server
import io
import itertools
import json
import os
import pathlib
import select
import subprocess
import threading
import time

from PIL import Image

FLAGS = ["--headless=new", "--no-sandbox", "--no-first-run", "--disable-background-networking", "--use-gl=angle",
         "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-sync",
         "--force-color-profile=srgb", "--hide-scrollbars"]
SHIFT, CTRL, ALT = 8, 2, 1
# What a web server says for a page that may share memory with threads.
ISOLATED = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}


class Failed(Exception):
    """What the browser answered in place of a result."""


class Browser:
    """A browser with a profile of its own, which several of them may use one after the other."""

    def __init__(self, profile: pathlib.Path):
        self.profile = profile
        to_read, self.output = os.pipe()
        self.input, to_write = os.pipe()

        def wire():
            # Its ends of the pipes become 3 and 4, also where they are one of these now.
            read, write = os.dup(to_read), os.dup(to_write)
            read, write = (os.dup(read) if read < 5 else read), (os.dup(write) if write < 5 else write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            ["chromium", *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.numbers = itertools.count(1)
        self.answers, self.listeners, self.rest = {}, [], b""

    def close(self):
        with contextlib.suppress(Failed, OSError):
            self.call("Browser.close")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        self.process.kill()
        self.process.wait()
        os.close(self.input)
        os.close(self.output)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, method, session=None, **parameters):
        """Asks for something without waiting for the answer, which has the number that this returns."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        return number

    def call(self, method, session=None, **parameters):
        number = self.send(method, session, **parameters)
        end = time.monotonic() + 120
        while number not in self.answers:
            if time.monotonic() > end:
                raise Failed(f"{method}: no answer")
            self.read(1)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Failed(f"{method}: {answer['error']}")
        return answer["result"]

    def read(self, seconds):
        """Takes what the browser has said, or waits for it for so long."""
        if not select.select([self.input], [], [], seconds)[0]:
            return
        data = os.read(self.input, 1 << 20)
        if not data:
            raise Failed("the browser is gone")
        *messages, self.rest = (self.rest + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                for listener in self.listeners:
                    listener(message)

    def page(self, width=1440, height=900, scale=1, touch=False):
        return Page(self, width, height, scale, touch)


class Driven:
    """A page with the program, driven by something that can `run` JavaScript in it and press a `key`."""

    def wait(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while not self.is_true(expression):
            if time.monotonic() > end:
                raise Failed(f"{expression} does not come true; the page says {self.errors} "
                             f"{self.run('document.body?.innerText')}")
            time.sleep(0.03)

    def is_true(self, expression):
        """Also false while one page goes and the next one comes."""
        try:
            return self.run(expression)
        except Failed as failed:
            if "navigated" not in str(failed):
                raise
            return False

    def open(self, address):
        """Opens an address and waits for the program's first picture."""
        self.navigate(address)
        self.settle()

    def reload(self):
        self.wait("Module.is_kept()")
        self.run("(window.before_reload = true)")
        self.reload_page()
        self.wait("!window.before_reload")
        self.settle()

    def settle(self, seconds=90):
        """Waits until the program has nothing left to draw."""
        self.wait("window.Module !== undefined && Module.first_frame !== undefined && Module.settled === true", seconds)

    def settle_anew(self):
        """Waits for what comes of what was just done. A frame in between may have said that nothing is left to do."""
        self.run("(Module.settled = false, _page_stir(), 0)")
        self.settle()

    def type(self, text):
        for letter in text:
            self.key(letter)

    def kept(self, name):
        """A file that the program has written, as text; "" if there is none."""
        return self.run(f"(() => {{ try {{ return FS.readFile('{name}', {{ encoding: 'utf8' }}); }} catch (_) {{ return ''; }} }})()")


class Page(Driven):
    """A tab. What it complains about is in `errors`."""

    def __init__(self, browser, width, height, scale, touch):
        self.browser, self.errors = browser, []
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        browser.listeners.append(self.listen)
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.resize(width, height, scale)
        self.prefer("dark")
        if touch:
            self.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        self.pointer = (0, 0)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        self.browser.listeners.remove(self.listen)
        self.browser.call("Target.closeTarget", targetId=self.target)

    def listen(self, message):
        if message.get("sessionId") != self.session:
            return
        about = message["params"]
        if message["method"] == "Runtime.exceptionThrown":
            self.errors.append(about["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif message["method"] == "Runtime.consoleAPICalled" and about["type"] == "error":
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in about["args"]))
        elif message["method"] == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.errors.append(about["entry"]["text"])
        elif message["method"] == "Page.javascriptDialogOpening":
            self.errors.append(about["message"])
            self.browser.send("Page.handleJavaScriptDialog", self.session, accept=True)

    def resize(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def prefer(self, scheme, motion="no-preference"):
        """What the browser's settings say."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                          {"name": "prefers-reduced-motion", "value": motion}])

    def run(self, expression):
        """The value of an expression of JavaScript; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True,
                           userGesture=True)
        if "exceptionDetails" in answer:
            raise Failed(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def navigate(self, address):
        # An address that differs only behind "#" would open no new page. The answer comes before the empty page is there, and
        # a navigation that overlaps with the one before it may get none.
        self.call("Page.navigate", url="about:blank")
        self.wait("location.href === 'about:blank'")
        self.call("Page.navigate", url=address)

    def reload_page(self):
        self.call("Page.reload")

    def come_to_front(self):
        """A tab behind another draws no frames."""
        self.call("Page.bringToFront")
        self.run("new Promise(requestAnimationFrame).then(() => 0)")

    def act(self, method, **parameters):
        self.call(method, **parameters)
        self.settle_anew()

    def point(self, x, y):
        self.pointer = (x, y)
        self.act("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y, button="left", count=1):
        self.point(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.act("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=count)

    def turn(self, x, y, down, modifiers=0):
        self.act("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=down, modifiers=modifiers)

    def key(self, key, code=None, modifiers=0):
        """A key by its name, "ArrowRight", or by the letter that it types."""
        is_letter = len(key) == 1
        code = code or (f"Key{key.upper()}" if key.isalpha() and is_letter else f"Digit{key}" if key.isdigit() else key)
        types = {"text": key} if is_letter and not modifiers & (CTRL | ALT) else {}
        number = {"Backspace": 8, "Tab": 9, "Enter": 13, "Escape": 27}.get(key, ord(key.upper()) if is_letter else 0)
        about = {"key": key, "code": code, "modifiers": modifiers, "windowsVirtualKeyCode": number}
        self.act("Input.dispatchKeyEvent", type="keyDown", **about, **types)
        self.act("Input.dispatchKeyEvent", type="keyUp", **about)

    def insert(self, text):
        """Types as an input method does."""
        self.act("Input.insertText", text=text)

    def touch(self, kind, *points):
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])

    def swipe(self, *ways):
        """Fingers that move along these lists of points, without a rest: one that rests would open a menu."""
        for kind, *points in (("touchStart", *(way[0] for way in ways)),
                              *(("touchMove", *at) for at in zip(*(way[1:] for way in ways)))):
            self.browser.send("Input.dispatchTouchEvent", self.session, type=kind,
                              touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])
        self.act("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def tap(self, x, y):
        self.swipe([(x, y)])

    def picture(self):
        while True:
            try:
                data = self.call("Page.captureScreenshot", format="png")["data"]
                break
            except Failed as failed:  # while one page goes and the next one comes
                if "Not attached" not in str(failed):
                    raise
                time.sleep(0.05)
        return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")

    def drop_files(self, files):
        """Drops several at once: their bytes, by name."""
        self.run(f"""(() => {{
          const files = new DataTransfer();
          for (const [name, packed] of Object.entries({self.packed(files)}))
            files.items.add(new File([Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))], name));
          dispatchEvent(new DragEvent("drop", {{ dataTransfer: files, bubbles: true, cancelable: true }}));
          return Module.given; }})()""")
        self.settle_anew()

    def drop_folder(self, folder, files):
        """Drops a folder with these files. No script can make one, so this stands for what a browser tells of it."""
        self.run(f"""(() => {{
          const entry = ([name, packed]) => ({{ isFile: true, name, fullPath: "/{folder}/" + name,
            file: (done) => done(new File([Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))], name)) }});
          const rest = [Object.entries({self.packed(files)}).map(entry), []];
          const folder = {{ isDirectory: true, name: "{folder}", createReader: () => ({{ readEntries: (done) => done(rest.shift()) }}) }};
          const drop = new Event("drop", {{ bubbles: true, cancelable: true }});
          drop.dataTransfer = {{ items: [{{ webkitGetAsEntry: () => folder }}], files: [new File([], "{folder}")] }};
          dispatchEvent(drop);
          return Module.given; }})()""")
        self.settle_anew()

    @staticmethod
    def packed(files):
        return json.dumps({name: base64.b64encode(data).decode() for name, data in files.items()})

    def drop(self, name, data, settles=True):
        """Drops a file on the page. Where `settles` is false, nobody waits for what comes of it."""
        packed = base64.b64encode(data).decode()
        self.run(f"""(() => {{
          const bytes = Uint8Array.from(atob("{packed}"), (c) => c.charCodeAt(0)), files = new DataTransfer();
          files.items.add(new File([bytes], {json.dumps(name)}));
          dispatchEvent(new DragEvent("drop", {{ dataTransfer: files, bubbles: true, cancelable: true }}));
          Module.settled = false;
          return Module.given; }})()""")
        if settles:
            self.settle_anew()


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def end_headers(self):
        for header in self.server.headers.items():
            self.send_header(*header)
        super().end_headers()

    def log_request(self, code, _="-"):
        self.server.answers.append((self.path.partition("?")[0], int(code)))

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder, headers={}):
    """The folder on a web server, without any special header but these. Gives the server: server.address is where it is, and
    server.answers has the path and the status of each answer so far."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.answers, server.headers = [], headers
    server.address = f"http://127.0.0.1:{server.server_address[1]}/"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
