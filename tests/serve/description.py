#!/usr/bin/env python3
"""What the endpoint tells of itself: the W3C's tests of service descriptions, and VoID: description.py HELVE

The W3C's three tests are sentences without data: a GET returns RDF, it names its endpoint, and it follows the schema of
the vocabulary, whose classes, properties, domains and ranges stand below.
"""

import unittest

import served

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SD = "http://www.w3.org/ns/sparql-service-description#"
VOID = "http://rdfs.org/ns/void#"
SAMPLE = served.REPOSITORY / "examples" / "solar-system.trig"

# https://www.w3.org/ns/sparql-service-description: property, the class of its subjects, that of its values.
PROPERTIES = {
    "endpoint": ("Service", None),
    "feature": ("Service", None),
    "defaultEntailmentRegime": ("Service", None),
    "entailmentRegime": ("NamedGraph", None),
    "defaultSupportedEntailmentProfile": ("Service", None),
    "supportedEntailmentProfile": ("NamedGraph", None),
    "extensionFunction": ("Service", None),
    "extensionAggregate": ("Service", None),
    "languageExtension": ("Service", None),
    "supportedLanguage": ("Service", None),
    "propertyFeature": ("Service", None),
    "defaultDataset": ("Service", "Dataset"),
    "availableGraphs": ("Service", "GraphCollection"),
    "resultFormat": ("Service", None),
    "inputFormat": ("Service", None),
    "defaultGraph": ("Dataset", "Graph"),
    "namedGraph": ("Dataset", "NamedGraph"),
    "name": ("NamedGraph", None),
    "graph": ("NamedGraph", "Graph"),
}
CLASSES = {"Service", "Feature", "Language", "Function", "Aggregate", "EntailmentRegime", "EntailmentProfile",
           "GraphCollection", "Dataset", "Graph", "NamedGraph"}
INDIVIDUALS = {
    "feature": {"DereferencesURIs", "UnionDefaultGraph", "RequiresDataset", "EmptyGraphs", "BasicFederatedQuery"},
    "supportedLanguage": {"SPARQL10Query", "SPARQL11Query", "SPARQL11Update"},
}


