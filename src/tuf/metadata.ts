/** TUF metadata (specification 1.0.34 §4), as far as read. Unknown members stay in the signed part, for signatures. */
export const topLevel = ["root", "timestamp", "snapshot", "targets"] as const;
export type RoleType = (typeof topLevel)[number];

/** §4.2: a public key; `keyval.public` is hex for ed25519 and PEM for the others. */
export interface Key {
  readonly keytype: string;
  readonly scheme: string;
  readonly keyval: { readonly public: string };
}

/** The keys whose signatures count, and the number of them that must have signed. */
export interface Role {
  readonly keyids: readonly string[];
  readonly threshold: number;
}

interface Common {
  readonly spec_version: string;
  readonly version: number;
  /** RFC 3339, whole seconds, UTC. */
  readonly expires: string;
}

/** §4.3 */
export interface Root extends Common {
  readonly _type: "root";
  /** Absent: false. */
  readonly consistent_snapshot?: boolean;
  readonly keys: Readonly<Record<string, Key>>;
  readonly roles: Readonly<Record<RoleType, Role>>;
}

/** §4.4: the description of a named file; an absent length or hash is not checked. */
export interface MetaFile {
  readonly version: number;
  readonly length?: number;
  readonly hashes?: Readonly<Record<string, string>>;
}

/** §4.6 */
export interface Timestamp extends Common {
  readonly _type: "timestamp";
  readonly meta: { readonly "snapshot.json": MetaFile };
}

/** §4.4 */
export interface Snapshot extends Common {
  readonly _type: "snapshot";
  readonly meta: Readonly<Record<string, MetaFile>>;
}

/** §4.5: a signed file; `custom` is the publisher's. */
export interface TargetFile {
  readonly length: number;
  /** Hex, by algorithm; sha256 or sha512 is among them. */
  readonly hashes: Readonly<Record<string, string>>;
  readonly custom?: unknown;
}

export interface DelegatedRole extends Role {
  readonly name: string;
  readonly terminating: boolean;
  /** Either this or `path_hash_prefixes`. */
  readonly paths?: readonly string[];
  readonly path_hash_prefixes?: readonly string[];
}

export interface Delegations {
  readonly keys: Readonly<Record<string, Key>>;
  readonly roles: readonly DelegatedRole[];
}

/** §4.5 */
export interface Targets extends Common {
  readonly _type: "targets";
  readonly targets: Readonly<Record<string, TargetFile>>;
  readonly delegations?: Delegations;
}

export interface SignedTypes {
  root: Root;
  timestamp: Timestamp;
  snapshot: Snapshot;
  targets: Targets;
}

export interface Signature {
  readonly keyid: string;
  /** Hex. */
  readonly sig: string;
}

/** A metadata file: the signed part, and the signatures. */
export interface Metadata<T extends RoleType> {
  readonly signed: SignedTypes[T];
  readonly signatures: readonly Signature[];
  /** The canonical form of `signed`, unknown members included: the signatures cover these bytes. */
  readonly signedBytes: Uint8Array;
  /** The file as it was read: these bytes are kept, and lengths and hashes are of them. */
  readonly bytes: Uint8Array;
}
