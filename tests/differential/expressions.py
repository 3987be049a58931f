"""Random SPARQL expressions that mostly have a value. Neighbour: queries.py, which puts them into patterns.

Every variable has a witness, a term that it is bound to in some solution; its type steers what is asked of it.
"""

import re

from graphs import LITERALS, XSD

PREFIXES = f"PREFIX : <http://e/> PREFIX xsd: <{XSD}>"
COMPARISONS = ["=", "!=", "<", ">", "<=", ">="]
NUMBERS = ["0", "1", "2", "-3", "0.5", "2.5", "1e0", "4"]
DATE_PARTS = ["YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TZ", "TIMEZONE"]
DIGESTS = ["MD5", "SHA1", "SHA256", "SHA384", "SHA512"]
PATTERNS = ["a", "^a", "b.*c", "[A-Z]+", "bc$", "a|b", ".", "(a)(b)", "\\\\.", "é"]
LANGUAGE_RANGES = ['"en"', '"*"', '"fr"', '"EN-us"', '"de"']


def type_of(term):
    """iri, blank, language, string, or the local name of the datatype; None for a variable without a witness."""
    if term is None:
        return None
    if term.startswith("<"):
        return "iri"
    if term.startswith("_:"):
        return "blank"
    if term in LITERALS["ill"]:
        return "ill"
    match = re.search(r'\^\^<([^>]*)>$', term)
    if match:
        return match[1][len(XSD):] if match[1].startswith(XSD) else "other"
    return "string" if term.endswith('"') else "language"


NUMERIC = {"integer", "decimal", "double", "float", "byte", "unsignedShort", "nonNegativeInteger", "long"}
TEXT = {"string", "language"}


