#!/usr/bin/env bash
# Checks that take too long for every change, in slices: deep.sh list | pick COMMIT | NAME [SECONDS]
# Without SECONDS a slice runs to its end. A slice that runs out of time reports where, and exits with 75; any other
# nonzero status is a failure. `pick` names the slice for the change after COMMIT. Neighbours: .ci/run, changes.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# name | what runs | folders: a failure counts if the change reaches one of them (changes.py)
slices='tests|all tests of make test, also those that a change seems not to affect|src tests
asan-base|sanitized tests of base, RDF and the interfaces of sources|src/base src/sources
asan-sparql|sanitized tests of the SPARQL engine|src/sources/sparql
asan-store|sanitized tests of the store|src/sources/store tests/store
asan-sql|sanitized tests of SQL databases and remote endpoints|src/sources/sql src/sources/remote
asan-toolkit|sanitized tests of the toolkit|src/toolkit
asan-contracts|sanitized tests of all tools, and hostile queries|src/toolkit tests/toolkit tests/attacks tests/diagnosis
asan-agent|sanitized tests of the agent|src/agent tests/sandbox
asan-surfaces|sanitized tests of the surfaces|src/surfaces
asan-cases|the sanitized program: cases and conformance|src tests
asan-servers|the sanitized program: MCP, endpoints, agents and Python|src tests
tsan|thread-sanitized tests of base, store and engine|src/base src/sources tests/store
tsan-servers|thread-sanitized tests of servers, memory, sandbox and the C++ API|src
fuzz|every fuzz target|src fuzz
kill|killed writers of stores, memory banks and audit files, and a thousand sandboxes|src tests/store tests/memory tests/audit
tidy-sources|clang-tidy on base and sources|src/base src/sources
tidy-toolkit|clang-tidy on the toolkit|src/toolkit
tidy-agent|clang-tidy on the agent|src/agent
tidy-surfaces|clang-tidy on surfaces, fuzz targets and benchmarks|src/surfaces fuzz bench
tidy-tests|clang-tidy on tests|tests
edits|fifty random edits, each built without running CMake by hand|src
valgrind|the Python package under valgrind|src include tests/python
core|the product without the agent layer|src tests
release|the release build by GCC, its demo, and the installed library|src include tests/consumer'

field() { grep "^$1|" <<<"$slices" | cut -d '|' -f "$2"; }

if [[ ${1:-list} == list ]]; then
  column -t -s '|' <<<"$slices" 2>/dev/null || tr '|' '\t' <<<"$slices"
  exit 0
fi
if [[ $1 == pick ]]; then
  mapfile -t names < <(cut -d '|' -f 1 <<<"$slices")
  hash=$(git rev-parse "${2:?usage: deep.sh pick COMMIT}" | cut -c 1-8)
  echo "${names[$((16#$hash % ${#names[@]}))]}"
  exit 0
fi
name=$1
[[ -n $(field "$name" 1) ]] || { echo "deep: unknown slice '$name'; 'deep.sh list' shows them" >&2 && exit 2; }
if [[ ${2:-} == folders ]]; then
  field "$name" 3
  exit 0
fi

seconds=${2:-0}
jobs=$(scripts/jobs.sh)
started=$SECONDS
left() { echo $((seconds == 0 ? 100000 : seconds - (SECONDS - started))); }

# within WHAT COMMAND...: runs it in the time that is left; 75 if that is not enough.
within() {
  local what=$1 rest status=0
  shift
  rest=$(left)
  ((rest > 0)) || { echo "deep: $name is unfinished: no time left for $what" && exit 75; }
  timeout --signal=TERM --kill-after=20 "$rest" "$@" || status=$?
  # 137 is also the status of a process that the kernel killed for its memory.
  if ((status == 124 || (status == 137 && $(left) <= 0))); then
    echo "deep: $name is unfinished: out of time in $what"
    exit 75
  fi
  return "$status"
}
configure() { [[ build/$1/build.ninja -nt CMakePresets.json ]] || cmake --fresh --preset "$1" --log-level=WARNING; }

# tests PRESET JOBS CTEST_OPTION...
tests() {
  local preset=$1 at_once=$2
  shift 2
  within "the tests" ctest --test-dir "build/$preset" -j "$at_once" --no-tests=error --output-on-failure "$@"
}

# sanitized PRESET FOLDER...: builds the GoogleTest programs of the folders, then runs each once. FOLDER/. excludes
# subfolders. The slices asan-cases and asan-servers run the program itself.
sanitized() {
  local preset=$1 folder targets=() tests
  shift
  scripts/install-deps.sh sanitize
  configure "$preset"
  depth() { [[ $1 != */. ]] || echo "-maxdepth 1"; }
  for folder in "$@"; do
    # shellcheck disable=SC2046  # two words or none
    mapfile -t -O "${#targets[@]}" targets < <(find "${folder%/.}" $(depth "$folder") -name CMakeLists.txt -printf '%h/all\n')
  done
  within "the build" ninja -C "build/$preset" -j "$jobs" "${targets[@]}"
  tests=$(for folder in "$@"; do
    # shellcheck disable=SC2046
    find "build/$preset/${folder%/.}" $(depth "$folder") -name CTestTestfile.cmake \
      -exec sed -n 's|^add_test(\[=\[\([^]]*\)\]=\] "[^"]*/bin/[a-z0-9_]*_test".*|\1|p' {} +
  done | sort -u | paste -sd '|')
  echo "deep: tests: ${tests//|/ }"
  tests "$preset" "$jobs" -R "^($tests)\$" -LE integration
}

