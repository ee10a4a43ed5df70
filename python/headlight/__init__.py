"""Headlight in a notebook: every number inside multi-head attention, and what is wrong with your own.

    import headlight
    headlight.show(mha, x)                          # a layer of PyTorch, run on x
    headlight.show(attentions, tokens=tokens)       # what output_attentions gives
    headlight.show(X=x, W_q=..., W_k=..., W_v=..., W_o=..., heads=4)
    headlight.show("udl-12-2", step=8)              # a lecture; also a setup's text or file
    headlight.check(scores=s, weights=a, output=y)  # against what was shown last
    headlight.trace(mha, x)["weights"]              # every tensor as a NumPy array

`show` needs nothing but this package: the app is one page inside it. `check` and `trace` compute with the program
`headlight`, which is looked for on the PATH, or where the variable HEADLIGHT says.
"""
from . import sources
from .checked import Checked, check_arrays, known_arrays
from .program import trace_of
from .shown import Shown

__all__ = ["show", "check", "trace", "Shown", "Checked"]

_last = None  # what was shown last, which check() compares with


def show(*inputs, tokens=None, setup=None, step=None, figure=None, view=None, cell=None, theme=None, height=None,
         inline=True, **arrays):
    """Shows the app below the cell: a lecture, a setup, arrays by their names, attention weights, or a module and what it is
    called with. Answers with an object whose `.setup` and `.values` say what is shown; `.save(path)` writes the page.

    figure: "pipeline", "heads", "tokens", "heatmap" or "learn" alone, without panels.
    view, cell, theme: as in links, such as view="heads", cell="weights[0,1,2,0]", theme="dark".
    inline=False: the page is a file beside the notebook, and not in the notebook.
    """
    global _last
    source = sources.of(inputs, tokens=tokens, setup=setup, step=step, arrays=arrays)
    shown = Shown(source, figure=figure, view=view, cell=cell, theme=theme, height=height, inline=inline)
    _last = source
    return shown


def check(variables=None, *, setup=None, step=None, names=None, **arrays):
    """Compares arrays of your own, under names like scores, weights or output, with what was shown last, or with `setup` (a
    setup's text or file, a lecture, or what show() gave, as it is now). Of a dictionary, as locals(), it takes the arrays whose names it knows.

    names: which tensor another name is, as in names={"att": "weights"}.
    """
    source = sources.of((), setup=setup, step=step) if setup is not None else _last
    if source is None:
        raise ValueError('nothing was shown yet that this could be compared with: call headlight.show(...) first, or '
                         'say setup="..." (a lecture, a setup\'s text, or its file)')
    if variables is not None and not hasattr(variables, "items"):
        raise ValueError("arrays are checked by their names: write headlight.check(weights=weights), or headlight.check(locals())")
    names, arrays = names or {}, {name: array for name, array in arrays.items() if array is not None}
    arrays = {**known_arrays(variables or {}, names), **arrays}
    return check_arrays(source, arrays, names)


def trace(*inputs, tokens=None, setup=None, step=None, layer=None, **arrays):
    """Every tensor of what show() takes, as NumPy arrays by Headlight's names. `layer` is one of a captured model."""
    source = sources.of(inputs, tokens=tokens, setup=setup, step=step, arrays=arrays)
    return trace_of(source, layer)
