"""BLEU for papers: sacreBLEU's numbers and signatures, many times faster.

>>> import bleucli
>>> hypotheses = ["The dog bit the man.", "It wasn't surprising."]
>>> references = [["The dog bit the man.", "It was not unexpected."]]
>>> round(bleucli.corpus_bleu(hypotheses, references).score, 2)
63.98

Names are resolved when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from bleucli._version import __version__

TYPE_CHECKING: bool = False  # without the annotation, completion in editors (jedi) skips the imports below
if TYPE_CHECKING:
    from bleucli import metrics, significance
    from bleucli.check import check_texts
    from bleucli.counting import CorpusStats
    from bleucli.errors import BleuError, BleuWarning, InputTypeError
    from bleucli.evaluate import evaluate_segments, evaluate_systems
    from bleucli.match import Match, Matches, Setting, match_score
    from bleucli.matrix import compare_matrix, score_matrix
    from bleucli.metrics import metric_from_signature
    from bleucli.metrics.bleu import BLEU, BLEUScore
    from bleucli.metrics.chrf import CHRF, CHRFScore, corpus_chrf, sentence_chrf
    from bleucli.metrics.differences import DifferenceExplanation, explain_difference
    from bleucli.metrics.explanations import CorpusExplanation, Explanation, explain, explain_corpus
    from bleucli.metrics.functions import compute, corpus_bleu, raw_corpus_bleu, sentence_bleu
    from bleucli.metrics.self_bleu import SelfBLEU, self_bleu
    from bleucli.metrics.ter import TER, TERScore, corpus_ter, sentence_ter
    from bleucli.metrics.wer import CER, WER, CERScore, WERScore, corpus_cer, corpus_wer, sentence_cer, sentence_wer
    from bleucli.output import render_table
    from bleucli.output.paper import cite
    from bleucli.report import plots
    from bleucli.report.page import compare_systems
    from bleucli.results import Results
    from bleucli.results.findings import Finding, Findings
    from bleucli.results.segments import SegmentTable
    from bleucli.results.signature import Signature
    from bleucli.scale import arrow, statsfiles
    from bleucli.significance import resampling
    from bleucli.significance.paired_test import PairedTest
    from bleucli.testsets.access import (
        download_test_set,
        get_available_testsets,
        get_available_testsets_for_langpair,
        get_langpairs_for_testset,
        get_reference_files,
        get_segments,
        get_source_file,
        smart_open,
    )
    from bleucli.text import Segments
    from bleucli.text.typography import normalize

_MODULES = {
    "arrow": "bleucli.scale.arrow",
    "metrics": "bleucli.metrics",
    "plots": "bleucli.report.plots",
    "resampling": "bleucli.significance.resampling",
    "significance": "bleucli.significance",
    "statsfiles": "bleucli.scale.statsfiles",
}
# The names by the modules that define them
_NAMES = {
    "check": "check_texts",
    "counting": "CorpusStats",
    "errors": "BleuError BleuWarning InputTypeError",
    "evaluate": "evaluate_segments evaluate_systems",
    "match": "Match Matches Setting match_score",
    "matrix": "compare_matrix score_matrix",
    "metrics": "metric_from_signature",
    "metrics.bleu": "BLEU BLEUScore",
    "metrics.chrf": "CHRF CHRFScore corpus_chrf sentence_chrf",
    "metrics.differences": "DifferenceExplanation explain_difference",
    "metrics.explanations": "CorpusExplanation Explanation explain explain_corpus",
    "metrics.functions": "compute corpus_bleu raw_corpus_bleu sentence_bleu",
    "metrics.self_bleu": "SelfBLEU self_bleu",
    "metrics.ter": "TER TERScore corpus_ter sentence_ter",
    "metrics.wer": "CER CERScore WER WERScore corpus_cer corpus_wer sentence_cer sentence_wer",
    "output": "render_table",
    "output.paper": "cite",
    "report.page": "compare_systems",
    "results": "Results",
    "results.findings": "Finding Findings",
    "results.segments": "SegmentTable",
    "results.signature": "Signature",
    "significance.paired_test": "PairedTest",
    "testsets.access": (
        "download_test_set get_available_testsets get_available_testsets_for_langpair get_langpairs_for_testset"
        " get_reference_files get_segments get_source_file smart_open"
    ),
    "text": "Segments",
    "text.typography": "normalize",
}
_HOMES = {name: f"bleucli.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "BLEU",
    "CER",
    "CHRF",
    "TER",
    "WER",
    "BLEUScore",
    "BleuError",
    "BleuWarning",
    "CERScore",
    "CHRFScore",
    "CorpusExplanation",
    "CorpusStats",
    "DifferenceExplanation",
    "Explanation",
    "Finding",
    "Findings",
    "InputTypeError",
    "Match",
    "Matches",
    "PairedTest",
    "Results",
    "SegmentTable",
    "Segments",
    "SelfBLEU",
    "Setting",
    "Signature",
    "TERScore",
    "WERScore",
    "__version__",
    "arrow",
    "check_texts",
    "cite",
    "compare_matrix",
    "compare_systems",
    "compute",
    "corpus_bleu",
    "corpus_cer",
    "corpus_chrf",
    "corpus_ter",
    "corpus_wer",
    "download_test_set",
    "evaluate_segments",
    "evaluate_systems",
    "explain",
    "explain_corpus",
    "explain_difference",
    "get_available_testsets",
    "get_available_testsets_for_langpair",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_segments",
    "get_source_file",
    "match_score",
    "metric_from_signature",
    "metrics",
    "normalize",
    "plots",
    "raw_corpus_bleu",
    "render_table",
    "resampling",
    "score_matrix",
    "self_bleu",
    "sentence_bleu",
    "sentence_cer",
    "sentence_chrf",
    "sentence_ter",
    "sentence_wer",
    "significance",
    "smart_open",
    "statsfiles",
]


if not TYPE_CHECKING:  # hidden from type checkers, which would otherwise accept any misspelled name

    def __getattr__(name: str) -> object:
        # With a list, it returns the last module of the path; `importlib` would have to be imported first
        if name in _HOMES:
            value = getattr(__import__(_HOMES[name], fromlist=["__name__"]), name)
            globals()[name] = value
            return value
        if name in _MODULES:
            return __import__(_MODULES[name], fromlist=["__name__"])
        raise AttributeError(f"module 'bleucli' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
