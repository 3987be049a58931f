"""A second SQLite (apsw brings its own) and a second OpenSSL (cryptography's) in the same process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import hashlib, os, sys
mode, order, folder = sys.argv[1:]

def load_others():
    global apsw, hashes, sqlite3
    if mode == "global":  # their names are offered to everybody who is loaded later
        sys.setdlopenflags(os.RTLD_GLOBAL | os.RTLD_NOW)
    import apsw, sqlite3, ssl
    from cryptography.hazmat.primitives import hashes
    sys.setdlopenflags(os.RTLD_LOCAL | os.RTLD_NOW)

def load_helve():
    global helve
    import helve

for load in (load_others, load_helve) if order == "before" else (load_helve, load_others):
    load()

def use_others():
    file = apsw.Connection(folder + "/other.db")
    file.execute("CREATE TABLE IF NOT EXISTS t (x); INSERT INTO t VALUES (1)")
    assert (1,) in list(file.execute("SELECT x FROM t"))
    assert sqlite3.connect(folder + "/third.db").execute("SELECT sqlite_version()").fetchone()[0] == sqlite3.sqlite_version
    digest = hashes.Hash(hashes.SHA256())
    digest.update(b"abc")
    assert digest.finalize() == hashlib.sha256(b"abc").digest()

use_others()
item = {"title": "Count first", "desc": "Before an export.", "content": "Count before an export.", "src": "success"}
with helve.open("sample:", "sample-tables:", bank=folder + "/bank.db", audit_file=folder + "/audit.jsonl") as session:
    session.mem_add(item=item).check()
    use_others()
    assert session.mem_search("count before an export", quarantined=True).check().text.count("Count first") == 1
    assert session.sql("SELECT COUNT(*) AS n FROM bodies", source="sample-tables").rows()[0]["n"] > 10
    handle = session.query("SELECT * { ?s ?p ?o } LIMIT 10")
    assert session.result_sql(f"SELECT COUNT(*) AS n FROM {handle.key}").check().handle.rows() == [{"n": 10}]
    use_others()
print(apsw.sqlitelibversion() != sqlite3.sqlite_version, "libsqlite3.so" in open("/proc/self/maps").read())
"""


@pytest.mark.parametrize("mode", ["local", "global"])
@pytest.mark.parametrize("order", ["before", "after"])
def test_second_sqlite_and_openssl(mode: str, order: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, mode, order, str(tmp_path)], capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True", "True"]  # two of them really were there
