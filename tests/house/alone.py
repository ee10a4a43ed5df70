"""Checks that each source and each header compiles alone: in a unity build one can use what the source before it includes.

    alone.py FOLDER              a build folder without unity builds and precompiled headers, configured but not built
    alone.py FOLDER --headers    only the headers, of any build folder: Clang reads those of the standard library precompiled,
                                 so it takes a quarter of the time, and finds anything but a missing one of these

Nothing is written but the precompiled headers, in a temporary folder; the compiler stops after reading. Prints what it
says of each file that fails, and exits 1 if any does.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

CLANG = "clang++-19"
HUBS = 12  # more precompiled headers than these save less than they take
IS_HEADER = "_verify_interface_header_sets"  # in the name of a source that CMake makes to include one header


def words_of(entry):
    """The source's own command without what it writes."""
    words = shlex.split(entry["command"])
    output = words.index("-o")
    del words[output:output + 2]
    return words


def check_command(entry, precompiled=None):
    """The source's own command, but only to read it; by Clang where it has precompiled headers."""
    compiler, *words = words_of(entry)
    by_clang = ["-include-pch", str(precompiled)] if precompiled else []
    return [CLANG if precompiled else compiler, *words, "-fsyntax-only", *by_clang]


def precompile(headers, entry, compiled, before=None):
    """These headers as Clang keeps them, after those that are precompiled `before`; compiled as `entry` is. Clang reads of
    them what a source uses, where GCC would load all."""
    _, *words = words_of(entry)
    source = words.index("-c")
    del words[source:source + 2]
    after = ["-include-pch", before] if before else []
    subprocess.run([CLANG, *words, *after, "-fpch-instantiate-templates", "-Wno-pragma-system-header-outside-header",
                    "-x", "c++-header", headers, "-o", compiled], check=True)
    return compiled


def included(header, root, known):
    """All project headers that this one brings, itself too. `known` keeps what was found."""
    if header not in known:
        known[header] = {header}
        for name in re.findall(r'^#include "(.+)"', (root / header).read_text(), re.MULTILINE):
            known[header] |= included(name, root, known)
    return known[header]


def shared(brought, count):
    """Of headers, each with all that it brings, the few whose precompiled form saves the others the most reading."""
    chosen, saved = [], dict.fromkeys(brought, 0)
    for _ in range(count):
        gain = {hub: sum(max(len(brought[hub]) - saved[header], 0) for header, all_of_it in brought.items()
                         if hub in all_of_it and hub != header) for hub in brought}
        best = max(gain, key=gain.get)
        chosen.append(best)
        for header, all_of_it in brought.items():
            if best in all_of_it and best != header:
                saved[header] = max(saved[header], len(brought[best]))
    return chosen


def complaint_about(entry, precompiled=None):
    """What the compiler says of a source that fails; empty for the others."""
    ended = subprocess.run(check_command(entry, precompiled), cwd=entry["directory"], capture_output=True, text=True)
    return "" if ended.returncode == 0 else f"{entry['file']} does not compile alone:\n{ended.stderr}"


def sources(entries, headers):
    """Each source once; with `headers` those that CMake makes to check headers, and otherwise the others."""
    return list({entry["file"]: entry for entry in entries if (IS_HEADER in entry["file"]) == headers}.values())


def side_by_side(work, items):
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        yield from threads.map(work, items)


def complaints(entries, precompiled=lambda entry: None):
    yield from filter(None, side_by_side(lambda entry: complaint_about(entry, precompiled(entry)), entries))


def header_of(entry):
    """The header that a source includes that CMake made to check it, as other headers name it."""
    return entry["file"].split(IS_HEADER + "/")[-1].removesuffix(".cxx")


def precompiled_for(entries, standard, root, folder):
    """For each header what Clang may have read before: the standard library, and one of the headers that it brings. That one
    is checked too, so nothing is there that the header itself would not have brought."""
    known = {}
    brought = {header_of(entry): included(header_of(entry), root, known) for entry in entries}
    first = precompile(standard, entries[0], folder / "standard.pch")
    hubs = shared(brought, HUBS)
    compiled = dict(zip(hubs, side_by_side(
        lambda hub: precompile(root / hub, entries[0], folder / f"{hub.replace('/', '-')}.pch", first), hubs)))

    def choice(entry):
        own = header_of(entry)
        of_it = [hub for hub in hubs if hub in brought[own] and hub != own]
        return compiled[max(of_it, key=lambda hub: len(brought[hub]))] if of_it else first

    return choice


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    entries = json.loads((folder / "compile_commands.json").read_text())
    if "--headers" in sys.argv:
        checked = sources(entries, headers=True)
    else:
        checked = sources(entries, headers=True) + sources(entries, headers=False)
    found = 0 if checked else 1
    with tempfile.TemporaryDirectory() as temporary:
        precompiled = lambda entry: None
        if "--headers" in sys.argv and checked:
            try:
                precompiled = precompiled_for(checked, folder / "CMakeFiles/headlight_precompiled.dir/cmake_pch.hxx",
                                              folder.parent.parent, pathlib.Path(temporary))
            except subprocess.CalledProcessError:
                return "a header that many others include does not compile: Clang's words are above"
        for complaint in complaints(checked, precompiled):
            print(complaint, flush=True)
            found += 1
    if not found:
        print(f"each of {len(checked)} files compiles alone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
