#!/usr/bin/env python3
"""Runs attacks on databases through the product, live, and checks after each that nothing has changed.

attacks.py HELVE [--attacks FILE]... [--engine E]... [--owner]; the entries of FILE are objects with id, engine, sql, expect (block,
allow), cls, layer and outcome. With --owner the connection may do everything: what its rights would have refused is then only
held to leave everything as it was. Neighbours: attack_targets.py has the databases and their state.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from attack_targets import ROWS, TARGETS, plain, wait_idle
from databases import ENGINES, Missing, MissingData, Place, shared_folder, skip_or_fail
from product import Product, Report, is_in_time

DEADLINE_S = 1
PATIENT_S = 10
# Codes of a call that was refused or failed for what it asks, not for what the machine could not do.
REFUSALS = ("denied", "invalid_input", "not_found", "limit_exceeded")
# Layers that refuse what is there: never "not_found", which an auditor would take for a misspelt name.
GUARDS = ("policy", "grammar", "ro-tx", "grants+ro-tx", "grants+policy", "no-resultset")
# Layers of entries that only the rights of the connection refuse.
RIGHTS = ("role", "grants", "grants+policy")
SECRET = "sk-live-123456789012345678901234"


def sql_of(entry, scratch):
    """Its text, or the pieces of a long one with how often each is repeated."""
    sql = entry["sql"] if "sql" in entry else "".join(text * times for text, times in entry["pieces"])
    return sql.replace("/srv/scratch", str(scratch))


def may_run_long(entry):
    """What ends by its deadline, so that a short one does; a million rows need their time."""
    words = f"{entry['cls']} {entry['outcome']} {entry['layer']}"
    return entry["outcome"] != "truncated" and any(word in words for word in ("dos", "timeout", "deadline"))


def needs_denied_column(entry):
    """Of SQLite, where no rights of a user can withhold a column."""
    return entry["engine"] == "sqlite" and entry["cls"] == "secret" and entry["layer"] == "authorizer"


def verdict_of(entry, reply):
    """None where the reply is what the entry expects, else what is wrong with it."""
    outcome = entry["outcome"]
    if reply.code in ("internal", "unavailable", "protocol"):
        return f"the call broke: {reply.short()}"
    if entry["expect"] == "block":
        if reply.error is None:
            return None if "fast" in outcome and reply.took_s < 0.5 else f"was answered: {reply.short()}"
        if reply.code == "not_found" and entry["layer"] in GUARDS:
            return f"is told as missing: {reply.short()}"
        return None if reply.code in REFUSALS else f"is no refusal: {reply.short()}"
    if reply.error is not None:
        return None if "error" in outcome and reply.code in REFUSALS else f"was refused: {reply.short()}"
    if outcome == "0 rows":
        return None if reply.rows == 0 else f"{reply.rows} rows"
    if outcome == "truncated" and (not reply.content.get("truncated") or reply.content.get("total_is") == "exact"):
        return f"is not truncated: {reply.short()}"
    if "warning" in outcome and not reply.content.get("warnings"):
        return "brings no warning"
    return None if reply.rows else f"has no rows: {reply.short()}"


class Run:
    def __init__(self, report, target, product, options):
        self.report = report
        self.tool = options.tool
        self.target = target
        self.product = product
        self.is_owner = options.owner
        self.state = target.state()
        self.check_plain("before all")

    def check_plain(self, name):
        reply = self.product.execute(plain(), timeout=PATIENT_S)
        is_good = reply.error is None and reply.preview and str(reply.preview[0][0]) == str(ROWS)
        self.report.check(is_good, f"{name} a plain query", reply.short())

    def check_state(self, name):
        busy = wait_idle(self.target)
        self.report.check(not busy, f"{name} left work behind", busy)
        self.report.check(self.target.check_canary(), f"{name} ended the session of another")
        state = self.target.state()
        changed = {key: (self.state.get(key), state.get(key)) for key in {*self.state, *state} if self.state.get(key) != state.get(key)}
        self.report.check(not changed, f"{name} CHANGED the database", str(changed)[:2000])
        self.state = state

    def run(self, entry):
        name = f"{self.target.engine}{' as owner' if self.is_owner else ''} {entry['id']}"
        deadline = DEADLINE_S if may_run_long(entry) else PATIENT_S
        sql = sql_of(entry, self.target.scratch)
        reply = self.product.call(self.tool, sql=sql, timeout=deadline)
        wrong = verdict_of(entry, reply)
        is_of_rights = any(layer in RIGHTS for layer in (entry["layer"], entry["layer"].split("+")[0]))
        is_judged = self.tool == "query_execute" and not (self.is_owner and is_of_rights)
        if is_judged:
            self.report.check(wrong is None, f"{name} ({entry['expect']})", f"{wrong}; {sql[:120]!r}")
        self.report.check(is_in_time(reply, deadline), f"{name} was late", f"{reply.took_s:.3f} s of {deadline} s")
        self.check_marking(name, entry, reply)
        self.check_state(name)
        self.check_plain(f"after {name}")

    def check_marking(self, name, entry, reply):
        """What comes from the database stands between marks that it cannot close itself."""
        if entry["cls"] != "output" or reply.error is not None:
            return
        lines = reply.text.splitlines()
        opened = [number for number, line in enumerate(lines) if line.startswith("<data ")]
        closed = [number for number, line in enumerate(lines) if line.startswith("</data ")]
        is_marked = len(opened) == len(closed) == 1 and lines[closed[0]][7:] == lines[opened[0]][6:]
        told = [number for number, line in enumerate(lines) if "IGNORE PREVIOUS" in line or SECRET[:12] in line]
        is_inside = is_marked and all(opened[0] < number < closed[0] for number in told)
        self.report.check(is_inside, f"{name} is marked as data", reply.text[:300])


def run_engine(report, options, engine, entries, place):
    with TARGETS[engine](place, options.owner) as target, tempfile.TemporaryDirectory() as folder:
        audit = Path(folder) / "audit.jsonl"
        arguments = ["--audit", audit, "--toolset", "all"]
        with Product(options.helve, [(engine, target.uri())], arguments) as product:
            run = Run(report, target, product, options)
            for entry in entries:
                if not needs_denied_column(entry):
                    run.run(entry)
            calls = product.calls
        lines = audit.read_text(errors="replace").split("\n")[:-1]
        recorded = len(lines) - 1  # the first is a header
        report.check(recorded == calls, f"{engine}: the audit has every call", f"{recorded} of {calls}")
        report.check(not any(SECRET in line for line in lines), f"{engine}: the audit keeps no secret of a statement")
        withheld = [entry for entry in entries if needs_denied_column(entry)]
        if withheld:
            policy = Path(folder) / "policy.json"
            policy.write_text(json.dumps({"denied_columns": ["t.secret"]}))
            with Product(options.helve, [(engine, target.uri())], ["--policy", policy, "--toolset", "all"]) as product:
                run = Run(report, target, product, options)
                for entry in withheld:
                    run.run(entry)


def default_corpora():
    """Our own entries, and those of the shared data where they are there."""
    corpora = [Path(__file__).resolve().parent / "attacks.json"]
    try:
        shared = shared_folder() / "data" / "attacks" / "sql_attacks.json"
        if not shared.exists():
            raise MissingData(f"there is no {shared.name} in the shared data")
        corpora.append(shared)
    except MissingData as missing:
        print(f"note: {missing}; our own entries alone are run")
    return corpora


def main():
    parser = argparse.ArgumentParser(description="attacks on databases, live")
    parser.add_argument("helve")
    parser.add_argument("--attacks", type=Path, action="append", help="entries; by default those here and in the shared data")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one; repeatable")
    parser.add_argument("--only", help="only entries whose id begins so")
    parser.add_argument("--tool", default="query_execute", help="explain_plan: no verdicts, only that nothing changes")
    parser.add_argument("--owner", action="store_true", help="with a connection that may do everything")
    options = parser.parse_args()
    entries = [entry for path in options.attacks or default_corpora() for entry in json.loads(path.read_text())]
    report = Report("attacks" + (" as owner" if options.owner else ""))
    for engine in options.engine or ENGINES:
        chosen = [e for e in entries if e["engine"] in (engine, "any") and e["id"].startswith(options.only or "")]
        if options.owner:  # time runs for everybody alike
            chosen = [e for e in chosen if not may_run_long(e)]
        before = len(report.failures)
        try:
            with Place() as place:
                run_engine(report, options, engine, chosen, place)
        except Missing as missing:
            skip_or_fail(missing)
        print(f"{engine}: {len(chosen)} entries, {len(report.failures) - before} failures", flush=True)
    report.end()


if __name__ == "__main__":
    sys.exit(main())
