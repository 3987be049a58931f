#!/usr/bin/env python3
"""What an agent takes from a reply into its next statement is right: replies.py HELVE [--engine NAME ...]

Each check is a small story of two or three calls on the same little database. Neighbours: databases.py has the servers, product.py calls.
"""

import argparse
import re
import sqlite3
import time
from contextlib import ExitStack

from databases import ENGINES, MariaDb, Missing, Place, Postgres, skip_or_fail
from product import Product, Report

SQLITE = """
CREATE TABLE visit (id INTEGER PRIMARY KEY, seen DATETIME, is_night BOOLEAN, price DECIMAL(20,4), weight REAL, name VARCHAR(40));
INSERT INTO visit VALUES (1, '2021-01-01 00:00:00', 1, 0.1, 2.5, 'Lu\u00eds'), (2, '2021-01-02 00:00:00', 0, 12345678901234.5678, 9.0, 'Ana'),
  (3, '2021-01-03 00:00:00', 1, 9, NULL, 'Ana');
CREATE TABLE place (id INTEGER PRIMARY KEY, name VARCHAR(40));
INSERT INTO place VALUES (1, 'Rock'), (2, 'Reef');
"""


def server_script(timestamp):
    return SQLITE.replace("DATETIME", timestamp).replace("REAL", "DOUBLE PRECISION")


def as_booleans(script):
    for number, truth in ((1, "TRUE"), (0, "FALSE")):
        script = script.replace(f"00', {number}, ", f"00', {truth}, ")
    return script


def make_source(stack, place, engine):
    """The URI, and what runs a statement as the owner."""
    if engine == "sqlite":
        path = place.path / "replies.db"
        with sqlite3.connect(path) as database:
            database.executescript(SQLITE)
        database.close()
        return f"sqlite:{path}", lambda sql: sqlite3.connect(path).executescript(sql)
    if engine == "postgresql":
        postgres = stack.enter_context(Postgres(place))
        postgres.client(f"CREATE ROLE reader LOGIN; {as_booleans(server_script('TIMESTAMP'))} GRANT SELECT ON visit, place TO reader")
        return postgres.uri("postgres", "reader"), postgres.client
    mariadb = stack.enter_context(MariaDb(place))
    mariadb.client(f"CREATE DATABASE replies CHARACTER SET utf8mb4; USE replies; {server_script('DATETIME')} CREATE USER reader@localhost; "
                   "GRANT SELECT ON replies.* TO reader@localhost")
    return mariadb.uri("replies", "reader"), lambda sql: mariadb.client(f"USE replies; {sql}")


class Story:
    def __init__(self, report, product, engine):
        self.report = report
        self.product = product
        self.engine = engine

    def call(self, tool, **arguments):
        if tool != "result_sql":
            arguments.setdefault("source", self.engine)
        return self.product.call(tool, **arguments)

    def good(self, is_good, what, detail=""):
        self.report.check(is_good, f"{self.engine}: {what}", detail)

    def says(self, reply, text, what):
        self.good(text in reply.text, what, f"no {text!r} in {reply.text[:600]}")

    def samples(self, column):
        described = self.call("schema_inspect", table="visit", detail="full").content
        return next(item["samples"] for item in described["columns"] if item["name"] == column)


def check_samples(story):
    for column in ("seen", "is_night", "price", "name"):
        for sample in story.samples(column):
            reply = story.call("query_execute", sql=f"SELECT id FROM visit WHERE {column} = {sample}")
            story.good(reply.rows and reply.rows > 0, f"the sample {sample} of {column} finds its row", reply.short())
    low, high = story.samples("seen")[1:3]
    reply = story.call("query_execute", sql=f"SELECT id FROM visit WHERE seen BETWEEN {low} AND {high}")
    story.good(reply.rows == 2, "a range of samples has both ends", reply.short())


def check_sqlite_forms(story):
    shown = story.call("query_execute", sql="SELECT seen, price FROM visit ORDER BY id")
    story.says(shown, "seen is stored as text like '2021-01-01 00:00:00'", "what is shown otherwise is told")
    story.good("12345678901234.568" in shown.text and "5680" not in shown.text, "no digits are added", shown.text)
    found = story.call("query_execute", sql="SELECT id FROM visit WHERE seen >= '2021-01-02T00:00:00'")
    story.says(found, "write '2021-01-02 00:00:00'", "a T in a range is warned of")
    empty = story.call("query_execute", sql="SELECT id FROM visit WHERE seen = '2021-01-02T00:00:00'")
    suggestion = empty.content["diagnosis"]["suggestion"]
    story.good(story.call("query_execute", sql=suggestion).rows == 1, "the suggestion finds the row", suggestion)
    empty = story.call("query_execute", sql="SELECT id FROM visit WHERE is_night = 'true'")
    story.good(story.call("query_execute", sql=empty.content["diagnosis"]["suggestion"]).rows == 2, "truths are numbers", empty.text)
    story.good(story.call("query_execute", sql="SELECT id FROM visit WHERE is_night = true").rows == 2, "true is a word of SQL")


