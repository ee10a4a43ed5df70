"""Setups that cannot be computed: exit code 2, one line per problem naming file, key, found and allowed, and no file."""

import os
import random
import struct
import subprocess
import unittest
import zlib

from program import DONE, BAD_INPUT, HEADLIGHT, SETUP, ProgramTest

# Broken setups: the line to replace, its replacement, and the parts of the error message in their order.
WRONG = {
    "an unknown key": ("heads = 2", "heads = 2\nhaeds = 2", "sizes.haeds", "heads"),
    "an unknown table": ("[mask]", "[msak]", "msak", "mask"),
    "an unknown key at the top": ("version = 1", "version = 1\nauthor = 'me'", "author", "version"),
    "a word where a number belongs": ("heads = 2", 'heads = "two"', "sizes.heads", "two", "number"),
    "a fraction where a whole number belongs": ("d_model = 8", "d_model = 8.5", "sizes.d_model", "8.5", "whole number"),
    "a number where a word belongs": ('source = "self"', "source = 1", "attention.source", "1", '"self"'),
    "a number where a list belongs": ("valid_lengths = [3, 2]", "valid_lengths = 3", "mask.valid_lengths", "3"),
    "a value where a table belongs": ("[random]", "[attention.more]", "attention.more"),
    "a word that is no choice": ('source = "self"', 'source = "both"', "attention.source", "both", '"cross"'),
    "heads that do not divide": ("heads = 2", "heads = 3", "sizes.heads", "3", "a divisor of sizes.d_model = 8"),
    "kv_heads that do not divide": ("heads = 2", "heads = 4\nkv_heads = 3", "sizes.kv_heads", "3", "sizes.heads = 4"),
    "a mask of the wrong length": ("valid_lengths = [3, 2]", "valid_lengths = [3]", "mask.valid_lengths", "1", "sizes.batch = 2"),
    "a valid length above the number of keys": ("[3, 2]", "[3, 5]", "mask.valid_lengths[1]", "5", "4"),
    "a negative valid length": ("[3, 2]", "[-1, 2]", "mask.valid_lengths[0]", "-1"),
    "a blocked pair outside": ('kinds = ["causal", "padding"]', 'kinds = ["custom"]\nblocked = [[0, 9]]', "mask.blocked[0]", "[0, 9]"),
    "a blocked pair of three": ('kinds = ["causal", "padding"]', 'kinds = ["custom"]\nblocked = [[0, 1, 2]]', "mask.blocked[0]"),
    "an unknown mask": ('"causal", "padding"', '"causal", "padded"', "mask.kinds[1]", "padded", "padding"),
    "a mask twice": ('"causal", "padding"', '"causal", "causal"', "mask.kinds[1]", "causal", "once"),
    "a negative window": ('"causal", "padding"]', '"window"]\nwindow = -1', "mask.window", "-1"),
    "a negative size": ("query_length = 4", "query_length = -4", "sizes.query_length", "-4", "from 1"),
    "a size of zero": ("batch = 2", "batch = 0", "sizes.batch", "0", "from 1"),
    "a size beyond 64 bits": ("batch = 2", "batch = 99999999999999999999", ":6"),
    "ten million tokens": ('tokens = ["The", "cat", "sat", "down"]\n\n[sizes]\nbatch = 2\nquery_length = 4',
                           "\n[sizes]\nbatch = 2\nquery_length = 10000000", "sizes", "10000000", "2.0 GiB"),
    "labels that do not fit": ('"sat", "down"]', '"sat"]', "tokens", "3 labels", "4"),
    "labels that are numbers": ('"The", "cat"', '1, "cat"', "tokens[0]", "1"),
    "a key length in self-attention": ("heads = 2", "heads = 2\nkey_length = 6", "sizes.key_length", "6", "4"),
    "a temperature of zero": ("temperature = 1.0", "temperature = 0.0", "attention.temperature", "0", "above 0"),
    "a temperature of nan": ("temperature = 1.0", "temperature = nan", "attention.temperature", "nan", "finite"),
    "an infinite scale": ("temperature = 1.0", "scale = inf", "attention.scale", "inf", "finite"),
    "dropout of everything": ("temperature = 1.0", "dropout = 1.0", "attention.dropout", "1", "0 up to"),
    "a draw of nothing": ('"X uniform"', '"Z uniform"', "random.draws[1]", "Z uniform"),
    "a draw without a distribution": ('"X uniform"', '"X"', "random.draws[1]", "X"),
    "a draw of another library": ('"W_q uniform"', '"W_q linear"', "random.draws[2]", "W_q linear", "numpy"),
    "a draw for a head too many": ('"W_q uniform"', '"W_q[2] uniform"', "random.draws[2]", "W_q[2] uniform", "0 to 1"),
    "a draw before any seed": ('"seed 0", "X uniform"', '"X uniform", "seed 0"', "random.draws[0]", "X uniform", "seed"),
    "a negative seed": ('"seed 0"', '"seed -1"', "random.draws[0]", "seed -1", "4294967295"),
    "a draw of Y in self-attention": ('"X uniform"', '"X uniform", "Y uniform"', "random.draws[2]", "Y uniform", "cross"),
    "a draw of P that is not learned": ('"X uniform"', '"X uniform", "P normal"', "random.draws[2]", "P normal", "learned"),
    "a value of P that is not learned": ("[mask]", '[position]\nencoding = "sinusoidal"\n\n[values]\n"P[0,0]" = 1.0\n\n[mask]',
                                         "values", "P[0,0]", "learned"),
    "an unknown encoding": ("[mask]", '[position]\nencoding = "rope"\n\n[mask]', "position.encoding", "rope", "rotary"),
    "rotary positions of an odd head": ("heads = 2", "heads = 8\n[position]\nencoding = 'rotary'", "position.encoding", "d_head = 1", "even"),
    "more positions than features": ("d_model = 8\nheads = 2", "d_model = 2\nheads = 2\n\n[position]\nencoding = 'one_hot'",
                                     "position.encoding", "4 positions", "d_model = 2"),
    "a base of zero": ("[mask]", "[position]\nbase = 0\n\n[mask]", "position.base", "0", "above 0"),
    "a base below zero": ("[mask]", "[position]\nbase = -10000.0\n\n[mask]", "position.base", "-10000", "above 0"),
    "an unknown layout": ("[mask]", "[position]\nlayout = 'thirds'\n\n[mask]", "position.layout", "thirds", "interleaved"),
    "an ablated head too many": ("temperature = 1.0", "ablated_heads = [0, 2]", "attention.ablated_heads[1]", "2", "0 to 1"),
    "a head ablated twice": ("temperature = 1.0", "ablated_heads = [1, 1]", "attention.ablated_heads[1]", "1", "once"),
    "no version": ("version = 1\n", "", "version", "1"),
    "another version": ("version = 1", "version = 2", "version", "2", "1"),
    "a key twice": ("heads = 2", "heads = 2\nheads = 2", ":10"),
    "broken TOML": ("[mask]", "[mask", ":15"),
}


