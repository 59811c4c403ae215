r"""Which files a matrix is made of: a TOML file with patterns, and what they match.

    references = "references/generaltest2022.{pair}.ref.*"
    systems = "system-outputs/generaltest2022.{pair}.hyp.{system}.{target}"

- `read_plan`: the pairs and systems that such a file names
- `Plan`, `Pair`: what it returns
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from bleucli.errors import BleuError
from bleucli.phrases import suggest, tell_count
from bleucli.reading import read_toml
from bleucli.records import NamedTuple
from bleucli.results import AVERAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KEYS = ("references", "systems", "pairs", "names", "baseline")
# The largest number of names in a message
_MOST_NAMES = 6
# A language, perhaps with a script and a region: de, liv, zh_Hans, en_US; a hyphen would begin the next language
_LANGUAGE = r"[A-Za-z]{2,8}(?:_[A-Z][a-z]{3})?(?:_[A-Z]{2})?"
_PLACEHOLDERS = {"source": _LANGUAGE, "target": _LANGUAGE, "system": "[^/]+"}
_CHOICES = "{pair}, {source}, {target} and {system}"
# Of a pattern: a placeholder, **/, *, ?, a class of characters, or one character
_TOKEN = re.compile(
    r"\{(?P<name>[^{}]*)\}|(?P<deep>\*\*/)|(?P<star>\*+)|(?P<one>\?)|\[(?P<of>!?.[^\]]*)\]|.", re.DOTALL
)
_SPECIAL_IN_CLASS = re.compile(r"[\\^\[\]&~|]")


class Pair(NamedTuple):
    """A language pair. language: the target. references: paths. systems: paths by name."""

    name: str
    language: str
    references: Sequence[str]
    systems: Mapping[str, str]


class Plan(NamedTuple):
    """The pairs, the names of all systems, and what a user should know about the files.

    has_baseline: whether the file names the first system as the baseline.
    """

    pairs: Sequence[Pair]
    systems: Sequence[str]
    hints: Sequence[str]
    has_baseline: bool


class _File(NamedTuple):
    """A file that a pattern matches, and the values of the pattern's placeholders."""

    path: str
    values: Mapping[str, str]


