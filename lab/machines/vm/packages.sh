#!/bin/sh
# Installs the Debian packages that the appliance machine needs, where this is root and apt is there; else names the missing ones.
set -eu

missing=""
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
PATH=$PATH:/usr/sbin:/sbin
need qemu-system-x86_64 qemu-system-x86
need qemu-img qemu-utils
need mmdebstrap mmdebstrap
need mke2fs e2fsprogs
need ip iproute2
need unshare util-linux
[ -x /usr/bin/chromium-headless-shell ] || need chromium chromium

# shellcheck disable=SC2086 -- one word a package
sh "$(dirname "$0")/../../../scripts/install-packages.sh" "make vm-test" $missing
