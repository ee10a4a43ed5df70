"""Puts the browser edition together: a folder for any web server, and everything in one file.

pack.py SOURCES BUILT OUT [--quick]: SOURCES is the top folder, BUILT has the program and the one with threads (--quick:
without that), and OUT gets index.html with its files, headlight.html, and headlight-trained.html, which has the trained
layer inside too.
"""

import base64
import gzip
import hashlib
import pathlib
import re
import sys

PROGRAM = "<!--{{program}}-->\n"


# What Python calls base 85, but for the letters that HTML and placeholders read as something else: loader.js has them in order.
# The point isn't among them either. In millions of letters a short name with a point comes up by chance, and lintian takes
# fb.ui for a script of somebody else's.
LETTERS = bytes.maketrans(b"$&<>{", b",/:[]")


def in_letters(data: bytes) -> str:
    return base64.b85encode(data).translate(LETTERS).decode()


def part(name: str, data: bytes) -> str:
    return f'<script type="text/plain" id="part {name}">{in_letters(gzip.compress(data, 9, mtime=0))}</script>\n'


def hashes(kind: str, html: str) -> str:
    """What a policy calls the scripts or the styles that are in the page."""
    texts = re.findall(rf"<{kind}>(.*?)</{kind}>", html, re.DOTALL)
    return " ".join(source_of(text) for text in texts)


def source_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def policy(html: str, programs: list[str]) -> str:
    """What the page may do: run its own scripts, alone and in workers, and load its own files. Nothing else, from nowhere.
    A page that is one file may run the program from inside it, where its host forbids blob:."""
    scripts = " ".join([hashes("script", html), *map(source_of, programs)])
    return "; ".join(["default-src 'none'", f"script-src 'self' blob: 'wasm-unsafe-eval' {scripts}", "worker-src 'self' blob:",
                      "connect-src 'self'", f"style-src {hashes('style', html)}", "img-src data: blob:", "base-uri 'none'",
                      "form-action 'none'"])


def main(sources: pathlib.Path, built: pathlib.Path, out: pathlib.Path, titles: list[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    page = sources / "app/platform/web/page"
    programs = [{name: (built / name).read_bytes() for name in (f"{title}.js", f"{title}.wasm")} for title in titles]
    trained = (sources / "assets/models/sentence-encoder.bin").read_bytes()
    scripts = (page / "loader.js").read_text(), (page / "programs.js").read_text(), "begin();\n"
    html = (page / "index.html").read_text().replace("/*{{loader}}*/", "\n".join(scripts))
    html = html.replace("/*{{beginning}}*/", (page / "beginning.js").read_text())
    html = html.replace("{{policy}}", policy(html, [programs[0][f"{titles[0]}.js"].decode()]))
    version = hashlib.sha256(b"".join([html.encode(), *(data for program in programs for data in program.values())])).hexdigest()[:16]

    for program in programs:
        for name, data in program.items():
            (out / name).write_bytes(data)
    (out / "sentence-encoder.bin").write_bytes(trained)
    (out / "index.html").write_text(html.replace(PROGRAM, ""))
    worker = (page / "service-worker.js").read_text().replace("{{version}}", version)
    (out / "service-worker.js").write_text(worker)
    # One file is never isolated, so it needs no threads.
    parts = "".join(part(name, data) for name, data in programs[0].items())
    (out / "headlight.html").write_text(html.replace(PROGRAM, parts))
    (out / "headlight-trained.html").write_text(html.replace(PROGRAM, parts + part("sentence-encoder.bin", trained)))


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:4]), ["headlight"] if "--quick" in sys.argv else ["headlight", "headlight-threads"])
