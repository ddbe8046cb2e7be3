#!/bin/sh
# Runs test files on a runtime: run-tests.sh NODE FILE…; ends with the test runner's summary.
set -eu

node=$1
shift
directory=$(dirname "$(command -v "$node")")
PATH=$directory:$PATH
export PATH
echo "node $("$node" --version)"
exec "$node" --import tsx --test --test-concurrency=3 --test-timeout=300000 --test-reporter=spec "$@"
