"""helve.trajectory: a run of fixed rules, looked at, compared and replayed."""

import tempfile
import unittest
from pathlib import Path

from helve import errors, trajectory
from helve.learning import learn


class Trajectories(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        report = learn("bundled:solar", source="sample:", bank=Path(folder.name) / "bank.db",
                       model="builtin:rules", max_tasks=2, dry_run=True)
        cls.one, cls.two = (Path(report.folder) / task.runs[0].trajectory for task in report.tasks)

    def test_list_show_and_stats(self):
        [run] = trajectory.list(self.one)
        self.assertEqual((run.run, run.task), (1, "Which moons does Mars have?"))
        shown = trajectory.show(self.one)
        self.assertEqual(len(shown.steps), run.steps)
        self.assertEqual(trajectory.show(f"{self.one}#1", step=1).n, 1)
        stats = trajectory.stats(self.one, run=1)
        self.assertEqual((stats.steps, stats.verdict), (run.steps, "correct"))

    def test_diff_is_a_value(self):
        self.assertTrue(trajectory.diff(self.one, self.one).same)
        differs = trajectory.diff(self.one, self.two)
        self.assertFalse(differs.same)
        self.assertEqual(differs.first_step, 1)

    def test_replay(self):
        self.assertTrue(trajectory.replay(self.one, source="sample:").identical)
        self.assertFalse(trajectory.replay(self.one, source="sample=sample-tables:").same)

    def test_export(self):
        lines = trajectory.export(self.one)
        self.assertEqual(lines[0]["type"], "metadata")
        self.assertGreater(len(lines), 1)

    def test_mistakes(self):
        with self.assertRaises(errors.NotFound):
            trajectory.show("/nowhere.jsonl")
        with self.assertRaises(errors.HelveError):
            trajectory.show(self.one, run=9)
        with self.assertRaisesRegex(TypeError, "did you mean 'step'"):
            trajectory.show(self.one, steps=1)


if __name__ == "__main__":
    unittest.main()
