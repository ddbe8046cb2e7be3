import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { addUsers, endOfConsole, fill, press, sees, untilFocused } from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { assertFits } from "../../lab/console/page-checks.ts";
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
  const field = (label: string) => settings().getByLabel(label, { exact: true });
  const keepAlsoOnPhone = async (name: string): Promise<void> => {
    for (const [width, of] of [
      [1_440, name],
      [390, `${name}-phone`],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      looks.keep(page, of, assertFits);
    }
    await page.setViewportSize({ width: 1_280, height: 800 });
  };
  const card = (kind: string) => page.getByRole("article", { name: kind });
  const step = (place: Page | Locator, text: RegExp) =>
    place.locator('[aria-current="step"]', { hasText: text }).waitFor();
  const ended = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();
  const save = () => press(settings(), "Save");
  const faultIs = async (alert: string, error: string) => {
    await settings().getByRole("alert").filter({ hasText: alert }).waitFor();
    await sees(settings().locator(".error"), error);
  };

  it("are in one state without a root of trust: what root has to run first, and what rules and a service are", async () => {
    await sees(
      page.locator(".updates-state"),
      "No root of trust is installed",
      "steward update trust install FILE",
    );
    const check = page.getByRole("button", { name: "Check now" });
    assert.equal(await check.getAttribute("aria-disabled"), "true");
    await page.getByText("No root of trust is installed", { exact: true }).waitFor();
    await sees(card("Rules"), "Rules are data that the product works by");
    await sees(card("Service"), "The service is the product's program");
    assert.equal(await page.locator("main .badge").count(), 1, "another state than the first");
    assert.equal(await page.locator("main .primary").count(), 0, "nothing here is a step forward");
    assert.deepEqual(await page.locator("main summary h2").allTextContents(), [
      "From a file",
      "Update settings",
    ]);
    await keepAlsoOnPhone("updates-no-root");
  });

  it("stay left, where the browser tells of an opened part only after that", async () => {
    await page.goto("/updates?open=settings");
    await field("Update server").waitFor();
    await page.evaluate(async () => {
      const turn = () => new Promise((resolve) => setTimeout(resolve));
      const part = document.querySelector("[data-fold=settings]");
      document.querySelector<HTMLElement>("a[href='/system']")?.click();
      while (part?.isConnected) await turn();
      part?.dispatchEvent(new Event("toggle"));
      // The page hears of it in the next turn, and would navigate in the one after that.
      for (let turns = 0; turns < 10; turns += 1) await turn();
    });
    assert.equal(new URL(page.url()).pathname, "/system");
    await page.getByRole("link", { name: "Updates", exact: true }).click();
    await sees(card("Rules"), "Rules are data");
  });

  it("are compared in the first run in the same way, which does not go on with another fingerprint", async () => {
    await world.steward("update", "trust", "install", world.rootFile);
    await page.goto("/setup?step=updates");
    const verdict = page.locator("form").getByRole("status");
    const finish = page.getByRole("button", { name: "Finish" });
    const last = world.fingerprint.endsWith("0") ? "1" : "0";
    for (const [typed, said, isDisabled, kind] of [
      [world.fingerprint.slice(0, 63) + last, "Do not go on", "true", "plain"],
      [printed(world.fingerprint), "It matches", null, "primary"],
    ] as const) {
      await fill(page, { "Fingerprint from the publisher": typed });
      await sees(verdict, said);
      assert.equal(await finish.getAttribute("aria-disabled"), isDisabled);
      assert.equal(await finish.getAttribute("class"), `button ${kind}`);
      await keepAlsoOnPhone(`setup-fingerprint-${kind}`);
    }
    await page.goto("/updates");
  });

  it("compare the publisher's fingerprint with one that they do not show, and say who has confirmed it", async () => {
    await sees(trust(), "has not been compared yet");
    await sees(page.locator(".updates-state"), "No update server is set, so this device");
    const { fingerprint } = world;
    const groups = fingerprint.match(/.{4}/g) ?? [];
    const shown = async () => (await page.locator("main").textContent())?.replace(/\s/g, "") ?? "";
    const verdict = trust().getByRole("status");
    const confirm = trust().getByRole("button", { name: "Confirm" });
    const isFilled = async () => (await confirm.getAttribute("class"))?.includes("primary");
    const type = (typed: string) => fill(trust(), { "Fingerprint from the publisher": typed });
    assert.ok(!(await shown()).includes(fingerprint), "it is there to be copied");
    looks.keep(page, "updates-compare");
    await type(fingerprint.slice(0, 60));
    assert.equal(await verdict.textContent(), "", "a part is no comparison");
    await confirm.click();
    await sees(trust().locator(".error"), "Incomplete");
    const other = [...groups.slice(0, 15), groups[15] === "0000" ? "1111" : "0000"];
    await type(other.join(" "));
    await sees(verdict, "Do not go on");
    await sees(trust(), "1 of 16 groups differ");
    assert.deepEqual(await trust().locator("mark").allTextContents(), [other[15]]);
    assert.ok(!(await shown()).includes(fingerprint), "a mistake shows the answer");
    assert.deepEqual([await confirm.getAttribute("aria-disabled"), await isFilled()], ["true", false]);
    await keepAlsoOnPhone("updates-other-fingerprint");
    await type(`My fingerprint: ${printed(fingerprint)}. Yours, the publisher`);
    await sees(verdict, "It matches");
    assert.equal(await isFilled(), true);
    assert.equal((await world.status()).trust.confirmed, false);
    looks.keep(page, "updates-same-fingerprint");
    await confirm.click();
    await sees(trust(), "Confirmed by", "root-admin", groups.join(" "));
    assert.equal((await world.status()).trust.confirmed_by, "root-admin");
  });

  it("lead from what is missing to the settings, which open in their place and stay open with the address", async () => {
    await page.getByRole("link", { name: "Open the settings" }).click();
    await field("Update server").waitFor();
    assert.match(page.url(), /\?open=settings$/);
    assert.equal(await trust().getByText("SHA-256").isVisible(), false, "trust is closed then");
    await page.reload();
    await field("Update server").waitFor();
    await trust().locator("summary").first().click();
    await sees(trust(), "SHA-256");
    assert.match(page.url(), /\?open=settings%2Ctrust$/);
  });

  it("keep automatic services off until the server has proved itself, and signatures on permanently", async () => {
    assert.equal(await field("Apply a new service automatically").isDisabled(), true);
    await sees(settings(), "must be trusted first", "always verified");
    const switches = settings().getByLabel(/signatures/i);
    assert.equal(await switches.count(), 0, "there is no switch");
  });

  it("refuse at its field what a setting cannot be, and a schedule without a server", async () => {
    for (const [label, wrong, error] of [
      ["Update server", "updates.example.net", ""],
      ["Update server", "https://user:secret@example.net/", ""],
      ["Channel", "Stable!", ""],
      ["Time between checks", "1m", "A duration from 5 minutes to 30 days"],
    ] as const) {
      const before = await field(label).inputValue();
      await field(label).fill(wrong);
      await save();
      await faultIs(label, error);
      assert.equal(await field(label).getAttribute("aria-invalid"), "true");
      await field(label).fill(before);
    }
    await field("Scheduled updates").check();
    await save();
    await faultIs("Scheduled updates", "Set an update server first");
    await untilFocused(field("Scheduled updates"));
    await field("Scheduled updates").uncheck();
  });

  it("ask before unsaved input is lost", async () => {
    await field("Update server").fill(world.server.origin);
    await page.getByRole("link", { name: "System", exact: true }).click();
    await press(page, "Stay");
    await save();
    await until("it is saved", async () => (await world.status()).schedule.server === world.server.origin);
  });

  it("find what the server offers, with its size and why it does not go on automatically", async () => {
    const notes = join(scratchDirectory(), "notes.md");
    writeFileSync(notes, "# Finds **telnet**\n\n- also <b>where</b>\n- it `hides`\n");
    await world.publishRules("1.0.0", ["alert tcp any any -> any 23"], "--notes-file", notes);
    await world.publishBinary("1.0.0");
    const goOn = world.holdDownloads();
    await press(page, "Check now");
    await step(page, /downloading \(.* of .*KiB\)/);
    goOn();
    await sees(card("Rules"), "1.0.0 is out", "downloaded and verified", "Scheduled updates are off");
    await sees(card("Service"), "Releases of this kind are applied on request only");
    await sees(trust(), "confirmed by root-admin");
    await page.goto("/updates?open=none");
    await sees(card("Rules"), "Finds telnet");
    await card("Rules").getByText("Release notes").click();
    const lines = await card("Rules").locator(".updates-notes li").allTextContents();
    assert.deepEqual(lines, ["also <b>where</b>", "it hides"]);
    await page.goto("/updates?open=settings,trust");
  });

  it("let automatic services be turned on from then on, and tell at the field where that is over again", async () => {
    const setServer = (path: string) =>
      world.steward("system", "set", `update.ota.server=${world.server.origin}${path}`);
    await field("Apply a new service automatically").check();
    await setServer("/elsewhere");
    await save();
    await faultIs("Apply a new service automatically", "confirm its fingerprint");
    await press(settings(), "Discard");
    await setServer("");
  });

  it("show each step of rules being applied as it comes, until they are good", async () => {
    const goOn = world.holdTrial("1.0.0");
    await press(card("Rules"), /^Update now/);
    const dialog = page.getByRole("dialog", { name: "Update to Rules 1.0.0" });
    await sees(dialog, "it is undone automatically");
    looks.keep(page, "updates-ask");
    await press(dialog, "Update now");
    await step(card("Rules"), /confirming \([0-2] of 3 checks\)/);
    // Work under way is named wherever it keeps a person from something.
    await sees(page, "An update is in progress: Rules 1.0.0 (confirming)");
    const other = card("Service").getByRole("button", { name: /^Update now/ });
    assert.equal(await other.getAttribute("aria-disabled"), "true");
    looks.keep(page, "updates-progress");
    await page.getByRole("link", { name: "System", exact: true }).click();
    await sees(page, "Rules 1.0.0 is being watched");
    await page.getByRole("link", { name: "Watch it" }).click();
    await goOn();
    await ended("Rules 1.0.0: good");
    await sees(card("Rules"), "1.0.0");
    assert.equal((await world.status()).installed.rules, "1.0.0");
  });

  it("go on by themselves when the agent restarts in the middle", async () => {
    const goOn = world.holdTrial("1.0.0");
    await press(card("Service"), /^Update now/);
    await press(page.getByRole("dialog", { name: "Update to Service 1.0.0" }), "Update now");
    await step(page, /confirming \([0-2] of 3 checks\)/);
    await world.restart(() => sees(page, "Reconnecting"));
    await page.getByText("Reconnecting").waitFor({ state: "detached" });
    await step(page, /confirming \([0-2] of 3 checks\)/);
    await goOn();
    await ended("Service 1.0.0: good");
    await sees(card("Service"), "good since");
  });
});
