#!/usr/bin/env python3
"""Runs program.py under valgrind: no invalid access, nothing of ours lost, a clean end. PYTHONPATH has the package.

Without valgrind it is skipped with status 77; with HELVE_VALGRIND_MUST_RUN it fails. The interpreter itself uses malloc, so that valgrind sees its objects.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PYTHON = "/usr/bin/python3"  # Debian's: others may use values that valgrind takes for uninitialised


def serves(python):
    """Whether it can load the extension: it is of the same version as the Python that it was built for."""
    said = subprocess.run([python, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True,
                          check=False).stdout
    return said.strip() == str(tuple(sys.version_info[:2]))


def main():
    if shutil.which("valgrind") is None or not Path(PYTHON).exists() or not serves(PYTHON):
        print("skipped: valgrind, or a system Python of the same version as the package, is missing")
        return 1 if os.environ.get("HELVE_VALGRIND_MUST_RUN") else 77
    command = ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite",
               "--show-leak-kinds=definite", "--num-callers=25", PYTHON, str(Path(__file__).with_name("program.py"))]
    done = subprocess.run(command, env={**os.environ, "PYTHONMALLOC": "malloc"}, capture_output=True, text=True,
                          timeout=600, check=False)
    if done.returncode != 0 or done.stdout != "used\n":
        print(done.stdout, done.stderr, sep="\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
