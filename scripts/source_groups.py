#!/usr/bin/env python3
"""Which source files of a target are compiled as one, so that the headers they share are read once.

A name that a file keeps to itself (in an anonymous namespace, as a static function) would be seen by the files after it.
Where one of them has or mentions the same name, the group gives it another by a macro around the file; a file with a
name that cannot be replaced in its text goes elsewhere. So every file means what it means alone. All headers come first,
where no such name or macro is known yet.

Usage: source_groups.py MOST < LIST. A line of the list is `target<TAB>folder<TAB>file`. Writes the groups of two to MOST
files as folder/groups/target_N.cc and prints `target<TAB>group<TAB>file`; all other files are to be compiled alone.
cmake/HelveUnity.cmake asks for this; source_groups_test.py tests it.
"""

import os
import re
import sys
from pathlib import Path

import check_layers
from check_type_names import BLIND, DIRECTIVE, TOKEN, namespace_of, outside_angles, type_of

MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
# A macro before an include may change what headers say.
EARLY_MACRO = re.compile(r"^[ \t]*#[ \t]*define.*^[ \t]*#[ \t]*include", re.MULTILINE | re.DOTALL)
STATEMENT = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*([^\n]*)", re.MULTILINE)
NAME = re.compile(r"[A-Za-z_]\w*\Z")
CONSTANT = re.compile(r"k[A-Z]")
CALL = re.compile(r"\s*\(")
MACRO_CALL = re.compile(r"[A-Z][A-Z0-9_]+\Z")
# A directive brings names that are not told here; those of literals are of the standard library alone.
DIRECTIVE_OF_NAMES = re.compile(r"^\s*using namespace ((?!std::(?:chrono|string|string_view)_literals;)[\w:]+);", re.MULTILINE)
# Words before a parenthesis that is not the one of a function's parameters.
NO_FUNCTION = {"decltype", "noexcept", "alignas", "__attribute__", "requires", "explicit"}
ACCESS = {"public", "protected", "private"}
# Found by what calls them, wherever that is, under this name alone.
FOUND_BY_NAME = {"main", "operator", "PrintTo", "swap", "begin", "end", "get", "hash_value", "to_string", "format_as"}


class Names:
    """Of one file: `own` it keeps to itself, `aliases` others may declare too if they say the same (name to text),
    `shared` are those of its namespaces (`spaces`) that others see, `called` and `named` all words without a qualifier,
    before a parenthesis and elsewhere, `qualifiers` those before ::, `fixed` those that also mean what is declared
    elsewhere: members, what is qualified, the names of tests."""

    def __init__(self):
        self.own, self.aliases, self.shared, self.spaces = set(), {}, set(), set()
        self.called, self.named, self.qualifiers, self.fixed = set(), set(), set(), set(FOUND_BY_NAME)

    def declare(self, words, is_kept):
        if words[:1] == ["template"]:
            words = without_template_parameters(words)
        if not words or words[0] in ("friend", "static_assert"):
            return
        if len(words) > 2 and MACRO_CALL.match(words[0]) and words[1] == "(":  # TEST(Suite, Name)
            test = [word for word in words[2:] if NAME.match(word)]
            self.own.add("_".join(test))
            self.fixed.update([*test, "_".join(test)])
        elif not is_kept:
            self.shared.update(declared_names(words))
        elif words[0] in ("using", "typedef", "namespace"):
            self.declare_alias(words)
        else:
            self.own.update(declared_names(words))

    def declare_alias(self, words):
        before = words[:words.index("=")] if "=" in words else words
        names = [word for word in before if NAME.match(word)]
        if words[1:2] != ["namespace"]:
            self.aliases[names[-1]] = " ".join(words).replace("using :: ", "using ")

    def declare_member(self, words, of_type):
        for i, word in outside_angles(words):
            following = words[i + 1] if i + 1 < len(words) else ";"
            if NAME.match(word) and word != of_type and following in (";", "(", ",", "=", "[", "{"):
                self.fixed.add(word)

    def hidden_by(self, other):
        """What `other` keeps to itself and would mean something else here."""
        here = self.own | self.called | self.named
        return {name for name in other.own if name in here or name in self.aliases} | {
            name for name, text in other.aliases.items()
            if (self.aliases[name] != text if name in self.aliases else name in here)}


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


