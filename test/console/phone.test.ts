import assert from "node:assert/strict";
import { afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { counted, sampled } from "../../lab/basics/counts.ts";
import { until } from "../../lab/basics/until.ts";
import { answerAwkwardly, awkward, awkwardTexts as texts } from "../../lab/console/awkward.ts";
import { consoleOf, names, signIn, untilShown } from "../../lab/console/browser.ts";
import {
  assertFits,
  brokenText,
  picture,
  smallTargets,
  stepTo,
  whole,
} from "../../lab/console/page-checks.ts";
import { consolePaths } from "../../src/contract/schemas/console.ts";

/** CSS pixels. */
const widths = counted({ usual: [320, 360, 1280], all: [320, 360, 768, 1280] });

describe("the console on a phone, with texts that are awkward", () => {
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status, text } = await agent.call(method, path, { body, local: true });
    assert.ok(status < 300, text);
  };
  const { agent, browser } = consoleOf();
  before(async () => {
    for (const [index, text] of texts.entries()) {
      const username = `user-${index}${"x".repeat(25)}`;
      await send("POST", "/api/users", { username, display_name: text, role: "readonly" });
    }
    for (const name of [names.admin, names.readonly]) {
      const { items } = (await agent.call("GET", `/api/users?q=${name}`, { local: true })).json;
      for (const text of texts)
        await send("POST", "/api/tokens", { user_id: items[0].id, name: text, scopes: ["logs:read"] });
    }
  });

  const found: string[] = [];
  afterEach(() => assert.deepEqual(found.splice(0), []));

  /** The page as it is, in each width; a phone's also for fingers. */
  const judge = async (page: Page, about: string): Promise<void> => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 740 });
      found.push(...(await brokenText(page)).map((one) => `${about}, ${width}: ${one}`));
      await assertFits(page);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    found.push(...(await smallTargets(page)).map((one) => `${about}: ${one}`));
    assert.equal(await page.locator("img[src=x]").count(), 0, "markup has become a picture");
  };

  const open = async (path: string) => {
    const window = await browser.open(agent, { width: 360, height: 740, isTouched: true, language: "de" });
    await signIn(window.page, "admin", path);
    return window;
  };

  // Each visit shows four of them.
  for (const [index, [kind, text]] of sampled([...Object.entries(awkward).entries()], { oneIn: 3 }))
    it(`takes ${kind} as the names of a device, and as the text of the sign-in`, async () => {
      const other = (step: number) => texts[(index + step) % texts.length] ?? "";
      const device = { name: text, location: other(1), contact: other(2) };
      await send("PUT", "/api/system", {
        device,
        console: { language: "de", banner: `${text} ${other(3)}` },
      });
      const { page } = await browser.open(agent, { width: 360, height: 740, isTouched: true });
      await page.goto("/");
      await untilShown(page.locator("form"));
      await judge(page, "the sign-in");
      await picture(page, `awkward-sign-in-${kind}`);
      await signIn(page, "admin", "/");
      for (const path of ["/", "/system/settings"]) {
        await stepTo(page, path);
        await judge(page, path);
      }
      await picture(page, `awkward-settings-${kind}`);
    });

  it("has targets for fingers and whole words on its pages", async () => {
    const { page } = await open("/users");
    await answerAwkwardly(page);
    await page.reload();
    for (const path of sampled(consolePaths, { oneIn: 4 })) {
      await stepTo(page, path === "/updates" ? "/updates?open=trust,schedule,history,settings" : path);
      await page.locator("main").evaluate(unfold);
      for (const version of await page.locator(".updates-version").all())
        assert.ok(((await version.boundingBox())?.height ?? 0) < 32, "a version on one line");
      await judge(page, path);
      await picture(page, `phone${path.replaceAll("/", "-")}`);
    }
    await page.goto("/updates?entry=9");
    await untilShown(page.getByRole("dialog").locator(".facts"));
    await judge(page, "a release that has failed");
  });

  it("has targets for fingers on a tablet, whose lists and bars are those of a wide window", async () => {
    const page = await browser.signedIn(agent, "admin", "/", { width: 1024, height: 768, isTouched: true });
    for (const path of sampled(consolePaths, { oneIn: 4 })) {
      await stepTo(page, path);
      await page.locator("main").evaluate(unfold);
      found.push(...(await smallTargets(page)).map((one) => `${path}: ${one}`));
      await picture(page, `tablet${path.replaceAll("/", "-")}`);
    }
  });

  it("has them in its sheets, dialogs and messages too", async () => {
    const { page } = await open("/users");
    await page.getByRole("button", { name: "Benutzer anlegen" }).click();
    await page.getByRole("dialog").getByLabel("Anzeigename").fill(awkward.withoutBlank);
    await judge(page, "adding a user");
    await picture(page, "phone-add-user");
    await page.goto("/users");
    await page.getByRole("link", { name: /^user-1x/ }).click();
    await untilShown(page.locator(".facts"));
    await judge(page, "editing a user");
    await page.goto("/users");
    await page.getByRole("link", { name: names.readonly }).click();
    await page.setViewportSize({ width: 320, height: 740 });
    for (const text of texts) {
      const title = `Löschen: ${text}`;
      await page.getByRole("button", { name: title, exact: true }).click();
      const question = page.getByRole("dialog", { name: title, exact: true });
      await question.getByRole("button", { name: "Löschen", exact: true }).click();
      await untilShown(page.locator(".toasts").getByText(text));
      found.push(...(await brokenText(page)).map((one) => `a message: ${one}`));
      await assertFits(page);
    }
    await picture(page, "phone-messages");
    await page.goto("/account");
    await whole(page);
    await page
      .getByRole("button", { name: /^Token .* löschen$/ })
      .first()
      .click();
    await judge(page, "deleting a token");
    await picture(page, "phone-delete-token");
  });

  it("keeps the field in which one types above the keyboard, and the buttons of its form", async () => {
    const { page } = await open("/users");
    await page.getByRole("button", { name: "Benutzer anlegen" }).click();
    const sheet = page.getByRole("dialog");
    // The keyboard makes the page smaller (interactive-widget), and the sheet must fit into the rest.
    assert.match(
      (await page.locator("meta[name=viewport]").getAttribute("content")) ?? "",
      /interactive-widget=resizes-content/,
    );
    const field = sheet.getByLabel("Anzeigename");
    await field.focus();
    // The buttons are one above the other.
    await page.setViewportSize({ width: 320, height: 360 });
    const send = sheet.getByRole("button", { name: "Benutzer anlegen" });
    await until("the field stands above the buttons, and these above the keyboard", async () => {
      const [typed, button] = [await field.boundingBox(), await send.boundingBox()];
      if (!typed || !button || button.y + button.height > 360) return false;
      return typed.y >= 0 && typed.y + typed.height <= button.y;
    });
    await picture(page, "phone-keyboard");
  });
});

function unfold(place: Element): void {
  for (const one of place.querySelectorAll("details")) one.open = true;
}
