import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { connect, createServer } from "node:net";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { age, passphrase } from "../../lab/agents/backup-file.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import type { Ending } from "../../lab/basics/ending.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import {
  changeSettings,
  confirmPassword,
  consoleOf,
  fill,
  press,
  sees,
  signIn,
  signInWithoutStepUp,
  untilFocused,
  untilShown,
} from "../../lab/console/browser.ts";
import { assertSound, holdAnswers } from "../../lab/console/page-checks.ts";
import { openBackup } from "../../src/device/backup/read-backup.ts";

/** A name that no file name should have. */
const deviceName = "Müller & Söhne / ../Lager";
const fileName = (end: string) => new RegExp(`^Müller-Söhne-..-Lager-\\d{4}-\\d\\d-\\d\\dT\\d{4}Z\\.${end}$`);

/** A line to the agent that ends in the middle of each backup. */
async function startWeakLine({ port }: RunningAgent, ending: Pick<Ending, "after">): Promise<string> {
  const line = createServer((client) => {
    const agent = connect(port, "127.0.0.1");
    agent.on("data", (piece) => {
      const head = piece.includes("application/octet-stream") ? piece.indexOf("\r\n\r\n") : -1;
      if (head < 0) return client.write(piece);
      client.end(piece.subarray(0, head + 100));
      return agent.destroy();
    });
    client.on("data", (piece) => agent.write(piece));
    client.on("error", () => undefined).on("close", () => agent.destroy());
    agent.on("error", () => undefined).on("close", () => client.destroy());
  });
  const own = await heldPort();
  await new Promise<void>((resolve) => line.listen(own, "127.0.0.1", resolve));
  ending.after(() => new Promise<void>((resolve) => line.close(() => resolve())));
  return `http://127.0.0.1:${own}`;
}

/** The button by which a form is sent does nothing yet. */
const untilUnready = (place: Page | Locator) =>
  untilShown(place.locator("[type=submit][aria-disabled=true]").first());

describe("the console's backups", () => {
  const { agent, browser, ending } = consoleOf();
  before(() => changeSettings(agent, { device: { name: deviceName } }));

  const saved = /is in your browser's downloads/;
  const opened = async (page: Page) => {
    const dialog = page.getByRole("dialog", { name: `Back up ${deviceName}` });
    const first = dialog.getByLabel("Passphrase", { exact: true });
    await untilFocused(first);
    return { dialog, first, again: dialog.getByLabel("The passphrase again") };
  };
  const type = (dialog: Locator, text: string, again = text) =>
    fill(dialog, { Passphrase: text, "The passphrase again": again });
  const recorded = async () => (await agent.read("/api/events?type=backup.made")).items.length;

  it("are the whole device in a file that the passphrase opens, and that was typed twice", async () => {
    const { page } = await browser.open(agent, { width: 1440, height: 900 });
    await signInWithoutStepUp(agent, page, "admin", "/system/device");
    await sees(page, "Last backup: never");
    await assertSound(page, "device-light");
    await press(page, "Make a backup");
    const { dialog, first, again } = await opened(page);
    await type(dialog, "too short", "to short");
    await sees(dialog, "This is another passphrase");
    await untilUnready(dialog);
    for (const [text, said] of [
      ["too short", "At least 12 characters"],
      ["dragon monkey baseball", "This passphrase is too easy to guess"],
    ] as const) {
      await type(dialog, text);
      await again.press("Enter");
      if (text === "too short") await confirmPassword(page, "admin");
      await sees(dialog, said);
      await untilFocused(first);
    }
    await assertSound(page, "backup-light");
    await type(dialog, passphrase);
    const [file] = await Promise.all([page.waitForEvent("download"), again.press("Enter")]);
    assert.match(file.suggestedFilename(), fileName("age"));
    const sealed = await file.createReadStream();
    const { manifest, files } = await openBackup(() => age.open(sealed, { passphrase }));
    const paths: string[] = [];
    for await (const { path } of files) paths.push(path);
    assert.equal(manifest.device.name, deviceName);
    assert.ok(paths.includes("state/users.json"), paths.join(", "));
    await sees(dialog, saved);
    await assertSound(page, "backup-made-light");
    await press(dialog, "Done");
    await dialog.waitFor({ state: "detached" });
    await sees(page, "Last backup: just now");
  });

  it("have a support bundle beside them, which doctor has made", async () => {
    const page = await browser.signedIn(agent, "admin", "/system/device");
    const [file] = await Promise.all([page.waitForEvent("download"), press(page, "Download")]);
    assert.match(file.suggestedFilename(), fileName("tar\\.gz"));
    const list = execFileSync("tar", ["-tzf", await file.path()], { encoding: "utf8" });
    assert.match(list, /^steward-doctor\/report\.txt$/m);
    await sees(page, saved);
  });

  it("are made by the keyboard, and fit a phone", async () => {
    const look = { width: 320, height: 640, scheme: "dark" } as const;
    const page = await browser.signedIn(agent, "admin", "/system/device?open=backup", look);
    await opened(page);
    // The button that shows the text is behind each of the two fields.
    for (let count = 0; count < 2; count += 1) {
      await page.keyboard.type(passphrase);
      for (let tabs = 0; tabs < 2; tabs += 1) await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await sees(page, "steward-backup.timer");
    await assertSound(page, "backup-phone-dark");
    for (let tabs = 0; tabs < 2; tabs += 1) await page.keyboard.press("Shift+Tab");
    const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    await file.cancel();
    await sees(page, saved);
  });

  it("are not saved where the connection breaks off, and can be made again", async () => {
    const { page } = await browser.open({ url: await startWeakLine(agent, ending) });
    await signIn(page, "admin", "/system/device?open=backup");
    const { dialog, first, again } = await opened(page);
    let downloads = 0;
    page.on("download", () => {
      downloads += 1;
    });
    await type(dialog, passphrase);
    for (const send of [() => again.press("Enter"), () => press(dialog, "Download the backup")]) {
      await send();
      await sees(dialog, /so nothing was saved/);
    }
    assert.equal(downloads, 0);
    assert.equal(await first.inputValue(), passphrase);
  });

  it("are given up by closing the dialog", async () => {
    const page = await browser.signedIn(agent, "admin", "/system/device?open=backup");
    const { dialog, again } = await opened(page);
    const before = await recorded();
    const letGo = await holdAnswers(page, "**/api/system/backup");
    const failed = page.waitForEvent("requestfailed");
    await type(dialog, passphrase);
    await again.press("Enter");
    await sees(dialog, "The backup is being made");
    await press(dialog, "Cancel");
    await dialog.waitFor({ state: "detached" });
    assert.match((await failed).url(), /\/api\/system\/backup$/);
    letGo();
    assert.equal(await recorded(), before);
  });
});
