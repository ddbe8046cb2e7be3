import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, open, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundle } from "../basics/bundle.ts";
import { median } from "../basics/quantile.ts";
import type { Row } from "./row.ts";

const run = promisify(execFile);
const payloadBytes = 256 * 1024 ** 2;
/** Runs the code once before it is measured. */
const warmUpBytes = 2 * 1024 ** 2;
const rounds = 7;

/** The source of the process that fetches and stages. */
export const payloadProcess = join(import.meta.dirname, "payload-process.ts");

/** docs/performance.md: times the peer's wall time, and MiB above idle. */
const bounds = { ratio: 1.5, memoryMiB: 32 };

/**
 * A payload of 256 MiB over loopback HTTP, fetched, hashed, written, synced and staged by a process of its own, beside
 * `sha512sum` and `cp` of the same file, one after the other in turns.
 */
export async function payloadRows(): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), "steward-bench-"));
  const servers: Served[] = [];
  try {
    const program = await bundle(directory, payloadProcess);
    for (const [name, bytes] of [["payload", payloadBytes] as const, ["warm-up", warmUpBytes] as const]) {
      await writeRandom(join(directory, name), bytes);
      servers.push(await serve(join(directory, name)));
    }
    const results = { own: [] as number[], peer: [] as number[], idle: [] as number[], peak: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      const own = await stage(program, join(directory, `round${round}`), servers);
      results.own.push(own.milliseconds);
      results.idle.push(own.idleMiB);
      results.peak.push(own.peakMiB);
      results.peer.push(await hashAndCopy(join(directory, "payload"), join(directory, "copy")));
    }
    return [
      timeRow("verify + stage a 256 MiB payload / sha512sum + cp", results.own, results.peer),
      memoryRow("its memory", results.peak, results.idle),
    ];
  } finally {
    for (const server of servers) server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A payload that is served over loopback. */
export interface Served {
  url: string;
  /** The signed facts about it, as JSON. */
  signed: string;
  stop: () => void;
}

/** A new file of bytes that do not compress. */
export async function writeRandom(path: string, bytes: number): Promise<void> {
  const file = await open(path, "wx");
  const piece = randomBytes(1024 ** 2);
  for (let written = 0; written < bytes; written += piece.length) {
    // zlib looks back 32 KiB: the same MiB again is new to it.
    piece.writeUInt32LE(written / piece.length);
    await file.write(piece);
  }
  await file.sync();
  await file.close();
}

/** Serves a file from a process of its own. */
export async function serve(path: string): Promise<Served> {
  const hashes = { sha512: await hashBy("sha512sum", path), sha256: await hashBy("sha256sum", path) };
  const child = spawn(process.execPath, [join(import.meta.dirname, "peers/payload-server.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PAYLOAD: path },
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once("exit", () => reject(new Error("the server of payloads did not start")));
    child.stdout.once("data", (line) => resolve(Number(line)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    signed: JSON.stringify({ length: (await stat(path)).size, hashes }),
    stop: () => child.kill("SIGTERM"),
  };
}

async function hashBy(tool: string, path: string): Promise<string> {
  const { stdout } = await run(tool, [path]);
  return stdout.split(" ")[0] ?? "";
}

/** Fetches, verifies and stages by a process of its own. */
export async function stage(program: string, directory: string, servers: readonly Served[]) {
  await mkdir(directory);
  const args = servers.flatMap(({ url, signed }) => [url, signed]);
  const { stdout } = await run(process.execPath, [program, directory, ...args], { timeout: 120_000 });
  rmSync(directory, { recursive: true });
  const measured: Measured = JSON.parse(stdout);
  return measured;
}

/** The figures that a process of ours prints about itself. */
export interface Measured {
  readonly milliseconds: number;
  readonly idleMiB: number;
  readonly peakMiB: number;
}

/** Milliseconds. */
async function hashAndCopy(from: string, to: string): Promise<number> {
  const begun = performance.now();
  await run("sha512sum", [from]);
  await run("cp", [from, to]);
  const milliseconds = performance.now() - begun;
  rmSync(to);
  return milliseconds;
}

/** Against the bound. */
export function timeRow(what: string, own: number[], peer: number[]): Row {
  const ratio = median(own.map((one, turn) => one / (peer[turn] ?? Number.NaN)));
  return {
    what,
    ...{ unit: "ms", value: median(own), peer: median(peer), ratio },
    ...{ bound: `≤ ${bounds.ratio.toFixed(2)}`, isWithin: ratio <= bounds.ratio },
  };
}

/** The worst of the rounds, for the bound says never. */
export function memoryRow(whose: string, peak: number[], idle: number[]): Row {
  const above = peak.map((one, turn) => one - (idle[turn] ?? Number.NaN));
  const worst = Math.max(...above);
  return {
    what: `${whose} at most / idle before (+${worst.toFixed(1)} MiB)`,
    ...{ unit: "MiB", value: median(peak), peer: median(idle), ratio: median(peak) / median(idle) },
    ...{ bound: `≤ +${bounds.memoryMiB} MiB`, isWithin: worst <= bounds.memoryMiB },
  };
}
