"""The command with several systems, intervals and tests: input, names of systems, answers, and what is refused."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys

import oracles
import pytest
from conftest import refused
from oracles import oracle_command, outputs, without_version
from paired_samples import METRICS, demo_systems, near, texts
from strategies import every

from bleucli import PairedTest, kernels, output

ALL = ("-m", "bleu", "chrf", "ter")
REF, STRONG, WEAK, NEAR = "reference.A.de.txt", "strong.de.txt", "weak.de.txt", "near.txt"
SYSTEMS = (STRONG, NEAR, WEAK)
FORMATS = ("text", "json", "jsonl", "latex", "markdown", "html", "rst", "csv", "tsv", "paper")
TESTS = ("--paired-bs", "--paired-ar")
FEW = ("--paired-bs-n", "60", "--paired-ar-n", "60", "--confidence-n", "60")

pytestmark = pytest.mark.usefixtures("demo_files")


@pytest.fixture(autouse=True)
def near_file(demo_files, write):
    """Add a system that differs from the strong one in a few segments."""
    write(NEAR, "".join(f"{line}\n" for line in near(texts("strong"))))


def scored(run, *words, **more):
    """Return the JSON of a run, which must print nothing on stderr."""
    answer = run("-q", REF, *words, **more)
    assert (answer.status, answer.err) == (0, "")
    return json.loads(answer.out)


def names(answer):
    return [system["system"] for system in answer]


def table_of(run, *words):
    """Return the header and the rows of a table, as csv."""
    answer = run("-q", REF, *words, "-f", "csv")
    assert (answer.status, answer.err) == (0, "")
    return list(csv.reader(io.StringIO(answer.out)))


# --- the oracle's bytes


@pytest.mark.parametrize(
    "words",
    [
        "--paired-bs --paired-bs-n 200 -w 2",
        *(
            pytest.param(words, marks=pytest.mark.slow)
            for words in (
                *("", "-sh", "-w 3", "--paired-bs", "--paired-bs -pbsn 77 -nr 1"),
                *("--paired-ar -parn 33 -sh", "--paired-ar --paired-ar-n 1000"),
            )
        ),
        "-lc -tok char --paired-ar -parn 100 --chrf-word-order 2 --ter-normalized",
    ],
)
def test_text_is_the_oracles(run, words):
    line = f"{REF} -i {' '.join(SYSTEMS)} -m bleu chrf ter -f text {words}"
    ours, theirs = outputs(run, line)
    assert ours == theirs


@pytest.mark.parametrize("test", ["", "--paired-bs", "--paired-ar"])
def test_text_with_two_references_is_the_oracles(run, test):
    ours, theirs = outputs(
        run, f"{REF} reference.B.de.txt -i {WEAK} {STRONG} {NEAR} -m bleu ter -f text {test} -parn 100 -pbsn 100"
    )
    assert ours == theirs


@pytest.mark.parametrize("words", [(), ("-pbs",), ("-par",)])
def test_metrics_have_one_order_whatever_the_order_of_m(run, words):
    """The oracle keeps the given order only if there is a test."""
    line = ("-q", REF, "-i", *SYSTEMS, *words, *FEW, "-m")
    assert run(*line, "ter", "bleu") == run(*line, "bleu", "ter")


@pytest.mark.slow
@pytest.mark.parametrize("test", ["", "--paired-bs", "--paired-ar"])
def test_text_of_real_systems_is_the_oracles(run, write, test):
    folder = os.path.join(oracles.real_data("wmt17.en-de"), "wmt17.en-de")
    for name in ("ref", "KIT", "online-B", "SYSTRAN"):
        write(f"{name}.txt", "".join(f"{line}\n" for line in oracles.read_lines(folder, f"{name}.txt")[:200]))
    ours, theirs = outputs(
        run, f"ref.txt -i online-B.txt SYSTRAN.txt KIT.txt -m bleu chrf ter -f text {test} -parn 500"
    )
    assert ours == theirs


@pytest.mark.parametrize("seed", ["1", "7"])
@pytest.mark.parametrize("test", TESTS)
def test_the_seed_is_the_environments(run, monkeypatch, test, seed):
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    words = (REF, "-i", *SYSTEMS, "-f", "text", test, "-parn", "100", "-pbsn", "100")
    theirs = oracle_command(words, os.getcwd())
    for name in ("SACREBLEU_SEED", "BLEU_SEED"):
        ours = run(*words, variables={name: seed})
        assert without_version(ours.out) == without_version(theirs.stdout.decode())
        assert f"seed:{seed}|" in ours.out


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    "metrics", ["bleu chrf ter", *(pytest.param(metric, marks=pytest.mark.slow) for metric in ("bleu", "chrf", "ter"))]
)
def test_an_interval_is_printed_as_the_oracle_prints_it(run, metrics, form):
    ours, theirs = outputs(run, f"{REF} -i {STRONG} -m {metrics} --confidence -f {form}")
    assert ours == theirs


@pytest.mark.parametrize("words", ["-cin 50", "-w 2 -cin 200", "-sh -cin 40", "-b -cin 40", "-nc -cin 40"])
def test_an_interval_in_text_is_printed_as_the_oracle_prints_it(run, words):
    ours, theirs = outputs(run, f"{REF} -i {WEAK} -m bleu ter -ci {words} -f text")
    assert ours == theirs


@pytest.mark.parametrize("test", TESTS)
def test_a_repetition_of_the_baseline_is_skipped_as_the_oracle_does(run, test):
    ours, theirs = outputs(run, f"{REF} -i {STRONG} {WEAK} {STRONG} {NEAR} -f text {test} -pbsn 50 -parn 50")
    assert ours == theirs
    assert ours.count("strong.de.txt │") == 1


@pytest.mark.parametrize("test", ["", "--paired-bs", "--paired-ar"])
def test_columns_of_standard_input_are_named_as_the_oracle_names_them(run, test):
    columns = zip(*(texts(name) for name in ("strong", "weak", "reference.A")), strict=True)
    piped = "".join("\t".join(column) + "\n" for column in columns).encode()
    ours, theirs = outputs(run, f"{REF} -f text {test} -pbsn 50 -parn 50", stdin=piped)
    assert ours == theirs.replace("compared to .", "compared to Baseline."), "the oracle forgets the name"
    assert ("Baseline │" in ours) == bool(test)


@pytest.mark.parametrize("name", ["Baseline", "Baseline: x", "Baseline: Baseline"])
@pytest.mark.skipif(os.name == "nt", reason="names that Windows does not allow")
def test_a_file_that_is_called_like_the_mark_is_marked_as_the_oracle_marks_it(run, name):
    os.rename(STRONG, name)
    theirs = [f"Baseline: {name}", WEAK]
    words = (REF, "-i", name, WEAK, "-m", "bleu", "--paired-ar", "-parn", "10")
    for answer in (oracle_command(words, os.getcwd()).stdout, run("-q", *words).out):
        assert names(json.loads(answer)) == theirs
    assert f"│ Baseline: {name} │" in run("-q", *words, "-f", "text").out


# --- which systems


def test_json_is_the_default(run):
    assert run("-q", REF, "-i", *SYSTEMS).out == run("-q", REF, "-i", *SYSTEMS, "-f", "json").out
    assert names(scored(run, "-i", *SYSTEMS)) == list(SYSTEMS)


@pytest.mark.parametrize("name", ["BLEU_FORMAT", "SACREBLEU_FORMAT"])
def test_the_environment_names_another_format(run, name):
    assert run("-q", REF, "-i", *SYSTEMS, variables={name: "text"}).out.startswith("╒")


def test_every_system_scores_as_it_does_alone(run):
    together = scored(run, "-i", *SYSTEMS, *ALL, "-w", "9")
    for system in together:
        alone = scored(run, "-i", system["system"], *ALL, "-w", "9")
        assert [system[score["name"]] for score in alone] == alone


def test_a_pattern_that_no_shell_has_expanded_is_its_matches_in_order(run):
    assert names(scored(run, "-i", "*.de.txt")) == ["reference.A.de.txt", "reference.B.de.txt", STRONG, WEAK]
    assert names(scored(run, "-i", "[sw]*.de.txt", NEAR)) == [STRONG, WEAK, NEAR]
    assert names(scored(run, "-i", NEAR, "?eak.de.txt")) == [NEAR, WEAK]


def test_a_pattern_may_match_the_baseline_again(run):
    answer = scored(run, "-i", WEAK, "[sw]*.de.txt", "--paired-bs", *FEW)
    assert names(answer) == [f"Baseline: {WEAK}", STRONG]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(run, write):
    write("a[1].txt", "".join(f"{line}\n" for line in texts("weak")))
    write("a1.txt", "nothing\n")
    assert names(scored(run, "-i", "a[1].txt", STRONG)) == ["a[1].txt", STRONG]


def test_a_pattern_without_a_match_is_refused(run):
    refused(run(REF, "-i", "none*.txt"), "no file matches none*.txt")


@pytest.mark.parametrize("words", [(STRONG, STRONG), (WEAK, STRONG, STRONG), (STRONG, "s*.de.txt")])
def test_a_repeated_system_is_refused(run, words):
    refused(run(REF, "-i", *words), f"system {STRONG} was given twice; name each system once")


@pytest.mark.parametrize("test", TESTS)
def test_only_the_baseline_may_be_repeated(run, test):
    refused(run(REF, "-i", WEAK, STRONG, STRONG, test), f"system {STRONG} was given twice")
    assert names(scored(run, "-i", WEAK, WEAK, STRONG, test))[1:] == [STRONG]


@pytest.mark.parametrize("test", TESTS)
def test_a_baseline_that_is_repeated_alone_was_given_twice(run, test):
    for words in ((STRONG, STRONG), (STRONG, STRONG, STRONG), (STRONG, "s*.de.txt")):
        refused(run(REF, "-i", *words, test), f"system {STRONG} was given twice; name each system once")
    refused(run(REF, "-i", STRONG, test), "but only one was given")


@pytest.mark.parametrize("test", [(), *((test,) for test in TESTS)])
def test_systems_of_different_lengths_are_refused_by_name(run, write, test):
    write("short.txt", "".join(f"{line}\n" for line in texts("weak")[:-1]))
    for systems in ((STRONG, "short.txt"), ("short.txt", STRONG), (STRONG, WEAK, "short.txt")):
        refused(run(REF, "-i", *systems, *test), "short.txt has 99 segments", "line 100 of short.txt is missing")


@pytest.mark.parametrize("test", TESTS)
def test_a_test_of_one_system_is_refused(run, test):
    for words, piped in ((("-i", STRONG), b""), ((), "\n".join(texts("weak")).encode())):
        line = refused(run(REF, *words, test, stdin=piped), test, "only one was given")
        assert "-i baseline.txt system.txt" in line


def test_standard_input_may_be_one_of_the_systems(run):
    piped = "\n".join(texts("weak")).encode()
    found = scored(run, "-i", STRONG, "-", "--paired-ar", *FEW, stdin=piped)
    assert names(found) == [f"Baseline: {STRONG}", "standard input"]
    expected = scored(run, "-i", STRONG, WEAK, "--paired-ar", *FEW)
    assert [system["BLEU"] for system in found] == [system["BLEU"] for system in expected]


# --- options that do not go together

WRONG = {
    "two tests": (("-pbs", "-par"), ("--paired-bs and --paired-ar cannot be combined", "choose one")),
    "interval and test": (("-ci", "-pbs"), ("--confidence and --paired-bs cannot be combined",)),
    "all three": (("-ci", "-pbs", "-par"), ("--confidence and --paired-bs and --paired-ar",)),
    "a test by segment": (("-sl", "-pbs"), ("--paired-bs", "--sentence-level")),
    "the other test by segment": (("-sl", "-par"), ("--paired-ar", "--sentence-level")),
    "interval by segment": (("-sl", "-ci"), ("--confidence", "--sentence-level")),
    "one resample": (("-ci", "-cin", "1"), ("--confidence-n 1", "from 2")),
    "one resample unused": (("-cin", "1"), ("--confidence-n 1", "from 2")),
    "no resample": (("-ci", "-cin", "0"), ("--confidence-n 0", "from 2")),
    "one resample for a test": (("-pbs", "-pbsn", "1"), ("--paired-bs-n 1", "from 2")),
    "no trial": (("-par", "-parn", "0"), ("--paired-ar-n 0", "from 1")),
    "too many trials": (("-par", "-parn", "1000000000"), ("--paired-ar-n 1000000000", "10000000")),
    "trials that are not a number": (("-par", "-parn", "x"), ("--paired-ar-n", "'x'")),
    "all pairs without a test": (("--paired-all",), ("--paired-all", "--paired-bs or --paired-ar")),
    "all pairs with intervals": (("--paired-all", "-ci"), ("--paired-all", "--paired-bs or --paired-ar")),
    "negative threads": (("-pbs", "-j", "-1"), ("--paired-jobs -1", "0")),
    "too many threads": (("-pbs", "-j", "5000"), ("--paired-jobs 5000", "1024")),
}


@pytest.mark.parametrize(("words", "parts"), WRONG.values(), ids=WRONG)
def test_wrong_use_is_refused(run, words, parts):
    before = sorted(os.listdir())
    refused(run(REF, "-i", STRONG, WEAK, *words, "-o", "out.txt"), *parts)
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize("seed", ["x", "-1", "1.5", "9" * 5000])
@pytest.mark.parametrize("name", ["BLEU_SEED", "SACREBLEU_SEED"])
def test_an_invalid_seed_is_refused(run, name, seed):
    for words in (("-i", STRONG, "-ci"), ("-i", STRONG, WEAK, "-pbs"), ("-i", STRONG, WEAK, "-par")):
        refused(run(REF, *words, variables={name: seed}), f"{name} is '", "expected a whole number from 0, or none")


def test_a_seed_that_is_not_needed_is_not_read(run):
    assert run(REF, "-i", STRONG, WEAK, variables={"BLEU_SEED": "x"}).status == 0


# --- seeds


@pytest.mark.parametrize("words", [("-ci",), ("-pbs",), ("-par",)])
def test_zero_is_a_seed(run, words):
    line = ("-i", STRONG, NEAR, WEAK, *words, *FEW, "-w", "9")
    zero, again, usual = (scored(run, *line, variables={"BLEU_SEED": seed}) for seed in ("0", "0", "12345"))
    assert zero == again
    assert zero[0]["BLEU"]["seed"] == "0"
    figures = [[_figures(system["BLEU"]) for system in answer] for answer in (zero, usual)]
    if words != ("-par",):
        assert all(one != other for one, other in zip(*figures, strict=True))
    assert figures[0] != figures[1]


def _figures(score):
    return [score.get(key) for key in ("p_value", "mean", "ci", "confidence_mean", "confidence_var")]


@pytest.mark.parametrize("words", [("-ci",), ("-pbs",)])
def test_without_a_seed_each_run_draws_differently_and_is_signed_so(run, words):
    line = ("-i", STRONG, WEAK, *words, *FEW, "-w", "9")
    one, other = (scored(run, *line, variables={"SACREBLEU_SEED": "None"}) for _ in range(2))
    assert one != other
    assert "|bs:60|seed:none|" in one[0]["BLEU"]["signature"]


# --- answers


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_json_has_the_numbers_of_the_api(run, monkeypatch, test):
    for name in ("BLEU_SEED", "SACREBLEU_SEED"):
        monkeypatch.delenv(name, raising=False)
    metrics = {name: make() for name, make in METRICS.items()}
    signatures, table = PairedTest(demo_systems(), metrics, [texts("reference.A")], test, 60)()
    answer = scored(run, "-i", *SYSTEMS, *ALL, f"--paired-{test}", *FEW)
    assert names(answer) == [f"Baseline: {STRONG}", NEAR, WEAK]
    for metric, results in list(table.items())[1:]:
        found = [system[metric] for system in answer]
        assert [(one["score"], one["p_value"], one["mean"], one["ci"]) for one in found] == results
        assert {one["signature"] for one in found} == {str(signatures[metric])}


@pytest.mark.parametrize("width", ["0", "1", "5"])
def test_tested_figures_are_not_rounded_in_json(run, width):
    words = ("-i", STRONG, WEAK, "--paired-bs", *FEW)
    assert scored(run, *words, "-w", width) == scored(run, *words)


def test_intervals_of_several_systems_are_those_of_each(run):
    together = scored(run, "-i", *SYSTEMS, *ALL, "-ci", *FEW, "-w", "9")
    for system in together:
        alone = scored(run, "-i", system["system"], *ALL, "-ci", *FEW, "-w", "9")
        assert [system[score["name"]] for score in alone] == alone
        assert {"confidence_mean", "confidence_var", "confidence"} <= set(alone[0])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "words",
    every(5, [(), ("-ci",), ("-pbs",), ("-par",), ("-pbs", "--paired-all"), ("-par", "--paired-all", "--bold-best")]),
)
def test_every_format_has_every_system_and_metric(run, words, form):
    words = [word for word in words if word != "--bold-best" or output.FORMATS[form].shows_bold()]
    answer = run("-q", REF, "-i", *SYSTEMS, *ALL, *words, *FEW, "-f", form)
    assert (answer.status, answer.err) == (0, "")
    for name in (*(system.removesuffix(".txt") for system in SYSTEMS), *METRICS):
        assert name.replace("_", r"\_") in answer.out


@pytest.mark.parametrize("test", TESTS)
def test_identical_systems_say_so_and_are_not_starred(run, write, test):
    with open(STRONG, "rb") as file:
        write("same.txt", file.read())
    words = ("-i", STRONG, "same.txt", *ALL, test, *FEW)
    assert [score["p_value"] for score in list(scored(run, *words)[1].values())[1:]] == [1.0] * 3
    text = run("-q", REF, *words, "-f", "text").out
    assert text.partition("-----")[0].count("(identical)") == 3
    assert "*" not in text.partition("-----")[0]


def test_all_pairs_are_in_the_answer(run):
    answer = scored(run, "-i", *SYSTEMS, "-par", "--paired-all", *FEW)
    found = {system["system"]: system["BLEU"]["p_values"] for system in answer}
    for one, others in found.items():
        assert set(others) == set(found) - {one}
        for other, pair in others.items():
            assert pair == found[other][one]
            assert 0 < pair["p"] <= pair["corrected"] <= 1
    assert [system["BLEU"]["cluster"] for system in answer][2] > 1


@pytest.mark.parametrize("words", [("-ci",), ("-pbs",), ("-par",), ("-par", "--paired-all")])
def test_threads_change_no_byte(run, monkeypatch, words):
    line = ("-q", REF, "-i", *SYSTEMS, *ALL, *words, "-w", "12", "-parn", "700", "-pbsn", "700", "-cin", "700")
    expected = run(*line)
    monkeypatch.setattr("bleucli.reading._BLOCK_BYTES", 1000)
    for jobs in (("-j", "2"), ("-j", "3"), ("-j", "0"), ("-J", "2"), ("-J", "2", "-j", "2")):
        assert run(*line, *jobs) == expected


def test_more_decimals_are_printed_as_asked_for(run):
    rows = table_of(run, "-i", STRONG, WEAK, "-pbs", *FEW, "-w", "4")
    assert any("." in cell and len(cell.partition(".")[2].split()[0]) >= 4 for cell in rows[1])


# --- stderr and files


def test_hints_are_not_lost(run):
    for words in (("-ci",), ("-pbs",), ("-par", "--paired-all")):
        answer = run(REF, "-i", STRONG, REF, *words, *FEW, terminal=True)
        assert answer.status == 0
        assert f"bleu: note: reference {REF}, 100 segments; systems {STRONG}, {REF}\n" in answer.err
        assert f"bleu: warning: {REF} is the same text as the reference {REF}" in answer.err
        assert run("-q", REF, "-i", STRONG, REF, *words, *FEW)[:] == (0, answer.out, "")


@pytest.mark.parametrize("words", [("-ci",), ("-pbs",), ("-par",)])
def test_an_answer_in_a_file_is_whole_or_not_there(run, write, words):
    line = ("-q", REF, "-i", STRONG, WEAK, *words, *FEW)
    expected = run(*line).out
    assert run(*line, "-o", "out.json") == (0, "", "")
    with open("out.json", encoding="utf-8") as file:
        assert file.read() == expected
    write("short.txt", "one\n")
    refused(run("-q", REF, "-i", STRONG, "short.txt", *words, "-o", "out.json"), "short.txt")
    refused(run(*line, "-o", "new.json", variables={"BLEU_SEED": "x"}), "BLEU_SEED")
    with open("out.json", encoding="utf-8") as file:
        assert file.read() == expected
    assert not [name for name in os.listdir() if name == "new.json" or name.endswith(".tmp")]


def test_a_system_is_not_overwritten(run):
    refused(run(REF, "-i", STRONG, WEAK, "-pbs", "-o", WEAK), f"--output {WEAK} is also an input")


def test_references_are_read_once_for_all_systems(run, write):
    """A pipe cannot be read twice."""
    reference, system = os.pipe()
    os.write(system, ("\n".join(texts("reference.A")[:20]) + "\n").encode())
    os.close(system)
    for name in ("strong", "weak"):
        write(f"{name}.20", "".join(f"{line}\n" for line in texts(name, 20)))
    try:
        answer = run("-q", f"/dev/fd/{reference}", "-i", "strong.20", "weak.20", "-pbs", *FEW, "-f", "text")
    finally:
        os.close(reference)
    assert answer.status == 0, answer.err
    assert "(p = " in answer.out


# --- memory


# Runs the command, then prints its own peak; getrusage would include that of the process that started this one
PEAK = """
import sys
from bleucli.__main__ import main
status = main()
with open("/proc/self/status") as file:
    peak = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))
