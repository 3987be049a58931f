#!/usr/bin/env python3
"""Every call ends within its deadline and half a second, whatever the database does, and the next one works.

deadlines.py HELVE [--engine E]... Neighbours: silent_peer.py has peers that never answer, databases.py the servers.
"""

import argparse
import os
import signal
import sqlite3
import time
from contextlib import contextmanager
from pathlib import Path

from attack_targets import TARGETS, plain, wait_idle
from databases import ENGINES, Missing, Place, skip_or_fail
from product import Product, Report, is_in_time
from silent_peer import NOISES, SilentPeer

DEADLINE_S = 1
POLICY_S = 2
STOP_S = 2.0  # for work that was cancelled to stop
FAILURES = ("limit_exceeded", "unavailable", "denied", "invalid_input", "cancelled")

ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) AS n FROM c"
CROSS = "SELECT count(*) AS n FROM t a, t b, t c, t d WHERE a.name < b.name OR c.name < d.name"
BURNERS = {
    "postgresql": [
        ("sleep", "SELECT x FROM data.nap"),
        ("endless recursion", ENDLESS),
        ("cross join", CROSS),
        ("one huge cell", "SELECT string_agg(g::text, ',') FROM generate_series(1, 100000000) g"),
        ("endless rows", "SELECT a.id, b.id, c.id FROM t a, t b, t c ORDER BY a.name || b.name || c.name"),
        ("slow pattern", "SELECT count(*) FROM t a, t b WHERE repeat(a.name, 100) ~ '(x+x+)+y' OR a.name || b.name ~ '(a*)*b'"),
    ],
    "mysql": [
        ("sleep", "SELECT x FROM nap"),
        ("one call", "SELECT x FROM long_call"),
        ("cross join", CROSS),
        ("endless rows", "SELECT a.id, b.id, c.id FROM t a, t b, t c ORDER BY CONCAT(a.name, b.name, c.name)"),
        ("hint", "SELECT /*+ MAX_EXECUTION_TIME(0) */ x FROM nap"),
    ],
    "sqlite": [
        ("endless recursion", ENDLESS),
        ("cross join", CROSS),
        ("endless rows", "SELECT a.id, b.id, c.id FROM t a, t b, t c ORDER BY a.name || b.name || c.name"),
        ("one opcode", "SELECT instr(hex(zeroblob(400000)), hex(zeroblob(300000)) || '1')"),
        ("an opcode for each row", "SELECT sum(instr(a.name || hex(zeroblob(50000)), hex(zeroblob(40000)) || '1')) FROM t a"),
        ("growing text", "WITH RECURSIVE c(n, s) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, s || s FROM c) SELECT max(length(s)) FROM c"),
        ("replacing", "SELECT length(replace(hex(zeroblob(40000)), '0', hex(zeroblob(40000))))"),
        ("pattern", "SELECT count(*) FROM t a, t b WHERE hex(zeroblob(20000)) || a.name LIKE '%0%0%0%0%0%0%0%0%0%0%0%0%x'"),
        ("glob", "SELECT hex(zeroblob(40000)) GLOB '*0*0*0*0*0*0*0*0*0*0*0*x'"),
        ("text search", "SELECT count(*) FROM ft a, ft b, ft c WHERE a.body MATCH 'of' AND b.body MATCH 'the' AND c.body MATCH 'table'"
                        " AND a.rowid < b.rowid + c.rowid * 0 AND instr(a.body || b.body, c.body || 'x') >= 0"
                        " AND (SELECT count(*) FROM t x, t y) > 0"),
    ],
}
# May end before the deadline with an answer: nothing is wrong with being fast.
MAY_ANSWER = ("slow pattern", "text search", "glob", "replacing", "growing text", "pattern")


