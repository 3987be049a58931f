#!/usr/bin/env python3
"""A graph and databases in one session: a SPARQL result joined with tables, both ways. joined.py HELVE

Neighbours: databases.py has the servers; the graph is the bundled sample.
"""

import sqlite3
import sys
from contextlib import ExitStack

from cells import read_cell
from databases import ENGINES, MariaDb, Missing, Place, Postgres, skip_or_fail
from product import Product, Report

PLANETS = "SELECT ?planet ?name { ?planet a sol:TerrestrialPlanet ; rdfs:label ?name FILTER(LANG(?name) = 'en') } ORDER BY ?name"
MISSIONS = [
    (1, "Mariner 10", "Mercury", "https://helve.example/solar/body/Mercury", 1973),
    (2, "Venera 7", "Venus", "https://helve.example/solar/body/Venus", 1970),
    (3, "Viking 1", "Mars", "https://helve.example/solar/body/Mars", 1975),
    (4, "Curiosity", "Mars", "https://helve.example/solar/body/Mars", 2011),
    (5, "Juno", "Jupiter", "https://helve.example/solar/body/Jupiter", 2011),
    (6, "Cassini", "Saturn", "https://helve.example/solar/body/Saturn", 1997),
]
ON_ROCK = [mission[1] for mission in MISSIONS if mission[2] in ("Mercury", "Venus", "Mars")]
SCRIPT = "CREATE TABLE mission (mission_id INTEGER PRIMARY KEY, mission VARCHAR(40), body VARCHAR(40), iri VARCHAR(200), year INTEGER);"
SCRIPT += "".join(f"INSERT INTO mission VALUES ({no}, '{name}', '{body}', '{iri}', {year});" for no, name, body, iri, year in MISSIONS)


def make_sources(stack, place):
    path = place.path / "missions.db"
    with sqlite3.connect(path) as database:
        database.executescript(SCRIPT)
    database.close()
    postgres = stack.enter_context(Postgres(place))
    postgres.client(f"CREATE ROLE reader LOGIN; {SCRIPT} GRANT SELECT ON mission TO reader")
    mariadb = stack.enter_context(MariaDb(place))
    mariadb.client(f"CREATE DATABASE missions; USE missions; {SCRIPT} CREATE USER reader@localhost; "
                   "GRANT SELECT ON missions.* TO reader@localhost")
    return {"sqlite": f"sqlite:{path}", "postgresql": postgres.uri("postgres", "reader"), "mysql": mariadb.uri("missions", "reader")}


def texts(rows, column=0):
    return [read_cell(row[column])[0] if row[column] is not None else None for row in rows]


class Session:
    def __init__(self, report, product):
        self.report = report
        self.product = product

    def rows(self, what, tool, expected, **arguments):
        """The handle of a call and its rows; None where it failed."""
        reply = self.product.call(tool, **arguments)
        if not self.report.check(reply.error is None, what, reply.short()):
            return None, []
        rows = self.product.all_rows(reply) if reply.rows else []
        if expected is not None:
            self.report.check(texts(rows) == expected, what, f"{texts(rows)} instead of {expected}")
        return reply.content["key"], rows


def check_engine(session, engine, planets):
    ask = {"source": engine}
    by_name, _ = session.rows(f"{engine}: names of a graph in IN", "query_execute", ON_ROCK, **ask,
                              sql=f"SELECT mission, body, year FROM mission WHERE body IN (@{planets}.name) ORDER BY mission_id")
    session.rows(f"{engine}: IRIs of a graph in IN", "query_execute", ON_ROCK, **ask,
                 sql=f"SELECT mission, iri FROM mission WHERE iri IN (@{planets}.planet) ORDER BY mission_id")
    session.rows(f"{engine}: a handle as text is no handle", "query_execute", ["0"], **ask,
                 sql=f"SELECT COUNT(*) AS n FROM mission WHERE body IN ('@{planets}.name')")
    whole, _ = session.rows(f"{engine}: the whole table", "query_execute", None, **ask,
                            sql="SELECT mission_id, mission, iri, year FROM mission ORDER BY mission_id")
    if whole is not None:
        session.rows(f"{engine}: a graph and a table joined in one call", "result_sql", ON_ROCK,
                     sql=f"SELECT m.mission, p.name, m.year FROM {planets} p JOIN {whole} m ON m.iri = p.planet ORDER BY m.mission_id")
    if by_name is not None:
        session.rows(f"{engine}: names of a table in a graph", "sparql_query", ["Mars", "Mercury", "Venus"], source="solar",
                     query=f"SELECT ?name {{ VALUES ?text {{ @{by_name}.body }} ?planet a sol:TerrestrialPlanet ; rdfs:label ?name "
                           "FILTER(LANG(?name) = 'en' && STR(?name) = ?text) } GROUP BY ?name ORDER BY ?name")
    return whole


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: joined.py HELVE")
    report = Report("joined")
    try:
        with ExitStack() as stack:
            uris = make_sources(stack, stack.enter_context(Place()))
            sources = [("solar", "sample:"), *((engine, uris[engine]) for engine in ENGINES)]
            session = Session(report, stack.enter_context(Product(sys.argv[1], sources)))
            planets, _ = session.rows("the planets", "sparql_query", None, query=PLANETS)
            handles = {engine: check_engine(session, engine, planets) for engine in ENGINES}
            # Three databases and a graph at once.
            if all(handles.values()):
                joins = " ".join(f"JOIN {key} {engine} ON {engine}.iri = p.planet AND {engine}.year = 2011"
                                 for engine, key in handles.items())
                session.rows("a graph and three databases", "result_sql", ["Mars"],
                             sql="SELECT p.name, sqlite.mission AS a, postgresql.mission AS b, mysql.mission AS c "
                                 f"FROM {planets} p {joins}")
    except Missing as missing:
        skip_or_fail(missing)
    report.end()


if __name__ == "__main__":
    main()
