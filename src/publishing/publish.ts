import { join } from "node:path";
import { StewardError } from "../contract/errors.ts";
import { compareVersions } from "../releases/semver.ts";
import { writeDurably } from "../store/files/durable-file.ts";
import { clockRemarks } from "./clock.ts";
import { chooseDrafts, requireSigned, signDrafts } from "./drafts/ready-drafts.ts";
import { type Expiring, expiring } from "./expiry.ts";
import { makePublicDirectory, publicMode, readIfThere } from "./files.ts";
import { type Filling, fillingsOf } from "./fullness.ts";
import type { SigningKey } from "./keys/private-keys.ts";
import { lacking } from "./keys/signing.ts";
import { type How, onlineMetadata } from "./online-metadata.ts";
import { clearPayloads, locatePayload, publishPayload, verifyPayload } from "./payload-store.ts";
import { firstFingerprint } from "./published.ts";
import { type ReleaseEntry, releasesIn } from "./release-entry.ts";
import {
  type DraftedRole,
  draftedRoles,
  noRoleFiles,
  type RoleFiles,
  type RoleName,
  releaseRoles,
  roleNames,
  versionsIn,
} from "./roles.ts";
import { readPublishedState, readState, removeDraft, type State, stateOf } from "./state.ts";
import { type Staged, verifyAsClients } from "./verify.ts";
import type { Workspace } from "./workspace.ts";

export interface PublishResult {
  /** In the order of roleNames; empty: nothing new. */
  readonly published: readonly { role: RoleName; version: number; expires: string }[];
  /** Target paths of the published payloads. */
  readonly payloads: readonly string[];
  /** Target paths that are no longer on offer. */
  readonly dropped: readonly string[];
  /** Floors that this publish raised: no device goes back below them. */
  readonly floors: readonly RaisedFloor[];
  /** Names under metadata/ that must be uploaded last, in this order. */
  readonly last: readonly string[];
  /** The fingerprint of 1.root.json, as devices show it. */
  readonly fingerprint: string;
  readonly remarks: readonly string[];
  /** Drafts that were not chosen, or came too late. */
  readonly waiting: readonly DraftedRole[];
  /** The published metadata that expire within the margin. */
  readonly expiring: readonly Expiring[];
  /** Limits of devices of which the published metadata take up half or more. */
  readonly fillings: readonly Filling[];
}

/**
 * Publishes the drafts: makes snapshot and timestamp, reads the result as devices would, and only then writes. A client
 * that reads meanwhile, or after an interruption at any moment, finds a complete repository, and the next call continues.
 * `signers`: keys that also sign the drafts, where signatures are missing. `only`: the drafts to publish. `marginSeconds`:
 * the time before an expiry at which it is reported; a share of each period if not given. Throws `repository_unsigned`,
 * `repository_conflict`, and the errors that devices would have.
 */
export async function publish(
  workspace: Workspace,
  keys: readonly SigningKey[],
  {
    signers = [] as readonly SigningKey[],
    only = draftedRoles as readonly DraftedRole[],
    marginSeconds = undefined as number | undefined,
  } = {},
): Promise<PublishResult> {
  const read = await readState(workspace);
  const isFirst = read.published.timestamp === null;
  if (isFirst && only !== draftedRoles) {
    throw new StewardError(
      "repository_conflict",
      `Nothing is published yet, and the first publish must be complete: steward-publisher publish ${workspace.directory}`,
    );
  }
  const whole = await signDrafts(workspace, read, { roles: only, keys: signers });
  const chosen = chooseDrafts(whole, only);
  if (!isFirst && !hasNews(chosen)) {
    await clearPayloads(workspace, whole.drafts);
    return finished(workspace, whole, marginSeconds);
  }
  const choice = only === draftedRoles ? [] : only.map((role) => ` --only ${role}`);
  const again = `publish ${workspace.directory}${choice.join("")}`;
  const result = await publishState(workspace, chosen, { keys, whole, again, marginSeconds });
  const signed = only.filter((role) => whole.drafts[role] !== read.drafts[role]);
  return {
    ...result,
    remarks: [...signed.map((role) => `The draft of ${role} was signed.`), ...result.remarks],
  };
}

/** There is something to publish, or the published files do not fit together. */
function hasNews({ published, drafts }: State): boolean {
  if (Object.values(drafts).some((draft) => draft !== null)) return true;
  // A publish that was interrupted after a new root, and whose drafts were discarded, leaves a timestamp of old keys.
  return (["timestamp", "snapshot"] as const).some((role) => {
    const file = published[role];
    return file === null || lacking(role, file, stateOf(published, noRoleFiles)).length > 0;
  });
}

/** Renews the timestamp, and the snapshot if it expires soon. Drafts stay drafts. */
export async function renewOnline(
  workspace: Workspace,
  keys: readonly SigningKey[],
  marginSeconds?: number,
): Promise<PublishResult> {
  const whole = await readPublishedState(workspace, "renew");
  const again = `renew ${workspace.directory}`;
  return publishState(workspace, chooseDrafts(whole, []), { keys, whole, again, marginSeconds });
}

