/** Light modules around the code, ISO/IEC 18004 §9.1: without them scanners do not find it on a dark page. */
const quietModules = 4;

/** Explicit black on white, not the terminal's own colours: scanners want dark on light, and themes are either. */
const blackOnWhite = "\u001b[30;47m";
const colourReset = "\u001b[0m";

/** A QR code as SVG, one unit a module, dark on white; it fills its container. Throws RangeError above 2,953 bytes. */
export async function qrSvg(text: string): Promise<string> {
  const rows = await modulesOf(text);
  const size = rows.length;
  const dark = rows.flatMap((row, y) =>
    darkRuns(row).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`),
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path fill="#000" d="${dark.join("")}"/></svg>`
  );
}

/**
 * A QR code as lines of half blocks, two modules a character. Without colour the background is unknown: light modules
 * are then drawn as blocks, which is right for light text on a dark background, as on consoles and serial lines, and
 * inverted elsewhere. A caller that prints it must therefore print the secret as text too. Throws RangeError for more
 * than 2,953 bytes. `hasColour`: true for a terminal, where escape codes make it black on white under any theme; false
 * for a pipe or a file.
 */
export async function qrTerminal(text: string, { hasColour }: { hasColour: boolean }): Promise<string[]> {
  const rows = await modulesOf(text);
  const lines: string[] = [];
  for (let y = 0; y < rows.length; y += 2) {
    // The number of rows is odd; the row missing below the last one is as light as the quiet zone.
    const [upper = [], lower = []] = [rows[y], rows[y + 1]];
    const line = upper.map((isDark, x) => halfBlock(isDark === hasColour, (lower[x] ?? false) === hasColour));
    lines.push(hasColour ? `${blackOnWhite}${line.join("")}${colourReset}` : line.join(""));
  }
  return lines;
}

function halfBlock(isUpperDrawn: boolean, isLowerDrawn: boolean): string {
  if (isUpperDrawn) return isLowerDrawn ? "█" : "▀";
  return isLowerDrawn ? "▄" : " ";
}

/** Rows of modules, true is dark, with the quiet zone. */
async function modulesOf(text: string): Promise<boolean[][]> {
  // Loaded at the first use, so that an idle agent does not hold it.
  const { encode } = await import("uqr");
  // The least correction makes the largest modules: a screen has no scratches.
  return encode(text, { ecc: "L", border: quietModules }).data;
}

/** Start and width of each run of dark modules. */
function darkRuns(row: readonly boolean[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const [x, isDark] of row.entries()) {
    const last = runs.at(-1);
    if (!isDark) continue;
    if (last && last[0] + last[1] === x) last[1] += 1;
    else runs.push([x, 1]);
  }
  return runs;
}
