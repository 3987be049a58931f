#!/usr/bin/env bash
# Installs what integration tests use from npm, PyPI and Maven Central. Prints VARIABLE=1 for each peer whose tests must
# run from now on. A registry that does not respond is no failure: tests of its peer skip. Neighbour: run_tests.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
no_network='ENOTFOUND|ECONN|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|NewConnectionError|Connection(Error| refused| reset| timed out)'
no_network+='|Max retries exceeded|Read timed out|name resolution|Unknown host|resolve host|Connect(ion)? timed? ?out|50[234] '

# peer VARIABLE NAME COMMAND...: without VARIABLE the tests skip where the peer is missing.
peer() {
  local variable=$1 name=$2 status=0
  shift 2
  timeout 240 "$@" </dev/null >"$log" 2>&1 || status=$?
  if ((status == 0)); then
    [[ -z $variable ]] || echo "$variable=1"
  elif ((status == 124 || status == 77)) || grep -qE "$no_network" "$log"; then
    echo "SKIPPED: $name: its registry does not respond" >&2
  else
    tail -n 30 "$log" >&2
    echo "install-peers: cannot install $name" >&2
    exit 1
  fi
}

[[ -d bench/node_modules/oxigraph ]] ||
  peer '' Oxigraph npm install --prefix bench --no-audit --no-fund --loglevel=error
peer HELVE_MCP_MUST_RUN "MCP clients" tests/integration/mcp/install.sh
peer HELVE_PYTHON_MUST_RUN "DSPy, LangChain and others" tests/python/interop/install.sh
peer HELVE_FUSEKI_MUST_RUN "Apache Jena" tests/integration/endpoints/install_fuseki.sh
peer '' "a real model" python3 tests/agent/real_model_test.py --install
