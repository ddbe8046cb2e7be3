import { readFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";

const own = "/var/lib/steward/tls/certificate.pem";
const findings = "/tmp/findings.json";

/** HTTPS on the LAN as testssl.sh judges it; the scenario `tls` has the rest. */
export const scenario: TieredScenario = {
  title: "testssl.sh has no finding about HTTPS on the LAN but those that are explained",
  tiers: { container: {} },
  timeoutSeconds: 480,
  boots: [{ run: walk(judging, compressed) }],
};

async function judging(guest: Guest): Promise<void> {
  await guest.types("steward tls enable");
  const relay = await relayed();
  const begun = performance.now();
  const sections = ["-p", "-s", "-f", "-S", "-P", "-h", "-U"];
  const output = ["--quiet", "--color", "0", "--warnings", "off", "--jsonfile", findings];
  const what = ["--nodns", "none", "--add-ca", own, "--ip", "127.0.0.1", `https://localhost:${relay.port}`];
  const ran = await guest.run("testssl", [...sections, ...output, ...what], { timeoutSeconds: 400 });
  relay.server.close();
  guest.figure("testssl.sh takes", Math.round((performance.now() - begun) / 1_000), "s");
  guest.figure("its connections", relay.connections(), "");
  judged(guest, ran.stdout);
}

/** Findings of testssl.sh that are no weakness here, and why. */
const explained: Readonly<Record<string, RegExp>> = {
  // Debian's openssl has no GOST: it says so of itself, and not of the server.
  engine_problem: /GOST/,
  // A ticket of TLS 1.3 comes after the handshake, when s_client without input may have left: then it has none to come back
  // with, and whether the server takes it is not known. To take none would be no weakness.
  sessionresumption_ticket: /^check failed because of connect problem$/,
  // The device makes its certificate: no authority could revoke it.
  cert_revocation: /^Neither CRL nor OCSP URI provided$/,
  // docs/tls.md: with it a browser would not offer to go on past the warning at the first visit.
  HSTS: /^not offered$/,
  // Only the console's files, which are the same for everyone: `compressed` looks at an answer of the API.
  BREACH: /only supplied '\/' tested/,
};

/** Findings that must be there, as a sign that testssl.sh looked. */
const expected = [
  ...["SSLv2", "SSLv3", "TLS1", "TLS1_1", "TLS1_2", "TLS1_3", "cipherlist_NULL", "cipherlist_aNULL"],
  ...["cipherlist_STRONG", "PFS", "cert_chain_of_trust", "cert_keySize", "heartbleed", "CCS", "ticketbleed"],
  ...["secure_renego", "secure_client_renego", "CRIME_TLS", "SWEET32", "LOGJAM", "LUCKY13", "RC4"],
];

function judged(guest: Guest, said: string): void {
  const found = JSON.parse(readFileSync(findings, "utf8")) as {
    id: string;
    severity: string;
    finding: string;
  }[];
  const missing = expected.filter((id) => !found.some((one) => one.id.startsWith(id)));
  guest.check("testssl.sh has looked at everything", missing.length === 0, [missing, said]);
  const bad = found.filter(({ severity }) => !["OK", "INFO"].includes(severity));
  const weak = bad.filter(({ id, finding }) => !explained[id]?.test(finding));
  guest.figure("findings", found.length, `, ${bad.length} of them explained`);
  guest.check("and has found nothing weak", weak.length === 0, weak);
}

async function compressed(guest: Guest): Promise<void> {
  const ask = "curl -sk --dump-header - --header 'Accept-Encoding: br, gzip' --output /dev/null";
  await guest.types(`${ask} https://127.0.0.1:8443/`, { says: /^content-encoding: br/im });
  const answer = await guest.types(`${ask} https://127.0.0.1:8443/api/version`, { says: /^HTTP\S+ 200/ });
  guest.check("an answer of the API is not compressed", !/^content-encoding/im.test(answer), answer);
}

/**
 * Leads to HTTPS from twelve addresses in turn. One client may begin 48 handshakes at once and 8 a second; testssl.sh begins
 * more, and takes a refused one for a cipher that the server does not have.
 */
async function relayed(): Promise<{ server: Server; port: number; connections: () => number }> {
  let count = 0;
  const server = createServer({ allowHalfOpen: true }, (from) => {
    count += 1;
    const localAddress = `127.0.1.${1 + (count % 12)}`;
    const to = connect({ host: "127.0.0.1", port: 8_443, localAddress, allowHalfOpen: true });
    from.pipe(to).pipe(from);
    from.on("error", () => to.destroy());
    to.on("error", () => from.destroy());
    from.on("close", () => to.destroy());
    to.on("close", () => from.destroy());
  });
  const port = 18_443;
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { server, port, connections: () => count };
}
