"""The wheel with the page inside, in notebooks of Debian's Jupyter with Chromium in front: in Jupyter Notebook, and in
JupyterLab where it is installed (Debian 12 has none).

notebook_test.py HEADLIGHT WEB [TEST...]: HEADLIGHT is the native program, and WEB has headlight.html. Pictures of the
notebook are left in WEB/../web-pictures, to be looked at.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import browser as chromium
from browser import CTRL

HEADLIGHT, WEB = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
TOP = pathlib.Path(__file__).resolve().parents[2]
PICTURES = WEB.parent / "web-pictures"
# What the frames tell their page.
TOLD = """if (window === top && !window.told) {
  window.told = [];
  addEventListener('message', ({ data }) => data?.headlight && told.push(data));
}"""
# The name of the first frame.
NEWEST = "document.querySelector('iframe[data-headlight]')?.dataset.headlight"
BOOK = ["""import headlight, numpy as np
draw = np.random.default_rng(1).standard_normal
X, W_q, W_k, W_v, W_o = draw((4, 8)), *(draw((8, 8)) / 3 for _ in range(4))
shown = headlight.show(X=X, W_q=W_q, W_k=W_k, W_v=W_v, W_o=W_o, heads=2, tokens="the cat sat down".split(), theme="light")
shown""", """def heads(x):
    return x.reshape(4, 2, 4).swapaxes(0, 1)
scores = heads(X @ W_q) @ heads(X @ W_k).swapaxes(1, 2) / 4**0.5
e = np.exp(scores)
weights = e / e.sum(-1, keepdims=True)
right = headlight.check(scores=scores, weights=weights)
right""", """scores = heads(X @ W_q) @ heads(X @ W_k).swapaxes(1, 2) / 4
e = np.exp(scores)
weights = e / e.sum(-1, keepdims=True)
wrong = headlight.check(scores=scores, weights=weights)
wrong""", """print(right.agrees, wrong.first_difference, wrong.mistakes, \'kinds = ["causal"]\' in shown.setup, float(shown.values["W_q"][0, 0]) == W_q[0, 0])"""]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stderr}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The wheel, installed into an empty environment without a network."""
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="headlight-test-")))
        run(HEADLIGHT, "capture", "-o", cls.folder / "capture.py")
        wheel = run(sys.executable, "-B", TOP / "python/make_wheel.py", "1.2.3", WEB / "headlight.html", cls.folder / "capture.py",
                    cls.folder).strip()
        run(sys.executable, "-m", "venv", cls.folder / "empty")
        run(cls.folder / "empty/bin/python", "-I", "-m", "pip", "install", "--no-index", "--quiet", "--disable-pip-version-check", wheel)
        cls.browser = cls.enterClassContext(chromium.Browser(cls.folder / "profile"))

    def setUp(self):
        self.page = self.browser.page(1280, 1500)
        self.page.prefer("light")
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source=TOLD)
        self.addCleanup(self.page.close)

    def picture(self, name):
        PICTURES.mkdir(exist_ok=True)
        self.page.picture().save(PICTURES / f"{name}.png")


class Page(Installed):
    def test_a_page_from_an_empty_environment(self):
        program = "import headlight; headlight.show('bank', step=3).save('bank.html')"
        run(self.folder / "empty/bin/python", "-I", "-c", program, cwd=self.folder, env={"PATH": ""})
        self.page.open((self.folder / "bank.html").as_uri())
        self.assertIn("step 3 of", self.page.run("document.getElementById('words').textContent").lower())
        # What takes it along where nothing comes back: lines that the same environment runs.
        self.choose("as python")
        self.assertEqual(self.page.run("Module.clip"), 'import headlight\nheadlight.show("bank", step=3)\n')
        self.choose("causal")
        self.choose("as python")
        lines = self.page.run("Module.clip")
        self.assertIn('kinds = ["causal"]', lines)
        run(self.folder / "empty/bin/python", "-I", "-c", f"{lines.rstrip()}.save('again.html')", cwd=self.folder, env={"PATH": ""})
        self.page.open((self.folder / "again.html").as_uri())
        self.assertEqual(self.page.errors, [])

    def choose(self, words):
        """An action of the palette."""
        self.page.key("k", modifiers=CTRL)
        self.page.type(words)
        self.page.key("Enter")


