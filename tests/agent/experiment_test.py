#!/usr/bin/env python3
"""helve experiment: killed and gone on, on one core and on several, replayed without the model. Results are compared byte for byte.

HELVE_PROGRAM names the program; the model is builtin:rules, so that nothing is asked outside.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.path.abspath(os.environ.get("HELVE_PROGRAM", "helve"))
CELLS = "E1,E6,E7,E8,E9,E11,E12"
KILLS = 6
WAIT_S = 240


def arguments(out, *more):
    return [PROGRAM, "experiment", CELLS, "--tasks", "bundled:solar", "--tasks", "bundled:solar-tables", "--max-tasks", "4",
            "--model", "builtin:rules", "--repeats", "2", "--rollouts", "2", "--out", str(out), *more]


class ExperimentTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="helve-experiment-"))
        cls.environment = {**os.environ, "HELVE_CACHE": "0", "XDG_STATE_HOME": str(cls.folder / "state")}
        cls.whole = cls.folder / "whole"
        done = cls.run_to_the_end(cls.whole, "--parallel", "1")
        assert done.returncode == 0, done.stderr
        cls.results = (cls.whole / "results.json").read_bytes()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    @classmethod
    def run_to_the_end(cls, out, *more):
        return subprocess.run(arguments(out, *more), cwd=cls.folder, env=cls.environment, capture_output=True, text=True, timeout=WAIT_S)

    def stop_at(self, out, seconds, number):
        """Begins it, and sends a signal after that time; whether it was still at work."""
        process = subprocess.Popen(arguments(out, "--parallel", "2"), cwd=self.folder, env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        process.wait(timeout=WAIT_S)
        return process.returncode

    def test_all_cells_have_runs(self):
        results = json.loads(self.results)
        self.assertEqual([one["name"] for one in results["sets"]], ["solar", "solar-tables"])
        for one in results["sets"]:
            for cell in one["cells"]:
                plan = cell["plan"]
                self.assertEqual(len(cell["runs"]), 4 * 2 * plan["passes"] * plan["rollouts"], plan["id"])
                self.assertEqual(cell["failures"], [])
                for run in cell["runs"]:
                    self.assertTrue((self.whole / run["trajectory"]).is_file(), run["trajectory"])

    def test_killed_experiments_go_on_to_the_same_bytes(self):
        chance = random.Random(13)
        out = self.folder / "killed"
        began = time.monotonic()
        self.run_to_the_end(self.folder / "clocked", "--parallel", "2")
        took = time.monotonic() - began
        statuses = [self.stop_at(out, chance.uniform(0.1, 0.5) * took, signal.SIGKILL) for _ in range(KILLS)]
        self.assertIn(-signal.SIGKILL, statuses)
        done = self.run_to_the_end(out, "--parallel", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((out / "results.json").read_bytes(), self.results)

    def test_cancelled_experiments_say_so_and_go_on(self):
        out = self.folder / "cancelled"
        status = self.stop_at(out, 1.0, signal.SIGINT)
        self.assertIn(status, (7, 0))
        done = self.run_to_the_end(out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((out / "results.json").read_bytes(), self.results)

    def test_every_judged_result_is_reproduced_without_the_model(self):
        done = subprocess.run([PROGRAM, "experiment", "--replay", str(self.whole), "--json"], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=WAIT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        replay = json.loads(done.stdout)
        runs = sum(len(cell["runs"]) for one in json.loads(self.results)["sets"] for cell in one["cells"])
        self.assertEqual(replay["runs"], runs)
        self.assertEqual(replay["reproduced"], runs)
        self.assertEqual(replay["identical"], runs)

    def test_changed_records_are_not_reproduced(self):
        out = self.folder / "changed"
        shutil.copytree(self.whole, out)
        record = out / "solar" / "E1" / "1" / "pass-1.json"
        figures = json.loads(record.read_text())
        figures["runs"][0]["success"] = not figures["runs"][0]["success"]
        record.write_text(json.dumps(figures))
        done = subprocess.run([PROGRAM, "experiment", "E1", "--replay", str(out)], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=WAIT_S)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("solar/E1/1/pass-1/", done.stdout)

    def test_report_needs_nothing_else(self):
        report = (self.whole / "report.html").read_text()
        for word in ("<script", "http://", "https://", "url(", "@import"):
            self.assertNotIn(word, report.replace("http://www.w3.org/2000/svg", ""))


if __name__ == "__main__":
    unittest.main()
