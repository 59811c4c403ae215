"""--engine: tables are scored on a cluster as they are on one machine, whatever happens to the workers."""

from __future__ import annotations

import inspect
import os
import random
import shutil
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest
from conftest import raised, refused

import bleucli
from bleucli.errors import BleuError
from bleucli.scale import arrow
from bleucli.scale.arrow import Columns
from bleucli.scale.engines import ENGINES, Partition, Work, check_sums, score

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; there are no tables to read")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed; there are no tables to read")

WORDS = tuple("the cat sat on a mat and dogs ran off to see what had been said by Anna in town".split())  # noqa: SIM905
COUNT = 48
PARTS = (("a", 0, 9), ("b", 9, 9), ("c", 9, 30), ("d", 30, COUNT))
# What is slow to start, or needs Java, runs with .ci/run --all
SLOW = {"ray", "spark"}
all_engines = pytest.mark.parametrize(
    "engine",
    [pytest.param(name, marks=[pytest.mark.slow, pytest.mark.heavy] if name in SLOW else []) for name in ENGINES],
)


@pytest.fixture(scope="module")
def dask_cluster():
    """Let Dask find a cluster of two worker processes, as DASK_SCHEDULER_ADDRESS would."""
    dask = pytest.importorskip("dask", reason="Dask is not installed")
    distributed = pytest.importorskip("distributed", reason="Dask's distributed is not installed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        dask.config.set({"scheduler-address": cluster.scheduler_address}),
    ):
        yield cluster


def find_module(name):
    """Return an engine's module; skip the test where it is not installed, unless BLEU_TEST_ENGINES demands it."""
    if os.environ.get("BLEU_TEST_ENGINES"):
        return import_module(name)
    return pytest.importorskip(name, reason=f"{name} is not installed (BLEU_TEST_ENGINES=1 demands it)")


