import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { type InProcessOptions, runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { type BackupFileOptions, backupFile, backupOf } from "../../lab/agents/backup-file.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { atEnd, type Ending } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import type { HostIdentity } from "../../src/host/ports.ts";

/** As openIdentity gives it for a machine-id, or for none. */
export const machine = (letter: string, isLasting = true): HostIdentity => ({
  ...{ deviceId: letter.repeat(32), isLasting, bootId: `boot of ${letter}`, os: "Linux" },
  ...{ kernel: "6", arch: "x64", hostname: `box-${letter}` },
});
export const [boxA, boxB] = [machine("a"), machine("b")];

export const time = standingTime();

/** An agent on state of its own, unless it is given, until the test ends. */
export async function start(test: Ending, options: InProcessOptions): Promise<RunningAgent> {
  const agent = await startAgentInProcess({ time, stateDirectory: scratchDirectory(), ...options });
  atEnd(test, () => agent.dispose());
  return agent;
}

/** A key, which unlike a passphrase costs no second of scrypt at each use. */
const identity = await generateIdentity();
const key = { recipients: [await identityToRecipient(identity)] };
export const identityFile = join(scratchDirectory(), "key.txt");
writeFileSync(identityFile, `# created: 2026-11-27T10:00:00Z\n${identity}\n`);

const written = (bytes: Buffer): string => {
  const path = join(scratchDirectory(), "box-a.age");
  writeFileSync(path, bytes);
  return path;
};

/** The file of a backup of the agent, to the key unless something else is said. */
export const backupFileOf = async (agent: RunningAgent, to: Parameters<typeof backupOf>[1] = key) =>
  written(await backupOf(agent, to));

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));

/** The same of box A, which has stopped, as someone else could write it. */
export async function forgedBackup(stateDirectory: string, options: Partial<BackupFileOptions> = {}) {
  const device = { id: boxA.deviceId, name: "pump house", host_name: "box-a", time_zone: "UTC" };
  return written(await backupFile({ stateDirectory, device, steward: version, key, ...options }));
}

/** `steward restore` by the key; with `environment` as root, who has files in /etc/steward. */
export const restore = (
  agent: RunningAgent,
  path: string,
  { options = ["--as-replacement", "--yes"] as readonly string[], environment = {} } = {},
) =>
  runSteward(["restore", path, "--identity", identityFile, "--socket", agent.socket, ...options], {
    environment,
  });

/** The events, oldest first; none while the agent starts again and there is no socket. */
export const eventsOf = async (agent: RunningAgent) =>
  (await agent.read("/api/events?after=0&limit=200").catch(() => ({ items: [] }))).items;

/** On the socket: the port of a test's agent is another one after its new start. */
export const isRestored = (agent: RunningAgent) =>
  until("the agent has the state of the backup", async () =>
    (await eventsOf(agent)).some(({ type }: { type: string }) => type === "host.restored"),
  );
