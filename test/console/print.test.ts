import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { inflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { codeNear } from "../../lab/basics/authenticator.ts";
import { changeSettings, consoleOf, signIn, untilShown } from "../../lab/console/browser.ts";
import { isFirefox } from "../../lab/console/launch.ts";
import { assertFits, axe, picture, stepTo } from "../../lab/console/page-checks.ts";
import { consolePaths } from "../../src/contract/schemas/console.ts";

/** 64 characters without a blank: what would be markup, a compound, letters from right to left, an emoji. */
const badName = `<i>Straßenverkehrszulassungsordnung</i>شركة🏭${"x".repeat(18)}`;

/** The agents of tests listen on this machine only. */
const onlyHere = "The address of this page works only on this computer.";

describe("what is printed", () => {
  const { agent, browser } = consoleOf();
  before(async () => {
    await changeSettings(agent, { device: { name: badName } });
  });

  /** On paper as it is on A4: its text, and whether it is black on white in a dark browser. */
  const onPaper = async (page: Page): Promise<string> => {
    await page.emulateMedia({ media: "print" });
    // The paper of a label printer, between its margins, and A4.
    for (const width of [272, 794]) {
      await page.setViewportSize({ width, height: 1123 });
      await assertFits(page);
    }
    const text = await page.locator("body").innerText();
    const colours = await page
      .locator(".paper")
      .evaluate((paper) => [getComputedStyle(paper).color, getComputedStyle(document.body).backgroundColor]);
    assert.deepEqual(colours, ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
    return text;
  };

  it("is a sheet of the device: how it is reached and recognised", async () => {
    const page = await browser.signedIn(agent, "readonly", "/system/device", { scheme: "dark" });
    await page.getByRole("button", { name: "Device sheet" }).click();
    await untilShown(page.getByText(onlyHere));
    assert.equal(await page.getByRole("img").count(), 0, "a code that leads each phone to itself");
    assert.deepEqual(await axe(page), []);
    await picture(page, "device-sheet-dark");
    const text = await onPaper(page);
    const { json } = await agent.call("GET", "/api/version", { local: true });
    for (const word of [badName, onlyHere, json.device_id, "not installed"])
      assert.ok(text.includes(word), `${word} is missing:\n${text}`);
    assert.doesNotMatch(text, /Sign out|Updates\n|Manage|Print|Maker/);
    await picture(page, "device-sheet-paper");
    // WebKit prints as much of a dialog as its own box holds, which must not go by the page beneath.
    await page.setViewportSize({ width: 794, height: 200 });
    const [dialog, sheet] = await page
      .locator("dialog[open], .paper")
      .evaluateAll((both) => both.map((one) => one.getBoundingClientRect().bottom));
    assert.ok(
      sheet !== undefined && dialog !== undefined && sheet > 200 && dialog >= sheet,
      `${dialog} holds ${sheet}`,
    );
  });

  it("is that sheet at the end of the first run, without the steps before it", async () => {
    const page = await browser.signedIn(agent, "admin", "/setup?step=done", { scheme: "dark" });
    await untilShown(page.getByText(onlyHere));
    assert.equal(await page.getByRole("img").count(), 0, "a code that leads each phone to itself");
    assert.deepEqual(await axe(page), []);
    await picture(page, "setup-done-dark");
    const text = await onPaper(page);
    for (const word of [badName, onlyHere, "none: HTTPS is off"])
      assert.ok(text.includes(word), `${word} is missing:\n${text}`);
    assert.doesNotMatch(text, /Set up this device|Second factor|Go to Home|Print/);
    await picture(page, "setup-done-paper");
  });

  it("is any page without what one can only click on, black on white also in the dark look", async () => {
    const { page } = await browser.open(agent);
    await page.addInitScript(() => {
      // Firefox runs it in the empty page before, which has no storage.
      if (origin !== "null") localStorage.setItem("steward-theme", "dark");
    });
    await signIn(page, "admin", "/account");
    await page.setViewportSize({ width: 794, height: 1123 });
    for (const path of consolePaths) {
      if (path === "/setup") continue;
      await page.emulateMedia({ media: "screen" });
      await stepTo(page, path);
      await page.emulateMedia({ media: "print" });
      await assertFits(page);
      const seen = await page.evaluate(() => {
        // The field of the time zone has a fact of the device in it.
        const lists = "[role=combobox]:not(.machine-names *)";
        const all = document.querySelectorAll(`.button, nav, .filters, .save-bar, ${lists}, td .menu`);
        const { color, backgroundColor } = getComputedStyle(document.body);
        return {
          head: document.querySelector("h1")?.checkVisibility(),
          useless: [...all].filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 100)),
          colours: [color, backgroundColor],
          cut: [...document.querySelectorAll(".log")].filter((one) => one.scrollHeight > one.clientHeight + 2)
            .length,
        };
      });
      const colours = ["rgb(0, 0, 0)", "rgb(255, 255, 255)"];
      assert.deepEqual(seen, { head: true, useless: [], colours, cut: 0 }, path);
      await picture(page, `paper${path.replaceAll("/", "-")}`);
    }
  });

  it("is Home from the first page on", async () => {
    const page = await browser.signedIn(agent, "admin");
    await untilShown(page.locator(".latest > li").first());
    // Playwright gives Firefox inches as if they were centimetres.
    const unit = isFirefox ? "in" : "cm";
    const a4 = { width: `21${unit}`, height: `29.7${unit}` };
    const first = textsIn(await page.pdf({ ...a4, pageRanges: "1" }));
    const all = textsIn(await page.pdf(a4));
    assert.ok(first > all / 2, `${first} of ${all} texts are on the first page`);
  });

  it("is a sheet of recovery codes: whose, of which device, from when, and how they are used", async () => {
    const page = await browser.signedIn(agent, "admin", "/setup?step=factor", { scheme: "dark" });
    const secret = (await page.locator(".secret pre").innerText()).replaceAll(" ", "");
    await page.getByLabel("Code", { exact: true }).fill(codeNear(secret, 0));
    const enable = page.getByRole("button", { name: "Switch on" });
    await enable.click();
    // No server is asked for the time here.
    await page.getByLabel("Switch it on although").check();
    await page.getByLabel("Code", { exact: true }).fill(codeNear(secret, 0));
    await enable.click();
    await untilShown(page.getByLabel("I have kept them"));
    const text = await onPaper(page);
    assert.equal(text.match(/^[a-z0-9]+(-[a-z0-9]+)+$/gim)?.length, 10, text);
    assert.ok(text.includes(`Recovery codes for root-admin on ${badName}`), text);
    assert.match(text, /Keep this sheet locked away/);
    assert.doesNotMatch(text, /Set up this device|Done|Copy/);
    await picture(page, "recovery-codes-paper");
  });
});

/** Counts the pieces of text on the pages of a PDF: operators in streams that are compressed. */
function textsIn(pdf: Buffer): number {
  const heads = pdf.toString("latin1").matchAll(/\/FlateDecode[^>]*>>\s*stream\r?\n/g);
  return [...heads].reduce((count, { 0: head, index }) => {
    const stream = inflateSync(pdf.subarray(index + head.length)).toString("latin1");
    return count + (stream.match(/[>)\]]\s*T[jJ]\b/g)?.length ?? 0);
  }, 0);
}
