"""What the command imports: little, so that it answers at once.

The interpreter itself reports the imports (`-X importtime`). It is started as for the installed command, but without
site packages (`-S`), and with a separate folder for compiled files.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from conftest import HEAVY

from bleucli import kernels

# Modules that are files, `__future__` among them, beyond those that the interpreter itself imports. The Python kernels
# have one module for each family of metrics, the native ones only one
BUDGET = {"native": 83, "python": 90}[kernels.live]
MAIN = "import sys; from bleucli.__main__ import main; sys.exit(main())"
UNUSED = HEAVY | {
    *("asyncio", "concurrent.futures", "inspect", "logging", "multiprocessing", "socket", "subprocess"),
    "bleucli.reading.decompression",
}
PLAIN = {
    "score only": (("ref.txt", "-i", "sys.txt", "-b"), "45.9\n"),
    "only the score from stdin": (("ref.txt", "-b"), "45.9\n"),
    "text": (("ref.txt", "-i", "sys.txt", "-f", "text"), "BLEU|"),
    "text from stdin": (("ref.txt", "-f", "text"), "BLEU|"),
    "json": (("ref.txt", "-i", "sys.txt"), "{\n"),
    "json from stdin": (("ref.txt", "-f", "json"), "{\n"),
    "sentence level": (("ref.txt", "-i", "sys.txt", "-sl"), "BLEU|"),
    "several systems in json": (("ref.txt", "-i", "sys.txt", "ref.txt", "-f", "json"), "[\n"),
    "file": (("ref.txt", "-i", "sys.txt", "-o", "out.txt"), ""),
}
OTHER = {"version": (("-V",), "bleu "), "help": (("-h",), "usage: ")}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture
def imports(pair, root, compiled):
    """Return the modules that Python imports for some code, each with its own time in microseconds, and the output."""

    def imports(code, *words):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SACRE"))}
        environment = kept | {"PYTHONPATH": root, "PYTHONPYCACHEPREFIX": str(compiled)}
        done = subprocess.run(
            (sys.executable, "-S", "-X", "importtime", "-c", code, *words),
            input=b"the cat sat on a mat\nhello there world\n",
            env=environment,
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr.decode()
        rows = re.findall(r"^import time: +(\d+) \| +\d+ \| +(\S+)$", done.stderr.decode(), re.MULTILINE)
        return {name: int(time) for time, name in rows}, done.stdout.decode()

    return imports


@pytest.mark.parametrize(("words", "start"), [*PLAIN.values(), *OTHER.values()], ids=[*PLAIN, *OTHER])
def test_plain_scoring_imports_nothing_heavy(imports, words, start):
    modules, out = imports(MAIN, *words)
    assert out.startswith(start)
    assert "bleucli.cli.main" in modules
    if words != ("-h",):  # the page is argparse's
        assert {"argparse", "contextlib", "importlib", "json"}.isdisjoint(modules)
        assert ("re" in modules) == (kernels.live == "python")
    assert UNUSED.isdisjoint(modules)


def test_plain_scoring_does_not_search_for_garbage(imports):
    counting = (
        "import gc; from bleucli.__main__ import main; searches = []; gc.collect()\n"
        "gc.callbacks.append(lambda phase, _: searches.append(phase)); main(); print(searches)"
    )
    assert imports(counting, "ref.txt", "-i", "sys.txt", "-b")[1] == "45.9\n[]\n"


ENDING = """
import sys
from bleucli.__main__ import command

sys.exit = lambda status: print("ends as usual")
{}
command()
"""


@pytest.mark.parametrize(
    ("code", "out"),
    [
        ("", "45.9\n"),
        ("import atexit; atexit.register(print, 'registered')", "45.9\nends as usual\nregistered\n"),
        ("import threading; threading.Timer(0.5, print, ['waited']).start()", "45.9\nends as usual\nwaited\n"),
        ("sys.setprofile(lambda *_: None)", "45.9\nends as usual\n"),
        ("sys.stdout.write('before ')", "45.9\nbefore "),
    ],
    ids=["nothing", "a registered function", "a thread", "a profiler", "text to write"],
)
def test_the_command_ends_at_once_where_nothing_is_left_to_do(imports, code, out):
    assert imports(ENDING.format(code), "ref.txt", "-i", "sys.txt", "-b")[1] == out


def test_the_command_ends_at_once_where_its_threads_have_ended(imports):
    assert imports(ENDING.format(""), "ref.txt", "-i", "sys.txt", "-b", "-J", "2")[1] == "45.9\n"


def test_threads_are_imported_where_they_are_asked_for(imports):
    modules, _ = imports(MAIN, "ref.txt", "-i", "sys.txt", "-J", "2")
    assert "threading" in modules
    assert "logging" not in modules  # it would take as long as counting thousands of lines


@pytest.mark.skipif(kernels.live == "python", reason="the python kernels are made of regular expressions")
def test_scoring_from_python_compiles_no_regular_expressions(imports):
    modules, out = imports("import bleucli; print(bleucli.sentence_bleu('the cat sat', ['the cat sat']).score)")
    assert out == "100.0\n"
    assert UNUSED.isdisjoint(modules)
    assert {"re", "enum", "argparse"}.isdisjoint(modules)


def test_importing_the_package_imports_next_to_nothing(imports):
    bare, _ = imports("pass")
    assert imports("import bleucli")[0].keys() - bare.keys() == {"__future__", "bleucli", "bleucli._version"}


@pytest.mark.parametrize("words", [("-b",), ("-f", "text"), ("-f", "json")])
def test_plain_scoring_imports_no_more_modules_than_its_budget(imports, words):
    bare, _ = imports("pass")
    ours = imports(MAIN, "ref.txt", "-i", "sys.txt", *words)[0].keys() - bare.keys() - {*sys.builtin_module_names}
    assert len(ours) <= BUDGET, sorted(ours)
    # They would take a tenth of the time; `array` and `collections.abc` import them, too
    assert kernels.live == "python" or {"collections", "functools"}.isdisjoint(ours)


STACK = """
import os, sys
from bleucli import kernels
from bleucli.__main__ import main

def ngram_stats(*arguments):
    frame, names = sys._getframe(1), []
    while frame.f_code.co_name != "<module>":
        names.insert(0, frame.f_code.co_name)
        frame = frame.f_back
    print(*names, flush=True)
    os._exit(0)

kernels.ngram_stats = ngram_stats
main()
"""


def test_the_functions_between_words_and_kernel_are_those_that_the_documentation_lists(imports, root):
    with open(os.path.join(root, "docs", "how-it-works.md"), encoding="utf-8") as page:
        rows = re.findall(r"^\| .*?`(?:\w+\.)?(\w+)` \| .*\|$", page.read().partition("## What flows")[0], re.MULTILINE)
    assert len(rows) == 10
    assert imports(STACK, "ref.txt", "-b")[1].split() == rows
