#!/usr/bin/env python3
"""Endpoints with names: who asks, what is kept between processes, and that no secret is in it. HELVE_PROGRAM names the program."""

import base64
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support"), os.path.join(HERE, "..", "cases")]

import helve_program  # noqa: E402
from helve_program import WorkDirectory  # noqa: E402
from hostile_endpoint import JSON, results, rows  # noqa: E402

SECRET = "s3cr3t-of-the-l4b"


class Watched(http.server.BaseHTTPRequestHandler):
    """Answers who says what the server wants to hear, and remembers what was asked."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer("")

    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode())

    def answer(self, body):
        self.server.seen.append((self.command, dict(self.headers.items()), body))
        name, value = self.server.wanted
        if name and self.headers.get(name) != value:
            return self.say(401, f"who are you, {self.headers.get('Authorization')}?".encode(), "text/plain")
        if self.command == "GET" and "query=" not in self.path:
            return self.say(404, b"", "text/plain")
        if self.command == "POST" and self.server.takes_only_get:
            return self.say(405, b"", "text/plain")
        return self.say(200, results(rows(3)), JSON)

    def say(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def version_string(self):
        return "Virtuoso/07.20.3234 (Linux)"


class SettingsTest(unittest.TestCase):
    def setUp(self):
        self.folder = WorkDirectory()
        self.directory = str(self.folder.__enter__())
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Watched)
        self.server.seen = []
        self.server.wanted = (None, None)
        self.server.takes_only_get = False
        self.asked = 0
        self.url = f"http://127.0.0.1:{self.server.server_port}/sparql"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        self.folder.__exit__(None, None, None)

    def helve(self, *words, status=0):
        environment = {**helve_program.fixed_environment(self.directory), "LAB": SECRET}
        done = subprocess.run([helve_program.program_path(), *words], cwd=self.directory, env=environment, capture_output=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, status, (words, done.stdout, done.stderr))
        self.assertNotIn(SECRET.encode(), done.stdout + done.stderr)
        return done.stdout.decode()

    def ask(self, status=0):
        """A query that was not asked before."""
        self.asked += 1
        return json.loads(self.helve("call", "--source", "lab", "--json", "sparql_query",
                                     f"query=SELECT ?x {{ ?x a <urn:C{self.asked}> }}", "diagnose=false", status=status))

    def files(self):
        found = {}
        for folder, _, names in os.walk(self.directory):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.directory)] = file.read()
        return found

    def check_access(self, wanted, *options):
        self.server.wanted = wanted
        self.helve("endpoint", "add", "lab", self.url, *options)
        self.assertEqual(self.ask()["rows"], 3)
        self.assertTrue(self.server.seen)
        for _, headers, _ in self.server.seen:
            self.assertEqual(headers.get(wanted[0]), wanted[1])
        for name, content in self.files().items():
            self.assertNotIn(SECRET.encode(), content, name)
            self.assertNotIn(base64.b64encode(f"me:{SECRET}".encode()), content, name)

    def test_basic(self):
        code = base64.b64encode(f"me:{SECRET}".encode()).decode()
        self.check_access(("Authorization", f"Basic {code}"), "--user", "me", "--password", "env:LAB")

    def test_bearer(self):
        self.check_access(("Authorization", f"Bearer {SECRET}"), "--bearer", "env:LAB")

    def test_header(self):
        self.check_access(("X-API-Key", SECRET), "--header", "X-API-Key", "--header-value", "env:LAB")

    def test_secret_of_a_file(self):
        outside = self.directory + ".secret"
        with open(outside, "w", encoding="utf-8") as file:
            file.write(SECRET + "\n")
        try:
            self.check_access(("Authorization", f"Bearer {SECRET}"), "--bearer", f"file:{outside}")
        finally:
            os.remove(outside)

    def test_who_says_nothing_is_refused(self):
        self.server.wanted = ("Authorization", "Bearer x")
        self.helve("endpoint", "add", "lab", self.url)
        error = self.ask(status=4)["error"]
        self.assertEqual(error["cause"], "refused")

    def test_secrets_that_a_server_repeats_stay_here(self):
        """`helve` itself checks what is printed; the files are looked at here."""
        self.server.wanted = ("Authorization", "somebody else")
        for access in (["--bearer", "env:LAB"], ["--user", "me", "--password", "env:LAB"]):
            self.helve("endpoint", "add", "lab", self.url, *access, "--replace")
            self.ask(status=4)
            self.helve("endpoint", "probe", "lab", status=6)
            self.helve("endpoint", "show", "lab")
            for name, content in self.files().items():
                self.assertNotIn(SECRET.encode(), content, name)
                self.assertNotIn(base64.b64encode(f"me:{SECRET}".encode())[:16], content, name)

    def test_method_post_is_kept_to(self):
        self.server.takes_only_get = True
        self.helve("endpoint", "add", "lab", self.url)
        self.ask()
        self.server.seen.clear()
        self.helve("endpoint", "add", "lab", self.url, "--method", "post", "--replace")
        self.ask(status=6)
        self.assertNotIn("query=", "".join(one[2] for one in self.server.seen if one[0] == "GET"))

    def test_a_file_that_is_wrong_is_no_matter_of_others(self):
        self.helve("endpoint", "add", "lab", self.url)
        with open(os.path.join(self.directory, ".config", "helve", "endpoints", "bad.toml"), "w", encoding="utf-8") as file:
            file.write("nonsense")
        self.assertIn("lab", self.helve("endpoint", "list"))
        self.ask()
        self.helve("endpoint", "remove", "bad")

    def test_what_is_known_is_not_asked_again(self):
        self.helve("endpoint", "add", "lab", self.url)
        self.ask()
        first = len(self.server.seen)
        self.assertGreater(first, 3)
        self.assertEqual(self.ask()["rows"], 3)
        self.assertEqual(len(self.server.seen), first + 1)
        shown = json.loads(self.helve("endpoint", "show", "lab", "--json"))
        self.assertEqual(shown["profile"]["engine"], "Virtuoso 07.20.3234")
        self.assertEqual([one["answered"] for one in shown["profile"]["shapes"] if one["shape"] == "by class"], [2])
        self.assertEqual(len(self.server.seen), first + 1)
        self.helve("endpoint", "refresh", "lab")
        self.assertGreater(len(self.server.seen), first + 4)

    def test_other_credentials_know_nothing_of_it(self):
        self.helve("endpoint", "add", "lab", self.url)
        self.ask()
        self.helve("endpoint", "add", "lab", self.url, "--bearer", "env:LAB", "--replace")
        shown = json.loads(self.helve("endpoint", "show", "lab", "--json"))
        self.assertIsNone(shown["holds"])

    def test_get_alone_is_remembered(self):
        self.server.takes_only_get = True
        self.helve("endpoint", "add", "lab", self.url)
        self.ask()
        self.server.seen.clear()
        self.ask()
        self.assertEqual([one[0] for one in self.server.seen], ["GET"])

    def test_method_get(self):
        self.helve("endpoint", "add", "lab", self.url, "--method", "get")
        self.ask()
        self.assertEqual({one[0] for one in self.server.seen}, {"GET"})

    def test_failures_are_kept_with_their_day(self):
        self.helve("endpoint", "add", "lab", self.url, "--retries", "0")
        self.ask()
        self.server.wanted = ("Authorization", "nobody")
        self.ask(status=4)
        shown = self.helve("endpoint", "show", "lab")
        self.assertRegex(shown, r"Last failures\n  \d{4}-\d\d-\d\d \d\d:\d\d UTC, .* ago +refused: ")

    def test_probe_and_remove(self):
        self.helve("endpoint", "add", "lab", self.url)
        steps = json.loads(self.helve("endpoint", "probe", "lab", "--json"))["steps"]
        self.assertIn("Virtuoso 07.20.3234, by the header server", [step["says"] for step in steps])
        self.assertLessEqual(len(self.server.seen), 10)
        self.assertRegex(self.helve("endpoint", "show", "lab"), re.escape("bif:contains, which it takes"))
        self.helve("endpoint", "remove", "lab")
        self.assertEqual([name for name in self.files() if name.endswith((".toml", ".json"))], [])


if __name__ == "__main__":
    unittest.main()
