"""`-f paper` and the footnote of `-f latex`: everything in them follows from the run."""

from __future__ import annotations

import re
import sys
from array import array
from types import SimpleNamespace

import pytest
from conftest import refused
from sample_results import HOSTILE, SIGNATURE, one, paired, ranked, record, results
from test_output_latex import pdflatex  # noqa: F401

import bleucli
from bleucli import BLEU, BleuError, Results, __version__
from bleucli import metrics as metrics_room
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics import Metric
from bleucli.metrics.options import SKIP_EMPTY_REFS, Option
from bleucli.metrics.score import Score
from bleucli.output import documents, render
from bleucli.output.layout import Layout
from bleucli.output.paper import facts, facts_of, find_use, papers, sentences
from bleucli.results import Fact, ScoreRecord, citations
from bleucli.results.signature import Signature

REF, STRONG, WEAK = "reference.A.de.txt", "strong.de.txt", "weak.de.txt"
DEMO = ("-t", "demo", "-l", "en-de")
TOOL = f"bleucli {__version__}"


@pytest.fixture
def paper(run, demo_files):
    """Return what is printed for a paper, without Markdown's escapes."""

    def paper(*words):
        answer = run("-q", *words, "-f", "paper")
        assert (answer.status, answer.err) == (0, "")
        return re.sub(r"\\([\\`*_\[\]<>|~&$])", r"\1", answer.out)

    return paper


def section(text, title):
    """Return the lines of a section."""
    return text.partition(f"### {title}\n\n")[2].partition("\n\n")[0].splitlines()


def signed(name, fields, **more):
    """Return a score with a signature."""
    return record(50.0, name, **more)._replace(signature=Signature.parse(fields))


def told(*records):
    """Return the sentences about one system's scores."""
    return sentences(one(*records), Layout())


# --- the block


def test_a_score_is_described_in_sentences_facts_and_papers(paper):
    out = paper(REF, "-i", STRONG)
    assert out.startswith(
        "|    System |  BLEU ↑  |\n|----------:|:--------:|\n| strong.de |   48.6   |\n\n### What to write"
    )
    assert section(out, "What to write") == [
        "We report BLEU (Papineni et al., 2002) on 100 segments with one reference each, computed with"
        f" {TOOL}, which follows sacreBLEU (Post, 2018).",
        "BLEU is case-sensitive and uses the 13a tokenizer, exp smoothing and n-grams of up to 4 tokens.",
    ]
    assert section(out, "How the scores were made") == [
        f"- Tool: {TOOL}, which follows sacreBLEU (Post, 2018)",
        "- Segments: 100",
        "- References: one reference each",
        "- Test set: your own files; describe them",
        "- Significance: Not tested.",
        "- BLEU",
        f"  - Signature: `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:bleucli-{__version__}`",
        "  - N-grams: of 1 to 4 tokens",
        "  - Tokenizer: 13a, the tokenizer of mteval-v13a, which WMT uses",
        "  - Case: case-sensitive (mixed)",
        "  - Smoothing: exp: the first order without a match counts as half a match, the second as a quarter, and so on"
        "; here every order has a match, so smoothing changed nothing",
    ]
    cited = section(out, "What to cite")
    assert [line.partition(" (")[0] for line in cited] == [
        "- Kishore Papineni, Salim Roukos, Todd Ward, Wei-Jing Zhu",
        "- Matt Post",
    ]
    assert all(re.search(r"https://\S+$", line) for line in cited)


def test_a_test_set_is_named_with_the_part_that_was_scored(run, paper):
    run(*DEMO, "--echo", "strong", "-o", "strong")
    out = paper(*DEMO, "-i", "strong")
    assert " on 100 segments of demo (en-de) with one reference each" in out
    assert "- Test set: demo (en-de)\n" in out
    assert "- the test set: `bleu -t demo --cite` prints its paper, if one is known\n" in out


def test_the_part_of_a_test_set_is_named():
    made = one(signed("TER", "nrefs:1|test:a,b|lang:en-de|origlang:non-de|subset:^news|case:lc|tok:tercom"))
    part = "a and b (en-de; only segments not first written in de; only the subset ^news)"
    assert dict(facts(made, Layout()))["Test set"] == part
    assert f"on 20 segments of {part} with one reference each" in sentences(made, Layout())[0]


