"""Writes encoder_pieces.txt, beside this file: how the sentence encoder splits 200 texts, and where its heads look.

    python3 generate_pieces.py PACKAGE           writes it; PACKAGE is the folder that assets/models/README.md names
    python3 generate_pieces.py PACKAGE --check   writes nothing; exits 1 if the file would change

A line is a text, the rows of its pieces, and for each head what the text's middle piece looks at most: key and weight.
Texts with an unknown piece are left out. Splits and numbers are those of the package, the numbers rounded to float16 as in the program. --check takes the texts of
the file, else they are sentences of README.md, docs and the lectures as they are now, and a few that are hard to split.
"""

import json
import pathlib
import random
import re
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parents[1]
FILE = FOLDER / "encoder_pieces.txt"
sys.path.insert(0, str(ROOT / "assets" / "models"))
import make_sentence_encoder as package

HARD = ["a", "I", "The", "the", "THE CAT SAT ON THE MAT.", "ThE cAt SaT", "antidisestablishmentarianism",
        "supercalifragilisticexpialidocious!", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzz", "...", "?!?!", "3.14159 and 2,718,281",
        "two  spaces", "   three before", "after   ", "e-mail (or: email) at 10:30 a.m.", "don't, can't, won't; it's",
        "\"Quoted\" - he said: 'no'", "x = y / z * 100% & more", "street street street street street street",
        "New York, San Francisco and Rio de Janeiro", "The naïve café", "co-operate, re-enter, x-ray"]


def sentences():
    text = "\n\n".join(path.read_text(encoding="utf-8")
                       for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")),
                                    *sorted((ROOT / "assets" / "lectures").glob("*.md"))])
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n|```", text)]
    found = {sentence.strip("*# ") for part in paragraphs for sentence in re.split(r"(?<=[.!?]) ", part)}
    plain = sorted(sentence for sentence in found if re.fullmatch(r"[A-Z][\w ,.;:'()/%!?-]{20,220}[.!?]", sentence, re.ASCII))
    random.Random(0).shuffle(plain)
    return HARD + plain


def pieces(text, scores):
    """The pieces whose scores have the largest sum; of equal ways that which was found first from the left."""
    text = "▁" + text.replace(" ", "▁")
    best = {0: (0.0, [])}
    for begin in range(len(text)):
        for end in range(begin + 1, min(begin + 20, len(text)) + 1):
            if begin in best and text[begin:end] in scores:
                row, score = scores[text[begin:end]]
                total = best[begin][0] + score
                if end not in best or total > best[end][0]:
                    best[end] = (total, best[begin][1] + [row])
    return best[len(text)][1]


def weights(rows, arrays):
    """(head, query, key) of layer 0, in float64."""
    frequencies, embedding, gain, shift, w_q, w_k, _, _, b_q, b_k, *_ = (array.astype(np.float64) for array in arrays)
    angle = np.outer(np.arange(len(rows)), frequencies)
    x = embedding[rows] + np.hstack([np.sin(angle), np.cos(angle)])
    n = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-6) * gain + shift
    q, k = (t.reshape(len(rows), 4, 64).transpose(1, 0, 2) for t in (n @ w_q + b_q, n @ w_k + b_k))
    e = np.exp(q @ k.transpose(0, 2, 1) / 8)
    return e / e.sum(-1, keepdims=True)


def line(text, scores, arrays):
    rows = pieces(text, scores)
    looks = weights(rows, arrays)[:, len(rows) // 2]
    most = " ".join(f"{head.argmax()} {head.max():.6f}" for head in looks)
    return f"{text}\t{' '.join(map(str, rows))}\t{most}"


def main():
    dist = pathlib.Path(sys.argv[1]) / "dist"
    vocabulary = json.loads((dist / "vocab.json").read_text(encoding="utf-8"))
    scores = {piece: (row, score or 0.0) for row, (piece, score) in enumerate(vocabulary) if row > 5}
    arrays = package.layer_arrays(package.tensors(dist), len(vocabulary))
    if "--check" not in sys.argv:
        known = [text for text in sentences() if all(c == " " or c in scores for c in text)][:200]
        FILE.write_text("\n".join(line(text, scores, arrays) for text in known) + "\n", encoding="utf-8")
        return
    written = FILE.read_text(encoding="utf-8").splitlines()
    sys.exit([line(text.split("\t")[0], scores, arrays) for text in written] != written)


if __name__ == "__main__":
    main()
