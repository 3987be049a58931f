#!/usr/bin/env python3
"""Memory banks at scale, beside what one would use instead: memory.py [options] BANK

BANK is the program helve_memory_bank (`make bench-memory` builds it). Makes items and questions, and measures on the same ones, one
after the other: Helve's bank; a list in Python ranked by the overlap of words, whose words are sets that are made beforehand; and
PostgreSQL's full-text search (a stored tsvector with a GIN index, OR of the words, ts_rank_cd), on a server of its own that keeps what
it acknowledged, as Helve does. Prints Markdown. Neighbours: memory_bank.cc, ../tests/integration/sql/databases.py.
"""

import argparse
import heapq
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "integration" / "sql"))

from databases import Missing, Place, Postgres, plain_environment  # noqa: E402
from run import machine  # noqa: E402

BEST = 6  # hits of a search, as mem_search gives
RUN_S = 4 * 3600
PEERS = ("list", "postgresql")


def words_of(text):
    return re.findall(r"\w+", text.lower())


def share_of(times, share):
    return sorted(times)[int(share * (len(times) - 1))]


def times_of(times):
    return {"questions": len(times), "p50_ms": statistics.median(times), "p99_ms": share_of(times, 0.99), "max_ms": max(times)}


def say(text):
    print(f"memory.py: {text}", file=sys.stderr, flush=True)


def read_items(folder, first, count):
    with open(folder / "items.tsv", encoding="utf-8") as file:
        for place, line in enumerate(file):
            if place >= first + count:
                return
            if place >= first:
                yield line.rstrip("\n").split("\t")


def read_questions(folder, count):
    return (folder / "questions.txt").read_text(encoding="utf-8").splitlines()[:count]


def call_bank(options, *words):
    ran = subprocess.run([options.bank, *map(str, words)], stdout=subprocess.PIPE, timeout=RUN_S, check=True)
    return json.loads(ran.stdout)


def measure_helve(options, folder):
    path = folder / "bank.db"
    say(f"helve: {options.items:,} items in batches of {options.batch}")
    filled = call_bank(options, "fill", folder, path, options.threads, options.batch, 0, options.items)
    say("helve: questions")
    asked = call_bank(options, "ask", folder, path, options.exhaustive)
    say(f"helve: {options.singles:,} single items by {options.clients} threads")
    single = call_bank(options, "fill", folder, path, options.clients, 1, options.items, options.singles)
    return {"name": "Helve", "bulk": filled["items_per_second"], "single": single["items_per_second"], "bytes": filled["bytes"],
            **asked}


def measure_list(options, folder):
    """What a few lines of Python do; nothing is kept on disk."""
    say(f"list: {options.items:,} items")
    texts = list(read_items(folder, 0, options.items))
    started = time.perf_counter()
    items = []
    for item in texts:
        items.append((item, frozenset(map(sys.intern, words_of(" ".join(item))))))
    seconds = time.perf_counter() - started
    say("list: questions")
    times = []
    for question in read_questions(folder, options.peer_questions):
        started = time.perf_counter()
        words = frozenset(words_of(question))
        best = heapq.nlargest(BEST, ((len(words & have), -place) for place, (_, have) in enumerate(items)))
        hits = [items[-place][0] for score, place in best if score > 0]
        times.append((time.perf_counter() - started) * 1e3)
        if not hits:
            sys.exit(f"memory.py: the list has nothing for {question!r}")
    rate = len(items) / seconds
    return {"name": "list, word overlap", "bulk": rate, "single": rate, "bytes": None, **times_of(times)}


class KeepingPostgres(Postgres):
    """Not the server of tests, which may lose everything: one that keeps what it acknowledged, with memory to work with."""

    def make(self):
        super().make()
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write("fsync = on\nsynchronous_commit = on\nfull_page_writes = on\nautovacuum = on\nshared_buffers = 2GB\n"
                       "maintenance_work_mem = 1GB\nwork_mem = 64MB\neffective_cache_size = 8GB\nmax_wal_size = 8GB\n"
                       "max_connections = 80\n")


TABLE = """CREATE TABLE item (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text, about text, content text,
  words tsvector GENERATED ALWAYS AS (setweight(to_tsvector('simple', title), 'A') || setweight(to_tsvector('simple', about), 'B') ||
                                      setweight(to_tsvector('simple', content), 'C')) STORED);
"""


