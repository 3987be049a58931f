#!/usr/bin/env python3
"""Names that are not quite right: the right one must be among the suggestions of the error in 95 % of 500 queries, per engine.

misspelt.py HELVE [--engine E]... [--count N] [--seed N] [--show]. Queries are made from the tables of Chinook and the observatory.
Neighbour: fixtures.py loads them.
"""

import argparse
import random
import re
import sqlite3
import string
from collections import Counter
from dataclasses import dataclass

import observatory
from databases import ENGINES, Missing, skip_or_fail
from fixtures import chinook_folder, databases, snake
from product import Product, Report

RATE = 0.95
# Words that a mistake may not make: the statement would be broken in another way.
RESERVED = set("""all and any as asc between by case cast check column cross desc do else end for from full group having in index
into is join key kind left like limit not null of off on one or order outer row rows select set some sum table then to union
use user using values when where with date time timestamp bytes size rank lead lag first last titl genre""".split())


def chinook_tables():
    database = sqlite3.connect(f"file:{chinook_folder() / 'Chinook_Sqlite.sqlite'}?mode=ro", uri=True)
    names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    tables = {name: [row[1] for row in database.execute(f"PRAGMA table_info({name})")] for name in names}
    database.close()
    return tables


def observatory_tables():
    tables = {name: [column for column, *_ in columns] for name, _, columns, _ in observatory.TABLES}
    tables["active_telescope"] = ["telescope_id", "telescope_name", "site_name", "aperture_m"]
    tables["run_summary"] = ["run_id", "proposal_id", "exposures", "photons"]
    return tables


def schemas_of(engine):
    chinook = chinook_tables()
    if engine == "postgresql":
        chinook = {snake(name): [snake(column) for column in columns] for name, columns in chinook.items()}
    return {"chinook": chinook, "observatory": observatory_tables()}


# Each kind of mistake: the wrong name, or None where the name does not allow it.
def swapped(name, dice):
    at = dice.randrange(len(name) - 1)
    return name[:at] + name[at + 1] + name[at] + name[at + 2:]


def dropped(name, dice):
    at = dice.randrange(len(name))
    return name[:at] + name[at + 1:] if len(name) > 3 else None


def doubled(name, dice):
    at = dice.randrange(len(name))
    return name[:at] + name[at] + name[at:]


def replaced(name, dice):
    at = dice.randrange(len(name))
    return name[:at] + dice.choice(string.ascii_lowercase) + name[at + 1:] if len(name) > 3 else None


def other_number(name, dice):
    if name.lower().endswith("y"):
        return name[:-1] + "ies"
    return name[:-1] if name.lower().endswith("s") else name + "s"


def other_case(name, dice):
    return dice.choice([dropped, doubled])(name.upper() if dice.random() < 0.5 else name.lower(), dice) if len(name) > 3 else None


def other_joint(name, dice):
    """Words run together or apart: invoice_line, invoiceLine, invoiceline."""
    words = snake(name).split("_")
    if len(words) < 2:
        return None
    forms = ["_".join(words), "".join(words), words[0] + "".join(word.title() for word in words[1:]), "__".join(words)]
    return dice.choice([form for form in forms if form.lower() != name.lower()])


def without_prefix(name, dice):
    """site_name as name, AlbumId as Id."""
    words = snake(name).split("_")
    if len(words) < 2:
        return None
    rest = words[1:]
    return "_".join(rest) if "_" in name or name.islower() else "".join(word.title() for word in rest)


def with_prefix(name, dice):
    """title as proposal_title or tbl_title: filled in by the caller with the table."""
    return None if "_" in name else "{table}_" + name


def two_mistakes(name, dice):
    if len(name) < 7:
        return None
    first, second = dice.sample([swapped, dropped, doubled, replaced], 2)
    return second(first(name, dice), dice)


KINDS = {
    "swap": swapped,
    "drop": dropped,
    "double": doubled,
    "wrong letter": replaced,
    "plural or singular": other_number,
    "case and a letter": other_case,
    "underscore": other_joint,
    "prefix missing": without_prefix,
    "prefix added": with_prefix,
    "two edits": two_mistakes,
}

