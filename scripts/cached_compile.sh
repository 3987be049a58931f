#!/bin/sh
# Runs a compiler command through ccache, with settings that give every clone the same objects: CMake
# calls it for each compiler command (cmake/HelveToolchain.cmake). Precompiled headers (three per build
# folder) are not cached; compile_pch.py writes the checksum that ccache hashes instead of their content.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=true CCACHE_PCH_EXTSUM=true
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
# ccache makes paths relative, but not in arguments after -Xclang.
count=$#
is_header=0 output='' dependencies='' last=''
while [ "$count" -gt 0 ]; do
  word=$1
  shift
  case "$word" in
    "$PWD"/*cmake_pch.hxx | "$PWD"/*cmake_pch.hxx.pch) word=${word#"$PWD"/} ;;
    -emit-pch) is_header=1 ;;
  esac
  case "$last" in
    -o) output=$word ;;
    -MF) dependencies=$word ;;
  esac
  last=$word
  set -- "$@" "$word"
  count=$((count - 1))
done
[ "$is_header" -eq 1 ] || exec ccache "$@"
exec python3 "$root/scripts/compile_pch.py" "$root" "$output" "$dependencies" "$@"
