import type { SigningKey } from "../keys/private-keys.ts";
import { lacking, signWith } from "../keys/signing.ts";
import { metaOf } from "../online-metadata.ts";
import { draftOf, rfc3339Seconds, type State, withDraft } from "../state.ts";
import type { Workspace } from "../workspace.ts";

/** The published metadata with a timestamp, and where needed a snapshot, that are signed for an archive only. */
export type LongMetadata = NonNullable<Awaited<ReturnType<typeof signLongMetadata>>>;

/**
 * Signs a timestamp for so many seconds, and a snapshot where the published one does not last as long. Both have the next
 * versions, so that a device which knows the published ones takes them. `state` has published metadata and no drafts.
 * null: the keys at hand are not enough for the timestamp. Without the snapshot's keys the published one is named.
 */
export async function signLongMetadata(
  workspace: Workspace,
  state: State,
  { keys, seconds }: { keys: readonly SigningKey[]; seconds: number },
) {
  const { periods } = workspace;
  const longer = { ...workspace, periods: { ...periods, snapshot: seconds, timestamp: seconds } };
  const withSnapshot = await withLongSnapshot(longer, state, { keys, seconds });
  const { timestamp, snapshot } = withSnapshot.next;
  if (timestamp === null || snapshot === null) return null;
  const content = { ...timestamp.signed, meta: { "snapshot.json": metaOf(snapshot) } };
  const draft = await draftOf<"timestamp">(longer, withSnapshot, "timestamp", content);
  const signed = signWith<"timestamp">("timestamp", draft, keys, withSnapshot);
  if (lacking("timestamp", signed, withSnapshot).length > 0) return null;
  const made = withDraft<"timestamp">(withSnapshot, "timestamp", signed);
  return {
    next: made.next,
    /** The metadata that are not those in public/, with their names under metadata/. */
    signed: (["snapshot", "timestamp"] as const).flatMap((role) => {
      const file = made.drafts[role];
      if (file === null) return [];
      const { version } = file.signed;
      const name = role === "timestamp" ? "timestamp.json" : `${version}.snapshot.json`;
      return [{ role, version, name, bytes: file.bytes }];
    }),
  };
}

async function withLongSnapshot(
  longer: Workspace,
  state: State,
  { keys, seconds }: { keys: readonly SigningKey[]; seconds: number },
): Promise<State> {
  const present = state.published.snapshot;
  const until = rfc3339Seconds(longer.now().getTime() + seconds * 1_000);
  if (present === null || Date.parse(present.signed.expires) >= Date.parse(until)) return state;
  const draft = await draftOf<"snapshot">(longer, state, "snapshot", present.signed);
  const signed = signWith<"snapshot">("snapshot", draft, keys, state);
  const next = withDraft<"snapshot">(state, "snapshot", signed);
  return lacking("snapshot", signed, next).length === 0 ? next : state;
}
