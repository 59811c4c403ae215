"""The workflows for a hosting service: what they run is pinned, and they have no permissions that they do not need."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

WORKFLOWS = sorted((Path(__file__).resolve().parent.parent.parent / ".github" / "workflows").iterdir())
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
INSTALLED = re.compile(r"\bpip install (?:-\S+ )*(.*)")

of_each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)


def steps_with(path: Path, key: str) -> list[str]:
    """Return the steps of a workflow that have a key, each as text."""
    steps = re.split(r"^ +- (?=\w+:)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [step for step in steps if re.search(rf"^ *{key}:", step, re.MULTILINE)]


def test_there_are_workflows():
    assert [path.name for path in WORKFLOWS] == ["tests.yml", "wheels.yml"]
    assert all(steps_with(path, "uses") for path in WORKFLOWS)


@of_each_workflow
def test_every_action_is_pinned_by_its_commit_followed_by_the_version(path):
    used = re.findall(r"\buses: *(.*)", path.read_text(encoding="utf-8"))
    assert [action for action in used if not PINNED.fullmatch(action)] == []


def test_an_action_has_one_version_everywhere():
    used = {action for path in WORKFLOWS for action in re.findall(r"\buses: *(.*)", path.read_text(encoding="utf-8"))}
    assert len({action.partition("@")[0] for action in used}) == len(used)


@of_each_workflow
def test_no_checkout_leaves_credentials(path):
    for step in steps_with(path, "uses"):
        assert "actions/checkout@" not in step or "persist-credentials: false" in step, step


@of_each_workflow
def test_workflows_may_read_and_only_publishing_gets_a_token(path):
    text = path.read_text(encoding="utf-8")
    head, jobs = text.split("\njobs:\n")
    assert "\npermissions:\n  contents: read\n" in head
    writing = re.findall(r"^ *([\w-]+): *(?:write|write-all)\b", text, re.MULTILINE)
    assert writing == (["id-token"] if path.name == "wheels.yml" else [])
    if writing:
        *others, publish = re.split(r"^  (?=\w+:\n)", jobs, flags=re.MULTILINE)
        assert publish.startswith("publish:")
        assert "id-token" in publish
        assert "checkout" not in publish
        assert "run:" not in publish
        assert not any("id-token" in job for job in others)


@of_each_workflow
def test_tools_have_a_fixed_version(path):
    for command in INSTALLED.findall(path.read_text(encoding="utf-8")):
        words = command.partition("&&")[0].split()
        assert all(word == '".[test]"' or "==" in word for word in words), command


@pytest.mark.skipif(os.name == "nt", reason="a script for bash")
@pytest.mark.parametrize("words", [["--al"], ["--all", "--all"], [""]])
def test_ci_refuses_unknown_options_before_it_does_anything(root, words):
    done = subprocess.run(["bash", f"{root}/.ci/run", *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "usage: bash .ci/run [--all]\n")
