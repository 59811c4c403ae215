"""`--like SIGNATURE` scores as a published signature says, or refuses; signatures are read back in all their forms.

Every option that a signature can name changes the score of these texts; the last test checks that.
"""

from __future__ import annotations

import os
import re

import oracles
import pytest
from conftest import refused as check_refused
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import examples

import bleucli
from bleucli import BleuError, Signature, tokenizers

REFERENCE = (
    "The cat — it sat on “the” mat, so 5.5% of it was red.",
    "",
    "東京都に住んでいる友人から手紙が届いた。",
    "So",
)
SYSTEM = ("the cat — it lay on “a” mat; so 5.5% in it is red.", "x", "東京に住む友人から手紙が届いた。", "so。")
OURS = f"bleucli-{bleucli.__version__}"
WORDS = ("ref.txt", "-i", "sys.txt", "-f", "text", "-w", "6")
NAMES = ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab")
SMOOTHING = (
    ("exp", None),
    ("none", None),
    ("floor", None),
    ("floor", 0.01),
    ("floor", 2.0),
    ("add-k", None),
    ("add-k", 2.5),
)
OPTIONS = (
    {},
    {"lowercase": True},
    {"max_ngram_order": 2},
    {"max_ngram_order": 9},
    {"max_ngram_order": 40, "effective_order": True},
    {"skip_empty_refs": True, "lowercase": True},
    *({"tokenize": name} for name in NAMES[1:]),
    *({"smooth_method": method, "smooth_value": value} for method, value in SMOOTHING[1:]),
    {"lowercase": True, "effective_order": True, "tokenize": "zh", "smooth_method": "add-k", "max_ngram_order": 5},
)
SCORE = " = 26.1 57.9/31.9/19.6/12.5 (BP = 1.000 ratio = 1.001 hyp_len = 64 ref_len = 63)"


@pytest.fixture
def files(write):
    write("ref.txt", "".join(f"{text}\n" for text in REFERENCE))
    write("sys.txt", "".join(f"{text}\n" for text in SYSTEM))


@pytest.fixture
def like(run, files):
    """Score as a signature says, with some more words; return the signature, the score, and the messages."""

    def like(signature, *words):
        answer = run(*WORDS, "--like", signature, *words, terminal=True)
        assert answer.status == 0, answer.err
        signed, number = re.fullmatch(r"BLEU\|(.*) = (\d+\.\d{6}) .*\n", answer.out).groups()
        said = answer.err.splitlines()
        assert not any("error" in line for line in said)
        return signed, number, [line for line in said if "--like" in line]

    return like


@pytest.fixture
def refused(run, files):
    """Check that a signature is refused in one line that holds all `parts`."""
    return lambda signature, *words, parts=(): check_refused(run(*WORDS, "--like", signature, *words), *parts)


def line_of(**options):
    """Return signature and score of the texts, as `like` does, by the Python interface."""
    metric = bleucli.BLEU(force=True, **options)
    score = metric.corpus_score(SYSTEM, [REFERENCE])
    return str(metric.get_signature()), f"{score.score:.6f}"


def forms(signature):
    """Give a signature in all forms: long and short, sacreBLEU's 2.x and 1.x, with the metric's name and without."""
    parsed = Signature.parse(signature)
    for text in (str(parsed), parsed.format(short=True)):
        yield from (text, f"BLEU|{text}", f"BLEU|{text}{SCORE}", f"{text} = 26.1", f"  BLEU|{text}\n")
        if "[" not in text:
            old = text.replace("|", "+").replace(":", ".").replace("nrefs.", "numrefs.")
            yield from (old, f"BLEU+{old}", f"BLEU+{old}{SCORE}")


