"""The calculator's server: what it answers, what it refuses, and that its numbers are the command's."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial

import browser
import httpx
import pytest
from conftest import COMMAND, ROOT, SECONDS, needs_signals, refused
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from bleucli import kernels
from bleucli.metrics import METRICS, VARIANTS
from bleucli.web import api, guard, models
from bleucli.web import calculator as page
from bleucli.web import server as web_server

WORKED = {"candidate": "the cat is on the mat", "references": ["there is a cat on the mat"]}
FIELDS = {
    "candidate": "the cat is on the mat",
    "references": "there is a cat on the mat",
    "metric": "bleu",
    "order": 4,
    "tokenize": "13a",
    "lowercase": True,
    "smoothing": "add-one",
}
ITEMS = [
    {"hypothesis": "The dog bit the man.", "references": ["The dog bit the man.", "The dog had bit the man."]},
    {"hypothesis": "It was not surprising.", "references": ["It was not unexpected.", None]},
    {
        "hypothesis": "\u732b\u5728\u57ab\u5b50\u4e0a, ok",
        "references": ["\u4e00\u53ea\u732b\u5728\u57ab\u5b50\u4e0a, ok", "x"],
    },
]
POSTS = ("/score", "/page/numbers", "/page/explanation")


@pytest.fixture
def ask(calculator):
    """Post JSON, or bytes, and return the answer."""

    def ask(path, body, headers=(), **query):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"content-type": "application/json", **dict(headers)}
        return calculator.client.post(path, content=content, headers=given, params=query or None)

    return ask


def error_of(answer, *statuses):
    """Return the sentence of a refusal; to the page, which shows it, it is sent with status 200."""
    shown = answer.request.url.path.startswith("/page/") and 422 in statuses
    assert answer.status_code in ((200,) if shown else statuses)
    assert answer.headers["content-type"] == "application/json"
    (sentence,) = answer.json().values()
    assert answer.json().keys() == {"error"}
    assert "\n" not in sentence
    return sentence


# --- numbers


def test_the_worked_example_has_the_score_that_teachers_know(ask):
    found = ask("/score", WORKED, smooth_method="add-one", lowercase="true").json()
    assert f"{found['score'] / 100:.4f}" == "0.3851"
    assert (found["counts"], found["totals"], found["hypothesis_length"]) == ([5, 2, 1, 0], [6, 5, 4, 3], 6)
    shown = ask("/page/numbers", FIELDS).json()
    assert (shown["share"], shown["percent"]) == ("0.3851", "38.51")


@pytest.mark.parametrize("metric", [*METRICS, *VARIANTS])
def test_an_array_has_the_score_of_the_command(ask, run, metric):
    stdin = "".join(f"{json.dumps(item)}\n" for item in ITEMS).encode()
    line = json.loads(run("--jsonl", "-m", metric, "-f", "jsonl", "-q", stdin=stdin).out)
    found = ask("/score", ITEMS, metric=metric).json()
    keys = ("score", "precisions", "counts", "totals", "edits", "brevity_penalty", "reference_length", "segments")
    assert {key: found[key] for key in keys} == {key: line[key] for key in keys}
    assert found["signature"] == "|".join(f"{key}:{value}" for key, value in line["signature"].items())


@pytest.mark.parametrize("metric", [*METRICS, *VARIANTS])
def test_each_item_has_the_score_of_the_command(ask, run, metric):
    stdin = "".join(f"{json.dumps(item)}\n" for item in ITEMS).encode()
    lines = run("--jsonl", "-m", metric, "-sl", "-f", "jsonl", "-q", stdin=stdin).out.splitlines()
    found = ask("/score", ITEMS, metric=metric, sentence_level="true").json()
    assert [one["score"] for one in found] == [json.loads(line)["score"] for line in lines]


def test_one_item_is_answered_with_an_object_and_a_list_of_scores_only_where_it_is_asked_for(ask):
    assert isinstance(ask("/score", WORKED).json(), dict)
    assert isinstance(ask("/score", [WORKED]).json(), dict)
    assert isinstance(ask("/score", WORKED, sentence_level="false").json(), dict)
    assert len(ask("/score", WORKED, sentence_level="true").json()) == 1


def test_answers_have_the_warnings_of_the_command(ask):
    (warning,) = ask("/score", {"candidate": "x y z a b", "references": ["c d e f g"]}).json()["warnings"]
    assert "no word matches" in warning


@pytest.mark.parametrize("metric", METRICS)
def test_every_option_of_a_metric_is_a_parameter_that_has_its_effect(ask, metric):
    values = {"tokenize": "char", "smooth_method": "floor", "smooth_value": "0.5", "max_ngram_order": "2"}
    values |= {"normalize": "quotes", "char_order": "3", "word_order": "1", "beta": "3"}
    for option in METRICS[metric].options:
        if option.name in models.LEFT_OUT:
            continue
        beside = {"smooth_method": "floor"} if option.name == "smooth_value" else {}
        found = ask("/score", ITEMS, metric=metric, **beside, **{option.name: values.get(option.name, "true")})
        assert found.status_code == 200, found.text
        plain = ask("/score", ITEMS, metric=metric, **beside).json()
        assert any(found.json()[key] != plain[key] for key in ("name", "signature"))


# --- errors


@pytest.mark.parametrize(
    "item",
    [
        5,
        {"hypothesis": 1, "references": ["a"]},
        {"hypothesis": "a", "references": "b"},
        {"hypothesis": "a", "references": [1]},
        {"hypothesis": "a", "references": {"x": "y"}},
        {"hypothesis": "a", "references": [None]},
        {"mt": "a", "pred": "b", "references": ["c"]},
        {"hypothesis": "a \ud800", "references": ["c"]},
    ],
)
def test_errors_are_the_commands(ask, run, item):
    said = error_of(ask("/score", [WORKED, item]), 422)
    stdin = "".join(f"{json.dumps(one)}\n" for one in (WORKED, item)).encode()
    expected = refused(run("--jsonl", stdin=stdin)).removeprefix("bleu: error: ").rstrip("\n")
    expected = expected.replace("standard input, line ", "body, item ").partition("; if the text is inside")[0]
    expected = expected.replace("give one object per line", "give objects with texts")
    assert said == expected.replace("name the field with --jsonl-fields hyp=NAME", "rename the field")


def test_errors_of_options_are_those_of_python(ask):
    found = error_of(ask("/score", WORKED, metric="ble"), 422)
    assert found.startswith("metric 'ble'; choose from bleu,")
    assert "did you mean bleu?" in found
    told = error_of(ask("/score", WORKED, beta="2"), 422)
    assert told.startswith("bleu has no option beta; choose from ")
    assert not set(models.LEFT_OUT) & set(told.partition("choose from ")[2].split(", "))
    assert "max_ngram_order 0; expected a number" in error_of(ask("/score", WORKED, max_ngram_order="0"), 422)
    assert error_of(ask("/score", WORKED, lowercase="yes"), 422) == "lowercase 'yes'; expected true or false"
    assert "did you mean tokenize?" in error_of(ask("/score", WORKED, tokenise="13a"), 422)
    assert "twice" in error_of(ask("/score?metric=bleu&metric=ter", WORKED), 422)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[]", b"[" * 100000, b"1" * 10000])
@pytest.mark.parametrize("path", POSTS)
def test_empty_and_invalid_bodies_get_one_sentence(ask, path, body):
    assert error_of(ask(path, body), 422)


@pytest.mark.parametrize("path", POSTS)
def test_other_types_of_bodies_are_refused(ask, path):
    assert "send application/json" in error_of(ask(path, WORKED, {"content-type": "text/plain"}), 415)


def test_errors_about_unknown_addresses_and_methods_are_json(calculator):
    assert "/docs" in error_of(calculator.client.get("/nowhere"), 404)
    assert error_of(calculator.client.get("/score"), 405) == "/score takes POST, not GET; see /docs"
    assert error_of(calculator.client.put("/"), 405) == "/ takes GET, not PUT; see /docs"
    assert (calculator.client.head("/").status_code, calculator.client.head("/").content) == (200, b"")
    answer = calculator.client.post("/score?metric=chrf++", json=WORKED)
    assert error_of(answer, 422) == "metric 'chrf  '; in an address, write + as %2B: metric=chrf%2B%2B"


def test_every_parameter_is_described_where_the_page_shows_it(calculator):
    described = calculator.client.get("/openapi.json").json()["paths"]["/score"]["post"]["parameters"]
    assert all(one["description"] for one in described)
    assert "(default: 13a)" in next(one["description"] for one in described if one["name"] == "tokenize")


def test_a_new_metric_is_offered_with_its_options():
    """In a process of its own, because models and the page are made when they are first used."""
    program = """
