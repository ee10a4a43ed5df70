"""The check of the wording finds grammar that is joined."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parent / "wording.py"


class Wording(unittest.TestCase):
    def run_on(self, text, name="app/a.cpp"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            return subprocess.run(
                [sys.executable, "-B", SCRIPT, folder], capture_output=True, text=True, check=False
            )

    def test_whole_sentences_pass(self):
        for text in (
            'return n == 1 ? "1 head" : fmt::format("{} heads", n);\n',
            'text += text.empty() ? "" : ", ";\n',
            "// a query's scores, \"’s\"\n",
        ):
            self.assertEqual(self.run_on(text).returncode, 0, text)

    def test_joined_grammar_is_found(self):
        for text, what in (
            ('fmt::format("{} head{}", n, n == 1 ? "" : "s");\n', "plural"),
            ('fmt::format("{} match{}", name, one ? "es" : "");\n', "verb"),
            ('words = word + "’s score";\n', "possessive"),
            ('fmt::format("from {}\'s generator", library);\n', "possessive"),
            ('fmt::format("{}", fmt::join(names, " and "));\n', "list"),
            ("words[0] = static_cast<char>(std::toupper(words[0]));\n", "first letter"),
            ("words[0] = words[0] - 'a' + 'A';\n", "first letter"),
            ('text += (i + 1 < n ? ", " : " and ") + names[i];\n', "list"),
        ):
            done = self.run_on(text)
            self.assertEqual(done.returncode, 1, text)
            self.assertIn("app/a.cpp:1", done.stdout)
            self.assertIn(what, done.stdout)

    def test_one_file_may(self):
        self.assertEqual(self.run_on("std::toupper(letter);\n", "core/text/wording.hpp").returncode, 0)


if __name__ == "__main__":
    unittest.main()
