"""The app in one HTML file, with what is shown inside."""
import base64
import json
import os
import pathlib
import shutil
import zlib

from . import program

NAME = "headlight.html"
SLOT = '<script type="application/json" id="headlight-document">'


def places():
    """Where the page may be: in this package, and where the program's own is."""
    yield pathlib.Path(__file__).with_name(NAME)
    data = os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share"
    shared = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    for folder in [data, *shared.split(":")]:
        yield pathlib.Path(folder, "headlight", NAME)
    if (own := program.path()) is not None:
        top = pathlib.Path(shutil.which(own)).resolve().parent.parent
        yield top / "share/headlight" / NAME
        yield top / "web" / NAME


def empty_page():
    tried = list(places())
    for place in tried:
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise RuntimeError(f"the page {NAME} is missing, looked for in {', '.join(str(place.parent) for place in tried)}: install the wheel "
                       "or the package headlight")


def packed(content):
    """Raw deflate, then base64url without padding."""
    deflate = zlib.compressobj(9, wbits=-15)
    return base64.urlsafe_b64encode(deflate.compress(content) + deflate.flush()).decode().rstrip("=")


def document(arguments, files, told_as=""):
    """What a page has inside, as core/formats/page_document.hpp describes it."""
    names = sorted(files)
    packed_files = {name: packed(files[name]) for name in names}
    check_sum = 0
    for text in [*arguments, *(each for name in names for each in (name, packed_files[name]))]:
        check_sum = zlib.crc32(f"{text}\n".encode(), check_sum)
    inside = {"version": 1, "arguments": arguments, "files": packed_files, "crc32": f"{check_sum:08x}"}
    if told_as:
        inside["told_as"] = told_as
    return json.dumps(inside, ensure_ascii=False).replace("<", "\\u003c")


def with_document(page, text, title=""):
    """The page with the document in its place."""
    begin, end = page.partition(SLOT)[0], page.partition(SLOT)[2].partition("</script>")[2]
    if not end or SLOT in end:
        raise RuntimeError(f"{NAME} has no place for what is shown: it is of another version than this package")
    if title:
        head, found, rest = begin.partition("<title>")
        if found:
            title = title.replace("&", "&amp;").replace("<", "&lt;")
            begin = head + found + title + " · Headlight</title>" + rest.partition("</title>")[2]
    return f"{begin}{SLOT}{text}</script>{end}"
