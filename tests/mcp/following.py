#!/usr/bin/env python3
"""A server whose index other processes change: following.py HELVE

`helve mcp` stays open while `helve update`, `helve index compact` and `helve load --force` work on its folder. The next
call sees what they did, clients who want to know are told, and results of before stay.

Neighbour: stdio_life.py has the same for files.
"""

import json
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import mcp_schema
import mcp_server
from mcp_client import META, MODERN, StdioPeer
from mcp_server import END_S, Program

COUNT = "SELECT * { ?s ?p ?o }"
NAMES = "SELECT ?name { ?s <http://e/name> ?name } ORDER BY ?name"
WATCHED = ("helve://schema/zoo", "helve://context/zoo", "helve://sources")
UPDATES = 200


def statements(first, last, kind="Cat"):
    return "".join(
        f'<http://e/{i}> a <http://e/{kind}> ; <http://e/name> "{kind} {i}" .\n' for i in range(first, last)
    )


class Following(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="helve-following-")
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name)
        self.index = self.home / "zoo.helve"
        self.load(statements(0, 3))

    def helve(self, *arguments):
        done = subprocess.run(
            [mcp_server.program(), *map(str, arguments)],
            capture_output=True,
            text=True,
            env=mcp_server.environment(self.home),
            stdin=subprocess.DEVNULL,
            timeout=END_S * 4,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def load(self, text, *options):
        path = self.home / "zoo.ttl"
        path.write_text(text)
        self.helve("load", path, "-o", self.index, *options)

    def update(self, text):
        self.helve("update", self.index, text)

    def start(self, revision, *arguments):
        program = Program(mcp_server.program(), "--source", f"zoo={self.index}", *arguments, source=False)
        return program, StdioPeer(program.process, revision, None if mcp_schema.why_not() else mcp_schema.Observer())

    def call(self, peer, tool, **arguments):
        result = peer.call(tool, arguments).result
        self.assertFalse(result.get("isError"), result)
        return result["structuredContent"]

    def count(self, peer):
        counted = self.call(peer, "sparql_count", query=COUNT)
        self.assertNotIn("stale", str(counted.get("warnings")))
        return counted["count"]

    def classes(self, peer):
        shown = str(self.call(peer, "sparql_schema", output_mode="classes"))
        return {name for name in ("Cat", "Dog", "Fish") if f"e/{name}" in shown or f":{name}" in shown}

    def fresh_schema(self):
        return json.loads(self.helve("context", self.index, "--json"))["schema_fingerprint"]

    def query(self, peer):
        """The rows, and the state that they came from."""
        key = self.call(peer, "sparql_query", query=NAMES)["key"]
        return key, self.call(peer, "sparql_stats", result=key)["snapshot"]

    def rows(self, peer, key):
        return self.call(peer, "sparql_stats", result=key)["rows"]

    def test_each_call_sees_what_others_wrote(self):
        program, peer = self.start(MODERN)
        with program:
            kept = []  # handles of every state, and their rows
            schemas = []

            def expect(count, classes, rows):
                self.assertEqual(self.count(peer), count)
                self.assertEqual(self.classes(peer), classes)
                schemas.append(self.call(peer, "get_schema_summary")["schema_fingerprint"])
                self.assertEqual(schemas[-1], self.fresh_schema(), "not that of who opens it now")
                state = self.call(peer, "endpoint_info")["snapshot"]
                key, snapshot = self.query(peer)
                self.assertEqual(snapshot, state)
                kept.append((key, snapshot, rows))
                self.assertEqual(len({one[1] for one in kept}), len(kept), "the state is another, its name is not")
                for old, _, old_rows in kept:
                    self.assertEqual(self.rows(peer, old), old_rows)
                    page = self.call(peer, "sparql_slice", result=old, limit=1)
                    self.assertIn("name", str(page))

            expect(6, {"Cat"}, 3)
            self.update("INSERT DATA { " + statements(10, 12, "Dog") + " }")
            expect(10, {"Cat", "Dog"}, 5)
            self.update('DELETE WHERE { <http://e/0> ?p ?o } ; INSERT DATA { <http://e/new> <http://e/name> "new" }')
            expect(9, {"Cat", "Dog"}, 5)
            self.helve("index", "compact", self.index)
            expect(9, {"Cat", "Dog"}, 5)
            self.update("INSERT DATA { " + statements(20, 21, "Fish") + " }")
            expect(11, {"Cat", "Dog", "Fish"}, 6)
            self.load(statements(0, 4, "Fish"), "--force")
            expect(8, {"Fish"}, 4)
            self.update("INSERT DATA { " + statements(30, 31, "Cat") + " }")
            expect(10, {"Cat", "Fish"}, 5)
            self.assertEqual(schemas[2], schemas[3], "compacted")
            for at in (1, 4, 5, 6):
                self.assertNotEqual(schemas[at - 1], schemas[at])

    def test_subscribers_are_told(self):
        for revision in (MODERN, "2025-11-25"):
            with self.subTest(revision):
                self.load(statements(0, 3), "--force")
                program, peer = self.start(revision)
                with program:
                    self.subscribe(peer, revision)
                    self.count(peer)  # it is loaded
                    self.take_updates(peer, 3)
                    before = self.read(peer, WATCHED[0])
                    self.update("INSERT DATA { " + statements(10, 12, "Dog") + " }")
                    self.assertEqual(self.take_updates(peer), set(WATCHED))
                    after = self.read(peer, WATCHED[0])
                    self.assertNotIn("Dog", before)
                    self.assertIn("Dog", after)
                    self.assertEqual(self.take_updates(peer, 5), set(), "told although nothing has changed")
                    self.helve("index", "compact", self.index)
                    self.assertEqual(self.take_updates(peer), set(WATCHED))
                    self.load(statements(0, 2, "Fish"), "--force")
                    self.assertEqual(self.take_updates(peer), set(WATCHED))
                    self.assertIn("Fish", self.read(peer, WATCHED[0]))

    def subscribe(self, peer, revision):
        if revision != MODERN:
            for uri in WATCHED:
                peer.request("resources/subscribe", {"uri": uri}).result
            return
        wanted = {"notifications": {"resourceSubscriptions": list(WATCHED)}}
        peer.client.send(peer.message("subscriptions/listen", wanted, id="sub"))
        acknowledged = peer.client.take()
        self.assertEqual(acknowledged["params"]["_meta"][META + "subscriptionId"], "sub")

    def take_updates(self, peer, wait_s=30):
        """Resources that are told to have changed; returns when all were, or none for so long."""
        told = set()
        deadline = time.monotonic() + wait_s
        while told != set(WATCHED):
            message = peer.client.take(max(0.0, deadline - time.monotonic()))
            if message is None:
                break
            self.assertEqual(message["method"], "notifications/resources/updated")
            told.add(message["params"]["uri"])
        return told

    def read(self, peer, uri):
        return peer.request("resources/read", {"uri": uri}).result["contents"][0]["text"]

    def test_many_updates_while_calls_go_on(self):
        """Counts only grow, and none is missed in the end."""
        program, peer = self.start(MODERN)
        with program:
            seen = [self.count(peer)]

            def write():
                for i in range(UPDATES // 20):
                    self.update(" ; ".join(f"INSERT DATA {{ <http://e/n{i}> <http://e/p> {k} }}" for k in range(20)))

            join = mcp_server.in_background(write)
            while seen[-1] < 6 + UPDATES // 2:
                seen.append(self.count(peer))
            join(END_S * 4)
            seen.append(self.count(peer))
            self.assertEqual(seen, sorted(seen))
            self.assertTrue(all(count % 20 == 6 for count in seen), "half of a transaction was seen")
            self.assertEqual(seen[-1], 6 + UPDATES)


if __name__ == "__main__":
    mcp_server.run_tests()
