"""Files of statistics that were damaged: the right score, or one line that names the file, the column and the row."""

from __future__ import annotations

import math
import os
from array import array

import pytest
from conftest import needs_pipes, raised, refused, warnings_in
from hypothesis import given
from hypothesis import strategies as st
from strategies import every, examples

from bleucli import BLEU, CER, CHRF, TER, WER
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics import Metric
from bleucli.metrics.score import Score
from bleucli.scale.statsfiles import read, write
from bleucli.scoring import score_counted
from bleucli.significance.comparison import Sampling

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; there are no files to read")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed; there are no files to read")

SYSTEM = ["the cat sat on the mat", "it was no big surprise", "all of them ran home", ""]
REFERENCES = [
    ["the cat sat on a mat", "it was no surprise", "they all ran home", "so it goes"],
    ["a", "b c", "d", "e f"],
]


class ExactMatch(Metric[Score]):
    """The share of segments that equal a reference; a metric of the user's own."""

    name = "EM"
    constants = (("stem", "no"),)

    def prepare(self, segments):
        return segments

    def compare(self, hypotheses, references):
        rows = zip(hypotheses, *references.streams, strict=True)
        counts = [number for text, *others in rows for number in (text in others, 1)]
        return SegmentStats(memoryview(array("q", counts)), columns=2)

    def column_names(self):
        return ["equal", "all"]

    def find_impossible(self, columns, references):
        yield "equal above all", columns["equal"] > columns["all"]

    def score_from_stats(self, sums):
        score = Score()
        score.name, score.score = self.name, 100 * sums[0] / (sums[1] or 1)
        return score


OURS = {
    "bleu": BLEU(),
    "chen": BLEU(smooth_method="chen-cherry-4"),
    "chrf": CHRF(),
    "chrf++": CHRF(word_order=2),
    "ter": TER(),
    "wer": WER(),
    "cer": CER(),
}
ALL = {**OURS, "em": ExactMatch()}
DAMAGED_SIGNATURES = ("<script>", "", "x", None, "case:mixed|version:1", "BLEU", "BLEU|", "|", "chrFx|case:mixed", "\0")


def save(path, metrics, summed=False):
    stats = {name: metric.corpus_stats(SYSTEM, REFERENCES, keep_rows=not summed) for name, metric in metrics.items()}
    write(path, {"sys": stats})
    return path


def change(path, *changes):
    """Change columns of a file, as another program would: give each a new list of values, or None to drop it."""
    table = pq.read_table(path)
    for column, values in changes:
        place = table.column_names.index(column)
        table = table.remove_column(place) if values is None else table.set_column(place, column, pa.array(values))
    pq.write_table(table, path)


def columns_of(path, name):
    table = pq.read_table(path)
    return {column: table.column(f"{name}.{column}").to_pylist() for column in ALL[name].column_names()}


# --- signatures


@pytest.mark.parametrize("name", every(2, ALL))
@pytest.mark.parametrize("damaged", every(4, DAMAGED_SIGNATURES), ids=repr)
@pytest.mark.parametrize("summed", [False, True])
def test_a_metric_with_a_damaged_signature_is_an_error(run, folder, name, damaged, summed):
    save("s.parquet", ALL, summed)
    change("s.parquet", (f"{name}.signature", [damaged] * (1 if summed else len(SYSTEM))))
    if damaged == "chrFx|case:mixed":
        parts = ["s.parquet", f"{name}.signature", "chrFx is not the name of a chrF score"]
    else:
        parts = ["s.parquet", f"{name}.signature", "empty" if damaged is None else "is not the signature of a metric"]
    raised(parts, read, "s.parquet")
    write = ("count", "-o", "out.parquet")
    for words in ((), ("--fail-under", "9"), ("-m", "ter"), ("-f", "csv"), write, (*write, "--sums")):
        assert refused(run(*words, "--stats", "s.parquet"), *parts).endswith("write it again with bleu count\n")
    assert os.listdir() == ["s.parquet"]


