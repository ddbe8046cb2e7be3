import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page, Request } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { counted, sampled } from "../../lab/basics/counts.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { until } from "../../lab/basics/until.ts";
import {
  changeSettings,
  endOfConsole,
  names,
  signIn,
  startBrowser,
  type TestBrowser,
  untilShown,
} from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import type { Role } from "../../src/contract/types.ts";

/** Notes the page's requests to the agent from now on; `isQuiet`: all are answered. */
function listenTo(page: Page): { readonly asked: string[]; isQuiet(): boolean } {
  const asked: string[] = [];
  const open = new Set<Request>();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith("/api/")) return;
    asked.push(`${request.method()} ${pathname}`);
    if (!pathname.endsWith("/stream")) open.add(request);
  });
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  // Requests of the former page end without an event.
  page.on("domcontentloaded", () => open.clear());
  return { asked, isQuiet: () => open.size === 0 };
}

/** Lets the page's own clock run for so long, with the answers of the agent in between. */
async function idle(page: Page, minutes: number, isQuiet: () => boolean): Promise<void> {
  for (let passed = 0; passed < minutes * 60; passed += 10) {
    await page.clock.runFor(10_000);
    await until("every answer", async () => {
      await page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())));
      return isQuiet();
    });
  }
}

describe("a console that stays open", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  let agent: RunningAgent;
  let browser: TestBrowser;
  let chromium: TestBrowser;
  let listen: { arguments: string[] };
  before(async () => {
    listen = { arguments: ["--listen", `127.0.0.1:${await heldPort()}`] };
    ({ agent, browser } = await startLightConsole(ending, () => startAgentInProcess(listen)));
    chromium = await startBrowser(ending);
  });

  const change = async (id: string, body: object): Promise<void> => {
    const { status, text } = await agent.call("PUT", `/api/users/${id}`, { body, local: true });
    assert.equal(status, 200, text);
  };

  const idOf = async (name: string): Promise<string> => {
    const { json } = await agent.call("GET", "/api/users", { local: true });
    const { items } = json as { items: { id: string; username: string }[] };
    return items.find(({ username }) => username === name)?.id ?? "";
  };

  it("asks less than twice a minute for any page, and goes on asking", async (test) => {
    const minutes = 5;
    const visits = counted<readonly (readonly [Role, readonly string[]])[]>({
      usual: [["admin", sampled(["/", "/users", "/system", "/updates"], { oneIn: 2 })]],
      all: [
        ["admin", ["/", "/users", "/system", "/updates", "/account", "/system/settings", "/system/history"]],
        ["readonly", ["/system", "/updates"]],
      ],
    });
    for (const [role, paths] of visits) {
      const { page } = await chromium.open(agent, { now: Date.now() });
      const { asked, isQuiet } = listenTo(page);
      await signIn(page, role);
      for (const path of paths) {
        await page.goto(path);
        await page.locator("main h1").first().waitFor();
        // The visit's own requests, and those that follow from its sign-in, do not count.
        await idle(page, 1, isQuiet);
        asked.length = 0;
        await idle(page, minutes, isQuiet);
        test.diagnostic(`${role} ${path}: ${asked.length} requests in ${minutes} minutes`);
        assert.ok(asked.length < 2 * minutes, `${path}: ${asked.join(", ")}`);
        assert.ok(asked.includes("GET /api/status"), `${path} asks for nothing: is it alive?`);
      }
    }
  });

  it("asks for nothing out of sight, and at once when it is in sight again", async () => {
    const { page } = await chromium.open(agent, { now: Date.now() });
    const { asked, isQuiet } = listenTo(page);
    await signIn(page, "admin", "/system");
    await idle(page, 1, isQuiet);
    const look = (state: string) =>
      page.evaluate((to) => {
        Object.defineProperty(document, "visibilityState", { value: to, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    await look("hidden");
    asked.length = 0;
    await idle(page, 5, isQuiet);
    assert.equal(asked.length, 0, asked.join(", "));
    await look("visible");
    await until("it asks", async () => asked.length > 2);
    for (const path of ["/api/status", "/api/system/time-sync", "/api/system/facts"])
      assert.ok(asked.includes(`GET ${path}`), `${path} is not among ${asked.join(", ")}`);
  });

  it("asks once for what many show, and shows what it knows while it asks again", async () => {
    const { page } = await browser.open(agent);
    const { asked } = listenTo(page);
    await signIn(page, "admin", "/updates");
    const head = page.getByRole("heading", { name: "Updates", level: 1 });
    await head.waitFor();
    await untilShown(page.locator("main section").first());
    assert.equal(asked.filter((one) => one === "GET /api/updates").length, 1, asked.join(", "));
    await page.getByRole("link", { name: "System", exact: true }).click();
    await page.getByRole("heading", { name: "System", level: 1 }).waitFor();
    let letGo: (value?: unknown) => void = () => undefined;
    const held = new Promise((resolve) => {
      letGo = resolve;
    });
    await page.route("**/api/updates*", async (route) => {
      await held;
      await route.continue();
    });
    const again = page.waitForRequest("**/api/updates/history*");
    await page.getByRole("link", { name: "Updates", exact: true }).click();
    await again;
    await untilShown(page.locator("main section").first());
    letGo();
  });

  it("shows what another user has done, by the one stream", async () => {
    const id = await idOf(names.operator);
    const { page } = await browser.open(agent);
    const { asked } = listenTo(page);
    await signIn(page, "admin", "/users");
    const row = page.getByRole("row", { name: /\bana Operator/ });
    await row.getByText("active").waitFor();
    await until("the stream", async () => asked.includes("GET /api/events/stream"));
    await change(id, { enabled: false });
    await row.getByText("disabled").waitFor();
    await change(id, { enabled: true });
    await row.getByText("active").waitFor();
    assert.equal(asked.filter((one) => one.endsWith("/stream")).length, 1);
  });

  it("shows nothing as good while the device is away, says what it knows from when, and reads it anew", async () => {
    const { page } = await browser.open(agent);
    const { asked } = listenTo(page);
    // Without a name or a receiver of messages the host would need a person, and nothing here be good.
    const device = { name: "vm", not_needed: ["no_receiver"] };
    await changeSettings(agent, { device });
    await signIn(page, "admin", "/users");
    await page.getByRole("button", { name: "Add user" }).waitFor();
    await page.getByRole("link", { name: "System", exact: true }).click();
    const good = page.locator(".frame .badge.good");
    await good.first().waitFor();
    await agent.stop();
    await page.getByText(/Reconnecting … You see what was known at \d/).waitFor();
    assert.equal(await good.count(), 0, "something is shown as good");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      looks.keep(page, `live-away-${colorScheme}`, async (drawn) => {
        const filter = await drawn.locator("main").evaluate((main) => getComputedStyle(main).filter);
        assert.equal(filter, "grayscale(1)");
      });
    }
    await page.getByRole("link", { name: "Users", exact: true }).click();
    await page.getByRole("button", { name: "Add user" }).click();
    const add = page.getByRole("dialog").getByRole("button", { name: "Add user" });
    await add.and(page.locator("[aria-disabled=true]")).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "System", exact: true }).click();
    asked.length = 0;
    const again = await startAgentInProcess({ ...listen, stateDirectory: agent.stateDirectory });
    ending.after(() => again.dispose());
    await good.first().waitFor();
    for (const path of ["/api/status", "/api/system/facts"])
      await until(`it reads ${path} anew`, () => asked.includes(`GET ${path}`));
  });
});
