import assert from "node:assert/strict";
import { request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import {
  type ConsoleWindow,
  consoleOf,
  fill,
  names,
  passwords,
  signInByForm,
  untilShown,
} from "../../lab/console/browser.ts";
import { attackFrom, heardBy, pagePath, pageText } from "../../lab/console/same-origin-page.ts";

/** As nginx with one more `location`: the agent at every path except one, where another program's page is. */
async function startProxy(ending: { after: (end: () => Promise<void>) => void }, agent: RunningAgent) {
  const server = createServer((request, response) => {
    if (request.url === pagePath) return void response.setHeader("Content-Type", "text/html").end(pageText);
    const { method, url, headers } = request;
    const passed = ask(`${agent.url}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ending.after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe("a page of another program below a path of the console's origin", () => {
  const { agent, browser, ending } = consoleOf();
  let window: ConsoleWindow;
  let hostile: Page;
  const accountOf = (page: Page) => page.getByRole("button", { name: `Your account: ${names.operator}` });
  before(async () => {
    window = await browser.open(await startProxy(ending, agent), { isKept: true });
    hostile = await window.context.newPage();
    await hostile.goto(pagePath);
  });

  it("hears of a sign-in and of a renewal, and no token and no part of the secret beside the cookie", async () => {
    const { page } = window;
    const heard = await heardBy(hostile, async () => {
      await signInByForm(page, "operator", "/account");
      await page.reload();
      await untilShown(accountOf(page));
    });
    assert.match(heard, /"signed-in"/);
    assert.doesNotMatch(heard, /eyJ|srb_|str_|access_token|binding/);
  });

  it("finds the stored half of that secret, not the half of documents, and gets no token (stolen session)", async () => {
    const stored = await hostile.evaluate(() => localStorage.getItem("steward-refresh-binding"));
    assert.match(stored ?? "", /^srb_[A-Za-z0-9_-]{22}$/);
    assert.deepEqual(await attackFrom(hostile), { status: 401, token: null, ofDocuments: [] });
    const { items } = await agent.read("/api/events?type=session.cookie_refused");
    assert.equal(items[0]?.subject.name, names.operator);
  });

  it("leaves the person signed out, and signs them in again as ever", async () => {
    const { page } = window;
    await page.reload();
    await untilShown(page.getByRole("heading", { name: "Sign in", level: 1 }));
    await fill(page, { "User name": names.operator, Password: passwords.operator });
    await page.getByRole("button", { name: "Sign in" }).click();
    await untilShown(accountOf(page));
    await page.goto(pagePath);
    await page.goto("/account");
    await untilShown(accountOf(page));
  });
});
