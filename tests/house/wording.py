"""Checks that words are bent for a sentence only in core/text/wording.hpp.

    wording.py FOLDER     the top folder

A sentence that depends on a number or a name is there in all its forms, whole. Prints each place that joins an s or a
possessive to a word, makes a first letter large, or puts "and" or "or" before the last of a list, and exits 1 if there
is any.
"""

import pathlib
import re
import sys

ALLOWED = "core/text/wording.hpp"
JOINS = {
    "joins the ending of a plural or a verb": re.compile(r'\? *"" *: *"e?s"|"e?s" *: *""'),
    "joins a possessive": re.compile(r"(\"|\{\})[’']s\b"),
    "makes a first letter large": re.compile(r"\btoupper\(|- *'a' *\+ *'A'"),
    "joins a list": re.compile(r'", " *: *" (?:and|or) "|\? *"" *: *" (?:and|or) "|join\(.*" (?:and|or) "'),
}


def main():
    root = pathlib.Path(sys.argv[1])
    found = []
    files = [path for top in ("core", "app") for path in sorted((root / top).rglob("*.[ch]pp"))]
    for path in files:
        name = str(path.relative_to(root))
        if name == ALLOWED:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            code = re.sub(r"(^|\s)//.*", "", line)
            found += [f"{name}:{number}: {what}" for what, join in JOINS.items() if join.search(code)]
    for each in found:
        print(each)
    if found:
        print(f"Write the sentence in all its forms, or use {ALLOWED}")
        return 1
    print(f"{len(files)} files join no grammar")
    return 0


if __name__ == "__main__":
    sys.exit(main())
