import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { endOfSuite } from "../../lab/basics/ending.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import {
  type ConsoleWindow,
  consoleOf,
  fill,
  names,
  passwords,
  press,
  sees,
  signIn,
  untilShown,
} from "../../lab/console/browser.ts";
import { startGuardedPage } from "../../lab/console/guarded-page.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { assertReads } from "../../lab/console/page-checks.ts";

const valves = "https://edge-7.example.net:445";
const hebrew = "https://edge-7.example.net:446";
const hebrewTitle = "שסתומים!";

describe("the console's way to the pages of the product", () => {
  let pump: string;
  const pageEnding = endOfSuite();
  const { agent, browser, looks, ending } = consoleOf(async () => {
    const port = await heldPort();
    pump = (await startGuardedPage(pageEnding, port)).url;
    const [hostFile, version_file] = ["steward.json", "version"].map((name) =>
      join(scratchDirectory(), name),
    );
    const pages = [
      { name: "pump", title: { en: "Pump", de: "Pumpe" }, url: pump, role: "readonly" },
      { name: "valves", title: { en: "Valves" }, url: valves, role: "admin" },
      { name: "hebrew", title: { en: hebrewTitle }, url: hebrew, role: "operator" },
    ];
    const text = { en: "The pressure is {bar} bar.", de: "Der Druck ist {bar} bar." };
    const low = { code: "low", level: "failing", text, page: "pump", path: "/valves/3?a=1&b=2" };
    const empty = { code: "empty", level: "attention", text: { en: "The tank is empty." } };
    const heard = { units: ["pump.service"], reports: [low, empty] };
    const product = { name: "pump-7", sign_in: `http://127.0.0.1:${port}`, version_file, pages, ...heard };
    writeFileSync(String(version_file), "2.4.0\n");
    writeFileSync(String(hostFile), JSON.stringify({ product }));
    return startAgentInProcess({
      arguments: ["--host-file", String(hostFile), "--listen", `127.0.0.1:${port}`],
    });
  });
  const light = lightBrowser(ending);
  const row = (page: Page) => page.getByRole("navigation", { name: "pump-7" });
  const untilIn = (page: Page) =>
    untilShown(page.getByRole("heading", { name: `Pump of ${names.operator}` }));
  /** The page of the product is on another origin, and the console's own pages may not ask it. */
  const forgive = ({ complaints }: ConsoleWindow) =>
    void complaints.splice(0, Infinity, ...complaints.filter((one) => !one.startsWith(`request: ${pump}/`)));

  it("leads a person who comes to one through the sign-in, and back to where they were", async () => {
    const window = await browser.open(agent);
    const { page } = window;
    const there = `${pump}/valves/3?a=1&b=%C3%A4&to=//evil.example`;
    await page.goto(there);
    assert.equal(new URL(page.url()).origin, agent.url);
    await fill(page, { "User name": names.operator, Password: passwords.operator });
    await press(page, "Sign in");
    await untilIn(page);
    assert.equal(page.url(), there);
    await page.goto(agent.url);
    await page.locator(".verdict").waitFor();
    await page.goto(`${pump}/`);
    await untilIn(page);
    forgive(window);
  });

  it("leads there as well who must first choose a password", async () => {
    const body = { username: "fresh", role: "operator" };
    const { json } = await agent.call("POST", "/api/users", { body, local: true });
    const window = await browser.open(agent);
    const { page } = window;
    const there = `${pump}/valves/3?a=1`;
    await page.goto(there);
    await fill(page, { "User name": "fresh", Password: json.initial_password });
    await press(page, "Sign in");
    await fill(page, {
      "One-use password": json.initial_password,
      "New password": "lanterns under cold rivers",
    });
    await press(page, "Change password");
    await untilShown(page.getByRole("heading", { name: "Pump of fresh" }));
    assert.equal(page.url(), there);
    forgive(window);
  });

  it("leads there from Home and from the palette, without a word where one is signed in", async () => {
    const window = await browser.open(agent);
    const { page } = window;
    await signIn(page, "operator");
    await row(page).getByRole("link", { name: "Pump", exact: true }).click();
    await untilIn(page);
    await page.context().clearCookies({ name: /^steward-page-/ });
    await page.goto(agent.url);
    await untilShown(row(page));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("Pump");
    await untilShown(page.getByRole("option", { name: /^Pump/, selected: true }));
    await page.keyboard.press("Enter");
    await untilIn(page);
    assert.equal(page.url(), `${pump}/`);
    forgive(window);
  });

  it("leads to the place that helps with what the product reports, in the sentence of the host file", async () => {
    const socket = connect(join(agent.runDirectory, "product.sock"));
    for (const line of [{ need: "empty" }, { need: "low", numbers: { bar: 1.2 } }]) {
      socket.write(`${JSON.stringify(line)}\n`);
      const [answer] = await once(socket, "data");
      assert.deepEqual(JSON.parse(String(answer)), { status: "taken" });
    }
    socket.destroy();
    const window = await browser.open(agent);
    const { page } = window;
    await signIn(page, "operator");
    const need = page.getByRole("listitem").filter({ hasText: "The pressure is 1.2 bar" });
    const pageless = page.getByRole("listitem").filter({ hasText: "The tank is empty" });
    await untilShown(pageless);
    assert.equal(await pageless.getByRole("link").count(), 0);
    await need.getByRole("link", { name: "Open the page" }).click();
    await untilIn(page);
    assert.equal(page.url(), `${pump}/valves/3?a=1&b=2`);
    forgive(window);
  });

  it("goes to the address that the agent gives and to no other, whatever its own says", async () => {
    const window = await browser.open(agent);
    const { page } = window;
    await signIn(page, "operator");
    const given: string[] = [];
    await page.route("**/api/product/pages/pump/enter", async (route) => {
      const response = await route.fetch();
      given.push((await response.json()).location, `${pump}/`);
      await route.fulfill({ response });
    });
    const visited: string[] = [];
    page.on("request", (request) => {
      if (request.isNavigationRequest() && !request.url().startsWith(agent.url)) visited.push(request.url());
    });
    for (const to of [
      ...["//evil.example/x", "/\\evil.example", "https://evil.example/", "javascript:alert(1)"],
      ...["", `/${"a".repeat(2_000)}`],
    ]) {
      await page.goto(`/product/pump?to=${to}`, { waitUntil: "commit" });
      await page.waitForURL(`${pump}/`);
      await untilIn(page);
    }
    assert.deepEqual(visited, given);
    assert.ok(given[0]?.startsWith(`${pump}/.steward/enter?code=`), given[0]);
    forgive(window);
  });

  for (const [language, place, title, cause, home] of [
    [
      "en",
      "valves",
      "Your role does not allow this",
      /for a higher role than yours\. An administrator/,
      "Go to Home",
    ],
    [
      "en",
      "no-such",
      "This does not exist",
      /no page of the product with this name\. Home has/,
      "Go to Home",
    ],
    ["de", "valves", "Ihre Rolle erlaubt das nicht", /höhere Rolle als Ihre\. Ein Admin/, "Zur Startseite"],
    ["de", "no-such", "Das gibt es nicht", /mit diesem Namen\. Die Startseite hat/, "Zur Startseite"],
  ] as const)
    it(`says why the page ${place} does not open and what to do, and stays (${language})`, async () => {
      const page = await light.signedIn(agent, "operator", `/product/${place}?to=/x`, { language });
      await page.setViewportSize({ width: 320, height: 640 });
      const alert = page.getByRole("alert");
      await sees(alert, title, cause);
      assert.equal(new URL(page.url()).pathname, `/product/${place}`);
      looks.keep(page, `product-refused-${place}-${language}`, assertReads);
      await alert.getByRole("link", { name: home }).click();
      await untilShown(row(page));
    });

  for (const [role, language, expected] of [
    ["admin", "en", { Pump: () => pump, Valves: () => valves, [hebrewTitle]: () => hebrew }],
    ["operator", "de", { Pumpe: () => pump, [hebrewTitle]: () => hebrew }],
    ["readonly", "en", { Pump: () => pump }],
  ] as const)
    it(`has a button on Home for each page that the role ${role} may open (${language})`, async () => {
      const page = await light.signedIn(agent, role, "/", { language });
      await sees(row(page), "pump-7 2.4.0");
      const links = await row(page).getByRole("link").all();
      const shown = links.map(async (link) => [await link.innerText(), await link.getAttribute("href")]);
      const wanted = Object.entries(expected).map(([title, url]) => [title, `${url()}/`]);
      assert.deepEqual(await Promise.all(shown), wanted);
      await page.setViewportSize({ width: 320, height: 640 });
      looks.keep(page, `home-product-${role}-${language}`, async (drawn) => {
        await assertReads(drawn);
        if (role !== "readonly") assert.ok(await isMarkLeft(drawn), "the title runs as its language does");
      });
    });
});

/** In a title from right to left the mark at its end is on the left. */
function isMarkLeft(page: Page): Promise<boolean> {
  return page.getByText(hebrewTitle).evaluate((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const text = walker.nextNode() as Text;
    const [mark = 0, first = 0] = [text.data.indexOf("!"), 0].map((index) => {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + 1);
      return range.getBoundingClientRect().left;
    });
    return mark < first;
  });
}
