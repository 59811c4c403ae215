"""Parts of test sets: the same segments and scores as sacreBLEU, and an error where sacreBLEU crashes."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from set_world import DOCUMENTS, PAIRS, SEGMENTS, oracle

from bleucli.errors import BleuError, UsageError
from bleucli.testsets import cache, selection
from bleucli.testsets.selection import Group, Marks

DETAIL = ("--detail",)
# Options, and the test sets to try them on; each pair makes one command line
ASKED = [
    *((name, words) for name in ("wmt17", "wmt18", "wmt22", "wmt21/AB", "wmt20/tworefs") for words in ((), DETAIL)),
    *((name, ("--origlang", "en")) for name in ("wmt17", "wmt18", "wmt22", "wmt21/AB", "wmt20/tworefs", "wmt17/ms")),
    *((name, ("-ol", "non-en")) for name in ("wmt17", "wmt18", "wmt22", "wmt19/google/ar")),
    *(
        ("wmt18", ("--subset", text))
        for text in ("US", "country:US", "^US-crime$", "GB|OTHER", "sport", ".", "world-ID")
    ),
    *(("wmt18", ("--subset", text, "--detail")) for text in ("US", "country:US", "crime")),
    *(("wmt22", ("--subset", text)) for text in ("news", "social", "s", "^s", "country:news")),
    ("wmt22", ("--subset", "news", "--detail")),
    ("wmt22", ("--origlang", "en", "--subset", "social")),
    ("wmt18", ("--origlang", "non-de", "--subset", "US")),
    ("wmt18", ("--detail", "-w", "3", "-sh")),
    ("wmt18", ("--detail", "-m", "bleu", "chrf", "ter")),
    ("wmt22", ("--detail", "-m", "chrf")),
    ("wmt22", ("--detail", "-b")),
    ("wmt18", ("--origlang", "en", "-sl")),
    ("wmt22", ("--subset", "news", "-sl", "-m", "chrf")),
    ("wmt17,wmt18", ("--origlang", "en")),
    ("wmt17,wmt18", ()),
]


def system(name):
    """Return the output of a system for a test set: one line per segment, like the references in some places."""
    counts = {"wmt22": 6, "wmt21/AB": 6, "wmt17,wmt18": 2 * SEGMENTS}
    if counts.get(name) == 6:
        lines = [
            "Eins ist es hier A",
            "Zwei davon",
            "Drei A Worte",
            "Neun davon A auch",
            "Zehn ist eine Zahl",
            "Nur A das",
        ]
    else:
        lines = [text.replace("one", "1") for document in DOCUMENTS for text in document.segments]
    return "".join(f"{' '.join(lines[n % len(lines)].split())}\n" for n in range(counts.get(name, SEGMENTS)))


def words_of(name, words):
    """Return words to score with text as output; --detail prints text by default."""
    form = [] if "--detail" in words else ["-f", "text"]
    return ["-t", name, "-l", PAIRS[name.partition(",")[0]], *form, *words]


def without_version(text):
    return [line.split("|version:")[0].split("|v:")[0] + line.rpartition(" = ")[2] for line in text.splitlines()]


@pytest.fixture(scope="module")
def theirs(served, tmp_path_factory):
    home = str(tmp_path_factory.mktemp("oracle"))
    answers = oracle(home, served[1], [(words_of(name, words), system(name)) for name, words in ASKED])
    return dict(zip(ASKED, answers, strict=True))


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: " ".join((asked[0], *asked[1])))
def test_scores_of_parts_are_those_of_sacrebleu(asked, library, theirs, run):
    name, words = asked
    answer = run(*words_of(name, words), "-q", stdin=system(name).encode())
    assert answer.status == theirs[asked].status == 0, answer.err
    ours = without_version(unsigned(answer.out, name, words))
    assert ours == without_version(theirs[asked].out)


def unsigned(text, name, words):
    """Remove from signatures what names the texts, and check that it was there."""
    given = dict(pairwise(words))
    told = {"test": name, "lang": PAIRS[name.partition(",")[0]]}
    told |= {"origlang": given.get("--origlang", given.get("-ol")), "subset": given.get("--subset")}
    short = {"test": "t", "lang": "l", "origlang": "o", "subset": "S"} if "-sh" in words else {}
    keys = [f"{short.get(key, key)}:{value.replace('|', '%7C')}|" for key, value in told.items() if value]
    signed = [line for line in text.splitlines() if "|version:" in line or "|v:" in line]
    assert "-b" in words or signed
    assert all("".join(keys) in line for line in signed)
    return text.replace("".join(keys), "")


ECHOED = [
    ("wmt17", ("--echo", "src", "--origlang", "de")),
    ("wmt17", ("--echo", "src", "ref", "--origlang", "non-de")),
    ("wmt18", ("--echo", "src", "ref", "--subset", "crime")),
    ("wmt18", ("--echo", "src", "--subset", "country:US")),
    ("wmt18", ("--echo", "docid", "--origlang", "en", "--subset", "US")),
    ("wmt22", ("--echo", "src", "ref:A", "Online-A", "--origlang", "en", "--subset", "social")),
    ("wmt22", ("--echo", "all", "--origlang", "non-en")),
    ("wmt20/tworefs", ("--echo", "ref:0", "ref:1", "--origlang", "cs")),
]


def test_a_part_is_chosen_and_scored_in_python(world, run):
    import bleucli

    pair = PAIRS["wmt18"]
    chosen = bleucli.get_segments("wmt18", pair, origlang="en", subset="US")
    with open(bleucli.get_reference_files("wmt18", pair)[0], encoding="utf-8") as file:
        references = [line.rstrip() for line in file]
    stats = bleucli.BLEU().corpus_stats(system("wmt18").splitlines(), [references], keep_rows=True)
    words = ["-t", "wmt18", "-l", pair, "--origlang", "en", "--subset", "US", "-b", "-w", "9", "-q"]
    answer = run(*words, stdin=system("wmt18").encode())
    assert f"{stats.take(chosen).score().score:.9f}\n" == answer.out
    assert bleucli.get_segments("wmt18", pair) == list(range(SEGMENTS))
    with pytest.raises(BleuError, match="has no segment of origlang xx"):
        bleucli.get_segments("wmt18", pair, "xx")


@pytest.fixture(scope="module")
def their_echoes(served, tmp_path_factory):
    commands = [(["-t", name, "-l", PAIRS[name], *words], "") for name, words in ECHOED]
    answers = oracle(str(tmp_path_factory.mktemp("oracle")), served[1], commands)
    return dict(zip(ECHOED, answers, strict=True))


@pytest.mark.parametrize("asked", ECHOED, ids=lambda asked: " ".join((asked[0], *asked[1])))
def test_texts_of_parts_are_those_of_sacrebleu(asked, library, their_echoes, run):
    name, words = asked
    everything = run("-t", name, "-l", PAIRS[name], *words[: words.index(next(w for w in words[2:] if w[:2] == "--"))])
    answer = run("-t", name, "-l", PAIRS[name], *words)
    assert their_echoes[asked].status == answer.status == 0
    if "all" not in words:  # sacreBLEU orders the fields differently
        assert answer.out == their_echoes[asked].out
    assert 0 < answer.out.count("\n") == their_echoes[asked].out.count("\n") < everything.out.count("\n")
    assert set(answer.out.splitlines()) <= set(everything.out.splitlines())


def test_texts_of_parts_of_several_test_sets_are_those_that_are_scored(world, run):
    words = ("-t", "wmt17,wmt18", "-l", "en-de", "--origlang", "de")
    both = run(*words, "--echo", "src").out
    assert both == 2 * run("-t", "wmt17", *words[2:], "--echo", "src").out
    assert both.count("\n") == 6


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("-t", "wmt18", "-l", "en-de", "--subset", "("), "--subset '(' is not a regular expression"),
        (("-t", "wmt18", "-l", "en-de", "--subset", f"a{{{10**20}}}"), "the repetition number is too large"),
        (("-t", "wmt18", "-l", "en-de", "--subset", "(" * 5000), "' is nested too deeply; write a simpler"),
        (("-t", "wmt17", "-l", "en-de", "--subset", "US"), "subset: wmt17 does not say which domain"),
        (("-t", "wmt17", "-l", "en-de", "--origlang", "fr"), "wmt17 has no segment of origlang fr"),
        (("-t", "multi30k/2016", "-l", "en-fr", "--origlang", "fr"), "--origlang: multi30k/2016 does not say"),
    ],
)
def test_a_part_that_does_not_exist_is_not_echoed(words, reason, world, run):
    answer = run(*words, "--echo", "src")
    assert (answer.status, answer.out) == (2, "")
    assert reason in answer.err


# --- where sacreBLEU crashes


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (("--origlang", "en"), ["domain=ALL", "domain=news", "domain=social"]),
        (("--origlang", "non-en"), ["domain=ALL", "domain=social"]),
        (("--origlang", "en", "--subset", "social"), ["domain=ALL", "domain=social"]),
    ],
)
def test_details_of_an_original_language_have_only_its_segments(words, labels, world, run):
    language = "de" if "non-en" in words else "en"
    all_details = run(*words_of("wmt22", DETAIL), "-q", stdin=system("wmt22").encode()).out.splitlines()[1:]
    answer = run(*words_of("wmt22", (*words, "--detail")), "-q", stdin=system("wmt22").encode())
    details = answer.out.splitlines()[1:]
    assert [line.split()[:2] for line in details] == [[f"origlang={language}", label] for label in labels]
    assert {" ".join(line.split()) for line in details} <= {" ".join(line.split()) for line in all_details}


@pytest.mark.parametrize("name", ["wmt22"])
def test_parts_of_pairs_with_other_references_are_scored(name, world, run):
    words = ["-t", name, "-l", "en-cs", "-b", "-q", "-w", "4"]
    answers = [
        run(*words, *more, stdin=system(name).encode()) for more in ((), ("--origlang", "de"), ("--subset", "news"))
    ]
    assert [answer.status for answer in answers] == [0, 0, 0]
    assert len({answer.out for answer in answers}) == 3


def test_details_in_json_are_numbers(world, run):
    lines = run(*words_of("wmt18", DETAIL), "-q", stdin=system("wmt18").encode()).out.splitlines()[1:]
    answer = json.loads(run(*words_of("wmt18", (*DETAIL, "-f", "json")), "-q", stdin=system("wmt18").encode()).out)
    assert len(lines) == len(answer["details"]) > 9
    for line, detail in zip(lines, answer["details"], strict=True):
        kind = "country" if "country" in detail else "domain"
        start = f"origlang={detail['origlang']} {kind}={detail[kind]} "
        assert line.startswith(start)
        assert line.split() == f"{start}: sentences={detail['sentences']} BLEU = {detail['score']:.1f}".split()


def test_details_of_several_metrics_in_json_are_each_with_its_metric(world, run):
    words = (*words_of("wmt22", (*DETAIL, "-f", "json", "-m", "ter", "bleu")), "-q")
    answers = json.loads(run(*words, stdin=system("wmt22").encode()).out)
    assert [answer["name"] for answer in answers] == ["BLEU", "TER"]
    assert [len(answer["details"]) for answer in answers] == [5, 5]
    assert answers[0]["details"] != answers[1]["details"]


def test_details_are_refused_in_tables_for_elsewhere(world, run, write):
    write("a.txt", system("wmt22"))
    answer = run("-t", "wmt22", "-l", "en-de", "-i", "a.txt", "--detail", "-f", "csv")
    assert answer == (2, "", "bleu: error: --detail cannot be shown in csv; choose -f text, json or jsonl\n")


def test_details_of_several_systems_follow_the_table(world, run, write):
    write("a.txt", system("wmt22"))
    write("b.txt", "x\n" * 6)
    answer = run("-t", "wmt22", "-l", "en-de", "-i", "a.txt", "b.txt", "--detail", "-q", "-f", "text")
    first, second = answer.out.split("\na.txt\n")[1].split("\nb.txt\n")
    assert first == "".join(
        f"{line}\n"
        for line in run(*words_of("wmt22", DETAIL), "-q", stdin=system("wmt22").encode()).out.splitlines()[1:]
    )
    assert [line.rpartition(" ")[2] for line in second.splitlines()] == ["0.0"] * 5
    assert second.count("sentences=") == first.count("sentences=") == 5


def test_details_of_a_test_have_the_decimals_that_were_asked_for(world, run, write):
    write("a.txt", system("wmt22"))
    write("b.txt", "x\n" * 6)
    words = ("-t", "wmt22", "-l", "en-de", "-i", "a.txt", "b.txt", "--detail", "-f", "json", "-par", "-parn", "20")
    answer = run(*words, "-w", "6")
    assert "--width" not in answer.err
    assert answer.out != run(*words).out


def test_the_whole_output_is_given_and_counted(world, run):
    for words in (("--origlang", "en"), ("--subset", "news"), ("--detail",)):
        for lines in (5, 7):
            answer = run(*words_of("wmt22", words), stdin=b"x\n" * lines)
            assert (answer.status, answer.out) == (2, "")
            assert f"standard input has {lines} segments" in answer.err
            assert "wmt22/en-de has 6 segments" in answer.err


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        (
            "wmt18",
            ("--origlang", "fr"),
            "wmt18 has no segment of origlang fr; it has the original languages cs, de, en",
        ),
        ("wmt22", ("--subset", "xx"), "wmt22 has no segment of subset 'xx'; it has the subsets news, social"),
        (
            "wmt22",
            ("--subset", "news", "--origlang", "de"),
            "wmt22 has no segment of origlang de and subset 'news'; it has the original languages de, en and the"
            " subsets news, social",
        ),
        ("wmt17", ("--subset", "US"), "--subset: wmt17 does not say which domain its segments belong to"),
        ("wmt17,wmt18", ("--subset", "US"), "--subset: wmt17,wmt18 does not say which domain its segments belong to"),
        (
            "mtnt2019",
            ("--origlang", "en"),
            "--origlang: mtnt2019 does not say which language its segments were first written in",
        ),
        (
            "iwslt17",
            ("--origlang", "en"),
            "--origlang: iwslt17 does not say which language its segments were first written in",
        ),
        (
            "wmt18",
            ("--subset", "("),
            "--subset '(' is not a regular expression: missing ), unterminated subpattern at position 0",
        ),
        (
            "wmt18",
            ("--origlang", "non-"),
            "--origlang 'non-' names no language; wmt18 has the original languages cs, de, en",
        ),
        ("wmt18", ("--origlang", ""), "--origlang '' names no language; wmt18 has the original languages cs, de, en"),
        ("wmt22", ("--subset", ""), "--subset '' names no subset; wmt22 has the subsets news, social"),
        ("wmt22", ("--subset", "country:"), "--subset 'country:' names no subset; wmt22 has the subsets news, social"),
        (
            "wmt18",
            ("--detail", "-sl"),
            "--sentence-level cannot be combined with --detail: --detail gives corpus scores; leave out one of the two",
        ),
    ],
)
def test_a_part_that_does_not_exist_is_an_error(name, words, message, world, run):
    answer = run(*words_of(name, words), stdin=system(name).encode())
    assert (answer.status, answer.out, answer.err) == (2, "", f"bleu: error: {message}\n")


@pytest.mark.parametrize("words", [("--origlang", "en"), ("--subset", "US")])
def test_a_part_of_files_is_an_error(words, run, pair):
    answer = run(*pair, *words)
    assert (answer.status, answer.out, answer.err) == (
        2,
        "",
        f"bleu: error: {words[0]} needs a test set, named with -t and -l, labels, named with --labels, or JSON Lines\n",
    )


@pytest.mark.parametrize("words", [(), ("-m", "bleu", "ter"), ("-f", "json"), ("-f", "jsonl"), ("-b",)])
def test_details_of_files_are_a_warning_beside_the_score(run, pair, words):
    """As in sacreBLEU, which says so and prints the score as text unless another format is named."""
    plain = run(*pair, *words, *(() if "-f" in words else ("-f", "text")))
    answer = run(*pair, *words, "-d")
    reason = "only a test set, named with -t and -l, --labels or JSON Lines say which parts there are"
    assert (answer.status, answer.err) == (0, f"bleu: warning: without effect: --detail ({reason})\n")
    if "jsonl" not in words:  # which shows the command line and the time
        assert answer.out == plain.out
    assert run(*pair, *words, "-d", "--strict").status == 2


def test_unknown_details_are_a_warning(world, run):
    answer = run(*words_of("mtnt2019", DETAIL), stdin=b"x\n" * 5)
    assert answer.status == 0
    assert answer.out.count("\n") == 1
    assert "--detail: mtnt2019 does not say which language" in answer.err


def test_several_columns_and_threads_make_no_difference_to_parts(world, run):
    text = "".join(f"{line}\t{line} x\n" for line in system("wmt18").splitlines()).encode()
    words = ("-t", "wmt18", "-l", "en-de", "--origlang", "en", "-q", "-f", "json", "-m", "bleu", "ter", "--detail")
    once, twice = (run(*words, "-J", jobs, stdin=text) for jobs in ("1", "2"))
    assert once == twice
    first, second = json.loads(once.out)
    alone = json.loads(run(*words, stdin=system("wmt18").encode()).out)
    assert [first["BLEU"], first["TER"]] == alone
    assert second["BLEU"] != first["BLEU"]


def test_details_by_domain_need_no_original_languages(world, run):
    run("--download", "wmt22", "-l", "en-de")
    with open(cache.path_of("wmt22", "en-de", "origlang"), "w") as file:
        file.write("\n" * 6)
    details = run(*words_of("wmt22", DETAIL), "-q", stdin=system("wmt22").encode()).out.splitlines()[1:]
    assert [" ".join(line.split()) for line in details] == [  # as sacreBLEU 2.6.0 prints it for such a set
        "origlang= domain=ALL : sentences=6 BLEU = 47.5",
        "origlang= domain=news : sentences=3 BLEU = 48.2",
        "origlang= domain=social : sentences=3 BLEU = 50.2",
    ]


@pytest.mark.parametrize("field", ["origlang", "domain"])
@pytest.mark.parametrize("words", [("--origlang", "en"), ("--subset", "news"), ("--detail",)])
def test_marks_that_were_cut_off_are_an_error(field, words, world, run):
    run("--download", "wmt22", "-l", "en-de")
    with open(cache.path_of("wmt22", "en-de", field), "r+") as file:
        file.truncate(len(file.readline()))
    answer = run(*words_of("wmt22", words), stdin=system("wmt22").encode())
    assert (answer.status, answer.out) == (2, "")
    assert (
        "original languages and domains for different numbers of segments (1, 6); remove its folder from the cache;"
        " it will be made again" in answer.err
    )


@pytest.mark.parametrize("words", [("--origlang", "en"), ("--detail",)])
def test_marks_of_fewer_segments_are_an_error(words, world, run):
    run("--download", "wmt17", "-l", "en-de")
    with open(cache.path_of("wmt17", "en-de", "origlang"), "r+") as file:
        file.truncate(len("en\nen\n"))
    answer = run(*words_of("wmt17", words), stdin=system("wmt17").encode())
    assert (answer.status, answer.out) == (2, "")
    assert f"the test set has {SEGMENTS} segments, but original languages or domains for 2; remove" in answer.err


# --- the functions alone


def test_marks_are_chosen_by_language_and_tag():
    marks = Marks(
        ["en", "de", "en"], ["US-crime", "GB-sport", ""], [["country:US", "crime"], ["country:GB", "sport"], []]
    )
    assert selection.choose(marks, None, None, "x") == [0, 1, 2]
    assert selection.choose(marks, "non-en", None, "x") == [1]
    with pytest.raises(BleuError):
        selection.choose(marks, "de", "US", "x")
    assert list(selection.groups(marks, None, None)) == [
        Group("de", "domain", "ALL", [1]),
        Group("de", "country", "GB", [1]),
        Group("de", "domain", "sport", [1]),
        Group("en", "domain", "ALL", [0, 2]),
        Group("en", "country", "US", [0]),
        Group("en", "domain", "crime", [0]),
    ]


def test_marks_that_one_of_several_sets_lacks_are_not_known():
    joined = selection.join([Marks(["en"], ["news"], [["news"]]), Marks(["de"], None, None)])
    assert joined == Marks(["en", "de"], None, None)
    with pytest.raises(UsageError):
        selection.choose(joined, None, "news", "x")


def test_documents_of_a_test_set_are_scored_as_files_with_the_same_labels(library, run, write):
    name = "wmt22"
    pair = ("-t", name, "-l", PAIRS[name])
    columns = [run(*pair, "--echo", field).out.splitlines() for field in ("docid", "origlang", "domain", "ref")]
    assert len(set(columns[0])) < len(columns[0])
    labels = ["doc\toriglang\tdomain", *map("\t".join, zip(*columns[:3], strict=True))]
    write("labels.tsv", "".join(f"{line}\n" for line in labels))
    write("ref.txt", "".join(f"{line}\n" for line in columns[3]))
    write("sys.txt", system(name))
    for options in (
        *((), ("--by", "origlang"), ("--by", "domain,doc"), ("--by", "doc", "-m", "chrf", "ter")),
        *(("--origlang", "en"), ("--by", "doc", "--origlang", "en"), ("--detail", "-f", "text")),
    ):
        common = ("-i", "sys.txt", "--level", "doc", "-f", "csv", *options, "-q", "-w", "9")
        ours = run(*pair, *common)
        theirs = run("ref.txt", *common, "--labels", "labels.tsv")
        assert ours.status == theirs.status == 0, ours.err + theirs.err
        assert unsigned(ours.out, name, ("-b",)) == theirs.out
    pytest.importorskip("pyarrow")
    answer = run(*pair, "-i", "sys.txt", "--level", "doc", "-f", "csv", "-q")
    assert run("count", *pair, "-i", "sys.txt", "--level", "doc", "-o", "doc.parquet", "-q").status == 0
    assert run("--stats", "doc.parquet", "-f", "csv", "-q").out == answer.out