def test_every_metric_is_described_and_cited(paper):
    out = paper(REF, REF, "-i", STRONG, "-m", "bleu", "chrf++", "ter", "wer", "cer", "-lc")
    assert section(out, "What to write") == [
        "We report BLEU (Papineni et al., 2002), chrF2++ (Popović, 2017), TER (Snover et al., 2006),"
        " WER (Levenshtein, 1966) and CER (Levenshtein, 1966) on 100"
        f" segments with 2 references each, computed with {TOOL}, which follows sacreBLEU (Post, 2018) for BLEU,"
        " chrF2++ and TER.",
        "BLEU is case-insensitive and uses the 13a tokenizer, exp smoothing and n-grams of up to 4 tokens.",
        "chrF2++ is case-sensitive and uses n-grams of up to 6 characters and n-grams of up to 2 words.",
        "TER is case-insensitive and uses tercom's tokens (no normalization, punctuation kept, no Asian support).",
        "WER is case-sensitive.",
        "CER is case-sensitive.",
    ]
    assert "Popović (2017): chrF++" in out
    assert "Popović (2015)" not in out


def test_settings_other_than_the_defaults_are_named():
    """White space, eps smoothing, normalization and Asian support changed the score, but not the sentence."""
    settings = told(signed("chrF2", "nrefs:1|case:mixed|eff:no|nc:6|nw:0|space:yes"))[1]
    assert (
        settings
        == "chrF2 is case-sensitive and uses n-grams of up to 6 characters (white space included) and eps smoothing."
    )
    made = one(signed("TER", "nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes"))
    words = "normalization, punctuation deleted, Asian support"
    assert f"tercom's tokens ({words})" in sentences(made, Layout())[1]
    assert dict(facts_of(made, 0))["Tokenizer"] == f"tercom: {words}"


def test_metrics_that_sacrebleu_lacks_do_not_follow_it(paper):
    for words in (("-s", "add-one"), ("--skip-empty-refs",), ("-s", "chen-cherry-2")):
        out = paper(REF, "-i", STRONG, *words)
        assert "sacreBLEU" not in out
        assert "Papineni" in out
    assert "technique 2 of Chen and Cherry 2014" in out
    assert "A Systematic Comparison of Smoothing Techniques" in out


@pytest.mark.parametrize(
    ("tokenizer", "told", "cited"),
    [
        ("none", "none: white space separates tokens", ()),
        ("ja-mecab-0.996-IPA", "MeCab with the IPA dictionary", ("Kudo et al., 2004",)),
        ("flores200", "FLORES-200 (spBLEU)", ("NLLB Team, 2022", "Kudo and Richardson, 2018")),
        ("spBLEU-1K", "spBLEU-1K", ("Elmadany et al., 2024", "Kudo and Richardson, 2018")),
        ("spm-14bb8dfb", "a custom SentencePiece model", ("Kudo and Richardson, 2018",)),
    ],
)
def test_tokenizers_are_described_and_cited(tokenizer, told, cited):
    made = one(signed("BLEU", f"nrefs:1|case:mixed|eff:no|tok:{tokenizer}|smooth:exp|version:bleucli-1"))
    assert told in dict(facts_of(made, 0))["Tokenizer"]
    shorts = [one.short for one in papers(find_use(made, Layout()))]
    assert shorts == ["Papineni et al., 2002", *cited, *(["Post, 2018"] if "spm-" not in tokenizer else [])]
    in_brackets = f" ({'; '.join(cited)})" if cited else ""
    assert f"uses the {tokenizer} tokenizer{in_brackets}, exp smoothing" in sentences(made, Layout())[1]


@pytest.mark.parametrize("name", ["13a", "intl", "zh", "char", "none", "flores101", "flores200", "spBLEU-1K"])
def test_every_tokenizer_is_known(name):
    made = one(signed("BLEU", f"nrefs:1|tok:{name}|smooth:exp"))
    assert "Tokenizer" in dict(facts_of(made, 0))


