"""Downloads: once, whole and verified, or not at all, whatever the server, the disk or the user does in between."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import warnings

import pytest
import requests
from conftest import SECONDS, needs_pipes, needs_signals, raised
from raw_files import beside, content, put
from strategies import every
from web_server import Page, serving

from bleucli import testsets
from bleucli.errors import BleuError
from bleucli.optional_deps import load
from bleucli.testsets import Source, cache, network
from bleucli.testsets import fetch as fetching

CONTENT = random.Random(1).randbytes(200_000)
SHA256 = ("sha256", hashlib.sha256(CONTENT).hexdigest())
DRAFT = re.compile(r"\.[0-9a-f]{16}\.new$")
FETCH = """
import sys
from bleucli.testsets import fetch, network
from bleucli.testsets import Source
network.CHUNK_BYTES = 2048
fetch.SECONDS_BEFORE_BAR = 0
fetch.PAUSES = (0.01,)
fetch.fetch(Source(sys.argv[1]), sys.argv[2], name="acme/news")
"""


@pytest.fixture(autouse=True)
def impatient(calm, monkeypatch):
    """Pause briefly, but often; read in small pieces."""
    monkeypatch.setattr(fetching, "PAUSES", (0.01, 0.02, 0.03, 0.04))
    monkeypatch.setattr(network, "CHUNK_BYTES", 4096)


def fetch(url, target, checksum=None):
    fetching.fetch(Source(url, **dict([checksum] if checksum else [])), target, name="acme/news")


def refused(url, target, *parts, checksum=None):
    """Check that a download fails with one line that holds all parts, and return it."""
    return raised(parts, fetch, url, target, checksum)


def only(target):
    """Return whether a download is the only file in its folder."""
    return beside(target) == [os.path.basename(target)]


def start(url, target, script=FETCH, **options):
    variables = {"PYTHONPATH": os.path.dirname(os.path.dirname(os.path.dirname(fetching.__file__)))}
    variables |= {"PATH": os.environ.get("PATH", ""), "HOME": os.path.dirname(os.path.dirname(target))}
    return subprocess.Popen([sys.executable, "-c", script, url, target], env=variables, **options)


# --- the cache directory


@pytest.mark.parametrize(
    ("variables", "there", "platform", "expected"),
    [
        ({"BLEU_HOME": "/b", "SACREBLEU": "/s"}, ["/h/.sacrebleu"], "linux", ["/b"]),
        ({"BLEU_HOME": "", "SACREBLEU": "/s"}, ["/h/.sacrebleu"], "linux", ["/s"]),
        # no shell has expanded these
        ({"BLEU_HOME": "~/b"}, [], "linux", ["/h/b"]),
        ({"BLEU_HOME": "~"}, [], "linux", ["/h"]),
        ({"BLEU_HOME": "b/~"}, [], "linux", ["b/~"]),
        ({"SACREBLEU": "~/s"}, [], "linux", ["~/s"]),
        ({"XDG_CACHE_HOME": "/x"}, ["/h/.sacrebleu"], "linux", ["/h/.sacrebleu"]),
        ({"XDG_CACHE_HOME": "/x"}, ["/h/.sacrebleu", "/x/bleu"], "linux", ["/x/bleu", "/h/.sacrebleu"]),
        ({"XDG_CACHE_HOME": "/x"}, ["/h/.sacrebleu", "/h/.cache/bleu"], "linux", ["/h/.sacrebleu"]),
        ({"XDG_CACHE_HOME": "/x"}, [], "linux", ["/x/bleu"]),
        ({"XDG_CACHE_HOME": "relative"}, [], "linux", ["/h/.cache/bleu"]),
        ({}, [], "freebsd14", ["/h/.cache/bleu"]),
        ({"XDG_CACHE_HOME": "/x"}, [], "darwin", ["/h/Library/Caches/bleu"]),
        ({"LOCALAPPDATA": "/local", "XDG_CACHE_HOME": "/x"}, [], "win32", ["/local/bleu"]),
        ({}, [], "win32", ["/h/AppData/Local/bleu"]),
    ],
)
def test_the_cache_is_the_folder_that_is_named_or_the_one_that_exists(variables, there, platform, expected):
    def exists(folder):
        return folder.replace("\\", "/") in there

    folders = cache.choose_directories(variables, "/h", platform, exists)
    assert [folder.replace("\\", "/") for folder in folders] == expected


@pytest.mark.parametrize(("value", "expected"), [("", False), ("0", False), ("1", True), ("yes", True)])
def test_offline_is_any_value_except_0_and_empty(value, expected, monkeypatch):
    monkeypatch.setenv("BLEU_OFFLINE", value)
    assert cache.offline() is expected


# --- what is there, and where it comes from


def test_a_download_is_complete_and_leaves_nothing_else(web, target):
    fetch(web.put("/data/news.tgz", Page(CONTENT)), target, SHA256)
    assert content(target) == CONTENT
    assert only(target)


@pytest.mark.parametrize("checksum", [SHA256, None])
def test_a_file_that_is_there_is_not_requested(checksum, web, target):
    put(target, CONTENT)
    fetch(web.put("/news.tgz", Page(b"another")), target, checksum)
    assert content(target) == CONTENT
    assert web.requests == []


def test_a_file_that_is_there_but_wrong_is_replaced(web, target):
    put(target, CONTENT[:1000])  # as an interrupted download of another program leaves it
    fetch(web.put("/news.tgz", Page(CONTENT)), target, SHA256)
    assert content(target) == CONTENT
    assert only(target)


def test_a_file_that_is_there_but_wrong_stays_until_the_right_one_is_found(web, target):
    put(target, b"half")
    found = hashlib.sha256(b"half").hexdigest()
    refused(
        web.put("/news.tgz", Page(b"", 404)), target, "answered 404", f"which has the sha256 {found}", checksum=SHA256
    )
    assert content(target) == b"half"
    assert only(target)


def test_a_model_goes_into_the_cache_under_the_last_part_of_its_address(web, tmp_path, monkeypatch):
    monkeypatch.setenv("BLEU_HOME", str(tmp_path / "cache"))
    path = fetching.fetch_model(web.put("/a/tiny.model?raw=1", Page(CONTENT)), name="tiny")
    assert path == str(tmp_path / "cache" / "models" / "tiny.model")
    assert content(path) == CONTENT


@pytest.mark.parametrize("form", ["{}", "file://{}", "FILE://{}"])
def test_paths_and_file_addresses_are_copied(form, tmp_path, target):
    source = tmp_path / "news.tgz"
    source.write_bytes(CONTENT)
    fetch(form.format(source), target, SHA256)
    assert content(target) == CONTENT
    assert only(target)


def test_a_file_address_may_be_quoted(tmp_path, target):
    source = tmp_path / "my news.tgz"
    source.write_bytes(CONTENT)
    fetch(source.as_uri(), target)
    assert content(target) == CONTENT


def test_a_path_that_cannot_be_read_is_named(tmp_path, target):
    refused(str(tmp_path / "none.tgz"), target, "acme/news", "none.tgz cannot be read (No such file or directory)")
    refused(str(tmp_path), target, f"{tmp_path} cannot be read (Is a directory)")
    assert beside(target) == []


@pytest.mark.parametrize("address", ["ftp://127.0.0.1/a.tgz", "s3://bucket/a.tgz"])
def test_other_kinds_of_addresses_are_refused(address, target):
    refused(address, target, address, "expected an https:, http: or file: address, or a path")


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("", "control characters"),
        ("data/a\0b.tgz", "control characters"),
        ("http://127.0.0.1/a\nb", "control characters"),
        ("http://", "the name of a server"),
        ("https:///a.tgz", "the name of a server"),
        ("http://[/a.tgz", "the name of a server"),
        ("http://127.0.0.1:x/a.tgz", "the name of a server"),
        ("file://other.example/a.tgz", "a file: address without a host"),
        ("file://[/a.tgz", "a file: address without a host"),
    ],
)
def test_impossible_addresses_are_refused(address, problem, target):
    refused(address, target, f"cannot be downloaded from {address!r}: expected", problem)


@needs_pipes
def test_pipes_and_devices_are_refused(target, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), os.devnull):
        refused(path, target, f"{path} is a device or a pipe, not a file")
    assert beside(target) == []


@pytest.mark.parametrize("digits", ["0" * 32, "0" * 63, "0" * 63 + "g", " " * 64])
def test_an_invalid_checksum_is_refused_before_any_request(digits, web, target):
    url = web.put("/a", Page())
    refused(url, target, repr(digits), "expected 64 hexadecimal digits", checksum=("sha256", digits))
    assert web.requests == []


def test_a_compressed_file_is_kept_as_it_was_sent(web, target):
    page = Page(b"\x1f\x8b and so on", headers={"Content-Encoding": "gzip", "Content-Type": "text/plain"})
    fetch(web.put("/news.tgz", page), target)
    assert content(target) == page.content


def test_a_body_without_length_ends_with_the_connection(web, target):
    fetch(web.put("/news.tgz", Page(CONTENT, length=-1)), target, SHA256)
    assert content(target) == CONTENT


def test_a_body_that_ends_with_the_connection_needs_a_checksum(web, target):
    url = web.put("/news.tgz", Page(CONTENT, length=-1))
    refused(
        url, target, f"{url} does not say how long the file is, and there is no checksum to show that it is complete"
    )
    assert beside(target) == []
    assert len(web.requests) == 1


@pytest.mark.parametrize("checksum", [SHA256, None])
def test_a_body_in_chunks_has_an_end_of_its_own(checksum, web, target):
    broken = Page(CONTENT, chunked=True, piece=9000, cut=100_000)
    fetch(web.put("/news.tgz", broken, Page(CONTENT, chunked=True, piece=9000)), target, checksum)
    assert content(target) == CONTENT
    assert len(web.requests) == 2


def test_an_empty_file_is_a_file(web, target):
    fetch(web.put("/empty", Page(b"")), target)
    assert content(target) == b""


def test_the_proxy_of_the_environment_is_used(web, target, monkeypatch):
    monkeypatch.setenv("http_proxy", web.url)
    web.put("http://data.invalid/news.tgz", Page(CONTENT))
    fetch("http://data.invalid/news.tgz", target, SHA256)
    assert content(target) == CONTENT


def test_a_redirection_is_followed(web, target):
    url = web.put("/short", Page(status=302, headers={"Location": "/long/news.tgz"}))
    web.put("/long/news.tgz", Page(CONTENT))
    fetch(url, target, SHA256)
    assert content(target) == CONTENT


# --- checksums


@pytest.mark.parametrize("kind", ["sha256", "md5"])
def test_a_checksum_may_be_written_in_capitals(kind, web, target):
    digest = hashlib.new(kind, CONTENT).hexdigest().upper()
    fetch(web.put("/news.tgz", Page(CONTENT)), target, (kind, digest))
    assert content(target) == CONTENT


@pytest.mark.parametrize("kind", ["sha256", "md5"])
def test_a_wrong_checksum_is_an_error_with_both_sums_the_address_and_what_to_do(kind, web, target):
    url = web.put("/news.tgz", Page(b"<html>please log in</html>"))
    found, wanted = (hashlib.new(kind, data).hexdigest() for data in (b"<html>please log in</html>", CONTENT))
    refused(url, target, kind, found, wanted, url, "try again", f"put the file at {target}", checksum=(kind, wanted))
    assert beside(target) == []
    assert len(web.requests) == 1


# --- what goes wrong on the way


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_missing_file_is_requested_only_once(status, web, target):
    url = web.put("/news.tgz", Page(b"no", status))
    refused(url, target, f"cannot download acme/news: {url} answered {status} ", f"put the file at {target}")
    assert len(web.requests) == 1
    assert beside(target) == []


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 599])
def test_a_busy_server_gets_another_request(status, web, target):
    busy = Page(b"later", status)
    fetch(web.put("/news.tgz", busy, busy, Page(CONTENT)), target, SHA256)
    assert content(target) == CONTENT
    assert len(web.requests) == 3


def test_the_pauses_between_attempts_grow_and_end(web, target, monkeypatch):
    slept = []
    monkeypatch.setattr(fetching.time, "sleep", slept.append)
    refused(web.put("/news.tgz", Page(b"later", 503)), target, "answered 503 Service Unavailable")
    assert slept == [0.01, 0.02, 0.03, 0.04]
    assert len(web.requests) == 5
    assert beside(target) == []


def test_the_real_pauses_grow():
    pauses = fetching.__dict__["PAUSES"]
    assert sorted(set(pauses)) == list(pauses)


def test_endless_redirections_are_an_error_at_once(web, target):
    url = web.put("/loop", Page(status=302, headers={"Location": "/loop"}))
    refused(url, target, f"{url} redirects more than 10 times")
    assert len(web.requests) == 11


def test_a_redirection_to_a_file_of_this_machine_is_refused(web, target, tmp_path):
    (tmp_path / "secret").write_bytes(b"secret")
    url = web.put("/news.tgz", Page(status=302, headers={"Location": (tmp_path / "secret").as_uri()}))
    refused(url, target, f"{url} redirects to something other than an https: or http: address")
    assert beside(target) == []


def test_a_server_that_does_not_answer_is_given_up(web, target, monkeypatch):
    monkeypatch.setattr(network, "SECONDS_OF_SILENCE", 0.05)
    url = web.put("/news.tgz", Page(CONTENT, stall=-1))
    refused(url, target, f"{url} did not answer in time")
    assert web.wait_for(5) == 5


def test_a_server_that_falls_silent_is_asked_again(web, target, monkeypatch):
    monkeypatch.setattr(network, "SECONDS_OF_SILENCE", 1)
    fetch(web.put("/news.tgz", Page(CONTENT, stall=90_000), Page(CONTENT)), target)
    assert content(target) == CONTENT
    assert len(web.requests) == 2


def test_a_server_that_stays_silent_is_given_up(web, target, monkeypatch):
    monkeypatch.setattr(network, "SECONDS_OF_SILENCE", 0.5)
    refused(web.put("/news.tgz", Page(CONTENT, stall=10_000)), target, "was silent for 0.5 seconds")
    assert beside(target) == []


def test_an_address_where_no_server_listens_is_an_error_that_says_so(target):
    with serving() as gone:
        url = f"{gone.url}/news.tgz"
    refused(url, target, f"{url} cannot be reached (Connection refused)")
    assert beside(target) == []


def test_a_certificate_that_cannot_be_trusted_is_an_error_at_once(target, monkeypatch):
    asked = []

    def get(session, address, **_):
        asked.append(address)
        raise requests.exceptions.SSLError("certificate has expired")

    monkeypatch.setattr(requests.Session, "get", get)
    refused("https://127.0.0.1/news.tgz", target, "cannot be trusted (certificate has expired)")
    assert len(asked) == 1


def test_a_password_in_an_address_is_not_shown(web, target):
    url = web.put("/news.tgz", Page(CONTENT, 404)).replace("http://", "http://ada:secret@")
    assert "secret" not in refused(url, target, "http://127.0.0.1")


@pytest.mark.parametrize("length", [len(CONTENT) + 1, 10 * len(CONTENT)])
def test_a_body_shorter_than_announced_is_not_whole(length, web, target):
    refused(web.put("/news.tgz", Page(CONTENT, length=length)), target, "news.tgz broke off")
    assert beside(target) == []
    assert len(web.requests) == 5


# --- parts


@pytest.mark.parametrize(
    "page",
    [
        Page(b"", 416),
        Page(CONTENT[7:], 206, headers={"Content-Range": f"bytes 7-{len(CONTENT) - 1}/{len(CONTENT)}"}),
        Page(CONTENT, 206),
    ],
    ids=["416", "another range", "no range"],
)
def test_a_part_was_not_requested_and_is_refused(page, web, target):
    url = web.put("/news.tgz", page)
    refused(url, target, f"{url} answered {page.status} ", checksum=SHA256)
    assert "Range" not in web.requests[0].headers
    assert len(web.requests) == 1
    assert beside(target) == []


def test_a_cut_connection_starts_again(web, target):
    first = Page(CONTENT[::-1], cut=100_000)
    fetch(web.put("/news.tgz", first, Page(CONTENT)), target)
    assert content(target) == CONTENT
    assert "Range" not in web.requests[1].headers
    assert only(target)


def test_a_download_that_failed_leaves_nothing_and_starts_again(web, target):
    url = web.put("/news.tgz", Page(CONTENT[::-1], cut=100_000), Page(b"", 503))
    refused(url, target, "answered 503")
    assert beside(target) == []
    web.put("/news.tgz", Page(CONTENT))
    fetch(url, target, SHA256)
    assert content(target) == CONTENT
    assert only(target)


def test_what_killed_downloads_left_is_deleted(web, target):
    put(f"{target}.{'0' * 16}.new", b"half")
    fetch(web.put("/news.tgz", Page(CONTENT)), target)
    assert content(target) == CONTENT
    assert only(target)


# --- what never ends, and what makes no sense


@pytest.fixture
def hasty(monkeypatch):
    """Expect 60,000 bytes every half second."""
    monkeypatch.setattr(network, "SECONDS_OF_PACE", 0.5)


CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
SLOWLY = "sent less than 60000 bytes in 0.5 seconds"


@pytest.mark.parametrize("checksum", [SHA256, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "page",
    every(
        3,
        [
            Page(CONTENT, piece=1, pause=0.01),
            Page(CONTENT, piece=1, pause=0.01, chunked=True),
            Page(CONTENT, piece=1, pause=0.01, length=-1),
            Page(dripping=True),
            Page(raw=CHUNKS + b"5;", dripping=True),
            Page(raw=CHUNKS + b"9999\r\n", dripping=True),
        ],
    ),
    ids=["body", "chunks", "body without an end", "header", "size of a chunk", "chunk"],
)
def test_a_server_that_drips_is_given_up(page, checksum, web, target, hasty, monkeypatch):
    monkeypatch.setattr(fetching, "PAUSES", (0.01,))
    if checksum is None and page.length == -1:
        pytest.skip("a body without length and checksum is refused at once")
    refused(web.put("/news.tgz", page), target, SLOWLY, checksum=checksum)
    assert len(web.requests) == 2
    assert beside(target) == []


@pytest.mark.slow
def test_a_server_that_drips_through_a_proxy_is_given_up(web, target, hasty, monkeypatch):
    monkeypatch.setattr(fetching, "PAUSES", ())
    monkeypatch.setenv("http_proxy", web.url)
    web.put("http://data.invalid/news.tgz", Page(dripping=True))
    refused("http://data.invalid/news.tgz", target, SLOWLY)
    monkeypatch.setenv("https_proxy", web.url)
    web.put("data.invalid:443", Page(dripping=True))
    refused("https://data.invalid/news.tgz", target, SLOWLY)


@pytest.mark.slow
def test_a_server_that_is_slow_but_fast_enough_is_waited_for(web, target, hasty, monkeypatch):
    monkeypatch.setattr(network, "LEAST_BYTES", 10_000)
    fetch(web.put("/news.tgz", Page(CONTENT, piece=2000, pause=0.01)), target)
    assert content(target) == CONTENT
    assert len(web.requests) == 1


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (Page(CONTENT), f"announces {len(CONTENT)} bytes, more than any test set has"),
        (Page(CONTENT, chunked=True), "sends more than 150000 bytes, which is more than any test set has"),
        (Page(CONTENT, length=-1), "sends more than 150000 bytes, which is more than any test set has"),
    ],
    ids=["announced", "chunks", "no end"],
)
def test_a_download_has_a_size_limit(page, reason, web, target, monkeypatch):
    monkeypatch.setattr(testsets, "MOST_BYTES", 150_000)
    page.headers["ETag"] = '"v1"'
    refused(web.put("/news.tgz", page), target, reason, checksum=SHA256)
    assert len(web.requests) == 1
    assert beside(target) == []


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "raw",
    [
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nabc\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
        HEAD + b"Transfer-Encoding: chunked:\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 17 + b"\r\nabc",
        HEAD + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nabc",
        HEAD + b"Content-Length: -5\r\n\r\nabc",
        HEAD + "Content-Length: ٣\r\n\r\nabc".encode(),
        HEAD + b"X: " + b"y" * 70_000 + b"\r\n\r\nabc",
        b"HTTP/1.1 abc OK\r\n\r\nabc",
        b"\0\xff" * 1000,
        b"x" * 60_000,
        b"HTTP/1.1 200 OK\r\n" + b"x" * 60_000,
        HEAD + b"Transfer-Encoding: " + b"x" * 60_000 + b"\r\n\r\nabc",
        b"HTTP/1.1 302 Found\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: \xff\xfe\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:99999/x\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: //\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://" + b"a" * 300 + b"/x\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/" + b"a" * 60_000 + b"\r\nContent-Length: 0\r\n\r\n",
    ],
    ids=[
        *(
            "negative chunk",
            "no chunk",
            "unknown coding",
            "huge chunk",
            "huge length",
            "negative length",
            "other digits",
            "long header",
        ),
        *("no status", "noise", "long noise", "long line", "long coding"),
        *("no address", "no text", "no port", "no server", "long server", "long address"),
    ],
)
def test_an_answer_that_makes_no_sense_gives_one_line(raw, web, target, monkeypatch):
    monkeypatch.setattr(fetching, "PAUSES", ())
    url = web.put("/news.tgz", Page(raw=raw))
    line = refused(url, target, f"{web.url}/news.tgz ")
    assert len(line) < len(url) + len(target) + 500
    assert beside(target) == []


# --- where a redirection may lead, and what it may take along


def test_a_redirection_from_https_to_http_is_refused_unless_it_is_allowed():
    secure, other = "https://a.example/x", "http://u:secret@b.example/y"
    with pytest.raises(network.Failed, match=r"redirects from https: to http://b\.example/y, where anyone"):
        network._resolve(secure, other)
    with cache.use(None, http=True):
        assert network._resolve(secure, other) == "http://b.example/y"
    with pytest.raises(network.Failed) as caught:
        network._resolve(secure, f"http://b.example/{'y' * 60_000}")
    assert len(str(caught.value)) < 500
    assert network._resolve("http://a.example/x", other) == "http://b.example/y"
    assert network._resolve(secure, "//b.example/y") == "https://b.example/y"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("https://a.example/x", "https://a.example/y", True),
        ("https://a.example/x", "https://A.example:443/y", True),
        ("http://a.example/x", "https://a.example/y", True),
        ("http://a.example:8080/x", "https://a.example/y", False),
        ("https://a.example/x", "http://a.example/y", False),
        ("https://a.example/x", "https://a.example:8443/y", False),
        ("https://a.example/x", "https://b.example/y", False),
        ("https://a.example/x", "https://a.example.b.example/y", False),
        ("https://a.example/x", "https://a.example@b.example/y", False),
    ],
)
def test_credentials_are_for_the_server_that_was_named(first, second, expected):
    auth = network._credentials(requests.Session(), first.replace("//", "//ada:secret@"), second)
    assert (auth == ("ada", "secret")) is expected


@pytest.mark.parametrize("is_netrc", [False, True])
def test_credentials_are_not_sent_to_another_server(is_netrc, web, target, tmp_path, monkeypatch):
    with serving() as other:
        url = web.put("/a", Page(status=302, headers={"Location": "/b"}))
        web.put("/b", Page(status=302, headers={"Location": other.put("/c", Page(status=302, headers={}))}))
        other.put("/c", Page(status=302, headers={"Location": f"{web.url.replace('//', '//eve:other@')}/d"}))
        web.put("/d", Page(CONTENT))
        if is_netrc:
            (tmp_path / "netrc").write_text("machine 127.0.0.1 login ada password secret\n")
            (tmp_path / "netrc").chmod(0o600)
            monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
        else:
            url = url.replace("//", "//ada:secret@")
        fetch(url, target)
        assert content(target) == CONTENT
        ours = "Basic YWRhOnNlY3JldA=="
        assert [request.headers.get("Authorization") for request in web.requests] == [ours] * 3
        assert [request.headers.get("Authorization") for request in other.requests] == [None]


@pytest.fixture
def secure(tmp_path, monkeypatch):
    """Serve https with a certificate of our own."""
    openssl = shutil.which("openssl") or pytest.skip("there is no openssl to make a certificate")
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    words += ["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate]
    subprocess.run([openssl, *words], check=True, capture_output=True, timeout=SECONDS)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", certificate)
    with serving(context) as server:
        yield server


def test_https_does_not_fall_back_to_http(secure, web, target, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("default login ada password secret\n")
    (tmp_path / "netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    url = secure.put("/x", Page(status=302, headers={"Location": web.put("/x", Page(CONTENT))}))
    refused(url, target, f"redirects from https: to {web.url}/x, where anyone", "download it with bleu --allow-http")
    assert web.requests == []
    with cache.use(None, http=True):
        fetch(url, target)
    assert content(target) == CONTENT
    assert "Authorization" in secure.requests[-1].headers
    assert "Authorization" not in web.requests[0].headers


@pytest.mark.slow
def test_a_server_that_drips_over_https_is_given_up(secure, target, hasty, monkeypatch):
    monkeypatch.setattr(fetching, "PAUSES", ())
    refused(secure.put("/x", Page(CONTENT, piece=1, pause=0.01)), target, SLOWLY)
    refused(secure.put("/z", Page(dripping=True)), target, SLOWLY)
    fetch(secure.put("/y", Page(CONTENT)), target)
    assert content(target) == CONTENT


# --- servers that cannot be reached


def test_a_refused_connection_is_not_tried_again(target, monkeypatch):
    monkeypatch.setattr(fetching.time, "sleep", lambda _: pytest.fail("there is a second request"))
    with serving() as gone:
        url = f"{gone.url}/news.tgz"
    refused(url, target, f"{url} cannot be reached (Connection refused)")


def test_a_dead_mirror_costs_no_time(web, target, monkeypatch):
    monkeypatch.setattr(fetching.time, "sleep", lambda _: pytest.fail("there is a second request"))
    with serving() as gone:
        monkeypatch.setenv("BLEU_MIRROR", gone.url)
    with pytest.warns(
        UserWarning, match=r"was not downloaded from the mirror: .* cannot be reached \(Connection refused\)"
    ):
        fetch(web.put("/n.tgz", Page(CONTENT)), target, SHA256)


def test_a_server_that_cannot_be_found_is_tried_for_one_file_only(target, monkeypatch):
    asked = []
    monkeypatch.setattr(fetching, "_SILENT", {})
    monkeypatch.setattr(socket, "getaddrinfo", lambda *words, **_: asked.append(words) or fail_to_find())
    for _ in range(3):
        refused("http://data.invalid/news.tgz", target, "cannot be reached (Name or service not known)")
    assert len(asked) == 1 + len(fetching.PAUSES)
    monkeypatch.setattr(fetching, "SECONDS_OF_MEMORY", 0)
    refused("http://data.invalid/news.tgz", target, "cannot be reached")
    assert len(asked) == 2 * (1 + len(fetching.PAUSES))


def fail_to_find():
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


# --- killed, and several at once


def end_when(is_time, url, target, how=None):
    """Start a download in a process of its own, and kill it or send it a signal at the given moment."""
    end = time.monotonic() + SECONDS
    process = start(url, target, stderr=subprocess.PIPE)
    while process.poll() is None and time.monotonic() < end and not is_time():
        time.sleep(0.001)
    process.send_signal(how or signal.SIGKILL)
    process.communicate(timeout=SECONDS)


def end_when_sent(sent, web, url, target, how=None):
    """End a download, as `end_when` does, once `sent` bytes were sent to it."""
    before = len(web.requests)
    end_when(lambda: len(web.requests) > before and web.requests[-1].sent >= sent, url, target, how)


@needs_signals
@pytest.mark.parametrize("count", [4, pytest.param(10, marks=pytest.mark.slow)])
def test_a_killed_download_is_never_taken_for_whole_and_starts_again(web, target, count):
    url = web.put("/news.tgz", Page(CONTENT, piece=1000, pause=0.004))
    for sent in random.Random(7).sample(range(30_000), count):
        end_when_sent(sent, web, url, target)
        assert not os.path.exists(target) or content(target) == CONTENT
        assert {DRAFT.sub("", name) for name in beside(target)} <= {"news.tgz", "news.tgz.lock"}
    fetch(url, target)
    assert content(target) == CONTENT
    assert only(target)


@needs_signals
def test_a_download_killed_before_it_got_its_name_is_not_trusted(web, target):
    url = web.put("/news.tgz", Page(CONTENT))
    script = f"""import os
