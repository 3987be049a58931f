#!/usr/bin/env python3
"""Builds the wheel and the sdist of a build folder through the hooks of the backend, looks into them, and
installs them into an empty virtual environment: HELVE_BUILD_DIR=build/dev tests/python/wheel_test.py
HELVE_PYTHON_MUST_RUN=1 fails where no environment can be made; otherwise these tests are skipped.
"""

from __future__ import annotations

import base64
import csv
import functools
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import unittest
import zipfile
from email.message import Message
from email.parser import BytesParser
from pathlib import Path

from package_build import BACKEND_FOLDER, BUILD, ROOT, build_backend, clean_environment, run

SETTINGS = {"build-dir": str(BUILD)}
VERSION = re.search(r"project\(helve VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
INFO = f"helve-{VERSION}.dist-info"
CORE = f"helve/_core{sysconfig.get_config_var('EXT_SUFFIX')}"
LIBRARY = f"helve/libhelve.so.{'.'.join(VERSION.split('.')[:2])}"
PROGRAM = "helve/bin/helve"
BINARIES = (CORE, LIBRARY, PROGRAM)
INFO_FILES = {
    f"{INFO}/{name}" for name in ("METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE", "RECORD")
}


def source_modules() -> set[str]:
    """The files of the package that are not compiled, as they are in the source tree."""
    folder = BACKEND_FOLDER / "helve"
    return {
        f"helve/{path.relative_to(folder).as_posix()}"
        for path in folder.rglob("*")
        if path.suffix in (".py", ".pyi") or path.name == "py.typed"
    }


def digest(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def dynamic_entries(path: Path, kind: str) -> list[str]:
    """The values of the entries of one kind in the dynamic section of a binary."""
    return re.findall(rf"\({kind}\).*\[(.*)\]", run("readelf", "-dW", path, LC_ALL="C"))


def shown_names(path: Path) -> list[str]:
    lines = run("nm", "-D", "-C", "--defined-only", path).splitlines()
    return [line.split(maxsplit=2)[2] for line in lines]


class Built(unittest.TestCase):
    """Has a folder with the wheel in it, the same for all tests."""

    folder: Path
    wheel: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder, cls.wheel = built_wheel()


@functools.cache
def built_wheel() -> tuple[Path, Path]:
    folder = tempfile.TemporaryDirectory(prefix="helve-wheel-")
    unittest.addModuleCleanup(folder.cleanup)
    return Path(folder.name), Path(folder.name) / build_backend.build_wheel(folder.name, SETTINGS)


class WheelTest(Built):
    entries: list[zipfile.ZipInfo]
    files: dict[str, bytes]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        with zipfile.ZipFile(cls.wheel) as wheel:
            cls.entries = wheel.infolist()
            cls.files = {entry.filename: wheel.read(entry) for entry in cls.entries}
            for name in BINARIES:
                wheel.extract(name, cls.folder)

    def metadata(self) -> Message:
        return BytesParser().parsebytes(self.files[f"{INFO}/METADATA"])

    def test_name_tells_the_machine(self) -> None:
        tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        self.assertRegex(self.wheel.name, rf"^helve-{re.escape(VERSION)}-{tag}-{tag}t?-{platform}\.whl$")
        self.assertIn(f"Tag: {self.wheel.stem.split('-', 2)[2]}\n", self.files[f"{INFO}/WHEEL"].decode())
        self.assertIn("Root-Is-Purelib: false\n", self.files[f"{INFO}/WHEEL"].decode())

    def test_holds_the_package_and_nothing_else(self) -> None:
        self.assertEqual(set(self.files), source_modules() | set(BINARIES) | INFO_FILES)
        self.assertEqual(len(self.entries), len(self.files), "a name is there twice")

    def test_modules_are_those_of_the_source_tree(self) -> None:
        for name in source_modules():
            self.assertEqual(self.files[name], (BACKEND_FOLDER / name).read_bytes(), name)

    def test_record_is_right(self) -> None:
        rows = list(csv.reader(io.StringIO(self.files[f"{INFO}/RECORD"].decode())))
        self.assertEqual([row[0] for row in rows], [entry.filename for entry in self.entries])
        for name, hashed, size in rows[:-1]:
            self.assertEqual((hashed, size), (digest(self.files[name]), str(len(self.files[name]))), name)
        self.assertEqual(rows[-1], [f"{INFO}/RECORD", "", ""])

    def test_only_binaries_can_be_executed(self) -> None:
        modes = {entry.filename: entry.external_attr >> 16 for entry in self.entries}
        self.assertEqual(modes[PROGRAM], 0o100755)
        self.assertEqual({modes[name] for name in modes if name not in BINARIES}, {0o100644})

    def test_texts_do_not_tell_where_they_were_built(self) -> None:
        places = {
            str(ROOT),
            str(BUILD),
            str(self.folder),
            str(Path.home()),
            sys.prefix,
            tempfile.gettempdir() + "/",
        }
        for name in set(self.files) - set(BINARIES):
            for place in places - {"/", "/usr"}:
                self.assertNotIn(place.encode(), self.files[name], name)

    def test_binaries_look_for_libraries_beside_themselves(self) -> None:
        for name in BINARIES:
            paths = dynamic_entries(self.folder / name, "(?:RUNPATH|RPATH)")
            for path in ":".join(paths).split(":") if paths else []:
                self.assertRegex(path, r"^\$ORIGIN(/|$)", name)
        self.assertEqual(dynamic_entries(self.folder / CORE, "RUNPATH"), ["$ORIGIN"])
        self.assertIn(Path(LIBRARY).name, dynamic_entries(self.folder / CORE, "NEEDED"))
        self.assertEqual(dynamic_entries(self.folder / LIBRARY, "SONAME"), [Path(LIBRARY).name])

    def test_binaries_show_nothing_but_their_interface(self) -> None:
        self.assertEqual(shown_names(self.folder / CORE), ["PyInit__core"])
        names = shown_names(self.folder / LIBRARY)
        self.assertGreater(len(names), 10)
        self.assertEqual([name for name in names if "helve::api::" not in name], [])

    def test_binaries_are_stripped(self) -> None:
        for name in BINARIES:
            sections = run("readelf", "-SW", self.folder / name)
            self.assertNotRegex(sections, r"\.debug_|\.symtab", name)

    def test_metadata(self) -> None:
        metadata = self.metadata()
        single = {
            "Name": "helve",
            "Version": VERSION,
            "Requires-Python": ">=3.11",
            "License-Expression": "Apache-2.0",
            "License-File": "LICENSE",
            "Description-Content-Type": "text/markdown",
        }
        self.assertEqual({key: metadata[key] for key in single}, single)
        self.assertTrue(metadata["Summary"])
        self.assertIn("Typing :: Typed", metadata.get_all("Classifier"))
        self.assertEqual(
            metadata.get_payload(decode=True).decode(), (ROOT / "README.md").read_text(encoding="utf-8")
        )
        self.assertEqual(self.files[f"{INFO}/licenses/LICENSE"], (ROOT / "LICENSE").read_bytes())

    def test_needs_nothing_but_what_an_extra_asks_for(self) -> None:
        self.assertEqual(
            set(self.metadata().get_all("Provides-Extra")), {"dspy", "langchain", "pandas", "arrow", "all"}
        )
        for need in self.metadata().get_all("Requires-Dist"):
            self.assertRegex(need, r'; extra == "[a-z]+"$')

    def test_metadata_ahead_of_the_build_is_that_of_the_wheel(self) -> None:
        folder = self.folder / "metadata"
        name = build_backend.prepare_metadata_for_build_wheel(str(folder), SETTINGS)
        self.assertEqual(name, INFO)
        ahead = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
        self.assertEqual(ahead, {key: self.files[key] for key in INFO_FILES - {f"{INFO}/RECORD"}})

    def test_same_bytes_again(self) -> None:
        again = self.folder / "again"
        name = build_backend.build_wheel(str(again), SETTINGS)
        self.assertEqual(digest((again / name).read_bytes()), digest(self.wheel.read_bytes()))
        self.assertEqual(
            [path.name for path in again.iterdir()], [self.wheel.name], "something was left beside it"
        )


class InstallTest(Built):
    """Into a virtual environment, and used from a folder that has nothing to do with the sources."""

    venv: Path
    empty: Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="helve-venv-")
        cls.addClassCleanup(folder.cleanup)
        cls.venv, cls.empty = Path(folder.name) / "venv", Path(folder.name) / "empty"
        cls.empty.mkdir()
        made = subprocess.run(
            [sys.executable, "-m", "venv", cls.venv],
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode != 0:
            lack = "'python3 -m venv' makes no environment with pip here (Debian: python3-venv)"
            raise (
                AssertionError(lack)
                if os.environ.get("HELVE_PYTHON_MUST_RUN") == "1"
                else unittest.SkipTest(lack)
            )
        super().setUpClass()

    def pip(self, *words: str | Path) -> str:
        return run(
            self.venv / "bin/python", "-m", "pip", "--disable-pip-version-check", *words, cwd=self.empty
        )

    def python(self, code: str) -> str:
        return run(self.venv / "bin/python", "-c", code, cwd=self.empty).strip()

    def check_use(self) -> None:
        self.assertEqual(self.python("import helve; print(helve.__version__)"), VERSION)
        self.assertIn(VERSION, run(self.venv / "bin/helve", "--version", cwd=self.empty))
        answer = run(
            self.venv / "bin/helve",
            "call",
            "--source",
            "sample:",
            "sparql_query",
            "query=ASK { ?s ?p ?o }",
            cwd=self.empty,
            HELVE_CACHE="0",
        )
        self.assertRegex(answer, "(?i)true|yes")
        failed = subprocess.run(
            [self.venv / "bin/helve", "no-such-command"],
            cwd=self.empty,
            env=clean_environment(),
            capture_output=True,
            check=False,
        )
        self.assertNotEqual(failed.returncode, 0)

    def check_uninstall(self) -> None:
        self.pip("uninstall", "-y", "helve")
        self.assertEqual(sorted(path.name for path in self.venv.rglob("*helve*")), [])

    def test_wheel(self) -> None:
        self.pip("install", "--no-index", "--no-deps", self.wheel)
        self.check_use()
        place = Path(self.python("import helve; print(helve.__file__)"))
        self.assertTrue(place.is_relative_to(self.venv), place)
        self.assertTrue(os.access(place.parent / "bin/helve", os.X_OK))
        self.pip("check")
        self.check_uninstall()

    def test_editable(self) -> None:
        name = build_backend.build_editable(str(self.folder / "editable"), SETTINGS)
        self.pip("install", "--no-index", "--no-deps", self.folder / "editable" / name)
        self.check_use()
        module = Path(self.python("import helve; print(helve.__file__)"))
        self.assertEqual(module, BUILD / "python/helve/__init__.py")
        self.assertEqual(module.resolve(), BACKEND_FOLDER / "helve/__init__.py")
        self.check_uninstall()


class SdistTest(unittest.TestCase):
    folder: Path
    sdist: Path
    unpacked: Path
    members: list[tarfile.TarInfo]

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="helve-sdist-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.sdist = cls.folder / build_backend.build_sdist(str(cls.folder))
        with tarfile.open(cls.sdist) as archive:
            cls.members = archive.getmembers()
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(cls.folder)
        cls.unpacked = cls.folder / f"helve-{VERSION}"

    def names(self) -> set[str]:
        return {member.name.partition("/")[2] for member in self.members}

    def test_holds_the_sources_and_nothing_else(self) -> None:
        if not (ROOT / ".git").exists():
            self.skipTest("these sources are not a git repository")
        tracked = run("git", "-C", ROOT, "ls-files", "-z").split("\0")
        self.assertEqual(self.names(), {name for name in tracked if name} | {"PKG-INFO", "PKG-FILES"})

    def test_holds_what_a_build_needs(self) -> None:
        needed = {
            "pyproject.toml",
            "CMakeLists.txt",
            "CMakePresets.json",
            "LICENSE",
            "README.md",
            "scripts/jobs.sh",
            "scripts/install-deps.sh",
            "src/surfaces/python/build_backend.py",
            "include/helve/helve.h",
        }
        self.assertEqual(needed - self.names(), set())
        modes = {member.name.partition("/")[2]: member.mode for member in self.members}
        self.assertEqual((modes["scripts/jobs.sh"], modes["LICENSE"]), (0o755, 0o644))

    def test_tells_nothing_of_who_made_it(self) -> None:
        told = {
            (member.uid, member.gid, member.uname, member.gname, member.isfile()) for member in self.members
        }
        self.assertEqual(told, {(0, 0, "", "", True)})

    def test_metadata(self) -> None:
        metadata = BytesParser().parsebytes((self.unpacked / "PKG-INFO").read_bytes())
        self.assertEqual((metadata["Name"], metadata["Version"]), ("helve", VERSION))

    def test_gives_the_same_again_when_unpacked(self) -> None:
        code = "from build_backend import *; build_sdist('again'); prepare_metadata_for_build_wheel('m')"
        run(
            sys.executable,
            "-c",
            code,
            cwd=self.unpacked,
            PYTHONPATH=str(self.unpacked / "src/surfaces/python"),
        )
        self.assertEqual(
            digest((self.unpacked / "again" / self.sdist.name).read_bytes()), digest(self.sdist.read_bytes())
        )
        self.assertTrue((self.unpacked / "m" / INFO / "METADATA").exists())


if __name__ == "__main__":
    unittest.main()
