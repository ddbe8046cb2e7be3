import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { confirmPassword, consoleOf, untilShown } from "../../lab/console/browser.ts";
import { assertFits, axe, picture } from "../../lab/console/page-checks.ts";
import { cardOf, makeUser, openUsers, passwordOn, rowOf, userNamed } from "../../lab/console/users-steps.ts";

describe("adding several users in the console", () => {
  const { agent, browser } = consoleOf();

  async function openSeveral(options: Parameters<typeof openUsers>[2] = {}) {
    const opened = await openUsers(browser, agent, { path: "/users?user=new", ...options });
    await opened.page.getByRole("button", { name: "Add several …" }).click();
    const sheet = opened.page.getByRole("dialog", { name: "Add several" });
    const lines = sheet.getByLabel("Lines", { exact: true });
    // The form is a part that is loaded now: before it is there, a drop is lost.
    await lines.waitFor();
    return { ...opened, sheet, lines };
  }

  /** Drops a file onto the head of the page, far from the field for it. */
  async function drop(page: Page, bytes: readonly number[]): Promise<void> {
    const transfer = await page.evaluateHandle((given) => {
      const made = new DataTransfer();
      made.items.add(new File([new Uint8Array(given)], "people.csv", { type: "text/csv" }));
      return made;
    }, bytes);
    await page.dispatchEvent("dialog[open] h2", "drop", { dataTransfer: transfer });
  }

  it("makes no user until each line is right, says what is wrong with which, and leaves out who exists", async () => {
    await makeUser(agent, { username: "dora", display_name: "Dora" });
    const { page, sheet, lines } = await openSeveral({ width: 390, height: 780, scheme: "dark" });
    await lines.fill("dora,Other\nÉve,Eve\nfay,Fay Ώ,boss\ngus,Gus,operator");
    const verdict = "To be corrected first: 2. Then 3 can be added. 1 left out, since";
    await sheet.getByRole("status").getByText(verdict).waitFor();
    const shown = await sheet
      .getByRole("list", { name: "Check of the lines" })
      .getByRole("listitem")
      .allInnerTexts();
    const inOneLine = shown.map((text) => text.replace(/\s+/g, " ").trim());
    assert.match(inOneLine[0] ?? "", /^2 Éve Eve User name: 3 to 32/);
    assert.match(inOneLine[1] ?? "", /^3 fay Fay Ώ Role: admin, operator or readonly$/);
    assert.deepEqual(inOneLine.slice(2), ["1 dora Other exists already", "4 gus Gus Operator"]);
    const add = sheet.getByRole("button", { name: "Add 3 people" });
    assert.equal(await add.getAttribute("aria-disabled"), "true");
    await add.click({ force: true });
    await assertFits(page);
    assert.deepEqual(await axe(page), []);
    await picture(page, "users-several-phone-dark");
    await lines.fill(Array.from({ length: 40 }, (_, index) => `Person ${index}`).join("\n"));
    await sheet.getByText("To be corrected first: 40.").waitFor();
    assert.deepEqual(await axe(page), [], "a list that scrolls is out of reach of the keyboard");
    assert.equal(await userNamed(agent, "gus"), undefined);
    await lines.fill("dora,Other\n Eve ,Eve\nfay,Fay Ώ\ngus,Gus,operator");
    await add.click();
    await confirmPassword(page, "admin");
    await page.getByRole("dialog", { name: "Access for 3 people" }).waitFor();
    assert.equal((await userNamed(agent, "dora")).display_name, "Dora");
    const { role, display_name } = await userNamed(agent, "gus");
    assert.deepEqual(
      [role, display_name, (await userNamed(agent, "fay")).role],
      ["operator", "Gus", "readonly"],
    );
    for (const username of ["eve", "fay", "gus"]) {
      const body = { username, password: await passwordOn(cardOf(page, username)) };
      assert.equal((await agent.call("POST", "/api/auth/login", { body })).status, 200, username);
    }
    // This agent listens on this machine only.
    await untilShown(page.getByText("The address of this page works only on this computer."));
    assert.match(await cardOf(page, "gus").innerText(), /Address\s+–/);
    assert.equal(await cardOf(page, "gus").getByRole("img").count(), 0);
    assert.deepEqual(await axe(page), []);
    await page.getByRole("button", { name: "Done" }).click();
    await untilShown(rowOf(page, "gus"));
  });

  it("takes a file that is dropped on the page, in the letters of one country, and no larger one", async () => {
    const { page, sheet, lines } = await openSeveral({ width: 1440, height: 900 });
    await drop(page, [...Buffer.from("username;display_name;telephone\njuerg;Jürg;112\n", "latin1")]);
    await sheet.getByText("1 can be added.").waitFor();
    assert.match(await lines.inputValue(), /Jürg/);
    await sheet.getByText("Not used: telephone").waitFor();
    await picture(page, "users-several-light");
    await drop(
      page,
      Array.from({ length: 256 * 1024 + 1 }, () => 0x61),
    );
    const tooMany = sheet.locator(".error", { hasText: "At most 200 people are added at once" });
    await tooMany.waitFor();
    await lines.fill("juerg");
    await sheet.getByText("1 can be added.").waitFor();
    assert.equal(await tooMany.count(), 0, "what was typed is refused for a file");
    await lines.fill(Array.from({ length: 201 }, (_, index) => `many.${index}x`).join("\n"));
    const add = sheet.getByRole("button", { name: "Add 201 people" });
    assert.equal(await add.getAttribute("aria-disabled"), "true");
    await tooMany.waitFor();
    assert.equal(await sheet.getByText("can be added").count(), 0, "beside a button that adds none");
  });

  it("says for each who failed, stays open for them, and makes those who are left", async () => {
    const { page, sheet, lines } = await openSeveral();
    await lines.fill("hugo\nida\njan");
    await sheet.getByText("3 can be added.").waitFor();
    // Somebody else is quicker, and the page has not heard of it where its list is held.
    await makeUser(agent, { username: "ida" });
    await sheet.getByRole("button", { name: "Add 3 people" }).click();
    await confirmPassword(page, "admin");
    await page.getByText("Done: 2. Failed: 1.").waitFor();
    const failed = page.getByRole("listitem").filter({ hasText: "A user with this name already exists" });
    assert.match(await failed.innerText(), /^ida/);
    await page.getByRole("button", { name: "Back to the list" }).click();
    await sheet.getByText("0 can be added. 3 left out").waitFor();
    await lines.fill("hugo\nida\njan\nkim");
    await sheet.getByRole("button", { name: "Add 1 person" }).click();
    await page.getByRole("dialog", { name: "Access for 3 people" }).waitFor();
    await cardOf(page, "kim").waitFor();
  });
});
