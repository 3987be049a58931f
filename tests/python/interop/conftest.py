"""What the interop tests share: a session over the bundled sample graph, and the place of the program."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import helve

os.environ.setdefault("DSPY_CACHEDIR", os.devnull)


@pytest.fixture(scope="session")
def session() -> Iterator[helve.Session]:
    with helve.open("sample:") as opened:
        yield opened


@pytest.fixture(scope="session")
def program() -> str:
    named = os.environ.get("HELVE_PROGRAM")
    found = named or str(helve.program_path())
    assert Path(found).exists(), f"there is no program {found}: set HELVE_PROGRAM"
    return found
