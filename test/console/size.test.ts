import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { sampled } from "../../lab/basics/counts.ts";
import { consoleOf, press, sees, signIn } from "../../lab/console/browser.ts";
import { firstView } from "../../lab/console/first-view.ts";
import { answerWith, holdAnswers } from "../../lab/console/page-checks.ts";
import { budgets, checkSizes, consoleSizes, scriptSizes } from "../../scripts/build-console.ts";
import { consolePaths } from "../../src/contract/schemas/console.ts";

const built = join(import.meta.dirname, "../../dist/console");

/** A page that takes the most scripts but for a few bytes. */
const large = "/updates";

const scripts = readdirSync(join(built, "assets"))
  .filter((name) => name.endsWith(".js"))
  .map((name) => readFileSync(join(built, "assets", name), "utf8"));

describe("the console's size", () => {
  it("is within its budgets", (test) => {
    const sizes = consoleSizes(built);
    assert.deepEqual(budgets, { signedOut: 46_080, home: 46_080, page: 61_440, css: 8_192 });
    for (const of of ["signedOut", "home", "page", "css"] as const) {
      test.diagnostic(`${of} ${(sizes[of] / 1024).toFixed(1)} of ${budgets[of] / 1024} KiB gzipped`);
      assert.ok(sizes[of] <= budgets[of], `${of} is ${sizes[of]} bytes, over ${budgets[of]}`);
      assert.throws(() => checkSizes(built, { ...budgets, [of]: 1_024 }), {
        message: new RegExp(`${of} has grown to \\d+ bytes gzipped, over 1024`),
      });
    }
    assert.ok(sizes.signedOut < sizes.page, "the pages behind the sign-in are not counted");
  });

  it("has the contract as methods and paths of the operations that it calls, without its schemas", () => {
    const isThere = (word: string) => scripts.some((text) => text.includes(word));
    assert.ok(isThere("/users/{id}"), "no path of the contract is there");
    // Only the command line calls the first, and the others are of schemas.
    for (const word of ["/configuration/seal-key", "additionalProperties", "pathParameters", "x-expected"])
      assert.ok(!isThere(word), word);
  });

  it("has nothing that leads elsewhere, and nothing that makes programs of text", () => {
    for (const text of scripts) {
      const addresses = text.match(/(?:https?|wss?):\/\/[a-z0-9.-]+/gi) ?? [];
      // Names of markup, which no browser fetches.
      assert.deepEqual(
        addresses.filter((one) => !one.startsWith("http://www.w3.org")),
        [],
      );
      assert.doesNotMatch(text, /\beval\(|new Function\(|document\.write|sourceMappingURL/);
    }
  });
});

describe("what a page takes", () => {
  const { agent, browser } = consoleOf();

  it("is at most six requests for Home and five behind them, seven files for any page but the settings, and 60 KiB of scripts, for an administrator who has nothing yet", async (test) => {
    const { context, page } = await browser.open(agent);
    await signIn(page, "admin");
    // The longer texts.
    await page.evaluate(() => localStorage.setItem("steward-language", "de"));
    await page.close();
    const scriptBytes = new Map<string, number>();
    // Usually the smallest page and a large one, and some between them: each is loaded with an empty cache.
    const between = consolePaths.filter((path) => path !== "/" && path !== large);
    for (const path of ["/", large, ...sampled(between, { oneIn: 3 })] as const) {
      const isHome = path === "/";
      const view = await firstView(context, path, { ready: isHome ? ".verdict" : "main h1" });
      const { files, calls, behind } = view;
      test.diagnostic(
        `${path}: ${files} files, ${calls} calls, ${view.scriptBytes} bytes; ${behind.length} behind`,
      );
      // The settings' forms are shared with events and updates, which use a part of them each.
      const [least, most] = isHome ? [3, 3] : [5, path === "/system/settings" ? 8 : 7];
      assert.ok(files >= least && files <= most, `${path} takes ${files} files`);
      if (isHome) assert.ok(files + calls <= 6, `Home takes ${files} files and ${calls} calls`);
      if (isHome) assert.ok(behind.includes("/api/history") && behind.length <= 5, behind.join(", "));
      scriptBytes.set(path, view.scriptBytes);
    }
    assert.equal(scriptBytes.get(large), scriptSizes(built).parts.updates, "what the build counts");
    assert.ok(Math.max(...scriptBytes.values()) <= 60 * 1024);
  });

  it("is one file more on Home once a need is about a finding, and the agent's own sentence where that is gone", async () => {
    const { page } = await browser.open(agent);
    const findings = /\/assets\/words\.en\.findings-/;
    const asked: string[] = [];
    page.on("request", (request) => {
      if (findings.test(request.url())) asked.push(request.url());
    });
    const need = {
      ...{ code: "disk", level: "failing", detail: "the agent's own sentence", remedy: null },
      facts: { check: "disk", reason: "disk_read_only", path: "/var" },
    };
    const needs = page.locator(".needs");
    await signIn(page, "admin");
    await needs.locator("li").first().waitFor();
    assert.deepEqual(asked, [], "no need is about a finding");
    await answerWith(page, "**/api/status", { needs: [need] });
    await page.reload();
    await sees(needs, "The disk at /var is read-only");
    assert.equal(asked.length, 1);
    await page.route(findings, (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await sees(needs, "The agent's own sentence.", "The disk cannot be written to");
  });

  it("is nothing of the pages behind the sign-in, for a stranger, and one language", async () => {
    const { context, page } = await browser.open(agent);
    await page.goto("/");
    const english = await firstView(context, "/", { ready: "form" });
    await page.evaluate(() => localStorage.setItem("steward-language", "de"));
    const german = await firstView(context, "/", { ready: "form" });
    assert.equal(german.files, english.files);
    assert.ok(german.files + german.calls <= 6, `${german.files} files and ${german.calls} calls`);
    assert.ok(german.scriptBytes > english.scriptBytes, "these are the same texts");
    assert.equal(german.scriptBytes, consoleSizes(built).signedOut, "what the build counts");
  });

  it("is a shell at once, and the session and the texts are on their way before the script is there", async () => {
    const page = await browser.signedIn(agent, "admin", undefined, { language: "de" });
    const letGo = await holdAnswers(page, "**/assets/index-*.js");
    const refreshed = page.waitForResponse("**/api/auth/refresh");
    const texts = page.waitForResponse("**/assets/words.de.base-*.js");
    await page.reload({ waitUntil: "commit" });
    await page.locator(".outside .device", { hasText: "Steward" }).waitFor();
    assert.equal((await refreshed).status(), 200);
    await texts;
    letGo();
    await page.locator(".verdict").waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
  });

  it("is another file once a page of another part is opened, and an error with a way out where that is gone", async () => {
    const page = await browser.signedIn(agent, "admin", "/users");
    await page.getByRole("heading", { name: "Users", level: 1 }).waitFor();
    await page.route("**/assets/updates-*.js", (route) => route.fulfill({ status: 404 }), { times: 2 });
    await page.getByRole("link", { name: "Updates", exact: true }).click();
    await sees(page, "A part of this page could not be loaded", "Steward may have been updated");
    await Promise.all([page.waitForEvent("load"), press(page, "Reload")]);
    await page.getByRole("heading", { name: "Updates", level: 1 }).waitFor();
  });
});
