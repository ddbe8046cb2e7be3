import { rm } from "node:fs/promises";
import { join } from "node:path";
import { rescueTokenName } from "../../../accounts/sign-in/rescue-token.ts";
import { StewardError } from "../../../contract/errors.ts";
import type { Host } from "../../../host/host.ts";
import { agentEvent, type EventSink } from "../../../journal/events/event.ts";
import { finishReplacement, isReplacementDecided } from "../../../store/files/replacement.ts";
import { finishWipe, isWipeRequested } from "../../../store/files/wipe.ts";
import type { RoomsConfig } from "../config.ts";
import { adoptState, tellAdoption } from "./copied-state.ts";

/**
 * Prepares a state directory before anything in it is opened, under the lock: a requested factory reset is carried out, a
 * backup that was decided on takes its place, and a state that was copied from another machine becomes this one's. Throws
 * `state_damaged` for a reader of a state that is being deleted or replaced, and `storage_unwritable`. Returns a function
 * that records what was done.
 */
export async function beginState(config: RoomsConfig, host: Host) {
  const { stateDirectory, runDirectory, log } = config;
  if (config.readsOnly) refuseUnfinished(stateDirectory);
  const wasReset = !config.readsOnly && (await finishWipe(stateDirectory));
  const wasRestored = !config.readsOnly && (await finishReplacement(stateDirectory));
  // Files of the former owner in the run directory, which a new start of the agent would find.
  const ofFormerOwner = wasReset || wasRestored ? ["unwritten-codes", rescueTokenName] : [];
  for (const name of ofFormerOwner) await rm(join(runDirectory, name), { force: true });
  await adoptState(config, host);
  return async (events: EventSink): Promise<void> => {
    if (wasReset) {
      log("notice", "event log started over", { audit: true, why: "reset" });
      await events.record(agentEvent("host.reset", {}));
    }
    await tellAdoption(config, events);
  };
}

function refuseUnfinished(stateDirectory: string): void {
  const isReset = isWipeRequested(stateDirectory);
  if (!isReset && !isReplacementDecided(stateDirectory)) return;
  const what = isReset ? "A factory reset of this device" : "Restoring a backup";
  throw new StewardError(
    "state_damaged",
    `${what} has begun, and the agent carries it out when it starts: systemctl start steward.`,
  );
}
