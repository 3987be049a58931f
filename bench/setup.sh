#!/usr/bin/env bash
# Installs the engines that Helve is compared with, each at one version: setup.sh [WORK_FOLDER]
# (build/bench). What cannot be had is named in one line; run.py leaves it out. Touches nothing that is there.
# Debian packages come from scripts/install-deps.sh bench.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
work=${1:-../build/bench}
mkdir -p "$work"
work=$(cd "$work" && pwd)
log=$work/setup.log

missing() {
  echo "setup: $1 left out: $2 (see $log)" >&2
}

# A folder counts as made only when its last step wrote the stamp of its recipe.
is_made() {
  [[ -f $1/.made && $(<"$1/.made") == "$2" ]]
}

python_peers() {
  local recipe
  recipe=$(md5sum <requirements.txt)
  is_made "$work/python" "$recipe" && return
  python3 -m venv --clear "$work/python" >>"$log" 2>&1 &&
    "$work/python/bin/pip" install --quiet --requirement requirements.txt >>"$log" 2>&1 &&
    echo "$recipe" >"$work/python/.made"
}

agent_peers() {
  local recipe
  recipe=$(md5sum <requirements-python.txt)
  is_made "$work/agents" "$recipe" && return
  python3 -m venv --clear "$work/agents" >>"$log" 2>&1 &&
    "$work/agents/bin/pip" install --quiet --requirement requirements-python.txt >>"$log" 2>&1 &&
    echo "$recipe" >"$work/agents/.made"
}

node_peers() {
  local recipe
  recipe=$(md5sum <package.json)
  is_made node_modules "$recipe" && return
  npm install --no-audit --no-fund --silent </dev/null >>"$log" 2>&1 && echo "$recipe" >node_modules/.made
}

java_peer() {
  local recipe
  recipe=$(cat peers/jena/* | md5sum)
  is_made "$work/jena" "$recipe" && return
  rm -rf "$work/jena"
  mvn --batch-mode --quiet --file peers/jena/pom.xml dependency:copy-dependencies \
    "-DoutputDirectory=$work/jena" </dev/null >>"$log" 2>&1 &&
    javac -cp "$work/jena/*" -d "$work/jena" peers/jena/JenaTdb2.java >>"$log" 2>&1 &&
    echo "$recipe" >"$work/jena/.made"
}

: >"$log"
python_peers || missing "rdflib and Oxigraph native" "PyPI packages of requirements.txt could not be installed"
agent_peers || missing "DSPy and its interpreters" "PyPI packages of requirements-python.txt could not be installed"
node_peers || missing "Oxigraph wasm and the TypeScript SDK of MCP" "the npm packages could not be installed"
java_peer || missing "Apache Jena" "Maven or javac failed"
command -v virtuoso-t >/dev/null || missing "Virtuoso" "no virtuoso-t (Debian: virtuoso-opensource-7-bin)"