import sys, types
from bleucli import CER, metrics
from bleucli.metrics.options import Option
case = Option("case_sensitive", bool, False, ("--em-case",), "mind case", key="case", words=("lc", "mixed"))
weight = Option("weight", float, 1.0, ("--em-weight",), "weight", most=5, key="w")
def __init__(self, case_sensitive=False, weight=1.0):
    metrics.Metric.__init__(self)
    self.case_sensitive, self.weight = case_sensitive, self.check("weight", weight)
EM = type("EM", (CER,), {"name": "EM", "options": (case, weight), "__init__": __init__})
sys.modules["bleucli.metrics.em"] = types.SimpleNamespace(EM=EM)
metrics._CLASSES["em"], metrics._NAMES["EM"] = "EM", "em"
from bleucli.web.models import parameters, read_query
from bleucli.web.calculator import make_page
print(read_query([("metric", "em"), ("weight", "2"), ("case_sensitive", "true")]).make_metric())
for query in ([("metric", "em"), ("weight", "6")], [("metric", "em"), ("beta", "6")], [("weight", "6")]):
    try:
        read_query(query)
    except ValueError as error:
        print(error)
print(next(one["description"] for one in parameters() if one["name"] == "weight"))
print('<option value="em" data-lacks="order tokenize smoothing"' in make_page().decode())
"""
    done = subprocess.run([COMMAND[0], "-c", program], capture_output=True, encoding="utf-8")
    assert done.stdout.splitlines() == [
        "EM(case_sensitive=True, weight=2.0)",
        "weight 6.0; expected a number from 0 to 5",
        "em has no option beta; choose from case_sensitive, weight",
        "bleu has no option weight; choose from tokenize, lowercase, smooth_method, smooth_value, max_ngram_order,"
        " skip_empty_refs, normalize",
        "EM: weight (default: 1.0)",
        "True",
    ], done.stderr


@pytest.mark.parametrize("tokenizer", ["spm:/etc/passwd", "flores200", "nope"])
def test_no_tokenizer_opens_a_file_or_downloads(ask, tokenizer, monkeypatch, tmp_path):
    monkeypatch.setenv("BLEU_HOME", str(tmp_path))
    for path, body, query in (
        ("/score", WORKED, {"tokenize": tokenizer}),
        ("/page/numbers", {**FIELDS, "tokenize": tokenizer}, {}),
        ("/page/explanation", {**FIELDS, "tokenize": tokenizer}, {}),
    ):
        assert "13a" in error_of(ask(path, body, **query), 422)
    assert os.listdir(tmp_path) == []


def test_a_fault_is_reported_to_the_client_and_on_the_server(calculator, ask, monkeypatch):
    monkeypatch.setattr("bleucli.web.api.score_items", lambda *_: 1 / 0)
    assert "bleu itself failed (ZeroDivisionError)" in error_of(ask("/score", WORKED), 500)
    end = time.monotonic() + SECONDS
    while not calculator.faults and time.monotonic() < end:  # the fault is reported after the answer
        time.sleep(0.01)
    (fault,) = calculator.faults
    calculator.faults.clear()
    assert isinstance(fault, ZeroDivisionError)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"metric": "rouge"}, "metric 'rouge'; this page has bleu, chrf, chrf+, chrf++, ter, wer, cer; reload it"),
        ({"order": 5}, "order 5; this page has 1, 2, 3, 4; reload it"),
        ({"smoothing": "x"}, "smoothing 'x'; this page has exp, "),
        ({"order": True}, "expected an object with candidate, references, metric, "),
        ({"lowercase": 1}, "expected an object with candidate, references, metric, "),
        ({"candidate": 3}, "expected an object with candidate, references, metric, "),
        ({"references": ["a"]}, "expected an object with candidate, references, metric, "),
        ({"more": 1}, "expected an object with candidate, references, metric, "),
        ({"candidate": "a \ud800"}, "the fields, item 1: the hypothesis holds a lone surrogate"),
    ],
)
def test_errors_of_fields_say_what_the_page_has(ask, changed, sentence):
    for path in POSTS[1:]:
        told = error_of(ask(path, {**FIELDS, **changed}), 422)
        assert told.startswith(sentence)
        assert "reload" in told or "surrogate" in told


@given(
    st.fixed_dictionaries(
        {
            "candidate": st.text(max_size=60) | st.integers(),
            "references": st.text(max_size=60),
            "metric": st.sampled_from(["bleu", "chrf", "chrf++", "ter", "wer", "cer", ""]),
            "order": st.integers(0, 5),
            "tokenize": st.sampled_from(models.ready_tokenizers()),
            "lowercase": st.booleans(),
            "smoothing": st.sampled_from(["add-one", "none", *(f"chen-cherry-{n}" for n in range(1, 8)), "x"]),
        }
    )
)
@examples(30)
def test_any_content_of_the_fields_has_an_answer(calculator, fields):
    for path in POSTS[1:]:
        answer = calculator.client.post(path, json=fields)
        assert answer.status_code == 200, answer.text
    assert calculator.faults == []


@pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")
@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"candidate": 'it\'s "$HOME" `x` \\n %s', "references": "it is\n\n'quoted' \\t"},
        {"metric": "ter", "lowercase": False, "candidate": "The Cat"},
        {"metric": "chrf++"},
        {"metric": "wer", "candidate": ""},
        {"metric": "cer", "lowercase": False},
        {"tokenize": "char", "order": 2, "smoothing": "chen-cherry-4", "lowercase": False},
        {"candidate": "nul \0 and \x1b[31m\nnext line", "smoothing": "exp"},
    ],
)
def test_the_command_that_is_shown_prints_the_number(ask, command, changed):
    shown = ask("/page/numbers", {**FIELDS, **changed}).json()
    line = shown["command"].replace("| bleu ", '| "$@" ')
    answer = command(shell=line)
    assert (answer.status, answer.out) == (0, shown["percent"] + "\n"), answer.err


@pytest.mark.parametrize(
    ("changed", "messages"),
    [
        ({}, []),
        ({"candidate": " "}, ["Write a candidate."]),
        ({"smoothing": "none"}, ["No 4-gram matches"]),
        ({"candidate": "a cat", "smoothing": "exp"}, ["The candidate has fewer than 3 tokens", "much shorter"]),
        ({"candidate": "\u732b\u5750\u5728", "smoothing": "exp"}, ["Choose zh or char", "No word of", "much shorter"]),
        ({"candidate": "\u732b\u5750\u5728" * 9, "metric": "wer"}, ["Choose chrF", "as many edits"]),
        ({"candidate": "there is a cat on the mat"}, ["Every n-gram of the candidate matches"]),
        ({"candidate": "there is a cat on the mat", "smoothing": "chen-cherry-5"}, ["exceeds 100"]),
        ({"candidate": "there is a cat on the mat", "metric": "chrf"}, ["the best score"]),
        ({"candidate": "there is a cat on the mat", "metric": "ter"}, ["0 is the best score"]),
        ({"candidate": "x " * 9, "metric": "ter"}, ["9 edits for a reference of 7 words: TER has no upper limit."]),
        (
            {"candidate": "there is a mat", "references": "a", "metric": "cer"},
            ["a reference of 1 character: CER has no"],
        ),
        ({"candidate": "xxx", "metric": "chrf++"}, ["share no n-gram"]),
    ],
)
def test_the_page_explains_numbers_in_its_own_words(ask, changed, messages):
    found = ask("/page/numbers", {**FIELDS, **changed}).json()["messages"]
    assert len(found) == len(messages), found
    for told, expected in zip(found, messages, strict=True):
        assert expected in told
        assert not re.search(r" --?[a-z]", told)  # the page has no such options
        assert told.endswith(".")


def test_an_empty_candidate_has_empty_bars(ask):
    bars = ask("/page/numbers", {**FIELDS, "candidate": ""}).json()["bars"]
    assert [bar["shares"] for bar in bars] == [[0, 0]] * 4


def test_a_smoothing_that_needs_longer_n_grams_says_which(ask):
    fields = {**FIELDS, "smoothing": "chen-cherry-6", "order": 2}
    assert error_of(ask("/page/numbers", fields), 422) == "Smoothing chen-cherry-6 needs a maximum order of at least 3."


def test_lengths_are_whole_words_or_averages(ask):
    fields = {**FIELDS, "metric": "ter", "references": "a b c d e f\na b c"}
    assert ask("/page/numbers", fields).json()["facts"][1] == ["Reference length, on average", "4.5 words"]
    fields = {**FIELDS, "metric": "wer", "candidate": "a", "references": "a " * 12340}
    assert ask("/page/numbers", fields).json()["facts"][1] == ["Reference length", "12340 words"]
    assert ask("/page/numbers", {**FIELDS, "metric": "cer"}).json()["facts"][1] == ["Reference length", "25 characters"]


def test_characters_are_marked_where_they_were_typed(ask):
    found = ask("/page/explanation", {**FIELDS, "metric": "cer"}).json()
    assert [re.sub("<[^>]*>", "", text["html"]) for text in found["texts"]] == [
        FIELDS["candidate"],
        FIELDS["references"],
    ]
    assert found["marks"] == "Marked: characters that are aligned and equal."


def test_shifted_words_of_the_candidate_stay_where_they_were_typed(ask):
    fields = {
        **FIELDS,
        "metric": "ter",
        "candidate": "on the mat today the cat sat quietly now",
        "references": "the cat sat quietly on the mat today",
    }
    found = ask("/page/explanation", fields).json()
    ours = found["texts"][0]
    assert re.sub("<[^>]*>", "", ours["html"]).strip() == fields["candidate"]
    assert ours["label"] == "Candidate, of which 1 shift moved \u201con the mat today\u201d"
    assert re.findall(r'<mark class="[^"]*moved">(\w+)<', ours["html"]) == ["on", "the", "mat", "today"]
    assert "Dashed" in found["marks"]
    assert "Signature" not in found["explanation"]  # the page has it already


def test_long_texts_have_a_number_and_say_why_they_have_no_explanation(ask):
    fields = {**FIELDS, "candidate": "the cat " * 2000, "references": "a cat " * 2000}
    assert float(ask("/page/numbers", fields).json()["percent"]) > 0
    assert "with bleu explain" in error_of(ask("/page/explanation", fields), 422)
    words = " ".join(map(str, range(60)))
    for metric, many, unit in (("ter", 1, "word"), ("wer", 10, "word"), ("cer", 5, "character")):
        fields = {**FIELDS, "metric": metric, "candidate": f"{words} " * many, "references": f"{words} " * many}
        told = error_of(ask("/page/explanation", fields), 422)
        assert told.startswith(f"{metric.upper()} is explained {unit} by {unit}, which takes too long here for")
        assert "with bleu explain" in told


# --- who may ask


def test_other_hosts_are_refused(calculator):
    def status(host):
        return calculator.client.get("/", headers={"host": host}).status_code

    port = calculator.port
    for host in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
        assert status(f"{host}:{port}") == 200
        assert status(host) == 403  # without our port
    for host in (f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", f"localhost:{port + 1}", "0.0.0.0", ""):
        assert status(host) == 403


def test_other_origins_are_refused(calculator, ask):
    ours = f"http://127.0.0.1:{calculator.port}"
    assert ask("/score", WORKED, {"origin": ours}).status_code == 200
    strangers = (
        "null",
        "http://evil.example",
        f"https://127.0.0.1:{calculator.port}",
        f"http://localhost:{calculator.port}",
    )
    for stranger in strangers:
        sentence = error_of(ask("/score", WORKED, {"origin": stranger}), 403)
        assert ours in sentence
    assert calculator.client.get("/openapi.json", headers={"origin": "http://evil.example"}).status_code == 403


def test_no_answer_lets_other_origins_read_it(ask):
    answer = ask("/score", WORKED)
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_the_server_listens_only_on_this_machine():
    with web_server.bind(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("path", ["/", "/docs", "/score", "/nowhere", "/static/calculator.js", "/openapi.json"])
def test_every_answer_tells_browsers_to_load_nothing_from_outside_and_to_keep_nothing(calculator, path):
    headers = calculator.client.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["style-src"] == ("'self' 'unsafe-inline'" if path == "/docs" else "'self'")
    assert "http" not in headers["content-security-policy"]
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert "server" not in headers
    assert "set-cookie" not in headers


# --- too large, too many, too slow


@pytest.mark.parametrize("path", POSTS)
def test_requests_over_a_megabyte_are_refused(ask, path):
    large = json.dumps({"candidate": "a" * guard.MOST_BYTES, "references": ["b"]}).encode()
    assert "the body has more than 1,000,000 bytes" in error_of(ask(path, large), 413)


def test_requests_over_a_megabyte_without_a_length_are_refused(calculator):
    chunks = (b"[" * 1000 for _ in range(1001))
    answer = calculator.client.post("/score", content=chunks, headers={"content-type": "application/json"})
    assert error_of(answer, 413)


@pytest.mark.slow
def test_a_request_of_a_megabyte_is_served(ask):
    item = json.dumps({"candidate": "a b c " * 80_000, "references": ["a b d " * 80_000]}).encode()
    body = item + b" " * (guard.MOST_BYTES - len(item))
    assert ask("/score", body).json()["counts"][0] == 160_000


def test_a_length_that_is_too_large_is_refused_before_anything_is_read(calculator):
    head = f"POST /score HTTP/1.1\r\nHost: 127.0.0.1:{calculator.port}\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", calculator.port), timeout=20) as connection:
        connection.sendall(f"{head}Content-Length: 20000000\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")


def test_connections_that_bring_no_request_are_closed(calculator, ask, monkeypatch):
    monkeypatch.setattr(guard, "_SECONDS_TO_BEGIN", 0.2)
    with ExitStack() as opened:
        silent = [opened.enter_context(socket.create_connection(("127.0.0.1", calculator.port))) for _ in range(20)]
        for number, connection in enumerate(silent[10:]):
            connection.sendall(b"POST /score HTTP/1.1\r\nHost: x"[: 4 + number])
        for connection in silent:
            connection.settimeout(20)
            assert connection.recv(1000) in (b"", b"HTTP/1.1 400 Bad Request")
    assert ask("/score", WORKED).status_code == 200


def test_a_new_connection_takes_the_place_of_the_one_that_has_waited_longest(calculator, monkeypatch):
    monkeypatch.setattr(guard, "most_connections", lambda: 5)
    head = f"POST /score HTTP/1.1\r\nHost: 127.0.0.1:{calculator.port}\r\nContent-Type: application/json\r\n"
    body = json.dumps(WORKED)
    request = f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()
    with ExitStack() as opened:
        many = []
        for number in range(30):  # some send nothing, some stop in their headers, some in their bodies
            slow = opened.enter_context(socket.create_connection(("127.0.0.1", calculator.port), timeout=20))
            slow.sendall((request[:-9], head.encode(), b"")[number % 3])
            many.append(slow)
        last = many[-1]
        last.sendall(request)
        assert last.recv(100).startswith(b"HTTP/1.1 200 ")
        for slow in many[:24]:
            with suppress(ConnectionResetError):
                assert slow.recv(10) == b""


@needs_signals
def test_idle_connections_keep_nobody_out(start):
    """As many as there may be, in a process that may open few files."""
    resource = pytest.importorskip("resource")
    limit = (512, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    lower = partial(resource.setrlimit, resource.RLIMIT_NOFILE, limit)
    process = start("serve", "0", "-q", stdout=subprocess.PIPE, preexec_fn=lower)
    url = process.stdout.readline().decode().strip()
    port = int(url.rstrip("/").rpartition(":")[2])
    with ExitStack() as opened:
        for _ in range(400):
            opened.enter_context(socket.create_connection(("127.0.0.1", port)))
        began = time.perf_counter()
        for _ in range(5):
            with urllib.request.urlopen(url, timeout=SECONDS) as answer:
                assert answer.status == 200
        assert time.perf_counter() - began < guard._SECONDS_TO_BEGIN / 2


def test_nothing_is_done_for_a_client_that_has_left():
    class Gone:
        async def is_disconnected(self):
            return True

    async def ask_for_it():
        return await api._Pool(1, "test").answer(Gone(), lambda: pytest.fail("the work was done"))

    assert asyncio.run(ask_for_it()).status_code == 499


def test_alignment_of_longer_texts_counts_as_long_work():
    async def choose():
        work = api._Work()
        return [work.choose(b" " * size, metric) is work.short for size in (900, 9_000) for metric in ("bleu", "ter")]

    assert asyncio.run(choose()) == [True, True, True, False]


def test_requests_that_would_delay_others_are_refused(ask, monkeypatch):
    monkeypatch.setattr(api, "_MOST_NUMBERS", 1000)
    many = [{"mt": "", "ref": ""}] * 60
    assert ask("/score", many[:38], sentence_level="true").status_code == 200
    told = error_of(ask("/score", many, sentence_level="true"), 422)
    assert told.startswith("there are 60 items, but one request scores at most 38 one by one;")


def test_empty_texts_count_too(ask):
    told = error_of(ask("/score", [{"mt": "", "refs": [""] * 100}] * 300, metric="ter"), 422)
    assert told.startswith("the texts have 30300 words, but TER takes at most ")


@pytest.mark.parametrize("metric", METRICS)
def test_references_count_even_if_they_are_empty(ask, metric):
    began = time.process_time()  # of all threads, the server's too
    many = [{"mt": "a", "refs": "a"}, {"mt": "a b c d", "refs": [""] * 200_000}]
    told = error_of(ask("/score", many, metric=metric), 422)
    assert told.startswith("body, item 2 has 200000 references, but one request takes at most 1000 of one item; send")
    # A few items with many references make a table with many places, most of them empty
    uneven = ([{"mt": "a", "refs": [""] * 1000}] + [{"mt": "a", "refs": [""]}] * 50) * 100
    told = error_of(ask("/score", uneven, metric=metric), 422)
    assert told.startswith("there are 5100 items, some with 1000 references, but one request takes at most 249 such")
    assert time.process_time() - began < 2
    if metric != "ter":  # its words are counted, too
        assert ask("/score", [{"mt": "a", "refs": ["", *["a"] * 999]}] * 2, metric=metric).status_code == 200


def test_the_page_refuses_too_many_references_too(ask):
    fields = {**FIELDS, "references": "a\n" * 1001}
    told = error_of(ask("/page/numbers", fields), 422)
    assert told.startswith("the fields, item 1 has 1001 references")


def test_warnings_and_advice_name_parameters_of_the_endpoint(ask):
    hints = ask("/score", {"mt": "a b", "ref": "a b"}).json()["warnings"]
    assert any("(sentence_level=true)" in hint for hint in hints)
    told = error_of(ask("/score", WORKED, tokenize="13A"), 422)
    assert told.startswith("tokenize '13A'; choose one of ")
    assert "spm:PATH" not in told


def test_fifty_requests_at_once_are_served(ask):
    with ThreadPoolExecutor(50) as pool:
        together = threading.Barrier(50)

        def one(number):
            together.wait()
            return ask("/score", {"candidate": f"a b c d {number}", "references": ["a b c d 7"]})

        found = list(pool.map(one, range(50)))
    assert [answer.status_code for answer in found] == [200] * 50
    assert [round(answer.json()["score"]) == 100 for answer in found] == [number == 7 for number in range(50)]


def test_answers_are_sent_at_once(ask):
    """Nagle's algorithm would delay them by 40 ms."""
    times = []
    for _ in range(10):
        start = time.perf_counter()
        assert ask("/score", WORKED).status_code == 200
        times.append(time.perf_counter() - start)
    assert min(times) < 0.035


