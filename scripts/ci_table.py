#!/usr/bin/env python3
"""The end of a CI run: ci_table.py SECTIONS BUILD BUDGETS cold|warm. Prints wall and CPU seconds by section, the
slowest tests and translation units, and the budgets that are exceeded. Exits with 1 if the number of translation units
or test processes exceeds its budget, or CPU time twice its budget. The budget of CPU time depends on the compiler cache,
and leaves out clang-tidy and the deep slice, which .ci/run stops when their time is up.

SECTIONS is a file with a line `name<TAB>wall seconds<TAB>CPU seconds` for each section. The times of tests are those
of BUILD/results/*.xml, those of translation units of BUILD/.ninja_log. Neighbours: .ci/run, run_tests.sh.
"""

import json
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

SHOWN = 20
STOPPED_BY_TIME = ("clang-tidy", "deep slice")


def sections_of(path):
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [(name, float(wall), float(cpu)) for name, wall, cpu in rows]


def tests_of(build):
    """Seconds and names of the tests that ran."""
    found = []
    for path in sorted(Path(build, "results").glob("*.xml")):
        for case in xml.parse(path).getroot().iter("testcase"):
            found.append((float(case.get("time", 0)), case.get("name")))
    return sorted(found, reverse=True)


def units_of(build):
    """Seconds and names of all objects, each from its newest compilation; a cached one takes no time."""
    newest = {}
    log = Path(build, ".ninja_log")
    for line in log.read_text(encoding="utf-8").splitlines()[1:] if log.exists() else []:
        start, end, _, output, *_ = line.split("\t")
        if output.endswith((".o", ".pch")) and Path(build, output).exists():
            newest[output] = (int(end) - int(start)) / 1000
    return sorted(((seconds, name) for name, seconds in newest.items()), reverse=True)


def show(title, rows):
    print(f"\n{title}")
    for seconds, name in rows[:SHOWN]:
        print(f"{seconds:10.1f}  {name}")


def exceeded(budgets, counts):
    """Lines about budgets that do not hold, and whether one of them fails the run."""
    lines, is_failure = [], False
    for name, count in counts.items():
        budget = budgets[name]
        if count <= budget:
            continue
        is_over = count > 2 * budget if name.startswith("cpu_seconds") else True
        is_failure |= is_over
        lines.append(f"{'BUDGET EXCEEDED' if is_over else 'warning'}: {name} {count:g}, budget {budget:g}")
    return lines, is_failure


def main():
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    sections, build = sections_of(Path(sys.argv[1])), sys.argv[2]
    budgets = json.loads(Path(sys.argv[3]).read_text(encoding="utf-8"))
    print(f"\n{'wall s':>10}{'CPU s':>10}  section")
    for name, wall, cpu in sections:
        print(f"{wall:10.0f}{cpu:10.0f}  {name}")
    print(f"{sum(wall for _, wall, _ in sections):10.0f}{sum(cpu for _, _, cpu in sections):10.0f}  all")
    cpu_s = sum(cpu for name, _, cpu in sections if not name.startswith(STOPPED_BY_TIME))
    tests, units = tests_of(build), units_of(build)
    show(f"slowest of {len(tests)} test processes, in seconds", tests)
    show(f"slowest of {len(units)} translation units, in seconds", units)
    lines, is_failure = exceeded(budgets, {"translation_units": len(units), "test_processes": len(tests),
                                           f"cpu_seconds_{sys.argv[4]}": cpu_s})
    print("\n".join(["", *lines]) if lines else "")
    return 1 if is_failure else 0


if __name__ == "__main__":
    sys.exit(main())