os.replace = lambda *names, **folders: os.kill(os.getpid(), 9)
{FETCH}"""
    assert start(url, target, script).wait(SECONDS) == -signal.SIGKILL
    assert [DRAFT.sub(" draft", name) for name in beside(target)] == ["news.tgz draft", "news.tgz.lock"]
    fetch(url, target)
    assert len(web.requests) == 2
    assert content(target) == CONTENT
    assert only(target)


@pytest.mark.slow
@needs_signals
def test_an_interrupted_download_leaves_nothing(web, target):
    url = web.put("/news.tgz", Page(CONTENT, piece=1000, pause=0.004))
    end_when_sent(60_000, web, url, target, signal.SIGINT)
    assert beside(target) == []
    fetch(url, target, SHA256)
    assert only(target)


def test_threads_download_once(web, target):
    url = web.put("/news.tgz", Page(CONTENT, piece=20_000, pause=0.01))
    threads = [threading.Thread(target=fetch, args=(url, target, SHA256)) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert content(target) == CONTENT
    assert len(web.requests) == 1
    assert only(target)


def test_a_waiting_download_tries_itself_when_the_other_fails(web, target):
    url = web.put("/news.tgz", Page(CONTENT, 404, piece=2000, pause=0.001), Page(CONTENT))
    errors = []

    def attempt():
        try:
            fetch(url, target)
        except BleuError as error:
            errors.append(error)

    threads = [threading.Thread(target=attempt) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 1
    assert content(target) == CONTENT
    assert only(target)


# --- the disk


class _FullDisk:
    """A file on a disk that has room for `room` bytes."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, data):
        self.room -= len(data)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.file.write(data)