print(peak, file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no /proc/self/status")
@pytest.mark.skipif(kernels.live != "native", reason="the python kernels take minutes")
def test_an_interval_of_100_000_segments_takes_less_than_300_megabytes(folder, root):
    oracles.real_data()
    maker = os.path.join(root, "scripts", "large_corpus")
    subprocess.run([sys.executable, maker, "100000", "big"], check=True, timeout=300)
    done = subprocess.run(
        [sys.executable, "-c", PEAK, "big/ref.txt", "-i", "big/hyp.txt", "-q", "-ci"],
        env=os.environ | {"PYTHONPATH": root},
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["confidence_var"] > 0
    assert int(done.stderr) < 300e6


# --- more files than may be open

MANY = 90


@pytest.fixture
def many(write):
    """Write many systems: some as they are, some compressed, some as JSON Lines; return their names."""
    found = []
    for number in range(MANY):
        changed = [line if at % MANY > number else f"{line} x" for at, line in enumerate(texts("strong"))]
        text = "".join(f"{line}\n" for line in changed)
        objects = "".join(f"{json.dumps({'hypothesis': line})}\n" for line in changed)
        content = (text, gzip.compress(text.encode()), objects)[number % 3]
        found.append(write(f"s{number:02}{('.txt', '.gz', '.jsonl')[number % 3]}", content))
    return found


@pytest.mark.parametrize("test_set", [False, True])
def test_more_systems_are_scored_than_may_be_open(run, command, many, test_set):
    references = ("-t", "demo", "-l", "en-de") if test_set else (REF,)
    limited = 'ulimit -n 40; exec "$@"'
    with open(many[-1], "rb") as file:
        data = file.read()
    answer = command(*references, "-q", "--jsonl", "-i", *many[:-1], "-", stdin=data, shell=limited)
    assert (answer.status, answer.err) == (0, "")
    found = json.loads(answer.out)
    assert names(found) == [*many[:-1], "standard input"]
    for number in (0, 1, 2, 50, MANY - 1):
        alone = run(*references, "-q", "-b", "-i", many[number])
        assert f"{found[number]['BLEU']['score']}\n" == alone.out


def test_more_references_are_read_than_may_be_open(run, command, many):
    limited = 'ulimit -n 40; exec "$@"'
    plain = [name for name in many if name.endswith(".txt")] * 3
    assert command(*plain, "-q", "-b", "-i", WEAK, shell=limited) == run(*plain, "-q", "-b", "-i", WEAK)


def test_the_one_of_many_systems_that_is_too_short_is_named(command, many, write):
    write("short.txt", "a\n" * 99)
    answer = command(REF, "-i", *many, "short.txt", shell='ulimit -n 40; exec "$@"')
    refused(answer, "short.txt has 99 segments", "line 100 of short.txt is missing")
