import { createPrivateKey, X509Certificate } from "node:crypto";
import { messageOf } from "../contract/errors.ts";
import type { InstalledPair, Pair } from "../host/certificate-ports.ts";
import type { EventFacts } from "../journal/events/event.ts";
import { agentEvent } from "../journal/events/event.ts";
import type { Log } from "../journal/logs/log.ts";
import { type CertificateFacts, factsOf } from "./facts.ts";

export interface Shown extends Pair {
  /** Null: the device's own. */
  readonly installed: string | null;
  readonly facts: CertificateFacts;
}

/** A pair of files that is not used, with the reason. */
export interface RefusedPair {
  readonly name: string;
  readonly detail: string;
}

export type Certificates = ReturnType<typeof createCertificates>;

export function createCertificates(
  readInstalled: () => Promise<readonly InstalledPair[]>,
  readOwn: () => Promise<Pair | null>,
  log: Log,
  record: (event: EventFacts) => void,
) {
  let present: Shown | null = null;
  let refused: readonly RefusedPair[] = [];
  const noteRefused = (found: readonly RefusedPair[]): void => {
    const isKnown = ({ name, detail }: RefusedPair) =>
      refused.some((one) => one.name === name && one.detail === detail);
    for (const pair of found.filter((one) => !isKnown(one))) {
      log("error", "an installed certificate is not used", { ...pair });
      record(agentEvent("https.certificate_refused", { ...pair }));
    }
    refused = found;
  };
  const choose = async (): Promise<Shown | null> => {
    const pairs = [...(await readInstalled())].sort((one, other) => (one.name < other.name ? 1 : -1));
    const unusable: RefusedPair[] = [];
    for (const pair of pairs) {
      const found = "refused" in pair ? { detail: pair.refused } : checked(pair);
      if (!("detail" in found)) {
        noteRefused(unusable);
        return found;
      }
      unusable.push({ name: pair.name, detail: found.detail });
      if (present?.installed === pair.name || ("hidesOthers" in pair && present?.installed)) {
        noteRefused(unusable);
        return present;
      }
    }
    noteRefused(unusable);
    const own = await readOwn();
    return own && { ...own, installed: null, facts: factsOf(own.certificate) };
  };
  return {
    /** Null until the first `read`, and if none could be made. */
    present: (): Shown | null => present,
    /** Installed pairs that the last `read` could not use. */
    refused: (): readonly RefusedPair[] => refused,
    /**
     * Reads the files again, and chooses the highest name that can be used. A pair that was replaced by an unusable one
     * stays in use as it was; if no other can be used, the device's own is. True: another one is shown now. Throws the
     * errors of making one.
     */
    read: async (): Promise<boolean> => {
      const next = await choose();
      if (next?.certificate === present?.certificate && next?.key === present?.key) return false;
      const isFirst = present === null;
      present = next;
      if (next !== null && !isFirst) {
        const { fingerprint, notAfter } = next.facts;
        const details = { installed: next.installed, fingerprint, ends_at: notAfter.toISOString() };
        log("notice", "HTTPS has another certificate", details);
        record(agentEvent("https.certificate_changed", details));
      }
      return true;
    },
  };
}

/** Bits of an RSA key: browsers refuse certificates with fewer (CA/Browser Forum, Baseline Requirements, 6.1.5). */
const leastModulusBits = 2_048;

function checked(pair: { name: string } & Pair): Shown | { detail: string } {
  const { name, certificate, key } = pair;
  try {
    const privateKey = createPrivateKey(key);
    if (!new X509Certificate(certificate).checkPrivateKey(privateKey))
      return { detail: `${name}.key is not the key of ${name}.crt.` };
    const { modulusLength = leastModulusBits } = privateKey.asymmetricKeyDetails ?? {};
    if (modulusLength < leastModulusBits)
      return {
        detail: `${name}.key is an RSA key of ${modulusLength} bits. Install a certificate with an EC key, or with RSA of at least ${leastModulusBits} bits.`,
      };
    return { certificate, key, installed: name, facts: factsOf(certificate) };
  } catch (error) {
    const why = messageOf(error);
    return { detail: `${name}.crt or ${name}.key is not valid PEM (${why}).` };
  }
}
