import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { addUsers, endOfConsole, type TestBrowser, untilShown } from "../../lab/console/browser.ts";
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
    await world.publishRules("1.0.0", [rule]);
    // At first from a directory: two looks at the server would have to lie ten seconds apart.
    await world.steward("update", "apply", "--repo", world.directory, "--yes");
    await world.publishRules("1.1.0", [rule, rule]);
    await world.steward("update", "apply", "--repo", world.directory, "--yes");
    await world.publishRules("1.2.0", [rule, "alert \u001b[31mtelnet\u202e"], "--urgent", "--notes", notes);
    await world.steward("system", "set", `update.ota.server=${world.server.origin}`);
    await world.steward("update", "check");
    browser = lightBrowser(ending);
    page = await browser.signedIn(world.agent(), "admin", "/updates", { isKept: true });
  });

  const card = () => page.getByRole("article", { name: "Rules" });
  const dialog = (name: string) => page.getByRole("dialog", { name });
  const order = (verb: string) => card().getByRole("button", { name: new RegExp(`^${verb}`) });
  const ended = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();

  it("are seen by a reader of logs without a button, and with no more than the host of where they come from", async () => {
    const reading = await browser.signedIn(world.agent(), "readonly", "/updates");
    await reading.getByRole("article", { name: "Rules" }).getByText("1.2.0").waitFor();
    await reading.getByText(shownNotes).waitFor();
    await reading.getByText("urgent", { exact: true }).waitFor();
    await reading.getByRole("region", { name: "Update settings" }).locator("summary").click();
    await reading.getByText(world.server.origin).waitFor();
    await reading
      .getByRole("region", { name: "Update settings" })
      .getByText("Update server", { exact: true })
      .waitFor();
    const buttons = await reading.locator("main").getByRole("button").allTextContents();
    assert.deepEqual(buttons, []);
    assert.equal(await reading.locator("main input").count(), 0, "nothing can be typed");
  });

  it("let an operator look for more and change the time between, and nothing else", async () => {
    const operating = await browser.signedIn(world.agent(), "operator", "/updates");
    await operating.getByRole("article", { name: "Rules" }).getByText("1.2.0").waitFor();
    const settings = operating.getByRole("region", { name: "Update settings" });
    await settings.locator("summary").click();
    await settings.getByLabel("Time between checks").fill("12h");
    assert.equal(await operating.locator("main input").count(), 1);
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
    const buttons = await operating.locator("main").getByRole("button").allTextContents();
    assert.deepEqual(buttons, ["Check now"]);
  });

  it("postpone an offered release with one touch, or for another time, and say until when", async () => {
    await order("Update now").waitFor();
    looks.draw(page, "updates-offer-light");
    await order("Later").click();
    await page.getByRole("menuitem", { name: "Another time" }).waitFor();
    looks.keep(page, "updates-later");
    await page.getByRole("menuitem", { name: "Another time" }).click();
    const asking = dialog("Postpone base 1.2.0");
    await asking.getByLabel("For how long", { exact: true }).waitFor();
    looks.keep(page, "updates-postpone");
    await asking.getByLabel("For how long", { exact: true }).fill("a while");
    await asking.getByRole("button", { name: "Postpone" }).click();
    await asking.locator(".error").waitFor();
    await asking.getByRole("button", { name: "Cancel" }).click();
    await order("Later").click();
    await page.getByRole("menuitem", { name: "In a week" }).click();
    await page.getByText("Postponed, which ends on").waitFor();
    const days = (Date.parse((await world.status()).postponed.rules ?? "") - Date.now()) / 86_400_000;
    assert.ok(days > 6.9 && days <= 7, `${days} days`);
    await untilShown(card().getByText(/postponed; that ends on/));
    await order("Later").click();
    await page.getByRole("menuitem", { name: "Do not postpone any longer" }).click();
    await page.getByText("No longer postponed").waitFor();
    assert.equal((await world.status()).postponed.rules, null);
  });

  it("undo a bad release by themselves, step by step, and offer it no more", async () => {
    world.allowTrial("5s");
    const goOn = world.holdTrial("1.2.0");
    await order("Update now").click();
    await dialog("Update to base 1.2.0").getByText("1.1.0 comes back").waitFor();
    await dialog("Update to base 1.2.0").getByRole("button", { name: "Update now" }).click();
    await page.locator('[aria-current="step"]', { hasText: "confirming" }).waitFor();
    // A reload in the middle shows the same.
    await page.reload();
    await page.locator('[aria-current="step"]', { hasText: "confirming" }).waitFor();
    await card().getByText("1.1.0 comes back if it fails").waitFor();
    const goBack = world.holdTrial("1.1.0");
    await goOn();
    await page.locator('[aria-current="step"]', { hasText: /undoing|watching the earlier/ }).waitFor();
    await goBack();
    world.allowTrial("30m");
    await ended("base 1.2.0: failed and undone");
    assert.equal(await card().getByText("Up to date.").count(), 0, "beside a release that failed");
    await card().getByText("1.1.0", { exact: true }).waitFor();
    await card().getByText("1.2.0 failed and was undone (at").first().waitFor();
    assert.equal(await card().locator(".primary").count(), 0, "nothing suggests the same again");
  });

  it("are a need on Home until an administrator dismisses it there, which is an event", async () => {
    await page.goto("/");
    const need = page.locator(".needs > li").filter({ hasText: "base 1.2.0 failed on this device" });
    await need.getByRole("link", { name: "Show why" }).waitFor();
    await untilShown(page.getByText("One thing needs you.").or(page.getByText(/things need you/)));
    const { json } = await world.agent().call("GET", "/api/status", { local: true });
    assert.ok(json.needs.some(({ code }: { code: string }) => code === "update_failed"));
    looks.keep(page, "home-update-failed");
    const reading = await browser.signedIn(world.agent(), "readonly", "/");
    await reading.locator(".needs").getByText("base 1.2.0 failed on this device").waitFor();
    assert.equal(await reading.getByRole("button", { name: /^Dismiss/ }).count(), 0);
    await need.getByRole("button", { name: /^Dismiss/ }).click();
    await need.waitFor({ state: "detached" });
    await page.getByText("dismissed the failure of base 1.2.0").waitFor();
    await page.goto("/updates");
    await card().getByText("Up to date.").waitFor();
  });

  it("show the log of what failed, with nothing in it that could disguise itself, and who may allow it again", async () => {
    await card()
      .getByRole("link", { name: /^Why\? 1\.2\.0 failed/ })
      .click();
    const sheet = dialog("base 1.2.0: failed and undone");
    await sheet.getByText("runs again and is healthy").waitFor();
    await sheet.getByText("steward update apply rules --again").waitFor();
    const log = (await sheet.locator("pre").last().textContent()) ?? "";
    assert.match(log, /the engine stops at line \d+:alert/);
    assert.doesNotMatch(log, /[\p{Cc}\p{Bidi_Control}]/u);
    looks.keep(page, "updates-log-light");
    await page.goBack();
    await sheet.waitFor({ state: "detached" });
  });

  it("go back to the release before on request, which holds the present one", async () => {
    await order("Undo").click();
    const asking = dialog("Undo Rules 1.1.0");
    await asking.getByText("1.0.0 comes back").waitFor();
    await asking.getByText("is not applied automatically again").waitFor();
    looks.keep(page, "updates-undo");
    await asking.getByRole("button", { name: "Undo this update" }).click();
    await ended("base 1.1.0: undone by hand");
    assert.equal((await world.status()).installed.rules, "1.0.0");
    await page.getByText("There is no earlier release that worked on this device").waitFor();
    assert.equal(await order("Undo").getAttribute("aria-disabled"), "true");
    await page.getByRole("region", { name: "History" }).locator("summary").click();
    // Anywhere in the row.
    await page.locator("tbody tr").first().locator("td").first().click();
    await dialog("base 1.1.0: undone by hand").getByText("root-admin").waitFor();
    await page.keyboard.press("Escape");
  });

  it("apply a held release by hand, once a check has found it again", async () => {
    await world.restFromChecks();
    await page.getByRole("button", { name: "Check now" }).click();
    await untilShown(card().getByText("no longer applied automatically"));
    assert.equal(await card().locator(".primary").count(), 0, "what was just undone is not suggested");
    await page.locator("tbody tr").first().getByRole("link").click();
    await dialog("base 1.1.0: undone by hand").getByRole("button", { name: "Try again" }).click();
    await dialog("Update to base 1.1.0").getByRole("button", { name: "Update now" }).click();
    await ended("base 1.1.0: good");
  });

  it("say how they stand in German, in the dark and on a phone, without a fault that axe knows", async () => {
    const other = await browser.signedIn(world.agent(), "admin", "/updates");
    for (const [name, colorScheme, width, height] of [
      ["dark", "dark", 1280, 800],
      ["phone", "light", 360, 740],
      ["german", "light", 1280, 800],
    ] as const) {
      if (name === "german") await other.evaluate(() => localStorage.setItem("steward-language", "de"));
      await other.emulateMedia({ colorScheme });
      await other.setViewportSize({ width, height });
      await other.goto("/updates");
      await other.locator(".updates-card").first().waitFor();
      await whole(other);
      looks.keep(other, `updates-${name}`, assertFits);
      await other.goto("/updates?open=trust,schedule,history,settings");
      await other.locator("main input").first().waitFor();
      await whole(other);
      looks.keep(other, `updates-${name}-open`, assertFits);
    }
  });
});