def check_names(story):
    both = story.call("query_execute", sql="SELECT v.name, p.name FROM visit v, place p WHERE v.id = 2 AND p.id = 1")
    story.good(both.content.get("columns") == ["name", "name_2"], "columns of one name get their own", both.content.get("columns"))
    story.says(both, "name (now name_2)", "and that is told")
    fed = story.call("query_execute", sql=f"SELECT id FROM place WHERE name IN (@{both.content['key']}.name_2)")
    story.good(fed.rows == 1, "the second of them feeds", fed.short())


def check_hints(story):
    def hint(tool="query_execute", **arguments):
        reply = story.call(tool, **arguments)
        return reply.text if reply.error is None else (reply.error.get("hint") or "")

    story.good("sparql_query" in hint(sql="SELECT ?s WHERE { ?s ?p ?o }"), "SPARQL is pointed to its tool")
    listed = hint(sql="SHOW TABLES")
    story.good("schema_inspect" in listed or story.engine == "mysql", "SHOW TABLES is pointed to schema_inspect", listed)
    story.good("result_sql" in hint(sql="SELECT * FROM results_0"), "a handle as a table")
    grouped = hint(sql="SELECT name, MAX(id) FROM visit WHERE COUNT(*) > 1")
    story.good("GROUP BY" in grouped, "aggregates in the wrong place", grouped)
    story.good("query_execute" in hint(tool="result_sql", sql="SELECT * FROM visit"), "a table as a handle")
    for sql in ("SELECT id FROM visit WHERE id = ? AND name = ?", "SELECT id FROM visit WHERE id = $1 AND name = $2"):
        reply = story.call("query_execute", sql=sql, params=[2, "Ana"])
        story.good(reply.rows == 1, f"marks of any dialect: {sql}", reply.text[:300])
    turned = story.call("query_execute", sql="SELECT id FROM visit WHERE id = $2 AND name = $1", params=["Ana", 2])
    story.good(turned.rows == 1, "numbered marks keep their numbers", turned.text[:300])
    if story.engine == "postgresql":
        story.good("params" in hint(sql="SELECT id FROM visit WHERE id = $1", params=["abc"]), "a wrong type in params")
        story.good("NULLIF" in hint(sql="SELECT 1 / (id - id) FROM visit"), "division by zero")


def check_engine(story):
    check_samples(story)
    check_hints(story)
    check_names(story)
    if story.engine == "sqlite":
        check_sqlite_forms(story)


def check_new_tables(story, add_column):
    """A column that is made while the server runs is seen, without a word to refresh anything."""
    names = [item["name"] for item in story.call("schema_inspect", table="place").content["columns"]]
    story.good("depth" not in names, "the column is not there yet", names)
    add_column("ALTER TABLE place ADD COLUMN depth INTEGER")
    time.sleep(2.1)  # what was read just now is kept so long
    names = [item["name"] for item in story.call("schema_inspect", table="place").content["columns"]]
    story.good("depth" in names, "a new column is seen", names)


def check_hidden_columns(report, program, place, uri, as_owner):
    as_owner("ALTER TABLE visit ADD COLUMN doubled NUMERIC GENERATED ALWAYS AS (price * 2)")
    policy = place.path / "policy.toml"
    policy.write_text('denied_columns = ["visit.price"]\n')
    with Product(program, [("sqlite", uri)], options=("--policy", str(policy))) as product:
        story = Story(report, product, "sqlite")
        described = story.call("schema_inspect", table="visit")
        names = [item["name"] for item in described.content["columns"]]
        story.good("doubled" not in names, "what is computed from a denied column is not offered", names)
        suggested = re.search(r'suggested_sql: (SELECT .*)', described.text)
        reply = story.call("query_execute", sql=suggested[1]) if suggested else described
        story.good(suggested and reply.rows == 3, "the suggested SELECT leaves denied columns out", reply.text[:300])
        story.says(story.call("query_execute", sql="SELECT * FROM visit"), "name the columns", "* has a hint")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("helve")
    parser.add_argument("--engine", action="append", choices=ENGINES)
    options = parser.parse_args()
    engines = options.engine or list(ENGINES)
    report = Report("replies")
    try:
        with ExitStack() as stack:
            place = stack.enter_context(Place())
            made = {engine: make_source(stack, place, engine) for engine in engines}
            if "sqlite" in made:
                check_hidden_columns(report, options.helve, place, *made["sqlite"])
            product = stack.enter_context(Product(options.helve, [(engine, uri) for engine, (uri, _) in made.items()]))
            for engine, (_, as_owner) in made.items():
                story = Story(report, product, engine)
                check_engine(story)
                check_new_tables(story, as_owner)
    except Missing as missing:
        skip_or_fail(missing)
    report.end()


if __name__ == "__main__":
    main()
