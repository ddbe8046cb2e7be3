import { StewardError } from "../../src/contract/errors.ts";
import { caps } from "../../src/tuf/caps.ts";
import type { RoleType, Root } from "../../src/tuf/metadata.ts";
import { readMetadata } from "../../src/tuf/read-metadata.ts";
import { readRootOfTrust } from "../../src/tuf/root-of-trust.ts";
import { ed25519Only, signersOf, verifySignatures } from "../../src/tuf/signatures.ts";
import type { Chance } from "../basics/chance.ts";
import { filesInMemory, refreshing } from "../publisher/refreshing.ts";
import { SignedRepository } from "../publisher/signed-repository.ts";
import { oneOf, percent, spoiltBytes, spoiltJson } from "./draw.ts";
import type { Fuzzing } from "./target.ts";

const types: readonly RoleType[] = ["root", "timestamp", "snapshot", "targets"];

/** One of so many cases is a refresh of the whole repository, which costs as much as many readings. */
const oneRefreshIn = 40;

/**
 * Metadata that were signed and then spoilt: nothing but refusals with a code, and no signature that holds over other
 * bytes than were signed. A device that met them refreshes from the true repository afterwards.
 */
export async function fuzzTuf({ chance, cases, ledger }: Fuzzing, verify = verifySignatures): Promise<null> {
  const lab = new SignedRepository();
  lab.addRelease();
  lab.publish("rules");
  const names: Record<RoleType, string> = {
    ...{ root: "1.root", timestamp: "timestamp", snapshot: "2.snapshot", targets: "1.targets" },
  };
  const original = (type: RoleType) => lab.metadata(names[type]);
  const root: Root = readMetadata("root", original("root"), caps).signed;
  for (let made = 0; made < cases; made += 1) {
    const type = oneOf(chance, types);
    const spoilt = spoiltFile(chance, original(type));
    ledger.begin(`${type} ${spoilt.toString("base64").slice(0, 300)}`);
    const isRefresh = made % oneRefreshIn === oneRefreshIn - 1;
    const attempt = isRefresh
      ? () => refreshSpoilt(lab, names[type], spoilt)
      : async () => readSpoilt(type, spoilt);
    ledger.count(await outcomeOf(attempt, (what) => ledger.find(what)));
  }
  return null;

  function readSpoilt(type: RoleType, bytes: Buffer): string {
    if (type === "root" && percent(chance, 50)) readRootOfTrust(bytes);
    const read = readMetadata(type, bytes, caps);
    const signedFirst = readMetadata(type, original(type), caps).signedBytes;
    const isSame = Buffer.from(read.signedBytes).equals(signedFirst);
    verify(read, signersOf(root, type), ed25519Only);
    if (!isSame) throw new Error("a signature held over other bytes than were signed");
    return "read and verified";
  }
}

async function refreshSpoilt(lab: SignedRepository, name: string, bytes: Buffer): Promise<string> {
  const path = `metadata/${name}.json`;
  const whole = lab.files.get(path) ?? Buffer.alloc(0);
  const files = filesInMemory({ root: lab.metadata("1.root") });
  let outcome = "refreshed";
  try {
    lab.files.set(path, bytes);
    await refreshing(lab, files);
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    outcome = `refresh: ${error.code}`;
  } finally {
    lab.files.set(path, whole);
  }
  await refreshing(lab, files).catch((error: unknown) => {
    throw new Error(`after ${outcome} the true repository is refused: ${String(error)}`);
  });
  return outcome;
}

async function outcomeOf(attempt: () => Promise<string>, find: (what: string) => void): Promise<string> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof StewardError) return error.code;
    find(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return "finding";
  }
}

function spoiltFile(chance: Chance, bytes: Buffer): Buffer {
  if (percent(chance, 30)) return spoiltBytes(chance, bytes);
  const spoilt = spoiltJson(chance, JSON.parse(bytes.toString()));
  return Buffer.from(JSON.stringify(percent(chance, 20) ? spoiltJson(chance, spoilt) : spoilt) ?? "");
}
