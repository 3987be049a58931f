#!/usr/bin/env bash
# Installs the programs that the tests here run the server against, in the versions of the lock:
# install.sh. Says in one line why it cannot, and fails.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
installed=node_modules/.package-lock.json
[[ -f $installed && $installed -nt package-lock.json ]] && exit 0
if ! command -v npm >/dev/null; then
  echo "npm is not here: the MCP clients are not installed"
  exit 1
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! timeout 170 npm install --no-save --loglevel=error >"$log" 2>&1; then
  rm -rf node_modules
  echo "npm cannot install the MCP clients here: $(grep -m 1 'npm error' "$log" || tail -n 1 "$log")"
  exit 1
fi
