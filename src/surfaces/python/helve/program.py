"""The program `helve` that comes with the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["main", "program_path"]


def program_path() -> str:
    """The path of the program that lies beside this package."""
    return str(Path(__file__).absolute().parent / "bin" / "helve")


def main() -> None:
    """The command `helve`: becomes the program, with the same arguments."""
    path = program_path()
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"helve: {path} cannot be run: {error.strerror}; install the package again")
