"""A still picture of attention weights, for where no app can run: heads side by side, layers below each other."""
import struct
import zlib

from .numbers import np

# From no attention to all of it, as the app colours weights on white.
COLOURS = [[244, 251, 248], [163, 216, 217], [76, 153, 181], [54, 105, 147], [29, 31, 49]]
GAP, LARGEST = 8, 900


def heads_png(weights, most_rows=4):
    """(row, head, query, key) as PNG; each row of heads below the last."""
    weights = np.nan_to_num(np.asarray(weights, dtype=float))[:most_rows]
    rows, heads, queries, keys = weights.shape
    side = max(1, min(14, LARGEST // max(heads * keys, rows * queries)))
    height, width = rows * (queries * side + GAP) + GAP, heads * (keys * side + GAP) + GAP
    image = np.full((height, width, 3), 255, dtype=np.uint8)
    for row in range(rows):
        for head in range(heads):
            top, left = GAP + row * (queries * side + GAP), GAP + head * (keys * side + GAP)
            image[top:top + queries * side, left:left + keys * side] = coloured(weights[row, head]).repeat(side, 0).repeat(side, 1)
    return png(image)


def coloured(weights):
    at = np.clip(weights, 0, 1) * (len(COLOURS) - 1)
    return np.stack([np.interp(at, range(len(COLOURS)), colours) for colours in zip(*COLOURS)], -1).astype(np.uint8)


def png(image):
    height, width, _ = image.shape

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    lines = b"".join(b"\0" + line.tobytes() for line in image)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))
