import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import {
  type ConsoleWindow,
  consoleOf,
  fill,
  names,
  passwords,
  signIn,
  untilShown,
} from "../../lab/console/browser.ts";

const accountOf = (page: Page, name: string) => page.getByRole("button", { name: `Your account: ${name}` });
const sentence =
  /cookie in this browser belongs to another sign-in .* another program at this address .* Sign in again\./;

/** Another program on the agent's host: its page is on the same address, on another port. */
async function startOtherProgram(ending: { after: (end: () => Promise<void>) => void }) {
  const received: string[] = [];
  /** The cookies that its page sets next. */
  let planted: string[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers.cookie ?? "");
    response.setHeader("Set-Cookie", planted);
    response.setHeader("Content-Type", "text/html");
    response.end("<h1>Another program</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ending.after(() => new Promise((resolve) => server.close(() => resolve())));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let page: Page | undefined;
  /** Has its page, beside the console's, ask it below the path of our cookie; what came along. */
  const visit = async ({ context, complaints }: ConsoleWindow, ...cookies: string[]): Promise<string> => {
    if (page === undefined) {
      page = await context.newPage();
      await page.goto(url);
    }
    planted = cookies;
    await page.evaluate(() => fetch("/api/auth/anything").then((answer) => answer.text()));
    // Its own page may ask it, unlike the console's.
    complaints.splice(0, Infinity, ...complaints.filter((one) => !one.startsWith(`request: ${url}/`)));
    return received.at(-1) ?? "";
  };
  return { visit };
}

describe("a page on another port of the device's address", () => {
  const { agent, browser, ending } = consoleOf();
  /** The operator's. */
  let window: ConsoleWindow;
  let other: Awaited<ReturnType<typeof startOtherProgram>>;
  /** The cookie of its own account's sign-in. */
  const ownCookie = async (): Promise<string> => {
    const body = { username: names.readonly, password: passwords.readonly, refresh: "cookie" };
    const { headers } = await agent.call("POST", "/api/auth/login", { body });
    return [headers["set-cookie"] ?? []].flat()[0]?.split(";")[0] ?? assert.fail("no cookie");
  };
  before(async () => {
    window = await browser.open(agent, { isKept: true });
    await signIn(window.page, "operator", "/account?open=you");
    other = await startOtherProgram(ending);
  });

  it("receives the operator's cookie, and gets no session for it (stolen by a request to itself)", async () => {
    const cookie = await other.visit(window);
    assert.match(cookie, /^steward-refresh-[0-9a-f]{8}=str_/, "cookies know no ports");
    const forged = { cookie, "sec-fetch-site": "same-origin", origin: agent.url };
    for (const headers of [forged, { ...forged, "x-refresh-binding": `srb_${"A".repeat(22)}` }]) {
      const { status, json } = await agent.call("POST", "/api/auth/refresh", { body: {}, headers });
      assert.deepEqual([status, json.code, json.reason], [401, "invalid_token", "binding"]);
    }
    await window.page.reload();
    await untilShown(accountOf(window.page, names.operator));
  });

  it("plants it beside the operator's, for a longer path, and the operator goes on", async () => {
    await other.visit(window, `${await ownCookie()}; Path=/api/auth/refresh; HttpOnly`);
    await window.page.reload();
    await untilShown(window.page.getByLabel("Display name"));
    assert.equal(await accountOf(window.page, names.readonly).count(), 0);
    await window.context.clearCookies({ path: "/api/auth/refresh" });
  });

  it("plants it in mid-work: the question over the page says why, and is for the operator alone", async () => {
    const { page } = window;
    const { items } = await agent.read("/api/users");
    const id = items.find(({ username }: { username: string }) => username === names.operator).id;
    await other.visit(window, `${await ownCookie()}; Path=/api/auth; HttpOnly`);
    await agent.call("DELETE", `/api/users/${id}/sessions`, { local: true });
    await page.getByLabel("Display name").fill("typed before");
    await page.getByRole("button", { name: "Save" }).dispatchEvent("click");
    const ended = page.getByRole("dialog", { name: "Your session has ended" });
    await untilShown(ended.getByRole("alert").getByText(sentence));
    await ended.getByLabel("Password", { exact: true }).fill(passwords.operator);
    await ended.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Saved").waitFor();
    await untilShown(accountOf(page, names.operator));
  });

  it("plants the cookie of its own account, and the operator is signed out, and not in as another user (session fixation)", async () => {
    const { page } = window;
    await other.visit(window, `${await ownCookie()}; Path=/api/auth; HttpOnly`);
    await page.reload();
    await untilShown(page.getByRole("heading", { name: "Sign in", level: 1 }));
    await untilShown(page.getByRole("alert").getByText(sentence));
    assert.equal(await accountOf(page, names.readonly).count(), 0);
    assert.deepEqual(await window.context.cookies(`${agent.url}/api/auth/`), [], "it is taken back");
    await fill(page, { "User name": names.operator, Password: passwords.operator });
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator(".frame").waitFor();
    await page.reload();
    await untilShown(accountOf(page, names.operator));
  });
});
