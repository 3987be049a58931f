#!/usr/bin/env python3
"""Checks that no two files define a type of the same name in the same namespace. The linker takes one of them for both
and says nothing (the one-definition rule); types of one file alone belong in an anonymous namespace.

Usage: check_type_names.py [ROOT]. One line per clash (file:line: what); exit status 1 if there is any. Runs as the test
`type_names`; check_type_names_test.py tests it.
"""

import re
import sys
from pathlib import Path

FOLDERS = ("include", "src", "tests", "fuzz", "bench", "examples")

# Comments, texts and characters have no code in them; digits may be parted by a quote.
BLIND = re.compile(r'//(?:\\\n|[^\n])*|/\*.*?\*/|R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
                   r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
TOKEN = re.compile(r"[A-Za-z_]\w*|::|[{}()<>;:=,\[\]]|[^\s\w]")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def read_tokens(text):
    """Words and signs with their lines."""
    text = DIRECTIVE.sub(blank, BLIND.sub(blank, text))
    line, at = 1, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        yield match[0], line


def namespace_of(words):
    """The name of `namespace a::b`, "" for an anonymous one; None where the words begin no namespace."""
    if "namespace" not in words:
        return None
    return "".join(words[words.index("namespace") + 1:])


def without_attributes(words):
    """Without [[nodiscard]] and alignas(64) at the beginning."""
    while words and words[0] in ("[", "alignas"):
        end = "]" if words[0] == "[" else ")"
        last = words.index(end) if end in words else len(words) - 1
        words = words[last + 1:]
        while words and words[0] == "]":
            words = words[1:]
    return words


def outside_angles(words):
    """The words that are no template arguments, with their places."""
    depth = 0
    for i, word in enumerate(words):
        if word == "<":
            depth += 1
        elif word == ">":
            depth -= 1
        elif depth == 0:
            yield i, word


def type_of(head):
    """The name of the type that the words before a brace define; None where they define none."""
    words = [word for word, _ in head]
    start = None
    for i, word in outside_angles(words):
        if word in ("class", "struct", "union", "enum"):
            start = i
            break
        if word in ("(", "="):
            return None
    if start is None:
        return None
    rest = [word for word in without_attributes(words[start + 1:]) if word not in ("class", "struct", "final")]
    if not rest or not re.match(r"[A-Za-z_]", rest[0]):
        return None  # without a name
    if len(rest) > 1 and rest[1] != ":":
        return None  # a specialisation, a type within another, or a function that gives one
    return rest[0], head[start][1]


def find_types(text):
    """(namespace, name, line) of the types that are defined in namespaces that have names."""
    open_scopes, head = [], []
    for word, line in read_tokens(text):
        if word == "{":
            name = namespace_of([one for one, _ in head])
            if name is None:
                found = type_of(head)
                if found is not None and all(scope for scope in open_scopes):
                    yield "::".join(open_scopes), found[0], found[1]
            # Of what is no namespace nothing within is looked at, nor of anonymous ones.
            open_scopes.append(name or None)
            head = []
        elif word == "}":
            if open_scopes:
                open_scopes.pop()
            head = []
        elif word == ";":
            head = []
        else:
            head.append((word, line))


def check_tree(root):
    places = {}
    for folder in FOLDERS:
        for path in sorted(Path(root, folder).rglob("*")):
            is_ours = path.suffix in (".h", ".cc") and "node_modules" not in path.parts
            if not is_ours or not path.is_file():
                continue
            name = path.relative_to(root).as_posix()
            for space, type_name, line in find_types(path.read_text(encoding="utf-8")):
                places.setdefault((space, type_name), {}).setdefault(name, line)
    clashes = []
    for (space, type_name), files in sorted(places.items()):
        (first, line), *others = sorted(files.items())
        shown = f"{space}::{type_name}" if space else type_name
        for other, other_line in others:
            clashes.append(f"{other}:{other_line}: the type {shown} is defined in {first}:{line} too: give one of them another "
                           "name, or put it in an anonymous namespace")
    return clashes, len(places)


def main():
    clashes, count = check_tree(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    for clash in clashes:
        print(clash)
    if count == 0:
        sys.exit("no types were found: is this the folder of the repository?")
    sys.exit(1 if clashes else 0)


if __name__ == "__main__":
    main()
