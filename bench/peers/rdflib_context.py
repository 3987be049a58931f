#!/usr/bin/env python3
"""The facts and texts of L0 and L1 with rdflib, for context.py: rdflib_context.py FILE ROUNDS

Written as one would who knows rdflib: its three indexes for everything that has a bound term, plain loops and sets, no
SPARQL (which costs it milliseconds for each query), and one walk over all triples for what needs all of them (uses of
predicates, namespaces). The graph is parsed before the clock starts. Prints a line of JSON.
"""

import json
import statistics
import sys
import time
from collections import Counter

import rdflib
from rdflib import OWL, RDF, RDFS, XSD, BNode, Graph, Literal, URIRef
from rdflib.collection import Collection

DCT, DC, SKOS = "http://purl.org/dc/terms/", "http://purl.org/dc/elements/1.1/", "http://www.w3.org/2004/02/skos/core#"
SCHEMA = ("http://schema.org/", "https://schema.org/")
LANGUAGE = {str(space) for space in (RDF, RDFS, OWL, XSD)}
OBJECT = (OWL.ObjectProperty, OWL.TransitiveProperty, OWL.SymmetricProperty, OWL.InverseFunctionalProperty)
PLAIN = (RDF.Property, OWL.FunctionalProperty, OWL.OntologyProperty, OWL.DeprecatedProperty)
TRAITS = (OWL.FunctionalProperty, OWL.InverseFunctionalProperty, OWL.TransitiveProperty, OWL.SymmetricProperty,
          OWL.AsymmetricProperty, OWL.ReflexiveProperty, OWL.IrreflexiveProperty)
LABELS = [RDFS.label] + [URIRef(iri) for iri in (SKOS + "prefLabel", SCHEMA[0] + "name", SCHEMA[1] + "name", DCT + "title")]
DESCRIPTIONS = [RDFS.comment] + [URIRef(iri) for iri in (SKOS + "definition", SCHEMA[0] + "description",
                                                         SCHEMA[1] + "description", DCT + "description")]
TITLES = [URIRef(DCT + "title"), URIRef(DC + "title"), RDFS.label]
ABOUT = [URIRef(DCT + "description"), URIRef(DCT + "abstract"), URIRef(DC + "description"), RDFS.comment]
DOMAINS = [RDFS.domain] + [URIRef(s + "domainIncludes") for s in SCHEMA]
RANGES = [RDFS.range] + [URIRef(s + "rangeIncludes") for s in SCHEMA]
CARDINALITIES = [OWL[kind] for kind in ("cardinality", "minCardinality", "maxCardinality", "qualifiedCardinality",
                                        "minQualifiedCardinality", "maxQualifiedCardinality")]
LISTED_MAX, LABELS_LOOKED_AT = 60, 200


def namespace(iri):
    end = max(iri.rfind("#"), iri.rfind("/"))
    return iri[:end + 1] if end >= 0 else iri


def ranked(counts, below, most):
    return sorted(counts, key=lambda iri: (-counts[iri], -below[iri], iri))[:most]


