#!/bin/sh
# Kernel and initrd of the tree $1 into the folder $2, for every machine.
set -eu
tree=$1
boot=$2
here=$(dirname "$0")

in_tree() { chroot "$tree" "$@"; }

kernel=$(basename "$(ls -d "$tree"/lib/modules/*)")
cp "$tree/boot/vmlinuz-$kernel" "$boot/vmlinuz"

# An initrd of our own: Debian's takes three seconds longer.
initrd=$tree/unpack/initrd
mkdir "$tree/unpack"
(cd "$tree/unpack" && APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get download -qq busybox-static)
dpkg-deb -x "$tree"/unpack/busybox-static_*.deb "$tree/unpack/busybox-static"
mkdir -p "$initrd/bin" "$initrd/modules" "$initrd/root" "$initrd/proc" "$initrd/sys" "$initrd/dev"
find "$tree/unpack/busybox-static" -type f -path '*/bin/busybox' -exec cp {} "$initrd/bin/busybox" \;
ln -s busybox "$initrd/bin/sh"
in_tree modprobe -S "$kernel" -a --show-depends virtio_pci virtio_blk ext4 virtio_net autofs4 |
  sed -n 's/^insmod //p' | awk '!seen[$1]++ { print $1 }' | while read -r module; do
    cp "$tree$module" "$initrd/modules/"
    name=$(basename "$module")
    # Debian 13 packs its modules, and busybox does not unpack them.
    case $name in *.xz) xz -d "$initrd/modules/$name" && name=${name%.xz} ;; esac
    echo "$name" >>"$initrd/modules/order"
  done
install -m 755 "$here/init" "$initrd/init"
in_tree sh -c "cd /unpack/initrd && find . | cpio -o -H newc --quiet" >"$boot/initrd"

# All modules that are needed are in the initrd; what is not there, udev and systemd do not try to load.
find "$tree/lib/modules/$kernel" -name '*.ko*' -delete
in_tree depmod "$kernel"
rm -rf "$tree/unpack" "$tree/boot"/*
