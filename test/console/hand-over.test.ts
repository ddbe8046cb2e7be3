import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentUnderName } from "../../lab/agents/agent-under-name.ts";
import {
  changeSettings,
  confirmPassword,
  consoleOf,
  fill,
  press,
  untilShown,
} from "../../lab/console/browser.ts";
import { assertFits, assertReads, assertSound } from "../../lab/console/page-checks.ts";
import { cardOf, openUsers, passwordOn, userNamed } from "../../lab/console/users-steps.ts";
import { addressForOthers } from "../../src/console/print/way-in.tsx";
import type { Tls } from "../../src/contract/types.ts";

describe("the address that others are given", () => {
  const [bare, local] = ["https://edge-7:8443", "https://edge-7.local:8443"];
  const tls = (...urls: string[]) => ({ listening: urls.length > 0, urls }) as unknown as Tls;
  const all = tls(bare, local, "https://192.0.2.7:8443");
  // It is the one of HTTPS on the LAN if this page's leads every computer to itself; else that of this page.
  const loopbacks = [
    "http://localhost:8470",
    "http://edge.localhost",
    "http://127.0.0.1:8470",
    "http://[::1]:8470",
  ];
  for (const [origin, given, expected] of [
    ...loopbacks.flatMap((one) => [[one, all, `${local}/`] as const, [one, tls(), null] as const]),
    ["http://127.0.0.1:8470", null, null],
    ["http://127.0.0.1:8470", tls(bare), `${bare}/`],
    ...[
      "https://box.example.net",
      "http://192.0.2.7",
      "https://localhost.example:1",
      "http://127.example",
    ].map((one) => [one, all, `${one}/`] as const),
  ] as const)
    it(`is ${expected} where the page is at ${origin}, and HTTPS at ${given?.urls.length} addresses`, () =>
      assert.equal(addressForOthers(origin, given), expected));
});

/** Letters from right to left, with figures and a bracket that would change sides. */
const awkwardName = "לוי (night) 24";

describe("the card that hands over the access of a user", () => {
  const { agent, browser, ending } = consoleOf(async () => (await startAgentUnderName(ending)).agent);
  let address: string;
  before(async () => {
    const { urls } = (await agent.read("/api/system/tls")) as Tls;
    address = `${urls.find((url) => url.includes(".local:"))}/`;
    await changeSettings(agent, { device: { name: "Mühle 7" } });
  });

  const form = (page: Page) => page.getByRole("dialog", { name: "Add user" });
  const isGone = (page: Page) => page.getByRole("dialog").waitFor({ state: "detached" });
  /** With the password of the administrator only the first time on a page. */
  const add = async (page: Page, username: string, name = ""): Promise<void> => {
    await fill(form(page), { "User name": username, "Display name": name });
    await press(form(page), "Add user");
    const question = page.getByRole("dialog", { name: "Confirm that it is you" });
    await question.or(cardOf(page, username)).first().waitFor();
    if ((await question.count()) > 0) await confirmPassword(page, "admin");
    await untilShown(cardOf(page, username));
  };
  const open = async (options: Parameters<typeof openUsers>[2] = {}): Promise<Page> =>
    (await openUsers(browser, agent, { path: "/users?user=new", ...options })).page;

  it("shows where to sign in, and with what, and copies it as text", async () => {
    const page = await open();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await add(page, "levi", awkwardName);
    const card = cardOf(page, "levi");
    const password = await passwordOn(card);
    await press(page, "Copy: Access for levi");
    await page.getByRole("status").getByText("Copied").waitFor();
    await untilShown(card.getByRole("img", { name: `QR code of the address ${address}` }));
    assert.equal(await card.locator("bdi", { hasText: awkwardName }).count(), 1, "the name is not isolated");
    const body = { username: "levi", password };
    const { status, json } = await agent.call("POST", "/api/auth/login", { body });
    assert.deepEqual([status, json.user.must_change_password], [200, true]);
    await press(page, "Done");
    // A field of several lines takes what was copied as it is.
    await page.evaluate(() => {
      const field = Object.assign(document.createElement("textarea"), { id: "pasted" });
      document.body.append(field);
    });
    await page.locator("#pasted").press("ControlOrMeta+v");
    const lines = ["Device: Mühle 7", `Name: ${awkwardName}`, `Address: ${address}`, "User name: levi"];
    const copied = [...lines, `One-use password: ${password}`].join("\n");
    assert.equal(await page.locator("#pasted").inputValue(), copied);
  });

  it("goes on to another user, keeps all cards until they are handed over, and asks before that", async () => {
    const page = await open();
    await add(page, "first.one");
    await press(page, "Add another");
    assert.equal(await form(page).getByLabel("User name").inputValue(), "");
    await press(form(page), "Cancel");
    await press(page, "Add another");
    await add(page, "second.one");
    const made = [];
    for (const username of ["first.one", "second.one"]) made.push(await passwordOn(cardOf(page, username)));
    assert.equal(new Set(made).size, 2);
    await page.getByRole("dialog", { name: "Access for 2 people" }).waitFor();
    await page.keyboard.press("Escape");
    await press(page.getByRole("dialog", { name: "Shown only this once" }), "Stay");
    await press(page, "Done");
    await isGone(page);
    assert.equal(new URL(page.url()).search, "");
  });

  it("has no password where one was typed, and is closed without a question", async () => {
    const page = await open();
    await form(page).getByRole("radio", { name: "Type a password" }).check();
    await fill(form(page), { "New password": "seven slow herons wade" });
    await add(page, "typed.one");
    const text = await cardOf(page, "typed.one").innerText();
    assert.match(text, /as agreed/);
    assert.doesNotMatch(text, /herons|password of your own/);
    await page.keyboard.press("Escape");
    await isGone(page);
    assert.equal((await userNamed(agent, "typed.one")).must_change_password, false);
  });

  it("fits a phone, and is printed on paper of its own, black on white, in a dark browser", async () => {
    const page = await open({ scheme: "dark", width: 390, height: 780 });
    await add(page, "on.paper", awkwardName);
    await press(page, "Add another");
    await add(page, "also.paper");
    await assertSound(page, "hand-over-phone-dark");
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 794, height: 1123 });
    await assertFits(page);
    const text = await page.locator("body").innerText();
    for (const username of ["on.paper", "also.paper"])
      for (const word of [`Access for ${username}`, await passwordOn(cardOf(page, username)), "Mühle 7"])
        assert.ok(text.includes(word), `${word} is missing:\n${text}`);
    assert.doesNotMatch(text, /Done|Copy|Print|Hand|Users\n/);
    const looks = await page.locator(".paper").evaluateAll((papers) =>
      papers.map((paper) => {
        const { color, breakInside } = getComputedStyle(paper);
        return [color, breakInside, getComputedStyle(document.body).backgroundColor].join();
      }),
    );
    const black = "rgb(0, 0, 0),avoid,rgb(255, 255, 255)";
    assert.deepEqual(looks, [black, black]);
    // The paper of a label printer, between its margins.
    await page.setViewportSize({ width: 272, height: 780 });
    await assertReads(page);
    const labels = await page.pdf({ width: "80mm", height: "200mm" });
    assert.equal(labels.toString("latin1").match(/\/Type \/Page\b/g)?.length, 2, "a page for each card");
  });
});
