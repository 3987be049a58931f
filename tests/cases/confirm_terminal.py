#!/usr/bin/env python3
"""The question before a change, on a terminal: only a clear yes changes anything. HELVE_PROGRAM names the program.

Neighbours: shell_terminal.py has the shell on a terminal; cli/ what needs none.
"""

import fcntl
import os
import pty
import select
import sqlite3
import subprocess
import termios
import time
import unittest

import helve_program
from helve_program import WorkDirectory

QUESTION = b"[y/N]"
LIMIT_S = 40


class ConfirmTest(unittest.TestCase):
    def change(self, keys, typed_before=b""):
        """One call on a terminal that asks: (exit status, what was shown, the name after it)."""
        with WorkDirectory() as directory:
            path = os.path.join(directory, "shop.db")
            with sqlite3.connect(path) as shop:
                shop.execute("CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT)")
                shop.execute("INSERT INTO artist VALUES (1, 'Queen'), (2, 'Abba')")
            with open(os.path.join(directory, "write.toml"), "w", encoding="utf-8") as policy:
                policy.write("read_only = false\n")
            status, shown, is_asked = self.run_call(directory, keys, typed_before)
            self.assertTrue(is_asked, shown)
            name = sqlite3.connect(path).execute("SELECT name FROM artist WHERE id = 1").fetchone()[0]
        return status, shown, name

    def run_call(self, directory, keys, typed_before):
        try:
            screen, other_end = pty.openpty()
        except OSError as failure:
            raise unittest.SkipTest(f"this machine has no pseudo-terminals: {failure}") from failure
        command = [helve_program.program_path(), "call", "--source", "shop=sqlite:shop.db", "--policy", "write.toml",
                   "--audit", "audit.jsonl", "data_modify", "sql=UPDATE artist SET name = 'Q' WHERE id = 1"]
        environment = {**helve_program.fixed_environment(directory), "NO_COLOR": "1"}
        if typed_before:
            os.write(screen, typed_before)
        process = subprocess.Popen(command, cwd=directory, env=environment, stdin=other_end, stdout=other_end, stderr=other_end,
                                   start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(other_end)
        shown, is_answered, until = b"", False, time.monotonic() + LIMIT_S
        while time.monotonic() < until:
            if select.select([screen], [], [], 0.1)[0]:
                try:
                    piece = os.read(screen, 65536)
                except OSError:  # EIO: the program has closed its end
                    break
                if not piece:
                    break
                shown += piece
            if not is_answered and QUESTION in shown:
                os.write(screen, keys)
                is_answered = True
        if time.monotonic() >= until:
            process.kill()
        status = process.wait(LIMIT_S)
        os.close(screen)
        return status, shown.decode(errors="backslashreplace"), is_answered

    def test_a_yes_makes_the_change(self):
        for keys in (b"y\n", b"Yes\n"):
            status, shown, name = self.change(keys)
            self.assertEqual((status, name), (0, "Q"), shown)

    def test_anything_else_is_a_no(self):
        for keys in (b"\n", b"n\n", b"yes please\n", b"\x04", b"\x03"):
            status, shown, name = self.change(keys)
            self.assertEqual(name, "Queen", shown)
            self.assertNotEqual(status, 0, shown)

    def test_what_was_typed_before_the_question_is_no_answer(self):
        status, shown, name = self.change(b"\n", typed_before=b"y\n")
        self.assertEqual(name, "Queen", shown)
        self.assertNotEqual(status, 0, shown)


if __name__ == "__main__":
    unittest.main()
