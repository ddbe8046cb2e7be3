import type { Transfer } from "../host/ports.ts";

/** What a server gave with a file, so that it can be asked whether it still is the same (RFC 9110 §13). */
export interface Validators {
  readonly etag: string | null;
  readonly last_modified: string | null;
}

export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly validators: Validators;
}

/** A TUF repository's files, wherever they lie. `name` is unquoted, such as `2.root.json`; quoting is this reader's. */
export interface Repository {
  /**
   * A file of the metadata, `null` where there is none (404, 403, 410), "unchanged" where it is the one that
   * `known` came with. Throws `update_too_large` beyond `maximumBytes`, `update_server_refused` at any other answer,
   * `update_server_unreachable` at 429 and 5xx (with `retryAfterSeconds` of Retry-After), and what Transfers throws.
   */
  readMetadata(
    name: string,
    limits: { maximumBytes: number; known?: Validators },
  ): Promise<ReadFile | "unchanged" | null>;
  /** A target, from `fromByte` on where `headers` ask so. `path` is the target path with the hash put in. */
  openTarget(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Transfer>;
  /** What it took so far. */
  cost(): { requests: number; bodyBytes: number };
}
