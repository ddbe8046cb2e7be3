import {
  announcedBytes,
  ask,
  contentOf,
  mayBeCoded,
  type PayloadRequest,
} from "../../releases/download/complete-part.ts";
import { createDigest, readSignedPayload, type SignedPayload } from "../../releases/signed-payload.ts";
import { mismatch } from "../../releases/staged-payload.ts";
import type { FoundTarget } from "../../tuf/client.ts";
import type { Findings } from "./findings.ts";

interface PayloadCheck extends PayloadRequest {
  readonly findings: Findings;
  /** False: where the head of the answer gives the signed length, that is enough. */
  readonly isWhole: boolean;
}

/** Payloads that are asked for at a time. */
const atOnce = 8;

/** Asks for payloads as devices do, and finds what they would refuse. */
export async function checkPayloads(
  targets: readonly FoundTarget[],
  checks: Omit<PayloadCheck, "found">,
): Promise<void> {
  const checked = (found: FoundTarget) =>
    checks.findings.attempt(`targets/${found.path}`, () => checkPayload({ ...checks, found }));
  for (let at = 0; at < targets.length; at += atOnce)
    await Promise.all(targets.slice(at, at + atOnce).map(checked));
}

/** Asks for a payload as a device does at first, and as it does after a cut. Throws what it would refuse. */
async function checkPayload(check: PayloadCheck): Promise<void> {
  const { found, findings } = check;
  const payload = readSignedPayload(found.file);
  await readPayload(check, payload);
  const lastByte = payload.lengthBytes - 1;
  if (lastByte === 0) return;
  const rest = await ask(nothingYet, payload, check, lastByte);
  rest?.close();
  if (rest === null) throw mismatch(found.path, `the server has nothing at byte ${lastByte}`);
  if (rest.status === 206) return;
  const message =
    "Asked for its rest (Range), the server sends all of it: a download that was cut begins again.";
  findings.note(`targets/${found.path}`, "no_ranges", message, "Allow range requests for targets/.");
}

const nothingYet = { discard: async () => undefined };

async function readPayload(check: PayloadCheck, payload: SignedPayload, isDecoding = false): Promise<void> {
  const { found, isWhole } = check;
  const transfer = await ask(nothingYet, payload, check, 0);
  if (transfer === null) return;
  const isEnough = !isWhole && announcedBytes(transfer) === payload.lengthBytes;
  let difference: string | null;
  try {
    difference = await differenceOf(contentOf(transfer, payload, found.path, isDecoding), payload, isEnough);
  } finally {
    transfer.close();
  }
  if (difference === null) return;
  if (!isDecoding && mayBeCoded(transfer)) return readPayload(check, payload, true);
  throw mismatch(found.path, difference);
}

/** The difference from what was signed; null: there is none. `isEnough`: its first bytes are. */
async function differenceOf(
  content: AsyncIterable<Uint8Array>,
  payload: SignedPayload,
  isEnough: boolean,
): Promise<string | null> {
  const digest = createDigest(payload);
  let lengthBytes = 0;
  for await (const piece of content) {
    if (isEnough) return null;
    lengthBytes += piece.byteLength;
    if (lengthBytes > payload.lengthBytes) return "it is longer";
    digest.update(piece);
  }
  return digest.difference();
}
