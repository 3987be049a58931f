#!/usr/bin/env python3
"""Updates and graphs that are written: who may, what stays, who writes at once, who leaves: writing.py HELVE"""

import gzip
import json
import os
import socket
import tempfile
import threading
import time
import unittest
import urllib.parse
from pathlib import Path

import served

WRITER = "writer-token-0123456789"
READER = "reader-token-0123456789"
COUNT = "SELECT (COUNT(*) AS ?n) { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"


class Writing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="helve-writing-")
        self.addCleanup(self.folder.cleanup)
        self.data = Path(self.folder.name) / "data.nt"
        self.data.write_text("<http://e/a> <http://e/p> <http://e/b> .\n")
        self.index = Path(self.folder.name) / "data.helve"
        served.run_helve("load", self.data, "-o", self.index)

    def server(self, *arguments, env=None):
        """Readers need no token."""
        return served.Server(self.index, "--writable", "--write-token", "env:WRITER", *arguments,
                             env={"WRITER": WRITER, **(env or {})})

    def write(self, server, method, target, body=b"", headers=None, token=WRITER):
        authorization = {"Authorization": f"Bearer {token}"} if token else {}
        return server.ask(method, target, body, {**authorization, **(headers or {})})

    def update(self, server, text, headers=None, token=WRITER):
        return self.write(server, "POST", "/sparql", text.encode(),
                          {"Content-Type": "application/sparql-update", **(headers or {})}, token)

    def put(self, server, target, turtle, method="PUT", **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.write(server, method, target, turtle.encode(), {"Content-Type": "text/turtle", **headers})

    def count(self, server, query=COUNT):
        response, body = server.query(query, {"Accept": "text/csv"})
        self.assertEqual(response.status, 200, body)
        return int(body.split()[1])

    def test_what_was_written_stays(self):
        with self.server() as server:
            self.assertEqual(self.count(server), 1)
            response, body = self.update(server, "INSERT DATA { <http://e/c> <http://e/p> 1, 2 }",
                                         {"Accept": "application/json"})
            self.assertEqual(response.status, 200, body)
            told = json.loads(body)
            self.assertEqual((told["added"], told["removed"]), (2, 0))
            self.assertEqual(response.getheader("Helve-Version"), str(told["version"]))
            self.assertEqual(self.count(server), 3)
            form = urllib.parse.urlencode({"update": "DELETE WHERE { <http://e/c> <http://e/p> 1 }"})
            response, body = self.write(server, "POST", "/sparql", form.encode(),
                                        {"Content-Type": "application/x-www-form-urlencoded"})
            self.assertEqual((response.status, body), (204, b""))
            self.assertEqual(response.getheader("Helve-Removed"), "1")
            self.assertEqual(self.count(server), 2)
            self.assertEqual(self.put(server, "/graphs?graph=http://e/g", "<x> <y> <z>, <w> .")[0].status, 201)
            self.assertEqual(self.count(server), 4)
        with self.server() as server:
            self.assertEqual(self.count(server), 4)

    def test_what_was_acknowledged_survives_the_end_of_the_process(self):
        server = self.server()
        for i in range(20):
            response, _ = self.update(server, f"INSERT DATA {{ <http://e/{i}> <http://e/p> {i} }}")
            self.assertEqual(response.status, 204)
        server.process.kill()
        server.process.wait()
        server.process.stdout.close()
        server.stderr.close()
        with self.server() as server:
            self.assertEqual(self.count(server), 21)

    def test_one_process_writes(self):
        with self.server():
            with self.assertRaisesRegex(AssertionError, "another process|in use|lock"):
                self.server()

    def test_tokens(self):
        with self.server("--token", "env:READER", env={"READER": READER}) as server:
            text = "INSERT DATA { <http://e/x> <http://e/y> <http://e/z> }"
            form = urllib.parse.urlencode({"update": text}).encode()
            form_type = {"Content-Type": "application/x-www-form-urlencoded"}
            for token, status in ((None, 401), ("wrong-token-0123456789", 401), (READER, 403), (WRITER, 204)):
                self.assertEqual(self.update(server, text, token=token)[0].status, status, token)
                self.assertEqual(self.write(server, "POST", "/sparql", form, form_type, token)[0].status, status)
                put = self.write(server, "PUT", "/graphs?default", b"", {"Content-Type": "text/turtle"}, token)
                self.assertEqual(put[0].status, status)
                query = self.write(server, "GET", "/sparql?query=ASK%7B%7D", token=token)
                self.assertEqual(query[0].status, 401 if status == 401 else 200)
                graph = self.write(server, "GET", "/graphs?default", token=token)
                self.assertEqual(graph[0].status, 401 if status == 401 else 200)

    def test_a_read_only_server_reads(self):
        with served.Server(self.index, "--token", "env:WRITER", env={"WRITER": WRITER}) as server:
            self.assertEqual(self.update(server, "CLEAR ALL")[0].status, 403)
            response, body = self.put(server, "/graphs?default", "")
            self.assertEqual((response.status, response.getheader("Allow")), (405, "GET, HEAD, OPTIONS"), body)
            response, body = self.write(server, "GET", "/graphs?default", headers={"Accept": "application/n-triples"})
            self.assertEqual(body, self.data.read_bytes())
            self.assertEqual(response.getheader("Helve-Version"), "0")
            self.assertEqual(self.write(server, "GET", "/graphs?graph=http://e/none")[0].status, 404)

    def test_files_do_not_change(self):
        with served.Server(self.data) as server:
            response, body = server.ask("GET", "/graphs?default", headers={"Accept": "application/n-triples"})
            self.assertEqual(body, self.data.read_bytes())
            self.assertIsNone(response.getheader("ETag"))

    def follow(self, server, count, headers=None):
        """Looks at most every 20 ms: asks until the server has seen what another process did."""
        for _ in range(500):
            if self.count(server) == count:
                break
            time.sleep(0.02)
        self.assertEqual(self.count(server), count)
        return server.ask("GET", "/graphs?default", headers=headers or {})[0]

    def test_a_read_only_server_follows_what_others_write(self):
        served.run_helve("update", self.index, "INSERT DATA { <http://e/early> <http://e/p> 1 }")
        with served.Server(self.index) as server:
            first = self.follow(server, 2)
            tag = {"If-None-Match": first.getheader("ETag")}
            self.assertEqual(first.getheader("Helve-Version"), "1")
            self.assertEqual(self.follow(server, 2, tag).status, 304)
            served.run_helve("update", self.index, "DELETE WHERE { <http://e/a> ?p ?o } ;"
                                                   "INSERT DATA { <http://e/c> a <http://e/C>, <http://e/D> }")
            changed = self.follow(server, 3, tag)
            self.assertEqual((changed.status, changed.getheader("Helve-Version")), (200, "2"))
            self.assertNotEqual(changed.getheader("ETag"), first.getheader("ETag"))
            void = server.ask("GET", "/.well-known/void", headers={"Accept": "application/n-triples"})[1]
            self.assertIn(b"void#classes> \"2\"", void)
            served.run_helve("index", "compact", self.index)
            self.assertEqual(self.follow(server, 3).status, 200)
            served.run_helve("load", self.data, "-o", self.index, "--force")
            replaced = self.follow(server, 1, {"If-None-Match": changed.getheader("ETag")})
            self.assertEqual((replaced.status, replaced.getheader("Helve-Version")), (200, "0"))

    def test_files_are_loaded_from_where_it_is_allowed(self):
        place = Path(self.folder.name) / "incoming"
        place.mkdir()
        (place / "more.ttl").write_text("<http://e/m> <http://e/p> 1, 2 .")
        (place / "bad.ttl").write_text("<http://e/m> oops")
        (place / "out.nt").symlink_to(self.data)
        (place / "quads.nq").write_text("<http://e/m> <http://e/p> 3 .\n<http://e/m> <http://e/p> <http://e/o> <http://e/h> .\n")
        os.mkfifo(place / "pipe.ttl")
        with self.server("--allow-load", place) as server:
            load = f"LOAD <{(place / 'more.ttl').as_uri()}> INTO GRAPH <http://e/g>"
            self.assertEqual(self.update(server, load)[0].status, 204)
            self.assertEqual(self.count(server), 3)
            for name, status in ((self.data, 403), (place / "out.nt", 403), (place / "bad.ttl", 400), (place / "none.ttl", 400), (place / "pipe.ttl", 400),
                                 (place / "quads.nq", 400)):
                response, body = self.update(server, f"LOAD <{name.as_uri()}> INTO GRAPH <http://e/g>")
                self.assertEqual(response.status, status, body)
            self.assertEqual(self.update(server, "LOAD <http://127.0.0.1/x>")[0].status, 403)
            self.assertEqual(self.count(server), 3)
            self.assertEqual(self.update(server, load, token=None)[0].status, 401)

    def test_errors_say_where(self):
        with self.server() as server:
            for response, body, status, told in (
                (*self.update(server, "INSERT DATA {\n <http://e/x> oops }"), 400, b"update:2:"),
                (*self.update(server, "LOAD <http://e/x>"), 403, b"LOAD"),
                (*self.update(server, "INSERT { ?s ?p 1 } WHERE { SERVICE <http://e/> { ?s ?p ?o } }"), 403, b"SERVICE"),
                (*self.update(server, "CREATE GRAPH <http://e/g> ; DROP GRAPH <http://e/none>"), 400, b"http://e/none"),
                (*self.put(server, "/graphs/x", "<a> <b>\n oops ."), 400, b"body:2:"),
                (*self.put(server, "/graphs/x", "", Content_Type="text/html"), 415, b"text/turtle"),
                (*self.put(server, "/graphs", ""), 400, b"/graphs?default"),
                (*self.write(server, "DELETE", "/graphs/none"), 404, b"/graphs/none"),
                (*self.write(server, "PATCH", "/graphs?default"), 405, b"PATCH"),
                (*self.write(server, "GET", "/graphs?default", headers={"Accept": "image/png"}), 406, b"text/turtle"),
            ):
                self.assertEqual(response.status, status, body)
                self.assertIn(told, body)
            self.assertEqual(self.count(server), 1)
            self.assertEqual(self.count(server, "SELECT (COUNT(*) AS ?n) { GRAPH ?g {} }"), 0)

    def test_graphs(self):
        with self.server() as server:
            response, body = self.put(server, "/graphs/a", "<> <p> [ <q> 1 ] .")
            self.assertEqual(response.status, 201, body)
            address = f"http://127.0.0.1:{server.port}/graphs/a"
            self.assertEqual(response.getheader("Location"), address)
            quoted = urllib.parse.quote(address, safe="")
            for target in ("/graphs/a", f"/graphs?graph={quoted}"):
                for media_type in ("text/turtle", "application/rdf+xml", "application/n-triples", "application/trig"):
                    response, body = self.write(server, "GET", target, headers={"Accept": media_type})
                    self.assertEqual(response.status, 200)
                    self.assertTrue(response.getheader("Content-Type").startswith(media_type))
                    again = self.write(server, "PUT", "/graphs/b", body, {"Content-Type": media_type})
                    self.assertIn(again[0].status, (201, 204), again[1])
                    self.assertEqual(self.count(server, "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"), 4)
            packed = gzip.compress(b"<http://e/c> <http://e/d> <http://e/e> .")
            response, body = self.write(server, "POST", "/graphs/b", packed,
                                        {"Content-Type": "application/n-triples", "Content-Encoding": "gzip"})
            self.assertEqual(response.status, 204, body)
            response, _ = self.put(server, "/graphs", "<> <p> 1 .", method="POST")
            self.assertEqual(response.status, 201)
            made = urllib.parse.urlsplit(response.getheader("Location")).path
            self.assertEqual(self.write(server, "GET", made)[0].status, 200)
            self.assertEqual(self.write(server, "DELETE", made)[0].status, 204)
            self.assertEqual(self.write(server, "HEAD", made)[0].status, 404)

    def test_conditions(self):
        with self.server() as server:
            self.put(server, "/graphs/a", "<a> <b> 1 .")
            response, _ = self.write(server, "GET", "/graphs/a")
            tag = response.getheader("ETag")
            self.assertEqual(self.write(server, "GET", "/graphs/a", headers={"If-None-Match": tag})[0].status, 304)
            self.assertEqual(self.put(server, "/graphs/a", "<a> <b> 2 .", If_Match=tag)[0].status, 204)
            self.assertEqual(self.put(server, "/graphs/a", "<a> <b> 3 .", If_Match=tag)[0].status, 412)
            self.assertEqual(self.write(server, "GET", "/graphs/a", headers={"If-None-Match": tag})[0].status, 200)
            self.assertEqual(self.put(server, "/graphs/a", "", If_None_Match="*")[0].status, 412)

    def test_long_bodies(self):
        turtle = "".join(f'<http://e/{i}> <http://e/p> "{i:0200}" .\n' for i in range(10_000))
        with self.server("--max-body", "3M") as server:
            self.assertEqual(self.put(server, "/graphs/a", turtle)[0].status, 201)
            self.assertEqual(self.count(server), 10_001)
            self.assertEqual(self.put(server, "/graphs/b", turtle + turtle)[0].status, 413)
            response, _ = server.query("ASK {} #" + "x" * (2 << 20))
            self.assertEqual(response.status, 413, "only those who may write send as much")

    def test_readers_and_writers_at_once(self):
        """Every update adds two statements: no reader ever sees one of them alone."""
        writers, updates = 4, 15
        failures = []
        stop = threading.Event()

        def write(server, writer):
            for i in range(updates):
                node = f"<http://e/{writer}/{i}>"
                response, body = self.update(server, f"INSERT DATA {{ {node} <http://e/q> 1, 2 }}")
                if response.status != 204:
                    failures.append((response.status, body))

        def read(server):
            before = 0
            while not stop.is_set():
                n = self.count(server, "SELECT (COUNT(*) AS ?n) { ?s <http://e/q> ?o }")
                if n % 2 != 0 or n < before:
                    failures.append(("read", n, before))
                before = n

        with self.server() as server:
            readers = [threading.Thread(target=read, args=(server,)) for _ in range(3)]
            threads = [threading.Thread(target=write, args=(server, w)) for w in range(writers)]
            for thread in readers + threads:
                thread.start()
            for thread in threads:
                thread.join()
            stop.set()
            for thread in readers:
                thread.join()
            self.assertEqual(failures, [])
            self.assertEqual(self.count(server), 1 + 2 * writers * updates)

    def test_a_client_that_leaves_in_the_middle(self):
        with self.server() as server:
            body = b"<http://e/x> <http://e/y> <http://e/z> .\n" * 1000
            client = socket.create_connection(("127.0.0.1", server.port), timeout=served.END_S)
            client.sendall(
                f"PUT /graphs?default HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {WRITER}\r\n"
                f"Content-Type: text/turtle\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[: len(body) // 2]
            )
            client.close()
            self.assertEqual(self.count(server), 1)
            self.assertEqual(self.update(server, "CLEAR ALL")[0].status, 204)

    def test_the_descriptions_follow(self):
        sd = "http://www.w3.org/ns/sparql-service-description#"
        void = "http://rdfs.org/ns/void#"
        with self.server("--union") as server:
            self.put(server, "/graphs?graph=http://e/g", "<x> a <C> . <y> a <C>, <D> .")

            def get(path):
                return served.Graph(server.ask("GET", path, headers={"Accept": "application/n-triples"})[1])

            graph = get("/sparql")
            languages = [o for s, p, o in graph.statements if p == sd + "supportedLanguage"]
            self.assertEqual(sorted(languages), [sd + "SPARQL11Query", sd + "SPARQL11Update"])
            self.assertEqual([o for s, p, o in graph.statements if p == sd + "name"], ["http://e/g"])
            graph = get("/.well-known/void")
            [dataset] = graph.subjects("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", void + "Dataset")
            self.assertEqual(graph.one(dataset, void + "triples"), "4")
            self.assertEqual(graph.one(dataset, void + "classes"), "2")
            self.assertEqual(graph.one(dataset, void + "distinctSubjects"), "3")


if __name__ == "__main__":
    served.run_tests()
