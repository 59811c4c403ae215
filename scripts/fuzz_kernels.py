"""Generators for `scripts/fuzz`: the native kernels against those in Python, and against hostile input.

Results and exceptions must be those of the Python kernels. When any one allocation fails, the kernel must raise
MemoryError or give the right result. When it is stopped at any one of the points where it checks for signals, it must
raise KeyboardInterrupt or give the right result. All memory must be released.
"""

from __future__ import annotations

import functools
import inspect
import random
import string
import sys
import threading
import unicodedata
from array import array
from collections.abc import Callable, Iterator

from bleucli.kernels import python
from bleucli.kernels.stats import SegmentStats
from bleucli.text import Segments

try:
    from bleucli.kernels import _native as native
except ImportError:  # not needed to list the generators
    native = python

RESAMPLING = ("draw_weights", "weighted_sums", "swapped_sums")
NUMBERS = (*RESAMPLING, "column_sums", "f_score", "bleu_rows", "chrf_rows", "render_rows")
TER = ("ter_stats", "ter_kinds")
PAIRWISE = ("pairwise_bleu", "pairwise_chrf")
OF_TEXTS = [name for name in python.__all__ if name not in (*NUMBERS, *PAIRWISE)]


# --- generators


def try_texts(rng: random.Random) -> None:
    """Texts made of pieces that matter to tokenizers, in any number and order."""
    name = rng.choice(OF_TEXTS)
    if name in TER and rng.random() < 0.8:
        return  # they are a thousand times slower than the others
    compare(name, random_arguments(rng, name, random_text))


def try_unicode(rng: random.Random) -> None:
    """Texts of characters that software often gets wrong."""
    name = rng.choice([name for name in OF_TEXTS if name not in TER])
    compare(name, random_arguments(rng, name, odd_text))


def try_numbers(rng: random.Random) -> None:
    """Statistics, weights and random bits: too few, of extreme size, or none at all."""
    name = rng.choice(NUMBERS)
    compare(name, random_numbers(rng, name))
    if name in RESAMPLING:
        survive(name, mismatched_numbers(rng, name))


def try_shifts(rng: random.Random) -> None:
    """TER of moved phrases: few different words, very unequal lengths, sometimes so long that only the beam is used."""
    pair = random_words(rng)
    arguments = Segments.from_strings(pair[:1]), [Segments.from_strings(pair[1:])]
    # `compare` calls the kernel up to 200 times more, which takes too long for long texts
    if max(map(len, pair)) < 60:
        compare(rng.choice(TER), arguments)
    else:
        assert_alike(rng.choice(TER), arguments)


def try_edits(rng: random.Random) -> None:
    """WER and CER of similar texts of any length, with white space of all kinds between their words."""
    words = rng.choices(PIECES, k=rng.choice((1, 3, len(PIECES))))
    text = rng.choices(words, k=rng.choice((0, 1, 5, 30, 64, 65, 200, 1100)))
    texts = []
    for _ in range(rng.randrange(1, 5)):
        share = rng.choice((0.05, 0.5))
        edited = [rng.choice(words) if rng.random() < share else piece for piece in text if rng.random() < 0.95]
        texts.append(Segments.from_strings([rng.choice((" ", "", "\t", "\u3000")).join(edited)]))
    arguments = texts[0], texts[1:], rng.random() < 0.5
    if len(text) < 60:
        compare("edit_stats", arguments)
    else:
        assert_alike("edit_stats", arguments)


