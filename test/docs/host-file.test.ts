import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { hostFileMembers, type Member, planMembers } from "../../scripts/docs/host-file-members.ts";
import { hostFileExample, hostFilePage } from "../../scripts/host-file-page.ts";
import { settingKeysOf } from "../../src/cli/system/setting-keys.ts";
import { settings } from "../../src/contract/schemas/settings.ts";
import { readHostFile } from "../../src/programs/host-file/host-file.ts";

/** The members as they stand in the file; those of a plan below `prefix`. */
function withMembers(file: Record<string, unknown>, members: readonly Member[], prefix = ""): void {
  for (const { path, example } of members) {
    const names = `${prefix}${path}`.split(".");
    const last = names.pop() ?? "";
    let place = file;
    for (const name of names) {
      place[name] ??= {};
      place = place[name] as Record<string, unknown>;
    }
    place[last] = example;
  }
}

async function read(file: object) {
  const path = join(scratchDirectory(), "steward.json");
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
  return readHostFile(path, process.getuid?.());
}

describe("the table of the host file", () => {
  it("names members that the agent knows, with values that it takes", async () => {
    const file: Record<string, unknown> = {};
    withMembers(
      file,
      hostFileMembers.filter(({ path }) => !/\.(ca_file|client_certificate_file|mark|picture)$/.test(path)),
    );
    withMembers(file, planMembers, "update.rules.");
    withMembers(file, planMembers, "update.binary.");
    const { decisions, unknown } = await read(file);
    assert.equal(decisions.forRooms.product, "pump-7");
    assert.equal(decisions.forRooms.update.apply.binary?.health.successes, 6);
    assert.deepEqual(unknown, []);
    assert.deepEqual((await read({ names: [], nicknames: [] })).unknown, ["/nicknames"]);
  });
});

describe("the manual page steward.json(5)", () => {
  // -ww: every warning, as man(1) has it with --warnings.
  const { stdout, stderr } = spawnSync("groff", ["-ww", "-man", "-Tutf8", "-P-cbou", "-rLL=300n"], {
    input: hostFilePage({ version: "1.2.3", date: "2026-11-20" }),
    encoding: "utf8",
  });

  it("is what roff takes without a warning, with version and date", () => {
    assert.equal(stderr, "");
    assert.match(stdout, /steward 1\.2\.3 +2026-11-20/);
  });

  it("has every member of the host file and every setting", () => {
    const keys = settingKeysOf(settings).map(({ key }) => key);
    for (const word of [...[...hostFileMembers, ...planMembers].map(({ path }) => path), ...keys])
      assert.match(stdout, new RegExp(`^ +${word.replaceAll(/[.$]/g, "\\$&")}( |$)`, "m"), word);
  });

  it("shows a host file that the agent takes", async () => {
    assert.ok(stdout.includes('"pump.service"'), stdout);
    assert.equal((await read(hostFileExample)).decisions.forRooms.product, "pump-7");
  });
});