# --- what decides a score


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_form_of_a_signature_leads_to_the_same_score_and_signature(like, run, write, options):
    if "skip_empty_refs" in options:  # the second segment has one that is not empty
        write("ref.txt", "".join(f"{text or 'y'}\t{text}\n" for text in REFERENCE))
        words = ("-nr", "2")
        metric = bleucli.BLEU(**options)
        score = metric.corpus_score(SYSTEM, [[text or "y" for text in REFERENCE], REFERENCE])
        expected = (str(metric.get_signature()), f"{score.score:.6f}")
    else:
        words, expected = (), line_of(**options)
    for form in forms(expected[0]):
        assert like(form, *words) == (*expected, []), form


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"lowercase": True, "tokenize": "intl"},
        {"effective_order": True, "tokenize": "ja-mecab"},
        {"tokenize": "zh", "smooth_method": "floor", "smooth_value": 0.25},
        {"tokenize": "ko-mecab", "smooth_method": "add-k"},
        {"tokenize": "char", "smooth_method": "none"},
    ],
    ids=str,
)
def test_the_oracles_signatures_lead_to_the_oracles_scores(like, options, short):
    theirs = oracles.bleu(force=True, **options)
    score = theirs.corpus_score(SYSTEM, [REFERENCE])
    signature = theirs.get_signature().format(short)
    signed, number, said = like(score.format(signature=signature))
    assert number == f"{score.score:.6f}"
    assert oracles.without_version(f"|{signed}") == oracles.without_version(f"|{theirs.get_signature()}")
    rounded = [note for note in said if "may have been rounded to two decimals" in note]
    assert len(rounded) == (options.get("smooth_value") == 0.25)
    version = f"bleu: warning: the signature of --like has version:2.6.0, but this score has version:{OURS}"
    assert [note for note in said if note not in rounded] == [version]


@pytest.mark.parametrize("smoothing", ["floor[0.00]", "add-k[0.00]", "exp[0.10]", "none[1.00]"])
def test_smoothing_values_without_meaning_are_refused(run, files, smoothing):
    answer = run(*WORDS, "--like", f"nrefs:1|smooth:{smoothing}|version:2.6.0")
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert smoothing in answer.err


@pytest.mark.parametrize(
    ("name", "part"),
    [("chrF1e+151", "--chrf-beta 1e+151; expected"), ("chrF" + "9" * 5000, "chrF999"), ("chrFx", "chrFx")],
)
def test_an_impossible_beta_is_refused(run, files, name, part):
    answer = run(*WORDS, "--like", f"{name}|nrefs:1|nc:6|nw:0")
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert part in answer.err


@pytest.mark.parametrize("beta", ["9999999999", "0.5"])
def test_any_beta_in_a_name_is_followed(run, files, beta):
    assert run(*WORDS, "-q", "--like", f"chrF{beta}|nc:6").out.startswith(f"chrF{beta}|nrefs:1|")


@pytest.mark.parametrize(
    ("signature", "signed"),
    [
        (
            "BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.4.14",
            "case:mixed|eff:no|tok:13a|smooth:exp",
        ),
        (
            "BLEU+case.lc+lang.en-de+numrefs.1+smooth.none+test.wmt14/full+tok.intl+version.1.2.11 = 28.1 60.1/34.6",
            "case:lc|eff:no|tok:intl|smooth:none",
        ),
        ("BLEU+c.lc+l.en-de+#.1+s.exp+t.wmt17+tok.zh+v.1.5.1", "case:lc|eff:no|tok:zh|smooth:exp"),
        ("BLEU+c.mixed+#.1+s.floor[0.10]+tok.char+v.1.5.0", "case:mixed|eff:no|tok:char|smooth:floor[0.10]"),
        ("BLEU+case.mixed+numrefs.1+smooth.floor.0.01+tok.13a", "case:mixed|eff:no|tok:13a|smooth:floor[0.01]"),
        ("BLEU+case.mixed+numrefs.1+smooth.add-k.2.00+tok.13a", "case:mixed|eff:no|tok:13a|smooth:add-k[2.00]"),
        (
            "BLEU+case.mixed+lang.en-ja+numrefs.1+smooth.exp+test.wmt20+tok.ja-mecab-0.996-IPA+version.1.4.14",
            "case:mixed|eff:no|tok:ja-mecab-0.996-IPA|smooth:exp",
        ),
        ("tok:zh", "case:mixed|eff:no|tok:zh|smooth:exp"),
        ("version:2.6.0", "case:mixed|eff:no|tok:13a|smooth:exp"),
        ("BLEU|nrefs:1|ngram:4", "case:mixed|eff:no|tok:13a|smooth:exp"),
        ("BLEU|nrefs:1|smooth:floor[0.1]", "case:mixed|eff:no|tok:13a|smooth:floor[0.10]"),
        ("BLEU|nrefs:1|smooth:add-k[1]", "case:mixed|eff:no|tok:13a|smooth:add-k[1.00]"),
    ],
)
def test_keys_that_a_signature_leaves_out_have_their_defaults(like, signature, signed):
    assert like(signature)[0] == f"nrefs:1|{signed}|version:{OURS}"


