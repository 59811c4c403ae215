"""The table of DESIGN: which part may import which, and that no part imports itself in a circle."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "bleucli"

BASE = {"errors", "limits", "records"}
MAY_IMPORT = {
    "_version": set(),
    "errors": set(),
    "records": set(),
    "limits": {"errors"},
    "segments": BASE,
    "threads": BASE | {"kernels"},
    "markup": set(),
    "stats": BASE,
    "results": BASE | {"signature"},
    "kernels": BASE | {"segments", "stats"},
    "inspection": BASE | {"segments", "kernels", "records"},
    "decompression": BASE | {"optional_deps"},
    "textfiles": BASE | {"segments", "kernels", "decompression"},
    "jsonlines": BASE | {"segments", "kernels", "textfiles"},
    "optional_deps": BASE | {"segments", "kernels"},
    "signature": BASE | {"_version", "markup"},
    "tokenizers": BASE | {"segments", "kernels", "optional_deps"},
    "tokenizers/sentencepiece": BASE | {"segments", "optional_deps", "testsets"},
    "corpus": BASE | {"segments", "kernels", "records"},
    "counting": BASE | {"corpus", "inspection", "kernels", "records", "results", "segments", "stats", "threads"},
    "metrics": BASE
    | {"corpus", "counting", "inspection", "kernels", "segments", "signature", "significance", "stats", "tokenizers"},
    "significance": BASE | {"stats", "kernels", "results", "threads"},
    "significance/paired_test": BASE | {"corpus", "counting", "results", "signature"},
    "segment_scores": BASE | {"corpus", "segments", "signature", "stats", "significance", "results"},
    "testsets": BASE | {"markup", "segments", "textfiles", "decompression", "optional_deps"},
    "output": BASE | {"markup", "results", "optional_deps"},
    "evaluate": BASE | {"corpus", "counting", "metrics", "records", "results", "significance"},
}
MAY_IMPORT["cli"] = set(MAY_IMPORT)
MAY_IMPORT["__main__"] = {"cli", "errors"}
MAY_IMPORT["__init__"] = {"_version"}  # the rest is resolved when it is first used

MODULES = sorted(PACKAGE.rglob("*.py"))


def part_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Walk through code that runs: not what stands under `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            for other in child.orelse:
                yield from statements(other)
            continue
        yield child
        yield from statements(child)


def imported_parts(path: Path) -> set[str]:
    found = set()
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import"
            module = node.module or ""
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "bleucli" else [module]
        ours = [name.split(".") for name in names if name.split(".")[0] == "bleucli"]
        found |= {parts[1] if len(parts) > 1 else "__init__" for parts in ours}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_its_part_may(path):
    part = part_of(path)
    module = path.relative_to(PACKAGE).as_posix().removesuffix(".py")
    assert imported_parts(path) - {part} <= MAY_IMPORT.get(module, MAY_IMPORT[part])


def test_no_part_imports_itself_in_a_circle():
    graph = {}
    for path in MODULES:
        graph.setdefault(part_of(path), set()).update(imported_parts(path) - {part_of(path)})
    while graph:
        free = [part for part, others in graph.items() if not others & graph.keys()]
        assert free, f"a circle among {sorted(graph)}"
        for part in free:
            del graph[part]


def test_no_module_is_named_like_a_standard_one():
    names = {path.stem for path in MODULES} - {"__init__", "__main__"}
    assert not names & set(sys.stdlib_module_names)


def test_only_the_command_the_kernels_and_the_cache_read_the_environment():
    readers = {str(path.relative_to(PACKAGE)) for path in MODULES if "os.environ" in path.read_text(encoding="utf-8")}
    assert readers == {"cli/streams.py", "kernels/__init__.py", "significance/resampling.py", "testsets/cache.py"}
