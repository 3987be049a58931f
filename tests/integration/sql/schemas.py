#!/usr/bin/env python3
"""What the catalogues of three engines say of the same schema, and what connections may do beyond reading. schemas.py HELVE

Neighbours: observatory.py says what there is, fixtures.py loads it.
"""

import json
import os
import subprocess
import sys

import observatory
from databases import ENGINES, MariaDb, Missing, Postgres, skip_or_fail
from fixtures import databases
from product import Product, Report

MAX_CHARS = 6000
VIEWS = ("active_telescope", "run_summary")


def key_of(columns, constraints):
    """The primary key as the schema has it."""
    for constraint in constraints:
        if constraint.startswith("PRIMARY KEY ("):
            return [name.strip() for name in constraint[len("PRIMARY KEY ("):-1].split(",")]
    return [name for name, _, rest, _ in columns if "PRIMARY KEY" in rest]


class Schemas:
    def __init__(self, report, product, engine):
        self.report = report
        self.product = product
        self.engine = engine

    def inspect(self, what, **arguments):
        reply = self.product.call("schema_inspect", source=f"observatory_{self.engine}", max_chars=MAX_CHARS, **arguments)
        self.report.check(reply.error is None, f"{self.engine}: {what}", reply.short())
        is_bounded = max(len(reply.text), len(json.dumps(reply.content, ensure_ascii=False, separators=(",", ":")))) <= MAX_CHARS
        self.report.check(is_bounded, f"{self.engine}: {what} is bounded", f"{len(reply.text)}")
        return reply.content

    def check(self, is_good, what, met):
        self.report.check(is_good, f"{self.engine}: {what}", str(met)[:600])

    def run(self):
        listed = self.inspect("list of tables", action="list_tables", detail="names")
        names = [item if isinstance(item, str) else item.get("table") for item in listed.get("tables", [])]
        self.check(sorted(names) == sorted([name for name, *_ in observatory.TABLES] + list(VIEWS)), "all tables are listed", names)
        for name, comment, columns, constraints in observatory.TABLES:
            self.check_table(name, comment, columns, constraints)
        view = self.inspect("a view", action="describe_table", table="run_summary")
        met = [column["name"] for column in view.get("columns", [])]
        self.check(met == ["run_id", "proposal_id", "exposures", "photons"], "columns of a view", met)
        hits = self.inspect("search", action="search", pattern="photon").get("hits", [])
        self.check("photon_count" in json.dumps(hits), "search finds a column", hits)

    def check_table(self, name, comment, columns, constraints):
        told = self.inspect(name, action="describe_table", table=name, detail="full")
        met = [column["name"] for column in told.get("columns", [])]
        self.check(met == [column for column, *_ in columns], f"columns of {name}", met)
        self.check(told.get("primary_key") == key_of(columns, constraints), f"primary key of {name}", told.get("primary_key"))
        foreign = [constraint for constraint in constraints if constraint.startswith("FOREIGN KEY")]
        self.check(len(told.get("foreign_keys", [])) == len(foreign), f"foreign keys of {name}", told.get("foreign_keys"))
        checks = [constraint for constraint in constraints if " CHECK " in constraint]
        self.check(len(told.get("checks", [])) >= len(checks), f"checks of {name}", told.get("checks"))
        if self.engine != "sqlite":
            self.check(told.get("comment") == comment, f"comment of {name}", told.get("comment"))
            remarks = {column: remark for column, _, _, remark in columns if remark}
            met = {column["name"]: column.get("comment") for column in told.get("columns", []) if column.get("comment")}
            self.check(met == remarks, f"comments on columns of {name}", met)


class Rights:
    """`helve source check` and `helve source setup`."""

    def __init__(self, report, helve, folder):
        self.report = report
        self.helve = helve
        self.folder = folder

    def run(self, *words):
        return subprocess.run([self.helve, "source", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60, env={"HOME": str(self.folder), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"})

    def check(self, what, uri, is_least):
        ran = self.run("check", uri, "--json")
        said = f"status {ran.returncode}: {ran.stdout.decode()[:600]}{ran.stderr.decode()[:300]}"
        try:
            told = json.loads(ran.stdout)
        except ValueError:
            self.report.check(False, f"{what}: source check", said)
            return
        self.report.check(ran.returncode == (0 if is_least else 4), f"{what}: status of source check", said)
        self.report.check(told.get("can_only_read") is is_least, f"{what}: can_only_read", said)
        self.report.check(bool(told.get("beyond_reading")) != is_least, f"{what}: beyond_reading", said)

    def setup(self, what, uri):
        ran = self.run("setup", uri)
        self.report.check(ran.returncode == 0 and b"GRANT SELECT" in ran.stdout.upper(), f"{what}: source setup",
                          f"{ran.stdout.decode()[:300]}{ran.stderr.decode()[:300]}")
        return ran.stdout.decode()


def check_rights(report, helve, loaded):
    for engine, owner in (("postgresql", Postgres.owner), ("mysql", MariaDb.owner)):
        server = loaded.servers[engine]
        rights = Rights(report, helve, server.place.path)
        rights.check(f"{engine}, a reader", loaded.uris[engine]["observatory"], True)
        rights.check(f"{engine}, the owner", server.uri("observatory", owner), False)
        script = rights.setup(engine, server.uri("observatory", owner))
        ran = server.client(script, is_quiet=True, database="observatory")
        report.check(ran is not None, f"{engine}: the script of source setup runs", script[:1500])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: schemas.py HELVE")
    report = Report("schemas")
    helve = os.path.abspath(sys.argv[1])
    try:
        with databases() as loaded:
            with Product(helve, loaded.sources()) as product:
                for engine in ENGINES:
                    Schemas(report, product, engine).run()
            check_rights(report, helve, loaded)
    except Missing as missing:
        skip_or_fail(missing)
    report.end()


if __name__ == "__main__":
    main()