def test_a_smoothing_changed_nothing_only_where_every_order_has_a_match(run, write):
    write("ref", "a b c d e\n")
    write("one", "a b c d e\n")
    write("other", "a b c x e\n")
    words = ("-f", "paper", "-q", "-s")
    assert "changed nothing" in run("ref", "-i", "one", *words, "exp").out
    assert "changed nothing" in run("ref", "-i", "one", *words, "floor").out
    assert "changed nothing" not in run("ref", "-i", "one", *words, "add-k").out
    assert "changed nothing" not in run("ref", "-i", "other", *words, "exp").out
    assert "changed nothing" not in run("ref", "-i", "one", "other", *words, "none").out


@pytest.mark.parametrize(
    ("nrefs", "expected"),
    [("1", "one reference each"), ("3", "3 references each"), ("var", "varying numbers of references")],
)
def test_references_are_counted(nrefs, expected):
    assert f"with {expected}, computed" in told(signed("TER", f"nrefs:{nrefs}|case:lc|tok:tercom"))[0]
    line = told(signed("TER", f"nrefs:{nrefs}|case:lc|tok:tercom|empty:missing"))[0]
    assert f"{expected}, without empty ones" in line


# --- tests


def test_tests_that_were_not_run_are_not_mentioned(paper):
    out = paper(REF, "-i", STRONG, WEAK)
    assert "- Significance: Not tested.\n" in out
    for word in ("Koehn", "Riezler", "Romano", "p-value", "interval", "seed"):
        assert word not in out


@pytest.mark.parametrize(
    ("words", "sentence", "cited"),
    [
        (
            ("-par",),
            "Paired approximate randomization (Riezler and Maxwell, 2005) with 10000 trials and seed 12345 compared"
            " weak.de with strong.de; p-values are not corrected for multiple comparisons.",
            {"Riezler"},
        ),
        (
            ("-pbs",),
            "Paired bootstrap resampling (Koehn, 2004) with 1000 resamples and seed 12345 compared weak.de with"
            " strong.de; p-values are not corrected for multiple comparisons. Confidence intervals (95%) are from 1000"
            " bootstrap resamples (Koehn, 2004).",
            {"Koehn"},
        ),
        (
            ("-par", "--paired-all"),
            "Paired approximate randomization (Riezler and Maxwell, 2005) with 10000 trials and seed 12345 compared"
            " every system with every other; p-values are corrected for the number of pairs by step-down max-T"
            " (Romano and Wolf, 2005).",
            {"Riezler", "Romano"},
        ),
        (("-par", "--bold-best"), "compared weak.de with strong.de", {"Riezler", "Romano"}),
        (
            ("-ci",),
            "Not tested. Confidence intervals (95%) are from 1000 bootstrap resamples (Koehn, 2004) with seed 12345.",
            {"Koehn"},
        ),
    ],
)
def test_a_test_is_described_as_it_was_run(paper, words, sentence, cited):
    out = paper(REF, "-i", STRONG, WEAK, *words)
    (line,) = [line for line in section(out, "How the scores were made") if line.startswith("- Significance: ")]
    assert sentence in line
    papers = "\n".join(section(out, "What to cite"))
    assert {name for name in ("Koehn", "Riezler", "Romano") if name in papers} == cited


def test_a_missing_seed_is_described_in_words(run, demo_files):
    out = run(REF, "-i", STRONG, "-ci", "-cin", "10", "-f", "paper", "-q", variables={"BLEU_SEED": "none"}).out
    assert "(Koehn, 2004) with no fixed seed." in out


def test_several_systems_are_compared_with_the_first():
    assert "compared every other system with a.txt" in " ".join(sentences(paired(), Layout()))
    assert "compared every system with every other" in " ".join(sentences(ranked(), Layout()))


def test_an_unusual_scale_is_named(paper):
    out = paper(REF, "-i", STRONG, "--scale", "1")
    assert "0.486" in out
    assert "Scores range from 0 to 1.\n" in out
    out = paper(REF, "-i", STRONG, "-m", "bleu", "ter", "--scale", "1")
    assert "Scores range from 0 to 1; error rates may be higher." in out
    assert "percentages" not in paper(REF, "-i", STRONG)


def test_scores_from_elsewhere_are_described_as_means(run, write):
    write("a", "1\n2\n")
    write("b", "1\n4\n")
    out = run("--segment-scores", "-i", "a", "b", "-f", "paper", "-q", "-par").out
    assert section(out, "What to write")[0] == f"Scores are means over 2 segments, computed with {TOOL}."
    assert "sacreBLEU" not in out
    assert [line[2:8] for line in section(out, "What to cite")] == ["Stefan"]


