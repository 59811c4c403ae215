"""How notebooks show scores and results: small tables, in which everything is text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from sample_results import HOSTILE, one, paired, ranked, record, results

import bleucli
from bleucli import BLEU, PairedTest
from bleucli.counting.corpus import of_strings
from bleucli.prose.markup import html_table, visible
from bleucli.scoring import score_systems

HYPOTHESES = ["The dog bit the man.", "It was not surprising."]
REFERENCES = [["The dog bit the man.", "It was not unexpected."]]


class Page(HTMLParser):
    """The cells of a page's tables, and its texts; tags must be closed in order, and be among the harmless ones."""

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.notes = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in ("table", "tr", "th", "td", "div", "code")
        assert attrs == []
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")
        elif tag == "div":
            self.notes.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] in ("th", "td"):
            self.rows[-1][-1] += data
        else:
            self.notes[-1] += data


def shown(value):
    """Return what a notebook shows for a value; check that it is small."""
    text = value._repr_html_()
    assert len(text) < 3000
    assert text.isprintable()
    return Page(text)


def test_bleu_shows_its_parts():
    assert shown(BLEU().corpus_score(HYPOTHESES, REFERENCES)).rows == [
        ["BLEU", "p1", "p2", "p3", "p4", "BP", "output", "reference"],
        ["74.19", "90.9 (10/11)", "77.8 (7/9)", "71.4 (5/7)", "60.0 (3/5)", "1.000", "11", "11"],
    ]


def test_the_other_scores_show_their_parts():
    assert shown(bleucli.corpus_ter(HYPOTHESES, REFERENCES)).rows == [
        ["TER", "edits", "reference"],
        ["11.11", "1", "9"],
    ]
    assert shown(bleucli.corpus_wer(HYPOTHESES, REFERENCES)).rows == [
        ["WER", "edits", "reference"],
        ["11.11", "1", "9"],
    ]
    assert shown(bleucli.sentence_cer("ab", ["ac"])).rows == [["CER", "edits", "reference"], ["50.00", "1", "2"]]
    assert shown(bleucli.corpus_chrf(HYPOTHESES, REFERENCES)).rows[0] == ["chrF2"]


def test_an_interval_is_shown_with_its_score():
    score = BLEU().corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=100)
    assert shown(score).rows[1][0] == score.format(score_only=True)
    assert "±" in shown(score).rows[1][0]


def test_large_counts_are_shown_in_full():
    assert shown(BLEU().score_from_stats([12345678, 12345678, *[12345678] * 4, *[12345678] * 4])).rows[1][1:3] == [
        "100.0 (12345678/12345678)",
        "100.0 (12345678/12345678)",
    ]
    added = BLEU(smooth_method="add-k", smooth_value=0.5).score_from_stats([4, 4, 4, 2, 1, 0, 4, 3, 2, 1])
    assert shown(added).rows[1][2] == "71.4 (2.5/3.5)"


def test_self_bleu_shows_distinct_ngrams_and_its_signature():
    found = bleucli.self_bleu(["a b c d", "a b c d", "w x y z", "w x y v"], groups=["p", "p", "q", "q"])
    page = shown(found)
    assert page.rows[0] == ["Self-BLEU", "distinct-1", "distinct-2", "distinct-3", "distinct-4", "samples", "groups"]
    assert page.rows[1][-2:] == ["4", "2"]
    assert page.notes == [f"Self-BLEU: {found.signature}"]


def test_results_show_systems_scores_and_signatures():
    corpus = of_strings([("weak", ["a b c x"]), ("strong", ["a b c d"])], [["a b c d"]])
    page = shown(score_systems(corpus, [BLEU()]))
    assert page.rows == [["System", "BLEU"], ["weak", "59.46"], ["strong", "100.00"]]
    assert page.notes[0].startswith("BLEU: nrefs:1|case:mixed|")


def test_tests_are_shown_with_their_p_values():
    page = shown(paired())
    assert page.rows[1][1] == "58.64 (μ = 58.64 ± 8.72)"
    assert page.rows[2][1:] == ["11.35 (μ = 11.35 ± 8.72) p = 0.0010*", "28.06 (μ = 28.06 ± 8.72) p = 0.2000"]
    assert page.rows[3][1].endswith(" identical")
    assert page.notes[0] == "Paired bootstrap resampling, 1000 resamples: against a.txt; * p ≤ 0.05, nominal"
    page = shown(ranked())
    assert [row[1] for row in page.rows] == ["BLEU", "30.04", "40.00", "30.06"]
    assert page.notes[0] == "Paired bootstrap resampling, 1000 resamples: every pair"
    assert page.notes[1] == "BLEU, ranks that corrected p-values allow: a.txt 2–3, b.txt 1, c.txt 2–3"


def test_a_paired_test_returns_a_pair_that_is_shown_as_a_table():
    systems = [("baseline", HYPOTHESES), ("<new>", REFERENCES[0])]
    answer = PairedTest(systems, {"BLEU": BLEU()}, REFERENCES, "bs", n_samples=100)()
    signatures, scores = answer
    assert answer == (signatures, scores)
    page = shown(answer)
    assert [row[0] for row in page.rows] == ["System", "baseline", "<new>"]
    assert page.rows[2][1].startswith("100.00 (μ = 100.00 ± 0.00) p = ")
    assert page.notes == [f"BLEU: {signatures['BLEU']}"]


@pytest.mark.parametrize("name", [HOSTILE, "<script>alert(1)</script>", "\x1b[31m\u202e", "&lt;", "\udce9", '"><b>'])
def test_names_are_text(name):
    page = shown(one(record(58.64), name=name))
    assert len(page.rows) == 2
    assert page.rows[1][0] == visible(name).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    text = html_table([name], [[name]], [(name, name)])
    assert text.encode()
    assert "<script" not in text
    assert Page(text).rows == [page.rows[1][:1]] * 2


def test_results_without_systems_are_an_empty_table():
    assert shown(results({})).rows == [["System"]]


def test_a_paired_test_has_no_stars_because_its_p_values_are_those_of_sacrebleu():
    lines = [f"the cat with the number {number} sat on the mat" for number in range(9)]
    systems = [("a", lines), ("b", [*lines[1:], lines[0]]), ("c", ["a x", *lines[1:]])]
    _, column = PairedTest(systems, {"BLEU": BLEU()}, [lines], n_samples=99)().scores.values()
    assert column[2].p_value == 0.01
    text = PairedTest(systems, {"BLEU": BLEU()}, [lines], n_samples=99)()._repr_html_()
    assert "p = 0.0100" in text
    assert "*" not in text
