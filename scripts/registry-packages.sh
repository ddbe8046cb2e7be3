#!/bin/sh
# Fetches packages from the npm registry into .cache/NAME once, for targets that `make test` does not need:
# registry-packages.sh NAME PACKAGE@VERSION…. Prints the folder whose node_modules has them.
set -eu

cd "$(dirname "$0")/.."
# Another version is another folder.
directory=$PWD/.cache/$1-$(echo "$*" | cksum | cut -d' ' -f1)
shift
if [ ! -d "$directory" ]; then
  mkdir -p .cache
  part=$(mktemp -d ".cache/packages-XXXXXX")
  trap 'rm -rf "$part"' EXIT
  # scripts/run-tests.sh sets it, and keeps the certificates from the tests themselves.
  [ -z "${STEWARD_NPM_CA_CERTS:-}" ] || export NODE_EXTRA_CA_CERTS="$STEWARD_NPM_CA_CERTS"
  echo '{"private": true}' >"$part/package.json"
  npm install --prefix "$part" --no-save --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error "$@" >&2
  # Two callers at once: one of them is the first, and both have the same.
  mv -T "$part" "$directory" 2>/dev/null || [ -d "$directory" ]
fi
echo "$directory"
