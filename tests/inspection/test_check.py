"""`check_texts` and `bleu check`: each kind of mistake is found where it was made, and nothing else is."""

from __future__ import annotations

import html
import json
import random
import unicodedata
from pathlib import Path

import pytest
from strategies import every

from bleucli import BLEU, BleuError, check_texts
from bleucli.inspection.mistakes import MISTAKES

WORDS = [
    *("Haus", "Baum", "Straße", "Brücke", "Fluss", "Wolke", "Fenster", "Garten", "Messer", "Löffel", "Tisch", "Vogel"),
    *("Katze", "Pferd", "Wagen", "Schiff", "Berg", "Tal", "Feld", "Wald", "König", "Bauer", "Lehrer", "Schüler"),
    *("Zeitung", "Brief", "Antwort", "Frage", "Sommer", "Winter", "Regen", "Schnee", "Morgen", "Abend", "Stunde"),
]
SYLLABLES = [
    *("ba", "ben", "ber", "da", "den", "der", "fal", "fel", "gar", "gen", "hau", "hem", "kal", "ken", "lin", "lau"),
    *("mer", "mi", "nas", "nor", "pal", "ros", "sal", "sen", "tal", "tor", "wal", "wen"),
]
LINES = 400


def lines_like(seed: int, kept: float, texts: list[list[str]] | None = None) -> list[list[str]]:
    """Return words of lines; texts: words to keep with this probability."""
    choose = random.Random(seed)

    def word() -> str:
        return choose.choice(WORDS) if choose.random() < 0.3 else "".join(choose.choices(SYLLABLES, k=3)).capitalize()

    if texts is None:
        return [[word() for _ in range(10)] for _ in range(LINES)]
    return [[one if choose.random() < kept else word() for one in text] for text in texts]


def spell(texts: list[list[str]]) -> list[str]:
    form = "Der {} und die {} mit dem {} sahen „{} {}“, denn {} ging & kam zu {} oder {} über {} nach {}."
    return [form.format(*words) for words in texts]


REFERENCE = spell(lines_like(1, 0))


def translate(seed: int = 2) -> list[str]:
    """Return lines like a system's output: most words are those of the reference."""
    return spell(lines_like(seed, 0.5, lines_like(1, 0)))


SYSTEM = translate()
DAMAGES = {
    "empty": lambda text: "",
    "mojibake": lambda text: text.encode().decode("latin-1"),
    "replacement": lambda text: text.replace("e", "\ufffd"),
    "lost": lambda text: text.replace("e", "?"),
    "form": lambda text: unicodedata.normalize("NFD", text),
    "entities": html.escape,
    "special-tokens": lambda text: f"{text} </s> <pad> <pad>",
    "tags": lambda text: f'<seg id="1">{text}</seg>',
    "quoting": lambda text: '"' + text.replace("„", '""').replace("“", '""') + '"',
    "preamble": lambda text: f"Sure! Here is the translation: {text}",
    "markdown": lambda text: f"**{text}**",
    "prefix": lambda text: f"Und noch etwas {text}",
    "suffix": lambda text: f"{text} Noch Fragen offen?",
    "subwords": lambda text: text.replace("e", "e@@ "),
    "tokenized": lambda text: text.replace(",", " ,").replace(".", " ."),
    "lower-case": str.lower,
    "upper-case": str.upper,
    "title-case": str.title,
    "punctuation": lambda text: "".join(letter for letter in text if letter.isalnum() or letter == " "),
    "invisible": lambda text: text.replace(" ", "\u200b ", 2),
    "runaway": lambda text: text + " und so weiter" * 30,
    "letters": lambda text: " ".join(text.replace(" ", "")),
    "escapes": lambda text: text.replace(" ", r"\n", 1),
    "cut": lambda text: text[:30],
}
REPAIRED = {"entities", "special-tokens", "tags", "preamble", "prefix", "suffix", "subwords", "tokenized", "invisible"}


def damage(kind: str, step: int) -> list[str]:
    return [DAMAGES[kind](text) if n % step == 0 else text for n, text in enumerate(SYSTEM)]


