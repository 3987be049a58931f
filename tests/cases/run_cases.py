#!/usr/bin/env python3
"""Runs case files: a call, dashes, what it must answer. README.md tells the format.

    HELVE_PROGRAM=build/dev/bin/helve run_cases.py FILE.case...

UPDATE_EXPECT=1 rewrites the expectations.
"""

import argparse
import bz2
import difflib
import gzip
import os
import re
import shlex
import sqlite3
import sys
from pathlib import Path

import helve_program

MARKS = ("=== ", ">> ", "& ", "$ ", "----", "\\")


class CaseError(Exception):
    """The case file itself is wrong."""


class SkippedCase(Exception):
    """This machine lacks what the case is about."""


# What differs from run to run or from machine to machine. The first group stays.
VOLATILE = [
    (re.compile(r"( in )\d[\d.]* (?:ns|us|ms|s|min|h)(?: \d+ (?:s|min))?\b"), r"\1<time>"),
    (re.compile(r"(\()[\d,]+/s\)"), r"\1<rate>/s)"),
    (re.compile(r"( · )\d[\d.]* (?:ns|us|ms|s|min|h)(?: \d+ (?:s|min))?$", re.M), r"\1<time>"),
    (re.compile(r'("execution_time_ms": ?)[\d.e+-]+'), r'\1"<time>"'),
    (re.compile(r"(\bcreated_at: )[\dT:.-]+Z"), r"\1<time>"),
    (re.compile(r"(; )[\d.]+ [KMG]?i?B in memory"), r"\1<size> in memory"),
    (re.compile(r"(; )[\d.]+ [KMG]?i?B, [\d.]+( bytes per triple)"), r"\1<size>, <n>\2"),
    (re.compile(r"(is whole: )[\d.]+ [KMG]?i?B"), r"\1<size>"),
    (re.compile(r"( needs )\d+( more bytes)"), r"\1<n>\2"),
    (re.compile(r"(\.)[0-9a-f]{8}\.part\b"), r"\1<random>.part"),
]


def normalise(output, directory):
    """Bytes of a stream as the text that stands in a case file."""
    text = output.decode("utf-8", errors="backslashreplace")
    text = text.replace(str(directory), "<dir>")
    for pattern, replacement in VOLATILE:
        text = pattern.sub(replacement, text)
    # Control pictures (U+2400...) for what an editor would not show.
    return re.sub(r"[\x00-\x08\x0b-\x1f]", lambda m: chr(0x2400 + ord(m[0])), text)


def to_lines(text):
    """The lines of an expectation. A backslash guards what would mean something else."""
    if text == "":
        return []
    has_end = text.endswith("\n")
    lines = text[:-1].split("\n") if has_end else text.split("\n")
    lines = ["\\" + line if line.startswith(MARKS) else line for line in lines]
    if lines[-1] == "" and has_end:
        lines[-1] = "\\"
    if not has_end:
        lines.append("\\no line end")
    return lines


class Step:
    """One call and its expected answer, both as in the file."""

    def __init__(self, call, line_number):
        self.call = call
        self.line_number = line_number
        self.expected = []  # lines from the first dashes on

    def answer_lines(self, outcome, directory):
        lines = ["----", *to_lines(normalise(outcome.stdout, directory))]
        if outcome.stderr:
            lines += ["---- stderr", *to_lines(normalise(outcome.stderr, directory))]
        if outcome.status != 0:
            lines.append(f"---- exit {outcome.status}")
        return lines

    def expected_lines(self):
        lines = list(self.expected)
        while lines and lines[-1] == "":
            lines.pop()
        return lines or ["----"]


class Case:
    def __init__(self, title, line_number):
        self.title = title
        self.line_number = line_number
        self.parts = []  # in order: Step, or ("file", name, raw lines) or ("do", words, raw line)


def parse(path):
    """The lines before the first case, and the cases."""
    preamble, cases = [], []
    lines = path.read_text(encoding="utf-8").split("\n")
    if lines[-1] == "":
        lines.pop()
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        part = cases[-1].parts[-1] if cases and cases[-1].parts else None
        if line.startswith("=== "):
            cases.append(Case(line[4:], index))
        elif not cases:
            preamble.append(line)
        elif line.startswith(">> "):
            try:
                end = lines.index("<<", index)
            except ValueError:
                raise CaseError(f"{path}:{index}: the file {line[3:]} has no closing <<") from None
            cases[-1].parts.append(("file", line[3:], lines[index:end]))
            index = end + 1
        elif line.startswith("& "):
            cases[-1].parts.append(("do", shlex.split(line[2:]), line))
        elif line.startswith("$ "):
            cases[-1].parts.append(Step(line[2:], index))
        elif isinstance(part, Step):
            part.expected.append(line)
        elif line and not line.startswith("#"):
            raise CaseError(f"{path}:{index}: what is '{line}'?")
        elif line.startswith("#"):
            cases[-1].parts.append(("comment", None, line))
    return preamble, cases


def write_expectations(path, preamble, cases):
    lines = list(preamble)
    for case in cases:
        lines.append("=== " + case.title)
        for part in case.parts:
            if isinstance(part, Step):
                lines += ["$ " + part.call, *part.expected_lines()]
            elif part[0] == "file":
                lines += [">> " + part[1], *part[2], "<<"]
            else:
                lines.append(part[2])
        lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8")


