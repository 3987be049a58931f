#!/usr/bin/env python3
"""Manifests of protocol tests, the W3C's and our own: protocol.py HELVE

Every entry is a test: its requests are sent as they are written, but for the path, and what comes back is checked
against the status, the kind of format and the boolean that the manifest expects.
"""

import json
import unittest
from pathlib import Path

import served

MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
HT = "http://www.w3.org/2011/http#"
HTS = "http://www.w3.org/2011/http-statusCodes#"
CNT = "http://www.w3.org/2011/content#"
UT = "http://www.w3.org/2009/sparql/tests/test-update#"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"

STATUSES = {
    "StatusCode2xx": range(200, 300),
    "StatusCode3xx": range(300, 400),
    "StatusCode4xx": range(400, 500),
    "BadRequest": [400],
    "Forbidden": [403],
    "NotFound": [404],
    "MethodNotAllowed": [405],
    "NotAcceptable": [406],
    "UnsupportedMediaType": [415],
}
TABULAR = {
    "application/sparql-results+json",
    "application/sparql-results+xml",
    "text/csv",
    "text/tab-separated-values",
}
FORMATS = {
    "boolean": TABULAR,
    "tabular": TABULAR,
    "RDF": {"text/turtle", "application/n-triples", "application/rdf+xml", "application/trig", "application/n-quads"},
}


class Request:
    def __init__(self, graph, node):
        self.method = graph.one(node, HT + "methodName")
        path = graph.one(node, HT + "absolutePath")
        assert path.startswith("/sparql/"), path
        self.target = "/sparql" + path[len("/sparql/") :]
        self.headers = {
            graph.one(header, HT + "fieldName"): graph.one(header, HT + "fieldValue")
            for header in graph.items(graph.one(node, HT + "headers"))
        }
        body = graph.one(node, HT + "body")
        self.body = None
        if body:
            self.body = graph.one(body, CNT + "chars").encode(graph.one(body, CNT + "characterEncoding"))
        response = graph.one(node, HT + "resp")
        self.statuses = [name[len(HTS) :] for name in graph.all(response, MF + "expectedStatus")]
        self.format = graph.one(response, MF + "expectedFormat")
        self.boolean = graph.one(response, MF + "expectedBoolean")


class Manifest:
    def __init__(self, path):
        self.folder = Path(path).parent
        self.graph = served.Graph(served.run_helve("convert", path, "--to", "ntriples"))
        head = next(s for s, p, o in self.graph.statements if p == MF + "entries")
        self.entries = list(self.graph.items(self.graph.one(head, MF + "entries")))

    def requests(self, entry):
        action = self.graph.one(entry, MF + "action")
        return [Request(self.graph, node) for node in self.graph.items(self.graph.one(action, HT + "requests"))]

    def data(self):
        """Arguments that make a server of the graphs of all entries."""
        graphs = {}
        for entry in self.entries:
            for node in self.graph.all(entry, UT + "graphData"):
                name = Path(self.graph.one(node, UT + "graph").removeprefix("file://")).name
                graphs[self.graph.one(node, LABEL)] = self.folder / name
        return [word for iri, path in sorted(graphs.items()) for word in ("--named-graph", f"{iri}={path}")]


class Cases(unittest.TestCase):
    def check(self, server, request):
        response, body = server.ask(request.method, request.target, request.body, request.headers)
        told = f"{response.status} {body[:300]!r}"
        self.assertTrue(any(response.status in STATUSES[name] for name in request.statuses), told)
        media_type = (response.getheader("Content-Type") or "").partition(";")[0]
        if request.format:
            self.assertIn(media_type, FORMATS[request.format], told)
        elif response.status >= 400:
            self.assertEqual(media_type, "text/plain")
            self.assertGreater(len(body), 10)
        if request.boolean:
            self.assertEqual(json.loads(body)["boolean"], request.boolean == "true", told)

    def run_manifest(self, path, skips, least):
        manifest = Manifest(path)
        passed = 0
        with served.Server(*manifest.data()) as server:
            for entry in manifest.entries:
                name = entry.rpartition("#")[2]
                if skips(name):
                    continue
                with self.subTest(name):
                    requests = manifest.requests(entry)
                    self.assertTrue(requests)
                    for request in requests:
                        self.check(server, request)
                    passed += 1
        self.assertGreaterEqual(passed, least)
        print(f"{path}: {passed} passed, {sum(map(skips, (e.rpartition('#')[2] for e in manifest.entries)))} skipped")

    def test_w3c(self):
        path = served.w3c_suite(self, "protocol")
        # Those that want an update to be done; that bad ones are refused is tested.
        self.run_manifest(path, lambda name: name.startswith("update_"), 27)

    def test_own(self):
        self.run_manifest(Path(__file__).parent / "own" / "manifest.ttl", lambda name: False, 17)


if __name__ == "__main__":
    served.run_tests()
