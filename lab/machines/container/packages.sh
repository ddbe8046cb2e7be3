#!/bin/sh
# Installs the Debian packages that the system tests need, where this is root and apt is there; else names the missing ones.
set -eu

missing=""
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
PATH=$PATH:/usr/sbin:/sbin
need systemd-nspawn systemd-container
need mmdebstrap mmdebstrap
need faketime faketime
need ip iproute2
need setpriv util-linux
need rauc rauc
need mksquashfs squashfs-tools
need openssl openssl
# For chronyd, which scripts/unpack-chrony.sh unpacks.
case $(ldconfig -p) in *libgnutls.so.30\ *) ;; *) missing="$missing libgnutls30" ;; esac

# shellcheck disable=SC2086 -- one word a package
sh "$(dirname "$0")/../../../scripts/install-packages.sh" "make system-test" $missing
