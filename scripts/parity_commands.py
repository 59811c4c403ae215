"""How `scripts/parity` compares what `bleu` and the oracle's command print, apart from the version."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

import oracles
from parity_bleu import METHODS, TOKENIZERS
from parity_corpora import lines
from parity_report import Report

# The segments that the command is run on
PART = slice(150, 300)


def command_lines() -> list[tuple[str, str]]:
    """Return command lines that were written by hand: the words, and the standard input."""
    plain = ["", "-f text", "-f json", "-b", "-sl", "-sl -b", "-b -f text", "-sh -f text", "-sl -sh", "-q", "--force"]
    found = [f"ref.A -i sys.1 {options}" for options in plain]
    found += [f"ref.A -i sys.1 -w {width} {options}" for width in range(7) for options in ("", "-f text", "-b", "-sl")]
    found += [f"ref.A ref.B -i sys.2 {options}" for options in plain]
    found += [f"ref.AB -nr 2 -i sys.2 {options}" for options in plain]
    found += [f"ref.A -i sys.3 -tok {name} {options}" for name in TOKENIZERS for options in ("", "-lc", "-sl -lc")]
    found += [
        f"ref.A -i sys.1 -s {name} {options}" for name in METHODS for options in ("", "-sl", "-sv 0.25", "-sl -sv 2")
    ]
    found += [
        f"{references} -i sys.1 sys.2 sys.3 -f text {options}"
        for references in ("ref.A", "ref.A ref.B", "ref.AB -nr 2")
        for options in ("", "-w 3", "-w 0 -lc", "-sh", "-tok char -s floor", "-s add-k -sv 0.5 -q")
    ]
    found += [
        f"{texts} {options}" for texts in ("odd -i sys.odd", "sys.odd -i odd") for options in ("", "-sl", "-tok char")
    ]
    found += ["ref.latin -i sys.latin -e latin-1", "ref.latin -i sys.latin --encoding latin-1 -sl", "ref.A -i ref.A"]
    found += ["--tok 13a ref.A --inp sys.1", "ref.A -i empty", "ref.A -i empty -sl -b", "empty -i sys.1 -f text"]
    piped = [("ref.A", "sys.1"), ("ref.A ref.B -f text", "sys.2"), ("ref.A -sl", "sys.1"), ("ref.AB -nr 2 -b", "sys.1")]
    piped += [("ref.A -f text", "sys.12"), ("ref.A ref.B -f text -sh -w 2", "sys.12")]
    return [(words, "") for words in found] + piped


def random_command_lines(dice: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """Draw combinations of options."""
    for _ in range(count):
        words = [dice.choice(["ref.A", "ref.B", "ref.A ref.B", "ref.B ref.A", "ref.AB -nr 2"])]
        system, stdin = dice.choice([("-i sys.1", ""), ("-i sys.2", ""), ("-i sys.3", ""), ("", "sys.1")])
        several = dice.random() < 0.2
        words.append(dice.choice(["-i sys.1 sys.3", "-i sys.3 sys.2 sys.1"]) if several else system)
        # bleu refuses -b for several systems
        formats, scores = (["-f text"], [""]) if several else (["", "-f text", "-f json", "-sl"], ["", "-b"])
        words += [dice.choice(formats), dice.choice(scores), dice.choice(["", "-sh"]), dice.choice(["", "-lc"])]
        words += [dice.choice(["", *(f"-w {width}" for width in range(7))]), dice.choice(["", "-q"])]
        words += [dice.choice(["", *(f"-tok {name}" for name in TOKENIZERS)])]
        words += [
            dice.choice(["", *(f"-s {name}" for name in METHODS)]),
            dice.choice(["", "-sv 0.3", "-sv 2", "-sv 0"]),
        ]
        yield " ".join(filter(None, words)), "" if several else stdin


# Options of chrF and TER, most of them one by one and some together
CHRF_OPTIONS = (
    *("", "-cw 2", "-cc 1", "-cc 8 -cw 1", "-cw 3 -w 4", "--chrf-beta 1", "--chrf-beta 3 -w 3", "--chrf-whitespace"),
    *("-cc 0 -cw 2", "--chrf-beta 0"),
    *("--chrf-lowercase", "--chrf-eps-smoothing", "-cw 2 --chrf-lowercase --chrf-whitespace --chrf-eps-smoothing -sh"),
    *("-b", "-b -w 5 -cw 1", "-q -sh"),
)
TER_OPTIONS = (
    *("", "--ter-case-sensitive", "--ter-no-punct", "--ter-normalized", "--ter-normalized --ter-asian-support"),
    *("--ter-no-punct --ter-asian-support -w 3", "--ter-normalized --ter-no-punct", "-b", "-b -w 4", "-sh -w 0"),
    *("--ter-normalized --ter-no-punct --ter-asian-support --ter-case-sensitive -sh", "-q --ter-case-sensitive -w 6"),
)
ALL_OPTIONS = (
    *("", "-cw 2 -w 3", "--ter-normalized -tok char", "-lc", "-b", "-b -w 4 -cw 2", "-sh", "-s floor -sv 0.2 -cc 3"),
    *("--chrf-lowercase --ter-case-sensitive", "-q -tok none --ter-no-punct", "-w 0 --chrf-eps-smoothing"),
    *("-tok intl --chrf-whitespace --ter-normalized --ter-asian-support", "-tok zh -cw 1 -sh -w 2"),
)
INPUTS = ("ref.A -i sys.1", "ref.A ref.B -i sys.2", "ref.AB -nr 2 -i sys.3", "odd -i sys.odd")


def metric_lines(metrics: str, options: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Return command lines with the options of some metrics: in text and JSON, for segments, for several systems."""
    for number, words in enumerate(options):
        texts = INPUTS[number % len(INPUTS)]
        yield from ((f"{texts} -m {metrics} {words} {form}", "") for form in ("-f text", "-f json"))
        if " " not in metrics:
            yield f"{texts} -m {metrics} {words} -sl", ""
        if "-b" not in words.split():
            yield f"ref.A -i sys.1 sys.2 sys.3 -m {metrics} {words} -f text", ""
    yield f"ref.zh -i sys.zh -m {metrics} --ter-normalized --ter-asian-support -f text", ""


