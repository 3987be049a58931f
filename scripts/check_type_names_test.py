#!/usr/bin/env python3
"""Tests of check_type_names.py: what clashes and what does not, in small trees."""

import tempfile
import unittest
from pathlib import Path

import check_type_names


def check(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check_type_names.check_tree(folder)[0]


def types(text):
    return [(space, name) for space, name, _ in check_type_names.find_types(text)]


class TypeNamesTest(unittest.TestCase):
    def test_a_clash_is_told_with_both_places(self):
        clashes = check({"src/a.h": "namespace helve {\nstruct Sink {};\n}\n",
                         "tests/b.h": "// b\nnamespace helve {\n\nclass Sink final : public Other {\n};\n}\n"})
        self.assertEqual(len(clashes), 1, clashes)
        self.assertTrue(clashes[0].startswith("tests/b.h:4: the type helve::Sink is defined in src/a.h:2 too"), clashes[0])

    def test_other_namespaces_and_anonymous_ones_do_not_clash(self):
        self.assertEqual(check({
            "src/a.h": "namespace helve { struct Sink {}; }",
            "src/b.h": "namespace helve::sql { struct Sink {}; }",
            "src/c.cc": "namespace helve { namespace { struct Sink {}; } }",
            "src/d.cc": "namespace helve { namespace { class Sink {}; } struct Other { struct Sink {}; }; }",
            "src/e.cc": "namespace helve { void f() { struct Sink {}; } }",
        }), [])

    def test_declarations_and_specialisations_are_no_definitions(self):
        self.assertEqual(types("namespace a { class B; struct C* f(); friend class D; }"), [])
        self.assertEqual(types("namespace a { template <> struct hash<B> { int x; }; }"), [])
        self.assertEqual(types("namespace a { struct B::C { int x; }; }"), [])
        self.assertEqual(types("namespace a { struct B f() { return {}; } struct B x = {1}; }"), [])

    def test_all_kinds_are_found(self):
        text = """namespace a::b {
          template <class T, typename U> class C { class Inner {}; };
          enum class D : std::uint8_t { X, Y };
          union E { int x; };
          struct F final : public G<int> { void f() { if (x) { y(); } } };
          struct [[nodiscard]] H { int x; };
          }
          struct I {};"""
        self.assertEqual(types(text), [("a::b", name) for name in "CDEFH"] + [("", "I")])

    def test_comments_texts_and_directives_are_passed_over(self):
        text = """#define OPEN {
          namespace a { // struct B {
          /* struct C { */
          const char* kText = "struct D {"; const char kQuote = '"'; const int kMany = 1'000'000;
          const char* kRaw = R"x(struct E { ")x";
          struct F {}; }"""
        self.assertEqual(types(text), [("a", "F")])


if __name__ == "__main__":
    unittest.main()
