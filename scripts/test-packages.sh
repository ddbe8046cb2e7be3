#!/bin/sh
# Installs the Debian packages that the tests use, where this is root and apt is there; else names the missing ones.
set -eu

missing=""
# A command, by its name or, where it is on no PATH, by its path; and the package that brings it.
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need cc gcc
[ "${STEWARD_TEST_ALL:-}" != 1 ] || need chromium chromium
[ "${STEWARD_TEST_ALL:-}${STEWARD_BROWSER:-}" = "" ] || need firefox-esr firefox-esr
need curl curl
need flock util-linux
need faketime faketime
need fish fish
need groff groff-base
need jq jq
need oathtool oathtool
need openssl openssl
need python3 python3
python3 -c 'import yaml' 2>/dev/null || missing="$missing python3-yaml"
need rsvg-convert librsvg2-bin
need script bsdutils
need setpriv util-linux
need strace strace
need systemd-analyze systemd
need zbarimg zbar-tools
need /lib/systemd/systemd-journal-remote systemd-journal-remote
need zsh zsh
# The C library's headers, which gcc only recommends; without them no C program of the tests, and no clock addon, is compiled.
need_header() { [ -e "$1" ] || [ -e "/usr/include/$(uname -m)-linux-gnu/${1##*/}" ] || missing="$missing $2"; }
need_header /usr/include/stdio.h libc6-dev
# A shared library by its name. These are chronyd's and chronyc's, which scripts/unpack-chrony.sh unpacks.
libraries=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p)
need_library() { case $libraries in *"$1 "*) ;; *) missing="$missing $2" ;; esac; }
need_library libcap.so.2 libcap2
need_library libedit.so.2 libedit2
need_library libgnutls.so.30 libgnutls30
need_library libnettle.so.8 libnettle8
need_library libseccomp.so.2 libseccomp2

# shellcheck disable=SC2086 -- one word a package
sh "$(dirname "$0")/install-packages.sh" "make test" $missing

# Chromium without what draws windows takes half of the processor time; where it cannot be had, Chromium itself will do.
if ! command -v chromium-headless-shell >/dev/null 2>&1; then
  sh "$(dirname "$0")/install-packages.sh" "make test" chromium-headless-shell ||
    { command -v chromium >/dev/null 2>&1 && echo "make test goes on with chromium, which takes longer"; }
fi
