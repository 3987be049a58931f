#!/usr/bin/env bash
# Installs the MCP clients that the tests here use, in the versions of package-lock.json. Neighbour: scripts/install-peers.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
installed=node_modules/.package-lock.json
[[ -f $installed && $installed -nt package-lock.json ]] && exit 0
npm install --no-save --no-audit --no-fund --loglevel=error || { rm -rf node_modules && exit 1; }
