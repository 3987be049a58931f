"""Private database servers for tests: PostgreSQL and MariaDB in a temporary folder, on a unix socket, never as root.

Each ends with the process that started it, however that ends. Neighbours: fixtures.py fills them, product.py asks them
through `helve`.
"""

import ctypes
import glob
import os
import pwd
import shutil
import signal
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

    def __init__(self, prefix="helve-sql-"):
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
        self.path.chmod(0o755)
        self.scratch = self.path / "scratch"
        self.scratch.mkdir()
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


class Server:
    """What both servers share: a process in a folder of its own, its log, its client program."""

    name = ""
    end_signal = signal.SIGKILL

    def __init__(self, place):
        self.place = place
        self.folder = place.folder(self.name, self.identity)
        self.data = self.folder / "data"
        self.log_path = self.folder / "log"
        self.process = None
        self.admin = {}  # by database: a client of the owner that stays

    def __enter__(self):
        self.make()
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_):
        self.kill()

    def run_tool(self, command):
        ran = subprocess.run(command, **self.identity, cwd=self.folder, env=plain_environment(self.folder), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=START_S)
        if ran.returncode != 0:
            raise AssertionError(f"{command[0]} failed:\n{ran.stdout.decode(errors='replace')[-3000:]}")

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), **self.identity, cwd=self.folder, env=plain_environment(self.folder), stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True, preexec_fn=dies_with_parent(self.end_signal))
        deadline = time.monotonic() + START_S
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"{self.name} does not start:\n{self.log()[-3000:]}")
            time.sleep(0.05)

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def is_ready(self):
        return self.client("SELECT 1", is_quiet=True) is not None

    def kill(self):
        """At once, without a word to its clients."""
        for admin in self.admin.values():
            end_client(admin)
        self.admin = {}
        if self.process is None:
            return
        for pid in [self.process.pid, *self.children()]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        self.process = None

    def restart(self):
        self.kill()
        time.sleep(0.2)  # shared memory of the children that were killed
        self.start()

    def children(self):
        """Processes of the server, by id."""
        try:
            text = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
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
    end_signal = signal.SIGQUIT  # its children end with it

    def __init__(self, place):
        self.initdb = find_program("initdb")
        self.server = find_program("postgres")
        self.psql = find_program("psql")
        self.identity = unprivileged("postgres")
        super().__init__(place)

    def make(self):
        self.run_tool([self.initdb, "-D", self.data, "-U", self.owner, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\nfsync = off\nautovacuum = off\n"
                       "full_page_writes = off\nshared_buffers = 32MB\nmax_connections = 40\nmax_wal_size = 128MB\ntimezone = 'UTC'\n"
                       "log_min_messages = warning\nlogging_collector = off\n")

    def command(self):
        return [self.server, "-D", self.data]

    def client_command(self, user=None, database="postgres"):
        return [self.psql, "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-U", user or self.owner,
                "-d", database]

    def uri(self, database, user=None):
        return f"postgresql://{user or self.owner}@{quote(str(self.folder), safe='')}/{database}"


class MariaDb(Server):
    name = "mysql"
    owner = "root"

    def __init__(self, place):
        self.install = find_program("mariadb-install-db", "mysql_install_db")
        self.server = find_program("mariadbd", "mysqld")
        self.mariadb = find_program("mariadb", "mysql")
        self.identity = unprivileged("mysql")
        super().__init__(place)
        self.socket = self.folder / "socket"
        self.temporary = self.folder / "tmp"

    def make(self):
        # Temporary tables of servers that start at once have the same names: each needs a folder of its own.
        self.temporary.mkdir()
        self.temporary.chmod(0o777)
        self.run_tool([self.install, "--no-defaults", f"--datadir={self.data}", f"--tmpdir={self.temporary}",
                       "--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-flush-log-at-trx-commit=0"])

    def command(self):
        return [self.server, "--no-defaults", f"--datadir={self.data}", f"--tmpdir={self.temporary}", f"--socket={self.socket}",
                f"--pid-file={self.folder}/pid", "--skip-networking", "--innodb-flush-log-at-trx-commit=0",
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
