import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { addUsers, endOfConsole, startBrowser, type TestBrowser } from "../../lab/console/browser.ts";
import { assertFits, axe, picture } from "../../lab/console/page-checks.ts";
import { startUpdatesWorld, type UpdatesWorld } from "../../lab/console/updates-world.ts";

describe("updates from a file, in the browser of a laptop beside a device without a network", () => {
  const ending = endOfConsole();
  const scratch = scratchDirectory();
  const archive = join(scratch, "demo.tar");
  let world: UpdatesWorld;
  let browser: TestBrowser;

  before(async () => {
    world = await startUpdatesWorld(ending);
    await world.publishRules("1.0.0", ["alert tcp any any -> any 23"]);
    execFileSync("tar", ["-cf", archive, "-C", world.directory, "metadata", "targets"]);
    await addUsers(world.agent());
    browser = await startBrowser(ending);
  });

  const part = (page: Page, name = "From a file") => page.getByRole("region", { name });
  const choose = (page: Page, file: string, label = "File with updates") =>
    part(page).getByLabel(label).setInputFiles(file);

  it("cannot be sent before root has installed a root of trust, and the page says so", async () => {
    const page = await browser.signedIn(world.agent(), "operator", "/updates?open=file");
    assert.ok(await part(page).getByLabel("File with updates").isDisabled());
    await part(page).getByText("No root of trust is installed").waitFor();
  });

  it("are no part of a page of someone who may not check for them", async () => {
    const page = await browser.signedIn(world.agent(), "readonly", "/updates?open=file");
    await page.getByRole("region", { name: "Trust" }).waitFor();
    assert.equal(await part(page).count(), 0);
  });

  for (const width of [390, 1_440])
    it(`are sent with a progress, checked, and shown on the card, at ${width} px`, async () => {
      await world.steward("update", "trust", "install", world.rootFile, "--replace");
      const page = await browser.signedIn(world.agent(), "operator", "/updates?open=file", { width });
      await part(page).getByText("A tar of the publisher").waitFor();
      await assertFits(page);
      assert.deepEqual(await axe(page), []);
      await picture(page, `updates-from-file-${width}`);
      await choose(page, archive);
      await part(page).getByText("The file was checked.").waitFor();
      await page.getByRole("article", { name: "Rules" }).getByText("1.0.0").first().waitFor();
      const { available } = await world.status();
      assert.deepEqual([available.rules?.version, available.rules?.staged], ["1.0.0", true]);
      await picture(page, `updates-from-file-sent-${width}`);
    });

  it("that are no archive are refused with what to send instead, and the next file is taken", async () => {
    const page = await browser.signedIn(world.agent(), "operator", "/updates?open=file");
    const wrong = join(scratch, "holiday.tar");
    writeFileSync(wrong, randomBytes(20_000_000));
    await choose(page, wrong);
    await part(page).getByText("The file is no archive of a repository").waitFor();
    await part(page).getByText("Send an uncompressed tar of the publisher’s repository").waitFor();
    await picture(page, "updates-from-file-refused");
    await choose(page, archive);
    await part(page).getByText("The file was checked.").waitFor();
    assert.equal(await part(page).getByText("The file is no archive").count(), 0);
  });

  it("can be stopped on their way, which leaves nothing on the device", async () => {
    const page = await browser.signedIn(world.agent(), "operator", "/updates?open=file");
    const bytes = readFileSync(archive);
    const large = join(scratch, "large.tar");
    // A file that takes long to send: the sender is slowed down.
    writeFileSync(large, Buffer.concat([bytes.subarray(0, 512), Buffer.alloc(200_000_000)]));
    const session = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: 1e6, uploadThroughput: 200_000 };
    await session.send("Network.emulateNetworkConditions", slow);
    await choose(page, large);
    await part(page).getByRole("progressbar", { name: "Sending the file" }).waitFor();
    await part(page).getByText("of 191 MiB").waitFor();
    await picture(page, "updates-from-file-sending");
    await part(page).getByRole("button", { name: "Stop" }).click();
    await until("it is gone", async () => (await part(page).getByRole("progressbar").count()) === 0);
    await session.send("Network.emulateNetworkConditions", {
      ...slow,
      uploadThroughput: -1,
      downloadThroughput: -1,
    });
    await choose(page, archive);
    await part(page).getByText("The file was checked.").waitFor();
  });

  it("that another publisher has signed are not accepted, and the page says why, in German as well", async () => {
    const other = await startUpdatesWorld(ending);
    await other.publishRules("9.0.0", ["alert tcp any any -> any 24"]);
    const foreign = join(scratch, "foreign.tar");
    execFileSync("tar", ["-cf", foreign, "-C", other.directory, "metadata", "targets"]);
    const page = await browser.signedIn(world.agent(), "operator", "/updates?open=file", { language: "de" });
    await part(page, "Aus einer Datei").getByLabel("Datei mit Updates").setInputFiles(foreign);
    await part(page, "Aus einer Datei").getByText("Die Datei wurde nicht angenommen.").waitFor();
    await picture(page, "updates-from-file-foreign-de");
    assert.equal((await world.status()).available.rules?.version, "1.0.0");
  });
});
