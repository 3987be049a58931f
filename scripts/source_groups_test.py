#!/usr/bin/env python3
"""Tests of source_groups.py: which files may be compiled as one."""

import unittest

import source_groups


def groups(files, most=8, headers=None):
    return source_groups.group_files(files, most, source_groups.Headers(headers or {}))


def own(text):
    return source_groups.read_names(text).own


class SourceGroupsTest(unittest.TestCase):
    def test_files_that_share_no_names_go_together_up_to_the_most(self):
        files = {f"{i}.cc": f"namespace helve {{ namespace {{ int f{i}() {{ return 1; }} }} }}" for i in range(5)}
        self.assertEqual(groups(files, 2), [["0.cc", "1.cc"], ["2.cc", "3.cc"]])
        self.assertEqual(groups(files, 8), [["0.cc", "1.cc", "2.cc", "3.cc", "4.cc"]])

    def test_two_files_that_keep_the_same_name_are_parted(self):
        kept = "namespace helve { namespace { %s } }"
        for one, other in (("int size() { return 1; }", "long size(int a) { return a; }"),
                           ("struct Size {};", "enum class Size { kSmall };"),
                           ("constexpr int kSize = 1;", "constexpr std::array<int, 2> kSize = {1, 2};"),
                           ("const char* const kNames[] = {};", "const std::string kNames(3, 'a');"),
                           ("template <typename T, int N> auto made(T t) { return t; }", "void made();"),
                           ("std::function<Result<int>(int)> made(int a);", "using made = int;"),
                           ("bool operator==(A, B) { return true; }", "bool operator==(C, D) { return true; }"),
                           ("[[nodiscard]] static int size() { return 1; }", "int size = 0;")):
            with self.subTest(one=one, other=other):
                self.assertEqual(groups({"a.cc": kept % one, "b.cc": kept % other}), [])
                self.assertEqual(groups({"a.cc": kept % one, "b.cc": kept % "int other();"}), [["a.cc", "b.cc"]])

    def test_a_kept_name_that_another_file_mentions_would_hide_what_that_means(self):
        keeps = "namespace helve { namespace { int shown(int a) { return a; } } }"
        for mention in ("int f() { return shown(1); }", "auto g = shown;", "void h(int shown);"):
            self.assertEqual(groups({"a.cc": keeps, "b.cc": mention}), [])
            self.assertEqual(groups({"a.cc": mention, "b.cc": keeps}), [])
        for other in ("int f(S s) { return s.shown(1); }", "int f(S* s) { return s->shown(1); }",
                      "int f() { return other::shown(1); }", "// shown\nconst char* f() { return \"shown\"; }"):
            self.assertEqual(groups({"a.cc": keeps, "b.cc": "namespace helve { " + other + " }"}), [["a.cc", "b.cc"]])

    def test_a_kept_name_that_a_header_of_others_mentions(self):
        headers = {"src/part.h": "#include \"deep.h\"\nstruct Pattern { int size() const; int text; };",
                   "src/deep.h": "#include \"part.h\"\nclass Part; constexpr int kDeep = 1;", "src/other.h": "struct Other {};"}
        keeps = "#include \"other.h\"\nnamespace helve { namespace { %s } }"
        includes = "#include \"part.h\"\nnamespace helve { int f(); }"
        for name in ("struct Part {};", "constexpr int kDeep = 2;", "int size() { return 1; }", "using Pattern = int;"):
            for pair in ((keeps % name, includes), (includes, keeps % name)):
                self.assertEqual(groups(dict(zip(("a.cc", "b.cc"), pair)), 8, headers), [], pair)
            # Where both see the header, it is read before the name is there, and means the same to both.
            both = "#include \"part.h\"\n" + keeps % name
            self.assertEqual(groups({"a.cc": both, "b.cc": includes}, 8, headers), [["a.cc", "b.cc"]])
        for name in ("struct Other {};", "int text() { return 1; }", "int other();"):
            self.assertEqual(groups({"a.cc": keeps % name, "b.cc": includes}, 8, headers), [["a.cc", "b.cc"]], name)

    def test_what_the_whole_program_sees_has_one_meaning(self):
        self.assertEqual(groups({"a.cc": "namespace helve { int Shown::size() { return 1; } void f() { int i; } }",
                                 "b.cc": "namespace helve { int size(int a) { return a; } void f(int) { int i; } }"}),
                         [["a.cc", "b.cc"]])

    def test_aliases_that_say_the_same_go_together(self):
        same = "namespace helve { namespace { using testing::HasSubstr; void f%d(); } }"
        self.assertEqual(groups({"a.cc": same % 1, "b.cc": same % 2}), [["a.cc", "b.cc"]])
        other = "namespace helve { namespace { using mine::HasSubstr; } }"
        self.assertEqual(groups({"a.cc": same % 1, "b.cc": other}), [])
        self.assertEqual(groups({"a.cc": same % 1, "b.cc": "int f2() { return HasSubstr(); }"}), [])
        self.assertEqual(groups({"a.cc": "namespace py = pybind11;", "b.cc": "namespace py = pybind11;"}), [["a.cc", "b.cc"]])

    def test_macros_and_directives(self):
        for text in ("#include <a>\n#define FAST 1\n#include <b>\n", "namespace helve {\nusing namespace memory;\n}\n"):
            self.assertEqual(groups({"a.cc": text, "b.cc": ""}), [], text)
        self.assertEqual(groups({"a.cc": "#include <a>\n#define START(x) x\n", "b.cc": "int f() { return START(1); }"}), [])
        literals = "using namespace std::chrono_literals;\n"
        self.assertEqual(groups({"a.cc": literals, "b.cc": literals}), [["a.cc", "b.cc"]])

    def test_tests_of_one_name_are_parted(self):
        test = "namespace helve { namespace { TEST(Store, Opens) { int i = 0; } } }"
        self.assertEqual(groups({"a.cc": test, "b.cc": test}), [])
        self.assertEqual(groups({"a.cc": test, "b.cc": test.replace("Opens", "Closes")}), [["a.cc", "b.cc"]])

    def test_names_inside_of_bodies_are_not_kept(self):
        self.assertEqual(own("namespace { struct A { int size; void f() { int i; struct B {}; } } a; int g(int b) { int c; return c; } }"),
                         {"A", "a", "g"})


if __name__ == "__main__":
    unittest.main()
