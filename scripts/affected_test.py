#!/usr/bin/env python3
"""Tests of affected.py on a small repository of its own, with a real build: affected_test.py"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

SCRIPTS = Path(__file__).resolve().parent

CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
include_directories(${PROJECT_SOURCE_DIR})
enable_testing()
add_library(low STATIC src/low.cc)
add_library(high STATIC src/high.cc)
target_link_libraries(high PUBLIC low)
foreach(name low high)
  add_executable(${name}_test src/${name}_test.cc)
  target_link_libraries(${name}_test PRIVATE ${name})
  add_test(NAME ${name} COMMAND ${name}_test)
endforeach()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME case COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/cases/run.py $<TARGET_FILE:high_test>)
add_test(NAME layers COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/changes.py)
set_tests_properties(layers PROPERTIES LABELS repo)
"""

FILES = {
    "CMakeLists.txt": CMAKE,
    "src/low.h": "int low();\n",
    "src/low.cc": '#include "src/low.h"\nint low() { return 1; }\n',
    "src/low_test.cc": '// Reads tests/data/low.txt.\n#include "src/low.h"\nint main() { return low() - 1; }\n',
    "src/high.h": "int high();\n",
    "src/high.cc": '#include "src/high.h"\n#include "src/low.h"\nint high() { return low(); }\n',
    "src/high_test.cc": '#include "src/high.h"\nint main() { return high() - 1; }\n',
    "tests/cases/run.py": "# Compares with docs/shown.md.\n",
    "tests/cases/one.case": "a case\n",
    "tests/data/low.txt": "data\n",
    "docs/shown.md": "shown\n",
    "docs/other.md": "other\n",
    "README.md": "small\n",
    "examples/data.ttl": "<a> <b> <c> .\n",
}

EVERYTHING = {"low", "high", "case", "layers"}


class AffectedTest(unittest.TestCase):
    base = {"HELVE_BASE": "HEAD"}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="helve-affected-")
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name) / "repository"
        for name, text in FILES.items():
            (cls.root / name).parent.mkdir(parents=True, exist_ok=True)
            (cls.root / name).write_text(text, encoding="utf-8")
        (cls.root / "scripts").mkdir()
        for name in ("affected.py", "changes.py", "check_layers.py"):
            shutil.copy2(SCRIPTS / name, cls.root / "scripts" / name)
        (cls.root / ".gitignore").write_text("build/\n__pycache__/\n", encoding="utf-8")
        cls.run_in_root("git", "init", "--quiet", "--initial-branch=work")
        cls.commit("first")

    @classmethod
    def run_in_root(cls, *words):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("HELVE_", "GIT_"))}
        done = subprocess.run(words, cwd=cls.root, env=environment | cls.base, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @classmethod
    def commit(cls, message):
        cls.run_in_root("git", "add", "--all")
        cls.run_in_root("git", "-c", "user.name=n", "-c", "user.email=e@localhost", "commit", "--quiet", "--message", message)

    def setUp(self):
        self.run_in_root("git", "checkout", "--quiet", "--force", "HEAD")
        self.run_in_root("git", "clean", "--quiet", "--force", "-d")

    def affected(self):
        self.run_in_root("cmake", "-G", "Ninja", "-S", ".", "-B", "build/dev")
        self.run_in_root("ninja", "-C", "build/dev")
        return set(self.run_in_root("scripts/affected.py", "build/dev").split())

    def after(self, name, text="changed\n"):
        """The tests that are affected after a line was added to a file."""
        with open(self.root / name, "a", encoding="utf-8") as file:
            file.write(text)
        return self.affected()

    def test_without_a_change_only_tests_of_the_repository_run(self):
        self.assertEqual(self.affected(), {"layers"})

    def test_without_a_base_everything_runs(self):
        with mock.patch.object(AffectedTest, "base", {}):
            self.assertEqual(self.affected(), EVERYTHING)

    def test_a_source_affects_programs_that_are_linked_with_it(self):
        self.assertEqual(self.after("src/high.cc", "// changed\n"), {"high", "case", "layers"})
        self.setUp()
        self.assertEqual(self.after("src/low.cc", "// changed\n"), EVERYTHING)

    def test_a_header_affects_programs_that_read_it(self):
        self.assertEqual(self.after("src/high.h", "// changed\n"), {"high", "case", "layers"})

    def test_a_script_affects_tests_that_are_scripts(self):
        self.assertEqual(self.after("tests/cases/run.py", "# changed\n"), {"case", "layers"})

    def test_data_of_tests_affects_scripts_and_the_programs_that_name_it(self):
        self.assertEqual(self.after("tests/cases/one.case"), {"case", "layers"})
        self.setUp()
        self.assertEqual(self.after("tests/data/low.txt"), {"case", "low", "layers"})

    def test_a_document_affects_tests_that_name_it(self):
        self.assertEqual(self.after("docs/other.md"), {"layers"})
        self.assertEqual(self.after("README.md"), {"layers"})
        self.setUp()
        self.assertEqual(self.after("docs/shown.md"), {"case", "layers"})

    def test_anything_else_affects_everything(self):
        names = ("CMakeLists.txt", "scripts/changes.py", "examples/data.ttl", "src/new.h", "tests/cases/new.cc")
        for name in names:
            with self.subTest(name):
                self.setUp()
                self.assertEqual(self.after(name, "# changed\n"), EVERYTHING)

    def test_a_file_that_moved_counts_at_both_places(self):
        self.run_in_root("git", "mv", "tests/data/low.txt", "tests/cases/low.txt")
        self.assertEqual(self.affected(), {"low", "case", "layers"})


if __name__ == "__main__":
    unittest.main()
