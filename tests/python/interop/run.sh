#!/usr/bin/env bash
# Runs the interop tests against the Python package of a build folder, in a virtual environment of its own.
# Usage: tests/python/interop/run.sh [BUILD] [PYTEST ARGUMENT...]      (default: build/dev)
# Status 77 where the environment cannot be made (no PyPI); with HELVE_PYTHON_MUST_RUN=1 that is a failure.
# HELVE_INTEROP_VENV is a virtual environment to use instead of build/interop.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=${1:-build/dev}
[ $# -gt 0 ] && shift
case $build in /*) ;; *) build=$root/$build ;; esac
venv=${HELVE_INTEROP_VENV:-$root/build/interop}

give_up() {
  echo "interop tests: $1" >&2
  [ "${HELVE_PYTHON_MUST_RUN:-0}" = 1 ] && exit 1
  exit 77
}

[ -d "$build/python/helve" ] || give_up "no package in $build/python: build the target helve_python first"

# The stamp says that all of it was installed.
if [ -z "${HELVE_INTEROP_VENV:-}" ] && ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
  mkdir -p "$(dirname "$venv")"
  python3 -m venv "$venv" >/dev/null 2>&1 || give_up "python3 -m venv does not work here"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
    -r "$here/requirements.txt" >"$venv/pip.log" 2>&1 ||
    give_up "the packages cannot be installed: $(tail -n 1 "$venv/pip.log")"
  cp "$here/requirements.txt" "$venv/installed.txt"
fi

export PYTHONPATH=$build/python
export HELVE_PROGRAM=${HELVE_PROGRAM:-$build/bin/helve}
export PYTHONDONTWRITEBYTECODE=1
exec "$venv/bin/python" -m pytest -q -p no:cacheprovider "$here" "$@"
