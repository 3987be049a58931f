#!/usr/bin/env python3
"""What a large endpoint is asked before a query, and whether the query follows. HELVE_PROGRAM names the program."""

import http.server
import json
import os
import subprocess
import sys
import threading
import unittest
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "cases")]

import helve_program  # noqa: E402
from helve_program import WorkDirectory  # noqa: E402

RESULTS = "application/sparql-results+json"
X = "http://x.example/"
VOID = f"""
@prefix void: <http://rdfs.org/ns/void#> .
<{X}all> a void:Dataset ; void:triples 1000000000 ; void:distinctSubjects 100000000 ;
  void:classPartition [ void:class <{X}Thing> ; void:entities 50000000 ] ;
  void:propertyPartition [ void:property <{X}name> ; void:triples 80000000 ] .
"""


class Large(http.server.BaseHTTPRequestHandler):
    """Tells sizes, gives every pattern the count that its server was told, and answers everything else with one row."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("query", [""])[0])

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        self.answer(urllib.parse.parse_qs(body).get("query", [""])[0])

    def answer(self, query):
        if not query:
            return self.say(VOID.encode(), "text/turtle")
        name, value = "sent", "1"
        if query.startswith("ASK"):
            return self.say(b'{"head": {}, "boolean": true}', RESULTS)
        if "helve_n" in query:
            self.server.counted.append(query)
            name, value = "helve_n", str(self.server.count)
        elif "?sent" in query:
            self.server.sent.append(query)
        rows = [{name: {"type": "literal", "value": value}}]
        self.say(json.dumps({"head": {"vars": [name]}, "results": {"bindings": rows}}).encode(), RESULTS)

    def say(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Gate(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Large)
        self.server.counted, self.server.sent, self.server.count = [], [], 7
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.folder = WorkDirectory()
        self.directory = self.folder.__enter__()

    def tearDown(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
        self.folder.__exit__(None, None, None)

    def call(self, query, **more):
        source = f"it=http://127.0.0.1:{self.server.server_address[1]}/sparql"
        arguments = json.dumps({"query": query, "diagnose": False, **more})
        done = subprocess.run([helve_program.program_path(), "call", "--source", source, "--json", "sparql_query", arguments], cwd=self.directory,
                              env=helve_program.fixed_environment(self.directory), capture_output=True, timeout=60, check=False)
        return json.loads(done.stdout)

    def test_a_value_is_counted_and_the_query_follows(self):
        reply = self.call(f"SELECT ?sent {{ ?sent a <{X}Thing> ; <{X}name> \"v\" }}")
        self.assertEqual(reply.get("rows"), 1, reply)
        self.assertEqual(len(self.server.counted), 1, self.server.counted)
        self.assertIn("LIMIT 1000001", self.server.counted[0])
        self.assertEqual(len(self.server.sent), 1, self.server.sent)

    def test_without_a_match_nothing_follows(self):
        self.server.count = 0
        reply = self.call(f"SELECT ?sent {{ ?sent a <{X}Thing> ; <{X}name> \"v\" }}")
        self.assertEqual(reply.get("rows"), 0, reply)
        self.assertIn("was not sent", reply["warnings"][0])
        self.assertEqual(self.server.sent, [])

    def test_an_anchored_query_is_sent_at_once(self):
        self.assertEqual(self.call(f"SELECT ?sent {{ <{X}a> <{X}unknown> ?sent . ?sent <{X}name> \"v\" }}").get("rows"), 1)
        self.assertEqual(self.server.counted, [])
        self.assertEqual(len(self.server.sent), 1)

    def test_what_cannot_end_is_refused_with_the_numbers(self):
        self.server.count = 1000000
        reply = self.call(f"SELECT (COUNT(*) AS ?sent) {{ ?a <{X}p> ?b . ?c <{X}q> ?d FILTER(CONTAINS(?b, ?d)) }}")
        self.assertEqual(reply["error"]["code"], "limit_exceeded", reply)
        self.assertIn("has 1,000,000 matches", reply["error"]["message"])
        self.assertEqual(len(self.server.counted), 2)
        self.assertEqual(self.server.sent, [])

    def test_a_plan_asks_for_no_more_than_its_numbers(self):
        reply = self.call(f"SELECT ?sent {{ ?sent a <{X}Thing> ; <{X}name> \"v\" }}", explain=True)
        self.assertEqual((reply["plan_by"], reply["probes"]), ("helve", 1), reply)
        self.assertEqual((len(self.server.counted), self.server.sent), (1, []))


if __name__ == "__main__":
    unittest.main()
