import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { hostFileMembers, type Member, planMembers } from "../../scripts/docs/host-file-words.ts";
import { readPages, tablesOf, withTables } from "../../scripts/docs/pages.ts";
import { tables } from "../../scripts/docs/tables.ts";
import { readHostFile } from "../../src/host/linux/host-file/host-file.ts";

const pages = readPages();

describe("the tables of the documents", () => {
  it("stand in some page each", () => {
    const found = pages.flatMap(tablesOf);
    assert.deepEqual(found.toSorted(), Object.keys(tables).toSorted());
  });

  for (const page of pages.filter((one) => tablesOf(one).length > 0)) {
    it(`${page.path} has them as the contract has them; otherwise run: make docs`, () => {
      assert.equal(page.text, withTables(page));
    });
  }

  it("are noticed when they are edited by hand", () => {
    const page = {
      path: "page.md",
      text: "<!-- begin table: exit-codes (make docs) -->\n<!-- end table -->\n",
    };
    assert.match(withTables(page), /^\| 9 \| clock not synchronised \|$/m);
  });

  it("are refused where there is none of that name", () => {
    const page = { path: "page.md", text: "<!-- begin table: nothing (make docs) -->\n<!-- end table -->\n" };
    assert.throws(() => withTables(page), /page\.md: there is no table "nothing"/);
  });
});

describe("the table of the host file", () => {
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
    const directory = await mkdtemp(join(tmpdir(), "steward-host-file-"));
    try {
      const path = join(directory, "steward.json");
      await writeFile(path, JSON.stringify(file), { mode: 0o600 });
      return await readHostFile(path, { own: process.getuid?.() });
    } finally {
      await rm(directory, { recursive: true });
    }
  }

  it("names members that the agent knows, with values that it takes", async () => {
    const file: Record<string, unknown> = {};
    withMembers(
      file,
      hostFileMembers.filter(({ path }) => path !== "update.ca_file"),
    );
    withMembers(file, planMembers, "update.rules.");
    withMembers(file, planMembers, "update.binary.");
    const host = await read(file);
    assert.equal(host.product, "pump-7");
    assert.equal(host.update.apply.binary?.health.successes, 6);
  });

  it("names none besides: a member that the agent does not know is refused", async () => {
    await assert.rejects(read({ names: [], nicknames: [] }), /nicknames/);
  });
});
