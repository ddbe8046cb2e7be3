import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { exampleClock, heardSource } from "../../lab/command-line/example-clock.ts";
import { hostFileMembers, type Member, planMembers } from "../../scripts/docs/host-file-members.ts";
import { readPages, tablesOf, withTables } from "../../scripts/docs/pages.ts";
import {
  configurationSchema,
  configurationSchemaPath,
  hostFileSchema,
  hostFileSchemaPath,
} from "../../scripts/docs/published-schemas.ts";
import { tables } from "../../scripts/docs/tables.ts";
import { hostFileExample, hostFilePage } from "../../scripts/host-file-page.ts";
import { settingKeysOf } from "../../src/cli/system/setting-keys.ts";
import { timeReport } from "../../src/cli/time/time-view.ts";
import { documentedIds, openApiDocument } from "../../src/contract/openapi/document.ts";
import { operationIds } from "../../src/contract/operations.ts";
import { settings } from "../../src/contract/schemas/settings.ts";
import type { TimeSource } from "../../src/contract/types.ts";
import { readHostFile } from "../../src/programs/host-file/host-file.ts";
import { blocksOf } from "./fixture.ts";

const pages = readPages();
const textOf = (path: string): string => pages.find((page) => page.path === path)?.text ?? "";
const scratch = scratchDirectory();

describe("the tables and schemas of the documents", () => {
  it("stand in some page each", () =>
    assert.deepEqual(pages.flatMap(tablesOf).toSorted(), Object.keys(tables).toSorted()));

  it("are those of the contract; otherwise run: make docs", () => {
    for (const page of pages) assert.equal(page.text, withTables(page), page.path);
    assert.equal(readFileSync(configurationSchemaPath, "utf8"), configurationSchema());
    assert.equal(readFileSync(hostFileSchemaPath, "utf8"), hostFileSchema());
  });

  it("name every route of the API, and say which of them the OpenAPI document has not", () => {
    const { paths } = openApiDocument("1.0.0") as { paths: Record<string, object> };
    const rows = [...textOf("docs/api.md").matchAll(/^\| `(GET|PUT|POST|DELETE) (\S+)` \|.*$/gm)];
    assert.equal(rows.length, operationIds.length);
    for (const [row, method = "", path = ""] of rows) {
      const isDocumented = method.toLowerCase() in (paths[path] ?? {});
      assert.equal(/with the (command line `steward`|console) only/.test(row), !isDocumented, row);
    }
  });

  it("are noticed when they are edited by hand, and refused where there is none of that name", () => {
    const text = (name: string) => `<!-- begin table: ${name} (make docs) -->\n<!-- end table -->\n`;
    const made = (name: string) => withTables({ path: "page.md", text: text(name) });
    assert.match(made("exit-codes"), /^\| 9 \| clock not synchronised \|$/m);
    assert.throws(() => made("nothing"), /page\.md: there is no table "nothing"/);
  });
});

it("the rendered API reference has every operation, and loads nothing: it is read without a network", () => {
  const path = join(scratch, "reference.html");
  execFileSync(process.execPath, ["--import", "tsx", "scripts/docs/api-reference.ts", path]);
  const page = readFileSync(path, "utf8");
  for (const id of documentedIds) assert.ok(page.includes(`"${id}"`), id);
  assert.doesNotMatch(page, /<(?:script|link|img)\b[^>]*\b(?:src|href)="(?!data:)/);
});

it("the status of the clock in docs/clock.md is as the command prints it", () => {
  const source = (number: number, state: TimeSource["state"], offset: readonly [number, number]) =>
    heardSource(`ntp${number}.branch.lan`, offset, { state, stratum: number === 3 ? 3 : 2, reach: 0o37 });
  const report = timeReport(
    exampleClock({
      ...{ mode: "observe", state: "synchronised", trust: "trusted" },
      source: { id: "2", type: "ntp", host: "ntp2.branch.lan", stratum: 2, refid: "7f7f0101" },
      ...{ offset_seconds: -3.74e-6, uncertainty_seconds: 198e-6, frequency_ppm: -0.08, poll_seconds: 64 },
      server_time: "2026-11-20T21:24:16.526Z",
      sources: [
        source(1, "candidate", [3.81e-6, 68.7e-6]),
        source(2, "selected", [-1.92e-6, 61.7e-6]),
        source(3, "candidate", [-16.5e-6, 88.7e-6]),
        source(4, "falseticker", [3, 236e-6]),
      ],
    }),
  ).split("\n");
  const shown = blocksOf(textOf("docs/clock.md")).find(({ text }) => text.startsWith("time  "))?.text ?? "";
  assert.ok(shown.includes("ntp4.branch.lan"));
  for (const line of shown.split("\n")) assert.ok(report.includes(line), `${line}: ${report.join("\n")}`);
});

describe("the host file", () => {
  const read = async (file: object) => {
    const path = join(scratch, "steward.json");
    writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
    return readHostFile(path, process.getuid?.());
  };

  it("takes the members that the table names, with the values that it has", async () => {
    const file: Record<string, unknown> = {};
    const put = (members: readonly Member[], prefix = ""): void => {
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
    };
    put(
      hostFileMembers.filter(({ path }) => !/\.(ca_file|client_certificate_file|mark|picture)$/.test(path)),
    );
    for (const kind of ["rules", "binary"]) put(planMembers, `update.${kind}.`);
    const { decisions, unknown } = await read(file);
    const { product, update } = decisions.forRooms;
    assert.deepEqual([product.name, update.apply.binary?.health.successes, unknown], ["pump-7", 6, []]);
    assert.deepEqual((await read({ names: [], nicknames: [] })).unknown, ["/nicknames"]);
  });

  it("has a manual page that roff takes without a warning, with all members and settings, and a file that the agent takes", async () => {
    const input = hostFilePage({ version: "1.2.3", date: "2026-11-20" });
    // -ww: every warning, as man(1) has it with --warnings.
    const words = ["-ww", "-man", "-Tutf8", "-P-cbou", "-rLL=300n"];
    const { stdout, stderr } = spawnSync("groff", words, { input, encoding: "utf8" });
    assert.equal(stderr, "");
    assert.match(stdout, /steward 1\.2\.3 +2026-11-20/);
    const members = [...hostFileMembers, ...planMembers].map(({ path }) => path);
    for (const word of [...members, ...settingKeysOf(settings).map(({ key }) => key)])
      assert.match(stdout, new RegExp(`^ +${word.replaceAll(/[.$]/g, "\\$&")}( |$)`, "m"), word);
    assert.ok(stdout.includes('"pump.service"'), stdout);
    assert.equal((await read(hostFileExample)).decisions.forRooms.product.name, "pump-7");
  });
});
