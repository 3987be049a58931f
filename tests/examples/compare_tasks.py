#!/usr/bin/env python3
"""Tasks that the program makes of real examples, beside those of another hand.

compare_tasks.py HELVE [FOLDER]: FOLDER is $HELVE_SHARED/data/sib-examples/examples unless it is given. Exit status 77:
there are no examples, or no rdflib. RDF is read by rdflib, HTML by html.parser, queries by the tokenizer of
count_examples.py; neighbour: compare_counts.py, which holds endpoints and graphs.
"""

import html.parser
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from compare_counts import EXAMPLES, SKIPPED, Tools, check, missing, shared_path  # finds the Python that has rdflib
from count_examples import EXECUTABLES, FORMS, SCHEMAS, SPEX, Reach, declared, same_endpoint, tokens_of

import rdflib
from rdflib.namespace import RDF, RDFS

BLOCKS = {"br", "p", "li", "ul", "ol", "div", "td", "tr", "table", "dd", "dt", "dl", "pre", "hr"}
# Of texts that are not declared as HTML.
ELEMENTS = BLOCKS | {"a", "b", "i", "em", "strong", "sub", "sup", "span", "code", "u"}


class Shown(html.parser.HTMLParser):
    """What is seen of HTML, of all of it or of known elements alone."""

    def __init__(self, is_html):
        super().__init__(convert_charrefs=True)
        self.is_html = is_html
        self.text = ""

    def handle_starttag(self, tag, attrs):
        if not self.is_html and tag not in ELEMENTS:
            self.text += self.get_starttag_text()
        elif tag in BLOCKS:
            self.text += " "

    def handle_endtag(self, tag):
        if tag in BLOCKS:
            self.text += " "

    def handle_data(self, data):
        self.text += data


def question_of(literal):
    shown = Shown(str(literal.datatype or "").endswith("#HTML"))
    shown.feed(str(literal))
    shown.close()
    return " ".join(shown.text.split())


def complexity_of(query):
    words, depth = set(), 0
    for kind, text in tokens_of(query):
        if kind == "brace":
            depth += 1 if text == "{" else -1
        elif kind == "word":
            words.add((text.upper(), depth > 0))
    has_sub_select = ("SELECT", True) in words
    if has_sub_select or len(query) > 500:
        return "complex"
    has_branches = ("UNION", True) in words or ("OPTIONAL", True) in words
    return "simple" if len(query) < 200 and not has_branches else "moderate"


def tasks_of(folder):
    """By (file without ending, query)."""
    folder = Path(folder)
    graphs = {path: rdflib.Graph().parse(path, format="turtle") for path in sorted(folder.rglob("*.ttl"))}
    prefixes_of = defaultdict(dict)
    for path, graph in graphs.items():
        for prefix, namespace in declared(graph):
            prefixes_of[path.parent].setdefault(prefix, namespace)
    tasks = {}
    for path, graph in graphs.items():
        scope = {}
        for parent in [folder, *reversed([one for one in path.parents if folder in one.parents])]:
            scope.update(prefixes_of[parent])
        for predicate in FORMS:
            for example, _, text in graph.triples((None, predicate, None)):
                if not EXECUTABLES & set(graph.objects(example, RDF.type)):
                    continue
                others = {same_endpoint(one) for one in Reach(str(text), scope).services}
                others |= {same_endpoint(str(one)) for one in graph.objects(example, SPEX.federatesWith)}
                tasks[(str(path.relative_to(folder).with_suffix("")), str(text))] = {
                    "questions": {question_of(one) for one in graph.objects(example, RDFS.comment)} or {""},
                    "endpoints": {str(one) for schema in SCHEMAS for one in graph.objects(example, schema.target)},
                    "keywords": sorted(str(one) for schema in SCHEMAS for one in graph.objects(example, schema.keywords)),
                    "federated": others,
                    "complexity": complexity_of(str(text)),
                }
    return tasks


