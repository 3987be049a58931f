#!/usr/bin/env python3
"""Whole runs of `helve ask`, in both loops: from a question to an answer that is bound to its evidence, recorded and replayed.

The model is a script; tools, sandbox and sources are real. What the answers claim is held against rdflib and sqlite3. PROV and Chinook are
read in $HELVE_SHARED/data or ../shared; their tests are skipped without them. HELVE_PROGRAM names the program.
"""

import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import unittest
import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent / "cases"), str(HERE.parent / "support")]

import helve_program  # noqa: E402
from helve_program import WorkDirectory  # noqa: E402
from test_data import missing, shared_path  # noqa: E402

try:
    import rdflib
except ImportError:
    sys.path.append("/usr/lib/python3/dist-packages")  # Debian's, for another interpreter
    try:
        import rdflib
    except ImportError:
        rdflib = None

PROV = shared_path("data/ontologies/prov/prov.ttl")
CHINOOK = shared_path("data/sql/chinook/Chinook_Sqlite.sqlite")
SAMPLE = ROOT / "examples" / "solar-system.trig"
RDFS = "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n"
OF_PROV = "PREFIX prov: <http://www.w3.org/ns/prov#>\n" + RDFS
OF_SAMPLE = "PREFIX sol: <https://helve.example/solar/>\nPREFIX body: <https://helve.example/solar/body/>\n" + RDFS


@dataclass
class Question:
    """A question with what the model does about it."""

    text: str
    looks: list  # before the query: (tool, arguments, what code prints of the reply)
    query: str
    rows: int
    first: list  # the first column of the first rows, by its last part
    answer: str
    code: str  # makes the answer of `rows`, the rows of the query
    tool: str = "sparql_query"

    def tools(self, loop):
        used = list(dict.fromkeys([look[0] for look in self.looks] + [self.tool]))
        return used + ["sparql_slice"] if loop == "rlm" else used


