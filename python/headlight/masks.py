"""Masks as people have them, as the one of a setup: what is hidden in all batch items, and how long each is."""
from .numbers import as_array, np


def mask_of(given, batch, heads, queries, keys):
    """The entries of a setup's part [mask], of causal=, valid_lengths=, and visible= or hidden=."""
    causal = given.get("causal")
    if causal is not None and np.ndim(causal) > 0:
        raise ValueError("causal= is True or False: write visible=mask where True is seen, or hidden=mask where True is hidden")
    kinds, entries = ["causal"] if causal else [], {}
    lengths = lengths_of(given.get("valid_lengths"), batch, keys)
    hidden = hidden_of(given, batch, heads, queries, keys)
    if hidden is not None:
        found = padding_and_mask(hidden)
        if found is None:
            raise ValueError("the mask is another one for each batch item, and more than padding behind it: show one item, as X=X[:1] with its mask")
        lengths = [min(each) for each in zip(lengths, found[0])]
        if (hides := found[1]).any():
            kinds.append("custom")
            entries["blocked"] = [[int(query), int(key)] for query, key in np.argwhere(hides)]
    if any(length < keys for length in lengths):
        kinds.append("padding")
        entries["valid_lengths"] = lengths
    return {"kinds": kinds, **entries} if kinds else {}


def lengths_of(given, batch, keys):
    if given is None:
        return [keys] * batch
    lengths = [int(each) for each in np.ravel(as_array(given, "valid_lengths"))]
    if len(lengths) == 1:
        lengths *= batch
    if len(lengths) != batch or not all(0 <= each <= keys for each in lengths):
        raise ValueError(f"valid_lengths={lengths}: there is one for each of {batch} batch items, of at most {keys} keys")
    return lengths


def hidden_of(given, batch, heads, queries, keys):
    """(batch, query, key), true where a key is hidden, or None."""
    name = next((each for each in ("hidden", "visible") if given.get(each) is not None), None)
    if name is None:
        return None
    mask = as_array(given[name], name)
    negative = mask.dtype.kind == "f" and (mask < 0).any()
    if negative and name == "visible":
        raise ValueError("visible= has negative numbers, as a mask that is added to the scores: write hidden=mask, which is what isn't 0")
    if negative and not ((mask == 0) | (mask <= -1e4)).all():
        raise ValueError("hidden= adds other numbers than -inf to the scores, which can't be computed here: show the weights, as weights=...")
    hidden = mask != 0 if name == "hidden" else mask == 0
    if hidden.shape == (batch, keys) and hidden.shape != (queries, keys):
        hidden = hidden[:, None]
    if hidden.ndim == 3 and len(hidden) == batch * heads and hidden.shape[1:] == (queries, keys) and len(hidden) != batch:
        hidden = hidden.reshape(batch, heads, queries, keys)
    if hidden.ndim == 3 and len(hidden) in (1, batch):
        hidden = hidden[:, None]
    try:
        hidden = np.broadcast_to(hidden, (batch, heads, queries, keys))
    except ValueError:
        raise ValueError(f"{name}= has the shape {mask.shape}, not (query, key) = {(queries, keys)}, (batch, key), or (batch, head, query, "
                         "key)") from None
    if (hidden != hidden[:, :1]).any():
        raise ValueError("the mask is another one for each head, which can't be computed here: show the weights, as weights=...")
    return hidden[:, 0]


def padding_and_mask(hidden):
    """(batch, query, key), true where a key is hidden, as the valid length of each item and what is hidden of the rest in all of them;
    None if items differ in more than that."""
    lengths = [int(np.flatnonzero(~item.all(0)).max(initial=-1)) + 1 for item in hidden]
    common = hidden[int(np.argmax(lengths))].copy()
    common[:, max(lengths):] = False
    same = all(np.array_equal(item[:, :length], common[:, :length]) for item, length in zip(hidden, lengths))
    return (lengths, common) if same else None
