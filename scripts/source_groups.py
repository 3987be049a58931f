#!/usr/bin/env python3
"""Which source files of a target may be compiled as one: no name that a file keeps to itself (in anonymous namespaces,
as a static function, as a macro) may be declared or mentioned by another file of its group, nor by a header that only
the others include, so that every file means what it means alone.

Usage: source_groups.py MOST < LIST. A line of the list is `target<TAB>file`. Prints `target<TAB>group<TAB>file` for the
files of groups of two to MOST files; all others are to be compiled alone. cmake/HelveUnity.cmake asks for this;
source_groups_test.py tests it.
"""

import re
import sys
from pathlib import Path

import check_layers
from check_type_names import BLIND, DIRECTIVE, TOKEN, namespace_of, outside_angles, type_of

MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
# A macro before an include may change what headers say.
EARLY_MACRO = re.compile(r"^[ \t]*#[ \t]*define.*^[ \t]*#[ \t]*include", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"[A-Za-z_]\w*\Z")
MACRO_CALL = re.compile(r"[A-Z][A-Z0-9_]+\Z")
# A directive brings names that are not told here; those of literals are of the standard library alone.
DIRECTIVE_OF_NAMES = re.compile(r"^using namespace (?!std::(?:chrono|string|string_view)_literals;)", re.MULTILINE)
# Words before a parenthesis that is not the one of a function's parameters.
NO_FUNCTION = {"decltype", "noexcept", "alignas", "__attribute__", "requires", "explicit"}


class Names:
    """Of one file: `own` it keeps to itself, `aliases` others may declare too if they say the same (name to text),
    `mentioned` are all words that stand without a qualifier."""

    def __init__(self):
        self.own, self.aliases, self.mentioned = set(), {}, set()

    def declare(self, words):
        if words[:1] == ["template"]:
            words = without_template_parameters(words)
        if not words or words[0] in ("friend", "static_assert"):
            return
        if words[0] in ("using", "typedef", "namespace"):
            self.declare_alias(words)
        elif len(words) > 2 and MACRO_CALL.match(words[0]) and words[1] == "(":  # TEST(Suite, Name)
            self.own.add("_".join(word for word in words[2:] if NAME.match(word)))
        else:
            self.own.update(declared_names(words))

    def declare_alias(self, words):
        before = words[:words.index("=")] if "=" in words else words
        names = [word for word in before if NAME.match(word)]
        if words[1:2] != ["namespace"]:
            self.aliases[names[-1]] = " ".join(words)

    def goes_with(self, other):
        return (self.own.isdisjoint(other.own) and self.own.isdisjoint(other.mentioned) and
                other.own.isdisjoint(self.mentioned) and self.aliases_go_with(other) and other.aliases_go_with(self))

    def aliases_go_with(self, other):
        return all(other.aliases.get(name, text) == text and (name in other.aliases or name not in other.mentioned)
                   for name, text in self.aliases.items())

    def kept(self):
        return self.own | self.aliases.keys()

    def add(self, other):
        self.own |= other.own
        self.aliases |= other.aliases
        self.mentioned |= other.mentioned


def declared_names(words):
    """What the words of a type, function or variable before its body or value declare."""
    found = type_of([(word, 0) for word in words])
    if found is not None:
        return [found[0]]
    if "operator" in words:
        return ["operator"]
    last = None
    for i, word in outside_angles(words):
        if last in NO_FUNCTION:
            last = None if word == "(" else last
        elif word == "(" and last == words[i - 1]:
            return [last] if words[i - 2] != "::" else []
        elif word in ("=", "[") and last is not None:
            return [last]
        elif NAME.match(word):
            last = word
    return [last] if last is not None else []


def without_template_parameters(words):
    depth = 0
    for i, word in enumerate(words):
        depth += (word == "<") - (word == ">")
        if i > 0 and depth == 0:
            return words[i + 1:]
    return []


