import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdir, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { median } from "../basics/quantile.ts";
import type { Spent } from "./ended-processes.ts";
import type { Row } from "./row.ts";

const run = promisify(execFile);

/** The source of the process that fetches and stages. */
export const payloadProcess = join(import.meta.dirname, "payload-process.ts");

/** A payload that is served over loopback, with the signed facts about it, as JSON. */
export type Served = Awaited<ReturnType<typeof serve>>;

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
export async function serve(path: string) {
  // As steward-publisher signs it.
  const hashes = { sha512: (await run("sha512sum", [path])).stdout.split(" ")[0] };
  const child = spawn(process.execPath, [join(import.meta.dirname, "peers/payload-server.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PAYLOAD: path },
  });
  const [port] = await once(child.stdout, "data");
  const signed = JSON.stringify({ length: (await stat(path)).size, hashes });
  return { url: `http://127.0.0.1:${Number(port)}`, signed, stop: () => child.kill("SIGTERM") };
}

/** A process of ours, its memory before and at most. */
export interface Measured extends Spent {
  readonly idleMiB: number;
  readonly peakMiB: number;
}

/** Fetches, verifies and stages by a process of its own. */
export async function stage(
  program: string,
  directory: string,
  servers: readonly Served[],
): Promise<Measured> {
  await mkdir(directory);
  const args = servers.flatMap(({ url, signed }) => [url, signed]);
  const onOne = ["--cpu-list", "0", process.execPath, program, directory, ...args];
  const { stdout } = await run("taskset", onOne, { timeout: 120_000 });
  rmSync(directory, { recursive: true });
  return JSON.parse(stdout);
}

/** The worst of the rounds, for the bound says never. */
export function memoryRow(
  whose: string,
  rounds: readonly Pick<Measured, "idleMiB" | "peakMiB">[],
  mostMiB: number,
): Row {
  const [idle, peak] = [median(rounds.map((one) => one.idleMiB)), median(rounds.map((one) => one.peakMiB))];
  const worst = Math.max(...rounds.map(({ idleMiB, peakMiB }) => peakMiB - idleMiB));
  return {
    what: `${whose} at most / idle before (+${worst.toFixed(1)} MiB)`,
    ...{ unit: "MiB", value: peak, peer: idle, ratio: peak / idle },
    ...{ bound: `≤ +${mostMiB} MiB`, isWithin: worst <= mostMiB },
  };
}
