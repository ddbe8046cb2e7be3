#!/bin/sh
# Unpacks Debian's chrony into .cache once, without installing it (it would take the clock over), and prints the folder
# that holds usr/sbin/chronyd and usr/bin/chronyc. Says which shared library is missing, if one is.
set -eu

cd "$(dirname "$0")/.."
directory=$PWD/.cache/chrony
if [ ! -x "$directory/usr/sbin/chronyd" ]; then
  mkdir -p .cache
  part=$(mktemp -d .cache/chrony-XXXXXX)
  trap 'rm -rf "$part"' EXIT
  # The download runs as a user of apt's own where that one can write here, else as ourselves.
  download() { (cd "$part" && apt-get download -qq -o APT::Sandbox::User=root chrony) >&2; }
  # A machine whose lists were thrown away finds nothing before it has fetched them.
  download 2>/dev/null || { apt-get update -qq >&2 && download; } || {
    echo "apt-get could not download chrony" >&2
    exit 1
  }
  dpkg-deb -x "$part"/chrony_*.deb "$part/unpacked"
  # Two callers at once: one of them is the first, and both have the same.
  mv -T "$part/unpacked" "$directory" 2>/dev/null || [ -x "$directory/usr/sbin/chronyd" ]
fi
for program in usr/sbin/chronyd usr/bin/chronyc; do
  missing=$(ldd "$directory/$program" | sed -n 's/^\s*\(\S*\) => not found$/\1/p')
  if [ -n "$missing" ]; then
    echo "$program needs shared libraries that are not here:" $missing >&2
    echo "Debian has them in libcap2 libedit2 libgnutls30 libnettle8 libseccomp2." >&2
    exit 1
  fi
done
echo "$directory"
