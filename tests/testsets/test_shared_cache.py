"""A cache that several people write to: it never touches other people's files, and no lock outlives its holder."""

from __future__ import annotations

import ast
import functools
import os
import shutil
import stat
import threading
import time
import warnings
from pathlib import Path

import pytest
from conftest import Terminal
from other_users import OTHER, VICTIM, as_user, needs_root, needs_users, shared_folder
from raw_files import content, put

import bleucli
from bleucli.cli.main import run as run_command
from bleucli.cli.streams import Environment
from bleucli.errors import BleuError, Note
from bleucli.testsets import cache, registry
from bleucli.testsets.cache import Draft, hold_lock, sweep

fcntl = pytest.importorskip("fcntl")
pytestmark = needs_users

REGISTRY = """
[testsets."acme/x"]
format = "plain"
sources = [{ url = "s.tar" }, { url = "r.txt" }]
[testsets."acme/x".pairs.en-de]
files = ["s.txt", "source:1"]
"""
FIELDS = {"src": b"one\ntwo\n", "ref": b"eins\nzwei\n"}


class Shared:
    """A shared cache, sources that everyone may read, and a folder that only the victim may enter."""

    def __init__(self, folder):
        import tarfile

        self.folder = folder
        self.cache = os.path.join(folder, "cache")
        self.raw = os.path.join(self.cache, "acme", "x", "raw")
        self.project = os.path.join(folder, "project")
        put(os.path.join(folder, "s.txt"), FIELDS["src"])
        put(os.path.join(folder, "r.txt"), FIELDS["ref"])
        with tarfile.open(os.path.join(folder, "s.tar"), "w") as archive:
            archive.add(os.path.join(folder, "s.txt"), "s.txt")
        put(os.path.join(folder, "r.toml"), REGISTRY.encode())
        for name in ("thesis.tex", "main.py"):
            put(os.path.join(self.project, name), b"data")
        for path in (self.project, *(os.path.join(self.project, name) for name in os.listdir(self.project))):
            os.chmod(path, 0o700)
            if os.geteuid() == 0:
                os.chown(path, VICTIM, VICTIM)

    def open_to_all(self):
        """Make the folders of the cache, and let everyone write to them."""
        os.makedirs(self.raw, exist_ok=True)
        for path in (self.cache, os.path.dirname(os.path.dirname(self.raw)), os.path.dirname(self.raw), self.raw):
            os.chmod(path, 0o777)

    def download(self, *more):
        """Run the command; return its status and its messages."""
        from io import BytesIO

        said = Terminal()
        words = ["--registry", os.path.join(self.folder, "r.toml"), "--download", "acme/x", *more]
        status = run_command(words, Environment(BytesIO(), BytesIO(), said, {"NO_COLOR": "1"}))
        return int(status), said.getvalue().decode()

    def check_project(self):
        """Check that the victim's files are unchanged and that nothing was added."""
        names = sorted(os.listdir(self.project))
        assert names == ["main.py", "thesis.tex"]
        assert {content(os.path.join(self.project, name)) for name in names} == {b"data"}

    def check_fields(self):
        for name, data in FIELDS.items():
            path = os.path.join(self.cache, "acme", "x", f"acme_x.en-de.{name}")
            assert stat.S_ISREG(os.lstat(path).st_mode)
            assert content(path) == data


@pytest.fixture
def shared(monkeypatch):
    for name in ("BLEU_MIRROR", "BLEU_OFFLINE", "BLEU_REGISTRY", "SACREBLEU"):
        monkeypatch.delenv(name, raising=False)
    # Other users may not be allowed to read the folder of the package, so its data are read once and kept
    monkeypatch.setattr(registry, "_package_data", functools.cache(registry._package_data))
    with shared_folder() as folder:
        shared = Shared(folder)
        for home, options in (("loud", []), ("quiet", ["-q"])):  # so that everything is imported
            monkeypatch.setenv("BLEU_HOME", os.path.join(folder, home))
            assert shared.download(*options) == (0, "")
        monkeypatch.setenv("BLEU_HOME", shared.cache)
        yield shared


# Files that must be plain and are not replaced, since another process may hold them or rely on them
KEPT = ("acme_x.lock", "acme_x.s.tar.lock", "acme_x.s.tar.sha256", "acme_x.s.tar.members.lock", "acme_x.r.txt.lock")


def names_in_the_cache():
    """Return the names of the other files that a download makes, and of those that it made in earlier versions."""
    user = VICTIM if os.geteuid() == 0 else os.geteuid()
    ends = (".part", ".part.json", ".new", ".sha256.part", f".{user}.part", f".{user}.part.json", ".unpacked")
    made = ("acme_x.s.tar", "acme_x.r.txt", "s.txt", "acme_x.en-de", "acme_x.en-de.fields", "acme_x.en-de.src")
    return [*(name + end for name in made for end in ends), "s.txt", "acme_x.en-de.fields"]


