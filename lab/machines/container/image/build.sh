#!/bin/sh
# build.sh FOLDER NODE: Debian's files and a Node into FOLDER/tree. As root.
set -eu
folder=$1
node=$2
here=$(cd "$(dirname "$0")" && pwd)

mkdir -p "$folder"
mmdebstrap --quiet --variant=minbase --include="$(paste -sd, "$here/packages")" \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' bookworm "$folder/tree"
install -D -m 755 "$node" "$folder/tree/usr/lib/steward/bin/node"
mkdir "$folder/tree/usr/lib/steward-vm"
ln -s ../steward/bin/node "$folder/tree/usr/lib/steward-vm/node"
# Scenarios say what starts.
ln -sf /dev/null "$folder/tree/etc/systemd/system/getty.target"
for unit in multi-user.target.wants/nginx.service multi-user.target.wants/caddy.service \
  sysinit.target.wants/systemd-resolved.service dbus-org.freedesktop.resolve1.service; do
  rm -f "$folder/tree/etc/systemd/system/$unit"
done
# Of its own and the same at each start, so that it is never a first one to systemd.
echo 5f7c1a3e9b2d4c6880e1f2a3b4c5d6e7 >"$folder/tree/etc/machine-id"
rm -rf "$folder/tree/var/lib/apt/lists"
