#!/bin/sh
# packages.sh TARGET [MACHINE…]: installs the Debian packages that `make TARGET` needs, where this is root and apt is there;
# else names the missing ones. What can run from a folder of its own is unpacked instead (unpack-packages.sh).
set -eu

target=$1
shift
missing=""
PATH=$PATH:/usr/sbin:/sbin
# A command, by its name or, where it is on no PATH, by its path; and the package that brings it.
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
# The C library's headers, which gcc only recommends; without them no C program of the tests, and no clock addon, is compiled.
need_header() { [ -e "$1" ] || [ -e "/usr/include/$(uname -m)-linux-gnu/${1##*/}" ] || missing="$missing $2"; }
# A shared library by its name.
need_library() { case $(ldconfig -p) in *"$1 "*) ;; *) missing="$missing $2" ;; esac; }
# A machine, as the kernel, packages and compilers call it: its compiler and headers, and the emulator with what Node is linked against.
need_machine() {
  need "$1-linux-gnu-gcc" "gcc-$3-linux-gnu"
  [ -e "/usr/$1-linux-gnu/include/stdio.h" ] || [ -e "/usr/include/$1-linux-gnu/bits/stdio_lim.h" ] ||
    missing="$missing libc6-dev-$2-cross"
  [ "$(uname -m)" != "$1" ] || return 0
  need "qemu-$1-static" qemu-user-static
  [ -e "/usr/$1-linux-gnu/lib/libstdc++.so.6" ] || missing="$missing libstdc++6-$2-cross"
}

case $target in
  test)
    need age age
    need bsdtar libarchive-tools
    need busybox busybox
    need cc gcc
    # The page of Chromium's warning about a certificate: chromium-headless-shell has none.
    need chromium chromium
    [ "${STEWARD_TEST_ALL:-}${STEWARD_BROWSER:-}" = "" ] || need firefox-esr firefox-esr
    need curl curl
    need fallocate util-linux
    need flock util-linux
    need faketime faketime
    need fish fish
    need git git
    need groff groff-base
    need jq jq
    need oathtool oathtool
    need openssl openssl
    need pigz pigz
    need python3 python3
    python3 -c 'import yaml' 2>/dev/null || missing="$missing python3-yaml"
    need rsvg-convert librsvg2-bin
    need script bsdutils
    need setpriv util-linux
    need strace strace
    need systemd-analyze systemd
    need xz xz-utils
    need zbarimg zbar-tools
    need /lib/systemd/systemd-journal-remote systemd-journal-remote
    need zsh zsh
    need_header /usr/include/stdio.h libc6-dev
    # chronyd's and chronyc's, which unpack-chrony.sh unpacks.
    need_library libcap.so.2 libcap2
    need_library libedit.so.2 libedit2
    need_library libgnutls.so.30 libgnutls30
    need_library libnettle.so.8 libnettle8
    need_library libseccomp.so.2 libseccomp2
    ;;
  bench)
    # Beside those of the tests: the whole browser.
    need chromium chromium
    ;;
  fleet-test)
    need curl curl
    need ip iproute2
    need openssl openssl
    need strace strace
    # That of rsyslog, which is unpacked.
    need_library libgnutls.so.30 libgnutls30
    need unshare util-linux
    ;;
  system-test)
    need systemd-nspawn systemd-container
    need mmdebstrap mmdebstrap
    need faketime faketime
    need ip iproute2
    need setpriv util-linux
    need rauc rauc
    need mksquashfs squashfs-tools
    need openssl openssl
    need_library libgnutls.so.30 libgnutls30
    ;;
  vm-test)
    need qemu-system-x86_64 qemu-system-x86
    need qemu-img qemu-utils
    need mmdebstrap mmdebstrap
    need mke2fs e2fsprogs
    need ip iproute2
    need unshare util-linux
    need named bind9
    need dnssec-signzone bind9-utils
    [ -x /usr/bin/chromium-headless-shell ] || need chromium chromium
    ;;
  package)
    need dpkg-deb dpkg
    need xz xz-utils
    need lintian lintian
    [ $# -gt 0 ] || set -- amd64 arm64
    for machine; do
      case $machine in
        amd64) need_machine x86_64 amd64 x86-64 ;;
        arm64) need_machine aarch64 arm64 aarch64 ;;
      esac
    done
    ;;
esac

# shellcheck disable=SC2086 -- one word a package
sh "$(dirname "$0")/install-packages.sh" "make $target" $missing

# Chromium without what draws windows takes half of the processor time; where it cannot be had, Chromium will do.
if [ "$target" = test ] && ! command -v chromium-headless-shell >/dev/null 2>&1; then
  sh "$(dirname "$0")/install-packages.sh" "make test" chromium-headless-shell ||
    echo "make test goes on with chromium, which takes longer"
fi
