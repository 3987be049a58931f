#!/usr/bin/env python3
"""Indexes on disks that are full, read-only or gone, and of other formats: real_disk.py HELVE

Runs in a mount namespace of its own, so that it can have disks; says so and is skipped where it may not.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "serve"))

import served  # noqa: E402

SKIPPED = 77
INSIDE = "HELVE_REAL_DISK_INSIDE"
TOKEN = "writer-token-0123456789"
COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
FORMAT_AT = 12  # the format, in the headers of bases and of logs


def helve(*arguments):
    return subprocess.run([served.program(), *map(str, arguments)], capture_output=True, text=True, env=served.environment(),
                          stdin=subprocess.DEVNULL, timeout=served.END_S * 4, check=False)


def statements(count, text=""):
    return "".join(f"<http://e/{i}> <http://e/p> \"{text}{i}\" .\n" for i in range(count))


class RealDisk(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="helve-disk-")
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name)
        self.small = self.home / "small.nt"
        self.small.write_text(statements(3))
        self.disk = self.home / "disk"
        self.index = self.disk / "data.helve"

    def mount(self, size):
        self.disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", self.disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=True)

    def remount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.disk], check=True)

    def succeeds(self, *arguments):
        done = helve(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fails(self, words, *arguments):
        """With an error that says so, and nothing that a crash would."""
        done = helve(*arguments)
        self.assertGreater(done.returncode, 0, f"{arguments}: {done.stdout}")
        self.assertLess(done.returncode, 100, done.stderr)
        self.assertFalse(served.server_testing.has_report(done.stderr.encode()), done.stderr)
        self.assertTrue(done.stderr.startswith("helve: error: "), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def count(self, query=COUNT):
        return int(self.succeeds("query", self.index, query, "--format", "csv").split()[1])

    def verify(self):
        self.succeeds("index", "verify", self.index)

    # ---------- a full disk

    def test_a_load_that_finds_no_room_leaves_what_was_there(self):
        self.mount("2m")
        self.succeeds("load", self.small, "-o", self.index)
        large = self.home / "large.nt"
        large.write_text("".join(f"<http://e/{i}> <http://e/p> \"{os.urandom(20).hex()}\" .\n" for i in range(60_000)))
        self.fails(["No space left on device"], "load", large, "-o", self.index, "--force")
        self.assertEqual(self.count(), 3)
        self.assertEqual(sorted(path.name for path in self.index.iterdir()), ["helve-index", "helve-lock", "helve-names"])
        self.fails(["No space left on device"], "load", large, "-o", self.disk / "new.helve")
        self.fails(["new.helve"], "query", self.disk / "new.helve", COUNT)
        self.verify()

    def test_a_load_beyond_memory_tells_which_folder_is_full(self):
        self.mount("2m")
        large = self.home / "large.nt"
        large.write_text(statements(400_000, "a literal of some length, so that it does not fit: "))
        index = self.home / "out.helve"
        self.fails(["No space left on device", str(self.disk)],
                   "--memory", "16M", "--temp", self.disk, "load", large, "-o", index)
        self.assertEqual(list(self.disk.iterdir()), [])
        self.assertFalse((index / "helve-index").exists())

    def test_updates_are_refused_whole_and_go_on_when_there_is_room(self):
        self.mount("512k")
        self.succeeds("load", self.small, "-o", self.index)
        acknowledged = []
        refused = None
        for i in range(40):
            objects = ", ".join(f"\"{os.urandom(500).hex()}\"" for _ in range(20))
            done = helve("update", self.index, f"INSERT DATA {{ <http://e/new/{i}> <http://e/p> {objects} }}")
            if done.returncode != 0:
                refused = done.stderr
                break
            acknowledged.append(i)
        self.assertGreater(len(acknowledged), 3)
        self.assertIsNotNone(refused, "the disk is never full")
        self.assertIn("No space left on device", refused)
        self.assertEqual(self.count(), 3 + 20 * len(acknowledged))
        self.fails(["No space left on device"], "index", "compact", self.index)
        self.assertEqual(self.count(), 3 + 20 * len(acknowledged))
        self.remount("size=8m")
        self.succeeds("update", self.index, "INSERT DATA { <http://e/last> <http://e/p> 1 }")
        self.assertEqual(self.count(), 4 + 20 * len(acknowledged))
        self.succeeds("index", "compact", self.index)
        self.assertEqual(self.count(), 4 + 20 * len(acknowledged))
        self.verify()

    def test_a_server_goes_on_after_a_full_disk(self):
        self.mount("512k")
        self.succeeds("load", self.small, "-o", self.index)
        with self.server() as server:
            told = 0
            for i in range(60):
                text = f"INSERT DATA {{ <http://e/new/{i}> <http://e/p> \"{os.urandom(10_000).hex()}\" }}"
                response, body = self.update(server, text)
                if response.status != 204:
                    break
                told += 1
            self.assertEqual(response.status, 503, body)
            self.assertIn(b"No space left on device", body)
            self.assertEqual(self.served_count(server), 3 + told)
            self.remount("size=8m")
            response, body = self.update(server, "INSERT DATA { <http://e/last> <http://e/p> 1 }")
            self.assertEqual(response.status, 204, body)
            self.assertEqual(self.served_count(server), 4 + told)
        self.assertEqual(self.count(), 4 + told)

    def test_a_query_tells_which_folder_is_full(self):
        self.mount("64k")
        large = self.home / "large.nt"
        large.write_text(statements(200_000))
        index = self.home / "large.helve"
        self.succeeds("load", large, "-o", index)
        query = "SELECT ?s ?o { ?s ?p ?o } ORDER BY DESC(?o)"
        self.fails(["No space left on device", str(self.disk)],
                   "--memory", "4M", "--temp", self.disk, "query", index, query)
        self.assertEqual(list(self.disk.iterdir()), [])

    # ---------- a file system that may not be written

    def test_a_read_only_file_system_is_read(self):
        self.mount("4m")
        self.succeeds("load", self.small, "-o", self.index)
        self.succeeds("update", self.index, "INSERT DATA { <http://e/new> <http://e/p> 1 }")
        self.remount("ro")
        self.assertEqual(self.count(), 4)
        self.succeeds("info", self.index)
        self.verify()
        for command in (("update", self.index, "INSERT DATA { <http://e/new> <http://e/p> 2 }"),
                        ("index", "compact", self.index),
                        ("load", self.small, "-o", self.index, "--force"),
                        ("load", self.small, "-o", self.disk / "new.helve")):
            self.fails(["Read-only file system"], *command)
        with self.assertRaisesRegex(AssertionError, "Read-only file system"):
            self.server()
        self.assertEqual(self.count(), 4)
        with served.Server(self.index) as server:
            self.assertEqual(self.served_count(server), 4)

    # ---------- a folder that goes

    def server(self):
        return served.Server(self.index, "--writable", "--write-token", "env:WRITER", env={"WRITER": TOKEN})

    def update(self, server, text):
        return server.ask("POST", "/sparql", text.encode(),
                          {"Content-Type": "application/sparql-update", "Authorization": f"Bearer {TOKEN}"})

    def served_count(self, server):
        response, body = server.query(COUNT, {"Accept": "text/csv"})
        self.assertEqual(response.status, 200, body)
        return int(body.split()[1])

    def test_nothing_is_acknowledged_in_a_folder_that_is_gone(self):
        self.disk.mkdir()
        self.succeeds("load", self.small, "-o", self.index)
        with self.server() as server:
            self.assertEqual(self.update(server, "INSERT DATA { <http://e/new> <http://e/p> 1 }")[0].status, 204)
            shutil.rmtree(self.index)
            for _ in range(2):
                response, body = self.update(server, "INSERT DATA { <http://e/new> <http://e/p> 2 }")
                self.assertEqual(response.status, 503, body)
                self.assertIn(b"no longer in its place", body)
            self.assertEqual(self.served_count(server), 4)
        self.fails([str(self.index)], "query", self.index, COUNT)
        self.fails([str(self.index)], "update", self.index, "INSERT DATA { <http://e/new> <http://e/p> 3 }")
        self.fails([str(self.index)], "index", "compact", self.index)
        self.assertFalse(self.index.exists())

    def test_readers_go_on_in_a_folder_that_is_gone(self):
        self.disk.mkdir()
        self.succeeds("load", self.small, "-o", self.index)
        with served.Server(self.index) as server:
            self.assertEqual(self.served_count(server), 3)
            shutil.rmtree(self.index)
            self.assertEqual(self.served_count(server), 3)

    def test_who_replaces_an_index_keeps_writers_away(self):
        self.disk.mkdir()
        self.succeeds("load", self.small, "-o", self.index)
        command = [served.program(), "load", "-", "--from", "ntriples", "-o", self.index, "--force", "--quiet"]
        load = subprocess.Popen(command, stdin=subprocess.PIPE, env=served.environment())
        update = ("update", self.index, "INSERT DATA { <http://e/new> <http://e/p> 1 }")
        end = time.monotonic() + served.END_S
        while not (self.index / "helve-lock").exists() and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.3)  # it is made, then locked
        self.fails(["another process writes"], *update)
        self.assertEqual(load.communicate(statements(5).encode())[0], None)
        self.assertEqual(load.returncode, 0)
        self.assertEqual(self.count(), 5)
        self.succeeds(*update)
        self.assertEqual(self.count(), 6)

    # ---------- other formats

    def test_other_formats_are_named_and_left_alone(self):
        self.disk.mkdir()
        self.succeeds("load", self.small, "-o", self.index)
        self.succeeds("update", self.index, "INSERT DATA { <http://e/new> <http://e/p> 1 }")
        logs = [path for path in self.index.iterdir() if path.name.startswith("helve-log")]
        self.assertEqual(len(logs), 1)
        for path in (self.index / "helve-index", logs[0]):
            whole = path.read_bytes()
            own = int.from_bytes(whole[FORMAT_AT:FORMAT_AT + 4], "little")
            for other, word in ((own + 1, "newer"), (own - 1, "older")):
                changed = whole[:FORMAT_AT] + other.to_bytes(4, "little") + whole[FORMAT_AT + 4:]
                path.write_bytes(changed)
                files = {one.name: one.read_bytes() for one in self.index.iterdir() if one.is_file()}
                for command in (("query", self.index, COUNT),
                                ("update", self.index, "INSERT DATA { <http://e/new> <http://e/p> 2 }"),
                                ("index", "compact", self.index), ("index", "verify", self.index)):
                    self.fails(["format", f" {other}, which is {word}"], *command)
                self.assertEqual({one.name: one.read_bytes() for one in self.index.iterdir() if one.is_file()}, files)
            path.write_bytes(whole)
        self.assertEqual(self.count(), 4)
        self.assertEqual(json.loads(self.succeeds("update", self.index, "--json", "DELETE WHERE { <http://e/new> ?p ?o }"))["removed"], 1)


def enter_namespace():
    """Starts itself again where disks can be mounted."""
    own = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    if subprocess.run([*own, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False).returncode != 0:
        print("skipped: this user may not mount file systems, not even in a namespace of its own")
        sys.exit(SKIPPED)
    os.environ[INSIDE] = "1"
    os.execvp(own[0], [*own, sys.executable, *sys.argv])


if __name__ == "__main__":
    if INSIDE not in os.environ:
        enter_namespace()
    served.run_tests()
