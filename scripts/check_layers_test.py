#!/usr/bin/env python3
"""Tests of check_layers.py: each rule is broken once in a small tree and must be reported."""

import tempfile
import unittest
from pathlib import Path

import check_layers


def check(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith(".h"):
                text = "#pragma once\n" + text
            path.write_text(text, encoding="utf-8")
        violations, warnings, _ = check_layers.check_tree(folder)
        return violations, warnings


class LayersTest(unittest.TestCase):
    def assert_clean(self, files):
        self.assertEqual(check(files), ([], []))

    def assert_one(self, files, place, words):
        violations, _ = check(files)
        self.assertEqual(len(violations), 1, violations)
        self.assertTrue(violations[0].startswith(place + ": "), violations[0])
        self.assertIn(words, violations[0])

    def test_downward_includes_are_fine(self):
        self.assert_clean({
            "src/base/result.h": "#include <tl/expected.hpp>\n",
            "src/sources/rdf/term.h": '#include "base/result.h"\n#include <string>\n',
            "src/sources/rdf/term.cc": '#include "sources/rdf/term.h"\n#include <fmt/format.h>\n',
            "src/sources/store/store.h": '#include "sources/rdf/term.h"\n',
            "src/surfaces/cli/main.cc": '#include <CLI/CLI.hpp>\n#include "sources/store/store.h"\n',
        })

    def test_upward_include(self):
        self.assert_one({
            "src/base/a.h": '#include <string>\n#include "sources/rdf/term.h"\n',
            "src/sources/rdf/term.h": "",
        }, "src/base/a.h:3", "layer 'base' may not see 'rdf'")

    def test_sideways_include(self):
        self.assert_one({
            "src/sources/sql/a.h": '#include "sources/store/store.h"\n',
            "src/sources/store/store.h": "",
        }, "src/sources/sql/a.h:2", "may not see 'store'")

    def test_toolkit_sees_algebra_but_not_engine_or_store(self):
        lower = {"src/sources/sparql/algebra/a.h": "", "src/sources/sparql/engine/e.h": "",
                 "src/sources/store/s.h": "", "src/sources/source.h": ""}
        self.assert_clean({**lower, "src/toolkit/t.h": '#include "sources/sparql/algebra/a.h"\n'
                                                       '#include "sources/source.h"\n'})
        self.assert_one({**lower, "src/toolkit/t.h": '#include "sources/sparql/engine/e.h"\n'},
                        "src/toolkit/t.h:2", "may not see 'sparql'")
        self.assert_one({**lower, "src/toolkit/t.h": '#include "sources/store/s.h"\n'},
                        "src/toolkit/t.h:2", "may not see 'store'")

    def test_third_party_outside_its_adapter(self):
        self.assert_one({"src/sources/rdf/a.cc": "#include <simdjson.h>\n"},
                        "src/sources/rdf/a.cc:1", "stays inside its adapter")

    def test_unknown_third_party(self):
        self.assert_one({"src/base/a.cc": "#include <unheard/of.hpp>\n"},
                        "src/base/a.cc:1", "not in the table")

    def test_public_headers_name_no_third_party(self):
        self.assert_one({"include/helve/helve.h": "#include <fmt/format.h>\n"},
                        "include/helve/helve.h:2", "public headers")

    def test_machine_headers_only_in_base(self):
        self.assert_clean({"src/base/a.cc": "#include <unistd.h>\n"})
        self.assert_one({"src/sources/rdf/a.cc": "#include <sys/mman.h>\n"},
                        "src/sources/rdf/a.cc:1", "base/env.h")

    def test_unit_tests_may_see_fakes_and_libraries_but_no_higher_layer(self):
        tree = {"tests/support/fake_env.h": "", "src/sources/rdf/term.h": ""}
        self.assert_clean({**tree, "src/base/a_test.cc":
                           '#include <gtest/gtest.h>\n#include <zlib.h>\n#include "tests/support/fake_env.h"\n'})
        self.assert_one({**tree, "src/base/a_test.cc": '#include "sources/rdf/term.h"\n'},
                        "src/base/a_test.cc:1", "may not see 'rdf'")

    def test_product_code_does_not_see_tests(self):
        self.assert_one({"tests/support/f.h": "", "src/base/a.cc": '#include "tests/support/f.h"\n'},
                        "src/base/a.cc:1", "for tests")

    def test_tests_see_everything(self):
        self.assert_clean({"tests/support/f.h": '#include "sources/store/s.h"\n', "src/sources/store/s.h": "",
                           "fuzz/f.cc": '#include "sources/store/s.h"\n#include <expat.h>\n'})

    def test_missing_file(self):
        self.assert_one({"src/base/a.cc": '#include "b.h"\n'}, "src/base/a.cc:1", "not a file")

    def test_generated_header(self):
        self.assert_clean({"src/base/version.h.in": "", "src/base/a.cc": '#include "base/version.h"\n'})

    def test_cycle_is_reported_once(self):
        self.assert_one({
            "src/base/a.h": '#include "base/b.h"\n',
            "src/base/b.h": '#include "base/c.h"\n',
            "src/base/c.h": '#include "base/a.h"\n',
            "src/base/d.h": '#include "base/a.h"\n',
        }, "src/base/a.h:2", "a.h -> src/base/b.h -> src/base/c.h -> src/base/a.h")

    def test_own_header_first(self):
        self.assert_one({"src/base/a.h": "", "src/base/a.cc": '#include <string>\n#include "base/a.h"\n'},
                        "src/base/a.cc:1", "own header first")

    def test_long_file_is_a_warning(self):
        violations, warnings = check({"src/base/a.cc": "\n" * 601})
        self.assertEqual(violations, [])
        self.assertEqual(warnings, ["src/base/a.cc: 601 lines: look for a seam"])


if __name__ == "__main__":
    unittest.main()
