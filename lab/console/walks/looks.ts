import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { counted } from "../../basics/counts.ts";
import { isFirefox, type Scheme } from "../launch.ts";
import { assertFits, axe, brokenText, smallTargets } from "../page-checks.ts";

interface Look {
  /** CSS pixels; 640 and 720 are windows of 1280 and 1440 at a zoom of 200 %. */
  readonly width: number;
  readonly scheme: Scheme;
  readonly forcedColors: "active" | "none";
}

const phoneWidth = 360;
const usualWidths = [320, phoneWidth, 640, 720, 1280, 1440];
const widths = counted({ usual: usualWidths, all: [...usualWidths, 768] });

const every: readonly Look[] = widths.flatMap((width) =>
  (["light", "dark"] as const).flatMap((scheme) =>
    (["none", "active"] as const).map((forcedColors) => ({ width, scheme, forcedColors })),
  ),
);

/** Each width, scheme and kind of colours, and each two of them together, once; the states of a walk take turns. */
const turns: readonly Look[] = [
  { width: 320, scheme: "dark", forcedColors: "none" },
  { width: 1280, scheme: "light", forcedColors: "active" },
  { width: 360, scheme: "light", forcedColors: "none" },
  { width: 640, scheme: "dark", forcedColors: "active" },
  { width: 1440, scheme: "dark", forcedColors: "none" },
  { width: 320, scheme: "light", forcedColors: "active" },
  { width: 720, scheme: "light", forcedColors: "none" },
  { width: 1280, scheme: "dark", forcedColors: "none" },
  { width: 360, scheme: "dark", forcedColors: "active" },
  { width: 640, scheme: "light", forcedColors: "none" },
  { width: 1440, scheme: "light", forcedColors: "active" },
  { width: 720, scheme: "dark", forcedColors: "active" },
];

let turn = 0;

/** In which widths a state is read: in every other one, by turns, in `make test-all` in each. */
function readWidths(): readonly number[] {
  return counted({ usual: usualWidths.filter((_, index) => index % 2 === turn % 2), all: widths });
}

/** In which looks axe-core is asked: one every other state, in `make test-all` each; in Firefox one. */
function asked(): readonly Look[] {
  const next = turns[(turn >> 1) % turns.length] as Look;
  turn += 1;
  if (isFirefox) return [next];
  return counted({ usual: turn % 2 === 1 ? [next] : [], all: every });
}

/**
 * The page as it is now: it fits the widths, no word is divided, and in the looks axe-core finds nothing. It is the
 * same visit, and afterwards the window is as it was.
 */
export async function assertEveryLook(page: Page, state: string, scheme: Scheme = "light"): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  const found: string[] = [];
  if (await page.evaluate(() => matchMedia("(pointer: coarse)").matches)) {
    await page.setViewportSize({ ...size, width: phoneWidth });
    found.push(...(await smallTargets(page)));
  }
  for (const width of readWidths()) {
    await page.setViewportSize({ ...size, width });
    await assertFits(page);
    found.push(...(await brokenText(page)).map((one) => `${width}: ${one}`));
  }
  assert.deepEqual(found, [], `${state}: text and targets`);
  for (const { width, forcedColors, scheme: colorScheme } of asked()) {
    await page.setViewportSize({ ...size, width });
    await page.emulateMedia({ colorScheme, forcedColors });
    // Forced colours are the person's own; axe-core reads one of them that Chromium does not report as forced.
    const without = forcedColors === "active" ? ["color-contrast"] : [];
    const about = `${state}: ${width}, ${colorScheme}, forced colours ${forcedColors}`;
    assert.deepEqual(await axe(page, without), [], about);
  }
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: scheme, forcedColors: "none" });
}
