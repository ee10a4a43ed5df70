"""Checks that each source compiles alone: in a unity build one can use what the source before it includes.

    alone.py FOLDER      a build folder without unity builds and precompiled headers, configured but not built

Nothing is written; the compiler stops after reading. Prints what it says of each source that fails, and exits 1 if any
does.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def check_command(entry):
    """The source's own command, but only to read it."""
    words = shlex.split(entry["command"])
    output = words.index("-o")
    del words[output:output + 2]
    return [*words, "-fsyntax-only"]


def complaint_about(entry):
    """What the compiler says of a source that fails; empty for the others."""
    ended = subprocess.run(check_command(entry), cwd=entry["directory"], capture_output=True, text=True)
    return "" if ended.returncode == 0 else f"{entry['file']} does not compile alone:\n{ended.stderr}"


def sources(entries):
    """Each source once, without those that CMake makes to check headers (all_verify_interface_header_sets)."""
    return list({entry["file"]: entry for entry in entries if "_verify_interface_header_sets" not in entry["file"]}.values())


def complaints(entries):
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        yield from filter(None, threads.map(complaint_about, sources(entries)))


def main():
    entries = json.loads((pathlib.Path(sys.argv[1]) / "compile_commands.json").read_text())
    found = 0
    for found, complaint in enumerate(complaints(entries), 1):
        print(complaint, flush=True)
    if not found:
        print(f"each of {len(sources(entries))} sources compiles alone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
