"""The texts that `scripts/benchmark` needs: large corpora of real lines, noisy segments, candidates for one line."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from contextlib import ExitStack
from html import escape
from itertools import islice

LARGE_CORPUS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "large_corpus")


def make_texts(folder: str) -> None:
    """Write the large corpora, JSON Lines with 1-4 references, the same as plain files, and the noisy texts."""
    for lines in ("100000", "200000", "1000000"):
        subprocess.run([sys.executable, LARGE_CORPUS, lines, os.path.join(folder, lines)], check=True)
        make_other(os.path.join(folder, lines))
    make_items(os.path.join(folder, "1000000"))
    with open(os.path.join(folder, "line.txt"), "w", encoding="utf-8") as line:
        line.write("hi\n")
    make_noisy(os.path.join(folder, "noisy"))
    make_candidates(folder)
    make_xml(os.path.join(folder, "en-de.xml"), os.path.join(folder, "100000"))


def make_items(folder: str) -> None:
    """Write items.jsonl with 1-4 references per item, and ref1.txt to ref4.txt with all of them."""
    names = [os.path.join(folder, name) for name in ("hyp.txt", "ref.txt", "items.jsonl")]
    with open(names[0], encoding="utf-8") as hyps, open(names[1], encoding="utf-8") as refs, ExitStack() as stack:
        items = stack.enter_context(open(names[2], "w", encoding="utf-8"))
        plain = [
            stack.enter_context(open(os.path.join(folder, f"ref{number}.txt"), "w", encoding="utf-8"))
            for number in range(1, 5)
        ]
        for number, (hyp, ref) in enumerate(zip(hyps, refs, strict=True)):
            words = ref.split()
            texts = [" ".join(words[turn:] + words[:turn]) for turn in range(4)]
            for file, text in zip(plain, texts, strict=True):
                file.write(text + "\n")
            item = {"hypothesis": hyp.rstrip("\n"), "references": texts[: 1 + number % 4]}
            items.write(json.dumps(item, ensure_ascii=False) + "\n")


def make_other(folder: str) -> None:
    """Write other.txt: the system's output, with the last word missing from every third line."""
    with open(os.path.join(folder, "hyp.txt"), encoding="utf-8") as hyps, ExitStack() as stack:
        other = stack.enter_context(open(os.path.join(folder, "other.txt"), "w", encoding="utf-8"))
        for number, line in enumerate(hyps):
            other.write(line if number % 3 else line.rstrip("\n").rpartition(" ")[0] + "\n")


def make_noisy(folder: str) -> None:
    """Write 300 segments of 100 to 200 words; in their references, words are changed and phrases moved."""
    rng = random.Random(2026)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "hyp.txt"), "w") as hyps, open(os.path.join(folder, "ref.txt"), "w") as refs:
        for _ in range(300):
            words = [f"w{int(rng.paretovariate(0.7)) % 500}" for _ in range(rng.randrange(100, 201))]
            hyps.write(" ".join(words) + "\n")
            for _ in range(12):
                start, target = rng.randrange(len(words)), rng.randrange(len(words))
                phrase = words[start : start + 5]
                del words[start : start + 5]
                words[target:target] = phrase
            changed = [word if rng.random() < 0.7 else f"x{rng.randrange(500)}" for word in words]
            refs.write(" ".join(changed) + "\n")


def make_candidates(folder: str) -> None:
    """Write two files of 1024 candidates for a line of 185 characters: noisy copies, like samples from a model."""
    rng = random.Random(2026)
    with open(os.path.join(folder, "100000", "ref.txt"), encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file]
    vocabulary = [word for line in lines[:2000] for word in line.split()]
    words = min(lines, key=lambda line: abs(len(line) - 185)).split()
    for name in ("candidates.txt", "others.txt"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            for _ in range(1024):
                noise, found = rng.choice((0.1, 0.2, 0.3, 0.5)), []
                for word in words:
                    # The noise affects 10 to 50% of the words: of these, 70% are replaced and 15% deleted; after the
                    # other 15%, a word is inserted
                    turn = rng.random() / noise
                    found += [word] if turn > 0.85 else [rng.choice(vocabulary)] if turn < 0.7 else []
                    found += [rng.choice(vocabulary)] if 0.85 < turn < 1 else []
                file.write(" ".join(found) + "\n")


def make_xml(path: str, corpus: str) -> None:
    """Write 2,000 segments with source, reference and 12 systems, in documents of 20 segments, like WMT's XML files."""
    with open(os.path.join(corpus, "ref.txt"), encoding="utf-8") as lines, open(path, "w", encoding="utf-8") as xml:
        texts = [escape(line.rstrip("\n")) for line in islice(lines, 2000)]
        streams = [("src", 'lang="en"'), ("ref", 'lang="de" translator="A"')]
        streams += [("hyp", f'system="S{number}" language="de"') for number in range(12)]
        xml.write("<dataset>\n")
        for first in range(0, len(texts), 20):
            xml.write(f'<doc id="d{first}" origlang="en" domain="news">\n')
            for tag, attributes in streams:
                segments = (f'<seg id="{n}">{text}</seg>\n' for n, text in enumerate(texts[first : first + 20], 1))
                xml.write(f"<{tag} {attributes}>\n<p>\n{''.join(segments)}</p>\n</{tag}>\n")
            xml.write("</doc>\n")
        xml.write("</dataset>\n")
