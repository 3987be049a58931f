"""Databases that attacks are run against, and all of their state that an attack might change.

One class for each engine: `uri()` for the product, `state()` for what must stay as it is, `wait_idle()` for work that may not
go on, `check_canary()` for a session of another client. Neighbours: attacks.py runs the entries, databases.py the servers.
"""

import hashlib
import itertools
import sqlite3
import time

from databases import MariaDb, Postgres, end_client

ROWS = 2000
READER = "kg_reader"
IDLE_S = 2.0
NUMBERS = itertools.count(1)


def plain():
    """Counts the rows, each time in other words: what was asked before may be answered by its handle."""
    return f"SELECT count(*) AS n FROM t WHERE id > -{next(NUMBERS)}"


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "absent"


def listing(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


POSTGRES_FIXTURE = f"""
CREATE SCHEMA data;
CREATE TABLE data.t (id integer PRIMARY KEY, name text, secret text);
INSERT INTO data.t SELECT g, 'name' || g, 'secret' || g % 7 FROM generate_series(1, {ROWS}) g;
CREATE TABLE data.edge (a integer, b integer);
INSERT INTO data.edge SELECT g, g % 100 + 1 FROM generate_series(1, 500) g;
CREATE SEQUENCE data.sq;
CREATE VIEW data.v AS SELECT id, name FROM data.t;
CREATE VIEW data.nap AS SELECT pg_sleep(100)::text AS x;
CREATE MATERIALIZED VIEW data.mv AS SELECT a, count(*) AS n FROM data.edge GROUP BY a;
CREATE FUNCTION data.wipe() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN DELETE FROM data.t; RETURN 1; END $$;
CREATE FUNCTION data.wipe2() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN PERFORM set_config('transaction_read_only', 'off', false); DELETE FROM data.t; RETURN 1; END $$;
CREATE FUNCTION data.peek() RETURNS text LANGUAGE sql STABLE AS $$ SELECT name FROM data.t LIMIT 1 $$;
CREATE FUNCTION data.rowwipe(data.edge) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN DELETE FROM data.t; RETURN 1; END $$;
CREATE PROCEDURE data.pwipe() LANGUAGE plpgsql AS $$ BEGIN COMMIT; DELETE FROM data.t; COMMIT; END $$;
CREATE FUNCTION data.right(integer) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN PERFORM pg_advisory_lock(1); RETURN 'mine'; END $$;
CREATE FUNCTION data.opf(integer, integer) RETURNS text LANGUAGE plpgsql AS
  $$ BEGIN PERFORM set_config('transaction_read_only', 'off', false); RETURN 'mine'; END $$;
CREATE OPERATOR data.@#@ (FUNCTION = data.opf, LEFTARG = integer, RIGHTARG = integer);
CREATE TYPE data.ty AS (a integer);
CREATE FUNCTION data.castf(integer) RETURNS data.ty LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN PERFORM lo_create(4242); RETURN ROW($1)::data.ty; END $$;
CREATE CAST (integer AS data.ty) WITH FUNCTION data.castf(integer);
CREATE FUNCTION data.chk(integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN PERFORM pg_notify('c', 'x'); RETURN true; END $$;
CREATE DOMAIN data.dom AS integer CHECK (data.chk(VALUE));
CREATE ROLE {READER} LOGIN;
ALTER ROLE {READER} SET search_path = data, public;
ALTER ROLE {Postgres.owner} SET search_path = data, public;
GRANT USAGE ON SCHEMA data TO {READER};
GRANT SELECT (id, name) ON data.t TO {READER};
GRANT SELECT ON data.edge, data.v, data.mv, data.nap TO {READER};
SELECT lo_create(1);
ANALYZE data.t;
"""

POSTGRES_STATE = """
SELECT 't', count(*), md5(string_agg(x::text, ',' ORDER BY id)) FROM data.t x;
SELECT 'edge', count(*), md5(string_agg(x::text, ',' ORDER BY x::text)) FROM data.edge x;
SELECT 'mv', count(*), md5(string_agg(x::text, ',' ORDER BY x::text)) FROM data.mv x;
SELECT 'sq', last_value, is_called FROM data.sq;
SELECT 'relations', count(*), md5(string_agg(concat_ws(' ', oid, relname, relkind, relfilenode, relowner, relacl), ',' ORDER BY oid))
  FROM pg_class WHERE relnamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname ~ '^pg_');
SELECT 'routines', count(*), md5(string_agg(concat_ws(' ', oid, proname, prosrc), ',' ORDER BY oid)) FROM pg_proc;
SELECT 'schemas', string_agg(nspname, ',' ORDER BY nspname) FROM pg_namespace;
SELECT 'extensions', string_agg(extname, ',' ORDER BY extname) FROM pg_extension;
SELECT 'databases', string_agg(datname, ',' ORDER BY datname) FROM pg_database;
SELECT 'roles', md5(string_agg(r::text, ',' ORDER BY oid)) FROM pg_authid r;
SELECT 'role settings', string_agg(s::text, ',' ORDER BY setrole) FROM pg_db_role_setting s;
SELECT 'large objects', string_agg(oid::text, ',' ORDER BY oid), md5(coalesce((SELECT string_agg(l::text, ',') FROM pg_largeobject l), ''))
  FROM pg_largeobject_metadata;
SELECT 'settings', md5(string_agg(name || '=' || coalesce(setting, ''), ',' ORDER BY name)) FROM pg_settings;
SELECT 'prepared', count(*) FROM pg_prepared_xacts;
SELECT 'advisory locks', count(*) FROM pg_locks WHERE locktype = 'advisory';
SELECT 'locks', count(*) FROM pg_locks JOIN pg_class c ON c.oid = relation JOIN pg_namespace n ON n.oid = relnamespace
  WHERE nspname = 'data' AND pid <> pg_backend_pid();
SELECT 'slots', count(*) FROM pg_replication_slots;
SELECT 'snapshots', count(*) FROM pg_ls_dir('pg_snapshots');
SELECT 'maintained', string_agg(concat_ws(' ', relname, last_vacuum, last_analyze), ',' ORDER BY relname)
  FROM pg_stat_user_tables WHERE schemaname = 'data';
"""


class PostgresTarget:
    engine = "postgresql"

    def __init__(self, place, is_owner=False):
        self.scratch = place.scratch
        self.server = Postgres(place)
        self.user = Postgres.owner if is_owner else READER

    def __enter__(self):
        self.server.__enter__()
        self.server.client("CREATE DATABASE attack")
        self.server.client(POSTGRES_FIXTURE, database="attack")
        for extension in ("dblink", "pageinspect"):
            is_there = self.server.client(f"CREATE EXTENSION {extension}", is_quiet=True, database="attack") is not None
            if not is_there:
                print(f"note: there is no extension {extension} here; its attacks are refused for want of it")
        self.canary = self.server.open_client(database="attack", user=self.user)
        self.canary.stdin.write(b"SELECT pg_backend_pid();\n")
        self.canary.stdin.flush()
        self.canary_pid = int(self.canary.stdout.readline())
        return self

    def __exit__(self, *rest):
        end_client(self.canary)
        self.server.__exit__(*rest)

    def uri(self):
        return self.server.uri("attack", self.user)

    def state(self):
        lines = self.server.ask(POSTGRES_STATE, "attack").splitlines()
        state = {line.split("\t")[0]: line for line in lines}
        state["configuration"] = [digest_of(self.server.data / name) for name in ("postgresql.conf", "postgresql.auto.conf", "pg_hba.conf")]
        state["scratch"] = listing(self.scratch)
        return state

    def busy(self):
        return self.server.ask(
            "SELECT pid, state, left(query, 60) FROM pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle' "
            "AND pid <> pg_backend_pid();", "attack").strip()

    def check_canary(self):
        alive = self.server.ask(f"SELECT count(*) FROM pg_stat_activity WHERE pid = {self.canary_pid};", "attack")
        return alive.strip() == "1"


MARIADB_FIXTURE = f"""
CREATE DATABASE attack;
USE attack;
CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(100), secret VARCHAR(100));
INSERT INTO t SELECT seq, CONCAT('name', seq), CONCAT('secret', seq % 7) FROM seq_1_to_{ROWS};
CREATE TABLE m (a INT, b INT) ENGINE=MyISAM;
INSERT INTO m SELECT seq, seq % 100 FROM seq_1_to_500;
CREATE TABLE edge (a INT, b INT);
INSERT INTO edge SELECT seq, seq % 100 + 1 FROM seq_1_to_500;
CREATE VIEW v AS SELECT id, name FROM t;
CREATE VIEW nap AS SELECT SLEEP(100) AS x;
CREATE VIEW long_call AS SELECT BENCHMARK(10000000000, SHA2('a', 512)) AS x;
CREATE SEQUENCE sq;
DELIMITER //
CREATE FUNCTION fw() RETURNS INT MODIFIES SQL DATA SQL SECURITY DEFINER BEGIN DELETE FROM t; RETURN 1; END//
CREATE PROCEDURE pw() MODIFIES SQL DATA SQL SECURITY DEFINER BEGIN COMMIT; DELETE FROM t; COMMIT; END//
DELIMITER ;
CREATE USER {READER}@localhost;
GRANT SELECT ON attack.* TO {READER}@localhost;
GRANT EXECUTE ON FUNCTION attack.fw TO {READER}@localhost;
GRANT EXECUTE ON PROCEDURE attack.pw TO {READER}@localhost;
"""

MARIADB_STATE = """
CHECKSUM TABLE attack.t, attack.m, attack.edge;
SELECT 'counts', (SELECT COUNT(*) FROM attack.t), (SELECT COUNT(*) FROM attack.m), (SELECT COUNT(*) FROM attack.edge);
SELECT 'sq', next_not_cached_value, cycle_count FROM attack.sq;
SELECT 'tables', table_schema, table_name, engine, create_time FROM information_schema.tables
  WHERE table_schema NOT IN ('information_schema', 'performance_schema') ORDER BY 2, 3;
SELECT 'routines', routine_schema, routine_name, last_altered FROM information_schema.routines WHERE routine_schema <> 'sys' ORDER BY 2, 3;
SELECT 'users', MD5(GROUP_CONCAT(CONCAT_WS(' ', Host, User, Priv) ORDER BY Host, User)) FROM mysql.global_priv;
SELECT 'grants', MD5(GROUP_CONCAT(CONCAT_WS(' ', grantee, privilege_type) ORDER BY 1)) FROM information_schema.schema_privileges;
SELECT 'plugins', MD5(GROUP_CONCAT(plugin_name, plugin_status ORDER BY plugin_name)) FROM information_schema.plugins;
SELECT 'functions', COUNT(*) FROM mysql.func;
SELECT 'settings', variable_name, variable_value FROM information_schema.global_variables
  WHERE variable_name NOT LIKE 'gtid%' AND variable_name NOT IN ('TIMESTAMP') ORDER BY 2;
SELECT 'statistics', COUNT(*) FROM mysql.table_stats;
SELECT 'lock a', IS_USED_LOCK('a');
XA RECOVER;
"""


class MariaDbTarget:
    engine = "mysql"

    def __init__(self, place, is_owner=False):
        self.scratch = place.scratch
        self.server = MariaDb(place)
        self.user = MariaDb.owner if is_owner else READER

    def __enter__(self):
        self.server.__enter__()
        self.server.client(MARIADB_FIXTURE)
        self.canary = self.server.open_client(database="attack", user=self.user)
        self.canary.stdin.write(b"SELECT CONNECTION_ID();\n")
        self.canary.stdin.flush()
        self.canary_id = int(self.canary.stdout.readline())
        return self

    __exit__ = PostgresTarget.__exit__

    def uri(self):
        return self.server.uri("attack", self.user)

    def state(self):
        state = {}
        for line in self.server.ask(MARIADB_STATE, "attack").splitlines():
            words = line.split("\t")
            key = " ".join(words[:2]) if words[0] == "settings" else words[0]
            state[key] = state.get(key, "") + line + "\n"
        state["files"] = listing(self.server.data / "attack")
        state["scratch"] = listing(self.scratch)
        return state

    def busy(self):
        return self.server.ask(
            "SELECT id, command, state, LEFT(info, 60) FROM information_schema.processlist WHERE command NOT IN ('Sleep', 'Daemon') "
            "AND user <> 'system user' AND id <> CONNECTION_ID();", "attack").strip()

    def check_canary(self):
        alive = self.server.ask(f"SELECT COUNT(*) FROM information_schema.processlist WHERE id = {self.canary_id};", "attack")
        return alive.strip() == "1"


class SqliteTarget:
    engine = "sqlite"

    def __init__(self, place, is_owner=False):
        del is_owner  # a file has no users
        self.scratch = place.scratch
        self.folder = place.folder("sqlite", {})
        self.path = self.folder / "attack.db"

    def __enter__(self):
        database = sqlite3.connect(self.path)
        database.executescript(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, secret TEXT);"
            f"WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < {ROWS}) "
            "INSERT INTO t SELECT i, 'name' || i, 'secret' || (i % 7) FROM g;"
            "CREATE TABLE edge (a INTEGER, b INTEGER);"
            "WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < 500) INSERT INTO edge SELECT i, i % 100 + 1 FROM g;"
            "CREATE INDEX edge_b ON edge (b);"
            "CREATE VIEW v AS SELECT id, name FROM t;"
            "CREATE VIRTUAL TABLE ft USING fts5(body);"
            "INSERT INTO ft SELECT name || ' of the table' FROM t LIMIT 100;")
        database.commit()
        database.close()
        return self

    def __exit__(self, *_):
        pass

    def uri(self):
        return f"sqlite:{self.path}"

    def state(self):
        # The bytes of the file are its rows, its catalogue and its settings.
        return {"file": digest_of(self.path), "folder": listing(self.folder), "scratch": listing(self.scratch)}

    def busy(self):
        return ""

    def check_canary(self):
        return True


TARGETS = {target.engine: target for target in (SqliteTarget, PostgresTarget, MariaDbTarget)}


def wait_idle(target):
    """What still runs on the server when it should not; empty once nothing does."""
    deadline = time.monotonic() + IDLE_S
    while (busy := target.busy()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return busy
