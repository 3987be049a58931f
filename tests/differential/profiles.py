"""What each peer can be asked. Everything left out is explained in known_differences.md."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    name: str
    has_graphs: bool = True
    keeps_spelling: bool = False  # of typed literals, and derived datatypes
    literals_left_out: frozenset = frozenset()
    functions_left_out: frozenset = frozenset()
    elements_left_out: frozenset = frozenset()
    # Expressions.
    error_share: float = 0.06           # of variables that are asked for what they are not
    tagged_text_has_truth: bool = True  # the effective boolean value of "a"@en
    orders_only_values: bool = True     # < of what has no order is an error, NaN <= NaN false
    signs_of_mixed: tuple = ("=", "!=", "<", ">", "<=", ">=")  # between terms of any kind
    casts_tagged_text: bool = True      # xsd:string("a"@en) is an error
    knows_unbound: bool = True          # BOUND of a variable whose BIND failed
    in_list_min: int = 0                # terms in the list of IN
    # Patterns.
    has_empty_groups: bool = True
    has_undef_and_repeats: bool = True   # in VALUES
    repeats_unions: bool = True          # solutions of two parts of a UNION are two
    minus_inside: bool = True            # MINUS in groups inside others
    exists_inside: bool = True           # EXISTS in groups inside others
    exists_after_subselect: bool = True  # EXISTS beside sub-queries
    binds_graph_of_subselect: bool = True  # ?g in GRAPH ?g { { SELECT ... } }
    merges_graphs: bool = True           # a triple of two FROM graphs is one
    # Paths.
    negates_inverse: bool = True         # !(^:p)
    nests_closures: bool = True          # (:p*)+
    zero_length_in_graphs: bool = True   # :p* in GRAPH, and with FROM or FROM NAMED
    path_signs_once: str = ""            # paths with one of these are asked for distinct ends only,
    level_of_paths: int = 9              # then no deeper than this,
    path_variables_min: int = 1          # with so many variables,
    path_in_construct: bool = True       # and in CONSTRUCT or not
    # Forms.
    has_star: bool = True                # SELECT *
    sorts_anything: bool = True          # ORDER BY keys of any type, unbound or in error
    counts_past_errors: bool = True      # COUNT(expression) leaves errors out
    groups_by_alias: bool = True         # GROUP BY (?a AS ?b)
    hides_blanks: bool = True            # COUNT(DISTINCT *) does not see blank nodes of patterns


# Our own engine over two datasets: nothing to leave out.
MEMORY = Profile("memory", keeps_spelling=True)

OXIGRAPH = Profile(
    "oxigraph",
    literals_left_out=frozenset({"other"}),
    functions_left_out=frozenset({"SUBSTR odd", "product", "quotient"}),
    tagged_text_has_truth=False, orders_only_values=False, signs_of_mixed=("=", "!="), casts_tagged_text=False,
    knows_unbound=False, in_list_min=1,
    minus_inside=False, exists_inside=False, exists_after_subselect=False, binds_graph_of_subselect=False,
    merges_graphs=False,
    nests_closures=False, zero_length_in_graphs=False, path_signs_once="!|",
    counts_past_errors=False, groups_by_alias=False, hides_blanks=False)

RDFLIB = Profile(
    "rdflib",
    has_graphs=False, keeps_spelling=True,
    literals_left_out=frozenset({"ill"}),
    functions_left_out=frozenset({
        "arithmetic", "arithmetic again", "product", "product by integer", "quotient", "quotient by integer", "negate",
        "number cast", "cast", "string cast", "date part", "moments", "digest", "ENCODE_FOR_URI", "IRI", "STRLANG",
        "SUBSTR odd", "LANGMATCHES of nothing", "boolean", "equal", "IN", "IF", "truth of text", "truth of number"}),
    elements_left_out=frozenset({
        "subselect", "nested", "count", "count distinct star", "count expression", "sum", "sum expression", "average",
        "extreme number", "extreme text", "concatenation", "sample"}),
    error_share=0, signs_of_mixed=(),
    has_empty_groups=False, has_undef_and_repeats=False, repeats_unions=False, minus_inside=False, exists_inside=False,
    negates_inverse=False, nests_closures=False, path_signs_once="!|*+?", level_of_paths=1, path_variables_min=2,
    path_in_construct=False,
    has_star=False, sorts_anything=False)

PROFILES = {profile.name: profile for profile in (MEMORY, OXIGRAPH, RDFLIB)}
