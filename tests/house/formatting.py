"""Checks that every C++ file looks as .clang-format says.

    formatting.py FOLDER [CLANG_FORMAT]     the top folder; the program, clang-format-19 unless it is named

Prints what differs, and exits 1 if anything does or the program is missing.
"""

import pathlib
import shutil
import subprocess
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    program = sys.argv[2] if len(sys.argv) > 2 else "clang-format-19"
    if shutil.which(program) is None:
        print(f"{program} is missing: install Debian's package of that name, or run ./test, which does")
        return 1
    files = [path for top in ("core", "app", "tests") for path in sorted((root / top).rglob("*.[ch]pp"))]
    done = subprocess.run([program, "--dry-run", "-Werror", *files], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        print(f"{len(files)} files look as .clang-format says")
        return 0
    print(done.stderr, end="")
    names = sorted({line.split(":", 1)[0] for line in done.stderr.splitlines() if line.startswith(str(root))})
    print("To repair it: clang-format-19 -i", *(pathlib.Path(name).relative_to(root) for name in names))
    return 1


if __name__ == "__main__":
    sys.exit(main())
