"""A lecture on paper: the PDF and the HTML page that `headlight handout` writes, read by other programs."""

import html.parser
import re
import subprocess
import unittest

from program import ArgumentsTest, ProgramTest

LECTURE = """\
+++
title = "On paper"
source = "A document"
goals = ["Say whom a word looks at."]
minutes = 5

[setup]
tokens = ["The", "cat", "sat", "down"]

[setup.attention]
temperature = 9.0

[setup.random]
draws = ["seed 3", "X normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal"]
+++

## Whom does sat look at?

```step
cell = "weights[0,1,2,0]"
```

The root is $\\sqrt{d_{head}}$, the largest weight of the head is {max(weights[0,0]):.5f}, and
[this cell](select:weights[0,1,2,0]) is a link.

[Warmer](set:attention.temperature=2)

```python
weights = softmax(scores)  # a < b
```

```question
ask = "Which key?"
cells = "weights[0,1,2]"
answer = "argmax(weights[0,1,2])"
hint = "Think."
right = "It is {key_token(answer)}, with {weights[0,1,2,answer]:.5f}."
```

```notes
Let them vote.
```

## Afterwards

```step
view = "heads"
```

Words.

```question
ask = "Warmer, or colder?"
choices = ["warmer", "colder"]
answer = "'colder' if max(weights) > was(max(weights)) else 'warmer'"
right = "From {was(max(weights)):.5f} to {max(weights):.5f}."
set = ["attention.temperature=3"]
```
"""


class Page(html.parser.HTMLParser):
    """What a browser would find."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.addresses, self.words, self.open = [], [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "xlink:href", "data")]

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if "style" not in self.open:
            self.words += data + " "


class HandoutTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("paper.md", LECTURE)

    def handout(self, name, *arguments, lecture="paper"):
        self.succeed("handout", "--lecture", lecture, "--lectures", "paper.md", *arguments, "-o", name)
        return self.folder / name

    def run_tool(self, *arguments):
        return subprocess.run(arguments, cwd=self.folder, check=True, capture_output=True).stdout.decode()

    def words(self, name):
        if name.endswith(".html"):
            return " ".join(Page((self.folder / name).read_text()).words.split())
        return " ".join(self.run_tool("pdftotext", "-layout", name, "-").split())

    def number(self, expression):
        """The number of the lecture's own setup, as its words have it."""
        said = self.succeed("explain", "--lecture", "paper", "--lectures", "paper.md", "--cell", expression, "--json")
        return float(re.search(r'"value": ([-\d.e]+)', said)[1])


