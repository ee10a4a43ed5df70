"""A test that lacks its judge fails.

judges_test.py TOP: every script that NumPy or PyTorch judges is started in a Python that has neither.
"""

import pathlib
import re
import subprocess
import sys
import unittest

TOP = pathlib.Path(sys.argv.pop(1))
MEANS_SKIPPED = re.compile(r"\bskip(Test|If|Unless)\b|SkipTest|exit\(77\)")


class Judges(unittest.TestCase):
    def test_no_script_passes_without_its_libraries(self):
        judged = [path for path in (*(TOP / "tests/library").glob("*.py"), TOP / "tests/benchmarks/compare_speed.py")
                  if re.search(r"(?m)^import (numpy|torch)", path.read_text())]
        self.assertGreater(len(judged), 9)
        for script in judged:
            with self.subTest(script.name):
                done = subprocess.run([sys.executable, "-I", "-S", script], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, "No module named '(numpy|torch)'")

    def test_no_script_skips_a_test(self):
        for script in (TOP / "tests").rglob("*.py"):
            if script.name != pathlib.Path(__file__).name:
                self.assertNotRegex(script.read_text(), MEANS_SKIPPED, script.name)


if __name__ == "__main__":
    unittest.main()
