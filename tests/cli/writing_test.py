"""Every script in pictures: with the fonts of the system, and where there are none."""

import json
import subprocess
import unittest

from program import ProgramTest

TOKENS = ["猫", "ねこ", "고양이", "شَمس", "שלום", "👩‍👩‍👧", "e\u0301", "देवनागरी"]
SETUP = f"""version = 1
tokens = {json.dumps(TOKENS, ensure_ascii=False)}
sizes = {{query_length = {len(TOKENS)}}}
random = {{draws = ["seed 0", "X uniform", "W_q uniform", "W_k uniform", "W_v uniform", "W_o uniform"]}}
"""


class Writing(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("setup.toml", SETUP)
        self.write("none.conf", '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>')

    def render(self, name, fonts=True):
        environment = None if fonts else {"FONTCONFIG_FILE": str(self.folder / "none.conf")}
        self.succeed("render", "--setup", "setup.toml", "--figure", "tokens", "-o", name, environment=environment)
        return (self.folder / name).read_bytes()

    def test_pictures(self):
        """A machine without such fonts shows signs for what is missing, and nothing else differs."""
        with_fonts, without = self.render("with.png"), self.render("without.png", fonts=False)
        self.assertNotEqual(with_fonts, without)
        for name in ("without.svg", "without.pdf"):
            self.assertTrue(self.render(name, fonts=False))

    def test_svg(self):
        """The text stays text, and brings the faces that it needs."""
        svg = self.render("tokens.svg").decode()
        for token in TOKENS:
            self.assertTrue(token in svg, token)
        self.assertTrue("\u2067שלום\u2069" in svg)
        self.assertGreater(svg.count("@font-face"), self.render("without.svg", fonts=False).decode().count("@font-face"))

    def test_pdf(self):
        self.render("tokens.pdf")
        text = subprocess.run(["pdftotext", self.folder / "tokens.pdf", "-"], capture_output=True, check=True).stdout.decode()
        for token in ("猫", "ねこ", "고양이", "देवनागरी"):
            self.assertIn(token, text)


if __name__ == "__main__":
    unittest.main()
