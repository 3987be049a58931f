"""helve.experiments: cells on bundled tasks, resumed and replayed."""

import json
import tempfile
import unittest
from pathlib import Path

from helve import errors
from helve.experiments import experiment, replay


def answers(request):
    if not any(message["role"] == "tool" for message in request["messages"]):
        query = "SELECT ?moon { ?moon sol:orbits body:Mars }"
        return {"calls": [{"name": "sparql_query", "arguments": {"query": query}}]}
    return {"calls": [{"name": "submit", "arguments": {"answer": "Two.", "handles": ["results_0"]}}]}


class Experiments(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "results"

    def test_results_and_report(self):
        lines = []
        results = experiment("E1,E6", tasks="bundled:solar", max_tasks=2, repeats=1, out=self.out,
                             on_line=lines.append)
        self.assertEqual(results.config.model, "builtin:rules")
        [tasks] = results.sets
        self.assertEqual([cell.plan.id for cell in tasks.cells], ["E1", "E6"])
        self.assertEqual(results, json.loads((self.out / "results.json").read_text()))
        self.assertTrue(Path(results.report).read_text().startswith("<!"))
        self.assertTrue(any("E6" in line for line in lines))
        replayed = replay(self.out)
        self.assertEqual((replayed.runs, replayed.reproduced), (4, 4))

    def test_a_function_is_the_model_and_goes_on(self):
        given = {"tasks": "bundled:solar", "only": "moons-of-mars", "repeats": 1, "out": self.out}
        first = experiment(["E1"], model=answers, **given)
        second = experiment(["E1", "E2"], model=answers, **given)
        self.assertEqual(first.config.server, second.config.server)
        self.assertEqual(len(second.sets[0].cells), 2)
        with self.assertRaises(errors.InvalidInput):
            experiment("E1", **given)
        self.assertEqual(replay(self.out).reproduced, 2)

    def test_what_a_function_raises_is_told(self):
        def fails(request):
            return 1 / 0

        with self.assertRaises(errors.Unavailable) as caught:
            experiment("E1", tasks="bundled:solar", only="moons-of-mars", repeats=1, out=self.out, model=fails)
        self.assertEqual(str(caught.exception), "the model raised ZeroDivisionError: division by zero")
        self.assertIsInstance(caught.exception.__cause__, ZeroDivisionError)
        self.assertEqual(caught.exception.result.folder, str(self.out))

    def test_a_changed_record_is_told_as_a_value(self):
        experiment("E1", tasks="bundled:solar", only="moons-of-mars", repeats=1, out=self.out)
        [file] = self.out.glob("*/E1/*/pass-1/trajectories/*.jsonl")
        text = file.read_text()
        changed = text.replace("hasMoon body:Mars", "hasMoon body:Saturn").replace(
            "sol:orbits body:Mars", "sol:orbits body:Saturn")
        self.assertNotEqual(text, changed)
        file.write_text(changed)
        self.assertEqual(replay(self.out).reproduced, 0)

    def test_a_budget_is_an_error_with_the_results_so_far(self):
        with self.assertRaises(errors.LimitExceeded) as caught:
            experiment("E1", tasks="bundled:solar", max_tasks=3, repeats=1, out=self.out, total_tokens=1)
        self.assertTrue(caught.exception.result.stopped)
        self.assertEqual(caught.exception.result.folder, str(self.out))

    def test_mistakes(self):
        with self.assertRaises(errors.InvalidInput):
            experiment("E99", tasks="bundled:solar", out=self.out)
        with self.assertRaisesRegex(TypeError, "did you mean 'retry_failed'"):
            experiment("E1", tasks="bundled:solar", out=self.out, retry_fail=True)
        with self.assertRaises(errors.HelveError):
            replay(self.out / "nothing")
        for out in ("a\0", "\ud800"):
            with self.assertRaisesRegex(errors.InvalidInput, "^out has"):
                experiment("E1", tasks="bundled:solar", out=out, model=answers)
        with self.assertRaisesRegex(errors.InvalidInput, "no cell named --help"):
            experiment(["--help"], tasks="bundled:solar", out=self.out)


if __name__ == "__main__":
    unittest.main()
