"""Where tests find shared data; test_data.h is the same for C++. No other code looks for it."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def shared_path(path):
    """A file or folder of the shared data: in $HELVE_SHARED, or in `shared` beside the repository. None if it is not
    there; with HELVE_SHARED_MUST_EXIST set, as in CI, that ends the program."""
    folder = Path(os.environ.get("HELVE_SHARED") or REPOSITORY.parent / "shared")
    if (folder / path).exists():
        return folder / path
    if "HELVE_SHARED_MUST_EXIST" in os.environ:
        raise SystemExit(f"no {folder / path}, and HELVE_SHARED_MUST_EXIST is set")
    return None


def missing(path):
    """The line that says why a test is skipped."""
    return f"shared data not found; set HELVE_SHARED: {path}"
