"""Puts the browser edition together: a folder for any web server, and everything in one file.

pack.py SOURCES BUILT OUT [--quick]: SOURCES is the top folder, BUILT has the program and the one with threads (--quick:
without that), and OUT gets index.html with its files, headlight.html, and headlight-trained.html, which has the trained
layer inside too.
"""

import base64
import gzip
import hashlib
import pathlib
import sys

PROGRAM = "<!--{{program}}-->\n"


def part(name: str, data: bytes) -> str:
    packed = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
    return f'<script type="text/plain" id="part {name}">{packed}</script>\n'


def main(sources: pathlib.Path, built: pathlib.Path, out: pathlib.Path, titles: list[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    page = sources / "app/platform/web/page"
    programs = [{name: (built / name).read_bytes() for name in (f"{title}.js", f"{title}.wasm")} for title in titles]
    trained = (sources / "assets/models/sentence-encoder.bin").read_bytes()
    scripts = (page / "loader.js").read_text(), (page / "programs.js").read_text(), "begin();\n"
    html = (page / "index.html").read_text().replace("/*{{loader}}*/", "\n".join(scripts))
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
