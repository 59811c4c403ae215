"""The rules of DESIGN: which room may import which, and what only the command may do.

Every import counts, even those inside functions and those only for the type checker.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent.parent / "bleucli"

# Each room, and each module that may do more than its room, with the rooms that it imports: exactly these, and all of
# them above it in this table. So no two rooms can import each other.
LADDER: dict[str, set[str]] = {
    "_version": set(),
    "alias": {"_version"},
    "language_pairs": set(),
    "phrases": set(),
    "errors": {"phrases"},
    "records": set(),
    "prose": {"phrases", "records"},
    "limits": {"errors"},
    "optional_deps": {"errors"},
    "results": {"_version", "errors", "limits", "phrases", "prose", "records"},
    "waiting": {"errors", "prose", "results"},
    "text": {"errors", "optional_deps", "phrases"},
    "kernels": {"errors", "optional_deps", "phrases", "records", "text"},
    "output": {"errors", "kernels", "optional_deps", "phrases", "prose", "records", "results"},
    "inspection": {"errors", "kernels", "optional_deps", "phrases", "records", "results", "text"},
    "counting": {"errors", "inspection", "kernels", "limits", "phrases", "records", "results", "text"},
    "significance": {"counting", "errors", "kernels", "limits", "phrases", "prose", "records", "results"},
    "reading": {"errors", "kernels", "language_pairs", "limits", "optional_deps", "phrases", "records", "text"},
    "testsets": {
        *("errors", "language_pairs", "limits", "phrases", "prose", "reading", "records", "results", "text"),
        "waiting",
    },
    "tokenizers": {"errors", "kernels", "language_pairs", "limits", "phrases", "records", "text"},
    "metrics": {
        *("counting", "errors", "inspection", "kernels", "limits", "phrases", "prose", "records", "results"),
        *("significance", "text", "tokenizers"),
    },
    "tokenizers/libraries": {"errors", "kernels", "optional_deps", "testsets", "text"},
    "gates": {"errors", "limits", "metrics", "phrases", "reading", "records", "results", "waiting"},
    "scale": {
        *("_version", "counting", "errors", "kernels", "limits", "metrics", "optional_deps", "phrases", "reading"),
        *("records", "results", "text"),
    },
    "scoring": {
        *("counting", "errors", "limits", "metrics", "phrases", "records", "results", "scale", "significance", "text"),
    },
    "evaluate": {"counting", "errors", "limits", "metrics", "phrases", "results", "scoring", "significance", "text"},
    "check": {
        *("counting", "errors", "inspection", "kernels", "metrics", "phrases", "records", "results", "significance"),
        "text",
    },
    "match": {
        *("counting", "errors", "kernels", "limits", "metrics", "phrases", "prose", "records", "results", "text"),
        "tokenizers",
    },
    "report": {
        *("_version", "counting", "errors", "kernels", "limits", "metrics", "optional_deps", "output", "phrases"),
        *("prose", "records", "results", "scoring", "significance", "text"),
    },
    "matrix": {
        *("counting", "errors", "limits", "metrics", "phrases", "reading", "records", "report", "results", "scoring"),
        *("significance", "tokenizers"),
    },
    "web": {
        *("_version", "counting", "errors", "kernels", "limits", "metrics", "optional_deps", "phrases", "prose"),
        *("reading", "results", "scoring", "text", "tokenizers"),
    },
    "cli": {
        *("_version", "alias", "check", "counting", "errors", "gates", "inspection", "kernels", "limits", "match"),
        *(
            "matrix",
            "metrics",
            "optional_deps",
            "output",
            "phrases",
            "prose",
            "reading",
            "records",
            "report",
            "results",
        ),
        *("results", "scale", "scoring", "significance", "testsets", "text", "tokenizers", "waiting", "web"),
    },
    "__main__": {"cli"},
    "as_sacrebleu": {
        *("__main__", "_version", "alias", "counting", "errors", "kernels", "limits", "metrics", "output"),
        *("results", "significance", "testsets", "text", "tokenizers"),
    },
    "__init__": {
        *("_version", "check", "counting", "errors", "evaluate", "match", "matrix", "metrics", "output", "report"),
        *("results", "scale", "significance", "testsets", "text"),
    },
}
# What no edit of the ladder may allow
TEXTS = {"testsets", "reading"}
NEVER = {
    "metrics": {*TEXTS, "output"},
    "significance": {*TEXTS, "metrics", "output"},
    "counting": {*TEXTS, "metrics", "output", "significance"},
    "output": {*TEXTS, "metrics"},
}
# The command, and that of another program
COMMANDS = ("cli", "__main__", "as_sacrebleu")
# One function each reads the environment: the kernels' switch, the seed, the cache
READERS_OF_ENVIRONMENT = {"kernels", "significance/resampling", "testsets/cache"}
# Shows on a terminal what is waited for, even if it is called from Python
SPEAKERS = {"waiting"}


def name_of(path: Path) -> str:
    """Return the name of a module, such as `testsets/cache`; a package is named like its folder."""
    return path.relative_to(PACKAGE).as_posix().removesuffix(".py").removesuffix("/__init__")


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def room_of(module: str) -> str:
    return module.partition("/")[0]


def row_of(module: str) -> str:
    return module if module in LADDER else room_of(module)


def module_of(dotted: str) -> str:
    """Return the module that a dotted name names, or is defined in."""
    parts = dotted.split(".")[1:]
    while parts and "/".join(parts) not in MODULES:
        parts.pop()
    return "/".join(parts) or "__init__"


@cache
def imported(module: str) -> set[str]:
    """Return the modules that a module imports, wherever it does so, those named in a string included."""
    names = []
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and re.fullmatch(r"bleucli(\.\w+)+", str(node.value)):
            names.append(node.value)
    return {module_of(name) for name in names if name.partition(".")[0] == "bleucli"} - {module}


def imported_rooms(row: str) -> set[str]:
    modules = [module for module in MODULES if row_of(module) == row]
    return {room_of(other) for module in modules for other in imported(module)} - {room_of(row)}


def cycle(graph: Mapping[str, set[str]]) -> set[str]:
    """Return the nodes that lead to one another, and those that lead to them; none if there is no cycle."""
    left = dict(graph)
    while free := [node for node, others in left.items() if not others & left.keys()]:
        for node in free:
            del left[node]
    return set(left)


@pytest.mark.parametrize("row", LADDER)
def test_a_room_imports_exactly_what_the_ladder_says(row):
    assert imported_rooms(row) == LADDER[row]


def test_every_room_has_a_rung_above_those_that_import_it():
    assert {row_of(module) for module in MODULES} == LADDER.keys()
    rungs = list(LADDER)
    for row, others in LADDER.items():
        assert all(rungs.index(other) < rungs.index(room_of(row)) for other in others), row


def test_no_module_imports_itself_through_others():
    assert not cycle({module: imported(module) for module in MODULES})


def test_a_cycle_would_be_found():
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == {"a", "b", "c"}


@pytest.mark.parametrize("room", NEVER)
def test_a_room_never_sees_what_it_must_not_depend_on(room):
    assert not LADDER[room] & NEVER[room]


def test_imports_are_absolute_and_modules_are_named_in_full():
    for module in MODULES:
        for node in ast.walk(tree_of(module)):
            assert not (isinstance(node, ast.ImportFrom) and node.level), module
            if isinstance(node, ast.JoinedStr) and module not in (
                "__init__",
                "metrics",
                "cli/commands",
            ):  # import when asked
                assert not any(str(getattr(part, "value", "")).startswith("bleucli.") for part in node.values), module


def test_only_the_door_of_the_sources_sees_the_options():
    assert {module for module in MODULES if "cli/options" in imported(module) and module.startswith("cli/sources")} == {
        "cli/sources"
    }


def test_no_module_is_named_like_a_standard_one():
    names = {module.rpartition("/")[2] for module in MODULES} - {"__main__"}
    assert not names & set(sys.stdlib_module_names)


@cache
def names_in(module: str) -> list[tuple[str, str]]:
    """Return the names that a module uses, with their attributes, each after its function; "": the module itself."""

    def search(node: ast.AST, function: str) -> Iterator[tuple[str, str]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Name):
                yield function, child.id
            elif isinstance(child, ast.Attribute) and isinstance(child.value, ast.Name):
                yield function, f"{child.value.id}.{child.attr}"
            named = isinstance(child, ast.FunctionDef | ast.ClassDef)
            yield from search(child, f"{function}.{child.name}" if named else function)

    return list(search(tree_of(module), ""))


def functions_with(module: str, pattern: str) -> set[str]:
    """Return the functions of a module that use a name."""
    return {function for function, name in names_in(module) if re.fullmatch(pattern, name)}


def test_only_the_command_prints_exits_and_reads_the_environment():
    for module in MODULES:
        if room_of(module) in COMMANDS:
            continue
        assert not functions_with(module, r"sys\.(argv|exit|stdin)|os\._exit|exit|quit|print|input|SystemExit"), module
        assert bool(functions_with(module, r"sys\.std(out|err)")) == (module in SPEAKERS), module
        readers = functions_with(module, r"os\.(environ|environb|getenv)")
        assert len(readers) == (module in READERS_OF_ENVIRONMENT), module
