"""Rules that recognise the differences explained in known_differences.md, each by its name there."""

import re

AGGREGATE = re.compile(r"\((COUNT|SUM|AVG|MIN|MAX|SAMPLE|GROUP_CONCAT)\(")


def is_group_of_nothing(graph, query, ours, theirs, what):
    """GROUP BY of no solutions is one row without values there, and no row here."""
    return "GROUP BY" in query.text and ours.get("rows") == [] and len(theirs.get("rows", [])) == 1 and not any(theirs["rows"][0])


def is_group_lost(graph, query, ours, theirs, what):
    """An aggregate without GROUP BY over a pattern that cannot have a solution is no row there, and one row here."""
    if theirs.get("rows") != [] and theirs.get("triples") != [] and theirs.get("answer") is not False:
        return False
    outer = query.text.split("WHERE")[0]
    if AGGREGATE.search(outer) and not re.search(r"GROUP BY|HAVING", query.text[query.text.rindex("}"):]):
        return True
    parts = query.text.split("SELECT")[2:]
    return any(AGGREGATE.search(part.split("WHERE")[0]) and "GROUP BY" not in part for part in parts)


def is_crash(graph, query, ours, theirs, what):
    """Sorting ends the program: its order of literals is no order."""
    return "ORDER BY" in query.text and theirs.get("is_lost") and theirs["error"] == "the process ended"


def is_escaped_error(graph, query, ours, theirs, what):
    """An error of an expression ends the query there; here it is a value, as the specification says."""
    return what == "they refuse" and re.match(r"AttributeError: '<rdflib.plugins.sparql.processor.SPARQLResult|AttributeError: 'URIRef'|TypeError: |OverflowError: ",
                                              theirs["error"])


def is_text_of_blank(graph, query, ours, theirs, what):
    """STR of a blank node is its name there, and an error here."""
    rows = theirs.get("rows", theirs.get("triples", []))
    return any(term and term["type"] == "literal" and re.search(r"N[0-9a-f]{32}", term["value"]) for row in rows for term in row)


# Name in known_differences.md, peers, rule.
RULES = [
    ("group of nothing", {"rdflib"}, is_group_of_nothing),
    ("escaped error", {"rdflib"}, is_escaped_error),
    ("text of a blank node", {"rdflib"}, is_text_of_blank),
    ("crash", {"oxigraph"}, is_crash),
    ("group lost", {"oxigraph"}, is_group_lost),
]


def explanation(peer, graph, query, ours, theirs, what):
    """The name of the rule that explains a difference, or None."""
    for name, peers, rule in RULES:
        if peer in peers and rule(graph, query, ours, theirs, what):
            return name
    return None
