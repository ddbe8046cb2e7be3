/** A process of its own for one download from a server, and one before it from a usual one, so that the code is warm. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fetchFrom } from "../host/odd-servers.ts";

/** A download from one server. */
export interface Fetched {
  /** The code of the error; null: it arrived. */
  readonly code: string | null;
  readonly turnMilliseconds: number;
  readonly peakMiB: number;
}

const [usualUrl = "", url = "", directory = "", seconds = ""] = process.argv.slice(2);
await fetchInto("usual", usualUrl);
let [turnMilliseconds, since] = [0, performance.now()];
let isOver = false;
function turn(): void {
  const now = performance.now();
  turnMilliseconds = Math.max(turnMilliseconds, now - since);
  since = now;
  if (!isOver) setImmediate(turn);
}
setImmediate(turn);
const code = await fetchInto("odd", url);
isOver = true;
const peakMiB = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1_024;
const fetched: Fetched = { code, turnMilliseconds, peakMiB };
process.stdout.write(JSON.stringify(fetched));

async function fetchInto(name: string, address: string): Promise<string | null> {
  const place = join(directory, name);
  mkdirSync(place);
  return (await fetchFrom(address, place, Number(seconds)))?.code ?? null;
}
