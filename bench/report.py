#!/usr/bin/env python3
"""Tables of what run.py measured, as Markdown: report.py RESULT.json prints them again."""

import json
import math
import sys
from pathlib import Path

HELVE = "helve"
SHORTEST_SECONDS = 1e-6  # what a corrected time may come down to


def markdown(result):
    parts = [heading(result), load_table(result), warm_table(result), cold_table(result), means(result)]
    wrong = differences(result)
    parts.append("All answers agree." if not wrong else "Answers differ:\n\n" + "\n".join(f"- {line}" for line in wrong))
    failures = [f"- {name}: {query}: {answer['failure']}" for name, engine in result["engines"].items()
                for query, answer in engine["queries"].items() if answer["failure"] not in (None, "timeout")]
    if failures:
        parts.append("Failures:\n\n" + "\n".join(failures))
    return "\n\n".join(part for part in parts if part) + "\n"


def heading(result):
    machine = result["machine"]
    return (f"## {result['triples']:,} triples\n\n{machine['cores']} cores, {machine['cpu']}, {machine['architecture']}, "
            f"{gibibytes(machine['memory'])}, {machine['system']}; load average {machine['load_average']:.1f} at the start; "
            f"{result['date'][:10]}; best of {result['options']['rounds']} rounds and {result['options']['passes']} passes.")


def peers(result):
    return [name for name in result["engines"] if name != HELVE]


def label(result, name):
    engine = result["engines"][name]
    version = engine["facts"].get("version") or engine["load"].get("version") or ""
    return f"{name} {version}".strip()


def load_table(result):
    lines = ["| engine | store | load s | triples/s | peak MiB, loading | disk MB | bytes per triple | open ms | peak MiB, querying |",
             "|---|---|---:|---:|---:|---:|---:|---:|---:|"]
    for name, engine in result["engines"].items():
        loaded = engine["load"]
        seconds = loaded.get("seconds", engine["open_seconds"])
        earlier = " (earlier run)" if loaded.get("is_earlier") else ""
        on_disk = engine["is_on_disk"]
        size = loaded.get("disk_bytes")
        cells = [label(result, name), "disk" if on_disk else "memory", f"{seconds:.2f}{earlier}",
                 f"{result['triples'] / seconds:,.0f}", mebibytes(loaded.get("peak_kib")),
                 f"{size / 1e6:,.0f}" if size else "", f"{size / result['triples']:.1f}" if size else "",
                 f"{engine['open_seconds'] * 1000:,.1f}" if on_disk else "", mebibytes(engine["peak_kib"])]
        lines.append("| " + " | ".join(cells) + " |")
    for name, seconds in result["floors"].items():
        lines.append(f"| {name} | none: parses only | {seconds:.2f} | {result['triples'] / seconds:,.0f} | | | | | |")
    loaded = result["engines"].get(HELVE, {}).get("load", {})
    if loaded.get("stages"):
        lines.append(f"\nhelve, index folder: {stages_text(loaded['stages'])}.")
    if loaded.get("memory_stages"):
        stages = loaded["memory_stages"]
        lines.append(f"\nhelve, in memory: {stages_text(stages)}; {stages['bytes_steady'] / result['triples']:.0f} bytes of "
                     "steady memory per triple.")
    null = result["engines"].get("virtuoso", {}).get("facts", {}).get("null_seconds")
    if null:
        lines.append(f"\nvirtuoso: {null * 1000:.2f} ms of HTTP (a null request) are taken off each of its times.")
    return "\n".join(lines)


def stages_text(stages):
    parts = {key.removeprefix("seconds_"): value for key, value in stages.items() if key.startswith("seconds_")}
    return f"{stages['seconds']:.3f} s, of which " + ", ".join(f"{key} {value:.3f}" for key, value in parts.items())


def gibibytes(text):
    """Of "24682740 kB"."""
    return f"{int(text.split()[0]) / (1 << 20):.0f} GiB" if text else "memory unknown"


def mebibytes(kib):
    return f"{kib / 1024:,.0f}" if kib else ""


def milliseconds(seconds):
    number = seconds * 1000
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}" if number >= 1 else f"{number:.3f}"


def best_seconds(answer):
    """None where there is no time; timeouts are cut by the caller."""
    if not answer or answer["failure"] or not answer["seconds"]:
        return None
    return max(min(answer["seconds"]), SHORTEST_SECONDS)


def cell(answer, helve_seconds, limit, seconds_of=best_seconds):
    if not answer:
        return ""
    if answer["failure"] == "timeout":
        return f"> {limit},000" + (f" (> {limit / helve_seconds:,.0f})" if helve_seconds else "")
    seconds = seconds_of(answer)
    if seconds is None:
        return "fails" if answer["failure"] else ""
    return milliseconds(seconds) + (f" ({ratio(seconds / helve_seconds)})" if helve_seconds else "")


def ratio(number):
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}" if number >= 1 else f"{number:.2f}"


