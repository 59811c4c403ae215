"""What scripts/demo and scripts/test print before they make an environment, and when they cannot; CI makes one."""

from __future__ import annotations

import os
import re
import signal
import subprocess

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="scripts for sh")


@pytest.fixture
def script(root, tmp_path):
    """Return a function that runs scripts/demo with its own environment and some variables, and returns the result."""

    def script(name="demo", **variables):
        given = {"BLEU_ENVIRONMENT": str(tmp_path / "environment")} | variables
        done = subprocess.run(
            [f"{root}/scripts/{name}"], env=os.environ | given, capture_output=True, text=True, timeout=60
        )
        assert done.stdout == ""
        return done.returncode, done.stderr.removeprefix(f"scripts/{name}: ")

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


def test_a_missing_python_is_named(script):
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
        f"cannot write {tmp_path}/file/environment; set BLEU_ENVIRONMENT to a writable directory\n",
    )


def test_python_without_venv_is_named_and_leaves_nothing_half_made(script, program, tmp_path):
    """Debian may install Python without venv; Python's own message is then passed on."""
    python = program(
        "python3", "case $1 in -c) echo '3.12.1 (main) /usr True' ;; *) echo no ensurepip >&2; exit 1 ;; esac"
    )
    status, message = script(PYTHON=python)
    *_, said, ours = message.splitlines()
    assert (status, said) == (2, "no ensurepip")
    assert ours.endswith(f"{python} cannot make environments; see above (Debian and Ubuntu: apt install python3-venv)")
    assert (tmp_path / "environment" / ".made-from").read_text() == ""


# A Python that makes environments whose own Python has no network
WITHOUT_A_NETWORK = r"""
case $2 in
venv)
    mkdir -p "$3/bin"
    printf '#!/bin/sh\necho no network >&2; exit 1\n' >"$3/bin/python"
    chmod +x "$3/bin/python"
    ;;
*) echo '3.12.1 (main) /usr True' ;;
esac
"""


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        ("demo", "downloads about 20 MB, takes about half a minute and 100 MB of disk space"),
        ("test", "downloads about 350 MB, takes about two minutes and 1 GB of disk space"),
    ],
)
def test_the_cost_of_setting_up_is_printed_before_anything_is_done(script, program, tmp_path, name, cost):
    status, message = script(name, PYTHON=program("python3", WITHOUT_A_NETWORK))
    assert (status, message.splitlines()) == (
        1,
        [
            f"setting up {tmp_path}/environment (once): {cost}",
            "no network",
            f"scripts/{name}: installing the build tools failed; see above; the next run tries again",
        ],
    )


# The Python of an existing environment: it has all packages that builds need, but no kernels and no network
MADE = """
case $* in
*find_spec*) exit 0 ;;
*bleucli.kernels*) exit 1 ;;
*) echo "$@" >&2; exit 1 ;;
esac
"""


@pytest.mark.parametrize(
    ("made_for", "name", "said"),
    [
        ("run", "demo", "building bleucli (once for each change): takes about ten seconds"),
        ("test", "demo", "building bleucli (once for each change): takes about ten seconds"),
        ("test", "test", "building bleucli (once for each change): takes about ten seconds"),
        ("run", "test", "completing {} (once): downloads about 350 MB, takes about two minutes"),
    ],
)
def test_an_update_names_its_lower_cost(script, program, tmp_path, made_for, name, said):
    environment = tmp_path / "environment"
    (environment / "bin").mkdir(parents=True)
    python = program("python3", "echo '3.12.1 (main) /usr True'")
    os.rename(program("made", MADE), environment / "bin" / "python")
    (environment / ".made-from").write_text(f"3.12.1 (main) /usr True in {environment}\n{made_for}\nold sources\n")
    status, message = script(name, PYTHON=python)
    first, pip, *_ = message.splitlines()
    assert status == 1
    assert first.startswith(said.format(environment))
    assert pip.startswith("-m pip install --quiet ")


def test_help_is_short_and_sets_nothing_up(root, tmp_path):
    place = tmp_path / "environment"
    done = subprocess.run(
        [f"{root}/scripts/test", "--help"],
        env=os.environ | {"BLEU_ENVIRONMENT": str(place)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: scripts/test [--quick] ")
    for part in ("less than two minutes", str(place), "downloads about 350 MB"):
        assert part in done.stdout
    assert done.stdout.count("\n") < 15
    assert not place.exists()


def test_the_quick_tests_exist_and_cover_every_room_of_the_package(root):
    with open(os.path.join(root, "scripts", "test"), encoding="utf-8") as file:
        (listed,) = re.findall(r'^quick="(.*?)"$', file.read(), re.DOTALL | re.MULTILINE)
    files = listed.split()
    assert len(files) == len(set(files))
    text = ""
    for name in files:
        path = os.path.join(root, name)
        assert os.path.exists(path), name
        if name.startswith("tests/"):
            with open(path, encoding="utf-8") as file:
                text += file.read()
    package = os.path.join(root, "bleucli")
    rooms = [entry.name for entry in os.scandir(package) if os.path.exists(os.path.join(entry.path, "__init__.py"))]
    assert len(rooms) > 7
    assert [
        room for room in rooms if not re.search(rf"\bbleucli\.{room}\b|from bleucli import .*\b{room}\b", text)
    ] == []


def test_a_broken_pipe_does_not_kill_the_tests():
    assert signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN, "an imported test file has changed this"
