"""Loads Chinook and the observatory into the three engines, and says where they are. Neighbour: databases.py."""

import re
import sqlite3
from contextlib import ExitStack, contextmanager

import observatory
from databases import ENGINES, MariaDb, MissingData, Place, Postgres, shared_folder

READER = "reader"
SCHEMAS = ("chinook", "observatory")


def chinook_folder():
    folder = shared_folder() / "data" / "sql" / "chinook"
    if not folder.is_dir():
        raise MissingData("there is no data/sql/chinook in the shared data")
    return folder


class Databases:
    """`uris[engine][schema]`; `servers[engine]` is the running server, where there is one."""

    def __init__(self):
        self.uris = {}
        self.servers = {}

    def sources(self, schemas=SCHEMAS):
        """(name, URI) of each: chinook_sqlite, ..."""
        return [(f"{schema}_{engine}", self.uris[engine][schema]) for engine in self.uris for schema in schemas]


def load_sqlite(place):
    path = place.path / "observatory.db"
    with sqlite3.connect(path) as database:
        database.executescript(observatory.script("sqlite"))
    database.close()
    return {"chinook": f"sqlite:{chinook_folder() / 'Chinook_Sqlite.sqlite'}", "observatory": f"sqlite:{path}"}


def load_postgres(server):
    # The script makes its database and goes on in it.
    server.client((chinook_folder() / "Chinook_PostgreSql.sql").read_text())
    server.client(f"CREATE DATABASE observatory; CREATE ROLE {READER} LOGIN")
    server.client(observatory.script("postgresql"), database="observatory")
    for database in SCHEMAS:
        server.client(f"REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC; "
                      f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {READER}; ANALYZE", database=database)
    return {database: server.uri(database, READER) for database in SCHEMAS}


def load_mariadb(server):
    server.client((chinook_folder() / "Chinook_MySql.sql").read_text())
    server.client(f"CREATE DATABASE observatory; USE observatory; {observatory.script('mysql')}")
    uris = {}
    for database in ("Chinook", "observatory"):
        user = f"{READER}_{database.lower()}"
        server.client(f"CREATE USER {user}@localhost; GRANT SELECT ON {database}.* TO {user}@localhost")
        uris[database.lower()] = server.uri(database, user)
    return uris


@contextmanager
def databases(engines=ENGINES):
    """All of it, loaded. Raises Missing."""
    with ExitStack() as stack:
        place = stack.enter_context(Place())
        all_of_them = Databases()
        if "sqlite" in engines:
            all_of_them.uris["sqlite"] = load_sqlite(place)
        for engine, server, load in (("postgresql", Postgres, load_postgres), ("mysql", MariaDb, load_mariadb)):
            if engine in engines:
                all_of_them.servers[engine] = stack.enter_context(server(place))
                all_of_them.uris[engine] = load(all_of_them.servers[engine])
        yield all_of_them


STRINGS = re.compile(r"('(?:[^']|'')*')")
CAMEL = re.compile(r"\b(?:[A-Z][a-z]+)+\b")


def snake(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def for_engine(sql, engine):
    """Chinook calls its tables InvoiceLine in two engines and invoice_line in PostgreSQL; statements here say InvoiceLine."""
    if engine != "postgresql":
        return sql
    parts = STRINGS.split(sql)
    return "".join(part if number % 2 else CAMEL.sub(lambda found: snake(found[0]), part) for number, part in enumerate(parts))
