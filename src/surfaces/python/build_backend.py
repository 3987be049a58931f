"""Builds the Python package (PEP 517 and PEP 660): what `pip install .` and `python -m build` call.

Needs only the standard library and the Debian packages of `scripts/install-deps.sh python`, which it never
installs itself. CMake compiles with the settings of the preset "release" in a folder of
its own, build/wheel-TAG; a second build compiles what has changed.

Settings (pip: -C KEY=VALUE, or --config-settings; build: -C KEY=VALUE):

    build-dir=DIR      build there; an existing folder, as build/dev, keeps its own settings
    cmake-args=ARGS    more arguments for cmake, as a shell splits them; may be given several times

By hand: build_backend.py DIR writes the wheel into DIR. Neighbours: pyproject.toml, build_archives.py (the
files that are written), CMakeLists.txt beside this file (what is compiled and installed).
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):
    raise SystemExit("helve: needs Python 3.11 or newer; this is Python {}.{}".format(*sys.version_info[:2]))

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from build_archives import BuildError, Content, info_files, info_name, wheel_tag, write_sdist, write_wheel

ROOT = Path(__file__).resolve().parents[3]
DEPS = "scripts/install-deps.sh python"
TARGETS = ("helve", "helve_library", "helve_python")
# The names of all files of an sdist: git knows them where there is git, this file where it was unpacked.
FILE_LIST = "PKG-FILES"
ConfigSettings = Mapping[str, "str | Sequence[str]"]


# ---- Settings


class Settings(NamedTuple):
    """What the caller set."""

    build_dir: Path | None = None
    cmake_args: tuple[str, ...] = ()


def as_list(value: object, key: str) -> list[str]:
    """The values of a setting: a frontend gives one text, or a list where it was set several times."""
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, (list, tuple)) or not all(isinstance(item, str) for item in values):
        raise BuildError(f"the setting {key} is {value!r}; it must be a text")
    return list(values)


def split_arguments(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BuildError(f"the setting cmake-args is {text!r}: {error}") from error


def read_settings(config_settings: ConfigSettings | None) -> Settings:
    """Checks what the frontend passed on. A name that is not known is an error, not a wish unheard."""
    given = dict(config_settings or {})
    folders = as_list(given.pop("build-dir", []), "build-dir")
    arguments = as_list(given.pop("cmake-args", []), "cmake-args")
    if given:
        raise BuildError(f"unknown setting {', '.join(map(repr, given))}; known: 'build-dir', 'cmake-args'")
    if len(folders) > 1 or folders == [""]:
        raise BuildError("the setting build-dir takes one folder")
    folder = ROOT / folders[0] if folders else None  # Relative to the sources, absolute as it is.
    return Settings(folder, tuple(word for text in arguments for word in split_arguments(text)))


# ---- What must be there


def wants_pybind11_package() -> bool:
    """Debian's pybind11 (2.10) serves Python up to 3.11; newer ones get theirs from the package index."""
    return sys.version_info >= (3, 12)


def check_tools(*names: str) -> None:
    missing = [name for name in names if not shutil.which(name)]
    if missing:
        raise BuildError(f"{' and '.join(missing)} not found in PATH; in {ROOT}, run: {DEPS}")


def check_headers() -> None:
    """Python.h of the running interpreter: CMake only says that something of Python is missing."""
    folder = sysconfig.get_path("include")
    if not Path(folder, "Python.h").exists():
        raise BuildError(
            f"no Python.h in {folder}: the headers of this Python ({sys.executable}) are not installed; "
            f"for Debian's Python, run in {ROOT}: {DEPS}"
        )


def pybind11_arguments(settings: Settings) -> list[str]:
    """Where the headers of pybind11 are, if it is not where CMake looks by itself."""
    is_given = any(word.startswith("-DPYBIND11_INCLUDE") for word in settings.cmake_args)
    if is_given or not wants_pybind11_package():
        return []
    try:
        import pybind11
    except ImportError as error:
        raise BuildError(
            "Python 3.12 and newer need pybind11 3 for building: build with isolation (pip's default), "
            "or run: pip install 'pybind11>=3'"
        ) from error
    return [f"-DPYBIND11_INCLUDE={pybind11.get_include()}"]


# ---- Compiling


