"""What L0 and L1 state of a graph, held against rdflib. Each kind of line has a pattern and a check; a line that no
pattern takes, or a number that no check has seen, is an error. cards_test.py calls it."""

import re
from collections import Counter, defaultdict
from pathlib import Path

from rdflib import OWL, RDF, RDFS, XSD, BNode, Graph, Literal, URIRef
from rdflib.collection import Collection

LANGUAGE = tuple(str(space) for space in (RDF, RDFS, OWL, XSD))
SCHEMA = ("http://schema.org/", "https://schema.org/")
OBJECT = (OWL.ObjectProperty, OWL.TransitiveProperty, OWL.SymmetricProperty, OWL.InverseFunctionalProperty)
PLAIN = (RDF.Property, OWL.FunctionalProperty, OWL.OntologyProperty, OWL.DeprecatedProperty)
TRAITS = {"Functional": OWL.FunctionalProperty, "Inverse functional": OWL.InverseFunctionalProperty,
          "Transitive": OWL.TransitiveProperty, "Symmetric": OWL.SymmetricProperty, "Asymmetric": OWL.AsymmetricProperty,
          "Reflexive": OWL.ReflexiveProperty, "Irreflexive": OWL.IrreflexiveProperty}
LABELS = [str(RDFS.label), "http://www.w3.org/2004/02/skos/core#prefLabel", *[s + "name" for s in SCHEMA],
          "http://xmlns.com/foaf/0.1/name", "http://purl.org/dc/terms/title", "http://purl.org/dc/elements/1.1/title"]
DESCRIPTIONS = [str(RDFS.comment), "http://www.w3.org/2004/02/skos/core#definition", *[s + "description" for s in SCHEMA],
                "http://purl.org/dc/terms/description", "http://purl.org/dc/elements/1.1/description",
                "http://purl.org/dc/terms/abstract", "http://purl.obolibrary.org/obo/IAO_0000115"]
ROOT = Path(__file__).resolve().parents[2]
KNOWN = dict(re.findall(r'\{"([^"]*)", "([^"]*)"\}', (ROOT / "src/sources/sparql/algebra/well_known.cc").read_text()))
OWN = [line.strip().strip(",").strip('"') for file in (ROOT / "src/toolkit/context/built_in/constraints").glob("*.toml")
       for line in file.read_text().splitlines() if line.startswith("  ")]


def number(text):
    return int(text.replace(",", ""))


def namespace(iri):
    end = max(iri.rfind("#"), iri.rfind("/"))
    end = iri.rfind(":") if end < 0 else end
    return iri[:end + 1] if end >= 0 else iri


def words_of(text):
    """The words of a list, and how many more there are; None where the list ends in an ellipsis."""
    words = re.findall(r'(?:"(?:\\.|[^"\\])*"|<[^>]*>|,(?! )|[^,"<])+', text)
    words = [word.strip() for word in words]
    if words and (more := re.fullmatch(r"\+(\d+) more", words[-1])):
        return words[:-1], int(more[1])
    if words and words[-1] == "…":
        return words[:-1], None
    return words, 0


class Wrong(Exception):
    pass


def expect(is_true, message):
    if not is_true:
        raise Wrong(message)


