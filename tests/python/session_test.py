#!/usr/bin/env python3
"""Sessions, handles, policies, errors; threads, interrupts, forks and circles."""

import copy
import gc
import json
import multiprocessing
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import weakref
from pathlib import Path

import helve

PLANETS = "SELECT ?p ?m { ?p a sol:TerrestrialPlanet ; sol:mass ?m } ORDER BY ?p"
ALL = "SELECT ?s ?p ?o { ?s ?p ?o }"
# Rows without end for practical purposes; few enough statements to be refused by nobody.
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?c < ?l) }"


class HandlesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.session = helve.open("sample:")

    @classmethod
    def tearDownClass(cls):
        cls.session.close()

    def test_rows_are_values(self):
        handle = self.session.query(PLANETS)
        self.assertEqual(len(handle), 4)
        self.assertEqual(handle.columns, ["p", "m"])
        self.assertEqual(handle.rows(0, 1), [{"p": "https://helve.example/solar/body/Earth", "m": 5.97237e24}])
        self.assertEqual(handle.rows(3)[0]["p"], "https://helve.example/solar/body/Venus")
        self.assertEqual(handle.rows(4), [])
        self.assertEqual(handle.rows(columns=["m"])[1], {"m": 6.4171e23})
        self.assertEqual([row["m"] for row in handle], [row[1] for row in handle.tuples()])

    def test_terms_keep_kind_datatype_and_language(self):
        handle = self.session.query("""SELECT ?x { VALUES ?x {
            <http://e.org/a> "a" "b"@en 12345678901234567890123 true 1.5 "2020-01-01"^^xsd:date UNDEF } }""")
        values = [row[0] for row in handle.tuples()]
        self.assertEqual(values, ["http://e.org/a", "a", "b", 12345678901234567890123, True, 1.5, "2020-01-01", None])
        self.assertEqual([type(value) for value in values], [str, str, str, int, bool, float, str, type(None)])
        terms = [row["x"] for row in handle.rows(terms=True)]
        self.assertEqual([None if one is None else one.n3() for one in terms], [
            "<http://e.org/a>", '"a"', '"b"@en',
            '"12345678901234567890123"^^<http://www.w3.org/2001/XMLSchema#integer>',
            '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>',
            '"1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>',
            '"2020-01-01"^^<http://www.w3.org/2001/XMLSchema#date>', None])

    def test_pages_hold_all_rows_once(self):
        handle = self.session.query(ALL)
        for size in (700, 1_000, 4_000):
            pages = [len(page) for page in handle.pages(size)]
            self.assertEqual(sum(pages), len(handle))
            self.assertEqual(set(pages[:-1]), {size})
        self.assertEqual(len(set(handle.tuples(terms=True))), len(handle))
        self.assertEqual(len(handle.rows(10, 2_500)), 2_500)

    def test_wrong_ranges_are_refused(self):
        handle = self.session.query(PLANETS)
        for call in (lambda: handle.rows(-1), lambda: handle.rows(0, -1), lambda: list(handle.pages(0)),
                     lambda: handle.rows(10**30)):
            self.assertRaises(ValueError, call)
        for call in (lambda: handle.rows(1.5), lambda: handle.rows("a"), lambda: list(handle.pages(None)),
                     lambda: handle.rows(columns="m"), lambda: self.session.handle(None)):
            self.assertRaises(TypeError, call)
        self.assertRaises(helve.NotFound, self.session.handle("results_999").rows)
        self.assertRaises(helve.HelveError, handle.rows, columns=["nothing"])

    def test_ask_and_triples(self):
        self.assertIs(self.session.boolean("ASK { ?s ?p ?o }"), True)
        self.assertIs(self.session.boolean("ASK { <http://e.org/x> ?p ?o }"), False)
        triples = self.session.query("CONSTRUCT { ?s a sol:X } WHERE { ?s a sol:TerrestrialPlanet }")
        self.assertEqual(triples.columns, ["subject", "predicate", "object"])
        self.assertEqual(triples.dtype, "graph")
        self.assertEqual({row["object"] for row in triples.rows()}, {"https://helve.example/solar/X"})
        self.assertEqual(len(self.session.handle(triples.key)), 4)

    def test_a_result_without_rows_is_a_result(self):
        handle = self.session.query("SELECT ?x { ?x a sol:Nothing }")
        self.assertTrue(handle)
        self.assertEqual(len(handle), 0)
        self.assertEqual(handle.rows(), [])
        self.assertIn("<caption>", handle._repr_html_())

    def test_what_is_not_complete_is_told(self):
        with helve.open("sample:", policy=helve.SafetyPolicy(rows_stored_max=50)) as session:
            with self.assertRaisesRegex(helve.LimitExceeded, "not complete: the first 50 rows") as raised:
                session.query(ALL)
            self.assertEqual(len(raised.exception.result), 50)
            handle = session.query(ALL, partial=True)
            self.assertFalse(handle.complete)
            self.assertIn("not complete", repr(handle))
            self.assertIn("not complete", handle._repr_html_())
            self.assertFalse(session.sparql_query(ALL).handle.complete)
        self.assertTrue(self.session.query(PLANETS).complete)

    def test_why_there_are_no_rows(self):
        handle = self.session.query("SELECT ?m { ?m sol:orbit body:Saturn }")
        self.assertIn("sol:orbits", str(handle.diagnosis))
        self.assertIn("sol:orbit", repr(handle))
        self.assertIsNone(self.session.query("SELECT ?m { ?m sol:orbit body:Saturn }", diagnose=False).diagnosis)

    def test_numbers_of_a_column_are_of_one_type(self):
        handle = self.session.query("""SELECT ?x { VALUES ?x { 1.5 0.333333333333333333333333 9007199254740993.0
            "INF"^^xsd:double "-INF"^^xsd:float "NaN"^^xsd:double } }""")
        values = [row[0] for row in handle.tuples()]
        self.assertEqual({type(value) for value in values}, {float})
        self.assertEqual(values[:5], [1.5, 1 / 3, 9007199254740992.0, float("inf"), float("-inf")])
        self.assertNotEqual(values[5], values[5])

    def test_handles_of_other_sessions_are_refused(self):
        handle = self.session.query(PLANETS)
        with helve.open("sample:") as other:
            other.query(ALL)
            for given in (handle, self.session.sparql_query(PLANETS)):
                with self.assertRaisesRegex(helve.InvalidInput, "another session"):
                    other.sparql_slice(given)

    def test_html_is_escaped(self):
        handle = self.session.query('SELECT ?x { BIND("<script>alert(1)</script>" AS ?x) }')
        self.assertNotIn("<script>", handle._repr_html_())
        self.assertIn("&lt;script&gt;", handle._repr_html_())
        self.assertNotIn("<script>", self.session.sparql_query("<script>")._repr_html_())

    def test_missing_packages_name_the_command(self):
        code = ("import sys; sys.modules['pandas'] = sys.modules['pyarrow'] = None\n"
                "import helve\nhandle = helve.open('sample:').query('SELECT ?s { ?s ?p ?o } LIMIT 1')\n"
                "for name in ('to_pandas', 'to_arrow'):\n"
                "    try: getattr(handle, name)()\n"
                "    except ImportError as missing: print(missing)\n")
        printed = run_python(code)
        self.assertIn("pip install 'helve[pandas]'", printed)
        self.assertIn("pip install 'helve[arrow]'", printed)


