"""Kernels end early on request: by Ctrl-C in the main thread, by `Workers` in the others."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from array import array
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread, get_ident

import pytest

from bleucli.kernels import python
from bleucli.kernels.stats import SegmentStats
from bleucli.kernels.stopping import Workers, heed_stop
from bleucli.text import Segments

native = pytest.importorskip("bleucli.kernels._native", reason="the native kernels were not built")
WAIT = 60


def repeated(text, times):
    """Make Segments that are long without taking memory."""
    data = text.encode()
    return Segments(data, (array("q", [0, len(data)]) * times).tobytes())


def two_lines(words, vocabulary):
    dice = random.Random(words)
    lines = [" ".join(f"w{word}" for word in dice.choices(range(vocabulary), k=words)) for _ in range(2)]
    return [Segments.from_strings([line]) for line in lines]


def paired(texts):
    """Return the arguments with which the kernels for pairs score texts against themselves."""
    return texts, texts, array("q", [len(texts)] * 2), None, array("d", bytes(8 * len(texts) ** 2))


LONG_IN_ANOTHER_WAY = (
    *("ngram_stats of one word", "chrf_stats of spaces", "ter_stats of short lines"),
    *("edit_stats of short lines", "edit_stats of spaces", "edit_stats of characters"),
    *("group_stats of one text", "group_stats of empty texts", "pairwise_chrf of one word"),
    *("pairwise_chrf of long texts", "pairwise_bleu of empty texts"),
)


@pytest.fixture(scope="module")
def calls():
    """Give for each kernel what makes arguments for which the native one takes more than a few milliseconds."""
    line, many = repeated("a, &lt;b 5.5 中文" * 1_000_000, 1), repeated("a b . ", 3_000_000)
    words, others = two_lines(300_000, 10**6)
    (noisy, noise), (edited, edits) = two_lines(20_000, 3), two_lines(40_000, 3)
    pairs = paired(Segments.from_strings([words[0][n : n + 3_000] for n in range(0, 1_200_000, 3_000)]))
    whole = SegmentStats(memoryview(bytes(8 * 8_000_000)).cast("q"), 8)
    ones = SegmentStats(memoryview(array("q", [1]) * 8_000_000), 8)  # columns that no swap changes are left out
    reals = SegmentStats(memoryview(array("d", [0.1]) * 4_000_000), 4)
    return {
        "split_lines": lambda: (line.data * 2,),
        "count_line_ends": lambda: (line.data * 20,),
        "strip_trailing": lambda: (many,),
        "drop_empty": lambda: (many,),
        "reference_counts": lambda: ([many],),
        "count_ending": lambda: (many, b"."),
        "tokenize_13a": lambda: (line,),
        "tokenize_zh": lambda: (line,),
        "tokenize_char": lambda: (line,),
        "tokenize_intl": lambda: (line, bytes(0x110000)),
        "unclassified_characters": lambda: (line, bytes(0x110000)),
        "ngram_stats": lambda: (words, [others], 4),
        "group_stats": lambda: (repeated("a b c d e f", 100_000), array("q", [100_000]), 4),
        "chrf_stats": lambda: (words, [others], 6, 2, 2, False, False),
        "ter_stats": lambda: (noisy, [noise]),
        "ter_kinds": lambda: (noisy, [noise]),
        "edit_stats": lambda: (edited, [edits], False),
        "pairwise_bleu": lambda: (*pairs, 4, "exp", 0, False),
        "pairwise_chrf": lambda: (*pairs, 6, 2, 2, False, False),
        "column_sums": lambda: (whole,),
        "bleu_rows": lambda: (whole, "exp", 0, False),
        "render_rows": lambda: ([b"text ", (reals.data, -1), b"\n"],),
        "chrf_rows": lambda: (SegmentStats(whole.data[: len(whole.data) // 3 * 3], 3), 2, False),
        "draw_weights": lambda: (random.Random(1).randbytes(40_000_000), 0, 1000, 9_000),
        "weighted_sums": lambda: (reals, bytes(50_000_000)),
        "swapped_sums": lambda: (whole, ones, bytes(10_000_000), 0, 70),
        # long in another way
        "ngram_stats of one word": lambda: (repeated("a " * 3_000_000, 1), [repeated("a " * 3_000_000, 1)], 4),
        "group_stats of one text": lambda: (repeated("a b " * 1_500_000, 1), array("q", [1]), 4),
        "group_stats of empty texts": lambda: (repeated("", 3_000_000), array("q", [3_000_000]), 4),
        "chrf_stats of spaces": lambda: (repeated(" " * 20_000_000, 1), [repeated(" ", 1)], 6, 2, 2, False, False),
        "ter_stats of short lines": lambda: (repeated("a b", 600_000), [repeated("b a", 600_000)]),
        "edit_stats of short lines": lambda: (repeated("a b", 600_000), [repeated("b a", 600_000)], False),
        "pairwise_chrf of one word": lambda: (*paired(repeated("ab " * 9_000, 20)), 6, 2, 2, False, False),
        "pairwise_chrf of long texts": lambda: (*paired(repeated("ab " * 900_000, 2)), 6, 2, 2, False, False),
        "pairwise_bleu of empty texts": lambda: (*paired(repeated("", 4_000)), 4, "exp", 0, False),
        "edit_stats of spaces": lambda: (repeated(" " * 20_000_000, 1), [repeated(" ", 1)], True),
        "edit_stats of characters": lambda: (repeated("ab" * 9_000_000, 1), [repeated("ab" * 9_000_000, 1)], True),
    }


LOOPS = (
    "split_lines",
    "count_line_ends",
    "strip_trailing",
    "drop_empty",
    "reference_counts",
    "count_ending",
    "unclassified_characters",
)
LOOPS += ("tokenize_13a", "tokenize_zh", "tokenize_char", "tokenize_intl", "ngram_stats", "group_stats", "chrf_stats")
LOOPS += ("pairwise_bleu", "pairwise_chrf", "bleu_rows", "chrf_rows", "render_rows")
LOOPS += ("ter_stats", "ter_kinds", "edit_stats", "column_sums", "draw_weights", "weighted_sums", "swapped_sums")


def test_every_kernel_that_loops_is_tried():
    found = {name for name in dir(native) if callable(getattr(native, name)) and not name.startswith("_")}
    assert found - {"f_score", "fail_allocation", "live_allocations", "stop_at"} == set(LOOPS)


@pytest.mark.parametrize(
    "what",
    [
        *LOOPS,
        *(pytest.param(what, marks=pytest.mark.slow) for what in LONG_IN_ANOTHER_WAY),
    ],
)
def test_a_native_kernel_ends_when_it_is_told_to_stop(calls, what):
    """The kernel asks while it works, not only at the end; here the second answer is to stop."""
    asked = []

    def is_stopped():
        asked.append(get_ident())
        return len(asked) > 1

    def call():
        with pytest.raises(KeyboardInterrupt):
            getattr(native, what.split()[0])(*calls[what]())

    with ThreadPoolExecutor(1, initializer=_stop_when, initargs=(is_stopped,)) as threads:
        threads.submit(call).result()
    assert len(asked) == 2


def _stop_when(is_stopped):
    from bleucli.kernels import stopping

    stopping._is_stopped.set(is_stopped)


ONE, ROW = Segments.from_strings(["a"]), SegmentStats(memoryview(bytes(8)).cast("q"), 1)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("split_lines", (b"a\n",)),
        ("tokenize_13a", (ONE,)),
        ("tokenize_zh", (ONE,)),
        ("tokenize_char", (ONE,)),
        ("tokenize_intl", (ONE, bytes(0x110000))),
        ("ngram_stats", (ONE, [ONE], 1)),
        ("group_stats", (ONE, array("q", [1]), 1)),
        ("chrf_stats", (ONE, [ONE], 1, 0, 2, False, False)),
        ("pairwise_bleu", (*paired(ONE), 1, "exp", 0, False)),
        ("pairwise_chrf", (*paired(ONE), 1, 0, 2, False, False)),
        ("ter_stats", (ONE, [ONE])),
        ("ter_kinds", (ONE, [ONE])),
        ("edit_stats", (ONE, [ONE], False)),
        ("column_sums", (ROW,)),
        ("weighted_sums", (ROW, bytes(1))),
        ("swapped_sums", (ROW, ROW, bytes(8), 0, 1)),
    ],
)
def test_a_python_kernel_ends_when_it_is_told_to_stop(name, arguments):
    def call():
        with pytest.raises(KeyboardInterrupt):
            getattr(python, name)(*arguments)

    with ThreadPoolExecutor(1, initializer=_stop_when, initargs=(lambda: True,)) as threads:
        threads.submit(call).result()


def test_an_interrupt_stops_the_workers_and_drops_waiting_work():
    begun, ended, started = Event(), Event(), []

    def work(number):
        started.append(number)
        begun.set()
        try:
            while True:
                heed_stop()
        finally:
            ended.set()

    with pytest.raises(KeyboardInterrupt), Workers(1) as workers:  # noqa: PT012
        for number in range(3):
            workers.start(work, number)
        assert begun.wait(WAIT)
        raise KeyboardInterrupt
    assert ended.wait(WAIT)
    for thread in workers._threads:
        thread.join(WAIT)
    assert started == [0]


def test_workers_end_with_the_block():
    with Workers(3) as workers:
        results = [workers.start(str, number) for number in range(5)]
    assert [wait() for wait in results] == list("01234")
    assert [thread.is_alive() for thread in workers._threads] == [False] * 3


def test_a_program_ends_while_a_block_is_open():
    program = """
