import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { isFirefox } from "../launch.ts";

/** Steps of the Tab key, beyond which something cannot be reached by it. */
const mostSteps = 80;

/**
 * Goes on with Tab until this has the keyboard, and sees where it is: it is in the window, with a line round it. Behind the
 * last of the page come Firefox's own bars: what is at its head is reached by going back.
 */
export async function tabTo(target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const page = target.page();
  for (let step = 0; step < mostSteps; step += 1) {
    if (await hasKeyboard(target)) return assertSeen(target);
    await page.keyboard.press(key);
  }
  assert.fail(`${key} does not lead to ${target}, but at last to ${await focused(page)}`);
}

/** With a finger; Firefox on a computer makes no click of a touch, so it is clicked there. */
export async function touch(target: Locator): Promise<void> {
  await (isFirefox ? target.click() : target.tap());
}

async function hasKeyboard(target: Locator): Promise<boolean> {
  return (await target.and(target.page().locator(":focus")).count()) > 0;
}

/** As a person needs it who sees and does not point. */
async function assertSeen(target: Locator): Promise<void> {
  const seen = await target.evaluate((element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const isInside = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    const isOutlined = outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0;
    return { isInside, isMarked: isOutlined || boxShadow !== "none" };
  });
  assert.deepEqual(seen, { isInside: true, isMarked: true }, `${target} has the keyboard`);
}

async function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200) ?? "nothing");
}
