import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readPages, withoutTables } from "../../scripts/docs/pages.ts";
import { blocksOf, complaintAbout } from "./fixture.ts";

const root = join(import.meta.dirname, "../..");
const makefile = readFileSync(join(root, "Makefile"), "utf8");
const pages = readPages();
const blocks = pages.flatMap(({ path, text }) => blocksOf(text).map((block) => ({ path, ...block })));

/** The words behind a fence say the block's kind. The walk through types `sh`; `sh file` is a script as it is on a disk. */
const kinds = /^(sh|sh appliance|sh checkout|sh rescue|sh file|ini|text|json|nginx|python|yaml|mermaid)$/;

/** Commands of Debian and its kind that the pages use. */
const known =
  /^(\/usr\/local\/sbin\/steward-certificate|age|ansible-playbook|apt|certbot|echo|install|journalctl|mount|mv|openssl|scp|step|systemctl|systemd-sysusers|systemd-tmpfiles|tar)$/;

/** The fault of a line of shell that cannot be typed here; null: none. */
function complaint(line: string): string | null {
  const [program = "", ...words] = line.split(/\s+/);
  if (program.startsWith("steward")) return complaintAbout(line);
  if (program === "make") {
    const targets = words.filter((word) => !word.includes("="));
    const unknown = targets.find((target) => !new RegExp(`^${target}:`, "m").test(makefile));
    return unknown === undefined ? null : `there is no target ${unknown}`;
  }
  if (program === "sh") {
    const missing = words.find((word) => word.includes("/") && !existsSync(join(root, word)));
    return missing === undefined ? null : `there is no file ${missing}`;
  }
  return known.test(program) ? null : `${program} is not a command that the pages are known to use`;
}

/** The lines of a block, without comments and with continued lines joined. */
function linesOf(text: string): string[] {
  const lines = text.replaceAll("\\\n", " ").split("\n");
  return lines.map((line) => line.replace(/(^|\s)#.*$/, "").trim()).filter((line) => line !== "");
}

/** Finds fault with none of so many lines. */
function assertFaultless(lines: readonly string[], least: number, faultOf = complaintAbout): void {
  assert.ok(lines.length > least, `${lines.length} were found`);
  const faults = lines.flatMap((line) => faultOf(line) ?? []);
  assert.deepEqual(faults, []);
}

it("the Makefile can be read by make for each of its targets", () => {
  const phony = /^\.PHONY: (.*)$/m.exec(makefile)?.[1] ?? "";
  const targets = phony.split(" ").filter((name) => !name.includes("$"));
  assert.ok(targets.includes("screenshots"), String(targets));
  // Nothing is made: it says what it would run. As of a shell, not of the make that runs this.
  const options = { cwd: root, encoding: "utf8", env: { PATH: process.env.PATH } } as const;
  const { status, stderr } = spawnSync("make", ["--dry-run", ...targets], options);
  assert.deepEqual([status, stderr], [0, ""]);
});

describe("a block of the documents", () => {
  it("says what it is", () => {
    assert.deepEqual(
      blocks.filter(({ kind }) => !kinds.test(kind)),
      [],
    );
  });

  const untyped = blocks.filter(({ kind }) => ["sh appliance", "sh checkout", "sh rescue"].includes(kind));

  it("is typed by a test, but for these, which need root, systemd or minutes", () => {
    const counts: Record<string, number> = {};
    for (const { path, kind } of untyped) counts[`${path}: ${kind}`] = (counts[`${path}: ${kind}`] ?? 0) + 1;
    assert.deepEqual(counts, {
      "CONTRIBUTING.md: sh checkout": 1,
      "README.md: sh checkout": 1,
      "README.md: sh appliance": 1,
      // The scenarios `dead-box` and `daily-backup`, and tests against Debian's age, type theirs.
      "docs/backup.md: sh appliance": 3,
      // The scenario `collecting` types them.
      "docs/collecting.md: sh appliance": 4,
      // `make fleet-test SUBJECTS=ansible` types it.
      "docs/fleet.md: sh checkout": 1,
      "docs/getting-started.md: sh checkout": 1,
      "docs/install.md: sh checkout": 1,
      "docs/install.md: sh appliance": 2,
      "docs/logs-and-events.md: sh appliance": 1,
      "docs/nginx.md: sh appliance": 2,
      // The scenario `product` types them.
      "docs/product.md: sh appliance": 4,
      // The situations at the box: the scenario `rescue` types them in the virtual machine.
      "docs/rescue.md: sh rescue": 13,
      // Two of them are typed by test/cli/tls/certificate-request.test.ts, with paths of its own.
      "docs/tls.md: sh appliance": 5,
    });
  });

  it("can be typed where it is meant to be", () => {
    const lines = untyped.flatMap(({ text }) => linesOf(text));
    assertFaultless(lines, 50, complaint);
  });

  it("is shell and JSON where it says so", () => {
    const scripts = blocks.filter(({ kind }) => kind.startsWith("sh")).map(({ text }) => text);
    const { status, stderr } = spawnSync("bash", ["-n"], { input: scripts.join("\n"), encoding: "utf8" });
    assert.equal(status, 0, stderr);
    for (const { kind, text } of blocks) if (kind === "json") JSON.parse(text);
  });

  it("names commands that there are, where it lists them", () => {
    const lines = blocks
      .filter(({ kind }) => kind === "text")
      .flatMap(({ text }) => text.split("\n"))
      .filter((line) => /^steward(-publisher)? /.test(line))
      // `confirm|abort` means both, and words in brackets may be left out.
      .map((line) => line.replace(/( …)?( {2,}.*)?$/, "").replaceAll(/\s*\[[^\]]*\]/g, ""));
    assertFaultless(lines.flatMap(alternatives), 20);
  });
});

/** Lists the lines that a line with words such as `sync|set` means. */
function alternatives(line: string): string[] {
  const joined = (heads: string[], word: string): string[] =>
    heads.flatMap((head) => word.split("|").map((one) => `${head} ${one}`.trim()));
  return line.split(" ").reduce(joined, [""]);
}

it("commands in the middle of sentences are such, with options and settings that they take", () => {
  const prose = pages.map(({ text }) => withoutTables(text).replace(/^```[\s\S]*?^```$/gm, "")).join("\n");
  const found = prose.matchAll(/`(?:\.\/var\/|sudo )?(steward(?:-publisher)? [^`]+)`/g);
  assertFaultless([...new Set([...found].map(([, line = ""]) => line))], 30);
});

for (const [line, fault] of [
  ["make coffee", /no target coffee/],
  ["sh scripts/absent.sh", /no file scripts\/absent\.sh/],
  ["frobnicate", /not a command/],
  ["steward user befriend anna", /There is no command "user befriend"/],
  ["steward-publisher befriend", /There is no command "befriend"/],
  ["steward user add anna --sudo", /has no option --sudo/],
  ["steward system set time.zone=UTC", /There is no setting "time.zone"/],
] as const)
  it(`a document is noticed that has people type ${line}`, () => assert.match(complaint(line) ?? "", fault));
