"""One line names the options without effect; wrong values are refused wherever they are."""

from __future__ import annotations

import json

import pytest
from conftest import Terminal, refused

from bleucli.cli.options import OPTIONS
from bleucli.cli.parser import parser

DEMO = ("-t", "demo", "-l", "en-de")
TESTED = ("-pbs", "-pbsn", "2")
# Each option that may have no effect: how to give it, words with which it has one, words with which it has none, and
# why not. Values are the defaults, where there are any.
EFFECTS = {
    "allow_http": [(("--allow-http",), ("-tok", "char"), (), "nothing is downloaded")],
    "bold_best": [
        (("--bold-best",), ("-f", "latex"), (), "json has no bold"),
        (("--bold-best",), ("-f", "html", *TESTED), ("-f", "csv"), "csv has no bold"),
        (
            ("--bold-best",),
            ("several", "-f", "text"),
            ("several", "-f", "text", "-nc"),
            "text without colours has no bold",
        ),
        (("--bold-best",), ("several", "-f", "text"), ("-f", "text"), "there is no table"),
        (("--bold-best",), ("-f", "rst"), ("-sl",), "segments are not a table of systems"),
    ],
    "caption": [
        (("--caption", "x"), ("-f", "latex"), (), "json has no captions"),
        (("--caption", "x"), ("-f", "html"), ("-f", "markdown"), "markdown has no captions"),
        (("--caption", "x"), ("-f", "rst"), ("several", "-f", "text"), "text has no captions"),
    ],
    "chrf_beta": [(("--chrf-beta", "2"), ("-m", "chrf"), (), "chrF is not scored")],
    "cer_lowercase": [(("--cer-lowercase",), ("-m", "cer"), ("-m", "wer"), "CER is not scored")],
    "chrf_char_order": [(("-cc", "6"), ("-m", "bleu", "chrf"), ("-m", "bleu", "ter"), "chrF is not scored")],
    "chrf_eps_smoothing": [(("--chrf-eps-smoothing",), ("-m", "chrf"), (), "chrF is not scored")],
    "chrf_lowercase": [(("--chrf-lowercase",), ("--like", "chrF2|nc:6|case:lc"), (), "chrF is not scored")],
    "chrf_whitespace": [(("--chrf-whitespace",), ("-m", "chrf"), (), "chrF is not scored")],
    "chrf_word_order": [(("-cw", "0"), ("-m", "chrf"), (), "chrF is not scored")],
    "confidence_n": [(("-cin", "1000"), ("-ci",), TESTED, "it needs --confidence")],
    "difference": [
        (
            ("--difference",),
            ("-f", "json", *TESTED),
            ("-f", "junit", *TESTED),
            "junit has only the scores that gates judge",
        ),
    ],
    "edit_counts": [
        (("--edit-counts",), ("-m", "wer"), (), "WER, CER and TER are not scored"),
        (
            ("--edit-counts",),
            ("-m", "ter", "-f", "csv"),
            ("-m", "ter", "-f", "text"),
            "text does not show parts of scores, as json, jsonl, csv and tsv do",
        ),
        (("--edit-counts",), ("-m", "ter"), ("-m", "ter", "-b"), "bare scores have no parts"),
        (
            ("--edit-counts",),
            ("-m", "cer", "-sl", "-f", "jsonl"),
            ("-m", "cer", "-sl"),
            "segments have them only in jsonl",
        ),
    ],
    "force": [(("--force",), (), ("-m", "ter"), "BLEU is not scored")],
    "format": [
        (("-f", "latex"), (), ("-sl",), "segments are printed as text, JSON or tables"),
        (("-f", "latex"), (), ("-b",), "bare scores have no format"),
        (("-f", "csv"), ("several",), ("-b",), "bare scores are numbers, not csv"),
        (
            ("-f", "html"),
            ("several",),
            ("-sl",),
            "segments are printed as text, json, jsonl, csv, tsv or parquet, not as html",
        ),
    ],
    "labels": [
        (
            ("--labels", "labels.tsv"),
            ("--by", "doc", "-f", "csv"),
            (),
            "nothing reads labels: --by, --unit doc, --level doc, parts and tables of segments do",
        ),
        (
            ("--labels", "labels.tsv"),
            ("-sl", "-f", "csv"),
            ("-sl", "-f", "jsonl"),
            "nothing reads labels: --by, --unit doc, --level doc, parts and tables of segments do",
        ),
    ],
    "language_pair": [
        (("-l", "en-de"), (), ("-m", "chrf"), "it picks BLEU's tokenizer, and BLEU is not scored"),
        (("-l", "en-de"), (), ("-tok", "char"), "it picks BLEU's tokenizer, which --tokenize names"),
        (("-l", "en-de"), (), ("--like", "tok:char"), "it picks BLEU's tokenizer, which --like names"),
        (
            ("-l", "en-zh"),
            ("-tok", "zh"),
            ("-m", "ter"),
            "it picks BLEU's tokenizer",
        ),  # otherwise, a hint compares both
    ],
    "max_ngram_order": [(("--max-ngram-order", "4"), (), ("-m", "chrf"), "BLEU is not scored")],
    "mirror": [(("--mirror", "x"), ("-tok", "char"), (), "nothing is downloaded")],
    "paired_ar_n": [(("-parn", "1"), ("-par", "several"), TESTED, "it needs --paired-ar")],
    "paired_bs_n": [(("-pbsn", "2"), ("-pbs", "several"), ("-ci", "-cin", "2"), "it needs --paired-bs")],
    "paired_jobs": [(("-j", "1"), ("-ci", "-cin", "2"), (), "nothing is resampled")],
    "rows": [
        (
            ("--rows", "long"),
            ("-sl", "-f", "csv"),
            ("-sl", "-f", "text"),
            "text is not a table of segments, as csv, tsv, parquet and jsonl are",
        )
    ],
    "scale": [
        (
            ("--scale", "100"),
            (),
            ("-f", "jsonl"),
            "jsonl always has scores from 0 to 100, so that histories can be compared",
        ),
        (("--scale", "1"), ("-sl", "-f", "json"), ("-sl", "-f", "jsonl"), "jsonl always has scores from 0 to 100"),
    ],
    "score_only": [(("-b",), (), ("several",), "several systems are printed as a table")],
    "short": [
        (("-sh",), ("-f", "text"), (), "json always has long signatures"),
        (("-sh",), ("-f", "latex"), ("-f", "tsv"), "tsv always has long signatures"),
        (("-sh",), ("-f", "paper"), ("-f", "card"), "card always has long signatures"),
        (("-sh",), ("-sl",), ("-f", "text", "-b"), "bare scores have no signature"),
    ],
    "smooth_method": [(("-s", "exp"), (), ("-m", "chrf"), "BLEU is not scored")],
    "smooth_value": [
        (("-sv", "0.1"), ("-s", "floor"), (), "smoothing exp takes no value"),
        (("-sv", "0.1"), ("--like", "smooth:floor[0.10]"), ("-s", "none"), "smoothing none takes no value"),
        (("-sv", "0.1"), ("-s", "add-k"), ("-m", "ter", "-q"), None),
    ],
    "ter_asian_support": [(("--ter-asian-support",), ("-m", "ter", "--ter-no-punct"), (), "TER is not scored")],
    "ter_case_sensitive": [(("--ter-case-sensitive",), ("-m", "ter"), (), "TER is not scored")],
    "ter_no_punct": [(("--ter-no-punct",), ("-m", "ter"), (), "TER is not scored")],
    "ter_normalized": [(("--ter-normalized",), ("-m", "ter"), ("-m", "chrf"), "TER is not scored")],
    "sort": [
        (("--sort", "bleu"), ("-f", "csv"), (), "json is not a table"),
        (("--sort", "bleu"), ("several", "-f", "text"), ("-f", "text"), "there is no table"),
    ],
    "style": [
        (("--style", "compact"), ("-f", "rst"), ("-f", "csv"), "csv has only one style"),
        (("--style", "compact"), ("several", "-f", "text"), ("-f", "text", "-b"), "bare scores are not a table"),
    ],
    "texts": [
        (
            ("--texts",),
            ("-sl", "-f", "tsv"),
            ("-sl", "-f", "json"),
            "json is not a table of segments, as csv, tsv, parquet and jsonl are",
        )
    ],
    "tokenize": [(("-tok", "13a"), (), ("-m", "chrf"), "BLEU is not scored")],
    "wer_lowercase": [(("--wer-lowercase",), ("-m", "wer"), (), "WER is not scored")],
    "width": [(("-w", "1"), (), ("-f", "json", *TESTED), "JSON of a test is not rounded")],
}
# Options that always have an effect, are refused where they have none, have their own hint, or say how to do the work
ALWAYS = {
    *("annotate", "append", "baseline", "confidence", "detail", "encoding", "fail_under", "help", "input"),
    *("by", "label", "label_names", "columns", "engine", "jobs", "stats", "table", "level", "partial", "unit"),
    *(
        "keep_going",
        "jsonl",
        "jsonl_fields",
        "like",
        "lowercase",
        "max_drop",
        "metrics",
        "name_by",
        "names",
        "no_color",
        "num_refs",
    ),
    *("origlang", "output", "paired_all", "paired_ar", "paired_bs", "quiet", "refs", "scores", "segment_scores"),
    *("normalize", "sentence_level", "skip_empty_refs", "strict", "subset", "test_set"),
}
MODES = {
    *("cite", "download", "echo", "list", "list_tokenizers", "sacrebleu_path", "version"),
}
CASES = [(name, *case) for name, cases in EFFECTS.items() for case in cases]