def run_script(server, text, folder, name):
    """Statements from a file, as psql sends them: each when the one before was answered. What it printed."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    ran = subprocess.run([*server.client_command(), "-f", str(path)], cwd=server.folder, env=plain_environment(server.folder),
                         stdout=subprocess.PIPE, timeout=RUN_S, check=True)
    return ran.stdout.decode()


def insert_singly(server, options, folder):
    """Items a second, each a transaction of its own."""
    statements = ["INSERT INTO item (title, about, content) VALUES ('{}', '{}', '{}');\n".format(*item)
                  for item in read_items(folder, options.items, options.singles)]
    paths = []
    for client in range(options.clients):
        paths.append(folder / f"inserts-{client}.sql")
        paths[-1].write_text("".join(statements[client::options.clients]), encoding="utf-8")
    started = time.perf_counter()
    clients = [subprocess.Popen([*server.client_command(), "-f", str(path)], cwd=server.folder, env=plain_environment(server.folder),
                                stdout=subprocess.DEVNULL) for path in paths]
    codes = [client.wait(RUN_S) for client in clients]
    if any(codes):
        sys.exit("memory.py: an INSERT failed")
    return len(statements) / (time.perf_counter() - started)


def ask_postgres(server, options, folder):
    lines = ["SET jit = off;\n\\timing on\n"]
    for question in read_questions(folder, options.peer_questions):
        words = " | ".join(dict.fromkeys(words_of(question)))
        lines.append("SELECT id, title, about, content, ts_rank_cd(words, asked) AS score FROM item, "
                     f"to_tsquery('simple', '{words}') asked WHERE words @@ asked ORDER BY score DESC, id LIMIT {BEST};\n")
    said = run_script(server, "".join(lines), folder, "questions.sql")
    return [float(ms) for ms in re.findall(r"^Time: ([0-9.]+) ms", said, re.MULTILINE)]


def measure_postgres(options, folder, place):
    with KeepingPostgres(place) as server:
        server.client(TABLE)
        say(f"postgresql: {options.items:,} items by COPY, then the index")
        copy = f"\\copy item (title, about, content) FROM PROGRAM 'head -n {options.items} {folder}/items.tsv'\n"
        started = time.perf_counter()
        run_script(server, copy + "CREATE INDEX item_words ON item USING gin (words);\n", folder, "copy.sql")
        seconds = time.perf_counter() - started
        run_script(server, "VACUUM ANALYZE item;\n", folder, "analyze.sql")
        size = int(server.client("SELECT pg_total_relation_size('item')"))
        say("postgresql: questions")
        times = ask_postgres(server, options, folder)
        say(f"postgresql: {options.singles:,} single items by {options.clients} clients")
        single = insert_singly(server, options, folder)
        version = server.client("SHOW server_version").split()[0]
    return {"name": f"PostgreSQL {version} full-text search", "bulk": options.items / seconds, "single": single, "bytes": size,
            **times_of(times)}


def line(one):
    recall = f"{one['recall']:.4f}" if "recall" in one else ""
    size = f"{one['bytes'] / 1e6:,.0f}" if one["bytes"] else "memory only"
    return (f"| {one['name']} | {one['bulk']:,.0f} | {one['single']:,.0f} | {size} | {one['questions']} | {one['p50_ms']:,.2f} | "
            f"{one['p99_ms']:,.2f} | {one['max_ms']:,.2f} | {recall} |")


def main():
    parser = argparse.ArgumentParser(description="memory banks at scale")
    parser.add_argument("bank", type=os.path.abspath)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--singles", type=int, default=20_000, help="items that are added one by one to the full bank")
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--peer-questions", type=int, default=100, help="the first of them, which the peers answer")
    parser.add_argument("--exhaustive", type=int, default=100, help="the first of them, ranked over all items for the recall")
    parser.add_argument("--threads", type=int, default=2, help="that add batches")
    parser.add_argument("--batch", type=int, default=1_000)
    parser.add_argument("--clients", type=int, default=32, help="threads or clients that add single items")
    parser.add_argument("--without", action="append", choices=PEERS, default=[])
    options = parser.parse_args()
    outcomes = []
    with Place() as place:
        folder = place.path / "memory"
        folder.mkdir()
        call_bank(options, "make", options.items + options.singles, options.questions, folder)
        outcomes.append(measure_helve(options, folder))
        if "list" not in options.without:
            outcomes.append(measure_list(options, folder))
        if "postgresql" not in options.without:
            try:
                outcomes.append(measure_postgres(options, folder, place))
            except Missing as missing:
                say(f"postgresql is left out: {missing}")
    here = machine()
    print(f"{here['cpu']}, {here['cores']} cores, {here['system']}; {options.items:,} items. Filled: by {options.threads} threads in batches "
          f"of {options.batch:,} (Helve), by COPY with the index after it (PostgreSQL). Single items: {options.singles:,} into what is full, "
          f"by {options.clients} threads or clients, each on disk when it is acknowledged. Recall: of the best {BEST} by BM25 over all "
          f"items, of {options.exhaustive} questions.\n")
    print("| | filled, items/s | single items/s | MB | questions | p50 ms | p99 ms | max ms | recall |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    print("\n".join(map(line, outcomes)))


if __name__ == "__main__":
    main()
