import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeSettings, consoleOf } from "../../lab/console/browser.ts";
import { assertFits, assertSound, rgb } from "../../lab/console/page-checks.ts";
import { accents } from "../../src/contract/console/accents.ts";

describe("the documents in a browser", () => {
  const { agent, browser } = consoleOf();

  it("fit each window, and are accessible by day and by night", async () => {
    const { page } = await browser.open(agent);
    // Pages with wide tables, long lines of code, and long lists.
    for (const name of ["index", "api", "metrics", "updates/publish", "host-file"]) {
      await page.goto(`/docs/${name}.html`);
      for (const width of [320, 640, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        await assertFits(page);
      }
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        for (const width of [390, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          await assertSound(page, `documents-${name.replace("/", "-")}-${width}-${colorScheme}`);
        }
      }
    }
  });

  it("have the colour of the device, in both schemes, another one at once, and the look that the person chose in the console", async () => {
    const { page } = await browser.open(agent);
    const looks = () =>
      page.evaluate(() => ({
        link: getComputedStyle(document.querySelector("main p a[href]") as Element).color,
        head: getComputedStyle(document.querySelector("body > header") as Element).borderTopColor,
        ground: getComputedStyle(document.body).backgroundColor,
      }));
    const grounds = ["rgb(255, 255, 255)", "rgb(20, 23, 28)"];
    for (const accent of ["teal", "brown"] as const) {
      await changeSettings(agent, { console: { accent } });
      await page.goto("/docs/clock.html");
      for (const [at, colorScheme] of (["light", "dark"] as const).entries()) {
        await page.emulateMedia({ colorScheme });
        const [link, head] = [rgb(accents[accent][at] ?? ""), rgb(accents[accent][at] ?? "")];
        assert.deepEqual(await looks(), { link, head, ground: grounds[at] }, `${accent}, ${colorScheme}`);
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.evaluate(() => localStorage.setItem("steward-theme", "dark"));
    await page.reload();
    assert.equal((await looks()).ground, grounds[1]);
  });
});
