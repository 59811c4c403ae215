"""Lines that are missing or too many at several places: `bleu check` finds each, and its remedy puts them right."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise

import pytest
from test_check import LINES, REFERENCE, SYSTEM

from bleucli import check_texts
from bleucli.inspection import alignment
from bleucli.inspection.alignment import find_steps


def damage(seed, net):
    """Return an output with lines missing and doubled at several places, net more or fewer, and the places."""
    choose = random.Random(seed)
    while True:
        places = sorted(choose.sample(range(10, LINES - 10), choose.randint(2, 5)))
        far = all(other - one > 12 for one, other in pairwise(places))
        sizes = [choose.choice((1, 1, 2, -1, -1, -3)) for _ in places]
        if far and sum(sizes) == net:
            break
    lines, missing, added = [], [], []
    at = 0
    for place, size in zip(places, sizes, strict=True):
        lines += SYSTEM[at:place]
        at = place + max(0, size)
        missing += range(place, at)
        if size < 0:
            added += range(len(lines), len(lines) - size)
            lines += [lines[-1]] * -size
    return lines + SYSTEM[at:], missing, added


def numbers_in(phrase):
    """Return the numbers of lines in a phrase such as `lines 3, 5 to 7 and 9`."""
    ranges = re.findall(r"(\d+)(?: to (\d+))?", phrase)
    return [number for first, last in ranges for number in range(int(first), int(last or first) + 1)]


def remedied(lines, remedy):
    """Do what a remedy says; a missing line becomes that of the system without damage."""
    deletion = re.search(r"delete lines? ([\d, toand]+) of sys", remedy)
    lines = [text for n, text in enumerate(lines, 1) if deletion is None or n not in numbers_in(deletion[1])]
    insertion = re.search(r"insert the outputs? of lines? ([\d, toand]+) of ref.* as lines? ([\d, toand]+)", remedy)
    if insertion is not None:
        assert numbers_in(insertion[1]) == numbers_in(insertion[2])
        for number in numbers_in(insertion[1]):
            lines.insert(number - 1, SYSTEM[number - 1])
    return lines


@pytest.mark.parametrize("block", [96, 4096])
@pytest.mark.parametrize("net", [-3, -1, 1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_each_place_is_found(monkeypatch, seed, net, block):
    monkeypatch.setattr(alignment, "_LINES", block)
    lines, missing, added = damage(seed, net)
    found = find_steps(iter(lines), iter(REFERENCE))
    here = [one.line + n for one in found for n in range(-one.size)]
    there = [one.reference + n for one in found for n in range(one.size)]
    for expected, places in ((missing, there), (added, here)):
        assert len(places) == len(expected)
        near = 2 if block > LINES else 3  # the line before a block shows no more that another one is there twice
        assert all(abs(one - other) <= near for one, other in zip(places, expected, strict=True)), (places, expected)
    if block > LINES:
        assert here == added  # a line that is there twice shows where


def test_lines_at_the_end_are_found_too():
    for lines, expected in (
        (SYSTEM[:50] + SYSTEM[51:-3], [(50, 50, 1), (LINES - 4, LINES - 3, 3)]),
        ([*SYSTEM[:50], *SYSTEM[51:], "x", "y", "z"], [(50, 50, 1), (LINES - 1, LINES, -3)]),
    ):
        found = [tuple(one) for one in find_steps(iter(lines), iter(REFERENCE))]
        assert len(found) == 2
        assert abs(found[0][0] - expected[0][0]) <= 2
        assert found[1] == expected[1]


def test_texts_that_do_not_fit_have_no_places():
    other = random.Random(4).sample(SYSTEM, LINES - 3)
    assert find_steps(iter(other), iter(REFERENCE)) == []
    assert find_steps(iter(SYSTEM[:40]), iter(REFERENCE)) == []
    assert find_steps(iter([]), iter(REFERENCE)) == []
    assert find_steps(iter(SYSTEM[200:]), iter(REFERENCE)) == []
    assert find_steps(iter(SYSTEM), iter(REFERENCE)) == []


@pytest.mark.parametrize("net", [-2, 1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_the_remedy_of_the_command_puts_lines_right(run, write, seed, net):
    lines, missing, added = damage(seed + 50, net)
    write("ref.txt", "".join(f"{text}\n" for text in REFERENCE))
    write("sys.txt", "".join(f"{text}\n" for text in lines))
    answer = run("check", "ref.txt", "-i", "sys.txt", "-f", "json")
    assert answer.status == 1
    (finding,) = json.loads(answer.out)["findings"]
    cause = finding["message"].partition("; likely cause: ")[2]
    absent = re.search(r"lines? ([\d, toand]+) of ref.txt seems? to have no counterpart in sys.txt", cause)
    assert (absent is not None) == bool(missing)
    if absent is not None:
        assert all(abs(one - 1 - other) <= 2 for one, other in zip(numbers_in(absent[1]), missing, strict=True))
    if added:
        more = re.search(r"lines? ([\d, toand]+) of sys.txt (?:none|seems? to have no counterpart) in ref.txt", cause)
        assert numbers_in(more[1]) == [place + 1 for place in added]
    assert finding["remedy"].startswith("it was not checked any further; ")
    assert finding["remedy"].endswith(", and check it again")
    right = remedied(lines, finding["remedy"])
    assert len(right) == LINES
    moved = [n for n, (one, other) in enumerate(zip(right, SYSTEM, strict=True)) if one != other]
    assert all(min(abs(n - place) for place in missing) <= 2 for n in moved)
    plain = run("ref.txt", "-i", "sys.txt")
    assert (plain.status, "delete" in plain.err) == (2, False)


@pytest.mark.parametrize("seed", range(6))
def test_the_remedy_in_files_of_the_same_length_puts_lines_right(seed):
    lines, missing, added = damage(seed + 100, 0)
    for sample in (lines, SYSTEM[:30] + SYSTEM[31:] + [""], [SYSTEM[0], *SYSTEM[:-1]]):
        found = check_texts({"sys": sample}, [REFERENCE]).findings
        (finding,) = [one for one in found if one.kind == "step"]
        right = remedied(sample, finding.remedy.command)
        wrong = [n for n, (one, other) in enumerate(zip(right, SYSTEM, strict=True)) if one != other]
        assert len(wrong) <= 2 * (len(missing) + len(added))
        assert check_texts({"sys": right}, [REFERENCE]).findings == [] or len(wrong) > 0
        assert "(counting from 0)" in finding.remedy


def test_only_the_first_of_many_places_are_named():
    _, remedy = alignment.tell_steps([alignment.Step(n, n, -1) for n in range(0, 100, 9)], "sys", "ref")
    assert remedy.command == "delete lines 1, 10, 19, 28, 37, 46, 55, 64 and those at 4 more places of sys"
