"""Other users of a shared cache: real ones if the tests run as root, which may become any user."""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

VICTIM, OTHER = 54321, 54322
SECONDS = 30

needs_root = pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="only root may become another user")
needs_users = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


def as_user(user: int, action: Callable[[], Any]) -> Any:
    """Run an action as another user, in its own process; as the current user where changing the user is not allowed.

    Import beforehand what the action needs: the other user may not be allowed to read it.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)  # ends an action that hangs
        os.umask(0o022)
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        try:
            result = True, action()
        except BaseException as error:
            result = False, f"{type(error).__name__}: {error}"
        with os.fdopen(writing, "wb") as file:
            pickle.dump(result, file)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        answer = file.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, "the action hung" if os.waitstatus_to_exitcode(status) == -signal.SIGALRM else status
    fine, result = pickle.loads(answer)
    assert fine, result
    return result


@contextmanager
def shared_folder() -> Iterator[str]:
    """Make a folder that everyone may write to, outside pytest's own, which only the current user may enter."""
    with tempfile.TemporaryDirectory(prefix="bleu-shared-") as folder:
        os.chmod(folder, 0o777)
        yield folder
