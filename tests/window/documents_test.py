"""Types what README.md and docs/ say to type, as it is written there, one block after the other.

    documents_test.py HEADLIGHT XVFB XDOTOOL

Each page has a folder of its own with what a reader would have by then: the setups that are to be saved, a model's file, a PyTorch
model. Every command must end well, without a complaint, and leave the file that it names; one that opens a window must draw in it and
say what it shows in its title. What builds Headlight is typed by other tests; the list says by which.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import torch

from window_test import Display, Window, wait_for
from presenter_test import ask_to_close

TOP = pathlib.Path(__file__).parents[2]
sys.path += [str(TOP / "tests/library"), str(TOP / "tests/cli")]
HEADLIGHT, XVFB, XDOTOOL = pathlib.Path(sys.argv.pop(1)).resolve(), sys.argv.pop(1), sys.argv.pop(1)
CHOSEN = sys.argv[1:]
del sys.argv[1:]
import whole
from layers_test import safetensors
FENCED = re.compile(r"(?ms)^```([a-z]*)\n(.*?)^```$")
# What builds or installs Headlight, and who types it.
ELSEWHERE = {
    "./test": "this is a part of it",
    "./web": "./test --web",
    "./package": "./test --package",
    "./package --wheel": "./test --page makes the wheel (tests/web/notebook_test.py)",
    "./package --archive": "whoever makes a release",
    "sudo apt install ./build/package/headlight_1.0.0_amd64.deb": "whoever makes a release; ./test --package looks into it",
    "cmake --workflow --preset release": "./test, with a folder that is there already",
    "cmake --install build/release": "tests/house/installed_test.py",
}
# What a page would be written into; the real one takes as long as a cup of coffee to build.
PAGE = '<!DOCTYPE html>\n<title>Headlight</title>\n<script type="application/json" id="headlight-document"></script>\n'
MODEL = """import torch
torch.manual_seed(0)
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        layer = torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
        self.encoder = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    def forward(self, x):
        return self.encoder(x)
model, x = Model(), torch.randn(1, 2, 16)
"""
LECTURE = '+++\ntitle = "Mine"\n[setup]\nrandom = { draws = ["seed 0", "X uniform"] }\n+++\n\n## One step\n\nOf mine.\n'


def pages():
    return [TOP / "README.md", *sorted((TOP / "docs").glob("*.md"))]


def lines_of(block):
    """Its commands, each with the lines that it goes on in, without what is said about them."""
    joined = re.sub(r"\\\n +", "", block)
    return [line for line in (re.sub(r" +# .*", "", line) for line in joined.splitlines()) if line]


def blocks(page):
    """What is to be typed. What says in brackets what may be left out only lists the commands."""
    for language, block in FENCED.findall(page.read_text(encoding="utf-8")):
        if language == "" and "WHAT" not in block:
            yield lines_of(block)
        elif language == "python":
            yield [line[1:] for line in block.splitlines() if line.startswith("!")]


def saved_setups():
    """The setups of docs/setups.md that are to be saved, by name."""
    setups = {}
    text = (TOP / "docs/setups.md").read_text(encoding="utf-8")
    for found in re.finditer(r"(?ms)^```toml\n(.*?)^```$", text):
        names = re.findall(r"as\s+`(\w+\.toml)`", text[max(0, found.start() - 120):found.start()])
        names += re.findall(r"^\s*Save it as `(\w+\.toml)`", text[found.end():])
        setups |= {name: found[1] for name in names}
    return setups


def write_model(folder):
    """GPT-2's blocks with a vocabulary that has the symbols of the page."""
    model = whole.Gpt2(1, symbols=4000)
    (folder / "model.safetensors").write_bytes(safetensors({name: value.numpy() for name, value in model.state.items()}))
    (folder / "config.json").write_text(json.dumps(model.config))


