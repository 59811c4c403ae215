"""The page of the calculator, built once: a frame, choices from the metrics' tables, and examples.

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
from bleucli.metrics.smoothing import METHODS
from bleucli.prose.highlights import SHADES
from bleucli.prose.markup import escape_html
from bleucli.web.choices import ready_tokenizers
from bleucli.web.fields import EXAMPLES, METRIC_NAMES, ORDERS
from bleucli.web.guard import MOST_BYTES
from bleucli.web.remarks import BANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_FIRST_TOKENIZERS = {"13a": "13a: punctuation-aware", "none": "none: only white space"}
_FIRST_SMOOTHING = {"add-one": "add-one, on every order", "exp": "exp, the command's default", "none": "none"}
# The package whose files include Swagger UI
_SWAGGER = "fastapi_offline"


def make_page() -> bytes:
    """Return the page as HTML."""
    about = {name: purpose for name, purpose, _ in tokenizers.listing()}
    ready = [name for name in ready_tokenizers() if name not in _FIRST_TOKENIZERS]
    first = EXAMPLES[0]
    page = Template(package_file("calculator.html").decode()).substitute(
        metrics=_options(METRIC_NAMES.items()),
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
            f"<tr><td>{_range(low, high)}</td><td>{escape_html(told)}</td></tr>" for low, high, told in BANDS
        ),
        shades="".join(f'<mark class="l{order}">{order}</mark> ' for order in range(1, SHADES + 1)),
        data=escape_html(json.dumps(EXAMPLES)),
        most=MOST_BYTES,
    )
    return page.encode()


def _options(choices: Iterable[tuple[str, str]], chosen: str = "") -> str:
    return "".join(
        f'<option value="{escape_html(value)}"{" selected" * (value == chosen)}>{escape_html(told)}</option>'
        for value, told in choices
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