class SetupTest(ProgramTest):
    def refuse(self, content, *words):
        """Checks that a setup file with this content is refused; returns the one line of the message."""
        self.write("bad.toml", content)
        lines = self.complain("compute", "--setup", "bad.toml", "-o", "trace.npz")
        self.assertEqual(len(lines), 1, lines)
        self.assert_in_order(lines[0], "bad.toml", *words)


class BadSetup(SetupTest):
    def test_each_problem_is_named(self):
        for title, (line, replacement, *words) in WRONG.items():
            with self.subTest(title):
                self.assertIn(line, SETUP)
                self.refuse(SETUP.replace(line, replacement, 1), *words)

    def test_all_problems_are_named_at_once(self):
        bad = SETUP.replace("heads = 2", "heads = 3\nhaeds = 3").replace("temperature = 1.0", 'temperature = "hot"')
        self.write("bad.toml", bad.replace("[3, 2]", "[3]").replace('"W_k uniform"', '"W_k flat"'))
        said = "\n".join(self.complain("compute", "--setup", "bad.toml", "-o", "trace.npz"))
        for key in ("sizes.haeds", "sizes.heads", "attention.temperature", "mask.valid_lengths", "random.draws[3]"):
            self.assertEqual(said.count(f" {key}: "), 1, said)

    def test_an_old_file_is_left_as_it_was(self):
        self.write("trace.npz", b"the old one")
        self.write("bad.toml", SETUP.replace("heads = 2", "heads = 3"))
        self.complain("compute", "--setup", "bad.toml", "-o", "trace.npz")

    def test_every_command_refuses(self):
        self.write("bad.toml", SETUP.replace("heads = 2", "heads = 3"))
        for command in (
            ["explain", "--setup", "bad.toml", "--cell", "scores[0,0,0,0]"],
            ["script", "--setup", "bad.toml", "--framework", "numpy", "-o", "f.py"],
            ["--setup", "bad.toml"],
        ):
            with self.subTest(command[0]):
                self.assert_in_order(self.complain(*command)[0], "bad.toml", "sizes.heads", "3", "divisor")


