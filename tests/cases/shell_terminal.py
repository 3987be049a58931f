#!/usr/bin/env python3
"""helve shell on a terminal: prompt, history, completion, Ctrl-C, paging. HELVE_PROGRAM names the program.

Neighbour: terminal_and_signals.py has the other commands; cli/shell.case what needs no terminal.
"""

import fcntl
import os
import pty
import stat
import struct
import subprocess
import termios
import threading
import time
import unittest

import helve_program
from helve_program import WorkDirectory

PEOPLE = b"""@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix ex: <http://example.org/> .
ex:ada a foaf:Person ; foaf:name "Ada" ; foaf:knows ex:charles .
ex:charles a foaf:Person ; foaf:name "Zo\xc3\xab" .
"""


class Terminal:
    """A helve shell on a terminal of 80 by 24; what it wrote, and keys for it."""

    def __init__(self, directory, *arguments, **environment):
        try:
            self.screen, other_end = pty.openpty()
        except OSError as failure:
            raise unittest.SkipTest(f"this machine has no pseudo-terminals: {failure}") from failure
        fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [helve_program.program_path(), "shell", *arguments],
            cwd=directory,
            env={**helve_program.fixed_environment(directory), "NO_COLOR": "1", "PAGER": "cat", **environment},
            stdin=other_end,
            stdout=other_end,
            stderr=other_end,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(other_end)
        self.seen = b""
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        while True:
            try:
                piece = os.read(self.screen, 65536)
            except OSError:  # EIO: the program has closed its end
                return
            if not piece:
                return
            self.seen += piece

    def wait_for(self, text, times=1, time_limit_s=30):
        deadline = time.monotonic() + time_limit_s
        while self.seen.count(text) < times and time.monotonic() < deadline:
            time.sleep(0.01)
        if self.seen.count(text) < times:
            raise AssertionError(f"no {text!r} in {self.seen!r}")

    def press(self, keys):
        """Once the prompt is there for it."""
        self.wait_for_prompt()
        os.write(self.screen, keys)

    def wait_for_prompt(self, time_limit_s=30):
        deadline = time.monotonic() + time_limit_s
        while time.monotonic() < deadline:
            if self.seen.rstrip().endswith((b"helve>", b"...")):
                return
            time.sleep(0.01)
        raise AssertionError(f"no prompt in {self.seen!r}")

    # The prompt is there a moment before Ctrl-C and Ctrl-D are keys, so they are pressed until they work.

    def interrupt_until(self, text, times=1, time_limit_s=30):
        """By Ctrl-C."""
        deadline = time.monotonic() + time_limit_s
        while self.seen.count(text) < times and time.monotonic() < deadline:
            time.sleep(0.3)
            os.write(self.screen, b"\x03")
        self.wait_for(text, times)

    def leave(self):
        """The exit status, by Ctrl-C and Ctrl-D."""
        self.wait_for_prompt()
        deadline = time.monotonic() + helve_program.TIME_LIMIT_S
        while self.reader.is_alive() and time.monotonic() < deadline:
            try:
                os.write(self.screen, b"\x03\x04")  # on an empty line
            except OSError:  # it has left
                break
            self.reader.join(0.3)
        status, _ = helve_program.wait(self.process, helve_program.TIME_LIMIT_S)
        self.reader.join()
        os.close(self.screen)
        return status


