"""What check() answers with: where somebody's arrays first differ, and why."""
import contextlib
import dataclasses
import json
import pathlib

from . import card, program
from .numbers import as_array, np
from .shown import Shown
from .sources import MINE, archive


def known_arrays(variables, names):
    """The arrays among variables that go by a name that the program knows, or by one of `names`."""
    arrays = {}
    for name, value in variables.items():
        # What IPython keeps begins with _; the module torch has a detach of its own, but is no array.
        if name.startswith("_") or not any(hasattr(type(value), each) for each in ("detach", "__array__", "append")):
            continue
        with contextlib.suppress(ValueError, TypeError, RuntimeError):
            if (array := as_array(value, name)).ndim >= 2:
                arrays[name] = array
    if not arrays:
        return {}
    table = program.run(["tensors", *arrays], ".", "work is checked").stdout
    known = {line.split()[0] for line in table.splitlines()[2:]} | {*names}
    return {name: array for name, array in arrays.items() if name in known}


def check_arrays(source, arrays, names):
    if not arrays:
        raise ValueError("nothing to check: pass arrays by their names, as headlight.check(scores=scores, weights=weights), or locals()")
    given = {name: as_array(array, name) for name, array in arrays.items()}
    mine = archive({names.get(name, name): array for name, array in given.items()})
    source = dataclasses.replace(source, files={**source.files, MINE: mine})
    options = [option for theirs, ours in names.items() for option in ("--name", f"{theirs}={ours}")]
    with program.folder_of(source) as folder:
        pathlib.Path(folder, "given.npz").write_bytes(archive(given))
        command = ["diagnose", *source.what, "given.npz", *options]
        report = json.loads(program.run([*command, "--json"], folder, "work is checked", codes=(0, 1)).stdout)
        text = program.run(command, folder, "work is checked", codes=(0, 1)).stdout
    pair = None if report["agrees"] else pair_of(report, given, source)
    return Checked(report, text, pair, source)


def pair_of(report, given, source):
    """(cell, theirs, ours) of the first tensor that differs, where it differs most; None where its axes are others, but for those
    of length 1."""
    first = next(each for each in report["tensors"] if each["name"] == report["first_difference"])
    mine, ours = given.get(first["yours"]), program.trace_of(source).get(first["name"])
    if mine is None or ours is None or [n for n in mine.shape if n > 1] != [n for n in ours.shape if n > 1]:
        return None
    mine = mine.reshape(ours.shape)
    with np.errstate(invalid="ignore"):
        apart = np.nan_to_num(np.abs(mine.astype(float) - ours), nan=0, posinf=np.inf)
    cell = np.unravel_index(np.argmax(apart), apart.shape)
    return f"{first['name']}[{','.join(map(str, cell))}]", float(mine[cell]), float(ours[cell])


class Checked:
    """agrees: whether everything does. first_difference: a tensor's name, or None. mistakes: names of known mistakes that
    explain it. fix: the line that mends the first of them, or None. show(): the comparison in the app."""

    def __init__(self, report, text, pair, source):
        explaining = [each for each in report["diagnoses"] if each["explains"]]
        self.report, self._pair, self._source = report, pair, source
        self._text = text.replace("(--json lists them)", "(.report lists them)")
        self.agrees = report["agrees"]
        self.first_difference = report["first_difference"]
        self.mistakes = list(dict.fromkeys(each["mistake"] for each in explaining))
        self.fix = explaining[0]["fix"] if explaining else None

    def __bool__(self):
        return self.agrees

    def __repr__(self):
        return self._text.rstrip("\n")

    def show(self, **looks):
        """The app, with these arrays beside its own in Check my work. Looks are those of headlight.show()."""
        return Shown(self._source, **looks)

    def _repr_html_(self):
        return card.of_report(self.report, self._text, self._pair, self.fix, self.mistakes, self.show())
