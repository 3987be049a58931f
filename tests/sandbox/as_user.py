#!/usr/bin/env python3
"""Runs a program as a user that is not root: as_user.py COMMAND... Status 77 where that cannot be.

Neighbour: without_layers.py, which takes more away.
"""

import os
import shutil
import subprocess
import sys
import tempfile

USER = 65534


def become_user():
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)


def main():
    if os.geteuid() != 0:
        return subprocess.run(sys.argv[1:], check=False).returncode
    folder = tempfile.mkdtemp(prefix="helve-user-")
    os.chmod(folder, 0o1777)
    environment = {**os.environ, "TMPDIR": folder, "HOME": folder}
    try:
        return subprocess.run(sys.argv[1:], preexec_fn=become_user, env=environment, cwd=folder, check=False).returncode
    except PermissionError as error:
        print(f"NOT RUN as user {USER}: {error}", file=sys.stderr)
        return 77
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
