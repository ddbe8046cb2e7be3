import { basename, join } from "node:path";
import { type CertificateFacts, factsOf } from "../../certificates/facts.ts";
import { type Finding, findingsOf } from "./finding.ts";
import { filesIn, type Ground, isClosed, textBehind, textOf } from "./ground.ts";

const { ok, failing, unseen } = findingsOf("certificate");

const reload = "systemctl reload steward.service";
const setTime = "steward time set --yes TIME";

/** The dates of the certificate that HTTPS shows, by this clock. */
export async function lookAtCertificate({ places, host, now }: Ground): Promise<Finding[]> {
  const { https } = await host.readHostFile(places.hostFile);
  if (!https.enabled) return [ok({ code: "off", what: "HTTPS on the LAN is off in the host file." })];
  if (await isClosed(places.stateDirectory))
    return [unseen({ code: "state_closed", what: "This user must not look at the certificates." })];
  const own = join(places.stateDirectory, "tls", "certificate.pem");
  const shown = (await installedIn(https.directory)) ?? (await certificateAt(own, false));
  if (shown === null) return [ok({ code: "none", what: "None has been made yet." })];
  const { path, facts } = shown;
  const time = now();
  if (time < facts.notBefore) return [notYetValid(shown, time)];
  if (time > facts.notAfter) return [expired(shown)];
  return [ok({ code: "valid", what: `${path} is valid until ${facts.notAfter.toISOString()}.` })];
}

interface Found {
  readonly path: string;
  /** False: the device has made it. */
  readonly isInstalled: boolean;
  readonly facts: CertificateFacts;
}

/** The one with the highest name, which the agent shows; it tells itself of one that it cannot use. */
async function installedIn(directory: string): Promise<Found | null> {
  const paths = (await filesIn(directory)).filter((path) => /^[A-Za-z0-9][\w.-]*\.crt$/.test(basename(path)));
  const found = await Promise.all(paths.sort().map((path) => certificateAt(path, true)));
  return found.findLast((one) => one !== null) ?? null;
}

/** Null: there is none, or it is no certificate. */
async function certificateAt(path: string, isInstalled: boolean): Promise<Found | null> {
  try {
    // Root may install a link, such as to what certbot renews.
    const text = await (isInstalled ? textBehind(path) : textOf(path));
    return { path, isInstalled, facts: factsOf(text ?? "") };
  } catch {
    return null;
  }
}

/** Hardly ever is that a certificate which was installed too early. */
function notYetValid({ path, isInstalled, facts }: Found, time: Date): Finding {
  const otherwise = isInstalled
    ? `If it is right, install another certificate in its place, then \`${reload}\`.`
    : `Then \`${reload}\` makes another with the same key.`;
  return failing({
    code: "not_yet_valid",
    what: `The certificate ${basename(path)} is valid from ${facts.notBefore.toISOString()} on, and this clock says ${time.toISOString()}.`,
    meaning: `Browsers refuse it. If this clock is wrong, set it: TIME is the present time in UTC, from a watch. ${otherwise}`,
    command: setTime,
  });
}

function expired({ path, isInstalled, facts }: Found): Finding {
  const what = `The certificate ${basename(path)} has expired at ${facts.notAfter.toISOString()}.`;
  const first = `Browsers refuse it. If this clock is wrong, set it: \`${setTime}\`.`;
  if (!isInstalled) {
    const meaning = `${first} If it is right, this line has the agent make another with the same key.`;
    return failing({ code: "expired", what, meaning, command: reload });
  }
  return failing({
    code: "expired",
    what,
    meaning: `${first} If it is right, install another certificate in its place, then \`${reload}\`. Until there is one, this line has the device show a certificate of its own.`,
    command: `mv ${path} ${path}.expired; ${reload}`,
  });
}