PROV_QUESTIONS = [
    Question("What is Activity?",
             [("sparql_find", {"pattern": "activity", "kind": "class", "limit": 3}, "[hit['uri'] for hit in {reply}['hits']]"),
              ("sparql_describe", {"resource": "prov:Activity", "limit": 10}, "{reply}['types']")],
             OF_PROV + "SELECT ?label ?definition { prov:Activity rdfs:label ?label ; prov:definition ?definition }",
             1, ["Activity"],
             "Activity: An activity is something that occurs over a period of time and acts upon or with entities.",
             "answer = rows[0]['label'] + ': ' + rows[0]['definition'].split(';')[0] + '.'"),
    Question("What properties does Activity have?",
             [("sparql_schema", {"output_mode": "properties", "limit": 5}, "len({reply}['properties'])")],
             OF_PROV + "SELECT ?property ?range {\n  ?property rdfs:domain prov:Activity\n  OPTIONAL { ?property rdfs:range ?range }\n}\n"
             "ORDER BY ?property",
             14, ["endedAtTime", "generated", "invalidated", "qualifiedAssociation", "qualifiedCommunication", "qualifiedEnd", "qualifiedStart",
                  "qualifiedUsage", "startedAtTime", "used", "wasAssociatedWith", "wasEndedBy", "wasInformedBy", "wasStartedBy"],
             "14: endedAtTime, generated, invalidated, qualifiedAssociation, qualifiedCommunication, qualifiedEnd, qualifiedStart, qualifiedUsage, "
             "startedAtTime, used, wasAssociatedWith, wasEndedBy, wasInformedBy, wasStartedBy",
             "answer = f'{len(rows)}: ' + ', '.join(row['property'].split('#')[-1] for row in rows)"),
    Question("What are the subclasses of Entity?",
             [("sparql_peek", {"resource": "prov:Entity"}, "{reply}['type']")],
             OF_PROV + "SELECT ?class { ?class rdfs:subClassOf+ prov:Entity } ORDER BY ?class",
             5, ["Bundle", "Collection", "EmptyCollection", "EmptyDictionary", "Plan"],
             "Bundle, Collection, EmptyCollection, EmptyDictionary, Plan",
             "answer = ', '.join(row['class'].split('#')[-1] for row in rows)"),
]
SAMPLE_QUESTIONS = [
    Question("Which planets have moons, and how many?",
             [("sparql_find", {"pattern": "planet", "kind": "class", "limit": 3}, "[hit['label'] for hit in {reply}['hits']]"),
              ("sparql_peek", {"resource": "sol:orbits"}, "{reply}['type']")],
             OF_SAMPLE + "SELECT ?planet (COUNT(?moon) AS ?moons) {\n  ?moon sol:orbits ?planet .\n  ?planet a/rdfs:subClassOf* sol:Planet\n}\n"
             "GROUP BY ?planet ORDER BY DESC(?moons)",
             6, ["Saturn", "Uranus", "Jupiter", "Neptune", "Mars", "Earth"],
             "Saturn 32, Uranus 23, Jupiter 20, Neptune 12, Mars 2, Earth 1",
             "answer = ', '.join(f\"{row['planet'].split('/')[-1]} {row['moons']}\" for row in rows)"),
    Question("Which missions landed on Venus?",
             [("sparql_schema", {}, "{reply}['triples'] > 0")],
             OF_SAMPLE + "SELECT ?mission ?date {\n  ?mission sol:visit ?visit .\n  ?visit a sol:Landing ; sol:target body:Venus ; sol:date ?date\n}\n"
             "ORDER BY ?date",
             8, ["Venera-7", "Venera-8", "Venera-9", "Venera-10", "Venera-13", "Venera-14", "Vega-1", "Vega-2"],
             "8 missions, from Venera-7 (1970-12-15) to Vega-2 (1985-06-15): Venera-7, Venera-8, Venera-9, Venera-10, Venera-13, Venera-14, "
             "Vega-1, Vega-2",
             "names = [row['mission'].split('/')[-1] for row in rows]\n"
             "answer = f\"{len(rows)} missions, from {names[0]} ({rows[0]['date']}) to {names[-1]} ({rows[-1]['date']}): \" + ', '.join(names)"),
]
CHINOOK_QUESTIONS = [
    Question("Which five genres have the most tracks?",
             [("schema_inspect", {}, "[one['table'] for one in {reply}['tables']]"),
              ("schema_inspect", {"action": "describe_table", "table": "Track"}, "{reply}['foreign_keys']")],
             "SELECT g.Name AS genre, COUNT(*) AS tracks\nFROM Track t JOIN Genre g ON g.GenreId = t.GenreId\n"
             "GROUP BY g.Name ORDER BY tracks DESC LIMIT 5",
             5, ["Rock", "Latin", "Metal", "Alternative & Punk", "Jazz"],
             "Rock (1297), Latin (579), Metal (374), Alternative & Punk (332), Jazz (130)",
             "answer = ', '.join(f\"{row['genre']} ({row['tracks']})\" for row in rows)", "query_execute"),
    Question("In which country is most sold?",
             [("schema_inspect", {"action": "describe_table", "table": "Invoice"}, "{reply}['primary_key']")],
             "SELECT c.Country AS country, ROUND(SUM(i.Total), 2) AS sales\nFROM Invoice i JOIN Customer c ON c.CustomerId = i.CustomerId\n"
             "GROUP BY c.Country ORDER BY sales DESC, country",
             24, ["USA"],
             "USA, with 523.06 of the sales of 24 countries.",
             "answer = f\"{rows[0]['country']}, with {rows[0]['sales']} of the sales of {len(rows)} countries.\"", "query_execute"),
]


def is_sandbox_held():
    with WorkDirectory() as directory:
        return helve_program.run([helve_program.program_path(), "sandbox", "check"], directory).status == 0


NEEDS_SANDBOX = unittest.skipUnless(is_sandbox_held(), "'helve sandbox check' says that this machine does not hold the sandbox")


def query_argument(question):
    return "sql" if question.tool == "query_execute" else "query"


