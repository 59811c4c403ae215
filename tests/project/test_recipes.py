"""docs/scale.md: each program there gives the scores of the command, and reports lost segments."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "scale.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
RECIPES = {block.partition("\n")[0].removeprefix("# "): block for block in BLOCKS if block.startswith("# ")}
NEEDED = {"pyarrow": "pyarrow", "duckdb": "duckdb", "polars": "polars"}
WORDS = tuple("the cat sat on a mat and dogs ran off to see what had been said by Anna in town".split())  # noqa: SIM905


@pytest.fixture
def parts(folder):
    """Write uneven tables, of which one is empty, and return their folder."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rng = random.Random(3)
    texts = {name: [" ".join(rng.choices(WORDS, k=rng.randrange(4, 12))) for _ in range(60)] for name in ("hyp", "ref")}
    table = pa.table(texts | {"system": ["A", "B", "A"] * 20, "testset": [f"wmt{17 + n // 20}" for n in range(60)]})
    (folder / "parts").mkdir()
    for name, start, stop in (("a", 0, 7), ("b", 7, 7), ("c", 7, 45), ("d", 45, 60)):
        pq.write_table(table.slice(start, stop - start), f"parts/{name}.parquet")
    return "parts"


def test_the_page_has_a_program_for_each_library():
    assert RECIPES.keys() == NEEDED.keys()


@pytest.mark.parametrize("keys", [[], ["system", "testset"]], ids=["plain", "groups"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_program_gives_the_commands_scores(run, parts, recipe, keys):
    pytest.importorskip(NEEDED[recipe], reason=f"{recipe} is not installed")
    known = {"parts": parts, "keys": keys}
    exec(RECIPES[recipe], known)  # exactly as on the page
    found = {
        (*group.keys.values(), name): (group.segments, group.scores[name].score, str(group.signatures[name]))
        for group in known["groups"]
        for name in group.scores
    }
    by = ["--by", *keys] if keys else []
    lines = map(json.loads, run("--table", parts, *by, "-m", "bleu", "chrf", "-f", "jsonl", "-q").out.splitlines())
    expected = {}
    for line in lines:
        group = [part.partition("=")[2] for part in line["system"].split() if "=" in part]
        name = {"BLEU": "bleu", "chrF2": "chrf"}[line["metric"]]
        signed = {key: value for key, value in line["signature"].items() if key not in ("test", "system")}
        signature = "|".join(f"{key}:{value}" for key, value in signed.items())
        expected[*group, name] = (line["segments"], line["score"], signature)
    assert found == expected


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_program_refuses_another_number_of_segments(parts, recipe):
    pytest.importorskip(NEEDED[recipe], reason=f"{recipe} is not installed")
    changed, count = re.subn(r"expected=?(.*)\)$", r"expected=7)", RECIPES[recipe].rstrip())
    assert count == 1
    with pytest.raises(ValueError, match="but 7 were expected"):
        exec(changed, {"parts": parts, "keys": []})