def run(*command: str | Path, hint: str) -> None:
    """Runs a command; its output is the frontend's. If it fails, the error says what to do."""
    sys.stdout.flush()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        words = " ".join(map(str, command[:3]))
        raise BuildError(f"'{words} ...' ended with status {done.returncode}, see above. {hint}")


def cached(build: Path, name: str) -> str | None:
    """A variable of a configured folder; None where it has none, or is not configured."""
    try:
        text = (build / "CMakeCache.txt").read_text(errors="replace")
    except FileNotFoundError:
        return None
    found = re.search(rf"^{name}:[A-Z]+=(.*)$", text, re.M)
    return found[1] if found else None


def is_configured(build: Path) -> bool:
    """Whether CMake has finished there; a half-configured folder has a cache but nothing to build."""
    return cached(build, "CMAKE_HOME_DIRECTORY") is not None and (build / "build.ninja").exists()


def is_ours(build: Path) -> bool:
    """Whether a folder was configured for these sources, at this place."""
    home = cached(build, "CMAKE_HOME_DIRECTORY")
    return home is not None and Path(home).resolve() == ROOT


def configure(build: Path, settings: Settings) -> None:
    """The release settings, for the interpreter that runs this."""
    check_tools("cmake", "ninja", "c++")
    check_headers()
    fresh = [] if is_ours(build) else ["--fresh"]
    # Not the one of a virtual environment: that may be gone when the folder is used again.
    python = getattr(sys, "_base_executable", "") or sys.executable
    words = ["-DHELVE_PYTHON=ON", f"-DPython_EXECUTABLE={python}", *pybind11_arguments(settings)]
    hint = f"If a package was not found, run in {ROOT}: {DEPS}"
    words += settings.cmake_args
    run("cmake", "--preset", "release", *fresh, "-S", ROOT, "-B", build, *words, hint=hint)


def adapt(build: Path, settings: Settings) -> None:
    """A folder that the caller configured: it keeps its settings, but must be one for the package."""
    check_tools("cmake")
    if not is_ours(build):
        raise BuildError(f"the build folder {build} is of other sources than {ROOT}")
    if settings.cmake_args:
        run("cmake", "-S", ROOT, "-B", build, *settings.cmake_args, hint="Look at cmake-args.")
    if (cached(build, "HELVE_PYTHON") or "").upper() not in ("ON", "1", "YES", "TRUE", "Y"):
        raise BuildError(
            f"the build folder {build} is without the Python package; "
            f"configure it with: cmake {build} -DHELVE_PYTHON=ON"
        )


