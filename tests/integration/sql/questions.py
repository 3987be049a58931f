#!/usr/bin/env python3
"""The same questions in three databases give the same handles and the same values: questions.py HELVE

questions.json has them; values.json has values of each database's own types and the terms they become. Neighbours:
fixtures.py loads the databases, cells.py compares.
"""

import json
import sys
from pathlib import Path

from cells import read_cell, value_of
from databases import ENGINES, Missing, skip_or_fail
from fixtures import databases, for_engine
from product import Product, Report

HERE = Path(__file__).resolve().parent
JSON_COLUMNS = ("settings", "languages")


def ask(product, question, engine):
    sql = question["sql"] if isinstance(question["sql"], str) else question["sql"][engine]
    sql = for_engine(sql, engine) if question["schema"] == "chinook" else sql
    reply = product.execute(sql, source=f"{question['schema']}_{engine}")
    if reply.error is not None:
        return reply, None
    rows = [] if reply.rows == 0 else product.all_rows(reply)
    return reply, rows


def first_difference(columns, one, other):
    for number, (left, right) in enumerate(zip(one, other)):
        for column, a, b in zip(columns, left, right):
            is_json = column in JSON_COLUMNS
            if value_of(a, is_json) != value_of(b, is_json):
                return f"row {number}, {column}: {a!r} and {b!r}"
    return None


def check_question(report, product, question):
    name = f"{question['id']} ({question['ask']})"
    answers = {}
    for engine in ENGINES:
        reply, rows = ask(product, question, engine)
        if not report.check(rows is not None, f"{name} on {engine}", reply.short()):
            return
        report.check(len(rows) == reply.rows, f"{name} on {engine} has the rows it says", f"{len(rows)} and {reply.rows}")
        is_whole = reply.content.get("total_available") == len(rows) and reply.content.get("total_is") == "exact"
        report.check(is_whole, f"{name} on {engine} is whole", reply.content.get("total_available"))
        answers[engine] = (reply, rows)
    (first, rows), *others = answers.values()
    for engine, (reply, other_rows) in zip(ENGINES[1:], others):
        what = f"{name}: sqlite and {engine}"
        report.check(first.content.get("columns") == reply.content.get("columns"), f"{what} have the same columns",
                     f"{first.content.get('columns')} {reply.content.get('columns')}")
        report.check(len(rows) == len(other_rows), f"{what} have as many rows", f"{len(rows)} and {len(other_rows)}")
        difference = first_difference(first.content.get("columns", []), rows, other_rows)
        report.check(difference is None, f"{what} have the same values", difference)


def plain_double(read):
    """1e300 and 1e+300 are the same."""
    if read is None or read[1] != "double":
        return None if read is None else list(read)
    return [repr(float(read[0])), "double"]


def check_values(report, product):
    for engine, cases in json.loads((HERE / "values.json").read_text()).items():
        for case in cases:
            reply = product.execute(case["sql"], source=f"observatory_{engine}")
            name = f"{engine}: {case['sql'][:80]}"
            if not report.check(reply.error is None, name, reply.short()):
                continue
            rows = product.all_rows(reply)
            met = [plain_double(read_cell(cell)) for cell in (rows[0] if rows else [])]
            report.check(met == [plain_double(cell) for cell in case["cells"]], name, f"is {met}, not {case['cells']}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: questions.py HELVE")
    questions = json.loads((HERE / "questions.json").read_text())
    report = Report("questions")
    try:
        with databases() as loaded, Product(sys.argv[1], loaded.sources()) as product:
            for question in questions:
                check_question(report, product, question)
            check_values(report, product)
    except Missing as missing:
        skip_or_fail(missing)
    report.end()


if __name__ == "__main__":
    main()
