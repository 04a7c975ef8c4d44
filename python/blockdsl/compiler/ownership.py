"""Ownership checks of files and directories that machine code, or its source, is loaded from."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Iterable
from pathlib import Path


def fault_of(status: os.stat_result, *, allows_private_group: bool = False) -> str | None:
    """Returns why another user may own or write to a file or directory; None if no other user may.

    Args:
        status: The status of the file or directory.
        allows_private_group: Write access for the user's own group is accepted if no other user is in it, as a umask
            of 002 grants it.
    """
    if status.st_uid != os.geteuid():
        return "it belongs to another user"
    mode = stat.S_IMODE(status.st_mode)
    is_private = allows_private_group and bool(mode & 0o020) and _is_of_one_user(status.st_gid)
    return "others may write to it" if mode & (0o002 if is_private else 0o022) else None


def fault_of_link(status: os.stat_result) -> str | None:
    """Returns why a path is not followed: it is a symbolic link of a user other than this one and root.

    Args:
        status: The status of the path itself, from ``os.lstat``.
    """
    if stat.S_ISLNK(status.st_mode) and status.st_uid not in (0, os.geteuid()):
        return "its symbolic link belongs to another user"
    return None


def _is_of_one_user(group: int) -> bool:
    """Returns whether a group is the current user's own: it has the user's name and no other members."""
    import grp
    import pwd

    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return (found.gr_gid, found.gr_name) == (user.pw_gid, user.pw_name) and set(found.gr_mem) <= {user.pw_name}


def foreign(paths: Iterable[str | Path | None]) -> tuple[Path, str] | None:
    """Returns the first path that another user may own or write to, and the reason. Missing files are skipped."""
    for path in paths:
        if path is None:
            continue
        try:
            fault = fault_of(os.stat(path), allows_private_group=True)
        except FileNotFoundError:
            continue
        except OSError as error:
            fault = str(error)
        if fault is not None:
            return Path(path), fault
    return None


_warned: set[tuple[str, str]] = set()


def warn_once(problem: str, consequence: str) -> None:
    """Warns about something that is not used, once per process."""
    if (problem, consequence) not in _warned:
        _warned.add((problem, consequence))
        warnings.warn(f"{problem}; {consequence}", RuntimeWarning, stacklevel=3)
