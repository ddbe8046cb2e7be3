import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, open, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundle } from "../basics/bundle.ts";
import { median } from "../basics/quantile.ts";
import { type Spent, spentBy, spentByAll, timeRows } from "./ended-processes.ts";
import type { Row } from "./row.ts";

const run = promisify(execFile);
const dist = join(import.meta.dirname, "../../dist");
const payloadBytes = 256 * 1024 ** 2;
/** Runs the code of staging once before it is measured. */
const warmUpBytes = 2 * 1024 ** 2;
const rounds = 5;

/** docs/performance.md: times the peer's processor time, and MiB above idle. */
const bounds = { staged: { ratio: "≤ 1.15", memoryMiB: 8 }, applied: { ratio: "≤ 1.00", memoryMiB: 32 } };

/**
 * A payload of 256 MiB over loopback HTTP, fetched, hashed, written, synced and staged by a process of its own, beside
 * `sha512sum` and `cp` of the same file; and an apply of it with root's part in it: fetched, verified and staged by one process of ours; then `installer.js
 * install` as it is shipped: copied while it is hashed, verified again from the root of trust on, unpacked, synced,
 * switched and found healthy. Beside it the same bytes handled by coreutils and tar, in turns, all on one processor.
 */
export async function applyRows(): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), "steward-bench-"));
  const servers: Awaited<ReturnType<typeof serve>>[] = [];
  try {
    const program = await bundle(directory, join(import.meta.dirname, "payload-process.ts"));
    const payload = await makePayload(directory, "payload", payloadBytes);
    const warmUp = await makePayload(directory, "warm-up", warmUpBytes);
    servers.push(await serve(payload), await serve(warmUp));
    const device = await makeDevice(directory, payload);
    const [own, peer, installers]: [Spent[], Spent[], Pick<Measured, "idleMiB" | "peakMiB">[]] = [[], [], []];
    const [staging, copying]: [Measured[], Spent[]] = [[], []];
    const copy = join(directory, "copy");
    for (let round = 0; round < rounds; round += 1) {
      const staged = await stage(program, join(directory, `round${round}`), servers);
      staging.push(staged);
      copying.push(await spentByAll(["sha512sum", payload], ["cp", payload, copy]));
      rmSync(copy);
      const installed = await install(device, join(directory, `root${round}`));
      own.push({ processor: staged.processor + installed.processor, wall: staged.wall + installed.wall });
      const { peakMiB: idleMiB } = await installer(["--help"]);
      installers.push({ idleMiB, peakMiB: installed.peakMiB });
      peer.push(await applyByTools(payload, join(directory, `peer${round}`)));
    }
    const what = "fetch, verify, stage, install 256 MiB / sha512sum + cp, cp + sha512sum + tar -x + sync -f";
    const first = "verify + stage a 256 MiB payload / sha512sum + cp";
    return [
      ...timeRows(first, [staging, copying], bounds.staged.ratio),
      memoryRow("its memory", staging, bounds.staged.memoryMiB),
      ...timeRows(what, [own, peer], bounds.applied.ratio),
      memoryRow("the installer's memory", installers, bounds.applied.memoryMiB),
    ];
  } finally {
    for (const server of servers) server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A tar of one file, in about as many bytes. */
async function makePayload(directory: string, name: string, bytes: number): Promise<string> {
  const [tree, payload] = [join(directory, `${name}.d`), join(directory, `${name}.tar.gz`)];
  await mkdir(tree);
  await writeRandom(join(tree, "big"), bytes);
  await run("tar", ["-I", "gzip -1", "-cf", payload, "-C", tree, "."]);
  rmSync(tree, { recursive: true });
  return payload;
}

/** A device whose own agent has staged the payload, published by `steward-publisher`. */
async function makeDevice(directory: string, payload: string) {
  const at = (name: string): string => join(directory, name);
  const [state, sockets, site] = [at("state"), at("run"), at("site")];
  await mkdir(at("etc"), { mode: 0o700 });
  const [hostFile, settings] = [at("etc/steward.json"), at("etc/settings.json")];
  const health = { command: ["/bin/true"], successes: 1, interval: "100ms", within: "10s" };
  const host = { product: "bench", update: { rules: { health } } };
  writeFileSync(hostFile, JSON.stringify(host), { mode: 0o600 });
  writeFileSync(settings, JSON.stringify({ time: { mode: "manual", servers: [] } }));
  const env = {
    ...process.env,
    ...{ STEWARD_SOCKET: join(sockets, "steward.sock"), STEWARD_STATE: state },
    ...{ STEWARD_HOST_FILE: hostFile, STEWARD_INITIAL_SETTINGS: settings },
  };
  const steward = (...words: string[]) => run(process.execPath, [join(dist, "main.js"), ...words], { env });
  const publisher = (...words: string[]) =>
    run(process.execPath, [join(`${dist}-publisher`, "main.cjs"), ...words], { env });
  const places = ["--state", state, "--run", sockets, "--listen", "127.0.0.1:0", "--host-file", hostFile];
  const agent = spawn(process.execPath, [join(dist, "main.js"), "serve", ...places], {
    env,
    stdio: "ignore",
  });
  try {
    await publisher("init", site, "--product", "bench");
    await publisher("add", site, payload, "--kind", "rules", "--name", "big", "--release", "1.0.0");
    await publisher("publish", site);
    await steward("update", "trust", "install", join(site, "public/metadata/1.root.json"), "--yes");
    await steward("time", "set", new Date().toISOString(), "--yes");
    await steward("update", "check", "--repo", join(site, "public"));
  } finally {
    if (agent.kill("SIGTERM")) await once(agent, "exit");
  }
  const [name = ""] = readdirSync(join(state, "updates/staged"));
  return { id: name.slice(0, 32), state, hostFile };
}

/** `installer.js install` on a device on which nothing was ever installed. */
async function install({ id, state, hostFile }: Awaited<ReturnType<typeof makeDevice>>, directory: string) {
  const [releases, trust] = [join(directory, "releases"), join(directory, "trust")];
  await mkdir(directory);
  const places = ["--releases", releases, "--trust", trust, "--state", state, "--host-file", hostFile];
  const measured = await installer(["install", id, ...places]);
  rmSync(directory, { recursive: true });
  return measured;
}

async function installer(words: readonly string[]): Promise<Spent & { peakMiB: number }> {
  const peak = join(import.meta.dirname, "peers/peak.cjs");
  const spent = await spentBy([process.execPath, "--require", peak, join(dist, "installer.js"), ...words]);
  return { ...spent, peakMiB: Number(/peak (\d+)/.exec(spent.stderr)?.[1]) / 1_024 };
}

async function applyByTools(payload: string, directory: string): Promise<Spent> {
  const at = (name: string): string => join(directory, name);
  const [staged, intake, tree] = [at("staged"), at("intake"), at("tree")];
  await mkdir(tree, { recursive: true });
  const lines = [`sha512sum ${payload}`, `cp ${payload} ${staged}`, `cp ${staged} ${intake}`];
  lines.push(`sha512sum ${intake}`, `tar -xzf ${intake} -C ${tree}`, `sync -f ${tree}`);
  const spent = await spentByAll(...lines.map((line) => line.split(" ")));
  rmSync(directory, { recursive: true });
  return spent;
}

/** A new file of bytes that do not compress. */
async function writeRandom(path: string, bytes: number): Promise<void> {
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
async function serve(path: string) {
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
interface Measured extends Spent {
  readonly idleMiB: number;
  readonly peakMiB: number;
}

/** Fetches, verifies and stages by a process of its own. */
async function stage(
  program: string,
  directory: string,
  servers: readonly Awaited<ReturnType<typeof serve>>[],
): Promise<Measured> {
  await mkdir(directory);
  const args = servers.flatMap(({ url, signed }) => [url, signed]);
  const onOne = ["--cpu-list", "0", process.execPath, program, directory, ...args];
  const { stdout } = await run("taskset", onOne, { timeout: 120_000 });
  rmSync(directory, { recursive: true });
  return JSON.parse(stdout);
}

/** The worst of the rounds, for the bound says never. */
function memoryRow(
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
