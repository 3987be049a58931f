#!/usr/bin/env bash
# Proves that a fresh clone needs nothing else: in a new Debian 12 with only make and git, clones HEAD and
# runs `make demo` and `make test`, timed. Needs root and debootstrap: check-bare-debian.sh [FOLDER]
# FOLDER (default: a temporary one) keeps FOLDER/pristine for the next time; FOLDER/root is made anew.
set -euo pipefail
repository=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
folder=${1:-$(mktemp -d)}
# The mirror that this machine installs from.
# shellcheck disable=SC2016  # apt-get fills in $(...)
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | head -n 1)}
[[ $(id -u) -eq 0 ]] || { echo "check-bare-debian: needs root (chroot)" >&2 && exit 1; }
command -v debootstrap >/dev/null || { echo "check-bare-debian: apt-get install debootstrap" >&2 && exit 1; }

mkdir -p "$folder"
folder=$(realpath "$folder")
root=$folder/root
leave() {
  umount -q "$root/dev/pts" 2>/dev/null || true
  umount -q "$root/proc" 2>/dev/null || true
}
trap leave EXIT

if [[ ! -e $folder/pristine/etc/debian_version ]]; then
  debootstrap --variant=minbase --include=make,git,ca-certificates bookworm "$folder/pristine" "$mirror" \
    >"$folder/debootstrap.log"
fi
leave
rm -rf --one-file-system "$root"
cp -a "$folder/pristine" "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
git clone -q "$repository" "$root/root/helve"
mount -t proc proc "$root/proc"
mkdir -p "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -sf pts/ptmx "$root/dev/ptmx"

for target in demo test; do
  started=$SECONDS
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    make -C /root/helve "$target" </dev/null
  echo "check-bare-debian: make $target took $((SECONDS - started)) s, packages included"
done
