import { type Area, type Finding, findingsOf, inOrder } from "./finding.ts";
import type { Ground, Look } from "./ground.ts";
import { lookAtAgent } from "./look-at-agent.ts";
import { lookAtCertificate } from "./look-at-certificate.ts";
import { lookAtClock } from "./look-at-clock.ts";
import { lookAtDisk } from "./look-at-disk.ts";
import { lookAtHostFile } from "./look-at-host-file.ts";
import { lookAtKeys } from "./look-at-keys.ts";
import { lookAtLog } from "./look-at-log.ts";
import { lookAtProgram } from "./look-at-program.ts";
import { lookAtState } from "./look-at-state.ts";
import { lookAtUpdates } from "./look-at-updates.ts";

/** What root looks at. */
const looks: readonly (readonly [Area, Look])[] = [
  ["program", lookAtProgram],
  ["disk", lookAtDisk],
  ["host file", lookAtHostFile],
  ["keys", lookAtKeys],
  ["agent", lookAtAgent],
  ["clock", lookAtClock],
  ["updates", lookAtUpdates],
  ["certificate", lookAtCertificate],
  ["log", lookAtLog],
];

/** Milliseconds for one area: a disk that is dying may answer never. */
const patienceMilliseconds = 45_000;

/**
 * All findings, in order. `beforeState`: what else has to be read as root, because the look at the state, the last one,
 * makes this process its owner. Never throws for what is wrong with the device.
 */
export async function examine(
  ground: Ground,
  beforeState: () => Promise<void> = async () => {},
): Promise<Finding[]> {
  const found: Finding[] = [];
  // One after the other: a small device has one processor, and reads its disk slowly.
  for (const [area, look] of looks) found.push(...(await attempt(ground, area, look)));
  await beforeState();
  return inOrder([...found, ...(await attempt(ground, "state", lookAtState))]);
}

async function attempt(ground: Ground, area: Area, look: Look): Promise<readonly Finding[]> {
  const { unseen } = findingsOf(area);
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<readonly Finding[]>((resolve) => {
    const what = `The look at it took longer than ${patienceMilliseconds / 1_000} s.`;
    timer = setTimeout(() => resolve([unseen({ code: "no_answer", what })]), patienceMilliseconds);
  });
  try {
    return await Promise.race([look(ground), patience]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [unseen({ code: "not_seen", what: `It could not be looked at: ${why}` })];
  } finally {
    clearTimeout(timer);
  }
}
