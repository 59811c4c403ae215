"""What every pair of options does: both have their effect, a warning says that one has none, or they are refused."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import namedtuple
from contextlib import nullcontext
from io import BytesIO
from itertools import combinations
from unittest import mock

from pyarrow import parquet, table

from bleucli.cli.main import run as run_command
from bleucli.cli.options import MODES
from bleucli.cli.streams import Environment

FINE, TOLD, REFUSED = ".", "t", "r"
# How each option is given, and what else it needs
Given = namedtuple("Given", "words needs", defaults=((),))
GIVEN = {
    "allow_http": Given(("--allow-http",), ("set",)),
    "annotate": Given(("--annotate", "github")),
    "append": Given(("--append",), ("history",)),
    "baseline": Given(("--baseline", "before.json"), ("drop",)),
    "bold_best": Given(("--bold-best",), ("several", "latex")),
    "by": Given(("--by", "domain"), ("stats",)),
    "caption": Given(("--caption", "Scores"), ("several", "latex")),
    "cer_lowercase": Given(("--cer-lowercase",), ("cer",)),
    "chrf_beta": Given(("--chrf-beta", "3"), ("chrf",)),
    "chrf_char_order": Given(("-cc", "4"), ("chrf",)),
    "chrf_eps_smoothing": Given(("--chrf-eps-smoothing",), ("chrf",)),
    "chrf_lowercase": Given(("--chrf-lowercase",), ("chrf",)),
    "chrf_whitespace": Given(("--chrf-whitespace",), ("chrf",)),
    "chrf_word_order": Given(("-cw", "1"), ("chrf",)),
    "cite": Given(("--cite",), ("set",)),
    "columns": Given(("--columns", "hyp=mt"), ("table",)),
    "confidence": Given(("-ci",)),
    "confidence_n": Given(("-cin", "5"), ("confidence",)),
    "detail": Given(("--detail",), ("set",)),
    "difference": Given(("--difference",), ("paired",)),
    "download": Given(("--download", "demo")),
    "echo": Given(("--echo", "src"), ("set",)),
    "edit_counts": Given(("--edit-counts",), ("ter", "csv")),
    "encoding": Given(("-e", "latin-1")),
    "engine": Given(("--engine", "dask"), ("table",)),
    "fail_under": Given(("--fail-under", "1")),
    "force": Given(("--force",)),
    "format": Given(("-f", "csv")),
    "jobs": Given(("-J", "2")),
    "jsonl": Given(("--jsonl",), ("stdin",)),
    "jsonl_fields": Given(("--jsonl-fields", "hyp=mt"), ("json_lines",)),
    "keep_going": Given(("--keep-going",)),
    "labels": Given(("--labels", "labels.tsv"), ("docs",)),
    "label_names": Given(("--label-names", "doc,domain"), ("bare_labels", "docs")),
    "level": Given(("--level", "doc"), ("labels",)),
    "label": Given(("--label", "tab:scores"), ("captioned", "latex")),
    "language_pair": Given(("-l", "en-zh")),
    "like": Given(("--like", "case:mixed|eff:no|tok:intl|smooth:exp")),
    "list": Given(("--list",)),
    "list_tokenizers": Given(("--list-tokenizers",)),
    "lowercase": Given(("-lc",)),
    "max_drop": Given(("--max-drop", "0.5"), ("baseline",)),
    "max_ngram_order": Given(("--max-ngram-order", "2")),
    "metrics": Given(("-m", "bleu", "chrf", "ter", "cer", "wer")),
    "mirror": Given(("--mirror", "http://127.0.0.1:9/"), ("set",)),
    "name_by": Given(("--name-by", "file"), ("several",)),
    "names": Given(("--names", "one,two"), ("several",)),
    "no_color": Given(("-nc",)),
    "normalize": Given(("--normalize", "quotes,case")),
    "num_refs": Given(("-nr", "2"), ("one_file",)),
    "origlang": Given(("--origlang", "en"), ("set",)),
    "output": Given(("-o", "out")),
    "paired_all": Given(("--paired-all",), ("paired",)),
    "paired_ar": Given(("-par",), ("several",)),
    "paired_ar_n": Given(("-parn", "5"), ("paired_ar",)),
    "paired_bs": Given(("-pbs",), ("several",)),
    "paired_bs_n": Given(("-pbsn", "5"), ("paired_bs",)),
    "paired_jobs": Given(("-j", "2"), ("confidence",)),
    "partial": Given(("--partial",), ("items",)),
    "quiet": Given(("-q",)),
    "registry": Given(("--registry", "own.toml"), ("set",)),
    "scale": Given(("--scale", "1")),
    "score_only": Given(("-b",)),
    "scores": Given(("--scores", "COMET=marks.score")),
    "segment_scores": Given(("--segment-scores",), ("numbers",)),
    "sentence_level": Given(("-sl",)),
    "rows": Given(("--rows", "long"), ("segments", "tabular")),
    "sacrebleu_path": Given(("--sacrebleu-path",)),
    "short": Given(("-sh",), ("text",)),
    "skip_empty_refs": Given(("--skip-empty-refs",)),
    "smooth_method": Given(("-s", "floor")),
    "smooth_value": Given(("-sv", "0.5"), ("floor",)),
    "sort": Given(("--sort", "bleu"), ("several", "latex")),
    "stats": Given(("--stats", "stored.parquet"), ("stored",)),
    "strict": Given(("--strict",)),
    "style": Given(("--style", "compact"), ("paired", "latex")),
    "subset": Given(("--subset", "news"), ("set",)),
    "table": Given(("--table", "texts.parquet"), ("tabled",)),
    "ter_asian_support": Given(("--ter-asian-support",), ("ter",)),
    "ter_case_sensitive": Given(("--ter-case-sensitive",), ("ter",)),
    "ter_no_punct": Given(("--ter-no-punct",), ("ter",)),
    "ter_normalized": Given(("--ter-normalized",), ("ter",)),
    "test_set": Given(("-t", "own/set"), ("pair",)),
    "texts": Given(("--texts",), ("segments", "tabular")),
    "tokenize": Given(("-tok", "char")),
    "unit": Given(("--unit", "doc"), ("confidence", "labels")),
    "version": Given(("--version",)),
    "wer_lowercase": Given(("--wer-lowercase",), ("wer",)),
    "width": Given(("-w", "4")),
}

# What meets each need: an option and its words; all other needs are texts
NEEDS = {
    **{name: ("metrics", ("-m", name)) for name in ("bleu", "chrf", "ter", "cer", "wer")},
    "confidence": ("confidence", ("-ci",)),
    "paired": ("paired_ar", ("-par",)),
    "paired_ar": ("paired_ar", ("-par",)),
    "paired_bs": ("paired_bs", ("-pbs",)),
    "floor": ("smooth_method", ("-s", "floor")),
    "drop": ("max_drop", ("--max-drop", "0.5")),
    "baseline": ("baseline", ("--baseline", "before.json")),
    "text": ("format", ("-f", "text")),
    "latex": ("format", ("-f", "latex")),
    "segments": ("sentence_level", ("-sl",)),
    "tabular": ("format", ("-f", "csv")),
    "csv": ("format", ("-f", "csv")),
    "history": ("format", ("-f", "jsonl", "-o", "history")),
    "set": ("test_set", ("-t", "own/set")),
    "pair": ("language_pair", ("-l", "en-zh")),
    "stats": ("stats", ("--stats", "stored.parquet")),
    "table": ("table", ("--table", "texts.parquet")),
    "docs": ("unit", ("--unit", "doc")),
    "labels": ("labels", ("--labels", "labels.tsv")),
    "bare_labels": ("labels", ("--labels", "bare.tsv")),
    "captioned": ("caption", ("--caption", "Scores")),
}
IMPLIED = {
    "set": ("pair",),
    "docs": ("confidence",),
    "captioned": ("several",),
    "paired": ("several",),
    "paired_ar": ("several",),
    "paired_bs": ("several",),
}
# Options that say how the work is done, or what is done and said where something is wrong
HOW_IT_IS_DONE = {
    *("allow_http", "annotate", "baseline", "fail_under", "force", "jobs", "keep_going", "max_drop", "mirror"),
    *("engine", "no_color", "paired_jobs", "quiet", "strict"),
    "sort",  # the systems here are in that order already
}
# Pairs in which the value that is given here to the first option changes nothing
SAME_ANYWAY = {
    ("bold_best", "short"),  # text, which has short signatures, is bold only on terminals
    *(("name_by", name) for name in ("format", "edit_counts", "rows", "texts")),  # csv calls systems by their files
    ("encoding", "rows"),  # n-grams that match are the same in both encodings
    *(("ter_asian_support", name) for name in ("rows", "texts")),  # only the signature differs, which is in a note
    ("encoding", "partial"),  # JSON Lines are UTF-8
    ("encoding", "segment_scores"),  # numbers are the same in both encodings
    ("encoding", "wer_lowercase"),  # and so are words that differ
    ("smooth_method", "score_only"),  # where every order has matches, only the signature differs
    ("smooth_value", "score_only"),
    ("metrics", "stats"),  # all that were counted are scored
    ("metrics", "by"),
    ("registry", "echo"),  # both registries have the same sources
    ("registry", "cite"),
    ("tokenize", "cite"),  # there is no paper about char
    ("registry", "list"),
    ("width", "wer_lowercase"),  # the score is exactly 22%
    # what a run should cite does not depend on where its texts are
    *((name, "cite") for name in ("encoding", "jsonl", "jsonl_fields", "name_by", "names", "num_refs")),
}
SOURCES = ["One cat.", "Two dogs.", "Three birds.", "Four fish.", "Five ants.", "Six bees."]
REFERENCES = {
    "A": [
        "The cat sat on the mat, and it was 3.14 meters long.",
        "He said \u00e0 la carte to the World\u2013wide day.",
        "We have (almost) nothing of the kind here, do we?",
        "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u3068 some English words in the same line.",
        "It was not unexpected that the man bit the dog first.",
        "U.S. prices rose 5% in the first quarter of the year.",
    ],
    "B": [
        "The cat was sitting on the mat, which was 3.14 meters long.",
        "",
        "There is (almost) nothing of the kind here, is there?",
        "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\u3068 some words of English in the same line.",
        "",
        "Prices in the U.S. rose by 5% in the first quarter of the year.",
    ],
}
SYSTEMS = {
    "sys.txt": [
        "the Cat sat on the mat , and it was 3.14 meters long.",
        "He said \u00e0 la  carte to the world\u2013wide day.",
        "We have almost nothing of the kind here, do we?",
        "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8 and some English words in the same line.",
        "It was.",
        "US prices rose 5 % in the first quarter of this year.",
    ],
    "sys2.txt": [
        "A cat sat on a mat, it was 3.14 meters.",
        "He says \u00e0 la carte to a world.",
        "We have nothing of this kind, do we?",
        "\u65e5\u672c\u8a9e with some English words in one line.",
        "It was expected that the man would bite the dog.",
        "Prices in the US rose by 5% in the first quarter.",
    ],
}


def write_files():
    """Write what the options name into the working directory."""
    for name, lines in (("ref", REFERENCES["A"]), ("ref2", REFERENCES["B"]), *SYSTEMS.items()):
        write(name, lines)
    write("refs.tsv", ["\t".join(pair) for pair in zip(*REFERENCES.values(), strict=True)])
    for pair in ("en-de", "en-zh"):
        write(f"{pair}.ref", REFERENCES["A"])
        write(f"{pair}.sys", SYSTEMS["sys.txt"])
        write(f"{pair}.sys2", SYSTEMS["sys2.txt"])
    write("matrix.toml", ['references = "{pair}.ref"', 'systems = "{pair}.{system}"'])
    items = zip(SYSTEMS["sys.txt"], SYSTEMS["sys2.txt"], strict=True)
    write("sys.jsonl", [json.dumps({"hypothesis": one, "mt": other}) for one, other in items])
    for name, field, lines in (
        ("items.ref", "reference", REFERENCES["A"]),
        ("items", "hypothesis", SYSTEMS["sys.txt"][:5]),
        ("items2", "hypothesis", SYSTEMS["sys2.txt"]),
    ):
        write(f"{name}.jsonl", [json.dumps({"id": str(n), field: line}) for n, line in enumerate(lines)])
    labels = ["a\tnews", "b\tsocial", "b\tnews", "b\tnews", "b\tsocial", "c\tsocial"]
    write("bare.tsv", labels)
    write("labels.tsv", ["doc\tdomain", *labels])
    answer(["ref", "ref2", "-i", "sys2.txt", "-w", "9", "-o", "before.json"], b"", {})
    for name, systems in (("one", ["sys.txt"]), ("two", ["sys.txt", "sys2.txt"])):
        words = ["-m", "bleu", "chrf", "ter", "cer", "wer", "-o", f"{name}.parquet"]
        answer(["count", "ref", "ref2", "-i", *systems, *words], b"", {})
        rows = parquet.read_table(f"{name}.parquet")
        domains = ["news" if segment % 3 else "social" for segment in rows["segment"].to_pylist()]
        parquet.write_table(rows.append_column("domain", [domains]), f"{name}.parquet")
    references = [list(both) for both in zip(*REFERENCES.values(), strict=True)]
    columns = {"hyp": SYSTEMS["sys.txt"], "mt": SYSTEMS["sys2.txt"], "ref": references, "domain": domains[:6]}
    parquet.write_table(table(columns), "texts.parquet")
    write("labels.txt", ["one", "other"] * 3)
    write("marks.txt", ["1", "5", "2.5", "4", "3", "2"])
    write("marks2.txt", ["1", "4", "2.5", "3", "3", "1"])
    marks = ((name, (place * 7 + len(name)) % 5) for name in SYSTEMS for place in range(6))
    write("marks.score", [f"{name}\t{mark}" for name, mark in marks])
    write("num.txt", ["1", "5", "2.5"])
    write("num2.txt", ["1.5", "3", "2"])
    documents = [
        f'<doc id="{place}" origlang="{"en" if place % 2 else "de"}" domain="{"news" if place % 3 else "social"}">'
        f'<src lang="en"><seg id="1">{SOURCES[place]}</seg></src>'
        + "".join(
            f'<ref lang="de" translator="{name}"><seg id="1">{lines[place]}</seg></ref>'
            for name, lines in REFERENCES.items()
        )
        + "</doc>"
        for place in range(6)
    ]
    write("own.xml", ["<dataset><collection>", *documents, "</collection></dataset>"])
    for name, references in (("own.toml", '["A"]'), ("usual.toml", '["A", "B"]')):
        own = ['[testsets."own/set"]', 'about = "made for this"', 'format = "wmt-xml"', f"refs = {references}"]
        pair = ['sources = [{ url = "own.xml" }]', '[testsets."own/set".pairs.en-zh]', 'files = ["source:0"]']
        write(name, own + pair)


def write(name, lines):
    with open(name, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


class NoClient(nullcontext):
    """Takes the place of a Dask client, since there is no cluster."""

    @staticmethod
    def current(*_, **__):
        raise ValueError


def answer(words, stdin, variables):
    """Return status, both streams and what was written. Dask runs in this process."""
    import dask
    import distributed

    out, err = BytesIO(), BytesIO()
    with mock.patch.object(distributed, "Client", NoClient), dask.config.set(scheduler="sync"):
        status = run_command(words, Environment(BytesIO(stdin), out, err, variables))
    written = {}
    for name in ("out", "history"):
        if os.path.exists(name):
            with open(name, "rb") as file:
                written[name] = file.read()
            os.unlink(name)
    return int(status), out.getvalue().decode(), err.getvalue().decode(), written


def words_of(given):
    """Return the words to add to those of some options, and the standard input."""
    needs = [need for name in given for need in GIVEN[name].needs]
    for need in needs:  # the list grows during the loop
        implied = (*IMPLIED.get(need, ()), *(GIVEN[need].needs if need in GIVEN else ()))
        needs += [one for one in implied if one not in needs]
    words = {}
    for need in needs:
        option, beside = NEEDS.get(need, ("", ()))
        if option and option not in given and not (option == "format" and "output" in given and "history" in needs):
            words[option] = words.get(option, beside[:1]) + beside[1:] if option == "metrics" else beside
    if "history" in needs and "output" in given:
        words["format"] = ("-f", "jsonl")
    beside = [word for one in words.values() for word in one]
    if set(MODES) & set(given):
        return beside, [], b""
    has_set = "set" in needs or "test_set" in given
    has_own = "tabled" in needs or "matrixed" in needs
    is_stored = "stored" in needs
    if is_stored:
        shutil.copy("two.parquet" if "several" in needs else "one.parquet", "stored.parquet")
    has_none = has_set or "numbers" in needs or "bare" in needs or is_stored or has_own
    references = [] if has_none else ["refs.tsv"] if "one_file" in needs else ["ref", "ref2"]
    systems = (
        ["num.txt", "num2.txt"]
        if "numbers" in needs
        else ["sys.jsonl" if "json_lines" in needs else "sys.txt", "sys2.txt"]
    )
    if "items" in needs:
        references, systems = ["items.ref.jsonl"], ["items.jsonl", "items2.jsonl"]
    if "stdin" in needs:
        systems[0] = "-"
        stdin = "".join(json.dumps({"hypothesis": line}) + "\n" for line in SYSTEMS["sys.txt"]).encode()
    else:
        stdin = b""
    if is_stored or has_own:
        systems = []
    beside += [] if "width" in given or "width" in words else ["-w", "9"]  # otherwise, a score may look the same
    systems = systems[: 2 if "several" in needs else 1]
    return beside, [*references, *(["-i", *systems] if systems else [])], stdin


def decide(given, variables, answers):
    """Return what two options do together: for each, whether it works, gets a warning or is refused; and the answers.

    answers: those so far, by words, stdin and what is stored; most are needed several times.
    """
    beside, texts, stdin = words_of(given)
    stored = os.path.exists("stored.parquet") and os.path.getsize("stored.parquet")

    def run(*names):
        words = (*texts, *beside, *(word for name in names for word in GIVEN[name].words))
        question = words, stdin, stored
        if question not in answers:
            answers[question] = answer(words, stdin, variables)
        return answers[question]

    both = run(*given)
    if both[0] == 2:
        return REFUSED * 2, both, {}
    marks = "".join(TOLD if gets_warning(name, both[2]) else FINE for name in given)
    alone = {name: run(*(other for other in given if other != name)) for name in given}
    return marks, both, alone


def gets_warning(name, said):
    """Return whether a warning says that an option has no effect."""
    flag = f"--{name.replace('_', '-')}"
    lines = [line for line in said.splitlines() if "without effect: " in line or "-lc applies to BLEU only" in line]
    return any(re.search(f"{flag}[ ,]", line) or (name == "lowercase" and "-lc applies" in line) for line in lines)


def has_effect(name, given, both, alone):
    """Return whether an option changed the answer, or only says how the work is done."""
    return name in HOW_IT_IS_DONE or given in SAME_ANYWAY or given[::-1] in SAME_ANYWAY or both != alone[name]


def find_ignored():
    """Return the pairs in which an option has neither an effect nor a warning, and is not refused."""
    ignored, answers = [], {}
    for given in combinations(GIVEN, 2):
        marks, both, alone = decide(given, {}, answers)
        for mark, name, other in zip(marks, given, reversed(given), strict=True):
            if mark == FINE and not has_effect(name, given, both, alone):
                ignored.append((name, other))
    return ignored
