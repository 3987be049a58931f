"""The package type-checks strictly, and so does a program that uses it; what is wrong in one is found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import asyncio

import helve

with helve.open("sample:", policy=helve.SafetyPolicy(max_rows=10)) as session:
    reply = session.sparql_query("SELECT * { ?s ?p ?o }", limit=5, timeout=2.5)
    text: str = reply.text
    if reply.handle is not None:
        rows: list[dict[str, object]] = reply.handle.rows(0, 10)
    found = session.query("ASK {}")
    answer = session.ask("How many?", provider=lambda request: "four")
    tools = helve.get_tools("sample:", safety=helve.SafetyPolicy())
    box = helve.Sandbox(block_time=2)
    block_output: str = box.execute("1").output


async def listen(session: helve.Session) -> None:
    async for event in session.ask_stream("How many?"):
        kind: str = event.kind


asyncio.run(listen(session))
"""
WRONG = """
import helve

session = helve.open("sample:")
session.sparql_query(5)
session.sparql_find("x", kind="clas")
session.sparql_query("x").txt
helve.SafetyPolicy(max_rowz=1)
"""


def check(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    package = ROOT / "src/surfaces/python"
    return subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), *arguments],
                          cwd=cwd, env={**os.environ, "MYPYPATH": str(package), "PYTHONPATH": ""}, capture_output=True,
                          text=True, timeout=600, check=False)


def test_the_package(tmp_path: Path) -> None:
    done = check("--cache-dir", str(tmp_path), "-p", "helve", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_program(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = check("--cache-dir", str(tmp_path / "cache"), "program.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_wrong_program(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(WRONG)
    done = check("--cache-dir", str(tmp_path / "cache"), "program.py", cwd=tmp_path)
    lines = sorted({line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line})
    assert lines == ["5", "6", "7", "8"], done.stdout
