"""One term each: the lectures say *token* and *position* of what a model reads, and *word* in the first lecture alone.

    lecture_terms.py LECTURES

Elsewhere a *word* is one of a language, and a *place* has nothing to do with where a token stands: SAID has all sentences in
which they are used so, by a part of each. A part that no lecture says any more fails, too.
"""
import pathlib
import re
import sys

from general_words import words_of

OTHERS = re.compile(r"\b(words?|places?)\b", re.IGNORECASE)
IDIOMS = re.compile(r"in (the same|another) place|in place of|the place of|change places")
SAID = {
    "generate": ["pieces of words", "ends a word", "32 words", "positions of a word", "one word gives", "the same word", "200 words"],
    "meaning": ["the words of a sentence", "English word", "Which word means", "the third word"],
    "recall": ["Recall 1: a word", "where a word looks", "small word", "the word right after"],
    "trained": ["of words", "be a word", "a word ahead", "A word that isn't", "how words are spelt", "mall word", "the word it belongs to", "Words with a meaning",
                "Which word does", "the words", "which word it is", "from words", "by word", "The words", "strong word"],
    "where": ["the word ends", "a word of three letters", "words of three letters", "ends a word"],
}


def main():
    problems, used = [], set()
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.md")):
        if path.stem in ("README", "bank"):
            continue
        for step, sentence in words_of(path.read_text(encoding="utf-8")):
            rest = IDIOMS.sub("", re.sub(r"`[^`]*`", "", sentence))
            for part in SAID.get(path.stem, []):
                if part in rest:
                    used.add((path.stem, part))
                    rest = rest.replace(part, "")
            if OTHERS.search(rest):
                problems.append(f"{path.name}, step {step}: {sentence}")
    problems += [f"{lecture} doesn't say: {part}" for lecture, parts in SAID.items() for part in parts if (lecture, part) not in used]
    print(*problems, f"{len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
