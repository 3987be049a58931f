#!/usr/bin/env bash
# Makes the virtual environment of the interop tests, with the current release of each package: build/interop.
# Touches nothing where all of requirements.txt is installed. Fails where PyPI cannot be reached.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
venv=$(cd "$here/../../.." && pwd)/build/interop
cmp -s "$here/requirements.txt" "$venv/installed.txt" && exit 0

mkdir -p "$(dirname "$venv")"
python3 -m venv "$venv"
if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
  -r "$here/requirements.txt" >"$venv/pip.log" 2>&1; then
  tail -n 3 "$venv/pip.log" >&2
  exit 1
fi
cp "$here/requirements.txt" "$venv/installed.txt"  # the stamp: all of it is there
