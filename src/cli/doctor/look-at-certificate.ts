import { existsSync } from "node:fs";
import { join } from "node:path";
import { certificateTrouble, ownCertificate } from "../../certificates/certificate-trouble.ts";
import { type DoctorContext, isClosed } from "./doctor-context.ts";
import { type Entry, entriesOf, entryOf } from "./finding.ts";

const { ok, attention, unseen } = entriesOf("https");

/** The certificate that HTTPS shows, those that it cannot use, and their dates by this clock. */
export async function lookAtCertificate({ places, host, now }: DoctorContext): Promise<Entry[]> {
  const { https } = await host.hostFile.inForce(places.hostFile);
  if (!https.enabled) return [ok("off", "HTTPS on the LAN is off in the host file.")];
  if (await isClosed(places.stateDirectory))
    return [unseen("state_closed", "This user cannot read the certificates. Run it as root.")];
  const own = join(places.stateDirectory, "tls");
  const certificates = await host.readCertificates(https, own);
  const trouble = certificateTrouble(certificates, https.directory, { now: now(), passed: now() });
  if (trouble !== null) return [entryOf(trouble)];
  const shown = certificates.present();
  if (shown !== null) {
    const name = shown.installed === null ? join(own, ownCertificate) : shown.installed;
    return [ok("valid", `${name} is valid until ${shown.facts.notAfter.toISOString()}.`)];
  }
  if (!existsSync(join(own, ownCertificate))) return [ok("none", "None has been made yet.")];
  const detail = `Key and certificate in ${own} do not belong together, or cannot be read. The agent makes a certificate at its next start.`;
  return [attention("own_certificate_unusable", detail, "systemctl restart steward.service")];
}
