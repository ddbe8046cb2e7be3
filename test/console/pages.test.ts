import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { consolePaths } from "../../src/contract/schemas/console.ts";
import type { Role } from "../../src/contract/types.ts";
import { counted } from "../counts.ts";
import type { RunningAgent } from "../running-agent.ts";
import { until } from "../until.ts";
import { endOfConsole, names, passwords, signIn, startConsole, type TestBrowser } from "./browser.ts";
import { assertFits, axe, whole } from "./page-checks.ts";

type ConsolePath = (typeof consolePaths)[number];

/** Where each role comes to by a link that does not lead where it may go. */
const elsewhere: Record<Role, Partial<Record<ConsolePath, ConsolePath>>> = {
  admin: {},
  operator: { "/setup": "/", "/users": "/system" },
  readonly: { "/setup": "/", "/users": "/system", "/system/events": "/system/logs" },
};

const atHome = /^\d things need (you|an administrator)\.$/;

const headings: Partial<Record<ConsolePath, RegExp | string>> = {
  "/": atHome,
  "/setup": "Set up this device",
  "/users": "Users",
  "/updates": "Updates",
  "/account": "Your account",
};

/** Who is offered what, by the contract; on a device without a time server and without a repository. */
const offers: [path: ConsolePath, kind: "button" | "link", name: string | RegExp, roles: Role[]][] = [
  ["/users", "button", "Add user", ["admin"]],
  ["/system", "link", "Users", ["admin"]],
  ["/system", "link", "Settings", ["admin", "operator", "readonly"]],
  ["/system", "link", "Events", ["admin", "operator"]],
  ["/system", "link", "Open the time settings", ["admin", "operator"]],
  ["/system", "button", "Set the device's clock to this browser's time", ["admin"]],
  ["/updates", "button", "Check now", ["admin", "operator"]],
  ["/account", "button", "Create token", ["admin", "operator", "readonly"]],
];

type Look = "light" | "dark" | "dark at 360 px";

const everyLook: readonly Look[] = ["light", "dark", "dark at 360 px"];

/**
 * How axe-core looks at the pages of each role. Usually at an administrator's by light and at a reader's by night: what
 * an operator sees is a part of the former, in texts of the latter.
 */
const looks = counted<Record<Role, readonly Look[]>>({
  usual: { admin: ["light"], operator: [], readonly: ["dark at 360 px"] },
  all: { admin: everyLook, operator: everyLook, readonly: everyLook },
});

/** Whose pages are tried on a phone; an operator's are an administrator's, with less on them. */
const fitted = counted<readonly Role[]>({
  usual: ["admin", "readonly"],
  all: ["admin", "operator", "readonly"],
});

/** Pages that a reader does not see: an administrator's, by night as well. */
const looksAt = (role: Role, path: ConsolePath): readonly Look[] =>
  role === "admin" && path in elsewhere.readonly ? [...looks.admin, "dark at 360 px"] : looks[role];

