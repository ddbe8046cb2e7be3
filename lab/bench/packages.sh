#!/bin/sh
# Installs the Debian packages that `make bench` needs beside those of `make test`: the whole browser, and what Cockpit loads.
set -eu

missing=""
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -q 'libjson-glib-1\.0\.so\.0' || missing="$missing libjson-glib-1.0-0"
# shellcheck disable=SC2086 -- one word a package
sh "$(dirname "$0")/../../scripts/install-packages.sh" "make bench" $missing
