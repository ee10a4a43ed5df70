"""headlight generate: the texts that a model writes, and what must be refused."""

import json
import subprocess
import unittest

from program import HEADLIGHT, ProgramTest

NAMES = """\
version = 1
[sizes]
query_length = 8
d_model = 16
heads = 2
layers = 2
[block]
residual = true
[embedding]
learned = true
unembed = true
[position]
encoding = "learned"
[mask]
kinds = ["causal"]
[random]
draws = ["seed 0", "W_E normal", "P normal", "L*: W_q normal 0.3, W_k normal 0.3, W_v normal 0.3, W_o normal 0.3",
         "W_U normal 0.3"]
[task]
name = "text"
file = "names.txt"
[training]
steps = 20
"""


class Generate(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("names.txt", "anna\notto\nhannah\nbob\n")
        self.write("names.toml", NAMES)

    def written(self, *arguments):
        return self.succeed("generate", "--setup", "names.toml", *arguments)

    def test_each_text_is_a_line(self):
        text = self.written("--count", "5")
        self.assertEqual(text.count("\n"), 5)
        self.assertTrue(set(text) <= set("anothb\n"))
        self.assertEqual(text, self.written("--count", "5", "--no-cache"))
        self.assertNotEqual(text, self.written("--count", "5", "--seed", "1"))
        self.assertEqual(self.written().count("\n"), 10)

    def test_a_picture_shows_a_draft(self):
        picture = ("render", "--setup", "names.toml", "--view", "write", "--figure", "view", "-o")
        self.succeed(*picture, "hannah.svg", "--draft", "0,0,1,3,hannah")
        words = (self.folder / "hannah.svg").read_text()
        self.assertIn("After “hannah”", words)
        self.assertIn("kept = computed anew", words)
        self.succeed(*picture, "empty.svg")
        self.assertIn("At the beginning", (self.folder / "empty.svg").read_text())
        for damaged in ("hannah", "0,0,1,3", "0,0,-1,3,hannah"):
            self.assertIn("--draft", self.complain(*picture, "x.svg", "--draft", damaged)[0])

    def test_a_prompt_begins_each_text_and_a_length_ends_it(self):
        for line in self.written("--prompt", "han", "--length", "2").splitlines():
            self.assertTrue(line.startswith("han"))
            self.assertLessEqual(len(line), 5)

    def test_json_has_the_chance_of_each_character(self):
        texts = json.loads(self.written("--json", "--prompt", "o", "--top-k", "2"))["texts"]
        self.assertEqual(len(texts), 10)
        for text in texts:
            self.assertIn(text["end"], ("line break", "window", "length"))
            characters = [each["character"] for each in text["characters"]]
            self.assertEqual("o" + "".join(characters).rstrip("\n"), text["text"])
            self.assertTrue(all(0 < each["chance"] <= 1 for each in text["characters"]))
        sure = json.loads(self.written("--json", "--temperature", "0"))["texts"]
        self.assertTrue(all(text == sure[0] for text in sure))

    def test_what_cannot_be_written_says_why(self):
        for arguments, words in (
                (["--temperature", "-1"], ["--temperature", "-1", "from 0 on"]),
                (["--temperature", "nan"], ["--temperature", "nan"]),
                (["--top-k", "-1"], ["--top-k", "-1", "0 is all"]),
                (["--count", "0"], ["--count", "0", "from 1 on"]),
                (["--length", "0"], ["--length", "0"]),
                (["--seed", "18446744073709551616"], ["--seed", "18446744073709551616", "64 bits"]),
                (["--count", "-99999999999999999999"], ["--count", "64 bits"]),
                (["--seed", "-1"], ["--seed", "-1", "4294967295"]),
                (["--prompt", "xy"], ["--prompt", '"x"', "occur in the task's text"]),
                (["--prompt", "\udcff"], ["--prompt", "text"]),
                (["--prompt", "annaanna"], ["prompt", "8 characters", "fewer than 7"]),
                (["--set", "mask.kinds=[]"], ["mask.kinds", "causal"]),
                (["--set", "task.file=no.txt"], ["task.file", "no such file"])):
            self.assert_in_order(self.complain("generate", "--setup", "names.toml", *arguments)[0], *words)
        self.assert_in_order(self.complain("generate", "--lecture", "bank")[0], "task.name", "none", "text")

    def test_scores_that_are_no_numbers_choose_no_symbol(self):
        """Not even the first, and the place where they come from is said."""
        for options in ((), ("--json",), ("--temperature", "0"), ("--no-cache", "--top-k", "2")):
            said = self.complain("generate", "--setup", "names.toml", "--set", "attention.scale=1e308", "--set", "training.steps=0", *options)
            self.assert_in_order("\n".join(said), "note", "scores", "not finite", "logits", "nan", "finite numbers")
        self.assertIn("step 1", self.start("generate", "--setup", "names.toml", "--set", "training.learning_rate=1e308").stderr.decode())

    def test_a_text_is_there_when_it_is_written(self):
        """However many follow: nothing is kept until the last."""
        for form in ((), ("--json",)):
            with subprocess.Popen([HEADLIGHT, "generate", "--setup", "names.toml", "--count", "1000000000", *form], cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as writing:
                self.assertEqual(len(writing.stdout.read(10000)), 10000)
                writing.kill()

    def test_control_characters_of_a_text_reach_no_terminal(self):
        self.write("names.txt", "\x1b[31m\n" * 3)
        self.assertNotIn("\x1b", self.written("--prompt", "\x1b["))


if __name__ == "__main__":
    unittest.main()
