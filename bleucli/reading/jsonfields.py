"""The places of texts in the objects of JSON Lines: names of fields, and paths into objects and arrays.

- `Fields`, `fields_named`: what a user names
- `places_of_hypotheses`, `place_of_references`: what finds the texts in an object, named or not
- `label_in`: what an object says of its text
- `names_of_ids`: the fields that identify an object; `encode_ids`: what they hold
- `quote`, `kind`, `advise_path`: how errors name fields and values, and what they advise
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice

from bleucli.errors import NotFoundError, UsageError
from bleucli.phrases import join_words
from bleucli.records import NamedTuple
from bleucli.text import DOCUMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Fields(NamedTuple):
    """The places of texts in an object; texts whose place is not named are found under usual names.

    A path leads into objects by the names of fields and into arrays by numbers from 0: `resps.0.text`. If an object has
    a field whose name is the whole path, dots included, that field is used. A dot after a backslash is part of a name.

    hypotheses: for each system in the file, its name ("" for the file's name) and a path. references, group, ids: a
    path, or ""; ids may also be several paths with `+` between them, or `NO_IDS`.
    """

    hypotheses: tuple[tuple[str, str], ...] = ()
    references: str = ""
    group: str = ""
    ids: str = ""


# The usual names: the first of these that an object has is taken, even if it has others
HYPOTHESES = ("candidate", "hypothesis", "prediction", "actual_output", "translation", "hyp")
REFERENCES = ("references", "reference", "expected_output")
# These may mean something else, so one is taken only if it is the only candidate
GUESSED_HYPOTHESES = (
    *("mt", "output", "pred", "response", "hypotheses", "generated_text", "generation", "completion", "model_output"),
    "filtered_resps",
)
GUESSED_REFERENCES = ("target", "ref", "refs", "tgt_text", "ground_truth", "gold", "answer")
# What lm-evaluation-harness keeps of its responses: an array, which has one text unless there were several samples
LISTED = "filtered_resps"
# The value of `Fields.ids` that joins objects by position
NO_IDS = "none"
# The usual names of ids, kind by kind: of a document, of a segment in it, and of an item. Capitals and marks do not
# count: doc_id, docId and doc-id are one name. The first name of a kind is taken: an `id` beside a `custom_id`, which
# comes from the request, is that of the answer.
ID_KINDS = (
    ("docid", "documentid"),
    ("segmentid", "segid", "sentenceid", "sentid"),
    ("customid", "itemid", "exampleid", "sampleid", "instanceid", "id"),
)
_SHOWN_FIELDS, _SHOWN_CHARACTERS = 8, 40
_MARKS = str.maketrans("", "", "_-")
_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "true or false", type(None): "null"}


def fields_named(text: str) -> Fields:
    r"""Return what `hyp=PATH,refs=PATH,group=PATH,id=PATH` names; each part may be left out, but not all.

    Several hypotheses in one file are several systems. Each may have a name before a colon; otherwise, its path is its
    name. A comma, colon, dot, plus or space after a backslash is part of a name; other space around names does not
    count.

    >>> fields_named("hyp=filtered_resps.0,refs=doc.de")
    Fields(hypotheses=(('', 'filtered_resps.0'),), references='doc.de', group='', ids='')
    >>> fields_named(r"hyp=a:out.0,b:out.1,dc\:title").hypotheses
    (('a', 'out.0'), ('b', 'out.1'), ('dc:title', 'dc\\:title'))
    """
    paths: dict[str, list[str]] = {}
    key = ""
    for part in _split(text, ","):
        begun, equals, rest = (_strip(word) for word in part.partition("="))
        begins = bool(equals) and begun in ("hyp", "refs", "group", "id")
        # Each key may begin once; only `hyp` has several paths, and these may contain an equals sign
        if begun in paths if begins else key != "hyp":
            raise _wrong_form(text)
        key, path = (begun, rest) if begins else (key, _strip(part))
        if not path:
            raise _wrong_form(text)
        paths.setdefault(key, []).append(path)
    outputs = paths.get("hyp", [])
    hypotheses = []
    for one in outputs:
        name, *behind = map(_strip, _split(one, ":"))
        path = ":".join(behind) if behind else one
        if not name or not path:
            raise _wrong_form(text)
        hypotheses.append((_unescape(name) if behind or len(outputs) > 1 else "", path))
    names = [name for name, _ in hypotheses]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise UsageError(
            f"--jsonl-fields {text!r}: two systems would be called {repeated!r}; give each a name of its own"
        )
    references, group, ids = (paths.get(key, [""])[0] for key in ("refs", "group", "id"))
    fields = Fields(tuple(hypotheses), references, group, ids)
    parts = paths_of_ids(fields)
    if "" in parts or len(parts) > len(ID_KINDS):
        wrong = "a part without a name" if "" in parts else f"{len(parts)} parts"
        raise UsageError(
            f"--jsonl-fields id={ids} has {wrong}; name up to {len(ID_KINDS)} fields, with + between them:"
            " id=doc_id+seg_id"
        )
    return fields


def _wrong_form(text: str) -> UsageError:
    return UsageError(
        f"--jsonl-fields {text!r}; expected hyp=NAME,refs=NAME,id=NAME, or some of these; write"
        " hyp=a:NAME,b:NAME for several systems, id=NAME+NAME for an id of two parts, id=none to join by position, and"
        " group=NAME for the groups of bleu diversity"
    )


def _split(text: str, separator: str) -> list[str]:
    r"""Cut text at a character, but not where a backslash precedes it; backslashes stay.

    >>> _split(r"v1\.0.text", ".")
    ['v1\\.0', 'text']
    """
    parts, escaped = [""], False
    for character in text:
        if character == separator and not escaped:
            parts.append("")
        else:
            parts[-1] += character
        escaped = character == "\\" and not escaped
    return parts


def _strip(text: str) -> str:
    r"""Return text without the space around it, except a space after a backslash.

    >>> _strip("  a b "), _strip(r"\ a\  ")
    ('a b', '\\ a\\ ')
    """
    stripped = text.rstrip()
    is_escaped = (len(stripped) - len(stripped.rstrip("\\"))) % 2
    return text[: len(stripped) + is_escaped].lstrip()


def _unescape(text: str) -> str:
    """Return text without backslashes, which make the next character part of a name."""
    import re

    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def places_of_hypotheses(fields: Fields, with_references: bool = True) -> Sequence[Path | UsualName]:
    """Return what finds the hypothesis of each system in an object; with_references: which may hold references, too."""
    elsewhere = (_first_names(fields.references) if with_references else set()) | _first_names(fields.group)
    usual = UsualName("hypothesis", HYPOTHESES, GUESSED_HYPOTHESES, elsewhere)
    return [Path("hypothesis", path) for _, path in fields.hypotheses] or [usual]


def place_of_references(fields: Fields) -> Path | UsualName:
    """Return what finds the references in an object."""
    if fields.references:
        return Path("reference", fields.references)
    elsewhere = {name for _, path in fields.hypotheses for name in _first_names(path)}
    return UsualName("reference", REFERENCES, GUESSED_REFERENCES, elsewhere)


def label_in(item: dict[str, Any], name: str) -> Any:
    """Return what an object has in a field; `doc` also stands for the usual names of a document's id.

    >>> label_in({"doc_id": "a", "domain": "news"}, "doc"), label_in({"doc_id": "a"}, "domain")
    ('a', None)
    """
    # In the logs of some tools, `doc` is an object that holds the whole sample
    if name != DOCUMENT or not isinstance(item.get(name), dict | None):
        return item.get(name)
    return next((value for field, value in item.items() if field.translate(_MARKS).lower() in ID_KINDS[0]), None)


def names_of_ids(item: dict[str, Any], fields: Fields) -> list[str]:
    """Return the field of each kind of id that an object has; "" for a kind that it lacks.

    >>> names_of_ids({"docId": 7, "hypothesis": "a"}, Fields())
    ['docId', '', '']
    """
    if fields.ids:
        paths = paths_of_ids(fields)
        return [*paths, *[""] * (len(ID_KINDS) - len(paths))]
    paths = [path for _, path in fields.hypotheses] + [fields.references, fields.group]
    elsewhere = {name for path in paths for name in _first_names(path)}
    names = {name.translate(_MARKS).lower(): name for name in item if name not in elsewhere}
    return [next((names[name] for name in kind if name in names), "") for kind in ID_KINDS]


def paths_of_ids(fields: Fields) -> list[str]:
    r"""Return the paths of the parts of an id that an option names.

    >>> paths_of_ids(Fields(ids=r"doc_id+meta.seg\+no"))
    ['doc_id', 'meta.seg\\+no']
    """
    return [] if fields.ids in ("", NO_IDS) else list(map(_strip, _split(fields.ids, "+")))


def encode_ids(values: Sequence[Any]) -> bytes:
    r"""Return ids as lines of UTF-8; what is neither a string nor a whole number is an empty line.

    >>> encode_ids(["a", 7, None, "b\nc"])
    b'a\n7\n\nb c\n'
    """
    texts = [value if type(value) is str else str(value) if type(value) is int else "" for value in values]
    text = "\n".join([*texts, ""])
    if text.count("\n") > len(texts):
        text = "".join([one.replace("\n", " ") + "\n" for one in texts])
    return text.encode(errors="backslashreplace")


def find_value(item: dict[str, Any], path: str) -> Any:
    """Return the value at the end of a path; None if there is none.

    >>> find_value({"meta": {"id": 7}}, "meta.id"), find_value({}, "id")
    (7, None)
    """
    try:
        return Path("id", path).find(item)[1]
    except NotFoundError:
        return None


class Path:
    """A path that the user named; what: what it leads to, for errors."""

    def __init__(self, what: str, path: str) -> None:
        self._what = what
        self._path = path
        self._steps = [_unescape(step) for step in _split(path, ".")]

    def common_name(self, items: Sequence[dict[str, Any]]) -> str:
        """Return the name of a field that `find` would take in each of these objects, if all of them have it."""
        return self._path

    def settled_name(self) -> tuple[str, Sequence[str]]:
        """Return a field, and other fields: `find` takes the field from any object that has it and none of the others.

        The field is "" while this is unknown.
        """
        return (self._path if self._steps == [self._path] else "", ())

    def find(self, item: dict[str, Any]) -> tuple[str, Any]:
        """Return the path, for messages, and the value at its end; raise a `NotFoundError` if there is none."""
        if self._path in item:
            return self._path, item[self._path]
        value: Any = item
        for depth, step in enumerate(self._steps):
            if type(value) is dict and step in value:
                value = value[step]
            elif type(value) is list and (index := _index(step)) is not None and index < len(value):
                value = value[index]
            else:
                raise self._not_found(value, depth)
        return self._path, value

    def _not_found(self, value: object, depth: int) -> NotFoundError:
        """Return an error about the value that is `depth` steps along the path and does not lead further."""
        place = quote(".".join(_split(self._path, ".")[:depth]))
        if isinstance(value, dict):
            finding = f"{place} with {_list_names(value)}" if depth else _list_names(value)
        else:
            finding = f"{place}, {kind(value)}" + (f" of length {len(value)}" if isinstance(value, list) else "")
        return NotFoundError(f"no {self._what}; expected {quote(self._path)}, found {finding}", depth == 0)


class UsualName:
    """A usual name, for a file whose fields no option names.

    what: what it leads to, for errors. known: names; the first one that an object has is taken. guessed: a file that
    has none of `known` may have one of these; several would be ambiguous. elsewhere: names that an option uses for
    something else, so they are ignored.
    """

    def __init__(self, what: str, known: Sequence[str], guessed: Sequence[str], elsewhere: Collection[str]) -> None:
        self._what = what
        self._known = [name for name in known if name not in elsewhere]
        self._guessed = [name for name in guessed if name not in elsewhere]
        self._guess = ""
        self._last = ""

    def common_name(self, items: Sequence[dict[str, Any]]) -> str | None:
        """Return the same as for `Path`; None if objects must be searched one by one."""
        if self._guess:
            return None
        return next((name for name in self._known if any(name in item for item in items)), None)

    def settled_name(self) -> tuple[str, Sequence[str]]:
        """Return the same as for `Path`."""
        if self._guess:
            return self._guess, [name for name in (*self._known, *self._guessed) if name != self._guess]
        return self._last, self._known[: self._known.index(self._last)] if self._last else ()

    def find(self, item: dict[str, Any]) -> tuple[str, Any]:
        """Return the name of a field and what it holds; a `NotFoundError` says that there is none, or several."""
        if not self._guess:
            for name in self._known:
                if name in item:
                    self._guessed = []  # from now on, nothing is guessed
                    self._last = name
                    return name, item[name]
        names = [*self._known, *self._guessed]
        matches = [name for name in names if name in item]
        if not matches:
            expected = join_words([*map(quote, [self._guess] if self._guess else names)], "or")
            raise NotFoundError(f"no {self._what}; expected {expected}, found {_list_names(item)}", True)
        possible = dict.fromkeys([*filter(None, [self._guess]), *matches])  # one was guessed on an earlier line
        if len(possible) > 1:
            each = join_words([*map(quote, possible)])
            raise NotFoundError(f"{each} could each be the {self._what}")
        (self._guess,) = matches
        return self._guess, item[self._guess]


def _index(step: str) -> int | None:
    # No array has 10^9 items, and Python refuses to convert very long numbers
    return int(step) if step.isascii() and step.isdigit() and len(step) < 10 else None


def _first_names(path: str) -> set[str]:
    """Return the names of fields that a path may begin with; none for ""."""
    return {path, _unescape(_split(path, ".")[0])} if path else set()


def advise_path(key: str, field: str, value: object) -> str:
    """Return what to do about a value that is not text but may contain some; "" if it cannot.

    >>> advise_path("hyp", "filtered_resps", ["Hallo"])
    '; if the text is inside, name the path: --jsonl-fields hyp=filtered_resps.0'
    """
    import re

    inside = next(iter(value), "") if isinstance(value, dict) else "0" if isinstance(value, list) and value else ""
    step = re.sub(r"([\\.,:]|\s(?=\s*$))", r"\\\1", inside)
    return f"; if the text is inside, name the path: --jsonl-fields {key}={field}.{step}" if inside else ""


def _list_names(item: dict[str, Any]) -> str:
    names = ", ".join(map(quote, islice(item, _SHOWN_FIELDS))) + (", ..." if len(item) > _SHOWN_FIELDS else "")
    return names or "no field"


def kind(value: object) -> str:
    """Return what errors call a value, with an article."""
    return _KINDS.get(type(value), "a number")


def quote(value: object) -> str:
    """Return a value, such as a field's name in quotes; a long one is cut, and odd characters are escaped.

    >>> quote("name"), quote(10**50)
    ("'name'", '1000000000000000000000000000000000000000...')
    """
    text = value if isinstance(value, str) else repr(value)
    cut = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."
    return repr(cut) if isinstance(value, str) else cut
