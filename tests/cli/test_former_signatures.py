"""Signatures of sacreBLEU 1.x, with the scores that those versions printed for these texts."""

from __future__ import annotations

import pytest
from conftest import refused, warnings_in
from hypothesis import example, given
from hypothesis import strategies as st

import bleucli
from bleucli import Signature, metric_from_signature

REFERENCE = """The cat — it sat on “the” mat, so 5.5% of it was red.
東京都に住んでいる友人から手紙が届いた。
It's 1990's best: nobody saw the dog & the bird.
"""
SYSTEM = """the cat — it lay on “a” mat; so 5.5% in it is red.
東京に住む友人から手紙が届いた。
It's the best of the 1990s, and nobody saw the Dog.
"""
# Printed by the versions that they name; those of chrF and TER are shares. Versions in between print the same.
LINES = """
BLEU+case.lc+numrefs.1+smooth.exp+tok.intl+version.1.2.12 = 24.318035 69.4/39.4/20.0/7.1 (BP = 0.973 ratio = 0.973
BLEU+case.lc+numrefs.1+smooth.exp+tok.intl+version.1.5.1 = 24.318035
BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.2.12 = 13.667509
BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.4.14 = 13.667509
BLEU+case.mixed+numrefs.1+smooth.none+tok.zh+version.1.3.7 = 33.921414
BLEU+case.mixed+numrefs.1+smooth.none+tok.zh+version.1.5.1 = 33.921414
TER+t.tercom-nonorm-punct-noasian-uncased+v.1.5.1 = 0.520000
TER+tok.tercom-nonorm-punct-noasian-uncased+version.1.4.14 = 0.520000
chrF2+c.mixed+n.6+#.1+s.False+v.1.4.2 = 0.452570
chrF2+case.lc+numchars.6+numrefs.1+space.False+tok.intl+version.1.2.12 = 0.452570
chrF2+case.lc+numchars.6+numrefs.1+space.False+version.1.4.10 = 0.452570
chrF2+case.mixed+numchars.6+numrefs.1+space.False+tok.13a+version.1.3.7 = 0.452570
chrF2+case.mixed+numchars.6+numrefs.1+space.False+version.1.4.2 = 0.452570
chrF2+n.6+s.false+v.1.4.14 = 0.4525699
chrF2+numchars.6+space.false+version.1.5.1 = 0.4525699
chrF3+case.mixed+numchars.4+numrefs.1+space.False+tok.13a+version.1.2.12 = 0.560724
chrF3+numchars.4+space.false+version.1.5.1 = 0.5607244
""".strip().splitlines()
# TER of 1.4.14 and 1.5.1 for SENTENCE against its reference, by what follows `tercom-`
SENTENCE = "it's a <b>Cat</b>, 1990's. 中文 here!", "It's a cat, 1990 's 中国 文 here ."
TERS = {
    "nonorm-punct-noasian-uncased": 7 / 9,
    "nonorm-punct-noasian-cased": 8 / 9,
    "nonorm-punct-asian-uncased": 7 / 9,
    "nonorm-punct-asian-cased": 8 / 9,
    "nonorm-nopunct-noasian-uncased": 0.625,
    "nonorm-nopunct-noasian-cased": 0.75,
    "nonorm-nopunct-asian-uncased": 0.625,
    "nonorm-nopunct-asian-cased": 0.75,
    "norm-punct-noasian-uncased": 12 / 11,
    "norm-punct-noasian-cased": 14 / 11,
    "norm-punct-asian-uncased": 11 / 12,
    "norm-punct-asian-cased": 13 / 12,
    "norm-nopunct-noasian-uncased": 1.0,
    "norm-nopunct-noasian-cased": 11 / 9,
    "norm-nopunct-asian-uncased": 0.9,
    "norm-nopunct-asian-cased": 1.1,
}
CHRF = "chrF2+case.mixed+numchars.6+numrefs.1+space.False+version.1.4.2"
SHORT_REFERENCES = "; chrF of sacreBLEU 1.x counts differently where a reference has fewer characters than the longest"


