"""What the page for browsers does with a page of your own, also where that was damaged or is of a later version, and where
its lines may end.

usage: loader_test.py HEADLIGHT

It runs the page's own scripts under Node.js, with as much of a browser as they need; nothing has to be built for browsers.
"""

import base64
import html
import json
import pathlib
import random
import re
import subprocess
import sys
import unittest
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent / "cli"), str(FOLDER.parents[1] / "cmake/web")]

import pack
from page_test import EMPTY, PLACE
from program import SETUP, ProgramTest

PAGE = FOLDER.parents[1] / "app/platform/web/page"
LOADER = PAGE / "loader.js"
# The lengths of what both sides write in letters and read again.
LENGTHS = [*range(13), 1000, 70001]
LETTERS = """
const vm = require("vm"), fs = require("fs");
const page = vm.createContext({ Uint8Array, DataView, Math, TextDecoder, location: { href: "", hash: "" },
  document: { documentElement: {}, getElementById: () => null } });
for (const file of [process.argv[1], process.argv[2]]) vm.runInContext(fs.readFileSync(file, "utf8"), page);
const hex = (bytes) => Buffer.from(bytes).toString("hex");
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0, "utf8")).map((text) => {
  page.text = text;
  page.bytes = vm.runInContext("from_letters(text)", page);
  return [hex(page.bytes), vm.runInContext("in_letters(bytes)", page)];
})));
"""
LINES = """
const vm = require("vm"), fs = require("fs");
let functions;
const page = vm.createContext({ Intl: process.argv[2] === "old" ? {} : Intl, Module: {}, UTF8ToString: (text) => text,
  lengthBytesUTF8: (text) => Buffer.byteLength(text), addToLibrary: (all) => (functions = all) });
vm.runInContext(fs.readFileSync(process.argv[1], "utf8"), page);
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0, "utf8")).map((text) => {
  let left = Buffer.from(text);
  const pieces = [];
  while (left.length) {
    const end = functions.page_line_break(left.toString(), 0);
    pieces.push(left.subarray(0, end).toString());
    left = left.subarray(end);
  }
  return pieces.join("|");
})));
"""
BROWSER = """
const vm = require("vm"), fs = require("fs"), zlib = require("zlib"), { Duplex } = require("stream"), told = [];
// Node.js 18 has a DecompressionStream that doesn't know "deflate-raw".
class Unpacking {
  constructor(format) { return Duplex.toWeb(format === "deflate-raw" ? zlib.createInflateRaw() : zlib.createGunzip()); }
}
const text = fs.readFileSync(process.argv[2], "utf8");
const notice = { hidden: true, querySelector: () => ({ set textContent(words) { told.push(words); } }) };
const elements = { "headlight-document": { textContent: text }, notice };
const page = vm.createContext({ atob, Blob, Response, DecompressionStream: Unpacking, TransformStream, TextEncoder, console,
  location: { href: "file:///page.html", hash: "" }, performance: { getEntriesByType: () => [] },
  document: { title: "", getElementById: (id) => elements[id] ?? {} } });
vm.runInContext(fs.readFileSync(process.argv[1], "utf8"), page);
vm.runInContext("what_to_start_with()", page).then(({ words, files }) => console.log(JSON.stringify(
  { told, words, files: Object.fromEntries(files.map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")])) })));
"""