OURS = set(parser().ours)
# Options of sacreBLEU that are refused where they have no effect
CONTRADICTIONS = {("score_only", "-b"), ("format", "csv"), ("format", "html")}


def said(answer):
    """Return the line about options without effect, or "" if there is none."""
    assert answer.status == 0, answer.err
    lines = [line for line in answer.err.splitlines() if "without effect" in line]
    assert len(lines) < 2
    return lines[0] if lines else ""


@pytest.fixture
def score(run, write):
    """Score one system or, if words say so, several."""
    for name in ("ref", "sys", "sys2"):
        write(name, f"the cat sat on the mat\nhello {name} there world\n")
    write("labels.tsv", "doc\na\nb\n")

    def score(*words):
        many = "several" in words or "-pbs" in words or "-par" in words
        plain = [word for word in words if word != "several"]
        return run("ref", "-i", "sys", *(["sys2"] if many else []), *plain)

    return score


def test_every_option_is_listed():
    options = {action.dest for action in parser()._actions}
    assert options == EFFECTS.keys() | ALWAYS | MODES | {"registry"}


def test_an_option_that_may_have_no_effect_says_when():
    records = OPTIONS.items()
    silent = {name for name, option in records if not (option.idle or option.contrary or option.apart or option.lacks)}
    assert silent.isdisjoint(EFFECTS)
    assert {name for name, option in records if option.beside is not None} == MODES


