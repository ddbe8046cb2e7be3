#!/bin/sh
# Serves Debian's Cockpit on 127.0.0.1:PORT (start-cockpit.sh PORT) for a session of the caller, without installing it:
# unpacked, and laid over /usr in a mount namespace that only this process has. Takes root.
set -eu

directory=$(sh "$(dirname "$0")/../../scripts/unpack-packages.sh" cockpit "usr/lib/cockpit/cockpit-ws usr/bin/cockpit-bridge" \
  cockpit-ws cockpit-bridge cockpit-system)
exec unshare --mount sh -euc '
  for folder in share lib; do mount -t overlay overlay -o "lowerdir=$1/usr/$folder:/usr/$folder" "/usr/$folder"; done
  exec "$1/usr/lib/cockpit/cockpit-ws" --no-tls --address 127.0.0.1 --port "$2" --local-session="$1/usr/bin/cockpit-bridge"
' sh "$directory" "$1"