def test_slow_clients_do_not_delay_others(calculator, ask):
    sockets = [socket.create_connection(("127.0.0.1", calculator.port)) for _ in range(60)]
    head = f"POST /score HTTP/1.1\r\nHost: 127.0.0.1:{calculator.port}\r\nContent-Type: application/json\r\n"
    for number, slow in enumerate(sockets):  # some stop in their headers, some in their bodies, some send nothing
        slow.sendall((head + "Content-Length: 900\r\n\r\n{", head, "")[number % 3].encode())
    try:
        start = time.perf_counter()
        for _ in range(5):
            assert ask("/score", WORKED).status_code == 200
        assert time.perf_counter() - start < 5
    finally:
        for slow in sockets:
            slow.close()


def test_a_body_that_never_comes_is_given_up(calculator, monkeypatch):
    monkeypatch.setattr(guard, "_SECONDS_FOR_BODY", 0.2)
    head = f"POST /score HTTP/1.1\r\nHost: 127.0.0.1:{calculator.port}\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", calculator.port), timeout=SECONDS) as slow:
        slow.sendall(f"{head}Content-Length: 9\r\n\r\n[".encode())
        assert b" 408 " in slow.recv(1 << 16).partition(b"\r\n")[0]


@pytest.mark.slow
def test_long_texts_do_not_delay_others(ask):
    """TER takes longest; at the limit it takes about a second, on a thread for long work."""
    most = page._MOST_WORDS[kernels.live] // 2
    words = [f"{number * 7919 % 97}" for number in range(most)]
    body = {"candidate": " ".join(words), "references": [" ".join(words[most // 2 :] + words[: most // 2])]}
    with ThreadPoolExecutor(4) as pool:
        long = [pool.submit(ask, "/score", body, metric="ter") for _ in range(4)]
        slowest = 0.0
        while not all(one.done() for one in long):
            start = time.perf_counter()
            assert ask("/score", WORKED).status_code == 200
            slowest = max(slowest, time.perf_counter() - start)
        assert [one.result().status_code for one in long] == [200] * 4
    assert slowest < 2
    too_long = {"candidate": "a " * (2 * most + 1), "references": ["b"]}
    assert "TER takes at most" in error_of(ask("/score", too_long, metric="ter"), 422)


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ({"max_ngram_order": "1000"}, "BLEU up to order 1000 takes at most"),
        ({"metric": "chrf++", "char_order": "998"}, "chrF up to order 1000 takes at most"),
        ({"metric": "cer"}, "the texts are too long for CER"),
        ({"metric": "wer"}, "the texts are too long for WER"),
    ],
)
def test_requests_that_would_take_long_are_refused(ask, monkeypatch, query, part):
    monkeypatch.setitem(page._MOST_CELLS_TO_SCORE, kernels.live, 5_000 * 5_000)
    body = [{"candidate": "a " * 2_600, "references": ["b " * 2_600]}]
    assert part in error_of(ask("/score", body, **query), 422)
    body = [{"candidate": "a " * 20, "references": ["b " * 20]}]
    assert ask("/score", body, **query).status_code == 200


# --- the page of the API


def test_the_page_of_the_api_describes_all_parameters(calculator):
    described = calculator.client.get("/openapi.json").json()
    assert list(described["paths"]) == ["/score"]
    operation = described["paths"]["/score"]["post"]
    names = {parameter["name"] for parameter in operation["parameters"]}
    options = {option.name for name in METRICS for option in METRICS[name].options}
    assert names == options - set(models.LEFT_OUT) | {"metric", "sentence_level"}
    # "Options are those of the Python API" was all that was said, but some are refused
    with open(os.path.join(ROOT, "docs", "reports.md"), encoding="utf-8") as file:
        documentation = file.read().partition("Options are those of the Python API, except ")[2].partition("Numbers")[0]
    about = described["info"]["description"].partition("except ")[2]
    for text in (documentation, about):
        assert all(name in text.partition(". ")[0].replace("\n", " ") for name in models.LEFT_OUT)
    assert operation["responses"].keys() == {"200", *map(str, (400, 403, 408, 413, 415, 422))}


def test_the_page_of_the_api_names_nothing_outside(calculator):
    page = calculator.client.get("/docs").text
    assert "://" not in page
    for path in ("/static/swagger-ui-bundle.js", "/static/swagger-ui.css", "/static/docs.js"):
        assert calculator.client.get(path).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_no_request_that_the_api_describes_or_forbids_makes_it_fail(calculator, mode):
    """Fuzzed with requests that its description allows or forbids; the answers must be as described."""
    import schemathesis
    from hypothesis import HealthCheck, settings
    from schemathesis.checks import CHECKS

    api = schemathesis.openapi.from_url(f"{calculator.url}/openapi.json")
    (operation,) = (found.ok() for found in api.get_all_operations())
    # Options that cannot be combined, and texts such as references that are all missing, are refused with 422, which no
    # schema can express
    checks = [check for check in CHECKS.get_all() if check.__name__ != "positive_data_acceptance"]
    statuses = set()

    @given(operation.as_strategy(schemathesis.GenerationMode(mode)))
    @settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    def fuzz(case):
        statuses.add(case.call_and_validate(checks=checks).status_code)

    fuzz()
    assert 422 in statuses
    assert (200 in statuses) == (mode == "positive")
    assert statuses <= {200, 405, 415, 422}


# --- the command


def test_the_address_is_printed_and_control_c_is_quiet(start):
    process = start("serve", "0", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    address = process.stdout.readline().decode().strip()
    assert address.startswith("http://127.0.0.1:")
    assert httpx.post(f"{address}score", json=WORKED).status_code == 200
    if hasattr(signal, "SIGKILL"):
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=SECONDS) == 130
        assert process.stderr.read() == b""


@pytest.mark.slow
@needs_signals
def test_control_c_ends_the_server_while_it_works(start):
    process = start("serve", "0", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    address = process.stdout.readline().decode().strip()
    port = int(address.rstrip("/").rpartition(":")[2])
    words = " ".join(str(number * 7919 % 97) for number in range(page._MOST_WORDS[kernels.live] // 2))
    body = json.dumps({"candidate": words, "references": [words[::-1]]}).encode()
    with socket.create_connection(("127.0.0.1", port)) as busy:
        head = f"POST /score?metric=ter HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        busy.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=SECONDS) == 130
    assert process.stderr.read() == b""


def test_a_port_in_use_is_named(run):
    with web_server.bind(0) as listener:
        port = listener.getsockname()[1]
        refused(run("serve", str(port)), f"port {port} of 127.0.0.1 is in use", "bleu serve PORT")


@pytest.mark.parametrize("port", ["ref.txt", "65536", "-1", "8_0", ""])
def test_what_is_not_a_port_is_refused(run, port):
    refused(run("serve", port), f"PORT {port!r}; expected a port")


@pytest.mark.parametrize("words", [("-f", "csv"), ("-m", "chrf"), ("-lc",), ("--names", "a")])
def test_what_the_calculator_does_not_take_is_refused(run, words):
    refused(run("serve", "0", *words), f"has no option {words[0]}; see bleu serve --help all")


@pytest.mark.parametrize("module", ["fastapi", "uvicorn", "fastapi_offline"])
def test_without_the_extra_the_error_says_what_to_type(run, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    refused(run("serve", "0"), "pip install 'bleucli[web]'")


def test_tests_of_pages_are_skipped_without_a_browser_unless_one_is_demanded(monkeypatch):
    monkeypatch.setattr("browser.shutil.which", lambda _: None)
    monkeypatch.delenv("BLEU_TEST_CHROMIUM", raising=False)
    monkeypatch.delenv("BLEU_TEST_BROWSER", raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt install chromium"):
        browser.find_chromium()
    monkeypatch.setenv("BLEU_TEST_BROWSER", "1")
    with pytest.raises(pytest.fail.Exception, match="demands it"):
        browser.find_chromium()


def test_the_server_is_imported_only_when_it_is_asked_for(write):
    write("ref.txt", "a b c d\n")
    program = (
        "import sys; sys.argv[1:] = ['ref.txt', '-i', 'ref.txt', '-b']\nfrom bleucli.__main__ import main\nmain()\n"
    )
    program += "print([name for name in sys.modules if name.partition('.')[0] in ('fastapi', 'uvicorn', 'asyncio')])"
    done = subprocess.run([COMMAND[0], "-c", program], capture_output=True, encoding="utf-8")
    assert done.stdout == "100.0\n[]\n", done.stderr