def test_a_full_disk_gives_one_line_and_leaves_nothing(web, target, monkeypatch):
    create = cache.create
    monkeypatch.setattr(
        cache, "create", lambda path: create(path) if path.endswith(".lock") else _FullDisk(create(path), 50_000)
    )
    url = web.put("/news.tgz", Page(CONTENT))
    refused(url, target, f"cannot write {target}: No space left on device", "free some space", "BLEU_HOME")
    assert beside(target) == []
    assert len(web.requests) == 1


def test_a_limit_on_the_size_of_files_gives_one_line(web, target):
    pytest.importorskip("resource")
    script = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)){FETCH}"
    process = start(web.put("/news.tgz", Page(CONTENT)), target, script, stderr=subprocess.PIPE)
    assert b"BleuError: cannot write " in process.communicate(timeout=SECONDS)[1].splitlines()[-1]
    assert beside(target) == []


def test_a_folder_that_cannot_be_made_is_named(web, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    refused(web.put("/a", Page()), str(tmp_path / "file" / "a"), f"cannot write {tmp_path / 'file'}", "BLEU_HOME")
    assert web.requests == []


def test_a_folder_without_permission_is_named(web, target, monkeypatch):
    def refuse(path, *_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    monkeypatch.setattr(fetching.os, "makedirs", refuse)
    folder = os.path.dirname(target)
    refused(web.put("/a", Page()), target, f"cannot write {folder}: Permission denied", "allow writing")
    assert web.requests == []


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may write anywhere")
def test_a_folder_that_is_write_protected_is_named(web, target):
    folder = os.path.dirname(target)
    os.makedirs(folder)
    os.chmod(folder, 0o500)
    refused(web.put("/a", Page()), target, f"cannot write {target}.lock: Permission denied")


def test_a_place_that_is_a_folder_is_named(web, target):
    os.makedirs(target)
    refused(web.put("/a", Page(CONTENT)), target, target, "Is a directory")
    assert only(target)


def test_a_disk_that_cannot_lock_gives_one_line(web, target, monkeypatch):
    import portalocker

    def lock(file, flags):
        raise portalocker.LockException("No locks available")

    monkeypatch.setattr(portalocker, "lock", lock)
    refused(web.put("/a", Page()), target, f"cannot lock {target}.lock (No locks available)", "BLEU_HOME")


def test_nothing_outside_the_cache_is_touched(web, tmp_path):
    folders = {name: tmp_path / name for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "work")}
    for folder in folders.values():
        folder.mkdir()
    variables = {name: str(folder) for name, folder in folders.items()} | {"BLEU_HOME": str(tmp_path / "cache")}
    root = os.path.dirname(os.path.dirname(os.path.dirname(fetching.__file__)))
    script = "import sys; from bleucli.testsets.fetch import fetch_model; fetch_model(sys.argv[1], name='tiny')"
    command = [sys.executable, "-c", script, web.put("/tiny.model", Page(CONTENT))]
    subprocess.run(command, env={**variables, "PYTHONPATH": root}, cwd=folders["work"], check=True, timeout=SECONDS)
    files = [os.path.join(folder, name) for folder, _, names in os.walk(tmp_path) for name in names]
    assert files == [str(tmp_path / "cache" / "models" / "tiny.model")]


# --- mirror and offline


def test_the_mirror_is_tried_first(web, target, monkeypatch):
    monkeypatch.setenv("BLEU_MIRROR", f"{web.url}/mirror/")
    web.put("/mirror/acme/news/n.tgz", Page(CONTENT))
    fetch(f"{web.url}/n.tgz", target, SHA256)
    assert content(target) == CONTENT
    assert web.paths == ["/mirror/acme/news/n.tgz"]


def test_a_mirror_may_be_a_folder(tmp_path, target, monkeypatch):
    monkeypatch.setenv("BLEU_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("BLEU_OFFLINE", "1")
    (tmp_path / "mirror" / "acme" / "news").mkdir(parents=True)
    (tmp_path / "mirror" / "acme" / "news" / "n.tgz").write_bytes(CONTENT)
    fetch("https://data.invalid/a/n.tgz", target, SHA256)
    assert content(target) == CONTENT


@pytest.mark.parametrize("status", [404, 410])
def test_a_mirror_without_the_file_is_passed_over(status, web, target, monkeypatch):
    monkeypatch.setenv("BLEU_MIRROR", f"{web.url}/mirror")
    web.put("/mirror/acme/news/n.tgz", Page(b"", status))
    with warnings.catch_warnings(action="error"):
        fetch(web.put("/n.tgz", Page(CONTENT)), target, SHA256)
    assert content(target) == CONTENT
    assert web.paths == ["/mirror/acme/news/n.tgz", "/n.tgz"]
    assert only(target)


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (Page(b"", 403), "answered 403 Forbidden"),
        (Page(b"", 503), "answered 503 Service Unavailable"),
        (Page(CONTENT, cut=9), "broke off"),
        (Page(b"old"), f"sent a file with the sha256 {hashlib.sha256(b'old').hexdigest()}, expected {SHA256[1]}"),
    ],
    ids=["forbidden", "busy", "cut", "wrong"],
)
def test_a_mirror_that_fails_is_passed_over_with_a_warning(page, reason, web, target, monkeypatch):
    monkeypatch.setenv("BLEU_MIRROR", f"{web.url}/mirror")
    web.put("/mirror/acme/news/n.tgz", page)
    with pytest.warns(UserWarning, match="acme/news was not downloaded from the mirror") as caught:
        fetch(web.put("/n.tgz", Page(CONTENT)), target, SHA256)
    messages = [str(warning.message) for warning in caught if warning.category is not ResourceWarning]
    assert f"{web.url}/mirror/acme/news/n.tgz {reason}" in messages[0]
    assert content(target) == CONTENT
    assert only(target)


