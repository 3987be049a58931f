#!/usr/bin/env python3
"""Every tool of the registry as a Python function: signature, types, positional and named calls, every alias."""

import inspect
import re
import sqlite3
import tempfile
import typing
import unittest
from pathlib import Path

import helve

EXAMPLES = Path(__file__).resolve().parents[1] / "examples/small"
TURTLE = """@prefix ex: <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:Planet a owl:Class ; rdfs:label "Planet" . ex:mass a owl:DatatypeProperty ; rdfs:label "mass" .
ex:earth a ex:Planet ; ex:mass 5.97 .
"""
DESCRIPTION = """@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .
@prefix void: <http://rdfs.org/ns/void#> .
<http://example.org/service> a sd:Service ; sd:endpoint <http://example.org/sparql> ; sd:feature sd:UnionDefaultGraph ;
  sd:defaultDataset [ a sd:Dataset ; sd:namedGraph [ sd:name <http://example.org/g> ] ] .
<http://example.org/data> a void:Dataset ; void:triples 12 .
"""
ITEM = {"title": "Count first", "desc": "Before an export.", "content": "Use sparql_count before a large query.",
        "src": "success"}
QUERY = "SELECT ?p ?m { ?p a sol:TerrestrialPlanet ; sol:mass ?m } ORDER BY ?p"


