#!/usr/bin/env bash
# Fetches Apache Jena Fuseki at one version into build/fuseki, by Maven: install_fuseki.sh. Says in one
# line why it cannot, and fails. Neighbour: fuseki_server.py starts it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.." || exit 1
version=5.6.0
checksum=d28c1eaf703122ee628895a460c20fa4aa60a892f435d403ea8c036f241da1f8
folder=build/fuseki
jar=$folder/jena-fuseki-server-$version.jar

is_right() {
  [[ -f $jar ]] && sha256sum --quiet --check <<<"$checksum  $jar" >/dev/null 2>&1
}

is_right && exit 0
if ! command -v mvn >/dev/null || ! command -v java >/dev/null; then
  echo "there is no Maven or no Java here: Fuseki is not fetched"
  exit 1
fi
mkdir -p "$folder"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
rm -f "$folder"/*.jar
timeout 240 mvn --batch-mode --quiet org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
  "-Dartifact=org.apache.jena:jena-fuseki-server:$version" "-DoutputDirectory=$PWD/$folder" \
  </dev/null >"$log" 2>&1
if ! is_right; then
  rm -f "$jar"
  echo "Maven cannot fetch Fuseki here: $(grep -m 1 ERROR "$log" || tail -n 1 "$log")"
  exit 1
fi
