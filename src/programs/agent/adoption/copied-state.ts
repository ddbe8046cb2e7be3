import { rm } from "node:fs/promises";
import { join } from "node:path";
import { resealed } from "../../../accounts/second-factor/reseal.ts";
import { isOfStorage, messageOf, StewardError } from "../../../contract/errors.ts";
import { historyFile } from "../../../figures/history/file-name.ts";
import type { Host } from "../../../host/host.ts";
import { agentEvent, type EventSink } from "../../../journal/events/event.ts";
import { moveDirectory } from "../../../store/files/move-directory.ts";
import {
  readStateIdentity,
  type StateIdentity,
  writeStateIdentity,
} from "../../../store/files/state-identity.ts";
import { type RoomsConfig, sealKeyPlaces } from "../config.ts";
import { type Documents, openDocuments } from "../documents.ts";

/**
 * Makes this state the machine's own. State that another machine has made is a copy, as of a disk image: it gets its
 * own secrets and seed, tokens and sessions of the other machine become invalid, and a new record of events begins.
 * Accounts and settings stay. It continues after a power cut. Call it under the lock. If the disk refuses a part, the
 * next start tries again, and the agent starts even so. Throws `state_damaged`.
 */
export async function adoptState(config: RoomsConfig, host: Host): Promise<void> {
  const { stateDirectory, readsOnly, log } = config;
  const { deviceId, isLasting } = host.identity;
  // Without a machine-id the owner of this state is not known: nothing is removed from it.
  if (readsOnly || !isLasting) return;
  try {
    const known = await readStateIdentity(stateDirectory);
    if (known?.device_id === deviceId) return;
    const untold = known === null ? null : await madeOwn(config, host, known);
    await writeStateIdentity(stateDirectory, { device_id: deviceId, untold });
  } catch (error) {
    if (error instanceof StewardError && !isOfStorage(error)) throw error;
    const detail = messageOf(error);
    log("warning", "the state is not wholly this machine's yet", { detail });
  }
}

/** Records what `adoptState`, or the restoring of a backup, has done, once. */
export async function tellAdoption(
  { stateDirectory, readsOnly, log }: RoomsConfig,
  events: EventSink,
): Promise<void> {
  const identity = readsOnly ? null : await readStateIdentity(stateDirectory);
  if (identity === null || (identity.untold === null && !identity.restored)) return;
  log("notice", "event log started over", { audit: true, why: identity.restored ? "restore" : "identity" });
  if (identity.untold !== null) await events.record(agentEvent("host.identity_changed", identity.untold));
  if (identity.restored) await events.record(agentEvent("host.restored", identity.restored));
  const { device_id } = identity;
  await writeStateIdentity(stateDirectory, { device_id, untold: null }).catch(() => undefined);
}

async function madeOwn(
  config: RoomsConfig,
  host: Host,
  { device_id }: StateIdentity,
): Promise<StateIdentity["untold"]> {
  const { documents } = await openDocuments({ ...config, time: host.time });
  try {
    const [sessions, tokens] = [documents.sessions.read(), documents.tokens.read()];
    const two_factor_resealed = await renewSealKey(config, host, documents);
    await documents.sessions.update(() => ({ sessions: [], document_key: null }));
    await documents.tokens.update(() => ({ tokens: [], provisioned: null }));
    await forgetMachine(config, documents);
    return {
      former_device_id: device_id,
      sessions_ended: sessions.sessions.length,
      tokens_ended: tokens.tokens.length,
      two_factor_resealed,
    };
  } finally {
    for (const document of Object.values(documents)) await document.close();
  }
}

/** Deletes what is another machine's in a state that has become this one's, and keeps its record of events aside. */
export async function forgetMachine(
  config: Pick<RoomsConfig, "stateDirectory" | "log">,
  { updates }: Documents["documents"],
): Promise<void> {
  await updates.update((record) => ({ ...record, seed: null, last_backup_at: null }));
  for (const name of ["tls", historyFile])
    await rm(join(config.stateDirectory, name), { recursive: true, force: true });
  await setEventsAside(config);
}

/** The number of secrets that are now sealed with a key of this machine. A key from root is root's to exchange. */
async function renewSealKey(
  config: RoomsConfig,
  { files }: Host,
  { users }: Documents["documents"],
): Promise<number> {
  const places = { ...sealKeyPlaces(config), mayMake: false };
  const renewed = await files.renewOwnSealKey(places.fallbackPath).catch(ifUnusable);
  if (renewed === null) return 0;
  const { former, next, replace } = renewed;
  const [preferred = former] = (await files.readSealKeys(places).catch(ifUnusable)) ?? [];
  const isOwn = Buffer.from(preferred).equals(former);
  let count = 0;
  await users.update((state) => {
    const done = resealed(state, { former, next: isOwn ? next : preferred });
    count = done.count;
    return done.state;
  });
  await replace();
  return count;
}

/** Health reports a key that cannot be used; the agent starts even so. */
function ifUnusable(error: unknown): null {
  if (error instanceof StewardError && error.code === "second_factor_unavailable") return null;
  throw error;
}

/** Keeps the other machine's record for inspection, in place of an earlier one; if that fails it stays in use. */
async function setEventsAside(config: Pick<RoomsConfig, "stateDirectory" | "log">): Promise<void> {
  const place = (name: string) => join(config.stateDirectory, name);
  await moveDirectory(place("events"), place("events-before")).catch(({ message: detail }: StewardError) =>
    config.log("warning", "the events of the machine before stay among those of this one", { detail }),
  );
}
