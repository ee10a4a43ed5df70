"""Each task of a lecture can be solved in a few lines of Python, and its template doesn't hold the solution.

    practice.py LECTURES build/release/headlight

The template of each step with a `practice` is run as it is written: it must not hand in the tensor that the task asks for, nor have a
line that computes one of those from which it begins. Then our own solution is put in its place, and *diagnose* must agree. The
solutions are written here, with names and libraries alone, so a task that needs anything else fails.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

import numpy as np

MOST_LINES = 7
SOLUTIONS = {
    "bank": """
Q, K = X @ W_q, X @ W_k
e = np.exp(Q @ K.swapaxes(-1, -2) / 2)
weights = e / e.sum(-1, keepdims=True)
output = weights @ X
""",
    "meaning": """
W_qk = np.stack([W_q[:, 0:5] @ W_k[:, 0:5].T,
                 W_q[:, 5:10] @ W_k[:, 5:10].T])
""",
    "numpy-from-scratch": """
split = lambda T: T.reshape(1, 4, 2, 4).swapaxes(1, 2)
scores = split(Q) @ split(K).swapaxes(-1, -2) / 2
e = np.exp(scores)
weights = e / e.sum(-1, keepdims=True)
output = (weights @ split(V)).swapaxes(1, 2).reshape(1, 4, 8) @ W_o
""",
    "scale": """
scores = Q_heads @ K_heads.mT / d_head ** 0.5
e = (scores - scores.amax(-1, keepdim=True)).exp()
weights = e / e.sum(-1, keepdim=True)
""",
    "masks": """
place = np.arange(5)
back = place[:, None] - place
e = np.where((back >= 0) & (back <= 1), np.exp(scores), 0)
weights = e / e.sum(-1, keepdims=True)
""",
    "where": """
angle = np.arange(9)[:, None] / 10000 ** (np.arange(0, 16, 2) / 16)
P = np.zeros((9, 16))
P[:, 0::2], P[:, 1::2] = np.sin(angle), np.cos(angle)
""",
    "learning": """
average = (weights * grad_weights).sum(-1, keepdims=True)
grad_masked_scores = weights * (grad_weights - average)
""",
    "block": """
mlp_pre = resid_mid @ W_in + b_in
mlp_act = np.maximum(mlp_pre, 0)
resid_post = resid_mid + mlp_act @ W_out
""",
    "two-layers": """
output = concat @ W_o
resid_post = resid_pre + output
""",
    "trained": """
scores = dot_products / d_head ** 0.5
e = np.exp(scores - scores.max(-1, keepdims=True))
weights = e / e.sum(-1, keepdims=True)
""",
    "mistakes": """
shared = K_heads.repeat_interleave(2, 1)
e = (Q_heads @ shared.mT / d_head ** 0.5).exp()
weights = e / e.sum(-1, keepdim=True)
""",
    "generate": """
e = np.exp(Q_heads @ K_heads.swapaxes(-1, -2) / 2)
weights = e / e.sum(-1, keepdims=True)
context = weights @ V_heads
""",
    "recall": """
Q_heads, K_heads, V_heads = ((X @ W).reshape(1, 5, 2, 2).swapaxes(1, 2) for W in (W_q, W_k, W_v))
scores = Q_heads @ K_heads.swapaxes(-1, -2) / 2 ** 0.5
e = np.exp(np.where(np.tril(np.ones((5, 5))) > 0, scores, -np.inf))
weights = e / e.sum(-1, keepdims=True)
output = (weights @ V_heads).swapaxes(1, 2).reshape(1, 5, 4) @ W_o
""",
}


def practices(path):
    """(step from 1, the tensors from the first that the reader computes to the one that is handed in)."""
    _, _, body = path.read_text(encoding="utf-8").split("+++\n", 2)
    for number, step in enumerate(re.split(r"^## ", body, flags=re.MULTILINE)[1:], 1):
        block = re.search(r"^```step\n(.*?)^```", step, re.DOTALL | re.MULTILINE)
        if block and (asked := tomllib.loads(block[1]).get("practice")):
            yield number, asked


def written(binary, what, framework, *options):
    return subprocess.run([binary, "script", *what, "--framework", framework, *options], check=True, capture_output=True,
                          text=True).stdout


def assigned(program):
    """The tensors that a program assigns to at its top level, and the lines that do."""
    return {found[1]: line for line in program.splitlines() if (found := re.match(r"(\w+) = ", line))}


def problems_of(folder, binary, lecture, step, asked):
    what = ["--lectures", folder, "--lecture", lecture, "--step", str(step)]
    framework = "torch" if 'generator = "torch"' in (folder / f"{lecture}.md").read_text(encoding="utf-8").split("+++")[1].split("[[parts]]")[0] else "numpy"
    template = written(binary, what, framework, "--check")
    first, last = asked[0], asked[-1]
    if last not in template:
        return [f"the template doesn't speak of {last}"]
    place = re.search(r"^# Your own code: .*?\n((?:# .*\n)+)", template, re.MULTILINE)
    own = re.findall(r"^# (\w+) = \.\.\.", place[1], re.MULTILINE)
    found = []
    if own[0] != first or own[-1] != last:
        found.append(f"the template has room for {own[0]} to {own[-1]}")
    solved = assigned(template).keys() & set(own)
    if solved:
        found.append(f"the template computes {', '.join(solved)} itself")
    whole = assigned(written(binary, what, framework))
    shown = [line for name, line in whole.items() if name in own and line in template]
    if shown:
        found.append(f"the template has the line {shown[0]}")
    solution = SOLUTIONS.get(lecture)
    if solution is None:
        return [*found, "practice.py has no solution"]
    if len(solution.strip().splitlines()) > MOST_LINES:
        found.append("our solution is too long")
    with tempfile.TemporaryDirectory() as temporary:
        file = pathlib.Path(temporary) / "mine.npz"
        for program, is_right in ((template, False), (template[:place.start()] + solution + template[place.end():], True)):
            subprocess.run([sys.executable, "-c", program, file], check=True, stdout=subprocess.DEVNULL)
            with np.load(file) as arrays:
                if (last in arrays) != is_right:
                    found.append(f"{last} is {'not handed in' if is_right else 'handed in by the template as it is'}")
        checked = subprocess.run([binary, "diagnose", *what, file], capture_output=True, text=True)
        if checked.returncode != 0:
            found.append(f"diagnose refuses our solution: {checked.stdout}{checked.stderr}")
    return found


def main():
    folder, binary = pathlib.Path(sys.argv[1]), sys.argv[2]
    problems, count = [], 0
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        tasks = list(practices(path))
        if 'group = "course"' in path.read_text(encoding="utf-8") and len(tasks) != 1 and path.stem in SOLUTIONS:
            problems.append(f"{path.name}: {len(tasks)} tasks, and not one")
        for step, asked in tasks:
            count += 1
            problems += [f"{path.name}, step {step}: {one}" for one in problems_of(folder, binary, path.stem, step, asked)]
    print(*problems, f"{count} tasks, {len(problems)} problems", sep="\n")
    sys.exit(1 if problems or count < len(SOLUTIONS) else 0)


if __name__ == "__main__":
    main()
