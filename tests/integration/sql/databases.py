#!/usr/bin/env python3
"""Database servers for tests: PostgreSQL and MariaDB in a folder of their own, on a unix socket, never as root.

All tests share one server of each kind, one after another: scripts/run_tests.sh starts both and names their folder in
HELVE_SQL_SERVERS. A test that is run by hand starts its own server, which stops when the test exits for any reason. Test programs in C++
call this file as a command:

    databases.py start NAME FOLDER PID   starts a server in FOLDER/NAME that ends with process PID, or empties the shared one;
                                         prints socket=, port=, pid= and data=; exit status 77 if it is not installed
    databases.py restart NAME FOLDER
    databases.py stop NAME FOLDER        ends it and removes FOLDER/NAME; the shared one stays
    databases.py serve FOLDER            starts one of each kind in FOLDER; they end with the caller of this command
    databases.py end FOLDER              ends them before that

NAME is postgresql or mysql. Neighbours: fixtures.py fills the servers, product.py asks them through `helve`.
"""

import ctypes
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))

import test_data  # noqa: E402

START_S = 60
ENGINES = ("sqlite", "postgresql", "mysql")
END_MARK = "-- end of the answer --"
SKIPPED = 77  # exit status that CTest takes for a skipped test
SHARED = "HELVE_SQL_SERVERS"  # the folder of the servers that tests share


class Missing(Exception):
    """A program that this machine does not have."""


class MissingData(Missing):
    """Shared data that is not there: nobody can install it."""


def skip_or_fail(missing):
    """Ends the test: skipped with one line, but a failure where HELVE_SQL_MUST_RUN=1 says that servers must be there."""
    if os.environ.get("HELVE_SQL_MUST_RUN") == "1" and not isinstance(missing, MissingData):
        print(f"failed: {missing} (HELVE_SQL_MUST_RUN=1)")
        sys.exit(1)
    print(f"skipped: {missing}")
    sys.exit(SKIPPED)


def find_program(*names):
    folders = os.environ.get("PATH", "").split(":") + ["/usr/sbin", "/usr/local/sbin"]
    # Debian keeps each version of PostgreSQL apart; the newest comes first.
    folders += sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: -int(path.split("/")[4]))
    for name in names:
        for folder in folders:
            path = Path(folder or ".") / name
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
    raise Missing(f"there is no {names[0]} on this machine (scripts/install-deps.sh integration)")


