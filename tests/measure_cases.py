"""Measures how long each case of each test program takes, for shards that take equally long (tests/main.cpp).

    measure_cases.py BUILD_FOLDER [PROGRAM...]

Writes the cases that take 0.1 seconds or more to tests/measured_cases.txt; those of other programs stay as they are. What
matters is how the times compare with each other, so any machine will do. Nobody needs to keep the list up to date: cases
that it doesn't name count as quick, and names that no case has are ignored.
"""

import pathlib
import re
import subprocess
import sys

LIST = pathlib.Path(__file__).parent / "measured_cases.txt"


def measured(program):
    done = subprocess.run([program, "--duration=true", "--no-colors=true"], cwd=program.parent, capture_output=True, text=True)
    return {name: float(seconds) for seconds, name in re.findall(r"(?m)^(\d+\.\d+) s: (.*)$", done.stdout)}


def main():
    build, names = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    programs = [path for path in sorted(build.glob("tests/*/*_tests")) if path.is_file() and (not names or path.name in names)]
    seconds = {}
    if names and LIST.exists():
        seconds = {name: float(took) for took, name in re.findall(r"(?m)^(\S+) (.*)$", LIST.read_text())}
    for program in programs:
        new = measured(program)
        print(f"{program.name}: {len(new)} cases, {sum(new.values()):.1f} s", flush=True)
        seconds.update(new)
    LIST.write_text("".join(f"{took:.1f} {name}\n" for name, took in sorted(seconds.items()) if took >= 0.1))


if __name__ == "__main__":
    main()
