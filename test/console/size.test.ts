import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { sampled } from "../../lab/basics/counts.ts";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { consoleOf, signIn } from "../../lab/console/browser.ts";
import { firstView } from "../../lab/console/first-view.ts";
import { picture } from "../../lab/console/page-checks.ts";
import { budgets, buildConsole, checkSizes, consoleSizes, scriptSizes } from "../../scripts/build-console.ts";
import { consolePaths } from "../../src/contract/schemas/console.ts";

const source = join(import.meta.dirname, "../../src/console");

const built = join(import.meta.dirname, "../../dist/console");

const assets = join(built, "assets");

/** A page that takes the most scripts but for a few bytes. */
const large = "/updates";

const scripts = readdirSync(assets)
  .filter((name) => name.endsWith(".js"))
  .map((name) => readFileSync(join(assets, name), "utf8"));

describe("the console's size", () => {
  it("is within its budgets", (test) => {
    const sizes = consoleSizes(built);
    assert.deepEqual(budgets, { signedOut: 46_080, home: 46_080, page: 61_440, css: 8_192 });
    for (const of of ["signedOut", "home", "page", "css"] as const) {
      test.diagnostic(`${of} ${(sizes[of] / 1024).toFixed(1)} of ${budgets[of] / 1024} KiB gzipped`);
      assert.ok(sizes[of] <= budgets[of], `${of} is ${sizes[of]} bytes, over ${budgets[of]}`);
    }
    assert.ok(sizes.signedOut < sizes.page, "the pages behind the sign-in are not counted");
  });

  it("is checked against each budget", () => {
    for (const of of ["signedOut", "home", "page", "css"] as const)
      assert.throws(() => checkSizes(built, { ...budgets, [of]: 1_024 }), {
        message: new RegExp(`${of} has grown to \\d+ bytes gzipped, over 1024`),
      });
  });

  it("has the contract as methods and paths of the operations that it calls, without its schemas", () => {
    const isThere = (path: string) => scripts.some((text) => text.includes(path));
    assert.ok(isThere("/api/users/{id}"), "no path of the contract is there");
    assert.ok(!isThere("/api/configuration/seal-key"), "only the command line calls this");
    for (const word of ["additionalProperties", "pathParameters", "x-expected"])
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
      const view = await firstView(context, path, { ready: path === "/" ? ".verdict" : "main h1" });
      const { files, calls, behind } = view;
      test.diagnostic(
        `${path}: ${files} files, ${calls} calls of the API, ${view.scriptBytes} bytes; ${behind.length} behind`,
      );
      const isHome = path === "/";
      // The settings' forms are shared with events and updates, which use a part of them each.
      const most = path === "/system/settings" ? 8 : 7;
      assert.ok(files <= (isHome ? 3 : most), `${path} takes ${files} files`);
      assert.ok(files >= (isHome ? 3 : 5), `${path} takes only ${files} files: is it the page?`);
      if (isHome) assert.ok(files + calls <= 6, `Home takes ${files} files and ${calls} calls`);
      if (isHome) assert.ok(behind.includes("/api/history") && behind.length <= 5, behind.join(", "));
      scriptBytes.set(path, view.scriptBytes);
    }
    assert.equal(scriptBytes.get(large), scriptSizes(built).parts.updates, "what the build counts");
    assert.ok(Math.max(...scriptBytes.values()) <= 60 * 1024);
  });

  it("is one file more on Home once a need is about a finding, and the agent's own sentence where that is gone", async () => {
    const { page } = await browser.open(agent);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const findings = /\/assets\/words\.en\.findings-/;
    const need = {
      ...{ code: "disk", level: "failing", detail: "the agent's own sentence", remedy: null },
      facts: { check: "disk", reason: "disk_read_only", path: "/var" },
    };
    await signIn(page, "admin");
    await page.locator(".needs > li").first().waitFor();
    assert.deepEqual(
      asked.filter((path) => findings.test(path)),
      [],
      "no need is about a finding",
    );
    await page.route("**/api/status", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), needs: [need] } });
    });
    await page.reload();
    await page.locator(".needs").getByText("The disk at /var is read-only").waitFor();
    assert.equal(asked.filter((path) => findings.test(path)).length, 1);
    await page.route(findings, (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await page.locator(".needs").getByText("The agent's own sentence.").waitFor();
    await page.getByRole("heading", { name: "The disk cannot be written to" }).waitFor();
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
    assert.ok(german.scriptBytes < 45 * 1024, `the sign-in takes ${german.scriptBytes} bytes`);
    await page.reload();
    await page.getByRole("button", { name: "Anmelden" }).waitFor();
  });

  it("is a shell at once, and the session and the texts are on their way before the script is there", async () => {
    const page = await browser.signedIn(agent, "admin", undefined, { language: "de" });
    let letGo: (value?: unknown) => void = () => undefined;
    const held = new Promise((resolve) => {
      letGo = resolve;
    });
    await page.route("**/assets/index-*.js", async (route) => {
      await held;
      await route.continue();
    });
    const refreshed = page.waitForResponse("**/api/auth/refresh");
    const texts = page.waitForResponse("**/assets/words.de.base-*.js");
    await page.reload({ waitUntil: "commit" });
    await page.locator(".outside .device", { hasText: "Steward" }).waitFor();
    assert.equal((await refreshed).status(), 200);
    await texts;
    await picture(page, "shell-light");
    letGo();
    await page.locator(".verdict").waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
  });

  it("is another file once a page of another part is opened, and an error with a way out where that is gone", async () => {
    const page = await browser.signedIn(agent, "admin", "/users");
    await page.getByRole("heading", { name: "Users", level: 1 }).waitFor();
    await page.route("**/assets/updates-*.js", (route) => route.fulfill({ status: 404 }), { times: 2 });
    await page.getByRole("link", { name: "Updates", exact: true }).click();
    await page.getByText("Something went wrong in this page").waitFor();
    await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Reload" }).click()]);
    await page.getByRole("heading", { name: "Updates", level: 1 }).waitFor();
  });

  it("is in another language once there is one more file of texts, whose size ends the build", async (test) => {
    const directory = await temporaryDirectory(test);
    const copy = join(directory, "src/console");
    cpSync(source, copy, { recursive: true });
    for (const name of ["src/contract", "node_modules", "tsconfig.json"])
      symlinkSync(join(source, "../..", name), join(directory, name));
    writeFileSync(join(copy, "catalogue/languages/fr.ts"), french);
    const frenchConsole = join(directory, "built");
    // In one file, all of a language comes with the first view: the build ends with an error, and leaves its files.
    await assert.rejects(
      buildConsole(frenchConsole, { source: copy }),
      /has grown to \d+ bytes gzipped, over/,
    );
    assert.deepEqual(namesOfTexts(frenchConsole, "fr"), namesOfTexts(built, "en"));
    const { page } = await browser.open(agent);
    await page.route("**/*", (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname.startsWith("/api/")) return route.fallback();
      return route.fulfill({ path: join(frenchConsole, pathname === "/" ? "index.html" : pathname) });
    });
    await page.goto("/");
    await page.getByRole("button", { name: "Français" }).click();
    await page.getByRole("heading", { name: "Connexion", level: 1 }).waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "fr");
  });
});

/** The members that a language's texts have, in all of its files. */
function namesOfTexts(directory: string, language: string): string[] {
  const place = join(directory, "assets");
  const files = readdirSync(place).filter((name) => name.startsWith(`words.${language}`));
  const names = files
    .filter((name) => name.endsWith(".js"))
    .map((name) => /export\s*\{([^}]*)\}/.exec(readFileSync(join(place, name), "utf8"))?.[1] ?? "")
    .flatMap((list) => list.split(",").map((entry) => entry.trim().split(" as ").at(-1)));
  return [...new Set(names)].map(String).sort();
}

const englishFiles = readdirSync(join(source, "catalogue/languages/en")).filter((name) =>
  name.endsWith(".ts"),
);

/** All of it in one file: the English texts but for one. */
const french = `import { signIn as english } from "./en/base.ts";
${englishFiles.map((name) => `export * from "./en/${name}";`).join("\n")}
// Several files have copies of these; of two with the same name a module would give neither.
export { checkNames, findingWords as findings } from "../../../contract/words/en/findings.ts";
export { personWords as person } from "./en/people/person.ts";
export { updateProblems } from "../../../contract/words/en/update-problems.ts";
export const signIn = { ...english, title: "Connexion" };
`;
