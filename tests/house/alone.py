"""Checks that each source and each header compiles alone: in a unity build one can use what the source before it includes.

    alone.py FOLDER              a build folder without unity builds and precompiled headers, configured but not built
    alone.py FOLDER --headers    only the headers, of a build folder that has precompiled headers: it reads in those of the
                                 standard library that way, so it takes a fifth of the time, and finds anything but a
                                 missing one of these

Nothing is written; the compiler stops after reading. Prints what it says of each file that fails, and exits 1 if any
does.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


IS_HEADER = "_verify_interface_header_sets"  # in the name of a source that CMake makes to include one header


def check_command(entry, precompiled=None):
    """The source's own command, but only to read it."""
    words = shlex.split(entry["command"])
    output = words.index("-o")
    del words[output:output + 2]
    return [*words, "-fsyntax-only", *(["-include", precompiled] if precompiled else [])]


def complaint_about(entry, precompiled=None):
    """What the compiler says of a source that fails; empty for the others."""
    ended = subprocess.run(check_command(entry, precompiled), cwd=entry["directory"], capture_output=True, text=True)
    return "" if ended.returncode == 0 else f"{entry['file']} does not compile alone:\n{ended.stderr}"


def sources(entries, headers):
    """Each source once; with `headers` those that CMake makes to check headers, and otherwise the others."""
    return list({entry["file"]: entry for entry in entries if (IS_HEADER in entry["file"]) == headers}.values())


def complaints(entries, precompiled=None):
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        yield from filter(None, threads.map(lambda entry: complaint_about(entry, precompiled), entries))


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    entries = json.loads((folder / "compile_commands.json").read_text())
    checked, precompiled = sources(entries, headers=True), None
    if "--headers" in sys.argv:
        precompiled = folder / "CMakeFiles/headlight_precompiled.dir/cmake_pch.hxx"
    else:
        checked += sources(entries, headers=False)
    found = 0
    for found, complaint in enumerate(complaints(checked, precompiled), 1):
        print(complaint, flush=True)
    if not found:
        print(f"each of {len(checked)} files compiles alone")
    return 1 if found or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
