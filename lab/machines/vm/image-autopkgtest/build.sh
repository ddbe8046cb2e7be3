#!/bin/sh
# build.sh FOLDER NODE: the bare Debian 12 of ../image, with autopkgtest and what the tests of the packages depend on. As root.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
trap 'exit 130' INT TERM
cp "$here"/../image/* "$sources/"
cat "$here/packages" >>"$sources/packages-bare"
sh "$sources/build.sh" "$1" "$2" bookworm
