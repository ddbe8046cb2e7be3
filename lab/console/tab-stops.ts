import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { comeBack } from "./firefox.ts";
import { isFirefox } from "./launch.ts";

/** Steps of the Tab key, beyond which a page has no end. */
const mostSteps = 200;

/** The elements that took the keyboard, one after another, and those of which nothing could be seen. */
export interface TabStops {
  readonly count: number;
  readonly hidden: readonly string[];
}

/** Goes once through all of the page, or of the dialog that is open, from its one end, and looks at what has the keyboard. */
export async function tabStops(page: Page, key: "Tab" | "Shift+Tab"): Promise<TabStops> {
  await page.evaluate(goToEnd, key === "Tab");
  const hidden: string[] = [];
  for (let count = 0; count < mostSteps; count += 1) {
    const said = await page.evaluate(hiddenFocus);
    if (said === null) {
      if (isFirefox) await comeBack(page);
      return { count, hidden };
    }
    if (said !== "") hidden.push(said);
    await page.keyboard.press(key);
  }
  assert.fail(`${key} does not come round in ${mostSteps} steps`);
}

/** In the page: puts the keyboard on what Tab comes to first, or last. */
function goToEnd(isFirst: boolean): void {
  const root = document.querySelector("dialog[open]") ?? document;
  const all = [...root.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary")];
  // A box that scrolls takes the keyboard too.
  for (const one of document.querySelectorAll<HTMLElement>("[data-stop]")) delete one.dataset.stop;
  const reached = all.filter((one) => one.tabIndex === 0 && one.checkVisibility());
  reached.at(isFirst ? 0 : -1)?.focus();
}

/** In the page: empty where some of what has the keyboard can be seen; null: it had it before, or nothing has it. */
function hiddenFocus(): string | null {
  const focused = document.activeElement as HTMLElement | null;
  if (focused === null || focused === document.body || focused.dataset.stop !== undefined) return null;
  focused.dataset.stop = "";
  const parts = [0.02, 0.25, 0.5, 0.75, 0.98];
  const labels = [...((focused as HTMLInputElement).labels ?? [])];
  for (const { left, top, width, height } of focused.getClientRects())
    for (const x of parts)
      for (const y of parts) {
        const there = document.elementFromPoint(left + x * width, top + y * height);
        if ([focused, ...labels].some((one) => one.contains(there))) return "";
      }
  const { top, bottom } = focused.getBoundingClientRect();
  const place = `${Math.round(top)} to ${Math.round(bottom)} of ${innerHeight}`;
  return `${location.pathname} at ${place}: ${focused.outerHTML.slice(0, 160)}`;
}