def try_pairs(rng: random.Random) -> None:
    """Scores of all pairs, of groups that share texts, n-grams and whole lists; also of groups with wrong bounds."""
    pieces = rng.choices(PIECES, k=rng.choice((1, 3, len(PIECES))))
    texts = ["".join(rng.choices(pieces, k=rng.choice((0, 1, 5, 30, 90)))) for _ in range(rng.choice((1, 5, 30)))]
    sizes = [rng.choice((0, 1, 3, 12)) for _ in range(2 * rng.choice((0, 1, 1, 3)))]
    sides = [Segments.from_strings(rng.choices([*texts, None], k=sum(sizes[side::2]))) for side in (0, 1)]
    if rng.random() < 0.4:
        sizes = [size for size in sizes[::2] for _ in sides]
        sides = [sides[0]] * 2
    weights = array("d", [rng.random() for _ in range(len(sides[1]))]) if rng.random() < 0.4 else None
    room = sum(n * m for n, m in zip(sizes[::2], sizes[1::2], strict=True)) if weights is None else len(sides[0])
    room = max(0, room + rng.choice((-1, 1)) * (rng.random() < 0.05))
    first = *sides, array("q", [*sizes, *[1] * (rng.random() < 0.05)]), weights, array("d", [-1.0]) * room
    method, value = rng.choice(("exp", "floor", "add-k", "none", "none")), rng.choice((0, 0.1, 1, 1e100))
    compare("pairwise_bleu", (*first, rng.choice((1, 2, 4, 20)), method, value, rng.random() < 0.5))
    orders = rng.choice((1, 2, 6, 20)), rng.randrange(4)
    flags = rng.random() < 0.3, rng.random() < 0.3
    compare("pairwise_chrf", (*first, *orders, rng.choice((0, 0.5, 2, 3)), *flags))


def try_collisions(rng: random.Random) -> None:
    """Words that would collide in a hash table whose hash has no seed, or skips the ends or the middles of words."""
    words = list(colliding_words(rng, rng.choice((10, 100, 1000))))
    lines = [" ".join(rng.choices(words, k=len(words))) for _ in range(2)]
    left, right = Segments.from_strings(lines[:1]), Segments.from_strings(lines[1:])
    name, extra = rng.choice((("ngram_stats", (3,)), ("chrf_stats", (3, 2, 2, False, False)), ("edit_stats", (False,))))
    assert_alike(name, (left, [right, left], *extra))
    assert_alike("group_stats", (Segments.from_strings(lines), array("q", [2]), 3))
    assert_alike("pairwise_bleu", (left, right, array("q", [1, 1]), None, array("d", [0]), 3, "exp", 0, False))


def try_bytes(rng: random.Random) -> None:
    """Bytes that are not UTF-8, and bounds beyond their end: only a crash is a fault."""
    name = rng.choice((*OF_TEXTS, *PAIRWISE))
    survive(name, arguments_of(name, broken(rng), rng.randbytes(30)))


def try_buffers(rng: random.Random) -> None:
    """Memory that another thread writes to, seen through views of all kinds: only a crash is a fault."""
    name = rng.choice((*OF_TEXTS, *PAIRWISE))
    texts, write = restless(rng)
    stop = threading.Event()
    thread = threading.Thread(target=write, args=(stop,))
    thread.start()
    try:
        for _ in range(3):
            survive(name, arguments_of(name, texts, texts.data))
    finally:
        stop.set()
        thread.join()


GENERATORS: dict[str, Callable[[random.Random], None]] = {
    "texts": try_texts,
    "unicode": try_unicode,
    "numbers": try_numbers,
    "shifts": try_shifts,
    "edits": try_edits,
    "pairs": try_pairs,
    "collisions": try_collisions,
    "bytes": try_bytes,
    "buffers": try_buffers,
}


# --- comparison


def compare(name: str, arguments) -> None:
    """Compare the result; then make each allocation fail, and stop at each check for signals, one at a time."""
    expected = assert_alike(name, arguments)
    fail_each(native.fail_allocation, MemoryError, name, arguments, expected)
    fail_each(native.stop_at, KeyboardInterrupt, name, arguments, expected)


def assert_alike(name: str, arguments):
    found, expected = (outcome(getattr(module, name), arguments) for module in (native, python))
    if found != expected:
        raise AssertionError(f"{name}{plain_arguments(arguments)}: native {found!r}, python {expected!r}")
    return expected


def outcome(function, arguments):
    """Return the result or the exception in a form that can be compared."""
    try:
        return repr(plain(function(*arguments)))  # not ==: NaN differs from itself, and -0.0 equals 0.0
    except (ValueError, OverflowError) as error:
        return type(error).__name__, str(error)


