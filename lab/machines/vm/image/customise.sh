#!/bin/sh
# The appliance: runs on the building machine for mmdebstrap, with the tree as $1 and the folder for kernel and initrd as $2.
set -eu
tree=$1
boot=$2
here=$(dirname "$0")

in_tree() { chroot "$tree" "$@"; }

# Debian lets no two time daemons be installed together. timesyncd's own files beside chrony are all that it needs; both
# stay off until a scenario starts one.
mkdir "$tree/unpack"
(cd "$tree/unpack" && APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get download -qq systemd-timesyncd)
dpkg-deb -x "$tree"/unpack/systemd-timesyncd_*.deb "$tree/unpack/timesyncd"
rm -rf "$tree/unpack/timesyncd/usr/share/doc"
# Debian's tree has its /lib linked to /usr/lib: a copy of a real folder would not go there.
for part in lib usr etc; do
  [ ! -d "$tree/unpack/timesyncd/$part" ] || cp -a "$tree/unpack/timesyncd/$part/." "$tree/$part/"
done
rm -rf "$tree/unpack"
in_tree systemd-sysusers
in_tree getent passwd systemd-timesync >/dev/null
for unit in chrony.service systemd-timesyncd.service; do
  find "$tree/etc/systemd/system" -type l \( -name "$unit" -o -lname "*/$unit" \) -delete
done

# systemd-resolved is there and off, and no name goes to it, until a scenario says so.
find "$tree/etc/systemd/system" -type l \( -name "systemd-resolved.service" -o -lname "*/systemd-resolved.service" \) -delete
sed -i 's/ resolve \[!UNAVAIL=return\]//' "$tree/etc/nsswitch.conf"
rm -f "$tree/etc/resolv.conf"
: >"$tree/etc/resolv.conf"

# Nothing at the start that no scenario needs: each unit and generator costs its part of a second under emulation.
# shellcheck disable=SC2013 -- a word each
for unit in $(cat "$here/masked-units"); do ln -sf /dev/null "$tree/etc/systemd/system/$unit"; done
# The one that stays makes systemd.wants= of the kernel's command line work.
find "$tree/usr/lib/systemd/system-generators" -type f ! -name systemd-debug-generator -delete
# What udev would have linked; timedatectl and hwclock look for it under this name.
echo "L /dev/rtc - - - - rtc0" >"$tree/etc/tmpfiles.d/rtc.conf"
echo appliance >"$tree/etc/hostname"
echo "127.0.0.1 localhost appliance" >"$tree/etc/hosts"
# Of its own and the same at each start, so that it is never a first one to systemd.
echo 5f7c1a3e9b2d4c6880e1f2a3b4c5d6e7 >"$tree/etc/machine-id"

sh "$here/initrd.sh" "$tree" "$boot"
rm -rf "$tree/usr/share/doc" "$tree/var/lib/apt/lists" "$tree/usr/share/locale"
