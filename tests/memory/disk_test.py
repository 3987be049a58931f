#!/usr/bin/env python3
"""A bank on a disk that is full, and in places that cannot be written: disk_test.py MEMORY_WRITER

What was acknowledged stays, the error says what to do, and it goes on as soon as there is room.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from kill_test import THREADS, Bank

NOBODY = 65534
MEGA = 1 << 20


def write_until_full(bank, name, **how):
    """Writers that are not killed end with the error of the one that met it."""
    done = subprocess.run([bank.program, bank.path, name, str(THREADS)], capture_output=True, text=True, timeout=120,
                          check=False, **how)
    assert done.returncode == 1, f"it ended with {done.returncode}: {done.stderr}"
    bank.titles |= set(done.stdout.split("\n")[:-1])
    return done.stderr


def go_on(bank):
    bank.check()
    bank.fill(2000)
    bank.check()
    bank.spans()


def test_full_disk(program, folder):
    place = folder / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", place], capture_output=True, check=False)
    if mounted.returncode != 0:
        print("full disk: skipped, no tmpfs can be mounted here")
        return
    try:
        bank = Bank(program, place / "bank")
        error = write_until_full(bank, "a")
        assert "disk is full" in error and "make room" in error, error
        assert len(bank.titles) > 100, bank.titles
        subprocess.run(["mount", "-o", "remount,size=200m", place], check=True)
        go_on(bank)
        print(f"full disk: {len(bank.titles)} acknowledged items, none lost, goes on with more room")
    finally:
        subprocess.run(["umount", place], check=True)


def test_file_limit(program, folder):
    bank = Bank(program, folder / "limit")
    # Python ignores the signal that tells of it, and hands that on.
    error = write_until_full(bank, "a", restore_signals=False,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3 * MEGA, 3 * MEGA)))
    assert "look at the disk" in error, error
    assert len(bank.titles) > 100, bank.titles
    go_on(bank)
    print(f"limit of a file: {len(bank.titles)} acknowledged items, none lost, goes on without it")


def test_read_only(program, folder):
    bank = Bank(program, folder / "read")
    bank.fill(50)
    names = sorted(part.name for part in bank.path.parent.iterdir() if not part.name.endswith(("-wal", "-shm")))
    how = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}

    def call(*words):
        return subprocess.run([program, bank.path, *words], capture_output=True, text=True, check=False, **how)

    for folder_mode, file_mode in ((0o555, 0o444), (0o777, 0o444)):
        for part in bank.path.parent.iterdir():
            if part.name.endswith(("-wal", "-shm")):
                part.unlink()
            else:
                part.chmod(file_mode)
        bank.path.parent.chmod(folder_mode)
        told = call()
        assert told.returncode == 0 and told.stdout.count("\n") == 50, told.stderr
        refused = call("fill", "1")
        assert refused.returncode == 1, refused.stdout
        assert "cannot" in refused.stderr and refused.stderr.count("\n") <= 3, refused.stderr
        bank.path.parent.chmod(0o755)
        left = sorted(part.name for part in bank.path.parent.iterdir() if not part.name.endswith(("-wal", "-shm")))
        assert left == names, left
    for part in bank.path.parent.iterdir():
        part.chmod(0o600)
    go_on(bank)
    print("read-only folder and file: read by another user, not changed")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        # Where another user may start it, too.
        program = Path(folder) / "memory_writer"
        program.write_bytes(Path(sys.argv[1]).read_bytes())
        program.chmod(0o755)
        for test in (test_full_disk, test_file_limit, test_read_only):
            test(program, Path(folder))


if __name__ == "__main__":
    main()
