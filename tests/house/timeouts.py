"""Checks that every test has a timeout, so that none can wait for ever.

    timeouts.py BUILD_FOLDER [CTEST]

Prints one line per test without one, and exits 1 if there is any.
"""

import json
import subprocess
import sys


def without_timeout(listing):
    """The names of the tests without a timeout, in the output of ctest --show-only=json-v1."""
    for test in listing["tests"]:
        properties = {one["name"]: one["value"] for one in test.get("properties", [])}
        if not properties.get("TIMEOUT", 0) > 0:
            yield test["name"]


def main():
    ctest = sys.argv[2] if len(sys.argv) > 2 else "ctest"
    listing = subprocess.run(
        [ctest, "--test-dir", sys.argv[1], "--show-only=json-v1"], capture_output=True, text=True, check=True
    )
    tests = json.loads(listing.stdout)
    names = list(without_timeout(tests))
    for name in names:
        print(f"{name}: no timeout")
    if not names:
        print(f"{len(tests['tests'])} tests have a timeout")
    return 1 if names or not tests["tests"] else 0


if __name__ == "__main__":
    sys.exit(main())
