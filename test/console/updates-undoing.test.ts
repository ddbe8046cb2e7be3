import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { addUsers, endOfConsole, fill, press, sees, type TestBrowser } from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { assertFits, whole } from "../../lab/console/page-checks.ts";
import { startUpdatesWorld, type UpdatesWorld } from "../../lab/console/updates-world.ts";

/** Plain text, whatever it looks like. */
const notes = "Fewer **false** alarms <img src=x onerror=alert(1)>";
const shownNotes = "Fewer false alarms <img src=x onerror=alert(1)>";

const rule = "alert tcp any any -> any 23";

describe("the console's updates, on a device with two good releases and a bad one on offer", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  let world: UpdatesWorld;
  let browser: TestBrowser;
  let page: Page;

  before(async () => {
    world = await startUpdatesWorld(ending);
    await addUsers(world.agent());
    await world.steward("update", "trust", "install", world.rootFile);
    // At first from a directory: two looks at the server would have to lie ten seconds apart.
    for (const [version, rules] of [
      ["1.0.0", [rule]],
      ["1.1.0", [rule, rule]],
    ] as const) {
      await world.publishRules(version, [...rules]);
      await world.steward("update", "apply", "--repo", world.directory, "--yes");
    }
    await world.publishRules("1.2.0", [rule, "alert \u001b[31mtelnet\u202e"], "--urgent", "--notes", notes);
    await world.steward("system", "set", `update.ota.server=${world.server.origin}`);
    await world.steward("update", "check");
    browser = lightBrowser(ending);
    page = await browser.signedIn(world.agent(), "admin", "/updates", { isKept: true });
  });

  const open = (role: "admin" | "operator" | "readonly", path = "/updates") =>
    browser.signedIn(world.agent(), role, path);
  const cardIn = (place: Page) => place.getByRole("article", { name: "Rules" });
  const card = () => cardIn(page);
  const settingsIn = (place: Page) => place.getByRole("region", { name: "Update settings" });
  const buttonsIn = (place: Page) => place.locator("main").getByRole("button").allTextContents();
  const dialog = (name: string) => page.getByRole("dialog", { name });
  const order = (verb: string) => card().getByRole("button", { name: new RegExp(`^${verb}`) });
  const later = async (choice: string) => {
    await order("Later").click();
    await page.getByRole("menuitem", { name: choice }).click();
  };
  const step = (hasText: string | RegExp) => page.locator('[aria-current="step"]', { hasText }).waitFor();
  const ended = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();

  it("are seen by a reader of logs without a button, and with no more than the host of where they come from", async () => {
    const reader = await open("readonly");
    await sees(cardIn(reader), "1.2.0");
    await sees(reader, shownNotes, "urgent");
    await settingsIn(reader).locator("summary").click();
    await sees(settingsIn(reader), world.server.origin, "Update server");
    assert.deepEqual(await buttonsIn(reader), []);
    assert.equal(await reader.locator("main input").count(), 0, "nothing can be typed");
  });

  it("let an operator look for more, change the time between and the windows, and nothing else", async () => {
    const operator = await open("operator");
    await sees(cardIn(operator), "1.2.0");
    const settings = settingsIn(operator);
    await settings.locator("summary").click();
    await fill(settings, { "Time between checks": "12h" });
    assert.equal(await operator.locator("main input").count(), 1);
    await press(settings, "Save");
    await settings.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
    assert.deepEqual(await buttonsIn(operator), ["Check now", "Add a window"]);
  });

  it("postpone an offered release with one touch, or for another time, and say until when", async () => {
    await later("Another time");
    const asking = dialog("Postpone Rules 1.2.0");
    await fill(asking, { "For how long": "a while" });
    await press(asking, "Postpone");
    await asking.locator(".error").waitFor();
    looks.keep(page, "updates-postpone");
    await press(asking, "Cancel");
    await later("In a week");
    await sees(page, "Postponed, which ends on");
    const days = (Date.parse((await world.status()).postponed.rules ?? "") - Date.now()) / 86_400_000;
    assert.ok(days > 6.9 && days <= 7, `${days} days`);
    await sees(card(), /postponed; that ends on/);
    await later("Do not postpone any longer");
    await sees(page, "No longer postponed");
    assert.equal((await world.status()).postponed.rules, null);
  });

  it("undo a bad release by themselves, step by step, and offer it no more", async () => {
    world.allowTrial("5s");
    const goOn = world.holdTrial("1.2.0");
    await order("Update now").click();
    await sees(dialog("Update to Rules 1.2.0"), "1.1.0 comes back");
    await press(dialog("Update to Rules 1.2.0"), "Update now");
    await step("confirming");
    // A reload in the middle shows the same.
    await page.reload();
    await step("confirming");
    await sees(card(), "1.1.0 comes back if it fails");
    const goBack = world.holdTrial("1.1.0");
    await goOn();
    await step(/undoing|watching the earlier/);
    await goBack();
    world.allowTrial("30m");
    await ended("Rules 1.2.0: failed and undone");
    await sees(card(), "1.1.0", "1.2.0 failed and was undone (at");
    assert.equal(await card().getByText("Up to date.").count(), 0, "beside a release that failed");
    assert.equal(await card().locator(".primary").count(), 0, "nothing suggests the same again");
  });

  it("are a need on Home until an administrator dismisses it there, which is an event", async () => {
    await page.goto("/");
    const need = page.locator(".needs > li").filter({ hasText: "Rules 1.2.0 failed on this device" });
    await need.getByRole("link", { name: "Show why" }).waitFor();
    await sees(page, /One thing needs you\.|things need you/);
    const { needs } = await world.agent().read("/api/status");
    assert.ok(needs.some(({ code }: { code: string }) => code === "update_failed"));
    looks.keep(page, "home-update-failed");
    const reader = await open("readonly", "/");
    await sees(reader.locator(".needs"), "Rules 1.2.0 failed on this device");
    assert.equal(await reader.getByRole("button", { name: /^Dismiss/ }).count(), 0);
    await press(need, /^Dismiss/);
    await need.waitFor({ state: "detached" });
    await page.goto("/system/events");
    await sees(page, "dismissed the failure of Rules 1.2.0");
    await page.goto("/updates");
    await sees(card(), "Up to date.");
    assert.equal(await page.locator("main .primary").count(), 0, "there is nothing to be done");
  });

  it("show the log of what failed, with nothing in it that could disguise itself, and who may allow it again", async () => {
    const why = card().getByRole("link", { name: /^Why\? 1\.2\.0 failed/ });
    await why.click();
    const sheet = dialog("Rules 1.2.0: failed and undone");
    await sees(sheet, "runs again and is healthy", "steward update apply rules --again");
    const log = (await sheet.locator("pre").last().textContent()) ?? "";
    assert.match(log, /the engine stops at line \d+:alert/);
    assert.doesNotMatch(log, /[\p{Cc}\p{Bidi_Control}]/u);
    looks.keep(page, "updates-log-light");
    await page.goBack();
    await sheet.waitFor({ state: "detached" });
  });

  it("go back to the release before on request, which holds the present one until it is applied by hand", async () => {
    await order("Undo").click();
    const asking = dialog("Undo Rules 1.1.0");
    await sees(asking, "1.0.0 comes back", "is not applied automatically again");
    looks.keep(page, "updates-undo");
    await press(asking, "Undo this update");
    await ended("Rules 1.1.0: undone by hand");
    assert.equal((await world.status()).installed.rules, "1.0.0");
    await sees(page, "There is no earlier release that worked on this device");
    assert.equal(await order("Undo").getAttribute("aria-disabled"), "true");
    await page.getByRole("region", { name: "History" }).locator("summary").click();
    const row = page.locator("tbody tr").first();
    // Anywhere in the row.
    await row.locator("td").first().click();
    await sees(dialog("Rules 1.1.0: undone by hand"), "root-admin");
    await page.keyboard.press("Escape");
    await world.restFromChecks();
    await press(page, "Check now");
    await sees(card(), "no longer applied automatically");
    assert.equal(await card().locator(".primary").count(), 0, "what was just undone is not suggested");
    await row.getByRole("link").click();
    await press(dialog("Rules 1.1.0: undone by hand"), "Try again");
    await press(dialog("Update to Rules 1.1.0"), "Update now");
    await ended("Rules 1.1.0: good");
  });

  it("say how they stand in German, in the dark and on a phone, without a fault that axe knows", async () => {
    const other = await open("admin");
    await other.evaluate(() => localStorage.setItem("steward-language", "de"));
    for (const [name, colorScheme, width] of [
      ["dark", "dark", 1280],
      ["phone", "light", 360],
    ] as const) {
      await other.emulateMedia({ colorScheme });
      await other.setViewportSize({ width, height: 800 });
      for (const [query, shown] of [
        ["", ".updates-card"],
        ["?open=trust,history,settings", "main input"],
      ] as const) {
        await other.goto(`/updates${query}`);
        await other.locator(shown).first().waitFor();
        await whole(other);
        looks.keep(other, `updates-${name}${query === "" ? "" : "-open"}`, assertFits);
      }
    }
  });
});
