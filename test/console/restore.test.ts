import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { age, backupOf, passphrase } from "../../lab/agents/backup-file.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import {
  addUsers,
  changeSettings,
  endOfConsole,
  signInByForm,
  startBrowser,
  type TestBrowser,
  untilFocused,
  untilShown,
} from "../../lab/console/browser.ts";
import { assertReads, assertSound } from "../../lab/console/page-checks.ts";

describe("the console's restoring of a backup", () => {
  const ending = endOfConsole();
  let agent: RunningAgent;
  let browser: TestBrowser;
  let backup: Buffer;
  before(async () => {
    const former = await startAgentInProcess();
    await addUsers(former);
    await changeSettings(former, { device: { name: "Pumpenhaus 7" } });
    backup = await backupOf(former);
    await former.dispose();
    // The page finds the restored device at the same address.
    agent = await startAgentInProcess({ arguments: ["--listen", `127.0.0.1:${await heldPort()}`] });
    ending.after(() => agent.dispose());
    browser = await startBrowser(ending);
  });

  const link = () => `/#setup=${readFileSync(join(agent.runDirectory, "setup-token"), "utf8").trim()}`;
  const file = (buffer: Buffer) => ({ name: "pump-7.age", mimeType: "application/octet-stream", buffer });

  it("fits a phone in German, and leads back to setting it up as new", async () => {
    const { page } = await browser.open(agent, { width: 390, height: 844, scheme: "dark", language: "de" });
    await page.goto(link());
    const begin = page.getByRole("button", { name: "Stattdessen eine Sicherung wiederherstellen" });
    await untilShown(begin);
    await assertSound(page, "restore-begin-phone-dark");
    await begin.click();
    await page.getByLabel("Datei der Sicherung").setInputFiles(file(backup));
    await assertSound(page, "restore-file-phone-dark");
    await page.getByRole("button", { name: "An das Gerät senden" }).click();
    const key = page.getByLabel("Passphrase der Sicherung");
    await key.fill(passphrase);
    await page.getByLabel("ist ein anderes").check();
    await page.getByRole("button", { name: "Änderungen zeigen" }).click();
    await untilShown(page.getByText("3, davon 0 mit zweitem Faktor"));
    await assertReads(page);
    await assertSound(page, "restore-plan-phone-dark");
    await page.getByRole("button", { name: "Zurück" }).click();
    await page.getByRole("button", { name: "Andere Datei" }).click();
    await page.getByRole("button", { name: "Stattdessen neu einrichten" }).click();
    await untilShown(page.getByRole("button", { name: "Administrator anlegen" }));
  });

  it("says at the field that the setup token or the file is wrong, and keeps both", async () => {
    const { page } = await browser.open(agent, { width: 320, height: 640 });
    await page.goto("/#setup=wrong");
    await page.getByRole("button", { name: "Restore a backup instead" }).click();
    const field = page.getByLabel("Backup file");
    await field.setInputFiles(file(backup.subarray(0, backup.length / 2)));
    await page.getByRole("button", { name: "Send it to the device" }).click();
    await untilShown(page.locator(".error", { hasText: "not the setup token" }));
    const token = page.getByLabel("Setup token");
    await untilFocused(token);
    await assertSound(page, "restore-token-narrow");
    await token.fill(link().slice("/#setup=".length));
    await page.getByRole("button", { name: "Send it to the device" }).click();
    await page.getByLabel("Passphrase of the backup").fill(passphrase);
    await page.getByLabel("is another device").check();
    await page.getByRole("button", { name: "Show what changes" }).click();
    await untilShown(page.getByText("This backup cannot be used"));
    await assertSound(page, "restore-unusable-narrow");
  });

  it("says of a file that is no backup at once that it is none, and of one that cannot be used when it is opened", async () => {
    const { page } = await browser.open(agent, { width: 390, height: 844, language: "de" });
    await page.goto(link());
    await page.getByRole("button", { name: "Stattdessen eine Sicherung wiederherstellen" }).click();
    const field = page.getByLabel("Datei der Sicherung");
    const send = page.getByRole("button", { name: "An das Gerät senden" });
    const none = page.locator(".error", { hasText: "Diese Datei ist keine Sicherung" });
    for (const [name, content] of [
      ["photo.jpg", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70])],
      ["settings.json", Buffer.from('{"device":{"name":"pump-7"}}')],
      ["empty.age", Buffer.alloc(0)],
    ] as const) {
      await field.setInputFiles({ name, mimeType: "", buffer: content });
      await none.waitFor();
      assert.equal(await send.getAttribute("aria-disabled"), "true", name);
      await field.setInputFiles(file(backup));
      await none.waitFor({ state: "detached" });
    }
    await field.setInputFiles({ name: "photo.jpg", mimeType: "", buffer: Buffer.from("photo") });
    await none.waitFor();
    await assertSound(page, "restore-no-backup-de");
    const text = new TextEncoder().encode("a tar of another product");
    const sealed = age.seal(
      (async function* () {
        yield text;
      })(),
      { passphrase },
    );
    const others: Buffer[] = [];
    for await (const piece of sealed) others.push(Buffer.from(piece));
    for (const content of [backup.subarray(0, backup.length / 2), Buffer.concat(others)]) {
      await field.setInputFiles(file(content));
      await send.click();
      await page.getByLabel("Passphrase der Sicherung").fill(passphrase);
      await page.getByLabel("ist ein anderes").check();
      await page.getByRole("button", { name: "Änderungen zeigen" }).click();
      await untilShown(page.getByText("Diese Sicherung ist unbrauchbar"));
      await untilShown(page.getByText("Sie ist beschädigt oder unvollständig"));
      await page.getByRole("button", { name: "Andere Datei" }).click();
    }
  });

  it("says that a file was removed after it was chosen, or that a proxy has refused it, and not that the device is silent", async () => {
    const { page } = await browser.open(agent, { width: 390, height: 844 });
    await page.goto(link());
    await page.getByRole("button", { name: "Restore a backup instead" }).click();
    const path = join(agent.runDirectory, "removed.age");
    writeFileSync(path, backup);
    await untilShown(page.getByLabel("Backup file"));
    // As a person chooses it: playwright would hand over a copy.
    const debug = await page.context().newCDPSession(page);
    const { root } = await debug.send("DOM.getDocument");
    const { nodeId } = await debug.send("DOM.querySelector", {
      nodeId: root.nodeId,
      selector: "[type=file]",
    });
    await debug.send("DOM.setFileInputFiles", { nodeId, files: [path] });
    rmSync(path);
    const send = page.getByRole("button", { name: "Send it to the device" });
    await send.click();
    await untilShown(page.getByText("The file can no longer be read"));
    await assertSound(page, "restore-removed");
    await page.getByLabel("Backup file").setInputFiles(file(backup));
    // As nginx refuses a file that is larger than its client_max_body_size.
    const body = "<h1>413 Request Entity Too Large</h1>";
    await page.route("**/api/setup/restore", (route) =>
      route.fulfill({ status: 413, contentType: "text/html", body }),
    );
    await send.click();
    await untilShown(page.getByText("The answer did not come from this device"));
    await untilShown(page.getByText("Check before you send it again."));
    await page.unroute("**/api/setup/restore");
    await send.click();
    await untilShown(page.getByLabel("Passphrase of the backup"));
  });

  // Behind the others: from then on there is an administrator.
  it("takes a wrong passphrase and the right one by the keyboard, shows the plan, and goes on at the sign-in", async () => {
    const { page } = await browser.open(agent, { width: 1440, height: 900 });
    await page.goto(link());
    await page.getByRole("button", { name: "Restore a backup instead" }).press("Enter");
    await page.getByLabel("Backup file").setInputFiles(file(backup));
    await assertSound(page, "restore-file-light");
    await page.getByRole("button", { name: "Send it to the device" }).press("Enter");
    await untilFocused(page.getByRole("heading", { name: "Open the backup" }));
    await page.keyboard.press("Tab");
    await page.keyboard.type("another passphrase");
    // Past the button that shows it, to the choice.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    const key = page.getByLabel("Passphrase of the backup");
    await untilShown(page.locator(".error", { hasText: "does not open the backup" }));
    await untilFocused(key);
    await assertSound(page, "restore-open-light");
    await key.fill(passphrase);
    await key.press("Enter");
    await untilFocused(page.getByRole("heading", { name: "What will change" }));
    await untilShown(page.getByText("Pumpenhaus 7", { exact: false }));
    await untilShown(page.getByText("3, of whom 0 with a second factor"));
    const verb = page.getByRole("button", { name: "Restore", exact: true });
    await verb.and(page.locator("[aria-disabled=true]")).waitFor();
    await assertSound(page, "restore-plan-light");
    await page.getByLabel("The other device is switched off").press("Space");
    await verb.press("Enter");
    await untilShown(page.getByRole("button", { name: "Sign in", exact: true }));
    await signInByForm(page, "admin");
    await untilShown(page.getByText("Pumpenhaus 7").first());
  });
});
