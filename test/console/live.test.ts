import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page, Request } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { counted, sampled } from "../../lab/basics/counts.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { until } from "../../lab/basics/until.ts";
import {
  changeSettings,
  names,
  press,
  sees,
  signIn,
  startBrowser,
  type TestBrowser,
  untilShown,
} from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { holdAnswers } from "../../lab/console/page-checks.ts";
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

const paths = ["/", "/users", "/system", "/updates"];

describe("a console that stays open", () => {
  let listen: { arguments: string[] };
  const { agent, browser, ending, looks } = lightConsoleOf(async () => {
    listen = { arguments: ["--listen", `127.0.0.1:${await heldPort()}`] };
    return startAgentInProcess(listen);
  });
  let chromium: TestBrowser;
  before(async () => {
    chromium = await startBrowser(ending);
  });

  const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
  /** A window with a clock of its own, and what it asks for. */
  const openIdle = async (role: Role, path: string) => {
    const { page } = await chromium.open(agent, { now: Date.now() });
    const listening = listenTo(page);
    await signIn(page, role, path);
    return { page, ...listening };
  };

  it("asks less than twice a minute for any page, and goes on asking", async (test) => {
    const minutes = 5;
    const visits = counted<readonly (readonly [Role, readonly string[]])[]>({
      usual: [["admin", sampled(paths, { oneIn: 2 })]],
      all: [
        ["admin", [...paths, "/account", "/system/settings", "/system/history"]],
        ["readonly", ["/system", "/updates"]],
      ],
    });
    for (const [role, visited] of visits) {
      const { page, asked, isQuiet } = await openIdle(role, "/");
      for (const path of visited) {
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
    const { page, asked, isQuiet } = await openIdle("admin", "/system");
    await idle(page, 1, isQuiet);
    const look = (state: string) =>
      page.evaluate((to) => {
        Object.defineProperty(document, "visibilityState", { value: to, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    await look("hidden");
    asked.length = 0;
    await idle(page, 5, isQuiet);
    assert.equal(asked.length, 0, asked.join());
    await look("visible");
    for (const path of ["/api/status", "/api/system/time-sync", "/api/system/facts"])
      await until(`it asks for ${path}`, () => asked.includes(`GET ${path}`));
  });

  it("asks once for what many show, shows what it knows while it asks again, and what another has done, by one stream", async () => {
    const { page } = await browser.open(agent);
    const { asked } = listenTo(page);
    await signIn(page, "admin", "/updates");
    await untilShown(page.locator("main section").first());
    assert.equal(asked.filter((one) => one === "GET /api/updates").length, 1, asked.join(", "));
    await link(page, "Users").click();
    const row = page.getByRole("row", { name: /\bana Operator/ });
    await sees(row, "active");
    await until("the stream", async () => asked.includes("GET /api/events/stream"));
    const [{ id }] = (await agent.read(`/api/users?q=${names.operator}`)).items;
    for (const [enabled, state] of [
      [false, "disabled"],
      [true, "active"],
    ] as const) {
      await agent.call("PUT", `/api/users/${id}`, { body: { enabled }, local: true });
      await sees(row, state);
    }
    assert.equal(asked.filter((one) => one.endsWith("/stream")).length, 1);
    const letGo = await holdAnswers(page, "**/api/updates*");
    const again = page.waitForRequest("**/api/updates/history*");
    await link(page, "Updates").click();
    await again;
    await untilShown(page.locator("main section").first());
    letGo();
  });

  it("shows nothing as good while the device is away, says what it knows from when, and reads it anew", async () => {
    const { page } = await browser.open(agent);
    const { asked } = listenTo(page);
    // Without a name or a receiver of messages the host would need a person, and nothing here be good.
    await changeSettings(agent, { device: { name: "vm", not_needed: ["no_receiver"] } });
    await signIn(page, "admin", "/users");
    await page.getByRole("button", { name: "Add user" }).waitFor();
    await link(page, "System").click();
    const good = page.locator(".frame .badge.good");
    await good.first().waitFor();
    await agent.stop();
    await sees(page, /Reconnecting … You see what was known at \d/);
    assert.equal(await good.count(), 0, "something is shown as good");
    looks.keep(page, "live-away", async (drawn) => {
      const filter = await drawn.locator("main").evaluate((main) => getComputedStyle(main).filter);
      assert.equal(filter, "grayscale(1)");
    });
    await link(page, "Users").click();
    await press(page, "Add user");
    const add = page.getByRole("dialog").getByRole("button", { name: "Add user" });
    await add.and(page.locator("[aria-disabled=true]")).waitFor();
    await page.keyboard.press("Escape");
    await link(page, "System").click();
    asked.length = 0;
    const again = await startAgentInProcess({ ...listen, stateDirectory: agent.stateDirectory });
    ending.after(() => again.dispose());
    await good.first().waitFor();
    for (const path of ["/api/status", "/api/system/facts"])
      await until(`it reads ${path} anew`, () => asked.includes(`GET ${path}`));
  });
});
