"""Who is at the keyboard."""

import getpass
import subprocess
from typing import Annotated

import typer

from goldgen.errors import SettingsError

Name = Annotated[
    str | None,
    typer.Option("--name", help="Your name, under which verdicts are stored; by default git's or the login."),
]


def person(given: str | None) -> str:
    """The name given, or that of ``git config user.name``, or the login name.

    Raises SettingsError if it is empty or there is none.
    """
    # A name that is no text in the terminal's encoding must be found again by what is stored.
    written = (_found() if given is None else given).encode("utf-8", "replace").decode("utf-8")
    name = " ".join(written.split())
    if not name:
        raise SettingsError("nobody is named for these verdicts; give --name NAME")
    return name


def _found() -> str:
    return _of_git() or _of_login()


def _of_git() -> str:
    try:
        asked = subprocess.run(
            ["git", "config", "user.name"], capture_output=True, text=True, encoding="utf-8", errors="replace"
        )
    except OSError:  # no git here
        return ""
    return asked.stdout.strip()


def _of_login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # what it raises depends on the system and on Python's version
        return ""
