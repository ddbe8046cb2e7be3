#!/bin/sh
# Installs the Debian packages that the tests use, where this is root and apt is there; else says what is missing.
set -eu

missing=""
# A command, by its name or, where it is on no PATH, by its path; and the package that brings it.
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need cc gcc
need curl curl
need flock util-linux
need faketime faketime
need fish fish
need oathtool oathtool
need rsvg-convert librsvg2-bin
need script bsdutils
need systemd-analyze systemd
need zbarimg zbar-tools
need /lib/systemd/systemd-journal-remote systemd-journal-remote
need zsh zsh

[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing:$missing"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  # shellcheck disable=SC2086 -- one word a package
  apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
  echo "The tests need these Debian packages, which are not installed:$missing" >&2
  echo "Install them (apt-get install$missing) and run this again." >&2
  exit 1
fi
