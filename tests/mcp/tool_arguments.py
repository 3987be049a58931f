"""Arguments for every tool: right ones on the sample graph, wrong ones, hostile ones.

Neighbour: schema_walk.py makes the calls. A tool that is listed and not here fails the walk.
"""

import hashlib

PLANET = "https://helve.example/solar/Planet"
MARS = "https://helve.example/solar/body/Mars"
QUERY = "SELECT ?planet ?label WHERE { ?planet a sol:TerrestrialPlanet ; rdfs:label ?label }"
CONSTRUCT = "CONSTRUCT { ?s a ?c } WHERE { ?s a ?c }"
TURTLE = """@prefix ex: <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
ex:Thing a owl:Class . ex:part a owl:ObjectProperty .
ex:a a ex:Thing ; ex:part ex:b ; ex:note "a text that is long enough to be looked at" .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .
ex:query a sh:SPARQLExecutable ; sh:select "SELECT * { GRAPH <http://example.org/g> { ?s ?p ?o } }" ;
  <https://schema.org/target> <https://endpoint.example/sparql> .
ex:service sd:endpoint <https://endpoint.example/sparql> ; sd:feature sd:UnionDefaultGraph .
"""
LESSON = {"title": "Planets by class", "desc": "Use for planets.", "content": "Ask for classes.", "src": "success"}
LESSON_ID = hashlib.sha256(f"{LESSON['title']}\n{LESSON['content']}".encode()).hexdigest()[:12]


def right_arguments(key, path):
    """By tool: calls that must succeed. key(kind) gives a live handle: results, graph, ontology, registry,
    service_desc; at `path` is TURTLE."""
    results, graph, ontology = key("results"), key("graph"), key("ontology")
    registry, tasks, description = key("registry"), key("tasks"), key("service_desc")
    text = f"{results}[0].label"
    return {
        "sparql_query": [
            {"query": QUERY},
            {"query": QUERY, "limit": "2"},
            {"query": "ASK { ?s a sol:Planet }"},
            {"query": CONSTRUCT},
            {"query": QUERY, "explain": True},
            {"query": "SELECT ?x { ?x a sol:Nothing }"},
            {"q": QUERY, "max_rows": 1, "max_chars": 300},
        ],
        "sparql_slice": [{"result": results}, {"result": [results], "offset": 1, "limit": 2}],
        "sparql_peek": [
            {"resource": PLANET},
            {"resource": "sol:Planet", "output_mode": "schema"},
            {"resource": "sol:Planet", "output_mode": "count"},
            {"resource": MARS},
            {"resource": results},
        ],
        "sparql_describe": [
            {"resource": MARS},
            {"resource": MARS, "output_mode": "summary"},
            {"resource": MARS, "output_mode": "grouped", "direction": "incoming"},
        ],
        "sparql_schema": [
            {},
            {"output_mode": "classes"},
            {"output_mode": "properties", "limit": 3},
            {"output_mode": "patterns"},
        ],
        "sparql_find": [{"pattern": "planet"}, {"pattern": "mras", "kind": "instance"}],
        "sparql_classes": [{}],
        "sparql_properties": [{"limit": 5}],
        "sparql_sample": [{"class": PLANET, "n": 2}],
        "sparql_count": [{"query": QUERY}, {"query": "sol:Planet"}],
        "sparql_stats": [{"result": results}],
        "endpoint_info": [{}],
        "g_load": [{"path": path}],
        "g_stats": [{"handle": graph}],
        "g_query": [{"handle": graph, "query": "SELECT * { ?s ?p ?o }"}],
        "g_sample": [{"handle": graph, "resource": "http://example.org/Thing"}],
        "g_classes": [{"handle": graph}],
        "g_props": [{"handle": graph}],
        "g_describe": [{"handle": graph, "resource": "http://example.org/a"}],
        "ont_load": [{"path": path}],
        "ont_classes": [{"handle": ontology}],
        "ont_properties": [{"handle": ontology}],
        "federated_endpoints": [{"path": path}],
        "endpoints_list": [{"ref": registry}],
        "data_graphs": [{"ref": registry, "limit": 3}],
        "endpoint_detail": [{"ref": registry, "name": "https://endpoint.example/sparql"}],
        "load_shacl_tasks": [{"path": path}, {"path": path, "complexity_filter": "simple"}],
        "get_task_stats": [{"ref": tasks}],
        "sample_tasks": [{"ref": tasks, "n": 3, "seed": 7}],
        "read_skill": [{"name": "write-sparql"}, {"name": "tune_a_query", "max_chars": 400}],
        "get_schema_summary": [{}, {"guide": True}],
        "get_skills_summary": [{}],
        "mem_search": [{"q": "planets and moons"}, {"q": "planet", "k": 3, "polarity": "success"}],
        "mem_get": [{"ids": [LESSON_ID]}],
        "mem_quote": [{"id": LESSON_ID, "chars": 20}],
        "mem_add": [{"item": LESSON}],
        "mem_extract": [
            {"result": results, "task": "Which planets are there?", "judgment": "correct", "auto_store": False},
            {"result": results, "task": "Which planets are there?"},
        ],
        "mem_learn_from_failure": [{"query": QUERY, "task": "Which planets are there?", "error": "the deadline passed"}],
        "service_desc": [{"url": path}],
        "service_desc_stats": [{"ref": description}],
        "service_desc_graphs": [{"ref": description}],
        "service_desc_features": [{"ref": description, "limit": 5}],
        "service_desc_sample": [{"ref": description, "n": 3}],
        "ctx_peek": [{"key": text}],
        "ctx_slice": [{"key": text, "start": 0, "end": -1}],
        "ctx_stats": [{"key": text}],
        "ctx_find": [{"key": text, "text": "a"}],
        "result_sql": [{"sql": f"SELECT * FROM {results}"}, {"sql": f"SELECT COUNT(*) AS n FROM {results}"}],
        "list_tools": [{}, {"verbose": True, "category": "query"}],
        "call_tool": [{"name": "sparql_count", "arguments": {"query": "sol:Planet"}}, {"name": "list_tools"}],
    }


WRONG_VALUES = [None, True, -1, 0, 10**12, 1.5, "", "no such thing", [], {}, [1, 2], {"a": 1}]


def wrong_arguments(tool, right):
    """Calls that are well-formed and make no sense, from those that do."""
    schema = tool["inputSchema"]
    yield {}
    yield {"nothing_like_it": 1}
    base = right[0]
    for name in schema.get("properties", {}):
        for value in WRONG_VALUES:
            yield {**base, name: value}
    for name in base:
        yield {other: value for other, value in base.items() if other != name}
        yield {**base, name + "_": base[name]}


HOSTILE_VALUES = [
    "\x00\x01\x1b[31m",
    "\u202e\u2066\u200b\ufeff",
    "'; DROP TABLE results_0; --",
    "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
    "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }",
    "INSERT DATA { <urn:a> <urn:b> <urn:c> }",
    "../../../../etc/passwd",
    "/etc/passwd",
    "/dev/zero",
    "ASK {" + "{" * 2000 + "}" * 2000 + "}",
    "(" * 20_000,
    "A" * 200_000,
    9007199254740993,
    1e300,
    [[[[[[[[[[[["deep"]]]]]]]]]]]],
    {"$ref": "file:///etc/passwd"},
]


def hostile_arguments(tool, right):
    base = right[0]
    for name in tool["inputSchema"].get("properties", {}):
        for value in HOSTILE_VALUES:
            yield {**base, name: value}
    yield {f"k{i}": i for i in range(2000)}
