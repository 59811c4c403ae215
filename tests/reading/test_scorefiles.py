"""Files of segment scores, as the programs that compute them write them: every layout, and what is wrong with some."""

from __future__ import annotations

import json
import os
from decimal import Decimal

import evaluation_data
import pytest

from bleucli.errors import BleuError
from bleucli.metrics.segment_scores import column_of
from bleucli.reading import scorefiles

NUMBERS = [0.8512, -0.25, 1.0]
OTHERS = [0.5, 0.75, 1e-3]
SOURCE = {"src": "Guten Tag", "mt": "Good day", "ref": "Hello"}


def comet(numbers, file="", whole="score"):
    """Return what `comet-score` prints for the segments of one file."""
    start = f"{file}\t" if file else ""
    lines = [f"{start}Segment {number}\tscore: {score:.4f}\n" for number, score in enumerate(numbers)]
    return "".join([*lines, f"{start}{whole}: {sum(numbers) / len(numbers):.4f}\n"])


def lines(items):
    return "".join(f"{json.dumps(item)}\n" for item in items)


def items(numbers, name):
    return [SOURCE | {name: number} for number in numbers]


def pairs(delimiter, more="", **systems):
    rows = ((system, number) for system, numbers in systems.items() for number in numbers)
    return "".join(f"{system}{delimiter}{number}{more}\n" for system, number in rows)


