import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Locator } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { endOfConsole, signInByForm, startBrowser, type TestBrowser } from "../../lab/console/browser.ts";

describe("the console over HTTPS", () => {
  const ending = endOfConsole();
  let agent: RunningAgent;
  let browser: TestBrowser;
  let url: string;
  before(async () => {
    const home = mkdtempSync(join(tmpdir(), "steward-console-https-"));
    ending.after(async () => rmSync(home, { recursive: true, force: true }));
    mkdirSync(join(home, "etc"), { mode: 0o755 });
    const [hostFile, port] = [join(home, "etc/steward.json"), await heldPort()];
    writeFileSync(hostFile, JSON.stringify({ https: { enabled: true, port, address: "127.0.0.1" } }));
    agent = await startAgentInProcess({ arguments: ["--host-file", hostFile] });
    ending.after(() => agent.dispose());
    await agent.signedInAdmin();
    const { json } = await agent.call("GET", "/api/system/tls", { local: true });
    // The browser trusts this one key, as a person does who has compared the fingerprint, and no other.
    const pin = json.certificate.public_key_pin.replace("sha256//", "");
    browser = await startBrowser(ending, undefined, [`--ignore-certificate-errors-spki-list=${pin}`]);
    url = `https://127.0.0.1:${port}`;
  });

  it("loads, signs in and stays signed in, and its cookies are for HTTPS only", async () => {
    const { context, page } = await browser.open({ url });
    await signInByForm(page, "admin");
    await page.reload();
    await page.locator(".frame").waitFor();
    assert.deepEqual(
      (await context.cookies()).map(({ secure, httpOnly }) => [secure, httpOnly]),
      [
        [true, true],
        [true, true],
      ],
    );
  });

  it("shows the certificate's fingerprint in lines of whole octets, on a phone and on paper", async () => {
    const { page } = await browser.open({ url });
    await page.setViewportSize({ width: 390, height: 844 });
    await signInByForm(page, "admin");
    await page.goto(`${url}/system/device`);
    const { json } = await agent.call("GET", "/api/system/tls", { local: true });
    const { fingerprint } = json.certificate;
    const onPage = page.getByText(fingerprint, { exact: true }).first();
    await onPage.waitFor();
    assert.deepEqual(await linesOf(onPage), { octets: 32, broken: 0 });
    await page.getByRole("button", { name: "Device sheet" }).click();
    const onPaper = page.locator(".paper").getByText(fingerprint, { exact: true });
    await onPaper.waitFor();
    await page.emulateMedia({ media: "print" });
    assert.deepEqual(await linesOf(onPaper), { octets: 32, broken: 0 });
  });
});

/** The octets in a fingerprint's text, and those of them that a line's end parts. */
function linesOf(fingerprint: Locator): Promise<{ octets: number; broken: number }> {
  return fingerprint.evaluate((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let [octets, broken] = [0, 0];
    for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
      for (const { index } of (text.textContent ?? "").matchAll(/[0-9A-F]{2}/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + 2);
        octets += 1;
        if (range.getClientRects().length > 1) broken += 1;
      }
    }
    return { octets, broken };
  });
}