class Claims:
    def __init__(self, path):
        self.graph = Graph()
        self.graph.parse(str(path), format="turtle" if str(path).endswith(".ttl") else "xml")
        self.checked = 0
        self.prefixes = dict(KNOWN)
        self.prefixes.update({name: str(iri) for name, iri in self.graph.namespaces()})
        self.read()

    def read(self):
        graph = self.graph
        self.uses = Counter(graph.predicates())
        self.types = Counter(graph.objects(None, RDF.type))
        self.iris = {str(t) for triple in graph for t in triple if isinstance(t, URIRef)}
        self.spaces = {namespace(iri) for iri in self.iris}
        self.classes = set(graph.subjects(RDF.type, OWL.Class)) | set(graph.subjects(RDF.type, RDFS.Class))
        self.named = {c for c in self.classes if isinstance(c, URIRef)}
        self.listed = {c for c in self.named if not str(c).startswith(LANGUAGE)}
        typed = {t: {p for p in graph.subjects(RDF.type, t) if isinstance(p, URIRef)}
                 for t in (*OBJECT, OWL.DatatypeProperty, OWL.AnnotationProperty, *PLAIN)}
        self.objects = set().union(*(typed[t] for t in OBJECT))
        self.datatypes = typed[OWL.DatatypeProperty] - self.objects
        self.annotations = typed[OWL.AnnotationProperty] - self.objects - self.datatypes
        plain = set().union(*(typed[t] for t in PLAIN)) - self.objects - self.datatypes - self.annotations
        self.properties = self.objects | self.datatypes | plain
        self.others = set()
        for one in plain:  # use tells where nothing is declared
            values = list(graph.objects(None, one)) if self.uses[one] else []
            literals = sum(isinstance(v, Literal) for v in values)
            kind = self.others if not values or 0 < literals < len(values) else self.datatypes if literals else self.objects
            kind.add(one)
        self.ends = {"domain": self.read_ends(RDFS.domain, "domainIncludes"), "range": self.read_ends(RDFS.range, "rangeIncludes")}

    def read_ends(self, predicate, hinted):
        ends = defaultdict(set)
        for one in (predicate, *(URIRef(space + hinted) for space in SCHEMA)):
            for subject, end in self.graph.subject_objects(one):
                if isinstance(end, URIRef):
                    ends[subject].add(str(end))
                for members in self.graph.objects(end, OWL.unionOf):
                    ends[subject] |= {str(m) for m in Collection(self.graph, members) if isinstance(m, URIRef)}
        return ends

    def iri(self, shown):
        shown = re.sub(r' "(?:\\.|[^"\\])*"$', "", shown)
        if shown.startswith("<"):
            return URIRef(shown[1:-1])
        prefix, colon, name = shown.partition(":")
        expect(colon and prefix in self.prefixes, f"what is {shown}?")
        return URIRef(self.prefixes[prefix] + name)

    def check(self, layer, text):
        """Messages for all that is wrong."""
        self.group = None
        for line in text.splitlines():
            try:
                self.check_line(layer, line)
                self.checked += 1
            except Wrong as wrong:
                yield f"{wrong}\n    {line}"

    def check_line(self, layer, line):
        for pattern, check in (L0 if layer == "l0" else L1):
            if match := pattern.fullmatch(line):
                check(self, *match.groups())
                return
        raise Wrong("a line that this test does not know")

    # L0

    def title(self, title, iri):
        if iri:
            expect(iri in self.iris, "the ontology is not in the data")

    def size(self, triples, classes, named, properties, annotations):
        expect(number(triples) == len(self.graph), f"{len(self.graph)} triples")
        expect(number(classes) == len(self.classes), f"{len(self.classes)} classes")
        expect(number(named) == len(self.named), f"{len(self.named)} named classes")
        expect(number(properties) == len(self.properties), f"{len(self.properties)} properties")
        expect(number(annotations or "0") == len(self.annotations), f"{len(self.annotations)} for annotation alone")

    def labels(self, label, n, tags, description, described):
        for shown, count, known in ((label, n, LABELS), (description, described, DESCRIPTIONS)):
            if shown is None:
                continue
            iri = self.iri(shown)
            most = max(self.uses[URIRef(one)] for one in known)
            expect(self.uses[iri] == number(count) == most, f"{shown} has {self.uses[iri]}, the most used has {most}")
        there = {value.language or "" for value in self.graph.objects(None, self.iri(label)) if isinstance(value, Literal)}
        for tag in tags.split(", "):
            expect(tag == "…" or ("" if tag == "no tag" else tag[1:]) in {t for t in there} | {t.lower() for t in there},
                   f"no label has {tag}")

    def namespaces(self, text):
        words, more = words_of(text)
        for word in words:
            prefix, _, iri = word.rpartition("<")
            iri = iri[:-1]
            expect(iri in self.spaces, f"{iri} does not occur in the data")
            if prefix:
                expect(self.prefixes.get(prefix.strip()[:-1]) == iri, f"{prefix} is not {iri}")
        expect(len(words) + more == len(self.spaces), f"{len(self.spaces)} namespaces")

    def modules(self, text):
        words, more = words_of(text)
        by = next(one for one in (RDFS.isDefinedBy, *(URIRef(s + "isPartOf") for s in SCHEMA))
                  if len(set(self.graph.objects(None, one))) >= 2)
        counts = Counter(self.graph.objects(None, by))
        for word in words:
            iri, n = re.fullmatch(r"<(.*)> ([\d,]+)", word).groups()
            expect(counts[URIRef(iri)] == number(n), f"{iri} defines {counts[URIRef(iri)]}")
        expect(len(words) + more == len([m for m in counts if isinstance(m, URIRef)]), f"{len(counts)} modules")

    def imports(self, text):
        words, more = words_of(text)
        there = set(self.graph.objects(None, OWL.imports))
        for word in words:
            expect(self.iri(word) in there, f"{word} is not imported")
        expect(len(words) + more == len(there), f"{len(there)} imports")

    def formalism(self, kinds, text):
        words, more = words_of(text)
        used = {t for t in self.types if isinstance(t, URIRef)} | set(self.uses)
        skos = URIRef("http://www.w3.org/2004/02/skos/core#Concept")
        known = {t for t in used if str(t).startswith(str(OWL))} | \
            (used & {RDFS.Class, RDF.Property, RDFS.subClassOf, RDFS.domain, RDFS.range, skos}) | \
            (used & {URIRef(s + e) for s in SCHEMA for e in ("domainIncludes", "rangeIncludes")})
        for word in words:
            shown, n = word.rsplit(" ", 1)
            iri = self.iri(shown)
            expect(number(n) in (self.uses[iri], self.types[iri]), f"{shown}: {self.uses[iri]} uses, {self.types[iri]} instances")
        expect(len(words) + more == len(known), f"{len(known)} constructs")
        is_owl = any(str(t).startswith(str(OWL)) and t not in (OWL.Thing, OWL.NamedIndividual) for t in self.types)
        expect(("OWL" in kinds) == is_owl, "is it OWL?")
        expect(("schema.org" in kinds) == any(self.uses[URIRef(s + "domainIncludes")] for s in SCHEMA), "is it schema.org?")

    def references(self, text):
        for word in words_of(text)[0]:
            expect(str(self.iri(word)) in self.iris, f"{word} is not in the data")

    # L1

    def own(self, text):
        expect(text in OWN, "no rule of these and no built-in constraint")

    def vocabulary(self, asked, name):
        expect(not any(self.types[c] for c in self.listed), "there are instances")
        expect(self.iri(name) in self.classes, f"{name} is no class")
        for word in (asked or "").removeprefix("ask for ").removesuffix(", ").split(", "):
            expect(not word or self.uses[self.iri(word)], f"{word} is not used")

    def bare_classes(self, few, bare, total):
        without = sum(not self.types[c] for c in self.listed)
        expect((number(bare), number(total)) == (without, len(self.listed)), f"{without} of {len(self.listed)}")
        expect(bool(few) == ((len(self.listed) - without) * 4 <= len(self.listed)), "is it a vocabulary?")

    def by_subclass(self, names, asked, first):
        for name in names.removesuffix(" and others").split(", "):
            iri = self.iri(name)
            below = list(self.graph.subjects(RDFS.subClassOf, iri))
            expect(not self.types[iri] and any(self.types[c] for c in below), f"{name} has instances, or no subclass has")

    def scheme(self, there, missing):
        expect(there in self.spaces and missing not in self.spaces, "not so")

    def codes(self, name):
        codes = [c for c in self.listed if len(re.findall(r"\d", str(c)[len(namespace(str(c))):])) >= 2]
        expect(len(codes) * 2 >= len(self.listed), "names are words")

    def no_rdfs_label(self, missing, name):
        expect(not self.uses[self.iri(missing)] and self.uses[self.iri(name)], "not so")

    def tags(self, which, seen, some):
        label = max(LABELS, key=lambda one: self.uses[URIRef(one)])
        values = [v for v in self.graph.objects(None, URIRef(label)) if isinstance(v, Literal)]
        tagged = sum(bool(v.language) for v in values)
        if seen:
            expect(number(seen) < len(values), "all were looked at")
        is_true = {"All": tagged == len(values), "No": tagged == 0, "Some": 0 < tagged < len(values)}[which]
        expect(is_true or (seen and which != "Some"), f"{tagged} of {len(values)} have tags")

    def unions(self):
        expect(any(self.graph.value(end, OWL.unionOf) for p in (RDFS.domain, RDFS.range) for end in self.graph.objects(None, p)),
               "none is")

    def one_way(self, text):
        for name, inverse in re.findall(r"(\S+) \(\^(\S+)\)", text):
            expect(not self.uses[self.iri(name)] and self.uses[self.iri(inverse)], f"{name} is used")

    def deprecated(self, n, name):
        there = len(set(self.graph.subjects(self.iri(name), None)))
        expect(number(n) == there, f"{there} have it")

    def blank_classes(self, blank, total):
        there = sum(isinstance(c, BNode) for c in self.classes)
        expect((number(blank), number(total)) == (there, len(self.classes)), f"{there} of {len(self.classes)}")

    def hinted(self, name):
        expect(self.uses[self.iri(name)], "it is not used")

    def unused(self, without, total):
        there = sum(not self.uses[p] for p in self.properties)
        expect((number(without), number(total)) == (there, len(self.properties)), f"{there} of {len(self.properties)}")

    def instances(self, text):
        words, more = words_of(text)
        for word in words:
            shown, n = word.rsplit(" ", 1)
            there = self.types[self.iri(shown)]
            expect(there == number(n), f"{shown} has {there}")
        filled = sum(bool(self.types[c]) for c in self.listed)
        expect(len(words) + more == filled, f"{filled} classes have instances")

    def properties_of(self, kind, ends, names):
        if kind:
            self.group = {"Object properties (domain > range)": self.objects, "Properties (domain > range)": self.others,
                          "Datatype properties": self.datatypes}[kind]
        domain, range_ = (self.read_shown_ends(text) for text in ends.split(" > "))
        words, more = words_of(names)
        same = {p for p in self.group if not str(p).startswith(LANGUAGE) and self.fits(p, domain, range_)}
        for word in words:
            expect(self.iri(word) in same, f"{word} is of another kind, or has other ends")
        if more is not None:
            expect(len(words) + more == len(same), f"{len(same)} properties have these ends")

    def read_shown_ends(self, text):
        if text == "any":
            return set(), True
        parts = re.findall(r'(?:"(?:\\.|[^"\\])*"|[^|"])+', text)
        return {str(self.iri(p)) for p in parts if p != "…"}, "…" not in parts

    def fits(self, one, *ends):
        return all(set(sorted(self.ends[key][one])[:3]) == shown and (len(self.ends[key][one]) <= 3) == is_whole
                   for key, (shown, is_whole) in zip(("domain", "range"), ends))

    def annotation_names(self, text):
        words, more = words_of(text)
        listed = {p for p in self.annotations if not str(p).startswith(LANGUAGE)}
        for word in words:
            expect(self.iri(word) in listed, f"{word} is none")
        expect(len(words) + more == len(listed), f"{len(listed)} for annotation alone")

    def enumeration(self, kind, name, n, text):
        iri = self.iri(name)
        words, more = words_of(text)
        members = set(self.graph.subjects(RDF.type, iri))
        if kind == "One of":
            lists = [*self.graph.objects(iri, OWL.oneOf)]
            lists += [l for same in self.graph.objects(iri, OWL.equivalentClass) for l in self.graph.objects(same, OWL.oneOf)]
            members = {m for one in lists for m in Collection(self.graph, one)}
        expect(number(n) == len(members) == len(words) + more, f"{len(members)} members")
        for word in words:
            expect(self.iri(word) in members, f"{word} is none")

    def trait(self, kind, text):
        words, more = words_of(text)
        there = {p for p in self.graph.subjects(RDF.type, TRAITS[kind]) if isinstance(p, URIRef)}
        for word in words:
            expect(self.iri(word) in there, f"{word} is not")
        expect(len(words) + more == len(there), f"{len(there)} are")

    def inverses(self, text):
        words, more = words_of(text)
        pairs = {frozenset(pair) for one in (OWL.inverseOf, *(URIRef(s + "inverseOf") for s in SCHEMA))
                 for pair in self.graph.subject_objects(one) if all(isinstance(t, URIRef) for t in pair) and pair[0] != pair[1]}
        for word in words:
            expect(frozenset(self.iri(name) for name in word.split(" = ^")) in pairs, f"{word} is not said")
        expect(len(words) + more == len(pairs), f"{len(pairs)} pairs")

    def disjoint(self, text):
        words, more = words_of(text)
        sets = {frozenset(pair) for pair in self.graph.subject_objects(OWL.disjointWith)
                if all(isinstance(t, URIRef) for t in pair) and pair[0] != pair[1]}
        for node in self.graph.subjects(RDF.type, OWL.AllDisjointClasses):
            members = frozenset(m for l in self.graph.objects(node, OWL.members) for m in Collection(self.graph, l)
                                if isinstance(m, URIRef))
            sets |= {members} if len(members) > 1 else set()
        for word in words:
            names = word.split(" | ")
            hidden = int(names.pop()[1:]) if names[-1].startswith("+") else 0
            shown = {self.iri(name) for name in names}
            expect(any(shown <= one and len(one) == len(shown) + hidden for one in sets), f"{word} is not said")
        expect(len(words) + more == len(sets), f"{len(sets)} sets")

    def cardinalities(self, text):
        words, more = words_of(text)
        found = set()
        for node, one in self.graph.subject_objects(OWL.onProperty):
            for kind in ("cardinality", "minCardinality", "maxCardinality", "qualifiedCardinality", "minQualifiedCardinality",
                         "maxQualifiedCardinality"):
                for n in self.graph.objects(node, OWL[kind]):
                    of = self.graph.value(node, OWL.onClass)
                    if isinstance(of, BNode) or not isinstance(one, URIRef):
                        continue
                    for by in (RDFS.subClassOf, OWL.equivalentClass):
                        found |= {(c, one, of, kind[:3], int(n)) for c in self.graph.subjects(by, node) if isinstance(c, URIRef)}
        expect(len(words) + more == len({one[:3] for one in found}), "another number")
        for word in words:
            match = re.fullmatch(r"(\S+) (\S+) (?:exactly (\d+)|at least (\d+)|at most (\d+)|(\d+) to (\d+))(?: (\S+))?", word)
            expect(match, f"what is {word}?")
            name, one, exact, least, most, low, high, of = match.groups()
            key = (self.iri(name), self.iri(one), self.iri(of) if of else None)
            said = {(kind, n) for *k, kind, n in found if tuple(k) == key}
            lows = [n for kind, n in said if kind != "max"]
            highs = [n for kind, n in said if kind != "min"]
            expect((max(lows, default=None), min(highs, default=None)) ==
                   tuple(int(x) if x is not None else None for x in ((exact or least or low), (exact or most or high))),
                   f"{word}: {sorted(said)}")

    def nothing(self, *_):
        """A line without a claim about the data."""


