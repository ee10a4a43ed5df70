"""The check that sources compile alone finds those that do not."""

import pathlib
import tempfile
import unittest

import alone


class Alone(unittest.TestCase):
    def complaints(self, sources, headers=False):
        with tempfile.TemporaryDirectory() as folder:
            entries = []
            for name, text in sources.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
                entries.append({"directory": folder, "file": str(path), "command": f"c++ -o {name}.o -c {path}"})
            found = list(alone.complaints(alone.sources(entries, headers)))
            left = {path.name for path in pathlib.Path(folder).rglob("*") if path.is_file()}
            self.assertEqual(left, {pathlib.Path(name).name for name in sources}, "files were written")
            return found

    def test_a_source_that_includes_what_it_uses_passes(self):
        self.assertEqual(self.complaints({"a.cpp": "#include <vector>\nstd::vector<int> numbers;\n"}), [])

    def test_a_source_that_relies_on_another_is_an_offence(self):
        found = self.complaints({"a.cpp": "#include <vector>\n", "b.cpp": "std::vector<int> numbers;\n"})
        self.assertEqual(len(found), 1)
        self.assertIn("b.cpp does not compile alone", found[0])
        self.assertIn("vector", found[0])

    def test_headers_are_checked_when_they_are_asked_for(self):
        made_for_a_header = {"x_verify_interface_header_sets/a.cpp": "this is not C++\n", "b.cpp": "int b;\n"}
        self.assertEqual(self.complaints(made_for_a_header), [])
        self.assertEqual(len(self.complaints(made_for_a_header, headers=True)), 1)

    def test_nothing_is_written(self):
        command = alone.check_command({"command": "c++ -O3 -DX -o a.o -c a.cpp"})
        self.assertEqual(command, ["c++", "-O3", "-DX", "-c", "a.cpp", "-fsyntax-only"])

    def test_clang_has_the_precompiled_headers(self):
        command = alone.check_command({"command": "c++ -O3 -DX -o a.o -c a.cpp"}, "std.pch")
        self.assertEqual(command, ["clang++-19", "-O3", "-DX", "-c", "a.cpp", "-fsyntax-only", "-include-pch", "std.pch"])

    def test_what_a_header_brings(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a.hpp").write_text("#include <vector>\n")
            (root / "b.hpp").write_text('#include "a.hpp"\n')
            (root / "c.hpp").write_text('#include "b.hpp"\n')
            self.assertEqual(alone.included("c.hpp", root, {}), {"a.hpp", "b.hpp", "c.hpp"})

    def test_the_headers_that_save_most_are_precompiled(self):
        large = {f"part {part}" for part in range(9)} | {"large"}
        brought = {"large": large, "small": {"small"}, **{name: {name, *large, "small"} for name in ("x", "y", "z")}}
        self.assertEqual(alone.shared(brought, 1), ["large"])


if __name__ == "__main__":
    unittest.main()