@pytest.mark.parametrize("target", ["project", "project/thesis.tex", "project/new.txt"])
def test_links_of_others_cause_no_file_to_be_deleted_written_or_made(target, shared):
    shared.open_to_all()
    there = os.path.join(shared.folder, target)
    paths = [os.path.join(shared.raw, name) for name in names_in_the_cache()]
    if target != "project/thesis.tex":  # reading it does no harm
        paths.append(os.path.join(shared.cache, "acme", "x", "acme_x.en-de.src"))
    as_user(OTHER, lambda: [os.symlink(there, path) for path in paths])
    assert as_user(VICTIM, shared.download) == (0, "")
    shared.check_project()
    shared.check_fields()


@pytest.mark.slow
@pytest.mark.parametrize("name", KEPT)
def test_a_link_in_place_of_a_lock_or_a_checksum_is_refused(name, shared):
    for target in ("thesis.tex", "new.txt"):
        shared.open_to_all()
        link = os.path.join(shared.raw, name)
        as_user(OTHER, lambda link=link, target=target: os.symlink(os.path.join(shared.project, target), link))
        status, said = as_user(VICTIM, shared.download)
        assert status == 2
        assert said == f"bleu: error: {link} is a link, a pipe or a device, not a plain file; delete it\n"
        shared.check_project()
        cleared(shared.cache)


def cleared(folder):
    """Remove a folder; no link is followed."""
    shutil.rmtree(folder)


@needs_root
@pytest.mark.parametrize("place", ["acme", "acme/x", "acme/x/raw"])
def test_a_folder_that_is_a_link_of_another_user_is_refused(place, shared):
    shared.open_to_all()
    cleared(os.path.join(shared.cache, place))
    link = os.path.join(shared.cache, place)
    as_user(OTHER, lambda: os.symlink(shared.project, link))
    status, said = as_user(VICTIM, shared.download)
    assert status == 2
    assert f"{link} is a link that belongs to another user, so bleu does not follow it" in said
    shared.check_project()


def test_a_folder_that_is_our_own_link_is_used(shared):
    def link():
        elsewhere = os.path.join(shared.folder, "elsewhere")
        os.mkdir(elsewhere)
        os.symlink(elsewhere, os.path.join(shared.cache, "acme"))

    os.mkdir(shared.cache, 0o777)
    os.chmod(shared.cache, 0o777)
    as_user(VICTIM, link)
    assert as_user(VICTIM, shared.download) == (0, "")
    shared.check_fields()


@pytest.mark.slow
def test_the_cache_itself_may_be_a_link(shared, monkeypatch):
    os.symlink(shared.cache, os.path.join(shared.folder, "link"))
    os.mkdir(shared.cache)
    monkeypatch.setenv("BLEU_HOME", os.path.join(shared.folder, "link"))
    assert shared.download() == (0, "")
    shared.check_fields()


@pytest.mark.parametrize("name", KEPT)
def test_a_pipe_in_place_of_a_lock_or_a_checksum_is_named_and_not_waited_for(name, shared):
    shared.open_to_all()
    os.mkfifo(os.path.join(shared.raw, name), 0o666)
    status, said = as_user(VICTIM, shared.download)
    assert status == 2
    assert f"{name} is a link, a pipe or a device, not a plain file; delete it" in said
    assert said.count("\n") == 1


def test_a_pipe_in_place_of_other_files_is_replaced_or_left(shared):
    shared.open_to_all()
    for name in names_in_the_cache():
        os.mkfifo(os.path.join(shared.raw, name), 0o666)
    assert as_user(VICTIM, shared.download) == (0, "")
    shared.check_fields()


def test_a_lock_that_another_user_left_does_not_block(shared):
    shared.open_to_all()
    for name in ("acme_x.lock", "acme_x.s.tar.lock", "acme_x.s.tar.members.lock", "acme_x.r.txt.lock"):
        as_user(OTHER, lambda name=name: put(os.path.join(shared.raw, name), b""))
    assert as_user(VICTIM, shared.download) == (0, "")
    shared.check_fields()
    assert not [name for name in os.listdir(shared.raw) if name.endswith(".lock")]


def test_a_lock_that_another_user_left_in_a_sticky_folder_does_not_block(shared):
    shared.open_to_all()
    os.chmod(shared.raw, 0o1777)
    as_user(OTHER, lambda: put(os.path.join(shared.raw, "acme_x.lock"), b""))
    part = os.path.join(shared.raw, "acme_x.r.txt")
    as_user(OTHER, lambda: put(f"{part}.{'0' * 16}.new", b"half"))
    assert as_user(VICTIM, shared.download) == (0, "")
    shared.check_fields()


