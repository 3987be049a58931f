"""Answers queries with rdflib: one JSON object a line in, one out (see ../README.md)."""

import json
import logging
import sys
import warnings

import rdflib
from rdflib.term import BNode, Literal, URIRef

rdflib.NORMALIZE_LITERALS = False
logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")


def term(node):
    if node is None:
        return None
    if isinstance(node, URIRef):
        return {"type": "uri", "value": str(node)}
    if isinstance(node, BNode):
        return {"type": "bnode", "value": str(node)}
    out = {"type": "literal", "value": str(node)}
    if node.language:
        out["xml:lang"] = node.language
    elif node.datatype:
        out["datatype"] = str(node.datatype)
    return out


def answer(graph, query):
    result = graph.query(query)
    if result.type == "ASK":
        return {"kind": "boolean", "answer": bool(result.askAnswer)}
    if result.type == "SELECT":
        names = [str(name) for name in result.vars]
        rows = [[term(row.get(name)) for name in result.vars] for row in result.bindings]
        return {"kind": "solutions", "vars": names, "rows": rows}
    # It keeps triples that are none: https://www.w3.org/TR/sparql11-query/#construct
    good = [triple for triple in result.graph if not isinstance(triple[0], Literal) and isinstance(triple[1], URIRef)]
    return {"kind": "graph", "triples": [[term(node) for node in triple] for triple in good]}


def main():
    data = graph = None
    for line in sys.stdin:
        request = json.loads(line)
        if request["data"] != data:
            data = request["data"]
            graph = rdflib.Graph()
            graph.parse(data=data, format="nt")
        try:
            reply = answer(graph, request["query"])
        except Exception as error:  # whatever it is, it is the answer
            reply = {"error": f"{type(error).__name__}: {error}"[:500]}
        print(json.dumps(reply), flush=True)


main()