class RepliesTest(unittest.TestCase):
    def setUp(self):
        self.session = helve.open("sample:")
        self.addCleanup(self.session.close)

    def test_a_reply_is_a_dict_and_a_text(self):
        reply = self.session.sparql_query(PLANETS, limit=2)
        self.assertEqual(reply["rows"], 4)
        self.assertEqual(len(reply["preview"]), 2)
        self.assertEqual(str(reply), reply.text)
        self.assertEqual(json.loads(json.dumps(reply)), dict(reply))
        self.assertEqual(reply.source, "sample")
        self.assertEqual(reply.handle.key, reply["key"])
        self.assertIs(reply.check(), reply)
        self.assertFalse(reply.is_error)

    def test_a_failure_is_a_reply_that_can_be_raised(self):
        reply = self.session.sparql_query("SELEC")
        self.assertTrue(reply.is_error)
        self.assertEqual(reply.code, "invalid_input")
        with self.assertRaises(helve.InvalidInput) as raised:
            reply.check()
        self.assertEqual(raised.exception.code, "invalid_input")
        self.assertIn("did you mean SELECT", raised.exception.hint)
        self.assertIsInstance(raised.exception, ValueError)
        self.assertRaises(helve.InvalidInput, self.session.query, "SELEC")

    def test_unknown_tools_are_told_with_the_nearest(self):
        reply = self.session.call("sparql_qery", query=PLANETS)
        self.assertEqual(reply.code, "not_found")
        self.assertIn("sparql_query", reply.text)
        with self.assertRaisesRegex(AttributeError, "sparql_qery"):
            self.session.sparql_qery
        self.assertIn("sparql_query", dir(self.session))

    def test_arguments_as_models_write_them(self):
        reply = self.session.call_with("sparql_query", json.dumps({"query": PLANETS, "limit": 1}))
        self.assertEqual(reply.check()["rows"], 4)
        self.assertEqual(self.session.call_with("sparql_query", "{query:").code, "invalid_input")

    def test_texts_have_marks_for_models_unless_told_otherwise(self):
        self.assertIn("<data ", self.session.sparql_query(PLANETS).text)
        with helve.open("sample:", mark_data=False) as plain:
            self.assertNotIn("<data ", plain.sparql_query(PLANETS).text)

    def test_replies_can_be_copied_and_sent(self):
        reply = self.session.sparql_query(PLANETS)
        copied, sent = copy.deepcopy(reply), pickle.loads(pickle.dumps(reply))
        self.assertEqual((copied, copied.text, copied.handle), (reply, reply.text, reply.handle))
        self.assertEqual((sent, sent.text, sent.handle), (reply, reply.text, None))
        for kept in (self.session, reply.handle):
            with self.assertRaisesRegex(TypeError, "cannot be copied or pickled"):
                pickle.dumps(kept)

    def test_odd_arguments(self):
        with self.assertRaisesRegex(helve.InvalidInput, "half a character"):
            self.session.sparql_query("\ud800")
        for value in (float("nan"), float("inf")):
            with self.assertRaisesRegex(helve.InvalidInput, "argument cannot be used"):
                self.session.sparql_query(PLANETS, limit=value)
        for call in (lambda: self.session.call(None), lambda: self.session.call_with("sparql_query", 5),
                     lambda: self.session.call_with("sparql_query", {}, timeout="x"),
                     lambda: self.session.call_with("sparql_query", {}, cancel=5), lambda: self.session.query(None)):
            self.assertRaises(TypeError, call)
        for timeout in (0, -1, float("nan")):
            self.assertRaises(ValueError, self.session.query, PLANETS, timeout=timeout)
        self.assertEqual(self.session.call("\ud800").code, "not_found")
        self.assertEqual(self.session.call_with("sparql_query", "\ud800").code, "invalid_input")

    def test_leakage_is_counted(self):
        self.session.sparql_query(ALL)
        leakage = self.session.leakage()
        self.assertEqual(leakage["tools"]["sparql_query"]["calls"], 1)
        self.assertGreater(leakage["total"]["stored_chars"], leakage["total"]["reply_chars"])


class OpeningTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def test_files_lists_names_and_mappings(self):
        one = self.file("one.ttl", "<http://e.org/a> <http://e.org/p> 1 .")
        two = self.file("two.ttl", "<http://e.org/b> <http://e.org/p> 2 .")
        with helve.open([one, two]) as both:
            self.assertEqual(len(both.query(ALL)), 2)
        with helve.open(one, f"second={two}", {"third": str(two)}, helve.connect(one, name="fourth")) as several:
            self.assertEqual(several.sources, ["one", "second", "third", "fourth"])
            self.assertEqual(several.query(ALL, source="third").rows()[0]["o"], 2)

    def test_what_cannot_be_opened_is_told(self):
        wrong = self.file("wrong.ttl", "<http://e.org/a> <http://e.org/p> \n ?x .")
        with self.assertRaisesRegex(helve.InvalidInput, r"wrong\.ttl:2:"):
            helve.open(wrong)
        self.assertRaises(helve.NotFound, helve.open, self.folder / "missing.ttl")
        self.assertRaises(helve.InvalidInput, helve.open, "gopher://x")
        self.assertRaises(helve.InvalidInput, helve.open, "sample:", "sample:")
        self.assertRaises(helve.InvalidInput, helve.open, [])
        with self.assertRaisesRegex(TypeError, "endpoint has no 'pasword'"):
            helve.connect("http://127.0.0.1:1/sparql", endpoint={"pasword": "x"})
        self.assertRaises(ValueError, helve.connect, "sample:", timeout=-1)
        for wrong in (None, 5, b"data.ttl", {"n": None}, {1: "sample:"}, [5]):
            with self.assertRaisesRegex(TypeError, "source"):
                helve.open(wrong)
        with self.assertRaisesRegex(TypeError, "helve.open"):
            helve.Session("sample:")
        with self.assertRaisesRegex(AttributeError, "did you mean sparql_query"):
            helve.open("sample:").sparql_qery

    def test_lenient_reading_leaves_out_what_cannot_be_read(self):
        mixed = self.file("mixed.nt", "<http://e.org/a> <http://e.org/p> <http://e.org/b> .\nno statement\n")
        self.assertRaises(helve.InvalidInput, helve.connect, mixed)
        self.assertEqual(len(helve.open(helve.connect(mixed, lenient=True)).query(ALL)), 1)

    def test_databases(self):
        path = self.folder / "shop.db"
        database = sqlite3.connect(path)
        database.executescript("CREATE TABLE t (x INTEGER, y TEXT); INSERT INTO t VALUES (1, 'a'), (2, NULL)")
        database.close()
        with helve.open(f"sqlite:{path}") as session:
            handle = session.sql("SELECT * FROM t ORDER BY x")
            self.assertEqual(handle.rows(), [{"x": 1, "y": "a"}, {"x": 2, "y": None}])
            self.assertEqual(session.sql("SELECT y FROM t WHERE x = ?", [1]).rows(), [{"y": "a"}])
            for params in ({"x": 1}, "1", b"1", 5):
                self.assertRaises(TypeError, session.sql, "SELECT ? AS x", params)
            self.assertRaises(helve.InvalidInput, session.sql, "SELECT ? AS x", [1 << 70])
            over = session.result_sql(f"SELECT SUM(x) AS n FROM {handle.key}").check()
            self.assertEqual(over.handle.rows(), [{"n": 3}])
            self.assertTrue(session.call("data_modify", "DELETE FROM t").is_error)
        policy = helve.SafetyPolicy(read_only=False, require_confirmation=False, audit=False)
        with helve.open(f"sqlite:{path}", policy=policy) as session:
            session.data_modify("INSERT INTO t VALUES (3, 'c')").check()
            self.assertEqual(len(session.sql("SELECT * FROM t")), 3)
        for name, text in (("p.json", '{"read_only": false, "require_confirmation": false, "audit": false}'),
                           ("p.toml", 'read_only = false\nrequire_confirmation = false\naudit = false\n')):
            with helve.open(f"sqlite:{path}", policy=self.file(name, text)) as session:
                session.data_modify("INSERT INTO t VALUES (4, 'd')").check()

    def test_a_change_is_confirmed_by_the_callback(self):
        path = os.path.join(self.folder, "shop.db")
        database = sqlite3.connect(path)
        database.executescript("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)")
        database.close()
        policy = helve.SafetyPolicy(read_only=False, audit=False)
        insert = "INSERT INTO t VALUES (2)"
        asked, answers = [], [False, None, 1, "yes", ValueError("nobody is there"), True]

        def confirm(question):
            asked.append(question)
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        with helve.open(f"sqlite:{path}", policy=policy) as session:
            refused = session.call("data_modify", insert)
            self.assertEqual(refused.code, "denied")
            self.assertIn("confirm callback", refused.text)
        reported = []
        self.addCleanup(setattr, sys, "unraisablehook", sys.unraisablehook)
        sys.unraisablehook = reported.append
        with helve.open(f"sqlite:{path}", policy=policy, confirm=confirm) as session:
            for _ in range(5):  # only True is a yes
                self.assertEqual(session.call("data_modify", insert).code, "denied")
                self.assertEqual(len(session.sql("SELECT * FROM t")), 1)
            self.assertEqual([type(one.exc_value) for one in reported], [ValueError])
            session.data_modify(insert).check()
            self.assertEqual(len(session.sql("SELECT * FROM t")), 2)
        self.assertEqual(len(asked), 6)
        self.assertIn(insert, asked[0])
        self.assertRaises(TypeError, helve.open, "sample:", confirm="yes")

    def test_files_are_loaded_from_allowed_folders_only(self):
        path = self.file("private.ttl", "<http://x/a> <http://x/b> <http://x/canary> .")
        with helve.open("sample:") as session:
            refused = session.call("g_load", path)
            self.assertEqual(refused.code, "denied")
            self.assertNotIn("canary", refused.text)
            self.assertEqual(session.call("g_load", self.folder / "absent.ttl").code, "denied")
        with helve.open("sample:", policy=helve.SafetyPolicy(allowed_paths=[self.folder])) as session:
            session.call("g_load", path).check()

    def test_policies_hold(self):
        for policy in (helve.SafetyPolicy(allowed_tools=["sparql_query"], max_rows=2), {"allowed_tools": ["sparql_query"],
                                                                                       "max_rows": 2}):
            with helve.open("sample:", policy=policy) as session:
                self.assertEqual(list(session.tools), ["sparql_query"])
                self.assertEqual(session.sparql_query(PLANETS, limit=50)["limit_applied"], 2)
                self.assertEqual(session.call("sparql_schema").code, "denied")
        self.assertRaises(helve.InvalidInput, helve.open, "sample:", policy={"max_rowz": 1})
        self.assertRaises(helve.InvalidInput, helve.open, "sample:", policy=helve.SafetyPolicy(max_rows=0))
        self.assertRaises(TypeError, helve.SafetyPolicy, max_rowz=1)
        self.assertRaises(TypeError, helve.SafetyPolicy, max_rows=None)
        self.assertRaises(TypeError, helve.open, "sample:", policy=5)
        helve.open("sample:", policy=helve.SafetyPolicy(allowed_paths=[self.folder])).close()

    def test_rows_of_handles_are_within_the_policy(self):
        policy = helve.SafetyPolicy(max_rows=2)
        with helve.open("sample:", policy=policy) as session:
            handle = session.query(PLANETS)
            self.assertEqual(len(handle.rows()), 4)  # by pages of two
            self.assertEqual(session.leakage()["tools"]["sparql_slice"]["calls"], 2)

    def test_policy_files_name_callers(self):
        path = self.file("policy.toml", '[caller.ann]\nallowed_tools = ["sparql_find"]\n')
        with helve.open("sample:", policy=path, identity="ann") as session:
            self.assertEqual(list(session.tools), ["sparql_find"])
        self.assertRaises(helve.InvalidInput, helve.open, "sample:", policy=path, identity="bob")

    def test_results_outlive_the_process_in_a_folder(self):
        with helve.open("sample:", session_folder=self.folder / "kept") as session:
            key = session.query(PLANETS).key
            with self.assertRaises(helve.Unavailable):
                helve.open("sample:", session_folder=self.folder / "kept", lock_timeout=0.05)
        with helve.open("sample:", session_folder=self.folder / "kept") as session:
            self.assertEqual(len(session.handle(key).rows()), 4)

    def test_audit_and_bank(self):
        with helve.open("sample:", audit_file=self.folder / "audit.jsonl", bank=self.folder / "bank.db") as session:
            session.sparql_query(PLANETS)
            self.assertIn("mem_search", session.tools)
        self.assertIn("TerrestrialPlanet", (self.folder / "audit.jsonl").read_text())

    def test_callers_have_results_of_their_own(self):
        with helve.open("sample:", many_sessions=True) as session:
            other = session.as_caller("ann", "1", helve.SafetyPolicy(max_rows=3))
            key = session.query(PLANETS).key
            self.assertRaises(helve.NotFound, other.handle(key).rows)
            self.assertEqual(other.sparql_query(ALL, limit=100)["limit_applied"], 3)

    def test_one_line_for_tools(self):
        tools = helve.get_tools("sample:", safety=helve.SafetyPolicy(max_rows=5), names=["sparql_query", "sparql_find"])
        self.assertEqual([tool.__name__ for tool in tools], ["sparql_query", "sparql_find"])
        gc.collect()
        self.assertEqual(tools[0](PLANETS).check()["rows"], 4)
        only = helve.get_tools("sample:", names=["sparql_query"])[0]  # the list is gone, its function is kept
        gc.collect()
        self.assertEqual(only(PLANETS).check()["rows"], 4)
        self.assertRaises(helve.NotFound, helve.get_tools, "sample:", names=["sparql_qery"])
        self.assertEqual(len(helve.get_tools("sample:", names="sparql_query")), 1)
        with self.assertRaisesRegex(TypeError, "as_caller"):
            helve.get_tools(tools.session, safety=helve.SafetyPolicy(max_rows=1))

    def test_what_is_closed_says_so(self):
        session = helve.open("sample:")
        handle = session.query(PLANETS)
        session.close()
        session.close()
        for use in (lambda: session.sparql_query(PLANETS), handle.rows, session.leakage):
            with self.assertRaisesRegex(helve.Unavailable, "closed"):
                use()
        self.assertIn("closed", repr(session))