WMT = [{"document_id": f"d{n}", "metric_scores": {"COMET": [x, 0.5], "GEMBA": [60, 85]}} for n, x in enumerate(NUMBERS)]
# Each layout: the text, and what is read from it under the name COMET
LAYOUTS = {
    "a number per line": ("0.8512\n-0.25\n1\n", {"": NUMBERS}),
    "Windows line ends": ("0.8512\r\n-0.25\r\n1.0\r\n", {"": NUMBERS}),
    "a byte-order mark": ("\ufeff0.8512\n-0.25\n1\n\n", {"": NUMBERS}),
    "comet-score for one file": (comet(NUMBERS), {"": NUMBERS}),
    "comet-score with the name of the file": (comet(NUMBERS, "out/sys.txt"), {"out/sys.txt": NUMBERS}),
    "comet-score for two files": (
        comet(NUMBERS, "a.txt") + comet(OTHERS, "b.txt"),
        {"a.txt": NUMBERS, "b.txt": OTHERS},
    ),
    "comet-score of the first version": (comet(NUMBERS, whole="System score"), {"": NUMBERS}),
    "comet-score beside --to_json": (comet(NUMBERS) + "Predictions saved in: out.json.\n", {"": NUMBERS}),
    "comet-score --to_json": (
        json.dumps({"a.txt": items(NUMBERS, "COMET"), "b.txt": items(OTHERS, "COMET")}, indent=4),
        {"a.txt": NUMBERS, "b.txt": OTHERS},
    ),
    "what COMET's predict returns": (json.dumps({"scores": NUMBERS, "system_score": 0.5}), {"": NUMBERS}),
    "what COMET's predict returns, on several lines": (
        json.dumps({"scores": NUMBERS, "system_score": 0.5}, indent=2),
        {"": NUMBERS},
    ),
    "comet-compare --to_json": (
        json.dumps(
            {
                "model": "m",
                "statistical_results": [{"x_name": "a.txt", "y_name": "b.txt"}],
                "source": ["Guten Tag"] * 3,
                "translations": [
                    {"name": "a.txt", "mt": ["Good day"] * 3, "scores": NUMBERS},
                    {"name": "b.txt", "mt": ["Good day"] * 3, "scores": OTHERS},
                ],
            },
            indent=4,
        ),
        {"a.txt": NUMBERS, "b.txt": OTHERS},
    ),
    "MetricX": (lines([{"id": n, **SOURCE, "prediction": x} for n, x in enumerate(NUMBERS)]), {"": NUMBERS}),
    "mt-metrics-eval": (pairs("\t", KIT=NUMBERS, NRC=OTHERS), {"KIT": NUMBERS, "NRC": OTHERS}),
    "mt-metrics-eval with blanks": (pairs(" ", KIT=NUMBERS), {"KIT": NUMBERS}),
    "human ratings of mt-metrics-eval": (pairs("\t", "\trater3\t17", KIT=NUMBERS), {"KIT": NUMBERS}),
    "missing ratings": ("KIT\t-1.0\nKIT\tNone\nKIT\t-25.0\n", {"KIT": [-1.0, None, -25.0]}),
    "WMT, by paragraph": (lines(WMT), {"": [[x, 0.5] for x in NUMBERS]}),
    "a JSON array": (json.dumps(NUMBERS), {"": NUMBERS}),
    "a JSON array of objects": (json.dumps(items(NUMBERS, "comet")), {"": NUMBERS}),
    "JSON Lines with a path": (lines([{"scores": {"comet": x, "other": 3}} for x in NUMBERS]), {"": NUMBERS}),
    "JSON Lines with null": (lines([{"COMET": x} for x in [1.0, None]]), {"": [1.0, None]}),
    "CSV": ("id,COMET,TER\n1,0.8512,3\n2,-0.25,4\n3,1,5\n", {"": NUMBERS}),
    "CSV with quoted text": ('mt,score\n"Good, ""day"",\nyou",0.8512\nx,-0.25\nx,1\n', {"": NUMBERS}),
    "TSV with quotation marks": ('mt\tscore\n"Good" day\t0.8512\nx\t-0.25\n"bye."\t1\n', {"": NUMBERS}),
    "quoted TSV": ('mt\tscore\n"Good, ""day""\nyou"\t0.8512\nx\t-0.25\nx\t1\n', {"": NUMBERS}),
    "CSV of an old Macintosh": ("id,COMET\r1,0.8512\r2,-0.25\r3,1\r", {"": NUMBERS}),
    "CSV with a column of numbers": ("segment,quality\n1,0.8512\n2,-0.25\n3,1\n", {"": NUMBERS}),
    "CSV with a column per system": (
        "segment,a,b\n1,0.8512,0.5\n2,-0.25,0.75\n3,1,1e-3\n",
        {"a": NUMBERS, "b": OTHERS},
    ),
    "CSV with a row per system": (
        "system,score\na,0.8512\na,-0.25\nb,0.5\na,1\nb,0.75\nb,1e-3\n",
        {"a": NUMBERS, "b": OTHERS},
    ),
    # A few lines of public files, as they are; each name begins with where they are from
    "sergiodelrio/waverly_mt_tools: what comet-score prints for several files, in turns": (
        "../mt_postprocessed/pizza/en-es/pizza.en-es.aws.es\tSegment 0\tscore: 0.9343\n"
        "../mt_postprocessed/pizza/en-es/pizza.en-es.gt.es\tSegment 0\tscore: 0.7625\n"
        "../mt_postprocessed/pizza/en-es/pizza.en-es.aws.es\tSegment 1\tscore: 0.9064\n"
        "../mt_postprocessed/pizza/en-es/pizza.en-es.gt.es\tSegment 1\tscore: 0.8403\n"
        "../mt_postprocessed/pizza/en-es/pizza.en-es.aws.es\tscore: 0.8570\n"
        "../mt_postprocessed/pizza/en-es/pizza.en-es.gt.es\tscore: 0.8472\n",
        {
            "../mt_postprocessed/pizza/en-es/pizza.en-es.aws.es": [0.9343, 0.9064],
            "../mt_postprocessed/pizza/en-es/pizza.en-es.gt.es": [0.7625, 0.8403],
        },
    ),
    "google/wmt-mqm-human-evaluation, 2020: averages between blanks": (
        "system mqm_avg_score seg_id\nDeepMind.381 -5.666667 1\nDeepMind.381 -16.066667 2\nOPPO.1422 -0.000000 1\n",
        {"DeepMind.381": [-5.666667, -16.066667], "OPPO.1422": [0.0]},
    ),
    "google/wmt-mqm-human-evaluation, 2021: averages between tabs and blanks, some missing": (
        "system mqm_avg_score seg_id\nFacebook-AI\t-0.000000 51\nFacebook-AI\tNone 52\nHuaweiTSC\t-5.000000 1\n",
        {"Facebook-AI": [0.0, None], "HuaweiTSC": [-5.0]},
    ),
    "wmt-conference/wmt25-mteval: the scores of a submission": (
        "doc_id\tsegment_id\tsource_lang\ttarget_lang\tset_id\tsystem_id\tdomain_name\tmethod\toverall\n"
        "en-zh_CN_#_speech_#_vid_u2JNW0Ftyzg\t327\ten\tzh_CN\tofficial\tTowerPlus-9B\tspeech\tESA\t87\n"
        "en-zh_CN_#_speech_#_vid_uB_fMAbhJwY\t328\ten\tzh_CN\tofficial\tTowerPlus-9B\tspeech\tESA\t89\n",
        {"TowerPlus-9B": [87.0, 89.0]},
    ),
    "mt-metrics-eval, the first score missing": (
        "KIT\tNone\nKIT\t0.5\nNRC\t0.25\n",
        {"KIT": [None, 0.5], "NRC": [0.25]},
    ),
    "facebookresearch/mlqe: z-scores of direct assessment": (
        "0.9659889452699064\n1.1919309354475849\n-0.8213380406242178\n",
        {"": [0.9659889452699064, 1.1919309354475849, -0.8213380406242178]},
    ),
    "Hugging Face's evaluate, COMET": ('{"mean_score": 0.7, "scores": [0.85, 0.55]}', {"": [0.85, 0.55]}),
    "Hugging Face's evaluate, BLEURT": ('{"scores": [1.0295498371124268, 1.04]}', {"": [1.0295498371124268, 1.04]}),
    "Hugging Face's evaluate, BERTScore": (
        '{"precision": [0.9, 1.0], "recall": [0.8, 1.0], "f1": [0.847, 1.0], "hashcode": "roberta-large_L17"}',
        {"precision": [0.9, 1.0], "recall": [0.8, 1.0], "f1": [0.847, 1.0]},
    ),
    "xCOMET's --to_json": (
        json.dumps(
            {"a.txt": [SOURCE | {"COMET": x, "errors": [{"text": "Good", "confidence": 0.4}]} for x in NUMBERS]}
        ),
        {"a.txt": NUMBERS},
    ),
    "bert-score -s": (
        "roberta-large_L17_no-idf_version=0.3.12(hug_trans=4.30.2) P: 0.533733 R: 0.417000 F1: 0.468193\n"
        "0.851200\t0.500000\t0.629967\n-0.250000\t0.750000\t-0.750000\n1.000000\t0.001000\t0.001998\n",
        {"P": NUMBERS, "R": OTHERS, "F1": [0.629967, -0.75, 0.001998]},
    ),
    "CSV of one column": ("comet\n0.8512\n-0.25\n1\n", {"": NUMBERS}),
    "CSV of a column of scores": ("Score\n0.8512\n-0.25\n1\n", {"": NUMBERS}),
    "TSV": ("doc\tscore\nd1\t0.8512\nd1\t-0.25\nd2\t1\n", {"": NUMBERS}),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_files_are_read_as_they_come(write, name):
    text, systems = LAYOUTS[name]
    path = write("scores.any", text)
    assert scorefiles.read(path, path, "COMET").systems == systems


def test_parquet_is_read(folder):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"id": [1, 2, 3], "COMET": NUMBERS, "b": OTHERS}), "s.parquet")
    assert scorefiles.read("s.parquet", "s.parquet", "COMET").systems == {"": NUMBERS}
    assert scorefiles.read("s.parquet", "s.parquet", "COMET", "b").systems == {"": OTHERS}
    assert scorefiles.read("s.parquet", "s.parquet", "XCOMET").systems == {"COMET": NUMBERS, "b": OTHERS}
    texts = pa.Array.from_buffers(pa.string(), 3, pa.array([b"\xff", b"", b""]).buffers())
    parquet.write_table(pa.table({"hyp": texts, "COMET": NUMBERS}), "t.parquet")
    with pytest.raises(BleuError, match=r"^t.parquet is not valid Parquet \('utf-8' codec can't decode byte 0xff"):
        scorefiles.read("t.parquet", "t.parquet", "COMET")
    for scale in (4, 20):
        decimals = pa.array([*map(Decimal, ("0.8512", "-0.25", "1"))], pa.decimal128(30, scale))
        parquet.write_table(pa.table({"id": [1, 2, 3], "COMET": decimals}), "t.parquet")
        assert scorefiles.read("t.parquet", "t.parquet", "COMET").systems == {"": NUMBERS}
    with open("s.parquet", "r+b") as file:
        file.truncate(300)
    with pytest.raises(BleuError, match=r"^s.parquet is not valid Parquet \("):
        scorefiles.read("s.parquet", "s.parquet", "COMET")


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_arrow_is_read(folder, kind):
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"id": [1, 2, 3], "COMET": NUMBERS, "b": OTHERS})
    with getattr(pa.ipc, f"new_{kind}")("s.any", table.schema) as writer:
        writer.write_table(table)
    assert scorefiles.read("s.any", "s.any", "COMET").systems == {"": NUMBERS}
    with open("s.any", "r+b") as file:
        file.truncate(300)
    with pytest.raises(BleuError, match=r"^s.any is not valid Arrow \("):
        scorefiles.read("s.any", "s.any", "COMET")


