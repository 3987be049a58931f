#!/usr/bin/env python3
"""The sandbox on machines that lack a layer, on a terminal, and when it is to stop.

HELVE_PROGRAM names the program. Neighbour: cli/sandbox.case has what needs neither.
"""

import ctypes
import json
import os
import pty
import signal
import struct
import subprocess
import time
import unittest

import helve_program
from helve_program import WorkDirectory

LANDLOCK_CREATE_RULESET = 444  # on all architectures
ENOSYS = 38
# A character in two pieces that come one after the other, then bytes that are none.
HALVES = r"""
import os, sys, time
sys.stdout.flush()
for piece in (b"\xc3", b"\xa9", b"\xff", b"\xc3"):
    os.write(1, piece)
    time.sleep(0.05)
"""
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2


def without_landlock():
    """Makes this process one of a kernel without Landlock, by a filter of system calls."""
    instructions = b"".join(
        struct.pack("HBBI", *instruction)
        for instruction in (
            (0x20, 0, 0, 0),  # the number of the call
            (0x15, 0, 1, LANDLOCK_CREATE_RULESET),
            (0x06, 0, 0, 0x00050000 | ENOSYS),
            (0x06, 0, 0, 0x7FFF0000),  # all others are allowed
        )
    )
    code = ctypes.create_string_buffer(instructions)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs")
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def holds():
    with WorkDirectory() as directory:
        return helve_program.run([helve_program.program_path(), "sandbox", "check"], directory).status == 0


@unittest.skipUnless(holds(), "'helve sandbox check' says that this machine does not hold the sandbox")
class Sandbox(unittest.TestCase):
    def setUp(self):
        work = WorkDirectory()
        self.directory = work.__enter__()
        self.addCleanup(work.__exit__)

    def run_helve(self, *words, **options):
        return helve_program.run([helve_program.program_path(), "sandbox", *words], self.directory, **options)

    def start_helve(self, code, **options):
        (self.directory / "script.py").write_text(code, encoding="utf-8")
        return subprocess.Popen(
            [helve_program.program_path(), "sandbox", "run", "script.py"], cwd=self.directory,
            env=helve_program.fixed_environment(self.directory), stdin=subprocess.DEVNULL, **options,
        )

    def test_a_missing_layer_is_told(self):
        outcome = self.run_helve("check", preexec_fn=without_landlock)
        self.assertEqual(outcome.status, 4, outcome.describe())
        text = outcome.stdout.decode()
        self.assertRegex(text, r"(?m)^landlock +MISSING ")
        self.assertRegex(text, r"(?m)^seccomp +holds ")
        self.assertRegex(text, r"(?m)^NOT REFUSED +read /etc/passwd ")
        self.assertIn("\nthis machine does NOT hold the sandbox: missing landlock (", text)
        # What was written to try it is gone.
        self.assertFalse(os.path.exists("/tmp/helve-sandbox-check"))

    def test_a_missing_layer_is_told_to_programs(self):
        outcome = self.run_helve("check", "--json", preexec_fn=without_landlock)
        self.assertEqual(outcome.status, 4, outcome.describe())
        report = json.loads(outcome.stdout)
        self.assertIs(report["holds"], False)
        self.assertEqual([layer["name"] for layer in report["layers"] if not layer["holds"]], ["landlock"])
        self.assertIs(type(report["user_namespaces"]), bool)
        self.assertGreater(report["start_ms"], 0)
        open_ones = [attempt["what"] for attempt in report["attempts"] if not attempt["refused"]]
        self.assertIn("read /etc/passwd", open_ones)
        self.assertNotIn("use the network", open_ones)

    def test_nothing_is_run_without_a_layer(self):
        outcome = self.run_helve("run", "-", stdin=b"print('ran')", preexec_fn=without_landlock)
        self.assertEqual((outcome.status, outcome.stdout), (4, b""), outcome.describe())
        self.assertIn(b"landlock", outcome.stderr)
        self.assertIn(b"--unsafe-sandbox", outcome.stderr)

    def test_nothing_is_run_without_a_layer_unless_told_to(self):
        outcome = self.run_helve("run", "--unsafe-sandbox", "-", stdin=b"print('ran')",
                                 preexec_fn=without_landlock)
        self.assertEqual((outcome.status, outcome.stdout), (0, b"ran\n"), outcome.describe())
        self.assertIn(b"unsafe: this machine does not hold the code; missing: landlock (", outcome.stderr)

    def test_output_comes_while_the_code_runs(self):
        process = self.start_helve("import time\nprint('first')\ntime.sleep(20)\n", stdout=subprocess.PIPE)
        with process:
            self.assertEqual(process.stdout.readline(), b"first\n")
            self.assertIsNone(process.poll())
            process.kill()

    def test_an_interrupt_ends_it(self):
        process = self.start_helve("print('first')\nwhile True: pass\n", stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        with process:
            self.assertEqual(process.stdout.readline(), b"first\n")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 7, errors)

    def test_a_reader_that_has_seen_enough_ends_it(self):
        process = self.start_helve("while True: print('again')\n", stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        with process:
            self.assertEqual(process.stdout.readline(), b"again\n")
            process.stdout.close()
            self.assertEqual((process.wait(timeout=20), process.stderr.read()), (0, b""))

    def test_code_cannot_drive_the_terminal(self):
        try:
            terminal, other_end = pty.openpty()
        except OSError as failure:
            self.skipTest(f"this machine has no pseudo-terminals: {failure}")
        process = self.start_helve("print('\\x1b[2Jgone\\tstays')\n" + HALVES + "'\\x9b'\n", stdout=other_end,
                                   stderr=subprocess.PIPE)
        os.close(other_end)
        seen = b""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # EIO: the program has closed its end
                break
            seen += piece
        os.close(terminal)
        with process:
            self.assertEqual(process.wait(timeout=20), 0)
        self.assertEqual(seen, "\\x1B[2Jgone\tstays\r\né\ufffd\ufffd\r\n'\\x9b'\r\n".encode())


if __name__ == "__main__":
    helve_program.run_tests()
