import { createHash } from "node:crypto";
import { StewardError } from "../contract/errors.ts";
import { canonicalJson } from "../tuf/canonical-json.ts";
import type { Metadata, MetaFile, RoleType, Snapshot, Timestamp } from "../tuf/metadata.ts";
import { specVersion } from "./init/init.ts";
import type { SigningKey } from "./keys/private-keys.ts";
import { describeLack, lacking, signWith } from "./keys/signing.ts";
import type { TypeOfRole } from "./roles.ts";
import { draftOf, type State, stateOf, withDraft, writeDraft } from "./state.ts";
import type { Workspace } from "./workspace.ts";

/** The means of a publish. */
export interface How {
  readonly keys: readonly SigningKey[];
  /** The command to continue with, after `steward-publisher`. */
  readonly again: string;
}

/**
 * `state` with the snapshot and the timestamp that its other metadata need, signed. They are kept as drafts first, so that
 * an interrupted publish continues with the same bytes. Throws `repository_unsigned` without their keys; the draft then
 * waits for signatures.
 */
export async function onlineMetadata(workspace: Workspace, state: State, how: How): Promise<State> {
  const withSnapshot = await updateSnapshot(workspace, state, how);
  const { snapshot } = withSnapshot.next;
  if (snapshot === null)
    throw new StewardError("internal_error", "The snapshot that was just made is missing.");
  const content = {
    _type: "timestamp" as const,
    spec_version: specVersion,
    meta: { "snapshot.json": metaOf(snapshot) },
  };
  return make(workspace, withSnapshot, { role: "timestamp", content, how });
}

async function updateSnapshot(workspace: Workspace, state: State, how: How): Promise<State> {
  const { targets, rules, binary } = state.next;
  const named = { "targets.json": targets, "rules.json": rules, "binary.json": binary };
  const meta = Object.fromEntries(
    Object.entries(named).flatMap(([name, file]) => (file ? [[name, metaOf(file)]] : [])),
  );
  const present = state.published.snapshot;
  // A device that has read an exported archive takes no snapshot below the one that it found there.
  const isNewest = present !== null && present.signed.version > (workspace.exported.snapshot ?? 0);
  const isCurrent = isNewest && isEqual(present.signed.meta, meta);
  if (
    isCurrent &&
    lacking("snapshot", present, state).length === 0 &&
    !isLate(workspace, "snapshot", present)
  ) {
    return stateOf(state.published, { ...state.drafts, snapshot: null });
  }
  const content = { _type: "snapshot" as const, spec_version: specVersion, meta };
  return make(workspace, state, { role: "snapshot", content, how });
}

type Online = "snapshot" | "timestamp";
type Content = { meta: Snapshot["meta"] | Timestamp["meta"] } & object;

/** Continues with a draft of the same content, so that signatures from elsewhere are not lost. */
async function make<R extends Online>(
  workspace: Workspace,
  state: State,
  { role, content, how }: { role: R; content: Content & Parameters<typeof draftOf<R>>[3]; how: How },
): Promise<State> {
  const present: Metadata<TypeOfRole[R]> | null = state.drafts[role];
  const canGoOn =
    present !== null && isEqual(present.signed.meta, content.meta) && !isLate(workspace, role, present);
  const draft = canGoOn ? present : await draftOf<R>(workspace, state, role, content);
  const signed = signWith<R>(role, draft, how.keys, state);
  const next = withDraft<R>(state, role, signed);
  await writeDraft(workspace, role, signed);
  const lacks = lacking(role, signed, next);
  if (lacks.length === 0) return next;
  throw new StewardError(
    "repository_unsigned",
    `Nothing was published yet: the draft of ${describeLack(role, lacks, workspace)} …, then continue with: steward-publisher ${how.again}`,
  );
}

/** More than half of its period is over. */
function isLate(
  { now, periods }: Workspace,
  role: Online,
  { signed }: { signed: { expires: string } },
): boolean {
  return (Date.parse(signed.expires) - now().getTime()) / 1_000 < periods[role] / 2;
}

/** A metadata file, as the one above it names it. */
export function metaOf({ signed, bytes }: Metadata<RoleType>): MetaFile {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { version: signed.version, length: bytes.length, hashes: { sha256 } };
}

function isEqual(left: object, right: object): boolean {
  return Buffer.compare(canonicalJson(left), canonicalJson(right)) === 0;
}
