/**
 * The last part of `make bench`: the bytes that a device fetches for the next release of real packages, by a patch, whole,
 * and by rsync, which needs a server of its own that signs nothing. It runs on a Node that makes patches.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { makePatch } from "../../src/publishing/patches/make-patch.ts";
import { createPayloadGzip } from "../../src/releases/patches/payload-gzip.ts";
import { markdownOf } from "../basics/table.ts";
import { scratchDirectory } from "./contestant.ts";

/** Rules and programs: text, text, and machine code from Go, Rust and Rust. */
const pairs = [
  ["typescript", "5.6.2", "5.6.3"],
  ["prettier", "3.4.1", "3.4.2"],
  ["@esbuild/linux-x64", "0.25.0", "0.25.1"],
  ["@rollup/rollup-linux-x64-gnu", "4.28.0", "4.28.1"],
  ["lightningcss-linux-x64-gnu", "1.28.1", "1.28.2"],
] as const;

const { path: scratch, remove } = scratchDirectory();
try {
  const rows: string[][] = [];
  for (const [name, from, to] of pairs) rows.push(await measured(name, from, to));
  const head = ["from, to", "patch", "of the whole", "whole", "rsync -z"];
  process.stdout.write(markdownOf(head, rows));
} finally {
  remove();
}

async function measured(name: string, from: string, to: string): Promise<string[]> {
  const [former, next] = [archiveOf(name, from), archiveOf(name, to)];
  const patch = await makePatch(former, next);
  const whole = packedBytes(next);
  const share = `${((100 * patch.length) / whole).toFixed(1)} %`;
  return [`${name} ${from}, ${to}`, bytes(patch.length), share, bytes(whole), bytes(rsynced(former, next))];
}

/** The archive of a package, from the registry. */
function archiveOf(name: string, version: string): Buffer {
  const into = join(scratch, `${name.replace("/", "-")}-${version}`);
  mkdirSync(into);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", into, `${name}@${version}`]);
  const [file = ""] = readdirSync(into);
  return gunzipSync(readFileSync(join(into, file)));
}

function packedBytes(archive: Uint8Array): number {
  let length = 0;
  const gzip = createPayloadGzip((piece) => {
    length += piece.length;
  });
  gzip.push(archive);
  gzip.end();
  return length;
}

/** Counts what rsync sends in both directions to bring the former archive up to date. */
function rsynced(former: Uint8Array, next: Uint8Array): number {
  const [source, copy] = [join(scratch, "next.tar"), join(scratch, "copy.tar")];
  writeFileSync(source, next);
  writeFileSync(copy, former);
  const options = ["--no-whole-file", "--ignore-times", "--compress", "--stats", source, copy];
  const { stdout } = spawnSync("rsync", options, {
    encoding: "utf8",
    env: { PATH: process.env.PATH, LC_ALL: "C" },
  });
  const sum = [...stdout.matchAll(/^Total bytes (?:sent|received): ([\d,]+)$/gm)];
  return sum.reduce((total, [, text = ""]) => total + Number(text.replaceAll(",", "")), 0);
}

function bytes(count: number): string {
  return count.toLocaleString("en");
}
