"""Checks that every test has a timeout, so that none can wait for ever, and that none may be skipped: a test that didn't
run must not look like one that passed. Each class with tests in tests/cli must be one of the build's tests, too.

    timeouts.py BUILD_FOLDER [CTEST]

Prints one line per test that breaks a rule, and exits 1 if there is any.
"""

import ast
import json
import pathlib
import subprocess
import sys

CLI = pathlib.Path(__file__).parents[1] / "cli"

MEANS_SKIPPED = {"SKIP_RETURN_CODE", "SKIP_REGULAR_EXPRESSION", "DISABLED"}


def offences(listing):
    """What is wrong with the tests in the output of ctest --show-only=json-v1, a line for each offence."""
    for test in listing["tests"]:
        properties = {one["name"]: one["value"] for one in test.get("properties", [])}
        if not properties.get("TIMEOUT", 0) > 0:
            yield f"{test['name']}: no timeout"
        for name in MEANS_SKIPPED & properties.keys():
            yield f"{test['name']}: {name} lets it pass without running"


def classes_with_tests(source):
    """The classes of a Python file that have tests of their own."""
    for one in ast.parse(source).body:
        if isinstance(one, ast.ClassDef) and any(getattr(part, "name", "").startswith("test_") for part in one.body):
            yield one.name


def forgotten(listing, sources):
    """A line for each class with tests that no test of the build runs; `sources` has the text of each file by its name."""
    known = {test["name"].removeprefix("cli: ") for test in listing["tests"] if test["name"].startswith("cli: ")}
    for name, source in sources.items():
        for one in classes_with_tests(source):
            if one not in known:
                yield f"{name}: no test runs {one}; name it in tests/cli/CMakeLists.txt"


def main():
    ctest = sys.argv[2] if len(sys.argv) > 2 else "ctest"
    listing = subprocess.run(
        [ctest, "--test-dir", sys.argv[1], "--show-only=json-v1"], capture_output=True, text=True, check=True
    )
    tests = json.loads(listing.stdout)
    sources = {path.name: path.read_text() for path in sorted(CLI.glob("*_test.py"))}
    found = [*offences(tests), *forgotten(tests, sources)]
    for offence in found:
        print(offence)
    if not found:
        print(f"{len(tests['tests'])} tests have a timeout, and none may be skipped")
    return 1 if found or not tests["tests"] else 0


if __name__ == "__main__":
    sys.exit(main())
