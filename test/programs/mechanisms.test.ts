import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parts } from "../../src/cli/command-table.ts";
import { lateDocumentNames } from "../../src/contract/document-names.ts";
import { mechanisms } from "../../src/programs/agent/mechanisms.ts";

interface Names {
  readonly commands?: readonly string[];
  readonly documents?: readonly string[];
  readonly program?: string;
  readonly part?: unknown;
  readonly receiver?: () => Promise<unknown>;
  readonly open?: unknown;
}

const records = Object.entries<Names>(mechanisms);

describe("the record of a mechanism", () => {
  for (const [name, { commands = [], program, part, receiver, open }] of records)
    it(`${name} names what there is, and has what the device takes of it`, async () => {
      const words = parts.flatMap((part) => part.words);
      const unknown = commands.filter((command) => !words.includes(command));
      assert.deepEqual(unknown, []);
      assert.ok(!program || existsSync(join(import.meta.dirname, "../../src/programs", program)), program);
      assert.ok(part || receiver || open);
      assert.equal(typeof (await receiver?.()), receiver ? "function" : "undefined");
    });

  it("names each document that is opened when it is needed, once in all records", () => {
    const named = records.flatMap(([, { documents = [] }]) => documents);
    assert.deepEqual(named, [...lateDocumentNames]);
  });
});
