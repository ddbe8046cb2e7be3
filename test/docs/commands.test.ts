import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readPages, withoutTables } from "../../scripts/docs/pages.ts";
import { blocksOf } from "./blocks.ts";
import { complaintAbout } from "./documented-command.ts";

const root = join(import.meta.dirname, "../..");
const makefile = readFileSync(join(root, "Makefile"), "utf8");
const pages = readPages();
const blocks = pages.flatMap(({ path, text }) => blocksOf(text).map((block) => ({ path, ...block })));

/** The words behind a fence say the block's kind. The walk through types `sh`. */
const kinds = [
  // `sh file` is a script as it is on a disk.
  ...["sh", "sh appliance", "sh checkout", "sh rescue", "sh file"],
  ...["ini", "text", "json", "nginx", "python", "yaml", "mermaid"],
];

/** Commands of Debian and its kind that the pages use. */
const known = [
  ..."/usr/local/sbin/steward-certificate age ansible-playbook apt certbot echo journalctl mount mv openssl".split(
    " ",
  ),
  ..."scp step systemctl systemd-sysusers systemd-tmpfiles tar".split(" "),
];

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
  return known.includes(program) ? null : `${program} is not a command that the pages are known to use`;
}

/** The lines of a block, without comments and with continued lines joined. */
function linesOf(text: string): string[] {
  return text
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .filter((line) => line !== "");
}

describe("the Makefile", () => {
  it("can be read by make for each of its targets", () => {
    const targets = (/^\.PHONY: (.*)$/m.exec(makefile)?.[1] ?? "")
      .split(" ")
      .filter((name) => !name.includes("$"));
    assert.ok(targets.includes("screenshots"), String(targets));
    // Nothing is made: it says what it would run. As of a shell, not of the make that runs this.
    const options = { cwd: root, encoding: "utf8", env: { PATH: process.env.PATH } } as const;
    const { status, stderr } = spawnSync("make", ["--dry-run", ...targets], options);
    assert.deepEqual([status, stderr], [0, ""]);
  });
});

describe("a block of the documents", () => {
  it("says what it is", () => {
    const unknown = blocks.filter(({ kind }) => !kinds.includes(kind));
    assert.deepEqual(
      unknown.map(({ path, kind, text }) => `${path}: "${kind}" ${text.slice(0, 40)}`),
      [],
    );
  });

  const untyped = blocks.filter(({ kind }) => ["sh appliance", "sh checkout", "sh rescue"].includes(kind));

  it("is typed by a test, but for these, which need root, systemd or minutes", () => {
    assert.deepEqual(
      untyped.map(({ path, kind }) => `${path}: ${kind}`),
      [
        "CONTRIBUTING.md: sh checkout",
        "README.md: sh checkout",
        "README.md: sh appliance",
        "README.md: sh appliance",
        // The scenarios `dead-box` and `daily-backup`, and tests against Debian's age, type theirs.
        ...Array.from({ length: 3 }, () => "docs/backup.md: sh appliance"),
        // The scenario `collecting` types them.
        ...Array.from({ length: 4 }, () => "docs/collecting.md: sh appliance"),
        // `make fleet-test SUBJECTS=ansible` types it.
        "docs/fleet.md: sh checkout",
        "docs/getting-started.md: sh checkout",
        "docs/install.md: sh checkout",
        "docs/install.md: sh appliance",
        "docs/install.md: sh appliance",
        "docs/logs-and-events.md: sh appliance",
        "docs/nginx.md: sh appliance",
        "docs/nginx.md: sh appliance",
        // The situations at the box: the scenario `rescue` types them in the virtual machine.
        ...Array.from({ length: 13 }, () => "docs/rescue.md: sh rescue"),
        // Two of them are typed by test/cli/tls/certificate-request.test.ts, with paths of its own.
        ...Array.from({ length: 5 }, () => "docs/tls.md: sh appliance"),
      ],
    );
  });

  for (const { path, text } of untyped) {
    for (const line of linesOf(text)) {
      it(`${path}: \`${line}\` can be typed where it is meant to be`, () => {
        assert.equal(complaint(line), null);
      });
    }
  }

  it("is shell where it says so", () => {
    const scripts = blocks.filter(({ kind }) => kind.startsWith("sh")).map(({ text }) => text);
    const { status, stderr } = spawnSync("bash", ["-n"], { input: scripts.join("\n"), encoding: "utf8" });
    assert.equal(status, 0, stderr);
  });

  it("is noticed when it asks for what there is not", () => {
    assert.match(complaint("make coffee") ?? "", /no target coffee/);
    assert.match(complaint("sh scripts/absent.sh") ?? "", /no file scripts\/absent\.sh/);
    assert.match(complaint("steward user befriend") ?? "", /There is no command/);
    assert.match(complaint("frobnicate") ?? "", /not a command/);
  });

  it("has JSON where it says so", () => {
    for (const { kind, text } of blocks) if (kind === "json") JSON.parse(text);
  });
});

describe("a listing of commands", () => {
  const lines = blocks
    .filter(({ kind }) => kind === "text")
    .flatMap(({ text }) => text.split("\n"))
    .filter((line) => /^steward(-publisher)? /.test(line))
    .map((line) => line.replace(/ {2,}.*/, "").replace(/ …$/, ""));

  it("is looked for", () => assert.ok(lines.length > 20, `${lines.length} were found`));

  for (const line of lines) {
    it(`\`${line}\` names commands that there are`, () => {
      // `confirm|abort` means both, and words in brackets may be left out.
      const plain = line.replaceAll(/\s*\[[^\]]*\]/g, "");
      for (const one of alternatives(plain)) assert.equal(complaintAbout(one), null, one);
    });
  }
});

/** Lists the lines that a line with words such as `sync|set` means. */
function alternatives(line: string): string[] {
  return line
    .split(" ")
    .reduce<string[]>(
      (before, word) => before.flatMap((head) => word.split("|").map((one) => `${head} ${one}`.trim())),
      [""],
    );
}

/** Finds commands between backquotes in the middle of a sentence; tests of their own type the blocks. */
function inlineCommands(text: string): string[] {
  const prose = withoutTables(text).replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/`(?:\.\/var\/|sudo )?(steward(?:-publisher)? [^`]+)`/g)].map(
    ([, line = ""]) => line,
  );
}

describe("a command in the middle of a sentence of the documents", () => {
  const lines = [...new Set(pages.flatMap(({ text }) => inlineCommands(text)))];

  it("is looked for", () => assert.ok(lines.length > 30, `${lines.length} were found`));

  for (const line of lines) {
    it(`\`${line}\` is one that there is, with options and settings that it takes`, () => {
      assert.equal(complaintAbout(line), null);
    });
  }

  it("is noticed when there is none of that name, option or setting", () => {
    assert.match(complaintAbout("steward user befriend anna") ?? "", /There is no command "user befriend"/);
    assert.match(complaintAbout("steward-publisher befriend") ?? "", /There is no command "befriend"/);
    assert.match(complaintAbout("steward user add anna --sudo") ?? "", /has no option --sudo/);
    assert.match(complaintAbout("steward system set time.zone=UTC") ?? "", /There is no setting "time.zone"/);
  });
});