class Model:
    """A tokenizer that needs no model."""

    signature = "flores101"

    def tokenize(self, segments):
        return segments


@pytest.mark.parametrize("asked", ["tok:flores101", "tok:spm", "BLEU+case.mixed+tok.spm+version.1.5.1"])
def test_the_old_name_of_a_tokenizer_means_the_new_one(like, monkeypatch, asked):
    for name in ("flores101", "spm"):
        monkeypatch.setitem(tokenizers._ENTRIES, name, tokenizers._ENTRIES[name]._replace(make=Model))
    assert "|tok:flores101|" in like(asked)[0]
    assert "|tok:flores101|" in like(asked, "-tok", "spm")[0]


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        ("case:lc", ("-lc",)),
        ("tok:zh", ("-tok", "zh")),
        ("tok:zh", ("-l", "en-zh")),
        ("tok:ja-mecab-0.996-IPA", ("-tok", "ja-mecab")),
        ("smooth:floor[0.10]", ("-s", "floor")),
        ("smooth:floor[0.50]", ("-s", "floor", "-sv", "0.5")),
        ("smooth:floor[0.50]", ("-sv", "0.5")),
        ("ngram:2", ("--max-ngram-order", "2")),
        ("tok:13a", ("-m", "bleu")),
        ("eff:no", ("--force",)),
    ],
)
def test_options_that_say_the_same_do_no_harm(like, signature, words):
    assert like(signature, *words) == like(signature)


def test_the_signature_overrides_the_language_pair(like):
    signed, _, _ = like("tok:13a", "-l", "en-zh")
    assert "|tok:13a|" in signed


def test_sentence_level_follows_a_signature_with_effective_order(run, files):
    answer = run(*WORDS, "-q", "-sl", "--like", "case:lc|eff:yes|tok:intl|smooth:floor[0.50]")
    assert answer.status == 0
    assert answer.out.count(f"BLEU|nrefs:1|case:lc|eff:yes|tok:intl|smooth:floor[0.50]|version:{OURS} = ") == len(
        SYSTEM
    )


@pytest.mark.parametrize("form", ["json", "text"])
def test_other_metrics_beside_bleu_are_scored_as_usual(run, files, form):
    answer = run(*WORDS, "-q", "-m", "bleu", "chrf", "ter", "-f", form, "--like", "case:lc|tok:intl")
    alone = run(*WORDS, "-q", "-m", "bleu", "chrf", "ter", "-f", form, "-lc", "-tok", "intl")
    assert answer == alone


OTHER_METRICS = (
    *(
        ("chrf", options)
        for options in (
            {},
            {"word_order": 2},
            {"char_order": 4},
            {"beta": 3},
            {"beta": 1, "word_order": 1},
            {"whitespace": True},
            {"lowercase": True},
            {"eps_smoothing": True},
        )
    ),
    *(
        ("ter", options)
        for options in (
            {},
            {"normalized": True},
            {"no_punct": True},
            {"case_sensitive": True},
            {"normalized": True, "asian_support": True},
            {"no_punct": True, "asian_support": True},
        )
    ),
)


