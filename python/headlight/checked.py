"""What check() answers with: where somebody's arrays first differ, and why."""
import html
import json
import pathlib
import re

from . import program
from .numbers import np
from .sources import archive, as_array

OURS = ("X", "Y", "P", "X_plus_P", "Y_plus_P", "N", "W_q", "W_k", "W_v", "W_o", "b_q", "b_k", "b_v", "b_o", "Q", "K", "V", "Q_heads",
        "K_heads", "V_heads", "Q_normed", "K_normed", "Q_rotated", "K_rotated", "dot_products", "position_bias", "scores",
        "capped_scores", "masked_scores", "weights", "dropped_weights", "context", "concat", "output", "logits", "probabilities",
        "loss")
USUAL = ("q", "k", "v", "query", "key", "value", "queries", "keys", "values", "att", "attn", "attention", "attn_weights",
         "attention_weights", "attn_scores", "attention_scores", "raw_scores", "ctx", "context_vec", "context_vector", "out",
         "attn_output", "multi_head_output")


def known_arrays(variables, names=None):
    """The arrays among variables that go by a usual name, or by one of `names`."""
    wanted = {*OURS, *USUAL, *(names or {})}
    arrays = {}
    for name, value in variables.items():
        if name in wanted and (isinstance(value, (np.ndarray, list)) or hasattr(value, "detach") or hasattr(value, "__array__")):
            try:
                array = as_array(value, name)
            except ValueError:
                continue
            if array.ndim >= 2:
                arrays[name] = array
    return arrays


def check_arrays(source, arrays, names):
    if not arrays:
        raise ValueError("nothing to check: pass arrays by their names, as headlight.check(scores=scores, weights=weights), or locals()")
    given = {name: as_array(array, name) for name, array in arrays.items()}
    options = [option for theirs, ours in names.items() for option in ("--name", f"{theirs}={ours}")]
    with program.folder_of(source) as folder:
        pathlib.Path(folder, "mine.npz").write_bytes(archive(given))
        command = ["diagnose", *source.what, "mine.npz", *options]
        report = json.loads(program.run([*command, "--json"], folder, "work is checked", codes=(0, 1)).stdout)
        text = program.run(command, folder, "work is checked", codes=(0, 1)).stdout
    pair = None if report["agrees"] else pair_of(report, given, source)
    return Checked(report, text, pair)


def pair_of(report, given, source):
    """(cell, theirs, ours) of the first tensor that differs, where it differs most; None where its axes are others."""
    first = next(each for each in report["tensors"] if each["name"] == report["first_difference"])
    mine, ours = given.get(first["yours"]), program.trace_of(source).get(first["name"])
    if mine is None or ours is None or mine.shape != ours.shape:
        return None
    with np.errstate(invalid="ignore"):
        apart = np.nan_to_num(np.abs(mine.astype(float) - ours), nan=0, posinf=np.inf)
    cell = np.unravel_index(np.argmax(apart), apart.shape)
    return f"{first['name']}[{','.join(map(str, cell))}]", float(mine[cell]), float(ours[cell])


class Checked:
    """agrees: whether everything does. first_difference: a tensor's name, or None. mistakes: names of known mistakes that
    explain it. fix: the line that mends the first of them, or None."""

    def __init__(self, report, text, pair):
        explaining = [each for each in report["diagnoses"] if each["explains"]]
        self.report, self._text, self._pair = report, text, pair
        self.agrees = report["agrees"]
        self.first_difference = report["first_difference"]
        self.mistakes = list(dict.fromkeys(each["mistake"] for each in explaining))
        self.fix = explaining[0]["fix"] if explaining else None

    def __bool__(self):
        return self.agrees

    def __repr__(self):
        return self._text.rstrip("\n")

    def _words(self):
        """The first mistake in a sentence, as the report for people says it."""
        found = re.search(rf"^.+?: (.+) \({re.escape(self.mistakes[0])}, [^()]* remains\)\.$", self._text, re.MULTILINE) if self.mistakes else None
        return found[1] if found else "no known mistake explains it"

    def _repr_html_(self):
        line = "display:flex;gap:10px;align-items:baseline;margin:4px 0"
        mono = "font-family:monospace"
        rows = []
        if not self.agrees:
            rows.append(f'<div style="{line};font-size:115%"><b style="color:#b3261e">✗</b><b style="{mono};color:#b3261e">'
                        f'{html.escape(self.first_difference)}</b><b>{html.escape(self._words())}</b></div>')
            if self._pair:
                cell, mine, ours = self._pair
                rows.append(f'<div style="{line}"><span style="{mono}">{html.escape(cell)}</span><span>yours <b>{mine:.4g}</b>, '
                            f"ours <b>{ours:.4g}</b></span></div>")
            if self.fix:
                rows.append(f'<pre style="padding:8px 12px;margin:6px 0;background:rgba(128,128,128,.12);border-radius:6px">'
                            f"{html.escape(self.fix)}</pre>")
        for each in self.report["tensors"]:
            if each["name"] == self.first_difference:
                continue
            if each["agrees"]:
                mark, words = "✓", "agrees"
            elif each["step_agrees"]:
                mark, words = "✓", "right for what is before it: it differs only because of that"
            else:
                mark, words = "✗", "differs again, on its own"
            colour = "#b3261e" if mark == "✗" else "#247631"
            rows.append(f'<div style="{line}"><b style="color:{colour}">{mark}</b><span style="{mono}">{html.escape(each["name"])}</span>'
                        f"<span>{words}</span></div>")
        rows += [f'<div style="{line};opacity:.75">{html.escape(note)}</div>' for note in self.report["notes"]]
        edge = "#247631" if self.agrees else "#b3261e"
        return (f'<div style="border:1px solid rgba(128,128,128,.4);border-left:4px solid {edge};border-radius:8px;padding:10px 16px;'
                f'max-width:820px">{"".join(rows)}<details><summary>The whole report</summary><pre>{html.escape(self._text)}</pre>'
                f"</details></div>")