class BadFile(SetupTest):
    def test_missing(self):
        self.assert_in_order(self.complain("compute", "--setup", "no.toml", "-o", "f.npz")[0], "no.toml", "found", "allowed")

    def test_a_folder(self):
        (self.folder / "folder.toml").mkdir()
        self.assert_in_order(self.complain("compute", "--setup", "folder.toml", "-o", "f.npz")[0], "folder.toml", "folder")

    def test_what_reading_could_wait_for(self):
        os.mkfifo(self.folder / "pipe.toml")
        for name, found in (("pipe.toml", "a named pipe"), ("/dev/zero", "a device"), ("/dev/null", "a device")):
            with self.subTest(name):
                said = self.complain("compute", "--setup", name, "-o", "f.npz")
                self.assert_in_order(said[0], name, f"found {found}", "allowed: a file")

    def test_a_pipe_on_the_standard_input(self):
        said = subprocess.run([HEADLIGHT, "compute", "--setup", "/dev/stdin", "-o", "f.npz"], input=SETUP.encode(),
                              cwd=self.folder, capture_output=True, check=True)
        self.assertEqual(said.stderr, b"")
        self.assertTrue((self.folder / "f.npz").exists())

    def test_empty(self):
        self.refuse("", "version")

    def test_binary(self):
        self.refuse(bytes(range(256)) * 64, "found", "allowed")

    def test_a_picture(self):
        self.refuse(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(4000), "found", "allowed")

    def test_cut_off_anywhere(self):
        for length in range(0, len(SETUP), 17):
            with self.subTest(length):
                self.write("cut.toml", SETUP[:length])
                ended = self.start("compute", "--setup", "cut.toml", "-o", "f.npz")
                self.assertIn(ended.returncode, (DONE, BAD_INPUT), ended.stderr)
                self.assertEqual((self.folder / "f.npz").exists(), ended.returncode == DONE)
                (self.folder / "f.npz").unlink(missing_ok=True)

    def test_damaged_anywhere(self):
        generator = random.Random(3)
        for attempt in range(40):
            damaged = bytearray(SETUP.encode())
            for _ in range(generator.randint(1, 4)):
                damaged[generator.randrange(len(damaged))] = generator.randrange(256)
            with self.subTest(bytes(damaged)):
                self.write("damaged.toml", bytes(damaged))
                ended = self.start("compute", "--setup", "damaged.toml", "-o", "f.npz")
                self.assertIn(ended.returncode, (DONE, BAD_INPUT), ended.stderr)
                self.assertEqual((self.folder / "f.npz").exists(), ended.returncode == DONE)
                (self.folder / "f.npz").unlink(missing_ok=True)


class LyingPictureTest(ProgramTest):
    def test_a_chunk_that_claims_two_gigabytes_takes_no_memory(self):
        signature = b"\x89PNG\r\n\x1a\n"
        header = struct.pack(">I4sIIBBBBB", 13, b"IHDR", 1, 1, 8, 2, 0, 0, 0)
        header += struct.pack(">I", zlib.crc32(header[4:]))
        self.write("x.png", signature + header + struct.pack(">I4s", 2_113_929_233, b"tEXt") + b"Setup\0version = 1")
        program = subprocess.Popen([HEADLIGHT, "render", "--setup", "x.png", "-o", "y.png"], cwd=self.folder,
                                   stderr=subprocess.PIPE)
        message = program.stderr.read().decode()
        program.stderr.close()
        _, status, used = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(program.returncode, BAD_INPUT, message)
        self.assertIn("x.png", message)
        self.assertLess(used.ru_maxrss, 500_000)  # KiB
        self.assertFalse((self.folder / "y.png").exists())


if __name__ == "__main__":
    unittest.main()
