import { StewardError } from "../../contract/errors.ts";
import { codingOf, decodedBody } from "../../host/answer-body.ts";
import type { FreeSpace, Transfer } from "../../host/ports.ts";
import { isCalledPage, withoutPage } from "../../host/web-page.ts";
import type { Caps } from "../../tuf/caps.ts";
import type { FoundTarget } from "../../tuf/client.ts";
import type { Repository } from "../../tuf/repository.ts";
import { type InstallationPlaces, installationNeeds, requireSpace, type SpaceNeed } from "../needed-space.ts";
import { readSignedPayload, type SignedPayload } from "../signed-payload.ts";
import { mismatch } from "../staged-payload.ts";
import { readContentLength, readContentRange } from "./http-fields.ts";
import type { PayloadPart } from "./payload-part.ts";

/** Bytes that a download leaves to the rest of the device. */
const spareBytes = 32 * 1024 ** 2;

/** A target, and where it is. */
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
  readonly installation?: InstallationPlaces | undefined;
  readonly caps: Pick<Caps, "payloadBytes">;
  readonly signal: AbortSignal;
  /** The root's `consistent_snapshot`: files have their hash before their names. */
  readonly isConsistentSnapshot: boolean;
  /** Called for each piece that came, and once with what was there before. */
  readonly onProgress?: (progress: { receivedBytes: number; totalBytes: number }) => void;
}

