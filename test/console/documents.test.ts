import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeSettings, consoleOf, signIn } from "../../lab/console/browser.ts";
import { assertFits, axe, picture, rgb, stepTo } from "../../lab/console/page-checks.ts";
import { accents } from "../../src/contract/console/accents.ts";
import { consolePaths } from "../../src/contract/schemas/console.ts";

/** Pages with wide tables, long lines of code, and long lists. */
const varied = ["index", "api", "metrics", "updates/publish", "host-file"];

describe("the documents in a browser", () => {
  const { agent, browser } = consoleOf();

  it("fit each window, and are accessible by day and by night", async () => {
    const { page } = await browser.open(agent);
    for (const name of varied) {
      await page.goto(`/docs/${name}.html`);
      for (const width of [320, 390, 640, 1440, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        await assertFits(page);
      }
      for (const scheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        for (const width of [390, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          assert.deepEqual(await axe(page), [], `${name} ${scheme}`);
          await picture(page, `documents-${name.replace("/", "-")}-${width}-${scheme}`);
        }
      }
    }
  });

  it("follow the look that the person chose in the console", async () => {
    const { page } = await browser.open(agent);
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto("/docs/index.html");
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(), "rgb(255, 255, 255)");
    await page.evaluate(() => localStorage.setItem("steward-theme", "dark"));
    await page.reload();
    assert.equal(await ground(), "rgb(20, 23, 28)");
  });

  it("have the colour of the device in their links and over their head, in both schemes, and another one at once", async () => {
    const { page } = await browser.open(agent);
    for (const accent of ["teal", "brown"] as const) {
      await changeSettings(agent, { console: { accent } });
      await page.goto("/docs/clock.html");
      for (const [at, colorScheme] of (["light", "dark"] as const).entries()) {
        await page.emulateMedia({ colorScheme });
        const colours = await page.evaluate(() => [
          getComputedStyle(document.querySelector("main p a[href]") as Element).color,
          getComputedStyle(document.querySelector("body > header") as Element).borderTopColor,
        ]);
        const expected = rgb(accents[accent][at] ?? "");
        assert.deepEqual(colours, [expected, expected], `${accent}, ${colorScheme}`);
        await picture(page, `documents-${accent}-${colorScheme}`);
      }
    }
  });

  it("open beside each page of the console, the one about it first, then what programs need", async () => {
    const { page, context } = await browser.open(agent);
    await signIn(page, "admin");
    const foot = page.locator("footer");
    for (const path of consolePaths.filter((one) => one !== "/setup")) {
      await stepTo(page, path);
      const links = await foot
        .getByRole("link")
        .evaluateAll((all) => all.map((one) => one.getAttribute("href")));
      assert.deepEqual(links.slice(1), ["/docs/api.html", "/api/openapi.json", "/docs/metrics.html"], path);
      for (const link of links)
        assert.equal((await fetch(`${agent.url}${link}`)).status, 200, `${path}: ${link}`);
    }
    await stepTo(page, "/system/settings");
    const opened = context.waitForEvent("page");
    await foot.getByRole("link", { name: "Help with this page" }).press("Enter");
    await (await opened).getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/system/settings");
  });
});
