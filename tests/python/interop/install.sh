#!/usr/bin/env bash
# Makes the virtual environment of the interop tests with the current release of each package: ~/.cache/helve/interop,
# for all clones, anew after a week. Neighbours: run.sh, scripts/install-peers.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
venv=${XDG_CACHE_HOME:-$HOME/.cache}/helve/interop
stamp=$venv/installed.txt
mkdir -p "$(dirname "$venv")"
exec 9>"$venv.lock"
flock 9
cmp -s "$here/requirements.txt" "$stamp" && [[ -n $(find "$stamp" -mtime -7) ]] && exit 0
rm -rf "$venv"
python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 20 -r "$here/requirements.txt"
cp "$here/requirements.txt" "$stamp"
