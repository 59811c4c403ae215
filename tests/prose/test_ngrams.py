"""N-grams highlighted in texts, and the theme of pages."""

from __future__ import annotations

import re

import pytest
from contrast import contrast
from hypothesis import given
from hypothesis import strategies as st

from bleucli import explain
from bleucli.prose import theme
from bleucli.prose.blocks import as_html
from bleucli.prose.ngrams import Piece, cover, highlight, mark_matches

WORDS = st.lists(st.sampled_from("abc"), max_size=12)


@given(WORDS, WORDS)
def test_as_many_n_grams_are_covered_as_match(ours, theirs):
    parts = explain(" ".join(ours), [" ".join(theirs)], tokenize="none").parts
    for order in parts.orders:
        matching = {gram.ngram: gram.matches for gram in order.ngrams}
        covered = cover(ours, {order.order: matching})
        marked = [place for place, orders in enumerate(covered) if orders]
        assert bool(marked) == bool(order.matches)
        if order.order == 1:
            assert len(marked) == order.matches


def test_the_first_occurrences_of_a_clipped_word_are_marked():
    assert cover(["the", "the", "the"], {1: {("the",): 2}}) == [{1}, {1}, set()]


def test_a_clipped_word_matches_inside_the_longer_n_gram_on_the_page_and_in_explanations():
    parts = explain("the cat is on the mat", ["there is a cat on the mat"]).parts
    tokens = parts.hypothesis_tokens
    matching = {order.order: {gram.ngram: gram.matches for gram in order.ngrams} for order in parts.orders}
    assert cover(tokens, matching) == [set(), {1}, {1}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}]
    marked = mark_matches(tokens, parts.reference_tokens, "bad", 4)
    assert [role for _, role in marked] == ["bad", *["match"] * 5]


@given(WORDS, WORDS)
def test_page_and_explanations_mark_the_same_words(ours, theirs):
    parts = explain(" ".join(ours), [" ".join(theirs)], tokenize="none").parts
    matching = {order.order: {gram.ngram: gram.matches for gram in order.ngrams} for order in parts.orders}
    covered = cover(ours, matching)
    marked = mark_matches(ours, [theirs], "", len(parts.orders))
    assert [1 in orders for orders in covered] == [role == "match" for _, role in marked]


def test_markup_in_words_stays_text():
    shown = highlight([Piece('<script>"', [1]), Piece("</mark>", [])])
    assert shown == '<mark class="l1 m1">&lt;script&gt;&quot;</mark> &lt;/mark&gt; '


@pytest.mark.parametrize("which", [0, 1], ids=["light", "dark"])
def test_all_text_has_enough_contrast(which):
    colours = {name: pair[which] for name, pair in theme.COLOURS.items()}
    for name in ("text", "quiet", "accent", "good", "bad", "missing"):
        for ground in ("page", "panel", "field"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
    for order in range(1, 7):
        assert contrast(colours["match-text"], colours[f"match-{order}"]) >= 4.5, order
    assert contrast(colours["smoothed"], colours["field"]) >= 3
    for name in ("better", "worse", "band"):
        assert contrast(colours["text"], colours[name]) >= 4.5, name
    for number in range(1, 9):
        assert contrast(colours[f"series-{number}"], colours["panel"]) >= 3, number
    for ground in ("page", "panel", "field"):
        assert contrast(colours["edge"], colours[ground]) >= 3, ground


def test_longer_n_grams_stand_out_more():
    for which in (0, 1):
        field = theme.COLOURS["field"][which]
        found = [contrast(theme.COLOURS[f"match-{order}"][which], field) for order in range(1, 7)]
        assert found == sorted(found)


def test_figures_on_paper_have_the_colours_of_figures_on_pages():
    series = [name for name in theme.PAPER if name.startswith("series-")]
    assert theme.PAPER.keys() < theme.COLOURS.keys()
    assert len({theme.PAPER[name] for name in series}) == len(series) == 8
    for name in ("better", "worse", "band", "panel"):
        assert contrast(theme.PAPER["text"], theme.PAPER[name]) >= 4.5, name


def test_the_style_sheet_has_both_themes_and_names_every_colour_that_it_uses():
    sheet = theme.style_sheet()
    assert sheet.count("@media (prefers-color-scheme: dark)") == 1
    assert set(re.findall(r"var\(--([\w-]+)\)", sheet)) <= theme.COLOURS.keys()
    assert "http" not in sheet


def test_themed_explanations_have_classes_for_styles():
    explanation = explain("the cat", ["a cat <b>"], "ter")
    plain, themed = (as_html(explanation.tell(), 3, themed) for themed in (False, True))
    assert "style=" in plain
    assert "style=" not in themed
    assert '<span class="stack">' in themed
    assert '<span class="bad">' in themed
    assert re.findall(r"<h(\d)>", themed) == ["3"] * 4
    assert "&lt;b&gt;" in themed
    bare = re.sub(r"<style>.*</style>\n", "", plain)
    assert re.sub(r' style="[^"]*"', "", bare) == re.sub(r' class="(?!bleu)[^"]*"', "", themed)
