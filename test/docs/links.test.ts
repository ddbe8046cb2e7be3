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
  it("leads to a file, and to a heading, that there is", () => {
    const links = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => ({ path, link })),
    );
    assert.ok(links.length > 100, `${links.length} were found`);
    const faults = links.flatMap(({ path, link }) => complaint(path, link) ?? []);
    assert.deepEqual(faults, []);
  });

  it("is noticed when it leads nowhere", () => {
    assert.match(complaint("docs/clock.md", "absent.md") ?? "", /no docs\/absent\.md/);
    assert.match(complaint("docs/clock.md", "settings.md#absent") ?? "", /no heading #absent/);
  });
});

describe("the pages", () => {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  /** The first groups of all matches in a file. */
  const named = (path: string, form: RegExp) => [...read(path).matchAll(form)].map(([, name = ""]) => name);

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
    const lines = read("README.md").split("\n").length;
    assert.ok(lines <= 150, `${lines} lines`);
  });

  it("name each runtime dependency, with what it is for", () => {
    const found = named("docs/dependencies.md", /^\| (?!package)([@a-z0-9/-]+) \| [a-z0-9]/gim);
    const { dependencies } = JSON.parse(read("package.json"));
    assert.deepEqual(found.toSorted(), Object.keys(dependencies).toSorted());
  });

  it("name each room of the sources, in the table and in the picture", () => {
    const rooms = readdirSync(join(root, "src")).toSorted();
    assert.deepEqual(named("docs/ARCHITECTURE.md", /^\| `([a-z]+)` \|/gm).toSorted(), rooms);
    const [picture = ""] = named("docs/ARCHITECTURE.md", /```text\n([\s\S]*?)```/g);
    for (const room of rooms) assert.match(picture, new RegExp(`^ .*\\b${room}\\b`, "m"));
  });

  it("name each target of make that a contributor needs", () => {
    const targets = named("CONTRIBUTING.md", /^\| `make ([a-z-]+)` \|/gm);
    assert.ok(targets.length > 10, `${targets.length} were found`);
    for (const target of targets) assert.match(read("Makefile"), new RegExp(`^${target}:`, "m"));
  });

  it("are in plain words", () => {
    // The changelog names what was renamed.
    const found = pages.flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) => bannedWords(line).map((word) => `${path}:${index + 1}: ${word}`)),
    );
    const others = found.filter((place) => !place.startsWith("CHANGELOG.md:"));
    assert.deepEqual(others, []);
  });

  it("are what the sources cite: each rule of a design that a comment names is there", () => {
    const files = ["src", "test", "lab"].flatMap((directory) =>
      readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("docs/"))
        .map((name) => `${directory}/${name}`),
    );
    const cited = files.flatMap((by) =>
      [...read(by).matchAll(/(docs\/[\w/-]+\.md)(?:, rule (\d+))?/g)].map(([, page = "", rule]) => {
        const isThere =
          existsSync(join(root, page)) && (rule === undefined || read(page).includes(`**Rule ${rule}.`));
        return { by, page, rule, isThere };
      }),
    );
    assert.ok(cited.length > 0, "none was found");
    const missing = cited.filter(({ isThere }) => !isThere);
    assert.deepEqual(missing, []);
  });
});
