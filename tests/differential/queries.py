"""Random SPARQL queries about a graph, mostly with some answer and never with much work.

Patterns are made from triples of the graph, some of whose terms become variables, so that there is a solution to
begin with. Neighbours: graphs.py, expressions.py; profiles.py says what a peer is not asked.
"""

from dataclasses import dataclass

from expressions import PREFIXES, TEXT, NUMERIC, ExpressionMaker, type_of
from graphs import GRAPHS, IRIS, LINK, PREDICATES


@dataclass
class GeneratedQuery:
    text: str
    is_ordered: bool = False  # the order of rows is total: it must be the same
    sort_keys: tuple = ()     # columns whose order is checked on its own: (name, is_descending)


class QueryMaker:
    TRIPLES_MAX = 7  # of a whole query

    def __init__(self, random, graph, profile):
        self.random = random
        self.graph = graph
        self.profile = profile
        self.names = {}    # term -> variable
        self.witness = {}  # variable -> term
        self.expressions = ExpressionMaker(random, profile, self.witness)
        self.triples_left = self.TRIPLES_MAX
        self.paths_left = 2
        self.blanks = 0     # nodes in patterns, where they would be counted
        self.asked = set()  # triples
        self.active = ""   # the graph that patterns look into
        self.is_in_graph_variable = False  # GRAPH ?g, where the peer takes no sub-query
        self.level = 0                     # of groups
        self.has_exists = False
        self.has_subselect = False
        self.has_closure = False           # a path that may have no length
        self.made = 0

    def chance(self, share):
        return self.random.random() < share

    def pick(self, items):
        return self.random.choice(list(items))

    def weighted(self, table):
        """One of the makers by weight; the profile says which are left out."""
        table = {name: entry for name, entry in table.items() if name not in self.profile.elements_left_out}
        weights, makers = zip(*table.values())
        return self.random.choices(makers, weights)[0]

    def fresh(self, letter, witness=None):
        self.made += 1
        name = f"?{letter}{self.made}"
        self.witness[name] = witness
        return name

    # Patterns: each gives its text and adds the variables it may bind to the scope.

    def triple_near(self):
        """A triple of the active graph, mostly one that shares a node with what was asked before."""
        triples = self.graph.triples(self.active)
        near = [triple for triple in triples if triple[0] in self.names or triple[2] in self.names]
        new = [triple for triple in near if triple not in self.asked]
        pool = new or near or triples
        if not self.chance(0.9):
            pool = triples
        chosen = self.pick(pool) if pool else (IRIS[0], LINK, IRIS[1])
        self.asked.add(chosen)
        return chosen

    def term(self, term, share, scope):
        name = self.names.get(term)
        if name is None or self.chance(0.1):
            if not term.startswith("_:") and not self.chance(share):
                return term
            name = self.names.get(term) or self.fresh("v", term)
            self.names[term] = name
        scope.setdefault(name)
        return name

    def triple(self, scope):
        self.triples_left -= 1
        subject, predicate, object_ = self.triple_near()
        predicate_share = 0.12 if scope else 0.05
        parts = [self.term(subject, 0.7, scope), self.term(predicate, predicate_share, scope),
                 self.term(object_, 0.75, scope)]
        if self.chance(0.06):
            self.made += 1
            self.blanks += not self.profile.hides_blanks
            parts[2] = self.pick(["[]", f"_:x{self.made}"])
        return " ".join(parts) + " ."

    def triples(self, scope, most=3):
        count = max(1, min(self.random.randint(1, most), self.triples_left))
        return " ".join(self.triple(scope) for _ in range(count))

    def path(self, depth):
        if depth == 0 or self.chance(0.3):
            return LINK if self.chance(0.75) else self.pick(PREDICATES)
        down = depth - 1
        return self.weighted({
            "inverse": (2, lambda: f"^{self.path_inside(down)}"),
            "sequence": (3, lambda: f"({self.path(down)}/{self.path(down)})"),
            "alternative": (3, lambda: f"({self.path(down)}|{self.path(down)})"),
            "closure": (5, lambda: self.closure(down)),
            "negated": (2, self.negated_set),
        })()

    def closure(self, depth):
        sign = self.pick("*+?")
        if self.active and not self.profile.zero_length_in_graphs:
            sign = "+"
        self.has_closure |= sign != "+"
        return self.path_inside(depth if self.profile.nests_closures else 0) + sign

    def path_inside(self, depth):
        inner = self.path(depth)
        return inner if inner.startswith(("<", "(")) and not inner.endswith(("*", "+", "?")) else f"({inner})"

    def negated_set(self):
        signs = ["", "", "^"] if self.profile.negates_inverse else [""]
        iris = [self.pick(signs) + self.pick([LINK, *PREDICATES]) for _ in range(self.random.randint(1, 3))]
        return f"!({'|'.join(iris)})" if len(iris) > 1 or iris[0].startswith("^") else f"!{iris[0]}"

    def path_triple(self, scope, depth):
        if self.paths_left == 0:
            return self.triples(scope, 1)
        self.paths_left -= 1
        self.triples_left -= 1
        subject, _, object_ = self.triple_near()
        ends = self.term(subject, 0.7, scope), self.term(object_, 0.75, scope)
        path = self.path(2)
        triple = f"{ends[0]} {path} {ends[1]} ."
        if any(sign in path for sign in self.profile.path_signs_once):
            variables = [end for end in dict.fromkeys(ends) if end.startswith("?")]
            too_deep = self.is_in_graph_variable or self.level > self.profile.level_of_paths
            if too_deep or len(variables) < self.profile.path_variables_min:
                return f"{ends[0]} {LINK} {ends[1]} ."
            return f"{{ SELECT DISTINCT {' '.join(variables)} {{ {triple} }} }}"
        return triple

    def inner_group(self, scope, depth):
        inner = {}
        text = self.group(inner, depth - 1)
        for name in inner:
            scope.setdefault(name)
        return text

    def optional(self, scope, depth):
        return f"OPTIONAL {self.inner_group(scope, depth)}"

    def union(self, scope, depth):
        parts = [self.inner_group(scope, depth) for _ in range(self.random.choice([2, 2, 3]))]
        return " UNION ".join(parts)

    def minus(self, scope, depth):
        if self.level > 1 and not self.profile.minus_inside:
            return self.triples(scope, 1)
        return f"MINUS {self.group({}, depth - 1)}"

    def nested(self, scope, depth):
        return self.inner_group(scope, depth)

    def filter(self, scope, depth):
        return f"FILTER({self.expressions.truth(list(scope), 2)})"

    def exists(self, scope, depth):
        if self.has_subselect and not self.profile.exists_after_subselect:
            return self.filter(scope, depth)
        if self.level > 1 and not self.profile.exists_inside:
            return self.filter(scope, depth)
        self.has_exists = True
        return f"FILTER {self.pick(['', 'NOT '])}EXISTS {self.group({}, depth - 1)}"

    def bind(self, scope, depth):
        expression = self.expressions.anything(list(scope), 2)
        name = self.fresh("e")
        scope.setdefault(name)
        return f"BIND({expression} AS {name})"

    def bind_term(self, scope, depth):
        """A variable bound to a term and then used in a triple."""
        subject, predicate, object_ = self.triple_near()
        if subject.startswith("_:"):
            return self.triples(scope, 1)
        self.triples_left -= 1
        name = self.fresh("n", subject)
        scope.setdefault(name)
        return f"BIND({subject} AS {name}) {name} {predicate} {self.term(object_, 0.8, scope)} ."

    def values(self, scope, depth):
        known = [name for name in scope if self.witness.get(name) and not self.witness[name].startswith("_:")]
        names = self.random.sample(known, min(len(known), self.random.choice([1, 1, 2])))
        if not names or self.chance(0.2):
            names.append(self.fresh("d", self.pick(IRIS)))
        rows = [[self.witness[name] for name in names]]
        terms = sorted({term for triple in self.graph.triples(self.active) for term in triple if not term.startswith("_:")})
        for _ in range(self.random.randint(0, 4)):
            row = [self.pick(terms or IRIS) if self.chance(0.8) else "UNDEF" for _ in names]
            if self.profile.has_undef_and_repeats or ("UNDEF" not in row and row not in rows):
                rows.append(row)
        for name in names:
            scope.setdefault(name)
        if len(names) == 1 and self.chance(0.5):
            return f"VALUES {names[0]} {{ {' '.join(row[0] for row in rows)} }}"
        return f"VALUES ({' '.join(names)}) {{ {' '.join('(' + ' '.join(row) + ')' for row in rows)} }}"

    def graph_element(self, scope, depth):
        if self.is_in_graph_variable:
            return self.nested(scope, depth)
        before = self.active
        self.active = self.pick(self.graph.graph_names() or GRAPHS)
        name = self.active
        if self.chance(0.5):
            name = self.names.get(self.active) or self.fresh("g", self.active)
            self.names[self.active] = name
            scope.setdefault(name)
        was_in = self.is_in_graph_variable
        self.is_in_graph_variable |= name.startswith("?") and not self.profile.binds_graph_of_subselect
        text = f"GRAPH {name} {self.inner_group(scope, depth)}"
        self.active, self.is_in_graph_variable = before, was_in
        return text

    def subselect(self, scope, depth):
        if self.is_in_graph_variable or (self.has_exists and not self.profile.exists_after_subselect):
            return self.nested(scope, depth)
        self.has_subselect = True
        inner = {}
        body = self.group(inner, depth - 1)
        if self.chance(0.35):
            text, names = self.aggregation(inner, body)
        else:
            names = self.random.sample(list(inner), self.random.randint(1, len(inner))) if inner else []
            text = f"SELECT {self.pick(['', 'DISTINCT '])}{' '.join(names) or '*'} WHERE {body}"
        for name in names:
            scope.setdefault(name)
        return f"{{ {text} }}"

    def group(self, scope, depth):
        """A group with its braces."""
        parts = []
        self.level += 1
        if not self.profile.has_empty_groups or self.is_in_graph_variable or self.chance(0.95):
            parts.append(self.triples(scope) if self.chance(0.85) else self.path_triple(scope, depth))
        if depth > 0:
            for _ in range(self.random.choice([0, 1, 1, 2, 2, 3])):
                if self.triples_left <= 0:
                    break
                table = {
                    "triples": (2, lambda s, d: self.triples(s, 1)), "path": (3, self.path_triple),
                    "optional": (4, self.optional), "union": (2, self.union), "minus": (2, self.minus),
                    "filter": (5, self.filter), "exists": (2, self.exists), "bind": (3, self.bind),
                    "bind term": (1, self.bind_term), "values": (2, self.values), "subselect": (2, self.subselect),
                    "nested": (1, self.nested),
                }
                if self.profile.has_graphs:
                    table["graph"] = (3, self.graph_element)
                parts.append(self.weighted(table)(scope, depth))
        elif self.chance(0.3):
            parts.append(self.filter(scope, depth))
        self.level -= 1
        return "{ " + " ".join(parts) + " }"

    # Query forms.

    def aggregation(self, scope, body):
        """SELECT ... GROUP BY over a group; its text and the variables it gives."""
        keys = self.random.sample(list(scope), min(len(scope), self.random.choice([0, 1, 1, 2])))
        items, names = [*keys], [*keys]
        clause = " ".join(keys)
        if self.chance(0.15):
            key = self.fresh("k")
            expression = self.expressions.anything(list(scope), 1)
            if expression.startswith("?") and not self.profile.groups_by_alias:
                expression = f"COALESCE({expression})"
            clause += f" ({expression} AS {key})"
            items.append(key)
            names.append(key)
        for _ in range(self.random.randint(1, 3)):
            name = self.fresh("a")
            items.append(f"({self.aggregate(scope, keys)} AS {name})")
            names.append(name)
        text = f"SELECT {' '.join(items)} WHERE {body}"
        if clause:
            text += f" GROUP BY {clause}"
        if self.chance(0.25):
            text += f" HAVING({self.pick(['COUNT(*)', self.count(scope)])} {self.pick(['>', '<', '>=', '='])} {self.pick('123')})"
        return text, names

    def count(self, scope):
        if "count" in self.profile.elements_left_out:
            return "COUNT(*)"
        return f"COUNT({self.pick(['', 'DISTINCT '])}{self.pick(scope) if scope else '*'})"

    def counted(self, scope):
        expression = self.expressions.anything(list(scope), 1)
        return expression if self.profile.counts_past_errors else f"COALESCE({expression}, 0)"

    def aggregate(self, scope, keys):
        """One whose value does not depend on the order of rows, nor on which of equal values is taken."""
        distinct = self.pick(["", "", "DISTINCT "])
        numbers = [name for name in scope if type_of(self.witness.get(name)) in NUMERIC]
        texts = [name for name in scope if type_of(self.witness.get(name)) in TEXT]
        number = self.pick(numbers) if numbers else "1"
        text = self.pick(texts) if texts else '"t"'
        return self.weighted({
            "count": (3, lambda: self.count(scope)),
            "count star": (2, lambda: "COUNT(*)"),
            "count distinct star": (1, lambda: "COUNT(DISTINCT *)" if not self.blanks else "COUNT(*)"),
            "count expression": (1, lambda: f"COUNT({distinct}{self.counted(scope)})"),
            "sum": (2, lambda: f"SUM({distinct}{number})"),
            "sum expression": (1, lambda: f"SUM({self.expressions.number(list(scope), 1)})"),
            "average": (2, lambda: f"AVG({distinct}{number})"),
            "extreme number": (2, lambda: f"{self.pick(['MIN', 'MAX'])}(IF(isNUMERIC({number}), xsd:double({number}), 0e0))"),
            "extreme text": (1, lambda: f"{self.pick(['MIN', 'MAX'])}(STR({text}))"),
            "concatenation": (2, lambda: f'STRLEN(GROUP_CONCAT({distinct}STR({text}){self.pick(["", "; SEPARATOR=$|$"]).replace("$", chr(34))}))'),
            "sample": (1, lambda: f"SAMPLE({self.pick(keys)})" if keys else "COUNT(*)"),
        })()

    def dataset_clause(self):
        names = self.graph.graph_names()
        if not names or not self.profile.has_graphs or not self.chance(0.08):
            return ""
        if self.has_closure and not self.profile.zero_length_in_graphs:
            return ""
        chosen = [(self.pick(["", "NAMED "]), name) for name in self.random.sample(names, self.random.randint(1, len(names)))]
        if not self.profile.merges_graphs and [kind for kind, _ in chosen].count("") > 1:
            chosen = chosen[:1]
        return " ".join(f"FROM {kind}{name}" for kind, name in chosen) + " "

    def select(self):
        scope = {}
        body = self.group(scope, 2)
        if not scope and not self.profile.has_star:
            return GeneratedQuery(f"ASK {body}")
        if not scope or (self.profile.has_star and self.chance(0.25)):
            projection = "*"
        else:
            names = self.random.sample(list(scope), self.random.randint(1, len(scope)))
            if self.chance(0.2):
                names.append(f"({self.expressions.anything(list(scope), 2)} AS {self.fresh('e')})")
            projection = " ".join(names)
        duplicates = self.pick(["", "", "", "DISTINCT "])
        if "UNION" in body and not self.profile.repeats_unions:
            duplicates = "DISTINCT "
        text = f"SELECT {duplicates}{projection} {self.dataset_clause()}WHERE {body}"
        order, sort_keys = self.free_order(scope)
        return GeneratedQuery(text + order + self.trailing_values(scope), sort_keys=sort_keys)

    def free_order(self, scope):
        """ORDER BY whatever, and which of its first keys is a column."""
        if not scope or not self.profile.sorts_anything or not self.chance(0.2):
            return "", ()
        first, second = self.pick(scope), self.pick(scope)
        expression = self.expressions.anything(list(scope), 1)
        keys = self.random.sample([(first, (first[1:], False)), (f"DESC({second})", (second[1:], True)),
                                   (f"({expression})", None)], 2)
        return f" ORDER BY {' '.join(text for text, _ in keys)}", tuple(key for _, key in keys[:1] if key)

    def trailing_values(self, scope):
        return f" {self.values(dict(scope), 0)}" if scope and self.chance(0.06) else ""

    def ordered_select(self):
        """Distinct rows of IRIs, sorted by all of their columns."""
        scope = {}
        body = self.group(scope, 1)
        names = [name for name in scope if type_of(self.witness.get(name)) == "iri"][:3]
        if not names:
            return self.select()
        conditions = " && ".join(f"isIRI({name})" for name in names)
        keys = [f"DESC({name})" if self.chance(0.4) else name for name in self.random.sample(names, len(names))]
        text = (f"SELECT DISTINCT {' '.join(names)} WHERE {{ {body} FILTER({conditions}) }} ORDER BY {' '.join(keys)}")
        return GeneratedQuery(text + self.slice(), True)

    def slice(self):
        limit = f" LIMIT {self.random.randint(0, 6)}" if self.chance(0.8) else ""
        offset = f" OFFSET {self.random.randint(0, 4)}" if self.chance(0.4) else ""
        return limit + offset if self.chance(0.5) else offset + limit

    def aggregate_select(self):
        scope = {}
        body = self.group(scope, 2)
        text, _ = self.aggregation(scope, body)
        return GeneratedQuery(text + self.trailing_values({}))

    def ordered_groups(self):
        scope = {}
        body = self.group(scope, 1)
        names = [name for name in scope if type_of(self.witness.get(name)) == "iri"]
        if not names:
            return self.aggregate_select()
        key = self.pick(names)
        text = (f"SELECT {key} (COUNT(*) AS ?n) WHERE {{ {body} FILTER(isIRI({key})) }} GROUP BY {key} "
                f"ORDER BY {self.pick(['DESC(?n)', '?n', 'DESC(COUNT(*))'])} {key}")
        return GeneratedQuery(text + self.slice(), True)

    def ask(self):
        body = self.group({}, 2)
        return GeneratedQuery(f"ASK {self.dataset_clause()}{body}")

    def construct(self):
        scope = {}
        if not self.profile.path_in_construct:
            self.paths_left = 0
        body = self.group(scope, 1)
        names = list(scope) or [IRIS[0]]
        pieces = []
        for _ in range(self.random.randint(1, 3)):
            subject = self.pick([*names, *names, "_:c", ":new"])
            predicate = self.pick([":p9", ":p9", LINK, self.pick(names)])
            pieces.append(f"{subject} {predicate} {self.pick([*names, *names, '_:c', '1', chr(34) + 'x' + chr(34) + '@en'])} .")
        return GeneratedQuery(f"CONSTRUCT {{ {' '.join(pieces)} }} WHERE {body}")

    def query(self):
        while True:
            made = self.any_query()
            if self.profile.repeats_unions or not ("UNION" in made.text and "COUNT" in made.text):
                return made

    def any_query(self):
        self.__init__(self.random, self.graph, self.profile)
        made = self.weighted({
            "select": (10, self.select), "ordered select": (3, self.ordered_select),
            "aggregate select": (4, self.aggregate_select), "ordered groups": (2, self.ordered_groups),
            "ask": (2, self.ask), "construct": (2, self.construct),
        })()
        made.text = f"{PREFIXES} {made.text}"
        return made
