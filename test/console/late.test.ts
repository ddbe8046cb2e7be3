import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { consoleOf, press, sees, signIn, untilShown } from "../../lab/console/browser.ts";
import { assertSound, holdAnswers } from "../../lab/console/page-checks.ts";

describe("a page that waits", () => {
  const { agent, browser } = consoleOf();

  const late = (page: Page) => page.getByRole("dialog", { name: "The device has not answered yet" });
  const gone = (page: Page) => late(page).waitFor({ state: "detached" });

  it("asks about a change without an answer: to wait for it, or to look, and sends it once", async () => {
    const { page } = await browser.open(agent, { now: Date.now(), width: 390, height: 844 });
    await signIn(page, "operator", "/account?open=you");
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "PUT") sent += 1;
    });
    const name = page.getByLabel("Display name");
    const change = async (to: string) => {
      await name.fill(to);
      const letGo = await holdAnswers(page, "**/api/users/*", 1);
      const asked = page.waitForRequest("**/api/users/*");
      await page.getByRole("button", { name: "Save" }).first().click();
      await asked;
      await page.clock.runFor(20_000);
      await untilShown(late(page));
      return letGo;
    };
    const letGo = await change("Ana");
    await assertSound(page, "late-phone");
    await press(late(page), "Keep waiting");
    await gone(page);
    await page.clock.runFor(20_000);
    await untilShown(late(page));
    letGo();
    await gone(page);
    await sees(page, "Saved");
    assert.equal(sent, 1);
    await change("Ana M.");
    const read = page.waitForRequest("**/api/status");
    await press(late(page), "Check now");
    await gone(page);
    await sees(page.locator(".problem"), "The device did not answer", "Check before you send it again.");
    assert.equal(await name.inputValue(), "Ana M.");
    await page.clock.runFor(2_000);
    await read;
    assert.equal(sent, 2);
  });

  for (const [what, file, language, said, again] of [
    ["its script", "**/assets/index-*.js", "en", "This page could not be loaded", "Try again"],
    ["its texts", "**/assets/words.*.js", "de", "Diese Seite konnte nicht", "Noch einmal versuchen"],
  ] as const)
    it(`says so where something in between answers in place of ${what}`, async () => {
      const { page, complaints } = await browser.open(agent, { now: Date.now(), language });
      await page.route(file, (route) =>
        route.fulfill({ status: 200, contentType: "text/html", body: "<h1>Sign in to our network</h1>" }),
      );
      await page.goto("/");
      await page.clock.runFor(20_000);
      await sees(page, said);
      await assertSound(page, `stuck-${language}`);
      await page.unroute(file);
      await page.getByRole("link", { name: again }).click();
      await untilShown(page.locator("form"));
      assert.equal(await page.getByText(said).count(), 0);
      // Chromium tells of a file that is none as an error without words.
      assert.deepEqual(new Set(complaints.splice(0)), new Set(file.includes("words") ? ["error: "] : []));
    });
});
