"""Items joined by ids: after any shuffle, loss or damage, there is the right score or an error."""

from __future__ import annotations

import json
import random

import pytest
from oracles import corpus_bleu
from strategies import enough

from bleucli.counting.corpus import Source
from bleucli.counting.joining import Joining
from bleucli.errors import BleuError, IdsDifferError
from bleucli.text import Segments

CASES = enough(1000)
WORDS = ["the", "cat", "dog", "sat", "on", "a", "mat", "with", "some", "other", "one", "and", "went", "home"]


def damage(draw, items):
    """Return (id, text) pairs after up to three changes, each of which may lose, double, add, move or unname some."""
    items = list(items)
    for _ in range(draw.choice([0, 1, 1, 2, 3])):
        place = draw.randrange(len(items))
        kind = draw.choice(
            ["shuffle", "shuffle", "reverse", "exchange", "lose", "cut", "double", "add", "rename", "unname"]
        )
        if kind == "shuffle":
            draw.shuffle(items)
        elif kind == "reverse":
            items.reverse()
        elif kind == "exchange":
            other = draw.randrange(len(items))
            items[place], items[other] = items[other], items[place]
        elif kind == "lose":
            items = [item for item in items if draw.random() < 0.7] or items
        elif kind == "cut":
            items = items[: place + 1] if draw.random() < 0.5 else items[place:]
        elif kind == "double":
            items.insert(draw.randrange(len(items) + 1), items[place])
        elif kind == "add":
            items.insert(draw.randrange(len(items) + 1), (f"new{draw.randrange(9)}", "the new one"))
        elif kind == "rename":
            items[place] = (f"x{draw.randrange(9)}", items[place][1])
        else:
            items[place] = ("", items[place][1])
    return items


def join(references, hypotheses, partial):
    """Return pairs of a hypothesis and a reference, and how many items were left out; None if there must be an error.

    What agrees line by line, until one file ends, is taken line by line. Otherwise, all lines are joined by ids. A line
    without an id is an error if both files have ids.
    """
    both = (references, hypotheses)
    pairs = list(zip(*both, strict=False))
    done = len(pairs) if all(a[0] == b[0] or "" in (a[0], b[0]) for a, b in pairs) else 0
    common = [(b[1], a[1]) for a, b in pairs[:done]]
    ours, theirs = references[done:], hypotheses[done:]
    has_ids = all(any(key for key, _ in items) for items in both)
    is_whole = not ours and not theirs
    if is_whole and not partial and not (has_ids and not all(key for items in both for key, _ in items)):
        return common, 0
    if not has_ids or not all(key for items in both for key, _ in items):
        return None
    for items in (ours, theirs):
        ids = [key for key, _ in items]
        if len({*ids}) < len(ids) or not all(ids) or {*ids} & {key for key, _ in references[:done]}:
            return None
    by_id = dict(theirs)
    common += [(by_id[key], text) for key, text in ours if key in by_id]
    left = done + len(ours) - len(common)
    is_complete = not left and len(by_id) == len(ours)
    return (common, left) if common and (partial or is_complete) else None


def drawn_items(draw):
    """Return (id, text) pairs of references."""
    size = draw.choice([1, 2, 3, 5, 8, 13])
    return [(f"id{number}", " ".join(draw.choices(WORDS, k=draw.randrange(4, 9)))) for number in range(size)]


def drawn_case(draw):
    """Return (id, text) pairs of references and of hypotheses for them."""
    references = drawn_items(draw)
    outputs = [
        (key, " ".join(draw.choice([*WORDS, word, word, word]) for word in text.split())) for key, text in references
    ]
    damages = draw.choice([(False, True), (False, True), (True, True), (True, False)])
    return [
        damage(draw, items) if is_damaged else items
        for items, is_damaged in zip((references, outputs), damages, strict=True)
    ]


def rows_of(items, field):
    return "".join(json.dumps({field: text, "id": key} if key else {field: text}) + "\n" for key, text in items)


@pytest.mark.parametrize("partial", [False, True], ids=["all", "partial"])
def test_two_damaged_files_give_the_right_score_or_an_error(run, write, partial):
    draw = random.Random(f"joining {partial}")
    scored = 0
    for number in range(CASES):
        references, hypotheses = drawn_case(draw)
        write("ref.jsonl", rows_of(references, "reference"))
        write("sys.jsonl", rows_of(hypotheses, "hypothesis"))
        words = ("ref.jsonl", "-i", "sys.jsonl", "-q", "-w", "9", "-f", "text", *(["--partial"] if partial else []))
        answer = run(*words)
        expected = join(references, hypotheses, partial)
        case = f"case {number}: {references} {hypotheses}: {answer}"
        if expected is None:
            assert answer.status == 2, case
            assert answer.err.startswith("bleu: error: "), case
            assert answer.err.count("\n") == 1, case
            continue
        pairs, left = expected
        assert answer.status == 0, case
        texts = [hypothesis for hypothesis, _ in pairs]
        score = corpus_bleu(texts, [[reference for _, reference in pairs]])
        assert f" = {score.score:.9f} " in answer.out, case
        assert f"hyp_len = {score.sys_len} ref_len = {score.ref_len})" in answer.out, case
        assert (f"|partial:{len(pairs)}of{len(pairs) + left}|" in answer.out) == bool(left), case
        assert ("partial" in answer.out) == bool(left), case
        scored += 1
    assert scored > CASES // 5


