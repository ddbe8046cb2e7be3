#!/bin/sh
# reproduce.sh: builds the packages of the last commit a second time, in another directory, time zone, language and umask,
# and compares them with those in dist-packages/, byte by byte.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
if ! git -C "$here" diff --quiet HEAD; then
  echo "reproduce: commit what you have changed: the second build is of the last commit" >&2
  exit 1
fi
git clone --quiet "$here" "$directory/another-place"
cd "$directory/another-place"
npm ci --ignore-scripts --no-progress --loglevel=error
export TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 LANG=C.UTF-8
umask 077
node --import tsx scripts/package/main.ts "$@"
for file in dist-packages/*.deb; do
  cmp "$file" "$here/$file"
  echo "the same bytes: $(sha256sum "$file")"
done
