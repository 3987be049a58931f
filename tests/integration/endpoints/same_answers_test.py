#!/usr/bin/env python3
"""same_answers.py finds what it is there to find, and its list of quirks is held to be true. Needs no engine."""

import unittest

from same_answers import Quirks, compare

QUIRK = {"engines": ["x"], "calls": {"g/one": ["rows"]}, "why": "for a test"}
FORM = {"engines": ["x"], "form": "decimal", "why": "for a test"}


class Answers:
    """A source that gives what it is told to."""

    def __init__(self, **answer):
        self.given = answer

    def answer(self, _call):
        return self.given


def complaints(near, far, differences=(), forms=(), **call):
    quirks = Quirks("x", {"forms": list(forms), "differences": list(differences)})
    found = compare(Answers(**near), Answers(**far), "g", [{"id": "one", **call}], quirks)
    return found, quirks


class SameAnswers(unittest.TestCase):
    def test_a_difference_must_be_listed(self):
        self.assertEqual(len(complaints({"rows": 1}, {"rows": 2})[0]), 1)
        self.assertEqual(complaints({"rows": 1}, {"rows": 2}, [QUIRK])[0], [])
        self.assertEqual(len(complaints({"rows": 1}, {})[0]), 1)
        self.assertEqual(len(complaints({"rows": 1, "columns": ["a"]}, {"rows": 2, "columns": ["b"]}, [QUIRK])[0]), 1)

    def test_a_listed_one_must_occur(self):
        self.assertEqual(len(complaints({"rows": 1}, {"rows": 1}, [QUIRK])[0]), 1)
        self.assertEqual(complaints({"rows": 1}, {"rows": 1}, [{**QUIRK, "sometimes": True}])[0], [])
        self.assertEqual(complaints({"rows": 1}, {"rows": 1}, [{**QUIRK, "engines": ["y"]}])[0], [])
        quirks = complaints({}, {}, [{**QUIRK, "calls": {"g/two": ["rows"]}}])[1]
        self.assertEqual(len(quirks.unknown_calls({"g": [{"id": "one"}]})), 1)

    def test_order_counts_where_it_is_asked_for(self):
        self.assertEqual(complaints({"all_rows": [["a"], ["b"]]}, {"all_rows": [["b"], ["a"]]})[0], [])
        self.assertEqual(len(complaints({"all_rows": [["a"], ["b"]]}, {"all_rows": [["b"], ["a"]]}, ordered=True)[0]), 1)
        self.assertEqual(len(complaints({"all_rows": [["a", "b"]]}, {"all_rows": [["b", "a"]]})[0]), 1)
        self.assertEqual(len(complaints({"all_rows": [["a"]]}, {"all_rows": [["a"], ["a"]]})[0]), 1)

    def test_a_form_hides_spellings_alone(self):
        near, far = {"all_rows": [["210.0"]]}, {"all_rows": [['"210"^^<http://www.w3.org/2001/XMLSchema#decimal>']]}
        self.assertEqual(len(complaints(near, far)[0]), 1)
        found, quirks = complaints(near, far, forms=[FORM])
        self.assertEqual((found, quirks.unseen_forms), ([], set()))
        self.assertEqual(len(complaints({"all_rows": [["210.0"]]}, {"all_rows": [["210.1"]]}, forms=[FORM])[0]), 1)
        self.assertEqual(complaints(near, near, forms=[FORM])[1].unseen_forms, {"decimal"})

    def test_items_differ_by_what_is_in_them(self):
        near, far = {"properties": [{"name": "p", "range": "r", "count": 1}]}, {"properties": [{"name": "p", "range": None, "count": 1}]}
        quirk = {**QUIRK, "calls": {"g/one": ["properties.range"]}}
        self.assertEqual(complaints(near, far, [quirk])[0], [])
        far["properties"][0]["count"] = 2
        self.assertEqual(len(complaints(near, far, [quirk])[0]), 1)

    def test_of_samples_the_number_counts(self):
        near, far = {"common_properties": ["a", "b"]}, {"common_properties": ["b", "c"]}
        self.assertEqual(complaints(near, far, samples=["common_properties"])[0], [])
        far["common_properties"].pop()
        self.assertEqual(len(complaints(near, far, samples=["common_properties"])[0]), 1)


if __name__ == "__main__":
    unittest.main()