class Loader(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("good.toml", SETUP)
        (self.folder / "data/headlight").mkdir(parents=True)
        self.write("data/headlight/headlight.html", EMPTY)
        self.write("mine.csv", "\n".join(",".join(str((i * 8 + j) % 7 / 7) for j in range(8)) for i in range(8)))
        start = self.succeed("export", "--setup", "good.toml", "--as", "lecture")
        self.write("lecture.md", re.sub(r"(?m)^(\[+)([\w.]*)sizes\]$", r"\1\2values]\nW_q = 'mine.csv'\n\n\1\2sizes]", start, count=1))
        self.succeed("export", "--lectures", "lecture.md", "--lecture", "lecture", "--as", "page", "-o", "page.html",
                     environment={"XDG_DATA_HOME": str(self.folder / "data")})
        self.inside = re.search(f"{re.escape(PLACE)}(.*?)</script>", (self.folder / "page.html").read_text(), re.DOTALL)[1]

    def loaded(self, inside):
        self.write("inside.json", inside)
        ended = subprocess.run(["node", "-e", BROWSER, LOADER, self.folder / "inside.json"], capture_output=True, timeout=120)
        self.assertEqual((ended.returncode, ended.stderr.decode()), (0, ""))
        return json.loads(ended.stdout)

    def test_a_whole_one(self):
        document = json.loads(self.inside)
        for inside in (self.inside, json.dumps({key: value for key, value in document.items() if key != "crc32"})):
            found = self.loaded(inside)
            self.assertEqual((found["told"], found["words"]), ([], document["arguments"]))
            self.assertEqual(list(found["files"]), ["lecture.md", "mine.csv"])
            for name, content in found["files"].items():
                self.assertEqual(base64.b64decode(content), (self.folder / name).read_bytes())
        self.assertEqual(self.loaded(""), {"told": [], "words": [], "files": {}})

    def refuse(self, inside, *words):
        found = self.loaded(inside)
        self.assertEqual((found["words"], found["files"], len(found["told"])), ([], {}, 1), inside[:80])
        self.assert_in_order(found["told"][0], *words)

    def test_a_later_version(self):
        self.refuse(json.dumps(json.loads(self.inside) | {"version": 2}), "version 2", "version 1", "export it again")
        self.refuse('{"version": 7}', "version 7")

    def test_damage(self):
        document = json.loads(self.inside)
        name, packed = next(iter(document["files"].items()))
        middle = len(packed) // 2
        other = "A" if packed[middle] != "A" else "B"
        for changed in ({"files": {name: packed[:middle] + other + packed[middle + 1:]}}, {"files": {name: packed[:middle]}},
                        {"files": {}}, {"files": {"../" + name: packed}}, {"files": {"/" + name: packed}}, {"files": {name: 1}},
                        {"files": [packed]}, {"files": None}, {"arguments": ["--lecture", "bank"]}, {"arguments": "bank"},
                        {"arguments": [1]}, {"version": "1"}, {"version": 0}, {"version": None}, {"crc32": "00000000"}):
            self.refuse(json.dumps(document | changed), "damaged", "export it again")
        without = {key: value for key, value in document.items() if key != "crc32"}
        self.refuse(json.dumps(without | {"files": {name: packed[:middle]}}), "damaged")
        self.refuse(json.dumps(without | {"files": {name: "*" + packed}}), "damaged")
        self.refuse(json.dumps(without | {"files": {"a/b": packed, "a/b/c/d": packed}}), "damaged")
        for inside in (self.inside[:-1], self.inside[:middle], "x", "[]", "null", "1", "{}"):
            self.refuse(inside, "damaged")
        draw = random.Random(0)
        for _ in range(10):
            at = draw.randrange(self.inside.index('"crc32"'))
            letter = draw.choice([c for c in "abcdefghijklmnopqrstuvwxyz0123456789" if c != self.inside[at]])
            found = self.loaded(self.inside[:at] + letter + self.inside[at + 1:])
            self.assertEqual(len(found["told"]), 1, (at, letter))


    def test_more_than_a_page_can_have_inside(self):
        packer = zlib.compressobj(9, wbits=-15)
        packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(150)) + packer.flush()
        large = base64.urlsafe_b64encode(packed).decode().rstrip("=")
        self.refuse(json.dumps({"version": 1, "arguments": [], "files": {"a": large, "b": large}}), "larger than 256 MiB")


class Letters(unittest.TestCase):
    """The program as text, inside the page that is one file."""

    def test_bytes_come_back(self):
        contents = [random.Random(length).randbytes(length) for length in LENGTHS] + [b"\0" * 9, b"\xff" * 9]
        texts = [pack.in_letters(content) for content in contents]
        ended = subprocess.run(["node", "-e", LETTERS, LOADER, PAGE / "programs.js"], input=json.dumps(texts).encode(), capture_output=True,
                               timeout=120)
        self.assertEqual((ended.returncode, ended.stderr.decode()), (0, ""))
        for content, text, (read, written) in zip(contents, texts, json.loads(ended.stdout), strict=True):
            self.assertEqual((bytes.fromhex(read), written), (content, text))

    def test_nothing_has_to_be_written_otherwise(self):
        text = pack.in_letters(random.Random(0).randbytes(99999))
        self.assertEqual(len(set(text)), 85)
        self.assertEqual((html.escape(text), json.dumps(text)), (text, f'"{text}"'))
        self.assertNotRegex(text, r"[\s{$.]")


class Lines(unittest.TestCase):
    def ended(self, pieces, browser="new"):
        ended = subprocess.run(["node", "-e", LINES, PAGE.parent / "page.js", browser], capture_output=True, timeout=120,
                               input=json.dumps([text.replace("|", "") for text in pieces]).encode())
        self.assertEqual((ended.returncode, ended.stderr.decode()), (0, ""))
        self.assertEqual(json.loads(ended.stdout), pieces)

    def test_they_end_between_words(self):
        self.ended(["การ|เรียน|รู้|ของ|เครื่อง", "ພາສາ|ລາວ", "用|softmax|算|50%。", "「猫」|と|チャット。", "naïve…", "word-by-word"])

    def test_an_older_browser_knows_no_words(self):
        self.ended(["注|意|力，|又", "「猫」|と", "naïve…"], "old")


if __name__ == "__main__":
    unittest.main()
