import { join } from "node:path";
import { finding, line, type Remedy, repairIn } from "../contract/finding.ts";
import type { Finding } from "../contract/types.ts";
import type { Certificates, RefusedPair, Shown } from "./certificates.ts";

/** Days before the end of an installed certificate from which on it is reported. */
const noticeDays = 14;
const dayMilliseconds = 86_400_000;

export const ownCertificate = "certificate.pem";

const reload = "systemctl reload steward.service";
const setTime = "steward time set --yes TIME";

/** The gravest fault of HTTPS's certificate; null: none. `now`: as far as known; `passed`: surely past, to judge expiry. */
export function certificateTrouble(
  certificates: Pick<Certificates, "present" | "refused">,
  directory: string,
  { now, passed }: { readonly now: Date; readonly passed: Date },
): Finding | null {
  const shown = certificates.present();
  const [refused] = certificates.refused();
  const dated = shown && dateTrouble(shown, directory, now, passed);
  if (dated?.level === "failing" || refused === undefined) return dated;
  return refusedFinding(refused, directory);
}

function dateTrouble(shown: Shown, directory: string, now: Date, passed: Date): Finding | null {
  const { notBefore, notAfter } = shown.facts;
  if (now < notBefore) return tooEarly(shown, now);
  if (passed > notAfter) return expired(shown, directory);
  if (shown.installed === null || notAfter.getTime() - passed.getTime() > noticeDays * dayMilliseconds)
    return null;
  const facts = { certificate: shown.installed, ends_at: notAfter.toISOString() };
  return finding("https_certificate_ending", facts, `Then: \`${reload}\`.`);
}

/** The clock is usually wrong then; a certificate is hardly ever installed too early. */
function tooEarly({ installed, facts }: Shown, now: Date): Finding {
  const certificate = installed ?? ownCertificate;
  const begins_at = facts.notBefore.toISOString();
  const otherwise =
    installed === null
      ? `Then \`${reload}\` makes another with the same key.`
      : `If it is right, install another certificate in its place, then \`${reload}\`.`;
  const particulars = `This clock says ${now.toISOString()}. If it is wrong, set it: \`${setTime}\`. ${otherwise}`;
  return finding("https_certificate_early", { certificate, begins_at }, particulars, line(setTime));
}

function expired({ installed, facts }: Shown, directory: string): Finding {
  const certificate = installed ?? ownCertificate;
  const ends_at = facts.notAfter.toISOString();
  const otherwise =
    installed === null
      ? `If it is right, \`${reload}\` has the agent make another with the same key.`
      : `After the new one is installed: \`${reload}\`. Until there is one, the device shows one of its own where this one is set aside.`;
  const particulars = `If this clock is wrong, set it: \`${setTime}\`. ${otherwise}`;
  const remedy = installed === null ? line(reload) : setAside(installed, directory, "expired");
  return finding("https_certificate_expired", { certificate, ends_at }, particulars, remedy);
}

function refusedFinding({ name, detail }: RefusedPair, directory: string): Finding {
  const repair = repairIn(detail);
  return finding(
    "https_certificate_refused",
    { certificate: name },
    detail,
    repair === undefined ? setAside(name, directory, "refused") : line(`${repair}; ${reload}`),
  );
}

function setAside(name: string, directory: string, why: string): Remedy {
  const path = join(directory, `${name}.crt`);
  return line(`mv ${path} ${path}.${why}; ${reload}`);
}