@pytest.mark.parametrize(("name", "given", "active", "idle", "reason"), CASES)
def test_an_option_without_effect_gets_a_warning_or_is_refused_if_it_is_ours(score, name, given, active, idle, reason):
    option = f"--{name.replace('_', '-')}"
    assert option not in said(score(*active, *given))
    if option in OURS or (name, given[-1]) in CONTRADICTIONS:
        line = refused(score(*idle, *given), f"{option} has no effect: {reason}", "; leave it out")
        assert refused(score(*idle, *given, "-q")) == line
        return
    if reason is None:
        assert score(*idle, *given).err == ""
    else:
        assert f"{option} ({reason}" in said(score(*idle, *given))
        assert said(score(*idle)) == ""
        with_it, without = score(*idle, *given), score(*idle)
        assert with_it.out == without.out, "it has an effect"
    quiet = score(*idle, *given, "-q")
    assert (quiet.status, quiet.err) == (0, "")


def test_a_registry_is_for_test_sets(score, run, write):
    write("own.toml", "")
    refused(score("--registry", "own.toml"), "--registry has no effect: no test set is named; leave it out")
    refused(run("--registry", "own.toml", *DEMO, "-i", "sys"), "own.toml: expected tables of the form [testsets")


def test_one_warning_names_several_options_by_reason(score):
    line = said(score("-cw", "2", "-cc", "6", "--ter-no-punct", "-j", "1", "--no-color", "-J", "1"))
    expected = (
        "bleu: warning: without effect: --chrf-char-order, --chrf-word-order (chrF is not scored);"
        " --ter-no-punct (TER is not scored); --paired-jobs (nothing is resampled)"
    )
    assert line == expected


