"""A lecture on paper: the page that `headlight handout` writes, as HTML and as Chromium prints it."""

import html
import html.parser
import os
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

Words, as in [a *paper*](https://example.org/?a=1&b=2).

```question
ask = "Warmer, or colder?"
choices = ["warmer", "colder"]
answer = "'colder' if max(weights) > was(max(weights)) else 'warmer'"
right = "From {was(max(weights)):.5f} to {max(weights):.5f}."
wrong = { warmer = "A lower temperature sharpens." }
set = ["attention.temperature=3"]
```
"""


class Page(html.parser.HTMLParser):
    """What a browser would find."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.addresses, self.links, self.words, self.open = [], [], [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)
        addresses = [value for name, value in attributes if name in ("src", "href", "xlink:href", "data")]
        if tag == "a":
            self.links += addresses
        else:
            self.addresses += addresses

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

    def printed(self, name):
        """The page printed by Chromium, as PDF, and its pages as text."""
        subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
             f"--user-data-dir={self.folder / 'chromium'}", "--no-pdf-header-footer",
             f"--print-to-pdf={self.folder / 'printed.pdf'}", (self.folder / name).as_uri()],
            env={**os.environ, "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "chromium")},
            check=True, capture_output=True, timeout=300)
        pages = self.run_tool("pdftotext", "-layout", "printed.pdf", "-").split("\f")
        self.assertEqual(pages.pop(), "")
        return [re.sub(r"(\d) / (\d+)$", r"\1/\2", " ".join(page.split())) for page in pages]

    def words(self, name):
        return " ".join(Page((self.folder / name).read_text()).words.split())

    def number(self, expression):
        """The number of the lecture's own setup, as its words have it."""
        said = self.succeed("explain", "--lecture", "paper", "--lectures", "paper.md", "--cell", expression, "--json")
        return float(re.search(r'"value": ([-\d.e]+)', said)[1])


