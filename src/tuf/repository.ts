import type { Transfer } from "../host/ports.ts";

/** Validators that a server sent with a file, so that it can be asked if the file has changed (RFC 9110 §13). */
export interface Validators {
  readonly etag: string | null;
  readonly last_modified: string | null;
}

export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly validators: Validators;
}

/** The files of a TUF repository, at any place. `name` is unquoted, such as `2.root.json`; the reader quotes it. */
export interface Repository {
  /**
   * A file of the metadata, `null` if there is none (404, 410; for a root also 400, 403 and a web page), "unchanged" if it is
   * the one that `known` belongs to. Throws `update_too_large` beyond `maximumBytes`, `update_web_page` for a page and at
   * 511, `update_file_missing` at 403, `update_server_refused` for any other answer, `update_server_unreachable` at 429 and
   * 5xx (with `retryAfterSeconds` of Retry-After), and the errors of Transfers.
   */
  readMetadata(
    name: string,
    limits: { maximumBytes: number; known?: Validators },
  ): Promise<ReadFile | "unchanged" | null>;
  /** A target, from `fromByte` on if `headers` ask for that. `path` is the target path that contains the hash. */
  openTarget(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Transfer>;
  /** The cost so far. */
  cost(): { requests: number; bodyBytes: number };
}
