#!/usr/bin/env bash
# Format and shell scripts, then layers and clang-tidy: lint.sh [all|changed|none]
# clang-tidy looks at all sources or at changed lines, for TIDY_SECONDS (480) at most; `none` leaves out both, as the
# layers are also tests. Neighbours: .clang-format, tidy.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scope=${1:-all}

mapfile -t cpp < <(git ls-files '*.cc' '*.h')
echo "format: ${#cpp[@]} files"
clang-format-14 --dry-run --Werror "${cpp[@]}"

mapfile -t shell < <(git ls-files '*.sh' '*.bash' .ci/run)
echo "shellcheck: ${#shell[@]} files"
shellcheck "${shell[@]}"

[[ $scope != none ]] || exit 0
scripts/check_layers.py
scripts/check_type_names.py
# Nothing is built there: clang-tidy reads each source alone, without precompiled headers.
cmake --preset dev -B build/lint -DHELVE_UNITY=OFF -DHELVE_PCH=OFF --log-level=WARNING
bound=()
[[ $scope != changed ]] || bound=(--seconds "${TIDY_SECONDS:-480}")
scripts/tidy.py "$scope" ${bound[@]+"${bound[@]}"}