# --- custom metrics


class ExactMatch(Metric[Score]):
    """The example of CONTRIBUTING, with an option whose key BLEU's signatures have, too."""

    name = "EM"
    options = (
        Option("lowercase", bool, False, ("--em-lowercase",), key="case", words=("mixed", "lc"), ours=True),
        Option("smooth", str, "add1", ("--em-smooth",), key="smooth", ours=True),
        SKIP_EMPTY_REFS,
    )

    def __init__(self, lowercase=False, smooth="add1", references=None, *, skip_empty_refs=False):
        self.lowercase = self.check("lowercase", lowercase)
        self.smooth = self.check("smooth", smooth)
        super().__init__(references=references, skip_empty_refs=skip_empty_refs)

    def prepare(self, segments):
        return segments.lower() if self.lowercase else segments

    def compare(self, hypotheses, references):
        rows = zip(hypotheses, *references.streams, strict=True)
        counts = [number for text, *others in rows for number in (text in others, 1)]
        return SegmentStats(memoryview(array("q", counts)), columns=2)

    def score_from_stats(self, sums):
        score = Score()
        score.name, score.score = self.name, 100 * sums[0] / sums[1]
        return score


@pytest.fixture
def exact_match(monkeypatch):
    """Offer the metric as `-m em`."""
    monkeypatch.setitem(sys.modules, "bleucli.metrics.em", SimpleNamespace(ExactMatch=ExactMatch))
    monkeypatch.setitem(metrics_room._CLASSES, "em", "ExactMatch")


@pytest.mark.parametrize("smooth", ["add1", "floor", "chen-cherry-1", "none"])
def test_nobody_says_of_a_metric_what_only_holds_for_another(paper, run, exact_match, smooth):
    out = paper(REF, "-i", STRONG, "-m", "em", "--em-smooth", smooth)
    assert section(out, "What to write") == [
        f"We report EM on 100 segments with one reference each, computed with {TOOL}.",
        "EM is case-sensitive.",
    ]
    assert section(out, "How the scores were made")[5:] == [
        "- EM",
        f"  - Signature: `nrefs:1|case:mixed|smooth:{smooth}|version:bleucli-{__version__}`",
        "  - Case: case-sensitive (mixed)",
    ]
    assert "What to cite" not in out
    made = bleucli.evaluate_systems({"ours": ["a"]}, [["b"]], ExactMatch(smooth=smooth))
    assert bleucli.cite(made) == run("--cite", "-m", "em").out
    assert bleucli.cite(made).startswith("@misc{bleucli,")


def test_a_refusal_names_only_metrics_that_can_be_explained(run, demo_files, exact_match):
    told = run("explain", REF, "-i", STRONG, "-m", "em", "--line", "1").err
    assert told == "bleu: error: ExactMatch cannot be explained; choose one of BLEU, chrF, TER, WER, CER\n"


def test_a_metric_describes_itself():
    class Described(ExactMatch):
        @classmethod
        def describe(cls, info):
            uses = [f"{info['smooth']} smoothing"]
            return super().describe(info)._replace(paper=citations.MECAB, uses=uses, facts=[Fact("Unit", "segments")])

    made = bleucli.evaluate_systems({"ours": ["a"]}, [["b"]], Described(lowercase=True))
    first, second = sentences(made, Layout())
    assert first.startswith("We report EM (Kudo et al., 2004) on 1 segment")
    assert second == "EM is case-insensitive and uses add1 smoothing."
    assert facts_of(made, 0) == [("Unit", "segments")]
    assert "kudo-etal-2004-applying" in bleucli.cite(made)


def test_a_metric_that_signs_more_than_its_original_does_not_follow_sacrebleu():
    class Stemmed(BLEU):
        constants = (("stem", "4"),)

    class Renamed(BLEU):
        pass

    for metric, follows in ((Stemmed(), False), (Renamed(), True)):
        made = bleucli.evaluate_systems({"ours": ["a b c d"]}, [["a b c d"]], metric)
        first, second = sentences(made, Layout())
        assert first.startswith("We report BLEU (Papineni et al., 2002) on 1 segment")
        assert ("follows sacreBLEU" in first) == follows
        assert "uses the 13a tokenizer" in second


