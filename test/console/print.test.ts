import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { inflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { codeNear } from "../../lab/basics/authenticator.ts";
import { changeSettings, consoleOf, untilShown } from "../../lab/console/browser.ts";
import { isFirefox } from "../../lab/console/launch.ts";
import { assertFits, assertSound, picture } from "../../lab/console/page-checks.ts";

/** 64 characters without a blank: what would be markup, a compound, letters from right to left, an emoji. */
const badName = `<i>Straßenverkehrszulassungsordnung</i>شركة🏭${"x".repeat(18)}`;

/** The agents of tests listen on this machine only. */
const onlyHere = "Only on this computer: HTTPS is off (System, This device)";

describe("what is printed", () => {
  const { agent, browser } = consoleOf();
  before(() => changeSettings(agent, { device: { name: badName } }));

  const open = (path: string): Promise<Page> => browser.signedIn(agent, "admin", path, { scheme: "dark" });

  /** On paper of a label printer, between its margins, and on A4: black on white in a dark browser, with these words. */
  const assertOnPaper = async (page: Page, words: readonly string[], none: RegExp): Promise<string> => {
    await page.emulateMedia({ media: "print" });
    for (const width of [272, 794]) {
      await page.setViewportSize({ width, height: 1123 });
      await assertFits(page);
    }
    const text = await page.locator("body").innerText();
    const colours = await page
      .locator(".paper")
      .evaluate((paper) => [getComputedStyle(paper).color, getComputedStyle(document.body).backgroundColor]);
    assert.deepEqual(colours, ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
    for (const word of words) assert.ok(text.includes(word), `${word} is missing:\n${text}`);
    assert.doesNotMatch(text, none);
    return text;
  };

  it("is a sheet of the device: how it is reached and recognised", async () => {
    const { device_id } = await agent.read("/api/version");
    for (const [path, words, none] of [
      ["/system/device?open=sheet", [device_id], /Sign out|Updates\n|Manage|Print|Maker|Root of trust/],
      ["/setup?step=done", ["none: HTTPS is off"], /Set up this device|Second factor|Go to Home|Print/],
    ] as const) {
      const page = await open(path);
      await untilShown(page.getByText(onlyHere));
      assert.equal(await page.getByRole("img").count(), 0, "a code that leads each phone to itself");
      await assertSound(page, path.startsWith("/setup") ? "setup-done-dark" : "device-sheet-dark");
      await assertOnPaper(page, [badName, onlyHere, "_".repeat(24), ...words], none);
      await picture(page, path.startsWith("/setup") ? "setup-done-paper" : "device-sheet-paper");
      if (path.startsWith("/setup")) continue;
      // WebKit prints as much of a dialog as its own box holds, which must not go by the page beneath.
      await page.setViewportSize({ width: 794, height: 200 });
      const [dialog = 0, sheet = 0] = await page
        .locator("dialog[open], .paper")
        .evaluateAll((both) => both.map((one) => one.getBoundingClientRect().bottom));
      assert.ok(sheet > 200 && dialog >= sheet, `${dialog} holds ${sheet}`);
    }
  });

  it("has the root of trust on the sheet of the device only once an administrator has compared it", async () => {
    const page = await open("/");
    let confirmed = false;
    await page.route("**/api/updates", async (route) => {
      const response = await route.fetch();
      const updates = await response.json();
      const trust = { ...updates.trust, installed: true, fingerprint: "89ab".repeat(16), confirmed };
      await route.fulfill({ response, json: { ...updates, trust } });
    });
    for (confirmed of [false, true]) {
      await page.goto(`${agent.url}/system/device?open=sheet`);
      await untilShown(page.getByText(onlyHere));
      const isNamed = (await page.locator(".paper").innerText()).includes(Array(16).fill("89ab").join(" "));
      assert.equal(isNamed, confirmed);
    }
  });

  it("is Home from the first page on", async () => {
    const page = await open("/");
    await untilShown(page.locator(".latest > li").first());
    // Playwright gives Firefox inches as if they were centimetres.
    const unit = isFirefox ? "in" : "cm";
    const a4 = { width: `21${unit}`, height: `29.7${unit}` };
    const first = textsIn(await page.pdf({ ...a4, pageRanges: "1" }));
    const all = textsIn(await page.pdf(a4));
    assert.ok(first > all / 2, `${first} of ${all} texts are on the first page`);
  });

  it("is a sheet of recovery codes: whose, of which device, from when, and how they are used", async () => {
    const page = await open("/setup?step=factor");
    const secret = (await page.locator(".secret pre").innerText()).replaceAll(" ", "");
    const code = page.getByLabel("Code", { exact: true });
    const enable = page.getByRole("button", { name: "Switch on" });
    await code.fill(codeNear(secret, 0));
    await enable.click();
    // No server is asked for the time here.
    await page.getByLabel("Switch it on even though").check();
    await code.fill(codeNear(secret, 0));
    await enable.click();
    await untilShown(page.getByLabel("I have saved these codes"));
    const words = [`Recovery codes for root-admin on ${badName}`, "Keep this sheet locked away"];
    const text = await assertOnPaper(page, words, /Set up this device|Done|Copy/);
    assert.equal(text.match(/^[a-z0-9]+(-[a-z0-9]+)+$/gim)?.length, 10, text);
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
