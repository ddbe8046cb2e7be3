import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import { addUsers, endOfConsole, untilFocused, untilShown } from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { startUpdatesWorld, type UpdatesWorld } from "../../lab/console/updates-world.ts";

/** As a publisher prints it: in capitals, with colons. */
const printed = (fingerprint: string): string => (fingerprint.toUpperCase().match(/../g) ?? []).join(":");

describe("the console's updates, from a new device to a service that is good", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  let world: UpdatesWorld;
  let page: Page;

  before(async () => {
    world = await startUpdatesWorld(ending, { isLong: true });
    await addUsers(world.agent());
    page = await lightBrowser(ending).signedIn(world.agent(), "admin", "/updates", { isKept: true });
  });

  const trust = () => page.getByRole("region", { name: "Trust" });
  const settings = () => page.getByRole("region", { name: "Update settings" });
  const card = (kind: string) => page.getByRole("article", { name: kind });
  const step = (text: RegExp) => page.locator('[aria-current="step"]', { hasText: text });
  const save = async () => settings().getByRole("button", { name: "Save" }).click();

  it("say without a root of trust what root has to run, and why it cannot be looked for them", async () => {
    await trust().getByText("steward update trust install FILE").waitFor();
    const check = page.getByRole("button", { name: "Check now" });
    assert.equal(await check.getAttribute("aria-disabled"), "true");
    await page.getByText("No root of trust is installed", { exact: true }).waitFor();
    await page.getByText("No update server is set, so this device").waitFor();
    looks.keep(page, "updates-no-root");
  });

  it("stay left, where the browser tells of an opened part only after that", async () => {
    await page.evaluate(async () => {
      const turn = () => new Promise((resolve) => setTimeout(resolve));
      const part = document.querySelector("[data-fold=trust]");
      document.querySelector<HTMLElement>("a[href='/system']")?.click();
      while (part?.isConnected) await turn();
      part?.dispatchEvent(new Event("toggle"));
      // The page hears of it in the next turn, and would navigate in the one after that.
      for (let turns = 0; turns < 10; turns += 1) await turn();
    });
    assert.equal(page.url().replace(/^.*:[0-9]+/, ""), "/system");
    await page.getByRole("link", { name: "Updates", exact: true }).click();
    await trust().getByText("steward update trust install FILE").waitFor();
  });

  it("show the root that was installed, in full and in groups, and that it is not compared yet", async () => {
    await world.steward("update", "trust", "install", world.rootFile);
    const groups = world.fingerprint.match(/.{4}/g)?.join(" ") ?? "";
    await trust().getByText(groups).waitFor();
    await trust().getByText("The fingerprint has not been compared yet", { exact: false }).last().waitFor();
  });

  it("do not hold the fingerprint out beside the field for copying, and take no other for it", async () => {
    await trust().getByRole("button", { name: "Compare the fingerprint" }).click();
    const dialog = page.getByRole("dialog", { name: "Compare the fingerprint" });
    looks.keep(page, "updates-compare");
    const shown = dialog.locator(".updates-fingerprint");
    assert.equal(await shown.count(), 0, "it is there to be copied");
    const type = async (fingerprint: string) => {
      await dialog.getByLabel("Fingerprint from the publisher").fill(fingerprint);
      await dialog.getByRole("button", { name: "Confirm", exact: true }).click();
    };
    await type("0");
    await dialog.locator(".error", { hasText: "not the fingerprint of the installed root" }).waitFor();
    assert.equal(await shown.count(), 0, "one digit is no comparison");
    await type(`${world.fingerprint.slice(0, 60)}${world.fingerprint.endsWith("0000") ? "1111" : "0000"}`);
    await shown.waitFor();
    assert.deepEqual(await shown.locator("mark").allInnerTexts(), [world.fingerprint.slice(60)]);
    looks.keep(page, "updates-other-fingerprint");
    assert.equal((await world.status()).trust.confirmed, false);
  });

  it("take the publisher's, however it is written, and say who has compared it", async () => {
    const dialog = page.getByRole("dialog", { name: "Compare the fingerprint" });
    await dialog.getByLabel("Fingerprint from the publisher").fill(printed(world.fingerprint));
    await dialog.getByRole("button", { name: "Confirm", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await trust().getByText("root-admin").first().waitFor();
    assert.equal((await world.status()).trust.confirmed_by, "root-admin");
  });

  it("lead from what is missing to the settings, which open in their place and stay open with the address", async () => {
    await page.getByRole("link", { name: "Open the settings" }).click();
    await settings().getByLabel("Update server", { exact: true }).waitFor();
    assert.match(page.url(), /\?open=settings$/);
    assert.equal(await trust().getByText("SHA-256").isVisible(), false, "trust is closed then");
    await page.reload();
    await settings().getByLabel("Update server", { exact: true }).waitFor();
    await trust().locator("summary").first().click();
    await trust().getByText("SHA-256").waitFor();
    assert.match(page.url(), /\?open=settings%2Ctrust$/);
  });

  it("keep automatic services off until the server has proved itself, and signatures on permanently", async () => {
    const automatic = settings().getByLabel("Apply a new service automatically");
    assert.equal(await automatic.isDisabled(), true);
    await settings().getByText("must be trusted first").waitFor();
    await settings().getByText("always verified").waitFor();
    assert.equal(
      await settings()
        .getByLabel(/signatures/i)
        .count(),
      0,
      "there is no switch",
    );
  });

  for (const [label, wrong, said] of [
    ["Update server", "updates.example.net", /Update server/],
    ["Update server", "https://user:secret@example.net/", /Update server/],
    ["Channel", "Stable!", /Channel/],
    ["Time between checks", "1m", /Time between checks/],
  ] as const) {
    it(`refuse "${wrong}" as ${label.toLowerCase()}, at its field`, async () => {
      const field = settings().getByLabel(label, { exact: true });
      const before = await field.inputValue();
      await field.fill(wrong);
      await save();
      await settings().getByRole("alert").filter({ hasText: said }).waitFor();
      assert.equal(await field.getAttribute("aria-invalid"), "true");
      if (wrong === "1m")
        await settings().locator(".error").getByText("A duration from 5 minutes to 30 days").waitFor();
      await field.fill(before);
    });
  }

  it("refuse a schedule without a server, at its field", async () => {
    await settings().getByLabel("Scheduled updates").check();
    await save();
    await settings().getByRole("alert").filter({ hasText: "Scheduled updates" }).waitFor();
    await settings().locator(".error").getByText("Set an update server first").waitFor();
    await untilFocused(settings().getByLabel("Scheduled updates"));
    await settings().getByLabel("Scheduled updates").uncheck();
  });

  it("ask before unsaved input is lost", async () => {
    await settings().getByLabel("Update server", { exact: true }).fill(world.server.origin);
    await page.getByRole("link", { name: "System", exact: true }).click();
    await page.getByRole("button", { name: "Stay" }).click();
    await save();
    await until("it is saved", async () => (await world.status()).schedule.server === world.server.origin);
  });

  it("find what the server offers, with its size and why it does not go on automatically", async () => {
    const notes = join(await temporaryDirectory(ending), "notes.md");
    writeFileSync(notes, "# Finds **telnet**\n\n- also <b>where</b>\n- it `hides`\n");
    await world.publishRules("1.0.0", ["alert tcp any any -> any 23"], "--notes-file", notes);
    await world.publishBinary("1.0.0");
    const goOn = world.holdDownloads();
    await page.getByRole("button", { name: "Check now" }).click();
    await step(/downloading \(.* of .*KiB\)/).waitFor();
    goOn();
    await card("Rules").getByText("1.0.0 is out").waitFor();
    await card("Rules").getByText("downloaded and verified").waitFor();
    await card("Rules").getByText("Scheduled updates are off").waitFor();
    await card("Service").getByText("Releases of this kind are applied on request only").waitFor();
    await untilShown(trust().getByText(/^trusted$/));
    await page.goto("/updates?open=none");
    await card("Rules").getByText("Finds telnet").waitFor();
    await card("Rules").getByText("Release notes").click();
    const lines = card("Rules").locator(".updates-notes li");
    assert.deepEqual(await lines.allTextContents(), ["also <b>where</b>", "it hides"]);
    looks.draw(page, "updates-available");
    await page.goto("/updates?open=settings,trust");
  });

  it("let automatic services be turned on from then on, and tell at the field where that is over again", async () => {
    await settings().getByLabel("Apply a new service automatically").check();
    await world.steward("system", "set", `update.ota.server=${world.server.origin}/elsewhere`);
    await save();
    await settings().getByRole("alert").filter({ hasText: "Apply a new service automatically" }).waitFor();
    await settings().locator(".error", { hasText: "confirm its fingerprint" }).waitFor();
    await settings().getByRole("button", { name: "Discard" }).click();
    await world.steward("system", "set", `update.ota.server=${world.server.origin}`);
  });

  it("show each step of rules being applied as it comes, until they are good", async () => {
    const goOn = world.holdTrial("1.0.0");
    await card("Rules")
      .getByRole("button", { name: /^Update now/ })
      .click();
    const dialog = page.getByRole("dialog", { name: "Update to base 1.0.0" });
    await dialog.getByText("it is undone automatically").waitFor();
    looks.keep(page, "updates-ask");
    await dialog.getByRole("button", { name: "Update now" }).click();
    await card("Rules")
      .locator('[aria-current="step"]', { hasText: /confirming \([0-2] of 3 checks\)/ })
      .waitFor();
    // Work under way is named wherever it keeps a person from something.
    await page
      .getByText("Another update is in progress: base 1.0.0: confirming", { exact: true })
      .first()
      .waitFor();
    const other = card("Service").getByRole("button", { name: /^Update now/ });
    assert.equal(await other.getAttribute("aria-disabled"), "true");
    looks.keep(page, "updates-progress");
    await page.getByRole("link", { name: "System", exact: true }).click();
    await page.getByText("base 1.0.0 is being watched").waitFor();
    await page.getByRole("link", { name: "Watch it" }).click();
    await goOn();
    await page.getByRole("status").filter({ hasText: "base 1.0.0: good" }).waitFor();
    await card("Rules").getByText("1.0.0").first().waitFor();
    assert.equal((await world.status()).installed.rules, "1.0.0");
  });

  it("go on by themselves when the agent restarts in the middle", async () => {
    const goOn = world.holdTrial("1.0.0");
    await card("Service")
      .getByRole("button", { name: /^Update now/ })
      .click();
    await page
      .getByRole("dialog", { name: "Update to demo 1.0.0" })
      .getByRole("button", { name: "Update now" })
      .click();
    await step(/confirming \([0-2] of 3 checks\)/).waitFor();
    await world.restart(async () => {
      await page.getByText("Reconnecting").waitFor();
    });
    await page.getByText("Reconnecting").waitFor({ state: "detached" });
    await step(/confirming \([0-2] of 3 checks\)/).waitFor();
    looks.draw(page, "updates-watched");
    await goOn();
    await page.getByRole("status").filter({ hasText: "demo 1.0.0: good" }).waitFor();
    await card("Service").getByText("good since").waitFor();
  });
});
