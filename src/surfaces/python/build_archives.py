"""The files that a Python package is handed on as: its metadata, the wheel (a zip) and the sdist (a tar.gz).

The same content gives the same bytes: names are sorted, owners are gone, and all times are SOURCE_DATE_EPOCH,
or 1980 where that is not set. Standard library only. Neighbour: build_backend.py, which makes the content.
"""

from __future__ import annotations

import base64
import contextlib
import csv
import gzip
import hashlib
import io
import os
import re
import sys
import sysconfig
import tarfile
import time
import zipfile
from pathlib import Path
from typing import Any, BinaryIO, Iterator, NamedTuple

# A zip file knows no time before 1980 and none after 2107.
EPOCH_MIN, EPOCH_MAX = 315532800, 4354819199


class BuildError(SystemExit):
    """What a person can repair: the build ends with this message, and without a traceback."""

    def __init__(self, message: str) -> None:
        super().__init__(f"helve: {message}")


class Content(NamedTuple):
    """One file of an archive."""

    data: bytes
    is_program: bool = False


def source_epoch() -> int:
    """The time that every file of an archive bears."""
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not text:
        return EPOCH_MIN
    if not re.fullmatch(r"[0-9]{1,12}", text):
        raise BuildError(f"SOURCE_DATE_EPOCH is {text!r}; it must be a number of seconds since 1970")
    return min(max(int(text), EPOCH_MIN), EPOCH_MAX)


# ---- Metadata


def project_version(root: Path) -> str:
    """The version of project() in CMakeLists.txt: there is no second place for it."""
    found = re.search(
        r"^project\(helve VERSION ([0-9]+(?:\.[0-9]+)*)\b", (root / "CMakeLists.txt").read_text(), re.M
    )
    if not found:
        raise BuildError("CMakeLists.txt has no line 'project(helve VERSION x.y.z'")
    return found[1]


def read_project(root: Path) -> dict[str, Any]:
    """The table [project] of pyproject.toml, with the version that it leaves open."""
    import tomllib

    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {**project, "version": project_version(root)}


def dependency_lines(project: dict[str, Any]) -> list[str]:
    lines = [f"Requires-Dist: {need}" for need in project.get("dependencies", [])]
    for extra, needs in sorted(project.get("optional-dependencies", {}).items()):
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need} ; extra == "{extra}"' for need in needs]
    return lines


def core_metadata(root: Path) -> bytes:
    """METADATA of a wheel, which is also PKG-INFO of an sdist (core metadata 2.4)."""
    project = read_project(root)
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        *(f"Author: {author['name']}" for author in project["authors"]),
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in project["license-files"]),
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        *(f"Project-URL: {label}, {url}" for label, url in project.get("urls", {}).items()),
        f"Requires-Python: {project['requires-python']}",
        *dependency_lines(project),
        "Description-Content-Type: text/markdown",
    ]
    description: str = (root / project["readme"]).read_text(encoding="utf-8")
    return ("\n".join(lines) + "\n\n" + description).encode()


def entry_points(root: Path) -> bytes:
    """entry_points.txt: the commands that pip makes."""
    scripts = sorted(read_project(root)["scripts"].items())
    return ("[console_scripts]\n" + "".join(f"{name} = {target}\n" for name, target in scripts)).encode()


def wheel_tag() -> str:
    """The machines a wheel of this interpreter is for, as in cp311-cp311-linux_x86_64."""
    abi = re.match(r"cpython-([0-9]+[a-z]*)-", str(sysconfig.get_config_var("SOABI")))
    if sys.implementation.name != "cpython" or not abi:
        raise BuildError(f"the package is for CPython; this is {sys.implementation.name}")
    platform = re.sub(r"[-. ]", "_", sysconfig.get_platform())
    return f"cp{sys.version_info[0]}{sys.version_info[1]}-cp{abi[1]}-{platform}"


def info_name(root: Path) -> str:
    """The folder of a wheel that holds what pip reads."""
    project = read_project(root)
    return f"{project['name']}-{project['version']}.dist-info"


def info_files(root: Path) -> dict[str, Content]:
    """All files of that folder but RECORD."""
    maker = f"Generator: helve {project_version(root)}"
    kind = f"Wheel-Version: 1.0\n{maker}\nRoot-Is-Purelib: false\nTag: {wheel_tag()}\n"
    files = {"METADATA": core_metadata(root), "WHEEL": kind.encode(), "entry_points.txt": entry_points(root)}
    for name in read_project(root)["license-files"]:
        files[f"licenses/{name}"] = (root / name).read_bytes()
    return {f"{info_name(root)}/{name}": Content(data) for name, data in files.items()}


# ---- Archives


def record(files: dict[str, Content], name: str) -> Content:
    """RECORD: the digest and the size of every file, and its own name without them."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content.data).digest()).rstrip(b"=").decode()
        rows.writerow((path, f"sha256={digest}", len(content.data)))
    rows.writerow((name, "", ""))
    return Content(text.getvalue().encode())


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file for writing that takes its name when it is whole: nobody sees half an archive."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        raise BuildError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def write_wheel(root: Path, folder: Path, package: dict[str, Content]) -> str:
    """Writes the wheel of these files into a folder; gives its name."""
    project = read_project(root)
    files = {**dict(sorted(package.items())), **dict(sorted(info_files(root).items()))}
    record_name = f"{info_name(root)}/RECORD"
    files[record_name] = record(files, record_name)
    name = f"{project['name']}-{project['version']}-{wheel_tag()}.whl"
    moment = time.gmtime(source_epoch())[:6]
    with replacing(folder / name) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, moment)
            entry.create_system = 3  # Unix: the attributes are a mode.
            entry.external_attr = (0o100755 if content.is_program else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content.data)
    return name


def write_sdist(root: Path, folder: Path, files: dict[str, Content]) -> str:
    """Writes the sdist of these files and PKG-INFO into a folder; gives its name."""
    project = read_project(root)
    top = f"{project['name']}-{project['version']}"
    files = {**files, "PKG-INFO": Content(core_metadata(root))}
    with (
        replacing(folder / f"{top}.tar.gz") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=source_epoch()) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{top}/{path}")
            entry.size, entry.mtime = len(content.data), source_epoch()
            entry.mode = 0o755 if content.is_program else 0o644
            archive.addfile(entry, io.BytesIO(content.data))
    return f"{top}.tar.gz"
