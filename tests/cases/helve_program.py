"""Runs the helve program for tests: fixed environment, time limit, peak memory.

Neighbours: run_cases.py (case files), bad_input.py and terminal_and_signals.py.
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

TIME_LIMIT_S = 60


def program_path():
    """The program under test: HELVE_PROGRAM, or what PATH finds; absolute."""
    name = os.environ.get("HELVE_PROGRAM", "helve")
    found = shutil.which(name)
    if found is None:
        sys.exit(f"there is no program '{name}': say which one to test in HELVE_PROGRAM")
    return os.path.abspath(found)


def is_sanitized():
    return os.environ.get("HELVE_SANITIZE", "") != ""


def fixed_environment(home):
    environment = {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "TERM": "xterm",
        # Cases that want the cache turn it on, with a folder of their own.
        "HELVE_CACHE": "0",
        # Freed memory that AddressSanitizer holds back would hide what the program itself needs.
        "ASAN_OPTIONS": "quarantine_size_mb=8:allocator_may_return_null=0",
    }
    for name in ("LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LLVM_PROFILE_FILE"):
        if name in os.environ:
            environment[name] = os.environ[name]
    return environment


class Outcome:
    """How a call ended: exit status (negative: by that signal), streams as bytes, peak memory."""

    def __init__(self, status, stdout, stderr, peak_bytes):
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
        self.peak_bytes = peak_bytes

    def describe(self):
        tail = self.stderr[-2000:].decode(errors="backslashreplace")
        return f"exit status {self.status}, peak {self.peak_bytes >> 20} MiB, stderr:\n{tail}"


def run(command, directory, stdin=None, time_limit_s=TIME_LIMIT_S, **popen_options):
    """Runs `command` (a list) in `directory`; stdin is bytes, a file, or None for empty.

    Output goes through files: nothing deadlocks, and this process stays small, which matters
    because a child's peak memory counts from the process that it was forked from.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with tempfile.TemporaryFile() as given:
            if isinstance(stdin, bytes):
                given.write(stdin)
                given.seek(0)
                stdin = given
            process = subprocess.Popen(
                command,
                cwd=directory,
                env=popen_options.pop("env", None) or fixed_environment(directory),
                stdin=subprocess.DEVNULL if stdin is None else stdin,
                stdout=popen_options.pop("stdout", out),
                stderr=err,
                start_new_session=True,
                **popen_options,
            )
            status, usage = wait(process, time_limit_s)
        out.seek(0)
        err.seek(0)
        return Outcome(status, out.read(), err.read(), usage.ru_maxrss * 1024)


def wait(process, time_limit_s):
    """The status and the resource usage of a process that leads its group; ends it when late."""
    timer = threading.Timer(time_limit_s, kill_group, [process.pid])
    timer.start()
    try:
        _, raw_status, usage = os.wait4(process.pid, 0)
    finally:
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(raw_status)
    return process.returncode, usage


def kill_group(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def limit_files(bytes_max):
    """For preexec_fn: no file of the child grows beyond this."""

    def apply():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, bytes_max))

    return apply


class WorkDirectory:
    """A fresh empty directory, removed with everything in it, however locked up that is."""

    def __enter__(self):
        self.holder = tempfile.TemporaryDirectory(prefix="helve-case-")
        path = Path(self.holder.name).resolve()
        path.chmod(0o755)
        return path

    def __exit__(self, *_):
        for folder, folders, _files in os.walk(self.holder.name):
            for name in folders:
                os.chmod(os.path.join(folder, name), 0o700, follow_symlinks=True)
        self.holder.cleanup()


def run_tests():
    """unittest.main() with the summary that every runner here ends with."""
    outcome = unittest.main(exit=False, verbosity=1).result
    failed = len(outcome.failures) + len(outcome.errors)
    for test, reason in outcome.skipped:
        print(f"skipped {test.id()}: {reason}")
    print(f"{outcome.testsRun - failed - len(outcome.skipped)} passed, {failed} failed")
    sys.exit(1 if failed > 0 else 0)