def write_attentions(folder):
    """Runs the page's own lines on something with the interface of a Hugging Face model."""
    block, = (block for language, block in FENCED.findall((TOP / "docs/models-and-captures.md").read_text(encoding="utf-8"))
              if language == "python" and "attentions.npz" in block)

    class Said:
        attentions = tuple(torch.softmax(torch.randn(1, 2, 3, 3), -1) for _ in range(2))

    class Tokenizer:
        @staticmethod
        def convert_ids_to_tokens(ids):
            return [f"word{number}" for number in ids.tolist()]

    def model(input_ids, output_attentions):
        assert output_attentions
        return Said

    os.chdir(folder)
    exec(block, {"torch": torch, "np": np, "model": model, "tokenizer": Tokenizer, "inputs": {"input_ids": torch.tensor([[3, 1, 2]])}})


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PATH"] = f"{HEADLIGHT.parent}{os.pathsep}/usr/bin{os.pathsep}{os.environ['PATH']}"
        cls.display = cls.enterClassContext(Display(XVFB))

    def setUp(self):
        self.home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="headlight-test-")))
        self.folder = self.home / "here"
        self.folder.mkdir()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, TOP)
        (self.home / ".local/share/headlight").mkdir(parents=True)
        (self.home / ".local/share/headlight/headlight.html").write_text(PAGE)

    def type(self, line):
        """Types a command into a shell in the folder; one that opens a window ends when that is closed."""
        if re.match(r"headlight( -|$)|\./run", line):
            return self.open_window(line)
        done = subprocess.run(["bash", "-e", "-c", line], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
                              env={"HOME": str(self.home), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"{line}\n{done.stdout}")
        for name in re.findall(r" -o (\S+)", line):
            self.assertTrue((self.folder / name).exists(), f"{line}: no {name}")

    def open_window(self, line):
        window = Window("bash", XDOTOOL, self.display.name, self.home, "-c", f"exec {line}")
        try:
            wait_for(lambda: window.frame_log.exists() and window.frame_log.read_text(), f"a picture of {line}")
            for number in window.do("search", "--onlyvisible", "--class", "headlight").split():
                self.assertIn("Headlight", window.do("getwindowname", number), line)
            ask_to_close(window, window.do("search", "--onlyvisible", "--class", "headlight").split()[0])
            self.assertEqual((window.process.wait(60), window.process.stderr.read()), (0, ""), line)
        finally:
            window.process.kill()
            window.process.wait()
            window.process.stderr.close()
            window.frame_log.unlink(missing_ok=True)

    def type_page(self, name, before={}, own=("", "")):
        """`before` has what a person does before a command, and `own` words of a page that stand for others of theirs."""
        for line in (line for block in blocks(TOP / name) for line in block if line not in ELSEWHERE):
            with self.subTest(line):
                before.get(line, lambda: None)()
                self.type(line.replace(*own))

    def test_every_page_has_a_test(self):
        with_commands = {page.stem for page in pages() if any(line not in ELSEWHERE for block in blocks(page) for line in block)}
        tested = {name.removeprefix("test_page_").replace("_", "-") for name in dir(self) if name.startswith("test_page_")}
        self.assertEqual(with_commands, {name if name != "readme" else "README" for name in tested})

    def test_what_is_typed_elsewhere_is_in_a_page(self):
        every = {line for page in pages() for block in blocks(page) for line in block}
        self.assertLessEqual(set(ELSEWHERE), every)

    def test_page_readme(self):
        """With the script itself, and nothing to install or build."""
        shutil.copy(TOP / "run", "run")
        pathlib.Path(".ci").mkdir()
        pathlib.Path(".ci/prepare.sh").write_text("install_packages() { :; }\nbuild() { :; }\n")
        pathlib.Path("build/release").mkdir(parents=True)
        pathlib.Path("build/release/headlight").symlink_to(HEADLIGHT)
        self.type_page("README.md")

    def test_page_browser_and_links(self):
        pathlib.Path("DIR").mkdir()
        pathlib.Path("DIR/my-lesson.md").write_text(LECTURE)
        draw = np.random.default_rng(0).standard_normal
        np.savez("arrays.npz", W_q=draw((128, 128)))
        pathlib.Path("large.toml").write_text('version = 1\n[sizes]\nquery_length = 4\nd_model = 128\nheads = 2\n[values]\nW_q = "arrays.npz:W_q"\n')
        write_attentions(self.folder)
        self.type_page("docs/browser-and-links.md")

    def test_page_checking_your_work(self):
        pathlib.Path("stack.toml").write_text(saved_setups()["stack.toml"])

        def put_code():
            template = pathlib.Path("mine.py").read_text()
            self.assertIn("# Q = ...", template)
            pathlib.Path("mine.py").write_text(re.sub(r"(?m)^# Q = \.\.\. .*$", "Q = X @ W_q", template))

        self.type_page("docs/checking-your-work.md", before={"python3 mine.py": put_code})
        self.assertIn("Q", np.load("mine.npz").files)

    def test_page_command_line(self):
        self.type_page("docs/command-line.md")

    def test_page_lectures(self):
        self.type_page("docs/lectures.md")

    def test_page_models_and_captures(self):
        write_model(self.folder)
        write_attentions(self.folder)
        pathlib.Path("mine.py").write_text(MODEL)
        self.type_page("docs/models-and-captures.md", own=("...;", "from mine import *;"))

    def test_page_notebook(self):
        pathlib.Path("build/package").mkdir(parents=True)
        pathlib.Path("page.html").write_text(PAGE)
        self.type("headlight capture -o capture.py")
        self.type(f"/usr/bin/python3 {TOP}/python/make_wheel.py 1.0.0 page.html capture.py build/package")
        self.type_page("docs/notebook.md")
        self.type("env/bin/python -I -c 'import torch, headlight; assert headlight.__file__.startswith(\"'$PWD/env'\")'")

    def test_page_presenting_and_exporting(self):
        self.type_page("docs/presenting-and-exporting.md")

    def test_page_setups(self):
        setups = saved_setups()
        self.assertEqual(set(setups), {"setup.toml", "learn.toml", "block.toml", "stack.toml", "names.toml"})
        for name, text in setups.items():
            pathlib.Path(name).write_text(text)
        self.type_page("docs/setups.md")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *CHOSEN])
