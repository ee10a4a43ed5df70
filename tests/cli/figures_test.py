"""Figures, checked by other programs: an XML parser, librsvg, poppler and PIL read what Headlight wrote."""

import base64
import io
import re
import subprocess
import unittest
import xml.etree.ElementTree

import numpy
from PIL import Image, ImageChops, ImageStat

from program import SETUP, ArgumentsTest, ProgramTest

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
FIGURES = ("window", "view", "heatmap", "heads", "equation", "tokens", "explanation", "sources", "head-sources",
           "play")  # curve: learning_test.py

LARGE = """\
version = 1
[sizes]
batch = 1
query_length = {0}
d_model = 8
heads = 2
[mask]
kinds = ["causal"]
[random]
generator = "numpy"
draws = ["seed 3", "X normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal"]
"""


def rgb(hexadecimal):
    return numpy.array([int(hexadecimal[i : i + 2], 16) for i in (1, 3, 5)])


class FiguresTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("small.toml", SETUP)

    def render(self, name, *arguments, setup="small.toml"):
        self.succeed("render", "--setup", setup, *arguments, "-o", name)
        return self.folder / name

    def svg(self, name, *arguments, **options):
        return xml.etree.ElementTree.parse(self.render(name, *arguments, **options)).getroot()

    def tensor(self, name, setup="small.toml"):
        self.succeed("compute", "--setup", setup, "-o", "trace.npz")
        return numpy.load(self.folder / "trace.npz")[name]

    def run_tool(self, *arguments):
        return subprocess.run(arguments, cwd=self.folder, check=True, capture_output=True).stdout

    def rasterized(self, svg):
        """The SVG as a picture drawn by librsvg."""
        return Image.open(io.BytesIO(self.run_tool("rsvg-convert", svg))).convert("RGB")


def color_bar(svg, largest=1.0):
    """Values along the colour bar from 0 to `largest`, and the colours that stand for them."""
    bar = next(node for node in svg.iter(SVG + "rect") if node.get("class") == "color-bar")
    gradient = re.fullmatch(r"url\(#(.*)\)", bar.get("fill")).group(1)
    stops = next(node for node in svg.iter(SVG + "linearGradient") if node.get("id") == gradient)
    values = numpy.array([largest * float(stop.get("offset")) for stop in stops])
    return values, numpy.array([rgb(stop.get("stop-color")) for stop in stops])


def decoded(color, bar):
    """The value whose colour on the bar is closest to this colour, and the difference between the two colours."""
    values, colors = bar
    fine = numpy.linspace(values[0], values[-1], 4001)
    table = numpy.stack([numpy.interp(fine, values, colors[:, channel]) for channel in range(3)], axis=1)
    distance = numpy.abs(table - color).max(axis=1)
    return fine[distance.argmin()], distance.min()


def centre(rect):
    return tuple(float(rect.get(a)) + float(rect.get(b)) / 2 for a, b in (("x", "width"), ("y", "height")))