def read_names(text):
    names = Names()
    plain = BLIND.sub(" ", text)
    names.own.update(MACRO.findall(plain))
    scopes, words, before = [], [], ""
    outside = 0  # how many of the scopes, from the first on, are namespaces
    for match in TOKEN.finditer(DIRECTIVE.sub(" ", plain)):
        word = match[0]
        if before not in (".", "->", "::") and word[0] not in "{}()<>;:=,[]":
            names.mentioned.add(word)
        before = "->" if word == ">" and before == "-" else word
        if word == "{":
            space = namespace_of(words) if outside == len(scopes) else None
            if outside == len(scopes):
                if space is None:
                    declare(names, words, scopes)
                else:
                    outside += 1
            scopes.append(space)
            words = []
        elif word == "}":
            if scopes:
                scopes.pop()
            outside = min(outside, len(scopes))
            words = []
        elif outside < len(scopes):
            continue
        elif word == ";":
            declare(names, words, scopes)
            words = []
        else:
            words.append(word)
    return names


def declare(names, words, scopes):
    """Takes what one file alone sees: what others see too has one meaning in the whole program."""
    is_inner = "" in scopes or not scopes
    is_kept = words[:1] and (words[0] in ("static", "using", "typedef", "namespace", "constexpr", "const") or
                             MACRO_CALL.match(words[0]))
    if is_inner or is_kept:
        names.declare(words)


class Headers:
    """What the headers of the repository say: `files` are their texts by their paths."""

    # Types, constants, and what is called or declared as a function; parameters and members look nothing up.
    WORD = re.compile(r"(?<![.>:\w])(?:[A-Z]\w*|k[A-Z]\w*|[a-z_]\w*(?=\())")

    def __init__(self, files):
        self.files, self.known, self.places = files, {}, {}
        for path, text in files.items():
            for name in self.WORD.findall(BLIND.sub(" ", text)):
                self.places.setdefault(name, set()).add(path)

    def reached_by(self, text):
        """The headers that a text includes, directly or not."""
        found = set()
        for include in check_layers.read_includes(text):
            path = check_layers.resolve(include, self.files)
            if path is not None and path not in found:
                found |= self.reached_by_header(path)
        return found

    def reached_by_header(self, path):
        if path not in self.known:
            self.known[path] = {path}  # a circle ends here
            self.known[path] |= self.reached_by(self.files[path])
        return self.known[path]

    def mention(self, names, headers):
        return any(not headers.isdisjoint(self.places.get(name, ())) for name in names)


class Group:
    def __init__(self):
        self.files, self.names, self.headers = [], Names(), set()

    def takes(self, names, headers, all_headers):
        return (self.names.goes_with(names) and
                not all_headers.mention(self.names.kept(), headers - self.headers) and
                not all_headers.mention(names.kept(), self.headers - headers))

    def add(self, path, names, headers):
        self.files.append(path)
        self.names.add(names)
        self.headers |= headers


def group_files(sources, most, headers):
    """The files (paths and texts) in groups of at most `most`; the same for the same files."""
    groups = []
    for path, text in sorted(sources.items()):
        if EARLY_MACRO.search(text) or DIRECTIVE_OF_NAMES.search(text):
            continue
        names, reached = read_names(text), headers.reached_by(text)
        group = next((one for one in groups if len(one.files) < most and one.takes(names, reached, headers)), None)
        if group is None:
            group = Group()
            groups.append(group)
        group.add(path, names, reached)
    return [group.files for group in groups if len(group.files) > 1]


def read_headers(root):
    """Those of the repository; a folder of other people's is none of ours."""
    found = {}
    for folder in ("include", "src", "tests", "fuzz", "bench"):
        for path in Path(root, folder).rglob("*.h"):
            if "node_modules" not in path.parts:
                found[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
    return Headers(found)


def main():
    most = int(sys.argv[1])
    targets = {}
    for line in sys.stdin:
        target, path = line.rstrip("\n").split("\t")
        targets.setdefault(target, {})[path] = Path(path).read_text(encoding="utf-8")
    headers = read_headers(Path(__file__).resolve().parent.parent)
    for target, sources in targets.items():
        for i, files in enumerate(group_files(sources, most, headers)):
            for path in files:
                print(f"{target}\t{i}\t{path}")


if __name__ == "__main__":
    main()