class Descriptions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = served.Server(SAMPLE, "--union")

    @classmethod
    def tearDownClass(cls):
        cls.server.finish()

    def get(self, path, media_type=None):
        response, body = self.server.ask("GET", path, headers={"Accept": media_type} if media_type else {})
        self.assertEqual(response.status, 200, body[:300])
        return response.getheader("Content-Type"), body

    def graph(self, path):
        return served.Graph(self.get(path, "application/n-triples")[1])

    def require_w3c(self):
        path = served.w3c_suite(self, "service-description")
        names = [line.strip() for line in path.read_text().splitlines() if line.strip().startswith(":")]
        known = {":has-endpoint-triple", ":returns-rdf", ":conforms-to-schema"}
        self.assertEqual({name.split()[0] for name in names}, known, "the suite has other tests now")

    def test_w3c_returns_rdf(self):
        self.require_w3c()
        self.check_returns_rdf("/sparql")

    def test_w3c_has_endpoint_triple(self):
        self.require_w3c()
        self.check_endpoint()

    def test_w3c_conforms_to_schema(self):
        self.require_w3c()
        self.check_schema()

    def test_returns_rdf(self):
        for path in ("/sparql", "/.well-known/void"):
            self.check_returns_rdf(path)

    def check_returns_rdf(self, path):
        """The same statements, whatever the format: as many, and of the same predicates."""
        expected = None
        for media_type, name in (
            (None, "turtle"),
            ("text/turtle", "turtle"),
            ("application/rdf+xml", "rdfxml"),
            ("application/n-triples", "ntriples"),
            ("application/trig", "trig"),
        ):
            content_type, body = self.get(path, media_type)
            self.assertTrue(content_type.startswith(media_type or "text/turtle"), content_type)
            graph = served.Graph(served.run_helve("convert", "-", "--from", name, "--to", "ntriples", text=body))
            predicates = sorted(p for _, p, _ in graph.statements)
            expected = expected or predicates
            self.assertEqual(predicates, expected, media_type)

    def test_endpoint(self):
        self.check_endpoint()

    def check_endpoint(self):
        graph = self.graph("/sparql")
        [service] = graph.subjects(RDF_TYPE, SD + "Service")
        self.assertEqual(graph.all(service, SD + "endpoint"), [f"http://127.0.0.1:{self.server.port}/sparql"])

    def test_schema(self):
        self.check_schema()

    def check_schema(self):
        graph = self.graph("/sparql")
        seen = 0
        for subject, predicate, value in graph.statements:
            if predicate == RDF_TYPE and value.startswith(SD):
                self.assertIn(value[len(SD) :], CLASSES)
            if not predicate.startswith(SD):
                continue
            seen += 1
            name = predicate[len(SD) :]
            self.assertIn(name, PROPERTIES)
            domain, values = PROPERTIES[name]
            self.assertIn(SD + domain, graph.all(subject, RDF_TYPE), name)
            if values:
                self.assertIn(SD + values, graph.all(value, RDF_TYPE), name)
            if name in INDIVIDUALS:
                self.assertIn(value, {SD + one for one in INDIVIDUALS[name]})
        self.assertGreater(seen, 10)

    def count(self, query):
        _, body = self.server.query(query, {"Accept": "text/csv"})
        return body.decode().split()[1]

    def test_service_counts_are_those_of_queries(self):
        graph = self.graph("/sparql")
        [dataset] = graph.subjects(RDF_TYPE, SD + "Dataset")
        default = graph.one(dataset, SD + "defaultGraph")
        self.assertEqual(graph.one(default, VOID + "triples"), self.count("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"))
        named = graph.all(dataset, SD + "namedGraph")
        self.assertEqual(str(len(named)), self.count("SELECT (COUNT(*) AS ?n) { GRAPH ?g {} }"))
        for node in named:
            name = graph.one(node, SD + "name")
            self.assertEqual(
                graph.one(graph.one(node, SD + "graph"), VOID + "triples"),
                self.count(f"SELECT (COUNT(*) AS ?n) {{ GRAPH <{name}> {{ ?s ?p ?o }} }}"),
            )

    def test_void_counts_are_those_of_queries(self):
        graph = self.graph("/.well-known/void")
        [dataset] = graph.subjects(RDF_TYPE, VOID + "Dataset")
        for name, query in (
            ("triples", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"),
            ("distinctSubjects", "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o }"),
            ("distinctObjects", "SELECT (COUNT(DISTINCT ?o) AS ?n) { ?s ?p ?o }"),
            ("properties", "SELECT (COUNT(DISTINCT ?p) AS ?n) { ?s ?p ?o }"),
            ("classes", "SELECT (COUNT(DISTINCT ?c) AS ?n) { ?s a ?c }"),
        ):
            self.assertEqual(graph.one(dataset, VOID + name), self.count(query), name)
        self.assertEqual(graph.one(dataset, VOID + "sparqlEndpoint"), f"http://127.0.0.1:{self.server.port}/sparql")
        for part in graph.all(dataset, VOID + "classPartition"):
            name = graph.one(part, VOID + "class")
            self.assertEqual(graph.one(part, VOID + "entities"), self.count(f"SELECT (COUNT(*) AS ?n) {{ ?s a <{name}> }}"))
        for part in graph.all(dataset, VOID + "propertyPartition"):
            name = graph.one(part, VOID + "property")
            self.assertEqual(
                graph.one(part, VOID + "triples"), self.count(f"SELECT (COUNT(*) AS ?n) {{ ?s <{name}> ?o }}")
            )


if __name__ == "__main__":
    served.run_tests()
