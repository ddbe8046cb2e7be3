import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { consoleOf, signInByForm, untilFocused } from "../../lab/console/browser.ts";
import { stepTo } from "../../lab/console/page-checks.ts";
import { consolePaths } from "../../src/contract/schemas/console.ts";

const built = join(import.meta.dirname, "../../dist/console");

/** Takes from Chromium what Safari 16.4 has not (MDN browser-compat-data), and has no click give a button the keyboard. */
function asOlderSafari(): void {
  const lacking: readonly (readonly [object, readonly string[]])[] = [
    [AbortSignal, ["any"]],
    [HTMLElement.prototype, ["popover", "showPopover", "hidePopover", "togglePopover"]],
    [Promise, ["withResolvers", "try"]],
    [URL, ["canParse", "parse"]],
    [Object, ["groupBy"]],
    [Map, ["groupBy"]],
    [Set.prototype, ["union", "intersection", "difference", "isSubsetOf", "isSupersetOf", "isDisjointFrom"]],
    [globalThis, ["Iterator", "requestIdleCallback", "scheduler", "navigation"]],
    [Document.prototype, ["startViewTransition"]],
  ];
  for (const [place, names] of lacking) for (const name of names) Reflect.deleteProperty(place, name);
  const { setAttribute } = Element.prototype;
  Element.prototype.setAttribute = function (name, value) {
    if (name !== "popover") setAttribute.call(this, name, value);
  };
  const onPress = (event: Event): void => {
    if (!(event.target instanceof Element) || event.target.closest("button, a") === null) return;
    event.preventDefault();
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  };
  addEventListener("mousedown", onPress, true);
}

/** Each item of a menu is in the window, and nothing is above it. */
async function assertOpen(page: Page, opener: Locator): Promise<void> {
  await opener.click();
  const items = page.getByRole("menu").getByRole("menuitem");
  await untilFocused(items.first());
  const covered = await items.evaluateAll((all) =>
    all
      .filter((item) => {
        const { left, top, width, height } = item.getBoundingClientRect();
        return !item.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      })
      .map(({ textContent }) => textContent),
  );
  assert.deepEqual(covered, []);
}

describe("in Safari 16.4, the oldest that the build is for, the console", () => {
  const { agent, browser } = consoleOf();

  it("shows each page, opens menus and dialogs, and gives the keyboard back to the button that was clicked", async () => {
    const { page } = await browser.open(agent, { width: 390, height: 844 });
    await page.addInitScript(asOlderSafari);
    await signInByForm(page, "admin");
    for (const path of consolePaths) if (path !== "/setup") await stepTo(page, path);
    await stepTo(page, "/users");
    await assertOpen(page, page.getByRole("button", { name: "Actions for ana" }));
    await page.keyboard.press("Escape");
    const add = page.getByRole("button", { name: "Add user" });
    await add.click();
    await untilFocused(page.getByRole("dialog").getByLabel("User name"));
    await page.keyboard.press("Escape");
    await untilFocused(add);
    await assertOpen(page, page.getByRole("button", { name: /^Your account/ }));
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("User name").waitFor();
  });

  it("has its colours without light-dark(), which the build expands", () => {
    const files = readdirSync(join(built, "assets")).filter((name) => /\.(?:js|css)$/.test(name));
    assert.ok(
      files.some((name) => name.endsWith(".css")),
      "the documents' style",
    );
    for (const name of ["index.html", ...files.map((file) => `assets/${file}`)])
      assert.doesNotMatch(readFileSync(join(built, name), "utf8"), /light-dark\(/, name);
  });
});