def compare_tasks(ours, theirs):
    wrong = check("tasks", len(ours), len(theirs))
    wrong += check("different ids", len({task["id"] for task in ours}), len(ours))
    for task in ours:
        file = task["id"].partition("#")[0]
        other = theirs.get((file, task["expected_sparql"]))
        if other is None:
            wrong += check(f"{task['id']} is a task", True, False)
            continue
        wrong += check(f"{task['id']}: question {task['query']!r} is one of {other['questions']}",
                       task["query"] in other["questions"], True)
        wrong += check(f"{task['id']}: endpoints", {*([task["endpoint"]] if task["endpoint"] else []), *task["also_for"]},
                       other["endpoints"])
        wrong += check(f"{task['id']}: keywords", sorted(task["keywords"]), other["keywords"])
        wrong += check(f"{task['id']}: federated", {same_endpoint(one) for one in task["federated"]}, other["federated"])
        wrong += check(f"{task['id']}: complexity", task["complexity"], other["complexity"])
    return wrong


def compare_figures(figures, theirs):
    wrong = check("total", figures["total"], len(theirs))
    wrong += check("by complexity", {name: count for name, count in figures["by_complexity"].items() if count},
                   dict(Counter(one["complexity"] for one in theirs.values())))
    endpoints, keywords = Counter(), Counter()
    for one in theirs.values():
        endpoints.update({same_endpoint(url) for url in one["endpoints"]})
        keywords.update({word.lower() for word in one["keywords"]})
    wrong += check("by endpoint", {same_endpoint(one["endpoint"]): one["tasks"] for one in figures["by_endpoint"]},
                   dict(endpoints))
    shown = [one["tasks"] for one in figures["top_keywords"]]
    wrong += check("keywords are the commonest", shown, sorted(keywords.values(), reverse=True)[:len(shown)])
    for one in figures["top_keywords"]:
        wrong += check(f"keyword {one['keyword']}", one["tasks"], keywords[one["keyword"].lower()])
    return wrong


def compare(program, tools, folder):
    theirs = tasks_of(folder)
    loaded = tools.call("load_shacl_tasks", path=folder, max_chars=20000)
    ours = [json.loads(line) for line in tools.whole_text(loaded["key"]).splitlines()]
    wrong = compare_tasks(ours, theirs)
    wrong += compare_figures(tools.call("get_task_stats", ref=loaded["key"], max_chars=20000), theirs)
    done = subprocess.run([program, "tasks", folder, "--json", "--sample", "50000"], capture_output=True, text=True,
                          timeout=120, check=True)
    printed = json.loads(done.stdout)
    wrong += compare_figures(printed, theirs)
    by_id = {task["id"]: task for task in ours}
    wrong += check("tasks of the command", {task["id"]: task for task in printed["tasks"]} == by_id, True)
    for complexity in ("simple", "moderate", "complex"):
        filtered = tools.call("load_shacl_tasks", path=folder, complexity_filter=complexity)
        wrong += check(complexity, filtered["total"], sum(one["complexity"] == complexity for one in theirs.values()))
    sample = tools.call("sample_tasks", ref=loaded["key"], n=5, seed=3, max_chars=20000)
    wrong += check("a sample of tool and command", [task["id"] for task in sample["tasks"]], first_ids(program, folder))
    print(f"{len(theirs)} tasks {dict(Counter(one['complexity'] for one in theirs.values()))}, "
          f"{sum(bool(one['federated']) for one in theirs.values())} federated, "
          f"{sum('<' in one['query'] for one in ours)} questions with a '<' that stays")
    return wrong


def first_ids(program, folder):
    done = subprocess.run([program, "tasks", folder, "--json", "--sample", "5", "--seed", "3"], capture_output=True,
                          text=True, timeout=120, check=True)
    return [task["id"] for task in json.loads(done.stdout)["tasks"]]


def main():
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else shared_path(EXAMPLES)
    if folder is None:
        print(f"skipped: {missing(EXAMPLES)}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as session:
        wrong = compare(sys.argv[1], Tools(sys.argv[1], session), folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
