import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startTimedAgent } from "../../../lab/agents/faked-time.ts";
import {
  addUsers,
  endOfConsole,
  names,
  passwords,
  sees,
  startBrowser,
  untilFocused,
} from "../../../lab/console/browser.ts";
import { downloaded } from "../../../lab/console/launch.ts";
import { picture } from "../../../lab/console/page-checks.ts";
import { tabTo } from "../../../lab/console/walks/hands.ts";
import { assertEveryLook } from "../../../lab/console/walks/looks.ts";

const daySeconds = 86_400;

describe("a technician without a pointer at a device whose battery was empty, so that it begins in 1970", () => {
  const ending = endOfConsole();
  let page: Page;
  before(async () => {
    const agent = await startTimedAgent({ offsetSeconds: daySeconds - Date.now() / 1_000, time: {} });
    ending.after(() => agent.dispose());
    await addUsers(agent, ["admin"]);
    ({ page } = await (await startBrowser(ending)).open(agent, { scheme: "dark", isKept: true }));
  });

  const look = async (about: string, name: string): Promise<void> => {
    await picture(page, `walk-technician-${name}`);
    await assertEveryLook(page, about, "dark");
  };
  const press = (key: string) => page.keyboard.press(key);
  /** To what has a name, from any page. */
  const goTo = async (name: string): Promise<void> => {
    await press("ControlOrMeta+k");
    await untilFocused(page.getByRole("combobox"));
    await page.keyboard.type(name);
    await page.getByRole("option", { name, selected: true }).waitFor();
    await press("Enter");
  };

  it("signs in, and reads on Home, before all else that needs them, that the clock is wrong", async () => {
    await page.goto("/");
    await tabTo(page.getByLabel("User name"));
    await page.keyboard.type(names.admin);
    await tabTo(page.getByLabel("Password", { exact: true }));
    await page.keyboard.type(passwords.admin);
    await press("Enter");
    await sees(page.locator(".needs > li").first(), "The clock is not trusted");
    await page.locator(".frame-head .clock-state", { hasText: "unknown" }).waitFor();
    await look("Home with a wrong clock", "home");
  });

  it("is led to both clocks, gives the device this browser's time, and is still signed in half a century later", async () => {
    await tabTo(page.locator(".needs > li").first().getByRole("link"));
    await press("Enter");
    await page.waitForURL("**/system**");
    await sees(page, /^This browser is \d+\sd ahead of the device/, "Updates wait: nothing is installed");
    await look("a wrong clock", "clock");
    await tabTo(page.getByRole("button", { name: "Set the device's clock to this browser's time" }));
    await press("Enter");
    const dialog = page.getByRole("dialog", { name: "Set the clock to your browser's time" });
    await tabTo(dialog.getByRole("button", { name: "Set the clock" }));
    await press("Enter");
    await dialog.waitFor({ state: "detached" });
    await sees(page, /^This browser and the device agree to within \d+\ss\.$/);
    await page.goto("/");
    await page.locator(".tile .badge", { hasText: "set by hand" }).waitFor();
    assert.equal(await page.getByText("The clock is not trusted").count(), 0);
  });

  it("reads in the logs who has set the clock, how that ended and how long it took, and takes its events along as a table", async () => {
    await goTo("Logs");
    await tabTo(page.getByLabel("Text"));
    await page.keyboard.type("time-sync/sync");
    // The technician's own requests are shown only where they are asked for.
    await tabTo(page.getByLabel("Requests"));
    await press("ArrowDown");
    await page.waitForURL("**status=all**");
    const log = page.getByRole("log");
    const line = log.locator("summary", { hasText: "POST /api/system/time-sync/sync" });
    await page.getByText("1 line", { exact: true }).waitFor();
    await tabTo(log);
    await press("ArrowUp");
    await untilFocused(line);
    for (const [part, text] of [
      ["status", /^2\d\d$/],
      ["duration", /^(< )?\d[\d.]*\sm?s$/],
      ["user", new RegExp(`^${names.admin}$`)],
    ] as const)
      assert.match(await line.locator(`.log-${part}`).innerText(), text);
    await press("Enter");
    await sees(log.locator(".log-facts"), "request_id");
    await look("the line of the log about the clock", "log");
    await goTo("Events");
    await page.locator(".timeline-run").first().waitFor();
    await tabTo(page.getByRole("button", { name: "Export CSV" }));
    const { name, text } = await downloaded(page, () => press("Enter"));
    assert.match(name, /-events-\d{4}-\d\d-\d\d\.csv$/);
    assert.match(text, /clock\.set_by_hand/);
  });
});