def test_a_lock_that_is_held_for_a_moment_gets_no_note(shared):
    shared.open_to_all()
    path = os.path.join(shared.raw, "acme_x.lock")
    with open(path, "wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        threading.Timer(0.3, lambda: fcntl.flock(held, fcntl.LOCK_UN)).start()
        with warnings.catch_warnings(action="error", category=Note), hold_lock(path):
            pass


def test_a_lock_that_others_hold_does_not_block_reading(shared):
    assert shared.download() == (0, "")
    path = os.path.join(shared.raw, "acme_x.s.tar.lock")
    started = time.monotonic()
    with open(path, "wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        sweep(path)
        assert os.path.exists(path)
    assert time.monotonic() - started < 5
    sweep(path)
    assert not os.path.exists(path)


def test_locks_that_are_hard_links_to_one_file_do_not_wait_for_each_other(place):
    put(place, b"kept")
    paths = [f"{place}.lock", f"{place}.members.lock"]
    for path in paths:
        os.link(place, path)
    with warnings.catch_warnings(action="error", category=Note), hold_lock(paths[0]), hold_lock(paths[1]):
        assert not any(os.path.samefile(place, path) for path in paths)
    assert os.listdir(os.path.dirname(place)) == ["file"]
    assert content(place) == b"kept"


def test_others_can_wait_for_a_lock_whatever_our_umask(shared):
    path = os.path.join(shared.folder, "a.lock")
    before = os.umask(0o077)
    try:
        with hold_lock(path):
            assert stat.S_IMODE(os.stat(path).st_mode) == 0o666
    finally:
        os.umask(before)


# --- single files


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "file")


def test_a_draft_has_an_unpredictable_name_until_it_is_kept(place):
    seen = set()
    for _ in range(3):
        with Draft(place) as draft:
            draft.file.write(b"new")
            seen |= set(os.listdir(os.path.dirname(place))) - {"file"}
            draft.keep()
    assert len(seen) == 3
    assert os.listdir(os.path.dirname(place)) == ["file"]
    assert content(place) == b"new"


def test_a_draft_that_is_not_kept_is_deleted_and_the_old_file_stays(place):
    put(place, b"old")
    with Draft(place) as draft:
        draft.file.write(b"new")
        assert len(os.listdir(os.path.dirname(place))) == 2
    assert os.listdir(os.path.dirname(place)) == ["file"]
    assert content(place) == b"old"


def test_a_draft_replaces_a_link_and_not_its_target(place):
    put(f"{place}.kept", b"kept")
    os.symlink(f"{place}.kept", place)
    with Draft(place) as draft:
        draft.file.write(b"new")
        draft.keep()
    assert (content(place), content(f"{place}.kept")) == (b"new", b"kept")
    assert not os.path.islink(place)


def test_a_new_file_must_not_exist_yet(place):
    put(f"{place}.kept", b"kept")
    os.symlink(f"{place}.kept", place)
    with pytest.raises(FileExistsError):
        cache.create(place)
    os.remove(place)
    os.symlink(f"{place}.none", place)
    with pytest.raises(FileExistsError):
        cache.create(place)
    assert not os.path.exists(f"{place}.none")


def test_small_files_are_read_if_they_are_plain(place):
    assert cache.read_start(place) is None
    put(place, b"text")
    assert cache.read_start(place, 2) == b"te"
    os.symlink(place, f"{place}.link")
    os.mkfifo(f"{place}.pipe")
    for name in ("link", "pipe"):
        with pytest.raises(BleuError, match=f"{name} is a link, a pipe or a device, not a plain file; delete it"):
            cache.read_start(f"{place}.{name}")


WRITING = {
    "makedirs",
    "mkdir",
    "remove",
    "unlink",
    "rmdir",
    "replace",
    "rename",
    "open",
    "mkdtemp",
    "mkstemp",
    "fdopen",
}


def test_only_one_module_writes_to_the_cache():
    found = []
    for path in Path(bleucli.__file__).parent.joinpath("testsets").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            function = node.func
            of_os = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
            if of_os and function.value.id in ("os", "shutil", "tempfile") and function.attr in WRITING:
                found.append((path.name, function.attr))
            if isinstance(function, ast.Name) and function.id == "open":
                modes = [argument.value for argument in node.args[1:] if isinstance(argument, ast.Constant)]
                assert path.name == "access.py" or not set("".join(map(str, modes))) & set("wax+"), path
    assert {name for name, _ in found} == {"cache.py"}
