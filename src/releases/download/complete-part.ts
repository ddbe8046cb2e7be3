import { StewardError } from "../../contract/errors.ts";
import { codingOf } from "../../host/answer-body.ts";
import type { FreeSpace, Transfer } from "../../host/ports.ts";
import { isCalledPage } from "../../host/web-page.ts";
import type { Caps } from "../../tuf/caps.ts";
import type { FoundTarget } from "../../tuf/client.ts";
import type { Repository } from "../../tuf/repository.ts";
import { installationNeeds, requireSpace } from "../needed-space.ts";
import { readSignedPayload, type SignedPayload } from "../signed-payload.ts";
import { mismatch } from "../staged-payload.ts";
import { readContentLength } from "./http-fields.ts";
import type { PayloadPart } from "./payload-part.ts";
import { contentOf } from "./update-transfers.ts";

export interface PayloadRequest {
  readonly repository: Repository;
  readonly found: FoundTarget;
  readonly signal: AbortSignal;
  /** The root's `consistent_snapshot`: files have their hash before their names. */
  readonly isConsistentSnapshot: boolean;
}

export interface FetchOptions extends PayloadRequest {
  /** That of updates in the state: `downloads/` and `staged/` are made in it. */
  readonly directory: string;
  readonly freeSpace: FreeSpace;
  /** Absent: there is no installer. */
  readonly installation?: Parameters<typeof installationNeeds>[0] | undefined;
  readonly caps: Pick<Caps, "payloadBytes">;
  /** Called for each piece that came, and once with what was there before. */
  readonly onProgress?: (progress: { receivedBytes: number; totalBytes: number }) => void;
}

interface Fetch extends FetchOptions {
  readonly part: PayloadPart;
  readonly payload: SignedPayload;
}

/** True if the repository has this target, whatever is in the file. Throws what opening it throws. */
export async function hasTarget(request: PayloadRequest): Promise<boolean> {
  const { repository, found, signal } = request;
  try {
    (await repository.openTarget(pathOf(request, readSignedPayload(found.file)), {}, signal)).close();
    return true;
  } catch (error) {
    if (error instanceof StewardError && error.code === "update_file_missing") return false;
    throw error;
  }
}

/** Until the part is all of what was signed. What can never become that is removed. */
export async function complete(
  part: PayloadPart,
  payload: SignedPayload,
  options: FetchOptions,
): Promise<void> {
  if (part.lengthBytes() === payload.lengthBytes) {
    // All of it came before: there is nothing to ask for, unless the disk did not keep it.
    if (part.difference() === null) return;
    await part.beginAnew();
  }
  const fetch = { ...options, part, payload };
  await requireSpaceFor(fetch);
  const difference = await fetchRest(fetch);
  if (difference === null) return;
  await part.discard();
  throw mismatch(options.found.path, difference);
}

/** Fetches the rest. Resolves with the difference from the signed payload, or null. `isDecoding`: raw was tried before. */
async function fetchRest(fetch: Fetch, isDecoding = false): Promise<string | null> {
  const { part, payload } = fetch;
  // Only what then comes in place of the part ends it: a page to sign in at has no such bytes either.
  const transfer = (await ask(fetch, part.lengthBytes())) ?? (await ask(fetch, 0));
  if (transfer === null) return "the server has nothing of it";
  const isUndecided = !isDecoding && isUnclear(transfer);
  try {
    await receive(fetch, transfer, isUndecided ? transfer.body : signedContent(fetch, transfer));
    await part.flush();
    const missingBytes = payload.lengthBytes - part.lengthBytes();
    const difference = missingBytes > 0 ? `${missingBytes} bytes are missing` : part.difference();
    if (difference === null || (transfer.status !== 206 && !isUndecided)) return difference;
  } catch (error) {
    const isTooLarge = error instanceof StewardError && error.code === "update_too_large";
    if (!isTooLarge || !isUndecided) {
      // The bytes that came before a cut serve the next attempt.
      await (isTooLarge ? part.discard() : part.flush().catch(() => undefined));
      throw error;
    }
  } finally {
    transfer.close();
  }
  // The bytes that were there before are of another file, or have rotted, or are to be decoded.
  await part.beginAnew();
  return fetchRest(fetch, isDecoding || isUndecided);
}

interface Asking extends PayloadRequest, Pick<Fetch, "payload"> {
  readonly part: Pick<PayloadPart, "discard">;
}

