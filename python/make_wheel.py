"""Writes the wheel of the Python package: make_wheel.py VERSION PAGE CAPTURE FOLDER

PAGE is headlight.html, and CAPTURE the program that `headlight capture` prints. Prints the path of the wheel. The same
files make the same bytes.
"""
import base64
import hashlib
import pathlib
import sys
import zipfile

TOP = pathlib.Path(__file__).parent
METADATA = """Metadata-Version: 2.1
Name: headlight
Version: {version}
Summary: See every number inside multi-head attention, in a notebook
License: MIT
Requires-Python: >=3.9
Classifier: Programming Language :: Python :: 3
"""
WHEEL = """Wheel-Version: 1.0
Generator: headlight
Root-Is-Purelib: true
Tag: py3-none-any
"""


def recorded(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"{name},sha256={digest},{len(content)}"


def main(version, page, capture, folder):
    files = {f"headlight/{path.name}": path.read_bytes() for path in sorted((TOP / "headlight").iterdir())
             if path.suffix in (".py", ".js")}
    files["headlight/_capture.py"] = pathlib.Path(capture).read_bytes()
    files["headlight/headlight.html"] = pathlib.Path(page).read_bytes()
    info = f"headlight-{version}.dist-info"
    files[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/LICENSE"] = (TOP.parent / "LICENSE").read_bytes()
    record = [recorded(name, content) for name, content in files.items()] + [f"{info}/RECORD,,", ""]
    files[f"{info}/RECORD"] = "\n".join(record).encode()
    wheel = pathlib.Path(folder, f"headlight-{version}-py3-none-any.whl")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    print(wheel)


if __name__ == "__main__":
    main(*sys.argv[1:])