class Scope:
    """What a brace opens: a namespace (by its name, "" if it has none), a type, an enumeration whose names are those of
    the namespace around it, or a body."""

    def __init__(self, words, is_in_namespace):
        self.namespace = namespace_of(words) if is_in_namespace else None
        self.is_enum = is_in_namespace and "enum" in words and not {"class", "struct"} & set(words)
        found = type_of([(word, 0) for word in words]) if self.namespace is None else None
        self.type = found[0] if found is not None else None


def read_names(text):
    names = Names()
    plain = BLIND.sub(" ", text)
    names.own.update(MACRO.findall(plain))
    names.fixed.update(names.own)
    plain = DIRECTIVE.sub(" ", plain)
    read_mentions(plain, names)
    read_declarations(TOKEN.findall(plain), names)
    return names


def read_mentions(plain, names):
    before = qualifier = ""
    for match in TOKEN.finditer(plain):
        word = match[0]
        if not NAME.match(word):
            pass
        elif before not in (".", "->", "::"):
            (names.called if CALL.match(plain, match.end()) else names.named).add(word)
            if plain.startswith("::", match.end()):
                names.qualifiers.add(word)
        elif word != qualifier:  # X::X is the constructor of X
            names.fixed.add(word)
        if word != "::":
            qualifier = word
        before = "->" if word == ">" and before == "-" else word


def read_declarations(tokens, names):
    scopes, words = [Scope(["namespace"], True)], []  # the open ones, and what was read since the last statement
    for word in tokens:
        inner = scopes[-1]
        if word == "{":
            scope = Scope(words, inner.namespace is not None)
            if scope.namespace is None:
                take_statement(words, scopes, names)
            else:
                parts = "::".join(one.namespace for one in [*scopes, scope] if one.namespace).split("::")
                names.spaces.update("::".join(parts[:i]) for i in range(1, len(parts) + 1))
            scopes.append(scope)
            words = []
        elif word == "}":
            if len(scopes) > 1:
                scopes.pop()
            words = []
        elif inner.is_enum:
            if NAME.match(word) and not words:
                names.declare([word], is_kept([], scopes[:-1]))
            words = [] if word == "," else [word]
        elif inner.namespace is None and inner.type is None:
            continue
        elif word == ";":
            take_statement(words, scopes, names)
            words = []
        elif word == ":" and words[-1:] and words[-1] in ACCESS:
            words = []
        else:
            words.append(word)


def take_statement(words, scopes, names):
    if scopes[-1].namespace is not None:
        names.declare(words, is_kept(words, scopes))
    elif scopes[-1].type is not None:
        names.declare_member(words, scopes[-1].type)


def is_kept(words, scopes):
    """Whether one file alone sees what is declared: what others see too has one meaning in the whole program."""
    return (len(scopes) == 1 or any(scope.namespace == "" for scope in scopes[1:]) or
            words[:1] and words[0] in ("static", "using", "typedef", "namespace", "constexpr", "const"))


class Headers:
    """What the headers of the repository declare: `files` are their texts by their paths."""

    def __init__(self, files):
        self.files, self.known, self.places, self.spaces = files, {}, {}, {}
        for path, text in files.items():
            names = read_names(text)
            self.spaces[path] = names.spaces
            for name in names.own | names.aliases.keys() | names.shared:
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

    def declaring(self, name):
        return self.places.get(name, set())


class Source:
    def __init__(self, path, text, headers):
        self.path, self.names, self.headers = path, read_names(text), headers.reached_by(text)
        self.directives = frozenset(DIRECTIVE_OF_NAMES.findall(text))
        self.includes, self.is_plain = read_includes(text, Path(path).parent)
        kept = self.names.own | self.names.aliases.keys()
        # What is overloaded by a header cannot be told from it, nor what is the name of a namespace.
        spaces = {name for name in self.names.qualifiers if name[0].islower()}
        self.replaceable = {name for name in kept - self.names.fixed - spaces
                            if self.headers.isdisjoint(headers.declaring(name))}
        self.declaring = {name: headers.declaring(name) for name in kept if headers.declaring(name)}
        self.spaces = self.names.spaces.union(*(headers.spaces[path] for path in self.headers))
        self.overloaded = set()  # headers that would add to what this file finds by a name
        for name in (self.names.called | self.names.named) - kept:
            places = headers.declaring(name)
            # A call takes what fits its arguments; a function that is handed on by its name has to be the only one.
            is_new = places.isdisjoint(self.headers) and not CONSTANT.match(name)
            if name[0].islower() and name in (self.names.called if is_new else self.names.named):
                self.overloaded |= places - self.headers

    def reads_otherwise(self, other):
        """Whether this file would find something else with the headers of the other."""
        spaces = {space.rpartition("::")[2] for space in other.spaces - self.spaces}
        return (not self.overloaded.isdisjoint(other.headers) or not spaces.isdisjoint(self.names.qualifiers) or
                self.directives != other.directives)

    def hidden_in(self, other):
        """The names of this file that must not be seen by the other, nor meet those of its headers."""
        met = {name for name, places in self.declaring.items() if not places.isdisjoint(other.headers - self.headers)}
        return other.names.hidden_by(self.names) | met


