#!/bin/sh
# build.sh FOLDER NODE MACHINE: Debian's files, the kernel and an initrd into FOLDER (disk.img, vmlinuz, initrd). MACHINE is
# appliance, or bookworm or trixie: a bare Debian. As root.
set -eu
folder=$1
node=$2
machine=$3
here=$(cd "$(dirname "$0")" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/boot"
if [ "$machine" = appliance ]; then
  mmdebstrap --quiet --variant=minbase --include="$(paste -sd, "$here/packages")" \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook="sh '$here/customise.sh' \"\$1\" '$work/boot'" bookworm "$work/tree"
  # The runtime that the appliance's package carries; here because it is larger than all that changes from run to run.
  install -D -m 755 "$node" "$work/tree/usr/lib/steward/bin/node"
  mkdir "$work/tree/usr/lib/steward-vm"
  ln -s ../steward/bin/node "$work/tree/usr/lib/steward-vm/node"
else
  mmdebstrap --quiet --variant=minbase --include="$(paste -sd, "$here/packages-bare")" \
    --customize-hook="sh '$here/bare.sh' \"\$1\" '$work/boot'" "$machine" "$work/tree"
  # For the guest part of a scenario alone: not on the PATH, nor where Steward looks.
  install -D -m 755 "$node" "$work/tree/usr/lib/steward-vm/node"
fi
mke2fs -q -t ext4 -d "$work/tree" "$work/disk.img" 2G
mkdir -p "$folder"
cp --sparse=always "$work/disk.img" "$work/boot/vmlinuz" "$work/boot/initrd" "$folder/"
chmod 644 "$folder"/*
