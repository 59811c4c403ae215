"""By default, work runs in one thread per usable processor once that pays; no score depends on it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from bleucli import BLEU
from bleucli.counting import threads
from bleucli.counting.threads import in_order, usable_processors
from bleucli.errors import InputTypeError, UsageError


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(threads, "_PATIENCE", -1.0)
    monkeypatch.setattr(threads, "usable_processors", lambda: 3)


def where(item):
    return item, threading.current_thread()


def test_little_work_is_done_in_one_thread(monkeypatch):
    monkeypatch.setattr(threads, "usable_processors", lambda: 3)
    assert {thread for _, (_, thread) in in_order(where, range(5), None)} == {threading.main_thread()}


def test_more_work_is_shared_and_its_order_kept(impatient):
    found = list(in_order(where, range(50), None))
    assert [item for item, _ in found] == [item for _, (item, _) in found] == list(range(50))
    assert threading.main_thread() not in {thread for _, (_, thread) in found}


def test_one_processor_needs_no_threads(impatient, monkeypatch):
    monkeypatch.setattr(threads, "usable_processors", lambda: 1)
    assert {thread for _, (_, thread) in in_order(where, range(5), None)} == {threading.main_thread()}


@pytest.mark.parametrize("started", [0, 1, 2])
def test_where_threads_cannot_be_started_the_caller_does_the_rest(impatient, monkeypatch, started):
    start, counted = threading.Thread.start, []

    def refuse(thread):
        counted.append(thread)
        if len(counted) > started:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert list(in_order(str, range(50), None)) == [(number, str(number)) for number in range(50)]


def test_an_error_of_the_work_reaches_the_caller(impatient):
    with pytest.raises(ZeroDivisionError):
        list(in_order(lambda number: 1 // number, [2, 1, 0, 1], None))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity to processors")
def test_affinity_is_respected():
    one = min(os.sched_getaffinity(0))
    count = "from bleucli.counting.threads import usable_processors; print(usable_processors())"
    code = f"import os; os.sched_setaffinity(0, [{one}]); {count}"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "1\n"


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "150000 100000\n"}, 1.5),
        ({"/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/cpu.max": "200000 100000\n"}, 2),
        (
            {
                "/proc/self/cgroup": "0::/a/b\n",
                "/sys/fs/cgroup/a/cpu.max": "max 100000\n",
                "/sys/fs/cgroup/a/b/cpu.max": "50000 100000\n",
            },
            0.5,
        ),
        (
            {
                "/proc/self/cgroup": "5:memory:/x\n4:cpu,cpuacct:/x\n0::/\n",
                "/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "300000\n",
                "/sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n",
            },
            3,
        ),
        ({"/proc/self/cgroup": "4:cpu:/\n", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n"}, None),
        ({}, None),
    ],
)
def test_quotas_of_control_groups_are_respected(monkeypatch, files, quota):
    monkeypatch.setattr(threads, "_read", lambda path: files.get(path, ""))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert min(threads._quotas(), default=None) == quota
    assert usable_processors() == {1.5: 2, 2: 2, 0.5: 1, 3: 3, None: 8}[quota]


@pytest.mark.parametrize("extra", [(), ("-m", "chrf", "ter"), ("-sl",)])
def test_scores_are_those_of_one_thread(run, write, small_blocks, monkeypatch, extra):
    write("ref.txt", "a b c d e\nf g h i\n" * 500)
    write("sys.txt", "a b c d f\nf g x i\n" * 500)
    alone = run("ref.txt", "-i", "sys.txt", "-J", "1", *extra)
    monkeypatch.setattr(threads, "_PATIENCE", -1.0)
    monkeypatch.setattr(threads, "usable_processors", lambda: 3)
    assert run("ref.txt", "-i", "sys.txt", *extra) == alone


@pytest.mark.parametrize("jobs", [0, 1, 3])
def test_python_scores_are_the_same_with_and_without_threads(jobs):
    hypotheses, references = ["a b c d f", "f g x i"] * 5000, [["a b c d e", "f g h i"] * 5000]
    expected = BLEU().corpus_score(hypotheses, references, n_bootstrap=50)
    found = BLEU().corpus_score(hypotheses, references, n_bootstrap=50, jobs=jobs)
    assert (str(found), found.interval) == (str(expected), expected.interval)
    assert (
        BLEU().corpus_stats(hypotheses, references, jobs=jobs).sums == BLEU().corpus_stats(hypotheses, references).sums
    )


@pytest.mark.parametrize(
    ("jobs", "error"), [(-1, UsageError), (2000, UsageError), (None, InputTypeError), ("2", InputTypeError)]
)
def test_the_number_of_threads_is_checked(jobs, error):
    with pytest.raises(error, match=r"^jobs "):
        BLEU().corpus_score(["a"], [["a"]], jobs=jobs)
