#!/usr/bin/env bash
# Runs every fuzz target of a build, two at a time: fuzz.sh BUILD_DIR SECONDS_EACH [NAME...]
# Seeds: fuzz/corpus/NAME; words: fuzz/NAME.dict; findings: BUILD_DIR/fuzz/NAME/artifacts.
set -euo pipefail
build=$(realpath "${1:?usage: fuzz.sh BUILD_DIR SECONDS_EACH [NAME...]}")
seconds=${2:?usage: fuzz.sh BUILD_DIR SECONDS_EACH [NAME...]}
shift 2
cd "$(dirname "${BASH_SOURCE[0]}")/.."

run_target() {
  local program=$1 name work
  name=$(basename "$program")
  work=$build/fuzz/$name
  mkdir -p "$work/corpus" "$work/artifacts"
  local arguments=("-max_total_time=$seconds" -rss_limit_mb=3000 -timeout=30 -print_final_stats=1
    "-artifact_prefix=$work/artifacts/" "$work/corpus")
  [[ -d fuzz/corpus/$name ]] && arguments+=("fuzz/corpus/$name")
  [[ -f fuzz/$name.dict ]] && arguments=("-dict=fuzz/$name.dict" "${arguments[@]}")
  if "$program" "${arguments[@]}" >"$work/log" 2>&1; then
    printf 'fuzz: %-24s ok, %s runs\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")"
  else
    printf 'fuzz: %-24s FAILED; the input is in %s\n' "$name" "$work/artifacts"
    tail -n 40 "$work/log"
    return 1
  fi
}
export -f run_target
export build seconds

if [[ $# -gt 0 ]]; then
  programs=("${@/#/$build/bin/}")
else
  mapfile -t programs < <(find "$build/bin" -maxdepth 1 -type f -perm -u+x -name '*fuzz*' 2>/dev/null | sort)
fi
if [[ ${#programs[@]} -eq 0 ]]; then
  echo "fuzz: no targets in $build/bin" >&2
  exit 1
fi
# shellcheck disable=SC2016  # "$1" is for the inner shell
printf '%s\0' "${programs[@]}" | xargs -0 -n 1 -P 2 bash -c 'run_target "$1"' _
