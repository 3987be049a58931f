#!/usr/bin/env python3
"""Secrets that are given to the program come out of it nowhere: not in replies, errors, logs or audit files, in no encoding, on
whichever path a call fails.

canaries.py HELVE. Neighbours: credentials.py has the ways to give a password, databases.py the servers.
"""

import base64
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from databases import MariaDb, Missing, Place, Postgres, skip_or_fail
from product import Product, Report

SECRET = "canary'y-\"Zx 81/\\&q"
WRONG = "wr0ng-canary+7&31"
TOKEN = "canary-token-of-24-characters"
USER = "canary"


def encodings(secret):
    raw = secret.encode()
    yield secret
    yield urllib.parse.quote(secret, safe="")
    yield urllib.parse.quote(secret, safe="").lower()
    yield urllib.parse.quote_plus(secret)
    yield json.dumps(secret)[1:-1]
    yield json.dumps(json.dumps(secret)[1:-1])[1:-1]
    yield raw.hex()
    yield raw.hex().upper()
    yield secret.replace("'", "''")
    yield secret.replace("\\", "\\\\").replace("'", "\\'")
    for before in range(3):  # the digits that do not depend on what stands beside the secret
        whole = base64.b64encode(b"\0" * before + raw).decode().rstrip("=")
        first = 0 if before == 0 else before + 1
        inner = whole[first:(len(raw) + before) // 3 * 4]
        yield inner
        yield inner.replace("+", "-").replace("/", "_")


def told(text, *secrets):
    """The encodings of secrets that a text has."""
    return [form for secret in secrets for form in encodings(secret) if form in text]


def quoted(secret):
    return "'" + secret.replace("'", "''") + "'"


class Canaries:
    def __init__(self, report, helve, place):
        self.report = report
        self.helve = helve
        self.place = place
        self.audits = 0

    def look(self, what, text, *secrets):
        found = told(text, *(secrets or (SECRET, WRONG, TOKEN)))
        self.report.check(not found, f"{what}: a secret came out", f"{found} in {text[:400]}" if found else "")

    def product(self, uri, env):
        self.audits += 1
        audit = self.place.path / f"audit{self.audits}.jsonl"
        return audit, Product(self.helve, [("db", uri)], ["--audit", audit], env=env)

    def run(self, what, uri, password, calls, between=None):
        """Calls that fail or succeed; everything that came of them is looked through."""
        audit, product = self.product(uri, {"DB_PASSWORD": password})
        text = ""
        with product:
            for sql, arguments in calls:
                reply = product.execute(sql, timeout=5, **arguments)
                text += json.dumps(reply.answer, ensure_ascii=False) + "\n" + reply.text + "\n"
                text += json.dumps(reply.answer)
            if between is not None:
                text += between(product)
            text += product.program.said().decode(errors="replace")
        records = audit.read_text()
        self.look(f"{what}: replies and log", text, password)
        self.look(f"{what}: audit", records, password)
        return records

    def failing_statements(self, dialect):
        secret = quoted(SECRET) if dialect != "mysql" else "'" + SECRET.replace("\\", "\\\\").replace("'", "''") + "'"
        encoded = base64.b64encode(b"user:" + SECRET.encode()).decode()
        mark = "$1" if dialect == "postgresql" else "?"
        return [
            (f"SELECT {secret} AS told", {}),
            (f"SELECT nothing FROM nowhere WHERE x = {secret}", {}),
            (f"DELETE FROM t WHERE p = {secret}", {}),
            (f"SELEC {secret}", {}),
            (f"SELECT {secret} FROM", {}),
            (f"SELECT CAST({secret} AS integer)" if dialect == "postgresql" else f"SELECT NOSUCH({secret})", {}),
            (f"SELECT 1 WHERE 1 = {mark}", {"params": [SECRET]}),
            (f"SELECT '{encoded}' AS told, '{SECRET.encode().hex()}' AS hex", {}),
            (f"SELECT nope('{urllib.parse.quote(SECRET, safe='')}')", {}),
            (f"SELECT {'x' * 70000}, {secret}", {}),
        ]

    def engine(self, dialect, server, uri):
        self.run(f"{dialect}, wrong password", uri, WRONG, [("SELECT 1", {})])
        self.run(f"{dialect}, failing statements", uri, SECRET, self.failing_statements(dialect))

        def crash(product):
            """The server goes in the middle of a call."""
            answers = []
            sleep = "SELECT count(*) FROM generate_series(1, 100000000000)" if dialect == "postgresql" else "SELECT COUNT(*) FROM seq_1_to_100000000000"
            call = threading.Thread(target=lambda: answers.append(product.execute(sleep, timeout=6)))
            call.start()
            time.sleep(0.7)
            server.kill()
            call.join(30)
            after = product.execute("SELECT 1", timeout=2)
            self.report.check(after.error is not None, f"{dialect}: a server that has gone")
            return json.dumps([one.answer for one in answers]) + json.dumps(after.answer)

        self.run(f"{dialect}, crash", uri, SECRET, [("SELECT 1", {})], crash)
        server.restart()

    def malformed_addresses(self):
        written = urllib.parse.quote(WRONG, safe="")
        for uri in (f"postgresql://u:{written}@host:port/db", f"postgresql://u:{written}@[::1/db", f"mysql://u:{written}@h/d?x=1",
                    f"postgres://u:{written}@h", f"mysql://u:{written}@", f"postgresql://u@h/d?password={written}",
                    f"oracle://u:{written}@h/d",
                    f"https://u:{written}@127.0.0.1:1/sparql", f"sqlite://u:{written}@x/y"):
            env = {"HOME": str(self.place.path), "PATH": "/usr/bin:/bin", "HELVE_SESSION": str(self.place.path / "session")}
            for command in (["call", "--source", f"db={uri}", "query_execute", "sql=SELECT 1"], ["source", "check", uri],
                            ["info", uri], ["call", "--source", uri, "sparql_schema"]):
                ran = subprocess.run([self.helve, *command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, timeout=30)
                self.report.check(ran.returncode != 0, f"{command[0]} {uri} is refused")
                self.look(f"{command[0]} of a malformed address", ran.stdout.decode(errors="replace"), WRONG)

    def http(self):
        """Tokens of the HTTP server: wrong ones, and the right one within calls that fail."""
        config = self.place.path / "helve.toml"
        config.write_text('audit = "http.jsonl"\n[http]\nlisten = "127.0.0.1:0"\n[[caller]]\nname = "ann"\ntoken = "env:ANN_TOKEN"\n'
                          "[source.s]\nuri = \"sample:\"\n")
        env = {"HOME": str(self.place.path), "PATH": "/usr/bin:/bin", "ANN_TOKEN": TOKEN}
        server = subprocess.Popen([self.helve, "mcp", "--config", str(config)], env=env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(iter(server.stdout.readline, b"")))
        reader.start()
        try:
            address = wait_for_address(lines)
            self.report.check(address is not None, "the server tells its address", b"".join(lines).decode(errors="replace"))
            if address is None:
                return
            text = ""
            for token in (TOKEN, TOKEN + "x", WRONG):
                for body in (b"{", call_of("sparql_query", f"SELECT '{TOKEN}' WHERE"), call_of(TOKEN, "x"),
                             call_of("sparql_find", TOKEN)):
                    text += post(address, token, body)
            text += post(address, TOKEN, b"GET " + TOKEN.encode(), path="/" + TOKEN)
        finally:
            server.terminate()
            server.wait(20)
            reader.join(5)
        self.look("HTTP answers", text, TOKEN, WRONG)
        self.look("HTTP log", b"".join(lines).decode(errors="replace"), TOKEN, WRONG)
        records = self.place.path / "http.jsonl"
        self.report.check(records.exists(), "calls over HTTP are recorded")
        self.look("HTTP audit", records.read_text() if records.exists() else "", TOKEN, WRONG)


def wait_for_address(lines, seconds=20):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for line in list(lines):
            for word in line.decode(errors="replace").split():
                if word.startswith("http://"):
                    return word.rstrip(".,;")
        time.sleep(0.05)
    return None


def call_of(tool, text):
    params = {"name": tool, "arguments": {"query": text, "pattern": text},
              "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def post(address, token, body, path=None):
    url = address if path is None else urllib.parse.urljoin(address, path)
    request = urllib.request.Request(url, data=body, method="POST", headers={
        "Authorization": f"Bearer {token}", "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "sparql_query"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return str(answer.headers) + answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return str(error.headers) + error.read().decode(errors="replace")
    except (OSError, socket.timeout) as error:
        return str(error)


def make_postgres(server):
    server.client(f"CREATE ROLE {USER} LOGIN PASSWORD {quoted(SECRET)}")
    rules = server.data / "pg_hba.conf"
    rules.write_text(f"local all {USER} scram-sha-256\n" + rules.read_text())
    server.client("SELECT pg_reload_conf()")
    return server.uri("postgres", USER)


def make_mariadb(server):
    password = SECRET.replace("\\", "\\\\").replace("'", "''")
    server.client(f"CREATE DATABASE d; CREATE USER {USER}@localhost IDENTIFIED BY '{password}'; GRANT SELECT ON d.* TO {USER}@localhost")
    return server.uri("d", USER)


def with_password(uri):
    return f"{uri}{'&' if '?' in uri else '?'}password=env:DB_PASSWORD"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: canaries.py HELVE")
    report = Report("canaries")
    try:
        with Place() as place:
            canaries = Canaries(report, os.path.abspath(sys.argv[1]), place)
            canaries.malformed_addresses()
            canaries.http()
            with Postgres(place) as server:
                canaries.engine("postgresql", server, with_password(make_postgres(server)))
            with MariaDb(place) as server:
                canaries.engine("mysql", server, with_password(make_mariadb(server)))
    except Missing as missing:
        skip_or_fail(missing)
    report.end()


if __name__ == "__main__":
    main()