def lines_of(metrics: Iterable[str]) -> list[tuple[str, str]]:
    """Return the command lines with which some of the metrics are compared."""
    found = list(command_lines()) if "bleu" in metrics else []
    for name, options in (("chrf", CHRF_OPTIONS), ("ter", TER_OPTIONS)):
        found += metric_lines(name, options) if name in metrics else ()
    if {"bleu", "chrf", "ter"} <= set(metrics):
        found += metric_lines("bleu chrf ter", ALL_OPTIONS)
    return found


def compare_commands(folder: str, lines: Iterable[tuple[str, str]]) -> Report:
    """Compare standard output and exit status of the two commands."""
    report = Report()
    with tempfile.TemporaryDirectory() as place:
        write_texts(folder, place)
        for words, piped in lines:
            stdin = b""
            if piped:
                with open(os.path.join(place, piped), "rb") as file:
                    stdin = file.read()
            ours = answer(oracles.our_command(words.split(), place, stdin))
            theirs = answer(oracles.oracle_command(words.split(), place, stdin))
            metrics = words.partition("-m ")[2].partition(" -")[0].strip() or "bleu"
            what = f"command, {metrics}{', segments' if '-sl' in words.split() else ''}"
            report.texts(what, ours, theirs, "{} < {}".format, words, piped or "nothing")
    return report


def answer(done: Any) -> str:
    """Return what a command printed, and its exit status if it failed."""
    said = oracles.without_version(done.stdout.decode())
    return f"status {done.returncode}, {done.stderr.decode()}" if done.returncode else said


def write_texts(folder: str, place: str) -> None:
    """Write the texts for the commands."""
    names = {"sys.1": "Online-B", "sys.2": "JDExploreAcademy", "sys.3": "OpenNMT", "ref.A": "ref.A", "ref.B": "ref.B"}
    written = {name: lines(folder, "wmt22.en-de", source)[PART] for name, source in names.items()}
    written["ref.AB"] = list(map("\t".join, zip(written["ref.A"], written["ref.B"], strict=True)))
    written["sys.12"] = list(map("\t".join, zip(written["sys.1"], written["sys.2"], strict=True)))
    written["empty"] = [""] * len(written["ref.A"])
    # Line ends and white space by one definition or another, then two characters that are neither
    odd = ("\r", "\u2028", "\x85", "\f", "\x1c", "\u3000\r", "\xa0", " \t", "\u200b", "\0")
    written["sys.odd"] = [
        text.replace(" ", odd[n % len(odd)] + " ", 2) + odd[n % 7] for n, text in enumerate(written["sys.1"])
    ]
    written["odd"] = [odd[n % 5] + text + odd[n % 3] for n, text in enumerate(written["ref.A"])]
    for name, source in (("sys.zh", "LanguageX"), ("ref.zh", "ref.A")):
        written[name] = lines(folder, "wmt22.en-zh", source)[:30]
    for name, texts in written.items():
        with open(os.path.join(place, name), "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{text}\n" for text in texts)
    for name in ("sys", "ref"):
        texts = written[f"{name}.1" if name == "sys" else f"{name}.A"]
        with open(
            os.path.join(place, f"{name}.latin"), "w", encoding="latin-1", errors="replace", newline="\n"
        ) as file:
            file.writelines(f"{text}\n" for text in texts)