/** `whole`: including the drafts that wait. */
async function publishState(
  workspace: Workspace,
  drafted: State,
  how: How & { readonly whole: State; readonly marginSeconds: number | undefined },
): Promise<PublishResult> {
  requireSigned(workspace, drafted, how.whole);
  const payloads = await newPayloads(workspace, drafted);
  const state = await onlineMetadata(workspace, drafted, how);
  const staged = stage(state);
  const { remarks, rootPlace } = await verifyAsClients(workspace, staged, {
    published: state.published,
    next: state.next,
    drafted: releaseRoles.filter((role) => state.drafts[role]),
    refusal: "Nothing was published, because devices would refuse it",
  });
  for (const { path, file } of payloads) await publishPayload(workspace, path, file);
  for (const path of [workspace.metadata, workspace.targets]) await makePublicDirectory(path);
  const order = orderOf(staged, rootPlace);
  for (const name of order) await putChanged(workspace, name, staged);
  const left = await clearDrafts(workspace, state, how.whole);
  const result = await finished(workspace, left, how.marginSeconds);
  return {
    ...result,
    published: versionsIn(state.drafts),
    payloads: payloads.map(({ path }) => path),
    dropped: droppedPaths(state),
    floors: raisedFloors(state),
    last: order.slice(order.indexOf("timestamp.json")),
    remarks: [...remarks, ...clockRemarks(workspace, drafted), ...result.remarks],
  };
}

/** Checks that every payload exists, and reads new ones again. */
async function newPayloads(workspace: Workspace, { drafts, published, next }: State) {
  const fresh = [];
  for (const role of releaseRoles) {
    for (const [path, file] of Object.entries(next[role]?.signed.targets ?? {})) {
      const place = await locatePayload(workspace, path, file);
      const isKnown = drafts[role] === null || published[role]?.signed.targets[path] !== undefined;
      if (isKnown && place.startsWith(workspace.targets)) continue;
      await verifyPayload(place, file);
      fresh.push({ path, file });
    }
  }
  return fresh;
}

function stage({ drafts }: State): Staged {
  return new Map(
    roleNames.flatMap((role) => {
      const draft = drafts[role];
      const name = role === "timestamp" ? "timestamp.json" : `${draft?.signed.version}.${role}.json`;
      return draft ? [[name, draft.bytes] as const] : [];
    }),
  );
}

/** First the files that no published file names, then those that name them: timestamp.json last, or the new root if that is safer. */
function orderOf(staged: Staged, rootPlace: "first" | "last"): string[] {
  const isRoot = (name: string): boolean => name.endsWith(".root.json");
  const names = [...staged.keys()];
  const roots = names.filter(isRoot);
  const versioned = names.filter((name) => !isRoot(name) && name !== "timestamp.json");
  const timestamp = names.filter((name) => name === "timestamp.json");
  return rootPlace === "last"
    ? [...versioned, ...timestamp, ...roots]
    : [...versioned, ...roots, ...timestamp];
}

/** Keeps a file that an interrupted publish has already written. */
async function putChanged({ metadata }: Workspace, name: string, staged: Staged): Promise<void> {
  const path = join(metadata, name);
  const bytes = staged.get(name) ?? new Uint8Array();
  const present = await readIfThere(path);
  if (present === null || Buffer.compare(present, bytes) !== 0) await writeDurably(path, bytes, publicMode);
}

/** The state afterwards, including the drafts that wait. */
async function clearDrafts(workspace: Workspace, { drafts, next }: State, whole: State): Promise<State> {
  for (const role of roleNames) if (drafts[role]) await removeDraft(workspace, role);
  const waiting = chooseDrafts(
    whole,
    draftedRoles.filter((role) => drafts[role] === null),
  ).drafts;
  await clearPayloads(workspace, waiting);
  return stateOf(next, { ...waiting, snapshot: null, timestamp: null });
}

async function finished(
  workspace: Workspace,
  { published, drafts }: State,
  marginSeconds: number | undefined,
): Promise<PublishResult> {
  return {
    published: [],
    payloads: [],
    dropped: [],
    floors: [],
    last: [],
    fingerprint: (await firstFingerprint(workspace.metadata)) ?? "",
    remarks: [],
    waiting: draftedRoles.filter((role) => drafts[role] !== null),
    expiring: expiring(workspace, { published, drafts }, marginSeconds),
    fillings: fillingsOf(published, workspace.directory),
  };
}

function droppedPaths({ published, next }: State): string[] {
  return releaseRoles.flatMap((role) => {
    const after = next[role]?.signed.targets ?? {};
    return Object.keys(published[role]?.signed.targets ?? {}).filter((path) => after[path] === undefined);
  });
}

/** A version below which devices install nothing of that name any more. */
type RaisedFloor = Required<Pick<ReleaseEntry, "kind" | "name" | "product" | "channel" | "floor">>;

/** The floors that the drafts raise above the published ones. */
function raisedFloors({ published, next }: State): RaisedFloor[] {
  const before = floorsIn(published);
  return [...floorsIn(next)].flatMap(([key, raised]) => {
    const present = before.get(key);
    return present === undefined || compareVersions(raised.floor, present.floor) > 0 ? [raised] : [];
  });
}

/** Devices ignore the floors of withdrawn releases. */
function floorsIn(held: RoleFiles): Map<string, RaisedFloor> {
  const floors = new Map<string, RaisedFloor>();
  for (const role of releaseRoles) {
    for (const { entry } of releasesIn(held[role]?.signed.targets)) {
      const { kind, name, product, channel, floor, withdrawn } = entry;
      if (floor === undefined || withdrawn !== undefined) continue;
      const key = [kind, name, product, channel].join(" ");
      const present = floors.get(key);
      if (present === undefined || compareVersions(floor, present.floor) > 0)
        floors.set(key, { kind, name, product, channel, floor });
    }
  }
  return floors;
}