@pytest.mark.parametrize(("metric", "options"), OTHER_METRICS, ids=str)
def test_signatures_of_chrf_and_ter_are_followed(run, files, metric, options):
    theirs = {"chrf": oracles.chrf, "ter": oracles.ter}[metric](**options)
    score = theirs.corpus_score(SYSTEM, [REFERENCE])
    signature = theirs.get_signature()
    line = f"{score.name}|{signature}".replace("version:2.6.0", f"version:{OURS}")
    for text in (str(signature), signature.format(short=True)):
        named = (f"{score.name}|{text}", f"{score.name}|{text} = 50.1", f" {score.name}|{text} ")
        for form in named if "beta" in options else (text, *named):  # only the name says beta
            answer = run(*WORDS, "--like", form, terminal=True)
            assert (answer.status, answer.out) == (0, f"{line} = {score.score:.6f}\n"), form
            assert answer.err.count("--like has") == answer.err.count("--like has version:2.6.0") == 1


def test_chrf_and_ter_distinguish_their_options(run, files):
    answers = [
        run(*WORDS, "-q", "-b", "--like", f"{score.name}|{metric.get_signature()}").out
        for metric in (getattr(oracles, name)(**options) for name, options in OTHER_METRICS)
        for score in [metric.corpus_score(SYSTEM, [REFERENCE])]
    ]
    assert len(set(answers)) == len(OTHER_METRICS)


@pytest.mark.parametrize(
    ("signature", "signed"),
    [
        ("chrF2+numchars.6+space.false+version.1.5.1 = 0.571", "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no"),
        ("chrF2+lang.en-de+numchars.4+space.false+test.wmt17", "chrF2|nrefs:1|case:mixed|eff:yes|nc:4|nw:0|space:no"),
        ("chrF++|nrefs:1|nc:6|nw:2", "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no"),
        ("nc:5", "chrF2|nrefs:1|case:mixed|eff:yes|nc:5|nw:0|space:no"),
        ("TER|nrefs:1", "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no"),
        ("norm:yes", "TER|nrefs:1|case:lc|tok:tercom|norm:yes|punct:yes|asian:no"),
        ("spBLEU|nrefs:1|tok:13a", "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp"),
    ],
)
def test_a_signature_names_the_metric(run, files, signature, signed):
    answer = run(*WORDS, "-q", "--like", signature)
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith(f"{signed}|version:{OURS} = ")


def test_empty_references_count_as_missing_for_chrf_and_ter_too(run, write):
    write("ref.txt", "a b c d\t\n")
    write("sys.txt", "a b c e\n")
    for name in ("chrf", "ter"):
        expected = run(*WORDS, "-q", "-nr", "2", "-m", name, "--skip-empty-refs")
        assert "|empty:missing|" in expected.out
        assert run(*WORDS, "-q", "-nr", "2", "--like", expected.out) == expected


# --- what does not decide a score


@pytest.mark.parametrize(
    ("signature", "lines"),
    [
        ("nrefs:1|version:2.3.1", [f"warning: … has version:2.3.1, but this score has version:{OURS}"]),
        ("nrefs:1|version:bleucli-0.0.1", [f"warning: … has version:bleucli-0.0.1, but this score has version:{OURS}"]),
        ("tok:13a|v:1.4.14|#:1", [f"warning: … has version:1.4.14, but this score has version:{OURS}"]),
        ("tok:13a", ["note: … does not have nrefs, which is 1 here"]),
        (
            "nrefs:1|test:wmt17|lang:en-de",
            ["warning: … has test:wmt17 and lang:en-de, but this run does not; its texts may be others"],
        ),
        (
            "#:1|ar:10000|rs:1",
            [
                "warning: … has ar:10000 and seed:1, but this score was not resampled in that way; to do so, use"
                " --confidence or a paired test"
            ],
        ),
        (f"nrefs:1|version:{OURS}", []),
    ],
)
def test_keys_that_do_not_decide_a_score_are_told(like, run, signature, lines):
    _, _, said = like(signature)
    assert said == [f"bleu: {line.replace('…', 'the signature of --like')}" for line in lines]
    quiet = run(*WORDS, "-q", "--like", signature, terminal=True)
    assert (quiet.status, quiet.err) == (0, "")


