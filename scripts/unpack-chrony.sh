#!/bin/sh
# Unpacks Debian's chrony, without installing it (it would take the clock over), and prints the folder that holds
# usr/sbin/chronyd and usr/bin/chronyc.
set -eu

sh "$(dirname "$0")/unpack-packages.sh" chrony "usr/sbin/chronyd usr/bin/chronyc" chrony || {
  echo "Debian has chrony's libraries in libcap2 libedit2 libgnutls30 libnettle8 libseccomp2." >&2
  exit 1
}
