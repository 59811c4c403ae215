"""All kinds of sentences and the random worlds that reach them, for `test_sentences` and `scripts/sentences`.

- `WAYS`: for each way to draw worlds, how many are enough for a quick look, how one is drawn, and how it is read
- `draw_worlds`: draws worlds, and judges all that is said of them
- `read_corpus`: judges pages about real systems
"""

from __future__ import annotations

import json
import os
import random
import warnings
from collections import namedtuple
from itertools import combinations

import evaluation_data
from sentences import Tally
from sentences_corpora import CORPUS, drawn_corpus, read_corpus_explanation
from sentences_elsewhere import (
    AVERAGE,
    FACT,
    GATE,
    PAPER,
    REMARK,
    SIGNED,
    TABLE,
    WARNING,
    drawn_gates,
    drawn_matrix,
    drawn_power,
    drawn_remark,
    drawn_run,
    drawn_signed,
    drawn_ties,
    drawn_warning,
    read_averages,
    read_gates,
    read_remarks,
    read_run,
    read_signed,
    read_warnings,
)
from sentences_explanations import (
    DIFFERENCE,
    SEGMENT,
    SMOOTHING_NOTE,
    drawn_difference,
    drawn_segment,
    read_difference,
    read_segment,
)
from sentences_matrix import MATRIX, drawn_matrix_page, read_matrix_page
from sentences_pages import (
    PAGE,
    PageWorld,
    counted_report,
    drawn_report,
    factors_of,
    read_page,
    read_words,
    report_of,
)

from bleucli import BLEU, CHRF, TER
from bleucli.report import page

PLACES = (
    *(PAGE, MATRIX, SEGMENT, SMOOTHING_NOTE, CORPUS, DIFFERENCE, TABLE, PAPER, FACT, SIGNED, AVERAGE, WARNING, GATE),
    REMARK,
)
# Of real systems, the segments that each pair is compared on; the whole corpora are read once, with all systems
SOME = 400


def _read_whole_page(w, tally):
    read_page(page.render(w.report), w, tally)


Way = namedtuple("Way", "count draw read places")
WAYS = {
    "drawn pages": Way(2400, drawn_report, read_words, (PAGE,)),
    "counted pages": Way(120, counted_report, _read_whole_page, (PAGE,)),
    "pages of language pairs": Way(32, drawn_matrix_page, read_matrix_page, (MATRIX,)),
    "segments": Way(8000, lambda draw, _: drawn_segment(draw), read_segment, (SEGMENT, SMOOTHING_NOTE)),
    "corpora": Way(4000, lambda draw, _: drawn_corpus(draw), read_corpus_explanation, (CORPUS, SMOOTHING_NOTE)),
    "differences": Way(1600, lambda draw, _: drawn_difference(draw), read_difference, (DIFFERENCE,)),
    "runs": Way(160, lambda draw, _: drawn_run(draw), read_run, (TABLE, PAPER, FACT, WARNING)),
    "power": Way(32, lambda draw, _: drawn_power(draw), read_run, (TABLE, PAPER, FACT, WARNING)),
    "signatures": Way(240, lambda draw, _: drawn_signed(draw), read_signed, (SIGNED,)),
    "language pairs": Way(120, lambda draw, _: drawn_matrix(draw), read_averages, (AVERAGE,)),
    "ties": Way(40, lambda draw, _: drawn_ties(draw), read_warnings, (WARNING,)),
    "mistakes": Way(240, lambda draw, _: drawn_warning(draw), read_warnings, (WARNING,)),
    "gates": Way(4800, lambda draw, _: drawn_gates(draw), read_gates, (GATE,)),
    "remarks": Way(4800, lambda draw, _: drawn_remark(draw), read_remarks, (REMARK,)),
}


def draw_worlds(name, count, tally, seed=1):
    """Draw worlds in one way, and judge what is said of them.

    Raises:
        Unknown: a sentence is of an unknown kind.
    """
    way = WAYS[name]
    for number in range(count):
        world_seed = f"{seed}-{name}-{number}"
        with warnings.catch_warnings(action="ignore"):
            w = way.draw(random.Random(world_seed), world_seed)
            if w is not None:
                way.read(w, tally)
        if w is not None:
            for place in way.places:
                tally.drawn[place.name] += 1


def corpora(folder):
    """Give the name, the references and the systems by name of each corpus in a folder of evaluation data."""
    for name in evaluation_data.present(folder):
        references, systems = evaluation_data.CORPORA[name]
        read = {one: evaluation_data.read_lines(folder, name, f"{one}.txt") for one in (*references, *systems)}
        yield name, [read[one] for one in references], {one: read[one] for one in systems}
    # These have no references here: one system stands in for them
    for name in ("wmt24.en-de", "wmt25.en-cs", "wmt26.eng-ces", "wmt26.eng-tha"):
        found = dict(_read_folder(os.path.join(folder, name)))
        if len(found) > 2:
            first = "ref.A" if "ref.A" in found else min(found)
            yield name, [found.pop(first)], found


def _read_folder(folder):
    for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, file)
        if file.endswith(".txt"):
            with open(path, encoding="utf-8", newline="\n") as texts:
                yield file.removesuffix(".txt"), texts.read().split("\n")[:-1]
        elif file.endswith(".jsonl") and not file.startswith("scores."):
            with open(path, encoding="utf-8") as lines:
                outputs = [json.loads(line).get("hypothesis") for line in lines]
            if all(isinstance(one, str) for one in outputs):
                yield file.removesuffix(".jsonl"), [" ".join(one.split()) for one in outputs]


def read_corpus(references, systems, tally, trials=500):
    """Judge the page about all systems of a corpus, and the pages about each pair on its first segments."""
    pages = [(systems, None), *((dict(pair), SOME) for pair in combinations(systems.items(), 2))]
    for chosen, most in pages:
        texts = {name: lines[:most] for name, lines in chosen.items()}
        streams = [stream[:most] for stream in references]
        metrics = [BLEU(), CHRF(), TER()] if most else [BLEU(), CHRF()]
        with warnings.catch_warnings(action="ignore"):
            report = report_of(texts, streams, metrics, trials=trials)
            w = PageWorld(report, factors_of(texts, streams, metrics), (list(texts.values()), streams, metrics), "real")
            _read_whole_page(w, tally)
        tally.drawn[PAGE.name] += 1


def judge_all(scale=1.0, folder=None, seed=1, progress=print):
    """Return a tally of all ways to draw worlds and, if there is a folder of evaluation data, of real pages."""
    tally = Tally(*PLACES)
    for name, way in WAYS.items():
        draw_worlds(name, max(1, int(way.count * scale)), tally, seed)
        progress(name)
    for name, references, systems in corpora(folder) if folder else ():
        read_corpus(references, systems, tally)
        progress(name)
    return tally
