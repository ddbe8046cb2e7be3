import { join } from "node:path";
import { StewardError } from "../errors.ts";
import { writeDurably } from "../store/durable-file.ts";
import { readRootOfTrust } from "../updates/root-of-trust.ts";
import { readState, removeDraft, type State, stateOf } from "./drafts.ts";
import { makePublicDirectory, publicMode, readIfThere } from "./files.ts";
import { onlineMetadata } from "./online-metadata.ts";
import { clearPayloads, locatePayload, publishPayload, verifyPayload } from "./payload-store.ts";
import type { PrivateKey } from "./private-keys.ts";
import { draftedRoles, noneHeld, type ReleaseRole, type RoleName, releaseRoles, roleNames } from "./roles.ts";
import { describeLack, lacking } from "./signing.ts";
import { type Staged, verifyAsClients } from "./verify.ts";
import type { Workspace } from "./workspace.ts";

export interface PublishResult {
  /** In the order of roleNames; empty: there was nothing new. */
  readonly published: readonly { role: RoleName; version: number; expires: string }[];
  /** Target paths whose payloads were put there. */
  readonly payloads: readonly string[];
  /** Names under metadata/ that whoever copies public/ elsewhere copies last, in this order. */
  readonly last: readonly string[];
  /** Of 1.root.json, as devices show it. */
  readonly fingerprint: string;
  readonly remarks: readonly string[];
}

/**
 * Publishes the drafts: makes snapshot and timestamp, reads the whole as devices would, and only then writes. Whoever
 * reads meanwhile, and whoever reads after this was cut short at any moment, finds a whole repository; the next call goes
 * on. Throws `repository_unsigned`, `repository_conflict`, and what devices would throw.
 */
export async function publish(workspace: Workspace, keys: readonly PrivateKey[]): Promise<PublishResult> {
  const state = await readState(workspace);
  const isNew = Object.values(state.drafts).some((draft) => draft !== null);
  if (!isNew && state.published.timestamp) return finished(workspace, state);
  return publishState(workspace, state, { keys, isRenewal: false });
}

/** Dates the timestamp anew, and the snapshot where it expires soon; drafts stay drafts. */
export async function renewOnline(workspace: Workspace, keys: readonly PrivateKey[]): Promise<PublishResult> {
  const { published, drafts } = await readState(workspace);
  if (published.timestamp === null) {
    throw new StewardError(
      "repository_conflict",
      `Nothing is published yet, so there is nothing to renew: steward repo publish ${workspace.directory}`,
    );
  }
  const { snapshot, timestamp } = drafts;
  const online = { root: null, targets: null, rules: null, binary: null, snapshot, timestamp };
  return publishState(workspace, stateOf(published, online), { keys, isRenewal: true });
}

async function publishState(
  workspace: Workspace,
  drafted: State,
  how: { keys: readonly PrivateKey[]; isRenewal: boolean },
): Promise<PublishResult> {
  requireSigned(workspace, drafted);
  const payloads = await newPayloads(workspace, drafted);
  const state = await onlineMetadata(workspace, drafted, how);
  const staged = stage(state);
  const roles = releaseRoles.filter((role) => state.drafts[role]);
  const { remarks, rootPlace } = await verdict(workspace, state, staged, roles);
  for (const { path, file } of payloads) await publishPayload(workspace, path, file);
  await makePublicDirectory(workspace.metadata);
  const order = orderOf(staged, rootPlace);
  for (const name of order) await putChanged(workspace, name, staged);
  await clearDrafts(workspace, state, how.isRenewal);
  const published = roleNames.flatMap((role) => {
    const draft = state.drafts[role]?.signed;
    return draft ? [{ role, version: draft.version, expires: draft.expires }] : [];
  });
  const result = await finished(workspace, stateOf(state.next, noneHeld));
  return {
    ...result,
    published,
    payloads: payloads.map(({ path }) => path),
    last: order.slice(order.indexOf("timestamp.json")),
    remarks: [...remarks, ...result.remarks],
  };
}

/** Names all that is missing at once: people who hold keys are asked once. */
function requireSigned({ directory }: Workspace, state: State): void {
  const lacks = draftedRoles.flatMap((role) => {
    const file = state.next[role];
    if (file === null) return [`${role} has no metadata`];
    const counts = lacking(role, file, state);
    if (counts.length === 0) return [];
    const needed = describeLack(role, counts, directory);
    return [
      state.drafts[role]
        ? needed
        : `${needed.replace(/:[^:]*$/, "")}: steward repo renew ${directory} ${role}`,
    ];
  });
  if (lacks.length === 0) return;
  throw new StewardError(
    "repository_unsigned",
    `Nothing was published, for signatures are missing: ${lacks.join("; ")}`,
  );
}

/** Every payload must be there; those that are new are read once more. */
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

async function verdict(
  workspace: Workspace,
  { published, next }: State,
  staged: Staged,
  drafted: ReleaseRole[],
) {
  try {
    return await verifyAsClients(workspace, staged, { published, next, drafted });
  } catch (cause) {
    if (!(cause instanceof StewardError) || !cause.code.startsWith("update_")) throw cause;
    throw new StewardError(
      cause.code,
      `Nothing was published, for devices would refuse it: ${cause.message}${adviceFor(cause, workspace)}`,
      { cause },
    );
  }
}

function adviceFor({ code }: StewardError, { directory }: Workspace): string {
  if (code !== "update_metadata_expired") return "";
  return ` Date anew what has expired: steward repo renew ${directory} ROLE, then publish.`;
}

/** What nothing leads to yet, then what leads to it: timestamp.json, or the new root where that is safer. */
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

/** A file that a cut publish has put there already stays. */
async function putChanged({ metadata }: Workspace, name: string, staged: Staged): Promise<void> {
  const path = join(metadata, name);
  const bytes = staged.get(name) ?? new Uint8Array();
  const present = await readIfThere(path);
  if (present === null || Buffer.compare(present, bytes) !== 0) await writeDurably(path, bytes, publicMode);
}

async function clearDrafts(workspace: Workspace, { drafts }: State, isRenewal: boolean): Promise<void> {
  for (const role of roleNames) if (drafts[role]) await removeDraft(workspace, role);
  if (!isRenewal) await clearPayloads(workspace, () => false);
}

/** Metadata that expire within this share of their time are spoken of. */
const lateShare = 0.25;

async function finished(workspace: Workspace, { published }: State): Promise<PublishResult> {
  const first = await readIfThere(join(workspace.metadata, "1.root.json"));
  const remarks = draftedRoles.flatMap((role) => {
    const { expires = "" } = published[role]?.signed ?? {};
    const leftSeconds = (Date.parse(expires) - workspace.now().getTime()) / 1_000;
    if (leftSeconds > workspace.periods[role] * lateShare) return [];
    const when = leftSeconds > 0 ? `expire at ${expires}` : `have expired at ${expires}`;
    return [`The metadata of ${role} ${when}: steward repo renew ${workspace.directory} ${role}`];
  });
  return {
    published: [],
    payloads: [],
    last: [],
    fingerprint: readRootOfTrust(first ?? new Uint8Array()).fingerprint,
    remarks,
  };
}