def unprivileged(*names):
    """Keywords of Popen for a user that is not root: the first of the names that exists, or who we are."""
    if os.geteuid() != 0:
        return {}
    for name in (*names, "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise Missing("this runs as root and there is no other user for the server")


def dies_with_parent(signal_number):
    """For preexec_fn: PR_SET_PDEATHSIG, so that no server outlives a test that was killed."""
    libc = ctypes.CDLL(None)

    def prepare():
        libc.prctl(1, signal_number)

    return prepare


def plain_environment(home):
    return {"HOME": str(home), "LANG": "C.UTF-8", "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin", "TZ": "UTC"}


class Place:
    """A folder that ends with the test; `scratch` in it is writable for everybody, as an attacker would like."""

    def __init__(self, prefix="helve-sql-", path=None):
        self.path = path or Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
        self.path.mkdir(parents=True, exist_ok=True)
        self.path.chmod(0o755)
        self.scratch = self.path / "scratch"
        self.scratch.mkdir(exist_ok=True)
        self.scratch.chmod(0o777)

    def folder(self, name, identity):
        path = self.path / name
        path.mkdir()
        path.chmod(0o755)
        if identity:
            os.chown(path, identity["user"], identity["group"])
        return path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def end_client(client):
    client.kill()
    client.wait()
    client.stdin.close()
    client.stdout.close()


def is_running(pid):
    """False for a process that has ended, also while its parent has not waited for it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


class Server:
    """A database server: its process, folder, log and client program. Where tests share servers, it is the shared one,
    which is emptied first. `is_own` asks for a new server, `folder` for the one in that folder."""

    name = ""
    end_signal = signal.SIGKILL

    def __init__(self, place, is_own=False, folder=None):
        self.place = place
        if folder is None and not is_own and SHARED in os.environ:
            folder = Path(os.environ[SHARED]) / self.name
        self.stays = folder is not None  # when this object ends
        self.folder = folder or place.folder(self.name, self.identity)
        self.data = self.folder / "data"
        self.log_path = self.folder / "log"
        self.process = None
        self.admin = {}  # by database: a client of the owner that stays

    def __enter__(self):
        if self.stays:
            self.empty()
            return self
        try:
            self.create()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_):
        if self.stays:
            self.end_clients()
        else:
            self.kill()

    def create(self):
        self.make()
        self.start()
        self.prepare()

    def empty(self):
        """Removes what other tests left: databases, users, settings."""
        if is_running(self.pid()):
            os.kill(self.pid(), signal.SIGCONT)  # in case a test that stopped it was killed
        else:
            self.start()
        self.client(self.client(self.LEFT_BEHIND, database=self.system_database), database=self.system_database)
        self.prepare()

    def run_tool(self, command):
        ran = subprocess.run(command, **self.identity, cwd=self.folder, env=plain_environment(self.folder), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=START_S)
        if ran.returncode != 0:
            raise AssertionError(f"{command[0]} failed:\n{ran.stdout.decode(errors='replace')[-3000:]}")

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), **self.identity, cwd=self.folder, env=plain_environment(self.folder), stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True,
                preexec_fn=None if self.stays else dies_with_parent(self.end_signal))
        deadline = time.monotonic() + START_S
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"{self.name} does not start:\n{self.log()[-3000:]}")
            time.sleep(0.05)

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def is_ready(self):
        return self.client("SELECT 1", is_quiet=True) is not None

    def pid(self):
        """0 if it is not running."""
        if self.process is not None:
            return self.process.pid
        if not self.pid_path.exists():
            return 0
        pid = int(self.pid_path.read_text().split()[0])
        try:
            command = Path(f"/proc/{pid}/cmdline").read_text()
        except OSError:
            return 0
        return pid if str(self.data) in command else 0  # else the number is that of another process by now

    def end_clients(self):
        for admin in self.admin.values():
            end_client(admin)
        self.admin = {}

    def kill(self):
        """At once, without a word to its clients."""
        self.end_clients()
        server = self.pid()
        if not is_running(server):
            return
        for pid in [server, *self.children()]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.process is not None:
            self.process.wait()
            self.process = None
        deadline = time.monotonic() + START_S
        while is_running(server) and time.monotonic() < deadline:
            time.sleep(0.01)
        # A new server would mistake a zombie process for a running server.
        for path in self.lock_paths:
            path.unlink(missing_ok=True)

    def restart(self):
        self.kill()
        time.sleep(0.2)  # shared memory of the children that were killed
        self.start()

    def shut_down(self):
        """Orderly: all committed data is on disk."""
        self.end_clients()
        server = self.pid()
        if server == 0:  # for os.kill, 0 is the process group
            raise AssertionError(f"{self.name} is not running:\n{self.log()[-3000:]}")
        os.kill(server, self.shut_down_signal)
        deadline = time.monotonic() + START_S
        while is_running(server):
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.name} does not end:\n{self.log()[-3000:]}")
            time.sleep(0.02)

    def children(self):
        """Processes of the server, by id."""
        try:
            text = Path(f"/proc/{self.pid()}/task/{self.pid()}/children").read_text()
        except OSError:
            return []
        return [int(pid) for pid in text.split()]

    def client(self, sql, is_quiet=False, **how):
        """Runs statements; rows as lines with tabs between the values. None where it fails and `is_quiet`."""
        ran = subprocess.run(self.client_command(**how), input=sql.encode(), cwd=self.folder, env=plain_environment(self.folder),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        if ran.returncode != 0:
            if is_quiet:
                return None
            raise AssertionError(f"{self.name}: {ran.stderr.decode(errors='replace')[:2000]}\nof {sql[:500]}")
        return ran.stdout.decode(errors="replace")

    def ask(self, sql, database):
        """The same as the owner, over a client that stays: for statements that are asked often and do not fail."""
        admin = self.admin.get(database)
        if admin is None:
            admin = self.admin[database] = self.open_client(database=database)
        admin.stdin.write(f"{sql}\nSELECT '{END_MARK}';\n".encode())
        admin.stdin.flush()
        lines = []
        while (line := admin.stdout.readline().decode(errors="replace")) != f"{END_MARK}\n":
            if not line:
                raise AssertionError(f"{self.name}: the client ended at {sql[:500]}")
            lines.append(line)
        return "".join(lines)

    def open_client(self, **how):
        """A client that stays: for sessions that an attack may not end."""
        return subprocess.Popen(self.client_command(**how), cwd=self.folder, env=plain_environment(self.folder),
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                preexec_fn=dies_with_parent(signal.SIGKILL))


class Postgres(Server):
    name = "postgresql"
    owner = "kg_owner"
    system_database = "template1"
    port = 5432
    end_signal = signal.SIGQUIT  # its children end with it
    shut_down_signal = signal.SIGINT  # without waiting for clients

    LEFT_BEHIND = """
SELECT format('DROP DATABASE %I WITH (FORCE);', datname) FROM pg_database WHERE NOT datistemplate;
SELECT format('DROP OWNED BY %1$I; DROP ROLE %1$I;', rolname) FROM pg_roles WHERE rolname !~ '^pg_' AND rolname <> current_user;
SELECT 'ALTER SYSTEM RESET ALL; ALTER ROLE CURRENT_USER RESET ALL; CREATE DATABASE postgres TEMPLATE template0;';
"""

    def __init__(self, place, is_own=False, folder=None):
        self.initdb = find_program("initdb")
        self.server = find_program("postgres")
        self.psql = find_program("psql")
        self.identity = unprivileged("postgres")
        super().__init__(place, is_own, folder)
        self.socket = self.folder
        self.pid_path = self.data / "postmaster.pid"
        self.lock_paths = (self.pid_path, self.folder / f".s.PGSQL.{self.port}.lock")
        self.rules = self.data / "pg_hba.conf"

    def make(self):
        self.run_tool([self.initdb, "-D", self.data, "-U", self.owner, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"])
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\nfsync = off\nautovacuum = off\n"
                       "synchronous_commit = off\nfull_page_writes = off\nshared_buffers = 32MB\nmax_connections = 40\nmax_wal_size = 128MB\ntimezone = 'UTC'\n"
                       "log_min_messages = warning\nlogging_collector = off\n")

    def prepare(self):
        self.rules.write_text("local all all trust\n")
        self.client("CREATE ROLE postgres SUPERUSER LOGIN; SELECT pg_reload_conf()")

    def command(self):
        return [self.server, "-D", self.data]

    def client_command(self, user=None, database="postgres"):
        return [self.psql, "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-U", user or self.owner,
                "-d", database]

    def uri(self, database, user=None):
        return f"postgresql://{user or self.owner}@{quote(str(self.folder), safe='')}/{database}"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class MariaDb(Server):
    name = "mysql"
    owner = "root"
    system_database = "mysql"
    shut_down_signal = signal.SIGTERM

    LEFT_BEHIND = """
SELECT CONCAT('DROP DATABASE `', REPLACE(schema_name, '`', '``'), '`;') FROM information_schema.schemata
  WHERE schema_name NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys');
SELECT CONCAT('DROP ROLE ', QUOTE(user), ';') FROM mysql.user WHERE is_role = 'Y' AND user <> 'PUBLIC';
SELECT CONCAT('DROP USER ', QUOTE(user), '@', QUOTE(host), ';') FROM mysql.user
  WHERE is_role = 'N' AND NOT (host = 'localhost' AND user IN ('root', 'mysql', 'mariadb.sys'));
"""

    def __init__(self, place, is_own=False, folder=None):
        self.install = find_program("mariadb-install-db", "mysql_install_db")
        self.server = find_program("mariadbd", "mysqld")
        self.mariadb = find_program("mariadb", "mysql")
        self.identity = unprivileged("mysql")
        super().__init__(place, is_own, folder)
        self.socket = self.folder / "socket"
        self.temporary = self.folder / "tmp"
        self.pid_path = self.folder / "pid"
        self.lock_paths = (self.pid_path,)
        self.port_path = self.folder / "port"

    @property
    def port(self):
        return int(self.port_path.read_text())

    def make(self):
        # Temporary tables of servers that start at once have the same names: each needs a folder of its own.
        self.temporary.mkdir()
        self.temporary.chmod(0o777)
        self.run_tool([self.install, "--no-defaults", f"--datadir={self.data}", f"--tmpdir={self.temporary}",
                       "--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-flush-log-at-trx-commit=0"])
        self.port_path.write_text(str(free_port()))

    def prepare(self):
        self.client("DELETE FROM mysql.global_priv WHERE user = 'root' AND host <> 'localhost'; FLUSH PRIVILEGES")

    def command(self):
        return [self.server, "--no-defaults", f"--datadir={self.data}", f"--tmpdir={self.temporary}", f"--socket={self.socket}",
                f"--pid-file={self.pid_path}", "--bind-address=127.0.0.1", f"--port={self.port}", "--skip-name-resolve",
                "--innodb-flush-log-at-trx-commit=0",
                "--innodb-buffer-pool-size=64M", "--skip-log-bin",
                "--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci", "--default-time-zone=+00:00",
                "--performance-schema=OFF", "--secure-file-priv=", "--local-infile=1"]

    def client_command(self, user=None, database=""):
        return [self.mariadb, "--no-defaults", "--batch", "--skip-column-names", "--unbuffered", f"--socket={self.socket}",
                "--default-character-set=utf8mb4", f"--user={user or self.owner}", *([database] if database else [])]

    def uri(self, database, user=None):
        return f"mysql://{user or self.owner}@localhost/{database}?socket={quote(str(self.socket), safe='/')}"


def shared_folder():
    """The folder of the shared data. Raises MissingData."""
    data = test_data.shared_path("data")
    if data is None:
        raise MissingData(test_data.missing("data"))
    return data.parent


KINDS = {kind.name: kind for kind in (Postgres, MariaDb)}


def made_in(folder, kind):
    """A new server that outlives this process."""
    server = kind(None, folder=folder / kind.name)
    Place(path=folder).folder(kind.name, server.identity)
    server.create()
    return server


def start(name, folder, pid):
    if SHARED in os.environ:
        server = KINDS[name](None)
        server.empty()
    else:
        server = made_in(folder, KINDS[name])
    print(f"socket={server.socket}\nport={server.port}\npid={server.pid()}\ndata={server.data}", flush=True)
    if SHARED not in os.environ:
        end_with(pid, folder)


def placed(name, folder):
    return KINDS[name](None) if SHARED in os.environ else KINDS[name](None, folder=folder / name)


def restart(server):
    server.shut_down()
    server.start()
    print("restarted")


def stop(name, folder):
    if SHARED not in os.environ:
        placed(name, folder).kill()
        shutil.rmtree(folder / name, ignore_errors=True)


def serve(folder):
    """One server of each kind that is installed, until the caller or `end` ends."""
    end(folder)
    for kind in KINDS.values():
        try:
            made_in(folder, kind)
        except Missing as missing:
            print(f"note: {missing}", flush=True)
    end_with(os.getppid(), folder)


def end_with(pid, folder):
    """Ends the servers in a folder with a process, from a process that stays in the background."""
    if os.fork() > 0:
        return
    os.setsid()
    for stream in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    while is_running(pid) and folder.exists():
        time.sleep(0.5)
    end(folder)


def end(folder):
    for kind in KINDS.values():
        if not (folder / kind.name).exists():
            continue
        try:
            kind(None, folder=folder / kind.name).kill()
        except Missing:
            pass
    shutil.rmtree(folder, ignore_errors=True)


def main():
    try:
        match sys.argv[1:]:
            case ["start", name, folder, pid] if name in KINDS and pid.isdigit():
                start(name, Path(folder).resolve(), int(pid))
            case ["restart", name, folder] if name in KINDS:
                restart(placed(name, Path(folder).resolve()))
            case ["stop", name, folder] if name in KINDS:
                stop(name, Path(folder).resolve())
            case ["serve", folder]:
                serve(Path(folder).resolve())
            case ["end", folder]:
                end(Path(folder).resolve())
            case _:
                sys.exit(__doc__)
    except Missing as missing:
        print(f"databases: {missing}", file=sys.stderr)
        sys.exit(SKIPPED)


if __name__ == "__main__":
    main()
