"""The presenter's window beside that of the class, worked with real keys and a real mouse.

    presenter_test.py HEADLIGHT XVFB XDOTOOL

What is typed and drawn in one window arrives in the other, both cost nothing while nothing happens, and closing the
presenter's window does not end the talk.
"""

import ctypes
import pathlib
import sys
import tempfile
import time

from PIL import Image

from window_test import Display, HEIGHT, WIDTH, Stutter, Window, remembered, wait_for

SESSION = ".local/state/headlight/session.toml"
# Steps that ask nothing: a key that goes on would stop at a question.
STEPS = 15
LECTURE = """+++
title = "A talk"
minutes = 30
[setup]
tokens = ["hello", "world"]
sizes = { query_length = 2 }
random = { draws = ["seed 0", "X uniform", "W_q uniform", "W_k uniform"] }
+++
""" + "\n".join(f"## Step {step}\n\nSeen.\n\n```notes\nWhat is said about it.\n```\n" for step in range(STEPS))
# Where the presenter's window of 1440 × 900 shows a slide of that shape.
SLIDE = (24, 100, 819, 512)


class Talk(Window):
    """A lecture being presented, with the presenter's window to the right of that of the class."""

    def __init__(self, headlight, xdotool, display, home, *arguments):
        folder = home / "lectures"
        folder.mkdir()
        (folder / "talk.md").write_text(LECTURE, encoding="utf-8")
        super().__init__(headlight, xdotool, display, home, "--lectures", folder, "--present", "talk", "--presenter",
                         *arguments)
        self.presenter = wait_for(lambda: self.named("Presenter"), "the presenter's window")
        self.do("windowmove", "--sync", self.presenter, str(WIDTH), "0")
        self.do("windowfocus", "--sync", self.presenter)

    def named(self, words):
        return self.do("search", "--onlyvisible", "--name", words, check=False)

    def step(self):
        file = self.home / SESSION
        return remembered(self.home, SESSION)["step"] if file.exists() else None

    def reaches(self, step):
        wait_for(lambda: self.step() == step, f"step {step}, but it is {self.step()}")

    def frames(self):
        return [len(pathlib.Path(f"{self.frame_log}{end}").read_text().splitlines()) for end in ("", ".presenter")]

    def point_at(self, x, y):
        """Puts the mouse on the slide in the presenter's window, at these shares of its width and height."""
        left, top, width, height = SLIDE
        self.do("mousemove", str(round(WIDTH + left + x * width)), str(round(top + y * height)))
        time.sleep(0.3)


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent, as long as any XEvent."""
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int), ("display", ctypes.c_void_p),
                ("window", ctypes.c_ulong), ("kind", ctypes.c_ulong), ("format", ctypes.c_int), ("data", ctypes.c_long * 5),
                ("rest", ctypes.c_long * 16)]


def ask_to_close(talk, window):
    """What a window manager does, since there is none on this display, for the button in the window's frame."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(talk.environment["DISPLAY"].encode()))
    protocols = x11.XInternAtom(display, b"WM_PROTOCOLS", False)
    delete = x11.XInternAtom(display, b"WM_DELETE_WINDOW", False)
    message = ClientMessage(type=33, display=display, window=int(window), kind=protocols, format=32)
    message.data[0] = delete
    x11.XSendEvent(display, ctypes.c_ulong(int(window)), False, 0, ctypes.byref(message))
    x11.XCloseDisplay(display)


def red_around(picture, x, y):
    """How many pixels have the colour of the red pen, near these shares of the picture's width and height."""
    image = Image.open(picture).convert("RGB")
    at, reach = (round(x * image.width), round(y * image.height)), 12
    box = image.crop((at[0] - reach, at[1] - reach, at[0] + reach, at[1] + reach))
    return sum(pixel == (0xC8, 0x10, 0x2E) for pixel in box.getdata())


def rest(talk):
    """The clock draws the presenter's window about once a second, and nothing draws that of the class."""
    def is_still():
        frames = talk.frames()[0]
        time.sleep(4)
        return talk.frames()[0] == frames

    wait_for(is_still, "the window of the class to settle")
    before = talk.frames()
    processor = talk.processor_seconds()
    time.sleep(8)
    stage, presenter = (now - then for now, then in zip(talk.frames(), before))
    used = talk.processor_seconds() - processor
    assert stage == 0, f"{stage} frames of the class's window were drawn in eight idle seconds"
    assert 2 <= presenter <= 10, f"{presenter} frames of the presenter's window were drawn in eight idle seconds"
    assert used < 1, f"{used:.2f} seconds of processor time in eight idle ones"


def speak(talk):
    talk.do("key", "Right")
    talk.reaches(1)
    rest(talk)
    talk.do("key", "Left")
    talk.reaches(0)
    with Stutter(talk.process, 0.3):  # however late the frames are, no key is lost
        talk.do("key", "--delay", "20", "Page_Down", "Page_Down", "Page_Down")
        time.sleep(2)
    talk.reaches(3)
    talk.point_at((8 + 0.5) / STEPS, 0.005)  # the steps along the top of the slide, which belong to the class's window
    talk.do("click", "1")
    talk.reaches(8)

    talk.do("key", "p")
    time.sleep(0.5)
    talk.point_at(0.3, 0.6)
    talk.do("mousedown", "1")
    for part in range(11):
        talk.point_at(0.3 + 0.03 * part, 0.6)
    talk.do("mouseup", "1")
    time.sleep(0.5)
    picture = talk.screenshot()
    assert red_around(picture, 0.45, 0.6) > 40, "the pen of the presenter's window did not draw on the slide"
    talk.do("key", "e")
    time.sleep(0.5)
    assert red_around(talk.screenshot(), 0.45, 0.6) == 0, "the slide was not wiped"
    talk.do("key", "p")


def close(talk):
    """The presenter's window closes by its button, and the talk goes on; it opens again, and ends with the talk."""
    talk.do("mousemove", str(WIDTH + 1440 - 24 - 14), "32", "click", "1")
    wait_for(lambda: not talk.named("Presenter"), "the presenter's window to close")
    assert talk.process.poll() is None
    stage = talk.named("Headlight").split()[0]
    talk.do("windowfocus", "--sync", stage)
    talk.do("key", "Right")
    talk.reaches(9)
    talk.do("key", "ctrl+F5")
    presenter = wait_for(lambda: talk.named("Presenter"), "the presenter's window again")
    ask_to_close(talk, presenter)
    wait_for(lambda: not talk.named("Presenter"), "the presenter's window to close as windows do")
    talk.do("windowfocus", "--sync", stage)
    talk.do("key", "Right")
    talk.reaches(10)
    talk.do("key", "ctrl+F5")
    presenter = wait_for(lambda: talk.named("Presenter"), "the presenter's window a third time")
    talk.do("windowfocus", "--sync", presenter)
    talk.do("key", "Escape")
    wait_for(lambda: not talk.named("Presenter"), "the presenter's window to end with the talk")
    wait_for(lambda: not remembered(talk.home, SESSION).get("presenting"), "the talk to end")
    talk.do("windowfocus", "--sync", stage)
    code, words = talk.quit()
    assert code == 0, (code, words)


def main():
    headlight, xvfb, xdotool = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder, Display(xvfb, 2 * WIDTH, HEIGHT) as display:
        talk = Talk(headlight, xdotool, display.name, pathlib.Path(folder))
        speak(talk)
        close(talk)
    print("the presenter's window works")


if __name__ == "__main__":
    main()