def run_python(code, **options):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False,
                          **options)
    if done.returncode != 0:
        raise AssertionError(f"status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


class InterruptTest(unittest.TestCase):
    def test_a_token_ends_a_call_of_another_thread(self):
        with helve.open("sample:") as session:
            token = helve.CancelToken()
            threading.Timer(0.3, token.cancel).start()
            reply = session.call_with("sparql_query", {"query": ENDLESS, "validate": False}, cancel=token)
            self.assertEqual(reply.code, "cancelled")
            self.assertTrue(token.is_cancelled)

    def test_a_time_ends_a_call(self):
        with helve.open("sample:") as session:
            reply = session.call_with("sparql_query", {"query": ENDLESS, "validate": False}, timeout=0.2)
            self.assertEqual(reply.code, "limit_exceeded")

    def test_ctrl_c_raises_keyboard_interrupt(self):
        code = f"""if True:
            import helve, os, signal, threading
            session = helve.open("sample:")
            for _ in range(3):
                threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
                try:
                    session.sparql_query({ENDLESS!r}, validate=False, timeout=60)
                    print("not interrupted")
                except KeyboardInterrupt:
                    print("interrupted")
            print(session.sparql_query("ASK {{ ?s ?p ?o }}")["boolean"])
            print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        """
        self.assertEqual(run_python(code).split(), ["interrupted"] * 3 + ["True", "True"])

    def test_a_handler_of_the_program_is_called_and_the_call_ends(self):
        code = f"""if True:
            import helve, os, signal, threading
            session = helve.open("sample:")
            signal.signal(signal.SIGINT, lambda *_: print("handled"))
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            print(session.sparql_query({ENDLESS!r}, validate=False, timeout=60).code)
        """
        self.assertEqual(run_python(code).split(), ["handled", "cancelled"])

    def test_closing_ends_calls_that_run(self):
        session = helve.open("sample:")
        codes = []
        thread = threading.Thread(target=lambda: codes.append(session.sparql_query(ENDLESS, validate=False).code))
        thread.start()
        time.sleep(0.3)
        session.close()
        thread.join(20)
        self.assertEqual(codes, ["cancelled"])

    def test_other_threads_run_while_a_query_does(self):
        with helve.open("sample:") as session:
            token, counted = helve.CancelToken(), []
            thread = threading.Thread(target=session.call_with, args=(
                "sparql_query", {"query": ENDLESS, "validate": False}), kwargs={"cancel": token})
            thread.start()
            for _ in range(100):  # each needs the GIL, and other calls are served too
                counted.append(session.sparql_count("sol:TerrestrialPlanet").check()["count"])
            self.assertTrue(thread.is_alive())
            token.cancel()
            thread.join()
            self.assertEqual(set(counted), {4})


class ThreadsTest(unittest.TestCase):
    def test_eight_threads_share_a_session(self):
        seconds = float(os.environ.get("HELVE_THREAD_SECONDS", "2"))
        with helve.open("sample:", policy=helve.SafetyPolicy(rows_stored_max=20_000)) as session:
            end, wrong, calls = time.monotonic() + seconds, [], [0] * 8

            def work(number):
                while time.monotonic() < end and not wrong:
                    limit = 1 + (calls[number] + number) % 4
                    rows = session.query(f"{PLANETS} LIMIT {limit}").rows()
                    if len(rows) != limit or rows[0]["m"] != 5.97237e24:
                        wrong.append(rows)
                    if session.sparql_query("SELEC").code != "invalid_input":
                        wrong.append("no error")
                    calls[number] += 1

            threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])
            self.assertGreater(min(calls), 0)

    def test_closing_while_others_call_is_safe(self):
        for _ in range(20):
            session = helve.open("sample:")
            codes = []

            def work(session=session, codes=codes):
                try:
                    for _ in range(1_000):
                        session.sparql_count("sol:TerrestrialPlanet")
                except helve.Unavailable as closed:
                    codes.append(closed.code)

            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            session.close()
            for thread in threads:
                thread.join()
            self.assertEqual(codes, ["unavailable"] * 3)