def test_notes_are_printed_once_for_many_systems(run, files, write):
    write("sys2.txt", "x\n" * len(SYSTEM))
    answer = run("ref.txt", "-i", "sys.txt", "sys2.txt", "--like", "BLEU|test:wmt17|tok:13a|version:1.0", terminal=True)
    assert answer.err.count("has test:wmt17") == answer.err.count("has version:1.0") == 1
    assert answer.err.count("does not have nrefs") == 1


def test_sentence_level_has_the_notes_too(run, files):
    answer = run(*WORDS, "-sl", "--like", "test:wmt17|eff:yes|version:2.0.0", terminal=True)
    assert answer.status == 0
    assert answer.err.count("has test:wmt17, but this run does not") == answer.err.count("has version:2.0.0") == 1
    assert answer.err.count("does not have nrefs, which is 1 here") == 1


# --- other texts


@pytest.mark.parametrize("signature", ["nrefs:2", "#:var|tok:13a", "BLEU+case.mixed+numrefs.4+tok.13a", "TER|#:2"])
@pytest.mark.parametrize("words", [(), ("-ci", "-cin", "2"), ("-nr", "1")])
def test_another_number_of_references_is_refused(refused, signature, words):
    """The signature and this run name different texts."""
    refused(signature, *words, parts=("--like asks for nrefs:", "but this run has nrefs:1"))


def test_another_number_of_references_is_refused_by_segment(refused):
    refused("nrefs:2|eff:yes", "-sl", parts=("asks for nrefs:2, but this run has nrefs:1",))


def test_another_number_of_references_is_refused_before_a_text_is_read(run):
    words = ("none.txt", "none2.txt", "-i", "none3.txt", "--like", "nrefs:1")
    assert "but this run has nrefs:2" in run(*words).err
    like_missing = run(*words[:-1], "nrefs:1|empty:missing")  # known only after reading
    assert "No such file" in like_missing.err


@pytest.mark.parametrize("extra", [(), ("-sl",)])
@pytest.mark.parametrize(
    ("counts", "nrefs"), [((1, 1, 1), "1"), ((2, 2, 2), "2"), ((1, 2, 1), "var"), ((2, 1, 2), "var")]
)
def test_references_that_come_with_the_segments_are_counted(run, write, counts, nrefs, extra):
    lines = (f'{{"hypothesis": "a b c d", "references": {["a b c e"] * count}}}\n' for count in counts)
    write("items.jsonl", "".join(lines).replace("'", '"'))
    for asked in ("1", "2", "var"):
        eff = "yes" if extra else "no"
        answer = run("-i", "items.jsonl", "-o", "out.txt", *extra, "--like", f"nrefs:{asked}|eff:{eff}")
        if asked == nrefs:
            assert (answer.status, answer.err) == (0, "")
            os.remove("out.txt")
        else:
            assert (answer.status, answer.out, os.listdir()) == (2, "", ["items.jsonl"])
            assert f"asks for nrefs:{asked}, but this run has nrefs:{nrefs}" in answer.err


def test_missing_references_make_their_number_vary(refused, write):
    write("ref.txt", "a\tb\n" * (len(SYSTEM) - 1) + "a\t\n")
    parts = ("asks for nrefs:2, but this run has nrefs:var",)
    refused("nrefs:2|empty:missing", "-nr", "2", parts=parts)
    refused("nrefs:2|empty:missing|eff:yes", "-nr", "2", "-sl", parts=parts)


# --- refusals


