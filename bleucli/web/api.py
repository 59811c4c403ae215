"""The addresses: the page and its requests, the endpoint for programs, and the page that describes the endpoint.

Threads compute scores, because the kernels release Python's lock. Short work and long work have separate threads, so
that short work does not wait. Explanations have a separate thread, too, because they are made in plain Python.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from bleucli._version import __version__
from bleucli.counting import count_blocks
from bleucli.counting.threads import usable_processors
from bleucli.errors import BleuError
from bleucli.metrics import Metric
from bleucli.phrases import join_words
from bleucli.prose.theme import style_sheet
from bleucli.results import EDIT_KINDS, ScoreRecord
from bleucli.scoring import score_blocks
from bleucli.web.calculator import (
    calculate,
    check_effort,
    corpus_of,
    count_items,
    explain_inputs,
    make_page,
    package_file,
    read_texts,
    swagger_file,
)
from bleucli.web.guard import MOST_BYTES, read_body, tell_fault
from bleucli.web.models import ITEM, LEFT_OUT, Failure, Score, kind_of, parameters, read_inputs, read_query

# Bodies with more bytes are long work. The limit is lower for metrics that align texts: their time grows with the
# square of the length
_SHORT_BYTES = 10_000
_SHORT_BYTES_TO_ALIGN = 1_000
_ABOUT = (
    "The engine of the command `bleu`, on this machine only. An item has the form of a line of the command's JSON"
    f" Lines. Options and defaults are those of the Python API, except {join_words(LEFT_OUT)}; sentence_level sets"
    " effective_order. The calculator's page starts with other settings (lower case, add-one smoothing). Scores are not"
    f" rounded. A body holds at most {MOST_BYTES:,} bytes (1 MB). An error is one sentence."
)
_POSTS = ("/score", "/page/numbers", "/page/explanation")
_REFUSALS = {
    400: "the body ended early",
    403: "a host or origin other than this server's",
    408: "the body arrived too slowly",
    413: "the body is too large",
    415: "the body is not application/json",
    422: "the texts or options cannot be scored",
}
_BODY = {
    "required": True,
    "content": {"application/json": {"schema": {"anyOf": [ITEM, {"type": "array", "minItems": 1, "items": ITEM}]}}},
}


class _Work:
    def __init__(self) -> None:
        processors = usable_processors()
        self.short = _Pool(max(4, processors), "bleu-short")
        self.long = _Pool(processors, "bleu-long")
        self.explaining = _Pool(1, "bleu-explaining")

    def choose(self, body: bytes, metric: str) -> _Pool:
        most = _SHORT_BYTES_TO_ALIGN if kind_of(metric).aligns else _SHORT_BYTES
        return self.short if len(body) <= most else self.long


class _Pool:
    """Some threads, and the requests that wait for a thread."""

    def __init__(self, threads: int, name: str) -> None:
        self._turns = asyncio.Semaphore(threads)
        self._threads = ThreadPoolExecutor(threads, name)

    async def answer(self, request: Request, function: Callable[[], object]) -> Response:
        """Answer with what a function returns in a thread; do not call it if the client has left in the meantime."""
        async with self._turns:
            if await request.is_disconnected():
                return Response(status_code=499)  # no one reads this answer
            # JSON is written in the thread, too, because a long answer takes time
            return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: JSONResponse(function()))


def make_app() -> FastAPI:
    """Return the application; it relies on a `guard.Guard` around it."""
    app = FastAPI(title="bleu", version=__version__, description=_ABOUT, docs_url=None, redoc_url=None)
    app.add_exception_handler(BleuError, _tell_error)
    app.add_exception_handler(HTTPException, _tell_refusal)
    app.add_exception_handler(Exception, _tell_fault)
    work = _Work()

    # 1. The endpoint for programs
    @app.post(
        "/score",
        summary="Score an item, or an array of items as one corpus",
        operation_id="score",
        tags=["scores"],
        response_model=Score | list[Score],
        responses={status: {"model": Failure, "description": about} for status, about in _REFUSALS.items()},
        openapi_extra={"parameters": parameters(), "requestBody": _BODY},
    )
    async def _score(request: Request) -> Response:
        body = await read_body(request)
        query = read_query(request.query_params.multi_items())

        def score() -> object:
            scores = score_items(read_items(body), query.make_metric(), query.sentence_level)
            return scores if query.sentence_level else scores[0]

        return await work.choose(body, query.metric).answer(request, score)

    # 2. The requests of the page
    @app.post("/page/numbers", include_in_schema=False)
    async def _numbers(request: Request) -> Response:
        body = await read_body(request)
        inputs = read_inputs(body)
        return await work.choose(body, inputs.metric).answer(request, partial(calculate, inputs))

    @app.post("/page/explanation", include_in_schema=False)
    async def _explanation(request: Request) -> Response:
        inputs = read_inputs(await read_body(request))
        return await work.explaining.answer(request, partial(explain_inputs, inputs))

    # 3. The page, the page of the API, and the files that both need
    own = ("calculator.css", "calculator.js", "docs.js", "icon.svg")
    files = {"/": make_page(), "/docs": package_file("docs.html"), "/static/theme.css": style_sheet().encode()}
    files |= {f"/static/{name}": package_file(name) for name in own}
    files |= {f"/static/{name}": swagger_file(name) for name in ("swagger-ui-bundle.js", "swagger-ui.css")}
    kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
    for path, content in files.items():
        kind = kinds.get(path.rpartition(".")[2], "text/html")
        app.api_route(path, methods=["GET", "HEAD"], include_in_schema=False)(partial(_send, content, kind))
    return app


async def _tell_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, BleuError)
    # Browsers would report a status of 422 in their consoles, but a text that is half typed is not a fault
    return JSONResponse({"error": error.in_command()}, 200 if request.url.path.startswith("/page/") else 422)


async def _tell_fault(_request: Request, error: Exception) -> Response:
    """Answer a request that failed with an unexpected exception; it is then raised again, and the guard reports it."""
    return JSONResponse({"error": tell_fault(error)}, 500)


async def _tell_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = error.detail
    if error.status_code == 404:
        message = f"there is nothing at {request.url.path!r:.80}; the calculator is at /, the page of the API at /docs"
    elif error.status_code == 405:
        takes = "POST" if request.url.path in _POSTS else "GET"
        message = f"{request.url.path} takes {takes}, not {request.method:.20}; see /docs"
    return JSONResponse({"error": message}, error.status_code, error.headers)


async def _send(content: bytes, kind: str) -> Response:
    return Response(content, media_type=kind)


# --- texts in, scores out, as the command counts

# The most numbers in an answer: other requests wait while Python writes it
_MOST_NUMBERS = 300_000
# How warnings name options in Python, and how this endpoint names them
_SPELLINGS = {"effective_order=True": "sentence_level=true", " or trg_lang=...": ""}


def read_items(body: bytes) -> list[Any]:
    """Return the items in the body of a request.

    >>> read_items(b'{"hypothesis": "a", "reference": "b"}')
    [{'hypothesis': 'a', 'reference': 'b'}]
    """
    expected = 'send an item, such as {"candidate": "a", "references": ["b"]}, or an array of items'
    try:
        items = json.loads(body.decode())
    except UnicodeDecodeError as error:
        raise BleuError(f"the body is not valid UTF-8 (byte {error.start + 1}); {expected}") from None
    except json.JSONDecodeError as error:
        raise BleuError(f"the body is not valid JSON (character {error.pos + 1}: {error.msg}); {expected}") from None
    except (ValueError, RecursionError):
        raise BleuError(f"the body has a number or nesting too large to read; {expected}") from None
    if not isinstance(items, list):
        return [items]
    if not items:
        raise BleuError(f"the array is empty; {expected}")
    return items


def score_items(items: Sequence[Any], metric: Metric, sentence_level: bool) -> list[dict[str, Any]]:
    """Return the score of all items, or of each of them with `sentence_level`."""
    check_effort(metric, blocks := read_texts("body", items))
    if sentence_level:
        # Of each order: a precision, the matches, and the n-grams of both texts
        most = _MOST_NUMBERS // (10 + 4 * metric.ngram_orders)
        if len(items) > most:
            raise BleuError(
                f"there are {len(items)} items, but one request scores at most {most} one by one; send fewer at a time,"
                " or use the command"
            )
        scored = score_blocks(count_blocks(corpus_of(iter(blocks)), [metric]))
        return [_tell(record, 1, []) for block in scored for record in block.scores[0][0].records()]
    stats = count_items(blocks, metric)
    hints = [*stats.hints(), *metric.advice]
    for python, ours in _SPELLINGS.items():
        hints = [hint.replace(python, ours) for hint in hints]
    return [_tell(stats.record(), stats.segments, hints)]


def _tell(record: ScoreRecord, segments: int, warnings: Sequence[str]) -> dict[str, Any]:
    return {
        "name": record.name,
        "score": record.score,
        "higher_is_better": record.higher_is_better,
        "signature": record.signature.format(),
        "segments": segments,
        **{name: part for name, part in record.figures._asdict().items() if name not in EDIT_KINDS},
        "warnings": list(warnings),
    }
