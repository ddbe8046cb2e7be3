import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, it } from "node:test";
import { anchorOf, readPages } from "../../scripts/docs/pages.ts";
import { bannedWords } from "../words.ts";

const root = join(import.meta.dirname, "../..");
const pages = readPages();

/** The anchors of a page's headings. */
function anchorsOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

/** The fault of a link of a page; null: none. */
function complaint(path: string, link: string): string | null {
  if (/^[a-z]+:/.test(link)) return null;
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? path : relative(root, join(root, dirname(path), file));
  if (!existsSync(join(root, target))) return `${path}: there is no ${target}`;
  if (anchor === undefined) return null;
  const isThere = anchorsOf(readFileSync(join(root, target), "utf8")).includes(anchor);
  return isThere ? null : `${path}: ${target} has no heading #${anchor}`;
}

describe("a link of the documents", () => {
  const links = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => ({ path, link })),
  );

  it("leads to a file, and to a heading, that there is", () => {
    assert.ok(links.length > 100, `${links.length} were found`);
    assert.deepEqual(
      links.flatMap(({ path, link }) => complaint(path, link) ?? []),
      [],
    );
  });

  it("is noticed when it leads nowhere", () => {
    assert.match(complaint("docs/clock.md", "absent.md") ?? "", /no docs\/absent\.md/);
    assert.match(complaint("docs/clock.md", "settings.md#absent") ?? "", /no heading #absent/);
  });
});

describe("the pages", () => {
  it("are reached from the README, each by links", () => {
    const reached = new Set(["README.md"]);
    for (const path of reached) {
      const text = pages.find((page) => page.path === path)?.text ?? "";
      for (const [, link = ""] of text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g))
        if (link.endsWith(".md")) reached.add(relative(root, join(root, dirname(path), link)));
    }
    const unreached = pages.map(({ path }) => path).filter((path) => !reached.has(path));
    assert.deepEqual(unreached, []);
  });

  it("begin with a README of at most 150 lines", () => {
    const lines = pages.find(({ path }) => path === "README.md")?.text.split("\n").length ?? 0;
    assert.ok(lines <= 150, `${lines} lines`);
  });

  it("name each runtime dependency, with what it is for", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const page = readFileSync(join(root, "docs/dependencies.md"), "utf8");
    const named = [...page.matchAll(/^\| ([@a-z0-9/-]+) \| [a-z0-9]/gim)].map(([, name]) => name);
    assert.deepEqual(
      named.filter((name) => name !== "package").toSorted(),
      Object.keys(dependencies).toSorted(),
    );
  });

  it("name each room of the sources, in the table and in the picture", () => {
    const page = readFileSync(join(root, "docs/ARCHITECTURE.md"), "utf8");
    const rooms = readdirSync(join(root, "src")).toSorted();
    const table = [...page.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, name = ""]) => name);
    assert.deepEqual(table.toSorted(), rooms);
    const [, picture = ""] = /```text\n([\s\S]*?)```/.exec(page) ?? [];
    for (const room of rooms) assert.match(picture, new RegExp(`^ .*\\b${room}\\b`, "m"));
  });

  it("name each target of make that a contributor needs", () => {
    const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
    const makefile = readFileSync(join(root, "Makefile"), "utf8");
    const named = [...page.matchAll(/^\| `make ([a-z-]+)` \|/gm)].map(([, target = ""]) => target);
    const unknown = named.filter((target) => !new RegExp(`^${target}:`, "m").test(makefile));
    assert.ok(named.length > 10, `${named.length} were found`);
    assert.deepEqual(unknown, []);
  });

  it("are in plain words", () => {
    // The changelog names what was renamed.
    const found = pages
      .filter(({ path }) => path !== "CHANGELOG.md")
      .flatMap(({ path, text }) =>
        text
          .split("\n")
          .flatMap((line, index) => bannedWords(line).map((word) => `${path}:${index + 1}: ${word}`)),
      );
    assert.deepEqual(found, []);
  });

  it("are what the sources cite: each rule of a design that a comment names is there", () => {
    const files = ["src", "test", "lab"].flatMap((directory) =>
      readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("docs/"))
        .map((name) => `${directory}/${name}`),
    );
    const cited = files.flatMap((by) =>
      [...readFileSync(join(root, by), "utf8").matchAll(/(docs\/[\w/-]+\.md)(?:, rule (\d+))?/g)].map(
        ([, page = "", rule]) => ({ by, page, rule }),
      ),
    );
    assert.ok(cited.length > 0, "none was found");
    const isMissing = ({ page, rule }: (typeof cited)[number]): boolean =>
      !existsSync(join(root, page)) ||
      (rule !== undefined && !readFileSync(join(root, page), "utf8").includes(`**Rule ${rule}.`));
    assert.deepEqual(cited.filter(isMissing), []);
  });
});
