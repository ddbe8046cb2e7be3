import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { isOfChange, watchDisk } from "../../../lab/state/watched-disk.ts";
import { writeBackup } from "../../../src/cli/backup/write-backup.ts";

const interruption = new AbortController().signal;

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe("writing a backup", () => {
  it("has all of it on the disk under another name before it takes its own", async (test) => {
    const place = scratchDirectory();
    const path = join(place, "edge.age");
    const calls = watchDisk(test);
    const seen: string[][] = [];
    const bytes = await writeBackup(
      path,
      false,
      async () => {
        seen.push(readdirSync(place));
        return pieces("one", "two");
      },
      interruption,
    );
    assert.deepEqual([bytes, readFileSync(path, "utf8")], [6, "onetwo"]);
    const temporary = seen.flat().join(" ");
    assert.match(temporary, /^\.edge\.age\.[0-9a-f]{12}\.tmp$/);
    assert.deepEqual(
      calls.filter(isOfChange).map((call) => `${call.what} ${basename(call.path)}`),
      [`sync ${temporary}`, `sync ${temporary}`, "rename edge.age", `sync ${basename(place)}`],
    );
  });

  for (const umask of [0o000, 0o027])
    it(`is closed to others also under umask ${umask.toString(8)}`, async (test) => {
      const path = join(scratchDirectory(), "edge.age");
      const former = process.umask(umask);
      test.after(() => process.umask(former));
      await writeBackup(path, false, async () => pieces("one"), interruption);
      assert.equal(statSync(path).mode & 0o777, 0o600);
    });

  for (const [isReplaced, left] of [
    [false, "another's"],
    [true, "one"],
  ] as const)
    it(`${isReplaced ? "replaces" : "leaves"} a file that has appeared meanwhile`, async () => {
      const place = scratchDirectory();
      const path = join(place, "edge.age");
      const make = async () => {
        writeFileSync(path, "another's");
        return pieces("one");
      };
      const written = writeBackup(path, isReplaced, make, interruption);
      if (isReplaced) assert.equal(await written, 3);
      else await assert.rejects(written, { exitCode: 1, message: /is there already and was not replaced/ });
      assert.deepEqual([readdirSync(place), readFileSync(path, "utf8")], [["edge.age"], left]);
    });

  it("asks for nothing where the place is taken", async () => {
    const path = join(scratchDirectory(), "edge.age");
    writeFileSync(path, "another's");
    let asked = 0;
    const make = async () => {
      asked += 1;
      return pieces("one");
    };
    await assert.rejects(writeBackup(path, false, make, interruption), { exitCode: 1 });
    assert.equal(asked, 0);
  });
});
