#!/usr/bin/env python3
"""The calls of ../tools.py as one would write them with rdflib, in memory: rdflib_tools.py CALLS DATA

Each function gives the facts that the tool of that name gives, as a structure that is then written as JSON; nothing is
kept from call to call but results. Of a kind of calls that took SECONDS_MAX altogether, no more are made.
"""

import json
import sys
import time
from collections import Counter, defaultdict
from itertools import islice

from protocol import event, usage

try:
    from rdflib import RDF, RDFS, Graph, URIRef
except ImportError:
    sys.exit("rdflib is not installed (bench/setup.sh)")

SECONDS_MAX = 5

graph = Graph()
results = []


def label(subject):
    return next((str(text) for text in graph.objects(subject, RDFS.label)), None)


def namespace(iri):
    return iri[:max(iri.rfind("#"), iri.rfind("/")) + 1]


def class_counts():
    return Counter(graph.objects(None, RDF.type))


def properties_of(instances):
    counts = Counter()
    for instance in instances:
        counts.update(set(graph.predicates(instance)))
    return counts


def ranges_of(instances):
    found = defaultdict(set)
    for instance in instances:
        for predicate, value in graph.predicate_objects(instance):
            found[predicate].add(str(getattr(value, "datatype", None) or next(graph.objects(value, RDF.type), None)))
    return found


def schema(output_mode="overview", limit=50):
    if output_mode == "classes":
        return [{"uri": cls, "label": label(cls), "count": count,
                 "common_properties": [name for name, _ in properties_of(graph.subjects(RDF.type, cls)).most_common(5)]}
                for cls, count in class_counts().most_common(limit)]
    predicates = Counter(graph.predicates())
    if output_mode == "properties":
        found = []
        for name, count in predicates.most_common(limit):
            domains, ranges = Counter(), Counter()
            for subject, value in graph.subject_objects(name):
                domains.update(graph.objects(subject, RDF.type))
                ranges.update(graph.objects(value, RDF.type) if isinstance(value, URIRef) else [value.datatype])
            found.append({"name": name, "count": count, "domain": domains.most_common(1), "range": ranges.most_common(1)})
        return found
    classes = class_counts()
    return {"class_count": len(classes), "property_count": len(predicates), "top_classes": classes.most_common(10),
            "namespaces": Counter(namespace(name) for name in [*classes, *predicates]).most_common()}


def find(pattern, limit=20):
    words = pattern.lower().split()
    hits = []
    for subject in set(graph.subjects()) | set(graph.predicates()) | set(graph.objects(None, RDF.type)):
        text = f"{label(subject) or ''} {subject.rpartition('/')[2]}".lower()
        if all(word in text for word in words):
            hits.append((len(text), subject))
    return [{"uri": hit, "label": label(hit)} for _, hit in sorted(hits)[:limit]]


def peek(resource, output_mode="sample", limit=5):
    subject = URIRef(resource)
    instances = list(graph.subjects(RDF.type, subject))
    if not instances:
        return {"resource": subject, "label": label(subject), "properties": list(islice(graph.predicate_objects(subject), 20))}
    common = properties_of(instances).most_common()
    if output_mode == "schema":
        ranges = ranges_of(instances)
        return {"properties": [{"name": name, "count": count, "required": count == len(instances), "type": sorted(ranges[name])}
                               for name, count in common],
                "superclasses": list(graph.objects(subject, RDFS.subClassOf))}
    return {"instance_count": len(instances), "common_properties": common,
            "sample_instances": [{"uri": one, "properties": list(islice(graph.predicate_objects(one), 5))} for one in instances[:limit]]}


def describe(resource, limit=20):
    subject = URIRef(resource)
    outgoing, incoming = list(graph.predicate_objects(subject)), list(graph.subject_predicates(subject))
    return {"label": label(subject), "types": list(graph.objects(subject, RDF.type)), "triples": outgoing[:limit],
            "incoming_links": Counter(name for _, name in incoming).most_common(), "total_triples": len(outgoing) + len(incoming)}


def query(query):  # the parameter's name is the tool's
    answer = graph.query(query)
    rows = [list(row) for row in answer]
    results.append((list(map(str, answer.vars)), rows))
    return {"rows": len(rows), "preview": rows[:10]}


def count(query):  # a class or a query
    if " " not in query:
        return sum(1 for _ in graph.subjects(RDF.type, URIRef(query)))
    return len(graph.query(query))


def slice_rows(result, offset, limit):
    columns, rows = results[int(result.rpartition("_")[2])]
    return {"columns": columns, "rows": rows[offset:offset + limit], "total_available": len(rows)}


def sql(sql):  # one text alone: what tools.py asks for, in Python
    columns, rows = results[0]
    born = columns.index("born")
    limit = int(sql.rpartition(" ")[2])
    return sorted(Counter(str(row[born]) for row in rows).items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


TOOLS = {"sparql_schema": schema, "sparql_find": find, "sparql_peek": peek, "sparql_describe": describe, "sparql_query": query,
         "sparql_count": count, "sparql_slice": slice_rows, "result_sql": sql}


def main():
    if len(sys.argv) != 3:
        usage("rdflib_tools.py CALLS DATA")
    started = time.perf_counter()
    graph.parse(sys.argv[2], format="nt")
    event("open", seconds=time.perf_counter() - started)
    spent = Counter()
    with open(sys.argv[1], encoding="utf-8") as calls:
        for line in calls:
            call = json.loads(line)
            if spent[call["case"]] > SECONDS_MAX:
                continue
            started = time.perf_counter()
            text = json.dumps(TOOLS[call["tool"]](**call["arguments"]))
            seconds = time.perf_counter() - started
            spent[call["case"]] += seconds
            event("call", case=call["case"], seconds=seconds, chars=len(text))


if __name__ == "__main__":
    main()