class ShellOnATerminal(unittest.TestCase):
    def setUp(self):
        work = WorkDirectory()
        self.directory = work.__enter__()
        self.addCleanup(work.__exit__)
        (self.directory / "people.ttl").write_bytes(PEOPLE)

    def start(self, *arguments, **environment):
        shell = Terminal(self.directory, *(arguments or ("people.ttl",)), **environment)
        self.addCleanup(helve_program.kill_group, shell.process.pid)
        return shell

    def test_a_query_over_lines_and_leaving(self):
        shell = self.start()
        shell.press(b"SELECT ?name {\r")
        shell.wait_for(b"   ... ")
        shell.press(b"?x foaf:name ?name } ORDER BY ?name\r")
        shell.wait_for("│ \"Zoë\" │".encode())
        shell.wait_for(b"2 rows in ")
        self.assertEqual(shell.leave(), 0)

    def test_mistakes_are_told_and_do_not_end_it(self):
        shell = self.start()
        shell.press(b"SELEC * { ?s ?p ?o }\r")
        shell.wait_for(b"error: ")
        shell.press(b"ASK {}\r")
        shell.wait_for(b"true\r\n")
        self.assertEqual(shell.leave(), 0)

    def test_completion(self):
        shell = self.start()
        shell.press(b"SELECT * { ?s kno\t?o }\r")
        shell.wait_for(b"foaf:knows")
        shell.wait_for(b"ex:charles")
        shell.press(b"SELECT ?x { ?x a foaf:P\t}\r")
        shell.wait_for(b"2 rows in ")
        shell.press(b"ASK { ?s foaf:\t\t")
        shell.wait_for(b"foaf:name   foaf:knows\r\n")
        shell.interrupt_until(b"helve> ", times=6)
        self.assertEqual(shell.leave(), 0)

    def test_control_c_drops_what_was_typed(self):
        shell = self.start()
        shell.press(b"SELECT * {\r")
        shell.wait_for(b"   ... ")
        shell.press(b"?s ?p")
        shell.interrupt_until(b"helve> ", times=2)
        shell.press(b"ASK {}\r")
        shell.wait_for(b"true\r\n")
        self.assertEqual(shell.leave(), 0)

    def test_control_c_stops_a_query(self):
        (self.directory / "many.nt").write_bytes(
            b"".join(b'<http://example.org/s> <http://example.org/p> "%d" .\n' % n for n in range(300)))
        shell = self.start("many.nt")
        for _ in range(2):
            shell.press(b"SELECT (MAX(CONCAT(?c, ?f, ?i, ?l)) AS ?m) "
                        b"{ ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }\r")
            shell.interrupt_until(b"cancelled")
            shell.seen = shell.seen.replace(b"cancelled", b"")
        shell.press(b"ASK {}\r")
        shell.wait_for(b"true\r\n")
        self.assertEqual(shell.leave(), 0)

    def test_history_is_kept_for_its_owner(self):
        shell = self.start()
        shell.press(b"ASK { ?s foaf:name 'X' }\r")
        shell.wait_for(b"false\r\n")
        self.assertEqual(shell.leave(), 0)
        file = self.directory / ".local/state/helve/history"
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        shell = self.start()
        shell.press(b"\x1b[A\r")
        shell.wait_for(b"false\r\n")
        self.assertEqual(shell.leave(), 0)

    def test_history_can_be_switched_off(self):
        shell = self.start(HELVE_HISTORY="")
        shell.press(b"ASK {}\r")
        shell.wait_for(b"true\r\n")
        self.assertEqual(shell.leave(), 0)
        self.assertFalse((self.directory / ".local").exists())

    def test_long_answers_are_paged(self):
        shell = self.start(PAGER="sed 's/^/paged /'")
        shell.press(b"SELECT ?x { VALUES ?x { 1 } }\r")
        shell.wait_for(b"1 row in ")
        self.assertNotIn(b"paged", shell.seen)
        values = b" ".join(b"%d" % n for n in range(60))
        shell.press(b"SELECT ?x { VALUES ?x { " + values + b" } }\r")
        shell.wait_for(b"50 rows in ")
        self.assertIn("paged │ 49 │".encode(), shell.seen)
        self.assertIn("… 10 more rows not shown".encode(), shell.seen)
        shell.press(b".pager off\r")
        self.assertEqual(shell.leave(), 0)


if __name__ == "__main__":
    helve_program.run_tests()