def test_a_metric_of_the_users_own_without_signatures_cannot_be_scored(folder):
    save("s.parquet", ALL)
    change("s.parquet", ("em.signature", None))  # nothing shows any longer that these columns are statistics
    raised(["s.parquet has rows that em has not counted"], read("s.parquet").count, {"em": ExactMatch()})


@pytest.mark.parametrize("name", OURS)
def test_a_metric_without_its_column_of_signatures_is_an_error(run, folder, name):
    save("s.parquet", ALL)
    change("s.parquet", (f"{name}.signature", None))
    parts = ["s.parquet", f"{name}.{ALL[name].column_names()[0]}", f"no {name}.signature"]
    raised(parts, read, "s.parquet")
    refused(run("--stats", "s.parquet"), *parts)


@pytest.mark.parametrize("name", every(3, OURS))
def test_a_signature_that_was_cut_is_never_taken_for_the_defaults(folder, name):
    save("s.parquet", {name: OURS[name]})
    (whole,) = read("s.parquet").metrics.values()
    expected = read("s.parquet").stats().score().score
    for length in range(len(whole)):
        change("s.parquet", (f"{name}.signature", [whole[:length]] * len(SYSTEM)))
        if "|version:" in whole[:length]:
            assert read("s.parquet").stats().score().score == expected
        else:
            raised(["s.parquet", f"{name}.signature"], read, "s.parquet")


@pytest.mark.parametrize("name", OURS)
def test_the_signature_of_another_metric_is_noticed(folder, name):
    save("s.parquet", OURS)
    signatures = read("s.parquet").metrics
    for other, metric in OURS.items():
        change("s.parquet", (f"{name}.signature", [signatures[other]] * len(SYSTEM)))
        if set(OURS[name].column_names()) <= set(metric.column_names()):
            continue  # these columns fit; an option of another signature is noticed when it lacks a column
        raised(["s.parquet", f"the column {name}.", f"{name}.signature", "does not count it"], read, "s.parquet")


def test_a_column_that_is_only_called_like_signatures_is_kept(folder):
    save("s.parquet", OURS)
    table = pq.read_table("s.parquet").append_column("pgp.signature", pa.array(["-----BEGIN"] * len(SYSTEM)))
    pq.write_table(table, "s.parquet")
    assert list(read("s.parquet").metrics) == list(OURS)


def test_what_is_left_out_is_told(run, folder, write):
    save("s.parquet", {"bleu": BLEU(), "em": ExactMatch()})
    told = "the files hold em, which only Python can score, because it is a metric of your own"
    assert warnings_in(run("--stats", "s.parquet")) == [f"bleu: warning: {told}"]
    assert warnings_in(run("--stats", "s.parquet", "-m", "bleu")) == []
    assert run("--stats", "s.parquet", "--strict").status == 2
    save("own.parquet", {"em": ExactMatch()})
    refused(
        run("--stats", "own.parquet"), "own.parquet has only metrics of your own (em); read it with statsfiles.read"
    )
    write("ref.txt", "a b c d e\n")
    run("count", "ref.txt", "-i", "ref.txt", "-m", "bleu", "ter", "-o", "1.parquet", "-q")
    run("count", "ref.txt", "-i", "ref.txt", "-m", "ter", "--first-line", "2", "-o", "2.parquet", "-q")
    for files in (["1.parquet", "2.parquet"], ["2.parquet", "1.parquet"]):
        told = "bleu: warning: 1.parquet has bleu, which other files lack, so it is left out"
        assert warnings_in(run("--stats", *files)) == [told]
        assert warnings_in(run("--stats", *files, "-m", "ter")) == []


# --- numbers


