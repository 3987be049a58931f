#!/usr/bin/env python3
"""Makes a SQLite database of the tables behind the bundled sample: make_solar_database.py OUT.db

Usage: make_solar_database.py OUT.db | --script | --check. A table for each of tables/*.psv with its columns; numbers
are numbers, what is empty is NULL. --script writes the statements that make it into solar-system.sql, which is
what the program bundles as sample-tables:; the same input gives the same bytes. --check writes nothing and
fails when that file differs. Neighbour: make_solar_system.py, which makes the graph of the same tables.
"""

import re
import sqlite3
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLES = ("agencies", "bodies", "instruments", "missions", "moons", "people", "sites", "vehicles", "visits")
NUMBER = re.compile(r"-?\d+(\.\d+)?(E[+-]?\d+)?")


def rows_of(path):
    lines = [line.rstrip("\n") for line in path.read_text(encoding="utf-8").splitlines()]
    return [line.split("|") for line in lines if line and not line.startswith("#")]


def type_of(values):
    known = [value for value in values if value]
    if known and all(NUMBER.fullmatch(value) for value in known):
        return "INTEGER" if all(re.fullmatch(r"-?\d+", value) for value in known) else "REAL"
    return "TEXT"


def in_sql(value, kind):
    if not value:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if kind == "TEXT" else value


def statements_of(name):
    columns, *rows = rows_of(HERE / "tables" / f"{name}.psv")
    rows = [row + [""] * (len(columns) - len(row)) for row in rows]
    types = [type_of(column) for column in zip(*rows)]
    key = " PRIMARY KEY" if columns[0] == "id" and len({row[0] for row in rows}) == len(rows) else ""
    declared = [f'"{column}" {kind}{key if column == "id" else ""}' for column, kind in zip(columns, types)]
    yield f'CREATE TABLE "{name}" ({", ".join(declared)});'
    values = [", ".join(in_sql(value, kind) for value, kind in zip(row, types)) for row in rows]
    yield f'INSERT INTO "{name}" VALUES\n' + ",\n".join(f"({row})" for row in values) + ";"


def script():
    note = "-- Made by make_solar_database.py from tables/: edit those.\n"
    return note + "".join(f"{statement}\n" for name in TABLES for statement in statements_of(name))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    bundled = HERE / "solar-system.sql"
    if sys.argv[1] == "--script":
        bundled.write_text(script(), encoding="utf-8")
        return
    if sys.argv[1] == "--check":
        if bundled.read_text(encoding="utf-8") != script():
            sys.exit(f"{bundled.name} is not what the tables give: run examples/make_solar_database.py --script")
        return
    out = Path(sys.argv[1])
    out.unlink(missing_ok=True)
    database = sqlite3.connect(out)
    database.executescript(script())
    database.commit()
    database.close()


if __name__ == "__main__":
    main()