class Facts:
    def __init__(self, graph):
        self.graph = graph
        self.triples = len(graph)
        self.walk()
        self.terms()
        self.header()
        self.axioms()
        self.enumerations()

    def walk(self):
        """All that needs every triple."""
        self.uses, iris = Counter(), set()
        for s, p, o in self.graph:
            self.uses[p] += 1
            iris.add(s)
            iris.add(p)
            iris.add(o)
        self.namespaces = Counter(namespace(iri) for iri in iris if type(iri) is URIRef)
        self.types = Counter(self.graph.objects(None, RDF.type))

    def terms(self):
        graph = self.graph
        self.classes = set(graph.subjects(RDF.type, OWL.Class)) | set(graph.subjects(RDF.type, RDFS.Class))
        self.named = {c for c in self.classes if type(c) is URIRef}
        self.objects = {p for t in OBJECT for p in graph.subjects(RDF.type, t)}
        self.datatypes = set(graph.subjects(RDF.type, OWL.DatatypeProperty)) - self.objects
        self.annotations = set(graph.subjects(RDF.type, OWL.AnnotationProperty)) - self.objects - self.datatypes
        self.plain = {p for t in PLAIN for p in graph.subjects(RDF.type, t)} - self.objects - self.datatypes - self.annotations
        self.properties = self.objects | self.datatypes | self.plain
        below = Counter(graph.objects(None, RDFS.subClassOf)) + Counter(graph.objects(None, RDFS.subPropertyOf))
        listed = {c: self.types[c] for c in self.named if namespace(c) not in LANGUAGE}
        self.with_instances = sum(n > 0 for n in listed.values())
        self.listed = len(listed)
        self.top_classes = ranked(listed, below, LISTED_MAX)
        self.by_subclass = [c for c in listed if not listed[c] and below[c] and
                            any(self.types[s] for s in graph.subjects(RDFS.subClassOf, c))]
        self.tops = [ranked({p: self.uses[p] for p in kind}, below, LISTED_MAX)
                     for kind in (self.objects, self.datatypes, self.annotations, self.plain)]

    def header(self):
        graph = self.graph
        ontologies = sorted(o for o in graph.subjects(RDF.type, OWL.Ontology) if type(o) is URIRef)
        self.main = ontologies[0] if ontologies else None
        first = lambda predicates: next((str(v) for p in predicates for v in graph.objects(self.main, p)), "")
        self.title = first(TITLES) if self.main else ""
        self.about = first(ABOUT) if self.main else ""
        self.version = first([OWL.versionInfo]) if self.main else ""
        self.imports = sorted(graph.objects(None, OWL.imports))
        self.modules = Counter(graph.objects(None, RDFS.isDefinedBy)) or Counter(
            m for s in SCHEMA for m in graph.objects(None, URIRef(s + "isPartOf")))
        self.label = max(LABELS, key=lambda p: self.uses[p])
        self.description = max(DESCRIPTIONS, key=lambda p: self.uses[p])
        labels = graph.objects(None, self.label)
        self.languages = Counter(value.language for value, _ in zip(labels, range(LABELS_LOOKED_AT)) if type(value) is Literal)

    def ends_of(self, one, predicates):
        ends = []
        for predicate in predicates:
            for end in self.graph.objects(one, predicate):
                if type(end) is URIRef:
                    ends.append(end)
                else:
                    ends += [m for l in self.graph.objects(end, OWL.unionOf) for m in Collection(self.graph, l)]
        return sorted(ends)

    def axioms(self):
        graph = self.graph
        self.ends = {one: (self.ends_of(one, DOMAINS), self.ends_of(one, RANGES)) for top in self.tops for one in top}
        self.traits = {t: sorted(graph.subjects(RDF.type, t)) for t in TRAITS}
        inverses = (OWL.inverseOf, *(URIRef(s + "inverseOf") for s in SCHEMA))
        self.inverses = {frozenset(pair) for p in inverses for pair in graph.subject_objects(p)
                         if type(pair[0]) is URIRef and type(pair[1]) is URIRef and pair[0] != pair[1]}
        self.disjoint = {frozenset(pair) for pair in graph.subject_objects(OWL.disjointWith)
                         if type(pair[0]) is URIRef and type(pair[1]) is URIRef}
        for node in graph.subjects(RDF.type, OWL.AllDisjointClasses):
            for members in graph.objects(node, OWL.members):
                self.disjoint.add(frozenset(m for m in Collection(graph, members) if type(m) is URIRef))
        self.cardinalities = set()
        for kind in CARDINALITIES:
            for node, n in graph.subject_objects(kind):
                on, of = graph.value(node, OWL.onProperty), graph.value(node, OWL.onClass)
                if type(of) is BNode:
                    continue
                for by in (RDFS.subClassOf, OWL.equivalentClass):
                    for c in graph.subjects(by, node):
                        if type(c) is URIRef:
                            self.cardinalities.add((c, on, of))

    def enumerations(self):
        graph = self.graph
        self.members = {}
        for same, members in graph.subject_objects(OWL.oneOf):
            for c in (same, *graph.subjects(OWL.equivalentClass, same)):
                if type(c) is URIRef:
                    self.members[c] = sorted(Collection(graph, members))
        tops = [URIRef(s + "Enumeration") for s in SCHEMA if (URIRef(s + "Enumeration"), None, None) in graph]
        small = {c for top in tops for c in graph.transitive_subjects(RDFS.subClassOf, top)} or self.named
        few = sorted((c for c in small if 2 <= self.types[c] <= (50 if tops else 15)), key=lambda c: (-self.types[c], c))[:16]
        for c in few:
            self.members[c] = sorted(graph.subjects(RDF.type, c))


