import type { ErrorCode } from "../../contract/error-codes.ts";
import { type ErrorDetails, StewardError } from "../../contract/errors.ts";
import { gathered } from "../../host/answer-body.ts";
import type { Transfer, TransferRequest, Transfers } from "../../host/ports.ts";
import { readRetryAfter } from "../../host/retry-after.ts";
import type { Caps } from "../../tuf/caps.ts";
import type { ReadFile, Repository, Validators } from "../../tuf/repository.ts";
import { validatorsOf } from "./http-fields.ts";
import { contentOf, updateTransfers } from "./update-transfers.ts";

export interface RepositoryOptions {
  readonly transfers: Transfers;
  /** The address of the directory that holds `metadata/` and `targets/`, or the addresses of these two. */
  readonly url: string | { readonly metadata: string; readonly targets: string };
  readonly caps: Pick<Caps, "headSeconds" | "minimumBytesPerSecond" | "rateWindowSeconds">;
  /** Ends every reading of metadata; targets have their own. */
  readonly signal: AbortSignal;
  /** Sent with the request for timestamp.json, which begins each check; null or absent: not a byte. */
  readonly report?: string | null;
}

/** A repository whose files are under an address, as `Transfers` reads them. */
export function openRepository(options: RepositoryOptions): Repository {
  const { url, caps, signal, report } = options;
  const bases =
    typeof url === "string" ? { metadata: `${base(url)}/metadata`, targets: `${base(url)}/targets` } : url;
  const transfers = updateTransfers(options.transfers);
  const cost = { requests: 0, bodyBytes: 0 };
  const open = (
    address: string,
    how: Pick<TransferRequest, "headers" | "signal"> & Partial<TransferRequest>,
  ) => {
    cost.requests += 1;
    return transfers.open(address, { ...how, limits: caps });
  };
  return {
    readMetadata: async (name, { maximumBytes, known }) => {
      const asked = conditions(known);
      const isTimestamp = name === "timestamp.json";
      const transfer = await open(`${base(bases.metadata)}/${quoted(name)}`, {
        // RFC 9111 §5.2.1.4: a cache on the way asks the server whether its copy is still the newest.
        headers: { ...asked, ...(isTimestamp && { "cache-control": "no-cache" }) },
        signal,
        ...(report && isTimestamp && { originHeaders: { "steward-report": report } }),
        // It is small, and servers change the validators of what they compress.
        ...(!isTimestamp && { acceptsGzip: true as const }),
      });
      try {
        const { status, headers } = transfer;
        if ((isNextRoot(name) ? [400, 403, 404, 410] : [404, 410]).includes(status)) return null;
        if (status === 304 && Object.keys(asked).length > 0) return "unchanged";
        if (status !== 200) throw notServed(name, transfer);
        const bytes = await gathered(contentOf(name, counted(transfer, cost), maximumBytes));
        return { bytes, validators: validatorsOf(headers) } satisfies ReadFile;
      } catch (error) {
        const isPage = error instanceof StewardError && error.code === "update_web_page";
        if (isPage && isNextRoot(name)) return null;
        throw error;
      } finally {
        transfer.close();
      }
    },
    openTarget: async (path, headers, ending) => {
      const address = `${base(bases.targets)}/${targetSegments(path).map(quoted).join("/")}`;
      const transfer = counted(await open(address, { headers, signal: ending }), cost);
      if ([200, 206, 416].includes(transfer.status)) return transfer;
      transfer.close();
      throw notServed(path, transfer);
    },
    cost: () => ({ ...cost }),
  };
}

function base(url: string): string {
  if (/[?#]/.test(url))
    throw refusal(`The address of a repository has no query and no fragment, but this one has: ${url}`);
  return url.replace(/\/+$/, "");
}

/** RFC 3986 §2.3: one path segment, with everything quoted that is not unreserved; that is python's quote(name, ""). */
function quoted(name: string): string {
  if (name === "" || name === "." || name === ".." || /[\ud800-\udfff]/u.test(name)) {
    throw refusal(`${JSON.stringify(name)} is not a file name.`);
  }
  return encodeURIComponent(name).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function targetSegments(path: string): string[] {
  const segments = path.split("/");
  const isUnsafe = /[\p{Cc}\\]/u.test(path);
  if (isUnsafe || segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    throw refusal(
      `${JSON.stringify(path)} is not the path of a target: it could lead out of the repository.`,
    );
  }
  return segments;
}

function conditions(known: Validators | undefined): Record<string, string> {
  // They come from a file: what would not have been kept is not sent.
  const { etag, last_modified } = validatorsOf({
    etag: known?.etag ?? undefined,
    "last-modified": known?.last_modified ?? undefined,
  });
  // Not both: some servers go by the date where the tag is another one, and a second has room for two versions.
  if (etag !== null) return { "if-none-match": etag };
  return last_modified === null ? {} : { "if-modified-since": last_modified };
}

/**
 * The only file that is asked for without knowing that it exists (TUF §5.3.3). Object stores answer 403 where listing is
 * not allowed, or 400, and other servers a page: each says no more than a 404, which an attacker could send as well
 * (docs/design/updates.md, rule 2).
 */
function isNextRoot(name: string): boolean {
  return /^[0-9]+\.root\.json$/.test(name);
}

function notServed(name: string, { where, status, headers }: Transfer): StewardError {
  const answered = `${where} answered ${status} to ${JSON.stringify(name)}`;
  // RFC 6585 §6: this comes from the network in between, as it says.
  if (status === 511)
    return failure("update_web_page", `${answered}: the network asks this device to sign in.`);
  if ([403, 404, 410].includes(status)) {
    const why =
      "there is no such file, or this device cannot read it. Is it a whole repository, or one for devices of another kind?";
    return failure("update_file_missing", `${answered}: ${why}`);
  }
  if (status !== 429 && status < 500) return refusal(`${answered}; 200 or 404 is expected.`);
  const retryAfterSeconds = readRetryAfter(headers);
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return failure("update_server_unreachable", `${answered}: it cannot serve it now.`, details);
}

function counted(transfer: Transfer, cost: { bodyBytes: number }): Transfer {
  const { where, status, headers } = transfer;
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of transfer.body) {
      cost.bodyBytes += piece.byteLength;
      yield piece;
    }
  };
  return { where, status, headers, body: pieces(), close: () => transfer.close() };
}

function refusal(message: string): StewardError {
  return failure("update_server_refused", message);
}

function failure(code: ErrorCode, message: string, details: ErrorDetails = {}): StewardError {
  return new StewardError(code, message, { details });
}