@pytest.fixture(scope="module")
def ray_cluster():
    """Start Ray once."""
    ray = find_module("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def spark_cluster():
    """Start Spark once, with workers that try again."""
    sql = find_module("pyspark.sql")
    if shutil.which("java") is None and not os.environ.get("BLEU_TEST_ENGINES"):
        pytest.skip("Java is not installed (BLEU_TEST_ENGINES=1 demands it)")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def cluster(engine, request):
    """Start the engine."""
    return request.getfixturevalue(f"{engine}_cluster")


@pytest.fixture
def columns():
    rng = random.Random(7)
    texts = {
        name: [" ".join(rng.choices(WORDS, k=rng.randrange(4, 12))) for _ in range(COUNT)] for name in ("hyp", "mt")
    }
    texts["ref"] = [" ".join(rng.choice([word, word, "x"]) for word in line.split()) for line in texts["hyp"]]
    return texts | {"system": ["A", "B"] * (COUNT // 2), "testset": [f"wmt{17 + n // 16}" for n in range(COUNT)]}


@pytest.fixture
def parts(columns, folder):
    """Write a folder of tables, of which one is empty, and return its name."""
    return write_parts(folder, columns)


def write_parts(folder, columns, name="parts"):
    (folder / name).mkdir()
    for part, start, stop in PARTS:
        pq.write_table(pa.table(columns).slice(start, stop - start), f"{name}/{part} 1.parquet", row_group_size=5)
    return name


# --- the same answers


@all_engines
@pytest.mark.parametrize(
    "words",
    [
        ("-m", "bleu", "chrf", "ter", "wer", "cer"),
        ("-m", "bleu", "chrf++", "-tok", "intl", "-s", "floor", "--by", "testset", "system", "-f", "csv"),
        ("--columns", "hyp=hyp,mt,refs=ref", "-m", "chrf", "ter", "--by", "testset", "-f", "jsonl", "-q"),
        ("--columns", "hyp=A:hyp,B:mt,refs=ref,mt", "-f", "text", "--fail-under", "99"),
    ],
    ids=["plain", "groups", "systems and groups", "systems"],
)
def test_an_engine_answers_as_the_command_does(run, parts, engine, cluster, words):
    here, there = run("--table", parts, *words), run("--table", parts, "--engine", engine, *words)
    if "jsonl" in words:  # jsonl names the command and the time
        import json

        here, there = ([json.loads(line) for line in answer.out.splitlines()] for answer in (here, there))
        for line in (*here, *there):
            del line["command"], line["time"]
    assert there == here


@all_engines
def test_groups_of_several_keys_come_in_the_order_of_the_command(run, folder, engine, cluster):
    rng = random.Random(5)
    rows = [(f"s{rng.randrange(4)}", f"d{rng.randrange(7)}", rng.randrange(3)) for _ in range(900)]
    keys = dict(zip(("system", "doc", "part"), map(list, zip(*rows, strict=True)), strict=True))
    os.mkdir("many")
    for number in range(3):
        part = pa.table(keys | {"hyp": ["a b"] * 900, "ref": ["a c"] * 900}).slice(300 * number, 300)
        pq.write_table(part, f"many/{number}.parquet", row_group_size=100)
    for by in ("system,doc", "doc,part", "doc,system,part"):
        words = ("--table", "many", "--by", by, "-m", "ter", "-f", "csv", "-q")
        expected = run(*words)
        assert expected.out.count("\n") > 20
        assert run(*words, "--engine", engine) == expected


@all_engines
@pytest.mark.parametrize(
    "words",
    [
        ("--confidence",),
        ("--paired-ar", "--paired-ar-n", "300", "-m", "bleu", "ter", "chrf"),
        ("--paired-bs", "--paired-bs-n", "300", "--by", "testset"),
        ("--paired-ar", "--paired-ar-n", "300", "--paired-all", "-m", "ter"),
        ("--paired-ar", "--paired-ar-n", "300", "--by", "doc_id"),
    ],
    ids=["intervals", "a test", "groups", "all pairs", "documents as groups"],
)
def test_documents_are_resampled_from_their_sums(run, columns, folder, engine, cluster, words):
    names = [f"d{n // 3 * 7 % 16}" for n in range(COUNT)]  # a document may be in several files
    write_parts(folder, columns | {"doc_id": names})
    words = (
        "--table",
        "parts",
        "--columns",
        "hyp=A:hyp,B:mt,refs=ref",
        "--unit",
        "doc",
        *words,
        "-f",
        "csv",
        "-w",
        "9",
    )
    here, there = run(*words, "-q"), run(*words, "-q", "--engine", engine)
    assert here.status == 0
    assert there == here


def test_only_whole_documents_are_resampled_with_an_engine(run, columns, folder):
    write_parts(folder, columns)
    words = ("--table", "parts", "--columns", "hyp=A:hyp,B:mt,refs=ref", "--engine", "dask")
    for option in ("--confidence", "--paired-ar", "--paired-bs"):
        parts = f"{option} cannot be combined with --engine", "or resample documents with --unit doc"
        refused(run(*words, option), *parts)
    refused(run(*words, "--paired-ar", "--unit", "doc"), "--unit doc needs a column doc that names documents")
    refused(run(*words, "-sl", "--unit", "doc", "-ci"), "--sentence-level cannot be combined with --engine")


def test_each_row_needs_a_document(run, columns, folder, dask_cluster):
    write_parts(folder, columns | {"doc": [*["a"] * (COUNT - 1), None]})
    words = ("--table", "parts", "--columns", "hyp=A:hyp,B:mt,refs=ref", "--engine", "dask", "--unit", "doc")
    refused(run(*words, "--paired-ar"), "some rows have no doc; give each row the name of its document")


@all_engines
def test_statistics_are_kept_partition_by_partition(run, parts, engine, cluster):
    words = ("--columns", "hyp=hyp,mt,refs=ref", "-m", "bleu", "ter")
    count = ("count", "--table", parts, "--engine", engine, *words)
    assert run(*count, "--sums", "-o", "sums.parquet") == (0, "", "")
    for _ in range(2):  # the second time replaces what is there
        assert run(*count, "-o", "kept") == (0, "", "")
        assert sorted(os.listdir("kept")) == [f"0000{n}-{part} 1.parquet" for n, part in enumerate("acd")]
    for question in (
        ("--paired-ar", "-parn", "100", "-f", "csv"),
        ("-ci", "-f", "text"),
        ("--paired-all", "--paired-bs"),
    ):
        assert run("--stats", "kept", *words[2:], *question).out == run("--table", parts, *words, *question).out
    assert run("--stats", "sums.parquet", "-f", "csv").out == run("--table", parts, *words, "-f", "csv").out


@all_engines
def test_segments_of_groups_are_numbered_as_the_command_does(run, parts, engine, cluster):
    by = ("--by", "system", "testset")
    run("count", "--table", parts, *by, "--engine", engine, "-o", "kept")
    run("count", "--table", parts, *by, "-o", "here.parquet")
    order = [(name, "ascending") for name in ("system", "testset", "segment")]
    here, there = (plain(pq.read_table(name)).sort_by(order) for name in ("here.parquet", "kept"))
    assert there.select(here.column_names).to_pylist() == here.to_pylist()
    assert run("--stats", "kept", "--paired-bs", "-f", "csv") == run(
        "--stats", "here.parquet", "--paired-bs", "-f", "csv"
    )


@pytest.mark.slow
@all_engines
def test_keys_of_any_value_and_name_make_groups(run, columns, folder, engine, cluster):
    nan = float("nan")
    keys = {"error": ["e1", "", None] * 16, "weight": [1.5, nan, None, 0.0, -0.0, nan] * 8}
    keys |= {"part": [nan, 1.0, None, nan] * 12, "count_all": ["x", "y"] * 24, ".a": ["x", "y"] * 24}
    name = write_parts(folder, columns | keys, "odd")
    dotted = () if engine == "spark" else (".a",)  # Spark's own mapInArrow cannot find such a column
    for by in ("error", "weight", "part", "part,weight", "count_all", *dotted):
        there = run("--table", name, "--engine", engine, "--by", by, "-f", "csv", "-q")
        assert run("count", "--table", name, "--engine", engine, "--by", by, "-q", "-o", f"{by} kept") == (0, "", "")
        assert there == run("--table", name, "--by", by, "-f", "csv", "-q")
        assert run("--stats", f"{by} kept", "-f", "text") == run("--table", name, "-f", "text", "-q")


def plain(table):
    """Return a table of which strings can be sorted."""
    return pa.table({name: column.to_pylist() for name, column in zip(table.column_names, table.columns, strict=True)})


@pytest.mark.slow
@all_engines
def test_a_dataset_from_python_is_scored(columns, parts, engine, cluster):
    paths = sorted(str(path.resolve()) for path in Path(parts).iterdir())
    expected = arrow.scores(arrow.stats_table(pa.table(columns), ["chrf"], keys=["testset"]))
    found = score(dataset_of(engine, cluster, paths), ["chrf"], keys=["testset"], expected=COUNT)
    assert sorted(tell(found)) == sorted(tell(expected))
    with pytest.raises(BleuError, match="some were lost"):
        score(dataset_of(engine, cluster, paths), ["chrf"], expected=COUNT + 1)
    with pytest.raises(Exception, match="nix") as caught:  # an engine may find the mistake before us
        score(dataset_of(engine, cluster, paths), ["chrf"], "nix", expected=COUNT)
    assert isinstance(caught.value, BleuError) or engine != "dask"


def dataset_of(engine, cluster, paths):
    """Return files as users of the engine read them."""
    if engine == "ray":
        import ray.data

        return ray.data.read_parquet(paths)
    if engine == "spark":
        return cluster.read.parquet(*paths)
    from dask import bag

    return bag.from_sequence(paths, npartitions=len(paths)).map(pq.read_table)


def tell(groups):
    return [(tuple(group.keys.items()), group.segments, group.scores["chrf"].score) for group in groups]


@pytest.mark.slow
def test_a_data_frame_of_dask_is_scored(dask_cluster, columns):
    frames = pytest.importorskip("dask.dataframe", reason="Dask's data frames are not installed")
    import pandas as pd

    frame = frames.from_pandas(pd.DataFrame(columns), npartitions=3)
    expected = arrow.scores(arrow.stats_table(pa.table(columns), ["chrf"], keys=["testset"]))
    assert tell(score(frame, ["chrf"], keys=["testset"])) == tell(expected)


# --- what goes wrong


@all_engines
def test_errors_are_those_of_the_command(run, columns, folder, engine, cluster):
    cases = {
        "null": columns | {"hyp": [*columns["hyp"][:40], None, *columns["hyp"][41:]]},
        "bare": columns | {"ref": [*columns["ref"][:40], None, *columns["ref"][41:]]},
        "numbers": columns | {"hyp": list(range(COUNT))},
        "wrong": {("text" if name == "hyp" else name): of for name, of in columns.items()},
    }
    for name, table in cases.items():
        write_parts(folder, table, name)
        for by in ((), ("--by", "testset")):
            here = refused(run("--table", name, *by))
            there = run("--table", name, "--engine", engine, *by)
            assert there.status == 2
            if engine != "spark":  # Spark does not say where a row was, nor in which file
                assert there.err == here
            else:
                assert there.err.count("\n") == 1
                what = here.rpartition(".parquet, ")[2].rpartition("(")[2]
                assert what in there.err if by else there.err.startswith("bleu: error: ")
    pq.write_table(pa.table(columns).slice(0, 0), "empty.parquet")
    assert refused(run("--table", "empty.parquet", "--engine", engine)) == refused(run("--table", "empty.parquet"))


@pytest.mark.parametrize("engine", ["dask"])
def test_damaged_and_missing_files_are_refused(run, parts, write, engine, cluster):
    write("cut.parquet", Path(parts, "a 1.parquet").read_bytes()[:-100])
    for name in ("cut.parquet", "none.parquet", "nothing/*.parquet"):
        assert run("--table", name, "--engine", engine) == run("--table", name)
    write("t.arrow", "")
    refused(run("--table", "t.arrow", "--engine", engine), "t.arrow does not end in .parquet")
    refused(run("--table", "nix://a/b.parquet", "--engine", engine), "cannot reach nix://a/b.parquet")


@all_engines
def test_a_path_that_is_given_twice_is_refused(run, parts, engine):
    for words in ((), ("--engine", engine)):
        refused(run("--table", f"{parts}/a 1.parquet", parts, *words), "a 1.parquet is given twice, and would")
        os.symlink(f"{parts}/a 1.parquet", f"{engine}{len(words)}.parquet")
        for name in (f"./{parts}/a 1.parquet", f"{engine}{len(words)}.parquet"):
            told = f"{name} is given twice, first as {parts}/a 1.parquet, and would count twice"
            refused(run("--table", f"{parts}/a 1.parquet", name, *words), told)


@pytest.mark.parametrize("words", [(), ("--by", "system")])
def test_addresses_are_read(run, parts, dask_cluster, words):
    here = run("--table", parts, *words, "-q")
    address = f"file://{Path(parts).resolve()}".replace(" ", "%20")
    for table in (address, f"{address}/*.parquet"):
        assert run("--table", table, "--engine", "dask", *words, "-q") == here
    refused(run("--table", f"{address}/*.txt", "--engine", "dask"), "no file matches")
    refused(run("--table", address, "--engine", "dask", "-f", "jsonl"), "SHA-256", "choose another format")


def test_addresses_are_gated(run, parts, dask_cluster):
    address = f"file://{Path(parts).resolve()}".replace(" ", "%20")
    run("--table", parts, "-o", "old.json")
    run("count", "--table", parts, "-o", "old.parquet")
    for baseline in ("old.json", "old.parquet"):
        answer = run("--table", address, "--engine", "dask", "--baseline", baseline, "--max-drop", "1", "-q")
        assert (answer.status, answer.err) == (0, "")


class Dying(Work):
    """Work whose first worker dies: in the middle of a partition's rows, or when all is done, files included."""

    def __init__(self, when, mark, *arguments, **options):
        super().__init__(*arguments, **options)
        self._when, self._mark = when, mark

    def _dies(self, when):
        if self._when == when:
            try:
                os.close(os.open(self._mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
            os._exit(1)

    def count(self, batches, partition=None):
        def watched():
            for batch in batches:
                yield batch
                self._dies("middle")

        counted = super().count(watched(), partition)
        self._dies("end")
        return counted


@contextmanager
def sent_along():
    """Let engines send this module, which workers cannot import; each engine has its own copy of cloudpickle."""
    copies = [
        sys.modules[name] for name in ("cloudpickle", "ray.cloudpickle", "pyspark.cloudpickle") if name in sys.modules
    ]
    here = sys.modules[__name__]
    for one in copies:
        one.register_pickle_by_value(here)
    try:
        yield
    finally:
        for one in copies:
            one.unregister_pickle_by_value(here)


@pytest.mark.slow
@all_engines
@pytest.mark.parametrize("when", ["middle", "end"])
def test_a_worker_that_dies_changes_no_count(run, parts, engine, cluster, tmp_path, when):
    with sent_along():
        survey = ENGINES[engine].survey([parts], Columns(), [])
        job = Dying(when, str(tmp_path / "died"), ["bleu"], {"hyp": "hyp"}, saved=str(tmp_path / "kept"))
        job.prepare(survey.partitions)
        sums = check_sums(ENGINES[engine].count(job, survey.partitions))
    assert (tmp_path / "died").exists()
    (group,) = arrow.scores(sums, expected=COUNT)
    assert f"{group.scores['bleu'].score:.10f}\n" == run("--table", parts, "-b", "-w", "10").out
    assert run("--stats", str(tmp_path / "kept"), "-q") == run("--table", parts, "-q")


@all_engines
def test_an_engine_that_gives_up_gives_one_line(run, parts, engine, monkeypatch):
    def give_up(*_):
        raise RuntimeError("the scheduler\nis gone")

    monkeypatch.setattr(ENGINES[engine], "survey", give_up)
    refused(run("--table", parts, "--engine", engine), f"{engine} failed: RuntimeError (the scheduler)")


@pytest.mark.slow
@pytest.mark.heavy
def test_files_that_ray_loses_because_they_are_listed_twice_are_noticed(columns, parts, ray_cluster):
    paths = [str(path.resolve()) for path in Path(parts).iterdir()] * 2
    dataset = dataset_of("ray", None, paths)
    (group,) = score(dataset, ["bleu"])
    if group.segments == 2 * COUNT:  # not all versions of Ray drop some
        return
    with pytest.raises(BleuError, match="some were lost on the way"):
        score(dataset, ["bleu"], expected=2 * COUNT)


@pytest.mark.slow
def test_a_bag_with_a_table_twice_is_refused(dask_cluster, parts):
    path = str(Path(parts, "c 1.parquet").resolve())
    with pytest.raises(BleuError, match="some were doubled"):
        score(dataset_of("dask", None, [path, path]), ["bleu"], expected=21)


# --- options, and what is sent to workers


@pytest.mark.parametrize(
    ("engine", "module"), [("dask", "distributed"), ("ray", "ray"), ("spark", "pyspark.sql.functions")]
)
def test_without_the_package_the_error_names_the_extra(run, parts, monkeypatch, engine, module):
    monkeypatch.setitem(sys.modules, module, None)
    refused(run("--table", parts, "--engine", engine), f"pip install 'bleucli[{engine}]'")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-sl",), "--sentence-level cannot be combined with --engine: only sums"),
        (("-ci",), "--confidence cannot be combined with --engine: only sums"),
        (("--paired-ar",), "--stats FOLDER"),
        (("-J", "2"), "--jobs has no effect"),
        (("count", "-o", "kept", "--first-line", "3"), "--first-line cannot be combined with --engine: the engine"),
        (("count", "-o", "a.txt"), "a.txt"),
        (("--by", "nix"), "no column nix"),
    ],
)
def test_options_that_do_not_fit_are_refused(run, write, parts, words, told, dask_cluster):
    write("a.txt", "")
    refused(run(*words, "--table", parts, "--engine", "dask"), told)


def test_an_engine_needs_tables(run):
    refused(run("ref.txt", "--engine", "dask"), "--engine counts the tables that --table names")


def test_a_folder_with_files_of_another_run_is_refused(run, parts, folder, dask_cluster):
    (folder / "kept").mkdir()
    (folder / "kept" / "old.parquet").write_bytes(b"")
    refused(
        run("count", "--table", parts, "--engine", "dask", "-o", "kept"),
        "kept/old.parquet does not belong",
    )


def test_a_run_that_fails_keeps_nothing(run, columns, folder, dask_cluster):
    write_parts(folder, columns | {"ref": [*columns["ref"][:40], None, *columns["ref"][41:]]})
    refused(run("count", "--table", "parts", "--engine", "dask", "-o", "kept"), "all references are missing")
    assert os.listdir("kept") == []


def test_folders_that_workers_do_not_share_are_noticed(tmp_path):
    job = Work(["bleu"], saved=str(tmp_path))
    raised(
        ["name a folder that all workers share"],
        job.check_kept,
        [Partition(0, "a.parquet", "file:/a.parquet", 1, {})],
    )


def test_what_is_sent_to_workers_is_small():
    cloudpickle = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")
    for metric in (bleucli.BLEU(tokenize="intl"), bleucli.BLEU(tokenize="zh"), bleucli.CHRF(), bleucli.TER()):
        assert len(cloudpickle.dumps(Work([metric]))) < 2000


@pytest.mark.parametrize("engine", ENGINES)
def test_the_class_of_an_engine_is_short(engine):
    assert len(inspect.getsource(ENGINES[engine]).splitlines()) <= 60
