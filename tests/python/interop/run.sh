#!/usr/bin/env bash
# Runs the interop tests against the Python package of a build folder, in a virtual environment of its own.
# Usage: tests/python/interop/run.sh [BUILD] [PYTEST ARGUMENT...]      (default: build/dev)
# Status 77 where install.sh has not made the environment; with HELVE_PYTHON_MUST_RUN=1 that is a failure.
# HELVE_INTEROP_VENV is a virtual environment to use instead of that of install.sh.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=${1:-build/dev}
[ $# -gt 0 ] && shift
case $build in /*) ;; *) build=$root/$build ;; esac
venv=${HELVE_INTEROP_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/helve/interop}

give_up() {
  echo "interop tests: $1" >&2
  [ "${HELVE_PYTHON_MUST_RUN:-0}" = 1 ] && exit 1
  exit 77
}

[ -d "$build/python/helve" ] || give_up "no package in $build/python: build the target helve_python first"

[ -n "${HELVE_INTEROP_VENV:-}" ] || cmp -s "$here/requirements.txt" "$venv/installed.txt" ||
  give_up "no environment with DSPy and the others: tests/python/interop/install.sh makes it"

export PYTHONPATH=$build/python
export HELVE_PROGRAM=${HELVE_PROGRAM:-$build/bin/helve}
export PYTHONDONTWRITEBYTECODE=1
exec "$venv/bin/python" -m pytest -q -p no:cacheprovider "$here" "$@"
