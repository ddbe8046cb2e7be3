#!/bin/sh
# Installs the Debian packages that `make package` needs, where this is root and apt is there; else names the missing ones.
set -eu

missing=""
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need dpkg-deb dpkg
need xz xz-utils
need lintian lintian
need x86_64-linux-gnu-gcc gcc-x86-64-linux-gnu
need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
need qemu-aarch64-static qemu-user-static
# The headers of the C library, which the compilers only recommend.
need_header() { [ -e "/usr/$1/include/stdio.h" ] || [ -e "/usr/include/$1/bits/stdio_lim.h" ] || missing="$missing $2"; }
need_header x86_64-linux-gnu libc6-dev-amd64-cross
need_header aarch64-linux-gnu libc6-dev-arm64-cross
# What a Node of another machine is linked against.
[ -e /usr/aarch64-linux-gnu/lib/libstdc++.so.6 ] || [ "$(uname -m)" = aarch64 ] || missing="$missing libstdc++6-arm64-cross"

# shellcheck disable=SC2086 -- one word a package
sh "$(dirname "$0")/../install-packages.sh" "make package" $missing