def read_plan(path: str) -> Plan:
    """Return which files a matrix is made of; patterns are relative to the folder of the TOML file."""
    table = read_toml(path, remedy="name a readable TOML file")
    for key in table:
        if key not in _KEYS:
            raise BleuError(f"{path}: unknown key {key!r}; expected {', '.join(_KEYS)}{suggest(key, _KEYS)}")
    references = list(_find_files(table, "references", path))
    # A pattern for systems often matches the references in the same folder
    reference_paths = {os.path.abspath(one.path) for one in references}
    outputs = [one for one in _find_files(table, "systems", path) if os.path.abspath(one.path) not in reference_paths]
    if not outputs:
        raise BleuError(f"{path}: systems: the pattern matches only references; name the systems' outputs")
    by_pair: dict[str, dict[str, str]] = {}
    values: dict[str, Mapping[str, str]] = {}
    for one in outputs:
        pair, system = _name_pair(one.values), one.values["system"]
        other = by_pair.setdefault(pair, {}).setdefault(system, one.path)
        values[pair] = one.values
        if other != one.path:
            raise BleuError(
                f"{path}: systems: {other} and {one.path} are both {system} for {pair}; change the pattern so that it"
                " matches only one of them"
            )
    all_pairs = []
    for pair in sorted(by_pair):
        of_pair = values[pair]
        # A reference without a source language serves every source
        fitting = [one.path for one in references if one.values.items() <= of_pair.items()]
        all_pairs.append(Pair(pair, of_pair["target"], fitting, by_pair[pair]))
    pair_names = _names(table, "pairs", path, "for the pair", [pair.name for pair in all_pairs])
    names = _names(table, "names", path, "of", list(dict.fromkeys(name for pair in all_pairs for name in pair.systems)))
    selection = [pair for name in pair_names for pair in all_pairs if pair.name == name] or all_pairs
    # A pair without any of the named systems would be blank; it stays only if it was asked for
    selection = [pair for pair in selection if not names or pair_names or pair.systems.keys() & set(names)]
    bare = [pair.name for pair in selection if not pair.references]
    if bare and (pair_names or len(bare) == len(selection)):
        raise BleuError(
            f"{path}: references: no file matches for {', '.join(bare)}; add the references, or leave the pairs out"
        )
    pairs = [pair for pair in selection if pair.references]
    if AVERAGE in [pair.name for pair in pairs]:
        output = next(iter(by_pair[AVERAGE].values()))
        raise BleuError(
            f"{path}: systems: {output} has {AVERAGE} in place of a language pair such as en-de, but that is the name"
            " of the averages; rename the file, or list the other pairs under pairs"
        )
    notes = [f"{path}: left out because there are no references: {', '.join(bare)}"] if bare else []
    # References without a source language serve every source, so they do not name a pair
    idle = sorted({_name_pair(one.values) for one in references if len(one.values) > 1} - by_pair.keys())
    notes += [f"{path}: left out because there are no outputs: {', '.join(idle)}"] if idle and not pair_names else []
    systems = names or sorted({name for pair in pairs for name in pair.systems}, key=lambda name: (name.lower(), name))
    baseline = table.get("baseline")
    if baseline is not None and baseline not in systems:
        remedy = _suggest_any(baseline, systems) if isinstance(baseline, str) else ""
        raise BleuError(f"{path}: baseline: expected the name of a system, found {baseline!r:.60}{remedy}")
    systems = sorted(systems, key=lambda name: name != baseline)  # the baseline first
    pairs = [
        pair._replace(systems={name: pair.systems[name] for name in systems if name in pair.systems}) for pair in pairs
    ]
    missing = [(pair.name, [name for name in systems if name not in pair.systems]) for pair in pairs]
    gaps = [f"{pair} by {', '.join(absent)}" for pair, absent in missing if absent]
    notes += [f"left blank because there is no output: {'; '.join(gaps)}"] if gaps else []
    return Plan(pairs, systems, notes, "baseline" in table)


# --- the file


def _suggest_any(word: str, choices: Sequence[str]) -> str:
    """Return the end of an error: the choices that look like an unknown word, or else the first ones."""
    first, rest = ", ".join(choices[:_MOST_NAMES]), len(choices) - _MOST_NAMES
    return suggest(word, choices) or f"; choose from {first}{f' and {rest} more' if rest > 0 else ''}"


def _names(table: Mapping[str, Any], key: str, path: str, relation: str, choices: Sequence[str]) -> list[str]:
    """Return a list of names, which may be absent; relation: what outputs have to do with a name, for the error."""
    names = table.get(key)
    if names is None:
        return []
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise BleuError(f"{path}: {key}: expected a list of one or more strings, found {names!r:.60}")
    for name in names:
        if names.count(name) > 1:
            raise BleuError(f"{path}: {key}: {name} is listed twice; name each once")
    for name in names:
        if name not in choices:
            raise BleuError(f"{path}: {key}: there is no output {relation} {name}{_suggest_any(name, choices)}")
    return names


# --- patterns


def _find_files(table: Mapping[str, Any], key: str, path: str) -> Iterator[_File]:
    """Give the files that a key's patterns match, sorted pattern by pattern."""
    value = table.get(key)
    patterns = [value] if isinstance(value, str) else value
    if not isinstance(patterns, list) or not patterns or not all(isinstance(one, str) and one for one in patterns):
        what = "found none" if value is None else f"found {value!r:.60}"
        raise BleuError(f'{path}: {key}: expected a pattern such as "{{pair}}/{key}.txt", {what}')
    paths: set[str] = set()
    for pattern in patterns:
        for one in _match(pattern, key, path):
            if one.path in paths:
                raise BleuError(f"{path}: {key}: two patterns match {one.path}; let only one of them match it")
            paths.add(one.path)
            yield one