def react_script(question):
    """All looks at once, the query, and the answer with its handle: looks store nothing."""
    found = f"{question.rows} row{'' if question.rows == 1 else 's'}, "
    return [
        {"text": "I look first.", "calls": [{"name": name, "arguments": arguments} for name, arguments, _ in question.looks]},
        {"text": "Now I ask.", "calls": [{"name": question.tool, "arguments": {query_argument(question): question.query}}]},
        {"calls": [{"name": "submit", "arguments": {"answer": question.answer, "query": question.query, "handles": ["results_0"]}}],
         "expect": found},
    ]


def rlm_script(question):
    looks = "".join(f"print({shown.format(reply=f'{name}(**{arguments!r})')})\n" for name, arguments, shown in question.looks)
    ask = f"found = {question.tool}({question.query!r})\nrows = found.rows(0, 100)\nprint(found)\nprint(rows[0])\n"
    return [
        {"text": f"I look first.\n```python\nprint(question)\n{looks}```\n"},
        {"text": f"Now I ask.\n```python\n{ask}```\n", "expect": question.text},
        {"text": f"That is it.\n```python\n{question.code}\nSUBMIT(answer=answer, handles=[found])\n```\n", "expect": f"'results', {question.rows} items"},
    ]


@lru_cache(maxsize=None)
def graph_of(path):
    graph = rdflib.ConjunctiveGraph()
    graph.parse(path, format="trig" if path.suffix == ".trig" else "turtle")
    return graph