def unescape(text):
    """\\n, \\xE9, \\0 and the like as bytes; other characters as UTF-8."""
    pieces = re.split(r"(\\x[0-9A-Fa-f]{2}|\\[nrt0\\])", text)
    simple = {"\\n": b"\n", "\\r": b"\r", "\\t": b"\t", "\\0": b"\0", "\\\\": b"\\"}
    out = b""
    for piece in pieces:
        if piece.startswith("\\x"):
            out += bytes([int(piece[2:], 16)])
        else:
            out += simple.get(piece, piece.encode())
    return out


def put_file(directory, header, lines):
    """`>> NAME`, or `>> NAME bytes`: escapes mean bytes, line ends are left out."""
    words = shlex.split(header)
    path = directory / words[0]
    path.parent.mkdir(parents=True, exist_ok=True)
    if words[1:] == ["bytes"]:
        path.write_bytes(b"".join(unescape(line) for line in lines))
    else:
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def zstd_stored(data):
    """A zstd frame of raw blocks (RFC 8878, section 3.1.1): valid, not smaller."""
    block_max = 100_000
    out = b"\x28\xb5\x2f\xfd" + bytes([0xA0]) + len(data).to_bytes(4, "little")
    blocks = [data[i : i + block_max] for i in range(0, len(data), block_max)] or [b""]
    for i, block in enumerate(blocks):
        is_last = i == len(blocks) - 1
        out += ((len(block) << 3) | is_last).to_bytes(3, "little") + block
    return out


def numbered_ntriples(count):
    return b"".join(
        b"<http://example.org/s%d> <http://example.org/p> \"value %d\" .\n" % (i, i)
        for i in range(count)
    )


PACKERS = {
    # Stored, not deflated: the same bytes whatever library made them.
    "gzip": (lambda data: gzip.compress(data, compresslevel=0, mtime=0), ".gz"),
    "bzip2": (bz2.compress, ".bz2"),
    "zstd": (zstd_stored, ".zst"),
}


def do(directory, words):
    """A fixture: `& gzip x.nt` packs, and so on."""
    verb, *rest = words
    target = directory / rest[-1]
    if verb in PACKERS:
        pack, ending = PACKERS[verb]
        target.with_name(target.name + ending).write_bytes(pack(target.read_bytes()))
        target.unlink()
    elif verb == "mkdir":
        target.mkdir()
    elif verb == "chmod":
        target.chmod(int(rest[0], 8))
    elif verb == "symlink":
        target.symlink_to(rest[0])
    elif verb == "truncate":  # BYTES NAME
        os.truncate(target, int(rest[0]))
    elif verb == "corrupt":  # OFFSET NAME
        data = bytearray(target.read_bytes())
        offset = int(rest[0])
        for i in range(offset, offset + 8):
            data[i] ^= 0xFF
        target.write_bytes(data)
    elif verb == "generate":  # COUNT NAME
        target.write_bytes(numbered_ntriples(int(rest[0])))
    elif verb == "sqlite":  # STATEMENTS NAME
        database = sqlite3.connect(target)
        database.executescript((directory / rest[0]).read_text(encoding="utf-8"))
        database.close()
    else:
        raise CaseError(f"no fixture is called '{verb}'")


def run_step(step, directory, program):
    environment = helve_program.fixed_environment(directory)
    environment["HELVE"] = program
    # A function, so that calls read as users type them and pipes and redirections work.
    script = 'umask 022; helve() { "$HELVE" "$@"; }\n' + step.call
    return helve_program.run(
        ["bash", "-o", "pipefail", "-c", script], directory, env=environment
    )


def check_need(directory, words, program):
    """`& needs WORDS`: the case is skipped where `helve WORDS` fails."""
    outcome = helve_program.run([program, *words], directory)
    if outcome.status != 0:
        raise SkippedCase(f"'helve {' '.join(words)}' ends with status {outcome.status}")


def run_case(path, case, program, is_updating):
    """True when all steps answered as expected (or were rewritten)."""
    passed = True
    with helve_program.WorkDirectory() as directory:
        for part in case.parts:
            if not isinstance(part, Step):
                if part[0] == "file":
                    put_file(directory, part[1], part[2])
                elif part[0] == "do" and part[1][0] == "needs":
                    check_need(directory, part[1][1:], program)
                elif part[0] == "do":
                    do(directory, part[1])
                continue
            answer = part.answer_lines(run_step(part, directory, program), directory)
            if answer == part.expected_lines():
                continue
            if is_updating:
                part.expected = answer
                continue
            passed = False
            print(f"FAILED {path}:{part.line_number}: {case.title}\n$ {part.call}")
            for line in difflib.unified_diff(
                part.expected_lines(), answer, "expected", "answered", lineterm=""
            ):
                print("  " + line)
    return passed


def run_file(path, program, is_updating, only):
    """How many passed, failed and were skipped."""
    preamble, cases = parse(path)
    counts = {True: 0, False: 0, None: 0}
    for case in cases:
        if only not in case.title:
            continue
        try:
            outcome = run_case(path, case, program, is_updating)
        except SkippedCase as reason:
            outcome = None
            print(f"skipped {path}:{case.line_number}: {case.title}: {reason}")
        counts[outcome] += 1
    if is_updating:
        write_expectations(path, preamble, cases)
    return counts[True], counts[False], counts[None]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--only", default="", help="cases whose title holds this text")
    arguments = parser.parse_args()
    is_updating = os.environ.get("UPDATE_EXPECT", "") not in ("", "0")
    program = helve_program.program_path()
    passed = failed = skipped = 0
    try:
        for path in arguments.files:
            good, bad, left = run_file(path, program, is_updating, arguments.only)
            passed, failed, skipped = passed + good, failed + bad, skipped + left
    except CaseError as error:
        sys.exit(str(error))
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed > 0 or passed + skipped == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
