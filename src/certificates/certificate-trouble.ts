import { join } from "node:path";
import { finding, line, type Remedy, repairIn } from "../contract/finding.ts";
import type { Finding } from "../contract/types.ts";
import type { Certificates, RefusedPair, Shown } from "./certificates.ts";

/** Days before the end of an installed certificate from which on it is reported. */
const noticeDays = 14;
const dayMilliseconds = 86_400_000;

/** The name of the certificate that the device makes. */
export const ownCertificate = "certificate.pem";

const reload = "systemctl reload steward.service";
const setTime = "steward time set --yes TIME";

/**
 * The gravest fault of the certificate for HTTPS; null: there is none. `directory`: that of the installed ones. `now`:
 * the present as far as it is known; `passed`: a time that has certainly passed, by which a certificate has expired.
 */
export function certificateTrouble(
  certificates: Pick<Certificates, "present" | "refused">,
  directory: string,
  { now, passed }: Times,
): Finding | null {
  const shown = certificates.present();
  const [refused] = certificates.refused();
  const dated = shown && dateTrouble(shown, directory, { now, passed });
  if (dated?.level === "failing" || refused === undefined) return dated;
  return refusedFinding(refused, directory);
}

interface Times {
  readonly now: Date;
  readonly passed: Date;
}

function dateTrouble(shown: Shown, directory: string, { now, passed }: Times): Finding | null {
  const { notBefore, notAfter } = shown.facts;
  if (now < notBefore) return tooEarly(shown, now);
  if (passed > notAfter) return expired(shown, directory);
  if (shown.installed === null || notAfter.getTime() - passed.getTime() > noticeDays * dayMilliseconds)
    return null;
  const facts = { certificate: shown.installed, ends_at: notAfter.toISOString() };
  const detail = `The certificate ${facts.certificate} for HTTPS ends at ${facts.ends_at}. Install a new one, then: \`${reload}\`.`;
  return finding("https_certificate_ending", facts, detail);
}

/** The clock is usually wrong then; a certificate is hardly ever installed too early. */
function tooEarly({ installed, facts }: Shown, now: Date): Finding {
  const certificate = installed ?? ownCertificate;
  const begins_at = facts.notBefore.toISOString();
  const otherwise =
    installed === null
      ? `Then \`${reload}\` makes another with the same key.`
      : `If it is right, install another certificate in its place, then \`${reload}\`.`;
  const detail = `The certificate ${certificate} is valid from ${begins_at} on, and this clock says ${now.toISOString()}. Browsers refuse it. If this clock is wrong, set it: \`${setTime}\`. ${otherwise}`;
  return finding("https_certificate_early", { certificate, begins_at }, detail, line(setTime));
}

function expired({ installed, facts }: Shown, directory: string): Finding {
  const certificate = installed ?? ownCertificate;
  const ends_at = facts.notAfter.toISOString();
  const first = `The certificate ${certificate} has expired at ${ends_at}. Browsers refuse it. If this clock is wrong, set it: \`${setTime}\`.`;
  const detail =
    installed === null
      ? `${first} If it is right, \`${reload}\` has the agent make another with the same key.`
      : `${first} If it is right, install another certificate in its place, then \`${reload}\`. Until there is one, the device shows one of its own where this one is set aside.`;
  const remedy = installed === null ? line(reload) : setAside(installed, directory, "expired");
  return finding("https_certificate_expired", { certificate, ends_at }, detail, remedy);
}

function refusedFinding({ name, detail }: RefusedPair, directory: string): Finding {
  const repair = repairIn(detail);
  return finding(
    "https_certificate_refused",
    { certificate: name },
    `The certificate ${name} is not used: ${detail}`,
    repair === undefined ? setAside(name, directory, "refused") : line(`${repair}; ${reload}`),
  );
}

function setAside(name: string, directory: string, why: string): Remedy {
  const path = join(directory, `${name}.crt`);
  return line(`mv ${path} ${path}.${why}; ${reload}`);
}
