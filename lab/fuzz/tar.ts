import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { StewardError } from "../../src/contract/errors.ts";
import { unpack } from "../../src/installer/unpack/unpack.ts";
import { judgePayload } from "../../src/publishing/payloads/judge-payload.ts";
import { longEntry, paxHeader, type TarEntry, tarEnd, tarEntry } from "../archives/tar-writer.ts";
import type { Chance } from "../basics/chance.ts";
import { anyText, draw, oneOf, percent, randomBytes, spoiltBytes } from "./draw.ts";
import type { Fuzzing } from "./target.ts";

const files = { freeBytes: async () => 1024 ** 4, sync: async () => undefined };
const names = ["a", "b", "a/b", "a/b/c", "./a", "a/", "a/../b", "..", "/etc/evil", "a//b", "l", "l/x"];
const targets = ["a", "../b", "b/c", "..", "../..", "/etc/passwd", "l", ".", "a/../../x"];

/** Archives: unpacked inside their directory and nowhere else, or refused by code with nothing left behind. */
export async function fuzzTar({ chance, cases, ledger }: Fuzzing, unpackInto = unpack): Promise<null> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "steward-fuzz-tar-")));
  try {
    for (let made = 0; made < cases; made += 1) {
      const place = join(scratch, String(made));
      mkdirSync(place);
      writeFileSync(join(place, "payload"), archiveFrom(chance));
      ledger.begin(`archive ${made + 1}`);
      const outcome = await unpackInto(join(place, "payload"), join(place, "release"), files).then(
        () => "unpacked",
        (error: unknown) => (error instanceof StewardError ? error.code : `it threw ${String(error)}`),
      );
      ledger.count(outcome);
      const atAdd = await verdictAtAdd(join(place, "payload"));
      if ((atAdd === "taken") !== (outcome === "unpacked"))
        ledger.find(`add says ${atAdd}, the device ${outcome}`);
      for (const fault of faultsOf(place, outcome)) ledger.find(fault);
      rmSync(place, { recursive: true });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return null;
}

/** By the publisher, who is to say the same. */
function verdictAtAdd(payload: string): Promise<string> {
  return judgePayload(payload, "payload").then(
    () => "taken",
    (error: unknown) => (error instanceof StewardError ? error.code : `it threw ${String(error)}`),
  );
}

function archiveFrom(chance: Chance): Buffer {
  const pieces = Array.from({ length: 1 + draw(chance, 6) }, () => entryFrom(chance));
  if (percent(chance, 90)) pieces.push(tarEnd);
  let archive: Buffer = Buffer.concat(pieces);
  if (percent(chance, 40)) archive = spoiltBytes(chance, archive);
  // A wrong sum is enough to have a header refused: most of the spoilt ones get a right one.
  if (percent(chance, 80)) mendSums(archive);
  const packed = gzipSync(archive, { level: 1 });
  return percent(chance, 10) ? spoiltBytes(chance, packed) : packed;
}

function entryFrom(chance: Chance): Buffer {
  const content = randomBytes(chance, oneOf(chance, [0, 1, 511, 512, 513]));
  const name = percent(chance, 70) ? oneOf(chance, names) : anyText(chance);
  const type = oneOf(chance, [
    "0",
    "0",
    "0",
    "5",
    "5",
    "2",
    "2",
    "1",
    "3",
    "6",
    "7",
    "x",
    "g",
    "L",
    "K",
    "S",
    "V",
    "D",
    "M",
    "\0",
  ]);
  const mode = oneOf(chance, [0o644, 0o755, 0o600, 0o777, 0o4755, 0o1777, 0]);
  const linkname = type === "2" || type === "1" ? oneOf(chance, targets) : "";
  const isFile = type === "0" || type === "\0";
  const size = percent(chance, 3) ? { size: oneOf(chance, [1, 8 ** 11 - 1, 1_000_000]) } : {};
  const entry: TarEntry = { name, type, mode, linkname, ...(isFile && { content }), ...size };
  if (percent(chance, 15)) return withHoles(chance, entry);
  if (percent(chance, 5)) return longEntry({ ...entry, name });
  if (percent(chance, 8)) return Buffer.concat([paxHeader(paxFrom(chance)), tarEntry(entry)]);
  return tarEntry(entry);
}

/** In either form; most maps are right for what is stored. */
function withHoles(chance: Chance, entry: TarEntry): Buffer {
  const lengths = Array.from({ length: draw(chance, 30) }, () => oneOf(chance, [0, 1, 511, 512, 513]));
  let end = 0;
  const numbers = lengths.flatMap((length) => {
    const at = percent(chance, 3) ? draw(chance, 5_000) : end + oneOf(chance, [0, 1, 512, 4_096]);
    end = at + length;
    return [at, length];
  });
  const stored = lengths.reduce((sum, length) => sum + length, 0);
  const content = randomBytes(chance, percent(chance, 95) ? stored : draw(chance, 2_000));
  const sizeBytes = percent(chance, 90) ? end : oneOf(chance, [0, end + 100_000, 2 ** 40]);
  if (percent(chance, 50)) {
    const isContinued = percent(chance, 5);
    return tarEntry({ ...entry, type: "S", content, isContinued, map: { numbers, sizeBytes } });
  }
  const count = percent(chance, 90) ? lengths.length : draw(chance, 100_000);
  const lines = Buffer.from(`${[count, ...numbers].join("\n")}\n`);
  const padding = Buffer.alloc((512 - (lines.length % 512)) % 512);
  const form = { "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": oneOf(chance, names) };
  const records = paxHeader({ ...form, "GNU.sparse.realsize": String(sizeBytes) });
  return Buffer.concat([
    records,
    tarEntry({ ...entry, type: "0", content: Buffer.concat([lines, padding, content]) }),
  ]);
}

function paxFrom(chance: Chance): Record<string, string> {
  const key = oneOf(chance, [
    "path",
    "linkpath",
    "size",
    "mtime",
    "GNU.sparse.major",
    "uid",
    anyText(chance),
  ]);
  return { [key]: percent(chance, 50) ? oneOf(chance, names) : anyText(chance) };
}

/** At each block that says ustar. */
function mendSums(archive: Buffer): void {
  for (let at = 0; at + 512 <= archive.length; at += 512) {
    const header = archive.subarray(at, at + 512);
    if (header.toString("latin1", 257, 262) !== "ustar") continue;
    header.write("        ", 148, "latin1");
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  }
}

function faultsOf(place: string, outcome: string): string[] {
  const around = readdirSync(place).sort().join(" ");
  if (outcome !== "unpacked") {
    const faults = outcome === "update_payload_unsafe" ? [] : [`it ended with ${outcome}`];
    return around === "payload" ? faults : [...faults, `it left behind ${around}`];
  }
  const top = join(place, "release");
  const faults = around === "payload release" ? [] : [`beside the release is ${around}`];
  for (const path of readdirSync(top, { recursive: true, encoding: "utf8" })) {
    const found = lstatSync(join(top, path));
    if (found.isSymbolicLink()) {
      const end = endOf(join(top, path));
      if (end !== null && end !== top && !end.startsWith(`${top}/`)) faults.push(`${path} leads to ${end}`);
    } else if (!found.isFile() && !found.isDirectory()) faults.push(`${path} is neither file nor directory`);
    else if ((found.mode & 0o7022) !== 0) faults.push(`${path} has the mode ${found.mode.toString(8)}`);
  }
  return faults;
}

/** Found by the kernel's own walk; null: nothing is there. */
function endOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