/** True if the repository has this target, whatever is in the file. Throws what opening it throws. */
export async function hasTarget(options: PayloadRequest): Promise<boolean> {
  const { repository, found, signal } = options;
  try {
    (await repository.openTarget(pathOf(options, readSignedPayload(found.file)), {}, signal)).close();
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
  await requireSpaceFor(part, payload, options);
  const difference = await fetchRest(part, payload, options);
  if (difference === null) return;
  await part.discard();
  throw mismatch(options.found.path, difference);
}

/**
 * Fetches the rest. Resolves with the difference from the signed payload; null: there is none. `isDecoding`: what comes
 * without a length is not taken as it is, which was tried before.
 */
async function fetchRest(
  part: PayloadPart,
  payload: SignedPayload,
  options: FetchOptions,
  isDecoding = false,
): Promise<string | null> {
  const fromByte = part.lengthBytes();
  // Only what then comes in place of the part ends it: a page to sign in at has no such bytes either.
  const transfer = (await ask(part, payload, options, fromByte)) ?? (await ask(part, payload, options, 0));
  const isUndecided = transfer !== null && !isDecoding && mayBeCoded(transfer);
  try {
    await receive(transfer, part, payload, options, isDecoding);
    await part.flush();
    const missingBytes = payload.lengthBytes - part.lengthBytes();
    const difference = missingBytes > 0 ? `${missingBytes} bytes are missing` : part.difference();
    if (difference === null || (transfer?.status !== 206 && !isUndecided)) return difference;
  } catch (error) {
    const isWrong =
      error instanceof StewardError && ["update_payload_mismatch", "update_too_large"].includes(error.code);
    if (!isWrong || !isUndecided) {
      // The bytes that came before a cut serve the next attempt.
      await (isWrong ? part.discard() : part.flush().catch(() => undefined));
      throw error;
    }
  } finally {
    transfer?.close();
  }
  // The bytes that were there before are of another file, or have rotted, or are to be decoded.
  await part.beginAnew();
  return fetchRest(part, payload, options, isDecoding || isUndecided);
}

/**
 * Object stores call a `.tar.gz` the gzip coding of a `.tar`, and a `.zst` that of some other file. Without a length only
 * the hash shows whether the content is that file, or that file coded once more.
 */
function mayBeCoded(transfer: Transfer): boolean {
  return transfer.status === 200 && announcedBytes(transfer) === null && codingOf(transfer) !== "identity";
}

/** A response with what is missing from this byte on, as far as its head says; null: the server has no such part (416). */
export async function ask(
  part: Pick<PayloadPart, "discard">,
  payload: SignedPayload,
  options: PayloadRequest,
  fromByte: number,
): Promise<Transfer | null> {
  const { repository, found, signal } = options;
  const isRest = fromByte > 0;
  const transfer = await repository.openTarget(
    pathOf(options, payload),
    // Without If-Range: two servers behind one name, or weak entity tags, would have each cut begin at the first byte.
    isRest ? { range: `bytes=${fromByte}-` } : {},
    signal,
  );
  try {
    if (isRest && transfer.status === 416) {
      transfer.close();
      return null;
    }
    refuseOtherLength(transfer, fromByte, payload, found);
    return transfer;
  } catch (error) {
    transfer.close();
    // Asked again, such a server would answer the same: the next attempt asks for all of it.
    if (transfer.status === 206) await part.discard();
    throw error;
  }
}

async function receive(
  transfer: Transfer | null,
  part: PayloadPart,
  payload: SignedPayload,
  { found, onProgress }: FetchOptions,
  isDecoding: boolean,
): Promise<void> {
  if (transfer === null) throw mismatch(found.path, "the server has nothing of it");
  const tell = (): void =>
    onProgress?.({ receivedBytes: part.lengthBytes(), totalBytes: payload.lengthBytes });
  let isWhole = transfer.status === 200;
  if (!isWhole) tell();
  for await (const piece of contentOf(transfer, payload, found.path, isDecoding)) {
    // Not before it has come: a page in place of the rest leaves the part as it is.
    if (isWhole) await part.beginAnew();
    isWhole = false;
    if (part.lengthBytes() + piece.byteLength > payload.lengthBytes) throw tooLarge(found);
    await part.append(piece);
    tell();
  }
}

/** Content of the signed length is taken as it comes, whatever coding it is said to have. */
function contentOf(
  transfer: Transfer,
  { lengthBytes }: SignedPayload,
  name: string,
  isDecoding: boolean,
): AsyncIterable<Uint8Array> {
  if (transfer.status === 206 || announcedBytes(transfer) === lengthBytes) return transfer.body;
  const isDecoded = isDecoding || !mayBeCoded(transfer);
  const content = isDecoded ? decodedBody(name, transfer, lengthBytes) : transfer.body;
  return withoutPage({ name, where: transfer.where }, content);
}

/** The length of the body as it is sent; null: the head does not say it. */
function announcedBytes({ headers }: Transfer): number | null {
  return readContentLength(headers["content-length"]);
}

/** Before anything of the body is read. */
function refuseOtherLength(
  transfer: Transfer,
  fromByte: number,
  { lengthBytes }: SignedPayload,
  found: FoundTarget,
): void {
  const { status, headers } = transfer;
  if (status === 200) {
    const isJudged = codingOf(transfer) === "identity" && !isCalledPage(transfer);
    const announced = isJudged ? announcedBytes(transfer) : null;
    if (announced !== null && announced > lengthBytes) throw tooLarge(found);
    if (announced !== null && announced < lengthBytes) {
      throw mismatch(found.path, `the server has ${announced} bytes, and ${lengthBytes} are signed`);
    }
    return;
  }
  const range = status === 206 && fromByte > 0 ? readContentRange(headers["content-range"]) : null;
  const isRest = range?.first === fromByte && range.last === lengthBytes - 1;
  if (isRest && (range.total ?? lengthBytes) === lengthBytes) return;
  throw new StewardError(
    "update_server_refused",
    `The server answered ${status} with content-range ${JSON.stringify(headers["content-range"] ?? "")} ` +
      `where bytes ${fromByte} to ${lengthBytes - 1} of ${found.path} are expected.`,
  );
}

/** TUF 5.7.3: in a consistent snapshot `<directory>/<hash>.<file name>`. */
function pathOf(
  { found: { path }, isConsistentSnapshot }: PayloadRequest,
  { nameHash }: SignedPayload,
): string {
  if (!isConsistentSnapshot) return path;
  const nameAt = path.lastIndexOf("/") + 1;
  return `${path.slice(0, nameAt)}${nameHash}.${path.slice(nameAt)}`;
}

/** With what the installer needs, or a device would fetch what it cannot install. */
async function requireSpaceFor(
  part: PayloadPart,
  { lengthBytes }: SignedPayload,
  { directory, freeSpace, found, installation }: FetchOptions,
): Promise<void> {
  const needs: SpaceNeed[] = [
    { purpose: "download", directory, bytes: lengthBytes - part.lengthBytes() },
    { purpose: "reserve", directory, bytes: spareBytes },
    ...(installation ? installationNeeds(installation, { lengthBytes }) : []),
  ];
  await requireSpace(`${found.path} needs at least`, needs, freeSpace);
}

function tooLarge({ path, file }: FoundTarget): StewardError {
  return new StewardError(
    "update_too_large",
    `The server sends more of ${path} than the ${file.length} bytes that are signed.`,
  );
}
