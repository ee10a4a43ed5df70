"""The browser edition, driven from outside in Debian's Chromium, beside the native program.

web_test.py HEADLIGHT BUILT WEB [TEST...]: HEADLIGHT is the native program, BUILT has headlight_node.cjs, and WEB
the page and its files. Pictures that differ are left in WEB/../web-differences.
"""

import base64
import concurrent.futures
import io
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest

import numpy as np
from PIL import Image

import browser as chromium
from browser import ALT, CTRL, SHIFT
from firefox import Firefox

sys.path.append(str(pathlib.Path(__file__).parent.parent / "library"))
import model
import random_setups
import writing

HEADLIGHT, BUILT, WEB = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
DIFFERENCES = WEB.parent / "web-differences"
NODE = ["node", "--stack-size=4000", str(BUILT / "headlight_node.cjs")]
SESSION = "/home/web_user/.local/state/headlight/session.toml"
SETTINGS = "/home/web_user/.config/headlight/settings.toml"
# Drawn or given: no bit of these depends on the machine, but the last ones of normal numbers of 64 bits. Those are made
# with its mathematical library, as sines of positions are, and products are its own.
INPUTS = {"X", "Y", "W_q", "W_k", "W_v", "W_o", "b_q", "b_k", "b_v", "b_o", "norm_gain", "norm_bias", "q_gain", "k_gain",
          "q_head_gains", "k_head_gains"}
MOST_ULPS = 4       # by which a normal number of 64 bits may differ
MOST_EPSILONS = 16  # by which a product may differ, of its largest number
DIFFERS = 26        # of 255, in one channel of a pixel
MOST_DIFFERENT = 5e-4  # the share of pixels of a picture that may differ so
PICTURES = WEB.parent / "web-pictures"  # of what nothing can be compared with, to be looked at
STATUS_LINE = 28    # the pixels at the foot of the window that say how long something took
# Places in a window of 1440 × 900, at steps 3 and 4 of "meaning".
FIVE_HEADS = (216, 423)
SEED = (187, 604)
A_CELL = (710, 627)
COPY_THE_NUMBER = (781, 318)  # in the menu of that cell
PANEL_EDGE = (280, 560)
FIRST_OF_X, TOP_BAR = (326, 636), (900, 22)  # at step 2 of "numpy-from-scratch"
# In a window of 390 × 844; the setup's at step 3 of "masks".
MENU, FIND_A_COMMAND, FIRST_FOUND, NEXT_OF_PHONE = (28, 33), (70, 707), (100, 235), (345, 798)
SETUP_PANEL, MORE_BATCH, ITS_HEAD, BETWEEN_CONTROLS = (60, 223), (348, 323), (120, 20), (80, 600)
SHARE_OF_PHONE = (362, 33)
# In a window of 844 × 390, at step 3 of "masks".
NEXT_SIDEWAYS, SETUP_SIDEWAYS, MORE_BATCH_SIDEWAYS = (797, 33), (60, 163), (340, 323)
NEXT_STEP = (163, 861)  # of a lesson
WHAT_TO_EXPORT, ITS_NUMBERS, EXPORT = (459, 161), (372, 561), (1172, 721)
FIRST_HINT = (1427, 887)
# How many bytes a file has when a web server sends it in brotli.
BROTLI = """const { brotliCompressSync, constants } = require("zlib");
console.log(brotliCompressSync(require("fs").readFileSync(process.argv[1]), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length)"""
ENDLESS = b"""version = 1
title = "Endless"
[sizes]
batch = 16
query_length = 8
d_model = 14
heads = 2
[position]
encoding = "one_hot"
[task]
name = "previous"
symbols = 6
[training]
steps = 900000
batch = 32
"""


# What somebody does in a notebook: a model of so many layers runs once.
CAPTURE = """import sys, torch
from capture import capture
torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
model = torch.nn.TransformerEncoder(layer, int(sys.argv[1]), enable_nested_tensor=False).eval()
capture(model, torch.randn(1, 3, 16), tokens=["Das", "größte", "猫"])"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, timeout=600, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def lectures():
    """Each lecture's id and how many steps it has."""
    for line in run(HEADLIGHT, "lectures").decode().splitlines():
        words = line.split()
        if len(words) > 2 and words[1].isdigit():
            yield words[0], int(words[1])


def is_of_course(lecture):
    """Whether a window opens the lecture as a lesson."""
    text = run(HEADLIGHT, "lectures").decode()
    course = text[text.index("The course"):text.index("Follow your notebook")]
    return any(line.split()[:1] == [lecture] for line in course.splitlines())


class WithNode(unittest.TestCase):
    """The same program under Node.js."""

    def test_what_the_lectures_claim_holds(self):
        self.assert_same_check(run(*NODE, "check"), run(HEADLIGHT, "check"))

    def assert_same_check(self, own, native):
        """Processors round the last digits of products in their own ways; the largest differences show it."""
        largest = re.compile(rb"\d\.\de[+-]\d\d")
        self.assertEqual(largest.sub(b"", own), largest.sub(b"", native))
        for mine, other in zip(largest.findall(own), largest.findall(native), strict=True):
            np.testing.assert_allclose(float(mine), float(other), rtol=0.2, atol=1e-6)

    def test_tensors_of_lectures(self):
        for lecture, _ in lectures():
            with self.subTest(lecture):
                for name, own, native in self.traces("--lecture", lecture):
                    self.compare(name, own, native)

    def test_nothing_is_kept_for_each_thread(self):
        for library in BUILT.rglob("*.a"):
            # The names of its segments. The linker would give such variables wrong addresses in the program without threads.
            self.assertNotRegex(library.read_bytes(), rb"[.]t(data|bss)[.]", library)

    def test_relaxed_simd_changes_no_bit(self):
        relaxed = [NODE[0], "--experimental-wasm-relaxed-simd", *NODE[1:]]
        for lecture in ("meaning", "learning", "scale", "shapes", "valid-lengths"):
            own, other = self.folder / "own.npz", self.folder / "other.npz"
            run(*NODE, "compute", "--lecture", lecture, "-o", own)
            run(*relaxed, "compute", "--lecture", lecture, "-o", other)
            with self.subTest(lecture), np.load(own) as plain, np.load(other) as quick:
                for name in plain.files:
                    self.assertEqual(plain[name].tobytes(), quick[name].tobytes(), name)
        self.assert_same_check(run(*relaxed, "check", "learning"), run(HEADLIGHT, "check", "learning"))

    def test_tensors_of_setups_at_random(self):
        for number in range(30):
            setup = random_setups.random_setup(number)
            file = self.folder / "setup.toml"
            file.write_text(random_setups.to_toml(setup))
            # A normal number of 64 bits is made with logarithms and sines.
            inexact = " normal" in str(setup["random"]["draws"]) and setup["attention"].get("precision") != "float32"
            with self.subTest(number):
                traces = list(self.traces("--setup", file))
                # Softmax makes of an error of the scores a relative one of the weights.
                scores = max(np.abs(native[np.isfinite(native)], dtype=float).max(initial=1)
                             for name, _, native in traces if name == "masked_scores")
                for name, own, native in traces:
                    if inexact and name in INPUTS:
                        np.testing.assert_array_max_ulp(own, native, MOST_ULPS)
                    else:
                        self.compare(name, own, native, MOST_EPSILONS * scores)

    def test_models_at_random(self):
        """Of 1 to 4 layers, with everything around attention, some after ten steps of training."""
        for number in range(18):
            steps = 10 if number % 3 == 2 else 0
            setup = model.random_model(number, steps)
            file = self.folder / "setup.toml"
            file.write_text(random_setups.to_toml(setup))
            with self.subTest(number):
                for name, own, native in self.traces("--setup", file):
                    most = 1e-7 if steps else 2e-5 if native.dtype == np.float32 else 1e-9
                    finite = np.isfinite(native)
                    np.testing.assert_array_equal(own[~finite], native[~finite], name)
                    largest = np.abs(native[finite]).max(initial=0)
                    self.assertLessEqual(np.abs(own[finite] - native[finite]).max(initial=0), most * max(1, largest), name)

    def test_what_models_write(self):
        for number in range(6):
            file = self.folder / "setup.toml"
            file.write_text(random_setups.to_toml(writing.random_writer(number)))
            written = "generate", "--setup", file, "--temperature", "0.8", "--count", "3"
            with self.subTest(number):
                self.assertEqual(run(*NODE, *written), run(HEADLIGHT, *written))

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def traces(self, *what):
        """The name of each tensor, with what Node.js and the native program compute."""
        own, native = (self.folder / f"{name}.npz" for name in ("own", "native"))
        run(HEADLIGHT, "compute", *what, "-o", native)
        run(*NODE, "compute", *what, "-o", own)
        with np.load(own) as ours, np.load(native) as theirs:
            self.assertEqual(ours.files, theirs.files)
            yield from ((name, ours[name], theirs[name]) for name in theirs.files)

    def compare(self, name, own, native, epsilons=MOST_EPSILONS):
        self.assertEqual((own.dtype, own.shape), (native.dtype, native.shape), name)
        if name in INPUTS or own.tobytes() == native.tobytes():
            return self.assertEqual(own.tobytes(), native.tobytes(), name)
        seen = np.isfinite(native)
        np.testing.assert_array_equal(seen, np.isfinite(own), name)
        if seen.any():
            most = epsilons * np.finfo(native.dtype).eps * max(1, np.abs(native[seen]).max())
            self.assertLessEqual(np.abs(own[seen] - native[seen]).max(), most, name)


