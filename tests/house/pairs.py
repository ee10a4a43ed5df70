"""Checks that sources and headers come in pairs: a.cpp has a header a.hpp beside it and includes it first, which proves
that the header includes everything it needs.

    pairs.py FOLDER      the top folder

Prints one line per offence, and exits 1 if there is any.
"""

import pathlib
import re
import sys

# Sources without a header of their own, each with its reason. A folder stands for all files in it. An entry that is no
# longer needed is an offence too.
EXCEPTIONS = {
    "app/main.cpp": "the program; nobody includes it",
    "core/diagnose/mistakes/": "a file for each part of the forward pass; core/diagnose/mistakes/mistake.hpp names them all",
    "core/stages/": "a file for each operation; core/stages/list.hpp names them all",
}

FIRST_INCLUDE = re.compile(r'^#include ["<]([^">]+)[">]', re.MULTILINE)


def excepted(name, exceptions):
    return next((one for one in exceptions if name == one or (one.endswith("/") and name.startswith(one))), None)


def offence_of(root, path):
    header = path.with_suffix(".hpp")
    wanted = header.relative_to(root).as_posix()
    if not header.exists():
        return f"there is no {wanted} beside it"
    first = FIRST_INCLUDE.search(path.read_text(encoding="utf-8"))
    if first is None or first.group(1) != wanted:
        return f"its first include is not {wanted}"
    return None


def offences(root, exceptions):
    needed = set()
    for top in ("core", "app"):
        for path in sorted((root / top).rglob("*.cpp")):
            name = path.relative_to(root).as_posix()
            offence = offence_of(root, path)
            exception = excepted(name, exceptions)
            if offence and exception:
                needed.add(exception)
            elif offence:
                yield f"{name}: {offence}"
    for exception in exceptions:
        if exception not in needed:
            yield f"{exception}: no exception is needed any more: take it off the list in tests/house/pairs.py"


def main():
    found = list(offences(pathlib.Path(sys.argv[1]), EXCEPTIONS))
    print("\n".join(found) if found else "sources and headers come in pairs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
