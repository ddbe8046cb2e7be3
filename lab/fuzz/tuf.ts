import assert from "node:assert/strict";
import fc from "fast-check";
import { caps } from "../../src/tuf/caps.ts";
import type { RoleType, Root } from "../../src/tuf/metadata.ts";
import { readMetadata } from "../../src/tuf/read-metadata.ts";
import { readRootOfTrust } from "../../src/tuf/root-of-trust.ts";
import { ed25519Only, signersOf, verifySignatures } from "../../src/tuf/signatures.ts";
import { filesInMemory, refreshing } from "../publisher/refreshing.ts";
import { SignedRepository } from "../publisher/signed-repository.ts";
import { mostly, spoiltFile } from "./arbitraries.ts";
import { judgeCases, type Outcomes, outcomeOf } from "./cases.ts";

/** The file of each role. */
const names = { root: "1.root", timestamp: "timestamp", snapshot: "2.snapshot", targets: "1.targets" };

/**
 * Metadata that were signed and then spoilt: nothing but refusals with a code, and no signature that holds over other
 * bytes than were signed. A device that met them refreshes from the true repository afterwards.
 */
export function fuzzTuf(cases: number, verify = verifySignatures): Promise<Outcomes> {
  const lab = new SignedRepository();
  lab.addRelease();
  lab.publish("rules");
  const original = (type: RoleType) => lab.metadata(names[type]);
  const root: Root = readMetadata("root", original("root"), caps).signed;
  const files = fc
    .constantFrom(...(Object.keys(names) as RoleType[]))
    .chain((type) => fc.record({ type: fc.constant(type), bytes: spoiltFile(original(type)) }));
  // A refresh of the whole repository costs as much as many readings.
  const spoilt = fc.tuple(files, mostly(3), mostly(50));
  return judgeCases(cases, spoilt, ([{ type, bytes }, isRefresh, isTrust]) =>
    isRefresh
      ? refreshSpoilt(lab, names[type], bytes)
      : outcomeOf(async () => readSpoilt(type, bytes, isTrust)),
  );

  function readSpoilt(type: RoleType, bytes: Buffer, isTrust: boolean): string {
    if (type === "root" && isTrust) readRootOfTrust(bytes);
    const read = readMetadata(type, bytes, caps);
    const signedFirst = readMetadata(type, original(type), caps).signedBytes;
    verify(read, signersOf(root, type), ed25519Only);
    const isSame = Buffer.from(read.signedBytes).equals(signedFirst);
    assert.ok(isSame, "a signature held over other bytes than were signed");
    return "read and verified";
  }
}

async function refreshSpoilt(lab: SignedRepository, name: string, bytes: Buffer): Promise<string> {
  const path = `metadata/${name}.json`;
  const whole = lab.files.get(path) ?? Buffer.alloc(0);
  const files = filesInMemory({ root: lab.metadata("1.root") });
  lab.files.set(path, bytes);
  const outcome = await outcomeOf(() => refreshing(lab, files).then(() => "refreshed")).finally(() =>
    lab.files.set(path, whole),
  );
  await refreshing(lab, files).catch((cause: unknown) => {
    throw new Error(`after ${outcome} the true repository is refused: ${String(cause)}`, { cause });
  });
  return `refresh: ${outcome}`;
}