class Cells(FiguresTest):
    """The colours of the cells can be decoded to the tensor's numbers."""

    HEATMAP = ("--figure", "heatmap", "--tensor", "weights", "--head", 1, "--theme", "light")
    HEATMAP += ("--show", "weights.range=unit")  # many weights would show how many times even attention they are

    def expect(self, color, value, bar):
        found, off = decoded(color, bar)
        self.assertLessEqual(off, 2)
        self.assertAlmostEqual(found, value, delta=0.02)

    def test_rectangles_of_an_svg(self):
        weights = self.tensor("weights")[0, 1]
        svg = self.svg("a.svg", *self.HEATMAP)
        cells = next(node for node in svg.iter(SVG + "g") if node.get("class") == "cells")
        visible = [(i, j) for i in range(4) for j in range(4) if j <= i and j < 3]
        self.assertEqual(len(cells), len(visible))
        for cell, (i, j) in zip(cells, visible):
            self.expect(rgb(cell.get("fill")), weights[i, j], color_bar(svg))
        hatched = [node for node in svg.iter(SVG + "rect") if node.get("fill", "").startswith("url(#hatch")]
        self.assertGreaterEqual(len(hatched), 16 - len(visible))

    def test_pixels_of_a_png(self):
        weights = self.tensor("weights")[0, 1]
        svg = self.svg("a.svg", *self.HEATMAP)
        cells = next(node for node in svg.iter(SVG + "g") if node.get("class") == "cells")
        picture = Image.open(self.render("a.png", *self.HEATMAP, "--scale", 3)).convert("RGB")
        for cell, (i, j) in zip(cells, [(0, 0), (1, 0), (1, 1), (2, 0)]):
            left, top = float(cell.get("x")), float(cell.get("y"))
            self.expect(picture.getpixel((round(3 * (left + 5)), round(3 * (top + 5)))), weights[i, j], color_bar(svg))

    def test_an_image_where_there_are_too_many_rectangles(self):
        self.write("large.toml", LARGE.format(100))
        weights = self.tensor("weights", "large.toml")[0, 1]
        svg = self.svg("a.svg", *self.HEATMAP, "--size", "1600x1600", setup="large.toml")
        image = next(node for node in svg.iter(SVG + "image"))
        kind, data = image.get(HREF).split(",")
        self.assertEqual(kind, "data:image/png;base64")
        picture = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA")
        self.assertEqual(picture.size, (100, 100))
        for i, j in ((0, 0), (7, 3), (50, 50), (99, 0), (99, 98)):
            *color, alpha = picture.getpixel((j, i))
            self.assertEqual(alpha, 255)
            self.expect(numpy.array(color), weights[i, j], color_bar(svg))
        self.assertEqual(picture.getpixel((60, 50))[3], 0, "a masked cell lets the hatch through")

    def test_the_image_of_a_pdf(self):
        self.write("large.toml", LARGE.format(100))
        weights = self.tensor("weights", "large.toml")[0, 1]
        bar = color_bar(self.svg("a.svg", *self.HEATMAP, setup="large.toml"))
        self.render("a.pdf", *self.HEATMAP, "--size", "1600x1600", setup="large.toml")
        self.run_tool("pdfimages", "-png", "a.pdf", "image")
        cells = Image.open(self.folder / "image-000.png").convert("RGB")
        mask = Image.open(self.folder / "image-001.png").convert("L")
        self.assertEqual((cells.size, mask.size), ((100, 100), (100, 100)))
        for i, j in ((0, 0), (7, 3), (50, 50), (99, 0), (99, 98)):
            self.assertEqual(mask.getpixel((j, i)), 255)
            self.expect(numpy.array(cells.getpixel((j, i))), weights[i, j], bar)
        self.assertEqual(mask.getpixel((60, 50)), 0, "a masked cell lets the hatch through")

    def test_reduced_cells_show_the_largest_of_each_block(self):
        self.write("large.toml", LARGE.format(300))
        weights = self.tensor("weights", "large.toml")[0, 1]
        svg = self.svg("a.svg", *self.HEATMAP, "--size", "200x200", "--scale", 4, setup="large.toml")
        data = next(node for node in svg.iter(SVG + "image")).get(HREF).split(",")[1]
        picture = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA")
        across, down = picture.size
        self.assertLess(across, 300)
        for x, y in ((0, down - 1), (across // 4, down // 2), (2, down // 3)):
            rows = weights[y * 300 // down : (y + 1) * 300 // down]
            block = rows[:, x * 300 // across : (x + 1) * 300 // across]
            self.expect(numpy.array(picture.getpixel((x, y))[:3]), block.max(), color_bar(svg))


class Pictures(FiguresTest):
    def test_librsvg_draws_what_the_screen_does(self):
        for figure in FIGURES:
            with self.subTest(figure):
                arguments = ("--figure", figure, "--theme", "light", "--tensor", "weights")
                self.render("a.svg", *arguments)
                picture = Image.open(self.render("a.png", *arguments)).convert("RGB")
                other = self.rasterized("a.svg")
                self.assertEqual(other.size, picture.size)
                # Letters are smoothed differently; a missing or moved part would differ over whole areas.
                difference = ImageStat.Stat(ImageChops.difference(picture, other)).rms
                self.assertLess(max(difference), 20)

    def test_poppler_draws_what_the_screen_does(self):
        for figure in ("window", "heatmap", "heads"):
            with self.subTest(figure):
                arguments = ("--figure", figure, "--size", "900x900", "--tensor", "weights")
                picture = Image.open(self.render("a.png", *arguments)).convert("RGB")
                self.render("a.pdf", *arguments)
                self.run_tool("pdftoppm", "-r", "96", "-png", "-singlefile", "a.pdf", "page")
                other = Image.open(self.folder / "page.png").convert("RGB")
                self.assertEqual(other.size, picture.size)
                self.assertLess(max(ImageStat.Stat(ImageChops.difference(picture, other)).rms), 20)

    def test_text_is_text(self):
        tokens = {"The", "cat", "sat", "down"}
        svg = self.svg("a.svg", "--figure", "heatmap", "--tensor", "weights")
        texts = [node for node in svg.iter(SVG + "text")]
        self.assertLessEqual(tokens, {node.text for node in texts})
        for node in texts:
            self.assertIn(node.get("font-family").split(",")[-1].strip(), ("sans-serif", "monospace"))
            self.assertTrue(len(node.text) == 1 or float(node.get("textLength")) > 0)
        style = next(svg.iter(SVG + "style")).text
        fonts = re.findall(r"font-family:'([^']*)';font-weight:\d+;src:url\(data:font/otf;base64,([^)]*)\)", style)
        self.assertLessEqual({"Inter", "JetBrains Mono"}, {name for name, _ in fonts})
        for _, data in fonts:
            self.assertIn(base64.b64decode(data)[:4], (b"OTTO", b"\0\1\0\0"))
        self.render("a.pdf", "--figure", "heatmap", "--tensor", "weights")
        self.assertLessEqual(tokens, set(self.run_tool("pdftotext", "a.pdf", "-").decode().split()))
        for line in self.run_tool("pdffonts", "a.pdf").decode().splitlines()[2:]:
            self.assertRegex(line, r"\byes\s+yes\s+yes\b", "a font is not embedded, cut down and mapped to characters")

    def test_nobodys_letters_break_nothing(self):
        self.write("odd.toml", SETUP.replace('"cat"', '"<&\\"日"').replace('"sat"', r'"\u0007\uFFFF"'))
        svg = self.svg("a.svg", "--figure", "heatmap", "--tensor", "weights", setup="odd.toml")
        strange = [node for node in svg.iter(SVG + "text") if node.text == '<&"日']
        self.assertTrue(strange)
        # Text with characters that the program's fonts lack has no fixed width: the viewer's font decides.
        self.assertEqual({node.get("textLength") for node in strange}, {None})
        self.render("a.pdf", "--figure", "heatmap", "--tensor", "weights", setup="odd.toml")
        self.run_tool("pdftotext", "a.pdf", "-")

    def test_sizes(self):
        heatmap = ("--figure", "heatmap", "--tensor", "weights")
        printed = Image.open(self.render("a.png", *heatmap, "--size", "8cmx6cm", "--dpi", 200))
        self.assertEqual(printed.size, (630, 472))
        self.assertAlmostEqual(printed.info["dpi"][0], 200, delta=0.1)
        svg = self.svg("a.svg", *heatmap, "--size", "8cmx6cm")
        self.assertEqual((svg.get("width"), svg.get("height")), ("8cm", "6cm"))
        self.render("a.pdf", *heatmap, "--size", "8cmx6cm")
        points = re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", self.run_tool("pdfinfo", "a.pdf").decode()).groups()
        self.assertAlmostEqual(float(points[0]), 8 / 2.54 * 72, delta=0.01)
        plain = Image.open(self.render("b.png", *heatmap))
        larger = Image.open(self.render("c.png", *heatmap, "--scale", 2))
        self.assertEqual(larger.size, (2 * plain.width, 2 * plain.height))

    def test_transparent(self):
        picture = Image.open(self.render("a.png", "--figure", "heatmap", "--transparent", "--tensor", "weights"))
        self.assertEqual(picture.mode, "RGBA")
        self.assertEqual(picture.getpixel((1, 1))[3], 0)
        self.assertEqual(picture.getchannel("A").getextrema(), (0, 255))
        opaque = Image.open(self.render("b.png", "--figure", "heatmap", "--tensor", "weights")).convert("RGBA")
        ground = Image.new("RGBA", opaque.size, opaque.getpixel((1, 1)))
        ground.alpha_composite(picture)
        difference = ImageChops.difference(ground.convert("RGB"), opaque.convert("RGB"))
        self.assertLess(max(high for _, high in difference.getextrema()), 8)
        svg = self.svg("a.svg", "--figure", "heatmap", "--transparent", "--tensor", "weights")
        self.assertFalse([node for node in svg.findall(SVG + "rect") if node.get("x") is None])

    def test_the_same_twice(self):
        for ending in ("svg", "pdf"):
            first = self.render(f"a.{ending}", "--figure", "equation").read_bytes()
            self.assertEqual(first, self.render(f"b.{ending}", "--figure", "equation").read_bytes())

    def test_a_png_opens_again(self):
        picture = Image.open(self.render("a.png", "--figure", "heads", "--tensor", "scores", "--head", 1))
        self.assertIn("heads = 2", picture.text["Setup"])
        self.assertIn('cell = "scores[0,1,0,0]"', picture.text["Session"])


class Shown(FiguresTest):
    """Every choice that a person has on the screen is also an option."""

    WEIGHTS = ("--tensor", "weights")

    def words(self, *arguments, **options):
        return [node.text for node in self.svg("a.svg", *self.WEIGHTS, *arguments, **options).iter(SVG + "text")]

    def test_colours(self):
        heatmap = ("--figure", "heatmap", "--head", 1)
        plain = self.svg("a.svg", *self.WEIGHTS, *heatmap)
        shown = ("--show", "weights.range=min_max", "--show", "weights.colour_map=magma")
        other = self.svg("a.svg", *self.WEIGHTS, *heatmap, *shown)
        colors = [color_bar(svg)[1] for svg in (plain, other)]
        self.assertFalse(numpy.array_equal(*colors))
        words = self.words(*heatmap, "--show", "weights.range=fixed", "--show", "weights.low=0.25", "--show", "weights.high=0.75")
        self.assertLessEqual({"≤ 0.25", "≥ 0.75"}, {word.rstrip("0") for word in words})

    def test_heads(self):
        heads = lambda *arguments: [word for word in self.words("--figure", "heads", *arguments) if "head " in word]
        self.assertNotEqual(heads(), heads("--show", "hidden_heads=1"))

    def test_zoom(self):
        self.write("large.toml", LARGE.format(60))
        words = self.words("--figure", "view", "--zoom", "rows=10..16", "--zoom", "columns=20..26", setup="large.toml")
        self.assertLessEqual({"q10", "q15", "k20", "k25"}, set(words))
        self.assertFalse({"q9", "q16", "k19", "k26"} & set(words))

    def test_two_states(self):
        compare = ("--figure", "view", "--view", "compare")
        words = self.words(*compare, "--was", "attention.temperature=0.25", "--was", "mask.kinds=[]")
        self.assertLessEqual({"attention.temperature", "0.25", "mask.kinds"}, set(words))
        first = self.render("a.png", *compare, "--was", "attention.temperature=0.25")
        again = self.render("b.png", *compare, setup="a.png")
        self.assertEqual(first.read_bytes(), again.read_bytes(), "a picture of two states opens as both")


class BadFigures(ArgumentsTest):
    def test_shown(self):
        for option, *words in (
            ("--show nothing=1", "--show", "nothing", "hidden_heads"),
            ("--show weights.range", "--show", "weights.range", "KEY=VALUE"),
            ("--show weights.range=wide", "weights.range", "wide", "min_max"),
            ("--show weights.low=nan", "weights.low", "nan", "a number"),
            ("--show weights.range=fixed --show weights.low=2", "weights.low", "2", "below"),
            ("--show nothings.range=shared", "nothings.range"),
            ("--show hidden_heads=1,x", "hidden_heads", "1,x", "heads"),
            ("--show threshold=big --show head_order=size", "threshold", "big", "head_order", "size", "entropy"),
            ("--zoom rows", "--zoom", "rows", "rows=10..40"),
            ("--zoom depth=1..2", "--zoom", "depth=1..2", "inner"),
            ("--zoom rows=3..3", "--zoom", "rows=3..3"),
            ("--zoom rows=-1..3", "--zoom", "rows=-1..3"),
            ("--was sizes.heads=4", "--was", "--view compare"),
            ("--view compare --was sizes.heads=3", "--was sizes.heads=3", "3", "divisor"),
        ):
            self.refuse(f"render --setup good.toml {option} -o f.png", *words)

    def test_arguments(self):
        for option, *words in (
            ("--figure poster", "--figure", "poster", "heatmap"),
            ("--figure play --play nothing", "--play", "nothing", "temperature=0.1..10"),
            ("--figure play --play temperature=2..1", "--play", "temperature=2..1"),
            ("--figure play --watch colour", "--watch", "colour", "entropy"),
            ("--figure heads --play temperature", "--play", "temperature", "--figure play"),
            ("--figure heads --size 8cm", "--size", "8cm", "12cmx8cm"),
            ("--figure heads --size 8cmx6", "--size", "8cmx6"),
            ("--figure heads --size 8cmx6cmx", "--size", "8cmx6cmx"),
            ("--figure heads --size -8cmx6cm", "--size", "-8cmx6cm"),
            ("--figure heads --size nancmx6cm", "--size", "nancmx6cm"),
            ("--figure heads --size 0.1cmx6cm", "--size", "0.1cmx6cm", "64"),
            ("--figure heads --size 900cmx900cm", "--size", "900cmx900cm", "16384"),
            ("--figure heads --size 20.5x30", "--size", "20.5x30"),
            ("--figure heads --dpi 300", "--dpi", "300", "--size"),
            ("--figure heads --size 8cmx6cm --dpi 1", "--dpi", "1", "2400"),
            ("--figure heads --size 8cmx6cm --dpi nan", "--dpi", "nan"),
            ("--figure heads --scale 0.5", "--scale", "0.5", "4"),
            ("--figure heads --scale 5", "--scale", "5", "4"),
            ("--transparent", "--transparent", "window", "--figure"),
        ):
            self.refuse(f"render --setup good.toml {option} -o f.png", *words)
        self.refuse("render --setup good.toml --figure heads -o f.eps", "f.eps", ".svg", ".pdf")

    def test_bad_targets(self):
        self.refuse_bad_targets((("render --figure heatmap", "f.svg"), ("render --figure heatmap", "f.pdf")))


if __name__ == "__main__":
    unittest.main()
