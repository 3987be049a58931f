#!/usr/bin/env python3
"""One query to an endpoint by a client library of Python's: sparql_clients.py sparqlwrapper|rdflib URL QUERY

Every row is looked at; prints how many there were. Neighbour: ../endpoint.py.
"""

import sys


def by_sparqlwrapper(url, query):
    from SPARQLWrapper import JSON, SPARQLWrapper
    client = SPARQLWrapper(url)
    client.setQuery(query)
    client.setReturnFormat(JSON)
    return client.queryAndConvert()["results"]["bindings"]


def by_rdflib(url, query):
    from rdflib.plugins.stores.sparqlstore import SPARQLStore
    return SPARQLStore(url, returnFormat="json").query(query)


def main():
    client, url, query = sys.argv[1:]
    try:
        rows = {"sparqlwrapper": by_sparqlwrapper, "rdflib": by_rdflib}[client](url, query)
        print(sum(1 for _ in rows))
    except ImportError as error:
        sys.exit(f"{error} (scripts/install-deps.sh bench)")


if __name__ == "__main__":
    main()
