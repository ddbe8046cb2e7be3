import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { codeNear } from "../authenticator.ts";
import { type Run, startRun } from "../make-run.ts";
import { adminName, adminPassword } from "../running-agent.ts";
import { type ConsoleWindow, endOfConsole, startBrowser } from "./browser.ts";

describe("a newcomer, from make run to an applied update, by the printed lines and the words of the page", () => {
  const ending = endOfConsole();
  let run: Run;
  let window: ConsoleWindow;
  let page: Page;
  let secret = "";
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const stepIs = (name: string) =>
    page.locator('.steps [aria-current="step"]').getByText(name, { exact: true }).waitFor();
  const loaded = () => readFileSync(join(run.directory, "var/product/loaded"), "utf8");

  before(async () => {
    run = await startRun(ending);
    window = await (await startBrowser(ending)).open(run);
    ({ page } = window);
  });

  it("is told one address to open, and has the token there already", async () => {
    const addresses = run.printed().match(/http:\S+#setup=\S+/g) ?? [];
    assert.equal(addresses.length, 1, run.printed());
    await page.goto(addresses[0] ?? "");
    await page.getByRole("heading", { name: "Set up this device", level: 1 }).waitFor();
    await page.getByLabel("User name").fill(adminName);
    await page.getByLabel("Password", { exact: true }).fill(adminPassword);
    await button("Create the administrator").click();
    await stepIs("Second factor");
  });

  it("sets up a second factor without a word about the clock, or the password that was just chosen", async () => {
    secret = (await page.locator(".secret pre").innerText()).replaceAll(" ", "");
    await page.getByLabel("Code", { exact: true }).fill(await codeNear(secret, 0));
    await button("Switch on").click();
    await page.getByLabel("I have kept them").check();
    await button("Done").click();
    await stepIs("Device");
  });

  it("names the device, and confirms the publisher's fingerprint as it was printed", async () => {
    const printed = /fingerprint is\s+((?:[0-9a-f]{4}\s+){16})/.exec(run.printed())?.[1]?.trim() ?? "";
    await page.getByLabel("Device name").fill("Branch Hamburg");
    await button("Continue").click();
    await stepIs("Updates");
    await page.getByLabel("Fingerprint from the publisher").fill(printed);
    await button("Finish").click();
    await page.waitForURL((url) => url.pathname !== "/setup");
    await page.getByRole("link", { name: "Updates", exact: true }).click();
    await page.locator("summary").filter({ hasText: "Trust" }).first().click();
    await page.getByText(printed.split(/\s+/).join(" ")).waitFor();
  });

  it("looks for updates, applies the one that there is, and sees that it is good", async () => {
    await button("Check now").click();
    const rules = page.getByRole("article", { name: "Rules" });
    await rules.getByText("downloaded and verified").waitFor();
    await rules.getByRole("button", { name: /^Update now/ }).click();
    const dialog = page.getByRole("dialog", { name: "Update to base 0.9.0" });
    await dialog.getByRole("button", { name: "Update now" }).click();
    await page.getByRole("status").filter({ hasText: "base 0.9.0: good" }).waitFor();
    assert.match(loaded(), /^alert tcp any any -> any 23$/m);
    assert.deepEqual(window.complaints, []);
  });

  it("finds all of it again at the next make run, which has nothing left to say but where it is", async () => {
    await run.stop();
    const again = await startRun(ending, run.directory);
    assert.doesNotMatch(again.printed(), /setup=|fingerprint/);
    assert.match(again.printed(), /http:\/\/127\.0\.0\.1:\d+\/\n/);
    assert.match(loaded(), /^alert tcp any any -> any 23$/m);
    await page.goto(`${again.url}/updates`);
    await page.getByLabel("User name").fill(adminName);
    await page.getByLabel("Password", { exact: true }).fill(adminPassword);
    await button("Sign in").click();
    await page.getByLabel("Code", { exact: true }).fill(await codeNear(secret, 1));
    await button("Sign in").click();
    await page.getByRole("article", { name: "Rules" }).getByText("0.9.0").first().waitFor();
  });
});