def test_a_mirror_of_another_kind_is_refused(web, target, monkeypatch):
    monkeypatch.setenv("BLEU_MIRROR", "ftp://127.0.0.1/mirror")
    refused(web.put("/n.tgz", Page(CONTENT)), target, "'ftp://127.0.0.1/mirror': expected an https:")
    assert web.requests == []


def test_if_mirror_and_address_fail_both_are_named(web, target, monkeypatch):
    monkeypatch.setenv("BLEU_MIRROR", f"{web.url}/mirror")
    url = web.put("/n.tgz", Page(b"", 403))
    copy = f"{web.url}/mirror/acme/news/n.tgz"
    refused(url, target, f"{copy} answered 404 Not Found; {url} answered 403 Forbidden;")


def test_offline_makes_no_request_and_names_what_is_missing(web, target, monkeypatch):
    monkeypatch.setenv("BLEU_OFFLINE", "1")
    monkeypatch.setenv("BLEU_MIRROR", f"{web.url}/mirror")
    url = web.put("/n.tgz", Page(CONTENT))
    refused(url, target, "acme/news", target, url, "unset BLEU_OFFLINE, or put the file there")
    assert web.requests == []
    assert beside(target) == []


def test_offline_uses_what_is_there(tmp_path, target, monkeypatch):
    monkeypatch.setenv("BLEU_OFFLINE", "1")
    (tmp_path / "n.tgz").write_bytes(CONTENT)
    fetch(str(tmp_path / "n.tgz"), target, SHA256)
    fetch("https://data.invalid/n.tgz", target, SHA256)
    assert content(target) == CONTENT