def _match(pattern: str, key: str, path: str) -> list[_File]:
    from glob import glob

    if "\0" in pattern:
        raise BleuError(f"{path}: {key}: {pattern!r} has a null character, which no path has; leave it out")
    whole = os.path.expanduser(pattern).replace("{pair}", "{source}-{target}")
    names = {token["name"] for token in _TOKEN.finditer(whole)} - {None}
    for name in names:
        if name not in _PLACEHOLDERS:
            raise BleuError(f"{path}: {key}: unknown {{{name}}} in {pattern!r}; choose from {_CHOICES}")
    if "target" not in names:
        raise BleuError(
            f"{path}: {key}: {pattern!r} does not tell language pairs apart; put {{pair}} in place of their names"
        )
    if ("system" in names) != (key == "systems"):
        remedy = "put {system} in place of their names" if key == "systems" else "leave out {system}"
        raise BleuError(
            f"{path}: {key}: {pattern!r} {'does not tell' if key == 'systems' else 'tells'} systems apart; {remedy}"
        )
    folder = os.path.dirname(path)
    # First find candidates, with a star for each placeholder; then see which of them fit the placeholders
    general = _TOKEN.sub(lambda token: "*" if token["name"] else token[0], whole)
    paths = sorted(glob(general, root_dir=folder or None, recursive=True))
    files = [one for one in paths if os.path.isfile(os.path.join(folder, one))]
    try:
        meant = re.compile(_as_expression(whole))
    except re.error as error:
        raise BleuError(f"{path}: {key}: {pattern!r} is not a valid pattern: {error}") from None
    matches = [(one, meant.fullmatch(one.replace(os.sep, "/"))) for one in files]
    hits = [_File(os.path.join(folder, one), match.groupdict()) for one, match in matches if match is not None]
    if not hits:
        alike = tell_count(len(files), "similar file")
        few = f"; of {alike}, none has a pair such as en-de in that place" if files else ""
        raise BleuError(f"{path}: {key}: no file matches {os.path.join(folder, pattern)}{few}")
    for one in hits:
        if one.path.lower().endswith((".jsonl", ".ndjson")):
            raise BleuError(
                f"{path}: {key}: {one.path} is JSON Lines, but a matrix reads only text files; change the pattern"
            )
    return hits


def _as_expression(pattern: str) -> str:
    r"""Return a pattern as a regular expression with a group for each placeholder; if one recurs, so must its text.

    >>> _as_expression("{target}/*.{target}")
    '(?P<target>[A-Za-z]{2,8}(?:_[A-Z][a-z]{3})?(?:_[A-Z]{2})?)/[^/]*\\.(?P=target)'
    """
    parts, names = [], set()
    for token in _TOKEN.finditer(pattern):
        name = token["name"]
        if name is not None:
            parts.append(f"(?P={name})" if name in names else f"(?P<{name}>{_PLACEHOLDERS[name]})")
            names.add(name)
        elif token["deep"]:
            parts.append("(?:.*/)?")  # as in glob, any number of folders, or none
        elif token["star"]:
            parts.append("[^/]*")
        elif token["one"]:
            parts.append("[^/]")
        elif token["of"]:
            inner = token["of"]
            negated = inner[0] == "!" and len(inner) > 1
            rest = _SPECIAL_IN_CLASS.sub(r"\\\g<0>", inner[negated:])
            parts.append(f"[{'^' * negated}{rest}]")
        else:
            parts.append(re.escape(token[0]))
    return "".join(parts)


def _name_pair(values: Mapping[str, str]) -> str:
    """Return the name of a pair; if its pattern has no source, that is the target alone.

    >>> _name_pair({"source": "en", "target": "de"}), _name_pair({"target": "de"})
    ('en-de', 'de')
    """
    return "-".join(values[name] for name in ("source", "target") if name in values)