def in_child(session, pipe):
    try:
        session.sparql_query(PLANETS)
        pipe.send("used what the parent has")
    except helve.Unavailable as told:
        pipe.send(told.message)
    with helve.open("sample:") as own:
        pipe.send(len(own.query(PLANETS).rows()))
    with helve.Sandbox() as sandbox:
        pipe.send(sandbox.execute("print(1 + 1)").output)
    pipe.close()


class ForkTest(unittest.TestCase):
    def test_a_child_opens_its_own(self):
        with helve.open("sample:") as session:
            session.query(ALL)
            here, there = multiprocessing.Pipe()
            child = multiprocessing.get_context("fork").Process(target=in_child, args=(session, there))
            child.start()
            there.close()
            self.assertIn("forked", here.recv())
            self.assertEqual(here.recv(), 4)
            self.assertEqual(here.recv(), "2\n")
            child.join(30)
            self.assertEqual(child.exitcode, 0)
            self.assertEqual(len(session.query(PLANETS).rows()), 4)

    def test_a_child_that_ends_leaves_the_parent_alone(self):
        code = """if True:
            import helve, os
            session = helve.open("sample:")
            session.query("SELECT * { ?s ?p ?o }")
            for _ in range(10):
                pid = os.fork()
                if pid == 0:
                    del session
                    raise SystemExit(0)
                assert os.waitpid(pid, 0)[1] == 0
            print(len(session.query("SELECT * { ?s a sol:TerrestrialPlanet }").rows()))
        """
        self.assertEqual(run_python(code).split(), ["4"])