# --- progress, and what is imported


def test_without_a_terminal_there_is_no_progress_bar(web, target):
    process = start(web.put("/n.tgz", Page(CONTENT)), target, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.communicate(timeout=SECONDS) == (b"", b"")


def on_a_terminal(url, target, columns=80):
    """Download with a terminal as stderr; return what was written to it."""
    pty = pytest.importorskip("pty")
    ours, its = pty.openpty()
    pytest.importorskip("termios").tcsetwinsize(ours, (24, columns))
    process = start(url, target, stdout=subprocess.PIPE, stderr=its)
    os.close(its)
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # the other end was closed
        pass
    os.close(ours)
    assert process.communicate(timeout=SECONDS) == (b"", None)
    return shown.decode()


def lines_of(shown):
    """Return the texts that appeared one after the other on the terminal's single line."""
    assert "\n" not in shown
    return shown.split("\r")


@pytest.mark.parametrize("columns", [40, 120])
def test_a_terminal_shows_a_progress_bar_of_one_line_that_vanishes(columns, web, target):
    url = web.put("/n.tgz", Page(CONTENT, piece=8000, pause=0.02))
    lines = lines_of(on_a_terminal(url, target, columns))
    assert any("news.tgz" in line and "%" in line for line in lines)
    assert columns < 80 or any("B/s" in line for line in lines)
    assert all(len(line) <= columns for line in lines)
    assert lines[-1] in ("", "\x1b[A")
    assert not lines[-2].strip()


def test_a_terminal_shows_the_reason_for_a_pause(web, target):
    url = web.put("/n.tgz", Page(b"", 503), Page(CONTENT))
    lines = lines_of(on_a_terminal(url, target, 200))
    assert f"news.tgz: {url} answered 503 Service Unavailable; next attempt in 0.01 s" in lines
    assert not lines[-1]


@pytest.mark.slow
def test_a_terminal_shows_that_another_process_is_waited_for(web, target):
    url = web.put("/n.tgz", Page(CONTENT, piece=8000, pause=0.1))
    first = start(url, target)
    while not web.requests:
        time.sleep(0.01)
    lines = lines_of(on_a_terminal(url, target, 300))
    assert f"waiting for another process, which holds {target}.lock" in lines
    assert first.wait(SECONDS) == 0
    assert len(web.requests) == 1


def test_nothing_heavy_is_imported_before_a_download_is_needed():
    script = "import sys, bleucli.testsets.fetch; print({'requests', 'tqdm', 'portalocker'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=SECONDS)
    assert done.stdout.strip() == "set()"


# --- packages of extras


def test_a_package_that_is_not_installed_is_an_error_that_ends_in_what_to_type():
    with pytest.raises(BleuError, match=r"^the module no_such is not installed; type: pip install 'bleucli\[ko\]'$"):
        load("no_such", "ko")


def test_broken_and_missing_packages_have_different_errors(tmp_path, monkeypatch):
    (tmp_path / "broken_extra.py").write_text("import no_such\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(BleuError, match=r"cannot be imported \(No module named 'no_such'\); .*'bleucli\[ja\]'$"):
        load("broken_extra", "ja")
