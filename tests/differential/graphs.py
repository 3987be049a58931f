"""Small random graphs for differential tests. Neighbour: queries.py asks questions about them.

Terms are strings in N-Triples syntax, which is also how a query writes them; the default graph is "".
"""

from dataclasses import dataclass, field

NAMESPACE = "http://e/"
XSD = "http://www.w3.org/2001/XMLSchema#"
IRIS = [f"<{NAMESPACE}s{i}>" for i in range(6)]
PREDICATES = [f"<{NAMESPACE}p{i}>" for i in range(4)]
LINK = f"<{NAMESPACE}link>"  # among nodes only, so that paths go somewhere
BLANKS = [f"_:b{i}" for i in range(3)]
GRAPHS = [f"<{NAMESPACE}g{i}>" for i in range(3)]


def typed(text, datatype):
    return f'"{text}"^^<{XSD}{datatype}>'


# Spelled as each peer would spell the value itself: known_differences.md tells why.
LITERALS = {
    "integer": [typed(n, "integer") for n in ("0", "1", "2", "3", "5", "-1", "42")],
    "decimal": [typed(n, "decimal") for n in ("0.5", "1.5", "-2.25", "3.125")],
    "double": [typed(n, "double") for n in ("0.5", "1.5", "-0.25", "1000", "NaN", "INF")],
    "float": [typed(n, "float") for n in ("2.5", "-4")],
    "boolean": [typed(b, "boolean") for b in ("true", "false")],
    "string": ['""', '"a"', '"abc"', '"ABC"', '"foo bar"', '"é€"', '"a.b*c"', '"10"', '"abcabc"', '"a\\nb\\"c"'],
    "language": ['"abc"@en', '"abc"@fr', '"chat"@en-us', '"Été"@fr', '""@de'],
    "dateTime": [typed(t, "dateTime") for t in (
        "2020-01-01T00:00:00Z", "2021-06-15T12:30:45.5Z", "2020-01-01T02:00:00+02:00",
        "1999-12-31T23:59:59-05:00", "2020-02-29T10:20:30")],
    "date": [typed(d, "date") for d in ("2020-01-01", "2021-06-15")],
    "other": ['"v"^^<http://e/dt>', '"w"^^<http://e/dt>', '"1"^^<http://e/dt>'],
    "ill": [typed("x", "integer"), typed("2020-13-41T00:00:00Z", "dateTime"), typed("maybe", "boolean"),
            typed("1.2.3", "decimal")],
}
# Only where the peer keeps datatypes and spellings as they are.
KEPT_LITERALS = {
    "derived": [typed("7", "byte"), typed("7", "unsignedShort"), typed("8", "nonNegativeInteger"), typed("-9", "long")],
    "spelled": [typed("01", "integer"), typed("1.50", "decimal"), typed("1.5E0", "double"), typed("1", "boolean")],
}


@dataclass
class Graph:
    quads: list = field(default_factory=list)  # (subject, predicate, object, graph)

    def triples(self, graph=""):
        return [quad[:3] for quad in self.quads if quad[3] == graph]

    def graph_names(self):
        return sorted({quad[3] for quad in self.quads} - {""})

    def nquads(self):
        return "".join(" ".join(term for term in quad if term) + " .\n" for quad in self.quads)


def make_graph(random, profile):
    """Some 12 to 30 triples, more than half of them in the default graph."""
    kinds = [kind for kind in LITERALS if kind not in profile.literals_left_out]
    kinds += ["integer", "integer", "string", "decimal"]  # what most functions work on
    pools = dict(LITERALS)
    if profile.keeps_spelling:
        pools.update(KEPT_LITERALS)
        kinds += list(KEPT_LITERALS)
    if not profile.orders_only_values:
        pools["double"] = [literal for literal in pools["double"] if "NaN" not in literal]
    here = random.sample(kinds, 5)  # few kinds each: more terms that are equal or comparable
    quads = set()

    def node():
        return random.choice(BLANKS) if random.random() < 0.15 else random.choice(IRIS)

    def literal():
        return random.choice(pools[random.choice(here)])

    for _ in range(random.randint(12, 30)):
        graph = random.choice(GRAPHS) if profile.has_graphs and random.random() < 0.4 else ""
        if random.random() < 0.35:
            quads.add((node(), LINK, node(), graph))
        else:
            quads.add((node(), random.choice(PREDICATES), node() if random.random() < 0.25 else literal(), graph))
    return Graph(sorted(quads))
