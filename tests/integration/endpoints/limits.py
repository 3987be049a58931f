#!/usr/bin/env python3
"""Limits of servers are told by the tools: limits.py HELVE --engine NAME

Rows that are left out silently, queries that are refused by an estimate of their cost, and queries that run out of the server's time.
"""

import argparse
import os
import sys
from contextlib import ExitStack

from engine_server import Missing, Place, skip_or_fail
from fuseki_server import FusekiServer
from helve_server import HelveServer
from virtuoso_server import VirtuosoServer
from product import Product

GRAPH = "sample"
STATEMENTS = 9235
# As many rows as any computer minds, of a graph that is small.
HEAVY = "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f FILTER(STRLEN(STR(?b)) + STRLEN(STR(?d)) + STRLEN(STR(?f)) = 7) }"


class Checks:
    def __init__(self):
        self.failed = []
        self.count = 0

    def that(self, claim, is_true, reply):
        self.count += 1
        if not is_true:
            self.failed.append(f"{claim}: {reply.content or reply.text}"[:1500])


def told(reply):
    return " ".join(reply.content.get("warnings", []))


def opened(stack, helve, server):
    stack.enter_context(server)
    product = stack.enter_context(Product(helve, [("far", server.urls[GRAPH])]))
    # The first call asks what there is: then the endpoint is known to be awake.
    product.call("sparql_schema")
    return product


def check_rows(checks, product, rows_max):
    """A server that gives so many rows and not one more."""
    reply = product.call("sparql_query", query="SELECT ?s ?p ?o { ?s ?p ?o }")
    checks.that(f"{rows_max} rows come", reply.rows == rows_max, reply)
    checks.that("it is told that rows are missing", "stopped" in told(reply) or "no more than" in told(reply), reply)
    checks.that("the rows are not taken for all", reply.content.get("total_is") != "exact", reply)
    few = product.call("sparql_query", query=f"SELECT ?s {{ ?s ?p ?o }} LIMIT {rows_max // 2}")
    checks.that("answers within the limit are whole", few.rows == rows_max // 2 and "stopped" not in told(few), few)
    graph = product.call("sparql_query", query="CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }")
    checks.that("a graph with too few statements is told too", "may stop there" in told(graph) or "no more than" in told(graph), graph)
    counted = product.call("sparql_count", query="SELECT ?s { ?s ?p ?o }")
    checks.that("counts see all rows", counted.content.get("count") == STATEMENTS, counted)


def check_too_heavy(checks, product, words):
    reply = product.call("sparql_query", query=HEAVY, validate=False, timeout=20, diagnose=False)
    error = reply.error or {}
    checks.that("the cause is too_heavy", error.get("cause") == "too_heavy", reply)
    checks.that("the words of the server are there", any(word in error.get("detail", "").lower() for word in words), reply)
    checks.that("there is a hint", "narrow" in error.get("hint", ""), reply)
    checks.that("it is not to be asked again", not error.get("retry"), reply)
    after = product.call("sparql_query", query="ASK {}")
    checks.that("the next query is answered", after.content.get("boolean") is True, after)


def check_virtuoso(checks, helve, place):
    for limits, words in (({"rows_max": 1000, "estimate_max_s": 2}, ["estimated execution time"]),
                          ({"rows_max": 777, "execution_max_s": 2}, ["timed out"])):
        with ExitStack() as stack:
            product = opened(stack, helve, VirtuosoServer(place, helve, GRAPH, **limits))
            check_rows(checks, product, limits["rows_max"])
            check_too_heavy(checks, product, words)
            sorted_rows = product.call("sparql_query", query="SELECT ?s ?o { ?s ?p ?o } ORDER BY ?o LIMIT 20000")
            checks.that("more rows than it sorts are too heavy", (sorted_rows.error or {}).get("cause") == "too_heavy", sorted_rows)


def check_fuseki(checks, helve, place):
    with ExitStack() as stack:
        product = opened(stack, helve, FusekiServer(place, helve, [GRAPH], timeout_ms=2000))
        check_too_heavy(checks, product, ["timed out", "timeout"])


def check_helve(checks, helve, place):
    with ExitStack() as stack:
        product = opened(stack, helve, HelveServer(place, helve, GRAPH, ["--max-rows", "777"]))
        check_rows(checks, product, 777)
    with ExitStack() as stack:
        product = opened(stack, helve, HelveServer(place, helve, GRAPH, ["--timeout", "2s"]))
        check_too_heavy(checks, product, ["time"])


ENGINES = {"virtuoso": check_virtuoso, "fuseki": check_fuseki, "helve": check_helve}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("helve")
    parser.add_argument("--engine", choices=ENGINES, required=True)
    options = parser.parse_args()
    checks = Checks()
    try:
        with Place("helve-endpoints-") as place:
            ENGINES[options.engine](checks, os.path.abspath(options.helve), place)
    except Missing as missing:
        skip_or_fail(missing)
    for line in checks.failed:
        print(line)
    print(f"{options.engine}: {checks.count} checks, {len(checks.failed)} failed")
    sys.exit(1 if checks.failed or checks.count == 0 else 0)


if __name__ == "__main__":
    main()