describe("the console's pages", () => {
  const ending = endOfConsole();
  let agent: RunningAgent;
  let browser: TestBrowser;
  before(async () => {
    ({ agent, browser } = await startConsole(ending));
  });

  for (const role of ["admin", "operator", "readonly"] as const) {
    describe(`for the role ${role}`, () => {
      let page: Page;
      let complaints: string[];
      before(async () => {
        ({ page, complaints } = await browser.open(agent));
        await signIn(page, role);
      });

      for (const path of consolePaths) {
        const there = elsewhere[role][path] ?? path;
        it(`${path} can be linked to and leads to ${there}`, async () => {
          await page.setViewportSize({ width: 1280, height: 800 });
          await page.goto(path);
          await whole(page);
          assert.equal(new URL(page.url()).pathname, there);
          const name = headings[there] ?? "System";
          await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
          for (const [at, kind, name, roles] of offers.filter(([at]) => at === there)) {
            const count = await page.getByRole(kind, { name, exact: true }).count();
            assert.equal(count > 0, roles.includes(role), `${name} at ${at} for ${role}`);
          }
        });

        // Where a link leads elsewhere, the page there has its own turn.
        if (there !== path || !fitted.includes(role)) continue;
        it(`${path} fits a phone; faults that axe-core finds: none (${looksAt(role, path).join(", ") || "not asked"})`, async () => {
          const ask = async (look: Look) => {
            if (looksAt(role, path).includes(look)) assert.deepEqual(await axe(page), [], look);
          };
          await ask("light");
          await page.emulateMedia({ colorScheme: "dark" });
          await ask("dark");
          await page.setViewportSize({ width: 360, height: 740 });
          await ask("dark at 360 px");
          await assertFits(page);
          await page.emulateMedia({ colorScheme: "light" });
        });
      }

      it("goes back and forward through them", async () => {
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.goto("/updates");
        await whole(page);
        await page.getByRole("link", { name: "System", exact: true }).click();
        await page.getByRole("link", { name: "Settings", exact: true }).click();
        await page.waitForURL("**/system/settings");
        await page.goBack();
        await page.waitForURL("**/system");
        await page.goBack();
        await page.getByRole("heading", { name: "Updates", level: 1 }).waitFor();
        await page.goForward();
        await page.getByRole("heading", { name: "System", level: 1 }).waitFor();
        assert.equal(new URL(page.url()).pathname, "/system");
      });

      it("brings no error, no violation of the policy and no request to elsewhere", () => {
        assert.deepEqual(complaints, []);
      });
    });
  }

  it("can be worked with by the keyboard alone: sign in, add a user, sign out", async () => {
    const { page, complaints } = await browser.open(agent);
    await page.goto("/");
    await page.getByLabel("User name").waitFor();
    const type = (text: string) => page.keyboard.type(text);
    const press = (key: string) => page.keyboard.press(key);
    await type(names.admin);
    await tabTo(page, "Password");
    await type(passwords.admin);
    await press("Enter");
    await page.getByRole("heading", { name: atHome, level: 1 }).waitFor();
    await tabTo(page, "Users");
    await press("Enter");
    await page.getByRole("heading", { name: "Users", level: 1 }).waitFor();
    await tabTo(page, "Add user");
    await press("Enter");
    const sheet = page.getByRole("dialog", { name: "Add user" });
    await sheet.waitFor();
    await tabTo(page, "User name");
    await type("by-keyboard");
    await tabTo(page, "Add user");
    await press("Enter");
    await page.getByRole("dialog", { name: "One-use password of by-keyboard" }).waitFor();
    await tabTo(page, "Done");
    await press("Enter");
    await page.getByRole("cell", { name: "by-keyboard", exact: true }).waitFor();
    await tabTo(page, "Your account: root-admin");
    await press("Enter");
    await until("the menu has the keyboard", async () => (await focused(page)) === "Your account");
    for (let tries = 0; tries < 6 && (await focused(page)) !== "Sign out"; tries += 1)
      await press("ArrowDown");
    await press("Enter");
    await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("speaks German when it is told to, and goes on doing so", async () => {
    const { page } = await browser.open(agent);
    await signIn(page, "admin", "/system/settings");
    await page.getByLabel("Contact").fill("typed");
    await page.getByRole("button", { name: "Your account: root-admin" }).click();
    await page.getByRole("menuitem", { name: "Deutsch" }).click();
    await page.getByRole("heading", { name: "Zeit", level: 2 }).waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    assert.equal(await page.getByLabel("Ansprechpartner").inputValue(), "typed", "nothing typed is lost");
    await page.getByRole("button", { name: "Verwerfen" }).click();
    // The last that a page is told of.
    const needs = page.getByText("Der Uhr wird nicht vertraut.");
    await needs.waitFor();
    const inPlace = await page.locator(".frame").innerText();
    await page.reload();
    await page.getByRole("heading", { name: "Zeit", level: 2 }).waitFor();
    await needs.waitFor();
    assert.equal(await page.locator(".frame").innerText(), inPlace);
    await page.goto("/system");
    await whole(page);
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
  });

  it("says at the sign-in that the agent is in rescue", async () => {
    const { page } = await browser.open(agent);
    await page.route("/api/console", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), rescue: true } });
    });
    await page.goto("/users");
    await page.getByText("The stored state of this device is damaged").waitFor();
    assert.deepEqual(await axe(page), []);
  });

  it("moves nothing for users who ask for reduced motion, and something for others", async () => {
    const { page } = await browser.open(agent);
    await signIn(page, "admin", "/users");
    await page.evaluate(() => {
      const moved: string[] = [];
      Object.assign(globalThis, { moved });
      for (const kind of ["animationstart", "transitionrun"] as const) {
        document.addEventListener(kind, ({ target }) => {
          const { animationDuration, transitionDuration } = getComputedStyle(target as Element);
          const isLasting = [animationDuration, transitionDuration].some((one) => Number.parseFloat(one) > 0);
          if (isLasting) moved.push(`${kind} of ${(target as Element).className}`);
        });
      }
    });
    const moved = async () => {
      await page.getByRole("button", { name: "Add user" }).click();
      await page.getByRole("dialog", { name: "Add user" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Add user" }).waitFor({ state: "detached" });
      return page.evaluate(() => (globalThis as unknown as { moved: string[] }).moved.splice(0));
    };
    assert.deepEqual(await moved(), []);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await until("something moves", async () => (await moved()).length > 0);
  });
});

/** The name of what has the keyboard, as a screen reader says it. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const one = document.activeElement;
    const field = one as HTMLInputElement | null;
    return one?.getAttribute("aria-label") ?? field?.labels?.[0]?.innerText ?? one?.textContent?.trim() ?? "";
  });
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to "${name}", but at last to "${await focused(page)}"`);
}