@pytest.fixture
def like(run, write):
    """Score as a signature says."""
    write("ref.txt", REFERENCE)
    write("sys.txt", SYSTEM)
    return lambda signature, *words: run("ref.txt", "-i", "sys.txt", "-b", "-w", "9", "--like", signature, *words)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("line", LINES)
def test_an_old_signature_leads_to_the_score_that_it_was_printed_with(like, line):
    signature, _, printed = line.partition(" = ")
    number = printed.split()[0]
    decimals = len(number.partition(".")[2])
    scale = 1 if signature.startswith("BLEU") else 100
    for form in (line, signature):
        answer = like(form)
        assert answer.status == 0, answer.err
        assert f"{float(answer.out) / scale:.{decimals}f}" == number
    score = metric_from_signature(signature).corpus_score(SYSTEM.splitlines(), [REFERENCE.splitlines()])
    assert f"{score.score / scale:.{decimals}f}" == number


@pytest.mark.parametrize("settings", TERS)
@pytest.mark.parametrize("version", ["1.4.14", "1.5.1"])
def test_the_tokenizer_of_old_ters_names_their_settings(settings, version):
    metric = metric_from_signature(f"TER+tok.tercom-{settings}+version.{version}")
    assert metric.sentence_score(SENTENCE[0], [SENTENCE[1]]).score == pytest.approx(100 * TERS[settings], rel=1e-12)


@pytest.mark.parametrize("settings", ["nonorm-punct-noasian", "norm", "nonorm-punct-noasian-upper", ""])
def test_unknown_settings_of_old_ters_are_refused(like, settings):
    signature = f"TER+tok.tercom-{settings}+version.1.5.1"
    if settings in ("nonorm-punct-noasian", "norm"):  # what is missing has its default
        assert like(signature).status == 0
    else:
        refused(like(signature), f"asks for tok:tercom-{settings}")


@pytest.mark.parametrize("version", ["1.2.3", "1.3.6", "1.4.4", "1.4.14", ""])
@pytest.mark.parametrize(("method", "default"), [("floor", "0"), ("add-k", "1")])
@pytest.mark.parametrize("words", [(), ("-s", "exp"), ("-sv", "0.5")])
def test_smoothing_without_its_value_cannot_be_reproduced(like, version, method, default, words):
    ending = f"+version.{version}" if version else ""
    parts = (f"smooth:{method} in the signature lacks the value", f"default was {default}", f"write {method}[VALUE]")
    for signature in (f"BLEU+case.mixed+numrefs.1+smooth.{method}+tok.13a{ending}", f"BLEU+#.1+s.{method}+v.1.3.6"):
        refused(like(signature, *words), *parts)
        with pytest.raises(bleucli.BleuError, match="lacks the value"):
            metric_from_signature(signature)


@pytest.mark.parametrize(("value", "same"), [("0", ("-s", "none")), ("0.3", ("-s", "floor", "-sv", "0.3"))])
def test_the_value_can_be_written_into_the_signature(like, run, value, same):
    answer = like(f"BLEU+case.mixed+numrefs.1+smooth.floor[{value}]+tok.char+version.1.3.6", "-q")
    assert answer == run("ref.txt", "-i", "sys.txt", "-b", "-w", "9", "-q", "-tok", "char", *same)


def test_the_smoothing_that_only_old_versions_had_is_refused(like):
    refused(like("BLEU+case.mixed+numrefs.1+smooth.add-n+tok.13a+version.1.4.2"), "smooth:add-n")


@pytest.mark.parametrize("space", ["space.True", "s.True", "space.true", "s.true"])
def test_old_chrf_with_white_space_counted_the_ends_of_lines(like, space):
    refused(like(f"chrF2+numchars.6+{space}+version.1.4.2"), "also counted the ends of lines")


def test_old_chrf_with_several_references_used_the_first(like, run, write):
    refused(like(CHRF.replace("numrefs.1", "numrefs.2")), "uses only the first reference; give that one alone")
    write("ref2.txt", SYSTEM)
    both = ("ref.txt", "ref2.txt", "-i", "sys.txt", "--like")
    refused(run(*both, "chrF2+numchars.6+space.false+version.1.5.1"), "asks for nrefs:1, but this run has nrefs:2")
    refused(run(*both, CHRF), "asks for nrefs:1, but this run has nrefs:2")


