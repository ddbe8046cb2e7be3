import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import type { Ending } from "../../lab/basics/ending.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { until } from "../../lab/basics/until.ts";
import {
  addUsers,
  changeSettings,
  confirmPassword,
  endOfConsole,
  signIn,
  signInWithoutStepUp,
  startBrowser,
  type TestBrowser,
  untilFocused,
  untilShown,
} from "../../lab/console/browser.ts";
import { assertFits, axe, picture } from "../../lab/console/page-checks.ts";
import { createAge } from "../../src/device/backup/age.ts";
import { openBackup } from "../../src/device/backup/read-backup.ts";
import { createStartFilter } from "../../src/host/linux/filters.ts";

const passphrase = "six wet horses at the old pier";

/** A name that no file name should have. */
const deviceName = "Müller & Söhne / ../Lager";

const age = createAge(
  process.execPath,
  join(import.meta.dirname, "../../dist/backup.js"),
  createStartFilter(),
);

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
    for (const [one, other] of [
      [client, agent],
      [agent, client],
    ] as const)
      one.on("error", () => undefined).on("close", () => other.destroy());
  });
  const own = await heldPort();
  await new Promise<void>((resolve) => line.listen(own, "127.0.0.1", resolve));
  ending.after(() => new Promise<void>((resolve) => line.close(() => resolve())));
  return `http://127.0.0.1:${own}`;
}

describe("the console's backups", () => {
  const ending = endOfConsole();
  let agent: RunningAgent;
  let browser: TestBrowser;
  before(async () => {
    agent = await startAgentInProcess();
    ending.after(() => agent.dispose());
    await addUsers(agent);
    await changeSettings(agent, { device: { name: deviceName } });
    browser = await startBrowser(ending);
  });

  const opened = async (page: Page) => {
    const dialog = page.getByRole("dialog", { name: `Back up ${deviceName}` });
    const first = dialog.getByLabel("Passphrase", { exact: true });
    const again = dialog.getByLabel("The passphrase again");
    await untilFocused(first);
    return { dialog, first, again };
  };

  const judge = async (page: Page, name: string) => {
    assert.deepEqual(await axe(page), [], name);
    await assertFits(page);
    await picture(page, name);
  };

  const recorded = async () =>
    (await agent.call("GET", "/api/events?type=backup.made", { local: true })).json.items.length;

  it("are the whole device in a file that the passphrase opens, and that was typed twice", async () => {
    const { page } = await browser.open(agent, { width: 1440, height: 900 });
    await signInWithoutStepUp(agent, page, "admin", "/system/device");
    await untilShown(page.getByText("Last backup: never"));
    await judge(page, "device-light");
    await page.getByRole("button", { name: "Make a backup" }).click();
    const { dialog, first, again } = await opened(page);
    await first.fill("too short");
    await again.fill("to short");
    await untilShown(dialog.getByText("This is another passphrase"));
    await untilShown(dialog.locator("[type=submit][aria-disabled=true]"));
    await again.fill("too short");
    await again.press("Enter");
    await confirmPassword(page, "admin");
    await untilShown(dialog.getByText("At least 12 characters"));
    await untilFocused(first);
    await judge(page, "backup-light");
    await first.fill("dragon monkey baseball");
    await again.fill("dragon monkey baseball");
    await again.press("Enter");
    await untilShown(dialog.getByText("This passphrase is too easy to guess"));
    await untilFocused(first);
    await first.fill(passphrase);
    await again.fill(passphrase);
    const [file] = await Promise.all([page.waitForEvent("download"), again.press("Enter")]);
    assert.match(file.suggestedFilename(), /^Müller-Söhne-..-Lager-\d{4}-\d\d-\d\dT\d{4}Z\.age$/);
    const sealed = await file.createReadStream();
    const { manifest, files } = await openBackup(() => age.open(sealed, { passphrase }));
    const paths: string[] = [];
    for await (const { path } of files) paths.push(path);
    assert.equal(manifest.device.name, deviceName);
    assert.ok(paths.includes("state/users.json"), paths.join(", "));
    await untilShown(dialog.getByText("is in your browser's downloads", { exact: false }));
    await judge(page, "backup-made-light");
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
    await untilShown(page.getByText("Last backup: just now"));
  });

  it("have a support bundle beside them, which doctor has made", async () => {
    const page = await browser.signedIn(agent, "admin", "/system/device");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download", exact: true }).click(),
    ]);
    assert.match(file.suggestedFilename(), /^Müller-Söhne-..-Lager-\d{4}-\d\d-\d\dT\d{4}Z\.tar\.gz$/);
    const archive = await file.path();
    const list = execFileSync("tar", ["-tzf", archive], { encoding: "utf8" });
    assert.match(list, /^steward-doctor\/report\.txt$/m);
    await untilShown(page.getByText("is in your browser's downloads", { exact: false }));
  });

  it("are made by the keyboard, and fit a phone", async () => {
    const page = await browser.signedIn(agent, "admin", "/system/device?open=backup", {
      width: 320,
      height: 640,
      scheme: "dark",
    });
    await opened(page);
    await page.keyboard.type(passphrase);
    // The button that shows the text is between the two fields.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type(passphrase);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await untilShown(page.getByText("steward-backup.timer"));
    await judge(page, "backup-phone-dark");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    await file.cancel();
    await untilShown(page.getByText("is in your browser's downloads", { exact: false }));
    await judge(page, "backup-made-phone-dark");
  });

  it("are not saved where the connection breaks off, and can be made again", async () => {
    const { page } = await browser.open({ url: await startWeakLine(agent, ending) });
    await signIn(page, "admin", "/system/device?open=backup");
    const { dialog, first, again } = await opened(page);
    let downloads = 0;
    page.on("download", () => {
      downloads += 1;
    });
    await first.fill(passphrase);
    await again.fill(passphrase);
    await again.press("Enter");
    await untilShown(dialog.getByText("so nothing was saved", { exact: false }));
    await judge(page, "backup-broken-light");
    await dialog.getByRole("button", { name: "Download the backup" }).click();
    await untilShown(dialog.getByText("so nothing was saved", { exact: false }));
    assert.equal(downloads, 0);
    assert.equal(await first.inputValue(), passphrase);
  });

  it("are given up by closing the dialog", async () => {
    const page = await browser.signedIn(agent, "admin", "/system/device?open=backup");
    const { dialog, first, again } = await opened(page);
    const before = await recorded();
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/api/system/backup", async (route) => {
      await held;
      // The page has given the request up.
      await route.continue().catch(() => undefined);
    });
    const failed = page.waitForEvent("requestfailed");
    await first.fill(passphrase);
    await again.fill(passphrase);
    await again.press("Enter");
    await untilShown(dialog.getByText("The backup is being made"));
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.match((await failed).url(), /\/api\/system\/backup$/);
    letGo();
    await until("the page goes on", async () => (await page.getByRole("dialog").count()) === 0);
    assert.equal(await recorded(), before);
  });
});
