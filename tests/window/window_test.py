"""Starts the real window under Xvfb, works it with real keys and a real mouse, and quits it.

    window_test.py HEADLIGHT XVFB XDOTOOL works|typing|clicks

Checks what the window leaves behind: screenshots, the remembered session, exit codes, and how little it does while
nothing happens.
"""

import ctypes
import fcntl
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

WIDTH, HEIGHT = 1440, 900
PATIENCE = 60  # seconds; only a test that fails waits this long


def wait_for(condition, what):
    """Calls `condition` until it returns something true, and returns that."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited in vain for {what}")


class Display:
    """An X server of the test's own, with a free display number."""

    def __init__(self, xvfb, width=WIDTH, height=HEIGHT):
        reader, writer = os.pipe()
        self.process = subprocess.Popen(
            [xvfb, "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp",
             "-noreset"],  # otherwise the server restarts when a window closes, just when the next one opens
            pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as numbers:
            self.name = ":" + numbers.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def environment(home, **more):
    """The environment that a person's shell would give, plus the options of sanitizers."""
    sanitizers = {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
    return {"HOME": str(home), "PATH": os.environ["PATH"], **sanitizers, **more}


class Window:
    """Headlight on the display, with a home of its own."""

    def __init__(self, headlight, xdotool, display, home, *arguments):
        self.xdotool = xdotool
        self.home = home
        self.frame_log = home / "frames.txt"
        settings = home / ".config/headlight/settings.toml"
        if not settings.exists():  # these tests are about the workbench; a lecture of the course opens as a lesson
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text('[lectures.numpy-from-scratch]\nmode = "workbench"\n')
        self.environment = environment(home, DISPLAY=display, LIBGL_ALWAYS_SOFTWARE="1",
                                       HEADLIGHT_FRAME_LOG=str(self.frame_log))
        self.process = subprocess.Popen([headlight, *arguments], env=self.environment, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: self.do("search", "--onlyvisible", "--class", "headlight", check=False), "the window")

    def do(self, *arguments, check=True):
        done = subprocess.run([self.xdotool, *arguments], env=self.environment, check=check, capture_output=True, text=True)
        return done.stdout.strip()

    def set_state(self, state):
        """Does what a window manager does, since there is none on this display: says that the window is minimised (3) or
        not (1)."""
        x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XInternAtom.restype = ctypes.c_ulong
        display = ctypes.c_void_p(x11.XOpenDisplay(self.environment["DISPLAY"].encode()))
        name = ctypes.c_ulong(x11.XInternAtom(display, b"WM_STATE", False))
        window = ctypes.c_ulong(int(self.do("search", "--onlyvisible", "--class", "headlight").split()[0]))
        x11.XChangeProperty(display, window, name, name, 32, 0, (ctypes.c_long * 2)(state, 0), 2)
        x11.XCloseDisplay(display)

    def pictures(self):
        return sorted((self.home / "Pictures").glob("headlight-*.png"))

    def screenshot(self):
        """Presses F12 until the first picture is there (a window takes no keys before it has the keyboard), once after."""
        before = self.pictures()
        if not before:
            wait_for(lambda: (self.do("key", "F12"), time.sleep(0.5), self.pictures())[2], "a first screenshot")
        else:
            self.do("key", "F12")
            wait_for(lambda: len(self.pictures()) > len(before), "a screenshot")
        return self.pictures()[-1]

    def frames_drawn(self):
        return len(self.frame_log.read_text().splitlines())

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def quit(self):
        self.do("key", "ctrl+q")
        _, words = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, words


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG"
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def remembered(home, file):
    return tomllib.loads((home / file).read_text())


def work_the_window(headlight, xdotool, display, home):
    window = Window(headlight, xdotool, display, home, "--lecture", "numpy-from-scratch", "--step", "3")
    first = window.screenshot()
    assert png_size(first) == (WIDTH, HEIGHT), png_size(first)
    window.do("key", "Right")
    window.do("key", "ctrl+z")  # nothing was edited: there is nothing before the lecture to go back to
    window.do("mousemove", "1333", "22")  # the button of the theme
    time.sleep(1)
    window.do("mousedown", "1", "mouseup", "1")  # at once, as a touchpad does
    time.sleep(1)
    wait_for(lambda: window.screenshot().read_bytes() != first.read_bytes(), "a picture that changed")

    window.do("mousemove", "700", "895")
    time.sleep(12)  # hovering has settled, and the notice of the picture, which can be clicked for ten seconds, is gone
    processor = window.processor_seconds()
    frames = window.frames_drawn()
    assert frames > 10, f"only {frames} frames were drawn while the user worked"
    time.sleep(10)
    drawn = window.frames_drawn() - frames
    used = window.processor_seconds() - processor
    assert drawn == 0, f"{drawn} frames were drawn in ten idle seconds"
    assert used < 0.25, f"{used:.2f} seconds of processor time in ten idle ones"
    window.do("mousemove", "600", "500")
    wait_for(lambda: window.frames_drawn() > frames, "a frame after the mouse moved")

    window.do("key", "ctrl+o")  # a field with a caret, which blinks
    time.sleep(1)
    frames = window.frames_drawn()
    wait_for(lambda: window.frames_drawn() > frames + 2, "a caret that blinks")
    window.set_state(3)
    time.sleep(2)
    frames = window.frames_drawn()
    time.sleep(4)
    drawn = window.frames_drawn() - frames
    assert drawn == 0, f"{drawn} frames were drawn while the window was minimised"
    window.set_state(1)
    wait_for(lambda: window.frames_drawn() > frames, "a frame after the window came back")
    window.do("key", "Escape")
    time.sleep(1)

    code, words = window.quit()
    assert code == 0, (code, words)
    session = remembered(home, ".local/state/headlight/session.toml")
    assert session["lecture"] == "numpy-from-scratch" and session["step"] == 3, session
    assert remembered(home, ".config/headlight/settings.toml")["theme"] == "light"


def come_back(headlight, xdotool, display, home):
    """Started without arguments, the window shows what it showed when it was closed; its close button works too."""
    window = Window(headlight, xdotool, display, home)
    window.screenshot()
    window.do("key", "Page_Down")
    window.screenshot()
    code, words = window.quit()
    assert code == 0, (code, words)
    session = remembered(home, ".local/state/headlight/session.toml")
    assert session["lecture"] == "numpy-from-scratch" and session["step"] == 4, session


def fit(headlight, xvfb, xdotool):
    """The first window is no larger than its screen."""
    with tempfile.TemporaryDirectory() as folder, Display(xvfb, 1024, 600) as display:
        window = Window(headlight, xdotool, display.name, pathlib.Path(folder))
        assert png_size(window.screenshot()) == (1024, 600), png_size(window.screenshot())
        code, words = window.quit()
        assert code == 0, (code, words)


def type_at_once(headlight, xvfb, xdotool):
    """A field misses no key, also where it goes down and up between two frames."""
    with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
        home = pathlib.Path(folder)
        window = Window(headlight, xdotool, display.name, home, "--lecture", "numpy-from-scratch")
        window.screenshot()
        saved = home / "mine.toml"
        window.do("key", "ctrl+shift+s")
        time.sleep(1)
        window.do("type", "--args", "1", "wrong", "key", "ctrl+a", "type", "--args", "1", f"{saved}x", "key", "BackSpace",
                  "Return")
        wait_for(saved.exists, f"{saved}, but there are {[path.name for path in home.iterdir()]}")
        code, words = window.quit()
        assert code == 0, (code, words)


def hold_ctrl_after(headlight, xvfb, xdotool):
    """What is typed is typed, though Ctrl is already down for the next key when a late frame comes."""
    with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
        home = pathlib.Path(folder)
        window = Window(headlight, xdotool, display.name, home, "--lecture", "numpy-from-scratch")
        window.screenshot()
        saved = home / "Mine_2.toml"
        window.do("key", "ctrl+shift+s")
        time.sleep(1)
        window.do("key", "ctrl+a")
        time.sleep(1)
        window.process.send_signal(signal.SIGSTOP)
        window.do("type", "--args", "1", str(saved), "keydown", "ctrl")
        window.process.send_signal(signal.SIGCONT)
        time.sleep(2)
        window.do("keyup", "ctrl", "key", "Return")
        wait_for(saved.exists, f"{saved}, but there are {[path.name for path in home.iterdir()]}")
        code, words = window.quit()
        assert code == 0, (code, words)


class Stutter:
    """Holds the program for most of the time, so that many keys come between two of its frames."""

    def __init__(self, process, held, running=0.03):
        self.process, self.held, self.running = process, held, running
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.work)

    def work(self):
        while self.held > 0 and not self.over.is_set():
            self.process.send_signal(signal.SIGSTOP)
            time.sleep(self.held)
            self.process.send_signal(signal.SIGCONT)
            time.sleep(self.running)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.process.send_signal(signal.SIGCONT)


def press_many_keys(headlight, xvfb, xdotool):
    """Many keys that came at once take effect in their order, without a picture for each, and then the program quits."""
    with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
        home = pathlib.Path(folder)
        window = Window(headlight, xdotool, display.name, home, "--lecture", "numpy-from-scratch", "--step", "3")
        window.screenshot()
        time.sleep(1)
        before = window.frames_drawn()
        window.process.send_signal(signal.SIGSTOP)
        window.do("key", "--delay", "1", *["Right"] * 150, *["Left"] * 149, "ctrl+q")
        window.process.send_signal(signal.SIGCONT)
        _, words = window.process.communicate(timeout=PATIENCE)
        assert window.process.returncode == 0, words
        assert window.frames_drawn() - before < 30, (before, window.frames_drawn())


def ask_for_many_pictures(headlight, xvfb, xdotool):
    """S many times before a frame can come is one picture of that frame, and Ctrl+Q doesn't wait for others."""
    with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
        window = Window(headlight, xdotool, display.name, pathlib.Path(folder), "--lecture", "numpy-from-scratch")
        window.screenshot()
        before = len(window.pictures())
        window.process.send_signal(signal.SIGSTOP)
        window.do("key", "--delay", "1", *["s"] * 200, "ctrl+q")
        window.process.send_signal(signal.SIGCONT)
        _, words = window.process.communicate(timeout=PATIENCE)
        assert window.process.returncode == 0, words
        assert 1 <= len(window.pictures()) - before <= 5, (before, len(window.pictures()))


def type_numbers(headlight, xvfb, xdotool):
    """A number that is typed over a cell, and one typed into a control that has the keyboard, are those numbers, however
    late the frames are: each key waits until what the one before it opened is there."""
    typed = {"W_q[2,3]": "0.12345", "W_k[1,1]": "3.25", "W_v[0,4]": ".75"}
    for held, delay in [(0, 20), (0.3, 20), (0.3, 1), (0.05, 5)]:
        with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
            home = pathlib.Path(folder)
            window = Window(headlight, xdotool, display.name, home, "--lecture", "numpy-from-scratch", "--step", "2")
            window.screenshot()
            keys = [["key", "ctrl+k", "type", "--delay", str(delay), "--args", "1", cell, "key", "Return", "type",
                     "--delay", str(delay), "--args", "1", number, "key", "Return"] for cell, number in typed.items()]
            for control, number in [("Temperature", "2.125"), ("Seed", "1031")]:
                keys.append(["key", "ctrl+k", "type", "--delay", str(delay), "--args", "1", control, "key", "Return",
                             "type", "--delay", str(delay), "--args", "1", number, "key", "Return"])
            with Stutter(window.process, held):
                for each in keys:
                    window.do(*each)
                    time.sleep(0.2)
                # The card opens while the last field closes, and its first key is for its own field.
                window.do("key", "ctrl+shift+s", "key", "ctrl+a", "type", "--delay", str(delay), "--args", "1",
                          str(home / "saved.toml"), "key", "Return")
            time.sleep(1)
            window.screenshot()
            code, words = window.quit()
            assert code == 0, (code, words)
            assert (home / "saved.toml").exists(), (held, delay)
            setup = (home / ".local/state/headlight/session.toml").read_text()
            for cell, number in [*typed.items(), ("temperature", "2.125")]:
                assert f"{float(number):g}" in setup, (held, delay, cell, number, setup)
            assert "seed 1031" in setup, (held, delay, setup)
            assert "\nhead = 0\n" in setup, (held, delay, setup)  # the digits are not for the heads


def click_twice(headlight, xvfb, xdotool):
    """A double click on Export asks whether to replace the file that is there, and does not confirm it, however late the
    frames are. A click after that does."""
    for held, delay in [(0, 10), (0, 200), (0.3, 50), (0.3, 200)]:
        with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
            home = pathlib.Path(folder)
            there = home / "Pictures" / "from-scratch-in-numpy.png"
            there.parent.mkdir()
            there.write_bytes(b"mine")
            window = Window(headlight, xdotool, display.name, home, "--lecture", "numpy-from-scratch", "--step", "2")
            window.screenshot()
            window.do("key", "ctrl+e", "mousemove", "1172", "720")  # the button of the dialog
            time.sleep(2)
            with Stutter(window.process, held):
                window.do("click", "--repeat", "2", "--delay", str(delay), "1")
                time.sleep(3)
            assert there.read_bytes() == b"mine", (held, delay)
            # Where other programs leave no processor, the window may still be at the double click.
            wait_for(lambda: (window.do("click", "1"), time.sleep(5), there.read_bytes() != b"mine")[2],
                     f"the picture that replaces {there}, {(held, delay)}")
            code, words = window.quit()
            assert code == 0, (code, words)


def click_and_leave(headlight, xvfb, xdotool):
    """A click is for what was under the pointer then, though the pointer is elsewhere when a frame comes."""
    with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
        home = pathlib.Path(folder)
        window = Window(headlight, xdotool, display.name, home, "--lecture", "numpy-from-scratch", "--step", "3")
        window.screenshot()
        settings = home / ".config/headlight/settings.toml"
        for theme in ("light", "dark"):
            window.do("mousemove", "700", "500")
            time.sleep(0.5)
            window.process.send_signal(signal.SIGSTOP)
            window.do("mousemove", "1333", "22", "click", "1", "mousemove", "700", "500")  # the button of the theme
            window.process.send_signal(signal.SIGCONT)
            wait_for(lambda: settings.exists() and tomllib.loads(settings.read_text())["theme"] == theme, theme)
        code, words = window.quit()
        assert code == 0, (code, words)


class XClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
                ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong), ("format", ctypes.c_int), ("data", ctypes.c_long * 5),
                ("padding", ctypes.c_long * 24)]


