"""The records of options: what they need, and what they cannot be combined with."""

from __future__ import annotations

import pytest
from conftest import refused

from bleucli.cli import request
from bleucli.cli.arguments import parse
from bleucli.cli.options import OPTIONS
from bleucli.errors import UsageError
from bleucli.metrics import METRICS

PAIRS = [
    (name, other, reason)
    for name, option in OPTIONS.items()
    for reason, others in (option.apart or {}).items()
    for other in others.split()
]


def test_every_name_in_the_records_is_an_option():
    options = parse(["ref.txt"])
    names = {name for pair in PAIRS for name in pair[:2]}
    for option in OPTIONS.values():
        names |= {*(option.beside or "").split()}
    names -= {"matrix"}  # of `bleu matrix`
    names -= {option.dest for metric in METRICS.values() for option in metric.options}
    assert [name for name in names if not hasattr(options, name)] == []


def test_each_pair_of_options_is_in_the_table_once():
    pairs = [frozenset(pair[:2]) for pair in PAIRS]
    assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize(("name", "other", "reason"), PAIRS, ids=lambda word: word.partition(" ")[0])
def test_each_pair_is_refused_with_its_reason(name, other, reason):
    options = parse(["-"]).replace(**{"refs": [], name: True, other: True})
    with pytest.raises(UsageError) as error:
        request.refuse_conflicts(options)
    line = str(error.value)
    assert line.startswith(("--", "references cannot"))
    assert reason in line
    assert "; " in line


def test_refusals_have_the_same_words_wherever_texts_come_from(run, write):
    write("ref.txt", "a\n")
    for source in ("--table", "--stats"):
        told = f"references cannot be combined with {source}: "
        refused(run("ref.txt", source, "x"), told, "; leave out one of the two")
