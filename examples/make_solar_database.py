#!/usr/bin/env python3
"""Makes a SQLite database of the tables behind the bundled sample: make_solar_database.py OUT.db

A table for each of tables/*.psv with its columns; numbers are numbers, what is empty is NULL. Neighbour:
make_solar_system.py, which makes the graph of the same tables.
"""

import re
import sqlite3
import sys
from pathlib import Path

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


def add_table(database, name, path):
    columns, *rows = rows_of(path)
    rows = [row + [""] * (len(columns) - len(row)) for row in rows]
    types = [type_of(column) for column in zip(*rows)]
    key = " PRIMARY KEY" if columns[0] == "id" and len({row[0] for row in rows}) == len(rows) else ""
    declared = [f'"{column}" {kind}{key if column == "id" else ""}' for column, kind in zip(columns, types)]
    database.execute(f'CREATE TABLE "{name}" ({", ".join(declared)})')
    marks = ", ".join("?" for _ in columns)
    database.executemany(f'INSERT INTO "{name}" VALUES ({marks})', [[value or None for value in row] for row in rows])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    out = Path(sys.argv[1])
    out.unlink(missing_ok=True)
    database = sqlite3.connect(out)
    for name in TABLES:
        add_table(database, name, Path(__file__).resolve().parent / "tables" / f"{name}.psv")
    database.commit()
    database.close()


if __name__ == "__main__":
    main()
