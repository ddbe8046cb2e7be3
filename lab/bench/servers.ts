/**
 * The part of `make bench` about servers that are odd or hostile: how a download of each ends, the longest turn of the
 * event loop meanwhile, and the most memory of the process. servers.ts [NODE…]: on each of these, and on this one.
 */
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundle } from "../basics/bundle.ts";
import { markdownOf } from "../basics/table.ts";
import { type OddServer, oddServers, startOddServer } from "../host/odd-servers.ts";
import { clearEnvironment } from "./contestant.ts";
import type { Fetched } from "./servers-process.ts";

const run = promisify(execFile);

/** Milliseconds in which no other request is served, and MiB: the unit has MemoryMax=256M. */
const bounds = { turn: 100, memory: 256 };

clearEnvironment();
const runtimes = [process.execPath, ...process.argv.slice(2)];
const directory = mkdtempSync(join(tmpdir(), "steward-servers-"));
try {
  const program = await bundle(directory, join(import.meta.dirname, "servers-process.ts"));
  const lines: string[][] = [];
  for (const server of oddServers) {
    const cells: string[] = [];
    for (const [index, node] of runtimes.entries()) {
      const place = join(directory, `${lines.length}-${index}`);
      mkdirSync(place);
      cells.push(cellOf(await fetched(server, node, program, place)));
    }
    lines.push([server.kind, server.what, server.ends ?? "it arrives", ...cells]);
  }
  const versions = runtimes.map((node) =>
    String(execFileSync(node, ["--version"]))
      .trim()
      .slice(1),
  );
  const head = ["kind", "the server", "the download", ...versions.map((version) => `Node ${version}`)];
  process.stdout.write(markdownOf(head, lines));
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function fetched(server: OddServer, node: string, program: string, place: string): Promise<Fetched> {
  const served = await startOddServer(server);
  const usual = await startOddServer(oddServers[0] ?? server);
  try {
    const words = [program, usual.url, served.url, place, String(server.patienceSeconds)];
    const { stdout } = await run(node, words, { timeout: 120_000 });
    const found: Fetched = JSON.parse(stdout);
    if (found.code !== server.ends) throw new Error(`${server.what}: it ended with ${found.code}`);
    return found;
  } finally {
    await served.stop();
    await usual.stop();
  }
}

function cellOf({ turnMilliseconds, peakMiB }: Fetched): string {
  const isWithin = turnMilliseconds <= bounds.turn && peakMiB <= bounds.memory;
  return `${turnMilliseconds.toFixed(0)} ms, ${peakMiB.toFixed(0)} MiB${isWithin ? "" : " (missed)"}`;
}
