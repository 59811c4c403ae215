"""Other programs, run as black boxes, give the scores that `bleucli.match.programs` computes."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from importlib import metadata

import numpy as np
import pytest

from bleucli import BLEU
from bleucli.match import programs
from bleucli.match.counts import _LowercaseLast

MANY = 20_000
WORDS = [
    *("a", "b", "c", "d", "the", "cat", "A", "The", "Ä", "ä", "x-y", "it's", "3.5", "(yes)", "\u00a0", "u\u00a0v"),
    *("你好", "end.", '"q"', "&quot;", "1,000", "\u3000", "ß", "İ", "-"),
]
BOTH = pytest.mark.parametrize("number", [100, pytest.param(MANY, marks=pytest.mark.slow)])


def corpora(number, seed=1):
    """Give outputs and references of some segments, many of them short or alike, some of them empty."""
    choose = random.Random(seed)
    for _ in range(number):
        segments, streams = choose.choice([1, 1, 2, 3, 5, 9]), choose.choice([1, 1, 2, 3])
        words, longest = WORDS[: choose.choice([3, 6, 12, len(WORDS)])], choose.choice([3, 6, 12])

        def line(words=words, longest=longest):
            size = choose.randint(choose.random() >= 0.1, longest)
            return choose.choice([" ", " ", " ", "  "]).join(choose.choices(words, k=size))

        references = [[line() for _ in range(segments)] for _ in range(streams)]
        output = []
        for n in range(segments):
            text = references[choose.randrange(streams)][n].split(" ")
            for _ in range(choose.randint(0, 2)):
                if choose.random() < 0.5:
                    text.pop(choose.randrange(len(text))) if text else None
                else:
                    text.insert(choose.randint(0, len(text)), choose.choice(words))
            output.append(" ".join(text) if choose.random() < 0.6 else line())
        yield choose, output, references


def counts(output, references, metric):
    rows = np.asarray(metric.segment_stats(output, references))
    lengths = [np.asarray(metric.segment_stats(output, [stream]))[:, 1] for stream in references]
    return programs.count_block(rows, np.stack(lengths))


def by_segment(references):
    return list(map(list, zip(*references, strict=True)))


@BOTH
@pytest.mark.filterwarnings("ignore::UserWarning:nltk")
def test_nltk(number):
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

    scored = 0
    for choose, output, references in corpora(number):
        order, method = choose.choice([1, 2, 3, 4, 4]), choose.randrange(5)
        words = [[line.split() for line in stream] for stream in references]
        smoothing = getattr(SmoothingFunction(), f"method{method}")
        hypotheses = [line.split() for line in output]
        theirs = 100 * corpus_bleu(by_segment(words), hypotheses, [1 / order] * order, smoothing_function=smoothing)
        ours = programs.nltk(counts(output, references, BLEU(tokenize="none", force=True)), order, method)
        assert ours == pytest.approx(float(theirs), abs=1e-9)
        scored += theirs > 0
    assert scored > number / 2


@pytest.mark.slow
def test_evaluate():
    """Bleuscore stands in for evaluate, whose metrics have to be downloaded: it gives the scores of its `bleu`."""
    import bleuscore

    scored = 0
    for choose, output, references in corpora(MANY):
        order, smooth = choose.choice([1, 2, 3, 4, 4]), choose.random() < 0.5
        pairs = {"predictions": output, "references": by_segment(references)}
        theirs = 100 * bleuscore.compute(**pairs, max_order=order, smooth=smooth)["bleu"]
        assert programs.evaluate(counts(output, references, BLEU()), order, smooth) == pytest.approx(theirs, abs=1e-9)
        scored += theirs > 0
    assert scored > MANY / 2


def test_evaluate_as_its_documentation_shows():
    """https://huggingface.co/spaces/evaluate-metric/bleu: translation_length 7, reference_length 6, bleu 1.0."""
    output = ["hello there general kenobi", "foo bar foobar"]
    references = [["hello there general kenobi", "foo bar foobar"], ["hello there !", "foo bar foobar"]]
    ours = counts(output, references, BLEU())
    assert (ours.hypothesis, ours.shortest, programs.evaluate(ours)) == (7, 6, 100)


@pytest.mark.slow
@pytest.mark.heavy
def test_torchmetrics():
    if not os.environ.get("BLEU_TEST_PROGRAMS"):
        pytest.importorskip("torchmetrics", reason="torchmetrics is not installed (BLEU_TEST_PROGRAMS=1 demands it)")
    from torchmetrics.functional.text import bleu_score, sacre_bleu_score

    scored = 0
    for choose, output, references in corpora(MANY):
        order, smooth, lowercase = choose.choice([1, 2, 3, 4, 4]), choose.random() < 0.5, choose.random() < 0.3
        tokens = choose.choice(["", "none", *programs.OF_TORCHMETRICS])
        metric = (_LowercaseLast if lowercase and tokens else BLEU)(tokenize=tokens or "none", force=True)
        arguments = {"n_gram": order, "smooth": smooth}
        if tokens:
            arguments |= {"tokenize": tokens, "lowercase": lowercase}
        function = sacre_bleu_score if tokens else bleu_score
        theirs = 100 * float(function(output, by_segment(references), **arguments))
        ours = programs.torchmetrics(counts(output, references, metric), order, smooth)
        assert ours == pytest.approx(theirs, abs=2e-4)  # they are of single precision
        scored += theirs > 0
    assert scored > MANY / 2


def multi_bleu_script():
    """Return the path of `multi-bleu.perl`, which texar-pytorch brings along."""
    files = metadata.files("texar-pytorch")
    return str(next(file for file in files if file.name == "multi-bleu.perl").locate())


@pytest.mark.slow
@pytest.mark.parametrize("number", [300, pytest.param(MANY, marks=pytest.mark.heavy)])
def test_multi_bleu(tmp_path, number):
    script = multi_bleu_script()
    scored = 0
    for place, (choose, output, references) in enumerate(corpora(number)):
        lowercase = choose.random() < 0.4
        folder = tmp_path / str(place)
        folder.mkdir()
        for n, stream in enumerate(references):
            (folder / f"ref{n}").write_text("".join(f"{line}\n" for line in stream), "utf-8")
        words = ["perl", script, *["-lc"] * lowercase, str(folder / "ref")]
        text = "".join(f"{line}\n" for line in output).encode()
        # It fails where it would divide by 0, and then has no score, or 0
        answer = subprocess.run(words, input=text, capture_output=True).stdout.decode()
        shutil.rmtree(folder)
        theirs = answer.removeprefix("BLEU = ").partition(",")[0] or "0.00"
        read = [[programs.read_bytes(line, lowercase) for line in stream] for stream in (output, *references)]
        ours = programs.multi_bleu(counts(read[0], read[1:], BLEU(tokenize="none", force=True)))
        assert abs(ours - float(theirs)) < 0.00501
        scored += ours > 0
    assert scored > number / 4
