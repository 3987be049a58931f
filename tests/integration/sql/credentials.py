#!/usr/bin/env python3
"""Passwords are named, never written: by env:, file: and .pgpass; none appears in a reply, a log, the audit or a command line.

credentials.py HELVE. Neighbours: databases.py has the servers.
"""

import os
import subprocess
import sys
from pathlib import Path

from databases import MariaDb, Missing, Place, Postgres, skip_or_fail
from product import Product, Report

PASSWORD = "correct-horse-7531"
WRONG = "wrong-battery-9642"
USER = "locked"


def make_postgres(server):
    server.client(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'")
    rules = server.data / "pg_hba.conf"
    rules.write_text(f"local all {USER} scram-sha-256\n" + rules.read_text())
    server.client("SELECT pg_reload_conf()")
    return server.uri("postgres", USER)


def make_mariadb(server):
    server.client(f"CREATE DATABASE d; CREATE USER {USER}@localhost IDENTIFIED BY '{PASSWORD}'; GRANT SELECT ON d.* TO {USER}@localhost")
    return server.uri("d", USER)


def with_password(uri, reference):
    return f"{uri}{'&' if '?' in uri else '?'}password={reference}"


class Check:
    def __init__(self, report, helve, place):
        self.report = report
        self.helve = helve
        self.place = place

    def ask(self, what, uri, is_good, env=None):
        """One call; whether it works, and that no word of it tells a password."""
        audit = self.place.path / "audit.jsonl"
        with Product(self.helve, [("db", uri)], ["--audit", audit], env=env) as product:
            reply = product.execute("SELECT 1 AS one", timeout=5)
            command = Path(f"/proc/{product.pid}/cmdline").read_bytes().decode()
            said = product.program.said().decode(errors="replace")
        if is_good:
            self.report.check(reply.error is None, what, reply.short())
        else:
            self.report.check(reply.code in ("denied", "unavailable", "not_found", "invalid_input"), what, reply.short())
        told = f"{reply.answer}{command}{said}{audit.read_text()}"
        self.report.check(PASSWORD not in told and WRONG not in told, f"{what}: no password is told")

    def run(self, engine, uri):
        secret = self.place.path / f"{engine}.secret"
        secret.write_text(PASSWORD + "\n")
        secret.chmod(0o600)
        self.ask(f"{engine}, env:", with_password(uri, "env:DB_PASSWORD"), True, {"DB_PASSWORD": PASSWORD})
        self.ask(f"{engine}, file:", with_password(uri, f"file:{secret}"), True)
        self.ask(f"{engine}, wrong password", with_password(uri, "env:DB_PASSWORD"), False, {"DB_PASSWORD": WRONG})
        self.ask(f"{engine}, no password", uri, False)
        self.ask(f"{engine}, no such variable", with_password(uri, "env:DB_PASSWORD"), False)
        self.ask(f"{engine}, no such file", with_password(uri, "file:/nonexistent/secret"), False)

    def written_out(self, engine, uri):
        """An address with a password in it is refused, and not repeated."""
        for address in (uri.replace(f"{USER}@", f"{USER}:{PASSWORD}@"), with_password(uri, PASSWORD)):
            command = [self.helve, "call", "--source", f"db={address}", "query_execute", "sql=SELECT 1"]
            env = {"HOME": str(self.place.path), "PATH": "/usr/bin:/bin", "HELVE_SESSION": str(self.place.path / "session")}
            ran = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30)
            self.report.check(ran.returncode != 0 and PASSWORD.encode() not in ran.stdout, f"{engine}: a password in the address",
                              ran.stdout.decode(errors="replace")[:300])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: credentials.py HELVE")
    report = Report("credentials")
    try:
        with Place() as place:
            check = Check(report, os.path.abspath(sys.argv[1]), place)
            with Postgres(place) as server:
                uri = make_postgres(server)
                check.run("postgresql", uri)
                check.written_out("postgresql", uri)
                passes = place.path / "pgpass"
                passes.write_text(f"*:*:*:{USER}:{PASSWORD}\n")
                passes.chmod(0o600)
                check.ask("postgresql, passfile", f"{uri}?passfile={passes}", True)
            with MariaDb(place) as server:
                uri = make_mariadb(server)
                check.run("mysql", uri)
                check.written_out("mysql", uri)
    except Missing as missing:
        skip_or_fail(missing)
    report.end()


if __name__ == "__main__":
    main()
