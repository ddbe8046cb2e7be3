#!/bin/sh
# load RUN RELEASE: tells the engine to go by the rules of the release, if they can be read; for an activate of the host file.
# What it has loaded it keeps, wherever `current` leads from then on.
release=$(cd -P "$2" && pwd) || exit 1
grep -q '"version"' "$release/release.json" || {
  echo "load: $release/release.json holds no rules" >&2
  exit 1
}
printf '%s' "$release" >"$1/loaded.new"
mv "$1/loaded.new" "$1/loaded"
