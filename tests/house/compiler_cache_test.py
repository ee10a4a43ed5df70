"""The compiler cache never brings back a precompiled header that doesn't fit the headers as they are now.

Usage: compiler_cache_test.py COMPILER LAUNCHER...   (what CMake puts before each call of the compiler)
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILER, *LAUNCHER = sys.argv[1:]
HEADER = "#pragma once\n// {comment}\nstruct Size {{\n  int count = {count};\n}};\n"


class Project:
    """A precompiled header, and a source that includes the same header once more."""

    def __init__(self, folder):
        self.folder = folder
        self.write("cmake_pch.hxx", '#include "size.hpp"\n')

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def compile(self, *arguments):
        out = arguments[-1]
        subprocess.run([*LAUNCHER, COMPILER, "-MD", "-MT", out, "-MF", out + ".d", *arguments], cwd=self.folder,
                       env={**os.environ, "CCACHE_DIR": str(self.folder / "cache")}, check=True)

    def built_with(self, comment, count, more):
        """What the program returns once it is built as on a fresh machine that has only the cache."""
        for product in ("cmake_pch.hxx.gch", "main.o", "main"):
            (self.folder / product).unlink(missing_ok=True)
        self.write("size.hpp", HEADER.format(comment=comment, count=count))
        self.write("main.cpp", f'#include "size.hpp"\nint main() {{ return Size{{}}.count + {more}; }}\n')
        self.compile("-x", "c++-header", "-c", "cmake_pch.hxx", "-o", "cmake_pch.hxx.gch")
        self.compile("-Winvalid-pch", "-include", "cmake_pch.hxx", "-c", "main.cpp", "-o", "main.o")
        subprocess.run([COMPILER, "main.o", "-o", "main"], cwd=self.folder, check=True)
        return subprocess.run([self.folder / "main"]).returncode

    def hits(self):
        printed = subprocess.run([LAUNCHER[-1], "--print-stats"], env={**os.environ, "CCACHE_DIR": str(self.folder / "cache")},
                                 check=True, capture_output=True, text=True).stdout
        figures = dict(line.split("\t") for line in printed.splitlines())
        return int(figures["direct_cache_hit"]) + int(figures["preprocessed_cache_hit"])


with tempfile.TemporaryDirectory() as folder:
    project = Project(Path(folder))
    assert project.built_with("one", 3, 1) == 4
    assert project.hits() == 0
    assert project.built_with("one", 3, 1) == 4
    assert project.hits() == 2, "the cache isn't used for precompiled headers"
    assert project.built_with("two", 3, 2) == 5, "another comment in a header, and another source"
    assert project.built_with("two", 4, 2) == 6, "another number in a header"
print("The compiler cache brings back only what fits the headers.")
