"""A generator for `scripts/fuzz`: options of the command with hostile values, in any order.

Whatever the options, the command must end with status 0, 1 or 2, write nothing but its own messages to stderr, and
leave stdout empty if the status is 2, unless --keep-going has left out systems and named them.
"""

from __future__ import annotations

import functools
import io
import os
import random
import re
import tempfile
from collections.abc import Callable

from bleucli.cli import arguments
from bleucli.cli.main import Status, run
from bleucli.cli.parser import parser
from bleucli.cli.streams import Environment

TEXTS = {
    "a.txt": b"the cat sat\non the mat\n",
    "b.txt": b"the cat\nsat on it\n",
    "c.txt": b"one\n",
    "n.txt": b"1\n0.5\n",
}
NUMBERS = ("0", "1", "2", "3", "-1", "1.5", "1e999", "nan", "inf", "-0", "9" * 30, "0x10", "1_0", "٣", " 1 ")
NAMES = (
    *(
        "bleu",
        "chrf",
        "ter",
        "wer",
        "cer",
        "json",
        "text",
        "latex",
        "csv",
        "html",
        "13a",
        "none",
        "char",
        "intl",
        "zh",
        "exp",
        "floor",
    ),
    *(
        "en-de",
        "a.txt",
        "b.txt",
        "c.txt",
        "n.txt",
        "none.txt",
        ".",
        "/",
        "src",
        "all",
        "demo",
        "wmt17,demo",
        "spm:",
        "(",
    ),
    *(
        "BLEU|nrefs:1|tok:13a|version:2",
        "chrF2|nc:6|nw:2",
        "TER|tok:tercom",
        "WER|case:lc",
        "BLEU|smooth:floor[0.1]",
        "a:b|a:b",
        "|",
        "bleu=1,ter=2%",
        "2%",
        "junit",
        "card",
        "paper",
        "github",
        "hyp=a:x.0,b:y,refs=z",
    ),
)
ODD = ("", "-", "--", "=", "\x1b[31m", "a\nb", "\u202e", "\udcff", "é" * 300, "x" * 5000, "%s%n", "{0}")
FAILED = (Status.ERROR, Status.GATE_FAILED)


@functools.cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Make a folder with small texts and change to it; it is removed at the end."""
    made = tempfile.TemporaryDirectory()
    os.chdir(made.name)
    for name, text in TEXTS.items():
        with open(name, "wb") as file:
            file.write(text)
    return made


def try_options(rng: random.Random) -> None:
    """Options with hostile values, in any order."""
    place = folder().name
    words = random_words(rng)
    out, err = io.BytesIO(), io.BytesIO()
    variables = {"BLEU_HOME": os.path.join(place, "cache"), "BLEU_OFFLINE": "1"}
    stdin = rng.choice((None, b"", *TEXTS.values(), b"\xff\xfe\n", b"a\tb\nc\td\n"))
    status = run(words, Environment(None if stdin is None else io.BytesIO(stdin), out, err, variables))
    said = err.getvalue().decode("utf-8", "replace")
    assert status in (Status.FINE, *FAILED), f"{words}: status {status}, {said}"
    if status == Status.ERROR and out.getvalue():
        assert leaves_out(words, said), f"{words} failed, but printed {out.getvalue()!r}, and said {said}"
    assert status != Status.ERROR or said, f"{words} failed without a message"
    lines = said.removesuffix("\n").split("\n") if said else []
    told = r"(bleu: (error|warning|note): |::(error|warning) title=[^:,]+::)[^\x00-\x1f\x7f-\x9f]+"
    assert all(re.fullmatch(told, line) for line in lines), (
        words,
        said,
    )


def leaves_out(words: list[str], said: str) -> bool:
    """Return whether --keep-going was given, in any spelling, and the command named the systems that were left out."""
    *named, last = [line for line in said.splitlines() if line.startswith("bleu: error: ")] or [""]
    counted = r"bleu: error: (\d+ systems? could not|none of the \d+ systems could) be scored \(see above\)"
    untested = r"bleu: error: .+; .+, so no test can be run; leave out --paired-(bs|ar) for scores without a test"
    told = (named and re.fullmatch(counted, last)) or re.fullmatch(untested, last)
    return arguments.parse(words).keep_going and bool(told)


# Options that take too long with such numbers, write files, or run until the user ends them
_LEFT_OUT = ("paired_ar_n", "paired_bs_n", "confidence_n", "jobs", "output", "serve")


def random_words(rng: random.Random) -> list[str]:
    """Return references, systems and up to five options, some with values; most of them are plausible."""
    words = rng.choice(([], ["a.txt"], ["a.txt", "b.txt"], ["n.txt"], [rng.choice(ODD)]))
    if rng.random() < 0.7:
        words = [*words, "-i", *rng.choices(tuple(TEXTS), k=rng.randrange(1, 4))]
    for _ in range(rng.randrange(6)):
        action = rng.choice(parser()._actions)
        if not action.option_strings or action.dest in _LEFT_OUT:
            continue
        option = rng.choice(action.option_strings)
        value = rng.choice(rng.choice((NUMBERS, NAMES, ODD)))
        if action.nargs == 0:
            words = [*words, option]
        else:
            words = [*words, f"{option}={value}"] if rng.random() < 0.3 else [*words, option, value]
    if rng.random() < 0.5:
        words += ["-cin", "3", "-pbsn", "3", "-parn", rng.choice(("3", *NUMBERS))]
    return words


GENERATORS: dict[str, Callable[[random.Random], None]] = {"options": try_options}
