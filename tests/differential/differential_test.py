#!/usr/bin/env python3
"""Tests of the comparison and of the generators themselves."""

import random
import unittest

from compare import XSD, difference, key, sorting_mistake
from graphs import make_graph
from profiles import PROFILES
from queries import QueryMaker


def iri(name):
    return {"type": "uri", "value": name}


def blank(name):
    return {"type": "bnode", "value": name}


def literal(value, datatype=None):
    return {"type": "literal", "value": value, **({"datatype": XSD + datatype} if datatype else {})}


def solutions(rows, names=("a", "b")):
    return {"kind": "solutions", "vars": list(names), "rows": rows}


class CompareTest(unittest.TestCase):
    def test_rows_are_a_bag(self):
        left = solutions([[iri("x"), None], [iri("y"), iri("z")]])
        right = solutions([[iri("y"), iri("z")], [iri("x"), None]])
        self.assertIsNone(difference(left, right))
        self.assertEqual(difference(left, right, is_ordered=True), "order differs")
        twice = solutions([*left["rows"], left["rows"][0]])
        self.assertEqual(difference(left, twice), "rows differ")

    def test_columns_are_matched_by_name(self):
        left = solutions([[iri("x"), iri("y")]])
        self.assertIsNone(difference(left, solutions([[iri("y"), iri("x")]], ("b", "a"))))
        self.assertEqual(difference(left, solutions([[iri("x"), iri("y")]], ("a", "c"))), "variables differ")

    def test_blank_nodes_are_renamed_one_to_one(self):
        cycle = solutions([[blank("1"), blank("2")], [blank("2"), blank("3")], [blank("3"), blank("1")]])
        renamed = solutions([[blank("b"), blank("c")], [blank("c"), blank("a")], [blank("a"), blank("b")]])
        self.assertIsNone(difference(cycle, renamed))
        loops = solutions([[blank("a"), blank("b")], [blank("b"), blank("a")], [blank("c"), blank("c")]])
        self.assertEqual(difference(cycle, loops), "rows differ")
        merged = solutions([[blank("a"), iri("x")], [blank("a"), iri("x")]])
        apart = solutions([[blank("a"), iri("x")], [blank("b"), iri("x")]])
        self.assertEqual(difference(merged, apart), "rows differ")

    def test_numbers_are_compared_by_value_and_datatype(self):
        self.assertEqual(key(literal("1.50", "decimal")), key(literal("1.5", "decimal")))
        self.assertEqual(key(literal("1.5E0", "double")), key(literal("1.5", "double")))
        self.assertNotEqual(key(literal("1", "decimal")), key(literal("1", "integer")))
        self.assertNotEqual(key(literal("01", "integer")), key(literal("1", "integer")))
        self.assertEqual(key(literal("a")), key(literal("a", "string")))
        self.assertNotEqual(key(literal("a")), key({**literal("a"), "xml:lang": "en"}))

    def test_errors(self):
        self.assertIsNone(difference({"error": "x"}, {"error": "y"}))
        self.assertEqual(difference({"error": "x"}, solutions([])), "we refuse")
        self.assertEqual(difference(solutions([]), {"error": "x"}), "they refuse")

    def test_graphs_are_sets(self):
        left = {"kind": "graph", "triples": [[iri("s"), iri("p"), blank("x")]]}
        right = {"kind": "graph", "triples": [[iri("s"), iri("p"), blank("y")], [iri("s"), iri("p"), blank("y")]]}
        self.assertIsNone(difference(left, right))

    def test_order_of_a_column(self):
        column = lambda *items: solutions([[item] for item in items], ("a",))
        ascending = column(None, blank("x"), iri("a"), iri("b"), literal("2", "integer"), literal("10", "integer"))
        self.assertIsNone(sorting_mistake(ascending, (("a", False),)))
        self.assertIsNotNone(sorting_mistake(ascending, (("a", True),)))
        self.assertIsNotNone(sorting_mistake(column(literal("10", "integer"), literal("2", "integer")), (("a", False),)))


class GeneratorTest(unittest.TestCase):
    def test_a_seed_gives_the_same_questions(self):
        for profile in PROFILES.values():
            texts = []
            for _ in range(2):
                generator = random.Random(7)
                graph = make_graph(generator, profile)
                texts.append((graph.nquads(), [QueryMaker(generator, graph, profile).query().text for _ in range(20)]))
            self.assertEqual(texts[0], texts[1])


if __name__ == "__main__":
    unittest.main()
