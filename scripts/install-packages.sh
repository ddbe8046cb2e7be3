#!/bin/sh
# install-packages.sh WHO PACKAGE…: installs Debian packages that are missing, where this is root and apt is there; else
# says which ones WHO needs.
set -eu

who=$1
shift
[ $# -gt 0 ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing: $*"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "$@" >/dev/null
else
  echo "$who needs these Debian packages, which are not installed: $*" >&2
  echo "Install them (apt-get install $*) and run this again." >&2
  exit 1
fi
