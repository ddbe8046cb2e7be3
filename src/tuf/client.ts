import type { Root, Snapshot, TargetFile, Timestamp } from "./metadata.ts";
import type { Validators } from "./repository.ts";

/** A target that was found under the rules of delegation. */
export interface FoundTarget {
  readonly path: string;
  readonly file: TargetFile;
  /** The role that signed for it. */
  readonly role: string;
}

/** The repository's metadata after one whole refresh (TUF 5.3–5.6), and searches in it. */
export interface Refreshed {
  readonly root: Root;
  readonly timestamp: Timestamp;
  readonly snapshot: Snapshot;
  /** New roots that were followed in this refresh. */
  readonly rotations: number;
  /** The validators of timestamp.json, to ask next time if it has changed. */
  readonly validators: Validators | undefined;
  /** TUF 5.6.7: depth first, in the order of the delegations; null: it is not signed. */
  find(path: string): Promise<FoundTarget | null>;
  /** Every target of `<channel>/<kind>/` in every role. Only delegations whose patterns can hold one are read. */
  list(channel: string, kind: string): Promise<readonly FoundTarget[]>;
  /** Targets of other channels that the listings have seen so far; they are reported, and never installed. */
  elsewhere(): readonly FoundTarget[];
}
