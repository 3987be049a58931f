#!/bin/sh
# Runs a compiler command through ccache, with settings that give every clone the same objects: CMake
# calls it before each compiler command (cmake/HelveToolchain.cmake).
#
# A precompiled header names its clone, so that its bytes are no key. It is compiled each time (three
# per build folder), and PATH.sum beside it, the checksum of all headers that it read, stands for it.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=true CCACHE_PCH_EXTSUM=true
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
case " $* " in
  *" -emit-pch "*) ;;
  *) exec ccache "$@" ;;
esac
"$@"
output='' dependencies='' last=''
for word in "$@"; do
  case "$last" in
    -o) output=$word ;;
    -MF) dependencies=$word ;;
  esac
  last=$word
done
# The dependency file is "target: header \ header \ ...". Paths of the clone are left out of the sum.
sed -e 's/^[^:]*://' -e 's/\\$//' "$dependencies" | tr -s ' ' '\n' | grep . | xargs cat | sha256sum >"$output.sum"