def test_what_old_chrf_signed_but_did_not_use_is_noted(run, like):
    like("")  # writes the files
    words = ("ref.txt", "-i", "sys.txt", "--like", "chrF2+c.lc+n.6+#.1+s.False+tok.intl+v.1.3.6")
    answer = run(*words, terminal=True)
    assert "has case:lc, which chrF of sacreBLEU 1.x did not use" in answer.err
    assert "has tok:intl, which chrF of sacreBLEU 1.x did not use" in answer.err
    refused(run(*words, "--chrf-lowercase"), "asks for case:mixed, but this metric has case:lc")


@pytest.mark.parametrize(
    ("signature", "parts"),
    [
        (CHRF, (f"has version:1.4.2, but this score has version:bleucli-{bleucli.__version__}{SHORT_REFERENCES}",)),
        (CHRF.replace("version.1.4.2", "test.wmt19+lang.de-en"), ("has test:wmt19 and lang:de-en, but this run does",)),
        ("chrF2|nrefs:1|nc:6|version:2.0.0", ("has version:2.0.0, but",)),
        ("BLEU|nrefs:1|bs:1000|seed:12345", ("has bs:1000 and seed:12345, but this score was not resampled in that",)),
        ("BLEU|nrefs:1|origlang:en|subset:news", ("has origlang:en and subset:news, but this run does not",)),
        ("BLEU|nrefs:1|smooth:floor[0.25]", ("smooth:floor[0.25] in the signature of --like may have been rounded",)),
        ("nrefs:1|nc:6", ("does not name its metric; --chrf-beta 2 is assumed",)),
    ],
)
@pytest.mark.parametrize("mode", [(), ("-sl",)])
def test_what_a_run_does_not_follow_is_a_warning_that_strict_refuses(like, signature, parts, mode):
    if mode and signature.startswith("BLEU"):
        signature += "|eff:yes"
    answer = like(signature, *mode)
    warnings = warnings_in(answer)
    assert answer.status == 0
    assert len(warnings) == len(parts)
    for warning, part in zip(warnings, parts, strict=True):
        assert part in warning
    strict = like(signature, *mode, "--strict")
    assert (strict.status, strict.out) == (2, "")
    assert "--strict allows none" in strict.err
    assert warnings_in(strict) == warnings
    assert like(signature, *mode, "-q").err == ""


@pytest.mark.parametrize("words", [("explain", "ref.txt", "-i", "sys.txt", "--line", "1"), ("diversity", "sys.txt")])
def test_other_modes_have_the_warnings_too(run, like, words):
    like("")  # writes the files
    words = (*words, "--like", "BLEU|case:lc|test:wmt17|version:2.6.0")
    warnings = warnings_in(run(*words))
    assert [part for part in ("has version:2.6.0", "has test:wmt17") for line in warnings if part in line]
    assert len(warnings) == 2
    strict = run(*words, "--strict")
    assert (strict.status, strict.out, warnings_in(strict)) == (2, "", warnings)


@given(
    st.sampled_from(["BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0", *LINES]),
    st.sampled_from(["“{}”", "„{}“", "‘{}’", "«{}»", "« {} »", '"{}"', "`{}`", "'{}'", "\N{NO-BREAK SPACE}{}\n", "{}"]),
    st.sampled_from(["{}", " {}", "{} ", " {} ", "\N{NO-BREAK SPACE}{}", "\n{}", "\N{THIN SPACE}{} "]),
)
@example(LINES[0], "“{}”", "{}")
def test_quotation_marks_and_blanks_around_a_signature_do_not_count(text, quotes, blanks):
    plain = Signature.parse(text)
    signature, equals, score = text.partition(" = ")
    for mark in "|+":
        signature = signature.replace(mark, blanks.format(mark))
    for form in (quotes.format(signature) + equals + score, quotes.format(signature + equals + score)):
        parsed = Signature.parse(form)
        assert list(parsed) == list(plain)
        assert (parsed.name, parsed.is_former) == (plain.name, plain.is_former)
