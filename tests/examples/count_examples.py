"""Counts what a folder of SHACL SPARQL examples tells of, independently of Helve.

RDF is read by rdflib; queries are looked through by a small tokenizer of this file's own. compare_counts.py holds the
figures against those of the tools.
"""

import re
from collections import Counter, defaultdict
from pathlib import Path

import rdflib
from rdflib.namespace import RDF, SH

SPEX = rdflib.Namespace("https://purl.expasy.org/sparql-examples/ontology#")
SCHEMAS = [rdflib.Namespace("https://schema.org/"), rdflib.Namespace("http://schema.org/")]
FORMS = {SH.select: "select", SH.ask: "ask", SH.construct: "construct", SPEX.describe: "describe"}
EXECUTABLES = {SH.SPARQLExecutable, SH.SPARQLSelectExecutable, SH.SPARQLAskExecutable, SH.SPARQLConstructExecutable,
               SPEX.SPARQLDescribeExecutable}

TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)"""
    r"""|(?P<string>'''(?:[^'\\]|\\.|'(?!''))*'''|\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\"|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
    r"""|(?P<iri><[^<>"{}|^`\\\s]*>)"""
    r"""|(?P<variable>[?$]\w+)"""
    r"""|(?P<name>[\w.-]*:[\w.:%\\-]*)"""
    r"""|(?P<word>\w+)"""
    r"""|(?P<brace>[{}])""",
    re.DOTALL | re.VERBOSE)


def tokens_of(query):
    for match in TOKEN.finditer(query):
        if match.lastgroup not in ("comment", "string"):
            yield match.lastgroup, match.group()


class Reach:
    """Endpoints and graphs that a query names: SERVICE, GRAPH, FROM."""

    def __init__(self, query, prefixes):
        self.prefixes = dict(prefixes)
        self.services = set()
        self.graphs = set()  # (graph, endpoint or None)
        around = []          # the endpoint at each open brace
        tokens = list(tokens_of(query))
        at = 0
        waiting = None       # the endpoint of the next brace
        while at < len(tokens):
            kind, text = tokens[at]
            word = text.upper() if kind == "word" else ""
            rest = tokens[at + 1:at + 4]
            if word == "PREFIX" and len(rest) > 1:
                self.prefixes[rest[0][1].rstrip(":")] = rest[1][1][1:-1]
                at += 2
            elif word in ("SERVICE", "GRAPH", "FROM"):
                while rest and rest[0][0] == "word":  # SILENT, NAMED
                    rest = rest[1:]
                    at += 1
                name = self.iri(rest[0]) if rest else None
                at += 1
                if word == "SERVICE":
                    if name:
                        self.services.add(name)
                    waiting = name
                elif name:
                    self.graphs.add((name, around[-1] if around else None))
            elif text == "{" and kind == "brace":
                around.append(waiting or (around[-1] if around else None))
                waiting = None
            elif text == "}" and kind == "brace" and around:
                around.pop()
            at += 1

    def iri(self, token):
        kind, text = token
        if kind == "iri":
            return text[1:-1]
        prefix, _, local = text.partition(":")
        return self.prefixes[prefix] + local if kind == "name" and prefix in self.prefixes else None


def same_endpoint(url):
    """One address for http and https, with or without a slash at the end."""
    match = re.fullmatch(r"(?i)(https?)://([^/?#]*)(.*)", url, re.DOTALL)
    if match:
        url = "https://" + match[2].lower() + match[3]
    return url[:-1] if url.endswith("/") else url


def declared(graph):
    for _, _, node in graph.triples((None, SH.declare, None)):
        prefix, namespace = graph.value(node, SH.prefix), graph.value(node, SH.namespace)
        if prefix is not None and namespace:
            yield str(prefix), str(namespace)


def count(folder):
    """Figures and sets, as plain values."""
    folder = Path(folder)
    graphs = {}
    for path in sorted(folder.rglob("*.ttl")):
        graphs[path] = rdflib.Graph().parse(path, format="turtle")
    prefixes_of = defaultdict(dict)
    pairs = set()
    for path, graph in graphs.items():
        for prefix, namespace in declared(graph):
            prefixes_of[path.parent].setdefault(prefix, namespace)
            pairs.add((prefix, namespace))
    forms = Counter()
    targeted = Counter()
    asked = Counter()
    data_graphs = Counter()
    owners = defaultdict(set)
    federated = 0
    for path, graph in graphs.items():
        scope = {}
        for parent in [folder, *reversed([one for one in path.parents if folder in one.parents])]:
            scope.update(prefixes_of[parent])
        for predicate, form in FORMS.items():
            for example, _, text in graph.triples((None, predicate, None)):
                if not EXECUTABLES & set(graph.objects(example, RDF.type)):
                    continue
                forms[form] += 1
                reach = Reach(str(text), scope)
                targets = {same_endpoint(str(one)) for schema in SCHEMAS
                           for one in graph.objects(example, schema.target)}
                others = {same_endpoint(one) for one in reach.services}
                others |= {same_endpoint(str(one)) for one in graph.objects(example, SPEX.federatesWith)}
                targeted.update(targets)
                asked.update(others)
                federated += bool(others)
                data_graphs.update({name for name, _ in reach.graphs})
                for name, endpoint in reach.graphs:
                    owners[name] |= {same_endpoint(endpoint)} if endpoint else targets
    return {
        "files": len(graphs),
        "queries": sum(forms.values()),
        "forms": dict(forms),
        "federated_queries": federated,
        "targeted": dict(targeted),
        "asked": dict(asked),
        "graphs": dict(data_graphs),
        "owners": {name: sorted(all_of) for name, all_of in owners.items()},
        "prefixes": sorted(pairs),
    }
