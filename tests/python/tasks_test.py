"""helve.tasks: bundled sets, files and folders of SHACL examples."""

import json
import tempfile
import unittest
from pathlib import Path

from helve import errors, tasks

EXAMPLE = """
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix schema: <https://schema.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<https://birds.example/1> a sh:SPARQLExecutable, sh:SPARQLSelectExecutable ;
  rdfs:comment "Which birds sing?"@en ;
  sh:select "SELECT ?b { ?b <https://birds.example/sings> true }" ;
  schema:target <https://birds.example/sparql> .
"""


class Sets(unittest.TestCase):
    def test_bundled_sets(self):
        found = {one.name: one.total for one in tasks.list()}
        self.assertEqual(found["bundled:solar"], 50)
        self.assertEqual(found, {one.name: one.total for one in tasks.sets()})

    def test_tasks_are_chosen_by_words(self):
        self.assertEqual(len(tasks.list("bundled:solar")), 50)
        self.assertEqual({task.level for task in tasks.list("bundled:solar", "level:2")}, {2})
        self.assertEqual(len(tasks.list("bundled:solar", limit=3)), 3)

    def test_show_has_the_reference(self):
        [task] = tasks.show("bundled:solar", "planets-with-rings")
        self.assertIn("sol:hasRings", task.reference)
        self.assertEqual((task.language, task.is_ordered), ("sparql", False))

    def test_check(self):
        report = tasks.check("bundled:solar", "level:1")
        self.assertEqual((report.total, report.failed), (16, 0))
        self.assertEqual(report.tasks[0].rows, 2)

    def test_a_reference_that_fails_is_a_result(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "mine.json"
            file.write_text(json.dumps({"source": "sample:", "tasks": [
                {"id": "a", "question": "What?", "reference": "SELECT ?x {"},
                {"id": "b", "question": "Which?", "reference": "SELECT ?x { ?x sol:orbits body:Mars }"}]}))
            report = tasks.check(file)
        self.assertEqual((report.total, report.failed), (2, 1))
        self.assertIn("error", report.tasks[0])
        self.assertEqual(report.tasks[1].rows, 2)

    def test_mistakes(self):
        with self.assertRaises(errors.HelveError):
            tasks.show("bundled:nothing")
        with self.assertRaises(errors.HelveError):
            tasks.check("/nowhere.json")
        with self.assertRaisesRegex(TypeError, "did you mean 'source'"):
            tasks.check("bundled:solar", sources="x")


class Folders(unittest.TestCase):
    def test_a_folder_of_examples(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "1.ttl").write_text(EXAMPLE)
            self.assertEqual(tasks.load(folder).by_complexity.simple, 1)
            [task] = tasks.load(Path(folder), sample=5, seed=7).tasks
            self.assertEqual((task.id, task.query), ("1", "Which birds sing?"))
            self.assertEqual(tasks.load(folder, complexity="complex", sample=5).tasks, [])
            self.assertEqual([one.question for one in tasks.list(folder)], ["Which birds sing?"])

    def test_no_folder(self):
        with self.assertRaises(errors.NotFound):
            tasks.load("/nowhere")


if __name__ == "__main__":
    unittest.main()
