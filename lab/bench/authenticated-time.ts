/** The memory that time servers with NTS take, against the same servers in plain. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createAuthority } from "../host/certificates.ts";
import { startChronyd } from "../host/chronyd.ts";
import { agentOf, type Running, start } from "./contestant.ts";
import { lastingMilliseconds, type Surroundings } from "./footprint.ts";
import { type Row, ratioRow, type Series } from "./row.ts";

const address = "127.0.0.1";

/**
 * MiB of anonymous memory that four authenticated servers may take. The other resident pages are those of Node's own file,
 * which the kernel shares and takes back.
 */
const mostMiB = 1.5;

/** Memory ten minutes after the start, of an agent that observes four of Debian's chronyd with NTS, and of one in plain. */
export async function memoryWithAuthenticatedTime(at: Surroundings): Promise<Row[]> {
  const directory = join(at.directory, "authenticated-time");
  mkdirSync(directory);
  const authority = createAuthority(directory);
  const nts = authority.certify(address);
  const chronyds = await Promise.all([1, 2, 3, 4].map(() => startChronyd({ nts })));
  const agents: Running[] = [];
  try {
    const secured = chronyds.map(({ ntsPort }) => ({ host: `${address}:${ntsPort}`, nts: true }));
    for (const servers of [secured, chronyds.map(({ port }) => `${address}:${port}`)]) {
      const place = join(directory, String(agents.length));
      mkdirSync(place);
      const [settings, hostFile] = [join(place, "settings.json"), join(place, "host.json")];
      writeFileSync(settings, JSON.stringify({ time: { mode: "observe", servers } }));
      writeFileSync(hostFile, JSON.stringify({ time: { ca_file: authority.path } }), { mode: 0o644 });
      agents.push(await start(agentOf(at.program, hostFile, settings), place, at.node));
    }
    await delay(lastingMilliseconds);
    const [own, peer] = agents.map((agent) => agent.memory());
    if (!own || !peer) throw new Error("two agents were started");
    const name = "four time servers with NTS / in plain, after 10 minutes";
    const anonymous: Series = [[own.anonymousMiB], [peer.anonymousMiB]];
    const isWithin = own.anonymousMiB - peer.anonymousMiB <= mostMiB;
    return [
      ratioRow(name, "MiB", [[own.residentMiB], [peer.residentMiB]]),
      {
        ...ratioRow("its anonymous part, with NTS", "MiB", anonymous),
        bound: `≤ + ${mostMiB} MiB`,
        isWithin,
      },
    ];
  } finally {
    await Promise.all([...agents, ...chronyds].map((one) => one.stop()));
  }
}