class Walk:
    """What somebody does in a notebook. What is different in each front end follows: `command` and `path` start it, `name` names its
    pictures, `ready`, `busy`, `given` and `text` are JavaScript."""

    def test_show_edit_check_and_run_all_again(self):
        self.open_notebook()
        self.execute(0)
        self.page.wait("told.length === 1", 90)
        self.assertIn("kinds = []", self.session())
        self.picture(f"{self.name}-shown")
        # An edit in the frame, and back in the kernel.
        self.hide_later_words("iframe[data-headlight]")
        self.execute(1, 2)
        self.execute_until(3, "True scores ['scale_d_head'] True True")
        self.picture(f"{self.name}-checked")
        # What is wrong, in the app below the card.
        self.page.run("(document.querySelectorAll('button[id^=headlight-]')[1].click(), 0)")
        self.page.wait("told.at(-1).headlight === 'comparison' && told.at(-1).session.includes('view = \"compare\"')", 90)
        self.assertRegex(self.page.run(self.text.format(2)), r"divided by d_head itself\s*scores\[0,\d,\d,\d\]: yours .*, ours ")
        work = self.session().partition("[work]")[2]
        self.assertIn('file = "/page/mine.npz"', work)
        self.assertIn("shown = true", work)
        self.page.run("(document.querySelector('iframe[srcdoc]:not([data-headlight])').scrollIntoView(), 0)")
        self.picture(f"{self.name}-comparison")
        # A saved notebook begins anew.
        before = self.page.run(NEWEST)
        self.restart_and_run_all()
        self.page.wait(f"!({self.busy}) && ![undefined, '{before}'].includes({NEWEST})", 120)
        self.page.run("(document.querySelector('iframe[data-headlight]').scrollIntoView(), 0)")  # out of sight it draws nothing
        self.page.wait(f"told.at(-1).headlight === {NEWEST}", 60)
        self.assertEqual(self.printed(3), "True scores ['scale_d_head'] False True")
        # Debian's notebook asks for an extension that isn't there.
        self.assertEqual([error for error in self.page.errors if "nbextensions" not in error and "Failed to load" not in error], [])
        # Saved, it is larger by one page, and shows the app when it is opened again, and without Jupyter too.
        self.save()
        self.assertLess(abs((self.folder / "book.ipynb").stat().st_size / (WEB / "headlight.html").stat().st_size - 1), 0.02)
        self.go_to_notebook()
        self.page.wait("told.length === 1", 90)
        self.picture(f"{self.name}-opened-again")
        run("jupyter", "nbconvert", "--to", "html", "book.ipynb", cwd=self.folder, env=self.environment)
        self.page.navigate((self.folder / "book.html").as_uri())
        self.page.wait("globalThis.told?.length === 1", 60)
        self.picture(f"{self.name}-html")

    def test_a_notebook_from_somebody_else(self):
        """Neither frames nor scripts are let in before somebody trusts it: the still picture is there."""
        self.open_notebook()
        self.execute(0)
        self.page.wait("told.length === 1", 90)
        self.save()
        book = json.loads((self.folder / "book.ipynb").read_text())
        book["cells"][1]["source"] = "print('another hand')"
        (self.folder / "book.ipynb").write_text(json.dumps(book))
        self.go_to_notebook()
        self.page.wait("[...document.images].some((image) => image.alt.startsWith('Headlight shows') && image.naturalWidth > 100)", 60)
        self.assertEqual(self.page.run("document.querySelectorAll('iframe[data-headlight]').length"), 0)
        self.picture(f"{self.name}-not-trusted")

    def test_two_of_them_and_one_in_a_file_of_its_own(self):
        self.open_notebook(f"""{BOOK[0].rpartition("shown")[0]}
import torch
file = headlight.show("bank", step=3, inline=False, theme="light")
file""", "other = headlight.show(torch.nn.MultiheadAttention(8, 2), torch.randn(3, 1, 8), theme='light')\nother",
                           """print('"causal"' in shown.setup, '"causal"' in other.setup, "step=3" in file.source.place)""")
        self.execute(0, 1)
        self.page.wait("new Set(told.map(({ headlight }) => headlight)).size === 2", 90)
        self.picture(f"{self.name}-two")
        self.save()
        book = (self.folder / "book.ipynb").stat().st_size
        self.assertLess(book, 1.1 * (WEB / "headlight.html").stat().st_size, "one page is in it, and not two")
        self.assertEqual([error for error in self.page.errors if "nbextensions" not in error and "Failed to load" not in error], [])
        self.hide_later_words("iframe[srcdoc]")
        self.execute_until(2, "False True True")

    # What somebody does in a notebook.

    def open_notebook(self, *sources):
        cells = [{"cell_type": "code", "metadata": {}, "source": text, "outputs": [], "execution_count": None} for text in sources or BOOK]
        about = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        (self.folder / "book.ipynb").write_text(json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": about, "cells": cells}))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        own = {name: str(self.folder / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
        installed, = (self.folder / "empty/lib").glob("*/site-packages")
        self.environment = {**os.environ, **own, "HOME": str(self.folder), "HEADLIGHT": str(HEADLIGHT), "PYTHONPATH": str(installed)}
        server = subprocess.Popen(
            ["jupyter", *self.command, "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={self.port}",
             # Debian 13's waits as long, by default a minute, before it first connects to a kernel.
             "--MappingKernelManager.kernel_info_timeout=15"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=self.folder, env=self.environment)
        self.addCleanup(server.wait, 30)
        self.addCleanup(server.terminate)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                self.page.browser.read(0.1)
        self.go_to_notebook()

    def go_to_notebook(self):
        self.page.navigate(f"http://127.0.0.1:{self.port}/{self.path}/book.ipynb?token=own")
        self.page.wait(self.ready, 120)

    def execute(self, *cells):
        for cell in cells:
            self.run_cell(cell)
        self.page.wait(f"!({self.busy}) && {json.dumps(cells)}.every((i) => {self.given.format('i')}.length)", 60)

    def execute_until(self, cell, printed):
        """The kernel hears of an edit a moment after it."""
        for _ in range(60):
            self.execute(cell)
            if self.printed(cell) == printed:
                return
            time.sleep(0.5)
        self.assertEqual(self.printed(cell), printed)

    def hide_later_words(self, frame):
        """Sets a causal mask in the app of this frame, by its palette."""
        x, y, *_ = self.place(frame)
        self.click(x + 440, y + 16)
        self.key("k", modifiers=CTRL)
        for letter in "causal":
            self.key(letter)
        self.key("Enter")
        self.page.wait("told.at(-1).session.includes('kinds = [\\\\\"causal')", 30)

    def session(self):
        return self.page.run("told.at(-1).session")

    def printed(self, cell):
        return self.page.run(f"{self.given.format(cell)}.map((o) => [o.text ?? o.evalue ?? ''].flat().join('')).join('').trim()")

    def place(self, selector):
        return self.page.run(f"(({{ x, y, width, height }}) => [x, y, width, height])(document.querySelector('{selector}').getBoundingClientRect())")

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, key, modifiers=0):
        code = f"Key{key.upper()}" if len(key) == 1 else key
        about = {"key": key, "code": code, "modifiers": modifiers, "windowsVirtualKeyCode": {"Enter": 13}.get(key, ord(key[0].upper()))}
        types = {"text": key} if len(key) == 1 and not modifiers else {}
        self.page.call("Input.dispatchKeyEvent", type="keyDown", **about, **types)
        self.page.call("Input.dispatchKeyEvent", type="keyUp", **about)


class Notebook(Walk, Installed):
    name, path = "notebook", "notebooks"
    command = ["notebook", "--NotebookApp.token=own"]
    ready = "window.Jupyter?.notebook?.kernel?.is_connected?.() === true && Jupyter.notebook.get_cells().length > 2"
    busy = "Jupyter.notebook.get_cells().some((cell) => cell.element.hasClass('running'))"
    given = "Jupyter.notebook.get_cell({}).output_area.outputs"
    text = "Jupyter.notebook.get_cell({}).output_area.element.text()"

    def run_cell(self, cell):
        self.page.run(f"(Jupyter.notebook.execute_cells([{cell}]), 0)")

    def restart_and_run_all(self):
        self.page.run("(Jupyter.notebook.restart_run_all({ confirm: false }), 0)")

    def save(self):
        self.page.run("Jupyter.notebook.save_notebook().then(() => 0)")


# Debian 12 has no JupyterLab; on Debian 13 the package jupyterlab makes the same walk go through it, too.
if shutil.which("jupyter-lab"):
    class Lab(Walk, Installed):
        name, path = "lab", "lab/tree"
        command = ["lab", "--IdentityProvider.token=own", "--LabApp.expose_app_in_browser=True", "--LabApp.news_url=None"]
        book = "jupyterapp.shell.currentWidget"
        ready = f"window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status === 'idle' && {book}.content.widgets.length > 2"
        busy = "[...document.querySelectorAll('.jp-InputPrompt')].some((prompt) => prompt.textContent.includes('*'))"
        given = book + ".content.widgets[{}].model.outputs.toJSON()"
        text = book + ".content.widgets[{}].outputArea.node.textContent"

        def run_cell(self, cell):
            self.page.run(f"({self.book}.content.activeCellIndex = {cell}, jupyterapp.commands.execute('notebook:run-cell')).then(() => 0)")

        def restart_and_run_all(self):
            """It asks first."""
            self.page.run("(jupyterapp.commands.execute('notebook:restart-run-all'), 0)")
            self.page.wait("document.querySelector('.jp-Dialog .jp-mod-accept') !== null")
            self.page.run("(document.querySelector('.jp-Dialog .jp-mod-accept').click(), 0)")
            self.page.wait("document.querySelector('.jp-Dialog') === null")

        def save(self):
            self.page.run(f"{self.book}.context.save().then(() => 0)")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
