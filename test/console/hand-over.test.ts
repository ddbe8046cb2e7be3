import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { startAgentUnderName } from "../../lab/agents/agent-under-name.ts";
import { changeSettings, consoleOf, passwords, untilShown } from "../../lab/console/browser.ts";
import { assertFits, assertReads, axe, picture } from "../../lab/console/page-checks.ts";
import { cardOf, openUsers, passwordOn, userNamed } from "../../lab/console/users-steps.ts";
import { addressForOthers } from "../../src/console/print/way-in.tsx";
import type { Tls } from "../../src/contract/types.ts";

describe("the address that others are given", () => {
  const tls = {
    listening: true,
    urls: ["https://edge-7:8443", "https://edge-7.local:8443", "https://192.0.2.7:8443"],
  } as unknown as Tls;

  it("is the one of HTTPS on the LAN where this page's leads every computer to itself", () => {
    for (const origin of [
      "http://localhost:8470",
      "http://edge.localhost",
      "http://127.0.0.1:8470",
      "http://[::1]:8470",
    ]) {
      assert.equal(addressForOthers(origin, tls), "https://edge-7.local:8443/", origin);
      assert.equal(addressForOthers(origin, { ...tls, listening: false }), null, origin);
      assert.equal(addressForOthers(origin, null), null, origin);
    }
  });

  it("is a name without a dot where HTTPS has no other", () => {
    const bare = { ...tls, urls: ["https://edge-7:8443"] };
    assert.equal(addressForOthers("http://127.0.0.1:8470", bare), "https://edge-7:8443/");
  });

  it("is else the one of this page, such as that of a proxy", () => {
    for (const origin of [
      "https://box.example.net",
      "http://192.0.2.7",
      "https://localhost.example:1",
      "http://127.example",
    ])
      assert.equal(addressForOthers(origin, tls), `${origin}/`);
  });
});

/** Letters from right to left, with figures and a bracket that would change sides. */
const awkwardName = "לוי (night) 24";

describe("the card that hands over the access of a user", () => {
  const { agent, browser, ending } = consoleOf(async () => (await startAgentUnderName(ending)).agent);
  let address: string;
  before(async () => {
    const { urls } = (await agent.call("GET", "/api/system/tls", { local: true })).json as Tls;
    address = `${urls.find((url) => url.includes(".local:"))}/`;
    await changeSettings(agent, { device: { name: "Mühle 7" } });
  });

  async function openAdding(options: Parameters<typeof openUsers>[2] = {}) {
    const opened = await openUsers(browser, agent, { path: "/users?user=new", ...options });
    const form = opened.page.getByRole("dialog", { name: "Add user" });
    const add = async (username: string, displayName = ""): Promise<void> => {
      await form.getByLabel("User name").fill(username);
      await form.getByLabel("Display name").fill(displayName);
      await form.getByRole("button", { name: "Add user" }).click();
      const question = opened.page.getByRole("dialog", { name: "Confirm that it is you" });
      await question.or(cardOf(opened.page, username)).first().waitFor();
      if ((await question.count()) > 0) {
        await question.getByLabel("Password", { exact: true }).fill(passwords.admin);
        await question.getByRole("button", { name: "Confirm" }).click();
      }
      await untilShown(cardOf(opened.page, username));
    };
    return { ...opened, form, add };
  }

  it("shows where to sign in, and with what, and copies it as text", async () => {
    const { page, add } = await openAdding();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await add("levi", awkwardName);
    const card = cardOf(page, "levi");
    const password = await passwordOn(card);
    await page.getByRole("button", { name: "Copy: Access for levi" }).click();
    await page.getByRole("status").getByText("Copied").waitFor();
    const lines = [
      "Device: Mühle 7",
      `Name: ${awkwardName}`,
      `Address: ${address}`,
      "User name: levi",
      `One-use password: ${password}`,
    ];
    await untilShown(card.getByRole("img", { name: `QR code of the address ${address}` }));
    assert.equal(await card.locator("bdi", { hasText: awkwardName }).count(), 1, "the name is not isolated");
    const { status, json } = await agent.call("POST", "/api/auth/login", {
      body: { username: "levi", password },
    });
    assert.deepEqual([status, json.user.must_change_password], [200, true]);
    await page.getByRole("button", { name: "Done" }).click();
    // A field of several lines takes what was copied as it is.
    await page.evaluate(() => {
      const field = Object.assign(document.createElement("textarea"), { id: "pasted" });
      document.body.append(field);
    });
    await page.locator("#pasted").press("ControlOrMeta+v");
    assert.equal(await page.locator("#pasted").inputValue(), lines.join("\n"));
  });

  it("goes on to another user, keeps all cards until they are handed over, and asks before that", async () => {
    const { page, form, add } = await openAdding();
    await add("first.one");
    await page.getByRole("button", { name: "Add another" }).click();
    assert.equal(await form.getByLabel("User name").inputValue(), "");
    await form.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Add another" }).click();
    await add("second.one");
    const made = [];
    for (const username of ["first.one", "second.one"]) made.push(await passwordOn(cardOf(page, username)));
    assert.equal(new Set(made).size, 2);
    await page.getByRole("dialog", { name: "Access for 2 people" }).waitFor();
    await page.keyboard.press("Escape");
    const question = page.getByRole("dialog", { name: "Shown only this once" });
    await question.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).search, "");
  });

  it("has no password where one was typed, and is closed without a question", async () => {
    const { page, form, add } = await openAdding();
    await form.getByRole("radio", { name: "Type a password" }).check();
    await form.getByLabel("New password", { exact: true }).fill("seven slow herons wade");
    await add("typed.one");
    const text = await cardOf(page, "typed.one").innerText();
    assert.match(text, /as agreed/);
    assert.doesNotMatch(text, /herons|password of your own/);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal((await userNamed(agent, "typed.one")).must_change_password, false);
  });

  it("fits a phone, and is printed on paper of its own, black on white, in a dark browser", async () => {
    const { page, add } = await openAdding({ scheme: "dark", width: 390, height: 780 });
    await add("on.paper", awkwardName);
    await picture(page, "hand-over-phone-dark");
    await page.getByRole("button", { name: "Add another" }).click();
    await add("also.paper");
    await assertFits(page);
    assert.deepEqual(await axe(page), []);
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 794, height: 1123 });
    await assertFits(page);
    const text = await page.locator("body").innerText();
    for (const username of ["on.paper", "also.paper"])
      for (const word of [`Access for ${username}`, await passwordOn(cardOf(page, username)), "Mühle 7"])
        assert.ok(text.includes(word), `${word} is missing:\n${text}`);
    assert.doesNotMatch(text, /Done|Copy|Print|Hand|Users\n/);
    const looks = await page
      .locator(".paper")
      .evaluateAll((papers) =>
        papers.map((paper) => [
          getComputedStyle(paper).color,
          getComputedStyle(paper).breakInside,
          getComputedStyle(document.body).backgroundColor,
        ]),
      );
    const black = ["rgb(0, 0, 0)", "avoid", "rgb(255, 255, 255)"];
    assert.deepEqual(looks, [black, black]);
    await picture(page, "hand-over-paper");
    // The paper of a label printer, between its margins.
    await page.setViewportSize({ width: 272, height: 780 });
    await assertReads(page);
    await picture(page, "hand-over-label");
    const labels = await page.pdf({ width: "80mm", height: "200mm" });
    assert.equal(labels.toString("latin1").match(/\/Type \/Page\b/g)?.length, 2, "a page for each card");
  });
});
