import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { budgets, buildConsole, consoleSizes } from "../../scripts/build-console.ts";
import { consolePaths } from "../../src/contract/schemas/console.ts";
import type { RunningAgent } from "../running-agent.ts";
import { temporaryDirectory } from "../store/state-directory.ts";
import { endOfConsole, signIn, startConsole, type TestBrowser } from "./browser.ts";
import { firstView } from "./first-view.ts";

const assets = join(import.meta.dirname, "../../dist/console/assets");

const scripts = readdirSync(assets)
  .filter((name) => name.endsWith(".js"))
  .map((name) => readFileSync(join(assets, name), "utf8"));

describe("the console's size", () => {
  it("is within its budgets, every chunk counted", (test) => {
    const sizes = consoleSizes(join(assets, ".."));
    const inAll = (end: string) =>
      readdirSync(assets)
        .filter((name) => name.endsWith(end))
        .reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name)), { level: 9 }).length, 0);
    assert.deepEqual(sizes, { view: sizes.view, ".js": inAll(".js"), ".css": inAll(".css") });
    for (const kind of ["view", ".js", ".css"] as const) {
      test.diagnostic(`${kind} ${(sizes[kind] / 1024).toFixed(1)} of ${budgets[kind] / 1024} KiB gzipped`);
      assert.ok(sizes[kind] <= budgets[kind], `${kind} is ${sizes[kind]} bytes, over ${budgets[kind]}`);
    }
    assert.deepEqual(budgets, { view: 46_080, ".js": 71_680, ".css": 12_288 });
  });

  it("ends the build where it is over them", async (test) => {
    const directory = await temporaryDirectory(test);
    await assert.rejects(
      buildConsole(join(directory, "a"), { ...budgets, ".js": 1_024 }),
      /\.js has grown to \d+ bytes gzipped, over 1024/,
    );
    await assert.rejects(
      buildConsole(join(directory, "a"), { ...budgets, view: 20_480 }),
      /view has grown to \d+ bytes gzipped, over 20480/,
    );
    await assert.rejects(
      buildConsole(join(directory, "b"), { ...budgets, ".css": 512 }),
      /\.css has grown to \d+ bytes gzipped, over 512/,
    );
  });

  it("has the contract as methods and paths, without its schemas", () => {
    assert.ok(
      scripts.some((text) => text.includes("/api/users/{id}")),
      "no path of the contract is there",
    );
    for (const word of ["additionalProperties", "pathParameters", "minLength:", "x-writer: "])
      assert.ok(!scripts.some((text) => text.includes(word)), `a schema is in the page: ${word}`);
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
  const ending = endOfConsole();
  let agent: RunningAgent;
  let browser: TestBrowser;
  before(async () => {
    ({ agent, browser } = await startConsole(ending));
  });

  it("is at most six files and 45 KiB of scripts for any page, for an administrator who has nothing yet", async (test) => {
    const { context, page } = await browser.open(agent);
    await signIn(page, "admin");
    // The longer texts.
    await page.evaluate(() => localStorage.setItem("steward-language", "de"));
    await page.close();
    const scriptBytes: number[] = [];
    for (const path of consolePaths) {
      const view = await firstView(context, path, { ready: "main h1" });
      test.diagnostic(
        `${path}: ${view.files} files, ${view.calls} calls of the API, ${view.scriptBytes} bytes`,
      );
      assert.ok(view.files <= 6, `${path} takes ${view.files} files`);
      assert.ok(view.files >= 5, `${path} takes only ${view.files} files: is it the page?`);
      scriptBytes.push(view.scriptBytes);
    }
    assert.equal(Math.max(...scriptBytes), consoleSizes(join(assets, "..")).view, "what the build counts");
    assert.ok(Math.max(...scriptBytes) <= 45 * 1024);
  });

  it("is nothing of the pages behind the sign-in, for a stranger, and one language", async () => {
    const { context, page } = await browser.open(agent);
    await page.goto("/");
    const english = await firstView(context, "/", { ready: "form" });
    await page.evaluate(() => localStorage.setItem("steward-language", "de"));
    const german = await firstView(context, "/", { ready: "form" });
    assert.equal(german.files, english.files);
    assert.ok(german.scriptBytes > english.scriptBytes, "these are the same texts");
    assert.ok(german.scriptBytes < 35 * 1024, `the sign-in takes ${german.scriptBytes} bytes`);
    await page.reload();
    await page.getByRole("button", { name: "Anmelden" }).waitFor();
  });

  it("is another file once a page of another part is opened, and an error with a way out where that is gone", async () => {
    const { page } = await browser.open(agent);
    await signIn(page, "admin", "/users");
    await page.getByRole("heading", { name: "Users", level: 1 }).waitFor();
    await page.route("**/assets/settings-*.js", (route) => route.fulfill({ status: 404 }), { times: 2 });
    await page.getByRole("link", { name: "Updates", exact: true }).click();
    await page.getByText("Something went wrong in this page").waitFor();
    await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Reload" }).click()]);
    await page.getByRole("heading", { name: "Updates", level: 1 }).waitFor();
  });
});
