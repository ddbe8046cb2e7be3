import type { Page } from "playwright-core";

/**
 * Has the page lay itself out at each step of an exchange of elements. WebKit does something like it: a size container is
 * laid out once before what is new in it has a box. Where the page is lower for that moment, it is scrolled.
 */
export async function layOutEarly(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { remove } = Element.prototype;
    Element.prototype.remove = function () {
      remove.call(this);
      document.documentElement.getBoundingClientRect();
    };
  });
}