def source(draw, label, items):
    """Return (id, text) pairs as a source, in blocks of any size."""
    blocks, rest = [], list(items)
    while rest:
        size = draw.choice([1, 2, 5, 100])
        block, rest = rest[:size], rest[size:]
        blocks.append(
            [Segments.from_strings([text for _, text in block]), Segments.from_strings([key for key, _ in block])]
        )
    lines = [[texts, _lines(ids)] for texts, ids in blocks]
    return Source(label, [label], iter(lines), ids=1)


def _lines(ids):
    """Return ids as lines in one buffer, as readers give them."""
    from bleucli import kernels

    return kernels.split_lines("".join(f"{key}\n" for key in ids).encode())[0]


@pytest.mark.parametrize("partial", [False, True], ids=["all", "partial"])
def test_several_sources_in_blocks_are_joined_in_the_order_of_the_reference(partial):
    draw = random.Random(f"sources {partial}")
    for _ in range(CASES):
        references = drawn_items(draw)
        whole = [damage(draw, references) for _ in range(draw.choice([1, 2, 3]))]
        joining = Joining(partial)
        systems = [source(draw, f"system {number}", items) for number, items in enumerate(whole)]
        try:
            blocks = list(joining.join([*systems, source(draw, "reference", references)], len(systems), False))
        except BleuError:
            # What is unique, and is there everywhere, is joined without an error
            ids = [[key for key, _ in items] for items in whole]
            is_clean = all(all(one) and len({*one}) == len(one) for one in ids)
            common = {key for key, _ in references}.intersection(*ids)
            assert not is_clean or not (common if partial else all({*one} == {*dict(references)} for one in ids))
            continue
        columns = [[text for block in blocks for text in block[number][0]] for number in range(len(systems) + 1)]
        *outputs, order = columns
        assert len({*map(len, columns)}) == 1
        expected = [text for _, text in references]
        if not partial:
            assert order == expected
        remaining = iter(expected)
        assert all(text in remaining for text in order)  # in that order, and none twice
        assert joining.scored == len(order)
        # A line whose id was taken away or renamed is what it was, unless it is in another place
        keys = {text: key for key, text in references}
        for items, output in zip(whole, outputs, strict=True):
            own = [key for key, _ in items]
            for text, reference in zip(output, order, strict=True):
                assert (keys[reference], text) in items or "" in own


# --- what is said


def lines_of(ids, field="hypothesis"):
    return rows_of([(key.strip("\0"), f"the text number {key} and more") for key in ids], field)


@pytest.fixture
def score(run, write):
    """Score systems with these ids against references with other ids."""

    def score(references, *systems, words=()):
        write("ref.jsonl", lines_of(references, "reference"))
        names = [write(f"{'ab'[number]}.jsonl", lines_of(ids)) for number, ids in enumerate(systems)]
        return run("ref.jsonl", "-i", *names, "-f", "csv", *words)

    return score


@pytest.mark.parametrize(
    ("references", "system", "line"),
    [
        ("1234567", "12345", "a.jsonl lacks 2 ids ('6', '7'), which ref.jsonl has; "),
        ("1234567", "7", "a.jsonl lacks 6 ids ('1', '2', '3' and 3 more), which ref.jsonl has; "),
        ("123", "3214", "ref.jsonl lacks the id '4', which a.jsonl has; "),
        ("123", "1234", "ref.jsonl lacks the id '4', which a.jsonl has; "),
        ("123", "3221", "a.jsonl has the id '2' more than once"),
        ("123", "1233", "a.jsonl has the id '3' more than once"),
        (["1", "2", "3"], ["3", "", "1"], "a.jsonl, line 2 has no id"),
    ],
)
def test_what_is_missing_double_or_unknown_is_named(score, references, system, line):
    answer = score(references, system)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"bleu: error: {line}")
    assert answer.err.count("\n") == 1


def test_partial_says_how_many_items_are_scored_and_left_out(score):
    answer = score("123456", "65432", "1345", words=["--partial"])
    assert "bleu: note: 3 of 6 items left out, because a file lacks them\n" in answer.err
    assert [row.split(",")[:2] for row in answer.out.splitlines()[1:]] == [["a", "100.0"], ["b", "100.0"]]
    assert answer.out.count("nrefs:1|partial:3of6|") == 2


def test_partial_counts_the_items_of_references(score):
    answer = score("1234", "543", "x32yzw1", words=["--partial"])
    assert "bleu: note: a.jsonl has the id '5', which no reference has; left out\n" in answer.err
    assert "bleu: note: b.jsonl has 4 ids ('x', 'y', 'z' and 1 more), which no reference has; left out\n" in answer.err
    assert "bleu: note: 3 of 4 items left out" in answer.err
    assert answer.out.count("nrefs:1|partial:1of4|") == 2
    assert "partial" not in score("12", "312", words=["--partial"]).out