class ExpressionMaker:
    def __init__(self, random, profile, witness):
        self.random = random
        self.profile = profile
        self.witness = witness  # variable -> term or None

    def chance(self, share):
        return self.random.random() < share

    def pick(self, items):
        return self.random.choice(list(items))

    def any_of(self, table):
        """Calls one of the makers; the peer's profile says which are left out."""
        return self.pick([make for name, make in table.items() if name not in self.profile.functions_left_out])()

    def variable(self, scope, types):
        """A variable whose witness has one of the types; sometimes any, for the errors."""
        fitting = [name for name in scope if type_of(self.witness.get(name)) in types]
        errors = self.profile.error_share
        if fitting and not self.chance(errors):
            return self.pick(fitting)
        return self.pick(scope) if scope and self.chance(2 * errors) else None

    def number(self, scope, depth):
        if depth == 0 or self.chance(0.35):
            return self.variable(scope, NUMERIC) or self.pick(NUMBERS)
        down = depth - 1
        return self.any_of({
            "arithmetic": lambda: f"({self.number(scope, down)} {self.pick('+-')} {self.number(scope, down)})",
            "quotient": lambda: f"({self.number(scope, down)} / {self.number(scope, 0)})",
            "quotient by integer": lambda: f"({self.number(scope, 0)} / {self.pick('024')})",
            "arithmetic again": lambda: f"({self.number(scope, 0)} {self.pick('+-')} {self.number(scope, 0)})",
            "product": lambda: f"({self.number(scope, down)} * {self.number(scope, 0)})",
            "product by integer": lambda: f"({self.number(scope, 0)} * {self.pick('24')})",
            "round": lambda: f"{self.pick(['ABS', 'CEIL', 'FLOOR', 'ROUND'])}({self.number(scope, down)})",
            "negate": lambda: f"(-{self.variable(scope, NUMERIC) or 2})",
            "STRLEN": lambda: f"STRLEN({self.text(scope, down)})",
            "date part": lambda: f"{self.pick(DATE_PARTS[:6])}({self.moment(scope)})",
            "IF": lambda: f"IF({self.truth(scope, down)}, {self.number(scope, 0)}, {self.number(scope, 0)})",
            "number cast": lambda: f"xsd:{self.pick(['integer', 'decimal', 'double', 'float'])}({self.number(scope, 0)})",
        })

    def moment(self, scope):
        return self.variable(scope, {"dateTime"}) or self.pick(LITERALS["dateTime"])

    def text(self, scope, depth):
        if depth == 0 or self.chance(0.3):
            return self.variable(scope, TEXT) or self.pick(LITERALS["string"] + LITERALS["language"])
        down = depth - 1
        return self.any_of({
            "STR": lambda: f"STR({self.named(scope)})",
            "case": lambda: f"{self.pick(['UCASE', 'LCASE'])}({self.text(scope, down)})",
            "SUBSTR": lambda: f"SUBSTR({self.text(scope, down)}, {self.pick(['1', '2', '3'])}{self.pick(['', ', 1', ', 2', ', 0'])})",
            "SUBSTR odd": lambda: f"SUBSTR({self.text(scope, 0)}, {self.pick(['0', '-1', '1.5'])}, {self.pick(['2', '1.6', '3'])})",
            "CONCAT": lambda: f"CONCAT({self.text(scope, down)}, {self.text(scope, 0)})",
            "STRBEFORE": lambda: f"STRBEFORE({self.text(scope, down)}, {self.part(scope)})",
            "STRAFTER": lambda: f"STRAFTER({self.text(scope, down)}, {self.part(scope)})",
            "REPLACE": lambda: f'REPLACE({self.text(scope, 0)}, "{self.pick(PATTERNS)}", "{self.pick(["x", "", "[$0]"])}"{self.pick(["", ", $i$".replace("$", chr(34))])})',
            "LANG": lambda: f"LANG({self.variable(scope, TEXT) or self.text(scope, 0)})",
            "ENCODE_FOR_URI": lambda: f"ENCODE_FOR_URI({self.text(scope, 0)})",
            "digest": lambda: f"{self.pick(DIGESTS)}({self.text(scope, 0)})",
            "STRLANG": lambda: f'STRLANG(STR({self.text(scope, 0)}), "{self.pick(["en", "fr"])}")',
            "TZ": lambda: f"TZ({self.moment(scope)})",
        })

    def part(self, scope):
        return self.pick(['"b"', '"a"', '""', '"zz"', '"a"@en', self.text(scope, 0)])

    def named(self, scope):
        """Something whose text is the same everywhere."""
        return self.variable(scope, {"iri", "integer", "string", "language", "boolean", "other", "ill"}) or ":s1"

    def boolean(self, scope):
        name = self.variable(scope, {"boolean"})
        if name is None:
            return self.pick(["true", "false"])
        return name if self.profile.tagged_text_has_truth else f"({name} = true)"

    def bound(self, scope):
        names = [name for name in scope if self.profile.knows_unbound or self.witness.get(name)]
        return f"BOUND({self.pick(names)})" if names else "true"

    def cast_to_string(self, scope):
        if self.profile.casts_tagged_text:
            return f"xsd:string({self.named(scope)})"
        names = [name for name in scope if type_of(self.witness.get(name)) in {"iri", "integer", "string", "boolean"}]
        return f"xsd:string(STR({self.pick(names)}))" if names else "xsd:string(:s1)"

    def comparison(self, scope, depth):
        sign = self.pick(COMPARISONS)
        roll = self.random.random() * (1 if self.profile.signs_of_mixed else 0.7)
        if roll < 0.4:
            sides = self.number(scope, depth), self.number(scope, depth)
        elif roll < 0.6:
            sides = f"STR({self.text(scope, 0)})", f"STR({self.text(scope, 0)})"
        elif roll < 0.7 and "moments" not in self.profile.functions_left_out:
            sides = self.moment(scope), self.moment(scope)
        elif roll < 0.8:
            sides = self.truth(scope, 0), self.truth(scope, 0)
            sign = self.pick(COMPARISONS if self.profile.orders_only_values else ["=", "!="])
        else:
            sides = self.anything(scope, 0), self.anything(scope, 0)
            sign = self.pick(self.profile.signs_of_mixed)
        if sides[0] == sides[1] and not self.profile.orders_only_values:
            sides = sides[0], "1"
        return f"({sides[0]} {sign} {sides[1]})"

    def truth(self, scope, depth):
        """A boolean, or what has an effective boolean value."""
        if depth == 0 or (scope and self.chance(0.25)):
            return self.any_of({
                "is": lambda: f"{self.pick(['isIRI', 'isBLANK', 'isLITERAL', 'isNUMERIC'])}({self.anything(scope, 0)})",
                "BOUND": lambda: self.bound(scope),
                "boolean": lambda: self.boolean(scope),
                "equal": lambda: f"({self.anything(scope, 0)} {self.pick(['=', '!='])} {self.anything(scope, 0)})",
            })
        down = depth - 1
        text = lambda: self.text(scope, down)
        return self.any_of({
            "comparison": lambda: self.comparison(scope, down),
            "comparison again": lambda: self.comparison(scope, down),
            "sameTerm": lambda: f"sameTerm({self.anything(scope, 0)}, {self.anything(scope, 0)})",
            "and": lambda: f"({self.truth(scope, down)} && {self.truth(scope, down)})",
            "or": lambda: f"({self.truth(scope, down)} || {self.truth(scope, down)})",
            "not": lambda: f"(!{self.truth(scope, down)})",
            "string test": lambda: f"{self.pick(['CONTAINS', 'STRSTARTS', 'STRENDS'])}({text()}, {self.part(scope)})",
            "REGEX": lambda: f'REGEX({text()}, "{self.pick(PATTERNS)}"{self.pick(["", ", $i$", ", $s$"]).replace("$", chr(34))})',
            "LANGMATCHES": lambda: f"LANGMATCHES(LANG({self.variable(scope, TEXT) or self.text(scope, 0)}), {self.pick(LANGUAGE_RANGES)})",
            "LANGMATCHES of nothing": lambda: f'LANGMATCHES(LANG({self.variable(scope, TEXT) or self.text(scope, 0)}), "")',
            "IN": lambda: f"({self.anything(scope, 0)} {self.pick(['IN', 'NOT IN'])} ({', '.join(self.anything(scope, 0) for _ in range(self.random.randint(self.profile.in_list_min, 3)))}))",
            "truth of text": text if self.profile.tagged_text_has_truth else lambda: f"STR({text()})",
            "truth of number": lambda: self.number(scope, down) if self.profile.tagged_text_has_truth else
            f"({self.number(scope, down)} != 0)",
        })

    def anything(self, scope, depth):
        if depth == 0 or self.chance(0.3):
            if scope and self.chance(0.65):
                return self.pick(scope)
            return self.pick([":s0", ":s1", "1", '"abc"', "true", '"abc"@en', "2.5", *self.witnesses(scope)])
        down = depth - 1
        return self.any_of({
            "number": lambda: self.number(scope, down),
            "text": lambda: self.text(scope, down),
            "truth": lambda: self.truth(scope, down),
            "IF": lambda: f"IF({self.truth(scope, down)}, {self.anything(scope, down)}, {self.anything(scope, 0)})",
            "COALESCE": lambda: f"COALESCE({', '.join(self.anything(scope, down) for _ in range(self.random.randint(1, 3)))})",
            "DATATYPE": lambda: f"DATATYPE({self.anything(scope, 0)})",
            "IRI": lambda: f'IRI(CONCAT("http://e/", {self.pick(["ENCODE_FOR_URI(STR(" + self.text(scope, 0) + "))", chr(34) + "s1" + chr(34)])}))',
            "STRDT": lambda: f"STRDT(STR({self.text(scope, 0)}), {self.pick(['xsd:string', ':dt'])})",
            "cast": lambda: f"xsd:{self.pick(['integer', 'boolean', 'dateTime'])}({self.castable(scope)})",
            "string cast": lambda: self.cast_to_string(scope),
            "TIMEZONE": lambda: f"TIMEZONE({self.moment(scope)})",
        })

    def castable(self, scope):
        return self.pick([self.anything(scope, 0), self.number(scope, 0), '"12"', '"true"', '"2020-01-01T00:00:00Z"'])

    def witnesses(self, scope):
        return [self.witness[name] for name in scope
                if self.witness.get(name) and not self.witness[name].startswith("_:")]
