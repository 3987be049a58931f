#!/usr/bin/env bash
# Runs the tests of a build folder: run_tests.sh BUILD test|integration [REGEX]
# Order: CPU-bound tests, one per core; tests that mostly wait, two per core; tests that measure time, one at a time.
# BUILD/results/KIND-N.xml has their durations. With HELVE_AFFECTED=1 and without REGEX, only those
# tests run that the newest work can affect (affected.py). Neighbours: Makefile, .ci/run.
set -euo pipefail
build=${1:?usage: run_tests.sh BUILD test|integration [REGEX]}
kind=${2:?usage: run_tests.sh BUILD test|integration [REGEX]}
regex=${3:-}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=$(scripts/jobs.sh)
waiting='mcp|agent|endpoints|serve'
case "$kind" in
  test) labels=() others='integration|deep' ;;
  integration) labels=(-L integration) others=none ;;
  *) echo "run_tests: unknown kind '$kind'; known: test, integration" >&2 && exit 2 ;;
esac

mkdir -p "$build/results"
if [[ ${HELVE_AFFECTED:-} == 1 && -z $regex ]]; then
  scripts/affected.py "$build" >"$build/results/affected.txt"
  echo "run_tests: the change since $(scripts/changes.py base | cut -c 1-12) can affect $(wc -l <"$build/results/affected.txt") tests;" \
    "the others are left out"
  regex="^($(paste -sd '|' "$build/results/affected.txt"))\$"
else
  must_find=1
fi
tests() { ctest --test-dir "$build" ${labels[@]+"${labels[@]}"} ${regex:+-R "$regex"} "$@"; }
count() { tests -N "$@" | sed -n 's/^Total Tests: //p'; }
if [[ $kind == integration && $(count) -gt 0 ]]; then
  peers=$(scripts/install-peers.sh)
  for setting in $peers; do export "${setting?}"; done
  # Each database server starts once, for all tests.
  HELVE_SQL_SERVERS=$(mktemp -d /tmp/helve-servers-XXXXXX)
  export HELVE_SQL_SERVERS
  trap 'python3 tests/integration/sql/databases.py end "$HELVE_SQL_SERVERS"' EXIT
  python3 tests/integration/sql/databases.py serve "$HELVE_SQL_SERVERS"
fi
failed=0
found=0
step=0
run() {
  step=$((step + 1))
  local chosen
  chosen=$(count "$@")
  [[ $chosen -gt 0 ]] || return 0
  found=$((found + chosen))
  tests --output-on-failure --output-junit "results/$kind-$step.xml" "$@" || failed=1
}
rm -f "$build/results/$kind"-*.xml
if [[ $kind == integration ]]; then
  run -j $((jobs * 2)) -LE "deep|timed"
else
  run -j "$jobs" -LE "$others|timed|$waiting"
  run -j $((jobs * 2)) -L "$waiting" -LE "$others|timed"
fi
run -j 1 -L timed -LE "$others"
[[ $found -gt 0 || -z ${must_find:-} ]] || { echo "run_tests: no test matches '$regex'" >&2 && exit 1; }
exit "$failed"
