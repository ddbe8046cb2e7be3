#!/bin/sh
# build.sh FOLDER NODE SUITE: a bare Debian, as its installer leaves one, into FOLDER/tree. From Debian 13 on with its own
# nodejs, which is new enough there. NODE runs the guest part of scenarios, not Steward. As root.
set -eu
folder=$1
node=$2
suite=$3
here=$(cd "$(dirname "$0")" && pwd)

included=$(paste -sd, "$here/packages")
[ "$suite" = bookworm ] || included=$included,nodejs
mkdir -p "$folder"
mmdebstrap --quiet --variant=minbase --include="$included" \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' "$suite" "$folder/tree"
install -D -m 755 "$node" "$folder/tree/usr/lib/steward-vm/node"
# Scenarios say what starts.
ln -sf /dev/null "$folder/tree/etc/systemd/system/getty.target"
# Of its own and the same at each start, so that it is never a first one to systemd.
echo 5f7c1a3e9b2d4c6880e1f2a3b4c5d6e7 >"$folder/tree/etc/machine-id"
rm -rf "$folder/tree/var/lib/apt/lists"
