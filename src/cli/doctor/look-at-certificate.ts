import { basename, join } from "node:path";
import { type CertificateFacts, factsOf } from "../../certificates/facts.ts";
import { type Finding, findingsOf } from "./finding.ts";
import { filesIn, type Ground, isClosed, textOf } from "./ground.ts";

const { ok, failing, unseen } = findingsOf("certificate");

const reload = "systemctl reload steward.service";

/** The dates of the certificates for HTTPS, by this clock: of those that are installed, and of the device's own. */
export async function lookAtCertificate({ places, host, now }: Ground): Promise<Finding[]> {
  const { https } = await host.readHostFile(places.hostFile);
  if (!https.enabled) return [ok({ code: "off", what: "HTTPS on the LAN is off in the host file." })];
  if (await isClosed(places.stateDirectory))
    return [unseen({ code: "state_closed", what: "This user must not look at the certificates." })];
  const installed = await certificatesIn(https.directory);
  const own = await certificatesIn(join(places.stateDirectory, "tls"));
  const time = now();
  const wrong = [
    ...installed
      .filter((one) => !isValidAt(one.facts, time))
      .map((one) => outOfRange(one, time, installedAdvice)),
    ...own.filter((one) => !isValidAt(one.facts, time)).map((one) => outOfRange(one, time, ownAdvice)),
  ];
  if (wrong.length > 0) return wrong;
  const ends = [...installed, ...own].map(
    ({ path, facts }) => `${path} until ${facts.notAfter.toISOString()}`,
  );
  const what = ends.length === 0 ? "None has been made yet." : `Valid: ${ends.join(", ")}.`;
  return [ok({ code: "valid", what })];
}

interface Found {
  readonly path: string;
  readonly facts: CertificateFacts;
}

/** A file that is no certificate is told of by the agent. */
async function certificatesIn(directory: string): Promise<Found[]> {
  const paths = (await filesIn(directory)).filter((path) => path.endsWith(".crt"));
  const found = await Promise.all(
    paths.map(async (path): Promise<Found[]> => {
      try {
        return [{ path, facts: factsOf((await textOf(path)) ?? "") }];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}

function isValidAt({ notBefore, notAfter }: CertificateFacts, time: Date): boolean {
  return notBefore <= time && time <= notAfter;
}

const installedAdvice =
  "Browsers refuse it. If this clock is wrong, set it; if it is right, install another certificate in its place, and have the agent read it.";

const ownAdvice =
  "Browsers refuse it. If this clock is wrong, set it; the agent then makes another certificate with the same key.";

function outOfRange({ path, facts }: Found, time: Date, meaning: string): Finding {
  const { notBefore, notAfter } = facts;
  const isEarly = time < notBefore;
  return failing({
    code: isEarly ? "not_yet_valid" : "expired",
    what: isEarly
      ? `The certificate ${basename(path)} is valid from ${notBefore.toISOString()} on, and this clock says ${time.toISOString()}.`
      : `The certificate ${basename(path)} has expired at ${notAfter.toISOString()}.`,
    meaning,
    command: reload,
  });
}