@pytest.mark.parametrize(
    ("signature", "words", "parts"),
    [
        ("case:mixed", ("-lc",), ("asks for case:mixed", "metric has case:lc")),
        ("tok:13a", ("-tok", "zh"), ("asks for tok:13a", "metric has tok:zh")),
        ("tok:zh", ("-tok", "13a"), ("asks for tok:zh", "metric has tok:13a")),
        ("version:2.6.0", ("-tok", "char"), ("asks for tok:13a", "metric has tok:char")),
        ("smooth:exp", ("-s", "floor"), ("asks for smooth:exp", "metric has smooth:floor[0.10]")),
        ("smooth:floor[0.10]", ("-s", "exp"), ("asks for smooth:floor[0.10]", "metric has smooth:exp")),
        ("smooth:floor[0.10]", ("-sv", "0.5"), ("asks for smooth:floor[0.10]", "metric has smooth:floor[0.50]")),
        ("smooth:floor", ("-sv", "0.5"), ("smooth:floor in the signature lacks the value",)),
        ("ngram:2", ("--max-ngram-order", "4"), ("asks for ngram:2",)),
        ("tok:13a", ("--max-ngram-order", "2"), ("metric has ngram:2",)),
        ("tok:13a", ("--skip-empty-refs", "-nr", "2"), ("metric has empty:missing",)),
        ("eff:no", ("-sl",), ("asks for eff:no", "metric has eff:yes")),
        ("tok:13a", ("-m", "chrf"), ()),
        ("tok:13a", ("-m", "ter"), ()),
    ],
)
def test_options_that_contradict_the_signature_are_refused(refused, write, signature, words, parts):
    if "-nr" in words:
        write("ref.txt", "a\tb\n" * len(SYSTEM))
    refused(signature, *words, parts=parts)


@pytest.mark.parametrize(
    ("signature", "parts"),
    [
        ("case:upper", ("case:upper",)),
        ("eff:maybe", ("eff:maybe",)),
        ("tok:14a", ("'14a'",)),
        ("tok:ja-mecab-0.996-UNIDIC", ("asks for tok:ja-mecab-0.996-UNIDIC", "metric has tok:ja-mecab-0.996-IPA")),
        ("tok:ja-mecab-0.900-IPA", ("asks for tok:ja-mecab-0.900-IPA",)),
        (
            "tok:spm-0123abcd",
            ("spm-0123abcd names a SentencePiece model by its SHA-256; give the file instead: -tok spm:",),
        ),
        ("tok:", ()),
        ("smooth:linear", ("linear",)),
        ("smooth:floor[much]", ("floor[much]",)),
        ("smooth:floor[nan]", ()),
        ("smooth:floor[-1]", ()),
        ("smooth:floor[1e999]", ()),
        ("smooth:", ()),
        ("ngram:0", ("0",)),
        ("ngram:-1", ("-1",)),
        ("ngram:many", ("ngram:many",)),
        ("ngram:²", ()),
        ("ngram:2.5", ()),
        ("ngram:1000000", ("1000000",)),
        ("ngram:" + "9" * 5000, ()),
        ("empty:0", ("empty:0",)),
    ],
)
def test_values_that_cannot_be_reproduced_are_refused(refused, signature, parts):
    refused(signature, parts=parts)


@pytest.mark.parametrize(
    ("signature", "words", "parts"),
    [
        ("chrF2|nrefs:1|nc:6|nw:0", ("-cc", "4"), ("asks for nc:6", "metric has nc:4")),
        ("chrF2|nrefs:1|nc:6|nw:0", ("-cw", "2"), ("asks for nw:0", "metric has nw:2")),
        ("chrF2|nrefs:1|nc:6|nw:0", ("--chrf-beta", "3"), ("asks for beta:2", "metric has beta:3")),
        ("chrF2|nrefs:1|nc:6|nw:0|space:no", ("--chrf-whitespace",), ("asks for space:no", "metric has space:yes")),
        ("chrF2|nrefs:1|eff:yes|nc:6", ("--chrf-eps-smoothing",), ("asks for eff:yes", "metric has eff:no")),
        ("chrF2|nrefs:1|case:mixed|nc:6", ("--chrf-lowercase",), ("asks for case:mixed", "metric has case:lc")),
        ("chrF2|nrefs:1|nc:6", ("-m", "bleu"), ("chrf",)),
        ("chrF2|nrefs:1|nc:six", (), ("nc:six",)),
        ("chrF2|nrefs:1|nc:0|nw:0", (), ()),
        ("chrF2|nrefs:1|nc:6|tok:13a", (), ("'tok'",)),
        ("chrF2|nrefs:1|nc:6|colour:red", (), ("'colour'",)),
        ("TER|nrefs:1|case:lc|tok:tercom|norm:no", ("--ter-normalized",), ("asks for norm:no", "metric has norm:yes")),
        ("TER|nrefs:1|case:lc|tok:tercom", ("--ter-case-sensitive",), ("asks for case:lc", "metric has case:mixed")),
        ("TER|nrefs:1|case:lc|tok:tercom", ("--ter-no-punct",), ("asks for punct:yes", "metric has punct:no")),
        ("TER|nrefs:1|case:lc|tok:tercom", ("--ter-asian-support",), ("asks for asian:no", "metric has asian:yes")),
        ("TER|nrefs:1|case:lc|tok:tercom", ("-m", "bleu", "chrf"), ("ter",)),
        ("TER|nrefs:1|case:lc|tok:13a", (), ("tok:13a",)),
        ("TER|nrefs:1|norm:perhaps", (), ("norm:perhaps",)),
        ("TER|nrefs:1|smooth:exp", (), ("'smooth'",)),
    ],
)
def test_options_that_contradict_a_signature_of_chrf_or_ter_are_refused(refused, signature, words, parts):
    refused(signature, *words, parts=parts)


