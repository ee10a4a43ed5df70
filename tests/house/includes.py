"""Checks that each part includes only what the table of parts in CONTRIBUTING.md allows, that nothing includes itself in a
ring, that headers are guarded, and that the drawing of the house shows the parts in that order.

    includes.py FOLDER      the folder that holds CONTRIBUTING.md

Prints one line per offence, and exits 1 if there is any. The columns of the table are: the part (a folder), what it is,
the parts that it may include besides itself, and the libraries that it may use.

A folder of a part has a row of its own below it if its folders have an order. It "may include" the "folders above" it, up to
the part, and what the part may, with the part's libraries. Who may include the part may include all its folders. A row
that ends in "/*" has the files directly in the part.

A header and its source are one thing. Things include each other in one direction only, and so do folders.
"""

import pathlib
import posixpath
import re
import sys

# Which library a header in angle brackets belongs to. A header that matches none of these must be standard.
LIBRARIES = [
    ("Eigen", r"Eigen/"),
    ("OpenBLAS", r"cblas\.h|openblas"),
    ("fmt", r"fmt/"),
    ("fast_float", r"fast_float/"),
    ("toml++", r"toml\+\+/|toml\.hpp"),
    ("MD4C", r"md4c"),
    ("libzip", r"zip\.h"),
    ("zlib", r"zlib\.h"),
    ("JSON", r"nlohmann/"),
    ("CLI11", r"CLI/"),
    ("FreeType", r"ft2build\.h|freetype/"),
    ("Dear ImGui", r"imgui|backends/imgui|misc/"),
    ("OpenGL", r"epoxy/|EGL/|GL/"),
    ("GLFW", r"GLFW/"),
    ("X11", r"X11/"),
    ("Emscripten", r"emscripten"),
    ("HarfBuzz", r"hb(-subset)?\.h"),
    ("FriBidi", r"fribidi\.h"),
    ("ICU", r"unicode/"),
    ("fontconfig", r"fontconfig/"),
    ("D-Bus", r"systemd/"),
    ("pugixml", r"pugixml\.hpp"),
    ("Cairo", r"cairo(-[a-z]+)?\.h"),
    ("PNG", r"png\.h|stb_image"),
    ("GIF", r"gif_lib\.h"),
    ("doctest", r"doctest/"),
    ("benchmark", r"benchmark/"),
    ("paths", r"filesystem$"),
    ("threads", r"thread$"),
    ("memory", r"(sys/mman|sanitizer/asan_interface)\.h$"),
    ("files", r"(fstream|linux/magic\.h|unistd\.h|fcntl\.h|sys/.*)$"),
]
STANDARD = re.compile(r"[a-z_0-9]+$|(errno|signal|stdlib|string|time|poll|spawn|dlfcn)\.h$")
# Libraries that cost seconds of compile time; headers must not include more of them than forward declarations.
HEAVY = {"Eigen", "toml++", "JSON", "CLI11", "doctest"}
# The headers that may include such a library. Including one of them counts as including the library.
CARRIERS = {"core/compute/matrices.hpp": "Eigen", "core/compute/matrix_product.hpp": "Eigen"}

# Dear ImGui's insides differ from version to version: one file reaches into them.
INSIDES = ("imgui_internal.h", "app/ui/drawing/imgui_seam.cpp")

