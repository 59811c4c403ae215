"""What `bleu match` counts: a corpus by every tokenizer, case and switch that changes counts, in one reading.

- `Tally`: the counts; `chrf_settings`, `ter_settings`: the settings of chrF and TER that it counts for

References are taken all together, and each by itself. Sets of references are tuples of their indexes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from bleucli import kernels, tokenizers
from bleucli.counting import References
from bleucli.errors import SegmentError
from bleucli.kernels.stats import SegmentStats
from bleucli.match import programs
from bleucli.metrics.bleu import BLEU
from bleucli.metrics.chrf import CHRF
from bleucli.metrics.ter import TER
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from bleucli.counting.corpus import Piece
    from bleucli.match.programs import Counts

    Rows = NDArray[np.float64] | NDArray[np.int64]
    Set = tuple[int, ...]

# The letters that a tokenizer is for
_OF_SCRIPTS = {
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ja-mecab": re.compile("[\u3041-\u30ff]"),
    "ko-mecab": re.compile("[\uac00-\ud7a3]"),
}
_OF_ALL = ("13a", "none", "intl", "char", "flores200", "flores101")
# Those that the switch of TER for East Asian text is about
_ASIAN = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
WORD_ORDERS = (0, 2, 1)
BETAS = (2, 1, 3)


def chrf_settings() -> Iterator[tuple[int, int, bool]]:
    """Give word order, beta and eps smoothing."""
    for word_order in WORD_ORDERS:
        for beta in BETAS:
            for eps in (False, True):
                yield word_order, beta, eps


def ter_settings(has_asian: bool) -> Iterator[tuple[bool, bool, bool, bool]]:
    """Give the arguments of `TER`; the third one, for East Asian text, needs one of the first two."""
    for normalized in (False, True):
        for no_punct in (False, True):
            for asian in (False, True) if has_asian and (normalized or no_punct) else (False,):
                for case_sensitive in (False, True):
                    yield normalized, no_punct, asian, case_sensitive


class Tally:
    """What was counted.

    metrics: "bleu", "chrf" and "ter", or some of them. usual: the tokenizer that is tried whatever the text.

    Attributes:
        sets: the sets of references: first all of them, then each one that no segment lacks.
        tokenizers: the names of those that suit the text and are installed.
        absent: the names of those that suit the text, but are not installed.
        has_asian: whether there is East Asian text.
        fewest, most: the smallest and the largest number of references of a segment.
        bleu: by tokens, case and set of references, as `programs.ways` names them.
        chrf: sums by lowercase, whitespace, the `chrf_settings` and set.
        ter: sums by the `ter_settings` and set.
    """

    def __init__(self, metrics: Sequence[str], usual: str) -> None:
        self._metrics = metrics
        self._usual = usual
        self._readers: dict[tuple[str, str], tuple[BLEU, Callable[[str], str] | None]] = {}
        self.sets: list[Set] = []
        self.tokenizers: list[str] = []
        self.absent: list[str] = []
        self.has_asian = False
        self.fewest = self.most = 0
        self.bleu: dict[tuple[str, str, Set], Counts] = {}
        self.chrf: dict[tuple[Any, ...], Rows] = {}
        self.ter: dict[tuple[Any, ...], Rows] = {}

    def add(self, piece: Piece, system: str) -> None:
        """Count some segments; system: what errors call it.

        Raises:
            BleuError: a segment has no reference, or cannot be tokenized.
        """
        fewest, most, _ = kernels.reference_counts(piece.references)
        if not self.sets:
            self._begin(piece.references)
        self.fewest, self.most = min(self.fewest or fewest, fewest), max(self.most, most)
        missing = [_missing(stream) for stream in piece.references]
        if len(missing) > 1:
            self.sets = [one for one in self.sets if len(one) > 1 or not missing[one[0]].any()]
        for key, (metric, read) in self._readers.items():
            self._add_bleu(key, metric, read, piece, system, missing)
        if "chrf" in self._metrics:
            self._add_chrf(piece, missing)
        if "ter" in self._metrics:
            self._add_ter(piece, missing)

    def _begin(self, references: Sequence[Segments]) -> None:
        """Decide what is counted, by the references of the first segments."""
        numbers = range(len(references))
        self.sets = list(dict.fromkeys([tuple(numbers), *((number,) for number in numbers)]))
        sample = "\n".join(text or "" for stream in references for text in stream)
        self.has_asian = _ASIAN.search(sample) is not None
        if "bleu" not in self._metrics:
            return
        of_script = [name for name, letters in _OF_SCRIPTS.items() if letters.search(sample)]
        for name in dict.fromkeys([self._usual, *_OF_ALL, *of_script]):
            (self.tokenizers if tokenizers.is_ready(name) else self.absent).append(name)
        for name in self.tokenizers:
            self._readers[name, programs.MIXED] = BLEU(False, True, name), None
            self._readers[name, programs.LOWER] = BLEU(True, True, name), None
            if name in programs.OF_TORCHMETRICS:
                self._readers[name, programs.LAST] = _LowercaseLast(False, True, name), None
        plain = BLEU(False, True, "none")
        self._readers[programs.BYTES, programs.MIXED] = plain, lambda text: programs.read_bytes(text, False)
        self._readers[programs.BYTES, programs.LOWER] = plain, lambda text: programs.read_bytes(text, True)
        self._readers[programs.COMPOUNDS, programs.MIXED] = plain, programs.split_compounds

    def _add_bleu(
        self,
        key: tuple[str, str],
        metric: BLEU,
        read: Callable[[str], str] | None,
        piece: Piece,
        system: str,
        missing: Sequence[NDArray[np.bool_]],
    ) -> None:
        import numpy as np

        texts = [*piece.hypotheses, *piece.references]
        if read is not None:
            texts = [Segments.from_strings([one if one is None else read(one) for one in text]) for text in texts]
        try:
            hypotheses = metric.prepare(texts[0])
        except SegmentError as error:
            raise error.locate(piece.start, system) from None
        prepared = metric.prepare_references(texts[1:], piece.start)
        alone = [np.asarray(metric.compare(hypotheses, References([_fill(one)], 1, 1))) for one in prepared.streams]
        lengths = np.stack([np.where(gone, -1, rows[:, 1]) for rows, gone in zip(alone, missing, strict=True)])
        for numbers in self.sets:
            rows = alone[numbers[0]] if len(numbers) == 1 else np.asarray(metric.compare(hypotheses, prepared))
            more = programs.count_block(rows, lengths[list(numbers)])
            whole = (*key, numbers)
            self.bleu[whole] = self.bleu[whole].plus(more) if whole in self.bleu else more

    def _add_chrf(self, piece: Piece, missing: Sequence[NDArray[np.bool_]]) -> None:
        import numpy as np

        for lowercase in (False, True):
            for whitespace in (False, True):
                metric = CHRF(word_order=max(WORD_ORDERS), lowercase=lowercase, whitespace=whitespace)
                rows = self._rows_alone(metric, piece)
                for settings in chrf_settings():
                    word_order, beta, eps = settings
                    columns = [one[:, : 3 * (metric.char_order + word_order)] for one in rows]
                    for numbers in self.sets:
                        block = columns[numbers[0]]
                        if len(numbers) > 1:
                            scores = [
                                np.where(gone, -1.0, kernels.chrf_rows(SegmentStats.from_numpy(one), beta, eps).data)
                                for one, gone in zip(columns, missing, strict=True)
                            ]
                            best = np.argmax(scores, axis=0)  # the first of equals, as in sacreBLEU
                            block = np.stack(columns)[best, np.arange(len(best))]
                        _add(self.chrf, (lowercase, whitespace, *settings, numbers), block)

    def _add_ter(self, piece: Piece, missing: Sequence[NDArray[np.bool_]]) -> None:
        import numpy as np

        there = ~np.stack(missing)
        for settings in ter_settings(self.has_asian):
            rows = self._rows_alone(TER(*settings), piece)
            for numbers in self.sets:
                block = rows[numbers[0]]
                if len(numbers) > 1:  # the fewest edits, and the average length
                    edits, lengths = np.moveaxis(np.stack(rows), 2, 0)
                    fewest = np.where(there, edits, np.inf).min(axis=0)
                    block = np.stack([fewest, np.where(there, lengths, 0).sum(axis=0) / there.sum(axis=0)], axis=1)
                _add(self.ter, (*settings, numbers), block)

    def _rows_alone(self, metric: CHRF | TER, piece: Piece) -> list[Rows]:
        """Return the statistics of the segments by each reference alone."""
        import numpy as np

        hypotheses = metric.prepare(piece.hypotheses[0])
        streams = metric.prepare_references(piece.references, piece.start).streams
        return [np.asarray(metric.compare(hypotheses, References([_fill(stream)], 1, 1))) for stream in streams]


class _LowercaseLast(BLEU):
    """Lowercases tokens, not texts."""

    def prepare(self, segments: Segments) -> Segments:
        return super().prepare(segments).lower()


def _missing(stream: Segments) -> NDArray[np.bool_]:
    import numpy as np

    return np.asarray(stream.pairs)[::2] < 0


def _fill(stream: Segments) -> Segments:
    return Segments.from_strings([text or "" for text in stream]) if _missing(stream).any() else stream


def _add(sums: dict[tuple[Any, ...], Rows], key: tuple[Any, ...], block: Rows) -> None:
    more = block.sum(axis=0)
    sums[key] = sums[key] + more if key in sums else more
