#!/usr/bin/env bash
# Downloads Apache Jena Fuseki in one version into build/fuseki, with Maven. Neighbours: fuseki_server.py starts it;
# scripts/install-peers.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
version=5.6.0
checksum=d28c1eaf703122ee628895a460c20fa4aa60a892f435d403ea8c036f241da1f8
folder=build/fuseki
jar=$folder/jena-fuseki-server-$version.jar

is_right() {
  [[ -f $jar ]] && sha256sum --quiet --check <<<"$checksum  $jar"
}

is_right && exit 0
mkdir -p "$folder"
rm -f "$folder"/*.jar
mvn --batch-mode --quiet org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
  "-Dartifact=org.apache.jena:jena-fuseki-server:$version" "-DoutputDirectory=$PWD/$folder" </dev/null
is_right || { rm -f "$jar" && echo "install_fuseki: wrong checksum" >&2 && exit 1; }
