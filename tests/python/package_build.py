"""What the tests of the packaging share: the backend, the build folder, commands that must succeed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BACKEND_FOLDER = ROOT / "src" / "surfaces" / "python"
BUILD = Path(os.environ.get("HELVE_BUILD_DIR", ROOT / "build" / "dev")).resolve()

sys.path.insert(0, str(BACKEND_FOLDER))
import build_backend  # noqa: E402

__all__ = ["BACKEND_FOLDER", "BUILD", "ROOT", "build_backend", "clean_environment", "run"]


def clean_environment(**more: str) -> dict[str, str]:
    """The environment without what would lead Python or Helve elsewhere than to what a test installed."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HELVE_", "PIP_"))
    }
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", **more}


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=clean_environment(**environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    if done.returncode != 0:
        raise AssertionError(
            f"{' '.join(map(str, command))}\nstatus {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout
