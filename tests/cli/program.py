"""Shared by the tests of the command line: runs the program in an empty folder per test, with a setup to start from."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HEADLIGHT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/headlight").resolve()

DONE, CHECK_FAILED, BAD_INPUT, MACHINE_CANNOT = 0, 1, 2, 3

SETUP = """\
version = 1
title = "A small one"
tokens = ["The", "cat", "sat", "down"]

[sizes]
batch = 2
query_length = 4
d_model = 8
heads = 2

[attention]
source = "self"
temperature = 1.0

[mask]
kinds = ["causal", "padding"]
valid_lengths = [3, 2]

[random]
generator = "numpy"
draws = ["seed 0", "X uniform", "W_q uniform", "W_k uniform", "W_v uniform", "W_o uniform"]
"""


class ProgramTest(unittest.TestCase):
    """A test that starts the program in an empty folder."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="headlight-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def files(self):
        """Everything in the folder with its bytes; folders with None."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes() if path.is_file() else None
            for path in self.folder.rglob("*")
        }

    def program_for_everybody(self):
        """A copy of the program that every user can run. The original may be in a folder that only its owner may enter."""
        temporary = tempfile.TemporaryDirectory(prefix="headlight-test-")
        self.addCleanup(temporary.cleanup)
        os.chmod(temporary.name, 0o755)
        return shutil.copy(HEADLIGHT, temporary.name)

    def start(self, *arguments, program=HEADLIGHT, environment=None, **options):
        """Runs the program without a display; returns its exit code and output."""
        variables = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        # Settings that Headlight has stored on this machine must not influence the test.
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME"):
            variables[name] = str(self.folder.parent / "headlight-test-no-home")
        return subprocess.run(
            [program, *map(str, arguments)],
            cwd=self.folder,
            env=variables | (environment or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            **options,
        )

    def succeed(self, *arguments, **options):
        """Runs the program, which must succeed without a message on stderr; returns what it printed."""
        ended = self.start(*arguments, **options)
        self.assertEqual(ended.returncode, DONE, ended.stderr.decode())
        self.assertEqual(ended.stderr.decode(), "")
        return ended.stdout.decode()

    def complain(self, *arguments, code=BAD_INPUT, **options):
        """Runs the program, which must refuse and change no file; returns the lines of its message."""
        before = self.files()
        ended = self.start(*arguments, **options)
        said = ended.stderr.decode(errors="replace")
        self.assertEqual(ended.returncode, code, f"{arguments}: {said}{ended.stdout.decode(errors='replace')}")
        self.assertEqual(ended.stdout, b"", "a complaint belongs on stderr")
        self.assertNotEqual(said.strip(), "", "refused without a word")
        for word in ("terminate called", "AddressSanitizer", "runtime error", "std::", "exception"):
            self.assertNotIn(word, said)
        self.assertEqual(self.files(), before, "files changed although the program refused")
        return said.splitlines()

    def assert_in_order(self, line, *words):
        """Checks that the words occur in the line, in this order."""
        position = 0
        for word in words:
            found = line.find(word, position)
            self.assertNotEqual(found, -1, f"no {word!r} in {line[position:]!r} of {line!r}")
            position = found + len(word)


class ArgumentsTest(ProgramTest):
    """A test of command line arguments, with a valid setup in good.toml."""

    def setUp(self):
        super().setUp()
        self.write("good.toml", SETUP)

    def refuse(self, arguments, *words):
        """Checks that the arguments are refused, with these words in this order."""
        with self.subTest(arguments):
            self.assert_in_order("\n".join(self.complain(*arguments.split())), *words)

    def refuse_bad_targets(self, commands):
        """Checks that each (command, file) refuses a missing folder, a read-only one, and a folder as its target."""
        self.refuse_each(commands, "no/{}")
        self.refuse_each(commands, "/proc/{}")
        for _, name in commands:
            (self.folder / name).mkdir()
        self.refuse_each(commands, "{}")

    def refuse_each(self, commands, target):
        """Checks that each (command, file) refuses to write to `target`, a pattern, and names the path."""
        for command, name in commands:
            output = target.format(name)
            with self.subTest(command=command, output=output):
                said = self.complain(*command.split(), "--setup", "good.toml", "-o", output)
                self.assert_in_order("\n".join(said), output)
