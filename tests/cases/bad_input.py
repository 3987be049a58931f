#!/usr/bin/env python3
"""Large, endless, locked and otherwise unusual input: a clear error, no crash, bounded memory.

Small ones are in cli/bad_input.case. HELVE_PROGRAM names the program; HELVE_SANITIZE says that it
is built with sanitizers and may use more memory.
"""

import functools
import gzip
import os
import random
import subprocess
import unittest

import helve_program
from helve_program import WorkDirectory

MIB = 1 << 20
PEAK_MAX = (1200 if helve_program.is_sanitized() else 400) * MIB
PREFIX = b"@prefix ex: <http://example.org/> .\n"
RDF_OPEN = (
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    b' xmlns:ex="http://example.org/">'
)
NOBODY = 65534
open_gzip = functools.partial(gzip.open, compresslevel=1)  # a bomb at any level


def write_repeated(path, start, piece, count, end, open_file=open):
    """start, piece * count, end; in portions, for this process must stay small."""
    portion = max(1, MIB // len(piece))
    with open_file(path, "wb") as file:
        file.write(start)
        while count > 0:
            file.write(piece * min(portion, count))
            count -= portion
        file.write(end)


class BadInput(unittest.TestCase):
    def setUp(self):
        work = WorkDirectory()
        self.directory = work.__enter__()
        self.addCleanup(work.__exit__)

    def helve(self, *arguments, **options):
        command = [helve_program.program_path(), "--color", "never", *map(str, arguments)]
        return helve_program.run(command, self.directory, **options)

    def expect(self, outcome, status, *texts):
        self.assertEqual(outcome.status, status, outcome.describe())
        message = outcome.stderr.decode(errors="backslashreplace")
        for text in texts:
            self.assertIn(text, message)
        self.assertLess(len(message), 20_000, "an error must be short enough to be read")
        self.assertNotIn("Sanitizer", message)
        self.assertLess(outcome.peak_bytes, PEAK_MAX, outcome.describe())

    def make(self, name, start, piece, count, end=b""):
        write_repeated(self.directory / name, start, piece, count, end)
        return name

    # One line of 100 MB.

    def test_one_ntriples_literal(self):
        self.make("a.nt", b'<http://e/a> <http://e/p> "', b"x" * 1000, 100_000, b'" .\n')
        self.expect(self.helve("info", "a.nt"), 5, "a.nt:1:", "bytes")
        with open(self.directory / "a.nt", "rb") as file:
            self.expect(self.helve("info", "-", stdin=file), 5, "standard input:1:", "bytes")

    def test_one_ntriples_comment(self):
        self.make("a.nt", b"#", b"x" * 1000, 100_000, b"\n<http://e/a> <http://e/p> <http://e/b> .\n")
        outcome = self.helve("convert", "-q", "a.nt")
        self.assertIn(outcome.status, (0, 5), outcome.describe())
        self.expect(outcome, outcome.status)

    def test_one_turtle_literal(self):
        self.make("a.ttl", PREFIX + b'ex:a ex:p "', b"x" * 1000, 100_000, b'" .\n')
        self.expect(self.helve("info", "a.ttl"), 5, "a.ttl:2:")

    def test_one_turtle_iri(self):
        self.make("a.ttl", PREFIX + b"ex:a ex:p <http://e/", b"x" * 1000, 100_000, b"> .\n")
        self.expect(self.helve("info", "a.ttl"), 5, "a.ttl:2:")

    def test_turtle_without_line_ends_is_fine(self):
        statement = b'ex:a ex:p "%s" . ' % (b"x" * 10_000)
        self.make("a.ttl", PREFIX[:-1], statement, 10_000)
        outcome = self.helve("convert", "a.ttl", "--to", "ntriples", stdout=subprocess.DEVNULL)
        self.expect(outcome, 0, "10,000 statements")
        with open(self.directory / "a.ttl", "rb") as file:
            self.expect(self.helve("info", "-", stdin=file), 0, "10,000 statements")

    def test_rdfxml_without_line_ends_is_fine(self):
        element = b'<rdf:Description rdf:about="http://e/a" ex:p="%s"/>' % (b"x" * 10_000)
        self.make("a.rdf", RDF_OPEN, element, 10_000, b"</rdf:RDF>")
        outcome = self.helve("convert", "a.rdf", "--to", "ntriples", stdout=subprocess.DEVNULL)
        self.expect(outcome, 0, "10,000 statements")

    def test_one_rdfxml_text(self):
        start = RDF_OPEN + b'<rdf:Description rdf:about="http://e/a"><ex:p>'
        self.make("a.rdf", start, b"x" * 1000, 100_000, b"</ex:p></rdf:Description></rdf:RDF>")
        self.expect(self.helve("info", "a.rdf"), 5, "a.rdf:1:")

    def test_one_rdfxml_attribute(self):
        start = RDF_OPEN + b'<rdf:Description rdf:about="http://e/a" ex:p="'
        self.make("a.rdf", start, b"x" * 1000, 100_000, b'"/></rdf:RDF>')
        self.expect(self.helve("info", "a.rdf"), 5, "a.rdf", "one tag")

    # Nested 100,000 deep.

    def test_deep_brackets(self):
        self.make("a.ttl", PREFIX + b"ex:a ex:p ", b"[ ex:p ", 100_000)
        self.expect(self.helve("info", "a.ttl"), 5, "a.ttl:2:7011:", "nested more than 1000 deep")

    def test_deep_collections(self):
        self.make("a.ttl", PREFIX + b"ex:a ex:p ", b"( ", 100_000)
        self.expect(self.helve("info", "a.ttl"), 5, "a.ttl:2:2011:", "nested more than 1000 deep")

    def test_deep_mixture_in_trig(self):
        self.make("a.trig", PREFIX + b"ex:g { ex:a ex:p ", b"( [ ex:p ", 100_000)
        self.expect(self.helve("info", "a.trig"), 5, "a.trig:2:", "nested more than 1000 deep")

    def test_deep_elements(self):
        self.make("a.rdf", RDF_OPEN, b"<rdf:Description><ex:p>", 100_000)
        self.expect(self.helve("info", "a.rdf"), 5, "a.rdf:1:", "nested more than 1000 deep")

    def test_deep_xml_literal(self):
        start = RDF_OPEN + b'<rdf:Description><ex:p rdf:parseType="Literal">'
        self.make("a.rdf", start, b"<b>", 100_000)
        self.expect(self.helve("info", "a.rdf"), 5, "a.rdf:1:", "nested more than 1000 deep")

    def test_deep_json_is_no_rdf(self):
        self.make("a.json", b"", b"[", 100_000)
        outcome = self.helve("info", "a.json")
        self.assertIn(outcome.status, (2, 5), outcome.describe())

    def test_a_long_chain_is_written_without_deep_nesting(self):
        with open(self.directory / "a.nt", "wb") as file:
            for i in range(50_000):
                file.write(b"_:n%d <http://e/p> _:n%d .\n" % (i, i + 1))
        outcome = self.helve("convert", "a.nt", "-o", "a.ttl")
        self.expect(outcome, 0, "50,000 statements")
        self.expect(self.helve("convert", "a.ttl", "-o", "b.nt"), 0, "50,000 statements")

    # Packed bombs.

    def test_packed_zeros(self):
        write_repeated(self.directory / "a.ttl.gz", b"", b"\0" * MIB, 200, b"", open_gzip)
        self.expect(self.helve("info", "a.ttl.gz"), 2, "binary data")
        self.expect(self.helve("info", "a.ttl.gz", "--from", "nt"), 5, "a.ttl.gz:1:")

    def test_packed_space(self):
        write_repeated(self.directory / "a.ttl.gz", b"", b" " * MIB, 200, b"", open_gzip)
        self.expect(self.helve("info", "a.ttl.gz"), 0, "0 statements")

    def test_packed_literal(self):
        path = self.directory / "a.ttl.gz"
        write_repeated(path, PREFIX + b'ex:a ex:p "', b"x" * MIB, 200, b'" .', open_gzip)
        self.expect(self.helve("info", "a.ttl.gz"), 5, "a.ttl.gz:2:")

    # Input without an end.

    def test_endless_zeros(self):
        self.expect(self.helve("info", "/dev/zero"), 2, "/dev/zero does not look like RDF")
        outcome = self.helve("info", "/dev/zero", "--from", "turtle")
        self.expect(outcome, 2, "/dev/zero:1:1:")

    def endless(self, text, *arguments):
        with subprocess.Popen(["yes", text], stdout=subprocess.PIPE) as source:
            outcome = self.helve(*arguments, "-", stdin=source.stdout)
            source.stdout.close()
            source.kill()
        return outcome

    def test_endless_lines(self):
        outcome = self.endless("<http://e/a> <http://e/p> \"x", "info", "--from", "nt")
        self.expect(outcome, 2, "standard input:1:")

    def test_endless_string(self):
        outcome = self.endless("x", "info", "--from", "turtle")
        self.expect(outcome, 2, "standard input:1:1")
        with subprocess.Popen(
            ["sh", "-c", "printf '<http://e/a> <http://e/p> \"\"\"'; yes"], stdout=subprocess.PIPE,
            start_new_session=True,
        ) as source:
            outcome = self.helve("info", "-", stdin=source.stdout)
            helve_program.kill_group(source.pid)
        self.expect(outcome, 5, "standard input:1:")

    def test_endless_statements_meet_the_memory_limit(self):
        with subprocess.Popen(
            ["sh", "-c", "seq -f '<http://example.org/%.0f> <http://example.org/p> \"1\" .' 1e9"],
            stdout=subprocess.PIPE, start_new_session=True,
        ) as source:
            outcome = self.helve("--memory", "64M", "info", "-", stdin=source.stdout)
            helve_program.kill_group(source.pid)
        self.expect(outcome, 5, "memory budget of 64 MiB")

    # Files of other kinds.

    def test_fifo(self):
        os.mkfifo(self.directory / "a.ttl")
        with subprocess.Popen(
            ["sh", "-c", "printf '<http://e/a> <http://e/p> 1 .' >a.ttl"], cwd=self.directory
        ):
            self.expect(self.helve("info", "a.ttl"), 0, "1 statement")

    def test_socket(self):
        import socket

        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(self.directory / "a.ttl"))
            self.expect(self.helve("info", "a.ttl"), 6, "a.ttl")

    def as_nobody(self, *arguments, **options):
        """The outcome as a user without rights, root or not."""
        options |= {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        try:
            return self.helve(*arguments, **options)
        except PermissionError:
            self.skipTest("an unprivileged user may not run the program where it was built")

    def test_no_permission_to_read(self):
        (self.directory / "a.ttl").write_bytes(PREFIX)
        (self.directory / "a.ttl").chmod(0)
        self.expect(self.as_nobody("info", "a.ttl"), 4, "a.ttl", "check the permissions")

    def test_no_permission_to_enter(self):
        (self.directory / "locked").mkdir()
        (self.directory / "locked" / "a.ttl").write_bytes(PREFIX)
        (self.directory / "locked").chmod(0)
        self.expect(self.as_nobody("info", "locked/a.ttl"), 4, "a.ttl", "check the permissions")

    def test_no_permission_to_look_into_an_index(self):
        (self.directory / "a.nt").write_bytes(b'<http://e/a> <http://e/p> "1" .\n')
        self.expect(self.helve("load", "a.nt", "-o", "index"), 0)
        for mode, locked in ((0o600, "index"), (0, "index/helve-index")):
            (self.directory / locked).chmod(mode)
            for call in (
                ("query", "index", "ASK {}"),
                ("info", "index"),
                ("convert", "index"),
                ("index", "info", "index"),
                ("index", "verify", "index"),
            ):
                outcome = self.as_nobody(*call)
                self.expect(outcome, 4, "index/helve-index", "check the permissions")
            (self.directory / locked).chmod(0o755)

    def test_no_permission_to_look_into_the_cache(self):
        (self.directory / "cache").mkdir()
        (self.directory / "cache" / "snapshots").mkdir()
        cache = {"HELVE_CACHE": "1", "HELVE_CACHE_DIR": "cache"}
        environment = helve_program.fixed_environment(self.directory) | cache
        for locked in ("cache/snapshots", "cache"):
            (self.directory / locked).chmod(0)
            for command in ("info", "clear"):
                outcome = self.as_nobody("cache", command, env=environment)
                self.expect(outcome, 4, locked, "check the permissions")

    def test_no_permission_to_write(self):
        (self.directory / "a.ttl").write_bytes(PREFIX)
        (self.directory / "locked").mkdir()
        (self.directory / "locked").chmod(0o555)
        outcome = self.as_nobody("convert", "a.ttl", "-o", "locked/a.nt")
        self.expect(outcome, 4, "'locked/a.nt'", "check the permissions")
        self.assertEqual(os.listdir(self.directory / "locked"), [])

    def test_a_full_disk_leaves_nothing_behind(self):
        self.make("a.nt", b"", b'<http://e/a> <http://e/p> "%s" .\n' % (b"x" * 1000), 1000)
        (self.directory / "b.nt").write_bytes(b"old")
        limit = helve_program.limit_files(100_000)
        outcome = self.helve("convert", "a.nt", "-o", "b.nt", preexec_fn=limit)
        self.expect(outcome, 6, "cannot write 'b.nt'")
        self.assertEqual((self.directory / "b.nt").read_bytes(), b"old")
        self.assertEqual(sorted(os.listdir(self.directory)), ["a.nt", "b.nt"])

    # Noise.

    def test_noise_in_every_format(self):
        (self.directory / "noise").write_bytes(random.Random(1).randbytes(2 * MIB))
        for name in ("ntriples", "nquads", "turtle", "trig", "rdfxml"):
            with self.subTest(format=name):
                self.expect(self.helve("info", "noise", "--from", name), 2, "noise:1:")

    def test_noise_read_leniently(self):
        (self.directory / "noise").write_bytes(random.Random(2).randbytes(2 * MIB))
        for name in ("ntriples", "nquads", "turtle", "trig"):
            with self.subTest(format=name):
                outcome = self.helve("info", "noise", "--from", name, "--lenient")
                self.expect(outcome, 0, "skipped")

    def test_punctuation_read_leniently(self):
        signs = random.Random(3).choices(b"<>\"'[](){}.;,@:_#\\\n ax", k=2 * MIB)
        (self.directory / "signs").write_bytes(bytes(signs))
        for name in ("ntriples", "nquads", "turtle", "trig"):
            with self.subTest(format=name):
                outcome = self.helve("info", "signs", "--from", name, "--lenient")
                self.expect(outcome, 0, "skipped")

    def test_too_many_prefixes(self):
        with open(self.directory / "a.ttl", "wb") as file:
            for i in range(100_001):
                file.write(b"@prefix p%d: <http://e/%d/> .\n" % (i, i))
        self.expect(self.helve("info", "a.ttl"), 5, "prefixes")

    def test_one_prefix_declared_often(self):
        self.make("a.ttl", b"", PREFIX + b"ex:a ex:p 1 .\n", 100_000)
        self.expect(self.helve("info", "a.ttl"), 0, "100,000 statements")

    def test_many_namespaces_of_one_use(self):
        with open(self.directory / "a.nt", "wb") as file:
            for i in range(50_000):
                file.write(b"<http://e/%d/a> <http://p%d/> <http://o%d#x> .\n" % (i, i, i))
        self.expect(self.helve("info", "a.nt"), 0, "50,000 statements")


if __name__ == "__main__":
    helve_program.run_tests()