def read_includes(text, folder):
    """The includes as they can stand elsewhere, and whether they can."""
    found, depth = [], 0
    for keyword, rest in STATEMENT.findall(text):
        depth += (keyword in ("if", "ifdef", "ifndef")) - (keyword == "endif")
        if keyword != "include":
            continue
        name = rest.split("//")[0].strip()
        beside = folder / name[1:-1]
        if depth > 0 or not re.match(r'"[^"]+\.h"$|<[^>]+>$', name):
            return [], False
        found.append(f'"{beside.as_posix()}"' if name[0] == '"' and beside.exists() else name)
    return found, not EARLY_MACRO.search(text)


def near(include, folder):
    """What is included, by its way from the folder if it was named in full."""
    path = include[1:-1]
    return f'"{os.path.relpath(path, folder)}"' if os.path.isabs(path) else include


class Group:
    def __init__(self):
        self.sources, self.replaced = [], {}  # the names to replace by the paths of the files that keep them

    def take(self, source):
        """Whether the file goes with those that are here; if so it is one of them."""
        replaced = {source.path: set()}
        for one in self.sources:
            if source.reads_otherwise(one) or one.reads_otherwise(source):
                return False
            mine, theirs = source.hidden_in(one), one.hidden_in(source)
            if not (mine <= source.replaceable and theirs <= one.replaceable):
                return False
            replaced[source.path] |= mine
            replaced[one.path] = self.replaced[one.path] | theirs
        self.replaced |= replaced
        self.sources.append(source)
        return True

    def text(self, folder):
        """As it stands in a folder: with paths from there, so that a cache finds what another checkout compiled."""
        lines = [f"#include {near(include, folder)}" for source in self.sources for include in source.includes]
        lines = list(dict.fromkeys(lines))
        for i, source in enumerate(self.sources):
            replaced = sorted(self.replaced[source.path])
            lines += [f"#define {name} {name}_{i}" for name in replaced]
            lines.append("#include " + near(f'"{source.path}"', folder))
            lines += [f"#undef {name}" for name in replaced]
        return "\n".join(lines) + "\n"


def group_files(sources, most, headers):
    """The files (paths and texts) in groups of two to `most`; the same for the same files."""
    groups = []
    for path, text in sorted(sources.items()):
        source = Source(path, text, headers)
        if not source.is_plain:
            continue
        if not any(len(group.sources) < most and group.take(source) for group in groups):
            group = Group()
            group.take(source)
            groups.append(group)
    return [group for group in groups if len(group.sources) > 1]


def read_headers(root):
    """Those of the repository; a folder of other people's is none of ours."""
    found = {}
    for folder in ("include", "src", "tests", "fuzz", "bench"):
        for path in Path(root, folder).rglob("*.h"):
            if "node_modules" not in path.parts:
                found[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
    return Headers(found)


def write_changed(path, text):
    """A file that says the same keeps its time, and is not compiled again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main():
    most = int(sys.argv[1])
    targets = {}
    for line in sys.stdin:
        target, folder, path = line.rstrip("\n").split("\t")
        targets.setdefault((target, folder), {})[path] = Path(path).read_text(encoding="utf-8")
    headers = read_headers(Path(__file__).resolve().parent.parent)
    for (target, folder), sources in targets.items():
        for i, group in enumerate(group_files(sources, most, headers)):
            path = Path(folder, "groups", f"{target}_{i}.cc")
            write_changed(path, group.text(path.parent))
            for source in group.sources:
                print(f"{target}\t{path.as_posix()}\t{source.path}")


if __name__ == "__main__":
    main()
