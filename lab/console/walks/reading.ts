import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { whole } from "../page-checks.ts";

/**
 * A page as a screen reader offers it: one head, one content, named navigations, one heading of the first level, and no
 * level left out.
 */
export async function assertOrdered(page: Page): Promise<void> {
  await whole(page);
  for (const landmark of ["banner", "main"] as const) {
    assert.equal(await page.getByRole(landmark).count(), 1, `${landmark} of ${page.url()}`);
  }
  const names = await page
    .getByRole("navigation")
    .evaluateAll((navigations) => navigations.map((one) => one.getAttribute("aria-label") ?? ""));
  assert.ok(
    names.length > 0 && !names.includes("") && new Set(names).size === names.length,
    names.join(", "),
  );
  const levels = await page
    .getByRole("heading")
    .evaluateAll((headings) => headings.map(({ tagName }) => Number(tagName.slice(1))));
  assert.equal(levels.filter((level) => level === 1).length, 1, `first headings of ${page.url()}`);
  levels.forEach((level, index) => {
    assert.ok(level - (levels[index - 1] ?? 0) <= 1, `${page.url()} has the levels ${levels.join(" ")}`);
  });
  const unnamed = (await page.locator("body").ariaSnapshot()).match(/^\s*- (button|link|textbox|img)$/gm);
  assert.equal(unnamed, null, `${page.url()} has what has no name`);
}

/** Everything that a colour marks has a word too. */
export async function assertWords(page: Page): Promise<void> {
  const wordless = await page
    .locator(".badge, .banner, .error, .dot, [data-state]")
    .evaluateAll((marked) =>
      marked
        .filter((one) => !(one.textContent || one.getAttribute("aria-label"))?.trim())
        .map((one) => one.outerHTML),
    );
  assert.deepEqual(wordless, [], `${page.url()} says by colour alone`);
}