def is_possible(name, columns, references, summed):
    """Return whether texts can have such statistics; columns: those of one row, by name."""
    metric = ALL[name]
    limit = 2**53 if summed else 2**31
    for column, number in columns.items():
        if column in metric.fractions:
            if not (number == 0 or 0.999 / references <= number < 2**53):
                return False
        elif not 0 <= number < limit:
            return False
    if name in ("bleu", "chen"):
        orders = range(1, metric.counted_order + 1)
        return columns["hyp_len"] == columns["total_1"] and all(
            columns[f"match_{n}"] <= columns[f"total_{n}"] for n in orders
        )
    if name.startswith("chrf"):
        orders = [f"c{n}" for n in range(1, 7)] + [f"w{n}" for n in range(1, metric.word_order + 1)]
        return all(columns[f"match_{n}"] <= min(columns[f"hyp_{n}"], columns[f"ref_{n}"]) for n in orders)
    return name != "em" or columns["equal"] <= columns["all"]


WHOLE = st.sampled_from(
    [0, 1, 2, 3, 7, 40, -1, -5, 10**6, 2**31 - 1, 2**31, 2**53 - 1, 2**53, 2**61, 2**63 - 1, -(2**63)]
)
FRACTIONS = st.sampled_from(
    [0.0, -0.0, 0.5, 1.5, 7.0, 1e-320, 1e-9, 0.3, -5.0, math.nan, math.inf, -math.inf, 1e99, 1e308, 2.0**53, 1e-300]
)


@given(st.data())
@examples(200)
def test_damaged_numbers_give_the_right_score_or_one_line(tmp_path_factory, data):
    name = data.draw(st.sampled_from(list(ALL)))
    metric = ALL[name]
    summed = data.draw(st.booleans())
    path = save(str(tmp_path_factory.mktemp("s") / "s.parquet"), {name: metric}, summed)
    columns = columns_of(path, name)
    count = 1 if summed else len(SYSTEM)
    several = data.draw(st.booleans())
    for column in data.draw(st.lists(st.sampled_from(list(columns)), min_size=1, max_size=4, unique=True)):
        kind = FRACTIONS if column in metric.fractions else WHOLE
        rows = range(count) if several else [data.draw(st.integers(0, count - 1))]
        number = data.draw(kind)
        for row in rows:
            columns[column][row] = number
    refs = data.draw(st.sampled_from([2, 2, 2, 1, 0, -1, 2**40])) if data.draw(st.booleans()) else 2
    which = data.draw(st.integers(0, count - 1))
    changes = [(f"{name}.{column}", values) for column, values in columns.items()]
    if summed:
        changes += [("refs_min", [refs]), ("refs_max", [refs])]
    else:
        changes.append(("refs", [refs if row == which else 2 for row in range(count)]))
    change(path, *changes)

    rows = [{column: values[row] for column, values in columns.items()} for row in range(count)]
    references = [refs if row == which else 2 for row in range(count)]
    wrong = [
        row
        for row in range(count)
        if not 1 <= references[row] < 2**31 or not is_possible(name, rows[row], references[row], summed)
    ]
    if wrong:
        (line,) = {
            raised(["s.parquet"], _count, path, name, keep_rows)
            for keep_rows in ((False,) if summed else (False, True))
        }
        assert any(f"row {row} (counting from 0)" in line for row in wrong)
        return
    sums = [math.fsum(values) if column in metric.fractions else sum(values) for column, values in columns.items()]
    expected = metric.score_from_stats(sums).score
    assert math.isfinite(expected)
    assert metric.higher_is_better is False or 0 <= expected < 100 + 1e-9
    assert _count(path, name, False).stats[0].score().score == pytest.approx(expected, rel=1e-12, abs=1e-300)
    if not summed:
        system = _count(path, name, True)
        assert system.stats[0].score().score == pytest.approx(expected, rel=1e-12, abs=1e-300)
        interval = score_counted([system], [metric], sampling=Sampling("ci", 20, 1, 1)).systems[0].scores[0].interval
        assert math.isfinite(interval.mean)


def _count(path, name, keep_rows):
    (part,) = read(path).count({name: ALL[name]}, keep_rows=keep_rows)
    return part.systems[0]