TABLE_FORMS = [
    "SELECT * FROM {wrong}",
    "SELECT COUNT(*) AS n FROM {wrong}",
    "SELECT a.{column} FROM {wrong} a WHERE a.{column} IS NOT NULL",
    "SELECT {column} FROM {other} x JOIN {wrong} y ON x.{other_column} = y.{column}",
    "SELECT {other_column} FROM {other} WHERE {other_column} IN (SELECT {column} FROM {wrong})",
    "WITH w AS (SELECT {column} FROM {wrong}) SELECT * FROM w",
]
COLUMN_FORMS = [
    "SELECT {wrong} FROM {table}",
    "SELECT a.{wrong} FROM {table} a",
    "SELECT COUNT(*) AS n FROM {table} WHERE {wrong} IS NOT NULL",
    "SELECT {column}, COUNT(*) AS n FROM {table} GROUP BY {column} HAVING MAX({wrong}) > 0",
    "SELECT {table}.{wrong} FROM {table} WHERE {column} IS NOT NULL",
    "SELECT {column} FROM {table} ORDER BY {wrong}",
    "SELECT x.{column} FROM {table} x JOIN {other} y ON x.{wrong} = y.{other_column}",
    "SELECT {other_column} FROM {other} WHERE {other_column} IN (SELECT {wrong} FROM {table})",
]


@dataclass
class Case:
    schema: str
    kind: str
    is_table: bool
    right: str
    wrong: str
    sql: str


def make_case(schemas, dice):
    """One query with one wrong name, or None where the dice made none."""
    schema = dice.choice(list(schemas))
    tables = schemas[schema]
    table, other = dice.sample(list(tables), 2)
    column, other_column = dice.choice(tables[table]), dice.choice(tables[other])
    is_table = dice.random() < 0.4
    kind = dice.choice(list(KINDS))
    right = table if is_table else dice.choice(tables[table])
    wrong = KINDS[kind](right, dice)
    if wrong is None or (is_table and kind.startswith("prefix") and "{" in wrong):
        return None
    wrong = wrong.replace("{table}", table.lower())
    form = dice.choice(TABLE_FORMS if is_table else COLUMN_FORMS)
    taken = {name.lower() for name in tables} if is_table else {name.lower() for one in tables.values() for name in one}
    is_near_enough = len(wrong) > 1 and re.fullmatch(r"[A-Za-z_]\w*", wrong) is not None
    if not is_near_enough or wrong.lower() in taken or wrong.lower() in RESERVED or wrong.lower() == right.lower():
        return None
    if not is_table and (column == right or other == table):
        return None
    sql = form.format(wrong=wrong, table=table, column=column, other=other, other_column=other_column)
    return Case(schema, kind, is_table, right, wrong, sql)


def make_cases(engine, count, seed):
    dice = random.Random(f"{seed} {engine}")
    schemas = schemas_of(engine)
    cases = []
    while len(cases) < count:
        case = make_case(schemas, dice)
        if case is not None:
            cases.append(case)
    return cases


def is_offered(reply, right):
    """In did_you_mean, or where the hint says what may have been meant."""
    offered = {name.rsplit(".", 1)[-1].strip('"`') for name in reply.suggestions()}
    if right.lower() in offered:
        return True
    found = re.search(r"did you mean ([^?]*)\?", str((reply.error or {}).get("hint", "")), re.I)
    return found is not None and right.lower() in {word.rsplit(".", 1)[-1].lower() for word in re.findall(r"[\w.]+", found[1])}


def run_engine(report, options, engine):
    cases = make_cases(engine, options.count, options.seed)
    good, all_of = Counter(), Counter()
    with databases([engine]) as loaded, Product(options.helve, loaded.sources()) as product:
        for case in cases:
            reply = product.execute(case.sql, source=f"{case.schema}_{engine}")
            what = "table" if case.is_table else "column"
            is_good = reply.error is not None and is_offered(reply, case.right)
            for key in ("all", what, case.kind):
                all_of[key] += 1
                good[key] += is_good
            if not is_good and options.show:
                said = reply.error or {}
                print(f"  {case.kind}: {case.wrong} for {case.right}: {case.sql}\n    {said.get('code')}: {said.get('message')}; "
                      f"{said.get('hint')}; {said.get('did_you_mean')}")
    rates = ", ".join(f"{key} {good[key]}/{all_of[key]}" for key in all_of)
    print(f"{engine}: {100 * good['all'] / all_of['all']:.1f} % ({rates})", flush=True)
    report.check(good["all"] >= RATE * all_of["all"], f"{engine}: the right name is suggested in 95 %", f"{good['all']} of {all_of['all']}")


def main():
    parser = argparse.ArgumentParser(description="suggestions for misspelt names")
    parser.add_argument("helve")
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", action="store_true", help="what was not suggested")
    options = parser.parse_args()
    report = Report("misspelt names")
    try:
        for engine in options.engine or ENGINES:
            run_engine(report, options, engine)
    except Missing as missing:
        skip_or_fail(missing)
    report.end()


if __name__ == "__main__":
    main()
