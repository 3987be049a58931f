#!/usr/bin/env python3
"""Large answers, slow clients, clients that leave, broken answers, stopping: life.py HELVE"""

import gzip
import http.client
import json
import os
import socket
import tempfile
import time
import unittest
from pathlib import Path

import served

# Rows enough for an answer of many megabytes: 300 x 300 of them.
THINGS = 300
ALL_PAIRS = "SELECT ?a ?b ?c ?d { ?a <http://e/p> ?b . ?c <http://e/p> ?d }"
ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{i} ?b{i} ?c{i} ." for i in range(12)) + " }"


def eventually(holds):
    until = time.monotonic() + served.END_S
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


class Life(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="helve-serve-")
        cls.data = Path(cls.folder.name) / "data.nt"
        cls.data.write_text("".join(f'<http://e/thing/{i}> <http://e/p> "value {i:0200}" .\n' for i in range(THINGS)))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def send_query(self, server, text, receive_bytes=None, version="1.1", headers=""):
        """A socket on which the query has been asked."""
        client = socket.socket()
        if receive_bytes:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        client.settimeout(served.END_S)
        client.connect(("127.0.0.1", server.port))
        body = text.encode()
        client.sendall(
            f"POST /sparql HTTP/{version}\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\n{headers}"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        return client

    def read_all(self, client):
        """What comes up to the end, and whether that was an error."""
        received = b""
        try:
            while True:
                piece = client.recv(1 << 16)
                if not piece:
                    return received, False
                received += piece
        except ConnectionResetError:
            return received, True

    def test_large_answers_come_whole(self):
        with served.Server(self.data) as server:
            response, body = server.query(ALL_PAIRS)
            self.assertEqual(response.getheader("Transfer-Encoding"), "chunked")
            self.assertEqual(len(json.loads(body)["results"]["bindings"]), THINGS * THINGS)
            response, packed = server.query(ALL_PAIRS, {"Accept-Encoding": "gzip"})
            self.assertEqual(response.getheader("Content-Encoding"), "gzip")
            self.assertLess(len(packed), len(body) // 10)
            self.assertEqual(len(json.loads(gzip.decompress(packed))["results"]["bindings"]), THINGS * THINGS)
            _, rows = server.query(ALL_PAIRS, {"Accept": "text/csv"})
            self.assertEqual(rows.count(b"\r\n"), THINGS * THINGS + 1)
            construct = "CONSTRUCT { ?a <http://e/q> ?d } { ?a <http://e/p> ?b . ?c <http://e/p> ?d }"
            _, statements = server.query(construct, {"Accept": "application/n-triples"})
            self.assertEqual(statements.count(b"\n"), THINGS * THINGS)

    def test_connections_are_used_again_after_a_stream(self):
        with served.Server(self.data) as server:
            connection = server.connect()
            for _ in range(2):
                connection.request("POST", "/sparql", ALL_PAIRS, {"Content-Type": "application/sparql-query"})
                response = connection.getresponse()
                first = connection.sock
                self.assertGreater(len(response.read()), 1 << 20)
                self.assertIs(connection.sock, first)
            connection.close()

    def test_what_is_cut_says_so(self):
        with served.Server(self.data, "--max-rows", "5") as server:
            response, body = server.query(ALL_PAIRS)
            self.assertEqual(response.getheader("Helve-Truncated"), "rows=5")
            self.assertEqual(response.getheader("Helve-Max-Rows"), "5")
            answer = json.loads(body)
            self.assertEqual(len(answer["results"]["bindings"]), 5)
            self.assertIn("at most 5 rows", answer["truncated"])
            response, body = server.query("SELECT * { ?s ?p ?o } LIMIT 5")
            self.assertIsNone(response.getheader("Helve-Truncated"))
            self.assertNotIn("truncated", json.loads(body))
        with served.Server(self.data, "--max-rows", "50000") as server:
            client = self.send_query(server, ALL_PAIRS, headers="Accept: text/csv\r\nConnection: close\r\n")
            received, is_error = self.read_all(client)
            client.close()
            self.assertFalse(is_error)
            self.assertIn(b"\r\nTrailer: Helve-Truncated\r\n", received.partition(b"\r\n\r\n")[0])
            self.assertTrue(received.endswith(b"\r\n0\r\nHelve-Truncated: rows=50000\r\n\r\n"), received[-80:])

    def test_a_slow_reader_holds_little_memory_and_its_time(self):
        large = ALL_PAIRS.replace(" }", " . ?e <http://e/p> ?f }")  # gigabytes
        with served.Server(self.data, "--max-queries", "2", "--timeout", "2s") as server:
            server.query("ASK {}")
            before = server.memory_bytes()
            client = self.send_query(server, large, receive_bytes=4096)
            self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 200"))
            time.sleep(1)
            if not os.environ.get("HELVE_SANITIZE"):  # sanitizers keep what was freed
                self.assertLess(server.memory_bytes() - before, 64 << 20)
            received, is_error = self.read_all(client)
            client.close()
            self.assertFalse(received.endswith(b"0\r\n\r\n"), "a part must not look whole")

    def test_an_answer_that_breaks_never_ends_well(self):
        large = ALL_PAIRS.replace(" }", " . ?e <http://e/p> ?f }")
        with served.Server(self.data, "--timeout", "2s") as server:
            with self.assertRaises((http.client.IncompleteRead, ConnectionResetError)):
                server.query(large, {"Accept": "text/csv"})
            for version in ("1.1", "1.0"):
                client = self.send_query(server, large, version=version, headers="Accept: text/csv\r\n")
                received, is_error = self.read_all(client)
                client.close()
                self.assertTrue(received.startswith(b"HTTP/1.1 200"))
                self.assertTrue(is_error, version)
            response, _ = server.query("ASK {}")
            self.assertEqual(response.status, 200)

    def test_who_leaves_frees_the_place(self):
        with served.Server(self.data, "--max-queries", "1", "--timeout", "10min") as server:
            for text in (ENDLESS, ALL_PAIRS.replace(" }", " . ?e <http://e/p> ?f }")):
                client = self.send_query(server, text, receive_bytes=4096)
                self.assertTrue(eventually(lambda: server.query("ASK {}")[0].status == 503))
                response, body = server.query("ASK {}")
                self.assertEqual(response.getheader("Retry-After"), "1")
                self.assertIn(b"busy", body)
                client.close()
                self.assertTrue(eventually(lambda: server.query("ASK {}")[0].status == 200), "long before its time is up")

    def test_sigterm_ends_it_while_a_query_runs(self):
        with served.Server(self.data, "--max-queries", "1", "--timeout", "10min") as server:
            client = self.send_query(server, ENDLESS)
            self.assertTrue(eventually(lambda: server.query("ASK {}")[0].status == 503))
            self.assertEqual(server.stop(), 0)
            received, _ = self.read_all(client)
            client.close()
            self.assertTrue(received == b"" or received.startswith(b"HTTP/1.1 503"), received[:100])

    def test_sigterm_lets_a_stream_finish(self):
        with served.Server(self.data) as server:
            connection = server.connect()
            connection.request("POST", "/sparql", ALL_PAIRS, {"Content-Type": "application/sparql-query"})
            response = connection.getresponse()
            server.process.terminate()
            self.assertEqual(len(json.loads(response.read())["results"]["bindings"]), THINGS * THINGS)
            connection.close()
            self.assertEqual(server.process.wait(served.END_S), 0)

    def test_the_sample_is_served_quietly_too(self):
        with served.Server("sample:", "--quiet", "--union") as server:
            _, body = server.query("ASK { ?s a sol:RegularMoon }")
            self.assertTrue(json.loads(body)["boolean"])
            self.assertEqual(server.said(), "")

    def test_a_port_that_is_taken_is_an_error(self):
        with served.Server(self.data) as server:
            with self.assertRaisesRegex(AssertionError, "cannot listen on 127.0.0.1 port"):
                served.Server("absent.nt", port=server.port)

    def test_tokens_and_secrets(self):
        token = "a-token-of-32-characters-or-more"
        with served.Server(self.data, "--token", "env:SERVE_TOKEN", env={"SERVE_TOKEN": token}) as server:
            self.assertEqual(server.query("ASK {}")[0].status, 401)
            authorization = {"Authorization": f"Bearer {token}"}
            self.assertEqual(server.query("ASK {}", authorization)[0].status, 200)
            _, body = server.query(f"ASK {{ <http://e/{token}> }}", authorization)
            self.assertNotIn(token.encode(), body)
            self.assertNotIn(token, server.said())

    def test_a_hostile_client_is_answered(self):
        with served.Server(self.data) as server:
            for target in ("/sparql?" + "query=a&" * 5000, "/sparql?query=" + "%7B" * 15_000, "/sparql?query=%00%ff"):
                response, _ = server.ask("GET", target)
                self.assertEqual(response.status, 400, target[:40])
            response, _ = server.query("SELECT * { ?s ?p ?o }", {"Accept": "a/b;q=" * 5000})
            self.assertEqual(response.status, 406)
            response, _ = server.ask("GET", "/sparql?query=" + "x" * 100_000)
            self.assertEqual(response.status, 431)
            response, _ = server.ask("POST", "/sparql", b"x" * (2 << 20), {"Content-Type": "application/sparql-query"})
            self.assertEqual(response.status, 413)
            self.assertEqual(server.query("ASK {}")[0].status, 200)


if __name__ == "__main__":
    served.run_tests()
