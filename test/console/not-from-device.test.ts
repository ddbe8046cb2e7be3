import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { fill, press, sees, signIn, untilShown } from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { assertReads } from "../../lab/console/page-checks.ts";

describe("what is not from the device, on a page", () => {
  const { agent, browser, looks } = lightConsoleOf();

  /** As a proxy or the network's own page answers, until the route is taken away. */
  const putBetween = (page: Page, path: string, status = 200) =>
    page.route(path, (route) =>
      route.fulfill({ status, contentType: "text/html", body: "<h1>Sign in to our network</h1>" }),
    );
  const problem = (place: Page | Locator) => place.locator(".problem");

  it("is named at a read, whatever its status, with a button that reads again", async () => {
    const page = await browser.signedIn(agent, "admin", "/account");
    for (const [status, tab, path] of [
      [504, "Users", "**/api/users?*"],
      [200, "System", "**/api/system/time-sync"],
    ] as const) {
      await putBetween(page, path, status);
      await page.getByRole("link", { name: tab, exact: true }).click();
      await sees(problem(page), "The answer did not come from this device", "A proxy, or the sign-in page");
      assert.doesNotMatch((await problem(page).textContent()) ?? "", /JSON|HTTP|token/);
      if (tab === "Users") looks.keep(page, "not-from-device", assertReads);
      await page.unroute(path);
      await press(problem(page), "Try again");
      await problem(page).waitFor({ state: "detached" });
    }
  });

  it("leaves open whether a change was made, sends it once, and keeps what was typed", async () => {
    const page = await browser.signedIn(agent, "admin", "/users", { language: "de", width: 390 });
    await press(page, "Benutzer anlegen");
    const sheet = page.getByRole("dialog");
    await fill(sheet, { Benutzername: "ben" });
    let sent = 0;
    await page.route("**/api/users", (route) => {
      sent += 1;
      return route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" });
    });
    await press(sheet, "Benutzer anlegen");
    await sees(problem(sheet), "Die Antwort kam nicht von diesem Gerät", "Sehen Sie nach, bevor");
    assert.equal(sent, 1);
    assert.equal(await sheet.getByLabel("Benutzername").inputValue(), "ben");
    looks.keep(page, "not-from-device-de", assertReads);
  });

  it("is named while nothing comes from the device, for a person who signs in and for one who has", async () => {
    const { page } = await browser.open(agent);
    const between = "The answer did not come from this device. A proxy, or the sign-in page of your network";
    await putBetween(page, "**/api/**");
    await page.goto("/");
    await sees(page, between);
    await page.unroute("**/api/**");
    await press(page, "Try again");
    await untilShown(page.getByLabel("User name"));
    await signIn(page, "admin", "/users");
    await putBetween(page, "**/api/**", 503);
    await page.getByRole("link", { name: "System", exact: true }).click();
    await sees(page, between, "You see what was known at");
    await page.unroute("**/api/**");
    await press(page, "Try again");
    await page.getByText(between).waitFor({ state: "detached" });
  });
});
