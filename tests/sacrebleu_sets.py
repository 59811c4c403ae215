"""A program that asks for test sets, their parts and their files as real ones do. It prints one line of JSON per call.

`tests/testsets/test_sacrebleu_sets.py` runs it with sacreBLEU, and with the package of that name in bleucli.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import sys

import sacrebleu
from sacrebleu import dataset, utils
from sacrebleu.dataset.base import Dataset

PAIRS = json.loads(os.environ.get("PAIRS", "{}"))
PARTS = (
    ("en", None),
    ("non-en", None),
    ("de", "US"),
    (None, "sport"),
    (None, "country:US"),
    ("en", "news"),
    ("xx", None),
)
lines = []


def kind_of(error):
    """Return the class that callers look for: sacreBLEU's own class of error has no name."""
    return next(
        kind.__name__ for kind in (ValueError, KeyError, OSError, TypeError, Exception) if isinstance(error, kind)
    )


def note(label, call, *given):
    try:
        value = call(*given)
    except Exception as error:  # as callers do
        value = {"error": kind_of(error)}
    lines.append([label, value])


def lines_of(path):
    with utils.smart_open(path) as file:
        return file.read().splitlines()


def part_of(name, pair, origlang, subset):
    """Return the numbers of a part's segments, and its references."""
    texts = [lines_of(path) for path in utils.get_reference_files(name, pair)]
    texts.insert(0, [f"{n}" for n in range(len(texts[0]))])
    return [list(text) for text in utils.filter_subset(texts, name, pair, origlang, subset)]


def parts():
    """Ask for the parts of test sets."""
    note("subsets", lambda: {name: len(tags) for name, tags in utils.SUBSETS.items()})
    for name, pair in PAIRS.items():
        utils.download_test_set(name, pair)  # sacreBLEU reads the languages from the downloads
        note(f"{name}: languages", utils.get_available_origlangs, name, pair)
        note(f"{name}: subsets", utils.get_available_subsets, name, pair)
        for origlang, subset in PARTS:
            note(f"{name}: {origlang} {subset}", part_of, name, pair, origlang, subset)
    note("several", utils.get_available_origlangs, "wmt17,wmt18", "en-de")
    note("several subsets", utils.get_available_subsets, "wmt18,wmt17", "en-de")
    note("without part", utils.filter_subset, [["a"], ["b"]], "wmt17", "en-de", None)


def files():
    """Ask for files, and for what is not there."""
    unknown = [("nosuch", "en-de"), ("wmt17", "xx-yy")]
    for name, pair in unknown:
        for function in ("get_source_file", "get_reference_files", "get_files", "download_test_set"):
            note(f"{function} {name} {pair}", getattr(utils, function), name, pair)
        note(f"origlangs {name} {pair}", utils.get_available_origlangs, name, pair)
    note("langpairs", lambda: [module.get_langpairs_for_testset("nosuch") for module in (utils, sacrebleu)])
    note("sets", lambda: utils.get_available_testsets_for_langpair("xx-yy"))
    for method in ("get_source_file", "get_reference_files", "get_files", "fieldnames", "process_to_text"):
        note(f"Dataset.{method}", getattr(sacrebleu.DATASETS["wmt17"], method), "xx-yy")
    note("Dataset.source", lambda: list(sacrebleu.DATASETS["wmt17"].source("xx-yy")))
    note("Dataset.references", lambda: list(sacrebleu.DATASETS["wmt17"].references("xx-yy")))
    note("no set", lambda: sacrebleu.DATASETS["nosuch"])
    note("not there", lambda: utils.smart_open("/no/such/file"))
    same = {dataset.base.SACREBLEU_DIR, sacrebleu.SACREBLEU_DIR, utils.SACREBLEU_DIR}
    note("folder", lambda: [len(same), *same])
    note("under the folder", lambda: utils.get_source_file("wmt17", "en-de").startswith(utils.SACREBLEU_DIR))
    note("exported", lambda: [utils.SUBSETS is dataset.SUBSETS, isinstance(sacrebleu.DATASETS["wmt17"], Dataset)])


def downloads(address):
    """Download and unpack files."""
    folder = os.path.join(os.getcwd(), os.environ["PLACE"])
    os.makedirs(folder)

    def tree(path):
        """Return what is in a folder, without the locks that sacreBLEU leaves."""
        files = [os.path.relpath(os.path.join(a, name), path) for a, _, names in os.walk(path) for name in names]
        return sorted(name for name in files if not name.endswith(".lock"))

    def content(path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def fetch(name, last, **options):
        target = os.path.join(folder, name, last)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        return [utils.download_file(f"{address}/{last}", target, **options), tree(os.path.join(folder, name))]

    def unpack(last):
        out = os.path.join(folder, f"out-{last}")
        os.makedirs(out)
        answer = [*fetch(f"c-{last}", last, extract_to=out), tree(out)]
        for name in tree(out):
            with open(os.path.join(out, name), "w", encoding="utf-8") as file:
                file.write("something else")
        utils.extract_tarball(os.path.join(folder, f"c-{last}", last), out)
        return [*answer, [content(os.path.join(out, name)) for name in tree(out)]]

    checksum = hashlib.md5(b"plain text\n").hexdigest()
    note("plain", fetch, "a", "plain.txt")
    note("checksum", lambda: fetch("b", "plain.txt", expected_md5=checksum))
    note("again", lambda: fetch("b", "plain.txt", expected_md5=checksum))
    for last in ("some.tar.gz", "some.tgz", "some.zip", "plain.txt.gz"):
        note(f"unpacked {last}", unpack, last)
    note("missing", fetch, "d", "missing.txt")
    note("left", tree, os.path.join(folder, "d"))


if __name__ == "__main__":
    sys.tracebacklimit = 0  # no traceback may show sacreBLEU's source
    part, *given = sys.argv[1:]
    with contextlib.redirect_stderr(io.StringIO()):
        globals()[part](*given)
    for line in lines:
        print(json.dumps(line, ensure_ascii=False, sort_keys=True))