class Runs:
    """The tests of a source; `uri`, `name`, `questions` and `rows_of` are those of the source."""

    needs = SAMPLE

    def setUp(self):
        if self.needs is None:
            self.skipTest(missing(self.file_name))
        holder = WorkDirectory()
        self.directory = holder.__enter__()
        self.addCleanup(holder.__exit__, None, None, None)

    def helve(self, *words, status=0):
        ran = helve_program.run([helve_program.program_path(), *map(str, words)], self.directory)
        self.assertEqual(ran.status, status, f"{words}: {ran.stdout.decode()}\n{ran.describe()}")
        return ran.stdout.decode()

    def ask(self, question, loop, trajectory):
        lines = react_script(question) if loop == "react" else rlm_script(question)
        return json.loads(self.ask_script(question.text, loop, lines, trajectory))

    def ask_script(self, text, loop, lines, trajectory):
        script = self.directory / "answers.jsonl"
        script.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return self.helve("ask", text, "--source", self.source(), "--loop", loop, "--script", script, "--json", "--trajectory", trajectory,
                          "--no-times")

    def source(self, uri=None):
        return f"{self.name}={uri or self.uri}"

    def read(self, name):
        return (self.directory / name).read_bytes()

    def check_answer(self, question, loop, told):
        self.assertEqual(told["stop_reason"], "submitted")
        self.assertIs(told["converged"], True)
        self.assertIs(told["extracted"], False)
        self.assertNotIn("error", told)
        self.assertEqual(told["iterations"], 3)
        self.assertEqual(told["content"], question.answer)
        self.assertEqual(told["fields"]["answer"], question.answer)
        self.assertEqual(told["query"], question.query)
        self.assertEqual(told["tools_used"], question.tools(loop))
        self.assertEqual(told["bound"], "named")
        self.assertEqual(len(told["structured_artifacts"]), 1)
        evidence = dict(told["structured_artifacts"][0])
        self.assertRegex(evidence.pop("ref"), rf"^Ref\('results_0', 'results', {question.rows} items, [\d,]+ chars from {self.name}\)$")
        self.assertEqual(evidence, {"handle": "results_0", "query": question.query, "source": self.name, "rows": question.rows,
                                    "query_hash": hashlib.sha256(question.query.encode()).hexdigest()})

    def check_facts(self, question):
        rows = self.rows_of(question.query)
        if rows is None:  # no rdflib
            return
        self.assertEqual(len(rows), question.rows)
        names = [re.split("[/#]", str(row[0]))[-1] for row in rows]
        self.assertEqual(names[:len(question.first)], question.first)
        for name in question.first:
            self.assertIn(name, question.answer)
        # The other columns of the first row too: numbers, dates, and texts up to where the answer ends them.
        for value in rows[0][1:]:
            if "://" not in str(value):
                self.assertIn(str(value).split(";")[0], question.answer)

    def check_trajectory(self, question, loop, file):
        events = [json.loads(line) for line in self.read(file).splitlines()]
        self.assertEqual((events[0]["kind"], events[-1]["kind"]), ("run_start", "run_end"))
        self.assertEqual((events[0]["task"], events[0]["loop"]), (question.text, loop))
        end = events[-1]
        self.assertEqual((end["stop_reason"], end["answer"], end["query"], end["handles"]),
                         ("submitted", question.answer, question.query, ["results_0"]))
        self.assertEqual(end["query_hash"], hashlib.sha256(question.query.encode()).hexdigest())
        for event in events:
            self.assertNotIn("time", event)
        kinds = [event["kind"] for event in events]
        self.assertEqual(kinds.count("llm_call"), 3)
        called = [event["name"] for event in events if event["kind"] == "tool_call" and event["name"] != "submit"]
        self.assertEqual(list(dict.fromkeys(called)), question.tools(loop))
        stored = [event for event in events if event["kind"] == "tool_result" and event["name"] == question.tool]
        self.assertEqual([(one["handle"], one["rows"]) for one in stored], [("results_0", question.rows)])
        return events, called

    def check_commands(self, question, loop, file, events, called):
        shown = self.helve("trajectory", "show", file)
        for line in (f"  task      {question.text}", f"  loop      {loop}, model scripted", "step 1", "step 2", "step 3", "  reason    submitted"):
            self.assertIn(line, shown.splitlines())
        self.assertIn(question.query.splitlines()[-1], self.helve("trajectory", "show", file, "--step", 2, "--full"))
        stats = json.loads(self.helve("trajectory", "stats", file, "--json"))
        self.assertEqual((stats["task"], stats["loop"], stats["stop_reason"]), (question.text, loop, "submitted"))
        self.assertEqual((stats["steps"], stats["model_calls"], stats["errors"], stats["tool_calls"]), (3, 3, 0, len(called)))
        self.assertEqual({one["name"]: one["calls"] for one in stats["tools"]}, {"submit": 1, **{name: called.count(name) for name in called}})
        self.assertIn("end           submitted", self.helve("trajectory", "stats", file))
        self.assertEqual(self.helve("trajectory", "diff", file, file), "both runs do the same\n")
        replayed = self.helve("trajectory", "replay", file, "--source", self.source(), "--trajectory", "again.jsonl")
        self.assertEqual(replayed, f"the same: {len(events)} events, byte for byte\n")
        self.assertEqual(self.read("again.jsonl"), self.read(file))

    def check(self, loop):
        for question in self.questions:
            with self.subTest(question.text, loop=loop):
                for file in ("one.jsonl", "two.jsonl", "again.jsonl"):
                    (self.directory / file).unlink(missing_ok=True)
                told = self.ask(question, loop, "one.jsonl")
                self.check_answer(question, loop, told)
                self.check_facts(question)
                self.check_answer(question, loop, self.ask(question, loop, "two.jsonl"))
                self.assertEqual(self.read("one.jsonl"), self.read("two.jsonl"))
                events, called = self.check_trajectory(question, loop, "one.jsonl")
                self.check_commands(question, loop, "one.jsonl", events, called)

    def check_changed(self, loop):
        """A copy of the source replays alike; the copy with one statement or row less does not."""
        question = self.questions[-1]
        self.ask(question, loop, "run.jsonl")
        same, less = self.copies()
        self.assertRegex(self.helve("trajectory", "replay", "run.jsonl", "--source", self.source(same)), r"^the same: \d+ events, byte for byte\n$")
        told = self.helve("trajectory", "replay", "run.jsonl", "--source", self.source(less), status=2)
        self.assertRegex(told, r"^[1-9]\d* differences? in \d+ events\n")
        self.assertRegex(told, r"\nstep 2, tool_result \S+: preview\n  < .*\n  > ")
        # A script of calls says what it said; code tells what it has found.
        self.assertEqual("\nrun_end: answer\n" in told, loop == "rlm", told)

    def test_react(self):
        self.check("react")

    def test_react_on_a_changed_source(self):
        self.check_changed("react")

    @NEEDS_SANDBOX
    def test_rlm(self):
        self.check("rlm")

    @NEEDS_SANDBOX
    def test_rlm_on_a_changed_source(self):
        self.check_changed("rlm")


