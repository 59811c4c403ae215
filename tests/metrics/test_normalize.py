"""The option `normalize`: scores are those of texts that were normalized before, and signatures say so."""

from __future__ import annotations

from pathlib import Path

import evaluation_data
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bleucli
from bleucli.errors import BleuError, UsageError
from bleucli.metrics import METRICS
from bleucli.output.layout import Layout
from bleucli.output.paper import facts_of, sentences
from bleucli.text import Segments

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

OUTPUT = ["\u201eEr kam\u201c \u2013 so sagte sie \u2026", "Das\u00a0war\u200b alles", "E\u0301s ist \uff11\uff12 Uhr"]
REFERENCE = ['"Er kam" - so sagte sie ...', "das war alles", "\u00c9s ist 12 Uhr"]
OTHER = ["\u00abEr ging\u00bb \u2014 sagte sie...", None, "\u00c9s ist zw\u00f6lf"]
KINDS = st.sampled_from(["quotes", "dashes,ellipses", "spaces,invisible", "nfc,case", "typography", "typography,case"])
each_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)


@each_metric
@given(kinds=KINDS)
def test_scores_are_those_of_normalized_texts(metric, kinds):
    texts = [bleucli.normalize(column, kinds) for column in (OUTPUT, REFERENCE, OTHER)]
    output, *references = texts
    plain, ours = metric(), metric(normalize=kinds)
    expected = plain.corpus_score(output, references)
    assert vars(ours.corpus_score(OUTPUT, [REFERENCE, OTHER])).keys() == vars(expected).keys()
    assert ours.corpus_score(OUTPUT, [REFERENCE, OTHER]).score == expected.score
    assert metric(normalize=kinds, references=[REFERENCE, OTHER]).corpus_score(OUTPUT, None).score == expected.score
    assert ours.sentence_score(OUTPUT[0], [REFERENCE[0]]).score == plain.sentence_score(output[0], [texts[1][0]]).score
    assert ours.pairwise(OUTPUT, REFERENCE).tolist() == plain.pairwise(output, texts[1]).tolist()
    columns = [Segments.from_strings(column) for column in texts]
    rows = ours.segment_stats(
        Segments.from_strings(OUTPUT), [Segments.from_strings(column) for column in (REFERENCE, OTHER)]
    )
    assert list(rows) == list(plain.segment_stats(columns[0], columns[1:]))


@given(kinds=KINDS)
def test_systems_are_evaluated_with_typography_alike(kinds):
    systems, references = {"ours": OUTPUT, "theirs": REFERENCE}, [REFERENCE, OTHER]
    results = bleucli.evaluate_systems(systems, references, ["bleu", bleucli.CHRF(lowercase=True)], normalize=kinds)
    same = bleucli.evaluate_systems(
        systems, references, [bleucli.BLEU(normalize=kinds), bleucli.CHRF(lowercase=True, normalize=kinds)]
    )
    assert results.to_dict() == same.to_dict()


def test_scores_of_something_else_cannot_be_normalized():
    with pytest.raises(UsageError, match="normalize is for metrics of this package"):
        bleucli.evaluate_systems(
            {"ours": OUTPUT}, [REFERENCE], scores={"COMET": {"ours": [0.1, 0.2, 0.3]}}, normalize="case"
        )
    with pytest.raises(UsageError, match="did you mean quotes"):
        bleucli.evaluate_systems({"ours": OUTPUT}, [REFERENCE], normalize="quote")


@each_metric
def test_an_explanation_is_that_of_normalized_texts(metric):
    kinds = "typography"
    name = next(name for name in METRICS if METRICS[name] is metric)
    why = bleucli.explain(OUTPUT[0], [REFERENCE[0]], name, normalize=kinds)
    plain = bleucli.explain(*[bleucli.normalize([text], kinds)[0:1][0] for text in OUTPUT[:1]], [REFERENCE[0]], name)
    assert (why.score, why.parts) == (plain.score, plain.parts)


def test_self_bleu_normalizes():
    texts = ["\u201ea\u201c b c d", '"a" b c d']
    assert bleucli.self_bleu(texts, normalize="quotes").score == pytest.approx(100)
    assert bleucli.self_bleu(texts).score < 100


@each_metric
def test_signatures_say_what_was_normalized(metric):
    score = metric(normalize="case, dashes").sentence_score("a", ["a"])
    assert score.signature.info["normalize"] == "dashes,case"
    assert "normalize" not in metric().sentence_score("a", ["a"]).signature.info
    again = bleucli.metric_from_signature(score.format(signature=str(score.signature)))
    assert again.normalize == "dashes,case"
    assert "|nm:dashes,case|" in score.signature.format(short=True)


def test_the_order_of_names_in_a_signature_does_not_matter():
    assert bleucli.metric_from_signature("BLEU|nrefs:1|normalize:case,quotes").normalize == "quotes,case"
    with pytest.raises(BleuError, match=r"normalize of the signature 'dots'; choose among quotes"):
        bleucli.metric_from_signature("BLEU|nrefs:1|normalize:dots")


def test_a_name_is_checked_and_cannot_be_changed_later():
    with pytest.raises(UsageError, match=r"^normalize 'dots'; choose among quotes, .*"):
        bleucli.BLEU(normalize="dots")
    metric = bleucli.TER(normalize="quotes")
    with pytest.raises(UsageError, match="normalize of a metric cannot be changed; make another metric"):
        metric.normalize = ""


