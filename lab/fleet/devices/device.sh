#!/bin/sh
# device.sh DIRECTORY NAME: one device. What it writes to /usr, /etc and /var is in memory and its own.
set -eu

directory=$1
name=$2
hostname "$name"
mount -t tmpfs tmpfs /run
overlay() {
  mkdir -p "/run/layers$1/upper" "/run/layers$1/work"
  mount -t overlay overlay -o "lowerdir=$2,upperdir=/run/layers$1/upper,workdir=/run/layers$1/work" "$1"
}
overlay /usr "$directory/installed/usr:/usr"
overlay /etc "$directory/installed/etc:/etc"
overlay /var "$directory/installed/var:/var"

useradd --system --home-dir /var/lib/steward --no-create-home --shell /usr/sbin/nologin steward
useradd --system --home-dir /run/sshd --no-create-home --shell /usr/sbin/nologin sshd
echo "$name" >/etc/hostname
echo "127.0.1.1 $name" >>/etc/hosts
install -d -m 755 /etc/steward
install -d -m 700 -o steward -g steward /var/lib/steward /run/steward
install -d -m 755 /run/sshd
install -m 600 "$directory/authorized_keys" /run/authorized_keys

# As steward.service starts it, but for systemd.
STATE_DIRECTORY=/var/lib/steward RUNTIME_DIRECTORY=/run/steward \
  setpriv --reuid=steward --regid=steward --init-groups --bounding-set=-all --no-new-privs \
  /bin/sh /usr/lib/steward/steward serve &

libraries=$(dirname "$(find "$directory/sshd/" -name libwrap.so.0)")
exec env LD_LIBRARY_PATH="$libraries" "$directory/sshd/usr/sbin/sshd" -D -e -f /dev/null \
  -o Port=2222 -o ListenAddress=0.0.0.0 -o "HostKey=$directory/$name/host-key" \
  -o AuthorizedKeysFile=/run/authorized_keys -o StrictModes=no -o UsePAM=no -o PidFile=none \
  -o PasswordAuthentication=no -o KbdInteractiveAuthentication=no -o PermitRootLogin=prohibit-password \
  -o "Subsystem=sftp internal-sftp"
