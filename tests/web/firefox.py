"""Drives Debian's firefox-esr by its own protocol, Marionette, on a screen of its own.

Without a screen (--headless) this Firefox creates no WebGL context; on an X server that draws in software it does.
"""

import base64
import io
import itertools
import json
import os
import pathlib
import socket
import subprocess
import time

from PIL import Image

from browser import CTRL, Driven, Failed

PREFERENCES = {
    "marionette.port": 0,  # any free one
    "webgl.force-enabled": True,
    "layout.css.prefers-color-scheme.content-override": 0,  # dark, as the pictures are
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.download.folderList": 2,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
}
KEYS = {"ArrowRight": "\ue014", "Enter": "\ue007", "Escape": "\ue00c", "Backspace": "\ue003"}
CONTROL = "\ue009"


class Screen:
    """An X server that nobody sees."""

    def __init__(self, width, height):
        to_read, to_write = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(to_write), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"],
            pass_fds=[to_write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_write)
        with os.fdopen(to_read) as answer:
            self.name = f":{answer.readline().strip()}"

    def close(self):
        self.process.terminate()
        self.process.wait()


class Firefox(Driven):
    """A browser with one tab. What the program complains about is in `errors`."""

    def __init__(self, profile: pathlib.Path, downloads: pathlib.Path, width=1440, height=900):
        profile.mkdir()
        preferences = PREFERENCES | {"browser.download.dir": str(downloads)}
        (profile / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
                                                 for name, value in preferences.items()))
        self.screen = Screen(width + 100, height + 200)
        self.process = subprocess.Popen(
            ["firefox-esr", "--no-remote", "--profile", profile, "--marionette"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(profile), "DISPLAY": self.screen.name, "LIBGL_ALWAYS_SOFTWARE": "1"})
        self.socket, self.rest, self.numbers = self.connect(profile / "MarionetteActivePort"), b"", itertools.count(1)
        self.read()
        self.call("NewSession", capabilities={})
        self.call("SetTimeouts", script=120000)
        self.resize(width, height)

    def connect(self, port_file):
        end = time.monotonic() + 90
        while not port_file.exists() or not port_file.read_text():
            if time.monotonic() > end:
                raise Failed("Firefox does not start")
            time.sleep(0.1)
        return socket.create_connection(("127.0.0.1", int(port_file.read_text())))

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.socket.close()
        self.screen.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def read(self):
        """A message is its length in digits, a colon, and JSON."""
        def more():
            data = self.socket.recv(1 << 20)
            if not data:
                raise Failed("Firefox is gone")
            self.rest += data

        while b":" not in self.rest:
            more()
        length, _, self.rest = self.rest.partition(b":")
        while len(self.rest) < int(length):
            more()
        message, self.rest = self.rest[:int(length)], self.rest[int(length):]
        return json.loads(message)

    def call(self, command, **parameters):
        message = json.dumps([0, next(self.numbers), f"WebDriver:{command}", parameters]).encode()
        self.socket.sendall(b"%d:" % len(message) + message)
        _, _, error, result = self.read()
        if error:
            raise Failed(f"{command}: {error['message']}")
        return result

    @property
    def errors(self):
        return self.run("window.Module?.errors ?? []")

    def resize(self, width, height):
        """Makes the page, not the window, this large."""
        box = self.call("SetWindowRect", x=0, y=0, width=width, height=height)
        inner = self.run("[innerWidth, innerHeight]")
        self.call("SetWindowRect", width=2 * box["width"] - inner[0], height=2 * box["height"] - inner[1])

    def run(self, expression):
        script = f"const done = arguments[arguments.length - 1]; Promise.resolve({expression}).then(done);"
        return self.call("ExecuteAsyncScript", script=script, args=[], sandbox=None)["value"]

    def navigate(self, address):
        self.call("Navigate", url="about:blank")
        self.call("Navigate", url=address)

    def reload_page(self):
        self.call("Refresh")

    def act(self, *sources):
        self.call("PerformActions", actions=list(sources))
        self.settle_anew()

    def click(self, x, y):
        def pointer(*actions):
            return {"type": "pointer", "id": "mouse", "actions": list(actions)}

        self.act(pointer({"type": "pointerMove", "x": x, "y": y, "origin": "viewport"}))
        for kind in ("pointerDown", "pointerUp"):
            self.act(pointer({"type": kind, "button": 0}))

    def key(self, key, modifiers=0):
        held = [CONTROL] if modifiers & CTRL else []
        pressed = [*held, KEYS.get(key, key)]
        self.act({"type": "key", "id": "keys", "actions": [
            *({"type": "keyDown", "value": value} for value in pressed),
            *({"type": "keyUp", "value": value} for value in reversed(pressed))]})

    def picture(self):
        data = self.call("TakeScreenshot", full=False, hash=False)["value"]
        return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