from bleucli.counting.threads import in_order
results = in_order(str, range(100), jobs=2)
print(next(results))
"""
    words = [sys.executable, "-c", program]
    answer = subprocess.run(words, capture_output=True, text=True, timeout=WAIT, check=False)
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "(0, '0')\n", "")


def test_a_thread_that_outlives_the_main_thread_gets_its_results():
    program = """
import threading, time
from bleucli.counting.threads import in_order
def work(number):
    time.sleep(0.05)
    return number
started = threading.Event()
def count():
    results = in_order(work, range(20), jobs=2)
    total = next(results)[1]
    started.set()
    print(total + sum(result for _, result in results))
threading.Thread(target=count).start()
started.wait()
"""
    words = [sys.executable, "-c", program]
    answer = subprocess.run(words, capture_output=True, text=True, timeout=WAIT, check=False)
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "190\n", "")


def test_a_thread_ends_if_ctrl_c_comes_right_after_its_start(monkeypatch):
    start, threads = Thread.start, []

    def start_and_interrupt(thread):
        start(thread)
        threads.append(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(Thread, "start", start_and_interrupt)
    with pytest.raises(KeyboardInterrupt), Workers(2) as workers:
        workers.start(str, 1)
    threads[0].join(WAIT)
    assert not threads[0].is_alive()


def test_stopping_some_workers_does_not_stop_others():
    with Workers(1) as others:
        with pytest.raises(ValueError, match="stop"), Workers(1) as workers:  # noqa: PT012
            workers.start(lambda _: heed_stop(), None)()
            raise ValueError("stop")
        assert others.start(lambda _: heed_stop(), None)() is None
    heed_stop()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
@pytest.mark.parametrize(
    "name",
    ["tokenize_13a", "ngram_stats", "group_stats", "chrf_stats", "pairwise_chrf", "ter_stats", "weighted_sums"],
)
def test_a_signal_ends_a_kernel_soon(calls, name):
    """The time is processor time, which other processes do not influence."""

    class Interrupted(BaseException):
        pass

    def interrupt(*_):
        raise Interrupted

    arguments = calls[name]()
    before = signal.signal(signal.SIGPROF, interrupt)
    try:
        with pytest.raises(Interrupted):  # noqa: PT012
            signal.setitimer(signal.ITIMER_PROF, 0.02)
            started = time.process_time()
            for _ in range(100):
                getattr(native, name)(*arguments)
        assert time.process_time() - started < 1
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("failing", [0, 1])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("group_stats", (Segments.from_strings(["a b"]), array("q", [1]), 2)),
        ("swapped_sums", (rows := SegmentStats(memoryview(array("q", [1, 2])), 2), rows, bytes(8), 0, 1)),
    ],
)
def test_an_exception_while_either_result_is_made_is_passed_on(name, arguments, failing):
    """As when a signal arrives between the end of counting and the return to Python."""
    made = []

    def interrupt(frame, event, _):
        if event == "call" and frame.f_code is SegmentStats.__init__.__code__:
            made.append(frame)
            if len(made) > failing:
                raise KeyboardInterrupt

    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            getattr(native, name)(*arguments)
    finally:
        sys.setprofile(None)
    assert len(made) == failing + 1


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("kernels", ["native", "python"])
def test_ctrl_c_ends_the_command_within_one_segment(start, write, monkeypatch, jobs, kernels):
    monkeypatch.setenv("BLEU_KERNELS", kernels)
    size = 100_000 if kernels == "native" else 2_000
    for name, side in zip(("ref.txt", "sys.txt"), two_lines(size, 3), strict=True):
        write(name, side.data)
    process = start("ref.txt", "-i", "sys.txt", "-m", "ter", "-J", jobs, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    assert process.communicate(timeout=WAIT) == (b"", b"")
    assert time.monotonic() - started < 5
    assert process.returncode == 130


@pytest.mark.slow
def test_ctrl_c_does_not_wait_for_a_regular_expression_in_a_thread(start, write):
    """A line of 6 MB takes TER's normalization several seconds, during which no kernel asks whether to stop."""
    write("ref.txt", "它是 1,990's. " * 400_000 + "\n")
    process = start(
        "ref.txt", "-i", "ref.txt", *["-m", "ter", "--ter-normalized", "--ter-asian-support", "-J", "2", "-q"]
    )
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert process.wait(60) == 130
    assert time.monotonic() - began < 2.5
