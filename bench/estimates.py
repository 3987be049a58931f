#!/usr/bin/env python3
"""How far the planner's row estimates are from the rows that came: estimates.py [options] HELVE SOURCE

Runs `helve explain --analyze` over the queries of queries/ and reports the distribution of q-errors: the larger of
estimate / rows and rows / estimate of each node of the plans, both counted as one at least. Nodes that something above
stopped early (LIMIT, EXISTS) and seeds, of which nothing is estimated, are not counted. Neighbour: run.py times them.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def nodes_of(node):
    """Every node of a plan whose estimate can be told from what came."""
    if "q_error" in node:
        yield {"operator": node["operator"], "detail": node.get("pattern", ""), "estimate": node["estimated_rows"],
               "rows": node["rows"], "is_per_row": node.get("is_per_row", False), "error": node["q_error"]}
    for item in node["inputs"]:
        yield from nodes_of(item)


def plan(helve, source, path, timeout):
    """The plan as JSON; a message where there is none."""
    command = [helve, "explain", "--analyze", "--format", "json", source, "-f", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return "timeout"
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[0]
    return json.loads(done.stdout)


def quantile(numbers, share):
    return numbers[min(len(numbers) - 1, int(share * len(numbers)))]


def shown(rows):
    return f"{rows:,.2f}" if 0 < rows < 10 and rows != round(rows) else f"{rows:,.0f}"


def distribution(title, nodes):
    errors = sorted(node["error"] for node in nodes)
    within = sum(error <= 10 for error in errors) / len(errors)
    return (f"| {title} | {len(errors)} | {quantile(errors, 0.5):.2f} | {quantile(errors, 0.9):.1f} "
            f"| {quantile(errors, 0.95):.1f} | {errors[-1]:,.0f} | {within:.0%} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("helve")
    parser.add_argument("source", help="a file or an index folder, as run.py leaves in build/bench")
    parser.add_argument("--queries", default="*")
    parser.add_argument("--worst", type=int, default=15, help="nodes to list (15)")
    parser.add_argument("--limit", type=float, default=120, help="seconds for each query (120)")
    options = parser.parse_args()

    found = []
    for path in sorted((HERE / "queries").glob(f"{options.queries}.rq")):
        tree = plan(options.helve, options.source, path, options.limit)
        if isinstance(tree, str):
            print(f"estimates: {path.stem}: {tree}", file=sys.stderr)
            continue
        found += [{"query": path.stem, **node} for node in nodes_of(tree["plan"])]
    if not found:
        raise SystemExit("estimates: no node of any plan has a q-error")
    head = "| | nodes | median | 90 % | 95 % | highest | within a factor of 10 |\n|---|---:|---:|---:|---:|---:|---:|"
    print(f"q-errors of the nodes of {len({node['query'] for node in found})} plans\n\n{head}")
    print(distribution("all", found))
    for operator in sorted({node["operator"] for node in found}):
        print(distribution(operator, [node for node in found if node["operator"] == operator]))
    print("\n| query | operator | | estimate | rows | q-error |\n|---|---|---|---:|---:|---:|")
    for node in sorted(found, key=lambda one: -one["error"])[:options.worst]:
        detail = str(node["detail"])[:60].replace("|", "/") + (" (for each row)" if node["is_per_row"] else "")
        print(f"| {node['query']} | {node['operator']} | {detail} | {shown(node['estimate'])} | {shown(node['rows'])} "
              f"| {node['error']:,.1f} |")


if __name__ == "__main__":
    main()
