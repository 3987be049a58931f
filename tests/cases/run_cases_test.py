#!/usr/bin/env python3
"""The runner of case files itself: it fails where it must, and rewrites what it is told to."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

import helve_program
import run_cases

RUNNER = Path(__file__).with_name("run_cases.py")


class RunCases(unittest.TestCase):
    def setUp(self):
        work = helve_program.WorkDirectory()
        self.directory = work.__enter__()
        self.addCleanup(work.__exit__)
        self.path = self.directory / "a.case"

    def run_cases(self, text, **environment):
        self.path.write_text(text, encoding="utf-8")
        return subprocess.run(
            [sys.executable, RUNNER, self.path],
            env={**os.environ, "HELVE_PROGRAM": "/bin/echo", "UPDATE_EXPECT": "", **environment},
            capture_output=True, text=True, check=False,
        )

    def test_a_good_case_passes(self):
        done = self.run_cases("=== echo\n$ helve hello\n----\nhello\n")
        self.assertEqual((done.returncode, done.stdout), (0, "1 passed, 0 failed\n"))

    def test_a_wrong_answer_fails_and_is_shown(self):
        done = self.run_cases("=== echo\n$ helve hello\n----\ngoodbye\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("-goodbye\n", done.stdout)
        self.assertIn("+hello\n", done.stdout)
        self.assertTrue(done.stdout.endswith("0 passed, 1 failed\n"))

    def test_unexpected_status_and_stderr_fail(self):
        self.assertEqual(self.run_cases("=== a\n$ exit 3\n----\n").returncode, 1)
        self.assertEqual(self.run_cases("=== a\n$ exit 3\n----\n---- exit 3\n").returncode, 0)
        self.assertEqual(self.run_cases("=== a\n$ helve x >&2\n----\n").returncode, 1)
        self.assertEqual(self.run_cases("=== a\n$ helve x >&2\n----\n---- stderr\nx\n").returncode, 0)

    def test_what_the_machine_lacks_is_skipped_and_told(self):
        case = "=== a\n& needs this\n$ helve x\n----\nx\n"
        self.assertEqual(self.run_cases(case).stdout, "1 passed, 0 failed\n")
        done = self.run_cases(case, HELVE_PROGRAM="/bin/false")
        self.assertEqual(done.returncode, 0)
        self.assertIn(": a: 'helve this' ends with status 1\n", done.stdout)
        self.assertTrue(done.stdout.endswith("0 passed, 0 failed, 1 skipped\n"))

    def test_a_file_without_cases_fails(self):
        self.assertEqual(self.run_cases("# nothing\n").returncode, 1)

    def test_a_malformed_file_is_an_error(self):
        self.assertIn("no closing <<", self.run_cases("=== a\n>> x\n").stderr)
        self.assertIn("what is", self.run_cases("=== a\nnonsense\n").stderr)
        self.assertIn("no fixture", self.run_cases("=== a\n& explode x\n").stderr)

    def test_expectations_are_rewritten_and_then_hold(self):
        text = (
            "# about\n\n=== a\n>> in.txt\n$ not a call\n<<\n$ cat in.txt; printf end\n\n"
            "=== b\n# why\n$ printf 'a\\n\\n'; printf '\\033[1m\\377\\n' >&2; false\n----\nold\n"
        )
        self.assertEqual(self.run_cases(text, UPDATE_EXPECT="1").returncode, 0)
        rewritten = self.path.read_text(encoding="utf-8")
        self.assertEqual(
            rewritten,
            "# about\n\n=== a\n>> in.txt\n$ not a call\n<<\n$ cat in.txt; printf end\n----\n"
            "\\$ not a call\nend\n\\no line end\n\n"
            "=== b\n# why\n$ printf 'a\\n\\n'; printf '\\033[1m\\377\\n' >&2; false\n----\na\n\\\n"
            "---- stderr\n\u241b[1m\\xff\n---- exit 1\n",
        )
        self.assertEqual(self.run_cases(rewritten).returncode, 0)
        self.assertEqual(self.path.read_text(encoding="utf-8"), rewritten)

    def test_each_case_starts_in_an_empty_directory(self):
        text = "=== a\n$ touch x; ls\n----\nx\n\n=== b\n$ ls\n----\n"
        self.assertEqual(self.run_cases(text).returncode, 0)

    def test_volatile_parts(self):
        normalise = run_cases.normalise
        self.assertEqual(normalise(b"5 statements in 1.23 ms (9,999/s)", "/tmp/x"),
                         "5 statements in <time> (<rate>/s)")
        self.assertEqual(normalise(b"done in 2 min 5 s", "/tmp/x"), "done in <time>")
        self.assertEqual(normalise(b"<file:///tmp/x/a>", "/tmp/x"), "<file://<dir>/a>")
        self.assertEqual(normalise(b'"in 5 miles"', "/tmp/x"), '"in 5 miles"')

    def test_bytes(self):
        self.assertEqual(run_cases.unescape(r"a\xE9\n\\n\0ü"), b"a\xe9\n\\n\0\xc3\xbc")


if __name__ == "__main__":
    helve_program.run_tests()