@pytest.mark.parametrize(
    ("references", "system", "told"),
    [
        ("1234", "1 34", "a.jsonl, line 2 has no id, but other lines have one; give each line an id"),
        ("12 4", "1234", "ref.jsonl, line 3 has no id, but"),
        ("12345", "1   5", "a.jsonl, lines 2, 3 and 4 have no id, but"),
        ("1234567", " 2    7", "a.jsonl, lines 1, 3, 4 and 2 more have no id, but"),
        ("1 34", "1243", "ref.jsonl, line 2 has no id, but"),
    ],
)
@pytest.mark.parametrize("words", [(), ("--partial",)], ids=["all", "partial"])
def test_a_line_without_an_id_is_not_paired_by_its_position(score, references, system, told, words):
    answer = score(references.replace(" ", "\0"), system.replace(" ", "\0"), words=words)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"bleu: error: {told}")
    assert answer.err.count("\n") == 1


def test_lines_without_any_id_are_paired_by_position(score):
    assert score("1234", "\0\0\0\0").status == 0
    assert score("1234", "1\0\0\0", words=("--jsonl-fields", "id=none")).status == 0


def test_partial_needs_an_item_in_common(score):
    answer = score("123", "456", words=["--partial"])
    assert (answer.status, answer.out) == (2, "")
    assert "no id in common" in answer.err


def test_nothing_is_signed_where_nothing_is_left_out(score):
    plain, partial = score("123", "321"), score("123", "321", words=["--partial"])
    assert plain == partial
    assert "partial" not in plain.out


def test_ids_that_repeat_in_the_same_order_are_labels(score):
    assert score("1122", "1122").out.splitlines()[1].startswith("a,100.0,")


def test_ids_that_repeat_in_another_order_are_refused(score):
    answer = score("1122", "1212")
    assert answer.status == 2
    assert "more than once" in answer.err


def test_ids_of_different_kinds_are_a_warning_and_cannot_be_left_out(run, write):
    write("ref.jsonl", lines_of("123", "reference"))
    write("sys.jsonl", lines_of("321").replace('"id"', '"doc_id"'))
    words = ("ref.jsonl", "-i", "sys.jsonl", "-b")
    ids = "sys.jsonl has ids of documents but ref.jsonl has ids of items, so "
    assert f"bleu: warning: {ids}lines are paired by their position; rename one of the fields" in run(*words).err
    assert f"bleu: error: {ids}they cannot be joined; rename one of the fields" in run(*words, "--partial").err
    assert "ids of" not in run(*words, "--jsonl-fields", "id=none").err


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {},
            "a.jsonl, line 2: no id; expected 'key.n', found 'hypothesis'; name the field with --jsonl-fields id=NAME",
        ),
        ({"key": {"n": None}}, "a.jsonl, line 2: 'key.n' is null; expected a string or a whole number"),
        ({"key": {"n": 1.5}}, "a.jsonl, line 2: 'key.n' is a number; expected a string or a whole number"),
        ({"key": {"n": {"b": 1}}}, "name the path: --jsonl-fields id=key.n.b"),
        ({"key": {"n": 1}}, ""),
    ],
)
def test_a_field_of_ids_that_is_named_is_in_every_object(run, write, row, said):
    first = {"key": {"n": 2}, "hypothesis": "the second text of all"}
    other = {**row, "hypothesis": "the first text of all"}
    write("a.jsonl", f"{json.dumps(first)}\n{json.dumps(other)}\n")
    references = [
        {"key": {"n": n}, "reference": f"the {word} text of all"} for n, word in ((1, "first"), (2, "second"))
    ]
    write("ref.jsonl", "".join(json.dumps(one) + "\n" for one in references))
    answer = run("ref.jsonl", "-i", "a.jsonl", "-b", "-q", "--jsonl-fields", "id=key.n")
    if said:
        assert said in answer.err
        assert answer.status == 2
    else:
        assert answer == (0, "100.0\n", "")


@pytest.mark.parametrize("fields", ["id=id", "id=none"])
def test_ids_without_effect_are_refused(run, write, fields):
    write("sys.jsonl", lines_of("123"))
    write("ref", "a\nb\nc\n")
    assert "--jsonl-fields id= has no effect" in run("ref", "-i", "sys.jsonl", "--jsonl-fields", fields).err


def test_an_id_that_the_first_object_lacks_is_joined_by(score):
    answer = score(["", "2", "3"], ["1", "3", "2"])
    assert "ref.jsonl, line 1 has no id" in answer.err


def test_errors_of_the_library_name_its_argument():
    sources = [
        source(random.Random(1), name, [(key, key) for key in keys]) for name, keys in (("s", "12"), ("r", "213"))
    ]
    with pytest.raises(IdsDifferError, match="score what all have with partial=True"):
        list(Joining().join(sources, 1, False))