def lose_a_drag(headlight, xvfb, xdotool):
    """A drag over the window whose source has gone, before it came in or before the drop: nobody is there to be answered."""
    with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
        window = Window(headlight, xdotool, display.name, pathlib.Path(folder), "--lecture", "numpy-from-scratch")
        window.screenshot()
        x11 = ctypes.CDLL("libX11.so.6")
        for function in ("XOpenDisplay", "XDefaultRootWindow", "XCreateSimpleWindow", "XInternAtom"):
            getattr(x11, function).restype = ctypes.c_void_p
        connection = ctypes.c_void_p(x11.XOpenDisplay(display.name.encode()))
        root = ctypes.c_ulong(x11.XDefaultRootWindow(connection))
        atom = lambda name: x11.XInternAtom(connection, name.encode(), False)
        target = int(window.do("search", "--onlyvisible", "--class", "headlight").split()[0])
        for goes_before in ("XdndEnter", "XdndDrop"):
            source = ctypes.c_ulong(x11.XCreateSimpleWindow(connection, root, 0, 0, 9, 9, 0, ctypes.c_ulong(0), ctypes.c_ulong(0)))
            x11.XSetSelectionOwner(connection, ctypes.c_ulong(atom("XdndSelection")), source, ctypes.c_ulong(0))
            for name, data in (("XdndEnter", [5 << 24 | 1, 0, 0, 0]), ("XdndEnter", [5 << 24, atom("text/uri-list"), 0, 0]),
                               ("XdndPosition", [0, 700 << 16 | 500, 0, atom("XdndActionCopy")]), ("XdndDrop", [0, 0, 0, 0])):
                if name == "XdndDrop":
                    window.screenshot()  # the window has seen what came before
                if name == goes_before:
                    x11.XDestroyWindow(connection, source)
                    x11.XSync(connection, False)
                    goes_before = None
                message = XClientMessage(type=33, display=connection, window=target, message_type=atom(name), format=32,
                                         data=(ctypes.c_long * 5)(source.value, *data))
                x11.XSendEvent(connection, ctypes.c_ulong(target), False, ctypes.c_long(0), ctypes.byref(message))
            x11.XSync(connection, False)
            window.screenshot()
        x11.XCloseDisplay(connection)
        code, words = window.quit()
        assert code == 0, (code, words)


