"""Checks that README.md and the pages that it leads to are true, as far as a program can tell.

    documents.py FOLDER HEADLIGHT      the top folder; the program

README.md is short and leads to every page. Links, pictures and headings that are linked to exist. Commands that are shown, and
their options, are the program's. In CONTRIBUTING.md, files exist, quoted code is in its file, and the table of tensors that are
named by hand is complete. Prints one line per offence, and exits 1 if there is any.
"""

import pathlib
import re
import subprocess
import sys

FENCED = re.compile(r"(?ms)^(````?)([a-z]*)\n(.*?)^\1$")
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^()\s]+)\)")
COMMAND = re.compile(r"(?m)^\s*(?:.* && |!|[A-Z]+ = )?(?:(?:[\w./]*/)?headlight|\./run) +(.+)$")
# The sources that are about all tensors. Those of them that name some are in a table of CONTRIBUTING.md.
GENERAL = ["core/model/shapes.cpp", "core/stages/graph.cpp", "core/stages/table.cpp", "core/training/*.cpp", "core/engine/*.cpp",
           "core/diagnose/*.cpp", "core/diagnose/arrays/*.cpp", "app/views/map/*.cpp"]
OF_NAMES = "core/diagnose/arrays/matching.cpp"  # knows the names that people give their arrays
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def pages_of(root):
    """The documents by their paths."""
    paths = [root / "README.md", root / "CONTRIBUTING.md", *(root / "docs").glob("*.md"), root / "assets/lectures/README.md"]
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)}


def links_of(text):
    """(whether it is a picture, where it leads) of each link, without those in code."""
    return [(bool(mark), target) for mark, target in LINK.findall(re.sub(r"`[^`\n]*`", "", FENCED.sub("", text)))]


