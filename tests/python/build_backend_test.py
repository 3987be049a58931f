#!/usr/bin/env python3
"""What the build backend does before and beside compiling: settings, what must be installed, errors.

CMake is a script here that writes down what it was called with; wheel_test.py has the real one.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import types
import unittest
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from package_build import BACKEND_FOLDER, ROOT, build_backend, clean_environment

import build_archives


class BackendTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="helve-backend-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()

    def program(self, name: str, text: str) -> Path:
        """A script that is a program; PATH has no others while `only_these` holds."""
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def only_these(self, **more: str) -> contextlib.AbstractContextManager[object]:
        return mock.patch.dict(os.environ, {"PATH": str(self.bin), "HELVE_SKIP_DEPS": "1", **more})

    @contextlib.contextmanager
    def error(self, *words: str) -> Iterator[None]:
        """The build ends with one message that has all these words; it is no traceback."""
        with self.assertRaises(SystemExit) as caught:
            yield
        self.assertRegex(str(caught.exception), r"^helve: ")
        for word in words:
            self.assertIn(word, str(caught.exception))


class SettingsTest(BackendTest):
    def test_none(self) -> None:
        for nothing in (None, {}):
            self.assertEqual(build_backend.read_settings(nothing), build_backend.Settings(None, ()))

    def test_build_dir_is_relative_to_the_sources(self) -> None:
        self.assertEqual(
            build_backend.read_settings({"build-dir": "build/dev"}).build_dir, ROOT / "build/dev"
        )
        self.assertEqual(build_backend.read_settings({"build-dir": str(self.folder)}).build_dir, self.folder)

    def test_arguments_are_split_as_a_shell_does(self) -> None:
        settings = build_backend.read_settings({"cmake-args": ["-DA=1 '-DB=two words'", "-DC=3"]})
        self.assertEqual(settings.cmake_args, ("-DA=1", "-DB=two words", "-DC=3"))
        self.assertEqual(
            build_backend.read_settings({"cmake-args": "-DA=1 -DB=2"}).cmake_args, ("-DA=1", "-DB=2")
        )

    def test_every_hook_refuses_an_unknown_setting(self) -> None:
        wrong = {"build_dir": "x"}
        hooks = [
            lambda: build_backend.get_requires_for_build_wheel(wrong),
            lambda: build_backend.get_requires_for_build_editable(wrong),
            lambda: build_backend.get_requires_for_build_sdist(wrong),
            lambda: build_backend.prepare_metadata_for_build_wheel(str(self.folder), wrong),
            lambda: build_backend.build_wheel(str(self.folder), wrong),
            lambda: build_backend.build_editable(str(self.folder), wrong),
            lambda: build_backend.build_sdist(str(self.folder), wrong),
        ]
        for hook in hooks:
            with self.error("'build_dir'", "'build-dir'", "'cmake-args'"):
                hook()

    def test_values_are_checked(self) -> None:
        for wrong in (
            {"build-dir": ["a", "b"]},
            {"build-dir": ""},
            {"build-dir": 3},
            {"cmake-args": True},
            {"cmake-args": "-DA='open"},
        ):
            with self.subTest(wrong), self.error(next(iter(wrong))):
                build_backend.read_settings(wrong)


class NeedsTest(BackendTest):
    def test_nothing_is_fetched_where_debian_serves(self) -> None:
        with mock.patch.object(sys, "version_info", (3, 11, 2)):
            self.assertEqual(build_backend.get_requires_for_build_wheel(), [])
            self.assertEqual(build_backend.get_requires_for_build_editable(), [])
        self.assertEqual(build_backend.get_requires_for_build_sdist(), [])

    def test_newer_pythons_get_a_newer_pybind11(self) -> None:
        with mock.patch.object(sys, "version_info", (3, 12, 0)):
            self.assertEqual(build_backend.get_requires_for_build_wheel(), ["pybind11>=3"])

    def test_its_headers_are_those_of_the_build_environment(self) -> None:
        module = types.SimpleNamespace(get_include=lambda: "/there/include")
        with (
            mock.patch.object(sys, "version_info", (3, 12, 0)),
            mock.patch.dict(sys.modules, pybind11=module),
        ):
            self.assertEqual(
                build_backend.pybind11_arguments(build_backend.Settings()),
                ["-DPYBIND11_INCLUDE=/there/include"],
            )
            mine = build_backend.Settings(cmake_args=("-DPYBIND11_INCLUDE=/mine",))
            self.assertEqual(build_backend.pybind11_arguments(mine), [])

    def test_without_it_the_command_is_told(self) -> None:
        with mock.patch.object(sys, "version_info", (3, 12, 0)), mock.patch.dict(sys.modules, pybind11=None):
            with self.error("pip install 'pybind11>=3'"):
                build_backend.pybind11_arguments(build_backend.Settings())

    def test_old_pythons_are_told_so(self) -> None:
        code = "import sys; sys.version_info = (3, 10, 1); import build_backend"
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=False,
            env=clean_environment(PYTHONPATH=str(BACKEND_FOLDER)),
        )
        self.assertEqual(
            (done.returncode, done.stderr), (1, "helve: needs Python 3.11 or newer; this is Python 3.10\n")
        )

    def test_other_implementations_are_told_so(self) -> None:
        with (
            mock.patch.object(sys, "implementation", types.SimpleNamespace(name="pypy")),
            self.error("CPython", "pypy"),
        ):
            build_archives.wheel_tag()

    def test_never_calls_the_package_manager(self) -> None:
        calls = self.folder / "calls"
        self.program("apt-get", f'echo "$@" >>"{calls}"')
        settings = build_backend.Settings(None, ())
        with (
            mock.patch.object(os, "geteuid", lambda: 0),
            self.only_these(HELVE_SKIP_DEPS=""),
            self.error("cmake", "not found in PATH", "scripts/install-deps.sh python"),
        ):
            build_backend.configure(self.folder / "build", settings)
        self.assertFalse(calls.exists())

    def test_headers_of_python_are_looked_for(self) -> None:
        with mock.patch.object(build_backend.sysconfig, "get_path", lambda _: str(self.folder)):
            with self.error("no Python.h", sys.executable, "scripts/install-deps.sh python"):
                build_backend.check_headers()


class ConfigureTest(BackendTest):
    def setUp(self) -> None:
        super().setUp()
        self.calls = self.folder / "calls"
        self.build = self.folder / "build"
        self.settings = {"build-dir": str(self.build)}
        for name in ("ninja", "c++"):
            self.program(name, "exit 0")

    def fake_cmake(self, status: int) -> None:
        self.program("cmake", f'for word in "$@"; do echo "$word"; done >>"{self.calls}"; exit {status}')

    def cache(self, **variables: str) -> None:
        """A build folder that was configured so."""
        self.build.mkdir()
        (self.build / "CMakeCache.txt").write_text("".join(f"{k}:STRING={v}\n" for k, v in variables.items()))
        (self.build / "build.ninja").touch()

    def test_without_cmake_the_command_is_told(self) -> None:
        with self.only_these(), self.error("cmake not found in PATH", "scripts/install-deps.sh python"):
            build_backend.build_wheel(str(self.folder), self.settings)

    def test_a_new_folder_gets_the_release_settings(self) -> None:
        self.fake_cmake(1)
        arguments = {**self.settings, "cmake-args": "-DHELVE_TESTS=ON"}
        with self.only_these(), self.error("status 1", "scripts/install-deps.sh python"):
            build_backend.build_wheel(str(self.folder), arguments)
        called = self.calls.read_text().splitlines()
        self.assertEqual(called[:3], ["--preset", "release", "--fresh"])
        self.assertEqual(called[called.index("-B") + 1], str(self.build))
        self.assertIn("-DHELVE_PYTHON=ON", called)
        python = next(word.partition("=")[2] for word in called if word.startswith("-DPython_EXECUTABLE="))
        self.assertEqual(os.path.realpath(python), os.path.realpath(sys.executable))
        self.assertEqual(called[-1], "-DHELVE_TESTS=ON", "the caller's arguments come last: they win")

    def test_the_own_folder_is_not_made_anew(self) -> None:
        self.fake_cmake(1)
        self.cache(CMAKE_HOME_DIRECTORY=str(ROOT))
        with (
            self.only_these(),
            mock.patch.object(build_backend, "own_build_dir", lambda: self.build),
            self.error(),
        ):
            build_backend.build_wheel(str(self.folder))
        self.assertIn("--preset", self.calls.read_text().splitlines())
        self.assertNotIn("--fresh", self.calls.read_text().splitlines())

    def test_a_given_folder_keeps_its_settings(self) -> None:
        self.fake_cmake(1)
        self.cache(CMAKE_HOME_DIRECTORY=str(ROOT), HELVE_PYTHON="ON")
        with self.only_these(JOBS="3"), self.error("cmake --build"):
            build_backend.build_wheel(str(self.folder), self.settings)
        called = self.calls.read_text().splitlines()
        self.assertEqual(called[:2], ["--build", str(self.build)])
        self.assertEqual(called[-4:], ["--target", "helve", "helve_library", "helve_python"])

    def test_a_given_folder_must_be_of_these_sources(self) -> None:
        self.fake_cmake(0)
        self.cache(CMAKE_HOME_DIRECTORY="/elsewhere", HELVE_PYTHON="ON")
        with self.only_these(), self.error("other sources", str(self.build)):
            build_backend.build_wheel(str(self.folder), self.settings)
        self.assertFalse(self.calls.exists())

    def test_a_given_folder_must_have_the_package(self) -> None:
        self.fake_cmake(0)
        self.cache(CMAKE_HOME_DIRECTORY=str(ROOT), HELVE_PYTHON="OFF")
        with self.only_these(), self.error("-DHELVE_PYTHON=ON"):
            build_backend.build_wheel(str(self.folder), self.settings)

    def test_an_extension_of_another_python_is_refused(self) -> None:
        (self.folder / "helve").mkdir()
        (self.folder / "helve/_core.cpython-39-x86_64-linux-gnu.so").touch()
        with self.error("another Python", "_core.cpython-39-x86_64-linux-gnu.so"):
            build_backend.check_staged(self.folder)

    def test_sources_that_cannot_be_written_to_are_built_elsewhere(self) -> None:
        blocked = self.folder / "file"
        blocked.touch()
        with mock.patch.object(build_backend, "own_build_dir", lambda: blocked / "build"):
            with build_backend.build_folder(build_backend.Settings()) as folder:
                self.assertTrue(folder.is_dir())
            self.assertFalse(folder.exists())
            with self.error("cannot be written to", "build-dir"):
                build_backend.build_editable(str(self.folder))
        with self.error("cannot be written to"):
            build_backend.build_wheel(str(self.folder), {"build-dir": str(blocked / "build")})


class ArchiveTest(BackendTest):
    def test_times_are_those_of_the_source(self) -> None:
        for text, epoch in (
            ("", 315532800),
            ("0", 315532800),
            ("1700000000", 1700000000),
            ("9" * 12, 4354819199),
        ):
            with mock.patch.dict(os.environ, SOURCE_DATE_EPOCH=text):
                self.assertEqual(build_archives.source_epoch(), epoch)
        with (
            mock.patch.dict(os.environ, SOURCE_DATE_EPOCH="today"),
            self.error("SOURCE_DATE_EPOCH", "'today'"),
        ):
            build_archives.source_epoch()

    def test_nothing_is_left_of_an_archive_that_failed(self) -> None:
        with self.assertRaises(KeyError), build_archives.replacing(self.folder / "a.whl") as file:
            file.write(b"half")
            raise KeyError
        self.assertEqual([path.name for path in self.folder.iterdir()], ["bin"])

    def test_a_place_that_cannot_be_written_to_is_named(self) -> None:
        (self.folder / "file").touch()
        with self.error(str(self.folder / "file")), build_archives.replacing(self.folder / "file/a.whl"):
            self.fail("the file was opened")

    def test_sources_without_a_list_of_files_make_no_sdist(self) -> None:
        with mock.patch.object(build_backend, "ROOT", self.folder), self.error("PKG-FILES", "git"):
            build_backend.source_names()

    def test_a_missing_source_file_is_named(self) -> None:
        (self.folder / "PKG-FILES").write_text("here\ngone\n")
        (self.folder / "here").touch()
        with mock.patch.object(build_backend, "ROOT", self.folder), self.error("missing: gone"):
            build_backend.source_files()

    def test_usage(self) -> None:
        for words in ([], ["--help"], ["a", "b"]):
            with (
                mock.patch.object(sys, "argv", ["build_backend.py", *words]),
                self.assertRaises(SystemExit) as caught,
            ):
                with contextlib.redirect_stdout(io.StringIO()):
                    build_backend.main()
            self.assertIn("usage: build_backend.py DIR", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
