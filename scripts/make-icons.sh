#!/bin/sh
# Draws the console's icons for phones from its icon.svg, with the margin that a phone may cut off: black on white, in
# grey, which the agent shows in the colour of the device (src/http/wire/coloured-files.ts).
# They are kept with the sources, for a build has no program that draws. Needs rsvg-convert (Debian: librsvg2-bin) and
# pnmtopng (netpbm), whose -force keeps a byte for each pixel.
set -eu
cd "$(dirname "$0")/../src/console"
drawing=$(mktemp --suffix=.svg)
trap 'rm -f "$drawing"' EXIT
margin='viewBox="-4 -4 40 40"><rect x="-4" y="-4" width="40" height="40" fill="#fff"/>'
sed "s|viewBox=\"0 0 32 32\">|$margin|; s|#1d5bb8|#000|" icon.svg >"$drawing"
draw() {
  rsvg-convert --width "$2" --height "$2" "$drawing" | pngtopnm | ppmtopgm | pnmtopng -force -compression 9 >"icons/$1.png"
}
draw icon-192 192
draw icon-512 512
draw apple-touch-icon 180