def test_numbers_that_are_read_need_no_options_of_metrics(run, write):
    write("a", "1\n2\n")
    line = said(run("--segment-scores", "-i", "a", "-tok", "13a", "-lc", "-cw", "2"))
    assert "--lowercase (no texts are compared); --tokenize (BLEU is not scored)" in line
    refused(run("--segment-scores", "-i", "a", "--skip-empty-refs"), "--skip-empty-refs has no effect: no texts are")
    refused(run("--segment-scores", "-i", "a", "--scale", "1"), "--scale has no effect: scores from elsewhere are")


@pytest.mark.parametrize("words", [("-m", "chrf"), ("-m", "chrf", "-sl"), ("explain", "-m", "bleu", "chrf")])
def test_wherever_scores_ignore_lowercase_a_warning_says_so(run, score, words):
    answer = score(*words, "-lc") if words[0] == "-m" else run(words[0], "ref", "-i", "sys", *words[1:], "-lc")
    assert answer.err == "bleu: warning: -lc applies to BLEU only; chrF has --chrf-lowercase\n"


def test_the_best_is_bold_without_a_test_too(score):
    assert "**" in score("several", "-f", "markdown", "--bold-best").out
    assert "**" not in score("several", "-f", "markdown").out


@pytest.mark.parametrize("mode", [("--version",), ("--list",), ("--list-tokenizers",), ("-t", "wmt17", "--cite")])
def test_a_warning_names_options_without_effect_in_a_mode(run, mode):
    line = said(run(*mode, "-w", "1", "-cc", "2", "-J", "2", "-nc"))
    assert line == f"bleu: warning: without effect: --chrf-char-order, --width (not used by {mode[-1]})"
    assert run(*mode, "-w", "1", "-q").err == run(*mode).err == ""


def test_options_of_a_mode_have_an_effect(run):
    for mode in (("--list", "-l", "en-de"), (*DEMO, "--echo", "src"), ("--download", "demo", "-l", "en-de")):
        assert said(run(*mode)) == ""
    assert "--test-set (not used by --download)" in said(run("--download", "demo", *DEMO))


WRONG = {
    "width": ("-w", "-5"),
    "threads": ("-J", "-1"),
    "tokenizer": ("-tok", "nope"),
    "smoothing": ("-s", "linear"),
    "smoothing value": ("-sv", "nan"),
    "n-gram order": ("--max-ngram-order", "0"),
    "chrF order": ("-cc", "0"),
    "encoding": ("-e", "nope"),
    "resamples": ("-cin", "1"),
    "trials": ("-parn", "0"),
    "gate": ("--fail-under", "nan"),
    "signature": ("--like", "nonsense"),
    "fields": ("--jsonl-fields", "x"),
}


@pytest.mark.parametrize("words", WRONG.values(), ids=WRONG)
def test_wrong_values_are_refused_even_without_effect(run, score, words):
    line = refused(score("-m", "ter", *words))
    for mode in (
        ("--version",),
        ("--list",),
        ("--list-tokenizers",),
        ("-t", "wmt17", "--cite"),
        (*DEMO, "--echo", "src"),
    ):
        assert refused(run(*mode, *words)) == line


def test_a_malformed_language_pair_is_refused_even_without_effect(run):
    refused(run("--version", "-l", "ende"), "--language-pair 'ende'")


def test_bold_type_in_text_is_for_terminals_and_ignored_elsewhere(score, run):
    piped = score("several", "-f", "text", "--bold-best")
    assert (piped.status, piped.err) == (0, "")
    assert piped.out == score("several", "-f", "text").out
    shown = run("ref", "-i", "sys", "sys2", "-f", "text", "--bold-best", "-q", stdout=Terminal())
    assert (shown.status, shown.err) == (0, "")
    assert "\x1b[1m" in shown.out


def test_a_hyphen_is_standard_output_even_if_an_answer_is_withheld(score, folder, run):
    for words in (("--fail-under", "99"), ("-i", "none", "sys", "--keep-going"), ("--version",), ("-f", "text")):
        assert score(*words, "-o", "-") == score(*words)
    gated = score("--fail-under", "99", "-o", "-")
    assert (gated.status, bool(gated.out)) == (1, True)
    assert not (folder / "-").exists()
    with_file = score("-o", "./-")
    assert (with_file.out, with_file.status) == ("", 0)
    assert (folder / "-").exists()


def test_scores_are_those_without_the_options(score):
    assert json.loads(score("-cw", "2").out) == json.loads(score().out)
