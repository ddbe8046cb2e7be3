#!/bin/sh
# Runs on the building machine for mmdebstrap, with the tree as $1 and the folder for kernel and initrd as $2.
set -eu
tree=$1
boot=$2
here=$(dirname "$0")

in_tree() { chroot "$tree" "$@"; }

# Debian lets no two time daemons be installed together. timesyncd's own files beside chrony are all that it needs; both
# stay off until a scenario starts one. busybox is for the initrd alone.
mkdir "$tree/unpack"
(cd "$tree/unpack" && APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get download -qq systemd-timesyncd busybox-static)
for package in systemd-timesyncd busybox-static; do
  mkdir "$tree/unpack/$package"
  dpkg-deb -x "$tree"/unpack/"$package"_*.deb "$tree/unpack/$package"
done
rm -rf "$tree/unpack/systemd-timesyncd/usr/share/doc"
# Debian's tree has its /lib linked to /usr/lib: a copy of a real folder would not go there.
for part in lib usr etc; do
  [ ! -d "$tree/unpack/systemd-timesyncd/$part" ] || cp -a "$tree/unpack/systemd-timesyncd/$part/." "$tree/$part/"
done
in_tree systemd-sysusers
in_tree getent passwd systemd-timesync >/dev/null
for unit in chrony.service systemd-timesyncd.service; do
  find "$tree/etc/systemd/system" -type l \( -name "$unit" -o -lname "*/$unit" \) -delete
done

# Nothing at the start that no scenario needs: each unit and generator costs its part of a second under emulation.
while read -r unit; do ln -sf /dev/null "$tree/etc/systemd/system/$unit"; done <"$here/masked-units"
# The one that stays makes systemd.wants= of the kernel's command line work.
find "$tree/usr/lib/systemd/system-generators" -type f ! -name systemd-debug-generator -delete
# What udev would have linked; timedatectl and hwclock look for it under this name.
echo "L /dev/rtc - - - - rtc0" >"$tree/etc/tmpfiles.d/rtc.conf"
echo appliance >"$tree/etc/hostname"
echo "127.0.0.1 localhost appliance" >"$tree/etc/hosts"
# Of its own and the same at each start, so that it is never a first one to systemd.
echo 5f7c1a3e9b2d4c6880e1f2a3b4c5d6e7 >"$tree/etc/machine-id"

kernel=$(basename "$(ls -d "$tree"/lib/modules/*)")
cp "$tree/boot/vmlinuz-$kernel" "$boot/vmlinuz"

# An initrd of our own: Debian's takes three seconds longer.
initrd=$tree/unpack/initrd
mkdir -p "$initrd/bin" "$initrd/modules" "$initrd/root" "$initrd/proc" "$initrd/sys" "$initrd/dev"
cp "$tree/unpack/busybox-static/bin/busybox" "$initrd/bin/busybox"
ln -s busybox "$initrd/bin/sh"
in_tree modprobe -S "$kernel" -a --show-depends virtio_pci virtio_blk ext4 virtio_net autofs4 |
  sed -n 's/^insmod //p' | awk '!seen[$1]++ { print $1 }' | while read -r module; do
    cp "$tree$module" "$initrd/modules/"
    basename "$module" >>"$initrd/modules/order"
  done
install -m 755 "$here/init" "$initrd/init"
in_tree sh -c "cd /unpack/initrd && find . | cpio -o -H newc --quiet" >"$boot/initrd"

# All modules that are needed are in the initrd; what is not there, udev and systemd do not try to load.
find "$tree/lib/modules/$kernel" -name '*.ko' -delete
in_tree depmod "$kernel"
rm -rf "$tree/unpack" "$tree/boot" "$tree/usr/share/doc" "$tree/var/lib/apt/lists" "$tree/usr/share/locale"