# The sources of the two tables that are the only graph: their rows name functions of what is built on them.
TABLES = {"core/model/names.cpp", "core/stages/table.cpp"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


class Part:
    def __init__(self, folder, parts, libraries):
        self.folder = folder
        self.whole = None  # the part that this is a folder of
        self.ordered = False  # its folders have rows
        self.everything = parts.strip() == "everything"
        self.parts = {folder, *re.findall(r"`([^`]+)`", parts)}
        self.any_library = libraries.strip() == "everything"
        self.libraries = {word.strip() for word in libraries.split(",")}

    def may_include(self, other):
        return self.everything or other.folder in self.parts or (other.whole and other.whole.folder in self.parts)


def folder_of(whole, folder, above):
    """A folder of a part, which may include the folders above it and what the part may."""
    part = Part(folder, "", "")
    part.whole = whole
    whole.ordered = True
    part.parts |= (whole.parts - {whole.folder}) | {other.folder for other in above if other.whole is whole}
    part.any_library, part.libraries = whole.any_library, whole.libraries
    return part


def read_table(text):
    """The rows below "## Parts"."""
    section = text.partition("\n## Parts\n")[2].split("\n## ", 1)[0]
    rows = [line.strip().strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    parts = []
    for name, _, includes, libraries in rows:
        folder = name.strip().strip("`")
        if includes.strip() == "folders above":
            parts.append(folder_of(part_of(folder, [part for part in parts if not part.whole]), folder, parts))
        else:
            parts.append(Part(folder, includes, libraries))
    return parts


def part_of(path, parts):
    """The part with the longest folder that the path lies in."""
    inside = [part for part in parts if path.startswith(part.folder) or posixpath.dirname(path) + "/*" == part.folder]
    return max(inside, key=lambda part: len(part.folder), default=None)


def library_of(header):
    return next((name for name, pattern in LIBRARIES if re.match(pattern, header)), None)


def quoted(bracket, header):
    return f'"{header}"' if bracket == '"' else f"<{header}>"


def offences_of(path, text, parts):
    part = part_of(path, parts)
    if part is None:
        yield "no row of the table of parts covers it"
        return
    if part.ordered:
        yield f"a folder of {part.folder} without a row of its own in the table of parts"
    is_header = path.endswith(".hpp")
    if is_header and "#pragma once" not in text:
        yield "a header without #pragma once"
    for bracket, header in INCLUDE.findall(text):
        if bracket == '"':
            target = part_of(header, parts)
            if not part.everything and target is None:
                yield f'includes "{header}", which does not start at the top folder'
            elif target is not None and not part.may_include(target):
                yield f'includes "{header}", but {part.folder} may not include {target.folder}'
            library = CARRIERS.get(header)
        else:
            library = library_of(header)
            if library is None and not STANDARD.match(header):
                yield f"includes <{header}>, which is no known library: add it to LIBRARIES in tests/house/includes.py"
        if header == INSIDES[0] and path != INSIDES[1]:
            yield f"includes <{header}>, which {INSIDES[1]} alone may"
        if library is None:
            continue
        if not part.any_library and library not in part.libraries:
            yield f"includes {quoted(bracket, header)}, but {part.folder} may not use {library}"
        elif is_header and library in HEAVY and CARRIERS.get(path) != library and not header.endswith("_fwd.hpp"):
            yield f"includes {quoted(bracket, header)} in a header: it belongs in the .cpp"


def thing_of(path):
    """A header and its source."""
    return path.rsplit(".", 1)[0]


def folder_of_file(path):
    """The folder of a file. In app and core themselves each file counts for itself."""
    folder = posixpath.dirname(path)
    return folder if "/" in folder else thing_of(path)


def rings(includes):
    """The entries of a graph that are on a ring or between two, each with those of them that it includes."""
    while True:
        included = {other for others in includes.values() for other in others}
        left = {name: others & includes.keys() for name, others in includes.items() if name in included}
        left = {name: others for name, others in left.items() if others}
        if left == includes:
            return left
        includes = left


def ring_offences(sources):
    """Of files by their paths: which things, and which folders, include each other in a ring."""
    for name_of in (thing_of, folder_of_file):
        includes = {}
        for path, text in sources.items():
            if path.startswith("tests/") or (name_of is thing_of and path in TABLES):
                continue
            others = {name_of(header) for bracket, header in INCLUDE.findall(text) if bracket == '"' and header in sources}
            includes.setdefault(name_of(path), set()).update(others - {name_of(path)})
        for name, others in sorted(rings(includes).items()):
            yield f"{name}: in a ring with {', '.join(sorted(others))}, which it includes"


def table_of(root):
    """The parts in the table of CONTRIBUTING.md, or of README.md if the former has none."""
    for name in ("CONTRIBUTING.md", "README.md"):
        document = root / name
        parts = read_table(document.read_text(encoding="utf-8")) if document.exists() else []
        if parts:
            return parts
    return []


def drawing_offences(root, parts):
    """The drawing of the house has each part, above those that it may include."""
    document = root / "CONTRIBUTING.md"
    text = document.read_text(encoding="utf-8") if document.exists() else ""
    drawing = text.partition("\n## The house in one picture\n")[2].split("\n## ", 1)[0]
    lines = drawing.splitlines()
    places = {
        part.folder: next((i for i, line in enumerate(lines) if re.search(rf"\b{part.folder.strip('/')}\b(?!/)", line)), None)
        for part in parts
        if drawing and not part.whole and part.folder.startswith(("core/", "app/")) and part.folder != "app/"
    }
    for part in parts:
        if part.folder not in places:
            continue
        if places[part.folder] is None:
            yield f"CONTRIBUTING.md: the drawing of the house lacks {part.folder}"
            continue
        for other in sorted(part.parts & places.keys() - {part.folder}):
            if places[other] is not None and places[other] < places[part.folder]:
                yield f"CONTRIBUTING.md: the drawing of the house has {other} above {part.folder}, which includes it"


def offences(root):
    parts = table_of(root)
    if not parts:
        yield "CONTRIBUTING.md: no table of parts below '## Parts'"
        return
    sources = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for top in ("core", "app", "tests")
        for path in sorted((root / top).rglob("*.[ch]pp"))
    }
    for name, text in sources.items():
        for offence in offences_of(name, text, parts):
            yield f"{name}: {offence}"
    yield from ring_offences(sources)
    yield from drawing_offences(root, parts)


def main():
    found = list(offences(pathlib.Path(sys.argv[1])))
    print("\n".join(found) if found else "includes point one way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
