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

/** Words that English texts are full of and German ones have not, neither as words nor as names. */
const english = /\b(?:a|the|and|is|are|not|you|your|with|of|for|this|that|by|to|has|have)\b/i.source;

/** A German page in German, with its titles and labels. Commands, lines of the log and what is marked as English are not its text. */
export async function assertGerman(page: Page): Promise<void> {
  await whole(page);
  const found = await page.evaluate((pattern) => {
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    while (walker.nextNode()) {
      const { currentNode: node } = walker;
      const element = node instanceof Element ? node : node.parentElement;
      if (!element?.checkVisibility() || element.closest("[lang=en], code, pre, .log")) continue;
      if (!(node instanceof Element)) texts.push(node.textContent ?? "");
      else
        for (const name of ["title", "aria-label", "placeholder", "alt"])
          texts.push(node.getAttribute(name) ?? "");
    }
    return texts.filter((text) => new RegExp(pattern, "i").test(text));
  }, english);
  assert.deepEqual(found, [], `${page.url()} has English on a German page`);
}