class WithPage(unittest.TestCase):
    """`self.page` is in a browser with a new profile."""
    HEADERS = {}  # that the web server sends besides

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "downloads").mkdir()
        self.server = self.enterContext(chromium.served(WEB, self.HEADERS))

    def tearDown(self):
        self.assertEqual(self.page.errors, [])

    def open(self, fragment="", file="index.html"):
        self.page.open(self.server.address + file + fragment)

    def open_workbench(self, fragment):
        """A lecture of the course opens as a lesson."""
        self.open(fragment)
        self.page.key("w")

    def native_picture(self, place):
        lecture, step = place
        file = self.folder / f"{lecture}-{step}.png"
        mode = "lesson" if is_of_course(lecture) else "workbench"
        run(HEADLIGHT, "render", "--lecture", lecture, "--step", step, "--size", "1440x900", "--show", f"mode={mode}", "-o", file)
        return Image.open(file).convert("RGB")

    def compare(self, name, native):
        """The share of pixels that differ; a pair with too many is kept."""
        above = (0, 0, 1440, 900 - STATUS_LINE)
        own, native = (picture.crop(above) for picture in (self.page.picture(), native))
        share, where = differing(own, native)
        if share > MOST_DIFFERENT:
            DIFFERENCES.mkdir(exist_ok=True)
            for kind, picture in (("own", own), ("native", native), ("apart", where)):
                picture.save(DIFFERENCES / f"{name}-{kind}.png")
        return share

    def comes(self, get, holds, seconds=30):
        """Waits until what `get` gives `holds`, and returns it."""
        end = time.monotonic() + seconds
        while not holds(value := get()):
            self.assertLess(time.monotonic(), end, f"it stays {value}")
            self.pump()
        return value

    def kept(self):
        """What the program has kept of its session, as text."""
        return self.page.kept(SESSION)

    def keep_picture(self, name):
        PICTURES.mkdir(exist_ok=True)
        self.page.picture().save(PICTURES / f"{name}.png")

    def keeps(self, words, page=None):
        """Waits until the program has kept these words of its session."""
        self.comes(lambda: (page or self.page).kept(SESSION), lambda text: words in text)

    def keeps_place(self, lecture, step):
        """Waits until the session is at this step, of which the first is 0, and returns it."""
        return self.comes(self.session, lambda session: (session.get("lecture"), session.get("step")) == (lecture, step))

    def session(self):
        return tomllib.loads(self.kept())

    def keeps_setting(self, key, holds):
        self.comes(lambda: tomllib.loads(self.page.kept(SETTINGS)), lambda settings: key in settings and holds(settings[key]))

    def pump(self):
        time.sleep(0.1)

    def downloaded(self, ending):
        """The bytes of the one file that was downloaded."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            self.pump()
            files = list((self.folder / "downloads").iterdir())
            is_under_way = any(file.suffix in (".crdownload", ".part") for file in files)
            found = [file for file in files if file.name.endswith(ending) and file.stat().st_size > 0]
            if found and not is_under_way:
                return found[0].read_bytes()
        self.fail(f"nothing that ends in {ending} was downloaded")

    def beside(self, *words):
        """Starts a program beside the page; gives its number."""
        return self.page.run(f"start_program({json.dumps(['headlight', *words])})")

    def ended(self, number):
        self.page.wait(f"programs.get({number}).status !== -1", 60)
        return self.page.run(f"[programs.get({number}).status, programs.get({number}).said]")


class WithChromium(WithPage):
    def setUp(self):
        super().setUp()
        self.browser = self.enterContext(chromium.Browser(self.folder / "profile"))
        self.page = self.new_page()

    def new_page(self, **look):
        page = self.browser.page(**look)
        self.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.folder / "downloads"))
        return page

    def pump(self):
        self.browser.read(0.1)


def differing(a, b):
    """The share of pixels that differ clearly, and a picture of where."""
    apart = np.abs(np.asarray(a, int) - np.asarray(b, int)).max(axis=2) > DIFFERS
    return apart.mean(), Image.fromarray((apart * 255).astype(np.uint8))


def ground(picture):
    """The share of the most frequent colour."""
    return max(count for count, _ in picture.getcolors(picture.width * picture.height)) / (picture.width * picture.height)


class Pictures(WithChromium):
    """One page that goes through a lecture by its keys, beside the pictures that the native program draws meanwhile."""

    def test_every_step_of_every_lecture(self):
        self.go_through(lambda step, count: True)

    def test_a_few_steps_of_every_lecture(self):
        """The first two, then every fifth, and the last; for ./test --page, which runs before each change."""
        self.go_through(lambda step, count: step in (1, 2, count) or step % 5 == 0)

    def go_through(self, chosen):
        # A lecture's last step says how much the user has seen, so it comes before the others.
        first, count = next(lectures())
        self.open(f"#lecture={first}&step={count}")
        self.page.click(*FIRST_HINT)
        self.page.wait("Module.is_kept()")
        steps = [(lecture, step) for lecture, count in lectures() for step in (count, *range(1, count)) if chosen(step, count)]
        shares, at = {}, None
        with concurrent.futures.ThreadPoolExecutor(1) as drawing:
            for (lecture, step), native in zip(steps, drawing.map(self.native_picture, steps)):
                if (lecture, step - 1) == at:
                    self.page.key("ArrowRight")
                else:
                    self.open(f"#lecture={lecture}&step={step}")
                at = lecture, step
                with self.subTest(f"{lecture}, step {step}"):
                    shares[f"{lecture}-{step}"] = share = self.compare(f"{lecture}-{step}", native)
                    self.assertLessEqual(share, MOST_DIFFERENT)
        most = sorted(shares, key=shares.get)[-3:]
        print("most apart: " + ", ".join(f"{name} in {shares[name]:.1e} of its pixels" for name in most), file=sys.stderr)


class InEveryBrowser:
    """What Chromium and Firefox are both asked to do."""

    def test_an_edit_and_its_undo(self):
        self.open_workbench("#lecture=meaning&step=3")
        self.page.click(*FIVE_HEADS)
        self.keeps("heads = 5")
        self.page.key("z", modifiers=CTRL)
        self.comes(self.kept, lambda text: text and "heads = 5" not in text)

    def test_numbers_out(self):
        self.open_workbench("#lecture=meaning&step=3")
        self.page.key("e", modifiers=CTRL)
        self.page.click(*WHAT_TO_EXPORT)
        self.page.click(*ITS_NUMBERS)
        self.page.click(*EXPORT)
        with np.load(io.BytesIO(self.downloaded(".npz"))) as own:
            native = self.folder / "native.npz"
            run(HEADLIGHT, "compute", "--lecture", "meaning", "-o", native)
            with np.load(native) as wanted:
                name = own.files[0]
                self.assertEqual(own[name].tobytes(), wanted[name].tobytes())

    def test_the_place_is_kept_over_a_reload(self):
        self.open("#lecture=meaning&step=3")
        self.page.key("ArrowRight")
        before = self.keeps_place("meaning", 3)
        self.page.reload()
        self.assertEqual(self.keeps_place("meaning", 3), before)


class InFirefox(InEveryBrowser, WithPage):
    def setUp(self):
        super().setUp()
        self.page = self.enterContext(Firefox(self.folder / "profile", self.folder / "downloads"))

    def test_pictures(self):
        self.open("#lecture=meaning")
        self.page.click(*FIRST_HINT)
        for lecture, step in (("meaning", 3), ("scale", 4), ("learning", 12)):
            self.open(f"#lecture={lecture}&step={step}")
            with self.subTest(lecture):
                share = self.compare(f"firefox-{lecture}-{step}", self.native_picture((lecture, step)))
                self.assertLessEqual(share, MOST_DIFFERENT)

    def test_an_isolated_page_uses_threads(self):
        server = self.enterContext(chromium.served(WEB, chromium.ISOLATED))
        self.page.open(server.address + "index.html#lecture=learning&step=12")
        self.assertGreater(self.page.run("PThread.runningWorkers.length"), 0)


class Use(InEveryBrowser, WithChromium):
    def test_typing(self):
        self.open_workbench("#lecture=meaning&step=3")
        self.page.click(*SEED)
        self.page.type("1234")
        self.page.key("Backspace")
        self.page.insert("5")
        self.page.key("Enter")
        self.keeps("seed 1235")

    def test_the_palette_and_the_theme(self):
        self.open("#lecture=meaning&step=3")
        dark = np.asarray(self.page.picture()).mean()
        self.page.key("k", modifiers=CTRL)
        self.page.type("light")
        self.page.key("Enter")
        self.assertGreater(np.asarray(self.page.picture()).mean(), dark + 100)

    def test_two_tabs_have_two_places(self):
        self.open("#lecture=meaning&step=3")
        other = self.new_page()
        other.open(self.server.address + "index.html#lecture=bank&step=2")
        other.key("ArrowRight")
        second = SESSION.replace("session.toml", "session-2.toml")
        self.comes(lambda: other.kept(second), lambda text: '"bank"' in text and "step = 2" in text)
        self.page.come_to_front()
        self.page.key("ArrowRight")
        self.keeps_place("meaning", 3)
        other.come_to_front()
        other.reload()
        self.assertIn("bank", other.run("document.title + document.getElementById('words').textContent").lower())
        other.close()

    def test_a_reloaded_tab_goes_on_in_its_own_place(self):
        self.open("#lecture=meaning&step=3")
        other = self.new_page()
        other.open(self.server.address + "index.html#lecture=bank&step=2")
        other.key("ArrowRight")
        self.comes(lambda: other.kept(SESSION.replace("session.toml", "session-2.toml")), lambda text: "step = 2" in text)
        other.wait("Module.is_kept()")
        other.close()
        self.page.come_to_front()
        self.page.reload()
        self.assertIn("Weights with a meaning", self.page.run("document.title"))

    def test_a_page_that_goes_frees_its_place(self):
        self.open("#lecture=meaning&step=3")
        held = "navigator.locks.query().then(({ held }) => held.length)"
        self.assertGreater(self.page.run(held), 0)
        self.page.run("(dispatchEvent(new PageTransitionEvent('pagehide')), 0)")  # the page itself is still there to be asked
        self.page.wait(f"{held}.then((count) => count === 0)", 10)

    def test_a_figure_in_a_page_leaves_no_trace(self):
        self.open("#lecture=meaning&step=3&embed=heads&theme=light")
        self.page.wait("Module.is_kept()")
        self.open()
        self.assertLess(np.asarray(self.page.picture()).mean(), 100)

    def test_a_fresh_profile_follows_a_link(self):
        self.open("#lecture=udl-12-2&step=8&theme=light")
        self.keeps_place("udl-12-2", 7)
        self.assertGreater(np.asarray(self.page.picture()).mean(), 150)

    def test_a_file_in(self):
        self.open()
        self.page.drop("seven.toml", b'version = 1\ntitle = "Seven words"\n[sizes]\nquery_length = 7\n')
        self.assertIn("seven.toml", self.page.run("document.title"))
        self.keeps("Seven words")
        self.page.reload()
        self.assertIn("seven.toml", self.page.run("document.title"))

    def captured(self, count=3):
        """The files of a captured model, by name."""
        run(HEADLIGHT, "capture", "-o", "capture.py", cwd=self.folder)
        run("/usr/bin/python3", "-B", "-c", CAPTURE, count, cwd=self.folder)
        return {file.name: file.read_bytes() for file in sorted((self.folder / "capture").iterdir())}

    def shows_captured(self, first, tokens=True):
        title = self.page.run("document.title")
        self.assertIn(first, title)
        words = self.page.run("document.getElementById('words').textContent")
        self.assertNotIn("can't be read", self.page.run("document.getElementById('notice').textContent"))
        self.assertEqual("größte" in words, tokens, words[:400])

    def test_a_folder_that_was_captured(self):
        files = self.captured()
        self.open("#lecture=meaning&step=3")
        self.page.drop_folder("capture", files)
        self.shows_captured("layers.0.self_attn")
        self.keeps('model = "/home/web_user/files/capture"')
        self.page.reload()
        self.shows_captured("layers.0.self_attn")

    def test_an_empty_folder_is_said(self):
        self.open("#lecture=meaning&step=3")
        self.page.drop_folder("empty", {})
        self.page.wait("document.getElementById('notice').textContent.includes('empty has no files')", 10)

    def test_a_captured_index_with_its_files(self):
        files = self.captured()
        for fragment in ("#lecture=meaning&step=3", ""):
            with self.subTest(fragment):
                self.open(fragment)
                self.page.drop_files(files)
                self.shows_captured("layers.0.self_attn")
        self.page.call("Page.setInterceptFileChooserDialog", enabled=True)
        chosen = []
        self.browser.listeners.append(lambda message: message["method"] == "Page.fileChooserOpened" and chosen.append(message["params"]))
        self.open("#lecture=meaning&step=3")
        self.page.key("o", modifiers=CTRL)
        self.comes(lambda: chosen, bool)
        self.page.call("DOM.setFileInputFiles", backendNodeId=chosen[0]["backendNodeId"],
                       files=[str(file) for file in sorted((self.folder / "capture").iterdir())])
        self.page.wait("document.title.includes('layers.0.self_attn')")

    def test_one_file_of_a_captured_model(self):
        files = self.captured()
        name = "layers.1.self_attn.npz"
        for fragment in ("", "#lecture=meaning&step=3", "#lecture=numpy-from-scratch&step=2"):
            with self.subTest(fragment):
                self.open(fragment)
                self.page.drop(name, files[name])
                self.shows_captured("layers.1.self_attn", tokens=False)

    def test_a_picture_out(self):
        self.open("#lecture=meaning&step=3")
        self.page.key("s")
        picture = Image.open(io.BytesIO(self.downloaded(".png")))
        self.assertEqual(picture.size, (1440, 900))
        share, _ = differing(picture.convert("RGB"), self.page.picture())
        self.assertLess(share, 0.02)

    def test_the_clipboard(self):
        self.open_workbench("#lecture=meaning&step=4")
        self.page.click(*A_CELL)
        self.page.key("c", modifiers=CTRL)
        self.page.run("addEventListener('paste', (e) => { window.pasted = e.clipboardData.getData('text'); }, true)")
        self.page.act("Input.dispatchKeyEvent", type="rawKeyDown", key="v", code="KeyV", modifiers=CTRL, commands=["paste"])
        self.page.wait("window.pasted !== undefined", 10)
        self.assertRegex(self.page.run("window.pasted"), r"^[-0-9.]+$")

    def test_the_clipboard_by_menu(self):
        self.open_workbench("#lecture=meaning&step=4")
        self.page.click(*FIRST_HINT)
        self.page.click(*A_CELL, button="right")
        self.page.click(*COPY_THE_NUMBER)
        self.assertRegex(self.page.run("Module.clip"), r"^0\.99688722540017\d*$")

    def test_paste_by_menu(self):
        for permission in ("granted", "denied"):
            with self.subTest(permission):
                self.page.browser.call("Browser.setPermission", permission={"name": "clipboard-read"}, setting=permission)
                self.open("#lecture=numpy-from-scratch&step=3")
                self.page.run("navigator.clipboard.writeText('0.25').then(() => 0)")
                self.page.key("k", modifiers=CTRL)
                self.page.type("W_q[0,0]")
                self.page.key("Enter")
                self.page.key("k", modifiers=CTRL)
                self.page.type("paste numbers")
                self.page.key("Enter")
                if permission == "granted":
                    self.keeps("0.25")
                else:
                    self.page.wait("!document.getElementById('notice').hidden")
                    self.assertIn("Ctrl+V", self.page.run("document.getElementById('notice').textContent"))
                    self.assertNotIn("0.25", self.kept())

    def test_the_trained_layer_comes_when_it_is_asked_for(self):
        def asked_for():
            return [status for path, status in self.server.answers if path.endswith("sentence-encoder.bin")]
        self.server.answers.clear()
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source="""const really = fetch;
          window.fails = true;
          window.fetch = (name) => String(name).includes("sentence-encoder") && fails ? Promise.reject(Error("no network")) : really(name);""")
        self.open("#lecture=meaning&step=4")
        time.sleep(3)
        self.assertEqual(asked_for(), [])
        self.page.call("Network.setBlockedURLs", urls=["*sentence-encoder.bin"])
        self.choose_trained_lecture()
        self.page.wait("document.getElementById('words').textContent.includes('sentence-encoder')")
        self.assertIn("Weights with a meaning", self.page.run("document.title"))
        self.page.key("Escape")
        self.page.call("Network.setBlockedURLs", urls=[])
        self.page.run("fails = false, 0")
        self.choose_trained_lecture()
        self.page.wait("document.title.includes('trained')")
        self.assertEqual(len(asked_for()), 1)
        self.page.errors.clear()  # the browser says that it couldn't load a file

    def choose_trained_lecture(self):
        self.find_by_palette("Heads that were really trained")

    def test_the_trained_layer_can_be_chosen_for_a_setup(self):
        self.open("#lecture=meaning&step=4")
        self.find_by_palette("Trained layer: Sentence")
        self.keeps(r'name = \"sentence-encoder\"')
        self.assertEqual(self.how_layer_came(), "fetch")

    def test_a_page_that_starts_with_the_trained_layer_loads_it_first(self):
        setup = self.folder / "setup.toml"
        setup.write_text('version = 1\nmodel.name = "sentence-encoder"\nmodel.text = "We walk."\n')
        link = run(HEADLIGHT, "export", "--setup", setup, "--as", "link").decode()
        for fragment in ("#lecture=trained&step=2", link[link.index("#"):].strip(), None):
            with self.subTest(fragment):
                self.page.reload() if fragment is None else self.open(fragment)
                self.assertEqual(self.how_layer_came(), "fetch")

    def how_layer_came(self):
        """Any but a single "fetch" has held the page up, or had no need of the numbers."""
        return self.page.run("""performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("sentence-encoder.bin"))
          .map(({ initiatorType }) => initiatorType).join()""")

    def find_by_palette(self, words):
        self.page.key("k", modifiers=CTRL)
        self.page.type(words)
        self.page.key("Enter")

    def lose_context(self):
        """Takes the graphics context away, and gives it back."""
        self.page.run("""(context = Module.canvas.getContext("webgl2"), loser = context.getExtension("WEBGL_lose_context"),
          same_page = true, lost = new Promise((done) => Module.canvas.addEventListener("webglcontextlost", done, { once: true })),
          came_back = new Promise((done) => Module.canvas.addEventListener("webglcontextrestored", done, { once: true })),
          loser.loseContext(), lost.then(() => 0))""")
        self.page.point(6, 6)  # frames meanwhile do no harm
        self.page.run("setTimeout(() => loser.restoreContext(), 0), came_back.then(() => 0)")
        self.page.point(5, 5)
        self.page.errors.clear()  # the browser says that the context was lost

    def test_a_lost_context_comes_back(self):
        self.open_workbench("#lecture=meaning&step=3")
        self.page.click(*FIVE_HEADS)
        self.page.point(5, 5)
        before = self.page.picture()
        self.lose_context()
        self.assertEqual(differing(self.page.picture(), before)[0], 0)
        self.page.key("ArrowRight")  # a picture that was not there before
        self.assertGreater(differing(self.page.picture(), before)[0], 0.02)
        self.assertTrue(self.page.run("same_page"))

    def test_the_preview_of_an_export_comes_back_too(self):
        self.open("#lecture=meaning&step=3")
        self.page.key("e", modifiers=CTRL)
        self.page.point(5, 5)
        with_preview = self.page.picture()
        self.lose_context()
        self.assertEqual(differing(self.page.picture(), with_preview)[0], 0)

    def test_what_is_printed_is_what_is_on_the_screen(self):
        self.open("#lecture=bank&step=2&theme=light")
        screen = self.page.picture()
        paper = self.folder / "paper.pdf"
        paper.write_bytes(base64.b64decode(self.page.call("Page.printToPDF", marginTop=0, marginLeft=0, marginRight=0)["data"]))
        run("pdftoppm", "-r", "150", "-png", "-singlefile", paper, self.folder / "paper")
        printed = Image.open(self.folder / "paper.png").convert("RGB")
        printed = printed.crop((0, 0, printed.width, round(printed.width * screen.height / screen.width))).resize(screen.size)
        self.assertLess(np.abs(np.asarray(printed, int) - np.asarray(screen, int)).mean(), 8)
        self.page.settle_anew()
        self.assertEqual(differing(self.page.picture(), screen)[0], 0)

    def test_nothing_is_drawn_while_nothing_happens(self):
        for fragment in ("", "#lecture=bank&step=1", "#lecture=numpy-from-scratch&step=2", "#lecture=meaning&step=3&embed=heads"):
            with self.subTest(fragment):
                self.open(fragment)
                time.sleep(3)  # what comes a moment later, such as a tip
                self.page.run("(frames = 0, before = Module.on_frame, Module.on_frame = () => { frames++; before?.(); }, 0)")
                time.sleep(5)
                self.assertEqual(self.page.run("frames"), 0)

    def test_relaxed_simd_is_used(self):
        self.open("#lecture=meaning&step=3")
        self.assertGreater(self.page.run("Module.relaxed_softmax"), 0)

    def test_words_that_the_fonts_inside_lack(self):
        tokens = ["你好", "猫ねこ", "شمس", "שלום", "👩‍👩‍👧", "नमस्ते", "고양이", "🇩🇪"]
        file = self.folder / "words.toml"
        native, others = self.folder / "native.png", self.folder / "others.png"

        def drawn(words, to):
            file.write_text(f'version = 1\ntokens = {json.dumps(words, ensure_ascii=False)}\n[sizes]\nquery_length = {len(words)}\n')
            link = run(HEADLIGHT, "export", "--setup", file, "--as", "link").decode().strip()
            run(HEADLIGHT, "render", "--setup", link, "--size", "1440x900", "-o", to)
            return link[link.index("#"):]

        boxes = drawn(["\uFFFD" * len(word) for word in tokens], others)
        self.assertIn("setup=", boxes)
        self.open(drawn(tokens, native))
        self.page.click(*FIRST_HINT)
        above = (0, 0, 1440, 900 - STATUS_LINE)
        own, native, others = (picture.convert("RGB").crop(above)
                               for picture in (self.page.picture(), Image.open(native), Image.open(others)))
        self.assertLess(differing(own, native)[0], 0.3 * differing(own, others)[0])
        number = self.beside("render", "--setup", self.page.run("location.hash"), "--size", "1440x900", "-o",
                             "/home/web_user/Pictures/words.png")
        self.assertEqual(self.ended(number), [0, ""])
        beside = Image.open(io.BytesIO(self.downloaded(".png"))).convert("RGB").crop(above)
        self.assertLess(differing(beside, native)[0], 0.3 * differing(beside, others)[0])

    def test_a_page_that_is_closed_in_the_middle(self):
        self.open_workbench("#lecture=meaning&step=3")
        self.page.click(*FIVE_HEADS)
        self.page.browser.call("Target.closeTarget", targetId=self.page.target)
        self.page = self.new_page()
        self.page.open(self.server.address + "index.html")
        self.keeps("heads = 5")

    def test_a_page_at_work_asks_before_it_is_left(self):
        self.open("#lecture=meaning&step=3")
        self.page.click(*FIRST_HINT)  # who has done nothing is not asked
        number = self.beside("export", "--lecture", "learning", "--frames", "steps", "-o", "/tmp/long.gif")
        self.page.run("setTimeout(() => location.reload(), 0), 0")
        end = time.monotonic() + 30
        while not self.page.errors:
            self.assertLess(time.monotonic(), end, "nothing was asked")
            self.pump()
        self.assertEqual(self.page.errors, [""])  # the browser has words of its own
        self.page.errors.clear()

    def test_a_drag_and_a_pinch(self):
        self.page.close()
        self.page = self.new_page(touch=True)
        self.open_workbench("#lecture=meaning&step=3")
        self.page.click(*FIRST_HINT)
        x, y = PANEL_EDGE
        by = 56
        self.page.swipe([(x + to, y) for to in range(0, by + 8, 8)])  # at once, before any frame
        self.keeps_setting("setup_width", lambda width: width == x + by)
        self.page.swipe([(760 - to, 800) for to in range(0, 48, 8)], [(800 + to, 800) for to in range(0, 48, 8)])
        self.keeps_setting("scale", lambda scale: scale > 1)

    def test_shift_holds_while_the_wheel_turns(self):
        self.open_workbench("#lecture=numpy-from-scratch&step=2")
        shift = {"key": "Shift", "code": "ShiftLeft", "windowsVirtualKeyCode": 16}
        self.page.act("Input.dispatchKeyEvent", type="rawKeyDown", modifiers=SHIFT, **shift)
        self.page.turn(*TOP_BAR, 100, SHIFT)
        x, y = FIRST_OF_X
        self.page.point(x, y)
        for kind, by in (("mousePressed", 0), *(("mouseMoved", by) for by in range(4, 64, 4)), ("mouseReleased", 60)):
            self.page.act("Input.dispatchMouseEvent", type=kind, x=x + by, y=y, button="left", buttons=1, clickCount=1,
                          modifiers=SHIFT)
        self.page.act("Input.dispatchKeyEvent", type="keyUp", **shift)
        dragged = self.comes(lambda: tomllib.loads(self.session().get("setup", "")).get("values", {}), lambda values: values)
        self.assertGreater(dragged["X[0,0,0]"], 0.6)
        self.assertLess(dragged["X[0,0,0]"], 0.8)  # from 0.55; without Shift it would be 1.2

    def test_a_tap_opens_no_tooltip(self):
        self.page.close()
        self.page = self.new_page(width=390, height=844, touch=True)
        self.open("#lecture=masks&step=3")
        below = (0, 56, 390, 200)
        before = self.page.picture().crop(below)
        self.page.tap(*SHARE_OF_PHONE)
        self.page.wait("Module.clip !== undefined")
        self.page.run("new Promise((done) => setTimeout(done, 600)).then(() => 0)")  # a mouse that rests has one by then
        self.page.settle_anew()
        self.assertEqual(differing(self.page.picture().crop(below), before)[0], 0)

    def test_a_phone_held_sideways(self):
        self.page.close()
        self.page = self.new_page(width=844, height=390, touch=True)
        self.open("#lecture=masks&step=3")
        self.page.tap(*NEXT_SIDEWAYS)
        self.keeps_place("masks", 3)
        self.page.tap(*MENU)
        self.page.tap(*SETUP_SIDEWAYS)
        self.page.tap(*MORE_BATCH_SIDEWAYS)
        self.keeps("batch = 2")

    def test_a_command_on_a_phone(self):
        self.page.close()
        self.page = self.new_page(width=390, height=844, touch=True)
        self.open("#lecture=meaning&step=3")
        self.page.tap(*MENU)
        self.page.tap(*FIND_A_COMMAND)
        self.assertEqual(self.page.run("document.activeElement.id"), "keyboard")  # which shows the phone's keys
        self.page.insert("k_heads")
        self.page.tap(*FIRST_FOUND)
        self.comes(self.session, lambda session: "K_heads[" in session.get("cell", ""))

    def test_the_setup_on_a_phone(self):
        self.page.close()
        self.page = self.new_page(width=390, height=844, touch=True)
        self.open("#lecture=masks&step=3")
        closed = self.page.picture()
        self.page.tap(*MENU)
        self.page.tap(*SETUP_PANEL)
        self.page.tap(*MORE_BATCH)
        self.keeps("batch = 2")
        before = self.page.picture()
        x, y = BETWEEN_CONTROLS
        self.page.swipe([(x, y - by) for by in range(0, 400, 40)])
        self.assertGreater(differing(self.page.picture(), before)[0], 0.02)
        x, y = ITS_HEAD
        self.page.swipe([(x, y + by) for by in range(0, 320, 40)])
        self.assertLess(differing(self.page.picture(), closed)[0], 0.1)
        self.page.tap(*NEXT_OF_PHONE)
        self.keeps_place("masks", 3)

    def test_a_tap_with_a_finger(self):
        page = self.new_page(touch=True)
        page.open(self.server.address + "#lecture=meaning&step=3")
        page.tap(*NEXT_STEP)
        self.keeps("step = 3", page)
        self.assertEqual(page.errors, [])
        page.close()

    def test_a_first_visit_and_the_one_file_are_small(self):
        self.open("#lecture=bank")
        self.page.wait("navigator.serviceWorker.ready.then(() => true)")  # which has asked for all files then
        names = [path.lstrip("/") or "index.html" for path, status in self.server.answers if status == 200]
        self.assertIn("headlight.wasm", names)
        self.assertNotIn("headlight-threads.wasm", names)
        packed = {name: int(run("node", "-e", BROTLI, WEB / name)) for name in set(names)}
        total = sum(packed[name] for name in names)
        print(f"a first visit loads {total / 1e6:.2f} MB: {packed}", file=sys.stderr)
        self.assertLess(total, 2.6e6)
        self.assertLess((WEB / "headlight.html").stat().st_size, 4.3e6)
        self.assertLess((WEB / "headlight-trained.html").stat().st_size, 10e6)

    def test_without_a_network_after_the_first_visit(self):
        self.open("#lecture=meaning&step=3")
        self.page.wait("navigator.serviceWorker.ready.then(() => true)")  # which has all files then
        self.page.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        self.server.shutdown()
        self.page.reload()
        self.assertIn("Weights with a meaning", self.page.run("document.title"))
        self.page.errors.clear()

    def test_the_one_file_from_disk(self):
        self.page.open((WEB / "headlight.html").as_uri() + "#lecture=udl-12-2&step=8")
        self.assertIn("Tokens in columns", self.page.run("document.title"))
        self.page.key("ArrowRight")
        self.keeps_place("udl-12-2", 8)

    def test_the_trained_layer(self):
        self.open("#lecture=trained&step=3")
        self.assertIn("trained", self.page.run("document.title"))
        self.page.open((WEB / "headlight-trained.html").as_uri() + "#lecture=trained&step=3")
        self.assertIn("trained", self.page.run("document.title"))

    def test_a_long_training_leaves_the_page_alive_and_esc_stops_it(self):
        self.open("#lecture=meaning&step=3")
        before = self.page.run("document.title")
        self.page.drop("endless.toml", ENDLESS, settles=False)
        frames = self.page.run("""new Promise((done) => { let frames = 0; const count = () => frames++ < 8 ? requestAnimationFrame(count) : done(frames); count(); })""")
        self.assertGreaterEqual(frames, 8)
        self.assertEqual(self.page.run("Module.settled"), False)
        for kind in ("keyDown", "keyUp"):
            self.page.call("Input.dispatchKeyEvent", type=kind, key="Escape", code="Escape", windowsVirtualKeyCode=27)
        self.page.settle()
        self.assertEqual(self.page.run("document.title"), before)
        self.page.key("ArrowRight")
        self.keeps_place("meaning", 3)

    def test_what_does_not_fit_is_refused_with_the_reason(self):
        self.open("#lecture=meaning&step=3")
        before = self.page.run("document.title")
        self.page.drop("huge.toml", b"version = 1\n[sizes]\nbatch = 64\nheads = 64\nquery_length = 4096\nd_model = 4096\n")
        self.assertEqual(self.page.run("document.title"), before)
        self.assertRegex(self.page.run("document.getElementById('words').textContent"), r"a trace of 1\.5 TiB.*up to 2\.0 GiB")
        self.page.key("Escape")
        self.page.key("ArrowRight")
        self.keeps_place("meaning", 3)

    def test_an_export_runs_beside_the_page_and_can_be_ended(self):
        self.open("#lecture=meaning&step=3")
        picture = "/home/web_user/Pictures/beside.png"
        number = self.beside("render", "--lecture", "meaning", "--step", "3", "--size", "1440x900", "-o", picture)
        self.page.key("ArrowRight")  # meanwhile
        self.keeps_place("meaning", 3)
        self.assertEqual(self.ended(number), [0, ""])
        own = Image.open(io.BytesIO(self.downloaded(".png"))).convert("RGB")
        native = self.folder / "native.png"
        run(HEADLIGHT, "render", "--lecture", "meaning", "--step", "3", "--size", "1440x900", "-o", native)
        self.assertLess(differing(own, Image.open(native).convert("RGB"))[0], MOST_DIFFERENT)
        number = self.beside("render", "--lecture", "meaning", "--step", "300", "-o", "/tmp/no.png")
        status, said = self.ended(number)
        self.assertEqual(status, 2)
        self.assertIn("300", said)
        number = self.beside("export", "--lecture", "learning", "--frames", "steps", "-o", "/tmp/long.gif")
        self.page.run(f"end_program({number})")
        self.assertEqual(self.ended(number)[0], 128 + 15)

    def test_a_page_of_its_own_out_of_a_page(self):
        for file in ("index.html", "headlight.html"):
            with self.subTest(file):
                self.open("#lecture=meaning&step=3", file)
                number = self.beside("export", "--lecture", "bank", "--step", "4", "--as", "page", "-o",
                                     "/home/web_user/Documents/lesson.html")
                self.assertEqual(self.ended(number)[0], 0)
                lesson = self.folder / f"own-{file}"
                lesson.write_bytes(self.downloaded(".html"))
                self.assertLess(lesson.stat().st_size, 6 << 20)
                for download in (self.folder / "downloads").iterdir():
                    download.unlink()
                student = self.new_page()
                student.open(lesson.as_uri())
                self.keeps('"bank"', student)
                self.keeps("step = 3", student)
                self.assertEqual(student.errors, [])
                student.close()

    def outer(self, attributes, fragment, height=1500):
        """Opens a page that scrolls, with Headlight in a frame."""
        site = self.folder / "site"
        site.mkdir(exist_ok=True)
        for file in WEB.iterdir():
            if not (site / file.name).exists():
                (site / file.name).symlink_to(file)
        (site / "outer.html").write_text(f'''<!doctype html><link rel="icon" href="data:,">
          <body style="margin: 0; height: {height}px; background: #888">
          <iframe {attributes} src="headlight.html{fragment}" style="border: 0; display: block"></iframe>''')
        server = self.enterContext(chromium.served(site))
        self.page.call("Page.navigate", url=server.address + "outer.html")
        return server

    def wait_for_picture(self, wanted, seconds=60):
        """Waits until the page looks so."""
        end = time.monotonic() + seconds
        while (share := differing(self.page.picture().crop((0, 0, *wanted.size)), wanted)[0]) > MOST_DIFFERENT:
            self.assertLess(time.monotonic(), end, f"{share} of the picture differs")
            time.sleep(0.3)

    def test_a_frame_where_nothing_is_kept(self):
        self.open("#lecture=meaning&step=3")
        self.page.click(*FIRST_HINT)
        nowhere = (700, 880)  # the steps are along the upper edge
        above = (0, 0, 1440, 900 - STATUS_LINE)
        self.page.point(*nowhere)
        third = self.page.picture().crop(above)
        self.page.click(*NEXT_STEP)
        self.page.point(*nowhere)
        fourth = self.page.picture().crop(above)
        self.outer('sandbox="allow-scripts" width="1440" height="900"', "#lecture=meaning&step=3", 900)
        self.page.call("Input.dispatchMouseEvent", type="mouseMoved", x=nowhere[0], y=nowhere[1])
        self.wait_for_picture(third)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.page.call("Input.dispatchMouseEvent", type=kind, x=NEXT_STEP[0], y=NEXT_STEP[1], button="left", clickCount=1)
        self.page.call("Input.dispatchMouseEvent", type="mouseMoved", x=nowhere[0], y=nowhere[1])
        self.wait_for_picture(fourth)

    def test_a_figure_in_a_page_that_scrolls(self):
        for figure in ("heads", "pipeline", "tokens", "heatmap", "learn"):
            with self.subTest(figure):
                lecture = "learning" if figure == "learn" else "meaning"
                self.outer('width="700" height="500" id="figure"', f"#lecture={lecture}&step=1&embed={figure}", 3000)
                inside = "document.getElementById('figure').contentWindow"
                self.page.wait(f"{inside.replace(').', ')?.')}?.Module?.settled === true && {inside}.Module.first_frame > 0")
                for kind in ("mousePressed", "mouseReleased"):
                    self.page.call("Input.dispatchMouseEvent", type=kind, x=350, y=480, button="left", clickCount=1)
                self.assertEqual(self.page.run("document.activeElement.id"), "figure")
                for turn, key in ((True, None), (False, "PageDown")):
                    self.page.run("scrollTo(0, 0), new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                    self.page.run("ended = new Promise((end) => addEventListener('scrollend', end, { once: true })), 0")
                    if turn:
                        self.page.call("Input.dispatchMouseEvent", type="mouseWheel", x=350, y=480, deltaX=0, deltaY=120)
                    else:
                        for kind in ("rawKeyDown", "keyUp"):
                            self.page.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=34)
                    self.page.wait("scrollY > 50", 10)
                    self.page.run("ended.then(() => 0)")  # it scrolls smoothly, and would go on
                self.page.run("scrollTo(0, 0), document.getElementById('figure').width = 340")
                self.page.wait(f"{inside}.Module.canvas.width === 340 && {inside}.Module.settled")
                until = time.monotonic() + 10  # the canvas is empty until its next frame
                while len(set(self.page.picture().crop((0, 0, 340, 500)).getdata())) <= 20:
                    self.assertLess(time.monotonic(), until, "the narrow figure stays empty")
                    self.page.run("scrollTo(0, 0)")

    def test_fingers(self):
        self.page.close()
        self.page = self.new_page(width=390, height=500, touch=True)
        self.open("#lecture=meaning&step=3")
        before = self.page.picture()
        self.page.swipe([(195, y) for y in range(120, 0, -10)])  # words, which take no drag
        self.assertGreater(differing(self.page.picture(), before)[0], 0.02)
        self.page.swipe([(195, 90), (195, 240)])  # over within a frame
        self.assertEqual(differing(self.page.picture(), before)[0], 0)
        self.keeps_place("meaning", 2)
        self.page.act("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": 60, "y": 310}])
        self.comes(lambda: differing(self.page.picture(), before)[0], lambda share: share > 0.02)  # a menu
        self.page.act("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.assertGreater(differing(self.page.picture(), before)[0], 0.02)

    def test_fingers_on_a_notice_neither_leave_the_page_nor_zoom_it(self):
        self.page.close()
        self.page = self.new_page(touch=True)
        self.open("#lecture=meaning&step=3")
        self.page.run("tell('A notice, which lies over the canvas'), 0")
        for y in (10, 400):
            self.page.swipe([(x, y) for x in range(100, 1300, 60)])
            time.sleep(1)
        self.assertIn("index.html", self.page.run("location.href"))
        self.page.swipe([(640 - 5 * i, 10) for i in range(20)], [(760 + 5 * i, 10) for i in range(20)])
        self.assertEqual(self.page.run("visualViewport.scale"), 1)

    def test_no_frame_waits_for_the_graphics_process(self):
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source="""asked = [];
          for (const name of ["getParameter", "isEnabled", "getError"]) {
            const real = WebGL2RenderingContext.prototype[name];
            WebGL2RenderingContext.prototype[name] = function (what) { asked.push(`${name} ${what}`); return real.call(this, what); };
          }""")
        self.open("#lecture=meaning&step=3")
        self.page.run("(asked.length = 0)")
        for _ in range(3):
            self.page.key("ArrowRight")
            self.page.point(400 + 100 * _, 500)
        self.assertEqual(self.page.run("asked"), [])

    def test_the_keyboard_of_a_phone_lies_over_no_part_of_the_page(self):
        self.page.close()
        self.page = self.new_page(width=390, height=844, touch=True)
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source="""const view = new EventTarget();
          Object.assign(view, { height: 844, width: 390, scale: 1, offsetTop: 0 });
          Object.defineProperty(window, "visualViewport", { value: view });""")
        self.open("#lecture=meaning&step=3")
        self.assertEqual(self.page.run("Module.canvas.height"), 844)
        self.page.run("(visualViewport.height = 500, visualViewport.dispatchEvent(new Event('resize')), 0)")
        self.page.settle_anew()
        self.assertEqual(self.page.run("Module.canvas.height"), 500)

    def test_size_and_pixel_ratio(self):
        self.open("#lecture=meaning&step=3")
        self.page.resize(900, 700, 2)
        self.page.wait("Module.canvas.width === 1800 && Module.canvas.height === 1400")
        self.page.act("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
        self.assertEqual(self.page.picture().size, (1800, 1400))

    def test_words_for_screen_readers(self):
        self.open("#lecture=meaning&step=3")
        self.assertIn("Find the match", self.page.run("document.getElementById('headlight-step').textContent"))
        self.page.key("ArrowRight")
        self.assertNotIn("Find the match", self.page.run("document.getElementById('headlight-step').textContent"))


class Thumb(WithChromium):
    """A phone in the hand of somebody whose thumb isn't careful."""
    PRESS, ON = (195, 798), NEXT_OF_PHONE  # the large button at the foot, and the arrow beside it
    SETUP_OF_LESSON = (60, 267)            # in the menu of "bank"
    A_NUMBER, TYPE_A_NUMBER = (195, 330), (180, 249)  # at its first step, and in the menu of that number
    TEMPERATURE = (259, 151)               # at the end of the setup of "masks"

    def setUp(self):
        super().setUp()
        self.page.close()
        self.page = self.new_page(width=390, height=844, touch=True)

    def moves(self, *points, seconds=0.016):
        """A finger that moves along these points in time, and is lifted at the last one."""
        for kind, at in [("touchStart", points[0]), *(("touchMove", at) for at in points[1:])]:
            self.page.touch(kind, at)
            time.sleep(seconds)
        self.page.touch("touchEnd")

    def says(self, section):
        return self.page.run(f"document.getElementById('headlight-{section}')?.textContent ?? ''")

    def goes_back(self):
        history = self.page.call("Page.getNavigationHistory")
        entry = history["entries"][history["currentIndex"] - 1]
        self.page.call("Page.navigateToHistoryEntry", entryId=entry["id"])

    def test_a_swipe_over_numbers_scrolls_and_changes_nothing(self):
        self.open("#lecture=bank&step=1")
        before = self.keeps_place("bank", 0)
        start = self.page.picture()
        scrolled = 0
        for y in range(200, 700, 60):
            for x, drift in ((60, 15), (150, -25), (240, 40), (330, -40)):
                self.moves(*((x + drift * i / 8, y - 15 * i) for i in range(9)), seconds=0)
                self.page.settle_anew()
                scrolled += differing(self.page.picture(), start)[0] > 0.02
                self.moves(*((x, 200 + 60 * i) for i in range(9)), seconds=0)
                self.page.settle_anew()
                self.assertEqual(differing(self.page.picture(), start)[0], 0, (x, y))
        self.assertEqual(scrolled, 9 * 4)
        after = self.session()
        for key in ("setup", "cell", "step", "lecture"):
            self.assertEqual(after.get(key), before.get(key))

    def test_a_swipe_that_goes_sideways_changes_nothing(self):
        self.open("#lecture=bank&step=1")
        before = self.keeps_place("bank", 0)
        for y in range(80, 750, 25):
            for way in (1, -1):
                self.moves(*((195 - way * 120 + way * 25 * i, y + 3 * i) for i in range(11)), seconds=0)
        self.page.settle_anew()
        time.sleep(1)
        self.page.wait("Module.is_kept()")
        self.assertEqual(self.session().get("setup"), before.get("setup"))

    def test_what_scrolls_goes_on_for_a_moment(self):
        self.open("#lecture=bank&step=2")
        way = [(195, 600 - 12 * i) for i in range(4)]
        self.page.swipe(way)
        thrown = self.page.picture()
        self.page.swipe([(195, 200), (195, 700)])  # back to the top
        for kind, at in [("touchStart", way[0]), *(("touchMove", at) for at in way[1:])]:
            self.page.touch(kind, at)
        time.sleep(0.4)  # it rests before it leaves
        self.page.act("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.assertGreater(differing(self.page.picture(), thrown)[0], 0.01)

    def test_back_closes_the_sheet_then_goes_a_step_back_and_leaves_last(self):
        self.open("#lecture=bank&step=1")
        for step in (1, 2):
            self.page.tap(*self.ON)
            self.keeps_place("bank", step)
        closed = self.page.picture()
        self.page.tap(*MENU)
        self.page.tap(*self.SETUP_OF_LESSON)
        self.assertGreater(differing(self.page.picture(), closed)[0], 0.05)
        self.goes_back()
        self.comes(lambda: differing(self.page.picture(), closed)[0], lambda share: share < 0.02)
        self.assertEqual(self.session()["step"], 2)
        for step in (1, 0):
            self.goes_back()
            self.keeps_place("bank", step)
        self.goes_back()
        self.page.wait("location.href === 'about:blank'", 10)

    def test_back_after_the_arrow_back_leaves(self):
        self.open("#lecture=bank&step=1")
        self.page.tap(*self.ON)
        self.keeps_place("bank", 1)
        self.page.tap(45, 798)
        self.keeps_place("bank", 0)
        self.page.wait("history.state?.headlight === undefined || history.state.headlight === 0")
        self.goes_back()
        self.page.wait("location.href === 'about:blank'", 10)

    def test_the_first_button_shows_the_question_and_then_its_answer(self):
        self.open("#lecture=bank&step=1")
        asked, start = self.says("question"), self.page.picture()
        self.page.tap(*self.PRESS)
        self.assertGreater(differing(self.page.picture(), start)[0], 0.05)
        self.assertEqual(self.says("question"), asked)
        self.page.tap(*self.PRESS)
        self.assertNotEqual(self.says("question"), asked)
        self.keeps_place("bank", 0)

    def careless(self, width, height):
        """Something that a thumb does beside what it is meant to do."""
        x, y = self.random.randrange(20, width - 20), self.random.randrange(60, height - 20)
        by_x, by_y = self.random.choice([(0, -1), (0, 1), (0.3, -1), (-0.3, 1), (1, 0.2), (-1, -0.2), (0.7, 0.7)])
        far = self.random.choice([15, 25, 40, 120, 300])
        self.page.swipe([(x + by_x * far * i / 6, y + by_y * far * i / 6) for i in range(7)])

    def long_press_that_drifts(self, x, y):
        """It rests on what is there, and strays before it leaves. What opens is closed beside it."""
        self.page.touch("touchStart", (x, y))
        time.sleep(0.6)
        for i in range(4):
            self.page.touch("touchMove", (x + 3 * i, y + 2 * i))
        self.page.act("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.page.key("Escape")

    def test_from_the_first_start_to_the_end_with_a_careless_thumb(self):
        """On a phone, a tablet, and a laptop that one can touch: where its start page has the button, and a lesson has its own."""
        for width, height, start, press in ((390, 844, (147, 227), self.PRESS), (1024, 768, (167, 303), (129, 736)),
                                            (1366, 768, (205, 340), (154, 731))):
            with self.subTest(width):
                self.random = random.Random(width)
                self.new_person(width, height)
                self.open()
                self.page.tap(*start)
                self.keeps_place("bank", 0)
                last = dict(lectures())["bank"] - 1
                pressed = 0
                while self.session()["step"] < last:
                    for _ in range(2):
                        self.careless(width, height)
                    pressed += 1
                    self.assertLess(pressed, 8 * last)
                    self.page.tap(*press)
                    if pressed % 3 == 0:  # twice, where once is meant
                        self.page.tap(*press)
                    if pressed % 5 == 0:
                        self.long_press_that_drifts(self.random.randrange(20, width - 60), self.random.randrange(80, height - 120))
                    self.page.wait("Module.is_kept()")
                self.assertEqual(self.session()["lecture"], "bank")
                self.assertNotIn("setup", self.session())  # which is there once a number is another one
                self.keep_picture(f"bank-end-{width}")

    def new_person(self, width, height):
        """A browser that has never seen the page."""
        self.page.close()
        self.browser = self.enterContext(chromium.Browser(self.folder / f"profile-{width}"))
        self.page = self.new_page(width=width, height=height, touch=True)

    def test_fingers_at_random_leave_the_lectures_own_numbers(self):
        """For HEADLIGHT_EVENT_SECONDS (20) from HEADLIGHT_EVENT_SEED (1)."""
        self.random = random.Random(int(os.environ.get("HEADLIGHT_EVENT_SEED", 1)))
        self.open("#lecture=bank&step=1")
        end = time.monotonic() + float(os.environ.get("HEADLIGHT_EVENT_SECONDS", 20))
        while time.monotonic() < end:
            what = self.random.randrange(10)
            x, y = self.random.randrange(20, 370), self.random.randrange(80, 740)
            if what < 6:
                self.careless(390, 844)
            elif what == 6:
                self.page.swipe([(x - 5 * i, y) for i in range(8)], [(x + 5 + 5 * i, y) for i in range(8)])
            elif what == 7:
                self.page.tap(*self.random.choice([self.PRESS, self.ON, (45, 798)]))
            else:
                self.page.tap(x, self.random.randrange(200, 480))
                self.page.tap(195, 100)  # what it opened closes
        for _ in range(3):
            self.page.key("Escape")
        time.sleep(1)
        self.page.wait("Module.is_kept()")
        self.assertNotIn("setup", self.session())

    def test_a_long_press_can_still_change_a_number(self):
        self.open("#lecture=bank&step=1")
        before = self.page.picture()
        self.page.touch("touchStart", self.A_NUMBER)
        time.sleep(0.7)
        self.page.act("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.assertGreater(differing(self.page.picture(), before)[0], 0.02)
        self.page.tap(*self.TYPE_A_NUMBER)
        self.assertEqual(self.page.run("document.activeElement.id"), "keyboard")  # which shows the phone's keys
        self.page.insert("3")
        self.page.key("Enter")
        values = self.comes(lambda: tomllib.loads(self.session().get("setup", "")).get("values", {}), bool)
        self.assertEqual(values["X[0,1,1]"], 3)

    def test_in_a_sheet_a_slider_moves_at_once(self):
        self.open("#lecture=masks&step=3")
        self.page.tap(*MENU)
        self.page.tap(*SETUP_PANEL)
        for _ in range(3):  # to its end
            self.page.swipe([(195, 700 - 40 * i) for i in range(12)])
        x, y = self.TEMPERATURE
        self.page.swipe([(x + 5 * i, y) for i in range(9)])
        self.keeps("temperature = ")
        self.assertGreater(tomllib.loads(self.session()["setup"])["attention"]["temperature"], 1)


class Framed(WithChromium):
    """The whole app in a frame of somebody else's page."""

    outer = Use.outer

    def setUp(self):
        super().setUp()
        self.page.close()
        self.page = self.new_page(width=1000, height=700)

    def open_framed(self, fragment):
        self.outer('width="900" height="600" id="figure"', fragment, 3000)
        self.page.wait("document.getElementById('figure')?.contentWindow?.Module?.settled === true")
        self.page.run("(() => { const after = document.createElement('button'); after.id = 'after'; document.body.append(after); })(), 0")

    def test_tab_leaves_it_at_its_end(self):
        self.open_framed("#lecture=bank&step=1")
        self.page.run("document.getElementById('figure').focus(), document.getElementById('figure').contentDocument.getElementById('canvas').focus(), 0")
        visited = 0
        while self.page.run("document.activeElement.id") == "figure":
            visited += 1
            self.assertLess(visited, 80, "Tab never leaves the frame")
            for kind in ("rawKeyDown", "keyUp"):
                self.page.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
            self.page.run("(inside = document.getElementById('figure').contentWindow, inside.Module.settled = false, inside._page_stir(), 0)")
            self.page.wait("inside.Module.settled")
        self.assertEqual(self.page.run("document.activeElement.id"), "after")
        self.assertGreater(visited, 3)

    def test_the_wheel_reaches_the_page_where_nothing_scrolls(self):
        self.open_framed("#lecture=bank&step=1")
        self.page.call("Input.dispatchMouseEvent", type="mouseMoved", x=300, y=20)
        time.sleep(0.5)
        self.page.call("Input.dispatchMouseEvent", type="mouseWheel", x=300, y=20, deltaX=0, deltaY=120)
        self.page.wait("scrollY > 50", 10)


    def test_a_strict_policy(self):
        """Where the host forbids addresses of the page's own making it works all the same; where it forbids more, it says so."""
        own = "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; worker-src 'self'"
        for policy, says in ((own, None), (own.replace(" 'wasm-unsafe-eval'", ""), "wasm-unsafe-eval"),
                             ("script-src 'self'; style-src 'unsafe-inline'", "didn't run")):
            for file in ("index.html", "headlight.html"):
                with self.subTest(f"{policy} {file}"):
                    server = self.enterContext(chromium.served(WEB, {"Content-Security-Policy": policy}))
                    self.page.navigate(server.address + file + "#lecture=bank&step=2")
                    if says is None:
                        self.page.settle()
                        self.assertTrue(self.page.run("document.getElementById('words').textContent.length > 100"))
                        self.keep_picture(f"policy-{file.partition('.')[0]}")
                    else:
                        self.page.wait(f"document.getElementById('loading')?.textContent.includes({json.dumps(says)})", 30)
                        self.assertNotIn("is loading", self.page.run("document.getElementById('loading').textContent"))
                    self.page.errors.clear()  # the browser says what it refused

    def test_the_page_states_a_strict_policy_of_its_own(self):
        for file in ("index.html", "headlight.html"):
            self.open("#lecture=bank&step=2", file)
            for what in ("fetch('https://example.org/')",
                         "new Promise((done, failed) => { const script = document.createElement('script'); script.textContent = 'done = 1'; document.body.append(script); globalThis.done ? done() : failed(); })"):
                self.assertTrue(self.page.run(f"{what}.then(() => false, () => true)"), what)
            self.page.errors.clear()

    def test_a_program_that_fails_to_load_is_said(self):
        self.page.call("Network.setBlockedURLs", urls=["*headlight.js*"])
        self.page.navigate(self.server.address + "index.html")
        self.page.wait("document.getElementById('loading')?.textContent.includes(\"can't start\")", 30)
        self.page.errors.clear()

    def test_a_program_that_is_something_else_is_said(self):
        """A server's own page in its place, or its beginning. Once the server has the program, it starts."""
        other = b"<!doctype html><title>Not found</title>"
        for name, came in (("headlight.js", other), ("headlight.js", (WEB / "headlight.js").read_bytes()[:100000]),
                           ("headlight.wasm", other), ("headlight.wasm", b"")):
            with self.subTest(f"{name}, {len(came)} bytes"):
                site = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
                for file in WEB.iterdir():
                    (site / file.name).symlink_to(file)
                (site / name).unlink()
                (site / name).write_bytes(came)
                server = self.enterContext(chromium.served(site))
                self.page.navigate(server.address + "index.html")
                self.page.wait(f"document.getElementById('problem')?.textContent.startsWith('What came as {name}')", 30)
                (site / name).unlink()
                (site / name).symlink_to(WEB / name)
                self.page.call("Network.setCacheDisabled", cacheDisabled=True)
                self.page.open(server.address + "index.html")
                self.page.errors.clear()

    def test_a_page_that_is_cut_off_says_so(self):
        whole = (WEB / "headlight.html").read_bytes()
        file = self.folder / "cut.html"
        for length in (whole.index(b'id="part') + 100000, len(whole) - 3000):
            file.write_bytes(whole[:length])
            self.page.navigate(file.as_uri())
            self.page.wait("document.getElementById('loading')?.textContent.includes('not whole')", 30)
            self.page.errors.clear()

    def test_frames_of_every_kind(self):
        made = "const page = await (await fetch('headlight.html')).text();"
        kinds = {"plain": '<iframe src="headlight.html#lecture=bank&step=2"></iframe>',
                 "sandboxed": '<iframe sandbox="allow-scripts" src="headlight.html#lecture=bank&step=2"></iframe>',
                 "srcdoc": f"<iframe></iframe><script type=module>{made} document.querySelector('iframe').srcdoc = page;</script>",
                 "blob": f"<iframe></iframe><script type=module>{made} document.querySelector('iframe').src = URL.createObjectURL(new Blob([page], {{ type: 'text/html' }}));</script>"}
        site = self.folder / "site"
        site.mkdir()
        (site / "headlight.html").symlink_to(WEB / "headlight.html")
        server = self.enterContext(chromium.served(site))
        for kind, html in kinds.items():
            with self.subTest(kind):
                (site / f"{kind}.html").write_text(f'<!doctype html><link rel="icon" href="data:,"><style>iframe {{ border: 0; width: 900px; height: 600px }}</style>{html}')
                self.page.navigate(server.address + f"{kind}.html")
                end = time.monotonic() + 120
                while ground(self.page.picture().crop((10, 10, 900, 600))) > 0.97:  # while it loads, it is nearly all ground
                    self.assertLess(time.monotonic(), end, "the frame stays empty")
                    time.sleep(0.3)
                time.sleep(1)
                self.keep_picture(f"frame-{kind}")


class Preferences(WithChromium):
    """Dark or light, and motion, as the browser's settings say."""

    def brightness(self):
        return np.asarray(self.page.picture()).mean()

    def test_light_and_dark(self):
        self.page.prefer("light")
        self.open("#lecture=bank&step=1")
        self.assertGreater(self.brightness(), 150)
        self.page.prefer("dark")
        self.page.settle_anew()
        self.assertLess(self.brightness(), 100)
        self.page.key("t")  # from now on it is chosen
        self.page.prefer("light")
        self.page.settle_anew()
        chosen = self.brightness()
        self.page.prefer("dark")
        self.page.settle_anew()
        self.assertAlmostEqual(self.brightness(), chosen, delta=5)

    def test_a_link_may_leave_it_to_the_browser(self):
        self.page.prefer("light")
        for theme, is_light in (("", True), ("&theme=auto", True), ("&theme=dark", False), ("&theme=light", True)):
            with self.subTest(theme):
                self.open(f"#lecture=meaning&step=1&embed=heads{theme}")
                self.assertEqual(self.brightness() > 150, is_light)

    def test_while_it_loads(self):
        self.page.call("Network.setBlockedURLs", urls=["*headlight.js*"])
        for scheme in ("light", "dark", "light"):
            self.page.prefer(scheme)
            self.page.navigate(self.server.address + "index.html")
            self.page.wait("document.getElementById('loading')?.textContent.includes(\"can't start\")", 30)
            self.assertEqual(self.brightness() > 150, scheme == "light")
        self.page.errors.clear()

    def test_less_motion(self):
        # Each frame takes as long as on a screen, however slow the machine.
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source="""let now = 0;
          performance.now = () => now;
          const draw = requestAnimationFrame, wait = setTimeout;
          requestAnimationFrame = (frame) => draw((time) => { now += 16; frame(time); });
          setTimeout = (act, after = 0, ...more) => wait(() => { now += after; act(...more); }, after);""")
        frames = {}
        for motion in ("no-preference", "reduce"):
            self.page.prefer("dark", motion)
            self.open("#lecture=numpy-from-scratch&step=1")  # whose next steps move
            self.page.run("(frames = 0, before = Module.on_frame, Module.on_frame = () => { frames++; before(); }, 0)")
            for _ in range(3):
                self.page.key("ArrowRight")
            frames[motion] = self.page.run("frames")
        self.assertLess(frames["reduce"] + 8, frames["no-preference"])


class Linked(WithChromium):
    """A link never leads to a dead end."""

    def says(self, words):
        self.page.wait(f"document.getElementById('words').textContent.includes({json.dumps(words)})", 20)

    def test_what_a_link_says_in_vain(self):
        for fragment, place, says in (("#lecture=bank&step=2&utm_source=mail", ("bank", 1), "utm_source"),
                                      ("#lecture=bank&step=99", ("bank", None), "step"),
                                      ("#theme=light", (None, None), None),
                                      ("#lecture=of-somebody-else&step=2", (None, None), "of-somebody-else"),
                                      ("#step=3", (None, None), "step"),
                                      ("#lecture=bank&setup=nothing&cell=weights[0,0,9,9]", ("bank", 0), "cell"),
                                      ("#lecture=bank&view=nothing", ("bank", 0), "view")):
            with self.subTest(fragment):
                self.open(fragment)
                if place[0]:
                    session = self.comes(self.session, lambda session: session.get("lecture") == place[0])
                    if place[1] is not None:
                        self.assertEqual(session["step"], place[1])
                if says:
                    self.says("Left out of the link")
                    self.says(says)
                self.assertEqual(self.page.run("document.getElementById('problem')"), None)

    def test_a_page_of_your_own_takes_how_it_looks_from_the_link(self):
        environment = {**os.environ, "XDG_DATA_HOME": str(self.folder / "share"), "HOME": str(self.folder)}
        (self.folder / "share/headlight").mkdir(parents=True)
        (self.folder / "share/headlight/headlight.html").symlink_to(WEB / "headlight.html")
        setup = self.folder / "five.toml"
        setup.write_text("version = 1\n[sizes]\nquery_length = 5\n")
        page = self.folder / "mine.html"
        run(HEADLIGHT, "export", "--setup", setup, "--as", "page", "-o", page, env=environment)
        for fragment in ("", "#view=heads", "#cell=weights[0,1,4,0]", "#embed=heads&theme=light", "#theme=light"):
            with self.subTest(fragment):
                self.page.open(page.as_uri() + fragment)
                words = self.page.run("document.getElementById('words').textContent")
                self.assertEqual(np.asarray(self.page.picture()).mean() > 150, "theme=light" in fragment)
                if "embed" not in fragment:
                    self.keeps("query_length = 5")
                if "view=heads" in fragment:
                    self.assertIn("View: Heads", words)
                if "cell=" in fragment:
                    self.assertIn("weights[0,1,4,0]", words)

    def test_a_page_of_a_captured_model_has_all_its_layers(self):
        environment = {**os.environ, "XDG_DATA_HOME": str(self.folder / "share"), "HOME": str(self.folder)}
        (self.folder / "share/headlight").mkdir(parents=True)
        (self.folder / "share/headlight/headlight.html").symlink_to(WEB / "headlight.html")
        run(HEADLIGHT, "capture", "-o", "capture.py", cwd=self.folder)
        page = self.folder / "mine.html"
        run("/usr/bin/python3", "-B", "-c", CAPTURE, 3, cwd=self.folder)
        for more, view in (((), "Layers"), (("--view", "heads"), "Heads"), (("--layer", "1"), "Pipeline")):
            with self.subTest(view):
                run(HEADLIGHT, "export", "--model", "capture", "--as", "page", "-o", page, *more, cwd=self.folder, env=environment)
                self.page.open(page.as_uri())
                self.says(f"View: {view}")
                self.page.key("6", modifiers=CTRL)
                self.says("View: Layers")
                self.page.key("ArrowDown")
                self.keeps(f"layers.{2 if '--layer' in more else 1}.self_attn.npz")
                self.says("größte")

    def test_two_files_from_one_folder_keep_a_place_each(self):
        for name in ("one.html", "two.html"):
            (self.folder / name).write_bytes((WEB / "headlight.html").read_bytes())
        for name, lecture in (("one.html", "meaning"), ("two.html", "bank")):
            self.page.open((self.folder / name).as_uri() + f"#lecture={lecture}&step=2")
            self.page.key("ArrowRight")
            self.keeps_place(lecture, 2)
            self.page.wait("Module.is_kept()")
        for name, lecture in (("one.html", "meaning"), ("two.html", "bank")):
            self.page.open((self.folder / name).as_uri())
            self.keeps_place(lecture, 2)

    def test_a_copied_link_opens_elsewhere(self):
        self.page.open((WEB / "headlight.html").as_uri() + "#lecture=bank&step=2")
        self.page.key("k", modifiers=CTRL)
        self.page.type("copy a link")
        self.page.key("Enter")
        self.assertEqual(self.page.run("Module.clip"), "headlight.html#lecture=bank&step=2")
        self.says("headlight.html")


class NoDesktop(WithChromium):
    """A page has no folders, no monitors and no programs that a person could mean."""
    NOWHERE = ("/home", "/page", "/tmp", "web_user", "internal error", "xdg", "VISUAL", "desktop")

    def words(self):
        return self.page.run("document.getElementById('words').textContent + document.getElementById('notice').textContent")

    def focus(self):
        return self.page.run("document.getElementById('headlight-focus')?.textContent.trim() ?? ''")

    def assert_of_page(self, words):
        for word in self.NOWHERE:
            self.assertNotIn(word, words)

    def test_what_the_palette_finds(self):
        self.open("#lecture=numpy-from-scratch&step=2")
        for words, never in (("show in folder", "folder"), ("my editor", "editor"), ("quit", "Quit"), ("presenter", "resenter"),
                             ("like the", "desktop"), ("pdf", "PDF")):
            with self.subTest(words):
                self.page.key("k", modifiers=CTRL)
                self.page.type(words)
                for _ in range(6):
                    self.assertNotIn(never, self.focus())
                    self.page.key("ArrowDown")
                self.page.key("Escape")

    def test_what_can_be_exported(self):
        self.open("#lecture=numpy-from-scratch&step=2")
        self.page.key("e", modifiers=CTRL)
        heard = set()
        for _ in range(30):
            self.page.key("Tab")
            heard.add(self.focus())
            if self.focus().startswith("Format"):
                break
        for _ in range(4):
            self.page.key("ArrowRight")
            heard.add(self.focus())
        self.assertTrue(any(words.startswith("Format") and "SVG" in words for words in heard), heard)
        for words in heard:
            self.assertNotIn("PDF", words)
            self.assert_of_page(words)

    def test_what_it_says_of_files(self):
        for name, data in (("bad.toml", b"version = 1\n[sizes]\nheads = 3\nd_model = 8\n"), ("bytes.toml", b"version = \xff"),
                           ("gone.toml", b'version = 1\n[values]\nW_q = "nowhere.npz:W_q"\n'), ("empty.npz", b""),
                           ("odd.safetensors", b"\x08" + bytes(40)), ("model.pt", b"PK\x03\x04"), ("odd.png", b"no picture"),
                           ("odd.md", b"# nothing"), ("what.xyz", b"1")):
            with self.subTest(name):
                self.open("#lecture=numpy-from-scratch&step=2")
                self.page.drop(name, data)
                words = self.comes(self.words, lambda words: name in words)
                self.assert_of_page(words)
                self.page.key("Escape")

    def test_a_setup_that_is_saved_names_its_files_as_the_person_does(self):
        weights = io.BytesIO()
        np.savez(weights, W_q=np.eye(8))
        self.open()
        setup = b'version = 1\ntitle = "Mine"\n[sizes]\nquery_length = 4\nd_model = 8\nheads = 2\n[values]\nW_q = "mine.npz:W_q"\n'
        self.page.drop_files({"mine.toml": setup, "mine.npz": weights.getvalue()})
        self.page.wait("document.title.includes('mine.toml')")
        self.page.key("s", modifiers=CTRL)  # a file that the page was given comes back as a download
        saved = self.downloaded(".toml").decode()
        self.assertIn('"mine.npz:W_q', saved)
        self.assert_of_page(saved)
        self.assert_of_page(self.words())
        self.page.reload()
        self.assert_of_page(self.words())
        self.open()
        self.page.drop_files({"again.toml": saved.encode(), "mine.npz": weights.getvalue()})
        self.page.wait("document.title.includes('again.toml')")
        self.assertNotIn("couldn't", self.words())

    def test_one_file_says_where_the_trained_layer_is(self):
        for file, lacks in (("headlight.html", True), ("headlight-trained.html", False)):
            self.page.open((WEB / file).as_uri())
            words = self.words()
            self.assertEqual("headlight-trained.html" in words, lacks)
            self.assertEqual("Not in this file" in words, lacks)
        self.open(file="headlight.html")  # from a web server it can be fetched
        self.assertNotIn("headlight-trained.html", self.words())
        self.page.open((WEB / "headlight.html").as_uri() + "#lecture=bank&step=2")
        self.page.key("k", modifiers=CTRL)
        self.page.type("Heads that were really trained")
        self.page.key("Enter")
        self.page.wait("document.getElementById('words').textContent.includes('headlight-trained.html')")
        self.assert_of_page(self.words())


# What the accessible tree of a page must be; after the rules of axe-core that are called serious or critical and are
# about more than colours.
RULES = """(() => {
  const found = [];
  const roles = ["alert", "application", "status", "main", "button", "img", "region", "list", "listitem", "table", "row", "cell",
                 "progressbar", "textbox", "dialog", "document", "presentation", "none"];
  const focusable = "a[href], button, input, select, textarea, [tabindex]:not([tabindex='-1'])";
  const named = (element) => (element.getAttribute("aria-label") || element.textContent || element.title || "").trim() !== "" ||
    (element.labels?.length ?? 0) > 0;
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  for (const id of ids) if (ids.filter((other) => other === id).length > 1) found.push(`two are called ${id}`);
  if (!document.documentElement.lang) found.push("no language");
  if (!document.title.trim()) found.push("no title");
  if (document.querySelectorAll("main").length !== 1) found.push("not one main part");
  if (/maximum-scale|user-scalable=no/.test(document.querySelector("meta[name=viewport]").content)) found.push("no zoom");
  for (const element of document.querySelectorAll(`${focusable}, textarea, section, canvas, progress`))
    if (!named(element)) found.push(`${element.outerHTML.slice(0, 80)} has no name`);
  for (const element of document.querySelectorAll("[role]"))
    if (!roles.includes(element.getAttribute("role"))) found.push(`a role ${element.getAttribute("role")}`);
  for (const element of document.querySelectorAll("[aria-hidden=true]"))
    if (element.matches(`${focusable}, textarea`) || element.querySelector(focusable)) found.push(`${element.id} is hidden, and takes the keyboard`);
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"])
    for (const element of document.querySelectorAll(`[${name}]`))
      for (const id of element.getAttribute(name).split(" ")) if (!document.getElementById(id)) found.push(`${name} of nothing: ${id}`);
  for (const element of document.querySelectorAll("ul, ol"))
    if ([...element.children].some(({ tagName }) => tagName !== "LI")) found.push("a list of something else");
  for (const element of document.querySelectorAll("li")) if (!element.closest("ul, ol")) found.push("an item of no list");
  for (const element of document.querySelectorAll("th")) if (!element.getAttribute("scope")) found.push("a heading of no scope");
  for (const element of document.querySelectorAll("img, svg[role=img]"))
    if (!element.alt && !element.getAttribute("aria-label")) found.push("a picture without words");
  return found;
})()"""


class Aloud(WithChromium):
    """What a screen reader says."""

    def test_the_accessible_tree(self):
        wrong = io.BytesIO()
        np.savez(wrong, scores=np.zeros((1, 2, 4, 4)))
        states = {"the start": lambda: self.open(),
                  "a lesson": lambda: self.open("#lecture=bank&step=2"),
                  "the workbench": lambda: (self.open("#lecture=numpy-from-scratch&step=2"), self.page.key("w")),
                  "the palette": lambda: (self.page.key("k", modifiers=CTRL), self.page.type("mask")),
                  "an export": lambda: (self.page.key("Escape"), self.page.key("e", modifiers=CTRL)),
                  "a message": lambda: (self.page.key("Escape"), self.page.drop("bad.toml", b"version = 9")),
                  "a check": lambda: (self.page.key("Escape"), self.page.key("k"), self.page.drop("mine.npz", wrong.getvalue())),
                  "a notice": lambda: self.page.run("tell('A notice'), 0"),
                  "a figure": lambda: self.open("#lecture=meaning&step=3&embed=heads")}
        for state, reach in states.items():
            with self.subTest(state):
                reach()
                self.assertEqual(self.page.run(RULES), [])
                tree = self.page.call("Accessibility.getFullAXTree")["nodes"]
                for node in tree:
                    role = node.get("role", {}).get("value")
                    if not node.get("ignored") and role in ("button", "link", "textbox", "application", "progressbar", "combobox"):
                        self.assertNotEqual(node.get("name", {}).get("value", ""), "", node)

    def test_the_loading_page_is_accessible_too(self):
        self.page.call("Network.setBlockedURLs", urls=["*headlight.js*"])
        self.page.navigate(self.server.address + "index.html")
        self.page.wait("document.getElementById('loading')?.textContent.includes(\"can't start\")", 30)
        self.assertEqual(self.page.run(RULES), [])
        self.page.errors.clear()

    def test_controls_say_their_name_what_they_are_and_their_state(self):
        self.open("#lecture=udl-12-2&step=8")
        heard = set()
        for _ in range(40):
            self.page.key("Tab")
            heard.add(self.section("focus"))
        for words in heard:
            self.assertIn(", ", words)
        self.assertTrue(any(", number, " in words for words in heard), heard)
        self.page.key("k", modifiers=CTRL)
        self.page.type("heads =")
        self.assertNotEqual(self.section("focus"), "")

    def section(self, name):
        return self.page.run(f"document.getElementById('headlight-{name}')?.textContent.trim() ?? ''")

    def test_nothing_is_wrong_at_the_start(self):
        self.open()
        self.assertNotIn("cannot be read", self.page.run("document.getElementById('words').textContent"))
        self.assertNotEqual(self.section("start"), "")

    def test_the_palette_the_focus_and_the_view(self):
        self.open("#lecture=numpy-from-scratch&step=2")
        self.page.key("k", modifiers=CTRL)
        self.page.type("light or d")
        self.assertIn("Light or dark", self.section("focus"))
        self.page.key("Escape")
        heard = set()
        for _ in range(12):
            self.page.key("Tab")
            heard.add(self.section("focus"))
        self.assertGreater(len(heard - {""}), 3, heard)
        before = self.section("view")
        self.page.key("2", modifiers=CTRL)
        self.assertNotEqual(self.section("view"), before)

    def test_what_a_check_finds(self):
        self.open("#lecture=numpy-from-scratch&step=2")
        wrong = self.folder / "wrong.npz"
        run(HEADLIGHT, "compute", "--lecture", "numpy-from-scratch", "-o", wrong)
        with np.load(wrong) as trace:
            np.savez(self.folder / "mine.npz", scores=trace["dot_products"])
        self.page.key("k")
        self.assertIn("open or paste", self.section("check"))
        self.page.drop("mine.npz", (self.folder / "mine.npz").read_bytes())
        self.comes(lambda: self.section("check"), lambda words: "scale" in words)

    def test_a_pasted_head_is_compared_with_the_one_on_the_screen(self):
        trace = self.folder / "trace.npz"
        run(HEADLIGHT, "compute", "--lecture", "numpy-from-scratch", "-o", trace)
        with np.load(trace) as ours:
            head = str(ours["weights"][0, 1].tolist())
        self.open("#lecture=numpy-from-scratch&step=2&cell=weights[0,1,0,0]")
        self.page.key("k")
        self.page.run(f"""(() => {{ const data = new DataTransfer(); data.setData("text/plain", {json.dumps(head)});
          dispatchEvent(new ClipboardEvent("paste", {{ clipboardData: data, bubbles: true, cancelable: true }})); }})()""")
        self.page.settle_anew()
        self.comes(lambda: self.section("notice"), lambda words: "Compared with weights[0,1]" in words)

    def test_controls_are_named(self):
        self.open("#lecture=bank&step=1")
        self.assertNotIn("maximum-scale", self.page.run("document.querySelector('meta[name=viewport]').content"))


class Keys(WithChromium):
    """A browser's own keys stay its own."""
    OF_BROWSER = [("f", CTRL), ("p", CTRL), ("d", CTRL), ("r", CTRL), ("t", CTRL), ("w", CTRL), ("n", CTRL), ("l", CTRL),
                  ("R", CTRL | SHIFT), ("I", CTRL | SHIFT), ("T", CTRL | SHIFT), ("N", CTRL | SHIFT), ("ArrowLeft", ALT),
                  ("ArrowRight", ALT), ("F5", 0), ("F5", CTRL), ("F5", SHIFT), ("F6", 0), ("F6", SHIFT), ("F12", 0),
                  # for which nobody here has a use
                  ("h", CTRL), ("j", CTRL), ("u", CTRL), ("g", CTRL), ("J", CTRL | SHIFT), ("d", ALT), ("f", ALT), ("F7", 0)]
    OF_PROGRAM = [("k", CTRL), ("z", CTRL), ("s", CTRL), ("o", CTRL), ("ArrowRight", 0), ("F1", 0), ("PageDown", 0), ("ArrowUp", ALT)]

    def passes(self, key, modifiers):
        """Whether the page leaves the key to the browser."""
        code = f"Key{key.upper()}" if len(key) == 1 else key
        return self.page.run(f"""dispatchEvent(new KeyboardEvent("keydown", {{ key: {json.dumps(key)}, code: "{code}", bubbles: true,
          cancelable: true, ctrlKey: {json.dumps(bool(modifiers & CTRL))}, shiftKey: {json.dumps(bool(modifiers & SHIFT))},
          altKey: {json.dumps(bool(modifiers & ALT))} }}))""")

    def test_keys_of_the_browser(self):
        self.open("#lecture=numpy-from-scratch&step=2")
        before = self.page.picture()
        for key, modifiers in self.OF_BROWSER:
            with self.subTest(f"{key} {modifiers}"):
                self.assertTrue(self.passes(key, modifiers))
        self.page.settle_anew()
        self.assertEqual(differing(self.page.picture(), before)[0], 0)

    def test_no_words_name_a_key_of_the_browser(self):
        """The list of keys, the palette and menus have theirs from the table of actions; other words name them themselves."""
        names = {self.name_of(*chord) for chord in self.OF_BROWSER}
        self.page.resize(800, 600)  # which is drawn sooner
        self.open("#lecture=numpy-from-scratch&step=2")
        heard = []
        self.page.key("F1")
        for _ in range(2):  # the cross, and the list
            self.page.key("Tab")
        heard += self.read_down()
        for _ in range(2):
            self.page.key("Escape")
        self.page.key("k", modifiers=CTRL)
        heard += self.read_down(until="Step 1. ")  # from there on there are no keys
        self.page.key("Escape")
        self.page.act("Input.dispatchKeyEvent", type="rawKeyDown", key="F10", code="F10", modifiers=SHIFT)
        heard += self.read_down()
        self.assertGreater(len(heard), 150)
        for chord in self.OF_PROGRAM:
            self.assertTrue(any(self.name_of(*chord) in self.keys_in(words) for words in heard), chord)
        for words in heard:
            self.assertFalse(names & self.keys_in(words), words)
        root = pathlib.Path(__file__).parents[2]
        written = [text for kind in ("*.cpp", "*.hpp", "*.inc") for file in (root / "app").rglob(kind)
                   for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', file.read_text())]
        written += [file.read_text() for file in (root / "assets/lectures").rglob("*.md")]
        self.assertIn("Ctrl+K", set().union(*map(self.keys_in, written)))
        for words in written:
            self.assertFalse(names & self.keys_in(words), words)

    @staticmethod
    def name_of(key, modifiers):
        """As the program writes it."""
        others = {"ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "PageDown": "Page Down"}
        name = others.get(key, key.upper() if len(key) == 1 else key)
        return "".join(held for bit, held in ((CTRL, "Ctrl+"), (ALT, "Alt+"), (SHIFT, "Shift+")) if modifiers & bit) + name

    @staticmethod
    def keys_in(words):
        return set(re.findall(r"Page Down|[^\s,.;:()`*]+", words))

    def read_down(self, until=""):
        """What is said of a list's lines, from the first to the last, or to one that begins so."""
        return self.page.run("""(async () => {
          const said = () => document.getElementById("headlight-focus")?.textContent.trim() ?? "";
          const heard = [said()];
          for (;;) {
            for (const kind of ["keydown", "keyup"])
              dispatchEvent(new KeyboardEvent(kind, { key: "ArrowDown", code: "ArrowDown", bubbles: true, cancelable: true }));
            for (let frames = 0; frames < 20 && said() === heard.at(-1); frames++) await new Promise(requestAnimationFrame);
            if (heard.includes(said())) return heard;  // at the end, or anew
            heard.push(said());
            if (UNTIL && said().startsWith(UNTIL)) return heard;
          } })()""".replace("UNTIL", json.dumps(until)))

    def test_keys_of_the_program(self):
        self.page.call("Page.setInterceptFileChooserDialog", enabled=True)
        self.open("#lecture=numpy-from-scratch&step=2")
        for key, modifiers in self.OF_PROGRAM:
            with self.subTest(f"{key} {modifiers}"):
                self.assertFalse(self.passes(key, modifiers))


class Isolated(InEveryBrowser, WithChromium):
    """The page where its web server lets it share memory with threads."""
    HEADERS = chromium.ISOLATED
    LARGE = b"version = 1\n[sizes]\nbatch = 4\nquery_length = 128\nd_model = 512\nheads = 8\n"

    test_a_long_training_leaves_the_page_alive_and_esc_stops_it = Use.test_a_long_training_leaves_the_page_alive_and_esc_stops_it
    test_an_export_runs_beside_the_page_and_can_be_ended = Use.test_an_export_runs_beside_the_page_and_can_be_ended
    test_a_page_of_its_own_out_of_a_page = Use.test_a_page_of_its_own_out_of_a_page
    test_without_a_network_after_the_first_visit = Use.test_without_a_network_after_the_first_visit
    test_relaxed_simd_is_used = Use.test_relaxed_simd_is_used
    test_the_trained_layer = Use.test_the_trained_layer

    def test_threads_change_no_bit(self):
        self.open("#lecture=meaning&step=3")
        self.assertEqual(self.page.run("PThread.runningWorkers.length"), 0)
        self.page.drop("large.toml", self.LARGE)
        self.assertGreater(self.page.run("PThread.runningWorkers.length"), 0)
        self.assertNotIn("/headlight.wasm", dict(self.server.answers))
        file = self.folder / "large.toml"
        file.write_bytes(self.LARGE)
        for name, what in (("large", ("--setup", "/home/web_user/files/large.toml")),
                           *((lecture, ("--lecture", lecture)) for lecture in ("meaning", "learning", "scale", "shapes"))):
            ended = self.ended(self.beside("compute", *what, "-o", f"/home/web_user/Documents/{name}.npz"))
            self.assertEqual(ended, [0, ""])
            alone = self.folder / "alone.npz"
            run(*NODE, "compute", *((what[0], file) if what[0] == "--setup" else what), "-o", alone)
            with self.subTest(name), np.load(io.BytesIO(self.downloaded(f"{name}.npz"))) as own, np.load(alone) as wanted:
                self.assertEqual(own.files, wanted.files)
                for tensor in wanted.files:
                    self.assertEqual(own[tensor].tobytes(), wanted[tensor].tobytes(), tensor)


class InNotebook(WithChromium):
    """The two lines of docs/browser-and-links.md for a notebook, run by Debian's Jupyter, and the page that it makes of it."""

    def shown(self, *what):
        """The title of the frame in the notebook's page, and what the program there keeps of its session."""
        lines = [f"!headlight export {' '.join(what)} --as page -o mine.html\n",
                 'import IPython; IPython.display.IFrame("mine.html", "100%", 600)']
        cell = {"cell_type": "code", "id": "two-lines", "metadata": {}, "source": lines, "outputs": [], "execution_count": None}
        about = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        book = self.folder / "book.ipynb"
        book.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": about, "cells": [cell]}))
        # The program looks for the page that it begins with in folders of the person's.
        shared = self.folder / "share/headlight"
        if not shared.exists():
            shared.mkdir(parents=True)
            (shared / "headlight.html").symlink_to(WEB / "headlight.html")
        run("jupyter", "nbconvert", "--to", "html", "--execute", book, cwd=self.folder, env={
            **os.environ, "PATH": f"{HEADLIGHT.parent}:{os.environ['PATH']}", "XDG_DATA_HOME": str(self.folder / "share"),
            "HOME": str(self.folder)})
        self.server = self.enterContext(chromium.served(self.folder))
        self.page.navigate(self.server.address + "book.html")
        self.page.wait("document.querySelector('iframe')?.contentWindow.Module?.settled === true")
        # Nothing but the frame is ours: what Debian's nbconvert takes from the system's files is missing in a browser.
        self.page.errors.clear()
        self.assertEqual(self.page.run("document.querySelector('iframe').contentWindow.Module.errors"), [])
        frame = "document.querySelector('iframe')"
        self.page.run(f"{frame}.scrollIntoView(), 0")
        self.keep_picture(f"frame-notebook-{self._testMethodName}")
        return (self.page.run(f"{frame}.contentDocument.title"),
                self.page.run(f"{frame}.contentWindow.FS.readFile('{SESSION}', {{ encoding: 'utf8' }})"))

    def test_a_setup(self):
        (self.folder / "five.toml").write_text("version = 1\n[sizes]\nquery_length = 5\n")
        self.assertIn("query_length = 5", self.shown("--setup", "five.toml")[1])

    def test_an_npz(self):
        attentions = np.random.default_rng(0).random((2, 1, 3, 5, 5))
        np.savez(self.folder / "attentions.npz", attentions=attentions / attentions.sum(-1, keepdims=True), tokens=list("abcde"))
        self.assertIn("layer 0 of attentions.npz", self.shown("--model", "attentions.npz")[0])

    def test_a_captured_model(self):
        run(HEADLIGHT, "capture", "-o", "capture.py", cwd=self.folder)
        for count in (1, 3):
            with self.subTest(count):
                run("/usr/bin/python3", "-B", "-c", CAPTURE, count, cwd=self.folder)
                title, session = self.shown("--model", "capture")
                self.assertIn("layers.0.self_attn", title)
                self.assertIn("/page/capture/layers.0.self_attn.npz", session)
                for token in ("Das", "größte", "猫"):
                    self.assertIn(f'"{token}"', session.replace('\\"', '"'))
                self.assertEqual(self.page.run("document.querySelector('iframe').contentDocument.getElementById('notice').hidden"), True)


class Events(WithChromium):
    """Whatever the user may do, at random, for HEADLIGHT_EVENT_SECONDS (20) from HEADLIGHT_EVENT_SEED (1)."""

    WORDS = ["heads", "light", "export", "learn", "mask", "seed", "tokens", "present", "lecture", "scale", "rotary", "0.5",
             "-3", "12", "99", "1e-9", "Zoë 你好", "undo", "reset", "handout", "compare", "layer"]
    KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", "Enter", "Escape", "Tab",
            "Backspace", "Delete", *(f"F{i}" for i in range(1, 12)), *"abcdefghijklmnopqrstuvwxyz0123456789.,[]/+-= "]
    OF_BROWSER = set("rtwnl")
    SIZES = [(1440, 900, 1), (1280, 720, 1), (900, 700, 2), (390, 844, 1), (320, 240, 1), (2000, 1200, 1), (700, 420, 1.5)]

    def test_nothing_at_random_is_an_error(self):
        seed = int(os.environ.get("HEADLIGHT_EVENT_SEED", 1))
        self.random = random.Random(seed)
        self.lectures = list(lectures())
        self.size, self.done, count = (1440, 900), [], 0
        self.take_a_tab()
        end = time.monotonic() + float(os.environ.get("HEADLIGHT_EVENT_SECONDS", 20))
        happenings = {self.move: 20, self.click: 30, self.drag: 8, self.wheel: 12, self.key: 30, self.control: 8,
                      self.words: 10, self.palette: 6, self.tap: 8, self.long_press: 1, self.pinch: 2, self.resize: 3,
                      self.file: 1, self.paste: 2, self.again: 1}
        try:
            while time.monotonic() < end:
                happening, = self.random.choices(list(happenings), happenings.values())
                self.done.append(happening.__name__)
                happening()
                count += 1
                if count % 20 == 0:
                    self.wait_for_a_frame()
                self.assertEqual(self.page.errors, [])
            self.wait_for_a_frame()
        except (AssertionError, chromium.Failed) as error:
            raise AssertionError(f"seed {seed}, after {count} events, of them the last: {self.done[-40:]}: {error}") from error
        print(f"{count} events from seed {seed}, {self.done.count('another tab')} times in another tab", file=sys.stderr)

    # A page that counts the fingers that come down on it, and does nothing else.
    PLAIN = """data:text/html,<meta name=viewport content=width=device-width><body style=height:100vh><script>fingers = 0;
      addEventListener("touchstart", () => fingers++, { passive: false })</script>"""

    def take_a_tab(self):
        self.page.close()
        self.page = self.new_page(width=self.size[0], height=self.size[1], touch=True)
        self.page.call("Page.setInterceptFileChooserDialog", enabled=True)
        # Without a screen, Chromium goes back after a wheel in full screen, whatever a page does.
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source="""delete Element.prototype.requestFullscreen;
          var fingers = 0;
          addEventListener("pointerdown", ({ pointerType }) => { fingers += pointerType === "touch"; }, true);""")
        self.open("#lecture=meaning&step=3")

    def put_down(self, *points):
        """Whether these fingers have come down. Chromium's emulated ones fail now and then where they and a mouse take turns:
        from then on they reach no page in that tab, whatever it is, and the browser zooms and goes back by them itself. Another
        tab has them again."""
        before = self.page.run("fingers")
        self.page.touch("touchStart", *points)
        if self.is_down(before):
            return True
        self.page.touch("touchEnd")
        self.assertEqual(self.page.errors, [])
        self.page.navigate(self.PLAIN)
        self.page.wait("globalThis.fingers === 0 && document.readyState === 'complete'")
        self.page.touch("touchStart", *points)
        self.assertFalse(self.is_down(0, 2), "fingers reach any page but this one")
        self.page.touch("touchEnd")
        self.done.append("another tab")
        self.take_a_tab()
        return False

    def is_down(self, before, seconds=20):
        """Whether more fingers have come down than before, by the time that a busy page may need."""
        end = time.monotonic() + seconds
        while self.page.run("fingers") <= before:
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def wait_for_a_frame(self):
        """Nothing need settle: a training that some key has started goes on until it is stopped."""
        self.page.run("""new Promise((done) => {
          const before = Module.on_frame;
          Module.on_frame = () => { Module.on_frame = before; before(); done(0); };
          _page_stir(); })""")

    def place(self):
        at = self.random.randrange(self.size[0]), self.random.randrange(self.size[1])
        self.done.append(at)
        return at

    def mouse(self, kind, at, **more):
        self.page.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], **more)

    def press(self, key, modifiers=0):
        self.done.append((key, modifiers))
        is_letter = len(key) == 1
        code = f"Key{key.upper()}" if is_letter and key.isalpha() else f"Digit{key}" if key.isdigit() else key
        about = {"key": key, "code": code, "modifiers": modifiers}
        types = {"text": key} if is_letter and not modifiers & CTRL else {}
        self.page.call("Input.dispatchKeyEvent", type="keyDown", **about, **types)
        self.page.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def move(self):
        self.mouse("mouseMoved", self.place())

    def click(self):
        at, button = self.place(), self.random.choice(["left"] * 6 + ["right", "middle"])
        self.done.append(button)
        self.mouse("mouseMoved", at)
        for count in range(1, self.random.choice([1, 1, 1, 2]) + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.mouse(kind, at, button=button, clickCount=count)

    def drag(self):
        a, b = self.place(), self.place()
        self.mouse("mousePressed", a, button="left", clickCount=1)
        for share in (0.3, 0.7, 1):
            self.mouse("mouseMoved", [round(x + (y - x) * share) for x, y in zip(a, b)], button="left", buttons=1)
            self.random.random() < 0.1 and self.press("Escape")
        self.mouse("mouseReleased", b, button="left", clickCount=1)

    def wheel(self):
        turn = self.random.choice([-300, -100, -7, 7, 100, 300])
        self.mouse("mouseWheel", self.place(), deltaX=self.random.choice([0, 0, turn]), deltaY=turn,
                   modifiers=self.random.choice([0, 0, CTRL, SHIFT]))

    def key(self):
        self.press(self.random.choice(self.KEYS), self.random.choice([0, 0, 0, SHIFT]))

    def control(self):
        key = self.random.choice([key for key in self.KEYS if key not in self.OF_BROWSER])
        self.press(key, CTRL | self.random.choice([0, 0, SHIFT]))

    def words(self):
        words = self.random.choice(self.WORDS)
        self.done.append(words)
        if self.random.random() < 0.5:
            self.page.call("Input.insertText", text=words)
        else:
            for letter in words:
                self.press(letter)
        self.random.random() < 0.6 and self.press(self.random.choice(["Enter", "Tab", "Escape"]))

    def palette(self):
        self.press("k", CTRL)
        self.wait_for_a_frame()
        self.words()
        for _ in range(self.random.randrange(4)):
            self.press("ArrowDown")
        self.press(self.random.choice(["Enter", "Enter", "Escape"]))

    def tap(self, seconds=0):
        if not self.put_down(self.place()):
            return
        time.sleep(seconds)
        self.random.random() < 0.3 and self.page.touch("touchMove", self.place())
        self.page.touch("touchEnd")

    def long_press(self):
        self.tap(0.6)

    def pinch(self):
        (x, y), last = self.place(), self.random.randrange(5, 300)
        ways = [((max(0, x - apart), y), (x + apart, y)) for apart in (100, 110, last)]
        if not self.put_down(*ways[0]):
            return
        for at in ways[1:]:
            self.page.touch("touchMove", *at)
        self.page.touch("touchEnd")

    def resize(self):
        *self.size, scale = self.random.choice(self.SIZES)
        self.done.append((*self.size, scale))
        self.page.resize(*self.size, scale)

    def file(self):
        name, data = self.random.choice([("six.toml", b'version = 1\n[sizes]\nquery_length = 6\n'), ("bad.toml", b"version = \xff"),
                                         ("empty.npz", b""), ("x.csv", b"1,2\n3,4\n"), ("odd.safetensors", b"\x08" + bytes(40))])
        self.done.append(name)
        self.page.drop(name, data)

    def paste(self):
        words = self.random.choice(["[[1, 2], [3, 4]]", "0.25 0.75\n0.5 0.5", "nothing", "version = 1\n"])
        self.done.append(words)
        self.page.run(f"""(() => {{ const data = new DataTransfer(); data.setData("text/plain", {json.dumps(words)});
          dispatchEvent(new ClipboardEvent("paste", {{ clipboardData: data, bubbles: true, cancelable: true }})); }})()""")

    def again(self):
        lecture, steps = self.random.choice(self.lectures)
        fragment = f"#lecture={lecture}&step={self.random.randint(1, steps)}"
        self.done.append(fragment)
        if self.random.random() < 0.3:
            self.page.reload()
        else:
            self.open(fragment)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
