#!/bin/sh
# packages.sh TARGET [MACHINE…]: installs the Debian packages that `make TARGET` needs, where this is root and apt is there;
# else names the missing ones. What can run from a folder of its own is unpacked instead (unpack-packages.sh).
set -eu

target=$1
shift
missing=""
PATH=$PATH:/usr/sbin:/sbin
# A package, and the commands that it brings, by their names or, where they are on no PATH, by their paths; by default the
# one with its own name.
need() {
  package=$1
  [ $# -eq 1 ] || shift
  for program; do command -v "$program" >/dev/null 2>&1 || missing="$missing $package"; done
}
# Packages each of which brings the command with its own name.
need_each() { for one; do need "$one"; done; }
# The C library's headers, which gcc only recommends; without them no C program of the tests, and no clock addon, is compiled.
need_header() { [ -e "$1" ] || [ -e "/usr/include/$(uname -m)-linux-gnu/${1##*/}" ] || missing="$missing $2"; }
# A shared library by its name.
need_library() { case $(ldconfig -p) in *"$1 "*) ;; *) missing="$missing $2" ;; esac; }
# A machine, as the kernel, packages and compilers call it: its compiler and headers, and the emulator with what Node is linked against.
need_machine() {
  need "gcc-$3-linux-gnu" "$1-linux-gnu-gcc"
  [ -e "/usr/$1-linux-gnu/include/stdio.h" ] || [ -e "/usr/include/$1-linux-gnu/bits/stdio_lim.h" ] ||
    missing="$missing libc6-dev-$2-cross"
  [ "$(uname -m)" != "$1" ] || return 0
  need qemu-user-static "qemu-$1-static"
  [ -e "/usr/$1-linux-gnu/lib/libstdc++.so.6" ] || missing="$missing libstdc++6-$2-cross"
}

case $target in
  test)
    # The page of Chromium's warning about a certificate: chromium-headless-shell has none.
    need_each age busybox chromium curl faketime fish git jq oathtool openssl pigz python3 strace zsh
    [ "${STEWARD_TEST_ALL:-}${STEWARD_BROWSER:-}" = "" ] || need firefox-esr
    need libarchive-tools bsdtar
    need gcc cc
    need util-linux fallocate flock setpriv
    need groff-base groff
    python3 -c 'import yaml' 2>/dev/null || missing="$missing python3-yaml"
    need librsvg2-bin rsvg-convert
    need bsdutils script
    need systemd systemd-analyze
    need xz-utils xz
    need zbar-tools zbarimg
    need systemd-journal-remote /lib/systemd/systemd-journal-remote
    need_header /usr/include/stdio.h libc6-dev
    # chronyd's and chronyc's, which unpack-chrony.sh unpacks.
    need_library libcap.so.2 libcap2
    need_library libedit.so.2 libedit2
    need_library libgnutls.so.30 libgnutls30
    need_library libnettle.so.8 libnettle8
    need_library libseccomp.so.2 libseccomp2
    ;;
  # Beside those of the tests: the whole browser.
  bench) need chromium ;;
  fleet-test)
    need_each curl openssl strace
    need iproute2 ip
    need util-linux unshare
    # That of rsyslog, which is unpacked.
    need_library libgnutls.so.30 libgnutls30
    ;;
  system-test)
    need_each mmdebstrap faketime rauc openssl python3
    need systemd-container systemd-nspawn
    need iproute2 ip
    need util-linux setpriv
    need squashfs-tools mksquashfs
    [ -x /usr/bin/chromium-headless-shell ] || need chromium
    need_library libgnutls.so.30 libgnutls30
    ;;
  vm-test)
    need mmdebstrap
    need qemu-system-x86 qemu-system-x86_64
    need qemu-utils qemu-img
    need e2fsprogs mke2fs
    need iproute2 ip
    need util-linux unshare
    need bind9 named
    need bind9-utils dnssec-signzone
    [ -x /usr/bin/chromium-headless-shell ] || need chromium
    ;;
  package)
    need dpkg dpkg-deb
    need xz-utils xz
    need lintian
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
