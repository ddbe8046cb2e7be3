#!/bin/sh
# Installs the Debian packages that `make fleet-test` uses, where this is root and apt is there; else names the missing
# ones. What can run from a folder of its own is unpacked by its test instead (scripts/unpack-packages.sh).
set -eu

missing=""
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need curl curl
need ip iproute2
need strace strace

# shellcheck disable=SC2086 -- one word a package
sh "$(dirname "$0")/../../scripts/install-packages.sh" "make fleet-test" $missing