def anchors_of(text):
    """What a link to each heading says after its #."""
    headings = re.findall(r"(?m)^#+ +(.*)$", FENCED.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def front_page_offences(pages):
    lines = pages["README.md"].splitlines()
    if len(lines) > 120:
        yield f"README.md: {len(lines)} lines; at most 120"
    for line in lines:
        if len(line) > 160:
            yield f"README.md: a line of {len(line)} characters: {line[:40]}..."
    links = links_of(pages["README.md"])
    if (pictures := sum(is_picture for is_picture, _ in links)) != 3:
        yield f"README.md: {pictures} pictures; three are enough"
    for name in pages.keys() - {"README.md"} - {target.partition("#")[0] for _, target in links}:
        yield f"README.md: leads nowhere to {name}"


def link_offences(root, pages):
    for name, text in pages.items():
        for _, target in links_of(text):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            other = (root / name).parent / path if path else root / name
            if not other.exists():
                yield f"{name}: {target} does not exist"
            elif anchor and anchor not in anchors_of(other.read_text(encoding="utf-8")):
                yield f"{name}: {target} is no heading there"


def commands_in(block):
    """The arguments of each command of Headlight in a block, which may go on in the next line."""
    for name, value in re.findall(r"(?m)^([A-Z]+) = (.*)$", block):  # of a Makefile
        block = block.replace(f"$({name})", value)
    return [line.split(" # ")[0] for line in COMMAND.findall(re.sub(r"\\?\n +(?=\[|--)", " ", block))]


def command_offences(pages, help_of):
    """`help_of` gives what the program says of a command, or of itself if the name is empty."""
    known = re.findall(r"(?m)^  ([a-z]+) {2,}", re.split(r"(?i)\nsubcommands:\n", help_of(""))[-1])
    shown = set()
    for name, text in pages.items():
        for _, _, block in FENCED.findall(text):
            for arguments in commands_in(block):
                first = re.match(r"[a-z]+(?=\s|$)", arguments)
                command = first[0] if first else ""
                if command and command not in known:
                    yield f"{name}: headlight has no command {command}"
                    continue
                shown.add((name, command))
                said = set(OPTION.findall(help_of(command)))
                for option in OPTION.findall(arguments):
                    if option not in said:
                        yield f"{name}: headlight {command}".rstrip() + f" has no option {option}"
    for command in known:
        if ("docs/command-line.md", command) not in shown:
            yield f"docs/command-line.md: shows no {command}"


def script_offences(root, pages):
    """Options of the scripts in the top folder. CONTRIBUTING.md has all of ./test."""
    for name, text in pages.items():
        for _, _, block in FENCED.findall(text):
            for script, option in re.findall(r"\./(test|package|web) (--[a-z]+)", block):
                if option not in (root / script).read_text(encoding="utf-8"):
                    yield f"{name}: ./{script} has no option {option}"
    for option in re.findall(r"(?m)^# (--[a-z]+)", (root / "test").read_text(encoding="utf-8")):
        if f"./test {option}" not in pages["CONTRIBUTING.md"]:
            yield f"CONTRIBUTING.md: says nothing of ./test {option}"


def path_offences(root, text):
    """Of the files and folders that CONTRIBUTING.md names."""
    tops = "|".join(re.escape(path.name) for path in root.iterdir() if path.is_dir() and path.name not in (".git", "build"))
    told = re.findall(rf"(?<![\w./])((?:{tops})/[\w./]*\w)", text)
    for path in sorted(set(told)):
        if not (root / path).exists() and not any((root / path).parent.glob(f"{pathlib.Path(path).name}.*")):
            yield f"CONTRIBUTING.md: {path} does not exist"
    for folder in sorted((root / "tests").iterdir()):
        if folder.is_dir() and folder.name != "__pycache__" and f"tests/{folder.name}" not in text:
            yield f"CONTRIBUTING.md: says nothing of tests/{folder.name}"


def quotation_offences(root, text):
    """Of code that is quoted below "`path`:"."""
    for path, code in re.findall(r"`([\w./]+)`[^`\n]*:\n\n```(?:cpp|python)\n(.*?)```", text, re.DOTALL):
        file = root / path
        if not file.exists() or " ".join(code.split()) not in " ".join(file.read_text(encoding="utf-8").split()):
            yield f"CONTRIBUTING.md: quotes what is not in {path}: {code.split(chr(10))[0]}"


def tensors_named(source, tensors):
    """The tensors that a source names by hand."""
    source = re.sub(r'//.*|"(?:[^"\\]|\\.)*"', "", source)
    named = set(re.findall(r"TensorId::(\w+)", source))
    if "using enum TensorId" in source:
        named |= set(re.findall(r"(?<![\w.>:])\w+\b", source))
    return named & tensors


def tensor_offences(root, text):
    """Of the rows of the table below "### Tensors named by hand": a file, and the tensors that it names."""
    table = (root / "core/model/tensor_table.inc").read_text(encoding="utf-8")
    tensors = set(re.findall(r"(?m)^HEADLIGHT_(?:TENSOR|ASIDE)\((\w+)", table))
    section = text.partition("\n### Tensors named by hand\n")[2].split("\n#", 1)[0]
    told = {path: set(re.findall(r"`(\w+)`", cell)) for path, cell in re.findall(r"(?m)^\| `([\w./]+)` \| ([^|]+) \|", section)}
    paths = {path.relative_to(root).as_posix() for pattern in GENERAL for path in root.glob(pattern)} - {OF_NAMES}
    for path in sorted(paths | told.keys()):
        source = (root / path).read_text(encoding="utf-8") if (root / path).exists() else ""
        named = tensors_named(source, tensors)
        if named != told.get(path, set()):
            yield f"CONTRIBUTING.md: {path} names {', '.join(sorted(named)) or 'no tensor'}, which its row does not say"


def offences(root, help_of):
    pages = pages_of(root)
    yield from front_page_offences(pages)
    yield from link_offences(root, pages)
    yield from command_offences(pages, help_of)
    yield from script_offences(root, pages)
    yield from path_offences(root, pages["CONTRIBUTING.md"])
    yield from quotation_offences(root, pages["CONTRIBUTING.md"])
    yield from tensor_offences(root, pages["CONTRIBUTING.md"])


def asker(program):
    """A function that asks the program for help on a command, once."""
    kept = {}

    def help_of(command):
        if command not in kept:
            words = [program, *([command] if command else []), "--help"]
            kept[command] = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout
        return kept[command]

    return help_of


def main():
    found = list(offences(pathlib.Path(sys.argv[1]), asker(sys.argv[2])))
    print("\n".join(found) if found else "the documents are true, as far as this can tell")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