def test_what_is_not_text_says_what_to_save(write):
    path = write("s.any", b"PK\x03\x04...")
    with pytest.raises(BleuError, match=r"^s.any is a ZIP archive, as .xlsx is; save its table as CSV, TSV, JSON,"):
        scorefiles.read(path, path, "COMET")
    path = write("s.any", b"0.5\n\x80\n")
    with pytest.raises(BleuError, match=r"^s.any, line 2, byte 4: 0x80 is not valid utf-8; save it as UTF-8$"):
        scorefiles.read(path, path, "COMET")


def test_packed_files_are_unpacked(folder):
    import gzip

    with gzip.open("s.gz", "wt") as file:
        file.write(comet(NUMBERS))
    assert scorefiles.read("s.gz", "s.gz", "COMET").systems == {"": NUMBERS}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_files_are_read_as_powershell_writes_them(write, encoding):
    path = write("s.txt", comet(NUMBERS).replace("\n", "\r\n").encode(encoding))
    assert scorefiles.read(path, path, "COMET").systems == {"": NUMBERS}


def test_a_column_can_be_named(write):
    path = write("s.csv", "score,spBLEU,text\n0.5,3,x\n0.75,4,y\n")
    assert scorefiles.read(path, path, "COMET").systems == {"": [0.5, 0.75]}
    assert scorefiles.read(path, path, "COMET", "spbleu").systems == {"": [3.0, 4.0]}


