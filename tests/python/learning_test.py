"""helve.learning: judging, the closed loop, and reflection; with fixed rules and with functions."""

import json
import tempfile
import unittest
from pathlib import Path

from helve import errors
from helve.learning import judge, learn, reflect
from helve.memory import Memory

MOONS = "SELECT ?moon { ?moon sol:orbits body:Mars }"


def answers(request):
    """Asks one query, and hands in what came."""
    replies = [message for message in request["messages"] if message["role"] == "tool"]
    if not replies:
        calls = [{"name": "sparql_query", "arguments": {"query": MOONS}}]
        return {"text": "I look.", "calls": calls, "cost": 0.5}
    calls = [{"name": "submit", "arguments": {"answer": "Two.", "handles": ["results_0"]}}]
    return {"calls": calls, "cost": 0.5}


class Judging(unittest.TestCase):
    def test_verdicts_are_values(self):
        right = judge("SELECT ?x ?r { ?x sol:orbits body:Mars ; sol:meanRadius ?r }", MOONS, source="sample:")
        self.assertEqual((right.verdict, right.precision, right.recall, right.f1), ("correct", 1.0, 1.0, 1.0))
        self.assertTrue(right.is_correct)
        wrong = judge("SELECT ?x { ?x sol:orbits body:Earth }", MOONS, source=["sample:"])
        self.assertEqual((wrong["verdict"], wrong.f1, wrong.is_correct), ("incorrect", 0.0, False))
        broken = judge("SELECT ?x {", MOONS, source="sample:")
        self.assertEqual((broken.verdict, broken.f1), ("incorrect", None))

    def test_a_text_never_names_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "secret.rq"
            file.write_text(MOONS)
            for words in ((f"@{file}", MOONS), (MOONS, f"@{file}")):
                with self.assertRaisesRegex(errors.InvalidInput, "'@'.*pathlib.Path"):
                    judge(*words, source="sample:")
            self.assertTrue(judge(file, MOONS, source="sample:").is_correct)
            self.assertTrue(judge(MOONS, file, source="sample:").is_correct)
            with self.assertRaises(errors.NotFound):
                judge(Path("-"), MOONS, source="sample:")
            with self.assertRaisesRegex(errors.InvalidInput, "reference begins with '@'"):
                reflect(file, reference=f"@{file}", bank=Path(folder) / "b.db")
        for query in (5, None, b"ASK {}"):
            with self.assertRaisesRegex(TypeError, "query is a text"):
                judge(query, MOONS, source="sample:")

    def test_queries_that_look_like_options(self):
        self.assertEqual(judge("--help", MOONS, source="sample:").verdict, "incorrect")

    def test_order(self):
        up, down = (f"{MOONS} ORDER BY {way}(STR(?moon))" for way in ("", "DESC"))
        self.assertTrue(judge(up, down, source="sample:").is_correct)
        self.assertFalse(judge(up, down, source="sample:", ordered=True).is_correct)

    def test_a_reference_that_fails_raises(self):
        with self.assertRaisesRegex(errors.InvalidInput, "reference"):
            judge(MOONS, "SELECT ?x {", source="sample:")
        with self.assertRaises(errors.HelveError):
            judge(MOONS, MOONS, source="/nowhere.ttl")
        with self.assertRaisesRegex(TypeError, "did you mean 'policy'"):
            judge(MOONS, MOONS, source="sample:", polcy="x")


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bank = self.folder / "bank.db"


