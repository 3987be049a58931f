#!/usr/bin/env bash
# Installs the Debian packages that a purpose needs and that are missing: install-deps.sh [--list] PURPOSE...
# --list also prints all packages of the purpose. Waits up to ten minutes for another package manager to finish.
# Purposes: build, python, test, lint, sanitize, integration, bench, peers, all. Touches nothing when nothing is missing.
# HELVE_SKIP_DEPS=1 skips it, for systems where the dependencies come from elsewhere.
# Neighbour: cmake/HelveDependencies.cmake finds what this installs.
set -euo pipefail

# "package" or "package:command": the latter is also satisfied by the command from elsewhere.
build=(
  make git ca-certificates cmake:cmake ninja-build:ninja g++ clang-14 mold:mold ccache:ccache python3:python3
  pkg-config:pkg-config libfmt-dev libexpected-dev libsimdjson-dev libexpat1-dev zlib1g-dev
  libzstd-dev libbz2-dev libxxhash-dev libgmp-dev libcli11-dev libcurl4-openssl-dev
  libre2-dev libicu-dev libssl-dev libedit-dev libsqlite3-dev libboost1.74-dev libtomlplusplus-dev
  libpq-dev libpg-query-dev libmariadb-dev libseccomp-dev
)
python=("${build[@]}" python3-dev pybind11-dev)
test=("${python[@]}" libgtest-dev libgmock-dev python3-venv python3-rdflib python3-jsonschema openssl:openssl)
lint=("${test[@]}" clang-format-14 clang-tidy-14 shellcheck:shellcheck)
sanitize=("${test[@]}" libclang-rt-14-dev llvm-14)
integration=("${test[@]}" nodejs:node npm:npm postgresql mariadb-server nghttp2-proxy:nghttpx
  virtuoso-opensource-7-bin:virtuoso-t default-jre-headless:java maven:mvn valgrind:valgrind)
bench=("${build[@]}" serdi:serdi raptor2-utils:rapper nodejs:node npm:npm curl:curl jq:jq
  python3-rdflib python3-sparqlwrapper)
# What bench/setup.sh needs to install the engines that Helve is compared with; not part of "all".
peers=(python3-venv default-jdk-headless:javac maven:mvn virtuoso-opensource-7-bin:virtuoso-t)

fail() {
  echo "install-deps: $1" >&2
  exit 1
}

[[ ${HELVE_SKIP_DEPS:-} == 1 ]] && exit 0

is_listing=0
[[ ${1:-} == --list ]] && is_listing=1 && shift
wanted=()
for purpose in "${@:-build}"; do
  case "$purpose" in
    build) wanted+=("${build[@]}") ;;
    python) wanted+=("${python[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    lint) wanted+=("${lint[@]}") ;;
    sanitize) wanted+=("${sanitize[@]}") ;;
    integration) wanted+=("${integration[@]}") ;;
    bench) wanted+=("${bench[@]}") ;;
    peers) wanted+=("${peers[@]}") ;;
    all) wanted+=("${test[@]}" "${lint[@]}" "${sanitize[@]}" "${integration[@]}" "${bench[@]}") ;;
    *) fail "unknown purpose '$purpose'; known: build python test lint sanitize integration bench peers all" ;;
  esac
done

((is_listing)) && echo "install-deps: ${*:-build} needs ${wanted[*]%%:*}"

# The packages installed fully, as lines between newlines, so that one look-up is a pattern match.
installed=$'\n'
if command -v dpkg-query >/dev/null; then
  installed+=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]%%:*}" 2>/dev/null |
    sed -n 's/^installed //p' || true)
  installed+=$'\n'
fi

missing=()
for item in "${wanted[@]}"; do
  package=${item%%:*}
  [[ $installed == *$'\n'"$package"$'\n'* || " ${missing[*]:-} " == *" $package "* ]] && continue
  [[ $item == *:* ]] && command -v "${item#*:}" >/dev/null && continue
  missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  ((is_listing)) && echo "install-deps: nothing is missing"
  exit 0
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  fail "no apt-get here (not Debian or Ubuntu): install the equivalents of ${missing[*]} and set HELVE_SKIP_DEPS=1"
fi
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || fail "no sudo and not root; as root, run: apt-get install ${missing[*]}"
  as_root=(sudo)
fi

# Nothing asks questions; apt-get's output is shown only if it fails. apt-get does not wait for the lock of its package lists.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  local deadline=$((SECONDS + 600)) has_said_so=0
  until "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 "$@" \
    </dev/null >"$log" 2>&1; do
    if ! grep -q 'Could not get lock' "$log" || ((SECONDS > deadline)); then
      tail -n 15 "$log" >&2
      return 1
    fi
    ((has_said_so)) || echo "install-deps: waiting for another package manager to finish" >&2
    has_said_so=1
    sleep 2
  done
}

echo "install-deps: installing ${missing[*]}" >&2
apt update || fail "'apt-get update' failed: check the network and /etc/apt/sources.list"
apt install -y --no-install-recommends "${missing[@]}" ||
  fail "apt-get could not install: ${missing[*]} (the names are those of Debian 12)"