def keep_beside_a_stuck_program(headlight, xvfb, xdotool):
    """Somebody else holds the lock of the settings for ever: the window quits, and they are written."""
    with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
        home = pathlib.Path(folder)
        window = Window(headlight, xdotool, display.name, home, "--lecture", "numpy-from-scratch")
        window.screenshot()
        with open(home / ".config/headlight/.settings.toml.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            window.do("key", "t")
            code, words = window.quit()
        assert code == 0, (code, words)
        assert remembered(home, ".config/headlight/settings.toml")["theme"] == "light"


def keep_when_there_is_room(headlight, xvfb, xdotool):
    """A place for which the disk had no room is kept once there is some, without a key more."""
    with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
        home = pathlib.Path(folder)
        window = Window(headlight, xdotool, display.name, home, "--lecture", "numpy-from-scratch", "--step", "3")
        place = home / ".local/state/headlight/session.toml"
        at_step = lambda step: place.exists() and tomllib.loads(place.read_text())["step"] == step
        window.screenshot()
        wait_for(lambda: at_step(2), "the first place")
        _, most = resource.prlimit(window.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(window.process.pid, resource.RLIMIT_FSIZE, (10, most))
        window.do("key", "Page_Down")
        time.sleep(3)
        assert at_step(2), place.read_text()
        resource.prlimit(window.process.pid, resource.RLIMIT_FSIZE, (most, most))
        wait_for(lambda: not at_step(2), "the place that found no room")
        code, words = window.quit()
        assert code == 0, (code, words)


def keep_without_a_home(headlight, xvfb, xdotool):
    """HOME is a file: the window works, and says at its end that nothing could be kept."""
    with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
        home = pathlib.Path(folder) / "home"
        home.write_text("no folder")
        process = subprocess.Popen([headlight, "--lecture", "bank"], stderr=subprocess.PIPE, text=True,
                                   env=environment(home, DISPLAY=display.name, LIBGL_ALWAYS_SOFTWARE="1"))
        keys = lambda *words: subprocess.run([xdotool, *words], env=environment(home, DISPLAY=display.name), capture_output=True)
        wait_for(lambda: keys("search", "--onlyvisible", "--class", "headlight").stdout, "the window")
        wait_for(lambda: (keys("key", "ctrl+q"), time.sleep(1), process.poll() is not None)[2], "its end")
        lines = [line for line in process.communicate()[1].splitlines() if line.startswith("headlight: ")]
        assert process.returncode == 2 and len(lines) == 1 and str(home) in lines[0], (process.returncode, lines)


def refuse(headlight, home):
    """Without a display, and with names that do not exist, the program says so with the right exit code."""
    def run(*arguments):
        done = subprocess.run([headlight, *arguments], env=environment(home), capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stderr

    code, words = run()
    assert code == 3 and "display" in words and "render" in words, (code, words)
    code, words = run("--lecture", "nothing")
    assert code == 2 and "numpy-from-scratch" in words, (code, words)


def work_and_come_back(headlight, xvfb, xdotool):
    with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
        home = pathlib.Path(folder)
        work_the_window(headlight, xdotool, display.name, home)
        come_back(headlight, xdotool, display.name, home)
        refuse(headlight, home)


class WindowManager:
    """Says on a display that there is a window manager, as far as a window asks for one before it is shown. It moves no
    window: what is maximised is a word at each window, which this reads and writes."""
    WORDS = (b"_NET_SUPPORTING_WM_CHECK", b"_NET_SUPPORTED", b"_NET_WM_STATE", b"_NET_WM_STATE_MAXIMIZED_VERT",
             b"_NET_WM_STATE_MAXIMIZED_HORZ")
    REPLACE, CHANGES = 0, ctypes.c_long(1 << 22)  # PropertyChangeMask

    def __init__(self, display):
        self.x11 = ctypes.CDLL("libX11.so.6")
        self.x11.XOpenDisplay.restype = ctypes.c_void_p
        for name in ("XInternAtom", "XDefaultRootWindow", "XCreateSimpleWindow"):
            getattr(self.x11, name).restype = ctypes.c_ulong
        self.display = ctypes.c_void_p(self.x11.XOpenDisplay(display.encode()))
        self.check, self.supported, self.state, *self.maximised = (self.x11.XInternAtom(self.display, word, False) for word in self.WORDS)
        root = self.x11.XDefaultRootWindow(self.display)
        window = self.x11.XCreateSimpleWindow(self.display, ctypes.c_ulong(root), 0, 0, 1, 1, 0, ctypes.c_ulong(0), ctypes.c_ulong(0))
        for place in (root, window):
            self.write(place, self.check, 33, [window])  # a list of windows
        self.write(root, self.supported, 4, [self.state, *self.maximised])  # a list of atoms

    def write(self, window, name, kind, values):
        self.x11.XChangeProperty(self.display, ctypes.c_ulong(window), ctypes.c_ulong(name), ctypes.c_ulong(kind), 32, self.REPLACE,
                                 (ctypes.c_long * len(values))(*values), len(values))
        self.x11.XSync(self.display, False)

    def maximise(self, window, maximised):
        self.write(window, self.state, 4, self.maximised if maximised else [])

    def is_maximised(self, window):
        kind, format_, count, left, data = (ctypes.c_ulong(), ctypes.c_int(), ctypes.c_ulong(), ctypes.c_ulong(),
                                            ctypes.POINTER(ctypes.c_ulong)())
        self.x11.XGetWindowProperty(self.display, ctypes.c_ulong(window), ctypes.c_ulong(self.state), ctypes.c_long(0), ctypes.c_long(9),
                                    False, ctypes.c_ulong(0), *map(ctypes.byref, (kind, format_, count, left, data)))
        return set(self.maximised) <= {data[i] for i in range(count.value)}

    def close(self):
        self.x11.XCloseDisplay(self.display)


def come_back_maximised(headlight, xvfb, xdotool):
    with tempfile.TemporaryDirectory() as folder, Display(xvfb) as display:
        home = pathlib.Path(folder)
        manager = WindowManager(display.name)
        for before, after in ((False, True), (True, True), (True, False), (False, False)):
            window = Window(headlight, xdotool, display.name, home)
            number = int(window.do("search", "--onlyvisible", "--class", "headlight").split()[0])
            assert manager.is_maximised(number) == before, (before, after)
            window.screenshot()
            manager.maximise(number, after)
            window.screenshot()
            code, words = window.quit()
            assert code == 0, (code, words)
            assert remembered(home, ".config/headlight/settings.toml")["maximised"] == after, (before, after)
        manager.close()


PARTS = {
    "works": [work_and_come_back, fit, come_back_maximised],
    "typing": [type_at_once, hold_ctrl_after, press_many_keys, ask_for_many_pictures, type_numbers],
    "clicks": [click_twice, click_and_leave, lose_a_drag, keep_without_a_home, keep_beside_a_stuck_program,
               keep_when_there_is_room],
}


def main():
    *programs, part = sys.argv[1:]
    for step in PARTS[part]:
        step(*programs)
    print("the window works")


if __name__ == "__main__":
    main()
