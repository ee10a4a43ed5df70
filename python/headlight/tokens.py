"""The words at the positions."""


def texts_of(tokens):
    if isinstance(tokens, str):
        raise ValueError("tokens= is one text, not a list with one for each position: write tokens=text.split()")
    if any(isinstance(each, (list, tuple)) for each in tokens):
        raise ValueError("tokens= of a layer are one list, as of its first text: write tokens=tokens[0]")
    return [each.decode("utf-8", "replace") if isinstance(each, bytes) else str(getattr(each, "item", lambda: each)()) for each in tokens]


def require_tokens(tokens, lengths):
    if tokens is not None and lengths and len(texts_of(tokens)) not in lengths:
        raise ValueError(f"tokens= has {len(tokens)} words, but there are {lengths[0]} positions: pass one for each")