class LifeTest(unittest.TestCase):
    def test_circles_are_collected(self):
        session = helve.open("sample:")
        session.me = session
        session.tool = session.sparql_query
        session.found = session.query(PLANETS)
        gone = weakref.ref(session)
        del session
        gc.collect()
        self.assertIsNone(gone())

    def test_a_session_ends_without_the_collector(self):
        gc.disable()
        self.addCleanup(gc.enable)
        session = helve.open("sample:")
        handle = session.query(PLANETS)
        tool = session.sparql_query
        gone = weakref.ref(session)
        del session, handle
        self.assertEqual(tool(PLANETS).check()["rows"], 4)  # the tool keeps it
        del tool
        self.assertIsNone(gone())

    def test_one_line_is_enough(self):
        self.assertEqual(helve.open("sample:").sparql_query(PLANETS)["rows"], 4)
        self.assertEqual(len(helve.open("sample:").query(PLANETS).rows()), 4)
        self.assertEqual(helve.open("sample:").tools["sparql_query"](PLANETS).handle.rows(3)[0]["m"], 4.8675e24)

    def test_a_program_may_end_without_closing(self):
        for code in ("import helve; s = helve.open('sample:'); h = s.query('SELECT * { ?s ?p ?o }'); b = helve.Sandbox()",
                     "import helve, sys; s = helve.open('sample:'); sys.modules['kept'] = s; s.me = s",
                     "import helve, atexit; s = helve.open('sample:'); atexit.register(lambda: s.is_open)",
                     "import helve, threading; s = helve.open('sample:')\n"
                     "threading.Thread(target=lambda: s.query('SELECT * { ?s ?p ?o }')).start()"):
            run_python(code)

    def test_a_program_may_end_while_daemons_call(self):
        code = """if True:
            import helve, threading, time
            session = helve.open("sample:")
            box = helve.Sandbox()
            box.register_tool(lambda: 1, name="one")

            def ask():
                while True:
                    session.query("SELECT ?s { ?s ?p ?o } LIMIT 50").rows()

            def execute():
                while True:
                    box.execute("for i in range(50): one()")

            for work in (ask, ask, execute):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.5)
        """
        for _ in range(5):
            run_python(code)

    def test_nothing_stays_open(self):
        def count():
            gc.collect()
            return len(os.listdir("/proc/self/fd"))

        with helve.open("sample:") as session:
            session.query(ALL)
        before = count()
        for _ in range(5):
            with helve.open("sample:") as session:
                session.query(ALL)
        self.assertLessEqual(count(), before)


if __name__ == "__main__":
    unittest.main()
