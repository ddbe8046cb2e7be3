/** Every limit of the update client, with its unit; a repository that exceeds one is refused, not waited for. */
export const caps = {
  /** Bytes of one metadata file. */
  rootBytes: 512_000,
  timestampBytes: 16_384,
  snapshotBytes: 2_000_000,
  /** Also of each delegated role. */
  targetsBytes: 5_000_000,
  /** Bytes of one payload, whatever was signed. */
  payloadBytes: 4_294_967_296,
  /** New roots followed in one refresh (TUF 5.3.3: Y). */
  rootRotations: 256,
  /** Delegated roles visited in one search (TUF 5.6.7.1), and how deep below targets. */
  delegatedRoles: 32,
  delegationDepth: 8,
  /** Patterns of delegations that paths are compared with in one listing or search; each costs 1 µs and more. */
  delegationPatterns: 50_000,
  /** Nesting of a metadata file's JSON. */
  jsonDepth: 32,
  /** Values in it, nested ones included; each costs some µs before it is known who signed them. */
  jsonValues: 200_000,
  /** Signatures of one file, and keys of one role: each signature that is verified costs 5 ms. */
  signatures: 64,
  /** Seconds for a whole refresh, the searches in delegations included. */
  refreshSeconds: 300,
  /** Seconds until the head of an answer has arrived. */
  headSeconds: 30,
  /** Average bytes a second over each window; a 256 MiB payload takes 18 h at this rate and no longer. */
  minimumBytesPerSecond: 4_096,
  rateWindowSeconds: 30,
  /** Redirects of one request; all on the same origin. */
  redirects: 5,
};

export type Caps = Readonly<typeof caps>;