class Trial:
    """One engine and the product on it."""

    def __init__(self, report, target, product):
        self.report = report
        self.target = target
        self.product = product
        self.engine = target.engine

    def check_next(self, what):
        reply = self.product.execute(plain(), timeout=10)
        self.report.check(reply.error is None, f"{self.engine}, {what}: the next call", reply.short())
        return reply

    def check_late(self, what, sql=None, may_answer=False, deadline_s=DEADLINE_S):
        reply = self.product.execute(sql or plain(), timeout=deadline_s)
        name = f"{self.engine}, {what}"
        self.report.check(is_in_time(reply, deadline_s), f"{name} was late", f"{reply.took_s:.3f} s; {reply.short()}")
        is_good = reply.code in FAILURES or (may_answer and reply.error is None)
        self.report.check(is_good, f"{name} fails as it should", reply.short())
        print(f"{name}: {reply.took_s * 1000:.0f} ms, {reply.short()[:100]}")
        return reply

    def burners(self):
        for what, sql in BURNERS[self.engine]:
            self.check_late(what, sql, may_answer=what in MAY_ANSWER)
            busy = wait_idle(self.target)
            self.report.check(not busy, f"{self.engine}, {what}: work goes on", busy)
            self.check_next(what)

    def cancelled(self):
        """The client takes its call back: the work behind it stops."""
        peer = self.product.peer
        sql = CROSS
        message = peer.message("tools/call", {"name": "query_execute", "arguments": {"sql": sql, "timeout": 60}})
        peer.client.send(message)
        time.sleep(0.5)
        peer.notify("notifications/cancelled", {"requestId": message["id"], "reason": "test"})
        begun = time.monotonic()
        busy = wait_idle(self.target)
        self.report.check(not busy, f"{self.engine}, cancelled: work goes on", busy)
        # A call that was taken back may still be answered; what comes is passed over.
        peer.client.take(0.2)
        reply = self.check_next("cancelled")
        self.report.check(time.monotonic() - begun < STOP_S + reply.took_s, f"{self.engine}, cancelled: stops in time")

    def restarted(self):
        server = self.target.server
        server.kill()
        reply = self.product.execute(plain(), timeout=DEADLINE_S)
        self.report.check(reply.error is not None and is_in_time(reply, DEADLINE_S), f"{self.engine}, killed: is told in time",
                          f"{reply.took_s:.3f} s; {reply.short()}")
        self.report.check(reply.code == "unavailable", f"{self.engine}, killed: is told as unavailable", reply.short())
        server.start()
        self.check_next("killed and started again")
        server.restart()  # nothing was asked while it was away
        self.check_next("restarted between calls")

    def killed_while_asked(self):
        peer = self.product.peer
        message = peer.message("tools/call", {"name": "query_execute", "arguments": {"sql": CROSS, "timeout": 30}})
        peer.client.send(message)
        time.sleep(0.5)
        self.target.server.kill()
        begun = time.monotonic()
        answer, _ = peer.client.take_answer(message["id"])
        took = time.monotonic() - begun
        is_told = answer["result"].get("isError") and took < 2
        self.report.check(is_told, f"{self.engine}, killed while asked", f"{took:.3f} s {str(answer)[:300]}")
        self.target.server.start()
        self.check_next("killed while asked")


def is_stopped(pid):
    try:
        return all(stat.read_text().rpartition(") ")[2][0] in "TZ" for stat in Path(f"/proc/{pid}/task").glob("*/stat"))
    except OSError:  # a thread ended meanwhile
        return False


