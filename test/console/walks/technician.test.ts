import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startTimedAgent } from "../../../lab/agents/faked-time.ts";
import {
  addUsers,
  type ConsoleWindow,
  endOfConsole,
  names,
  passwords,
  startBrowser,
  untilFocused,
  untilShown,
} from "../../../lab/console/browser.ts";
import { downloaded } from "../../../lab/console/launch.ts";
import { picture } from "../../../lab/console/page-checks.ts";
import { tabTo } from "../../../lab/console/walks/hands.ts";
import { assertEveryLook } from "../../../lab/console/walks/looks.ts";

const daySeconds = 86_400;

describe("a technician at a device whose battery was empty, so that it begins in 1970", () => {
  const ending = endOfConsole();
  let window: ConsoleWindow;
  let page: Page;
  /** The first need on the page. */
  const need = () => page.locator(".needs > li").first();

  before(async () => {
    const agent = await startTimedAgent({ offsetSeconds: daySeconds - Date.now() / 1_000, time: {} });
    ending.after(() => agent.dispose());
    await addUsers(agent, ["admin"]);
    window = await (await startBrowser(ending)).open(agent, { scheme: "dark" });
    ({ page } = window);
  });

  it("signs in without a pointer", async () => {
    await page.goto("/");
    await tabTo(page.getByLabel("User name"));
    await page.keyboard.type(names.admin);
    await tabTo(page.getByLabel("Password", { exact: true }));
    await page.keyboard.type(passwords.admin);
    await page.keyboard.press("Enter");
    await page.locator(".frame").waitFor();
  });

  it("reads on Home, before all else that needs them, that the clock is wrong", async () => {
    await untilShown(need().filter({ hasText: "The clock is not trusted" }));
    await page.locator(".frame-head .clock-state", { hasText: "unknown" }).waitFor();
    await picture(page, "walk-technician-home");
    await assertEveryLook(page, "Home with a wrong clock", "dark");
  });

  it("is led to both clocks, side by side, and reads how far they are apart", async () => {
    await tabTo(need().getByRole("link"));
    await page.keyboard.press("Enter");
    await page.waitForURL("**/system**");
    await untilShown(page.getByText(/^This browser is \d+\sd ahead of the device/));
    await untilShown(page.getByText("Updates wait: nothing is installed automatically."));
    await picture(page, "walk-technician-clock");
    await assertEveryLook(page, "a wrong clock", "dark");
  });

  it("gives the device this browser's time, and reads that both say the same", async () => {
    await tabTo(page.getByRole("button", { name: "Set the device's clock to this browser's time" }));
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Set the clock to your browser's time" });
    await dialog.waitFor();
    await assertEveryLook(page, "the question before the clock is set", "dark");
    await tabTo(dialog.getByRole("button", { name: "Set the clock" }));
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await untilShown(page.getByText(/^This browser and the device agree to within \d+\ss\.$/));
    await page.locator(".frame-head .badge", { hasText: "set by hand" }).waitFor();
  });

  it("is still signed in, half a century later", async () => {
    await page.goto("/");
    await page.locator(".tile .badge", { hasText: "set by hand" }).waitFor();
    assert.equal(await page.getByText("The clock is not trusted").count(), 0);
  });

  /** To what has a name, from any page. */
  const goTo = async (name: string) => {
    await page.keyboard.press("ControlOrMeta+k");
    await untilFocused(page.getByRole("combobox"));
    await page.keyboard.type(name);
    await page.getByRole("option", { name, selected: true }).waitFor();
    await page.keyboard.press("Enter");
  };

  it("goes to the logs by Ctrl-K, and reads who has set the clock, how that ended and how long it took", async () => {
    await goTo("Logs");
    await tabTo(page.getByLabel("Text"));
    await page.keyboard.type("time-sync/sync");
    const log = page.getByRole("log");
    const line = log.locator("summary", { hasText: "POST /api/system/time-sync/sync" });
    await untilShown(page.getByText("1 line", { exact: true }));
    await tabTo(log);
    await page.keyboard.press("ArrowUp");
    await untilFocused(line);
    assert.match(await line.locator(".log-status").innerText(), /^2\d\d$/);
    assert.match(await line.locator(".log-duration").innerText(), /^(< )?\d[\d.]*\sm?s$/);
    assert.equal(await line.locator(".log-user").innerText(), names.admin);
    await page.keyboard.press("Enter");
    await untilShown(log.locator(".log-facts").getByText("request_id"));
    await picture(page, "walk-technician-log");
    await assertEveryLook(page, "the line of the log about the clock", "dark");
  });

  it("takes the events of the clock along as a table", async () => {
    await goTo("Events");
    await untilShown(page.locator(".timeline-run").first());
    await tabTo(page.getByRole("button", { name: "Export CSV" }));
    const { name, text } = await downloaded(page, () => page.keyboard.press("Enter"));
    assert.match(name, /-events-\d{4}-\d\d-\d\d\.csv$/);
    assert.match(text, /clock\.set_by_hand/);
  });
});