GARBAGE = (
    "",
    " ",
    "BLEU",
    "BLEU = 26.1",
    "26.1",
    "hello world",
    "tok",
    "tok=13a",
    "BLEU|tok",
    "BLEU|:13a",
    "BLEU||tok:13a",
    "tok:13a|",
    "tok:13a|tok:13a",
    "nrefs:1|#:1",
    "case:lc|c:lc",
    "BLEU|BLEU|tok:13a",
    "a:b",
    "nonsense:1|tok:13a",
    "METEOR|nrefs:1|case:mixed|version:1.0",
    "Score|tok:13a",
    "BLEU+a.b",
    "+",
    "|",
    ":",
    ".",
    "\n",
    "line\nbreak:1",
    "tok:13a\ntok:13a",
    "\u2028:\u2029",
    "\0:\0",
)


@pytest.mark.parametrize("signature", GARBAGE, ids=ascii)
def test_garbage_is_refused(refused, signature):
    refused(signature)


def test_an_unknown_key_is_named(refused):
    refused("BLEU|nrefs:1|case:mixed|colour:red|version:2.6.0", parts=("'colour'",))


def test_an_invalid_signature_is_refused_before_anything_is_read(run):
    answer = run("nofile", "-i", "nofile", "--like", "nonsense")
    assert answer.status == 2
    assert "'nonsense' is not a signature" in answer.err


# --- parsing signatures

text_names = st.sampled_from(["wmt17", "wmt14/full", "mtnt1.1/train", "iwslt17/dev2010"])
BLEU_KEYS = {
    "nrefs": st.sampled_from(["1", "2", "11", "var"]),
    "bs": st.sampled_from(["1000", "50"]),
    "ar": st.sampled_from(["10000"]),
    "seed": st.sampled_from(["12345", "0"]),
    "test": text_names,
    "lang": st.sampled_from(["en-de", "zh-en"]),
    "origlang": st.sampled_from(["en", "non-en"]),
    "subset": st.sampled_from(["country", "news"]),
    "case": st.sampled_from(["mixed", "lc"]),
    "eff": st.sampled_from(["yes", "no"]),
    "tok": st.sampled_from(
        [*NAMES[:5], "ja-mecab-0.996-IPA", "ko-mecab-0.996/ko-0.9.2-KO", "spBLEU-1K", "spm-0a1b2c3d"]
    ),
    "smooth": st.sampled_from(["exp", "none", "floor[0.10]", "add-k[1.00]", "floor[0.125]"]),
    "ngram": st.sampled_from(["2", "9"]),
    "empty": st.just("missing"),
    "version": st.sampled_from([OURS, "2.6.0", "1.4.14"]),
}
COMMON = ("nrefs", "bs", "ar", "seed", "test", "lang", "origlang", "subset", "case", "empty", "version")
yes_or_no = st.sampled_from(["yes", "no"])
CHRF_KEYS = {key: BLEU_KEYS[key] for key in (*COMMON[:9], "eff")} | {
    "nc": st.sampled_from(["6", "10"]),
    "nw": st.sampled_from(["0", "2"]),
    "space": yes_or_no,
    "empty": BLEU_KEYS["empty"],
    "version": BLEU_KEYS["version"],
}
TER_KEYS = {key: BLEU_KEYS[key] for key in COMMON[:9]} | {
    "tok": st.just("tercom"),
    "norm": yes_or_no,
    "punct": yes_or_no,
    "asian": yes_or_no,
    "empty": BLEU_KEYS["empty"],
    "version": BLEU_KEYS["version"],
}


