"""What the tests of the endpoint share: a running `helve serve`, and N-Triples as Python values."""

import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import server_testing  # noqa: E402
from server_testing import END_S, REPOSITORY  # noqa: E402
from test_data import missing, shared_path  # noqa: E402

PROGRAM = None


def environment():
    return {"HOME": "/nonexistent", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "HELVE_CACHE": "off",
            **server_testing.sanitizer_options()}


def program():
    return sys.modules["served"].PROGRAM


def run_helve(*arguments, text=None):
    """What a command writes; a command that fails is a failure."""
    done = subprocess.run(
        [program(), *map(str, arguments)], input=text, capture_output=True, env=environment(), timeout=END_S, check=False
    )
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr.decode(errors='replace')}")
    return done.stdout


class Server:
    """A running `helve serve`. Ends with SIGTERM and exit status 0, or that is a failure."""

    def __init__(self, *arguments, env=None, port=0):
        self.stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [program(), "serve", "--http", f"127.0.0.1:{port}", *map(str, arguments)],
            env={**environment(), **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            start_new_session=True,
        )
        line = self.process.stdout.readline().decode()
        found = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)/sparql\n", line)
        if not found:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the server says {line!r}:\n{self.said()}")
        self.port = int(found[1])

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.finish()
        else:
            self.process.kill()
            self.process.wait()
            sys.stderr.write(f"--- standard error of the server\n{self.said()}\n")

    def said(self):
        return os.pread(self.stderr.fileno(), 1 << 20, 0).decode(errors="replace")

    def stop(self, wait_s=END_S):
        """The exit status after SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(wait_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the server did not end within {wait_s} s") from None

    def finish(self):
        status = self.stop()
        said = self.said()
        self.process.stdout.close()
        self.stderr.close()
        if status != 0 or server_testing.has_report(said.encode()):
            raise AssertionError(f"exit status {status}:\n{said[-8000:]}")

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=END_S)

    def ask(self, method, target, body=None, headers=None):
        """The response, and its body."""
        connection = self.connect()
        try:
            connection.request(method, target, body=body, headers=headers or {})
            response = connection.getresponse()
            return response, response.read()
        finally:
            connection.close()

    def query(self, text, headers=None, parameters=""):
        return self.ask(
            "POST", "/sparql" + parameters, text.encode(), {"Content-Type": "application/sparql-query", **(headers or {})}
        )

    def memory_bytes(self):
        return server_testing.memory_bytes(self.process)


STATEMENT = re.compile(r'(<[^>]*>|_:\S+) <([^>]*)> (<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"\S*) \.')
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "b": "\b", "f": "\f"}


def value_of(term):
    """The IRI, the label of a blank node with its "_:", or the text of a literal."""
    if term.startswith("<"):
        return term[1:-1]
    if term.startswith("_:"):
        return term
    text = term[1 : term.rindex('"')]
    text = re.sub(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})", lambda m: chr(int(m[1] or m[2], 16)), text)
    return re.sub(r"\\(.)", lambda m: ESCAPES[m[1]], text)


class Graph:
    """Statements of N-Triples, looked up by subject and predicate."""

    def __init__(self, ntriples):
        self.statements = []
        for line in ntriples.decode().splitlines():
            if not line or line.startswith("#"):
                continue
            found = STATEMENT.fullmatch(line)
            if not found:
                raise AssertionError(f"not a statement: {line}")
            self.statements.append((value_of(found[1]), found[2], value_of(found[3])))

    def all(self, subject, predicate):
        return [o for s, p, o in self.statements if s == subject and p == predicate]

    def one(self, subject, predicate):
        found = self.all(subject, predicate)
        return found[0] if found else None

    def subjects(self, predicate, value):
        return [s for s, p, o in self.statements if p == predicate and o == value]

    def items(self, head):
        """Of an RDF list."""
        rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        while head and head != rdf + "nil":
            yield self.one(head, rdf + "first")
            head = self.one(head, rdf + "rest")


def w3c_suite(test, name):
    """The manifest of a suite; the test is skipped if it is not there."""
    path = f"data/w3c/sparql/sparql11/{name}/manifest.ttl"
    return shared_path(path) or test.skipTest(missing(path))


def run_tests():
    server_testing.run_tests("served")