/** A response with what is missing from this byte on, as far as its head says; null: the server has no such part (416). */
export async function ask(fetch: Asking, fromByte: number): Promise<Transfer | null> {
  const { repository, payload, part, signal } = fetch;
  const transfer = await repository.openTarget(
    pathOf(fetch, payload),
    // Without If-Range: two servers behind one name, or weak entity tags, would have each cut begin at the first byte.
    fromByte > 0 ? { range: `bytes=${fromByte}-` } : {},
    signal,
  );
  try {
    if (transfer.status !== 416) {
      refuseOtherLength(fetch, transfer, fromByte);
      return transfer;
    }
    transfer.close();
    return null;
  } catch (error) {
    transfer.close();
    // Asked again, such a server would answer the same: the next attempt asks for all of it.
    if (transfer.status === 206) await part.discard();
    throw error;
  }
}

async function receive(
  { part, payload, found, onProgress }: Fetch,
  { status, where }: Transfer,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const totalBytes = payload.lengthBytes;
  let isRest = status === 206;
  if (isRest) onProgress?.({ receivedBytes: part.lengthBytes(), totalBytes });
  for await (const piece of content) {
    // Not before it has come: a page in place of the rest leaves the part as it is.
    if (!isRest) await part.beginAnew();
    isRest = true;
    if (part.lengthBytes() + piece.byteLength > totalBytes) throw tooLarge(found, where);
    await part.append(piece);
    onProgress?.({ receivedBytes: part.lengthBytes(), totalBytes });
  }
}

/**
 * Object stores call a `.tar.gz` the gzip coding of a `.tar`, and a `.zst` that of some other file. Without a length only
 * the hash shows whether the content is that file, or that file coded once more.
 */
function isUnclear(transfer: Transfer): boolean {
  return transfer.status === 200 && announcedBytes(transfer) === null && codingOf(transfer) !== "identity";
}

/** Content of the signed length is taken as it comes, whatever coding it is said to have. */
function signedContent({ payload, found }: Fetch, transfer: Transfer): AsyncIterable<Uint8Array> {
  const { lengthBytes } = payload;
  if (transfer.status === 206 || announcedBytes(transfer) === lengthBytes) return transfer.body;
  return contentOf(found.path, transfer, lengthBytes);
}

function announcedBytes({ headers }: Transfer): number | null {
  return readContentLength(headers["content-length"]);
}

/** Before anything of the body is read. */
function refuseOtherLength(
  { payload: { lengthBytes }, found }: Asking,
  transfer: Transfer,
  fromByte: number,
): void {
  const { where, status, headers } = transfer;
  if (status === 200) {
    const announced = announcedBytes(transfer);
    if (announced === null || codingOf(transfer) !== "identity" || isCalledPage(transfer)) return;
    if (announced > lengthBytes) throw tooLarge(found, where);
    if (announced === lengthBytes) return;
    throw mismatch(found.path, `${where} has ${announced} bytes, and ${lengthBytes} are signed`);
  }
  // RFC 9110 §14.4: the whole is known to the server, or not.
  const rest = `bytes ${fromByte}-${lengthBytes - 1}/`;
  const range = headers["content-range"]?.toLowerCase() ?? "";
  if (status === 206 && fromByte > 0 && [`${rest}${lengthBytes}`, `${rest}*`].includes(range)) return;
  throw new StewardError(
    "update_server_refused",
    `${where} answered ${status} with content-range ${JSON.stringify(range)} where bytes ${fromByte} to ${lengthBytes - 1} of ${found.path} are expected.`,
  );
}

/** TUF 5.7.3: in a consistent snapshot `<directory>/<hash>.<file name>`. */
function pathOf({ found, isConsistentSnapshot }: PayloadRequest, { nameHash }: SignedPayload): string {
  return isConsistentSnapshot ? found.path.replace(/[^/]*$/, (name) => `${nameHash}.${name}`) : found.path;
}

/** With what the installer needs, or a device would fetch what it cannot install. */
async function requireSpaceFor({ part, payload, directory, freeSpace, found, installation }: Fetch) {
  const { lengthBytes } = payload;
  const rest = { purpose: "download", directory, bytes: lengthBytes - part.lengthBytes() } as const;
  const needs = installation ? installationNeeds(installation, { lengthBytes }) : [];
  await requireSpace(`${found.path} needs at least`, [rest, ...needs], freeSpace);
}

function tooLarge({ path, file }: FoundTarget, where: string): StewardError {
  return new StewardError(
    "update_too_large",
    `${where} sends more of ${path} than the ${file.length} bytes that are signed.`,
  );
}
