#!/usr/bin/env python3
"""The graph tools answer the same through an endpoint as on the local store: same_answers.py HELVE --engine NAME [--only GRAPH/CALL]

Each call of calls.json goes to both. What differs is named by key of the reply; quirks.json lists what may differ, why, and is
itself held to be true: an unlisted difference fails, and so does a listed one that does not occur.
"""

import argparse
import json
import os
import re
import sys
from collections import Counter
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path

from engine_server import GRAPHS, REPOSITORY, Missing, MissingData, Place, graph_file, skip_or_fail
import fuseki_server
import helve_server
import virtuoso_server
from product import Product

HERE = Path(__file__).resolve().parent
ENGINES = {"virtuoso": virtuoso_server.serve_both, "fuseki": fuseki_server.FusekiServer, "helve": helve_server.serve_both}
# What tells of the place and the moment, not of the data.
OF_THE_MOMENT = {"execution_time_ms", "source", "ref", "warnings", "usage", "prefixes", "shown", "key", "endpoint", "name", "url", "snapshot",
                 "engine", "features", "profile_age", "text_search", "notes", "endpoint_limits"}
# These are compared behind the handle, whole.
BEHIND_HANDLE = {"preview"}


class Names:
    """Writes terms in full: an endpoint does not tell which prefixes its data was written with."""

    def __init__(self):
        text = (REPOSITORY / "examples" / "solar-system.trig").read_text(encoding="utf-8")
        self.prefixes = dict(re.findall(r"^@prefix (\w+): <([^>]*)>", text, re.M))
        self.declared = "".join(f"PREFIX {name}: <{iri}> " for name, iri in self.prefixes.items())

    def in_full(self, value, prefixes):
        known = self.prefixes | prefixes

        def expand(match):
            space = known.get(match[1])
            return match[0] if space is None else f"<{space}{match[2]}>"

        if isinstance(value, dict):
            return {self.in_full(key, prefixes): self.in_full(one, prefixes) for key, one in value.items() if key != "prefix"}
        if isinstance(value, list):
            return [self.in_full(one, prefixes) for one in value]
        if not isinstance(value, str) or value.startswith('"') and value.endswith('"'):
            return value
        if value.startswith("_:"):
            return "_:"
        value = re.sub(r"\b(near|far) has no\b", "it has no", value)
        return re.sub(r"(?<![\w<\"/#:.@-])(\w+):([\w-]+)", expand, value)


def in_any_order(value):
    """Lists sorted; cells stay where they are in their row."""
    if isinstance(value, list):
        return sorted((in_any_order(one) if isinstance(one, dict) else one for one in value), key=lambda one: json.dumps(one, sort_keys=True))
    if isinstance(value, dict):
        return {key: in_any_order(one) for key, one in value.items()}
    return value


XSD = "http://www.w3.org/2001/XMLSchema#"


def typed(datatype):
    return rf'"([^"]*)"\^\^<{XSD}{datatype}>'


