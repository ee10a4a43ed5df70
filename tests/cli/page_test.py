"""`export --as page` from outside: what is in the page is unpacked as a browser does it, and opened again."""

import base64
import json
import os
import pathlib
import re
import shutil
import unittest
import zlib

import numpy as np

from layers_test import layer, safetensors
from program import HEADLIGHT, SETUP, ProgramTest

PLACE = '<script type="application/json" id="headlight-document">'
EMPTY = f"<!DOCTYPE html>\n<title>Headlight</title>\n{PLACE}</script>\n<script>start();</script>\n"


class Page(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("good.toml", SETUP)
        (self.folder / "data/headlight").mkdir(parents=True)
        self.write("data/headlight/headlight.html", EMPTY)
        self.environment = {"XDG_DATA_HOME": str(self.folder / "data")}

    def unpack(self, page):
        """Puts the files of a page into an empty folder, as a browser does. Returns the folder and the arguments."""
        text = (self.folder / page).read_text()
        self.assertEqual(text.count(PLACE), 1)
        before, inside, after = re.fullmatch(f"(.*?{re.escape(PLACE)})(.*?)(</script>.*)", text, re.DOTALL).groups()
        self.assertEqual(re.sub("<title>.*</title>", "<title>Headlight</title>", before + after), EMPTY)
        self.assertNotIn("<", inside)
        document = json.loads(inside)
        self.assertEqual(document["version"], 1)
        folder = self.folder / (page + " unpacked")
        folder.mkdir()
        for name, packed in document["files"].items():
            self.assertNotIn("..", pathlib.PurePosixPath(name).parts)
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            data = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), wbits=-15)
            (folder / name).write_bytes(data)
        return folder, document["arguments"]

    def opened(self, page):
        """The trace that a page shows, with nothing of this folder at hand but what is in the page."""
        folder, arguments = self.unpack(page)
        hidden = self.folder.with_name(self.folder.name + "-hidden")
        moved = shutil.move(folder, hidden)
        try:
            ended = self.start_in(moved, "compute", *arguments, "-o", "trace.npz")
            self.assertEqual(ended.returncode, 0, ended.stderr.decode())
            with np.load(pathlib.Path(moved) / "trace.npz") as trace:
                return dict(trace), arguments
        finally:
            shutil.rmtree(moved)

    def start_in(self, folder, *arguments):
        own, self.folder = self.folder, pathlib.Path(folder)
        for path in (own / "arrays.npz", own / "model", own / "lectures"):
            if path.exists():
                path.rename(path.with_name(path.name + " away"))
        try:
            return self.start(*arguments)
        finally:
            self.folder = own

    def export(self, *arguments):
        self.succeed("export", *arguments, "--as", "page", "-o", "lesson.html", environment=self.environment)

    def trace(self, *what):
        self.succeed("compute", *what, "-o", "own.npz")
        with np.load(self.folder / "own.npz") as trace:
            return dict(trace)

    def assert_same(self, a, b):
        self.assertEqual(list(a), list(b))
        for name in a:
            np.testing.assert_array_equal(a[name], b[name], name)

    def test_a_setup_and_a_step(self):
        own = self.trace("--setup", "good.toml", "--set", "attention.temperature=2")
        self.export("--setup", "good.toml", "--set", "attention.temperature=2", "--cell", "weights[0,1,2,0]")
        trace, arguments = self.opened("lesson.html")
        self.assert_same(trace, own)
        self.assertIn("&cell=weights[0,1,2,0]", arguments[1])
        self.export("--lecture", "udl-12-2", "--step", 8)
        shutil.rmtree(self.folder / "lesson.html unpacked", ignore_errors=True)
        trace, arguments = self.opened("lesson.html")
        self.assertEqual(arguments, ["--setup", "#lecture=udl-12-2&step=8"])
        self.assert_same(trace, self.trace("--lecture", "udl-12-2", "--step", 8))

    def test_its_title(self):
        self.write("untitled.toml", "version = 1\n")
        self.write("odd.toml", 'version = 1\ntitle = "Q < K & V"\n')
        for what, title in ((("--setup", "untitled.toml"), "untitled"), (("--setup", "odd.toml"), "Q &lt; K &amp; V"),
                            (("--lecture", "meaning"), "Weights with a meaning")):
            with self.subTest(title):
                self.export(*what)
                self.assertIn(f"<title>{title} · Headlight</title>", (self.folder / "lesson.html").read_text())

    def test_arrays_that_no_link_has_room_for(self):
        draw = np.random.default_rng(0).standard_normal
        np.savez(self.folder / "arrays.npz", W_q=draw((128, 128)), W_k=draw((128, 128)).astype(np.float32))
        self.write("large.toml", 'version = 1\n[sizes]\nd_model = 128\nheads = 2\n[values]\n'
                                 'W_q = "arrays.npz:W_q.T"\nW_k = "arrays.npz:W_k"\n')
        said = "\n".join(self.complain("export", "--setup", "large.toml", "--as", "link"))
        self.assert_in_order(said, "the link: setup", "because of the arrays", "--as page")
        own = self.trace("--setup", "large.toml")
        self.export("--setup", "large.toml")
        trace, _ = self.opened("lesson.html")
        self.assert_same(trace, own)

    def test_a_lecture_with_its_arrays(self):
        (self.folder / "lectures/numbers").mkdir(parents=True)
        np.save(self.folder / "lectures/numbers/mine.npy", np.arange(64.0).reshape(8, 8) / 64)
        np.save(self.folder / "lectures/other.npy", np.zeros(3))
        start = self.succeed("export", "--setup", "good.toml", "--as", "lecture")
        self.assertIn("[parts.setup.sizes]" if "[parts.setup.sizes]" in start else "sizes", start)
        begun = re.sub(r"(?m)^(\[+)([\w.]*)sizes\]$", r"\1\2values]\nW_q = 'numbers/mine.npy'\n\n\1\2sizes]", start, count=1)
        self.write("lectures/own.md", begun)
        what = ["--lectures", "lectures", "--lecture", "own", "--step", 1]
        own = self.trace(*what)
        self.assertEqual(own["W_q"][7, 7], 63 / 64)
        self.export(*what)
        text = (self.folder / "lesson.html").read_text()
        self.assertIn("numbers/mine.npy", text)
        self.assertNotIn("other.npy", text)
        trace, arguments = self.opened("lesson.html")
        self.assertEqual(arguments, ["--lectures", ".", "--setup", "#lecture=own&step=1"])
        self.assert_same(trace, own)

    def test_a_file_elsewhere(self):
        """No page can be opened that would put a file outside of its folder, so none is written."""
        (self.folder / "lectures").mkdir()
        np.save(self.folder / "mine.npy", np.zeros((8, 8)))
        start = self.succeed("export", "--setup", "good.toml", "--as", "lecture")
        self.write("lectures/own.md", re.sub(r"(?m)^(\[+)([\w.]*)sizes\]$", r"\1\2values]\nW_q = '../mine.npy'\n\n\1\2sizes]", start, count=1))
        self.trace("--lectures", "lectures", "--lecture", "own")
        lines = self.complain("export", "--lectures", "lectures", "--lecture", "own", "--as", "page", "-o", "lesson.html",
                              environment=self.environment)
        self.assert_in_order(lines[0], "mine.npy", "elsewhere than", "lectures", "files of that folder")
        self.assertFalse((self.folder / "lesson.html").exists())

    def test_nothing_else(self):
        """A page gives away no file that the lecture only mentions, and none beside a model that the model doesn't use."""
        (self.folder / "lectures").mkdir()
        for name in ("given", "set", "linked", "secret", "b"):
            np.save(self.folder / f"lectures/{name}.npy", np.full((8, 8), 0.5))
        start = self.succeed("export", "--setup", "good.toml", "--as", "lecture")
        begun = re.sub(r"(?m)^(\[+)([\w.]*)sizes\]$", r"\1\2values]\nW_q = 'given.npy'\n\n\1\2sizes]", start, count=1)
        self.write("lectures/own.md", begun + """
## More

```step
cell = "scores[0,0,0,0]"
set = ['values.W_k="set.npy"']
```

Not `secret.npy`, and not b.npy, but [this](set:values.W_v="linked.npy").
""")
        self.export("--lectures", "lectures", "--lecture", "own")
        folder, _ = self.unpack("lesson.html")
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["given.npy", "linked.npy", "own.md", "set.npy"])
        shutil.rmtree(folder)
        (self.folder / "model").mkdir()
        self.write("model/own.safetensors", safetensors(layer("layers.0.self_attn")))
        self.write("model/config.json", '{"num_heads": 2}')
        for other in ("index.json", "model.safetensors.index.json", "model.safetensors", "secret.npz"):
            self.write("model/" + other, "{}")
        self.export("--model", "model/own.safetensors")
        folder, _ = self.unpack("lesson.html")
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["config.json", "own.safetensors"])

    def test_a_captured_model(self):
        (self.folder / "model").mkdir()
        arrays = layer("h.0.attn")
        np.savez(self.folder / "model/h.0.attn.npz", **arrays)
        self.write("model/index.headlight.json", '{"version": 1, "layers": [{"name": "h.0.attn", "file": "h.0.attn.npz"}]}')
        self.write("model/config.json", '{"num_heads": 2}')
        own = self.trace("--model", "model")
        self.export("--model", "model")
        trace, _ = self.opened("lesson.html")
        self.assert_same(trace, own)

    def test_a_model(self):
        (self.folder / "model").mkdir()
        model = layer("layers.0.self_attn") | layer("layers.1.self_attn", seed=1)
        self.write("model/model.safetensors", safetensors(model))
        self.write("model/config.json", '{"num_heads": 2}')
        own = self.trace("--model", "model", "--layer", 1)
        self.export("--model", "model", "--layer", 1)
        trace, arguments = self.opened("lesson.html")
        self.assertEqual(arguments[:3], ["--model", "model.safetensors", "--setup"])
        self.assert_same(trace, own)

    def test_a_page_is_looked_for_and_asked_for(self):
        folder = self.folder / "prefix"
        (folder / "bin").mkdir(parents=True)
        program = folder / "bin/headlight"
        try:
            os.link(HEADLIGHT, program)
        except OSError:
            shutil.copy(HEADLIGHT, program)
        command = ["export", "--setup", "good.toml", "--as", "page", "-o", "out.html"]
        environment = {"XDG_DATA_DIRS": str(self.folder / "nothing")}
        said = "\n".join(self.complain(*command, program=program, environment=environment))
        self.assert_in_order(said, "headlight.html", ".local/share/headlight", "prefix/share/headlight", "prefix/web",
                             "nothing/headlight", "./web")
        (folder / "share/headlight").mkdir(parents=True)
        page = folder / "share/headlight/headlight.html"
        page.write_text(EMPTY.replace("headlight-document", "something"))
        said = "\n".join(self.complain(*command, program=program, environment=environment))
        self.assert_in_order(said, str(page), "without one place")
        page.write_text(EMPTY)
        self.succeed(*command, program=program, environment=environment)
        self.unpack("out.html")

    def test_a_page_can_be_the_start_of_another(self):
        self.export("--setup", "good.toml")
        shutil.copy(self.folder / "lesson.html", self.folder / "data/headlight/headlight.html")
        self.export("--lecture", "bank", "--step", 2)
        self.assertEqual(self.unpack("lesson.html")[1], ["--setup", "#lecture=bank&step=2"])


if __name__ == "__main__":
    unittest.main()
