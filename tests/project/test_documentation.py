"""What Python's own documentation tools print about the package: no environment, no defaults that can change."""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from types import BuiltinFunctionType, FunctionType

import pytest

import bleucli

MODULES = ["bleucli", *(module.name for module in pkgutil.walk_packages(bleucli.__path__, "bleucli."))]
UNCHANGEABLE = (type(None), bool, int, float, str, bytes, type, FunctionType)
SECRET = "correct-horse-battery-staple"


def is_constant(value):
    """Return whether a default can neither change nor contain what differs from run to run."""
    if isinstance(value, tuple | frozenset):
        return all(map(is_constant, value))
    if isinstance(value, BuiltinFunctionType):  # also the type of methods, such as [].append
        return inspect.ismodule(value.__self__)
    return value is inspect.Parameter.empty or isinstance(value, UNCHANGEABLE)


def functions_of(name):
    """Give the functions and methods that a module defines, private ones too."""
    module = importlib.import_module(name)
    for value in vars(module).values():
        if getattr(value, "__module__", None) != name:
            continue
        members = vars(value).values() if inspect.isclass(value) else [value]
        for member in members:
            function = inspect.unwrap(getattr(member, "__func__", getattr(member, "fget", member)))
            if inspect.isfunction(function):
                yield function


def test_no_default_is_an_environment_or_anything_else_that_changes():
    for name in MODULES:
        for function in functions_of(name):
            for parameter in inspect.signature(function).parameters.values():
                assert is_constant(parameter.default), f"{name}.{function.__qualname__}: {parameter}"


def documented(function):
    """Return the names of the arguments that a docstring describes; None if it describes none."""
    _, part, text = (inspect.getdoc(function) or "").partition("\nArgs:\n")
    text = re.split(r"\n\n|\n(?=\S)", text)[0]
    names = re.findall(r"^    (\*{0,2}\w+(?:, \w+)*): ", text, re.MULTILINE)
    return [one.lstrip("*") for group in names for one in group.split(", ")] if part else None


def test_a_docstring_that_describes_arguments_describes_all_of_them_and_no_others():
    for function in (function for name in MODULES for function in functions_of(name)):
        names = documented(function)
        if names is not None and not any(part.startswith("_") for part in function.__qualname__.split(".")):
            arguments = [one for one in inspect.signature(function).parameters if one not in ("self", "cls")]
            assert sorted(names) == sorted(arguments), f"{function.__module__}.{function.__qualname__}"


def test_functions_are_found():
    names = {function.__qualname__ for module in MODULES for function in functions_of(module)}
    assert {"random_seed", "BLEU.__init__", "TextFile.blocks", "Segments.from_strings", "sentence_bleu"} <= names
    assert not is_constant(os.environ)
    assert not is_constant(([],))
    assert is_constant(max)
    assert not is_constant([].append)


# Quick tests look at the defaults of all functions; this one at what pydoc makes of them
@pytest.mark.slow
def test_documentation_tells_no_secrets():
    """Once, `help(bleucli.significance.resampling)` printed the whole environment; `pydoc -w` wrote it to a file."""
    program = "import pydoc, sys\nfor name in sys.argv[1:]: print(pydoc.render_doc(name, renderer=pydoc.plaintext))"
    done = subprocess.run(
        [sys.executable, "-c", program, *(name for name in MODULES if not name.endswith("__main__"))],
        env={**os.environ, "SOME_TOKEN": SECRET},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert "random_seed(variables" in done.stdout
    assert SECRET not in done.stdout


def test_dir_shows_what_is_public():
    shown = {name for name in dir(bleucli) if not name.startswith("__")}
    assert shown == {name for name in bleucli.__all__ if not name.startswith("__")}
    assert "__version__" in dir(bleucli)


def test_submodules_are_imported_when_they_are_first_used():
    program = "import bleucli; print(bleucli.{0}.__name__); assert {0!r} in dir(bleucli)"
    homes = {name: f"bleucli.{name}" for name in ("metrics", "significance")}
    for name, home in (homes | {"resampling": "bleucli.significance.resampling"}).items():
        done = subprocess.run(
            [sys.executable, "-c", program.format(name)],
            env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(bleucli.__file__))},
            capture_output=True,
            encoding="utf-8",
        )
        assert (done.returncode, done.stdout) == (0, f"{home}\n"), done.stderr
