"""The command lines that `scripts/compare_commands` runs, and the small files that they read.

- `inputs`: the files, apart from those that the command itself makes
- `FIRST`: lines that make statistics, baselines and histories for the others
- `lines`: all other lines, by kind

A line is written as in a shell: variables, `bleu`, words, then perhaps `< FILE`, and `> /dev/tty` for a terminal. The
lines are made of the sections of `command_lines.txt`, which say how.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import random
import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, cycle, product
from typing import NamedTuple
from xml.sax.saxutils import escape


def read_sections() -> dict[str, list[str]]:
    """Return the rows of each section of `command_lines.txt`, by its title, which begins with `= ` or `== `."""
    sections: dict[str, list[str]] = {}
    with open(f"{os.path.splitext(__file__)[0]}.txt", encoding="utf-8") as file:
        for row in file.read().splitlines():
            if row.startswith("="):
                sections[row] = []
            elif row and not row.startswith("# "):
                sections[next(reversed(sections))].append(row)
    return sections


SECTIONS = read_sections()
FIRST = SECTIONS["= files for others"]
WORDS = " ".join(SECTIONS["= words"]).split()
NEEDS = dict(row.split(":", 1) for row in SECTIONS["= needs"])

# --- files

SEGMENTS = 30
_FIRST = (
    'The cat sat on the mat, and it was "3.14 meters" long & wide.',
    "He said à la carte to the World–wide day… U.S. prices rose 5%.",
    "日本語のテキストと some English words in the same line.",
    "It was not unexpected that the man bit the dog first.",
    "We have (almost) nothing of the kind here, do we?",
    "Она видела кошку; 他看见了一只猫。",
)


def references() -> list[str]:
    """Return made-up sentences; the first ones have what tokenizers treat differently."""
    dice = random.Random(7)
    made = [" ".join(dice.choices(WORDS, k=dice.randrange(4, 16))).capitalize() + "." for _ in range(SEGMENTS)]
    return [*_FIRST, *made][:SEGMENTS]


def altered(texts: Iterable[str], share: float, seed: int) -> list[str]:
    """Return texts in which this share of the words is replaced, dropped or doubled."""
    dice = random.Random(seed)

    def alter(word: str) -> Sequence[str]:
        if dice.random() >= share:
            return [word]
        return dice.choice(([], [word, word], [dice.choice(WORDS)], [word.lower()], [word.upper()]))

    return [" ".join(part for word in text.split(" ") for part in alter(word)) for text in texts]


def written(texts: Iterable[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def objects(rows: Iterable[object]) -> bytes:
    return written(json.dumps(row, ensure_ascii=False) for row in rows)


def inputs() -> dict[str, bytes]:
    """Return the content of each file."""
    first = references()
    second = ["" if number % 7 == 1 else text for number, text in enumerate(altered(first, 0.3, 1))]
    outputs = [altered(first, share, seed) for seed, share in enumerate((0.15, 0.3, 0.16), 2)]
    system, other, third = outputs
    files = {
        "ref.txt": first,
        "ref2.txt": second,
        "ref3.txt": altered(first, 0.4, 9),
        "sys.txt": system,
        "sys2.txt": other,
        "sys3.txt": third,
        "more/sys.txt": other,
        "copy.txt": system,
        "same.txt": first,
        "two words.txt": other,
        "größe.txt": third,
        "-dash.txt": other,
        "a_1%.txt": third,
        "refs.tsv": map("\t".join, zip(first, second, strict=True)),
        "systems.tsv": map("\t".join, zip(system, other, strict=True)),
        "head.ref": first[:12],
        "tail.ref": first[12:],
        "head.sys": system[:12],
        "tail.sys": system[12:],
        "one.ref": first[3:4],
        "one.sys": system[3:4],
        "one2.sys": other[3:4],
        # what is wrong, or looks wrong
        "short.txt": system[:-1],
        "long.txt": [*system, "more"],
        "blank.txt": [""] * SEGMENTS,
        "gap.txt": system[:10] + system[11:],
        "odd.txt": ["a\x0bb\x85c\u2028d", *system[1:-1]],
        "shifted.txt": [*first[:8], *first[9:20], first[20], *first[20:]],
        "tokenized.txt": [text.removesuffix(".") + " ." for text in first * 4],
        "plain.txt": first * 4,
        "subwords.txt": [text.replace(" ", " ▁") for text in system],
        "tabs.txt": [*system[:2], "one\ttwo", *system[3:]],
        "stub.txt": [text[:12] for text in first],
        "foreign.txt": ["xyz xyz xyz xyz xyz"] * SEGMENTS,
        "zh.ref": ["他看见了一只猫。", "天气非常好。"] * 10,
        "zh.sys": ["他看见一只狗。", "天气好。"] * 10,
        "ja.ref": ["猫がマットの上に座った。"] * 4,
        "ja.sys": ["猫はマットに座った。"] * 4,
        "ko.ref": ["고양이가 매트 위에 앉았다."] * 4,
        "ko.sys": ["고양이는 매트에 앉았다."] * 4,
        "labels.tsv": [
            "doc\tdomain",
            *(f"d{number // 10}\t{'news' if number % 3 else ''}" for number in range(SEGMENTS)),
        ],
        "bare.tsv": [f"d{number // 4}\tg{number % 2}" for number in range(SEGMENTS)],
        "labels.txt": [f"group {number % 5}" for number in range(SEGMENTS)],
        "labels.short": ["a", "b"],
        "labels.blank": ["a", ""] * 15,
        "marks.txt": [number * 7 % 11 / 4 for number in range(SEGMENTS)],
        "marks2.txt": [number * 5 % 13 / 4 for number in range(SEGMENTS)],
        "marks.short": ["1", "2"],
        "marks.bad": ["1", "two", "3"],
        "marks.nan": ["1", "nan"],
        "n.txt": ["1", "5"],
        **{f"{pair}.ref": first for pair in ("en-de", "en-zh")},
        **{f"{pair}.a": system for pair in ("en-de", "en-zh")},
        "en-de.b": other,
        "bad/en-de.ref": first,
        "bad/en-de.a": system,
        "bad/en-de.b": system[:-1],
        "matrix.toml": ['references = "{pair}.ref"', 'systems = "{pair}.{system}"', 'names = ["a", "b"]'],
        "full.toml": ['references = "{pair}.ref"', 'systems = "{pair}.{system}"', 'pairs = ["en-de"]'],
        "bad.toml": ['references = "bad/{pair}.ref"', 'systems = "bad/{pair}.{system}"'],
        "none.toml": ['references = "no/{pair}.ref"', 'systems = "no/{pair}.{system}"'],
        "keys.toml": ['reference = "{pair}.ref"'],
        "broken.toml": ["references = "],
        "broken.json": ['{"name": "BLEU"'],
        "other.json": ['{"name": "no scores"}'],
    }
    found = {name: written(map(str, texts)) for name, texts in files.items()}
    text = found["sys.txt"]
    found |= {
        "sys.txt.gz": gzip.compress(text, mtime=0),
        "sys.txt.bz2": bz2.compress(text),
        "sys.txt.xz": lzma.compress(text),
        "sys.packed": gzip.compress(text, mtime=0),
        "cut.gz": gzip.compress(text, mtime=0)[:-20],
        "latin.txt": "\n".join(["café"] * SEGMENTS).encode("latin-1"),
        "wide.txt": text.decode().encode("utf-16"),
        "mark.txt": b"\xef\xbb\xbf" + text,
        "returns.txt": text.replace(b"\n", b"\r\n"),
        "open.txt": text[:-1],
        "zero.txt": text.replace(b" ", b"\0", 1),
        "empty.txt": b"",
        "empty.gz": gzip.compress(b"", mtime=0),
        "folder/": b"",
        "shards/": b"",
        "odd.parquet": b"PAR1 is not enough",
        "odd.arrow": b"ARROW1 is not enough",
    }
    try:
        import zstandard

        found["sys.txt.zst"] = zstandard.compress(text)
    except ImportError:
        pass
    texts = first, second, outputs
    return found | json_lines(*texts) | tables(*texts) | test_sets(first, second, system)


def json_lines(first: list[str], second: list[str], outputs: list[list[str]]) -> dict[str, bytes]:
    """Return files in JSON Lines."""
    system, other, third = outputs
    rows = list(zip(first, second, system, other, third, strict=True))
    items = [
        {"hypothesis": one, "references": [ref, ref2] if ref2 else [ref], "id": number}
        for number, (ref, ref2, one, *_) in enumerate(rows)
    ]
    samples = [
        {"target": ref, "resps": [[one, two, three]], "prompt": f"p{number % 4}", "n.m": two}
        for number, (ref, _, one, two, three) in enumerate(rows)
    ]
    return {
        "ids.ref.jsonl": objects(
            {"id": f"{n}", "reference": row[0], "doc": f"d{n // 10}"} for n, row in enumerate(rows)
        ),
        "ids.jsonl": objects({"id": f"{n}", "hypothesis": row[2]} for n, row in reversed([*enumerate(rows)]) if n != 4),
        "ids2.jsonl": objects({"id": f"{n}", "hypothesis": row[3], "domain": n % 2} for n, row in enumerate(rows)),
        "sys.jsonl": objects({"hypothesis": one, "mt": two} for _, _, one, two, _ in rows),
        "items.jsonl": objects(items),
        "items2.jsonl": objects({**item, "hypothesis": row[3]} for item, row in zip(items, rows, strict=True)),
        "items.ndjson": objects(items),
        "gone.jsonl": objects({**item, "references": []} if item["id"] == 4 else item for item in items),
        "samples.jsonl": objects(samples),
        "refs.jsonl": objects({"references": [ref, ref2]} for ref, ref2, *_ in rows),
        "short.jsonl": objects(items[:-1]),
        "missing.jsonl": objects([*items[:3], {"text": "no hypothesis"}, *items[4:]]),
        "doubtful.jsonl": objects({"mt": one, "output": two, "ref": ref} for ref, _, one, two, _ in rows),
        "number.jsonl": objects([{"hypothesis": 5, "references": ["five"]}]),
        "broken.jsonl": objects(items[:2]) + b'{"hypothesis": \n',
        "list.jsonl": objects([["a", "b"]]),
        "empty.jsonl": b"",
        "plainly.txt": objects(items),
    }


def tables(first: list[str], second: list[str], outputs: list[list[str]]) -> dict[str, bytes]:
    """Return tables."""
    import pyarrow as pa
    from pyarrow import ipc, parquet

    columns: dict[str, list[object]] = {
        "hyp": [*outputs[0]],
        "mt": [*outputs[1]],
        "third": [*outputs[2]],
        "ref": [*first],
        "number": [1] * SEGMENTS,
        "refs": [[one, other] if other else [one] for one, other in zip(first, second, strict=True)],
        "domain": ["news" if number % 3 else "social" for number in range(SEGMENTS)],
        "doc": [f"d{number // 10}" for number in range(SEGMENTS)],
        "system": ["one" if number % 2 else "two" for number in range(SEGMENTS)],
        "gap": [None if number == 4 else text for number, text in enumerate(outputs[0])],
    }
    table = pa.table(columns)

    def as_parquet(table: object) -> bytes:
        file = io.BytesIO()
        parquet.write_table(table, file)
        return file.getvalue()

    def as_ipc(kind: object) -> bytes:
        file = io.BytesIO()
        with kind(file, table.schema) as target:
            target.write_table(table)
        return file.getvalue()

    return {
        "texts.parquet": as_parquet(table),
        "texts.arrow": as_ipc(ipc.new_file),
        "texts.ipc": as_ipc(ipc.new_stream),
        "parts/a.parquet": as_parquet(table.slice(0, 12)),
        "parts/b.parquet": as_parquet(table.slice(12)),
        "none.parquet": as_parquet(table.slice(0, 0)),
    }


def test_sets(first: list[str], second: list[str], system: list[str]) -> dict[str, bytes]:
    """Return registries, and the files of the test sets that they define."""
    documents = []
    for number, (one, other, text) in enumerate(zip(first, second, system, strict=True)):
        origin, domain = "en" if number % 2 else "de", "news" if number % 3 else "social"
        parts = [("src", 'lang="en"', f"Source {number}.")]
        parts += [("ref", 'lang="de" translator="A"', one), ("ref", 'lang="de" translator="B"', other)]
        parts += [("hyp", 'lang="de" system="S"', text)]
        body = "".join(f'<{tag} {words}><seg id="1">{escape(text)}</seg></{tag}>' for tag, words, text in parts)
        documents.append(f'<doc id="d{number}" origlang="{origin}" domain="{domain}">{body}</doc>')
    plain = {"in/a.en": written(system), "in/a.de": written(first)}
    files = {
        "own.xml": written(["<dataset><collection>", *documents, "</collection></dataset>"]),
        "own.tgz": as_tar(plain),
        "own.zip": as_zip(plain),
        "own.tsv": written(map("\t".join, zip(system, first, strict=True))),
        "wrong.toml": written(['[testsets."own/set"]', "format = 3"]),
    }
    for language, texts in (("en", system), ("de", first)):
        segments = [f'<seg id="{number}">{escape(text)}</seg>' for number, text in enumerate(texts, 1)]
        files[f"own.{language}.sgm"] = written(['<refset><doc docid="d" origlang="en">', *segments, "</doc></refset>"])
    checksum = hashlib.sha256(files["own.tgz"]).hexdigest()
    for name, translators in (("own.toml", '["A"]'), ("usual.toml", '["A", "B"]')):
        text = "\n".join(SECTIONS["= own test sets"])
        files[name] = f"{text.replace('TRANSLATORS', translators).replace('CHECKSUM', checksum)}\n".encode()
    return files


def as_tar(files: dict[str, bytes]) -> bytes:
    """Return an archive of files."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(content.getvalue(), mtime=0)