def test_names_of_scores_may_have_dots(write):
    path = write("s.jsonl", lines([{"metric_scores": {"GEMBA-1": 3, "GEMBA-4.1": x}} for x in NUMBERS]))
    assert scorefiles.read(path, path, "gemba-4.1").systems == {"": NUMBERS}
    assert scorefiles.read(path, path, "COMET", "GEMBA-4.1").systems == {"": NUMBERS}


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        ("0.5\noops\n", "", "s.any, line 2: 'oops' is not a number from -1e100 to 1e100; expected one score per se"),
        ("1e400\n", "", "s.any, line 1: '1e400' is not a number from -1e100 to 1e100"),
        ("0.5\n1_000\n", "", "s.any, line 2: '1_000' is not a number"),
        ("0.5\n", "x", "s.any has one number per line, and no column x; leave out :x"),
        ("", "", "s.any has no scores; expected one number per segment"),
        (comet(NUMBERS) + "Done.\n", "", "s.any, line 5: 'Done.' is not a line of comet-score; delete it"),
        ("KIT\t0.5\nKIT\n", "", "s.any, line 2: 'KIT'; expected a system and a score, as in line 1"),
        ("KIT\t0.5\nKIT\tgood\n", "", "s.any, line 2: 'good' is not a number"),
        ("a,b\n1,2,3\n", "", "s.any, row 2 has 3 cells, but the first row has 2; give each row a cell for each column"),
        ('a,b\n1,"2\n', "", 's.any, line 2: not valid CSV (unexpected end of data); put "" for each quotation mark'),
        ("roberta-large P: 0.5 R: 0.5 F1: 0.5\n", "", "s.any has no scores; expected one number per segment"),
        ("id;score\n1;0,5\n", "", "s.any begins with 'id;score'; put commas or tabs between columns"),
        (
            "0,5\n0,25\n",
            "",
            "s.any has 2 numbers in line 1; expected names of columns, or a single number, with a point",
        ),
        (
            "Fetching 5 files\n" + comet(NUMBERS),
            "",
            "s.any, line 1: 'Fetching 5 files' is not a line of comet-score; d",
        ),
        (
            "{'scores': [0.5]}\n",
            "",
            "s.any, line 1 is not valid JSON (Expecting property name enclosed in double quotes",
        ),
        ("0.5,0.25\n", "", "s.any has 2 numbers in line 1; expected names of columns, or a single number"),
        ("a,b\nx,y\n", "", "s.any has no column COMET of numbers; it has none; give one number per segment"),
        (f"0.5\n{'1' * 400}\n", "", f"s.any, line 2: '{'1' * 40}...' is not a number from -1e100 to 1e100; expected o"),
        ("a,comet2\n1,2\n", "comet", "s.any has no column comet of numbers; it has a, comet2; did you mean comet2?"),
        (
            '{"a": 1}\n{"a"\n',
            "",
            "s.any, line 2 is not valid JSON (Expecting ':' delimiter, column 5); write it with j",
        ),
        ('{\n "scores": [\n  0.5\n  0.6]}\n', "", "s.any, line 4 is not valid JSON (Expecting ',' delimiter, column 3"),
        ("[" * 10**5, "", "s.any, line 1 is not valid JSON (too many brackets within each other); write it with json"),
        (f"[1]\n[{'1' * 5000}]\n", "", "s.any, line 2 is not valid JSON (a number has too many digits); write it"),
        ('{"a": 1}\n3\n', "", "s.any, item 2 is not an object, but others are; give all items the same fields"),
        ('{"score": "x"}\n', "", "s.any has no column COMET of numbers; it has none"),
        ('{"score": 1}\n{"score": "x"}\n', "", "s.any, score 2: 'x' is not a number"),
        ("[true]", "", "s.any, score 1: True is not a number"),
        (
            "engjpn7904,NTTSU,688,TGT,eng,jpn,98,test-en-speech_-uigLE6EI1g_000,False,[],1724108687.807,1724108688.639\n",
            "",
            "s.any has the number 688 in line 1; add a line before it that names the columns",
        ),
        ("en-de\tTransQuest\t0\t0.3\n", "", "s.any has the number 0 in line 1; add a line before it that names"),
        (
            "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment\n"
            "Online-W\ttalk.1\t1\t1\trater4\tWe see\tWir <v>sehen</v>\tStyle/Awkward\tMinor\t\n",
            "",
            "s.any has errors that people marked, not scores; add up their weights for each segment",
        ),
        ("seg_id,text\n1,a\n2,b\n", "", "s.any has only numbers that seem to be ids: seg_id; name one: s.any:seg_id"),
        ("system,score\nx,1\ny,2\ny,inf\n", "", "s.any, y, score 2: 'inf' is not a number from -1e100 to 1e100"),
        (f'{{"score": 1}}\n{{"score": {10**400}}}\n', "", "s.any, score 2: 10000"),
        ("a,score,score\nx,1,2\n", "", "s.any has several columns called score; give each a name of its own"),
        ("system;COMET\nx;1\n", "COMET", "s.any begins with 'system;COMET'; put commas or tabs between columns"),
        ("system,a,b\nx,1,2\ny,3,4\n", "", "s.any has several columns of numbers: a, b; name one: s.any:a"),
    ],
)
def test_what_holds_no_scores_is_refused(write, text, field, message):
    path = write("s.any", text)
    with pytest.raises(BleuError) as caught:
        scorefiles.read(path, path, "COMET", field)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(folder):
    with pytest.raises(BleuError, match=r"^cannot (read|open) none"):
        scorefiles.read("none", "none", "COMET")


REAL = os.path.join(evaluation_data.FOLDER, "wmt25.en-cs")


@pytest.mark.skipif(not os.path.isdir(REAL), reason="the scores of WMT25 are not there")
@pytest.mark.parametrize("system", ["CUNI-SFT", "Laniqo", "TranssionMT"])
@pytest.mark.parametrize("metric", ["CometKiwi-XL", "XCOMET-XL", "MetricX-24-Hybrid-XL", "GEMBA-ESA-GPT4.1"])
def test_the_published_scores_of_wmt_are_read(system, metric):
    path = os.path.join(REAL, f"scores.{system}.jsonl")
    with open(path, encoding="utf-8") as file:
        documents = [json.loads(line)["metric_scores"][metric] for line in file]
    systems = scorefiles.read(path, path, metric).systems
    assert systems == {"": documents}
    rows = column_of("", systems[""]).rows
    assert [tuple(row) for row in rows] == [(pytest.approx(sum(of)), len(of)) for of in documents]