def test_a_reference_of_invisible_characters_alone_is_empty_once_they_are_gone():
    metric = bleucli.CHRF(normalize="invisible", skip_empty_refs=True)
    with pytest.raises(BleuError, match=r"all references of segment 1 .*are empty or missing"):
        metric.corpus_score(["a", "b"], [["a", "\u200b"]])


def test_papers_say_what_was_normalized_and_that_sacrebleu_does_not():
    results = bleucli.evaluate_systems({"A": OUTPUT}, [REFERENCE], bleucli.BLEU(normalize="quotes,dashes,case"))
    first, second = sentences(results, Layout())
    assert "follows sacreBLEU" not in first
    assert second.startswith(
        "BLEU is case-insensitive and uses normalization of quotation marks and dashes in output and references, "
    )
    assert ("Case", "case-insensitive (normalize:case)") in facts_of(results, 0)
    assert ("Normalization", "quotation marks and dashes in output and references") in facts_of(results, 0)


# --- the command


@pytest.fixture
def files(write):
    return write("ref.txt", "\n".join(REFERENCE) + "\n"), write("sys.txt", "\n".join(OUTPUT) + "\n")


def test_the_command_normalizes_for_every_metric(run, files):
    reference, system = files
    answer = run(reference, "-i", system, "-m", *METRICS, "--normalize", "dashes,quotes", "-f", "text", "-w", "6")
    lines = answer.out.splitlines()
    assert len(lines) == len(METRICS)
    for line, metric in zip(lines, METRICS.values(), strict=True):
        assert "|normalize:quotes,dashes|" in line
        score = metric(normalize="quotes,dashes").corpus_score(OUTPUT, [REFERENCE])
        assert f"= {score.score:.6f}" in line
    again = run(reference, "-i", system, "--like", lines[0], "-f", "text", "-w", "6")
    assert again.out.strip() == lines[0].strip()
    other = run(reference, "-i", system, "--like", lines[0], "--normalize", "case")
    assert "asks for normalize:quotes,dashes, but this metric has normalize:case" in other.err


def test_statistics_keep_what_was_normalized(run, files):
    reference, system = files
    assert run("count", reference, "-i", system, "--normalize", "quotes", "-o", "kept.parquet").status == 0
    answer = run("--stats", "kept.parquet", "-f", "text")
    assert "|normalize:quotes|" in answer.out
    assert run("--stats", "kept.parquet", "--normalize", "quotes", "-f", "text").out == answer.out
    assert "normalize:quotes" in run("--stats", "kept.parquet", "--normalize", "dashes").err


def test_a_wrong_name_is_refused_in_one_line(run, files):
    reference, system = files
    answer = run(reference, "-i", system, "--normalize", "quote")
    assert answer.status == 2
    assert answer.err.startswith("bleu: error: --normalize 'quote'; choose among quotes, apostrophes, ")
    assert answer.err.endswith("; did you mean quotes?\n")


# --- on real systems

FOLDER = Path(evaluation_data.FOLDER) / "wmt24.en-de"


on_real_systems = pytest.mark.skipif(not FOLDER.is_dir(), reason="there are no evaluation data")


def lines_of(name):
    return (FOLDER / f"{name}.txt").read_text("utf-8").split("\n")[:-1]


@pytest.mark.slow
@on_real_systems
def test_typography_explains_half_a_lead_of_wmt24():
    why = bleucli.explain_difference(lines_of("ONLINE-B"), lines_of("GPT-4"), [lines_of("ref.A")])
    assert round(why.difference, 2) == -1.48
    assert why.p_value < 0.001
    alike, with_case = why.alike
    assert [round(score, 2) for score in alike.scores] == [35.39, 34.70]
    assert alike.p_value > 0.05
    assert with_case.p_value > 0.05
    assert (
        "BLEU is 35.39 and 34.70: the difference is -0.69 (p = 0.058) instead of -1.48 (p < 0.001). With case ignored"
        " as well, BLEU is 36.04 and 35.35: the difference is -0.69 (p = 0.060)."
    ) in " ".join(str(why).split())


@pytest.mark.slow
@on_real_systems
def test_a_check_gives_that_lead_both_ways():
    systems = {name: lines_of(name) for name in ("ONLINE-B", "GPT-4")}
    findings = bleucli.check_texts(systems, [lines_of("ref.A")]).findings
    (finding,) = (one for one in findings if one.kind == "typography")
    assert (finding.text, finding.severity) == ("ONLINE-B", "warning")
    assert finding.message == (
        "leads GPT-4 in BLEU by 1.48 (p < 0.001); with typography alike, by 0.69 (p = 0.058); with case ignored as"
        " well, by 0.69 (p = 0.060)"
    )


@pytest.mark.slow
@on_real_systems
def test_a_page_does_not_call_a_lead_significant_that_typography_explains():
    pytest.importorskip("jinja2", reason="Jinja2 is not installed; there are no pages")
    systems = {name: lines_of(name) for name in ("ONLINE-B", "GPT-4", "Claude-3.5", "Aya23", "IKUN")}
    page = bleucli.compare_systems(systems, [lines_of("ref.A")])
    headline = page[page.index("<h1>") + 4 : page.index("</h1>")]
    assert headline == (
        "ONLINE-B has the best BLEU; with typography alike, its lead over GPT-4 is 0.69 points of BLEU instead of 1.48,"
        " which is not a significant lead."
    )
    assert (
        "leads by BLEU: 34.6, but with typography alike, its lead over GPT-4 and Claude-3.5 is not significant" in page
    )
    assert "significantly better" not in page.partition("<main>")[2].partition("</section>")[0]
