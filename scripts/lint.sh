#!/usr/bin/env bash
# Format, layers, shell scripts, then clang-tidy: lint.sh [all|changed|none] (which files tidy sees).
# Needs a configured build/dev for its compile commands. Neighbours: .clang-format, .clang-tidy.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scope=${1:-all}

mapfile -t cpp < <(git ls-files '*.cc' '*.h')
echo "format: ${#cpp[@]} files"
clang-format-14 --dry-run --Werror "${cpp[@]}"

scripts/check_layers.py
python3 scripts/check_layers_test.py 2>&1 | tail -n 1

mapfile -t shell < <(git ls-files '*.sh' '*.bash' .ci/run)
echo "shellcheck: ${#shell[@]} files"
shellcheck "${shell[@]}"

# Sources whose own text or directly included header differs from where the branch left main.
changed_sources() {
  local base changed
  base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null || true)
  if [[ -z $base || $base == $(git rev-parse HEAD) ]]; then
    base=$(git rev-parse -q --verify 'HEAD~1' || git hash-object -t tree /dev/null)
  fi
  mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- '*.cc' '*.h')
  for file in "${changed[@]}"; do
    case "$file" in
      *.cc) echo "$file" ;;
      *.h) git grep -lF "#include \"${file#src/}\"" -- '*.cc' || true ;;
    esac
  done | sort -u
}

# Without its bench and fuzz programs a build has no compile commands for them.
compiled() {
  while read -r file; do
    if grep -qF "\"file\": \"$PWD/$file\"" build/dev/compile_commands.json; then echo "$file"; fi
  done
}

case "$scope" in
  none) exit 0 ;;
  all) mapfile -t sources < <(git ls-files '*.cc' | compiled) ;;
  changed) mapfile -t sources < <(changed_sources | compiled) ;;
  *)
    echo "lint: unknown scope '$scope'; known: all, changed, none" >&2
    exit 1
    ;;
esac
echo "clang-tidy: ${#sources[@]} files ($scope)"
[[ ${#sources[@]} -eq 0 ]] && exit 0
# "N warnings generated" counts what is suppressed in system headers: noise.
printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(scripts/jobs.sh)" clang-tidy-14 -p build/dev --quiet \
  2> >(grep -vE '^[0-9]+ warnings? generated' >&2 || true)