def count_jobs() -> str:
    """How many compilations memory and cores carry at once."""
    done = subprocess.run([ROOT / "scripts/jobs.sh"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "1"


def compile_package(build: Path, settings: Settings) -> None:
    """Configures the folder unless the caller did, and builds the three targets."""
    if settings.build_dir and is_configured(build):
        adapt(build, settings)
    else:
        configure(build, settings)
    hint = "If the compiler was killed, memory ran out: try again with JOBS=1."
    run("cmake", "--build", build, "-j", count_jobs(), "--target", *TARGETS, hint=hint)


def own_build_dir() -> Path:
    return ROOT / "build" / f"wheel-{wheel_tag().split('-')[1]}"


def is_writable(folder: Path) -> bool:
    """Whether files can be made there; also true for root only where the file system lets it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@contextlib.contextmanager
def build_folder(settings: Settings) -> Iterator[Path]:
    """The folder to build in. Sources that cannot be written to are built in a temporary one."""
    folder = settings.build_dir or own_build_dir()
    if is_writable(folder):
        yield folder
    elif settings.build_dir:
        raise BuildError(f"the build folder {folder} cannot be written to")
    else:
        with tempfile.TemporaryDirectory(prefix="helve-build-") as name:
            yield Path(name)


# ---- The files of the package


def check_staged(stage: Path) -> None:
    """That the extension is for this Python: a given folder may have been configured for another."""
    wanted = f"helve/_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not (stage / wanted).exists():
        found = ", ".join(path.name for path in sorted((stage / "helve").glob("_core*"))) or "nothing"
        raise BuildError(
            f"the build folder is for another Python: it has {found}, this one needs {Path(wanted).name}"
        )


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def strip(build: Path, path: Path) -> None:
    """Takes symbols away that nothing at run time looks at."""
    tool = cached(build, "CMAKE_STRIP") or "strip"
    run(tool, "--strip-unneeded", path, hint=f"In {ROOT}, run: {DEPS}")


def staged_files(build: Path) -> dict[str, Content]:
    """What CMake installs of the package: the content of a wheel."""
    files = {}
    with tempfile.TemporaryDirectory(prefix="helve-stage-") as name:
        stage = Path(name)
        run("cmake", "--install", build, "--component", "python", "--prefix", stage, hint="")
        check_staged(stage)
        for path in sorted(stage.rglob("*")):
            if path.is_file():
                if is_elf(path):
                    strip(build, path)
                files[path.relative_to(stage).as_posix()] = Content(path.read_bytes(), is_executable(path))
    return files


def is_executable(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o100)


def source_names() -> list[str]:
    """The files of an sdist: those git has, or those that the sdist was made of."""
    if (ROOT / ".git").exists():
        check_tools("git")
        # The tree may be somebody else's, as in a container; its own code runs here anyway.
        command = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "ls-files", "-z"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BuildError(f"git cannot list the files: {done.stderr.strip()}")
        return [name for name in done.stdout.split("\0") if name]
    try:
        return (ROOT / FILE_LIST).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise BuildError(
            f"no sdist can be made here: {ROOT} is neither a git repository nor an unpacked sdist "
            f"with {FILE_LIST}"
        ) from None


def source_files() -> dict[str, Content]:
    names = source_names()
    missing = [name for name in names if not (ROOT / name).is_file()]
    if missing:
        raise BuildError(f"files that belong to the sources are missing: {', '.join(missing[:5])}")
    files = {name: Content((ROOT / name).read_bytes(), is_executable(ROOT / name)) for name in names}
    files[FILE_LIST] = Content("".join(f"{name}\n" for name in sorted(names)).encode())
    return files


# ---- Hooks: https://peps.python.org/pep-0517/ and pep-0660. Each gives the name of what it wrote.


def get_requires_for_build_wheel(config_settings: ConfigSettings | None = None) -> list[str]:
    read_settings(config_settings)
    return ["pybind11>=3"] if wants_pybind11_package() else []


get_requires_for_build_editable = get_requires_for_build_wheel


def get_requires_for_build_sdist(config_settings: ConfigSettings | None = None) -> list[str]:
    read_settings(config_settings)
    return []


def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: ConfigSettings | None = None
) -> str:
    """What the wheel will say of itself, without compiling anything."""
    read_settings(config_settings)
    for name, content in info_files(ROOT).items():
        path = Path(metadata_directory, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.data)
    return info_name(ROOT)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(
    wheel_directory: str, config_settings: ConfigSettings | None = None, metadata_directory: str | None = None
) -> str:
    """The package with all that it needs of Helve: extension, library, program."""
    settings = read_settings(config_settings)
    with build_folder(settings) as build:
        compile_package(build, settings)
        return write_wheel(ROOT, Path(wheel_directory), staged_files(build))


def build_editable(
    wheel_directory: str, config_settings: ConfigSettings | None = None, metadata_directory: str | None = None
) -> str:
    """A wheel that only says where the package is: in the build folder, with links to the source files."""
    settings = read_settings(config_settings)
    build = settings.build_dir or own_build_dir()
    if not is_writable(build):
        raise BuildError(
            f"{build} cannot be written to, and an editable package stays there; set build-dir to a "
            "folder elsewhere"
        )
    compile_package(build, settings)
    check_staged(build / "python")
    place = Content(f"{build / 'python'}\n".encode())
    return write_wheel(ROOT, Path(wheel_directory), {"_helve_editable.pth": place})


def build_sdist(sdist_directory: str, config_settings: ConfigSettings | None = None) -> str:
    """The sources, as they are in the working tree."""
    read_settings(config_settings)
    return write_sdist(ROOT, Path(sdist_directory), source_files())


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        raise SystemExit("usage: build_backend.py DIR   (writes the wheel into DIR)")
    wheel = Path(sys.argv[1], build_wheel(sys.argv[1]))
    print(f"{wheel} ({wheel.stat().st_size / 2**20:.1f} MiB)")
    print(f"Install it in a virtual environment with: pip install {wheel}")


if __name__ == "__main__":
    main()
