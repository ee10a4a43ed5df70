"""Cuts fonts to the characters that the program's own words have, and to the alphabets of Europe.

cut_fonts.py SOURCES OUT FONT...: SOURCES is the top folder, OUT gets the fonts under their names.
"""

import pathlib
import sys

from fontTools import subset

ALPHABETS = [*range(0x20, 0x180), *range(0x370, 0x400), *range(0x400, 0x460), 0x301, 0x302, 0x303, 0x308, 0xFFFD]


def own_characters(sources: pathlib.Path) -> set[int]:
    files = [*sources.glob("app/**/*.[ci]*"), *sources.glob("app/**/*.hpp"), *sources.glob("core/**/*.[chi]*"),
             *sources.glob("assets/lectures/*.md")]
    return {ord(c) for file in files if file.is_file() for c in file.read_text(encoding="utf-8")}


def main(sources: pathlib.Path, out: pathlib.Path, *fonts: pathlib.Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    characters = own_characters(sources) | set(ALPHABETS)
    for path in fonts:
        # Light hinting takes no account of a TrueType font's own instructions.
        options = subset.Options(hinting=path.suffix != ".ttf", name_IDs=["*"], notdef_outline=True, glyph_names=False)
        font = subset.load_font(str(path), options)
        cutter = subset.Subsetter(options)
        cutter.populate(unicodes=characters)
        cutter.subset(font)
        subset.save_font(font, str(out / path.name), options)


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
