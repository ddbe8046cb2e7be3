import { messageOf } from "../../contract/errors.ts";
import { findingOf } from "../../contract/finding.ts";
import type { Area } from "../../contract/need-areas.ts";
import { createHttpClient } from "../client/client.ts";
import type { Answer, DoctorContext, Look } from "./doctor-context.ts";
import { type Entry, entriesOf, entryOf, inOrder } from "./finding.ts";
import { lookAtAgent, lookAtBackup } from "./look-at-agent.ts";
import { lookAtCertificate } from "./look-at-certificate.ts";
import { lookAtClock } from "./look-at-clock.ts";
import { lookAtDisk } from "./look-at-disk.ts";
import { lookAtKeys } from "./look-at-keys.ts";
import { lookAtLog } from "./look-at-log.ts";
import { lookAtAccounts, lookAtProgram } from "./look-at-program.ts";
import { lookAtState } from "./look-at-state.ts";
import { lookAtUpdates } from "./look-at-updates.ts";

/** Says which parts of the host file are not in force. */
async function lookAtHostFile({ places, host }: DoctorContext): Promise<Entry[]> {
  const { trouble } = await host.hostFile.inForce(places.hostFile);
  const { ok } = entriesOf("host file");
  return [trouble === null ? ok("usable", `${places.hostFile} is absent or valid.`) : entryOf(trouble)];
}

const looks: readonly (readonly [Area, Look])[] = [
  ["program", lookAtAccounts],
  ["program", lookAtProgram],
  ["disk", lookAtDisk],
  ["host file", lookAtHostFile],
  ["keys", lookAtKeys],
  ["agent", lookAtAgent],
  ["clock", lookAtClock],
  ["updates", lookAtUpdates],
  ["https", lookAtCertificate],
  ["device", lookAtBackup],
  ["log", lookAtLog],
];

/** Milliseconds for one area: a disk that is dying may answer never. */
const patienceMilliseconds = 45_000;

/** Milliseconds for an answer over the socket. */
const answerMilliseconds = 5_000;

/** All findings, in order, none thrown. `beforeState`: what root reads before the look at the state ends its rights. */
export async function examine(
  context: DoctorContext,
  beforeState: () => Promise<void> = async () => {},
): Promise<Entry[]> {
  const client = createHttpClient(context.places, { timeoutMilliseconds: answerMilliseconds });
  const answer: Answer = await client
    .call("getStatus", {})
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  const own: Entry[] = [];
  // One after the other: a small device has one processor, and reads its disk slowly.
  for (const [area, look] of looks) own.push(...(await attempt(area, () => look(context, answer))));
  await beforeState();
  own.push(...(await attempt("state", () => lookAtState(context, answer))));
  return inOrder(merged(own, answer));
}

/** By code: root's own look is fresher and sees more than the agent. Of the agent's rescue it sees the cause. */
export function merged(own: readonly Entry[], answer: Answer): Entry[] {
  if (answer instanceof Error) return [...own];
  const hasSeen = ({ code, area }: Entry) =>
    own.some((one) => one.code === code) ||
    (code === "state_damaged" && own.some((one) => one.area === area && one.level === "failing"));
  const others = answer.needs.map((need) => entryOf(findingOf(need))).filter((entry) => !hasSeen(entry));
  return [...own, ...others.map((entry) => weighed(entry, own))];
}

/** The doctor has tried the parts itself: on a busy device the agent's trial ends too late, and nothing is to be installed. */
function weighed(entry: Entry, own: readonly Entry[]): Entry {
  const isRefuted =
    entry.area === "program" &&
    entry.level === "failing" &&
    own.some(({ area, level }) => area === "program" && level === "ok");
  return isRefuted ? { ...entry, level: "attention", remedy: null } : entry;
}

async function attempt(area: Area, look: () => Promise<readonly Entry[]>): Promise<readonly Entry[]> {
  const { unseen } = entriesOf(area);
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<readonly Entry[]>((resolve) => {
    const detail = `The examination took longer than ${patienceMilliseconds / 1_000} s.`;
    timer = setTimeout(() => resolve([unseen("no_answer", detail)]), patienceMilliseconds);
  });
  try {
    return await Promise.race([look(), patience]);
  } catch (error) {
    const why = messageOf(error);
    return [unseen("not_seen", `It could not be examined: ${why}`)];
  } finally {
    clearTimeout(timer);
  }
}
