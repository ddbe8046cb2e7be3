#!/bin/sh
# Runs test files on a runtime: run-tests.sh NODE FILE…; ends with the test runner's summary.
set -eu

node=$1
shift
directory=$(dirname "$(command -v "$node")")
PATH=$directory:$PATH
export PATH
# As the units have it: with these each of the many starts of Node reads all of the system's certificates first, which
# takes longer than the rest of the start. Only npm may need them, when a test fetches a package from the registry.
export STEWARD_NPM_CA_CERTS="${NODE_EXTRA_CA_CERTS:-}"
unset NODE_EXTRA_CA_CERTS
version=$("$node" --version)
echo "node $version"
# A folder for each runtime, so that two of them can be tried at once.
tests=.cache/tests-$version
node_modules/.bin/esbuild scripts/test-runner/main.ts --outfile="$tests.mjs" \
  --bundle --packages=external --format=esm --platform=node --target=node20 --log-level=warning
# The process of each file is given these as well. It lives for seconds, on processors that others wait for: V8 is to let
# young objects fill 16 MiB before it looks which of them live, to look with one thread, and to optimize what runs ten
# times as long as it asks for elsewhere, in the main thread: a process does not end before V8's threads have, and glibc
# before 2.41 may lose the signal that wakes them (its bug 25847). Node 24 has no option for how long.
options="--min-semi-space-size=16 --single-threaded-gc --no-concurrent-recompilation"
if "$node" --v8-options | grep -q -- "--interrupt-budget "; then options="$options --interrupt-budget=1000000"; fi
# shellcheck disable=SC2086 -- one word an option
exec "$node" $options "$tests.mjs" "$tests" "$@"
