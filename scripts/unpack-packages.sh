#!/bin/sh
# Unpacks Debian packages into .cache/NAME once, without installing them: unpack-packages.sh NAME "PROGRAM…" PACKAGE….
# Prints that folder. Says which shared libraries the programs (paths in it) need that are not here, if any.
set -eu

cd "$(dirname "$0")/.."
name=$1
programs=$2
shift 2
directory=$PWD/.cache/$name
if [ ! -d "$directory" ]; then
  mkdir -p .cache
  part=$(mktemp -d ".cache/$name-XXXXXX")
  trap 'rm -rf "$part"' EXIT
  # The download runs as a user of apt's own where that one can write here, else as ourselves.
  download() { (cd "$part" && apt-get download -qq -o APT::Sandbox::User=root "$@") >&2; }
  # A machine whose lists were thrown away finds nothing before it has fetched them.
  download "$@" 2>/dev/null || { apt-get update -qq >&2 && download "$@"; } || {
    echo "apt-get could not download $*" >&2
    exit 1
  }
  for package in "$part"/*.deb; do dpkg-deb -x "$package" "$part/unpacked"; done
  # Two callers at once: one of them is the first, and both have the same.
  mv -T "$part/unpacked" "$directory" 2>/dev/null || [ -d "$directory" ]
fi
# Libraries that were unpacked as well are found where the caller sets the same path.
libraries=$(find "$directory" -name 'lib*.so.*' -exec dirname {} + | sort -u | paste -sd:)
for program in $programs; do
  missing=$(LD_LIBRARY_PATH=$libraries ldd "$directory/$program" | sed -n 's/^\s*\(\S*\) => not found$/\1/p')
  if [ -n "$missing" ]; then
    echo "$program needs shared libraries that are not here:" $missing >&2
    exit 1
  fi
done
echo "$directory"
