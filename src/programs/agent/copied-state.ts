import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { resealed } from "../../auth/second-factor/reseal.ts";
import { isOfStorage, StewardError } from "../../contract/errors.ts";
import type { Host } from "../../host/host.ts";
import { agentEvent, type EventSink } from "../../journal/events/event.ts";
import {
  readStateIdentity,
  type StateIdentity,
  writeStateIdentity,
} from "../../store/files/state-identity.ts";
import type { RoomsConfig } from "./config.ts";
import { type Documents, openDocuments } from "./documents.ts";

/**
 * Makes this state the machine's own. State that another machine has made is a copy, as of a disk image: it gets secrets
 * and a seed of its own, nothing that was given to the other machine is good for this one, and a new record of events
 * begins. Accounts and settings stay. Goes on where a power cut has interrupted it. Under the lock.
 */
export async function adoptState(config: RoomsConfig, host: Host): Promise<void> {
  const { stateDirectory, readsOnly, log } = config;
  const { deviceId, isLasting } = host.identity;
  // Without a machine-id it is not known whose this state is: nothing is taken from it.
  if (readsOnly || !isLasting) return;
  try {
    const known = await readStateIdentity(stateDirectory);
    if (known?.device_id === deviceId) return;
    const untold = known === null ? null : await madeOwn(config, host, known);
    await writeStateIdentity(stateDirectory, { device_id: deviceId, untold });
  } catch (error) {
    if (!isOfStorage(error)) throw error;
    log("warning", "the identity of this machine cannot be written", { detail: error.message });
  }
}

/** Records what `adoptState` has done, once. */
export async function tellAdoption(
  { stateDirectory, readsOnly, log }: RoomsConfig,
  events: EventSink,
): Promise<void> {
  const identity = readsOnly ? null : await readStateIdentity(stateDirectory);
  if (identity === null || identity.untold === null) return;
  log("notice", "event log begun anew", { audit: true, why: "identity" });
  await events.record(agentEvent("host.identity_changed", identity.untold));
  await writeStateIdentity(stateDirectory, { ...identity, untold: null }).catch(() => undefined);
}

async function madeOwn(
  config: RoomsConfig,
  host: Host,
  { device_id }: StateIdentity,
): Promise<StateIdentity["untold"]> {
  const { stateDirectory } = config;
  const { documents } = await openDocuments(config);
  try {
    const [sessions, tokens] = [documents.sessions.read(), documents.tokens.read()];
    const two_factor_resealed = await renewSealKey(config, host, documents);
    await documents.sessions.update(() => ({ sessions: [] }));
    await documents.tokens.update(() => ({ tokens: [], provisioned: null }));
    await documents.updates.update((record) => ({ ...record, seed: null }));
    await rm(join(stateDirectory, "tls"), { recursive: true, force: true });
    await setEventsAside(stateDirectory);
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

/** How many secrets are sealed with a key of this machine's now. A key that root has given is root's to exchange. */
async function renewSealKey(
  { stateDirectory, credentialsDirectory, sealKeyFile }: RoomsConfig,
  { files }: Host,
  { users }: Documents["documents"],
): Promise<number> {
  const fallbackPath = join(stateDirectory, ".seal.key");
  const renewed = await files.renewOwnSealKey(fallbackPath).catch(ifUnusable);
  if (renewed === null) return 0;
  const { former, next, replace } = renewed;
  const places = { credentialsDirectory, path: sealKeyFile, fallbackPath, mayMake: false };
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

/** A key that cannot be used is in health, and keeps no agent from starting. */
function ifUnusable(error: unknown): null {
  if (error instanceof StewardError && error.code === "second_factor_unavailable") return null;
  throw error;
}

/** The record of the other machine is kept for a look, in the place of one that was kept before. */
async function setEventsAside(stateDirectory: string): Promise<void> {
  const [present, former] = [join(stateDirectory, "events"), join(stateDirectory, "events-before")];
  // An interrupted call has moved it already.
  if (!existsSync(present)) return;
  await rm(former, { recursive: true, force: true });
  await rename(present, former);
}
