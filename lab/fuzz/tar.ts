import assert from "node:assert/strict";
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { unpack } from "../../src/installer/unpack/unpack.ts";
import { judgePayload } from "../../src/publishing/payloads/judge-payload.ts";
import { longEntry, paxHeader, type TarEntry, tarEnd, tarEntry } from "../archives/tar-writer.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import { changes, mostly, rarely, spoil, texts, weighed } from "./arbitraries.ts";
import { judgeCases, type Outcomes, outcomeOf } from "./cases.ts";

const files = { freeBytes: async () => 1024 ** 4, sync: async () => undefined };
const names = fc.constantFrom(..."a b a/b a/b/c ./a a/ a/../b .. /etc/evil a//b l l/x".split(" "));
const targets = fc.constantFrom("a", "../b", "b/c", "..", "../..", "/etc/passwd", "l", ".", "a/../../x");
const lengths = fc.constantFrom(0, 1, 511, 512, 513);
const paxKeys = fc.constantFrom("path", "linkpath", "size", "mtime", "GNU.sparse.major", "uid");

const plain: Arbitrary<TarEntry & { readonly name: string }> = fc
  .record({
    name: weighed([7, names], [3, texts]),
    type: fc.constantFrom(..."00055221367xgLKSVDM\0"),
    mode: fc.constantFrom(0o644, 0o755, 0o600, 0o777, 0o4755, 0o1777, 0),
    target: targets,
    contentBytes: lengths,
    size: rarely(3, fc.constantFrom(1, 8 ** 11 - 1, 1_000_000)),
  })
  .map(({ name, type, mode, target, contentBytes, size }) => ({
    ...{ name, type, mode, linkname: type === "2" || type === "1" ? target : "" },
    ...((type === "0" || type === "\0") && { content: Buffer.alloc(contentBytes, 1) }),
    ...(size !== null && { size }),
  }));

/** In either form; most maps are right for what is stored. */
const withHoles = fc
  .record({
    entry: plain,
    name: names,
    parts: fc.array(fc.tuple(fc.constantFrom(0, 1, 512, 4_096), lengths, rarely(3, fc.nat(5_000))), {
      maxLength: 30,
    }),
    stored: rarely(5, fc.nat(2_000)),
    size: rarely(10, fc.constantFrom(0, 100_000, 2 ** 40)),
    count: rarely(10, fc.nat(100_000)),
    ...{ isOld: fc.boolean(), isContinued: mostly(5) },
  })
  .map(({ entry, name, parts, isOld, isContinued, ...wrong }) => {
    let end = 0;
    const numbers = parts.flatMap(([hole, length, place]) => {
      const at = place ?? end + hole;
      end = at + length;
      return [at, length];
    });
    const stored = parts.reduce((sum, [, length]) => sum + length, 0);
    const content = Buffer.alloc(wrong.stored ?? stored, 1);
    const sizeBytes = wrong.size ?? end;
    if (isOld) return tarEntry({ ...entry, type: "S", content, isContinued, map: { numbers, sizeBytes } });
    const lines = Buffer.from(`${[wrong.count ?? parts.length, ...numbers].join("\n")}\n`);
    const padding = Buffer.alloc((512 - (lines.length % 512)) % 512);
    const form = { "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": name };
    const records = paxHeader({ ...form, "GNU.sparse.realsize": String(sizeBytes) });
    const all = Buffer.concat([lines, padding, content]);
    return Buffer.concat([records, tarEntry({ ...entry, type: "0", content: all })]);
  });

const withPax = fc
  .tuple(plain, weighed([6, paxKeys], [1, texts]), fc.oneof(names, texts))
  .map(([entry, key, value]) => Buffer.concat([paxHeader({ [key]: value }), tarEntry(entry)]));

const archives = fc
  .record({
    entries: fc.array(
      weighed([72, plain.map(tarEntry)], [15, withHoles], [5, plain.map(longEntry)], [8, withPax]),
      { minLength: 1, maxLength: 6 },
    ),
    isEnded: mostly(90),
    spoilt: rarely(40, changes),
    // A wrong sum is enough to have a header refused: most of the spoilt ones get a right one.
    isMended: mostly(80),
    spoiltGzip: rarely(10, changes),
  })
  .map(({ entries, isEnded, spoilt, isMended, spoiltGzip }) => {
    const archive = spoil(Buffer.concat([...entries, ...(isEnded ? [tarEnd] : [])]), spoilt ?? []);
    return spoil(gzipSync(isMended ? mended(archive) : archive, { level: 1 }), spoiltGzip ?? []);
  });

/** With right sums in each block that says ustar. */
function mended(archive: Buffer): Buffer {
  const right = Buffer.from(archive);
  for (let at = 0; at + 512 <= right.length; at += 512) {
    const header = right.subarray(at, at + 512);
    if (header.toString("latin1", 257, 262) !== "ustar") continue;
    header.write("        ", 148, "latin1");
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  }
  return right;
}

/** Archives: unpacked inside their directory and nowhere else, or refused by code with nothing left behind. */
export function fuzzTar(cases: number, unpackInto = unpack): Promise<Outcomes> {
  const place = realpathSync(scratchDirectory());
  const [payload, release] = [join(place, "payload"), join(place, "release")];
  return judgeCases(cases, archives, async (archive) => {
    rmSync(place, { recursive: true });
    mkdirSync(place);
    writeFileSync(payload, archive);
    const outcome = await outcomeOf(() => unpackInto(payload, release, files).then(() => "unpacked"));
    // The publisher is to say the same.
    const atAdd = await outcomeOf(() => judgePayload(payload, "payload").then(() => "unpacked"));
    assert.equal(atAdd === "unpacked", outcome === "unpacked", `add says ${atAdd}, the device ${outcome}`);
    assert.match(outcome, /^(unpacked|update_payload_unsafe)$/);
    const expected = outcome === "unpacked" ? "payload release" : "payload";
    assert.equal(readdirSync(place).sort().join(" "), expected);
    if (outcome === "unpacked") judgeRelease(release);
    return outcome;
  });
}

function judgeRelease(top: string): void {
  for (const path of readdirSync(top, { recursive: true, encoding: "utf8" })) {
    const found = lstatSync(join(top, path));
    if (found.isSymbolicLink()) {
      // By the kernel's own walk.
      const end = existsSync(join(top, path)) ? realpathSync.native(join(top, path)) : top;
      assert.ok(`${end}/`.startsWith(`${top}/`), `${path} leads to ${end}`);
    } else {
      assert.ok(found.isFile() || found.isDirectory(), `${path} is neither file nor directory`);
      assert.equal(found.mode & 0o7022, 0, `${path} has the mode ${found.mode.toString(8)}`);
    }
  }
}
