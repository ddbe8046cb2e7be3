import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { confirmPassword, consoleOf, press, sees, untilShown } from "../../lab/console/browser.ts";
import { assertSound, picture } from "../../lab/console/page-checks.ts";
import { cardOf, makeUser, openUsers, passwordOn, rowOf, userNamed } from "../../lab/console/users-steps.ts";

const tooMany = "At most 200 people are added at once";

/** Drops a file onto the head of the page, far from the field for it. */
async function drop(page: Page, bytes: readonly number[]): Promise<void> {
  const transfer = await page.evaluateHandle((given) => {
    const made = new DataTransfer();
    made.items.add(new File([new Uint8Array(given)], "people.csv", { type: "text/csv" }));
    return made;
  }, bytes);
  await page.dispatchEvent("dialog[open] h2", "drop", { dataTransfer: transfer });
}

describe("adding several users in the console", () => {
  const { agent, browser } = consoleOf();

  const openSeveral = async (options: Parameters<typeof openUsers>[2] = {}) => {
    const { page } = await openUsers(browser, agent, { path: "/users?user=new", ...options });
    await press(page, "Add several …");
    const sheet = page.getByRole("dialog", { name: "Add several" });
    const lines = sheet.getByLabel("Lines", { exact: true });
    // The form is a part that is loaded now: before it is there, a drop is lost.
    await lines.waitFor();
    const add = (what: string) => sheet.getByRole("button", { name: `Add ${what}` });
    return { page, sheet, lines, add };
  };

  it("makes no user until each line is right, says what is wrong with which, and leaves out who exists", async () => {
    await makeUser(agent, { username: "dora", display_name: "Dora" });
    const { page, sheet, lines, add } = await openSeveral({ width: 390, height: 780, scheme: "dark" });
    await lines.fill("dora,Other\nÉve,Eve\nfay,Fay Ώ,boss\ngus,Gus,operator");
    await sees(sheet, "To be corrected first: 2. Then 3 can be added. 1 skipped, since");
    const check = sheet.getByRole("list", { name: "Check of the lines" }).getByRole("listitem");
    const shown = (await check.allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
    assert.match(shown[0] ?? "", /^2 Éve Eve User name: 3 to 32/);
    assert.deepEqual(shown.slice(1), [
      ...["3 fay Fay Ώ Role: admin, operator or readonly", "1 dora Other already exists"],
      "4 gus Gus Operator",
    ]);
    assert.equal(await add("3 people").getAttribute("aria-disabled"), "true");
    await add("3 people").click({ force: true });
    await assertSound(page, "users-several-phone-dark");
    // A list that scrolls is in reach of the keyboard.
    await lines.fill(Array.from({ length: 40 }, (_, index) => `Person ${index}`).join("\n"));
    await sees(sheet, "To be corrected first: 40.");
    await assertSound(page);
    assert.equal(await userNamed(agent, "gus"), undefined);
    await lines.fill("dora,Other\n Eve ,Eve\nfay,Fay Ώ\ngus,Gus,operator");
    await add("3 people").click();
    await confirmPassword(page, "admin");
    await page.getByRole("dialog", { name: "Access for 3 people" }).waitFor();
    for (const [name, expected] of [
      ["dora", "readonly Dora"],
      ["eve", "readonly Eve"],
      ["fay", "readonly Fay Ώ"],
      ["gus", "operator Gus"],
    ] as const) {
      const { role, display_name } = await userNamed(agent, name);
      assert.equal(`${role} ${display_name}`, expected);
      if (name === "dora") continue;
      const body = { username: name, password: await passwordOn(cardOf(page, name)) };
      assert.equal((await agent.call("POST", "/api/auth/login", { body })).status, 200, name);
    }
    // This agent listens on this machine only.
    await sees(page, "Only on this computer: HTTPS is off (System, This device)");
    assert.match(await cardOf(page, "gus").innerText(), /Address\s+_{24}/);
    assert.equal(await cardOf(page, "gus").getByRole("img").count(), 0);
    await assertSound(page);
    await press(page, "Done");
    await untilShown(rowOf(page, "gus"));
  });

  it("takes a file that is dropped on the page, in the letters of one country, and no larger one", async () => {
    const { page, sheet, lines, add } = await openSeveral({ width: 1440, height: 900 });
    await drop(page, [...Buffer.from("username;display_name;telephone\njuerg;Jürg;112\n", "latin1")]);
    await sees(sheet, "1 can be added.", "Not used: telephone");
    assert.match(await lines.inputValue(), /Jürg/);
    await picture(page, "users-several-light");
    const error = sheet.locator(".error");
    await drop(page, [...Buffer.alloc(256 * 1024 + 1, "a")]);
    await sees(error, tooMany);
    await lines.fill("juerg");
    await sees(sheet, "1 can be added.");
    assert.equal(await error.count(), 0, "what was typed is refused for a file");
    await lines.fill(Array.from({ length: 201 }, (_, index) => `many.${index}x`).join("\n"));
    assert.equal(await add("201 people").getAttribute("aria-disabled"), "true");
    await sees(error, tooMany);
    assert.equal(await sheet.getByText("can be added").count(), 0, "beside a button that adds none");
  });

  it("says for each who failed, stays open for them, and makes those who are left", async () => {
    const { page, sheet, lines, add } = await openSeveral();
    await lines.fill("hugo\nida\njan");
    await sees(sheet, "3 can be added.");
    // Somebody else is quicker, and the page has not heard of it where its list is held.
    await makeUser(agent, { username: "ida" });
    await add("3 people").click();
    await confirmPassword(page, "admin");
    await sees(page, "Done: 2. Failed: 1.");
    const failed = page.getByRole("listitem").filter({ hasText: "A user with this name already exists" });
    assert.match(await failed.innerText(), /^ida/);
    await press(page, "Back to the list");
    await sees(sheet, "0 can be added. 3 skipped");
    await lines.fill("hugo\nida\njan\nkim");
    await add("1 person").click();
    await page.getByRole("dialog", { name: "Access for 3 people" }).waitFor();
    await cardOf(page, "kim").waitFor();
  });
});