class Registry:
    """A session with all tools, and for each tool arguments that it takes: all parameters that it has."""

    def __init__(self, folder):
        self.folder = Path(folder)
        (self.folder / "data.ttl").write_text(TURTLE)
        (self.folder / "service.ttl").write_text(DESCRIPTION)
        database = sqlite3.connect(self.folder / "shop.db")
        database.executescript("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO item VALUES (1, 'a')")
        database.close()
        policy = helve.SafetyPolicy(read_only=False, allow_ddl=True, require_confirmation=False, audit=False,
                                     allowed_paths=[self.folder, EXAMPLES])
        self.session = helve.open("sample:", f"shop=sqlite:{self.folder / 'shop.db'}", policy=policy,
                                  bank=self.folder / "bank.db")
        self.arguments = self.make_arguments()

    def key(self, tool, *args):
        return self.session.call(tool, *args).check()["key"]

    def make_arguments(self):
        result = self.key("sparql_query", QUERY)
        graph = self.key("g_load", self.folder / "data.ttl")
        ontology = self.key("ont_load", self.folder / "data.ttl")
        examples = self.key("federated_endpoints", EXAMPLES)
        endpoint = self.session.endpoints_list(examples).check()
        name = re.search(r"https?://[^\"'\\\s]+", str(dict(endpoint))).group()
        service = self.key("service_desc", self.folder / "service.ttl")
        tasks = self.key("load_shacl_tasks", EXAMPLES)
        added = self.session.mem_add(item=ITEM).check()
        item = re.search(r"'id': '([^']+)'", str(dict(added))).group(1)
        text = self.session.get_schema_summary(guide=True).check()
        context = text.get("key") or examples
        mass = "SELECT ?m { ?x <http://example.org/mass> ?m }"
        planet = "http://example.org/Planet"
        body = "https://helve.example/solar/Star"
        insert, parameters = "INSERT INTO item (name) VALUES (?)", ["b"]
        return {
            "sparql_schema": {"output_mode": "classes", "filter_prefix": "sol", "limit": 3, "use_cache": True},
            "sparql_find": {"pattern": "planet", "kind": "class", "limit": 2},
            "sparql_peek": {"resource": body, "limit": 2, "properties": True, "output_mode": "sample",
                            "related_memories": False},
            "sparql_describe": {"resource": body, "limit": 3, "direction": "outgoing", "output_mode": "triples"},
            "sparql_classes": {"limit": 2, "filter_prefix": "sol"},
            "sparql_properties": {"limit": 2, "filter_prefix": "sol"},
            "sparql_sample": {"resource": body, "limit": 1},
            "endpoint_info": {},
            "sparql_query": {"query": QUERY, "limit": 2, "timeout": 20, "validate": True, "explain": False,
                             "diagnose": False, "store_pattern": False},
            "sparql_slice": {"result": result, "offset": 1, "limit": 2, "columns": ["m"]},
            "sparql_count": {"query": QUERY, "timeout": 20},
            "sparql_stats": {"result": result},
            "g_load": {"path": str(self.folder / "data.ttl")},
            "g_stats": {"handle": graph},
            "g_query": {"handle": graph, "query": mass, "limit": 2, "timeout": 20, "validate": True, "explain": False,
                        "diagnose": False},
            "g_sample": {"handle": graph, "limit": 2, "resource": planet},
            "g_classes": {"handle": graph, "limit": 2},
            "g_props": {"handle": graph, "limit": 2},
            "g_describe": {"handle": graph, "resource": planet, "limit": 2, "direction": "outgoing",
                           "output_mode": "triples"},
            "ont_load": {"path": str(self.folder / "data.ttl")},
            "ont_classes": {"handle": ontology, "limit": 2},
            "ont_properties": {"handle": ontology, "limit": 2},
            "ctx_peek": {"key": context, "n": 50},
            "ctx_slice": {"key": context, "start": 2, "end": 40},
            "ctx_stats": {"key": context},
            "ctx_find": {"key": context, "text": "e", "limit": 2},
            "federated_endpoints": {"path": str(EXAMPLES)},
            "endpoints_list": {"ref": examples, "limit": 2},
            "endpoint_detail": {"ref": examples, "name": name},
            "data_graphs": {"ref": examples, "limit": 2},
            "service_desc": {"url": str(self.folder / "service.ttl")},
            "service_desc_stats": {"ref": service, "limit": 2},
            "service_desc_graphs": {"ref": service, "limit": 2},
            "service_desc_features": {"ref": service, "limit": 2},
            "service_desc_sample": {"ref": service, "limit": 2},
            "load_shacl_tasks": {"path": str(EXAMPLES), "complexity_filter": "simple"},
            "get_task_stats": {"ref": tasks},
            "sample_tasks": {"ref": tasks, "limit": 1, "complexity": "simple", "seed": 3},
            "read_skill": {"name": "write-sparql"},
            "get_schema_summary": {"guide": True},
            "get_skills_summary": {},
            "schema_inspect": {"action": "search", "table": "item", "detail": "names", "pattern": "name", "limit": 3},
            "query_execute": {"sql": "SELECT ? AS x", "limit": 2, "timeout": 20, "params": ["b"]},
            "explain_plan": {"sql": "SELECT ? AS x", "params": ["b"], "timeout": 20},
            "data_modify": {"sql": insert, "params": parameters, "dry_run": True, "confirm": "", "timeout": 20},
            "ddl_execute": {"sql": "CREATE TABLE made (x)", "dry_run": True, "confirm": "", "timeout": 20},
            "transaction": {"action": "status", "confirm": "", "timeout": 20},
            "result_sql": {"sql": f"SELECT COUNT(*) AS n FROM {result}", "limit": 2, "timeout": 20},
            "mem_search": {"q": "count before export", "k": 2, "polarity": "success", "domain": "", "tags": [],
                           "quarantined": True},
            "mem_get": {"ids": [item], "max_n": 2},
            "mem_quote": {"id": item, "chars": 20, "start": 1},
            "mem_add": {"item": ITEM},
            "mem_extract": {"result": result, "task": "masses of planets", "judgment": {"verdict": "correct"},
                            "auto_store": False},
            "mem_learn_from_failure": {"result": result, "task": "masses of planets", "error": "no rows",
                                       "query": QUERY},
            "list_tools": {"category": "query", "verbose": False},
            "call_tool": {"name": "endpoint_info", "arguments": {}},
        }


# What differs from call to call for reasons of its own.
VOLATILE = re.compile(r"\b(results|graph|ontology|tasks|endpoints|context|text|service|examples)_\d+\b|"
                      r"'(execution_time_ms|elapsed_ms|ms|id|created_at|token|expires_at)': [^,}]+")


def essence(reply):
    again = ("this call was made", "the same call on", "the same file,")
    warnings = [one for one in reply["warnings"] if not one.startswith(again)]
    return VOLATILE.sub("~", str({**reply, "warnings": warnings}))


class RegistryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.registry = Registry(cls.folder.name)
        cls.session = cls.registry.session

    @classmethod
    def tearDownClass(cls):
        cls.session.close()
        cls.folder.cleanup()

    def for_each(self, check):
        for name, function in self.session.tools.items():
            with self.subTest(tool=name):
                check(name, function, dict(self.registry.arguments[name]))

    def reference(self, name, arguments):
        reply = self.session.call_with(name, arguments)
        self.assertFalse(reply.is_error, f"{name}: {reply}")
        return reply

    def test_every_tool_has_arguments_here(self):
        self.assertEqual(set(self.session.tools), set(self.registry.arguments))

        def check(name, _, arguments):
            known = {one["name"] for one in self.session.shapes[name]["parameters"]}
            self.assertEqual(set(arguments), known - {"max_chars", "output_format", "source"}, name)

        self.for_each(check)

    def test_signatures_and_types_are_those_of_the_registry(self):
        def check(name, function, _):
            signature = inspect.signature(function)
            shape = self.session.shapes[name]
            self.assertTrue(inspect.isfunction(function))
            self.assertEqual(function.__name__, name)
            self.assertEqual(set(signature.parameters), {one["name"] for one in shape["parameters"]})
            self.assertEqual(set(typing.get_type_hints(function)), set(signature.parameters) | {"return"})
            required = {one.name for one in signature.parameters.values() if one.default is one.empty}
            self.assertEqual(required, {one["name"] for one in shape["parameters"] if one["is_required"]})
            schema = self.session.input_schema(name)
            self.assertEqual(set(schema["properties"]), set(signature.parameters))
            self.assertEqual(set(schema.get("required", [])), required)
            for one in shape["returns"]:
                self.assertIn(f"    {one['name']}", function.__doc__)
            self.assertEqual(inspect.getfullargspec(function).kwonlydefaults.keys(),
                             {"max_chars", "output_format", "source"})

        self.for_each(check)

    def test_named_and_positional_calls_are_the_same(self):
        def check(name, function, arguments):
            expected = essence(self.reference(name, arguments))
            self.assertEqual(essence(function(**arguments)), expected)
            order = [one for one in inspect.signature(function).parameters if one in arguments]
            self.assertEqual(essence(function(*[arguments[one] for one in order])), expected)
            first = {one: arguments[one] for one in order[1:]}
            if order:
                self.assertEqual(essence(function(arguments[order[0]], **first)), expected)

        self.for_each(check)

    def test_every_alias_is_read_as_its_parameter(self):
        tried = []

        def check(name, function, arguments):
            expected = essence(self.reference(name, arguments))
            for parameter in self.session.shapes[name]["parameters"]:
                if parameter["name"] not in arguments:
                    continue
                for alias in parameter["aliases"]:
                    given = {alias if key == parameter["name"] else key: value for key, value in arguments.items()}
                    self.assertEqual(essence(function(**given)), expected, f"{name}: {alias}")
                    tried.append(alias)

        self.for_each(check)
        self.assertGreater(len(tried), 150)

    def test_common_parameters_work_on_every_tool(self):
        def check(name, function, arguments):
            for common in ("max_chars", "max"):
                reply = function(**arguments, **{common: 400})
                self.assertLessEqual(len(reply.text), 400, name)

        self.for_each(check)

    def test_numbers_may_be_texts_and_handles_may_be_objects(self):
        reply = self.session.sparql_query(QUERY, limit="2")
        self.assertEqual(reply["limit_applied"], 2)
        for given in (reply, reply.handle, reply["key"], [reply["key"]], f"@{reply['key']}"):
            self.assertEqual(self.session.sparql_slice(given, limit="1").check()["returned"], 1)

    def test_the_old_form_is_no_call(self):
        # (args, kwargs) is what the legacy mapping takes, and nobody else.
        for args, kwargs in (([QUERY], {}), ([QUERY], None), ([], {"query": QUERY}), ((QUERY,), {"limit": 2})):
            with self.assertRaisesRegex(TypeError, "older form"):
                self.session.sparql_query(args, kwargs)
        with self.assertRaises(TypeError):
            self.session.endpoint_info([], {})
        legacy = self.session.as_dspy_tools(legacy=True)
        self.assertEqual(set(legacy), set(self.session.tools))
        for args, kwargs in (([QUERY], {}), (QUERY, None), (None, {"query": QUERY}), ([], {"q": QUERY, "n": 2})):
            self.assertIn("4 rows", legacy["sparql_query"](args, kwargs))

    def test_calls_that_python_refuses(self):
        with self.assertRaisesRegex(TypeError, "multiple values for argument 'query'"):
            self.session.sparql_query(QUERY, query=QUERY)
        with self.assertRaisesRegex(TypeError, "positional"):
            self.session.sparql_stats("results_0", 1, 2)
        with self.assertRaisesRegex(TypeError, "cannot be a object"):
            self.session.sparql_query(QUERY, limit=object())

    def test_what_is_misspelt_is_told(self):
        reply = self.session.sparql_query(QUERY, limmit=3)
        self.assertFalse(reply.is_error)
        self.assertIn("limmit", str(reply["warnings"]))


if __name__ == "__main__":
    unittest.main()
