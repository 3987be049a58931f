#!/usr/bin/env python3
"""Tables and columns that a policy withholds: SQLite holds it itself, the servers by the rights of the connection, or not at all.

policies.py HELVE. Neighbour: attack_targets.py has the databases.
"""

import json
import os
import sys

from attack_targets import TARGETS
from databases import ENGINES, Missing, Place, skip_or_fail
from product import Product, Report

RULES = {
    "a column is denied": {"denied_columns": ["t.secret"]},
    "a table is denied": {"denied_tables": ["t"]},
    "one table is allowed": {"allowed_tables": ["edge"]},
}
# Whether a statement may be answered, by the rules above in their order.
CASES = [
    ("SELECT a FROM edge WHERE a < 3", (True, True, True)),
    ("SELECT id, name FROM t WHERE id < 3", (True, False, False)),
    ("SELECT secret FROM t WHERE id < 3", (False, False, False)),
    ("SELECT * FROM t", (False, False, False)),
    ("SELECT max(secret) FROM (SELECT * FROM t) x", (False, False, False)),
    ("SELECT edge.a FROM edge JOIN t ON t.id = edge.a AND t.secret > ''", (False, False, False)),
    ("SELECT 1 AS one", (True, True, True)),
]
# Rights that are those of the rules, in their order.
GRANTS = {
    "postgresql": [
        "GRANT SELECT (id, name) ON data.t TO {user}; GRANT SELECT ON data.edge TO {user}",
        "GRANT SELECT ON data.edge TO {user}",
        "GRANT SELECT ON data.edge TO {user}",
    ],
    "mysql": [
        "GRANT SELECT (id, name) ON attack.t TO {user}@localhost; GRANT SELECT ON attack.edge TO {user}@localhost",
        "GRANT SELECT ON attack.edge TO {user}@localhost",
        "GRANT SELECT ON attack.edge TO {user}@localhost",
    ],
}


def make_user(target, number):
    """A user with the rights of a rule: its URI."""
    user = f"narrow{number}"
    if target.engine == "postgresql":
        make = f"CREATE ROLE {user} LOGIN; ALTER ROLE {user} SET search_path = data, public; GRANT USAGE ON SCHEMA data TO {user}; "
    else:
        make = f"CREATE USER {user}@localhost; "
    target.server.client(make + GRANTS[target.engine][number].format(user=user), database="attack")
    return target.server.uri("attack", user)


def check_rule(report, product, engine, name, number):
    for sql, answers in CASES:
        reply = product.execute(sql)
        if answers[number]:
            report.check(reply.error is None, f"{engine}, {name}: {sql}", reply.short())
        else:
            report.check(reply.code in ("denied", "not_found"), f"{engine}, {name}: {sql}", reply.short())
    listed = json.dumps(product.call("schema_inspect", action="list_tables", detail="full").content)
    report.check("secret" not in listed, f"{engine}, {name}: the schema is silent of it", listed[:300])


def check_engine(report, helve, engine, place):
    with TARGETS[engine](place) as target:
        for number, (name, rule) in enumerate(RULES.items()):
            policy = place.path / "policy.json"
            policy.write_text(json.dumps(rule))
            uri = target.uri() if engine == "sqlite" else make_user(target, number)
            with Product(helve, [(engine, uri)], ["--policy", policy]) as product:
                check_rule(report, product, engine, name, number)
            if engine == "sqlite":
                continue
            # A connection with more rights than the policy has is refused, whatever is asked.
            owner = target.server.uri("attack", target.server.owner)
            with Product(helve, [(engine, owner)], ["--policy", policy]) as product:
                reply = product.execute("SELECT 1 AS one")
                hint = str((reply.error or {}).get("hint"))
                is_told = reply.code == "denied" and "helve source check" in hint
                report.check(is_told, f"{engine}, {name}: rights that go beyond it", f"{reply.short()} {hint}")
                is_silent = not any(word in reply.text for word in ("secret", "edge", "GRANT", "REVOKE"))
                report.check(is_silent, f"{engine}, {name}: the refusal names nothing that is hidden", reply.text[:300])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: policies.py HELVE")
    report = Report("policies")
    try:
        for engine in ENGINES:
            with Place() as place:
                check_engine(report, os.path.abspath(sys.argv[1]), engine, place)
    except Missing as missing:
        skip_or_fail(missing)
    report.end()


if __name__ == "__main__":
    main()
