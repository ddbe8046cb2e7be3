import assert from "node:assert/strict";
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import type { Segment } from "../../../src/journal/events/event-segments.ts";
import { type EventFile, openSnapshot } from "../../../src/journal/events/event-snapshot.ts";

const scratch = scratchDirectory();

async function segment(name: string, text: string, sizeBytes = Buffer.byteLength(text)): Promise<Segment> {
  const path = join(scratch, name);
  await writeFile(path, text);
  return { path, firstSeq: 1, sizeBytes, counts: new Map() };
}

async function textOf({ content }: EventFile): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe("a snapshot of the record", () => {
  it("keeps the whole lines of its moment, whatever is added and dropped meanwhile", async () => {
    const long = `${"x".repeat(199_999)}\n`;
    const segments = [
      await segment("kept", "whole\n", Number.POSITIVE_INFINITY),
      await segment("a", `${long}torn`, 200_000),
    ];
    const snapshot = await openSnapshot(
      () => segments,
      () => "now",
    );
    const [kept, a] = segments;
    assert.ok(kept && a);
    await appendFile(a.path, "more\n");
    a.sizeBytes += 9;
    await rm(kept.path);
    await writeFile(kept.path, "another\n");
    const texts = [];
    // The last one twice: it is the same.
    for (const file of [...snapshot.files, ...snapshot.files.slice(1)])
      texts.push([file.name, await textOf(file)]);
    const [keptFile, file] = [
      ["kept", "whole\n"],
      ["a", long],
    ];
    assert.deepEqual([snapshot.also, texts], ["now", [keptFile, file, file]]);
    await snapshot.close();
    assert.match(await readFile(a.path, "utf8"), /tornmore/);
  });

  it("begins again where a segment is dropped or added while it opens them", async () => {
    const gone = await segment("gone", "1\n");
    const stays = await segment("stays", "2\n");
    const added = await segment("new", "3\n");
    await rm(gone.path);
    const lists = [[gone, stays], [stays], [stays, added], [stays, added], [stays, added]];
    let [turn, taken] = [0, 0];
    const { files, close } = await openSnapshot(
      () => lists[Math.min(turn++, 4)] ?? [],
      () => taken++,
    );
    assert.equal(files.map(({ name }) => name).join(), "stays,new");
    assert.equal(taken, 1);
    await close();
  });

  it("is given up where they come and go all the time, and where the disk has lost a part", async () => {
    const one = await segment("one", "1\n");
    await assert.rejects(
      openSnapshot(
        () => [{ ...one }],
        () => null,
      ),
      { code: "storage_unwritable" },
    );
    const short = await segment("short", "1\n", 100);
    const { files, close } = await openSnapshot(
      () => [short],
      () => null,
    );
    assert.ok(files[0]);
    await assert.rejects(textOf(files[0]), { code: "storage_unwritable", message: /shorter than it was/ });
    await close();
  });
});
