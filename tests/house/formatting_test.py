"""The check of the formatting finds badly formatted files."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parent / "formatting.py"


class Formatting(unittest.TestCase):
    def run_on(self, text, *more):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / ".clang-format").write_text("BasedOnStyle: Google\n")
            (root / "core").mkdir()
            (root / "core/a.cpp").write_text(text)
            return subprocess.run(
                [sys.executable, "-B", SCRIPT, root, *more], capture_output=True, text=True, check=False
            )

    def test_what_is_formatted_passes(self):
        self.assertEqual(self.run_on("int f();\n").returncode, 0)

    def test_what_is_not_fails_and_says_how_to_repair_it(self):
        done = self.run_on("int   f( );\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("clang-format-19 -i core/a.cpp", done.stdout)

    def test_without_the_program_it_fails_and_says_so(self):
        done = self.run_on("int f();\n", "clang-format-0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("clang-format-0 is missing", done.stdout)


if __name__ == "__main__":
    unittest.main()
