import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import {
  addUsers,
  endOfConsole,
  press,
  sees,
  startBrowser,
  type TestBrowser,
} from "../../lab/console/browser.ts";
import { assertSound, picture } from "../../lab/console/page-checks.ts";
import { startUpdatesWorld, type UpdatesWorld } from "../../lab/console/updates-world.ts";

describe("updates from a file, in the browser of a laptop beside a device without a network", () => {
  const ending = endOfConsole();
  const scratch = scratchDirectory();
  let archive: string;
  let world: UpdatesWorld;
  let browser: TestBrowser;

  /** A publisher's repository with one release, as a file. */
  const archiveOf = async (from: UpdatesWorld, version: string): Promise<string> => {
    await from.publishRules(version, ["alert tcp any any -> any 23"]);
    const file = join(scratch, `${version}.tar`);
    execFileSync("tar", ["-cf", file, "-C", from.directory, "metadata", "targets"]);
    return file;
  };
  before(async () => {
    world = await startUpdatesWorld(ending);
    archive = await archiveOf(world, "1.0.0");
    await addUsers(world.agent());
    browser = await startBrowser(ending);
  });

  const open = (options = {}, role: "operator" | "readonly" = "operator"): Promise<Page> =>
    browser.signedIn(world.agent(), role, "/updates?open=file", options);
  const part = (page: Page) => page.getByRole("region", { name: /^(From a file|Aus einer Datei)$/ });
  const field = (page: Page) => part(page).locator("input[type=file]");
  const isTaken = async (page: Page): Promise<void> => {
    await field(page).setInputFiles(archive);
    await sees(part(page), "The file was checked.");
  };

  it("cannot be sent before root has installed a root of trust, and by no one who may not check for updates", async () => {
    const page = await open();
    assert.ok(await part(page).getByLabel("File with updates").isDisabled());
    await sees(part(page), "No root of trust is installed");
    const reader = await open({}, "readonly");
    await reader.getByRole("region", { name: "Update settings" }).waitFor();
    assert.equal(await part(reader).count(), 0);
  });

  for (const width of [390, 1_440])
    it(`are sent with a progress, checked, and shown on the card, at ${width} px`, async () => {
      await world.steward("update", "trust", "install", world.rootFile, "--replace");
      const page = await open({ width });
      await sees(part(page), "A tar of the publisher");
      await assertSound(page, `updates-from-file-${width}`);
      await isTaken(page);
      await sees(page.getByRole("article", { name: "Rules" }), "1.0.0");
      const offered = async () => (await world.status()).available.rules;
      await until("it is staged", async () => (await offered())?.staged === true);
      assert.equal((await offered())?.version, "1.0.0");
    });

  it("that are no archive are refused with what to send instead, and the next file is taken", async () => {
    const page = await open();
    const wrong = join(scratch, "holiday.tar");
    writeFileSync(wrong, randomBytes(20_000_000));
    await field(page).setInputFiles(wrong);
    await sees(part(page), "The file is not an archive of a repository");
    await sees(part(page), "Send an uncompressed tar of the publisher’s repository");
    await isTaken(page);
    assert.equal(await part(page).getByText("The file is not an archive").count(), 0);
  });

  it("can be stopped on their way, which leaves nothing on the device", async () => {
    const page = await open();
    const large = join(scratch, "large.tar");
    // A file that takes long to send: the sender is slowed down.
    writeFileSync(large, Buffer.concat([readFileSync(archive).subarray(0, 512), Buffer.alloc(200_000_000)]));
    const session = await page.context().newCDPSession(page);
    const limit = (throughput: number) =>
      session.send("Network.emulateNetworkConditions", {
        ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: throughput },
      });
    await limit(200_000);
    await field(page).setInputFiles(large);
    const progress = part(page).getByRole("progressbar", { name: "Sending the file" });
    await progress.waitFor();
    await sees(part(page), "/ 191 MiB");
    await picture(page, "updates-from-file-sending");
    await press(part(page), "Cancel");
    await progress.waitFor({ state: "detached" });
    await limit(-1);
    await isTaken(page);
  });

  it("that another publisher has signed are not accepted, and the page says why, in German as well", async () => {
    const foreign = await archiveOf(await startUpdatesWorld(ending), "9.0.0");
    const page = await open({ language: "de" });
    await field(page).setInputFiles(foreign);
    await sees(part(page), "Die Datei wurde nicht angenommen.");
    assert.equal((await world.status()).available.rules?.version, "1.0.0");
  });
});
