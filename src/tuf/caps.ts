/** Every limit of the update client, with its unit; a repository that exceeds one is refused, not waited for. */
export interface Caps {
  /** Bytes of one metadata file. */
  readonly rootBytes: number;
  readonly timestampBytes: number;
  readonly snapshotBytes: number;
  /** Also of each delegated role. */
  readonly targetsBytes: number;
  /** Bytes of one payload, whatever was signed. */
  readonly payloadBytes: number;
  /** New roots followed in one refresh (TUF 5.3.3: Y). */
  readonly rootRotations: number;
  /** Delegated roles visited in one search (TUF 5.6.7.1), and how deep below targets. */
  readonly delegatedRoles: number;
  readonly delegationDepth: number;
  /** Patterns of delegations that paths are compared with in one listing or search; each costs 1 µs and more. */
  readonly delegationPatterns: number;
  /** Nesting of a metadata file's JSON. */
  readonly jsonDepth: number;
  /** Values in it, nested ones included; each costs some µs before it is known who signed them. */
  readonly jsonValues: number;
  /** Signatures of one file, and keys of one role: each signature that is verified costs 5 ms. */
  readonly signatures: number;
  /** Seconds for a whole refresh, the searches in delegations included. */
  readonly refreshSeconds: number;
  /** Seconds until the head of an answer has arrived. */
  readonly headSeconds: number;
  /** Average bytes a second over each window; a 256 MiB payload takes 18 h at this rate and no longer. */
  readonly minimumBytesPerSecond: number;
  readonly rateWindowSeconds: number;
  /** Redirects of one request; all on the same origin. */
  readonly redirects: number;
}

export const caps: Caps = {
  rootBytes: 512_000,
  timestampBytes: 16_384,
  snapshotBytes: 2_000_000,
  targetsBytes: 5_000_000,
  payloadBytes: 4_294_967_296,
  rootRotations: 256,
  delegatedRoles: 32,
  delegationDepth: 8,
  delegationPatterns: 50_000,
  jsonDepth: 32,
  jsonValues: 200_000,
  signatures: 64,
  refreshSeconds: 300,
  headSeconds: 30,
  minimumBytesPerSecond: 4_096,
  rateWindowSeconds: 30,
  redirects: 5,
};