def seconds_of(duration):
    if not duration.startswith("P"):
        return float(duration)
    units = re.fullmatch(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?", duration).groups()
    return sum(float(number or 0) * weight for number, weight in zip(units, (86400, 3600, 60, 1)))


# How values may be written: what a cell looks like, and the value of it.
FORMS = {
    "decimal": (rf"([+-]?\d+\.\d+)|{typed('decimal')}", lambda text: f"decimal {Decimal(text).normalize():f}"),
    "double": (rf"([+-]?\d+(?:\.\d+)?[eE][+-]?\d+)|{typed('double')}", lambda text: f"double {float(text):.5e}"),
    "boolean": (rf"(true|false)|{typed('boolean')}", lambda text: f"boolean {text in ('1', 'true')}"),
    "duration": (typed("dayTimeDuration"), lambda text: f"duration {round(seconds_of(text) / 100)}"),
}


def as_values(value, forms, used):
    """Terms whose form an engine does not keep, as their values."""
    if isinstance(value, dict):
        return {key: as_values(one, forms, used) for key, one in value.items()}
    if isinstance(value, list):
        return [as_values(one, forms, used) for one in value]
    for form in forms if isinstance(value, str) else ():
        pattern, read = FORMS[form]
        if (found := re.fullmatch(pattern, value)) is not None:
            used.setdefault(form, set()).add(value)
            return read(next(group for group in found.groups() if group is not None))
    return value


class Asked:
    """One source of a running `helve mcp`, and the answers of it in a form that can be compared."""

    def __init__(self, product, source, names):
        self.product = product
        self.source = source
        self.names = names

    def call(self, tool, **arguments):
        return self.product.call(tool, source=self.source, max_chars=20000, **arguments)

    def behind_handle(self, content):
        """All rows of a result; a graph as its statements, and what the tools for graphs tell of it."""
        key = content["key"]
        if not key.startswith("graph"):
            return {"all_rows": self.rows_of(content)}
        everything = self.product.call("g_query", handle=key, query="SELECT ?s ?p ?o { ?s ?p ?o }", max_chars=20000)
        found = {"all_rows": self.rows_of(everything.content)}
        for tool in ("g_stats", "g_classes", "g_props"):
            found[tool] = self.in_full(self.product.call(tool, handle=key, max_chars=20000).content)
        return found

    def rows_of(self, content):
        key, rows = content["key"], []
        while True:
            page = self.product.call("sparql_slice", result=key, offset=len(rows), limit=1000, max_chars=20000)
            if page.error is not None:
                raise AssertionError(f"sparql_slice of {key}: {page.short()}")
            shown = [[self.whole(cell) for cell in row] for row in page.content["rows"]]
            rows += self.names.in_full(shown, page.content.get("prefixes", {}))
            if not page.content.get("has_more"):
                return rows

    def whole(self, cell):
        """What was elided, by the address that stands there."""
        elided = re.search(r"\u2026\"(.*) \+[\d,]+ chars: ctx_slice key=(\S+)$", cell) if isinstance(cell, str) else None
        if elided is None:
            return cell
        text = self.product.call("ctx_slice", key=elided[2], start=0, end=-1, max_chars=20000).content["text"]
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
        return f'"{escaped}"{elided[1]}'

    def in_full(self, content):
        return {key: self.names.in_full(value, content.get("prefixes", {})) for key, value in content.items() if key not in OF_THE_MOMENT}

    def answer(self, call):
        arguments = dict(call.get("arguments", {}))
        if "query" in call:
            arguments["query"] = call["query"] if "PREFIX" in call["query"] else self.names.declared + call["query"]
        content = self.call(call["tool"], **arguments).content
        samples = call.get("samples", [])
        found = self.in_full({key: value for key, value in content.items() if key not in BEHIND_HANDLE or key in samples})
        if "key" in content and not samples:
            found |= self.behind_handle(content)
        return found


def differences(near, far, samples):
    """By key: what is here and what is there. Of items with a name, those of each of their keys: "properties.range"."""
    found = {}
    for key in near.keys() | far.keys():
        here, there = near.get(key), far.get(key)
        if key in samples:
            # Any that are in the data would do; how many, is the same.
            here, there = len(here or []), len(there or [])
        if here == there:
            continue
        mine, other = by_name(here), by_name(there)
        if not mine or mine.keys() != (other or {}).keys():
            found[key] = (here, there)
            continue
        for name, item in mine.items():
            for part in item.keys() | other[name].keys():
                if f"{key}.{part}" not in samples and item.get(part) != other[name].get(part):
                    mine_of, other_of = found.setdefault(f"{key}.{part}", ([], []))
                    mine_of.append([name, item.get(part)])
                    other_of.append([name, other[name].get(part)])
    return found


def by_name(items):
    """None for what is no list of items with names."""
    if not isinstance(items, list) or not all(isinstance(one, dict) and ("name" in one or "uri" in one) for one in items):
        return None
    return {one.get("name") or one["uri"]: one for one in items}


def foreign_samples(near, answer, call):
    """Things and statements that were shown as samples and are not in the local data."""
    foreign = []
    for key in call.get("samples", []):
        for one in answer.get(key, []):
            if isinstance(one, str):
                continue
            if isinstance(one, dict):
                patterns = [f"{one['uri']} {name} {value} ." for name, value in one["properties"].items() if value != "_:"]
            elif len(one) == 2:
                patterns = [f"{one[0]} <{call['arguments']['resource']}> {one[1]} ."]
            else:
                patterns = [f"{one[0]} ?p ?o ."] if one[0] != "_:" else []
            reply = near.call("sparql_query", query=f"ASK {{ {' '.join(patterns)} }}", diagnose=False)
            if reply.content.get("boolean") is not True:
                foreign.append(f"{one}: {reply.short()}")
    return foreign


class Quirks:
    """What an engine may do otherwise, by quirks.json, and whether it was seen to."""

    def __init__(self, engine, listed):
        assert all(quirk["why"] for quirk in listed["forms"] + listed["differences"]), "a quirk without a reason"
        self.forms = [quirk["form"] for quirk in listed["forms"] if engine in quirk["engines"]]
        self.unseen_forms = set(self.forms)
        self.keys = {}  # by (graph, call)
        self.uncertain = set()  # (graph, call, key): what need not differ each time
        for quirk in listed["differences"]:
            if engine not in quirk["engines"]:
                continue
            for name, keys in quirk["calls"].items():
                place = tuple(name.split("/"))
                self.keys.setdefault(place, set()).update(keys)
                if quirk.get("sometimes"):
                    self.uncertain |= {(*place, key) for key in keys}

    def unknown_calls(self, all_calls):
        known = {(graph, call["id"]) for graph, calls in all_calls.items() for call in calls}
        return [f"{'/'.join(place)} is in quirks.json and not in calls.json" for place in sorted(self.keys.keys() - known)]

    def in_values(self, here, there):
        written_here, written_there = {}, {}
        here, there = as_values(here, self.forms, written_here), as_values(there, self.forms, written_there)
        for form, cells in written_there.items():
            if not cells <= written_here.get(form, set()):
                self.unseen_forms.discard(form)
        return here, there


def first_difference(near, far):
    """One line of it."""
    if isinstance(near, list) and isinstance(far, list):
        mine, other = (Counter(json.dumps(one, ensure_ascii=False) for one in rows) for rows in (near, far))
        only = [list((a - b).elements()) for a, b in ((mine, other), (other, mine))]
        if not any(only):
            return "in another order"
        return f"only here {len(only[0])}: {' '.join(only[0][:2])[:300]} | only there {len(only[1])}: {' '.join(only[1][:2])[:300]}"
    return f"here {json.dumps(near, ensure_ascii=False)[:300]} | there {json.dumps(far, ensure_ascii=False)[:300]}"


def compare(near, far, graph, calls, quirks):
    """Complaints, one line each."""
    complaints = []
    for call in calls:
        far_samples = far.answer(call)
        here, there = quirks.in_values(near.answer(call), far_samples)
        if not call.get("ordered"):
            here, there = in_any_order(here), in_any_order(there)
        found = differences(here, there, call.get("samples", []))
        listed = quirks.keys.get((graph, call["id"]), set())
        for key in sorted(found.keys() - listed):
            complaints.append(f"{graph}/{call['id']}: {key} differs: {first_difference(*found[key])}")
        for key in sorted(key for key in listed - found.keys() if (graph, call["id"], key) not in quirks.uncertain):
            complaints.append(f"{graph}/{call['id']}: {key} does not differ any more: take the quirk out of quirks.json")
        complaints += [f"{graph}/{call['id']}: {one} is not in the data" for one in foreign_samples(near, far_samples, call)]
    return complaints


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("helve")
    parser.add_argument("--engine", choices=ENGINES, required=True)
    parser.add_argument("--only", help="one call: GRAPH/ID")
    options = parser.parse_args()
    helve = os.path.abspath(options.helve)
    all_calls = json.loads((HERE / "calls.json").read_text(encoding="utf-8"))
    quirks = Quirks(options.engine, json.loads((HERE / "quirks.json").read_text(encoding="utf-8")))
    complaints, count = quirks.unknown_calls(all_calls), 0
    try:
        with ExitStack() as stack:
            place = stack.enter_context(Place("helve-endpoints-"))
            server = stack.enter_context(ENGINES[options.engine](place, helve))
            for graph in GRAPHS:
                calls = [call for call in all_calls[graph] if options.only in (None, f"{graph}/{call['id']}")]
                sources = [("near", graph_file(graph)), ("far", server.urls[graph])]
                with Product(helve, sources, ["--toolset", "all"]) as product:
                    names = Names()
                    complaints += compare(Asked(product, "near", names), Asked(product, "far", names), graph, calls, quirks)
                count += len(calls)
    except Missing as missing:
        skip_or_fail(missing)
    if options.only is None:
        complaints += [f"{form} comes back as it is: take the form out of quirks.json" for form in sorted(quirks.unseen_forms)]
    for complaint in complaints:
        print(complaint)
    print(f"{options.engine}: {count} calls, {len(complaints)} complaints")
    sys.exit(1 if complaints or count == 0 else 0)


if __name__ == "__main__":
    main()
