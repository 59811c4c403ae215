"""What scripts/demo and scripts/test say where their environment cannot be made; CI makes it, with and without CC."""

import os
import subprocess

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="scripts for sh")


@pytest.fixture
def script(root, tmp_path):
    """Return a function that runs scripts/demo with an environment of its own and variables, and what comes of it."""

    def script(**variables):
        given = {"BLEU_ENVIRONMENT": str(tmp_path / "environment")} | variables
        done = subprocess.run(
            [f"{root}/scripts/demo"], env=os.environ | given, capture_output=True, text=True, timeout=60
        )
        assert done.stdout == ""
        return done.returncode, done.stderr.removeprefix("scripts/demo: ")

    return script


@pytest.fixture
def program(tmp_path):
    """Return a function that writes a program for sh, and returns its path."""

    def program(name, text):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return str(path)

    return program


def test_a_python_that_is_too_old_is_named_with_its_version(script, program):
    old = program("python3.9", "echo '3.9.2 (default) /usr True'; exit 1")
    assert script(PYTHON=old) == (
        2,
        f"needs Python 3.11 or newer, found {old} 3.9.2 (PYTHON={old}); install one, or set PYTHON to it\n",
    )


def test_a_python_that_is_not_there_is_said_to_be_missing(script):
    status, message = script(PYTHON="nopython")
    assert (status, message) == (
        2,
        "needs Python 3.11 or newer, found none (PYTHON=nopython); install one, or set PYTHON to it\n",
    )


def test_a_directory_of_others_is_not_emptied(script, tmp_path):
    theirs = tmp_path / "environment"
    theirs.mkdir()
    (theirs / "pyvenv.cfg").write_text("home = somewhere\n")
    (theirs / "thesis.tex").write_text("finished")
    status, message = script()
    assert (status, message) == (
        2,
        f"{theirs} is in use for something else; set BLEU_ENVIRONMENT to another directory\n",
    )
    assert (theirs / "thesis.tex").read_text() == "finished"


def test_a_place_where_nothing_can_be_written_is_named(script, tmp_path):
    (tmp_path / "file").write_text("")
    status, message = script(BLEU_ENVIRONMENT=str(tmp_path / "file" / "environment"))
    assert (status, message) == (
        2,
        f"cannot write {tmp_path}/file/environment; set BLEU_ENVIRONMENT to a directory that can be written\n",
    )


def test_python_without_venv_says_so_and_nothing_half_made_is_left_to_be_trusted(script, program, tmp_path):
    """Debian's Python can do without: what it says is passed on."""
    python = program(
        "python3", "case $1 in -c) echo '3.12.1 (main) /usr True' ;; *) echo no ensurepip >&2; exit 1 ;; esac"
    )
    status, message = script(PYTHON=python)
    *_, said, ours = message.splitlines()
    assert (status, said) == (2, "no ensurepip")
    assert ours.endswith(
        f"{python} cannot make environments, as said above (Debian and Ubuntu: apt install python3-venv)"
    )
    assert (tmp_path / "environment" / ".made-from").read_text() == ""
