#!/bin/sh
# Prints the directory with StrykerJS's instrumenter, after fetching it from the npm registry into .cache once.
set -eu

version=9.6.1
directory=$PWD/.cache/instrumenter-$version
if [ ! -d "$directory/node_modules/@stryker-mutator/instrumenter" ]; then
  mkdir -p "$directory"
  echo '{"private": true}' >"$directory/package.json"
  npm install --prefix "$directory" --no-save --ignore-scripts --no-progress --loglevel=error \
    "@stryker-mutator/instrumenter@$version" >&2
fi
echo "$directory"
