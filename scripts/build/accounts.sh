# accounts.sh [ROOT]: where somebody else has the name of one of Steward's users or groups, says so in one line, and in a second
# one has the commands that give the name back. Nothing where each is absent or Steward's own. The packages' scripts, make
# install and the doctor run it, so that all of them mean the same.
# Steward's own is what systemd-sysusers makes of steward.conf, also in an image and by an earlier version: an id of the
# system, the home below, no shell, and nobody else in the group. The short-lived users of systemd's DynamicUser= are so, too.
set +e
# The system's own programs.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=${1-}
root=${root%/}

# The entries of a database, or the one of a name; by the name services, which may know people of a directory server.
entries() {
  if [ -n "$root" ] || ! command -v getent >/dev/null; then
    grep "^${2:+$2:}" "$root/etc/$1" 2>/dev/null || :
  else
    getent "$@" || :
  fi
}

is_in_file() { grep -q "^$2:" "$root/etc/$1" 2>/dev/null; }

# 1 to 999, and 61184 to 65519: systemd's own ranges, https://systemd.io/UIDS-GIDS.
is_of_system() {
  case $1 in
    [1-9] | [1-9][0-9] | [1-9][0-9][0-9]) ;;
    6[1-5][0-9][0-9][0-9]) [ "$1" -ge 61184 ] && [ "$1" -le 65519 ] ;;
    *) return 1 ;;
  esac
}

found='' typed='' former=''
note() { found="$found${found:+ }$1"; }
type_next() { typed="$typed${typed:+; }$1"; }

# A name that nobody has.
spare_name() {
  spare=$1-old
  while [ -n "$(entries passwd "$spare")$(entries group "$spare")" ]; do spare=$spare-old; done
}

# The line of sysusers.d(5) for an account, as systemd/steward.sysusers has it.
make() { type_next "echo 'u $1 - \"Steward, the operations agent\" $2' | systemd-sysusers ${3-}-"; }

# Takes the name away from its user or group: renamed where it is in this machine's files.
# unshare: usermod refuses to rename a user who has a process, and sees none; the process keeps running.
take_name() {
  if is_in_file "$1" "$3"; then
    spare_name "$3"
    [ "$3" != steward ] || former=$spare
    type_next "$2 $spare $3"
  else
    isMissing=1
  fi
}

judge() {
  name=$1 home=$2 isMissing='' isOwnUser=1
  user=$(entries passwd "$name")
  if [ -n "$user" ]; then
    IFS=: read -r _ _ id _ _ actual shell <<END
$user
END
    isOwnUser=''
    case $actual:$shell in
      "$home":*/nologin | "$home":*/false) ! is_of_system "$id" || isOwnUser=1 ;;
    esac
    if [ -z "$isOwnUser" ]; then
      note "The user $name of this device (uid $id, home $actual, shell ${shell:-/bin/sh}) is not the system account that Steward makes for itself."
      take_name passwd "unshare --pid --fork --mount-proc usermod ${root:+--prefix $root }--login" "$name"
    fi
  fi
  judge_group
  # A local account comes before the one of a directory server, which sysusers does not ask where it is given a root.
  [ -z "$isMissing" ] || make "$name" "$home" "--root=${root:-/} "
}

judge_group() {
  group=$(entries group "$name")
  [ -n "$group" ] || return 0
  IFS=: read -r _ _ id members <<END
$group
END
  # The members of the list, and the users whose first group it is.
  firsts=$(entries passwd | awk -F: -v id="$id" -v name="$name" '$4 == id && $1 != name { print $1 }')
  others=$(echo "$members" | tr , '\n' | grep -v "^\($name\)*\$")
  all=$(echo $others $firsts)
  # A user who is renamed takes their own group along.
  if is_of_system "$id" && [ -z "$all" ] && [ -n "$isOwnUser" ]; then return; fi
  note "The group $name of this device (gid $id${all:+, with $all}) is not Steward's own."
  if [ -n "$user" ] && [ -n "$isOwnUser" ] && is_of_system "$id"; then
    for one in $others; do type_next "gpasswd ${root:+--root $root }--delete $one $name"; done
    for one in $firsts; do type_next "usermod ${root:+--prefix $root }--gid users $one"; done
  else
    take_name group "groupmod ${root:+--prefix $root }--new-name" "$name"
  fi
}

judge steward /var/lib/steward
judge steward-logs /
judge steward-upload /
[ -n "$found" ] || exit 0

note "Steward runs under these names: whoever else has them reads its password hashes and keys, and can make administrators."
# A version that did not look has left files of the state, and keys for the group.
if [ -z "$root" ] && [ -d /var/lib/steward ]; then
  if [ -n "$former" ]; then
    make steward /var/lib/steward
    type_next "chown -hR --from=$former steward /var/lib/steward*/"
    type_next "chown -hR --from=:$former :steward /var/lib/steward*/ /etc/steward/"
  fi
  if [ -e /usr/bin/steward ] || [ -e /usr/local/bin/steward ]; then
    typed="systemctl stop steward.service steward-backup.service 'steward-helper.*' 'steward-logs.*' 'systemd-journald*@steward.*'; $typed"
    type_next "systemctl start steward.service"
  fi
fi
printf '%s\n%s\n' "$found" "$typed"
