#!/bin/sh
# A bare Debian, as its installer leaves one on a small device: without Steward, Node or polkit. As customise.sh.
set -eu
tree=$1
here=$(dirname "$0")

# The network is set up by the initrd; nothing else of a stranger's machine is touched but its consoles, which no
# scenario types at.
ln -sf /dev/null "$tree/etc/systemd/system/getty.target"
ln -sf /dev/null "$tree/etc/systemd/system/serial-getty@ttyS0.service"
echo appliance >"$tree/etc/hostname"
echo "127.0.0.1 localhost appliance" >"$tree/etc/hosts"
echo 5f7c1a3e9b2d4c6880e1f2a3b4c5d6e7 >"$tree/etc/machine-id"
sh "$here/initrd.sh" "$tree" "$2"
