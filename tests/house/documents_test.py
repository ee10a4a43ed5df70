"""The check of the documents finds each kind of offence."""

import pathlib
import tempfile
import unittest

import documents

PROGRAM = "Options:\n  --lecture ID    Open it\n\nSubcommands:\n  keys            A table\n  render          A picture\n"
HELP = {"": PROGRAM, "keys": "  --version\n", "render": "  --size WxH\n  -o,--output FILE\n"}

FILES = {
    "README.md": "# Name\n![a](a.png) ![b](a.png) ![c](a.png)\n[work](CONTRIBUTING.md)\n[all](docs/command-line.md#all-commands)\n"
                 "[write](assets/lectures/README.md)\n\n```\n./run --lecture bank\n./test --all\n```\n",
    "CONTRIBUTING.md": "# Work\n\n"
                       "In `core/engine/engine.cpp`:\n\n```cpp\nuse(TensorId::loss);\n```\n\n`tests/house` has checks, `./test --all` has all.\n\n"
                       "### Tensors named by hand\n\n| `core/engine/engine.cpp` | `loss` | judged |\n",
    "docs/command-line.md": "# Commands\n\n## All commands\n\n```\nheadlight keys\nheadlight render [--size S]\n             [--output F]\n```\n",
    "assets/lectures/README.md": "# Lectures\n",
    "a.png": "",
    "test": "#!/bin/sh\n# --all   every test\n",
    "core/engine/engine.cpp": "// TensorId::X\n  use(TensorId::loss);\n",
    "core/model/tensor_table.inc": "HEADLIGHT_TENSOR(X,\nHEADLIGHT_TENSOR(loss,\n",
    "tests/house/includes.py": "",
}


class Documents(unittest.TestCase):
    def offences(self, name=None, old="", new=""):
        """Of FILES, with `new` in place of `old` in one of them."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in FILES.items():
                if path == name:
                    self.assertIn(old, text)
                    text = text.replace(old, new)
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            return list(documents.offences(root, HELP.__getitem__))

    def finds(self, words, name, old, new):
        found = self.offences(name, old, new)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_true_documents_pass(self):
        self.assertEqual(self.offences(), [])

    def test_a_long_front_page(self):
        self.finds("at most 120", "README.md", "# Name\n", "# Name\n" + "\n" * 120)
        self.finds("170 characters", "README.md", "# Name\n", "# Name\n" + "x" * 170 + "\n")
        self.finds("2 pictures", "README.md", "![c](a.png)", "")
        self.finds("nowhere to CONTRIBUTING.md", "README.md", "[work](CONTRIBUTING.md)", "")

    def test_links_that_lead_nowhere(self):
        self.finds("b.png does not exist", "README.md", "![c](a.png)", "![c](b.png)")
        self.finds("../b.md does not exist", "docs/command-line.md", "# Commands\n", "# Commands\n[b](../b.md)\n")
        self.finds("is no heading", "docs/command-line.md", "## All commands", "## All")
        self.finds("#b is no heading", "assets/lectures/README.md", "# Lectures\n", "# Lectures\n[b](#b)\n")
        self.assertEqual(self.offences("assets/lectures/README.md", "# Lectures\n", "`[a](b.md)` [c](https://c.example)\n"), [])

    def test_commands_that_the_program_does_not_know(self):
        self.finds("no command draw", "README.md", "./run --lecture bank", "headlight draw")
        self.finds("headlight has no option --lesson", "README.md", "--lecture", "--lesson")
        self.finds("headlight render has no option --width", "docs/command-line.md", "--output", "--width")
        self.finds("no option --size", "README.md", "./run --lecture bank", "!headlight keys \\\n  --size 3")
        self.finds("no option --width", "README.md", "./run --lecture bank", "DRAW = headlight render\n\t$(DRAW) --width 3")
        self.finds("shows no keys", "docs/command-line.md", "headlight keys\n", "")
        self.finds("./test has no option --some", "README.md", "--all", "--some")
        self.finds("says nothing of ./test --some", "test", "every test", "every test\n# --some   some")

    def test_files_that_are_not_there(self):
        self.finds("tests/a.py does not exist", "CONTRIBUTING.md", "has checks", "has `tests/a.py`")
        self.finds("says nothing of tests/house", "CONTRIBUTING.md", "tests/house", "tests")

    def test_code_that_is_quoted_wrong(self):
        self.finds("quotes what is not in core/engine/engine.cpp", "CONTRIBUTING.md", "use(", "used(")

    def test_tensors_that_are_named_by_hand(self):
        self.finds("names X, loss", "core/engine/engine.cpp", "// TensorId::X", "TensorId::X")
        self.finds("names X, loss", "core/engine/engine.cpp", "// TensorId::X", "using enum TensorId;\nuse(X);")
        self.finds("names no tensor", "CONTRIBUTING.md", "| `core/engine/engine.cpp` | `loss`",
                   "| `core/engine/engine.cpp` | `loss` | |\n| `core/model/tensor_table.inc` | `X`")
        self.finds("names loss", "CONTRIBUTING.md", "| `core/engine/engine.cpp` | `loss` |", "")


if __name__ == "__main__":
    unittest.main()