class GraphRuns(Runs):
    """`file` has the statements; `less` is a text of it and what it becomes with a statement less."""

    def rows_of(self, query):
        if rdflib is None:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of rdflib, about the libraries that it uses
            return list(graph_of(self.file).query(query))

    def copies(self):
        text = self.file.read_text()
        self.assertEqual(text.count(self.less[0]), 1)
        same, less = (self.directory / f"{name}{self.file.suffix}" for name in ("same", "less"))
        same.write_text(text)
        less.write_text(text.replace(*self.less))
        return same, less


class ProvRuns(GraphRuns, unittest.TestCase):
    file_name = "data/ontologies/prov/prov.ttl"
    needs = file = uri = PROV
    name, questions = "prov", PROV_QUESTIONS
    less = ('    rdfs:label "Plan" ;\n    rdfs:subClassOf :Entity ;\n', '    rdfs:label "Plan" ;\n')


class SampleRuns(GraphRuns, unittest.TestCase):
    file, uri = SAMPLE, "sample:"
    name, questions = "sample", SAMPLE_QUESTIONS
    # One statement less: when the last of them landed.
    less = (' ; sol:target body:Venus ; sol:date "1985-06-15"^^xsd:date ]', ' ; sol:target body:Venus ]')


    def check_same_bytes(self, *blocks):
        """Three runs with a block in each answer, and a replay."""
        lines = [{"text": f"```python\n{block}\n```\n"} for block in blocks]
        runs = [(self.ask_script("Which moons?", "rlm", lines, f"{n}.jsonl"), self.read(f"{n}.jsonl")) for n in range(3)]
        for told, recorded in runs[1:]:
            self.assertEqual(recorded, runs[0][1])
            self.assertEqual(told, runs[0][0])
        self.helve("trajectory", "replay", "0.jsonl", "--source", self.source())

    def thinking(self, lines):
        return [{**line, "reasoning": f"thought {number}"} for number, line in enumerate(lines)]

    def check_thinking(self, loop):
        question = self.questions[0]
        lines = self.thinking(react_script(question) if loop == "react" else rlm_script(question))
        self.ask_script(question.text, loop, lines, "run.jsonl")
        calls = [event for event in map(json.loads, self.read("run.jsonl").splitlines()) if event["kind"] == "llm_call"]
        self.assertEqual([call["answer"]["reasoning"] for call in calls], ["thought 0", "thought 1", "thought 2"])
        replayed = self.helve("trajectory", "replay", "run.jsonl", "--source", self.source(), "--trajectory", "again.jsonl")
        self.assertRegex(replayed, r"^the same: \d+ events, byte for byte\n$")
        self.assertEqual(self.read("again.jsonl"), self.read("run.jsonl"))

    def test_a_model_that_reasons_is_replayed_alike_in_react(self):
        self.check_thinking("react")

    @NEEDS_SANDBOX
    def test_a_model_that_reasons_is_replayed_alike_in_rlm(self):
        self.check_thinking("rlm")

    def test_a_model_that_fails_is_replayed_alike(self):
        lines = react_script(self.questions[0])[:1] + [{"error": {"code": "denied", "message": "the key is wrong"}}]
        script = self.directory / "answers.jsonl"
        script.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.helve("ask", "Which?", "--source", self.source(), "--script", script, "--trajectory", "run.jsonl", "--no-times", status=4)
        replayed = self.helve("trajectory", "replay", "run.jsonl", "--source", self.source(), "--trajectory", "again.jsonl")
        self.assertRegex(replayed, r"^the same: \d+ events, byte for byte\n$")
        self.assertEqual(self.read("again.jsonl"), self.read("run.jsonl"))

    def check_recorded(self, loop):
        """What --record keeps answers again: marks of data are others in every run, and must not matter."""
        question = self.questions[0]
        script = self.directory / "answers.jsonl"
        lines = react_script(question) if loop == "react" else rlm_script(question)
        script.write_text("".join(json.dumps(line) + "\n" for line in lines))
        ask = ["ask", question.text, "--source", self.source(), "--loop", loop, "--json", "--no-times"]
        told = self.helve(*ask, "--script", script, "--record", "recorded.jsonl", "--trajectory", "one.jsonl")
        self.assertEqual(len(self.read("recorded.jsonl").splitlines()), 3)
        again = self.helve(*ask, "--script", "recorded.jsonl", "--trajectory", "two.jsonl")
        self.assertEqual(again, told)
        self.assertEqual(self.read("two.jsonl"), self.read("one.jsonl"))

    def test_recorded_exchanges_play_back_in_react(self):
        self.check_recorded("react")

    @NEEDS_SANDBOX
    def test_recorded_exchanges_play_back_in_rlm(self):
        self.check_recorded("rlm")

    @NEEDS_SANDBOX
    def test_a_sub_model_answers_code_and_is_replayed_alike(self):
        script, others = self.directory / "answers.jsonl", self.directory / "others.jsonl"
        script.write_text(json.dumps({"text": "```python\nsparql_query(query='ASK {}')\nSUBMIT(sparql='ASK {}', answer=llm_query('how many?'))\n```"}) + "\n")
        others.write_text(json.dumps({"text": "eight", "model": "small-1"}) + "\n")
        told = json.loads(self.helve("ask", "Which?", "--source", self.source(), "--loop", "rlm", "--signature",
                                     "context, question -> sparql: str, answer", "--script", script, "--sub-provider", f"scripted:{others}",
                                     "--sub-model", "small", "--json", "--no-times", "--trajectory", "run.jsonl"))
        self.assertEqual(told["fields"], {"sparql": "ASK {}", "answer": "eight"})
        start = json.loads(self.read("run.jsonl").splitlines()[0])
        self.assertEqual((start["config"]["sub_model"], start["config"]["signature"]), ("small", "context, question -> sparql: str, answer"))
        replayed = self.helve("trajectory", "replay", "run.jsonl", "--source", self.source(), "--trajectory", "again.jsonl")
        self.assertRegex(replayed, r"^the same: \d+ events, byte for byte\n$")
        self.assertEqual(self.read("again.jsonl"), self.read("run.jsonl"))

    def test_runs_at_once_share_a_file(self):
        script = self.directory / "answers.jsonl"
        script.write_text("".join(json.dumps(line) + "\n" for line in react_script(self.questions[0])))
        commands = [[helve_program.program_path(), "ask", f"Question {number}?", "--source", self.source(), "--script", str(script),
                     "--trajectory", "run.jsonl", "--quiet"] for number in range(4)]
        processes = [subprocess.Popen(command, cwd=self.directory, env=helve_program.fixed_environment(self.directory),
                                      stdout=subprocess.DEVNULL) for command in commands]
        self.assertEqual([process.wait(60) for process in processes], [0] * 4)
        runs = json.loads(self.helve("trajectory", "list", "run.jsonl", "--json"))
        self.assertEqual(sorted(run["task"] for run in runs), [f"Question {number}?" for number in range(4)])
        self.assertEqual([(run["stop_reason"], run["steps"]) for run in runs], [("submitted", 3)] * 4)

    def test_an_answer_names_the_query_as_the_audit_does(self):
        question = self.questions[0]
        script = self.directory / "answers.jsonl"
        script.write_text("".join(json.dumps(line) + "\n" for line in react_script(question)))
        told = json.loads(self.helve("ask", question.text, "--source", self.source(), "--script", script, "--json", "--audit", "audit.jsonl"))
        records = [json.loads(line) for line in self.read("audit.jsonl").splitlines()]
        made = [one["tool"] for one in records if one.get("query_sha256") == told["structured_artifacts"][0]["query_hash"]]
        self.assertEqual(made, [question.tool])

    def test_times_are_written_and_left_out(self):
        script = self.directory / "answers.jsonl"
        script.write_text("".join(json.dumps(line) + "\n" for line in react_script(self.questions[0])))
        for word, has_times in (("--quiet", True), ("--no-times", False)):
            self.helve("ask", "Which?", "--source", self.source(), "--script", script, "--trajectory", f"run{word}.jsonl", word)
            for event in map(json.loads, self.read(f"run{word}.jsonl").splitlines()):
                self.assertEqual("time" in event, has_times, event["kind"])
                if event["kind"] in ("llm_call", "tool_result") and event.get("name") != "submit":
                    self.assertEqual("ms" in event, has_times, event["kind"])

    def test_pipes_are_refused_at_once(self):
        pipe = self.directory / "pipe"
        os.mkfifo(pipe)
        script = self.directory / "answers.jsonl"
        script.write_text(json.dumps({"text": "x"}) + "\n")
        ask = ["ask", "Which?", "--source", self.source(), "--script", script]
        for option in ("--trajectory", "--record", "--hints"):
            self.helve(*ask, option, pipe, status=2)
        self.helve("trajectory", "show", pipe, status=2)

    def test_a_hostile_trajectory_does_not_say_how_many_threads_are_made(self):
        self.ask(self.questions[0], "react", "run.jsonl")
        text = self.read("run.jsonl").decode()
        for count in ("30000", "9223372036854775808"):
            (self.directory / "many.jsonl").write_text(text.replace('"parallel_calls_max":1', f'"parallel_calls_max":{count}'))
            told = json.loads(self.helve("trajectory", "replay", "many.jsonl", "--source", self.source(), "--json", status=2))
            self.assertEqual([one["now"] for one in told["differences"] if "parallel" in one["where"]], ["16"])

    @NEEDS_SANDBOX
    def test_what_code_prints_is_one_line(self):
        script = self.directory / "answers.jsonl"
        script.write_text(json.dumps({"text": "```python\nfor n in range(50_000):\n    print(n)\nSUBMIT(answer='none')\n```"}) + "\n")
        ran = helve_program.run([helve_program.program_path(), "ask", "Which?", "--source", self.source(), "--loop", "rlm", "--script",
                                 str(script), "--stream", "--no-times"], self.directory)
        self.assertEqual(ran.status, 0, ran.describe())
        printed = [line for line in ran.stderr.decode().splitlines() if line.startswith("  output ")]
        self.assertEqual(len(printed), 1)
        self.assertRegex(printed[0], r"^  output 0 \(\+[\d,]{5,} lines\)$")

    @NEEDS_SANDBOX
    def test_printed_replies_are_the_same_each_time(self):
        self.check_same_bytes("print(sparql_peek(resource='body:Mars'))\nSUBMIT(answer='none')")

    @NEEDS_SANDBOX
    def test_kept_replies_are_the_same_each_time(self):
        self.check_same_bytes("reply = sparql_count(query='sol:Landing')", "SUBMIT(answer='none')")

    @NEEDS_SANDBOX
    def test_output_in_pieces_is_told_the_same_each_time(self):
        self.check_same_bytes("for n in range(200):\n    print(n, flush=True)\nSUBMIT(answer='none')")


class ChinookRuns(Runs, unittest.TestCase):
    file_name = "data/sql/chinook/Chinook_Sqlite.sqlite"
    needs = CHINOOK
    uri = f"sqlite:{CHINOOK}"
    name, questions = "chinook", CHINOOK_QUESTIONS

    def rows_of(self, query):
        with sqlite3.connect(f"file:{CHINOOK}?mode=ro", uri=True) as database:
            rows = database.execute(query).fetchall()
        database.close()
        return rows

    def copies(self):
        same, less = self.directory / "same.db", self.directory / "less.db"
        for copy in (same, less):
            shutil.copyfile(CHINOOK, copy)
        with sqlite3.connect(less) as database:
            self.assertEqual(database.execute("DELETE FROM Invoice WHERE InvoiceId = (SELECT MIN(InvoiceId) FROM Invoice "
                                              "WHERE BillingCountry = 'USA')").rowcount, 1)
        database.close()
        return f"sqlite:{same}", f"sqlite:{less}"


if __name__ == "__main__":
    if rdflib is None:
        print("answers from graphs are not held against rdflib: there is none (Debian: python3-rdflib)")
    helve_program.run_tests()
