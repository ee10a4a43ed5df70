"""Kills the real window without warning, two seconds after each of some random actions, and starts it again.

    kill_test.py HEADLIGHT XVFB XDOTOOL [ACTIONS [SEED]]

What the files held when the window was killed must be what it showed, and what the next window shows. A screenshot says
what a window shows: it holds the setup and the place.
"""

import os
import pathlib
import random
import signal
import sys
import tempfile
import time
import tomllib
import zlib

import window_test

KEYS = ["Right", "Left", "Page_Down", "Page_Up", "Home", "End", "Up", "Down", "p", "h", "shift+h", "o", "bracketright",
        "bracketleft", "1", "2", "comma", "period", "d", "m", "b", "x", "r", "c", "t", "shift+m", "shift+F5", "F5", "F11",
        "ctrl+1", "ctrl+2", "ctrl+3", "ctrl+4", "ctrl+z", "ctrl+shift+z", "ctrl+b", "ctrl+i", "ctrl+equal", "ctrl+minus",
        "ctrl+0", "ctrl+Page_Down", "ctrl+Page_Up", "Escape"]
PATIENCE_OF_THE_READER = 2.0  # seconds within which a change must be on disk


def notes(picture):
    """The texts (iTXt) of a PNG by their keywords."""
    data = picture.read_bytes()
    found, at = {}, 8
    while at < len(data):
        length = int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 8] == b"iTXt":
            keyword, rest = data[at + 8:at + 8 + length].split(b"\0", 1)
            text = rest[2:].split(b"\0", 2)[2]  # after the language and the translated keyword
            found[keyword.decode()] = (zlib.decompress(text) if rest[0] else text).decode()
        at += 12 + length
    return found


def act(window, chance):
    """Does something, and says what."""
    x, y = chance.randrange(5, window_test.WIDTH - 5), chance.randrange(5, window_test.HEIGHT - 5)
    kind = chance.choice(["key", "key", "key", "click", "click", "drag"])
    if kind == "key":
        keys = [chance.choice(KEYS) for _ in range(chance.randrange(1, 4))]
        window.do("key", *keys)
        return f"keys {keys}"
    window.do("mousemove", str(x), str(y))
    time.sleep(0.2)
    if kind == "click":
        window.do("click", "1")
        return f"click at {x} {y}"
    window.do("mousedown", "1", "mousemove_relative", "--", str(chance.randrange(-80, 80)), str(chance.randrange(-60, 60)))
    time.sleep(0.2)
    window.do("mouseup", "1")
    return f"drag from {x} {y}"


def shown(window):
    """What a window shows: its place without the files behind it, and its setup."""
    before = len(window.pictures())
    # A window that has just opened takes no keys before it has the keyboard.
    window_test.wait_for(lambda: (window.do("key", "F12"), time.sleep(0.5), len(window.pictures()) > before)[2], "a picture")
    texts = notes(window.pictures()[-1])
    return place(tomllib.loads(texts["Session"])), texts["Setup"]


def place(table):
    return {key: value for key, value in table.items() if key not in ("setup", "setup_file", "lecture_file")}


def kill(window):
    os.kill(window.process.pid, signal.SIGKILL)
    window.process.wait()
    window.process.stderr.close()


def check_killed(window, state, chance):
    """Acts, kills the window and returns what it showed and what was on disk then."""
    done = act(window, chance)
    time.sleep(PATIENCE_OF_THE_READER)
    kept = tomllib.loads(state.read_text())
    seen, setup = shown(window)
    assert place(kept) == seen, (done, "on disk:", place(kept), "in the window:", seen)
    if "setup" in kept:
        assert kept["setup"] == setup, (done, kept["setup"], setup)
    kill(window)
    return done, seen, setup


def main():
    headlight, xvfb, xdotool = sys.argv[1:4]
    actions = int(sys.argv[4]) if len(sys.argv) > 4 else 2
    chance = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    changes = 0
    with tempfile.TemporaryDirectory() as folder, window_test.Display(xvfb) as display:
        home = pathlib.Path(folder)
        state = home / ".local/state/headlight/session.toml"
        window = window_test.Window(headlight, xdotool, display.name, home, "--lecture", "numpy-from-scratch")
        before = shown(window)
        for number in range(actions):
            done, seen, setup = check_killed(window, state, chance)
            changes += (seen, setup) != before
            before = (seen, setup)
            window = window_test.Window(headlight, xdotool, display.name, home)
            again = shown(window)
            assert again == before, (done, "killed:", before, "started again:", again)
            if actions > 10:
                print(f"{number + 1}: {done}", flush=True)
        kill(window)
        left_over = [entry.name for entry in state.parent.iterdir() if entry.name not in (state.name, f".{state.name}.lock")]
        assert not left_over, left_over
    print(f"{actions} windows killed, {changes} of them after a change; every next one showed the same")


if __name__ == "__main__":
    main()
