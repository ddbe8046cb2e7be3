import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** The page cannot be scrolled sideways. */
export async function assertFits(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth] as const;
  });
  assert.ok(content <= window, `${page.url()} is ${content} pixels wide in a window of ${window}`);
}

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What axe-core finds in the page as it is now, a line each. */
export async function axe(page: Page): Promise<string[]> {
  // Run by the debugger, which the page's policy does not bind.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(readFileSync(axeFile, "utf8"));
  const violations = await page.evaluate(async () => {
    interface Finding {
      id: string;
      nodes: { html: string; failureSummary?: string }[];
    }
    type Run = (options: object) => Promise<{ violations: Finding[] }>;
    const { axe: checker } = globalThis as unknown as { axe: { run: Run } };
    return (await checker.run({ resultTypes: ["violations"] })).violations;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ""}`),
  );
}

const pictures = join(import.meta.dirname, "../../var/screenshots");

/** Keeps a picture of the page under var/screenshots, in `make screenshots`. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env.STEWARD_SCREENSHOTS !== "1") return;
  mkdirSync(pictures, { recursive: true });
  const path = join(pictures, `${name}.png`);
  const size = page.viewportSize();
  if (size === null || size.width > 640) return void (await page.screenshot({ path, fullPage: true }));
  // A phone's bar stands at the foot of the window: so the window is made as high as the page, a dialog's is left.
  const height = await page.evaluate(() =>
    document.querySelector("dialog[open]") ? innerHeight : document.documentElement.scrollHeight,
  );
  await page.setViewportSize({ ...size, height });
  await page.screenshot({ path });
  await page.setViewportSize(size);
}
