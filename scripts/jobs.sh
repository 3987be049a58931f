#!/usr/bin/env bash
# Prints how many compilations to run at once: one per core, but no more than memory carries
# (1.5 GiB each; JOBS overrides). Neighbours: Makefile and .ci/run.
set -euo pipefail
if [[ -n ${JOBS:-} ]]; then
  echo "$JOBS"
  exit 0
fi
cores=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
available_kib=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo 2>/dev/null || true)
by_memory=$((${available_kib:-3145728} / 1572864))
jobs=$((cores < by_memory ? cores : by_memory))
echo $((jobs > 1 ? jobs : 1))