class Handout(HandoutTest):
    def test_both_forms_say_everything_and_the_answers_at_the_end(self):
        for name in ("a.pdf", "a.html"):
            self.handout(name)
            with self.subTest(name):
                said = self.words(name)
                self.assert_in_order(
                    said, "On paper", "A document", "Say whom a word looks at.", "1", "Whom does sat look at?",
                    "this cell", "Warmer", "weights = softmax(scores) # a < b", "Which key?", "The", "cat", "sat",
                    "down", "Hint", "2", "Afterwards", "Warmer, or colder?", "warmer", "colder", "Answers",
                    "Whom does sat look at?", "It is", "Afterwards", "colder", "From")
                self.assertNotIn("Let them vote.", said)
                self.assertNotIn("select:", said)

    def test_what_a_question_asks_for_stands_in_the_answers_alone(self):
        asked = [self.number(f"weights[0,1,2,{key}]") for key in range(4)]
        for name in ("a.pdf", "a.html"):
            self.handout(name)
            said = self.words(name)
            self.assertIn(f"{max(asked):.5f}", said.split("Answers")[1])
            numbers = re.findall(r"(?<![\d.])\d*\.\d{3,}", said.split("2 Afterwards")[0])
            self.assertGreater(len(numbers), 20)
            for found in numbers:
                decimals = len(found.split(".")[1])
                for number in asked:
                    self.assertNotEqual(float(found), round(number, decimals), f"{name} shows {found}")

    def test_a_page_ends_with_the_question_that_the_next_step_may_answer(self):
        self.handout("a.pdf")
        pages = self.run_tool("pdftotext", "-layout", "a.pdf", "-").split("\f")
        self.assertIn("Which key?", pages[0])
        self.assertNotIn("Warmer, or colder?", pages[0])
        self.assert_in_order(pages[1], "Afterwards", "Words.", "Warmer, or colder?")
        self.assertIn("Answers", pages[2])
        self.assertIn(".asks{break-after:page}", self.handout("a.html").read_text())
        self.assertEqual((self.folder / "a.html").read_text().count('<section class="asks">'), 2)

    def test_live_numbers_are_those_of_the_step(self):
        largest = max(self.number(f"weights[0,0,{q},{k}]") for q in range(4) for k in range(4))
        for name in ("a.pdf", "a.html"):
            self.handout(name)
            self.assertIn(f"the largest weight of the head is {largest:.5f}", self.words(name))

    def test_the_speaker_s_notes_come_on_request(self):
        for name in ("a.pdf", "a.html"):
            self.handout(name, "--notes")
            self.assert_in_order(self.words(name), "Hint", "For the speaker", "Let them vote.", "Afterwards")

    def test_paper_has_its_size(self):
        for paper, points in (("a4", (595.28, 841.89)), ("letter", (612, 792))):
            self.handout("a.pdf", "--paper", paper)
            size = re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", self.run_tool("pdfinfo", "a.pdf")).groups()
            for found, wanted in zip(size, points):
                self.assertAlmostEqual(float(found), wanted, delta=0.1)
            self.handout("a.html", "--paper", paper)
            self.assertIn(f"@page{{size:{'A4' if paper == 'a4' else 'Letter'};", (self.folder / "a.html").read_text())

    def test_pictures_are_vectors_and_none_is_cut(self):
        self.handout("shapes.pdf", lecture="scale")
        self.assertEqual(len(self.run_tool("pdfimages", "-list", "shapes.pdf").splitlines()), 2)
        self.assertRegex(self.run_tool("pdffonts", "shapes.pdf"), r"Inter")
        pages = int(re.search(r"Pages:\s+(\d+)", self.run_tool("pdfinfo", "shapes.pdf"))[1])
        for page in range(1, pages + 1):
            words = self.run_tool("pdftotext", "-layout", "-f", str(page), "-l", str(page), "shapes.pdf", "-").split("\n")
            words = [line.strip() for line in words if line.strip()]
            self.assertRegex(words[-1], rf"{page} ?/ ?{pages}$")
            self.assertNotRegex(words[-2], r"^\d+   \S", "a heading stands alone at the foot")

    def test_the_page_needs_nothing_else(self):
        text = self.handout("a.html", "--notes").read_text()
        page = Page(text)
        self.assertEqual([a for a in page.addresses if not a.startswith(("data:", "#"))], [])
        self.assertNotIn("@import", text)
        self.assertEqual(re.findall(r"url\((?!data:|#)", text), [])
        self.assertEqual(page.tags.count("svg"), 2)
        for tag in ("math", "msqrt", "pre", "h1", "h2", "figure"):
            self.assertIn(tag, page.tags)
        self.assertEqual(page.open, [tag for tag in page.open if tag in ("meta", "br")])
        ids = re.findall(r' id="([^"]+)"', text)
        self.assertEqual(len(ids), len(set(ids)))

    def test_equal_runs_give_equal_bytes(self):
        for name in ("a.pdf", "a.html"):
            self.assertEqual(self.handout(name).read_bytes(), self.handout("again" + name[1:]).read_bytes())

    def test_a_picture_of_a_lecture_stands_for_it(self):
        self.succeed("render", "--lecture", "masks", "--step", "2", "-o", "a.png")
        self.succeed("handout", "--setup", "a.png", "-o", "masks.html")
        self.assert_in_order(self.words("masks.html"), "Who may see whom", "Answers")


class BadHandout(ArgumentsTest):
    def test_what_is_refused(self):
        self.refuse("handout -o a.pdf", "neither --lecture nor --setup")
        self.refuse("handout --lecture nothing -o a.pdf", "nothing", "masks")
        self.refuse("handout --setup good.toml -o a.pdf", "lecture", "none")
        self.refuse("handout --lecture masks -o a.docx", "-o", "a.docx", ".pdf", ".html")
        self.refuse("handout --lecture masks", "--output")
        self.refuse("handout --lecture masks --paper a3 -o a.pdf", "--paper", "a3", "a4 or letter")

    def test_bad_targets(self):
        for target in ("no/a.pdf", "/proc/a.html"):
            self.refuse(f"handout --lecture masks -o {target}", target)


if __name__ == "__main__":
    unittest.main()
