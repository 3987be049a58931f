#!/usr/bin/env bash
# Format, layers, shell scripts, then clang-tidy: lint.sh [all|changed|none] (which files tidy sees).
# Neighbours: .clang-format, tidy.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scope=${1:-all}

mapfile -t cpp < <(git ls-files '*.cc' '*.h')
echo "format: ${#cpp[@]} files"
clang-format-14 --dry-run --Werror "${cpp[@]}"

scripts/check_layers.py
python3 scripts/check_layers_test.py 2>&1 | tail -n 1
scripts/check_type_names.py
python3 scripts/check_type_names_test.py 2>&1 | tail -n 1

mapfile -t shell < <(git ls-files '*.sh' '*.bash' .ci/run)
echo "shellcheck: ${#shell[@]} files"
shellcheck "${shell[@]}"

# Nothing is built there: clang-tidy wants to know how each file is compiled alone, new ones too.
[[ $scope == none ]] || {
  cmake --preset dev -B build/lint -DHELVE_UNITY=OFF --log-level=WARNING
  scripts/tidy.py "$scope"
}
