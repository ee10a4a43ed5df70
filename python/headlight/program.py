"""The program `headlight`, where it is installed."""
import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from .numbers import np

MISSING = ("the program headlight isn't here, with which {why}: install it (on Debian the package headlight), or say where it is "
           "with os.environ[\"HEADLIGHT\"] = \"/path/of/headlight\". headlight.show() works without it")


def path():
    """Of the program, or None."""
    named = os.environ.get("HEADLIGHT")
    if named:
        return named if shutil.which(named) else None
    return shutil.which("headlight")


def run(arguments, folder, why, codes=(0,)):
    program = path()
    if program is None:
        raise RuntimeError(MISSING.format(why=why))
    ended = subprocess.run([os.path.abspath(shutil.which(program)), *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                           capture_output=True, text=True, encoding="utf-8", errors="replace")
    if ended.returncode not in codes:
        said = ended.stderr.strip().replace("headlight: ", "")
        said = said.replace(f"{os.path.realpath(folder)}/", "").replace(f"{folder}/", "").replace("given.npz: ", "")
        said = re.sub(r"^--name (.+?)=(.+?): ", r'names={"\1": "\2"}: ', said)
        raise ValueError(said or f"headlight ended with {ended.returncode}")
    return ended


@contextlib.contextmanager
def folder_of(source):
    """A folder with the source's files, for as long as the program reads them."""
    with tempfile.TemporaryDirectory(prefix="headlight-") as folder:
        for name, content in source.files.items():
            file = pathlib.Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        yield folder


def trace_of(source, layer=None, most=None):
    """Every tensor by its name; `most` is how large they may be together."""
    if layer is not None and source.what[0] != "--model":
        raise ValueError("layer= is for attention of several layers alone, as of a module or of what output_attentions gives")
    more = ([] if layer is None else ["--layer", str(int(layer))]) + ([] if most is None else ["--memory-limit", most])
    with folder_of(source) as folder:
        run(["compute", *source.what, *more, "-o", "trace.npz"], folder, "the tensors are computed")
        with np.load(io.BytesIO(pathlib.Path(folder, "trace.npz").read_bytes())) as trace:
            return {name: trace[name] for name in trace.files}


def setup_of(source):
    with folder_of(source) as folder:
        text = run(["export", *source.what, "--as", "setup"], folder, "the setup is written").stdout
    return text.replace(f"{os.path.realpath(folder)}/", "").replace(f"{folder}/", "")  # the files have gone with it