# sanitized_program LABELS: runs the tests with one of the labels, after building the programs they run.
sanitized_program() {
  local targets
  scripts/install-deps.sh sanitize
  configure asan
  # Not from ctest's JSON: it leaves out the commands of programs that are not built yet.
  ctest --test-dir build/asan -N -L "$1" -LE 'integration|deep' |
    sed -n 's/^ *Test *#[0-9]*: \(.*\)$/([=[\1]=]/p' >build/asan/chosen-tests
  mapfile -t targets < <(find build/asan -name CTestTestfile.cmake -exec grep -hFf build/asan/chosen-tests {} + |
    grep -oE 'build/asan/(bin/[a-z0-9_]+|python)' | sort -u | sed 's|^build/asan/||; s|^python$|helve_python|')
  within "the build" ninja -C build/asan -j "$jobs" "${targets[@]}"
  tests asan $((jobs * 2)) -L "$1" -LE 'integration|deep'
}

case "$name" in
  tests)
    scripts/install-deps.sh test
    configure dev
    within "the build" ninja -C build/dev -j "$jobs"
    HELVE_AFFECTED='' within "the tests" scripts/run_tests.sh build/dev test
    ;;
  asan-base) sanitized asan src/base src/sources/rdf src/sources/. ;;
  asan-sparql) sanitized asan src/sources/sparql ;;
  asan-store) sanitized asan src/sources/store tests/store ;;
  asan-sql) sanitized asan src/sources/sql src/sources/remote ;;
  asan-toolkit) sanitized asan src/toolkit ;;
  asan-contracts) sanitized asan tests/toolkit tests/attacks tests/diagnosis ;;
  asan-agent) sanitized asan src/agent tests/sandbox ;;
  asan-surfaces) sanitized asan src/surfaces ;;
  asan-cases) sanitized_program 'cases|conformance|cli|differential' ;;
  asan-servers) sanitized_program 'mcp|serve|endpoints|agent|python|sql' ;;
  tsan)
    sanitized tsan src/base src/sources/store src/sources/sparql/engine
    within "the build" ninja -C build/tsan -j "$jobs" readers_and_writers
    HELVE_SOAK_SECONDS=60 within "readers beside writers" build/tsan/bin/readers_and_writers
    ;;
  tsan-servers) sanitized tsan src/surfaces/http src/surfaces/mcp src/surfaces/serve src/surfaces/api src/toolkit/memory src/agent/sandbox ;;
  fuzz)
    scripts/install-deps.sh sanitize
    configure fuzz
    within "the build" ninja -C build/fuzz -j "$jobs" fuzz/all
    count=$(find build/fuzz/bin -name '*_fuzz' | wc -l)
    each=$((seconds == 0 ? 60 : ($(left) - 10) * 2 / count))
    ((each >= 5)) || { echo "deep: fuzz is unfinished: no time left for the targets" && exit 75; }
    within "the targets" scripts/fuzz.sh build/fuzz "$each"
    ;;
  kill)
    scripts/install-deps.sh test
    configure dev
    within "the build" ninja -C build/dev -j "$jobs" helve crash_test memory_writer audit_writer sandbox_test
    within "a store" build/dev/bin/crash_test 60
    within "a memory bank" env KILL_TEST_SECONDS=3600 tests/memory/kill_test.py build/dev/bin/memory_writer 60
    within "audit files" python3 tests/audit/kill_test.py build/dev/bin/helve build/dev/bin/audit_writer
    HELVE_POOL_RUNS=1000 within "sandboxes" build/dev/bin/sandbox_test --gtest_filter='SandboxPoolTest.LeavesNothing*'
    ;;
  tidy-*)
    scripts/install-deps.sh lint
    read -ra folders <<<"$(field "$name" 3)"
    bound=()
    ((seconds == 0)) || bound=(--seconds "$(left)")
    scripts/tidy.py "${folders[@]}" ${bound[@]+"${bound[@]}"}
    ;;
  edits)
    scripts/install-deps.sh test
    within "the edits" scripts/try_edits.py 50
    ;;
  core)
    scripts/install-deps.sh test
    configure core
    within "the build" ninja -C build/core -j "$jobs"
    tests core "$jobs" -L 'unit|cases|toolkit|cli' -LE 'integration|deep'
    ;;
  valgrind)
    scripts/install-deps.sh integration
    configure dev
    within "the build" ninja -C build/dev -j "$jobs" helve helve_python
    HELVE_VALGRIND_MUST_RUN=1 tests dev 1 -R '^python_valgrind$'
    ;;
  release)
    scripts/install-deps.sh python
    cmake --preset release -B build/release-checked -DHELVE_PYTHON=ON -DHELVE_WERROR=ON --log-level=WARNING
    within "the build" ninja -C build/release-checked -j "$jobs"
    within "the demo" build/release-checked/bin/helve demo
    within "the installed library" tests/consumer/consumer_test.py build/release-checked c++ build/release-checked/bin/helve
    ;;
esac
echo "deep: $name passed in $((SECONDS - started)) s"