def as_zip(files: dict[str, bytes]) -> bytes:
    """Return an archive of files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return content.getvalue()


# --- lines


class Option(NamedTuple):
    """An option with its values, and what it needs: names in `NEEDS`."""

    words: str
    needs: Sequence[str]


def read_option(row: str) -> Option:
    """Return the option in a row.

    >>> read_option("-m chrf | several"), read_option("| several").needs
    (Option(words='-m chrf', needs=['several']), ['several'])
    """
    words, _, needs = f" {row} ".partition(" | ")
    return Option(words.strip(), needs.split())


def flag_of(option: Option) -> str:
    return option.words.partition(" ")[0]


def together(options: Sequence[Option]) -> str:
    """Return a line with some options, and everything that these need."""
    needs = [need for option in options for need in option.needs]
    context: dict[str, str] = {}  # by flag
    flags = {flag_of(option) for option in options}
    for need in needs:  # the list grows during the loop
        option = read_option(NEEDS[need])
        needs += [more for more in option.needs if more not in needs]
        flag, _, values = option.words.partition(" ")
        if flag and flag not in flags:
            context[flag] = f"{context[flag]} {values}" if flag == "-m" and flag in context else option.words
    if "history" in needs and "-o" in flags:
        context["-f"] = "-f jsonl"
    words = ["bleu"]
    has_own = not {"stats", "table", "matrix"}.isdisjoint(needs)
    if not has_own and {"tested", "numbers", "bare"}.isdisjoint(needs):
        words.append("refs.tsv" if "column" in needs else "ids.ref.jsonl" if "items" in needs else "ref.txt ref2.txt")
    several = "several" in needs
    if not has_own and "stdin" not in needs:
        systems = ["marks.txt", "marks2.txt"] if "numbers" in needs else ["sys.txt", "sys2.txt"]
        systems = ["ids.jsonl", "ids2.jsonl"] if "items" in needs else systems
        systems[0] = "sys.jsonl" if "jsonl" in needs else systems[0]
        words.append(f"-i {' '.join(systems[: 1 + several])}")
    if several:
        context.pop("--line", None)  # two systems are explained as a whole
    words += [*context.values(), *(option.words for option in options)]
    if "-w" not in flags:
        words.append("-w 9")  # otherwise, a score may look the same
    line = " ".join([*words, "< sys.jsonl"] if "stdin" in needs else words)
    return line.replace("one.parquet", "two.parquet") if several else line


def of_options(has_commands: bool) -> Iterator[tuple[str, str]]:
    """Give the lines with each option alone, and with each pair of options; has_commands: as for `lines`."""
    rows = [*SECTIONS["= options"], *(SECTIONS["= options since 0.3"] if has_commands else ())]
    options = list(map(read_option, rows))
    for option in (*options, *map(read_option, SECTIONS["= options of pages"])):
        yield "an option", together([option])
        yield "an option", together([option]).replace(" -w 9", "")
    yield from (("two options", together(pair)) for pair in combinations(options, 2))


def of_answers() -> Iterator[str]:
    """Give every answer in every format, plain and in a layout, so that all take turns; and then in every layout."""
    turns = cycle(SECTIONS["= layouts"])
    for answer in SECTIONS["= answers"]:
        words, *stdin = answer.split(" < ")
        shapes = [f"-f {form}{layout}" for form in SECTIONS["= formats"] for layout in ("", f" {next(turns)}")]
        yield from (" < ".join([f"bleu {words} {shape}", *stdin]) for shape in (*shapes, *SECTIONS["= layouts"]))


def mixtures(dice: random.Random, count: int) -> Iterator[str]:
    """Draw lines with something of everything."""
    for _ in range(count):
        others = dice.sample(("sys2.txt", "sys3.txt", "copy.txt"), dice.choice((0, 1, 2, 2, 2)))
        words = [dice.choice(SECTIONS["= mixed texts"]).replace("SYSTEMS", " ".join(["sys.txt", *others]))]
        parts = ("= mixed metrics", "= mixed options", "= mixed tests", "= mixed layouts")
        words += [dice.choice(("", dice.choice(SECTIONS[name]))) for name in parts]
        words.append(dice.choice(("", f"-f {dice.choice(SECTIONS['= formats'])}")))
        yield f"bleu {' '.join(filter(None, words))}"


def expand(row: str) -> list[str]:
    """Return the lines that a row with alternatives stands for.

    >>> expand("bleu {a, b c} -i {, d}")
    ['bleu a -i ', 'bleu a -i d', 'bleu b c -i ', 'bleu b c -i d']
    """
    parts = re.split(r"\{([^{}]*)\}", row)
    choices = [part.split(", ") if number % 2 else [part] for number, part in enumerate(parts)]
    return list(map("".join, product(*choices)))


def lines(seed: int, has_commands: bool = False) -> dict[str, str]:
    """Return the kind of each line.

    seed: draws the mixtures. has_commands: whether there are lines with options that came with commands.
    """
    kinds = list(of_options(has_commands))
    kinds += [("formats", line) for line in of_answers()]
    for title, rows in SECTIONS.items():
        if title.startswith("== ") and (has_commands or not title.endswith(" since 0.3")):
            kinds += [(title.removeprefix("== "), line) for row in rows for line in expand(row)]
    kinds += [("mixtures", line) for line in mixtures(random.Random(seed), 600)]
    return {line: kind for kind, line in reversed(kinds)}  # a line that occurs twice has its first kind