def best_peer(result, query):
    """Name and seconds of the fastest peer; None where none has an answer."""
    times = [(seconds, name) for name in peers(result)
             if (seconds := best_seconds(result["engines"][name]["queries"].get(query))) is not None]
    return min(times) if times else None


def queries(result):
    return list(next(iter(result["engines"].values()))["queries"]) if result["engines"] else []


def warm_table(result):
    limit = int(result["options"]["limit"])
    names = peers(result)
    helve = result["engines"].get(HELVE)
    heads = ["query", "rows", *(["helve"] if helve else []), *(["best peer"] if helve and names else []),
             *(label(result, name) for name in names)]
    lines = ["Warm, milliseconds; in brackets: how many times as long as helve (below 1: faster).\n",
             "| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    for query in queries(result):
        own = helve["queries"].get(query) if helve else None
        own_seconds = best_seconds(own)
        best = best_peer(result, query)
        best_cell = ratio(best[0] / own_seconds) if best and own_seconds else ""
        if best and own_seconds and best[0] < own_seconds:
            best_cell = f"**{best_cell}**"
        cells = [cell(result["engines"][name]["queries"].get(query), own_seconds, limit) for name in names]
        own_cells = [cell(own, None, limit), *([best_cell] if names else [])] if helve else []
        lines.append("| " + " | ".join([query, row_count(result, query), *own_cells, *cells]) + " |")
    return "\n".join(lines)


def row_count(result, query):
    counts = [engine["queries"][query]["rows"] for engine in result["engines"].values() if query in engine["queries"]]
    return next((f"{count:,}" for count in counts if count is not None), "")


def cold_table(result):
    names = [name for name, engine in result["engines"].items()
             if any(answer["cold_seconds"] for answer in engine["queries"].values())]
    if not names:
        return ""
    limit = int(result["options"]["limit"])
    lines = ["Cold: the first query of a process, the database opened (and in the page cache), milliseconds.\n",
             "| query | " + " | ".join(label(result, name) for name in names) + " |", "|---|" + "---:|" * len(names)]
    for query in queries(result):
        own = result["engines"].get(HELVE, {}).get("queries", {}).get(query)
        own_seconds = own["cold_seconds"] if own and HELVE in names else None
        cells = [cell(result["engines"][name]["queries"].get(query), own_seconds if name != HELVE else None, limit,
                      lambda answer: answer["cold_seconds"]) for name in names]
        lines.append(f"| {query} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def ratios(result, name, chosen):
    """Peer's time by Helve's; a timeout counts as the limit. `name` None: the best peer."""
    limit = int(result["options"]["limit"])
    numbers = []
    for query in chosen:
        own = best_seconds(result["engines"][HELVE]["queries"].get(query))
        if own is None:
            continue
        if name is None:
            best = best_peer(result, query)
            seconds = best[0] if best else None
        else:
            answer = result["engines"][name]["queries"].get(query)
            seconds = limit if answer and answer["failure"] == "timeout" else best_seconds(answer)
        if seconds is not None:
            numbers.append(seconds / own)
    return numbers


def means(result):
    if HELVE not in result["engines"] or not peers(result):
        return ""
    everything = queries(result)
    groups = {"main set": [query for query in everything if query[0].isdigit()],
              "watdiv-like": [query for query in everything if not query[0].isdigit()], "all": everything}
    groups = {title: group for title, group in groups.items() if group}
    lines = ["How many times as long as helve, geometric mean (lowest; queries where helve is behind):\n",
             "| engine | " + " | ".join(f"{title} ({len(group)})" for title, group in groups.items()) + " |",
             "|---|" + "---:|" * len(groups)]
    for name in [None, *peers(result)]:
        cells = []
        for group in groups.values():
            numbers = ratios(result, name, group)
            cells.append(f"{ratio(math.exp(sum(map(math.log, numbers)) / len(numbers)))} ({ratio(min(numbers))}; "
                         f"{sum(number < 1 for number in numbers)})" if numbers else "")
        lines.append(f"| {label(result, name) if name else 'best peer of each query'} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def differences(result):
    """Lines on queries whose answers are not those of Helve (or of the first engine)."""
    wrong = []
    for query in queries(result):
        answers = [(name, engine["queries"][query]) for name, engine in result["engines"].items()
                   if query in engine["queries"] and engine["queries"][query]["rows"] is not None]
        for name, answer in answers[1:]:
            first_name, first = answers[0]
            if answer["rows"] != first["rows"]:
                wrong.append(f"{query}: {first_name} has {first['rows']:,} rows, {name} {answer['rows']:,}")
            elif answer["digest"] != first["digest"] and query not in ANY_ROWS:
                wrong.append(f"{query}: {first_name} and {name} have other rows ({first['digest']}, {answer['digest']})")
    return wrong


# Queries that may answer with any of several sets of rows: only their number is compared.
ANY_ROWS = {"16-first-ten"}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: report.py RESULT.json")
    print(markdown(json.loads(Path(sys.argv[1]).read_text())))