class Loops(Folder):
    def test_fixed_rules(self):
        lines = []
        report = learn("bundled:solar", source="sample:", bank=self.bank, model="builtin:rules", max_tasks=3,
                       on_line=lines.append)
        self.assertEqual((len(report.tasks), report.successes, report.stopped), (3, 3, None))
        self.assertEqual(len(lines), 3)
        self.assertEqual(Memory(self.bank).stats().active, report.items_added)
        again = learn("bundled:solar", source="sample:", bank=self.bank, model="builtin:rules", max_tasks=3)
        self.assertTrue(all(task.before for task in again.tasks))

    def test_a_function_is_the_model(self):
        report = learn("bundled:solar", source="sample:", bank=self.bank, model=answers,
                       only=["moons-of-mars"])
        self.assertEqual(report.successes, 1)
        self.assertEqual((report.tasks[0].runs[0].steps, report.usage.cost), (2, 1.0))

    def test_what_a_function_raises_is_the_cause(self):
        def fails(request):
            raise KeyError("lost")

        with self.assertRaises(errors.Unavailable) as caught:
            learn("bundled:solar", source="sample:", bank=self.bank, model=fails, only="moons-of-mars")
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        self.assertEqual(str(caught.exception), "the model raised KeyError: 'lost'")
        self.assertEqual(caught.exception.result.tasks[0].state, "failed")
        report = learn("bundled:solar", source="sample:", bank=self.bank, model=answers, only="moons-of-mars",
                       out=self.folder / "other")
        self.assertEqual(report.successes, 1)

    def test_other_failures_of_functions_are_told_too(self):
        file = self.folder / "tasks.json"
        file.write_text(json.dumps({"tasks": [{"id": "a", "question": "Which moons has Mars?"}]}))

        def fails(request):
            raise errors.Denied("not today", "come again")

        for number, (given, says) in enumerate((
            ({"model": answers, "judge_model": fails}, r"^judge_model raised Denied: not today \(come again\)$"),
            ({"model": lambda request: None}, "^the model returned None"),
            ({"model": lambda request: "\ud800"}, r"^text of the model's answer has U\+D800"),
        )):
            with self.subTest(says), self.assertRaisesRegex(errors.Unavailable, says) as caught:
                learn(file, source="sample:", bank=self.bank, out=self.folder / str(number),
                      **{"judge_model": answers, **given})
            self.assertNotIn("127.0.0.1", str(caught.exception))

    def test_a_function_judges(self):
        file = self.folder / "tasks.json"
        file.write_text(json.dumps({"tasks": [{"id": "a", "question": "Which moons has Mars?"}]}))
        asked = []

        def judges(request):
            asked.append(request)
            return '{"verdict": "correct", "says": "so it is"}'

        report = learn(file, source="sample:", bank=self.bank, model=answers, judge_model=judges)
        self.assertEqual(len(asked), 1)
        self.assertEqual(len(report.tasks[0].runs), 1)

    def test_a_budget_is_an_error_with_the_result(self):
        with self.assertRaises(errors.LimitExceeded) as caught:
            learn("bundled:solar", source="sample:", bank=self.bank, model="builtin:rules", max_tasks=5,
                  max_total_tokens=1)
        self.assertTrue(caught.exception.result.stopped)

    def test_cancelled(self):
        class Token:
            is_cancelled = False

        token = Token()

        def slow(request):
            token.is_cancelled = True
            return answers(request)

        with self.assertRaises(errors.Cancelled) as caught:
            learn("bundled:solar", source="sample:", bank=self.bank, model=slow, cancel=token)
        self.assertEqual(caught.exception.result.stopped, "cancelled")

    def test_mistakes(self):
        for seconds in (0, -1, float("nan")):
            with self.assertRaisesRegex(ValueError, "a time is a number of seconds above 0, or None"):
                learn("bundled:solar", bank=self.bank, timeout=seconds)
        with self.assertRaisesRegex(TypeError, "did you mean 'max_tasks'"):
            learn("bundled:solar", bank=self.bank, max_task=3)
        with self.assertRaises(errors.InvalidInput):
            learn("bundled:solar", source="sample:", bank=self.bank, model="builtin:rules", rollouts=0)


class Reflections(Folder):
    def run_of(self):
        report = learn("bundled:solar", source="sample:", bank=self.folder / "first.db", model=answers,
                       only="moons-of-mars")
        return Path(report.folder) / report.tasks[0].runs[0].trajectory

    def test_a_pattern_is_quarantined_and_a_written_lesson_is_not(self):
        run = self.run_of()
        drafted = reflect(run, bank=self.bank)
        self.assertEqual((drafted.state, drafted.is_quarantined), ("added", True))
        self.assertIn("sol:orbits", drafted["item"].content)
        written = reflect(run, bank=self.bank, title="Find things by what they go round", desc="For moons.",
                          content="The moon is the subject of sol:orbits.", tag=["moons"], verdict="correct")
        self.assertFalse(written.is_quarantined)
        self.assertEqual(Memory(self.bank).get(written.id)[0].tags, ["moons"])
        self.assertEqual(written.similar[0].id, drafted.id)

    def test_a_function_drafts_and_runs_again(self):
        run = self.run_of()

        def model(request):
            if request["tools"]:
                return answers(request)
            return json.dumps({"title": "Moons go round", "desc": "For questions about moons.",
                               "content": "A moon is the subject of sol:orbits."})

        report = reflect(run, bank=self.bank, model=model, hint="say who goes round whom", rerun=True,
                         source="sample:", reference=MOONS)
        self.assertEqual(report["item"].title, "Moons go round")
        self.assertTrue(report.is_quarantined)
        self.assertEqual((report.without_item.verdict, report.with_item.verdict), ("correct", "correct"))

    def test_mistakes(self):
        with self.assertRaises(errors.NotFound):
            reflect("/nowhere.jsonl", bank=self.bank)


if __name__ == "__main__":
    unittest.main()
