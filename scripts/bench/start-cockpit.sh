#!/bin/sh
# Serves Debian's Cockpit on 127.0.0.1:PORT (start-cockpit.sh PORT) for a session of the caller, without installing it:
# unpacked into .cache once, and laid over /usr in a mount namespace of this process alone. Takes root.
set -eu

cd "$(dirname "$0")/../.."
directory=$PWD/.cache/cockpit
if [ ! -d "$directory" ]; then
  mkdir -p .cache
  part=$(mktemp -d .cache/cockpit-XXXXXX)
  trap 'rm -rf "$part"' EXIT
  (cd "$part" && apt-get download -qq -o APT::Sandbox::User=root cockpit-ws cockpit-bridge cockpit-system) >&2
  for package in "$part"/*.deb; do dpkg-deb -x "$package" "$part/unpacked"; done
  mv -T "$part/unpacked" "$directory"
fi
for program in usr/lib/cockpit/cockpit-ws usr/bin/cockpit-bridge; do
  missing=$(ldd "$directory/$program" | sed -n 's/^\s*\(\S*\) => not found$/\1/p')
  if [ -n "$missing" ]; then
    echo "$program needs shared libraries that are not here:" $missing >&2
    exit 1
  fi
done
exec unshare --mount sh -euc '
  for folder in share lib; do mount -t overlay overlay -o "lowerdir=$1/usr/$folder:/usr/$folder" "/usr/$folder"; done
  exec "$1/usr/lib/cockpit/cockpit-ws" --no-tls --address 127.0.0.1 --port "$2" --local-session="$1/usr/bin/cockpit-bridge"
' sh "$directory" "$1"
