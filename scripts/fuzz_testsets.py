#!/usr/bin/env python3
"""Test downloads and the cache under random faults for a few seconds: a hostile server, and a damaged cache.

Every attempt must end soon, with the right file or with an error of one line. In any case, a download must be one
version of the file, not a mixture, and nothing outside the cache may change. The server listens only on the loopback.
Exit status 0: no fault found; 1: a fault, printed with the seed that repeats it.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import io
import os
import random
import shutil
import signal
import socket
import stat
import sys
import tarfile
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from bleucli import testsets, waiting
from bleucli.cli.main import run
from bleucli.cli.streams import Environment
from bleucli.errors import BleuError
from bleucli.testsets import Source, fetch, network

SECONDS_FOR_ONE = 20
FIELDS = {"src": b"one\ntwo\nthree\n", "ref": b"eins\nzwei\ndrei\n"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long it runs (default: 60)")
    parser.add_argument("--seed", type=int, default=None, help="repeat the run with this seed")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    make_hasty()
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="bleu-fuzz-") as folder, Server() as server, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bench = Bench(folder, server)
        end, number = time.monotonic() + options.seconds, 0
        while time.monotonic() < end:
            rng = random.Random(f"{seed}/{number}")
            trial = bench.try_answers if number % 2 else bench.try_cache
            found = attempt(trial, rng)
            if found not in ("taken", "refused"):
                print(f"fuzz_testsets: seed {seed}, trial {number} ({trial.__name__}): {found}", file=sys.stderr)
                return 1
            key = f"{trial.__name__.removeprefix('try_')} {found}"
            counts[key] = counts.get(key, 0) + 1
            number += 1
    told = ", ".join(f"{count} {key}" for key, count in sorted(counts.items()))
    print(f"fuzz_testsets: seed {seed}: {number} trials ({told}), nothing found")
    return 0


def make_hasty() -> None:
    """Shorten pauses and time limits from minutes to moments, and limit the growth of smaller archives too."""
    fetch.PAUSES = (0.0, 0.0, 0.0, 0.0)
    fetch.SECONDS_OF_MEMORY = 0
    network.SECONDS_OF_SILENCE = 0.3
    network.SECONDS_OF_PACE = 0.3
    waiting.SECONDS_BEFORE_NOTE = 0.1
    testsets.GROWTH_FROM_BYTES = 1 << 20


def attempt(trial: Callable[[random.Random], str], rng: random.Random) -> str:
    """Return how a trial ended: the text of the exception, if it found a fault."""

    def hang(*_: object) -> None:
        raise RuntimeError(f"the trial is still running after {SECONDS_FOR_ONE} s")

    before = signal.signal(signal.SIGALRM, hang)
    signal.alarm(SECONDS_FOR_ONE)
    try:
        return trial(rng)
    except Exception:
        return traceback.format_exc()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# --- a hostile server


def versions(rng: random.Random) -> list[bytes]:
    """Return two versions of a file that agree in some of their first bytes."""
    first = rng.randbytes(rng.choice((0, 1, 999, 5000, 40_000)))
    second = first[: rng.randrange(len(first) + 1)] + rng.randbytes(rng.choice((0, 1, 5000)))
    return [first, second]


def hostile_answers(rng: random.Random, files: Sequence[bytes]) -> Iterator[Answer]:
    """Give answers to requests for a file, endlessly: whole, cut, dripping, of another version, or meaningless."""
    while True:
        kind = rng.choices(("honest", "mutated", "noise"), (6, 2, 1))[0]
        if kind == "noise":
            yield Answer(raw=rng.randbytes(rng.choice((0, 1, 100, 5000))))
            continue
        number = rng.randrange(len(files))
        traits = Traits(
            content=files[number],
            # Only honest answers are in chunks: a damaged header might not say so, and chunks would pass as the file
            is_chunked=kind == "honest" and rng.random() < 0.3,
            cut=rng.choice((None, rng.randrange(len(files[number]) + 1), rng.randrange(len(files[number]) + 1))),
            status=rng.choice((*[200] * 24, 206, 404, 416, 429, 500, 503, 302)),
            has_range=rng.random() < 0.1,
        )
        mutations = [rng.random() for _ in range(rng.randrange(1, 4))] if kind == "mutated" else []
        yield Answer(
            traits=traits, mutations=mutations, drips_from=rng.choice((0, 30, 200)) if rng.random() < 0.02 else None
        )


class Traits(NamedTuple):
    """How the server treats a request.

    content: the file. cut: where the answer breaks off. has_range: whether it says that it is a part of the file.
    """

    content: bytes
    is_chunked: bool
    cut: int | None
    status: int
    has_range: bool


class Answer(NamedTuple):
    """An answer: noise, or what a server with such traits sends, with some damage to the header.

    drips_from: from which byte on they come one by one, slowly.
    """

    raw: bytes = b""
    traits: Traits | None = None
    mutations: Sequence[float] = ()
    drips_from: int | None = None

    def data(self) -> bytes:
        """Return the bytes of the answer."""
        data = honest_bytes(self.traits) if self.traits else self.raw
        for mutation in self.mutations:
            data = mutated_header(data, random.Random(mutation))
        return data


def honest_bytes(traits: Traits) -> bytes:
    """Return an answer whose header is true, even if the answer breaks off."""
    content, is_chunked, cut, status, has_range = traits
    lines = ["Date: Tue, 01 Jan 2030 00:00:00 GMT", "Connection: close", 'ETag: "v1"']
    body = content
    if has_range:
        lines.append(f"Content-Range: bytes 0-{max(len(content) - 1, 0)}/{len(content)}")
    if status == 302:
        lines.append("Location: /again")
    if is_chunked:
        lines.append("Transfer-Encoding: chunked")
        pieces = (body[at : at + 700] for at in range(0, len(body), 700))
        body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    else:
        lines.append(f"Content-Length: {len(body)}")
    return f"HTTP/1.1 {status} X\r\n{chr(10).join(lines)}\r\n\r\n".encode() + body[:cut]


def mutated_header(data: bytes, rng: random.Random) -> bytes:
    """Damage the header of an answer, but not its end, so that the body stays intact."""
    head, end, body = data.partition(b"\r\n\r\n")
    at = rng.randrange(len(head) + 1)
    nines = b"9" * rng.choice((1, 20, 5000))
    piece = rng.choice((b"", b"-", nines, b"\0", b"\xff", b"\t", b" ", b"[", b"*", b"/", b":"))
    return head[:at] + piece + head[at + rng.randrange(3) :] + end + body


class Server:
    """A server on the loopback that sends prepared answers, one per connection."""

    def __init__(self) -> None:
        self.answers: Iterator[Answer] = iter(())
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Server:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connected, _ = self._listener.accept()
            except OSError:  # the server was closed
                return
            with connected, contextlib.suppress(OSError, StopIteration):
                connected.settimeout(2)
                head = b""
                while b"\r\n\r\n" not in head and (more := connected.recv(65536)):
                    head += more
                answer = next(self.answers)
                data = answer.data()
                connected.sendall(data[: answer.drips_from])
                for byte in data[answer.drips_from :] if answer.drips_from is not None else b"":
                    connected.sendall(bytes([byte]))
                    time.sleep(0.02)


# --- a damaged cache


def damaged_caches(rng: random.Random, cache: str, outside: str) -> None:
    """Damage files of a cache, except its texts: cut, flipped, replaced by links, pipes or folders, or added."""
    folder = os.path.join(cache, "acme", "x", "raw")
    names = sorted(os.listdir(folder))
    ends = (".lock", ".sha256", ".members.lock", f".{'0' * 16}.new", ".unpacked")
    names += [name + end for name in ("acme_x.x.tgz", "acme_x") for end in ends]
    for name in rng.sample(sorted(set(names)), rng.randrange(1, 5)):
        if name.endswith(".txt"):  # texts are used as they are, once unpacked
            continue
        damage(rng, os.path.join(folder, name), outside)


def damage(rng: random.Random, path: str, outside: str) -> None:
    kind = rng.choice(("gone", "cut", "flip", "noise", "deep", "link", "dangling", "pipe", "folder", "hard link"))
    content = b""
    if os.path.isfile(path):
        with open(path, "rb") as file:
            content = file.read()
    with contextlib.suppress(OSError):
        os.remove(path)
    if os.path.lexists(path):  # it is a folder
        return
    if kind == "link":
        os.symlink(outside, path)
    elif kind == "dangling":
        os.symlink(f"{outside}.none", path)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        os.makedirs(path, exist_ok=True)
    elif kind == "hard link":
        os.link(outside, path)
    elif kind != "gone":
        spoilt = {
            "cut": content[: rng.randrange(len(content) + 1)],
            "flip": bytes(byte ^ (rng.random() < 0.01) for byte in content),
            "deep": b"[" * 100_000,
        }
        with open(path, "wb") as file:
            file.write(spoilt.get(kind, rng.randbytes(rng.randrange(200))))


# --- both


def archive(rng: random.Random) -> bytes:
    """Return a test set as an archive that also has unwanted members, in random order."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        listed = [("s.txt", FIELDS["src"]), ("r.txt", FIELDS["ref"]), ("../evil", b"evil"), ("/evil", b"evil")]
        for name, content in rng.sample(listed, len(listed)):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)


