import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { readPages } from "../../../scripts/docs/pages.ts";

const built = join(import.meta.dirname, "../../../dist/console/docs");

const files = readdirSync(built, { recursive: true, encoding: "utf8" }).filter((name) =>
  statSync(join(built, name)).isFile(),
);
const pages = files.filter((name) => name.endsWith(".html")).map((name) => `/docs/${name}`);
const textOf = (address: string): string => readFileSync(join(built, "..", address), "utf8");

describe("the documents on the device", () => {
  const agent = ofSuite(startAgentInProcess);
  const get = (path: string) => fetch(`${agent.url}${path}`);

  it("are all of docs/ but its decisions and the answers to ASVS, and what is new and what was found, each in three forms", () => {
    const expected = readPages().flatMap(({ path }) => {
      if (path.startsWith("docs/adr/") || path === "docs/design/asvs.md") return [];
      if (path.startsWith("docs/")) return [`/${path.replace(/md$/, "html")}`];
      return ["SECURITY.md", "CHANGELOG.md"].includes(path) ? [`/docs/${path.replace(/md$/, "html")}`] : [];
    });
    assert.ok(expected.length > 36, `${expected.length} documents`);
    assert.deepEqual(pages.toSorted(), [...expected, "/docs/index.html"].toSorted());
    for (const page of pages)
      for (const suffix of [".br", ".gz"])
        assert.ok(files.includes(`${page.slice("/docs/".length)}${suffix}`), page);
  });

  it("take at most 1.25 MiB of the disk", (test) => {
    const bytes = files.map((name) => statSync(join(built, name))).reduce((sum, { size }) => sum + size, 0);
    test.diagnostic(`${(bytes / 1024).toFixed(0)} KiB`);
    assert.ok(bytes <= 1.25 * 1024 * 1024, `${bytes} bytes`);
  });

  it("need no sign-in, are asked for again each time, and allow nothing inline", async () => {
    for (const page of pages) {
      const answer = await get(page);
      assert.deepEqual([answer.status, answer.headers.get("cache-control")], [200, "no-cache"], page);
      assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
      assert.doesNotMatch(answer.headers.get("content-security-policy") ?? "unsafe-", /unsafe-|sha256-/);
      const text = await answer.text();
      assert.doesNotMatch(text, /<style|<script>|\sstyle="|\son[a-z]+="|<img|<!--/, page);
    }
  });

  it("lead to each other, to the console and to the API, and to nothing that the device does not have", async () => {
    let count = 0;
    for (const page of pages)
      for (const [, link = ""] of textOf(page).matchAll(/ (?:href|src)="([^"]+)"/g)) {
        if (link.startsWith("https://")) continue;
        count += 1;
        const [path = "", anchor] = link.split("#");
        const target = path === "" ? page : path;
        assert.equal((await get(target)).status, 200, `${page} leads to ${link}`);
        if (anchor !== undefined) assert.ok(textOf(target).includes(` id="${anchor}"`), `${page}: ${link}`);
      }
    assert.ok(count > 500, `${count} links`);
  });

  it("are listed at /docs, by what a person wants", async () => {
    for (const path of ["/docs", "/docs/"])
      assert.equal(await (await get(path)).text(), textOf("/docs/index.html"));
    assert.match(textOf("/docs/index.html"), /<a href="\/docs\/updates\/publish.html">publish<\/a>/);
  });
});
