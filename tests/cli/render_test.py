"""Pictures from the command line, without a display."""

import struct
import unittest

from program import SETUP, ArgumentsTest, ProgramTest


def png_size(data):
    """Width and height from the header of a PNG."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND"
    return struct.unpack(">II", data[16:24])


class Render(ProgramTest):
    def picture(self, name, *arguments):
        self.succeed("render", *arguments, "-o", name)
        return (self.folder / name).read_bytes()

    def test_sizes(self):
        plain = self.picture("a.png", "--lecture", "numpy-from-scratch", "--step", 4, "--size", "900x600")
        self.assertEqual(png_size(plain), (900, 600))
        scaled = self.picture("b.png", "--lecture", "numpy-from-scratch", "--step", 4, "--size", "900x600", "--scale", 2)
        self.assertEqual(png_size(scaled), (900, 600))
        self.assertNotEqual(plain, scaled)

    def test_the_same_twice_and_not_always_the_same(self):
        arguments = ("--lecture", "udl-12-2", "--size", "800x600")
        first = self.picture("a.png", *arguments, "--step", 1)
        self.assertEqual(first, self.picture("b.png", *arguments, "--step", 1))
        self.assertNotEqual(first, self.picture("c.png", *arguments, "--step", 2))
        self.assertNotEqual(first, self.picture("d.png", *arguments, "--step", 1, "--theme", "light"))


    def test_the_check_of_arrays(self):
        self.succeed("compute", "--lecture", "numpy-from-scratch", "-o", "right.npz")
        self.succeed("compute", "--lecture", "numpy-from-scratch", "--set", "attention.scale=\"none\"", "-o", "wrong.npz")
        arguments = ("--lecture", "numpy-from-scratch", "--size", "1280x720", "--view", "compare", "--check")
        right = self.picture("right.png", *arguments, "right.npz")
        self.assertNotEqual(right, self.picture("wrong.png", *arguments, "wrong.npz"))
        copy = self.picture("copy.png", "--setup", "right.png", "--size", "1280x720")
        self.assertEqual(right, copy)


class BadRender(ArgumentsTest):
    COMMANDS = (("render --size 640x480", "f.png"),)

    def test_arguments(self):
        self.refuse("render --setup good.toml -o f.gif", "f.gif", ".png")
        self.refuse("render --setup good.toml -o f", "f", ".png")
        for option, *words in (
            ("--view sideways", "--view", "sideways", "pipeline"),
            ("--tensor nothing", "--tensor", "nothing", "X"),
            ("--tensor Y", "--tensor", "Y"),
            ("--head 2", "--head", "2"),
            ("--head -1", "--head", "-1"),
            ("--head x", "--head", "x"),
            ("--size 0x0", "--size", "0x0"),
            ("--size 1440", "--size", "1440"),
            ("--size 1000000x1000000", "--size", "1000000x1000000"),
            ("--size -10x10", "--size", "-10x10"),
            ("--scale 0", "--scale", "0"),
            ("--scale 1000", "--scale", "1000"),
            ("--scale nan", "--scale", "nan"),
            ("--check good.toml", "--check", "--view compare"),
            ("--view write", "--view", "task.name"),
            ("--draft 0,0,1,0,a", "--draft", "--view write"),
            ("--view compare --check missing.npz", "missing.npz"),
            ("--theme beige", "--theme", "beige", "light"),
        ):
            self.refuse(f"render --setup good.toml {option} -o f.png", *words)
        self.refuse("render --lecture shapes --step 0 -o f.png", "--step", "0")
        self.refuse("render --lecture shapes --step 999 -o f.png", "--step", "999")
        self.refuse("render --setup good.toml --step 1 -o f.png", "--step")

    def test_bad_setups(self):
        self.write("bad.toml", SETUP.replace("heads = 2", "heads = 3"))
        self.refuse("render --setup bad.toml -o f.png", "bad.toml", "sizes.heads", "3", "divisor")

    def test_bad_targets(self):
        self.refuse_bad_targets(self.COMMANDS)


if __name__ == "__main__":
    unittest.main()