@st.composite
def signatures(draw):
    """Draw a metric's name and a signature with some of its keys, in their order."""
    name, keys = draw(st.sampled_from([("BLEU", BLEU_KEYS), ("chrF2++", CHRF_KEYS), ("TER", TER_KEYS)]))
    chosen = draw(st.lists(st.sampled_from(list(keys)), min_size=1, unique=True).map(set))
    return name, Signature([(key, draw(values)) for key, values in keys.items() if key in chosen])


@given(signatures(), st.booleans())
def test_signatures_are_read_back_as_they_were_written(drawn, short):
    name, signature = drawn
    text = signature.format(short)
    for form in (text, f"{name}|{text}", f"{name}|{text}{SCORE}", f" {text} "):
        parsed = Signature.parse(form)
        assert parsed == signature
        assert list(parsed) == list(signature)
        assert parsed.format(short) == text
    assert hash(Signature.parse(text)) == hash(signature)
    assert repr(signature) == str(signature)


@given(signatures())
def test_old_signatures_are_read_as_the_new_ones(drawn):
    name, signature = drawn
    for text in (str(signature), signature.format(short=True)):
        old = text.replace("|", "+").replace(":", ".")
        for form in (
            old,
            f"{name.rstrip('+')}+{old}",
            f"{name.rstrip('+')}+{old.replace('nrefs.', 'numrefs.')}{SCORE}",
        ):
            assert list(Signature.parse(form)) == list(signature)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (oracles.bleu(), bleucli.BLEU()),
        (oracles.bleu(tokenize="ko-mecab"), bleucli.BLEU(tokenize="ko-mecab")),
        (oracles.bleu(smooth_method="floor"), bleucli.BLEU(smooth_method="floor")),
        (oracles.chrf(), bleucli.CHRF()),
        (oracles.chrf(word_order=2, whitespace=True), bleucli.CHRF(word_order=2, whitespace=True)),
        (oracles.ter(), bleucli.TER()),
        (oracles.ter(no_punct=True, normalized=True), bleucli.TER(no_punct=True, normalized=True)),
    ],
)
@pytest.mark.parametrize("short", [False, True])
def test_the_oracles_signatures_are_read_as_ours(theirs, ours, short):
    for metric in (theirs, ours):
        metric.corpus_score(["a b c d"], [["a b c e"]])
    expected = ours.get_signature().info | {"version": "2.6.0"}
    assert Signature.parse(theirs.get_signature().format(short)).info == expected


@pytest.mark.parametrize("text", ["", "BLEU", "hello", "tok", "BLEU|tok", "BLEU|:13a", "BLEU||tok:13a"])
def test_the_error_about_an_invalid_signature_shows_a_valid_one(text):
    with pytest.raises(BleuError, match=re.escape("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp")):
        Signature.parse(text)


@given(st.text(st.sampled_from("BLEUtokcase:|+.=[] 13a\n\0é#"), max_size=30))
@examples(300)
@example("tok:13a|s:")
@example(":")
def test_any_text_is_a_signature_or_an_error(text):
    try:
        signature = Signature.parse(text)
    except BleuError:
        return
    assert signature.info
    assert all(signature.info)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_all_these_options_score_these_texts_differently():
    scores = [line_of(**options)[1] for options in OPTIONS if "skip_empty_refs" not in options]
    assert len(set(scores)) == len(scores) > 1