def kinds(systems, references=None, **rest):
    return {one.kind: one for one in check_texts(systems, references or [REFERENCE], **rest).findings}


def test_nothing_is_wrong_with_a_translation():
    findings = check_texts({"sys": SYSTEM, "other": translate(3)}, [REFERENCE])
    assert not findings.findings
    assert not findings.unchecked
    assert findings.segments == LINES
    assert dict(findings.scores)["sys"] == BLEU().corpus_score(SYSTEM, [REFERENCE]).score


@pytest.mark.parametrize("step", [1, pytest.param(10, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", DAMAGES)
def test_each_kind_of_mistake_is_found(kind, step):
    found = kinds({"sys": damage(kind, step)})
    assert list(found) == [kind]
    finding = found[kind]
    assert finding.text == "sys"
    assert finding.first == 0
    assert finding.segments == len(range(0, LINES, step))
    assert finding.severity == (
        "warning" if kind in ("entities", "tokenized") else "error"
    )  # the tokenizer undoes these


@pytest.mark.parametrize("kind", sorted(REPAIRED))
def test_the_points_are_what_the_remedy_gains(kind):
    before = BLEU().corpus_score(damage(kind, 3), [REFERENCE]).score
    after = BLEU().corpus_score(SYSTEM, [REFERENCE]).score
    assert kinds({"sys": damage(kind, 3)})[kind].points == pytest.approx(after - before, abs=0.3)


def test_words_that_all_lines_share_cost_what_removing_all_of_them_gains():
    note = "(Note: this is a literal translation of the text.)"
    finding = kinds({"sys": [f"{text} {note}" for text in SYSTEM]})["suffix"]
    assert finding.severity == "error"
    before, after = (
        BLEU().corpus_score(text, [REFERENCE]).score for text in ([f"{text} {note}" for text in SYSTEM], SYSTEM)
    )
    assert finding.points == pytest.approx(after - before, abs=1e-9)
    assert finding.example.endswith("of the text.)")


def test_points_are_those_of_the_repaired_text_exactly():
    found = kinds({"sys": damage("tags", 7)}, metric="chrf")["tags"]
    from bleucli import CHRF

    gain = [CHRF().corpus_score(text, [REFERENCE]).score for text in (damage("tags", 7), SYSTEM)]
    assert found.points == pytest.approx(gain[1] - gain[0], abs=1e-9)


def test_mistakes_of_the_reference_are_its_own():
    reference = [f"<p>{text}</p>" if n % 2 else text for n, text in enumerate(REFERENCE)]
    reference[5] = ""
    found = kinds({"sys": SYSTEM, "other": translate(3)}, [reference])
    assert {kind: (one.text, one.first) for kind, one in found.items()} == {
        "tags": ("references[0]", 1),
        "empty": ("references[0]", 5),
    }
    assert found["empty"].severity == "warning"
    assert found["tags"].points > 0


def test_what_both_sides_have_is_not_a_mistake():
    both = [html.escape(text).lower() for text in SYSTEM], [html.escape(text).lower() for text in REFERENCE]
    assert not kinds({"sys": both[0]}, [both[1]])


def test_a_missing_reference_is_not_a_mistake():
    second = [text if n % 2 else None for n, text in enumerate(translate(4))]
    assert not kinds({"sys": SYSTEM}, [REFERENCE, second])


@pytest.mark.parametrize("marks", every(3, ['""', "“”", "„“", "«»", "「」", "''"]))
def test_quotation_marks_around_lines_are_found(marks):
    lines = [f"{marks[0]}{text.replace('„', '').replace('“', '')}{marks[1]}" for text in SYSTEM]
    assert list(kinds({"sys": lines})) == ["enclosed"]
    assert kinds({"sys": lines})["enclosed"].segments == LINES
    assert "enclosed" not in kinds({"sys": lines[: LINES // 50] + SYSTEM[LINES // 50 :]})
    assert "enclosed" not in kinds({"sys": lines}, [[f"«{text}»" for text in REFERENCE]])
    two = [text.replace(text[len(text) // 2 :], f"» «{text[len(text) // 2 :]}") for text in SYSTEM]
    assert "enclosed" not in kinds({"sys": [f"«{text}»" for text in two]})


def test_what_is_cut_and_what_has_lost_its_punctuation_are_not_taken_for_one_another():
    chinese = [text.replace("，", "").replace("。", "") for text in CHINESE]
    longer = [f"{text}他们都很生气，回家了。" if n % 4 == 0 else text for n, text in enumerate(CHINESE)]
    found = kinds({"sys": chinese}, [longer])
    assert "punctuation" in found
    assert "cut" not in found
    assert list(kinds({"sys": [text[:30] for text in SYSTEM]})) == ["cut"]


@pytest.mark.parametrize("mark", [" </s>", "</seg>", " Best regards, your translator."])
def test_lines_with_something_at_their_ends_are_not_taken_for_cut_ones(mark):
    assert "cut" not in kinds({"sys": [f"{text}{mark}" for text in SYSTEM]})


def test_a_single_segment_is_told_as_such():
    (finding,) = check_texts({"sys": [""]}, [["A cat."]]).findings
    assert finding.message == "no text in the only segment"


def test_the_lead_of_one_of_two_systems_is_also_given_with_typography_alike():
    other = [text.replace("„", '"').replace("“", '"') for text in SYSTEM]
    systems = {"straight": other, "curly": translate(3)}
    finding = kinds(systems)["typography"]
    plain, alike = (
        {name: BLEU(normalize=way).corpus_score(text, [REFERENCE]).score for name, text in systems.items()}
        for way in ("", "typography")
    )
    from bleucli import explain_difference

    why = explain_difference(systems["straight"], systems["curly"], [REFERENCE])
    assert finding.text == "curly"
    assert finding.message == (
        f"leads straight in BLEU by {plain['curly'] - plain['straight']:.2f} (p < 0.001); with typography alike, by"
        f" {alike['curly'] - alike['straight']:.2f} (p = {why.alike[0].p_value:.3f})"
    )
    assert finding.severity == "warning"
    assert "typography" not in kinds({"sys": SYSTEM, "other": translate(3)})


def test_phrases_that_both_sides_share_are_part_of_the_text():
    some = [f"So sprach der Herr: {text}" if n % 9 == 0 else text for n, text in enumerate(SYSTEM)]
    others = [f"Dies sagt unser König: {text}" if n % 9 == 0 else text for n, text in enumerate(REFERENCE)]
    assert "prefix" in kinds({"sys": some})
    assert "prefix" not in kinds({"sys": some}, [others])


def test_phrases_in_place_of_others_are_part_of_the_text():
    some = [f"Da aber sprach {text}" if n % 9 == 0 else text for n, text in enumerate(SYSTEM)]
    words = ["Und er rief", "Nun sagte sie", "Dann meinten alle", "So fragten wir"]
    others = [f"{words[n % 4]} {text}" if n % 9 == 0 else text for n, text in enumerate(REFERENCE)]
    assert "prefix" in kinds({"sys": some})
    assert "prefix" not in kinds({"sys": some}, [others])


def test_texts_that_begin_many_lines_alike_are_compared_by_how_many():
    some = [f"Und es geschah, {text}" if n % 20 == 0 else text for n, text in enumerate(SYSTEM)]
    assert "prefix" in kinds({"sys": some})
    for start, step in (("So sprach der", 25), ("Und die Leute", 15)):
        others = [f"{start} {text}" if n % step == 1 else text for n, text in enumerate(REFERENCE)]
        assert "prefix" not in kinds({"sys": some}, [others])


def test_a_phrase_that_stands_for_single_words_is_part_of_the_text():
    some = [f"Es ist nicht möglich gewesen {text}" if n % 9 == 0 else text for n, text in enumerate(SYSTEM)]
    for words in (["Unmöglich:"], ["Fehler:", "Nein:", "Ohne"]):
        others = [f"{words[n % len(words)]} {text}" if n % 9 == 0 else text for n, text in enumerate(REFERENCE)]
        assert "prefix" not in kinds({"sys": some}, [others])


def test_what_good_texts_have_as_well_must_be_far_more_frequent():
    messages = [f"die datei {n} fehlt, siehe die seite zum text" for n in range(LINES)]
    names = [f"die datei {n} Fehlt, siehe die Seite zum Text" for n in range(LINES)]
    both = [messages[n] if n % 4 == 0 else text for n, text in enumerate(SYSTEM)]
    reference = [messages[n] if n % 4 == 0 else text for n, text in enumerate(REFERENCE)]

    def lower(step):
        return [text.lower() if n % step == 1 else text for n, text in enumerate(both)]

    assert "lower-case" not in kinds({"sys": lower(8)}, [reference])
    assert "lower-case" in kinds({"sys": lower(2)}, [reference])
    assert "lower-case" in kinds({"sys": lower(8)}, [REFERENCE])
    # That a text is in lower case does not make it wrong, if another one has too many capitals
    assert "lower-case" not in kinds({"sys": names}, [[names[n] if n % 3 else messages[n] for n in range(LINES)]])
    assert kinds({"sys": names}, [messages])["lower-case"].text == "references[0]"


def test_lines_without_full_stops_are_not_taken_for_cut_ones():
    words = [text.rstrip(".").split() for text in REFERENCE]
    some = [" ".join(line[: 5 + n % 7 if n % 5 == 0 else None]) for n, line in enumerate(words)]
    assert "cut" not in kinds({"sys": some})
    labels = [" ".join(line[: 2 + n % 7]) for n, line in enumerate(words)]
    messages = [label if n % 5 == 0 else REFERENCE[n] for n, label in enumerate(labels)]
    assert "cut" not in kinds({"sys": SYSTEM}, [messages])
    again = [f"{' '.join(words[0][:8])}" if n % 60 == 0 else text for n, text in enumerate(SYSTEM)]
    assert "cut" not in kinds({"sys": again})


def test_placeholders_are_not_tags():
    assert "tags" not in kinds({"sys": [f"{text} -o <datei>" for text in SYSTEM]})
    assert "tags" not in kinds({"sys": [f"{text} <a>b</a>" for text in SYSTEM]}, [[f"{t} <b (c)" for t in REFERENCE]])
    assert "tags" in kinds({"sys": [f"{text}<br>" for text in SYSTEM]})
    assert "special-tokens" not in kinds({"sys": [text.replace("dem", "LC_ALL de_DE dem") for text in SYSTEM]})
    assert "special-tokens" in kinds({"sys": [f"deu_Latn {text}" for text in SYSTEM]})
    assert "escapes" not in kinds({"sys": [text.replace("„", r'"" ') for text in SYSTEM]})


def test_copies_of_a_source_in_a_related_language_are_translations():
    source = [text.replace("Der", "De").replace("und die", "og de") for text in REFERENCE]
    assert "source" not in kinds({"sys": [*source[:40], *SYSTEM[40:]]}, sources=source)


def test_lines_repeat_where_the_others_only_go_on():
    some = ["Und der Herr redete mit den Leuten:" if n % 8 == 0 else text for n, text in enumerate(SYSTEM)]
    others = [" ".join(words) for words in lines_like(1, 0)]
    assert "repeated" in kinds({"sys": some}, [others])
    others = [f"Und der Herr redete mit den Leuten: {text}" if n % 8 == 0 else text for n, text in enumerate(others)]
    assert "repeated" not in kinds({"sys": some}, [others])


def test_a_line_in_its_place_is_not_the_counterpart_of_another_one():
    from bleucli.inspection.alignment import Features, align

    choose = random.Random(8)
    texts = [f"{choose.getrandbits(400):x}" for _ in range(LINES)]
    swapped, copied = list(texts), list(texts)
    swapped[50], swapped[300] = texts[300], texts[50]
    assert align(Features(swapped), Features(texts)).strays.tolist() == [50, 300]
    copied[50] = texts[300]
    assert align(Features(copied), Features(texts)).strays.tolist() == []


def test_lines_out_of_step_are_found_by_metrics_that_count_errors():
    found = kinds({"sys": [*SYSTEM[:100], *SYSTEM[101:], ""]}, metric="ter")["step"]
    assert found.severity == "error"
    assert found.points < 0  # the remedy lowers TER


def test_names_that_are_the_same_in_the_source_are_not_copies():
    source = ["Kannada" if n % 2 else f"https://example.org/{n}" for n in range(LINES)]
    system = [source[n] if n % 3 == 0 else text for n, text in enumerate(SYSTEM)]
    assert "source" not in kinds({"sys": system}, sources=source)


def test_lines_that_only_begin_without_a_capital_are_not_in_lower_case():
    small = [f"und so kamen sie zu {n} und sahen, wie es war" for n in range(LINES)]
    large = [text[0].upper() + text[1:] for text in small]
    assert "lower-case" not in kinds({"sys": small}, [large])
    names = [text.replace("sie", "Anna") for text in large]
    assert "lower-case" not in kinds({"sys": small}, [names])
    assert "lower-case" in kinds({"sys": [text.lower() for text in names]}, [names])


def test_backticks_as_apostrophes_are_not_markdown():
    lines = [text.replace("Der", "Don`t say `Es ist genug.` to the king`s") for text in SYSTEM]
    assert "markdown" not in kinds({"sys": lines})
    assert "markdown" in kinds({"sys": [text.replace("kam", "`kam`") for text in SYSTEM]})


def test_backticks_where_the_other_side_has_quotation_marks_are_not_markdown():
    system, reference = (
        [text.replace("kam", word) for text in texts] for texts, word in ((SYSTEM, "»kam«"), (REFERENCE, "`kam`"))
    )
    assert "markdown" not in kinds({"sys": system}, [reference])
    assert "markdown" in kinds({"sys": SYSTEM}, [reference])


def test_apostrophes_within_words_are_not_missed_as_punctuation():
    plain, elided = (
        [f"{word} {n} {rest}" for n in range(60)]
        for word, rest in (("la voie", "est fermee, oui"), ("l’acces", "n’est qu’ouvert, oui"))
    )
    bare = [text.replace(",", "") for text in plain]
    assert "punctuation" not in kinds({"sys": bare}, [elided])
    assert "punctuation" in kinds({"sys": bare}, [[text.replace(", ", ": ", 1) + "," for text in elided]])


def test_line_numbers_are_those_of_the_lines():
    numbered = [f"{n + 1}\t{text}" for n, text in enumerate(SYSTEM)]
    assert list(kinds({"sys": numbered})) == ["numbers"]
    years = [f"{1900 + n % 7} {text}" for n, text in enumerate(SYSTEM)]
    assert "numbers" not in kinds({"sys": years})


@pytest.mark.parametrize(
    ("lines", "first", "last", "distance"),
    [
        (SYSTEM[:100] + SYSTEM[101:] + [""], 100, 398, 1),
        (SYSTEM[:100] + SYSTEM[105:] + [""] * 5, 100, 394, 5),
        (SYSTEM[:100] + SYSTEM[99:-1], 100, 399, -1),
        (SYSTEM[:100] + SYSTEM[101:300] + SYSTEM[299:], 100, 298, 1),
    ],
    ids=["missing", "five missing", "doubled", "in the middle"],
)
def test_lines_out_of_step_are_located(lines, first, last, distance):
    assert len(lines) == LINES
    finding = kinds({"sys": lines})["step"]
    assert abs(finding.first - first) <= 2
    later = f"{abs(distance)} line{'s' if abs(distance) > 1 else ''} {'later' if distance > 0 else 'earlier'}"
    assert later in finding.message
    assert any(f"to {last + more} (counting" in finding.message for more in range(-2, 3))
    assert finding.message.command != finding.message  # counted from 1
    assert finding.points > 0


def test_moves_go_on_from_block_to_block(monkeypatch):
    monkeypatch.setattr("bleucli.check._LINES", 128)
    for distance in (1, 5):
        finding = kinds({"sys": [*SYSTEM[:100], *SYSTEM[100 + distance :], *[""] * distance]})["step"]
        assert abs(finding.first - 100) <= 2
        assert f"to {LINES - distance - 1} (counting" in finding.message
        assert ";" not in finding.message  # one piece


def test_what_the_source_has_is_not_a_mistake():
    source = [f"<p>{n} &amp; more" if n % 2 else f"{n} and more" for n in range(LINES)]
    system = [f"<p>{text} &amp;" if n % 2 else f"{text} &amp;" for n, text in enumerate(SYSTEM)]
    found = kinds({"sys": system}, sources=source)
    assert (found["entities"].first, found["entities"].segments) == (0, LINES // 2)
    assert "tags" not in found


def test_a_missing_space_is_not_a_lost_letter():
    assert not kinds({"sys": [f"Wirklich?Ja, {text}" for text in SYSTEM]}, [[f"Wirklich? Ja, {t}" for t in REFERENCE]])
    assert "lost" in kinds({"sys": [text.replace("en", "???") for text in SYSTEM]})


def test_an_example_shows_the_mistake():
    lines = [f"{text} {text} \ufffd" for text in SYSTEM]
    example = kinds({"sys": lines})["replacement"].example
    assert len(example) == 100
    assert example.endswith(" \ufffd")
    assert example.startswith("…")


def test_a_reference_is_not_judged_by_another_text():
    reference = [f"{text} <b>{n}</b>" for n, text in enumerate(REFERENCE)]
    assert "tags" not in kinds({"sys": ["Совсем другой текст про старый дом и сад"] * LINES}, [reference])
    assert "tags" in kinds({"sys": SYSTEM}, [reference])


def test_texts_may_have_line_breaks():
    documents = ["\n".join(SYSTEM[n : n + 4]) for n in range(0, LINES, 4)]
    references = ["\n".join(REFERENCE[n : n + 4]) for n in range(0, LINES, 4)]
    assert not kinds({"sys": documents}, [references])
    assert "step" in kinds({"sys": [*documents[:20], *documents[21:], ""]}, [references])
    assert kinds({"sys": [f"So:\n# {text}" for text in documents]}, [references])["markdown"].first == 0


def test_shuffled_lines_are_found():
    shuffled = random.Random(5).sample(SYSTEM, LINES)
    assert "order" in kinds({"sys": shuffled})


def test_other_texts_are_unrelated():
    assert "unrelated" in kinds({"sys": random.Random(9).sample(spell(lines_like(77, 0)), LINES)})


def test_copies_are_found():
    assert kinds({"sys": REFERENCE})["copy"].segments == LINES
    copied = [REFERENCE[n] if n % 5 == 0 else text for n, text in enumerate(SYSTEM)]
    long = sum(len(text.encode()) >= 120 for text in REFERENCE[::5])
    assert long <= kinds({"sys": copied})["copy"].segments <= long + 5  # a few lines are translated like this
    names = [REFERENCE[n] if n % 5 == 0 else f"Source {n}" for n in range(LINES)]
    assert "copy" not in kinds({"sys": copied}, sources=names)
    source = [f"The house number {n} stands by the river of the town" for n in range(LINES)]
    some = [source[n] if n % 20 == 0 else text for n, text in enumerate(SYSTEM)]
    assert kinds({"sys": some}, sources=source)["source"].segments == LINES // 20


def test_other_languages_and_scripts_are_found():
    english = "The old people of the small village waited for the bus which was late again because of the snow"
    mixed = [f"{english} {n}" if n % 10 == 0 else text for n, text in enumerate(SYSTEM)]
    found = kinds({"sys": mixed})
    assert found["language"].segments == LINES // 10
    assert "en instead of de" in found["language"].message
    russian = ["Старые люди маленькой деревни ждали автобус" if n % 10 == 0 else text for n, text in enumerate(SYSTEM)]
    assert kinds({"sys": russian})["script"].segments == LINES // 10


CHINESE = [f"第{n}位老人在村庄里等待公共汽车，因为下雪它又迟到了{n * 7919}分钟。" for n in range(LINES)]


def test_widths_and_spaces_of_chinese():
    apart = ["".join(f"{letter} " for letter in text) for text in CHINESE]
    assert list(kinds({"sys": apart}, [CHINESE], metric=BLEU(tokenize="zh"))) == ["spaced"]
    narrow = [text.replace("，", ",").replace("。", ".") for text in CHINESE]
    assert "half-width" in kinds({"sys": narrow}, [CHINESE])
    wide = [text.translate({48 + n: 0xFF10 + n for n in range(10)}) for text in CHINESE]
    assert "full-width" in kinds({"sys": wide}, [CHINESE])


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(BleuError, match=r"more segments than sources \(3\); give one"):
        check_texts({"sys": SYSTEM}, [REFERENCE], ["a", "b", "c"])
    with pytest.raises(BleuError, match="more sources than segments"):
        check_texts({"sys": SYSTEM}, [REFERENCE], [*REFERENCE, "x"])
    with pytest.raises(BleuError, match="bare string"):
        check_texts({"sys": SYSTEM}, [REFERENCE], "text")


def test_kinds_have_different_names():
    names = [mistake.kind for mistake in MISTAKES]
    assert len(set(names)) == len(names)


def test_the_documentation_names_every_kind(root):
    page = Path(root, "docs", "check.md").read_text(encoding="utf-8")
    others = {"step", "order", "unscored", "unrelated", "swapped", "copy", "source", "language", "script", "typography"}
    table = page.partition("| kind |")[2].partition("\n\n")[0]
    named = {word for row in table.splitlines() for word in row.split("|")[1:2] for word in word.split("`")[1::2]}
    assert named == {mistake.kind for mistake in MISTAKES} | others


def test_a_package_that_is_missing_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "ftfy", None)
    monkeypatch.setitem(sys.modules, "ftfy.badness", None)
    findings = check_texts({"sys": damage("mojibake", 1)}, [REFERENCE])
    assert findings.unchecked[0].startswith("mojibake was not checked: the module ftfy")
    assert "pip install 'bleucli[check]'" in findings.unchecked[0]


# --- the command


@pytest.fixture
def texts(write):
    write("ref.txt", "".join(f"{line}\n" for line in REFERENCE))
    write("good.txt", "".join(f"{line}\n" for line in SYSTEM))
    write("bad.txt", "".join(f"{line}\n" for line in damage("tags", 1)))


def test_the_command_says_what_is_wrong(run, texts):
    answer = run("check", "ref.txt", "-i", "good.txt", "bad.txt")
    assert answer.status == 1
    assert "error: bad.txt, line 1: tags (such as <seg>) in all 400 segments" in answer.out
    gain = kinds({"bad.txt": damage("tags", 1)})["tags"].points
    assert f"Costs {gain:.1f} BLEU. Remove the tags" in answer.out
    assert "2 systems and 400 segments checked: 1 error" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80


def test_nothing_wrong_is_status_0(run, texts):
    answer = run("check", "ref.txt", "-i", "good.txt")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out == "1 system and 400 segments checked: nothing wrong was found\n"


def test_strict_counts_every_finding(run, texts, write):
    write("note.txt", "".join(f"{line}\n" for line in [*SYSTEM[:-1], ""]))
    assert run("check", "ref.txt", "-i", "note.txt").status == 0
    assert run("check", "ref.txt", "-i", "note.txt", "--strict").status == 1
    assert run("check", "ref.txt", "-i", "good.txt", "--strict").status == 0


def test_findings_as_json(run, texts):
    answer = run("check", "ref.txt", "-i", "bad.txt", "-f", "json")
    data = json.loads(answer.out)
    assert [(one["kind"], one["text"], one["line"], one["segments"]) for one in data["findings"]] == [
        ("tags", "bad.txt", 1, 400)
    ]
    assert data["scores"][0]["system"] == "bad.txt"
    assert data["signature"].startswith("BLEU|nrefs:1|")


def test_findings_as_annotations(run, texts):
    answer = run("check", "ref.txt", "-i", "bad.txt", "--annotate", "github")
    assert "::error title=bleu check%3A tags::bad.txt, line 1: tags (such as <seg>) in all 400 segments\n" in answer.err


def test_systems_of_other_lengths_do_not_keep_the_others_from_being_checked(run, texts, write):
    write("short.txt", "".join(f"{line}\n" for line in SYSTEM[:-1]))
    answer = run("check", "ref.txt", "-i", "short.txt", "bad.txt", "-f", "json")
    data = json.loads(answer.out)
    assert [one["kind"] for one in data["findings"]] == ["unscored", "tags"]
    assert "short.txt" in data["findings"][0]["message"]
    alone = run("check", "ref.txt", "-i", "short.txt")
    assert alone.status == 1
    assert "error: ref.txt has 400 segments but short.txt has 399 segments: " in alone.out


def test_swapped_files_are_told_by_their_names(run, texts):
    answer = run("check", "good.txt", "-i", "ref.txt", "-f", "json")
    (finding,) = json.loads(answer.out)["findings"]
    assert (finding["kind"], finding["severity"]) == ("swapped", "error")
    assert "bleu ref.txt -i good.txt" in finding["remedy"]


def test_sources_come_from_a_file(run, texts, write):
    source = [f"The house number {n} stands by the river of the town" for n in range(LINES)]
    write("src.txt", "".join(f"{line}\n" for line in source))
    write("lazy.txt", "".join(f"{source[n] if n % 9 == 0 else line}\n" for n, line in enumerate(SYSTEM)))
    answer = run("check", "ref.txt", "-i", "lazy.txt", "--source", "src.txt", "-f", "json")
    assert "source" in [one["kind"] for one in json.loads(answer.out)["findings"]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-f", "latex"), "latex"),
        (("-m", "bleu", "chrf"), "one metric"),
        (("-m", "comet"), "write bleu REF -i SYSTEM --scores comet=FILE"),
        (("--source", "-"), "--source cannot read standard input"),
        (("--source", "missing.txt"), "missing.txt"),
    ],
)
def test_wrong_options_get_one_line(run, texts, words, message):
    answer = run("check", "ref.txt", "-i", "good.txt", *words)
    assert answer.status == 2
    assert message in answer.err
    assert answer.err.count("\n") == 1


def test_items_are_joined_by_their_ids(run, write):
    items = list(enumerate(zip(REFERENCE, damage("tags", 2), strict=True)))
    write("ref.jsonl", "".join(json.dumps({"doc_id": f"d{n}", "ref": pair[0]}) + "\n" for n, pair in items))
    write(
        "sys.jsonl", "".join(json.dumps({"doc_id": f"d{n}", "hypothesis": pair[1]}) + "\n" for n, pair in items[::-1])
    )
    answer = run("check", "ref.jsonl", "-i", "sys.jsonl", "-f", "json")
    assert answer.err == ""
    assert [(one["kind"], one["segments"]) for one in json.loads(answer.out)["findings"]] == [("tags", LINES // 2)]


def test_a_test_set_brings_its_sources(run, write):
    source = run("-t", "demo", "-l", "en-de", "--echo", "src").out.splitlines()
    lines = run("-t", "demo", "-l", "en-de", "--echo", "strong").out.splitlines()
    write("lazy.txt", "".join(f"{text}\n" for text in [*source[:30], *lines[30:]]))
    answer = run("check", "-t", "demo", "-l", "en-de", "-i", "lazy.txt", "-f", "json")
    found = {one["kind"]: one["segments"] for one in json.loads(answer.out)["findings"]}
    assert found["source"] >= 28
    assert answer.status == 1


def test_findings_say_what_no_package_could_check(run, texts, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "ftfy.badness", None)
    damaged = "".join(f"{line}\n" for line in damage("mojibake", 1))
    with open("bad.txt", "w", encoding="utf-8", newline="\n") as file:
        file.write(damaged)
    answer = run("check", "ref.txt", "-i", "bad.txt")
    assert "Mojibake was not checked: the module ftfy.badness" in answer.out
    assert "install 'bleucli[check]'" in answer.out
