"""The bundled program."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from helve.errors import NotFound


def program_path() -> str:
    """The path of the program: HELVE_PROGRAM, else that of this package, else `helve` in PATH."""
    named = os.environ.get("HELVE_PROGRAM")
    if named:
        return named
    bundled = Path(__file__).parent / "bin" / "helve"
    if bundled.exists():
        return str(bundled)
    found = shutil.which("helve")
    if found is None:
        raise NotFound("the program helve is not there", "install the package again, or set HELVE_PROGRAM")
    return found


def main() -> None:
    """The command `helve`."""
    program = program_path()
    os.execv(program, [program, *sys.argv[1:]])


def worker_program() -> str:
    """What runs SQL in a process of its own; empty where there is no program, and SQL is then Unavailable."""
    try:
        return program_path()
    except NotFound:
        return ""