def plain(value):
    """Turn Segments and SegmentStats into lists."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return list(value) if hasattr(value, "__iter__") else value


def fail_each(fail_at, error: type[BaseException], name: str, arguments, expected) -> None:
    """Make the first step fail, then the second, and so on, until no step is left or a hundred have failed."""
    for number in range(100):
        fail_at(number)
        try:
            found = outcome(getattr(native, name), arguments)
        except error:
            found = None
        finally:
            fail_at(-1)
        if found is not None and found != expected:
            raise AssertionError(f"{name}, {error.__name__} at {number}: {found!r} instead of {expected!r}")
        if native.live_allocations() != 0:
            raise AssertionError(f"{name}, {error.__name__} at {number}: memory is not released")
        if found is not None:
            break


def survive(name: str, arguments) -> None:
    """Call a kernel with arguments that make no sense, or that change during the call."""
    try:
        getattr(native, name)(*arguments)
    except (ValueError, AttributeError, TypeError, OverflowError):
        return


def plain_arguments(arguments) -> tuple[object, ...]:
    """Return the arguments in a readable form, without the table of tokenize_intl, which is always the same."""
    short = (argument for argument in arguments if not isinstance(argument, bytes) or len(argument) < 10000)
    return tuple(argument if isinstance(argument, bytes | int) else plain(argument) for argument in short)


# --- texts

PIECES = (
    " ", "  ", "\n", "-\n", "\t", "\r", "\x0b", "\x1c", "\x1f", "\x85", "\xa0", "\u1680", "\u2000", "\u200a", "\u200b",
    "\u2028", "\u202f", "\u205f", "\u3000", "\ufeff", "\x00", ".", ",", "..", "-", "5", "1,000.5", "'", '"', "/", "&",
    "&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "<skipped>", "<skip", "$", "~", "^", "[", "]", "a", "b", "ab", "the",
    "something longer than eight", "ä", "ß", "é", "\u0301", "Σ", "İ", "東", "京", "だ", "한", "٣", "๓", "😀",
    "𠀀", "“", "—",
)  # fmt: skip


def random_text(rng: random.Random) -> str | None:
    kind = rng.random()
    if kind < 0.05:
        return None
    if kind < 0.1:
        return "".join(random_character(rng) for _ in range(rng.randrange(12)))
    pieces = rng.choices(PIECES, k=rng.choice((2, 5, len(PIECES))))
    return "".join(rng.choices(pieces, k=rng.choice((0, 1, 3, 10, 40))))


def random_character(rng: random.Random) -> str:
    code = rng.randrange(rng.choice((0x80, 0x800, 0x10000, 0x110000)))
    return chr(code) if not 0xD800 <= code < 0xE000 else "?"


# Characters that are most often split, joined, folded or counted wrongly, as ranges and one by one
ODD_RANGES = (
    (0x00, 0x20), (0x7F, 0xA1), (0x300, 0x370), (0x660, 0x66A), (0xE50, 0xE5A), (0x2000, 0x2070), (0x2E80, 0x3040),
    (0xD7A0, 0xD800), (0xE000, 0xE010), (0xF900, 0xFB00), (0xFDD0, 0xFDF0), (0xFE00, 0xFE50), (0xFEF0, 0x10010),
    (0x1D7CE, 0x1D800), (0x1F1E6, 0x1F200), (0x1FFFE, 0x20010), (0x2FA10, 0x2FA20), (0xE0000, 0xE0080),
    (0x10FFF0, 0x110000),
)  # fmt: skip


def odd_text(rng: random.Random) -> str:
    characters = [chr(rng.randrange(*rng.choice(ODD_RANGES))) for _ in range(rng.choice((1, 3, 10)))]
    characters += rng.choices(PIECES, k=rng.choice((0, 2, 5)))
    return "".join(rng.choices(characters, k=rng.choice((0, 1, 3, 10, 60))))


def random_segments(rng: random.Random, make: Callable[[random.Random], str | None], count: int) -> Segments:
    """Make texts, sometimes as a slice of a longer list."""
    texts = [make(rng) for _ in range(count)]
    if rng.random() < 0.7:
        return Segments.from_strings(texts)
    before, after = rng.randrange(3), rng.randrange(3)
    whole = Segments.from_strings([make(rng) for _ in range(before)] + texts + ["x"] * after)
    return whole[before : before + count]


def random_words(rng: random.Random) -> list[str]:
    """Make two texts from a small vocabulary, sometimes with phrases moved, sometimes of very unequal length."""
    vocabulary = [str(number) for number in range(rng.choice((2, 3, 6, 40)))]
    left = rng.choices(vocabulary, k=rng.choice((0, 1, 4, 12, 30, 70, 130)))
    right = rng.choices(vocabulary, k=rng.choice((0, 1, 4, 12, 30, 70, 300))) if rng.random() < 0.5 else left[:]
    if rng.random() < 0.01:  # around LONG_TEXT in edits.h, beyond which the kernel uses only the beam
        length = 4090 + rng.randrange(12)
        right, left = rng.choices(vocabulary, k=length), rng.choices(vocabulary, k=rng.choice((1, 3, 9)))
    for _ in range(rng.randrange(5) if right else 0):
        start, size, target = rng.randrange(len(right)), rng.randrange(1, 12), rng.randrange(len(right) + 1)
        phrase = right[start : start + size]
        del right[start : start + size]
        right[target:target] = [*phrase, "new"] if rng.random() < 0.3 else phrase
    return [" ".join(left), " ".join(right)]


def colliding_words(rng: random.Random, count: int) -> Iterator[str]:
    """Make words that differ only in a few places and are a few machine words long, or that repeat one letter."""
    letters = string.ascii_letters[: rng.choice((2, 6, 52))]
    size = rng.choice((1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 40))
    base = "".join(rng.choices(letters, k=size))
    places = rng.sample(range(size), k=min(size, rng.choice((1, 2, 4))))
    for number in range(count):
        word = list(base)
        for place in places:
            word[place] = rng.choice(letters)
        yield "".join(word)[: rng.choice((size, size, 4, 8))] if number % 5 else letters[0] * (number % 23 + 1)


@functools.cache
def classes() -> bytes:
    """Return the table that tokenize_intl takes; the Unicode version does not matter here."""
    values = {"N": 1, "P": 2, "S": 3}
    return bytes(values.get(unicodedata.category(chr(code))[0], 0) for code in range(0x110000))


def parameters_of(name: str) -> list[str]:
    return list(inspect.signature(getattr(python, name)).parameters)


def random_arguments(rng: random.Random, name: str, make: Callable[[random.Random], str | None]):
    """Make arguments for the kernel of this name, by the names of its parameters."""
    parameters = parameters_of(name)
    count = rng.choice((0, 1, 2, 7))
    if name in TER:
        count = min(count, 2)
    streams = rng.randrange(4) if "hypotheses" in parameters else rng.randrange(1, 4)
    makers = {
        "data": lambda: random_lines(rng, make, count),
        "segments": lambda: random_segments(rng, make, count),
        "texts": lambda: random_segments(rng, make, count),
        "groups": lambda: random_groups(rng, count),
        "hypotheses": lambda: random_segments(rng, make, count),
        "references": lambda: [random_segments(rng, make, count) for _ in range(streams)],
        "columns": lambda: rng.choice((0, 0, 1, 2, 3)),
        "ending": lambda: rng.choice((b" .", b"", b".", b"a")),
        "classes": classes,
        "max_order": lambda: rng.choice((1, 2, 4, 6, 20)),
        "char_order": lambda: rng.choice((1, 2, 6, 8)),
        "word_order": lambda: rng.randrange(4),
        "beta": lambda: rng.choice((0, 0.5, 1, 2, 3)),
        "whitespace": lambda: rng.random() < 0.3,
        "eps_smoothing": lambda: rng.random() < 0.3,
        "characters": lambda: rng.random() < 0.5,
    }
    return [makers[parameter]() for parameter in parameters]


def random_groups(rng: random.Random, count: int) -> array[int]:
    """Divide `count` texts into groups, some of them empty; sometimes the groups are too large."""
    ends = sorted(rng.choices(range(count + 1), k=rng.randrange(4)))
    return array(
        "q", [end - start for start, end in zip([0, *ends], [*ends, count + (rng.random() < 0.1)], strict=True)]
    )


def random_lines(rng: random.Random, make: Callable[[random.Random], str | None], count: int) -> bytes:
    """Make lines of text, sometimes with bytes that are not UTF-8."""
    data = "\n".join(text or "" for text in random_segments(rng, make, count)).encode()
    return bytes(byte ^ (rng.random() < 0.02) * 0x80 for byte in data) if rng.random() < 0.3 else data


# --- numbers


def random_numbers(rng: random.Random, name: str):
    """Make the arguments of a kernel that takes numbers, mostly numbers that other kernels could have counted."""
    if name == "f_score":
        stats = [random_number(rng) for _ in range(rng.choice((3, 18, 24, 4)))]
        return stats, rng.choice((0, 0.5, 2, 1e-200, 1e100, float("inf"))), rng.random() < 0.5
    if name == "column_sums":
        return (random_stats(rng, rng.choice("qd"), rng.choice((0, 1, 2, 30)), rng.choice((1, 2, 5))),)
    if name == "chrf_rows":
        rows = array(
            "q", [rng.choice((0, 0, 1, 7, 40, -(rng.random() < 0.01))) for _ in range(6 * rng.choice((0, 1, 30)))]
        )
        return (
            SegmentStats(memoryview(rows), rng.choice((3, 6, 6, 2))),
            rng.choice((0, 0.5, 2, 1e200)),
            rng.random() < 0.5,
        )
    if name == "bleu_rows":
        orders, rows = rng.choice((1, 4, 6)), array("q")
        for _ in range(rng.choice((0, 1, 30))):
            totals = [max(0, rng.choice((0, 1, 3, 40)) - order) for order in range(orders)]
            rows.extend(
                (totals[0], rng.choice((0, 1, 3, 41)), *(rng.randint(-(rng.random() < 0.01), n) for n in totals))
            )
            rows.extend(totals)
        method, value = rng.choice(("exp", "floor", "none", "add-k")), rng.choice((0, 0.1, 1, -1))
        return SegmentStats(memoryview(rows), 2 + 2 * orders), method, value, rng.random() < 0.5
    if name == "render_rows":
        return (random_pieces(rng),)
    rows, columns, times = rng.choice((1, 2, 7, 30, 300)), rng.choice((1, 2, 5)), rng.randrange(5)
    draws = rows * times
    if name == "draw_weights":
        return rng.randbytes(8 * (draws // 2 + rng.randrange(4))), rng.randrange(3), rows, times
    kind = rng.choice("qqdd")
    if name == "weighted_sums":
        few = rng.random() < 0.8
        return random_stats(rng, kind, rows, columns), bytes(rng.randrange(3 if few else 256) for _ in range(draws))
    first = rng.randrange(70)
    pair = [random_stats(rng, kind, rows, columns) for _ in range(2)]
    return *pair, rng.randbytes(8 * ((first + draws) // 64 + 1)), first, times


ODD_NUMBERS = (
    -0.0,
    -1,
    0.5,
    5e-324,
    1e-300,
    1e300,
    1.7e308,
    float("inf"),
    float("-inf"),
    float("nan"),
    2**53 + 1,
    10**400,
)


def random_number(rng: random.Random) -> int | float:
    odd = ODD_NUMBERS if rng.random() < 0.1 else ()
    return rng.choice((0, 1, 5, rng.randrange(1000), rng.random(), *odd))


def random_stats(rng: random.Random, kind: str, rows: int, columns: int) -> SegmentStats:
    largest = rng.choice((9, 9, 40000, 2**40, 2**62))
    least = rng.choice((0, -largest))
    whole = kind == "q" or rng.random() < 0.5
    numbers = [rng.randrange(least, largest) if whole else rng.uniform(least, largest) for _ in range(rows * columns)]
    if kind == "d" and numbers and rng.random() < 0.2:
        numbers[rng.randrange(len(numbers))] = rng.choice(ODD_NUMBERS[:10])
    return SegmentStats(memoryview(array(kind, numbers)), columns)


def random_pieces(rng: random.Random) -> list[object]:
    """Make texts and columns for a few rows, sometimes of different lengths."""
    pieces: list[object] = []
    for _ in range(rng.randrange(6)):
        rows = 3 if rng.random() < 0.95 else 2
        figures = [rng.choice((rng.uniform(0, 100), 100 * rng.randrange(50) / rng.randrange(1, 50))) for _ in range(3)]
        odd = [rng.choice((*ODD_NUMBERS[:10], 2.0 ** rng.randrange(-20, 40), rng.randrange(2**20) / 2**12))]
        column = rng.choice((array("d", figures), array("d", odd * 3), array("q", map(int, figures))))
        pieces.append(
            rng.choice((b"text", b"", [b"a"] * rows, (memoryview(column)[:rows], rng.choice((-1, -1, 0, 1, 3, 9, 20)))))
        )
    return pieces


def mismatched_numbers(rng: random.Random, name: str):
    """Make arguments that do not fit together, for a resampling kernel."""
    words, numbers = rng.randbytes(rng.randrange(40)), [rng.randrange(-1, 99) for _ in range(3)]
    left, right = (random_stats(rng, rng.choice("qd"), rng.randrange(1, 3), 2) for _ in range(2))
    return {
        "draw_weights": (words, *(number % 10 - 1 for number in numbers)),
        "weighted_sums": (left, words[:9]),
        "swapped_sums": (left, right, words, *numbers[:2]),
    }[name]


# --- invalid input


def broken(rng: random.Random) -> Segments:
    """Make Segments whose bytes are not UTF-8 or whose bounds are wrong."""
    data = rng.randbytes(rng.randrange(40))
    bounds = [rng.randrange(-2, 45) for _ in range(2 * rng.randrange(4))]
    if rng.random() < 0.8:
        bounds = sorted(bound % (len(data) + 1) for bound in bounds)
    packed = b"".join(bound.to_bytes(8, sys.byteorder, signed=True) for bound in bounds)
    return Segments(data, packed[: rng.choice((len(packed), max(0, len(packed) - 3)))])


def restless(rng: random.Random):
    """Make large Segments in writable memory, and a function that keeps writing to it."""
    import numpy

    data = bytearray(b"a " * 5_000)
    bounds = bytearray(b"".join(bound.to_bytes(8, sys.byteorder) for bound in (0, 5_000, 0, 10_000)))
    contents = [bytes(data), b" " * 10_000, b"\n" * 10_000, bytes(rng.randrange(256) for _ in data)]
    narrow = b"".join(bound.to_bytes(8, sys.byteorder) for bound in (0, 1, 1, 2))

    def write(stop: threading.Event, wide: bytes = bytes(bounds)) -> None:
        while not stop.is_set():
            data[:] = rng.choice(contents)
            bounds[:] = rng.choice((narrow, wide))

    def read_only(side: bytearray) -> numpy.ndarray:
        view = numpy.frombuffer(side, numpy.uint8)
        view.flags.writeable = False
        return view

    seen_as = rng.choice((
        lambda side: side, memoryview, lambda side: memoryview(side).toreadonly(), read_only,
        lambda side: memoryview(read_only(side)), lambda side: memoryview(side)[:].cast("B"),
    ))  # fmt: skip
    return Segments(seen_as(data), seen_as(bounds)), write


def arguments_of(name: str, texts: Segments, data):
    """Return arguments for a kernel, with the same texts for every parameter that takes texts."""
    count = len(texts.bounds) // 16
    values = {
        "data": data,
        "segments": texts,
        "texts": texts,
        "groups": array("q", [1, count - 1]),
        "hypotheses": texts,
        "references": texts if name in PAIRWISE else [texts],
        "sizes": array("q", [count, count]),
        "weights": None,
        "scores": array("d", bytes(8 * count * count)),
        "columns": 2,
        "ending": b".",
        "classes": classes(),
        "max_order": 3,
        "smooth_method": "exp",
        "smooth_value": 0,
        "effective_order": True,
        "char_order": 6,
        "word_order": 2,
        "beta": 2,
        "whitespace": False,
        "eps_smoothing": False,
        "characters": True,
    }
    return [values[parameter] for parameter in parameters_of(name)]
