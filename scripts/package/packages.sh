#!/bin/sh
# packages.sh [MACHINE…]: installs the Debian packages that `make package` needs for these kinds of machines (all without a
# name), where this is root and apt is there; else names the missing ones.
set -eu

missing=""
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
# The headers of the C library, which the compilers only recommend.
need_header() { [ -e "/usr/$1/include/stdio.h" ] || [ -e "/usr/include/$1/bits/stdio_lim.h" ] || missing="$missing $2"; }
# It starts the program of another kind of machine, with what that Node is linked against.
need_emulator() {
  [ "$(uname -m)" != "$1" ] || return 0
  need "qemu-$1-static" qemu-user-static
  [ -e "/usr/$1-linux-gnu/lib/libstdc++.so.6" ] || missing="$missing libstdc++6-$2-cross"
}
need dpkg-deb dpkg
need xz xz-utils
need lintian lintian
[ $# -gt 0 ] || set -- amd64 arm64
for machine; do
  case $machine in
    amd64)
      need x86_64-linux-gnu-gcc gcc-x86-64-linux-gnu
      need_header x86_64-linux-gnu libc6-dev-amd64-cross
      need_emulator x86_64 amd64
      ;;
    arm64)
      need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
      need_header aarch64-linux-gnu libc6-dev-arm64-cross
      need_emulator aarch64 arm64
      ;;
  esac
done

# shellcheck disable=SC2086 -- one word a package
sh "$(dirname "$0")/../install-packages.sh" "make package" $missing
