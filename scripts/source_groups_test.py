#!/usr/bin/env python3
"""Tests of source_groups.py: which files may be compiled as one, and what is written for them."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import source_groups

KEPT = "namespace helve { namespace { %s } }"


def group(files, most=8, headers=None):
    return source_groups.group_files(files, most, source_groups.Headers(headers or {}))


def groups(files, most=8, headers=None):
    return [[source.path for source in one.sources] for one in group(files, most, headers)]


def replaced(one, other, headers=None):
    """The names of the two files that get others; None where the files do not go together."""
    found = group({"a.cc": one, "b.cc": other}, 8, headers)
    return [sorted(found[0].replaced[path]) for path in ("a.cc", "b.cc")] if found else None


class GroupTest(unittest.TestCase):
    def test_files_that_share_no_names_go_together_up_to_the_most(self):
        files = {f"{i}.cc": KEPT % f"int f{i}() {{ return 1; }}" for i in range(5)}
        self.assertEqual(groups(files, 2), [["0.cc", "1.cc"], ["2.cc", "3.cc"]])
        self.assertEqual(groups(files, 8), [["0.cc", "1.cc", "2.cc", "3.cc", "4.cc"]])

    def test_what_two_files_keep_gets_two_names(self):
        for one, other, names in (("int size() { return 1; }", "long size(int a) { return a; }", ["size"]),
                                  ("struct Size {};", "enum class Size { kSmall };", ["Size"]),
                                  ("constexpr int kSize = 1;", "constexpr std::array<int, 2> kSize = {1, 2};", ["kSize"]),
                                  ("const char* const kNames[] = {};", "const std::string kNames(3, 'a');", ["kNames"]),
                                  ("template <typename T, int N> auto made(T t) { return t; }", "void made();", ["made"]),
                                  ("std::function<Result<int>(int)> made(int a);", "using made = int;", ["made"]),
                                  ("enum { kFirst, kSecond = 2 };", "constexpr int kSecond = 3;", ["kSecond"]),
                                  ("[[nodiscard]] static int size() { return 1; }", "int size = 0;", ["size"])):
            with self.subTest(one=one, other=other):
                self.assertEqual(replaced(KEPT % one, KEPT % other), [names, names])
                self.assertEqual(replaced(KEPT % one, KEPT % "int other();"), [[], []])

    def test_a_kept_name_that_another_file_mentions_would_hide_what_that_means(self):
        keeps = KEPT % "int shown(int a) { return a; }"
        for mention in ("int f() { return shown(1); }", "auto g = shown;", "void h(int shown);"):
            self.assertEqual(replaced(keeps, "namespace helve { %s }" % mention), [["shown"], []])
            self.assertEqual(replaced("namespace helve { %s }" % mention, keeps), [[], ["shown"]])
        for other in ("int f(S s) { return s.shown(1); }", "int f(S* s) { return s->shown(1); }",
                      "int f() { return other::shown(1); }", "// shown\nconst char* f() { return \"shown\"; }"):
            self.assertEqual(replaced(keeps, "namespace helve { " + other + " }"), [[], []])

    def test_names_that_cannot_be_replaced_part_the_files(self):
        other = KEPT % "int size() { return 2; } struct Part {};"
        for text in ("int size() { return 1; } int f(S s) { return s.size; }",
                     "int size() { return 1; } int f(S* s) { return s->size(); }",
                     "int size() { return 1; } int f() { return S::size; }",
                     "int size() { return 1; } S s = {.size = 1};",
                     "int size() { return 1; } struct S { int size; };",
                     "int size() { return 1; } int f(size::S s) { return 1; }",
                     "int size() { return 1; } struct S { int first, size = 2; };",
                     "int size() { return 1; } struct S : Base { int size() const override { return 1; } };",
                     "struct Part {}; TEST(Part, Works) { int i; }",
                     "int size() { return 1; } }}\n#define size 2\nnamespace helve { namespace {"):
            with self.subTest(text=text):
                self.assertIsNone(replaced(KEPT % text, other))
                self.assertIsNone(replaced(other, KEPT % text))

    def test_types_with_constructors_and_members_can_be_replaced(self):
        part = "class Part : Base { public: Part(int a) : a_(a) {} ~Part(); int f() { return size(); } int a_; };"
        text = KEPT % ("int size() { return 1; } " + part + " Part::~Part() = default; Part::Part(Part p) { size(); }")
        self.assertEqual(replaced(text, KEPT % "struct Part {}; int size();"), [["Part", "size"]] * 2)

    def test_what_others_find_by_its_name_keeps_it(self):
        for text in ("bool operator==(A, B) { return true; }", "void PrintTo(A, std::ostream*) {}", "void swap(A&, A&) {}"):
            self.assertIsNone(replaced(KEPT % text, KEPT % text), text)

    def test_kept_names_and_the_headers_of_others(self):
        headers = {"src/part.h": "#include \"deep.h\"\nnamespace helve { struct Pattern { int text(); }; int size(); }",
                   "src/deep.h": "#include \"part.h\"\nnamespace helve { class Part; constexpr int kDeep = 1; }",
                   "src/other.h": "namespace helve { struct Other {}; }"}
        includes = "#include \"part.h\"\nnamespace helve { int f(); }"
        for name in ("struct Part {};", "constexpr int kDeep = 2;", "int size() { return 1; }", "struct Pattern {};"):
            keeps = "#include \"other.h\"\n" + KEPT % name
            kept = [found for found in ("Part", "kDeep", "size", "Pattern") if found in name]
            self.assertEqual(replaced(keeps, includes, headers), [kept, []])
            self.assertEqual(replaced(includes, keeps, headers), [[], kept])
            # Beside what its own headers declare, a name stands for both.
            both = "#include \"part.h\"\n" + keeps
            self.assertEqual(replaced(both, includes, headers), [[], []])
            self.assertIsNone(replaced(both, keeps, headers))
        for name in ("struct Other {};", "int text() { return 1; }", "int other();"):
            self.assertEqual(replaced("#include \"other.h\"\n" + KEPT % name, includes, headers), [[], []], name)

    def test_headers_that_add_to_the_functions_of_a_name(self):
        headers = {"src/one.h": "namespace helve { bool is_plain(int); }", "src/two.h": "namespace helve { bool is_plain(char); }"}
        other = "#include \"two.h\"\n"
        for text, fits in (("#include \"one.h\"\nbool f(int a) { return is_plain(a); }", True),
                           ("#include \"one.h\"\nbool f(V v) { return std::all_of(v.begin(), v.end(), is_plain); }", False),
                           ("bool f(std::X x) { return is_plain(x); }", False),
                           ("bool f(bool is_plain) { return is_plain; }", True)):
            self.assertEqual(replaced(text, other, headers), [[], []] if fits else None, text)

    def test_headers_with_a_namespace_of_the_name_of_another(self):
        headers = {"src/own.h": "namespace helve { namespace testing { struct A {}; } }", "src/a.h": "namespace helve::rdf {}",
                   "src/b.h": "namespace helve { namespace rdf {} }"}
        uses = "namespace helve { using %s::Not; }"
        self.assertIsNone(replaced(uses % "testing", "#include \"own.h\"\n", headers))
        self.assertEqual(replaced(uses % "other", "#include \"own.h\"\n", headers), [[], []])
        self.assertEqual(replaced("#include \"a.h\"\n" + uses % "rdf", "#include \"b.h\"\n", headers), [[], []])

    def test_a_constant_of_a_header_would_be_hidden_by_one_of_a_body(self):
        headers = {"src/a.h": "namespace helve { inline constexpr int kSize = 1; }"}
        self.assertIsNone(replaced("int f() { constexpr int kSize = 2; return kSize; }", "#include \"a.h\"\n", headers))

    def test_what_the_whole_program_sees_has_one_meaning(self):
        self.assertEqual(replaced("namespace helve { int Shown::size() { return 1; } void f() { int i; } }",
                                  "namespace helve { int size(int a) { return a; } void f(int) { int i; } }"), [[], []])

    def test_aliases_that_say_the_same_go_together(self):
        same = KEPT % "using testing::HasSubstr; void f%d();"
        self.assertEqual(replaced(same % 1, same % 2), [[], []])
        self.assertEqual(replaced(same % 1, (same % 2).replace("testing", "::testing")), [[], []])
        self.assertIsNone(replaced(same % 1, KEPT % "using mine::HasSubstr;"))
        self.assertIsNone(replaced(same % 1, "int f2() { return HasSubstr(); }"))
        self.assertEqual(replaced("namespace py = pybind11;", "namespace py = pybind11;"), [[], []])
        self.assertEqual(replaced(KEPT % "using Row = int;", KEPT % "using Row = long;"), [["Row"], ["Row"]])

    def test_macros_includes_and_directives(self):
        for text in ("#include <a>\n#define FAST 1\n#include <b>\n", "#include \"table.inc\"\n",
                     "#if FAST\n#include <a>\n#endif\n", "namespace helve {\nusing namespace memory;\n}\n"):
            self.assertEqual(groups({"a.cc": text, "b.cc": ""}), [], text)
        self.assertEqual(groups({"a.cc": "#include <a>\n#define START(x) x\n", "b.cc": "int f() { return START(1); }"}), [])
        for same in ("using namespace std::chrono_literals;\n", "namespace helve {\nusing namespace test;\n}\n"):
            self.assertEqual(groups({"a.cc": same, "b.cc": same}), [["a.cc", "b.cc"]])

    def test_tests_of_one_name_are_parted(self):
        test = KEPT % "TEST(Store, Opens) { int i = 0; }"
        self.assertEqual(groups({"a.cc": test, "b.cc": test}), [])
        self.assertEqual(groups({"a.cc": test, "b.cc": test.replace("Opens", "Closes")}), [["a.cc", "b.cc"]])

    def test_names_inside_of_bodies_are_not_kept(self):
        text = "namespace { struct A { int size; void f() { int i; struct B {}; } } a; int g(int b) { int c; return c; } }"
        self.assertEqual(source_groups.read_names(text).own, {"A", "a", "g"})


class TextTest(unittest.TestCase):
    def test_headers_come_first_and_macros_end_with_their_file(self):
        files = {"a.cc": "#include \"a.h\"  // why\n#include <map>\n" + KEPT % "int size();",
                 "b.cc": "#include <map>\n#include <set>\n" + KEPT % "int size();"}
        self.assertEqual(group(files)[0].text(""),
                         '#include "a.h"\n#include <map>\n#include <set>\n'
                         '#define size size_0\n#include "a.cc"\n#undef size\n'
                         '#define size size_1\n#include "b.cc"\n#undef size\n')

    def test_a_header_beside_its_file_is_named_in_full(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "near.h").write_text("")
            text = '#include "near.h"\n#include "far.h"\n'
            self.assertEqual(source_groups.read_includes(text, Path(folder)), ([f'"{folder}/near.h"', '"far.h"'], True))

    def test_groups_that_say_the_same_are_not_written_again(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder, name) for name in ("a.cc", "b.cc", "c.cc")]
            for path in paths:
                path.write_text(KEPT % f"int {path.stem}();")
            asked = "".join(f"parts\t{folder}\t{path}\n" for path in paths)

            def run(most):
                out = io.StringIO()
                with mock.patch.object(sys, "argv", ["", most]), mock.patch.object(sys, "stdin", io.StringIO(asked)), \
                        contextlib.redirect_stdout(out):
                    source_groups.main()
                return out.getvalue()

            made = Path(folder, "groups", "parts_0.cc")
            self.assertEqual(run("2"), "".join(f"parts\t{made}\t{path}\n" for path in paths[:2]))
            time = made.stat().st_mtime_ns
            run("2")
            self.assertEqual(made.stat().st_mtime_ns, time)
            run("3")
            self.assertIn('#include "../c.cc"', made.read_text())
            self.assertNotIn(folder, made.read_text(), "another checkout would not find it in a cache")


if __name__ == "__main__":
    unittest.main()
