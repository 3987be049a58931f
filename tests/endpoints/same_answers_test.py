#!/usr/bin/env python3
"""The tools over HTTP give what they give on the same data at hand: the bundled sample, served by helve itself. HELVE_PROGRAM names the program."""

import json
import os
import select
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "cases")]

import helve_program  # noqa: E402
from helve_program import WorkDirectory  # noqa: E402

SOLAR = "https://helve.example/solar/"
CALLS = [
    ("sparql_query", {"query": f"SELECT ?m (COUNT(?x) AS ?n) {{ ?m <{SOLAR}hasMoon> ?x }} GROUP BY ?m ORDER BY DESC(?n) ?m"}),
    ("sparql_query", {"query": f"SELECT ?x ?l {{ ?x a <{SOLAR}RegularMoon> ; <http://www.w3.org/2000/01/rdf-schema#label> ?l }} ORDER BY ?x", "limit": 5}),
    ("sparql_query", {"query": "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ORDER BY ?g"}),
    ("sparql_query", {"query": f"ASK {{ ?x a <{SOLAR}RegularMoon> }}"}),
    ("sparql_query", {"query": f"SELECT ?x {{ ?x <{SOLAR}hasMoon>/<{SOLAR}orbits>? ?y }} ORDER BY ?x LIMIT 20"}),
    ("sparql_count", {"query": f"SELECT ?x {{ ?x a <{SOLAR}RegularMoon> }}"}),
    ("sparql_count", {"query": f"<{SOLAR}Flyby>"}),
    ("sparql_query", {"query": "SELECT ?x { ?x <https://helve.example/solar/noSuchThing> ?y }", "diagnose": "false"}),
]
# What tells of the place and the moment, not of the data.
OF_THE_MOMENT = ("execution_time_ms", "source", "ref", "warnings", "usage", "prefixes", "shown", "key", "count_is")


def in_full(value, prefixes):
    """Names without their prefixes: an endpoint does not tell which its data was written with."""
    if isinstance(value, list):
        return [in_full(one, prefixes) for one in value]
    if isinstance(value, str) and value.split(":")[0] in prefixes:
        prefix, name = value.split(":", 1)
        return f"<{prefixes[prefix]}{name}>"
    return value


class SameAnswers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = WorkDirectory()
        cls.directory = cls.folder.__enter__()
        cls.server = subprocess.Popen([helve_program.program_path(), "serve", "sample:", "--http", "127.0.0.1:0"], cwd=cls.directory,
                                      env=helve_program.fixed_environment(cls.directory), stdout=subprocess.PIPE)
        ready = select.select([cls.server.stdout], [], [], 30)[0]
        line = cls.server.stdout.readline().decode() if ready else ""
        cls.url = line.split()[-1] if "listening on" in line else None

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.server.wait(30)
        cls.server.stdout.close()
        cls.folder.__exit__(None, None, None)

    def call(self, source, tool, arguments):
        command = [helve_program.program_path(), "call", "--source", source, "--json", tool, json.dumps(arguments)]
        done = subprocess.run(command, cwd=self.directory, env=helve_program.fixed_environment(self.directory), capture_output=True,
                              timeout=60, check=False)
        reply = json.loads(done.stdout)
        prefixes = reply.get("prefixes", {})
        return {key: in_full(value, prefixes) for key, value in reply.items() if key not in OF_THE_MOMENT}

    def test_answers_are_the_same(self):
        self.assertIsNotNone(self.url, "helve serve did not start")
        for tool, arguments in CALLS:
            with self.subTest(tool=tool, arguments=arguments):
                self.assertEqual(self.call(f"it={self.url}", tool, arguments), self.call("it=sample:", tool, arguments))

    def test_a_schema_says_where_it_is_from(self):
        command = [helve_program.program_path(), "call", "--source", f"it={self.url}", "--json", "sparql_schema"]
        done = subprocess.run(command, cwd=self.directory, env=helve_program.fixed_environment(self.directory), capture_output=True,
                              timeout=60, check=False)
        self.assertIn("the schema is from the VoID description of the endpoint, asked 20", done.stdout.decode())

    def test_a_plan_is_our_own(self):
        query = f"SELECT ?m {{ ?m <{SOLAR}hasMoon> ?x . ?x a <{SOLAR}RegularMoon> OPTIONAL {{ ?x <{SOLAR}noSuchThing> ?y }} }} ORDER BY ?m"
        reply = self.call(f"it={self.url}", "sparql_query", {"query": query, "explain": "true"})
        self.assertEqual(reply["plan_by"], "helve", reply)
        self.assertEqual(reply["probes"], 0, reply)
        words = ("step\n", "select  ?m", "sort  ?m", "optional", "join", "look-up  ?x a ", "scan  ?m ", "scan  ?x ")
        places = [reply["plan"].find(word) for word in words]
        self.assertEqual(places, sorted(places), reply["plan"])
        self.assertGreater(places[0], 0, reply["plan"])

    def test_a_handle_of_one_feeds_the_other(self):
        session = os.path.join(self.directory, "session")
        both = ["--source", f"far={self.url}", "--source", "near=sample:", "--session", session, "--json"]
        program, environment = helve_program.program_path(), helve_program.fixed_environment(self.directory)

        def call(tool, **arguments):
            command = [program, "call", *both, tool, json.dumps(arguments)]
            return json.loads(subprocess.run(command, cwd=self.directory, env=environment, capture_output=True, timeout=60, check=False).stdout)

        first = call("sparql_query", source="far", query=f"SELECT ?x {{ ?x a <{SOLAR}RegularMoon> }}")
        self.assertEqual(first["rows"], 59, first)
        second = call("sparql_query", source="near",
                      query=f"SELECT ?x ?p {{ VALUES ?x {{ @{first['key']}.x }} ?p <{SOLAR}hasMoon> ?x }}")
        self.assertGreater(second["rows"], 0, second)

    def test_service_joins_them_where_a_policy_allows_it(self):
        with open(os.path.join(self.directory, "policy.toml"), "w", encoding="utf-8") as policy:
            policy.write(f'allowed_endpoints = ["{self.url}"]\n')
        graph = f"{SOLAR}graph/bodies"
        query = f"SELECT ?x ?p {{ ?x a <{SOLAR}RegularMoon> SERVICE <{self.url}> {{ GRAPH <{graph}> {{ ?p <{SOLAR}hasMoon> ?x }} }} }}"
        program, environment = helve_program.program_path(), helve_program.fixed_environment(self.directory)

        def call(*policy):
            command = [program, "call", "--source", "near=sample:", "--json", *policy, "sparql_query", json.dumps({"query": query})]
            return json.loads(subprocess.run(command, cwd=self.directory, env=environment, capture_output=True, timeout=60, check=False).stdout)

        self.assertEqual(call()["error"]["code"], "denied")
        here = self.call("it=sample:", "sparql_query", {"query": f"SELECT ?x ?p {{ ?x a <{SOLAR}RegularMoon> . ?p <{SOLAR}hasMoon> ?x }}"})
        self.assertEqual(call("--policy", "policy.toml")["rows"], here["rows"])


if __name__ == "__main__":
    unittest.main()
