#!/bin/sh
# network.sh DIRECTORY COUNT: devices with Steward and an SSH server, and a network between them and this process.
# The first process of network, mount and process namespaces of its own, so that all of it ends with standard input.
# DIRECTORY has: installed (what `make install DESTDIR=` lays out), sshd (Debian's openssh-server, unpacked),
# authorized_keys, and for each device the host key deviceN/host-key. Devices are at 10.77.0.11 and on, SSH on port 2222.
set -eu

directory=$1
count=$2
here=$(cd "$(dirname "$0")" && pwd)

ip link set lo up
mount -t tmpfs tmpfs /run
mkdir /run/netns
ip link add fleet type bridge
ip address add 10.77.0.1/24 dev fleet
ip link set fleet up
for number in $(seq "$count"); do
  ip netns add "device$number"
  ip link add "to-device$number" type veth peer name lan netns "device$number"
  ip link set "to-device$number" master fleet up
  ip -n "device$number" link set lo up
  ip -n "device$number" address add "10.77.0.$((10 + number))/24" dev lan
  ip -n "device$number" link set lan up
  ip netns exec "device$number" unshare --mount --uts --propagation private \
    sh "$here/device.sh" "$directory" "device$number" >"$directory/device$number/log" 2>&1 &
done
# Until standard input ends; with this process end all the others of its namespace.
cat >/dev/null