class Handout(HandoutTest):
    def test_it_says_everything_and_the_answers_at_the_end(self):
        self.handout("a.html")
        said = self.words("a.html")
        self.assert_in_order(
            said, "On paper", "A document", "Say whom a word looks at.", "1", "Whom does sat look at?",
            "this cell", "Warmer", "weights = softmax(scores) # a < b", "Which key?", "The", "cat", "sat",
            "down", "2", "Afterwards", "Warmer, or colder?", "colder", "warmer", "Hints", "1. Whom does sat look at?",
            "Think.", "Answers", "Whom does sat look at?", "Which key?", "The", "cat", "sat", "down", "It is",
            "Afterwards", "Warmer, or colder?", "colder", "warmer", "colder", "From", "Not warmer",
            "A lower temperature sharpens.")
        self.assertNotIn("Let them vote.", said)
        self.assertNotIn("select:", said)

    def test_more_about_a_step_is_printed_beside_its_answer_or_among_the_notes(self):
        self.write("paper.md", LECTURE.replace("```notes", "```more\nA key is a row.\n```\n\n```notes")
                   + "\n## Last\n\nSeen.\n\n```more\nNothing is asked here.\n```\n")
        self.handout("a.html")
        asked, answers = self.words("a.html").rsplit("Answers", 1)
        self.assertNotIn("A key is a row.", asked)
        self.assert_in_order(answers, "It is", "A key is a row.", "Afterwards")
        self.assert_in_order(asked, "Last", "Seen.", "Nothing is asked here.")
        self.handout("b.html", "--notes")
        said = self.words("b.html")
        self.assert_in_order(said, "For the speaker", "Let them vote.", "A key is a row.", "Afterwards", "Nothing is asked here.", "Answers")
        self.assertEqual(said.count("A key is a row."), 1)

    def test_a_cell_to_be_found_is_marked_in_the_printed_picture(self):
        self.write("paper.md", LECTURE.replace('cells = "weights[0,1,2]"', 'find = "weights[0,1,2]"'))
        self.handout("a.html")
        said = self.words("a.html")
        self.assert_in_order(said, "Which key?", "Mark your answer in the picture.", "Afterwards", "Answers", "Which key?", "cat: 0.47")
        self.assertIn(f"{self.number('weights[0,1,2,1]'):.4f}", said.split("Which key?")[0])

    def test_what_is_to_be_put_in_order_is_numbered_on_paper(self):
        ordered = LECTURE.replace('cells = "weights[0,1,2]"', 'order = ["one", "two", "three"]')
        self.write("paper.md", ordered.replace('answer = "argmax(weights[0,1,2])"', 'answer = ["1", "3", "2"]')
                   .replace('right = "It is {key_token(answer)}, with {weights[0,1,2,answer]:.5f}."', 'right = "Counted."'))
        self.handout("a.html")
        asked, answers = self.words("a.html").split("Answers", 1)[0], self.words("a.html").rsplit("Answers", 1)[1]
        self.assert_in_order(asked, "Which key?", "Number them.", "Afterwards")
        self.assert_in_order(answers, "Which key?", "one, three, two", "Counted.")

    def test_a_row_to_be_drawn_has_a_box_for_each_share_on_paper(self):
        drawn = LECTURE.replace('cells = "weights[0,1,2]"\nanswer = "argmax(weights[0,1,2])"', 'draw = "weights[0,1,2]"')
        self.write("paper.md", drawn.replace('right = "It is {key_token(answer)}, with {weights[0,1,2,answer]:.5f}."', 'right = "Drawn."'))
        self.handout("a.html")
        asked, answers = self.words("a.html").rsplit("Answers", 1)
        self.assert_in_order(asked, "Which key?", "Write a share beside each", "The", "cat", "sat", "down", "Afterwards")
        self.assert_in_order(answers, "Which key?", "The 36 %, cat 47 %, sat 8 %, down 9 %", "Drawn.")

    def test_of_many_cells_only_those_that_are_named_say_why_they_are_wrong(self):
        longer = LECTURE.replace('"down"]', '"down", "in", "the", "zoo"]\n\n[setup.sizes]\nquery_length = 7')
        self.write("paper.md", longer.replace('hint = "Think."', 'wrong = { zoo = "Named.", other = "Any other." }'))
        self.handout("a.html")
        answers = self.words("a.html").split("Answers")[1]
        self.assert_in_order(answers, "Not zoo", "Named.", "Afterwards")
        self.assertNotIn("Any other.", answers)

    def test_what_a_question_asks_for_is_in_the_answers_alone(self):
        asked = [self.number(f"weights[0,1,2,{key}]") for key in range(4)]
        self.handout("a.html")
        for said in (self.words("a.html"), " ".join(self.printed("a.html"))):
            self.assertIn(f"{max(asked):.5f}", said.split("Answers")[1])
            numbers = re.findall(r"(?<![\d.])\d*\.\d{3,}", said.split("2 Afterwards")[0])
            self.assertGreater(len(numbers), 20)
            for found in numbers:
                decimals = len(found.split(".")[1])
                for number in asked:
                    self.assertNotEqual(float(found), round(number, decimals), f"it shows {found}")

    def test_a_printed_page_has_its_size_and_answers_begin_a_page_of_their_own(self):
        for paper, points in (("a4", (595.28, 841.89)), ("letter", (612, 792))):
            self.handout("a.html", "--paper", paper)
            pages = self.printed("a.html")
            about = self.run_tool("pdfinfo", "printed.pdf")
            for found, wanted in zip(re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", about).groups(), points):
                self.assertAlmostEqual(float(found), wanted, delta=0.5)
            self.assertEqual(len(pages), 3)
            self.assert_in_order(pages[0], "On paper", "Whom does sat look at?", "Which key?", "1/3")
            self.assert_in_order(pages[1], "Warmer, or colder?", "Hints", "Think.", "2/3")
            self.assertNotIn("Answers", pages[1])
            self.assert_in_order(pages[2], "Answers", "Whom does sat look at?", "Afterwards", "3/3")

    def test_printed_pages_are_full_and_notes_stand_with_their_step(self):
        self.handout("masks.html", "--notes", lecture="masks")
        pages = self.printed("masks.html")
        self.run_tool("pdftoppm", "-gray", "-r", "20", "printed.pdf", "page")
        answers = next(number for number, page in enumerate(pages) if "Answers" in page.split("1 ")[0])
        for number, page in enumerate(pages):
            self.assertNotRegex(page, r"^For the speaker", "notes without their step")
            if number in (answers - 1, len(pages) - 1):
                continue  # what is left before the answers, and at the end
            self.assertGreater(self.filled(f"page-{number + 1:02}.pgm"), 0.5, f"page {number + 1} is nearly empty")

    def filled(self, name):
        """How far down the page something is printed, above its foot: 1 at the lower margin."""
        header, pixels = (self.folder / name).read_bytes().split(b"\n255\n", 1)
        width, height = map(int, header.split()[1:3])
        foot = int(height * 0.93)
        rows = [row for row in range(foot) if min(pixels[row * width : (row + 1) * width]) < 200]
        return max(rows) / foot

    def test_live_numbers_are_those_of_the_step(self):
        largest = max(self.number(f"weights[0,0,{q},{k}]") for q in range(4) for k in range(4))
        self.handout("a.html")
        self.assertIn(f"the largest weight of the head is {largest:.5f}", self.words("a.html"))

    def test_the_speaker_s_notes_come_on_request(self):
        self.handout("a.html", "--notes")
        self.assert_in_order(self.words("a.html"), "Which key?", "For the speaker", "Let them vote.", "Afterwards")

    def test_printed_pictures_are_vectors_and_no_heading_is_alone(self):
        self.handout("scale.html", lecture="scale")
        pages = self.printed("scale.html")
        # Beside an answer, cells may be too small to be drawn one by one.
        before_answers = next(number for number, page in enumerate(pages) if page.startswith("Answers"))
        images = self.run_tool("pdfimages", "-l", str(before_answers), "-list", "printed.pdf")
        self.assertEqual(len(images.splitlines()), 2)
        self.assertRegex(self.run_tool("pdffonts", "printed.pdf"), r"JetBrainsMono")
        self.assertGreater(self.headings_at_feet("scale.html", pages), 10)

    def test_no_heading_of_hints_and_answers_is_alone(self):
        self.handout("bank.html", lecture="bank")
        self.headings_at_feet("bank.html", self.printed("bank.html"))

    def headings_at_feet(self, name, pages):
        """How many headings there are; none may be the last thing on its page."""
        text = (self.folder / name).read_text()
        lecture = html.unescape(re.search(r"<title>(.*)</title>", text)[1])
        headings = [html.unescape(re.sub(r"<.*?>", " ", inside)).split() for inside in re.findall(r"<h[123]>(.*?)</h[123]>", text)]
        for number, page in enumerate(pages, 1):
            end = f" {number}/{len(pages)}"
            self.assertTrue(page.endswith(end), page)
            foot = page.removesuffix(end).removesuffix(lecture).split()
            for heading in headings:
                self.assertNotEqual(foot[-len(heading):], heading, f"a heading is alone at the foot of page {number}")
        return len(headings)

    def test_the_page_needs_nothing_else(self):
        text = self.handout("a.html", "--notes").read_text()
        page = Page(text)
        self.assertEqual([a for a in page.addresses if not a.startswith(("data:", "#"))], [])
        self.assertEqual(page.links, ["https://example.org/?a=1&b=2"])
        self.assertNotIn("@import", text)
        self.assertEqual(re.findall(r"url\((?!data:|#)", text), [])
        self.assertEqual(page.tags.count("svg"), 4)
        for tag in ("math", "msqrt", "pre", "h1", "h2", "figure"):
            self.assertIn(tag, page.tags)
        self.assertEqual(page.open, [tag for tag in page.open if tag in ("meta", "br")])
        ids = re.findall(r' id="([^"]+)"', text)
        self.assertEqual(len(ids), len(set(ids)))

    def test_equal_runs_give_equal_bytes(self):
        self.assertEqual(self.handout("a.html").read_bytes(), self.handout("again.html").read_bytes())

    def test_a_picture_of_a_lecture_stands_for_it(self):
        self.succeed("render", "--lecture", "masks", "--step", "2", "-o", "a.png")
        self.succeed("handout", "--setup", "a.png", "-o", "masks.html")
        self.assert_in_order(self.words("masks.html"), "Who may see whom", "Answers")


class BadHandout(ArgumentsTest):
    def test_what_is_refused(self):
        self.refuse("handout -o a.html", "none of --lecture, --setup and --model")
        self.refuse("handout --lecture nothing -o a.html", "nothing", "masks")
        self.refuse("handout --setup good.toml -o a.html", "lecture", "none")
        self.refuse("handout --lecture masks -o a.docx", "-o", "a.docx", ".html")
        self.refuse("handout --lecture masks -o a.pdf", "-o", "a.pdf", ".html", "write a.html and print it")
        self.refuse("handout --lecture masks", "--output")
        self.refuse("handout --lecture masks --paper a3 -o a.html", "--paper", "a3", "a4 or letter")

    def test_bad_targets(self):
        for target in ("no/a.html", "/proc/a.html"):
            self.refuse(f"handout --lecture masks -o {target}", target)


if __name__ == "__main__":
    unittest.main()
