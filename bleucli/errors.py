"""What can go wrong, each in one sentence: what was given, what was expected, what to do.

`BleuError` is a `ValueError`, so that callers who guard against bad values guard against these too.
"""

from __future__ import annotations

from bleucli.phrases import in_command, tell_count, tell_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class BleuError(ValueError):
    """Base of every error that a caller can fix: bad input, wrong options, files that do not fit together.

    Args:
        parts: the parts of the sentence. A `bleucli.phrases.Turn` has two wordings: `str(error)` uses the one for
            Python, which counts from 0 and names arguments; `in_command()` uses the one for the command, which counts
            from 1 and names flags.

    Attributes:
        remedy: what to do in detail, if the sentence only says what is wrong; "" elsewhere.

    >>> raise BleuError("ref.txt is empty; give one reference per line")
    Traceback (most recent call last):
    ...
    bleucli.errors.BleuError: ref.txt is empty; give one reference per line
    """

    remedy = ""

    def __init__(self, *parts: str) -> None:
        super().__init__("".join(parts))
        self.parts = parts

    def in_command(self) -> str:
        """Return the sentence in the wording of the command.

        >>> from bleucli.phrases import tell_place
        >>> error = BleuError("all references of ", tell_place("segment", 0), " are missing")
        >>> str(error)
        'all references of segment 0 (counting from 0) are missing'
        >>> error.in_command()
        'all references of segment 1 are missing'
        """
        return "".join(map(in_command, self.parts))

    def __reduce__(self) -> tuple[object, ...]:
        # Worker processes send errors to their parents. By default, pickle would call the class with the sentence
        # alone, but some subclasses take other arguments.
        return _restore, (type(self), self.args, self.__dict__)


class Naming:
    """A context whose errors begin with a name, such as a language pair's; other exceptions get the name as a note.

    >>> with Naming("en-de"):
    ...     raise BleuError("ref.txt is empty; give one reference per line")
    Traceback (most recent call last):
    ...
    bleucli.errors.BleuError: en-de: ref.txt is empty; give one reference per line
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Put the name before the error."""
        if isinstance(error, BleuError):
            error.parts = (f"{self._name}: ", *error.parts)
            error.args = ("".join(error.parts),)
        elif isinstance(error, Exception):
            error.add_note(f"in {self._name}")


def _restore(kind: type[BleuError], arguments: tuple[object, ...], attributes: dict[str, object]) -> BleuError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


class BleuWarning(UserWarning):
    """What a user should know about texts or options. It does not stop the scoring.

    All warnings of one kind have the same text, so Python's filters can recognize them: by default, each line of a
    program shows a warning once.

    Attributes:
        detail: the same sentence with its numbers.
        numbers: what was counted, by name, such as `{"hypotheses": 132}`; empty if the sentence has no numbers.

    >>> import warnings, bleucli
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     score = bleucli.corpus_bleu(["a b c d ."] * 132, [["a b c d ."] * 132])
    >>> caught[0].message.numbers, caught[0].message.detail[:34]
    ({'hypotheses': 132}, "132 hypotheses end in ' .', so the")
    """

    def __init__(self, text: str, detail: str = "", numbers: Mapping[str, float] | None = None) -> None:
        super().__init__(text)
        self.detail = detail or text
        self.numbers = dict(numbers or {})


class Note(BleuWarning):
    """What a user should know, but need not worry about."""


class InputTypeError(BleuError, TypeError):
    """An argument of the wrong shape or type, such as a bare string where a list of strings belongs.

    It is a `BleuError`, and a `TypeError` as well.

    >>> from bleucli import corpus_bleu
    >>> try:
    ...     corpus_bleu(["a b c d"], ["a b c d"])
    ... except InputTypeError as error:
    ...     print(error)
    references: expected a list of streams, each a list of strings, not a list of strings; write [references]
    """


class OneSegmentError(BleuError):
    """What is defined for single segments was asked of several; the first part says so, the second what to do."""


class UsageError(BleuError):
    """Options that cannot be combined, or a value that an option cannot have."""


class KernelError(BleuError):
    """The native kernels were required (`BLEU_KERNELS=native`) and cannot be used."""


class SegmentError(BleuError):
    """A segment that cannot be used, found within a block.

    Args:
        number: the segment's number in the block, from 1.
        what: the rest of the sentence.
    """

    def __init__(self, number: int, what: str) -> None:
        super().__init__(tell_place("segment", number - 1), f" {what}")
        self.number = number
        self.what = what

    def locate(self, start: int, where: str) -> BleuError:
        """Return the error with its place in the whole text.

        Args:
            start: the index of the block's first segment.
            where: what to call the text.
        """
        return BleuError(f"{where}, ", tell_place("segment", start + self.number - 1), f" {self.what}")


class LengthError(BleuError):
    """Texts that belong together have different numbers of segments.

    Args:
        message: the sentence, or its parts.
        longest, shortest: positions, among the texts, of one that is too long and one that is too short.
        counts: how many segments these two have; None for the longest if it was not read to its end.
    """

    def __init__(
        self, message: str | Sequence[str], longest: int, shortest: int, counts: tuple[int | None, int]
    ) -> None:
        super().__init__(*([message] if isinstance(message, str) else message))
        self.longest = longest
        self.shortest = shortest
        self.counts = counts


class ReferencesDifferError(BleuError):
    """Two systems come with different references."""


class IdsDifferError(BleuError):
    """Two texts have different ids for a segment, so their lines are not in the same order."""


class NotFoundError(Exception):
    """Why a text cannot be taken from an object of JSON Lines.

    Args:
        why: what is missing, or ambiguous.
        may_be_left_out: whether the object has neither the field nor one with a similar name.
    """

    def __init__(self, why: str, may_be_left_out: bool = False) -> None:
        super().__init__(why)
        self.may_be_left_out = may_be_left_out


class NotWaitedFor(Exception):
    """A stream gave nothing for a while, when only its length was still needed."""


class FieldCountError(BleuError):
    """A line whose number of tab-separated fields differs from that of earlier lines, or from the expected one.

    Args:
        line: the index of the line in the block that was split, from 0.
        fields: the number of fields on the line.
    """

    def __init__(self, line: int, fields: int) -> None:
        super().__init__(f"line {line + 1} has {tell_count(fields, 'tab-separated field')}")
        self.line = line
        self.fields = fields
