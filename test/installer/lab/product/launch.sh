#!/bin/sh
# launch RUN RELEASE: ends the pump that runs, if one does, starts the one of the release, and waits until it listens or has
# ended; for an activate of the host file.
run=$1
release=$2

await() {
  tries=0
  until "$@" || [ "$tries" -ge 300 ]; do
    sleep 0.01
    tries=$((tries + 1))
  done
}
gone() { ! kill -0 "$pid" 2>/dev/null; }
ready() { [ -e "$run/ready" ] || gone; }

if read -r pid 2>/dev/null <"$run/pid"; then
  kill -TERM "$pid" 2>/dev/null
  await gone
fi
[ -x "$release/serve" ] || {
  echo "launch: there is no pump in $release" >&2
  exit 1
}
rm -f "$run/ready"
setsid "$release/serve" "$run" </dev/null >>"$run/log" 2>&1 &
pid=$!
echo "$pid" >"$run/pid"
await ready