def test_a_score_that_no_metric_made_is_not_described():
    made = one(record(50.0)._replace(describe=ScoreRecord._field_defaults["describe"]))
    assert sentences(made, Layout())[1:] == []
    assert papers(find_use(made, Layout())) == []


# --- as text


def test_hostile_names_stay_text_in_markdown():
    names = ("1. a", "# b", "- c`d`\n\x1b[31m", HOSTILE)
    made = results({name: [record(50.0)] for name in names}, test=paired().test)
    out = render(made, Layout(), "paper")
    assert "\x1b" not in out
    starts = [line.split(" ", 1)[0] for line in out.splitlines() if line]
    assert set(starts) <= {
        "|",
        "-",
        "###",
        "",
        "Paired",
        "We",
        "BLEU",
        "Confidence",
        *(s for s in starts if s[:2] in ("|-", "|:")),
    }


def test_a_signature_may_be_short(run, demo_files):
    out = run(REF, "-i", STRONG, "-f", "paper", "-sh", "-q").out
    assert "`#:1|c:mixed|e:no|tok:13a|s:exp|v:bleucli-" in out
    assert "one reference each" in out


def test_modes_without_a_description_are_refused(run, demo_files):
    refused(
        run(REF, "-i", STRONG, "-f", "paper", "-sl"),
        "segments are printed as text, json, jsonl, csv, tsv or parquet, not as paper",
    )
    refused(run(REF, "-i", STRONG, "-f", "paper", "-b"), "bare scores are numbers, not paper")


# --- LaTeX


def footnotes(out):
    """Return the text in comments that users are to paste."""
    return [line.removeprefix("% ") for line in out.splitlines() if line.startswith("% \\footnote{")]


def test_the_footnote_says_the_same_in_one_comment(run, demo_files):
    out = run(REF, "-i", STRONG, "-m", "bleu", "chrf", "-f", "latex", "-q").out
    (note,) = footnotes(out)
    assert note.startswith(
        "\\footnote{We report BLEU (Papineni et al., 2002) and chrF2 (Popović, 2015) on 100 segments"
    )
    assert "BLEU: \\texttt{nrefs:1\\textbar{}\\allowbreak{}case:mixed" in note
    assert note.endswith("}.}")
    plain = note.replace("\\textbar{}\\allowbreak{}", "|")
    assert f"chrF2: \\texttt{{nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:bleucli-{__version__}}}.}}" in plain
    assert all(line.startswith("%") for line in out.partition("\\end{tabular}\n")[2].splitlines())


def test_a_hostile_name_is_escaped_in_the_footnote():
    made = results({HOSTILE: [record(50.0)], "b": [record(40.0)]}, test=paired(half_width=None).test)
    (note,) = footnotes(render(made, Layout(), "latex"))
    assert f"compared b with {documents.escape_latex(HOSTILE)};" in note


@pytest.mark.slow
def test_footnotes_compile(pdflatex):  # noqa: F811
    hostile = (HOSTILE, "[b]*.txt", "*系--é.txt")
    subset = Signature(
        [("nrefs", "var"), ("test", "a_b,c"), ("lang", "en-de"), ("subset", "^x$|%7C#~&"), ("smooth", "floor[0.1]")]
    )
    shown = [
        render(made, layout, "latex")
        for layout in (Layout(), Layout(3, short=True, scale=1))
        for made in (
            one(record(58.64), record(28.88, "TER"), record(1.0, "chrF2++"), name=HOSTILE),
            one(record(58.64, half_width=8.7)._replace(signature=subset)),
            paired(hostile),
            paired(hostile, half_width=None),
            ranked(hostile),
        )
    ]
    notes = [note for out in shown for note in footnotes(out)]
    assert len(notes) == len(shown)
    assert str(SIGNATURE).partition("|")[0] in notes[0]
    pdflatex("\n\n".join(f"Text{note}." for note in notes))


def test_results_without_a_system_cite_nothing():
    with pytest.raises(BleuError, match="the results have no system"):
        bleucli.cite(Results([], 0, []))