def rules(*pairs):
    return [(re.compile(pattern), check) for pattern, check in pairs]


N = r"([\d,]+)"
TEXT = r'"(?:\\.|[^"\\])*"'
L0 = rules(
    (rf"({TEXT})(?: \((?:\S+ )?<([^>]*)>\))?(?:, version {TEXT})?", Claims.title),
    (rf"{N} triples?; {N} class(?:es)? declared \({N} named\); {N} propert(?:y|ies) declared"
     rf"(?:, {N} more for annotation only)?\.", Claims.size),
    (rf"Labels: (\S+) \({N} triples(?:; ([^)]*))?\)(?:; descriptions: (\S+) \({N}\))?\.", Claims.labels),
    (rf"About: {TEXT}", Claims.nothing),
    (r"Namespaces: (.*)", Claims.namespaces),
    (r"Modules \(terms\): (.*)", Claims.modules),
    (r"Imports: (.*)", Claims.imports),
    (r"Written in ([^:]*): (.*)", Claims.formalism),
    (r"See: (.*)", Claims.references),
)
L1 = rules(
    (r"! No class has instances \(a vocabulary\): (ask for .*, )?not for \?x a (\S+)\.", Claims.vocabulary),
    (rf"! (?:(Mostly a vocabulary); w|W)ithout instances of their own: {N} of {N} declared classes\.", Claims.bare_classes),
    (r"! Only their subclasses have instances: (.*)\. Ask \?x a/(\S+)\* (\S+)\.", Claims.by_subclass),
    (r"! schema.org names begin with (\S+), not with (\S+)\.", Claims.scheme),
    (r"! Names are codes: find terms by (\S+), never guess an IRI\.", Claims.codes),
    (r"! There is no (\S+): labels are (\S+)\.", Claims.no_rdfs_label),
    (rf"! (All|No|Some) labels?(?: \({N} looked at\))? ha(?:ve|s) (?:a )?language tags?(.*)", Claims.tags),
    (r"! Some domains or ranges are unions: \S+", Claims.unions),
    (r"! Never used, ask the inverse: (.*)\.", Claims.one_way),
    (rf"! {N} terms? have (\S+): do not build on them\.", Claims.deprecated),
    (rf"! {N} of {N} classes are blank nodes: FILTER\(isIRI\(\?class\)\)\.", Claims.blank_classes),
    (r"! (\S+) suggests and does not restrict: several mean any of them\.", Claims.hinted),
    (rf"! Without triples: {N} of {N} declared properties\.", Claims.unused),
    (r"! (.*)", Claims.own),
    (r"Instances: (.*)", Claims.instances),
    (rf"(Instances of|One of) (\S+) \({N}\): (.*)", Claims.enumeration),
    (r"(Functional|Inverse functional|Transitive|Symmetric|Asymmetric|Reflexive|Irreflexive): (.*)", Claims.trait),
    (r"Inverse: (.*)", Claims.inverses),
    (r"Disjoint: (.*)", Claims.disjoint),
    (r"Cardinality: (.*)", Claims.cardinalities),
    (r"Annotation properties: (.*)", Claims.annotation_names),
    (r"Find by label: \?x \S+ \?l FILTER\(CONTAINS\(LCASE\(STR\(\?l\)\), \"...\"\)\)", Claims.nothing),
    (rf"(?:(Object properties \(domain > range\)|Properties \(domain > range\)|Datatype properties): |  )"
     rf"((?:{TEXT}|[^\"])*? > (?:{TEXT}|[^\"])*?): (.*)", Claims.properties_of),
    (r"(.*)", Claims.own),
)
