"""The card that check() is in a notebook."""
import html
import json
import re
import uuid

from . import kernel, page

RED, GREEN = "#b3261e", "#247631"
LINE = "display:flex;gap:10px;align-items:baseline;margin:6px 0"
MONO = "font-family:monospace"
BUTTON = "padding:3px 12px;border:1px solid rgba(128,128,128,.5);border-radius:6px;background:none;color:inherit;font:inherit;cursor:pointer"
MOST_BYTES = 2 << 20  # of arrays in a card


def html_of(tag, content, style="", **attributes):
    more = "".join(f' {name.rstrip("_")}="{html.escape(value)}"' for name, value in attributes.items())
    return f'<{tag} style="{style}"{more}>{content}</{tag}>'


def mark(right):
    return html_of("span", "✓" if right else "✗", f"flex:none;width:20px;height:20px;border-radius:50%;background:{GREEN if right else RED};"
                   "color:#fff;font-size:12px;line-height:20px;text-align:center;font-weight:bold")


def words_of(mistakes, text):
    """The first mistake in a sentence, as the report for people says it."""
    found = re.search(rf"^.+?: (.+) \({re.escape(mistakes[0])}, [^()]* remains\)\.$", text, re.MULTILINE) if mistakes else None
    return found[1] if found else "no known mistake explains it"


def difference(report, text, pair, fix, mistakes):
    """The rows about the first tensor that differs."""
    first = report["first_difference"]
    head = html_of("b", html.escape(first), f"{MONO};color:{RED}") + html_of("b", html.escape(words_of(mistakes, text)))
    rows = [html_of("div", mark(False) + head, f"{LINE};font-size:115%")]
    indent = "margin-left:30px"
    if pair:
        cell, mine, ours = pair
        rows.append(html_of("div", f'{html_of("span", html.escape(cell), MONO)}: yours {html_of("b", f"{mine:.4g}", f"color:{RED}")}, '
                            f'ours <b>{ours:.4g}</b>', f"margin:6px 0;{indent}"))
    if fix:
        copy = html_of("button", "Copy", f"flex:none;{BUTTON}", type="button",
                       onclick="navigator.clipboard.writeText(this.previousElementSibling.textContent)")
        code = html_of("pre", html.escape(fix), "flex:1;margin:0;padding:0;background:none;border:0;color:inherit;white-space:pre-wrap")
        rows.append(html_of("div", code + copy, f"{LINE};{indent};padding:8px 12px;background:rgba(128,128,128,.12);border-radius:6px"))
    return rows


def verdict(right, names, words):
    """The row of other tensors of which the same is true."""
    return html_of("div", mark(right) + html_of("span", html.escape(", ".join(names)), MONO) + html_of("span", words), LINE)


def verdicts(report):
    others = [each for each in report["tensors"] if each["name"] != report["first_difference"]]
    agreeing = [each["name"] for each in others if each["agrees"]]
    rows = [verdict(True, agreeing, "agrees" if len(agreeing) == 1 else "agree")] if agreeing else []
    for each in others:
        if not each["agrees"]:
            words = "right for what is before it: it differs because of that" if each["step_agrees"] else "differs again, on its own"
            rows.append(verdict(each["step_agrees"], [each["name"]], words))
    return rows


def comparison(shown):
    """The button that opens it below the card, in a page that is taken from a frame of this notebook."""
    name, inside = uuid.uuid4().hex, shown.document(told_as="comparison")
    if len(inside) > MOST_BYTES:
        return ""
    button = html_of("button", "Open the comparison", f"margin:8px 0 4px;{BUTTON}", type="button", id=f"headlight-{name}")
    given = ", ".join(json.dumps(each).replace("<", "\\u003c") for each in (name, page.SLOT, inside))
    return f"{button}<script>{kernel.script('comparison.js')}({given})</script>"


def html_card(rows, right):
    return html_of("div", "".join(rows), f"border:1px solid rgba(128,128,128,.4);border-left:4px solid {GREEN if right else RED};"
                   "border-radius:8px;padding:10px 16px;max-width:820px")


def of_report(report, text, pair, fix, mistakes, shown):
    rows = [] if report["agrees"] else difference(report, text, pair, fix, mistakes)
    rows += verdicts(report)
    rows += [html_of("div", html.escape(note), f"{LINE};opacity:.75") for note in report["notes"]]
    summary = html_of("summary", "The whole report", "display:list-item;cursor:pointer")  # Jupyter Notebook takes its triangle away
    rows.append(html_of("details", f"{summary}<pre>{html.escape(text)}</pre>"))
    return html_card([*rows, comparison(shown)], report["agrees"])
