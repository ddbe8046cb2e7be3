import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import {
  type ConsoleWindow,
  changeSettings,
  consoleOf,
  fill,
  press,
  sees,
  signIn,
  untilShown,
} from "../../lab/console/browser.ts";
import { budgets, buildConsole } from "../../scripts/build-console.ts";

const source = join(import.meta.dirname, "../../src/console");

/** A button's text on the users' page, by which one knows the second build. */
const otherVerb = "Add one more person";

describe("a page that is open while Steward itself is updated", () => {
  let window: ConsoleWindow | undefined;
  // The browser tells of a file that is gone as an error without words; the page then reloads.
  afterEach(() => void window?.complaints.splice(0));
  const { agent, browser, ending } = consoleOf();
  let otherBuild: string;
  before(async () => {
    const directory = await temporaryDirectory(ending);
    const copy = join(directory, "src/console");
    cpSync(source, copy, { recursive: true });
    for (const name of ["src/contract", "node_modules", "tsconfig.json"])
      symlinkSync(join(source, "../..", name), join(directory, name));
    const words = join(copy, "catalogue/languages/en/people.ts");
    const text = readFileSync(words, "utf8");
    assert.match(text, / {2}add: "Add user"/);
    writeFileSync(words, text.replace('  add: "Add user"', `  add: "${otherVerb}"`));
    otherBuild = join(directory, "built");
    // Another word in place of one that the sentences share may not fit the bounds.
    await buildConsole(otherBuild, { source: copy, limits: { ...budgets, page: 2 * budgets.page } });
  });

  /** From now on the agent answers as one of another version does, which has only the files of the other build. */
  const update = async (page: Page): Promise<void> => {
    await page.route("**/*", async (route) => {
      const { pathname } = new URL(route.request().url());
      if (["/api/status", "/api/console"].includes(pathname)) {
        const response = await route.fetch();
        return route.fulfill({ response, json: { ...(await response.json()), version: "99.0.0" } });
      }
      if (pathname.startsWith("/api/")) return route.fallback();
      if (!pathname.startsWith("/assets/")) {
        // Half of the page's binding comes with each document.
        const response = await route.fetch();
        const headers = { "server-timing": response.headers()["server-timing"] ?? "" };
        return route.fulfill({ path: join(otherBuild, "index.html"), headers });
      }
      const path = join(otherBuild, pathname);
      return existsSync(path) ? route.fulfill({ path }) : route.fulfill({ status: 404 });
    });
    // An event leads to the status.
    await changeSettings(agent, { device: { contact: `somebody ${Math.random()}` } });
    await sees(page, "Steward was updated");
  };

  const open = async (path: string) => {
    window = await browser.open(agent);
    const questions: string[] = [];
    window.page.on("dialog", (dialog) => {
      questions.push(dialog.type());
      void dialog.accept();
    });
    await signIn(window.page, "admin", path);
    return { page: window.page, questions };
  };
  const reload = (page: Page, place: Page | Locator = page, verb = "Reload") =>
    Promise.all([page.waitForEvent("load"), press(place, verb)]);
  const untilTyped = (field: Locator, text: string) =>
    until("it is typed again", async () => (await field.inputValue()) === text);
  const users = (page: Page) => page.getByRole("link", { name: "Users", exact: true });

  it("is loaded anew by the next step to a page whose file is gone, without an error", async () => {
    const { page, questions } = await open("/account?open=you");
    await untilShown(page.getByLabel("Display name"));
    await update(page);
    await users(page).click();
    await untilShown(page.getByRole("button", { name: otherVerb }));
    assert.equal(new URL(page.url()).pathname, "/users");
    assert.equal(await page.getByText("Steward was updated").count(), 0);
    assert.deepEqual(questions, []);
  });

  it("is loaded anew for a language whose texts are gone, and speaks it then", async () => {
    const { page, questions } = await open("/account?open=you");
    await untilShown(page.getByLabel("Display name"));
    await update(page);
    await press(page, /^Your account/);
    await Promise.all([page.waitForEvent("load"), page.getByRole("menu").getByText("Deutsch").click()]);
    await untilShown(page.getByLabel("Anzeigename"));
    assert.deepEqual(questions, []);
  });

  it("keeps what was typed into the settings over its reload, and what another administrator has saved", async () => {
    const { page, questions } = await open("/system/settings?open=console");
    const field = page.getByLabel("Text on the sign-in page");
    await field.fill("Pump house 7");
    await update(page);
    await reload(page);
    await untilTyped(field, "Pump house 7");
    assert.deepEqual(questions, []);
    await press(page, "Save");
    const stored = () => agent.read("/api/system");
    await until("it is saved", async () => (await stored()).console.banner === "Pump house 7");
    assert.match((await stored()).device.contact, /^somebody/);
    assert.equal(await page.evaluate(() => sessionStorage.getItem("steward-entries")), null);
  });

  for (const [what, path, label, giveUp] of [
    ["the device", "/system/device", "Host name", "Discard"],
    ["a user", "/users/log-reader", "Display name", "Cancel"],
    ["one's own account", "/account?open=you", "Display name", null],
  ] as const)
    it(`keeps the name of ${what}`, async () => {
      const { page, questions } = await open(path);
      await fill(page, { [label]: "pump-7" });
      await update(page);
      await reload(page);
      await untilTyped(page.getByLabel(label), "pump-7");
      assert.deepEqual(questions, []);
      if (giveUp === null) return;
      await press(page, giveUp);
      await page.reload();
      await untilShown(page.getByLabel(label));
      assert.notEqual(await page.getByLabel(label).inputValue(), "pump-7");
    });

  it("keeps what was typed into a sheet or a form that opens a part whose file is gone", async () => {
    const { page, questions } = await open("/users?user=new");
    const sheet = page.getByRole("dialog");
    await fill(sheet, { "User name": "ben" });
    await update(page);
    await reload(page, sheet, "Add several …");
    await untilTyped(sheet.getByLabel("User name"), "ben");
    await page.unrouteAll();
    await page.goto("/system/device");
    await fill(page, { "Host name": "pump-7" });
    await update(page);
    await reload(page, page, "Device sheet");
    await untilTyped(page.getByLabel("Host name"), "pump-7");
    // The browser itself asks before the one step that the test makes by an address.
    assert.deepEqual(questions, ["beforeunload"]);
  });

  it("asks first where something would be lost all the same, and gives nothing of it to another user of the same tab", async () => {
    const { page, questions } = await open("/account?open=you");
    const name = page.getByLabel("Display name");
    await name.fill("Ana");
    await update(page);
    await users(page).click();
    await press(page.getByRole("dialog"), "Stay");
    assert.deepEqual(questions, []);
    // As the other user would have left it: what is written while a page ends, Firefox does not give to the next.
    await page.evaluate(() => {
      const { setItem } = Storage.prototype;
      Storage.prototype.setItem = function (key, text) {
        setItem.call(this, key, text.replace(/"by":"[^"]+"/, '"by":"usr_of_another"'));
      };
    });
    await reload(page);
    await untilShown(name);
    assert.equal(await name.inputValue(), "");
  });
});