class Bench:
    """A cache, files outside of it that must not change, and a server."""

    def __init__(self, folder: str, server: Server) -> None:
        self.folder, self.server = folder, server
        self.cache = os.path.join(folder, "cache")
        self.outside = os.path.join(folder, "outside")
        os.mkdir(self.outside)
        with open(os.path.join(self.outside, "kept.txt"), "wb") as file:
            file.write(b"kept")
        os.environ |= {"BLEU_HOME": self.cache, "BLEU_MIRROR": "", "BLEU_OFFLINE": "", "BLEU_REGISTRY": ""}
        for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
            del os.environ[name]

    def clear(self) -> None:
        """Empty the cache."""
        shutil.rmtree(self.cache, ignore_errors=True)

    def check_outside(self) -> None:
        """Check that nothing outside the cache was changed."""
        assert os.listdir(self.outside) == ["kept.txt"], "something was written outside the cache"
        path = os.path.join(self.outside, "kept.txt")
        with open(path, "rb") as file:
            assert file.read() == b"kept", "a file outside the cache was changed"
        assert stat.S_ISREG(os.lstat(path).st_mode)
        assert set(os.listdir(self.folder)) <= {"cache", "outside", "r.toml", "x.tgz"}, (
            "there is something new beside the cache"
        )

    def try_answers(self, rng: random.Random) -> str:
        """Download a file without a known checksum from a hostile server, in up to three attempts."""
        self.clear()
        files = versions(rng)
        self.server.answers = hostile_answers(rng, files)
        target = os.path.join(self.cache, "acme", "x", "raw", "acme_x.file")
        ended = "refused"
        for _ in range(3):
            try:
                fetch.fetch(Source(f"{self.server.url}/file"), target, name="acme/x", is_recorded=True)
            except BleuError as error:
                said = str(error)
            else:
                ended = "taken"
                break
            assert "\n" not in said, f"more than one line: {said}"
            assert not os.path.lexists(target), "the refused file exists"
        left = {name.removeprefix("acme_x.file") for name in os.listdir(os.path.dirname(target))}
        if ended == "taken":
            with open(target, "rb") as file:
                content = file.read()
            assert left == {"", ".sha256"}, f"left behind: {left}"
            # a header with a wrong length may make a file shorter
            assert any(file.startswith(content) for file in files), "a mixture of versions was accepted"
        assert left <= {"", ".sha256"}, f"left behind: {left}"
        self.check_outside()
        return ended

    def try_cache(self, rng: random.Random) -> str:
        """Make a test set again in a damaged cache."""
        self.clear()
        packed = archive(rng)
        path = os.path.join(self.folder, "x.tgz")
        with open(path, "wb") as file:
            file.write(packed)
        checksum = f', sha256 = "{hashlib.sha256(packed).hexdigest()}"' if rng.random() < 0.5 else ""
        with open(os.path.join(self.folder, "r.toml"), "w", encoding="utf-8") as file:
            file.write(
                f'[testsets."acme/x"]\nformat = "plain"\nsources = [{{ url = "x.tgz"{checksum} }}]\n'
                '[testsets."acme/x".pairs.en-de]\nfiles = ["s.txt", "r.txt"]\n'
            )
        assert self.echo()[0] == 0
        for name in FIELDS:
            os.remove(os.path.join(self.cache, "acme", "x", f"acme_x.en-de.{name}"))
        damaged_caches(rng, self.cache, os.path.join(self.outside, "kept.txt"))
        status, out, said = self.echo()
        self.check_outside()
        if status == 0:
            assert out == b"one\teins\ntwo\tzwei\nthree\tdrei\n", f"wrong texts: {out!r}"
            return "taken"
        assert status == 2, f"status {status}: {said}"
        assert out == b"", "stdout is not empty although the command failed"
        assert said.startswith("bleu: error: "), said
        assert said.count("\n") == 1, f"more than one line: {said}"
        return "refused"

    def echo(self) -> tuple[int, bytes, str]:
        """Run the command with --echo; return its status, stdout and stderr."""
        out, said = io.BytesIO(), io.BytesIO()
        words = ["--registry", os.path.join(self.folder, "r.toml"), "-t", "acme/x", "-l", "en-de"]
        status = run([*words, "--echo", "src", "ref"], Environment(io.BytesIO(), out, said, {}))
        return int(status), out.getvalue(), said.getvalue().decode()


if __name__ == "__main__":
    sys.exit(main())
