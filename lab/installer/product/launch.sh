#!/bin/sh
# launch RUN RELEASE: ends the pump that runs, if one does, starts the one of the release, and waits until it says that it
# listens, or has ended; for an activate of the host file.
run=$1
release=$2

# A pump holds this lock until it has ended: its process may be seen for longer than that.
exec 9>>"$run/lock"
if read -r pid 2>/dev/null <"$run/pid"; then kill -TERM "$pid" 2>/dev/null; fi
flock --timeout 3 9
[ -x "$release/serve" ] || {
  echo "launch: there is no pump in $release" >&2
  exit 1
}
rm -f "$run/ready"
mkfifo "$run/ready"
READY=3 setsid "$release/serve" "$run" </dev/null >>"$run/log" 2>&1 3>"$run/ready" &
echo "$!" >"$run/pid"
# Without a line it has ended.
read -r _ <"$run/ready"
rm "$run/ready"
