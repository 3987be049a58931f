"""Whether two answers are the same: bags of rows up to the names of blank nodes. Neighbour: run_differential.py."""

from collections import Counter, defaultdict
from decimal import Decimal, InvalidOperation

XSD = "http://www.w3.org/2001/XMLSchema#"
TRIES_MAX = 1_000


def literal_key(value, datatype):
    """Computed numbers are spelled in several ways: compared by datatype and value."""
    if not datatype.startswith(XSD):
        return value
    kind = datatype[len(XSD):]
    try:
        if kind == "decimal":
            # Quotients are cut at 18 digits or more: https://www.w3.org/TR/xpath-functions/#func-numeric-divide
            return str(Decimal(value).quantize(Decimal("1e-12")).normalize())
        if kind == "double":
            return repr(float(value))
        if kind == "float":
            return f"{float(value):.6g}"
    except (InvalidOperation, ValueError):
        pass
    return value


def key(term):
    """A hashable form of a term of the SPARQL JSON format; ("bnode", label) for blank nodes."""
    if term is None:
        return None
    kind, value = term["type"], term["value"]
    if kind == "bnode":
        return ("bnode", value)
    if kind == "uri":
        return ("uri", value)
    language = term.get("xml:lang")
    if language:
        return ("lang", value, language.lower())
    datatype = term.get("datatype") or XSD + "string"
    return ("literal", literal_key(value, datatype), datatype)


def is_blank(item):
    return item is not None and item[0] == "bnode"


def colours(rows):
    """For each blank node a colour that does not depend on its name."""
    colour = {item: 0 for row in rows for item in row if is_blank(item)}
    for _ in range(3 if colour else 0):
        seen = defaultdict(list)
        for row in rows:
            shape = tuple(("blank", colour[item]) if is_blank(item) else item for item in row)
            for place, item in enumerate(row):
                if is_blank(item):
                    seen[item].append(repr((place, shape, [other == item for other in row])))
        colour = {item: hash((colour[item], tuple(sorted(places)))) for item, places in seen.items()}
    return colour


def coloured(rows, colour):
    return [tuple(("blank", colour[item]) if is_blank(item) else item for item in row) for row in rows]


def renamings(left, right):
    """Maps from the blank nodes of left to those of right with the same colours."""
    by_colour = defaultdict(list)
    for item, colour in right.items():
        by_colour[colour].append(item)
    items = sorted(left, key=lambda item: len(by_colour[left[item]]))
    if len(left) != len(right):
        return

    def extend(index, mapping, used):
        if index == len(items):
            yield dict(mapping)
            return
        for candidate in by_colour[left[items[index]]]:
            if candidate not in used:
                mapping[items[index]] = candidate
                yield from extend(index + 1, mapping, used | {candidate})
                del mapping[items[index]]

    yield from extend(0, {}, frozenset())


def same_rows(left, right, is_ordered=False):
    """Rows of keys; as lists when is_ordered, else as bags. Blank nodes match one to one."""
    if len(left) != len(right):
        return False
    collect = list if is_ordered else Counter
    expected = collect(right)
    if not any(is_blank(item) for row in left for item in row):
        return collect(left) == expected
    sides = colours(left), colours(right)
    for tries, mapping in enumerate(renamings(*sides)):
        if tries == TRIES_MAX:  # very many nodes that look alike: then their looks decide
            return collect(coloured(left, sides[0])) == collect(coloured(right, sides[1]))
        if collect([tuple(mapping.get(item, item) for item in row) for row in left]) == expected:
            return True
    return False


def rows_of(answer, names):
    places = [answer["vars"].index(name) for name in names]
    return [tuple(key(row[place]) for place in places) for row in answer["rows"]]


def difference(ours, theirs, is_ordered=False):
    """None when the answers are the same, otherwise what differs, in a few words."""
    if "error" in ours and "error" in theirs:
        return None
    if "error" in ours:
        return "we refuse"
    if "error" in theirs:
        return "they refuse"
    if ours["kind"] != theirs["kind"]:
        return "kinds differ"
    if ours["kind"] == "boolean":
        return None if ours["answer"] == theirs["answer"] else "answers differ"
    if ours["kind"] == "graph":
        sides = [[tuple(key(term) for term in triple) for triple in side["triples"]] for side in (ours, theirs)]
        return None if same_rows([*set(sides[0])], [*set(sides[1])]) else "graphs differ"
    if sorted(ours["vars"]) != sorted(theirs["vars"]):
        return "variables differ"
    sides = [rows_of(side, ours["vars"]) for side in (ours, theirs)]
    if same_rows(*sides, is_ordered):
        return None
    return "order differs" if is_ordered and same_rows(*sides) else "rows differ"


def sort_class(item):
    """Unbound, blank nodes, IRIs, literals: https://www.w3.org/TR/sparql11-query/#modOrderBy"""
    return 0 if item is None else {"bnode": 1, "uri": 2}.get(item[0], 3)


def sorting_mistake(answer, sort_keys):
    """What is wrong with the order of rows by a first key that is a column; None where nothing is."""
    if not sort_keys or "rows" not in answer:
        return None
    name, is_descending = sort_keys[0]
    if name not in answer["vars"]:
        return None
    items = [row[0] for row in rows_of(answer, [name])]
    for before, after in zip(items, items[1:]):
        if is_descending:
            before, after = after, before
        if sort_class(before) > sort_class(after):
            return f"not sorted by {name}: {before} before {after}"
        if sort_class(before) == sort_class(after) == 2 and before[1] > after[1]:
            return f"not sorted by {name}: {before} before {after}"
        numbers = [number_of(item) for item in (before, after)]
        if None not in numbers and numbers[0] > numbers[1]:
            return f"not sorted by {name}: {before} before {after}"
        if None not in (before, after) and before[0] == after[0] == "literal":
            if before[2] == after[2] == XSD + "string" and before[1] > after[1]:
                return f"not sorted by {name}: {before} before {after}"
    return None


def number_of(item):
    if item is None or item[0] != "literal" or item[2] not in {XSD + n for n in ("integer", "decimal", "double", "float")}:
        return None
    try:
        number = float(item[1])
    except ValueError:
        return None
    return None if number != number else number
