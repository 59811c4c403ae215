"""The page of the calculator, built once: a frame, choices from the metrics' tables, and examples.

- `EXAMPLES`: inputs to start with
- `make_page`: the page
- `package_file`, `swagger_file`: the files that it needs
"""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from string import Template

from bleucli import tokenizers
from bleucli.errors import BleuError
from bleucli.metrics.bleu import BANDS
from bleucli.metrics.smoothing import METHODS
from bleucli.phrases import join_words
from bleucli.prose.highlights import SHADES
from bleucli.prose.markup import escape_html
from bleucli.web.guard import MOST_BYTES
from bleucli.web.models import DEFAULT, METRIC_NAMES, ORDERS, fields_of, ready_tokenizers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# What messages call the fields that some metrics do not have
_FIELD_NAMES = {"order": "order", "tokenize": "tokenizer", "smoothing": "smoothing", "lowercase": "lower case"}
_FIRST_TOKENIZERS = {"13a": "13a: punctuation-aware", "none": "none: only white space"}
_FIRST_SMOOTHING = {"add-one": "add-one, on every order", "exp": "exp, the command's default", "none": "none"}
# The package whose files include Swagger UI
_SWAGGER = "fastapi_offline"


def _example(title: str, candidate: str, references: str, **fields: Any) -> dict[str, Any]:
    usual = {"metric": DEFAULT, "order": 4, "tokenize": tokenizers.DEFAULT, "lowercase": True, "smoothing": "add-one"}
    return {"title": title, "candidate": candidate, "references": references, **usual, **fields}


EXAMPLES = (
    _example("Worked example", "the cat is on the mat", "there is a cat on the mat"),
    _example("A zero", "the cat is on the mat", "there is a cat on the mat", smoothing="none"),
    _example(
        "A short candidate", "the committee met", "The committee met on Tuesday to discuss the budget for next year."
    ),
    _example(
        "Chinese, wrong tokenizer",
        "\u732b\u5750\u5728\u57ab\u5b50\u4e0a\u3002",
        "\u4e00\u53ea\u732b\u5750\u5728\u57ab\u5b50\u4e0a\u3002",
        smoothing="exp",
    ),
)


def make_page() -> bytes:
    """Return the page as HTML."""
    about = {name: purpose for name, purpose, _ in tokenizers.listing()}
    ready = [name for name in ready_tokenizers() if name not in _FIRST_TOKENIZERS]
    first = EXAMPLES[0]
    page = Template(package_file("calculator.html").decode()).substitute(
        metrics="".join(_metric_option(name) for name in METRIC_NAMES),
        orders=_options(((str(order), str(order)) for order in ORDERS), str(first["order"])),
        tokenizers=_options([*_FIRST_TOKENIZERS.items(), *((name, f"{name}: {about[name]}") for name in ready)]),
        smoothing=_options(
            [*_FIRST_SMOOTHING.items(), *((name, name) for name in METHODS if name not in _FIRST_SMOOTHING)]
        ),
        candidate=escape_html(first["candidate"]),
        references=escape_html(first["references"]),
        examples="".join(
            f'<button type="button" data-example="{number}">{escape_html(example["title"])}</button>'
            for number, example in enumerate(EXAMPLES)
        ),
        bands="".join(
            f"<tr><td>{_range(low, high)}</td><td>{escape_html(meaning)}</td></tr>" for low, high, meaning in BANDS
        ),
        shades="".join(f'<mark class="l{order}">{order}</mark> ' for order in range(1, SHADES + 1)),
        data=escape_html(json.dumps(EXAMPLES)),
        most=MOST_BYTES,
    )
    return page.encode()


def _metric_option(name: str) -> str:
    """Return the choice of a metric, with the fields that do not apply to it, and a sentence that says so."""
    lacking = [field for field in _FIELD_NAMES if field not in fields_of(name)]
    only = ""
    if lacking:
        takers = [METRIC_NAMES[metric] for metric in METRIC_NAMES if fields_of(metric).issuperset(lacking)]
        fields = join_words([_FIELD_NAMES[field] for field in lacking])
        apply = "apply" if len(lacking) > 1 else "applies"
        only = f"{fields.capitalize()} {apply} to {join_words(takers)} only."
    return (
        f'<option value="{escape_html(name)}" data-lacks="{" ".join(lacking)}" data-only="{escape_html(only)}">'
        f"{escape_html(METRIC_NAMES[name])}</option>"
    )


def _options(choices: Iterable[tuple[str, str]], default: str = "") -> str:
    return "".join(
        f'<option value="{escape_html(value)}"{" selected" * (value == default)}>{escape_html(label)}</option>'
        for value, label in choices
    )


def _range(low: int, high: int) -> str:
    return f"below {high}" if not low else f"{low} or more" if high == 100 else f"{low} to {high}"


def package_file(name: str) -> bytes:
    """Return a file of the folder `static`."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "static", name), "rb") as file:
        return file.read()


def swagger_file(name: str) -> bytes:
    """Return a file of Swagger UI.

    Raises:
        BleuError: the package that has the file is not installed, or its version has other files.
    """
    spec = find_spec(_SWAGGER)
    try:
        folders = (spec and spec.submodule_search_locations) or [""]
        with open(os.path.join(folders[0], "static", name), "rb") as file:
            return file.read()
    except OSError:
        raise BleuError(f"Swagger UI ({name} of {_SWAGGER}) is missing; type: pip install 'bleucli[web]'") from None
