"""All heads of a setup's weights in one picture, as a notebook makes it: with PyTorch and matplotlib.

    matplotlib_grid.py SETUP.toml WIDTH HEIGHT PNG
"""
import math
import sys
import tomllib

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


def draw_grid(weights, width, height, file):
    """weights: (heads, queries, keys)"""
    columns = math.ceil(math.sqrt(len(weights)))
    rows = math.ceil(len(weights) / columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=(width / 100, height / 100), dpi=100)
    for head, ax in enumerate(axes.flat):
        ax.imshow(weights[head], vmin=0, vmax=1)
        ax.set_title(f"head {head}")
    figure.savefig(file)
    pyplot.close(figure)


if __name__ == "__main__":
    import frameworks

    with open(sys.argv[1], "rb") as setup:
        tensors = frameworks.torch_work(tomllib.load(setup))()
    draw_grid(tensors["weights"][0].numpy(), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