@pytest.mark.parametrize(
    ("column", "values", "told"),
    [
        ("bleu.match_1", [0, 900, 0, 0], "s.parquet has bleu with match_1 above total_1 in row 2"),
        ("chrf.match_c2", [0, 0, 0, 9000], "s.parquet has chrf with match_c2 above hyp_c2 in row 4"),
        ("ter.ref_len", [1.0, 1e-320, 1.0, 1.0], "with ref_len above 0, but below one word in one reference in row 2"),
        ("ter.ref_len", [1.0, 1.0, -5.0, 1.0], "s.parquet has ter with ref_len below 0 in row 3"),
        ("bleu.hyp_len", [0, 5, 5, 0], "s.parquet has bleu with total_1 other than hyp_len in row 1"),
        ("wer.ref_len", [1, 1, 1, -1], "the column wer.ref_len of s.parquet has -1 in row 4, which is negative"),
        ("refs", [2, 2, 0, 2], "s.parquet has refs below 1 in row 3"),
        ("cer.edits", [2**61] * 4, "the column cer.edits of s.parquet has 2305843009213693952 in row 1, which is too"),
    ],
)
def test_impossible_counts_name_the_row(run, folder, column, values, told):
    save("s.parquet", OURS)
    change("s.parquet", (column, values))
    write = ("count", "-o", "out.parquet")
    for words in ((), ("-ci", "-cin", "20"), write, (*write, "--sums")):
        refused(run(*words, "--stats", "s.parquet"), told, "write it again with bleu count")
    assert os.listdir() == ["s.parquet"]


def test_the_row_is_counted_in_the_whole_file(run, folder):
    save("s.parquet", OURS)
    table = pq.read_table("s.parquet")
    counts = table.column("bleu.match_1").to_pylist()
    pq.write_table(
        table.set_column(table.column_names.index("bleu.match_1"), "bleu.match_1", pa.array([*counts[:3], 77])),
        "s.parquet",
        row_group_size=2,
    )
    refused(run("--stats", "s.parquet"), "match_1 above total_1 in row 4")


def test_sums_that_do_not_fit_into_64_bits_are_refused(folder, tmp_path):
    paths = []
    for number in range(3):
        paths.append(save(f"{number}.parquet", {"wer": WER()}, summed=True))
        table = pq.read_table(paths[-1])
        rows = pa.concat_tables([table] * 1000)
        rows = rows.set_column(rows.column_names.index("wer.edits"), "wer.edits", pa.array([2**53 - 1 - number] * 1000))
        pq.write_table(rows.replace_schema_metadata(None), paths[-1], row_group_size=500)
    read(paths[0]).count({"wer": WER()})
    raised(["the sums of wer are too large"], read(*paths).count, {"wer": WER()})


# --- pipes


@needs_pipes
@pytest.mark.parametrize("option", ["--stats", "--table"])
def test_a_pipe_is_refused_without_waiting_for_a_writer(run, folder, option):
    os.mkfifo("pipe")
    told = "pipe is a pipe, but tables and statistics are read from files only; write and name one"
    refused(run(option, "pipe"), told)
    reading, writing = os.pipe()
    try:
        refused(run(option, f"/dev/fd/{reading}"), f"/dev/fd/{reading} is a pipe, but tables")
    finally:
        os.close(reading)
        os.close(writing)
    raised([told], read, "pipe")


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="there are no devices")
def test_a_device_is_refused(run, folder):
    refused(run("--stats", "/dev/null"), "/dev/null is a device, but tables and statistics are read from files only")


@needs_pipes
def test_statistics_as_a_baseline_from_a_pipe_are_refused(run, write, folder):
    save("s.parquet", {"bleu": BLEU()})
    write("ref.txt", "a b c d\n")
    reading, writing = os.pipe()
    with open("s.parquet", "rb") as file, os.fdopen(writing, "wb") as pipe:
        pipe.write(file.read())
    try:
        words = ("ref.txt", "-i", "ref.txt", "--baseline", f"/dev/fd/{reading}", "--max-drop", "1")
        refused(run(*words), f"/dev/fd/{reading} is a pipe, and statistics cannot be read from one; name the file")
    finally:
        os.close(reading)
