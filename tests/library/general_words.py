"""Every sentence of a lecture that speaks in general is backed by something.

    general_words.py LECTURES build/release/headlight

A sentence with *always, never, only, every, no* or *because* is right for more than the numbers on the screen, so that no live
number keeps it true. general_words.tsv, beside this file, has a line for each: lecture, sentence, backing. A new sentence
fails until it has a line, and a line whose sentence is gone fails, too. The backing is one of

    definition: NAME     it follows from a definition; DEFINITIONS has them
    question             the question of its step asks this, and the engine answers it
    step: EXPRESSION     it is about the numbers of its step, and this is true of them: NumPy, with the tensors by name
    test: NAME           a test of lecture_claims.py computes it
    document: WHAT       it says what a document or a library does
    amount               *only* stands before a number, and means *no more than*
    advice               it asks somebody to do something, or says how the lecture goes on
    quote                it is the example, and says nothing about it

If none fits, the sentence claims more than anybody has shown: change the sentence.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

import numpy as np

GENERAL = re.compile(r"\b(always|never|only|every|no(?! longer)|because)\b", re.IGNORECASE)
HOLE = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}")
HERE = pathlib.Path(__file__).parent
DEFINITIONS = {
    "softmax": "e to each score over their sum: shares are above 0 and add up to 1, and only differences of scores count",
    "mask": "a hidden score is −∞ and its share 0; causal hides later keys, padding those behind the length, a window those far away",
    "projection": "a row of X times a matrix, plus a bias: each token by itself",
    "dot product": "the sum of products of a query's and a key's numbers",
    "heads": "columns of Q, K and V in pieces of equal width, each with a softmax of its own",
    "output": "the values, averaged by the shares, then multiplied by W_o",
    "average": "a sum with shares that add up to 1",
    "temperature": "every score is divided by the same number",
    "position": "what is added to a row, turns it, or is taken off a score, by its position",
    "gradient": "the slope of L; that of a weight is its input times the gradient of what it makes",
    "loss": "−log of the probability of the right answer",
    "task": "what the lecture's task asks for; a model that writes is trained to guess the next token in every row",
    "batch": "each sequence is computed by itself",
    "mistake": "work that `diagnose` replays: the same tensors and shapes; `check` refuses one that changes no number",
    "table": "a row for each piece, looked up",
    "reshape": "numbers keep their order in memory",
    "random": "numbers that were drawn, and mean nothing",
    "cache": "keys and values of the tokens so far are kept",
    "features": "numbers that were written by hand",
}


def sentences_of(text):
    """The sentences of Markdown with live numbers; words inside a live number are sentences of their own."""
    inside = [words for hole in HOLE.findall(text) for words in re.findall(r"'([^']*)'", hole)]
    text = HOLE.sub(lambda hole: "…" if "'" in hole.group() else hole.group(), text)
    for paragraph in re.split(r"\n\s*\n|\n(?=- )", text):
        yield from re.split(r"(?<=[.!?])[\"*)]*\s+", " ".join(paragraph.split()))
    for words in inside:
        yield from re.split(r"(?<=[.!?])\s+", words)


def words_of(lecture):
    """(step from 1, 0 for the front matter; sentence) of all its words. Choices are guesses, and say nothing."""
    _, front, body = lecture.split("+++\n", 2)
    for goal in tomllib.loads(front).get("goals", []):
        yield 0, goal
    for number, step in enumerate(re.split(r"^## ", body, flags=re.MULTILINE)[1:], 1):
        title, rest = step.split("\n", 1)
        yield number, title
        for kind, block in re.findall(r"^```(\w*)\n(.*?)^```$", rest, flags=re.MULTILINE | re.DOTALL):
            if kind == "question":
                asked = tomllib.loads(block)
                wrong = asked.get("wrong", "")
                for words in [asked["ask"], asked.get("hint", ""), asked.get("right", ""),
                              *(wrong.values() if isinstance(wrong, dict) else [wrong])]:
                    for sentence in sentences_of(words):
                        yield number, sentence
            elif kind in ("more", "notes"):
                for sentence in sentences_of(block):
                    yield number, sentence
        narration = re.sub(r"^```(\w*)\n.*?^```$", "", rest, flags=re.MULTILINE | re.DOTALL)
        for sentence in sentences_of(narration):
            yield number, sentence


def is_general(sentence):
    return GENERAL.search(re.sub(r"`[^`]*`", "", sentence)) and not sentence.rstrip('"*').endswith("?")


class Steps:
    """The tensors of steps, computed once."""

    def __init__(self, folder, binary):
        self.folder, self.binary, self.known = folder, binary, {}

    def tensors(self, lecture, step):
        if (lecture, step) not in self.known:
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "step.npz"
                subprocess.run([self.binary, "compute", "--lectures", self.folder, "--lecture", lecture, "--step", str(step),
                                "-o", file], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                with np.load(file) as arrays:
                    self.known[lecture, step] = dict(arrays)
        return self.known[lecture, step]


def problem(backing, lecture, step, asks, tests, steps):
    kind, _, what = backing.partition(": ")
    if kind == "definition":
        return None if what in DEFINITIONS else f"no such definition; there are {', '.join(DEFINITIONS)}"
    if kind == "test":
        return None if what in tests else "lecture_claims.py has no such test"
    if kind == "question":
        return None if asks else "its step asks nothing"
    if kind == "step":
        true = bool(eval(what, {"np": np, **steps.tensors(lecture, step)}))
        return None if true else "it isn't true of the step's numbers"
    if kind == "document":
        return None if what else "which document?"
    return None if backing in ("amount", "advice", "quote") else "no kind of backing; general_words.py lists them"


def main():
    folder, binary = pathlib.Path(sys.argv[1]), sys.argv[2]
    tests = set(re.findall(r"def (test_\w+)", (HERE / "lecture_claims.py").read_text(encoding="utf-8")))
    listed = {}
    for line in (HERE / "general_words.tsv").read_text(encoding="utf-8").splitlines():
        lecture, sentence, backing = line.split("\t")
        listed[lecture, sentence] = backing
    steps, problems, found = Steps(folder, binary), [], set()
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        text = path.read_text(encoding="utf-8")
        asking = {number for number, step in enumerate(re.split(r"^## ", text, flags=re.MULTILINE)) if "```question" in step}
        for step, sentence in words_of(text):
            if not is_general(sentence):
                continue
            key = (path.stem, sentence)
            found.add(key)
            where = f"{path.name}, step {step}: {sentence}"
            if key not in listed:
                problems.append(f"{where}\n    nothing backs it: change it, or say in general_words.tsv what does")
            elif wrong := problem(listed[key], path.stem, step, step in asking, tests, steps):
                problems.append(f"{where}\n    {listed[key]}: {wrong}")
    problems += [f"general_words.tsv: {lecture} doesn't say: {sentence}" for lecture, sentence in listed if (lecture, sentence) not in found]
    print(*problems, f"{len(found)} sentences speak in general, {len(problems)} problems", sep="\n")
    return 1 if problems or len(found) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
