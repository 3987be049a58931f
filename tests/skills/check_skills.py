#!/usr/bin/env python3
"""Holds the texts of the skills against the program: every tool and parameter that they name is real, and the worked
examples give what they say.

check_skills.py HELVE [FOLDER]: those of a folder too (helve skills --skills). Code in a skill is checked as it is
written:
  `tool key=value`       a call: the tool is there, and so are its parameters
  `a_name`               a tool, or a parameter or return key of one
  ```call                a call that is run, with the sources of the line "Sources:", in a session of its own for each skill
  ```reply               lines that the reply of the call before must have, whole; "..." stands for anything
"""

import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MINIMUM = {"explore-a-graph", "write-sparql", "debug-empty-results", "federate-endpoints", "analyse-a-database",
           "tune-a-query", "join-across-sources"}
SECTIONS = ["## When", "## Steps", "## Pitfalls", "## Worked example"]
COMMON = {"max_chars", "output_format", "source"}
TEXT_CHARS_MAX = 5_000  # so that read_skill gives it whole, in either form
IDENTIFIER = re.compile(r"[a-z]+(_[a-z]+)+")
KEY = re.compile(r"([a-z_]+)=")


class Skills:
    def __init__(self, program, folder, own):
        self.own = ["--skills", str(Path(own).resolve())] if own else []
        self.program = program
        self.folder = folder
        self.wrong = []
        self.calls = 0
        tools = json.loads(self.run("tools", "--json").stdout)
        self.tools = {tool["name"]: tool for tool in tools}
        self.words = set(self.tools)
        for tool in tools:
            for schema in ("input_schema", "output_schema"):
                self.words |= set(tool[schema].get("properties", {}))

    def run(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True, timeout=120, check=False,
                              cwd=self.folder)

    def fail(self, skill, message):
        self.wrong.append(f"{skill}: {message}")

    def check_call(self, skill, words):
        tool = self.tools.get(words[0])
        if tool is None:
            self.fail(skill, f"there is no tool {words[0]}")
            return
        known = set(tool["input_schema"]["properties"]) | COMMON
        for word in words[1:]:
            key = KEY.match(word)
            if key is None:
                self.fail(skill, f"{words[0]}: {word} is no argument")
            elif key[1] not in known:
                self.fail(skill, f"{words[0]} has no parameter {key[1]}")
        given = {word.partition("=")[0] for word in words[1:]}
        missing = set(tool["input_schema"].get("required", [])) - given
        if len(words) > 1 and missing:
            self.fail(skill, f"{words[0]} needs {', '.join(sorted(missing))}")

    def check_names(self, skill, text):
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
        for code in re.findall(r"`([^`\n]+)`", prose):
            words = code.split()
            if words[0] in self.tools:
                self.check_call(skill, shlex.split(code))
            elif len(words) > 1 and KEY.match(words[1]) and IDENTIFIER.fullmatch(words[0]):
                self.fail(skill, f"there is no tool {words[0]}")
            elif KEY.match(code) and not re.match(r"[a-z]+=(sample|sqlite):", code):
                if KEY.match(code)[1] not in self.words:
                    self.fail(skill, f"no tool has a parameter {KEY.match(code)[1]}")
            elif IDENTIFIER.fullmatch(code) and code not in self.words:
                self.fail(skill, f"{code} is neither a tool nor a parameter nor a return key")

    def check_example(self, skill, text):
        example = text[text.index("## Worked example"):]
        sources = re.search(r"^Sources: (.*)$", example, re.MULTILINE)
        if sources is None:
            self.fail(skill, "the example names no sources")
            return
        given = [word for source in re.findall(r"`([^`]+)`", sources[1]) for word in ("--source", source)]
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", example, re.DOTALL | re.MULTILINE)
        if [kind for kind, _ in blocks] != ["call", "reply"] * (len(blocks) // 2) or not blocks:
            self.fail(skill, "calls and replies do not alternate")
            return
        with tempfile.TemporaryDirectory() as session:
            for (_, call), (_, expected) in zip(blocks[::2], blocks[1::2]):
                words = shlex.split(call)
                self.check_call(skill, words)
                done = self.run("call", "--session", session, *given, *words)
                self.calls += 1
                if done.returncode != 0:
                    self.fail(skill, f"{call.strip()}\n  failed: {done.stderr}")
                for line in expected.splitlines():
                    if not line.strip():
                        self.fail(skill, "a reply has an empty line")
                    pattern = ".*".join(re.escape(part) for part in re.split(r" ?\.\.\. ?", line))
                    if not any(re.fullmatch(pattern, said) for said in done.stdout.splitlines()):
                        self.fail(skill, f"{call.strip()}\n  does not say: {line}\n  but:\n{done.stdout}")

    def check(self, skill):
        whole = json.loads(self.run("skills", *self.own, skill, "--json").stdout)
        text = whole["text"]
        places = [text.find("\n" + section + "\n") for section in SECTIONS]
        if -1 in places or places != sorted(places):
            self.fail(skill, f"the sections are not {SECTIONS}")
            return
        if len(text) > TEXT_CHARS_MAX:
            self.fail(skill, f"it has {len(text)} characters, {TEXT_CHARS_MAX} at most")
        self.check_names(skill, text)
        self.check_example(skill, text)


def main():
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "examples/make_solar_database.py", Path(folder) / "solar.db"], check=True)
        skills = Skills(program, folder, sys.argv[2] if len(sys.argv) > 2 else None)
        listed = json.loads(skills.run("skills", *skills.own, "--json").stdout)
        names = [one["name"] for one in listed["skills"]]
        if not MINIMUM <= set(names):
            skills.fail("all", f"missing: {MINIMUM - set(names)}")
        for name in names:
            skills.check(name)
    for line in skills.wrong:
        print("WRONG", line)
    print(f"{len(names)} skills, {skills.calls} calls of their examples, {len(skills.wrong)} wrong")
    return 1 if skills.wrong or skills.calls < 3 * len(MINIMUM) else 0


if __name__ == "__main__":
    sys.exit(main())