class Cards:
    """The texts: lists that end where the budget does."""

    def __init__(self, facts):
        self.facts = facts
        self.prefixes = sorted(((str(iri), name) for name, iri in facts.graph.namespaces()), key=lambda one: -len(one[0]))

    def show(self, iri):
        for start, name in self.prefixes:
            if iri.startswith(start):
                return f"{name}:{iri[len(start):]}"
        return f"<{iri}>"

    def pack(self, lines, budget):
        text = ""
        for head, words in lines:
            line = head
            for word in words:
                if len(text) + len(line) + len(word) + 12 > budget:
                    break
                line += word + ", "
            if len(text) + len(line) + 1 <= budget:
                text += line.rstrip(", ") + "\n"
        return text

    def l0(self):
        f = self.facts
        return self.pack([
            (f'"{f.title[:100]}" {f.main} {f.version}', []),
            (f"{f.triples:,} triples; {len(f.classes):,} classes ({len(f.named):,} named); {len(f.properties):,} properties", []),
            (f"Labels: {self.show(f.label)} {f.uses[f.label]}; descriptions {self.show(f.description)}", []),
            ("About: " + " ".join(f.about.split())[:150], []),
            ("Namespaces: ", (f"<{n}>" for n, _ in f.namespaces.most_common(10))),
            ("Modules: ", (f"<{m}> {n}" for m, n in f.modules.most_common(5))),
            ("Imports: ", (f"<{i}>" for i in f.imports[:5])),
            ("Written in: ", (f"{self.show(t)} {n}" for t, n in (f.types + f.uses).most_common(12)))], 600)

    def l1(self):
        f = self.facts
        blank = len(f.classes) - len(f.named)
        groups = {}
        for top in f.tops:
            for one in top:
                ends = " > ".join("|".join(self.show(e) for e in end[:3]) or "any" for end in f.ends[one])
                groups.setdefault(ends, []).append(one)
        lines = [(f"! {f.listed - f.with_instances} of {f.listed} classes without instances", []),
                 ("! Only by subclass: ", (self.show(c) for c in f.by_subclass[:3])),
                 (f"! {blank} blank classes", []), (f"! languages {dict(f.languages)}", [])]
        lines += [(ends + ": ", (self.show(p) for p in names)) for ends, names in list(groups.items())[:8]]
        lines += [(self.show(c) + ": ", (self.show(m) for m in ms)) for c, ms in list(f.members.items())[:2]]
        lines += [(self.show(t) + ": ", (self.show(p) for p in ps)) for t, ps in f.traits.items() if ps]
        lines += [("Inverse: ", (" = ^".join(self.show(p) for p in sorted(pair)) for pair in list(f.inverses)[:5])),
                  ("Disjoint: ", (" | ".join(self.show(c) for c in sorted(one)) for one in list(f.disjoint)[:5])),
                  ("Cardinality: ", (f"{self.show(c)} {self.show(p)}" for c, p, _ in sorted(f.cardinalities, key=str)[:5]))]
        return self.pack(lines, 1000)


def main():
    path, rounds = sys.argv[1], int(sys.argv[2])
    graph = Graph()
    graph.parse(path, format="turtle" if path.endswith(".ttl") else "xml")
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        facts = Facts(graph)
        cards = Cards(facts)
        l0, l1 = cards.l0(), cards.l1()
        times.append((time.perf_counter() - start) * 1e6)
    print(json.dumps({"version": rdflib.__version__, "first_us": times[0], "median_us": statistics.median(times),
                      "least_us": min(times), "triples": facts.triples, "classes": len(facts.classes),
                      "named_classes": len(facts.named), "properties": len(facts.properties),
                      "annotation_only": len(facts.annotations), "namespaces": len(facts.namespaces),
                      "disjoint": len(facts.disjoint), "inverses": len(facts.inverses),
                      "cardinalities": len(facts.cardinalities), "l0": l0, "l1": l1}))


if __name__ == "__main__":
    main()
