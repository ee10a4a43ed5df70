"""The check of pairs finds each kind of offence."""

import pathlib
import tempfile
import unittest

import pairs


class Pairs(unittest.TestCase):
    def offences(self, files, exceptions=()):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return list(pairs.offences(root, exceptions))

    def test_a_source_that_includes_its_header_first_passes(self):
        text = '// What it is.\n#include "core/a.hpp"\n\n#include <vector>\n'
        self.assertEqual(self.offences({"core/a.hpp": "", "core/a.cpp": text}), [])

    def test_a_source_without_a_header_is_an_offence(self):
        self.assertEqual(self.offences({"app/b/a.cpp": ""}), ["app/b/a.cpp: there is no app/b/a.hpp beside it"])

    def test_another_include_before_the_header_is_an_offence(self):
        text = '#include <vector>\n#include "core/a.hpp"\n'
        self.assertEqual(
            self.offences({"core/a.hpp": "", "core/a.cpp": text}), ["core/a.cpp: its first include is not core/a.hpp"]
        )

    def test_an_exception_is_a_file_or_a_folder(self):
        self.assertEqual(self.offences({"core/a.cpp": "", "core/b/c.cpp": ""}, ["core/a.cpp", "core/b/"]), [])

    def test_an_exception_that_nothing_needs_is_an_offence(self):
        pair = {"core/a.hpp": "", "core/a.cpp": '#include "core/a.hpp"\n'}
        self.assertEqual(len(self.offences(pair, ["core/a.cpp"])), 1)


if __name__ == "__main__":
    unittest.main()
