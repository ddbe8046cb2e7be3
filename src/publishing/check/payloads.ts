import { rm } from "node:fs/promises";
import { StewardError } from "../../contract/errors.ts";
import type { FreeSpace } from "../../host/ports.ts";
import { ask, type PayloadRequest } from "../../releases/download/complete-part.ts";
import { readContentLength } from "../../releases/download/http-fields.ts";
import { fetchPayload } from "../../releases/download/payload.ts";
import { isPatch } from "../../releases/patches/patch.ts";
import { readSignedPayload } from "../../releases/signed-payload.ts";
import { mismatch } from "../../releases/staged-payload.ts";
import { caps } from "../../tuf/caps.ts";
import type { FoundTarget } from "../../tuf/client.ts";
import { judgePayload } from "../payloads/judge-payload.ts";
import type { Findings } from "./findings.ts";

export interface PayloadPlan {
  /** False: an answer whose head gives the signed length is enough. */
  readonly areWhole: boolean;
  /** Payloads that are fetched come into this directory, and are removed again. */
  readonly directory: string;
  readonly freeSpace: FreeSpace;
}

interface PayloadCheck extends PayloadRequest, PayloadPlan {
  readonly findings: Findings;
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

const nothingYet = { discard: async () => undefined };

/** As at first, and as after a cut. Throws what a device would refuse. */
async function checkPayload(check: PayloadCheck): Promise<void> {
  const { found, findings, areWhole } = check;
  const payload = readSignedPayload(found.file);
  const asking = { ...check, payload, part: nothingYet };
  const head = await ask(asking, 0);
  head?.close();
  const isTold = readContentLength(head?.headers["content-length"]) === payload.lengthBytes;
  if (areWhole || !isTold) {
    const fetched = await fetchPayload({ ...check, caps });
    if (!isPatch(found.file)) await judge(fetched.path, check);
    await rm(fetched.path);
  }
  const lastByte = payload.lengthBytes - 1;
  if (lastByte === 0) return;
  const rest = await ask(asking, lastByte);
  rest?.close();
  if (rest === null) throw mismatch(found.path, `the server has nothing at byte ${lastByte}`);
  if (rest.status === 206) return;
  const message =
    "Asked for its rest (Range), the server sends all of it: a download that was cut begins again.";
  findings.note(`targets/${found.path}`, "no_ranges", message, "Allow range requests for targets/.");
}

/** Finds what the installer of a device would refuse of an archive: other tools sign it unjudged. */
async function judge(path: string, { found, findings }: PayloadCheck): Promise<void> {
  try {
    await judgePayload(path, found.path);
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "validation_failed") throw error;
    const remedy = "Publish it without that, as a new version.";
    for (const { pointer, detail } of error.details.errors ?? []) {
      const message = `Devices would refuse to install it: ${pointer}: ${detail}`;
      const finding = { code: "update_payload_unsafe", is_refused: true, message, remedy } as const;
      findings.add(`targets/${found.path}`, finding);
    }
  }
}
