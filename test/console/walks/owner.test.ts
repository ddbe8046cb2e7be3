import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { compiledRun, type Run, startRun } from "../../../lab/agents/make-run.ts";
import { adminName, adminPassword } from "../../../lab/agents/running-agent.ts";
import { startTimeServers } from "../../../lab/agents/time-servers.ts";
import { codeNear } from "../../../lab/basics/authenticator.ts";
import {
  endOfConsole,
  fill,
  sees,
  startBrowser,
  type TestBrowser,
  untilShown,
} from "../../../lab/console/browser.ts";

import { touch } from "../../../lab/console/walks/hands.ts";
import { assertEveryLook } from "../../../lab/console/walks/looks.ts";

const phone = { width: 360, height: 740, isTouched: true };

describe("an owner with a phone and a new device", () => {
  const ending = endOfConsole();
  let run: Run;
  let servers: readonly string[];
  let browser: TestBrowser;
  let page: Page;
  let complaints: string[];
  let secret = "";
  let fingerprint = "";
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
  const step = (name: string) => page.getByRole("heading", { name, level: 2 });
  const assertLoaded = () =>
    assert.match(
      readFileSync(join(run.directory, "var/product/loaded"), "utf8"),
      /^alert tcp any any -> any 23$/m,
    );

  before(async () => {
    const started = await startTimeServers([{}, {}, {}]);
    ending.after(() => started.stop());
    servers = started.names;
    run = await startRun(ending, { program: compiledRun });
    // They are on this computer, where only servers that are set are probed.
    const steward = join(run.directory, "var/steward");
    execFileSync(steward, ["system", "set", `time.servers=${servers.join(",")}`], { stdio: "ignore" });
    browser = await startBrowser(ending);
    ({ page, complaints } = await browser.open(run, phone));
  });

  it("opens the address that was printed, and chooses a name and a password", async () => {
    const addresses = run.printed().match(/http:\S+#setup=\S+/g) ?? [];
    assert.equal(addresses.length, 1, run.printed());
    await page.goto(addresses[0] ?? "");
    await untilShown(step("The first administrator"));
    await assertEveryLook(page, "the first step");
    await fill(page, { "User name": adminName, Password: adminPassword });
    await touch(button("Create the administrator"));
  });

  it("could open the authenticator of the phone, reads the key instead, types the first code and keeps the recovery codes", async () => {
    await untilShown(step("A second factor for your account"));
    const open = page.getByRole("link", { name: "Open my authenticator" });
    assert.match((await open.getAttribute("href")) ?? "", /^otpauth:\/\/totp\/.*secret=[A-Z2-7]{32}/);
    await touch(page.getByText("Scan or type the key instead"));
    await untilShown(page.getByRole("img", { name: /QR code/ }));
    secret = (await page.locator("pre").first().innerText()).replaceAll(" ", "");
    await assertEveryLook(page, "the QR code");
    await page.getByLabel("Code", { exact: true }).fill(codeNear(secret, 0));
    await touch(button("Switch on"));
    await page.getByLabel("I have saved these codes").check();
    await assertEveryLook(page, "the recovery codes");
    await touch(button("Done"));
  });

  it("names the device, and sees three time servers answer before they are saved", async () => {
    await untilShown(step("This device and its clock"));
    await page.getByLabel("Device name").fill("Branch Hamburg");
    for (const [index, server] of servers.entries()) {
      if ((await page.getByLabel(`Server ${index + 1}`).count()) === 0) await touch(button("Add a server"));
      await untilShown(page.getByLabel(`Server ${index + 1}`));
      await page.getByLabel(`Server ${index + 1}`).fill(server);
    }
    await touch(button("Test again"));
    await untilShown(page.getByText("3 of 3 answer."));
    await assertEveryLook(page, "time servers that answer");
    await touch(button("Continue"));
  });

  it("pastes the publisher's fingerprint, sees the sheet of the device, and is on Home", async () => {
    await untilShown(step("Updates"));
    fingerprint = /fingerprint:\s+((?:[0-9a-f]{4}\s+){16})/.exec(run.printed())?.[1]?.trim() ?? "";
    await page.getByLabel("Fingerprint from the publisher").fill(fingerprint);
    await assertEveryLook(page, "the fingerprint");
    await touch(button("Finish"));
    await untilShown(step("This device is set up"));
    await sees(
      page,
      "Only on this computer: HTTPS is off (System, This device)",
      `The recovery codes for ${adminName} are on a separate sheet.`,
    );
    await assertEveryLook(page, "the end of the first run");
    await touch(button("Go to Home"));
    await untilShown(page.getByRole("heading", { name: "All is well.", level: 1 }));
    await untilShown(page.getByRole("heading", { name: "Finish setting up (1)" }));
    await untilShown(page.locator(".frame-head").getByText("Branch Hamburg"));
    await assertEveryLook(page, "Home after the first run");
  });

  it("wants no message from the device, and has nothing left to set up", async () => {
    await touch(page.getByRole("link", { name: "Set up notifications" }));
    await touch(button("None is wanted here"));
    await untilShown(page.getByText("No message is sent, and Home does not ask for a receiver."));
    await touch(page.getByRole("link", { name: /^Home/ }).first());
    await untilShown(page.getByRole("heading", { name: "All is well.", level: 1 }));
    await page.locator(".to-do").waitFor({ state: "detached" });
  });

  it("is led to the update that there is, and sees it installed", async () => {
    await touch(page.getByRole("link", { name: "Updates", exact: true }).first());
    await touch(page.locator("summary").filter({ hasText: "Trust" }).first());
    await untilShown(page.getByText(fingerprint.split(/\s+/).join(" ")));
    await touch(button("Check now"));
    const rules = page.getByRole("article", { name: "Rules" });
    await rules.getByRole("button", { name: /^(Update now|Apply)/ }).waitFor();
    await assertEveryLook(page, "an update");
    await touch(rules.getByRole("button", { name: /^(Update now|Apply)/ }));
    const dialog = page.getByRole("dialog");
    await touch(dialog.getByRole("button", { name: /^(Update|Apply)/ }));
    await untilShown(rules.getByText(/good since/));
    assertLoaded();
  });

  it("reads on Home that all is still well, and that it is up to date", async () => {
    await touch(page.getByRole("link", { name: /^Home/ }).first());
    await untilShown(page.getByRole("heading", { name: "All is well.", level: 1 }));
    await untilShown(page.locator(".tile .badge", { hasText: "up to date" }));
    await assertEveryLook(page, "all is well");
  });

  it("opens the product's page from Home, which knows who comes and stays connected", async () => {
    await touch(page.getByRole("link", { name: "Pump", exact: true }));
    await untilShown(page.getByText(`Signed in at Steward as ${adminName}, admin.`));
    await untilShown(page.getByText(/^Pressure: \d\.\d\d bar$/));
    // Only there it leaves the console's own address.
    const { origin } = new URL(page.url());
    complaints.splice(0, Infinity, ...complaints.filter((one) => !one.startsWith(`request: ${origin}/`)));
  });

  it("finds all of it again at the next make run, which has nothing left to say but where it is", async () => {
    await run.stop();
    const again = await startRun(ending, { program: compiledRun, directory: run.directory });
    assert.doesNotMatch(again.printed(), /setup=|fingerprint/);
    assert.match(again.printed(), /http:\/\/127\.0\.0\.1:\d+\/\n/);
    assertLoaded();
    ({ page } = await browser.open(again, phone));
    await page.goto("/updates");
    await fill(page, { "User name": adminName, Password: adminPassword });
    await touch(button("Sign in"));
    await page.getByLabel("Code", { exact: true }).fill(codeNear(secret, 1));
    await touch(button("Sign in"));
    await untilShown(page.getByRole("article", { name: "Rules" }).getByText("0.9.0").first());
  });
});