@contextmanager
def stopped(*pids):
    """Processes that the machine no longer runs: their threads go on for a moment after kill() has returned."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        until = time.monotonic() + 5
        while not all(map(is_stopped, pids)) and time.monotonic() < until:
            time.sleep(0.001)
        yield
    finally:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass


def backends(server):
    text = server.client("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = 'attack' "
                         "AND pid <> pg_backend_pid()")
    return [int(line) for line in text.split()]


def stopped_postgres(trial):
    server = trial.target.server
    trial.check_next("before it is stopped")
    with stopped(*(pid for pid in backends(server) if pid != trial.target.canary_pid)):
        trial.check_late("stopped backend", may_answer=True)
        trial.check_next("stopped backend")
    trial.check_next("backend that goes on")
    with stopped(server.pid(), *server.children()):
        trial.check_late("stopped server")
    trial.check_next("stopped server")
    # A lock that another holds.
    locker = server.open_client(database="attack")
    locker.stdin.write(b"BEGIN; LOCK TABLE data.t IN ACCESS EXCLUSIVE MODE; SELECT 1;\n")
    locker.stdin.flush()
    locker.stdout.readline()
    trial.check_late("locked table")
    locker.kill()
    locker.communicate()
    trial.check_next("locked table")


def stopped_mariadb(trial):
    trial.check_next("before it is stopped")
    with stopped(trial.target.server.pid()):
        trial.check_late("stopped server")
        trial.check_late("stopped server, again")
    trial.check_next("stopped server")
    locker = trial.target.server.open_client(database="attack", user="root")
    locker.stdin.write(b"LOCK TABLES t WRITE; SELECT 1;\n")
    locker.stdin.flush()
    locker.stdout.readline()
    trial.check_late("locked table")
    locker.kill()
    locker.communicate()
    trial.check_next("locked table")


def descendants(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            found += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            pass
    return found + [deeper for child in found for deeper in descendants(child)]


def stopped_sqlite(trial):
    trial.check_next("before it is stopped")
    workers = descendants(trial.product.pid)
    with stopped(*workers):
        trial.check_late("stopped worker", may_answer=True)
        trial.check_next("stopped worker")
    for worker in descendants(trial.product.pid):
        try:
            os.kill(worker, signal.SIGKILL)
        except ProcessLookupError:
            pass
    trial.check_next("killed worker")
    locker = sqlite3.connect(trial.target.path, isolation_level=None)
    locker.execute("BEGIN EXCLUSIVE")
    trial.check_late("locked file")
    locker.execute("ROLLBACK")
    locker.close()
    trial.check_next("locked file")


STOPPED = {"postgresql": stopped_postgres, "mysql": stopped_mariadb, "sqlite": stopped_sqlite}


def silent_peers(report, helve, place):
    """Peers that are no databases. Each call ends, whichever tool it is of, and other sources are not held up."""
    policy = place.path / "policy.json"
    policy.write_text(f'{{"timeout": {POLICY_S}}}')
    with TARGETS["sqlite"](place) as target, SilentPeer() as silent:
        peers = {name: SilentPeer(noise) for name, noise in NOISES.items()}
        addresses = {"silent": silent.port, **{name: peer.port for name, peer in peers.items()}}
        sources = [("well", target.uri())]
        for name, port in addresses.items():
            sources += [(f"{scheme}_{name}", f"{scheme}://user@127.0.0.1:{port}/db") for scheme in ("postgresql", "mysql")]
        with Product(helve, sources, ["--policy", policy]) as product:
            for source, _ in sources[1:]:
                reply = product.execute("SELECT 1 AS one", source=source, timeout=DEADLINE_S)
                print(f"{source}: {reply.took_s * 1000:.0f} ms, {reply.short()[:120]}")
                report.check(is_in_time(reply, DEADLINE_S), f"{source} was late", f"{reply.took_s:.3f} s")
                report.check(reply.code in FAILURES, f"{source} fails", reply.short())
            for source in ("postgresql_silent", "mysql_silent"):
                check_other_tools(report, product, source)
            check_others_go_on(report, product)
        for peer in peers.values():
            peer.__exit__()


def check_other_tools(report, product, source):
    """Of tools without a timeout, that of the policy counts."""
    plan = {"name": "explain_plan", "arguments": {"sql": "SELECT 1", "source": source}}
    for tool, arguments in (("schema_inspect", {"action": "list_tables", "source": source}), ("call_tool", plan)):
        reply = product.call(tool, **arguments)
        is_good = reply.error is not None and is_in_time(reply, POLICY_S)
        report.check(is_good, f"{tool} of {source}", f"{reply.took_s:.3f} s; {reply.short()}")


def check_others_go_on(report, product):
    peer = product.peer

    def send(sql, source):
        arguments = {"sql": sql, "source": source, "timeout": POLICY_S}
        message = peer.message("tools/call", {"name": "query_execute", "arguments": arguments})
        peer.client.send(message)
        return message

    messages = [send("SELECT 2 AS two", source) for source in ("postgresql_silent", "mysql_silent")]
    begun = time.monotonic()
    well = send(plain(), "well")
    first = peer.client.take(10)
    is_first = first is not None and first.get("id") == well["id"]
    report.check(is_first, "a source that hangs holds up no other", f"{time.monotonic() - begun:.3f} s")
    for _ in messages:
        report.check(peer.client.take(10) is not None, "what hung is answered")


def run_engine(report, helve, engine, place):
    with TARGETS[engine](place) as target, Product(helve, [(engine, target.uri())]) as product:
        trial = Trial(report, target, product)
        trial.check_next("at first")
        trial.burners()
        trial.cancelled()
        STOPPED[engine](trial)
        if engine != "sqlite":
            trial.restarted()
            trial.killed_while_asked()


def main():
    parser = argparse.ArgumentParser(description="deadlines of calls on databases")
    parser.add_argument("helve")
    parser.add_argument("--engine", action="append", choices=(*ENGINES, "silent"))
    options = parser.parse_args()
    report = Report("deadlines")
    for engine in options.engine or (*ENGINES, "silent"):
        try:
            with Place() as place:
                if engine == "silent":
                    silent_peers(report, options.helve, place)
                else:
                    run_engine(report, options.helve, engine, place)
        except Missing as missing:
            skip_or_fail(missing)
    report.end()


if __name__ == "__main__":
    main()
