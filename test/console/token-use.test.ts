import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import {
  endOfConsole,
  fill,
  press,
  signInByForm,
  startBrowser,
  type TestBrowser,
} from "../../lab/console/browser.ts";
import { assertSound } from "../../lab/console/page-checks.ts";
import {
  certificateLines,
  curlLines,
  prometheusJob,
  savingLine,
  wayIn,
} from "../../src/console/account/token-use.ts";
import type { Tls } from "../../src/contract/types.ts";

interface Ran {
  readonly failed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Has a shell run lines, as after they are pasted. The agent is in this process: it must be able to answer meanwhile. */
function run(lines: string, directory: string, typed = ""): Promise<Ran> {
  return new Promise((resolve) =>
    execFile("sh", ["-c", lines], { cwd: directory, encoding: "utf8" }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    ).stdin?.end(typed),
  );
}

/** Another certificate or key than the device's. */
const turned = (mark: string): string => mark.replace(/.(?=.{4}$)/, (one) => (one === "A" ? "B" : "A"));

/** The octets in a fingerprint's text, and those of them that a line's end parts. */
function linesOf(fingerprint: Locator): Promise<{ octets: number; broken: number }> {
  return fingerprint.evaluate((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let [octets, broken] = [0, 0];
    for (let text = walker.nextNode(); text !== null; text = walker.nextNode())
      for (const { index } of (text.textContent ?? "").matchAll(/[0-9A-F]{2}/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + 2);
        octets += 1;
        if (range.getClientRects().length > 1) broken += 1;
      }
    return { octets, broken };
  });
}

describe("the console over HTTPS", () => {
  const ending = endOfConsole();
  const directory = scratchDirectory();
  let agent: RunningAgent;
  let browser: TestBrowser;
  let url: string;
  let tls: Tls;
  let admin: string;
  before(async () => {
    mkdirSync(join(directory, "etc"), { mode: 0o755 });
    const [hostFile, port] = [join(directory, "etc/steward.json"), await heldPort()];
    writeFileSync(hostFile, JSON.stringify({ https: { enabled: true, port, address: "127.0.0.1" } }));
    agent = await startAgentInProcess({ arguments: ["--host-file", hostFile] });
    ending.after(() => agent.dispose());
    admin = (await agent.signedInAdmin()).token;
    tls = await agent.read("/api/system/tls");
    // The browser trusts this one key, as a person does who has compared the fingerprint, and no other.
    const pin = tls.certificate?.public_key_pin.replace("sha256//", "");
    browser = await startBrowser(ending, undefined, [`--ignore-certificate-errors-spki-list=${pin}`]);
    url = `https://127.0.0.1:${port}`;
  });

  it("loads, signs in and stays signed in, and its cookies are for HTTPS only", async () => {
    const { context, page } = await browser.open({ url });
    await signInByForm(page, "admin");
    await page.reload();
    await page.locator(".frame").waitFor();
    const cookies = (await context.cookies()).map(({ secure, httpOnly }) => secure && httpOnly);
    assert.deepEqual(cookies, [true, true]);
  });

  it("shows the certificate's fingerprint in lines of whole octets, on a phone and on paper", async () => {
    const { page } = await browser.open({ url }, { width: 390, height: 844 });
    await signInByForm(page, "admin");
    await page.goto(`${url}/system/device`);
    const fingerprint = tls.certificate?.fingerprint ?? "";
    const onPage = page.getByText(fingerprint, { exact: true }).first();
    await onPage.waitFor();
    assert.deepEqual(await linesOf(onPage), { octets: 32, broken: 0 });
    await press(page, "Device sheet");
    const onPaper = page.locator(".paper").getByText(fingerprint, { exact: true });
    await onPaper.waitFor();
    await page.emulateMedia({ media: "print" });
    assert.deepEqual(await linesOf(onPaper), { octets: 32, broken: 0 });
  });

  describe("has recipes after a token is made, which", () => {
    /** A token that is made in the page, and its recipes in their order. */
    const madeWith = async (page: Page, scope: string): Promise<string[]> => {
      await press(page, "Create token");
      const sheet = page.getByRole("dialog", { name: "Create token" });
      await fill(sheet, { Name: "blocks" });
      await sheet.getByLabel(scope).check();
      await press(sheet, "Create token");
      await sheet.getByText("How a program uses it").click();
      return sheet.locator("pre").allInnerTexts();
    };

    it("work as they are, over the certificate that the device has made, and not with another", async () => {
      const { page } = await browser.open({ url }, { width: 390, height: 844 });
      await signInByForm(page, "admin", "/account?open=tokens");
      const [token = "", saving = "", curl = "", job = "", files = ""] = await madeWith(page, "Read figures");
      assert.deepEqual([saving, job], [savingLine, prometheusJob(wayIn(url, tls))]);
      // The history of a shell and the list of processes have what is typed and what programs are started with.
      assert.ok(![saving, curl, job, files].join().includes(token));
      assert.equal((await run(saving, directory, `${token}\n`)).failed, false);
      assert.equal(statSync(join(directory, "steward.token")).mode & 0o777, 0o600);
      const asked = await run(curl, directory);
      assert.deepEqual([asked.failed, asked.stderr], [false, ""]);
      assert.match(asked.stdout, /^steward_device_state\{/m);
      const { public_key_pin: pin = "", fingerprint = "" } = tls.certificate ?? {};
      const refused = await run(curl.replace(pin, turned(pin)), directory);
      assert.match(refused.stderr, /public key does not match pinned public key/i);
      assert.equal(refused.stdout, "");
      assert.equal((await run(files, directory)).failed, false);
      const byFile = `curl -sS --cacert steward-ca.pem -H "Authorization: Bearer $(cat steward.token)" ${url}/api/metrics`;
      assert.match((await run(byFile, directory)).stdout, /^steward_device_state\{/m);
      await run(files.replace(fingerprint, turned(fingerprint)), directory);
      assert.equal(existsSync(join(directory, "steward-ca.pem")), false, "another's certificate was kept");
      await assertSound(page, "account-token-recipes-390");
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: "dark" });
      await assertSound(page, "account-token-recipes-1440-dark");
    });

    it("give the address of HTTPS to a browser that came without it", () => {
      const plain = "http://127.0.0.1:8470";
      for (const [given, origin] of [
        [tls, tls.urls[0]],
        [{ ...tls, listening: false }, plain],
        [null, plain],
      ] as const)
        assert.equal(wayIn(plain, given).origin, origin);
    });

    it("leave the certificate to the program's authorities where a proxy or an installed certificate is in front", () => {
      const certificate = tls.certificate && { ...tls.certificate, source: "installed" as const };
      for (const way of [wayIn(url, { ...tls, certificate }), wayIn("https://box.example.net", tls)]) {
        assert.equal(way.certificate, null);
        assert.doesNotMatch(curlLines(["system:read"], way) ?? "", /insecure|pinned/);
        assert.doesNotMatch(prometheusJob(way), /tls_config/);
        assert.equal(certificateLines(way), null);
      }
      const job = prometheusJob(wayIn("https://box.example.net", tls));
      assert.match(job, /targets: \['box\.example\.net'\]/);
    });

    it("ask for something that each scope may, and for nothing where that would take a body", async () => {
      const way = wayIn(agent.url, null);
      const names = ["metrics", "system", "logs", "events", "users", "configuration"];
      for (const scope of names.map((name) => `${name}:read`)) {
        const body = { name: "each", scopes: [scope], expires_in: "1d" };
        const { json } = await agent.call("POST", "/api/tokens", { token: admin, body });
        await run(savingLine, directory, json.token);
        const lines = curlLines([scope], way) ?? "";
        const ran = await run(lines.replace("-sS", "-sS -o /dev/null -w '%{http_code}'"), directory);
        assert.equal(ran.stdout, "200", scope);
      }
      assert.equal(curlLines(["updates:apply"], way), null);
      assert.match(curlLines(["updates:check"], way) ?? "", /-X POST/);
    });
  });
});
