"""The package named sacrebleu gives programs sacreBLEU's test sets: parts, files, and the same kinds of errors."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys

import oracles
import pytest
from set_world import PAIRS, order_of, tar, zipped
from test_as_sacrebleu import HERE, run
from web_server import Page

from bleucli.alias import folder

PROGRAM = os.path.join(HERE, "sacrebleu_sets.py")
# Give the test sets the addresses of the test's server, then run the program
START = """
import json, os, runpy, sys
sys.tracebacklimit = 0  # no traceback may show sacreBLEU's source
served = json.loads(os.environ["SERVED"])
{}
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
THEIRS = """
from sacrebleu.dataset import DATASETS
for name, sources in served.items():
    DATASETS[name].data[:] = [source["url"] for source in sources]
    DATASETS[name].md5[:] = [source["md5"] for source in sources]
"""
OURS = """
from bleucli.testsets import fetch, registry
fetch.PAUSES = (0.01,)
read = registry._package_data
def with_sources(name):
    data = read(name)
    for test_set in served if name == "registry.json" else ():
        data["testsets"][test_set]["sources"] = served[test_set]
    return data
registry._package_data = with_sources
"""
# wmt16 here has broken headers, which sacreBLEU returns as languages. Our wmt08 has no languages. In our wmt21, no
# segment has a domain, so that it is an error to ask for one.
OTHERWISE = {"wmt16: languages"} | {
    *(f"wmt08: {part}" for part in ("languages", "en None", "non-en None", "xx None")),
    *(f"wmt21: {part}" for part in ("de US", "None sport", "None country:US", "en news")),
}
# sacreBLEU raises a KeyError for unknown names in one function only, and the network's error as it comes
OTHER_ERRORS = {"origlangs nosuch en-de", "origlangs wmt17 xx-yy", "missing"}


def answers(served, place, part, *words, real):
    sources = served[1]
    path = [oracles.CHECKOUT] if real else [folder(), oracles.CHECKOUT]
    variables = {
        "PYTHONPATH": os.pathsep.join(path),
        "SERVED": json.dumps(order_of(sources) if real else sources),
        "SACREBLEU": str(place / "cache"),
        "PAIRS": json.dumps(PAIRS),
        "PLACE": "files",
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", START.format(THEIRS if real else OURS), PROGRAM, part, *words],
        env={name: value for name, value in os.environ.items() if name != "BLEU_HOME"} | variables,
        cwd=place,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line.replace(str(place), "PLACE")) for line in done.stdout.splitlines()]
    assert lines
    return dict(lines)


def both(served, tmp_path, *words):
    places = [tmp_path / name for name in ("ours", "theirs")]
    for place in places:
        place.mkdir()
    ours, theirs = (answers(served, place, *words, real=place.name == "theirs") for place in places)
    assert ours.keys() == theirs.keys()
    return ours, theirs


def differing(ours, theirs):
    return {label for label in theirs if ours[label] != theirs[label]}


@pytest.mark.slow
def test_parts_of_test_sets_are_sacrebleus(served, tmp_path):
    ours, theirs = both(served, tmp_path, "parts")
    for parts in (ours, theirs):
        for label, lists in parts.items():
            # sacreBLEU gives the two references of this test set in an order that changes from run to run
            if label.startswith("wmt21/AB: ") and isinstance(lists, list):
                lists[1:] = sorted(lists[1:])
    assert differing(ours, theirs) == OTHERWISE


@pytest.mark.slow
def test_files_are_found_in_one_folder_and_what_is_missing_raises_no_value_error(served, tmp_path):
    ours, theirs = both(served, tmp_path, "files")
    assert differing(ours, theirs) == OTHER_ERRORS & ours.keys()
    errors = [answer for answer in ours.values() if isinstance(answer, dict)]
    assert len(errors) >= 15
    assert {"error": "ValueError"} not in errors
    assert ours["folder"] == [1, "PLACE/cache"]


def test_files_are_downloaded_and_unpacked(served, tmp_path):
    web = served[0]
    members = {"x/a.txt": "one\n", "b.txt": "two\n"}
    for name, content in (
        ("plain.txt", b"plain text\n"),
        *((name, tar(members)) for name in ("some.tar.gz", "some.tgz")),
        ("some.zip", zipped(members)),
        ("plain.txt.gz", gzip.compress(b"packed\n")),
    ):
        address = web.put(f"/files/{name}", Page(content))
    ours, theirs = both(served, tmp_path, "downloads", os.path.dirname(address))
    assert differing(ours, theirs) == {"missing"}
    assert ours["missing"] == {"error": "Exception"}


def test_an_archive_cannot_write_outside_its_folder(tmp_path):
    (tmp_path / "bad.tgz").write_bytes(tar({"../outside.txt": "x"}))
    program = f"""
from sacrebleu.utils import extract_tarball
try:
    extract_tarball({str(tmp_path / "bad.tgz")!r}, {str(tmp_path / "inner")!r})
except Exception as error:
    print(error)
"""
    done = run("-c", program)
    assert "is not a safe path" in done.stdout, done.stderr
    assert not (tmp_path / "outside.txt").exists()


# What a program such as COMET does with the words that it was given
CALLER = """
import sys
from sacrebleu.utils import get_source_file
for words in ("nosuch:en-de", "wmt17:xx-yy", "nosuch"):
    try:
        test_set, pair = words.split(":")
        get_source_file(test_set, pair)
    except ValueError as error:
        print("format", words)
    except Exception as error:
        print("error", error)
"""


def test_an_unknown_test_set_is_not_mistaken_for_a_malformed_argument():
    lines = run("-c", CALLER).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["error", "error", "format"]
    assert [line.split()[0] for line in run("-c", CALLER, real=True).stdout.splitlines()] == [
        "error",
        "error",
        "format",
    ]
    assert lines[0].startswith("error there is no test set 'nosuch'; see get_available_testsets()")


@pytest.mark.slow
@pytest.mark.parametrize("variables", [{}, {"SACREBLEU": "{}/elsewhere"}, {"SACREBLEU_DIR": "{}/not-read"}])
def test_the_folder_is_sacrebleus(variables, tmp_path):
    (tmp_path / ".sacrebleu").mkdir()
    program = """
import sacrebleu.dataset.base, sacrebleu.tokenizers.tokenizer_spm
from sacrebleu import SACREBLEU_DIR, utils
print(SACREBLEU_DIR, utils.SACREBLEU_DIR, sacrebleu.dataset.base.SACREBLEU_DIR)
print(sacrebleu.tokenizers.tokenizer_spm.SACREBLEU_DIR)
"""
    given = {name: value.format(tmp_path) for name, value in variables.items()} | {
        "HOME": str(tmp_path),
        "BLEU_HOME": "",
    }
    assert run("-c", program, **given).stdout == run("-c", program, real=True, **given).stdout
