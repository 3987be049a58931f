#!/usr/bin/env python3
"""What needs a real terminal, a signal or a slow writer: colours, progress, Ctrl-C.

HELVE_PROGRAM names the program.
"""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading
import time
import unittest

import helve_program
from helve_program import WorkDirectory

STATEMENT = b"<http://example.org/a> <http://example.org/p> 1 .\n"


class Running:
    """A helve that runs: its standard error is a terminal of 80 columns, its input a pipe."""

    def __init__(self, directory, *arguments, stdout=subprocess.DEVNULL, **environment):
        try:
            self.terminal, other_end = pty.openpty()
        except OSError as failure:
            raise unittest.SkipTest(f"this machine has no pseudo-terminals: {failure}") from failure
        fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [helve_program.program_path(), *arguments],
            cwd=directory,
            env={**helve_program.fixed_environment(directory), **environment},
            stdin=subprocess.PIPE,
            stdout=other_end if stdout is None else stdout,
            stderr=other_end,
            start_new_session=True,
        )
        os.close(other_end)
        self.seen = b""
        self.reader = threading.Thread(target=self.read_terminal)
        self.reader.start()

    def read_terminal(self):
        while True:
            try:
                piece = os.read(self.terminal, 65536)
            except OSError:  # EIO: the program has closed its end
                break
            if not piece:
                break
            self.seen += piece

    def wait_for(self, text, time_limit_s=30):
        deadline = time.monotonic() + time_limit_s
        while text not in self.seen and time.monotonic() < deadline:
            time.sleep(0.01)
        return text in self.seen

    def wait_until_reading(self, time_limit_s=30):
        """Until the program has taken everything from its input, so that it waits for more."""
        deadline = time.monotonic() + time_limit_s
        while time.monotonic() < deadline:
            left = fcntl.ioctl(self.process.stdin, termios.FIONREAD, struct.pack("i", 0))
            if struct.unpack("i", left)[0] == 0:
                return
            time.sleep(0.01)
        raise TimeoutError("the program does not read its input")

    def end(self):
        """The exit status, after closing the input."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        status, _ = helve_program.wait(self.process, helve_program.TIME_LIMIT_S)
        self.reader.join()
        os.close(self.terminal)
        return status


class TerminalAndSignals(unittest.TestCase):
    def setUp(self):
        work = WorkDirectory()
        self.directory = work.__enter__()
        self.addCleanup(work.__exit__)
        (self.directory / "a.ttl").write_bytes(STATEMENT)

    def start(self, *arguments, **options):
        running = Running(self.directory, *arguments, **options)
        self.addCleanup(helve_program.kill_group, running.process.pid)
        return running

    def interrupt(self, number, *arguments):
        """Sends the signal while the program waits for more input; the status and the screen."""
        running = self.start(*arguments)
        running.process.stdin.write(STATEMENT)
        running.process.stdin.flush()
        running.wait_until_reading()
        # Not send_signal(), which would collect a process that has ended already.
        os.kill(running.process.pid, number)
        # The input stays open: only the signal can end the wait.
        status, _ = helve_program.wait(running.process, helve_program.TIME_LIMIT_S)
        running.process.stdin.close()
        running.reader.join()
        os.close(running.terminal)
        return status, running.seen.decode()

    def test_control_c_while_waiting_for_input(self):
        status, screen = self.interrupt(signal.SIGINT, "info", "-")
        self.assertEqual(status, 7, screen)
        self.assertIn("cancelled", screen)

    def test_termination_while_waiting_for_input(self):
        status, screen = self.interrupt(signal.SIGTERM, "convert", "-", "--from", "turtle")
        self.assertEqual(status, 7, screen)

    def test_control_c_leaves_the_old_output_and_no_other(self):
        (self.directory / "out.nt").write_bytes(b"old")
        status, screen = self.interrupt(signal.SIGINT, "convert", "-", "--from", "ttl", "-o", "out.nt")
        self.assertEqual(status, 7, screen)
        self.assertEqual((self.directory / "out.nt").read_bytes(), b"old")
        self.assertEqual(sorted(os.listdir(self.directory)), ["a.ttl", "out.nt"])

    def test_progress_is_drawn_for_a_slow_reader_and_wiped_at_the_end(self):
        running = self.start("info", "-", "--from", "turtle")
        running.process.stdin.write(STATEMENT)
        running.process.stdin.flush()
        self.assertTrue(running.wait_for(b"reading"), running.seen)
        self.assertTrue(running.wait_for(b"triples"), running.seen)
        self.assertEqual(running.end(), 0)
        progress, last_wipe, rest = running.seen.rpartition(b"\r\x1b[K")
        self.assertNotEqual(last_wipe, b"")
        self.assertNotIn(b"triples", rest)
        for line in progress.split(b"\r\x1b[K"):
            self.assertLess(len(line.decode()), 80)

    def test_quiet_draws_no_progress(self):
        running = self.start("--quiet", "info", "-", "--from", "turtle")
        running.process.stdin.write(STATEMENT)
        running.process.stdin.flush()
        running.wait_until_reading()
        time.sleep(0.6)  # twice as long as quick work stays silent
        self.assertEqual(running.end(), 0)
        self.assertEqual(running.seen, b"")

    def test_no_progress_where_standard_error_is_no_terminal(self):
        outcome = helve_program.run(
            ["sh", "-c", "(sleep 0.6; cat a.ttl) | \"$0\" info -q - >/dev/null",
             helve_program.program_path()],
            self.directory,
        )
        self.assertEqual((outcome.status, outcome.stderr), (0, b""))

    def screen(self, *arguments, **environment):
        running = self.start(*arguments, stdout=None, **environment)
        running.end()
        return running.seen

    def test_control_c_in_a_query_keeps_its_rows(self):
        (self.directory / "many.nt").write_bytes(
            b"".join(b'<http://example.org/s> <http://example.org/p> "%d" .\n' % n for n in range(100)))
        query = "SELECT ?c ?f ?i ?l { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
        running = self.start("query", "many.nt", query, "--format", "csv", stdout=None)
        self.assertTrue(running.wait_for(b"c,f,i,l"), running.seen)
        os.kill(running.process.pid, signal.SIGINT)
        self.assertEqual(running.end(), 7, running.seen[-500:])
        self.assertIn(b"the output is not complete: ", running.seen[-500:])

    def test_control_c_in_an_experiment_tells_what_is_done(self):
        command = ("experiment", "all", "--tasks", "bundled:solar", "--repeats", "9", "--parallel", "1",
                   "--model", "builtin:rules", "--out", "out")
        commands = helve_program.run([helve_program.program_path(), "--help"], self.directory)
        if b"experiment" not in commands.stdout:
            self.skipTest("this build has no agent layer")
        running = self.start(*command)
        self.assertTrue(running.wait_for(b"runs right in", 120), running.seen)
        os.kill(running.process.pid, signal.SIGINT)
        self.assertEqual(running.end(), 7, running.seen[-500:])
        self.assertRegex(running.seen, rb"cancelled: \d+ of 162 passes are done")
        self.assertIn(b"the same command goes on from there", running.seen)
        self.assertIn(b'"stopped": "cancelled', (self.directory / "out/results.json").read_bytes())
        self.assertIn(b"Not finished", (self.directory / "out/report.html").read_bytes())

    def test_tables_fit_the_terminal(self):
        (self.directory / "long.ttl").write_bytes(
            b"<http://example.org/a-rather-long-name/that-goes-on/and-on#end> <http://example.org/p> "
            b'"a text that is much too long to be shown whole on a terminal of this width" .\n')
        screen = self.screen("query", "long.ttl", "SELECT ?s ?o { ?s ?p ?o }").decode()
        table = [line for line in screen.split("\r\n") if line.startswith(("│", "┌", "├", "└"))]
        self.assertEqual(len(table), 5, screen)
        self.assertEqual({len(line) for line in table}, {80}, screen)
        self.assertIn("#end>", screen)
        self.assertIn("…", screen)

    def test_colours_on_a_terminal(self):
        self.assertIn(b"\x1b[1m", self.screen("info", "a.ttl"))
        self.assertIn(b"\x1b[1;31merror", self.screen("info", "missing.ttl"))

    def test_no_colours_where_they_are_not_wanted(self):
        self.assertNotIn(b"\x1b", self.screen("info", "a.ttl", NO_COLOR="1"))
        self.assertNotIn(b"\x1b", self.screen("info", "a.ttl", TERM="dumb"))
        self.assertNotIn(b"\x1b", self.screen("--color", "never", "info", "a.ttl"))
        # https://no-color.org: an empty value does not count.
        self.assertIn(b"\x1b", self.screen("info", "a.ttl", NO_COLOR=""))


if __name__ == "__main__":
    helve_program.run_tests()
