#!/bin/sh
# Draws the console's icons for phones from its icon.svg: on white, with the margin that a phone may cut off.
# They are kept with the sources, for a build has no program that draws. Needs rsvg-convert (Debian: librsvg2-bin).
set -eu
cd "$(dirname "$0")/../src/console"
drawing=$(mktemp --suffix=.svg)
trap 'rm -f "$drawing"' EXIT
sed 's|viewBox="0 0 32 32">|viewBox="-4 -4 40 40"><rect x="-4" y="-4" width="40" height="40" fill="#fff"/>|' icon.svg >"$drawing"
for size in 192 512; do
  rsvg-convert --width "$size" --height "$size" --output "icons/icon-$size.png" "$drawing"
done
rsvg-convert --width 180 --height 180 --output icons/apple-touch-icon.png "$drawing"
