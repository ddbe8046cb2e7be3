import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { budgets, buildConsole, consoleSizes } from "../../scripts/build-console.ts";
import { consolePaths } from "../../src/contract/console.ts";
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
    assert.deepEqual(sizes, { ".js": inAll(".js"), ".css": inAll(".css") });
    for (const kind of [".js", ".css"] as const) {
      test.diagnostic(`${kind} ${(sizes[kind] / 1024).toFixed(1)} of ${budgets[kind] / 1024} KiB gzipped`);
      assert.ok(sizes[kind] <= budgets[kind], `${kind} is ${sizes[kind]} bytes, over ${budgets[kind]}`);
    }
    assert.deepEqual(budgets, { ".js": 61_440, ".css": 12_288 });
  });

  it("ends the build where it is over them", async (test) => {
    const directory = await temporaryDirectory(test);
    await assert.rejects(
      buildConsole(join(directory, "a"), { ...budgets, ".js": 1_024 }),
      /\.js has grown to \d+ bytes gzipped, over 1024/,
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

  it("is at most six files for any page, for an administrator who has none of them yet", async (test) => {
    const { context, page } = await browser.open(agent);
    await signIn(page, "admin");
    await page.close();
    for (const path of consolePaths) {
      const { files, calls } = await firstView(context, path, { ready: "main h1" });
      test.diagnostic(`${path}: ${files} files, ${calls} calls of the API`);
      assert.ok(files <= 6, `${path} takes ${files} files`);
      assert.ok(files >= 3, `${path} takes only ${files} files: is it the page?`);
    }
  });

  it("is the German texts besides, for whoever reads them", async () => {
    const { context, page } = await browser.open(agent);
    await page.goto("/");
    const { files: english } = await firstView(context, "/", { ready: "form" });
    await page.evaluate(() => localStorage.setItem("steward-language", "de"));
    const { files } = await firstView(context, "/", { ready: "form" });
    assert.equal(files, english + 1);
    await page.reload();
    await page.getByRole("button", { name: "Anmelden" }).waitFor();
  });
});
