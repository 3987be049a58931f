"""What tests of `helve serve` and `helve mcp` share: how servers are watched, and how the tests are run.

Neighbours: ../serve/served.py and ../mcp/mcp_server.py, which start them.
"""

import os
import sys
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
REPORTS = (b"AddressSanitizer", b"ThreadSanitizer", b"LeakSanitizer", b"runtime error:", b"CHECK failed")
END_S = 30


def sanitizer_options():
    """Of the environment, for that of a server."""
    names = ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
    return {name: os.environ[name] for name in names if name in os.environ}


def has_report(said):
    return any(report in said for report in REPORTS)


def memory_bytes(process):
    """Resident memory now."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def run_tests(module):
    """unittest.main() for a file whose first argument is the program under test: `PROGRAM` of the module that tests see."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(f"usage: {Path(sys.argv[0]).name} HELVE [options of unittest]")
    sys.modules[module].PROGRAM = os.path.abspath(sys.argv.pop(1))
    outcome = unittest.main(module="__main__", exit=False, verbosity=1, warnings="ignore").result
    failed = len(outcome.failures) + len(outcome.errors)
    for test, reason in outcome.skipped:
        print(f"skipped {test.id()}: {reason}")
    print(f"{outcome.testsRun - failed - len(outcome.skipped)} passed, {failed} failed")
    sys.exit(1 if failed > 0 else 0)
