import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser } from "../people.ts";

const name = "edge-7.example.net";
const lan = "10.0.2.15";
const own = "/var/lib/steward/tls/certificate.pem";

/** docs/tls.md as it is written, with what Debian has to judge it: curl, sslscan, certbot, pebble, Avahi. */
export const scenario: TieredScenario = {
  title: "HTTPS on the LAN: certificate, ciphers, certbot's renewal, reload, announcement",
  tiers: { container: {} },
  timeoutSeconds: 300,
  asks: { "the page": () => readFileSync(join(import.meta.dirname, "../../../docs/tls.md"), "utf8") },
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        await addUser(guest);
        writeFileSync("/etc/steward/steward.json", JSON.stringify({ names: [name] }));
        await switchedOn(guest);
        await judged(guest);
        await announced(guest);
        const page = String(await guest.ask("the page"));
        await renewed(guest, page);
        await asByStep(guest, page);
        await asByOthers(guest, page);
        await switchedOff(guest);
      },
    },
  ],
};

/** A request as from a browser in the LAN. */
function overLan(guest: Guest, authority: string, ...args: readonly string[]): Promise<Ran> {
  const tls = ["--cacert", authority, "--resolve", `${name}:8443:${lan}`];
  return guest.run("curl", ["--silent", "--show-error", ...tls, ...args, `https://${name}:8443/api/version`]);
}

async function switchedOn(guest: Guest): Promise<void> {
  const before = await overLan(guest, "/etc/ssl/certs/ca-certificates.crt");
  guest.check("before, nothing answers on the LAN", before.status === 7, before);
  const enabled = await guest.steward("tls", "enable", "--redirect-port", "8080");
  guest.check("one command switches it on", enabled.status === 0, enabled);
  guest.check("and prints the addresses", enabled.stderr.includes(`https://${lan}:8443`), enabled.stderr);
  const answer = await overLan(guest, own);
  guest.check("curl takes its certificate for the name", answer.stdout.includes('"steward"'), answer);
  const printed = (await guest.steward("tls", "fingerprint")).stdout.trim();
  const seen = await guest.run("sh", [
    "-c",
    `openssl s_client -connect ${lan}:8443 </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256`,
  ]);
  guest.check(
    "the fingerprint is the one that openssl sees",
    seen.stdout.trim().endsWith(`=${printed}`),
    seen,
  );
  const plain = await guest.run("curl", ["--silent", "--include", `http://${lan}:8080/users`]);
  const isRedirect = plain.stdout.includes("308") && plain.stdout.includes(`https://${lan}:8443/users`);
  guest.check("plain HTTP only leads there", isRedirect, plain);
  const process = await guest.run("systemctl", ["show", "--property", "MainPID", "steward.service"]);
  const reloaded = await guest.run("systemctl", ["reload", "steward.service"]);
  const after = await guest.run("systemctl", ["show", "--property", "MainPID", "steward.service"]);
  guest.check(
    "systemctl reload keeps the process",
    reloaded.status === 0 && after.stdout === process.stdout,
    after,
  );
  const journal = await guest.until("the journal has the reload", 20, async () => {
    const { stdout } = await guest.run("journalctl", ["--unit", "steward.service", "--output", "cat"]);
    return stdout.includes("host file was read again") && stdout;
  });
  guest.check("and the journal says so", typeof journal === "string");
}

/** A program that judges ciphers finds no weak one. */
async function judged(guest: Guest): Promise<void> {
  // Slower than the bound on handshakes: a refused one would count as a cipher that is not accepted.
  const slowly = ["--no-colour", "--sleep=200"];
  const scan = await guest.run("sslscan", [...slowly, `${lan}:8443`], { timeoutSeconds: 120 });
  const enabled = [...scan.stdout.matchAll(/^(?:Preferred|Accepted) +(\S+) .*?(?:bits) +(\S+)/gm)];
  const weak = enabled.filter(([, protocol = "", cipher = ""]) => !isStrong(protocol, cipher));
  guest.check("sslscan finds ciphers", enabled.length >= 3, scan.stdout);
  guest.check(
    "and none that is weak",
    weak.length === 0,
    weak.map(([line]) => line),
  );
  const off = ["SSLv2", "SSLv3", "TLSv1.0", "TLSv1.1"].every((old) =>
    new RegExp(`^${old.replace(".", "\\.")} +disabled`, "m").test(scan.stdout),
  );
  guest.check("nor an old protocol, nor renegotiation, nor compression", off, scan.stdout);
  guest.check(
    "sessions are not renegotiated",
    /Session renegotiation not supported|Secure session renegotiation/.test(scan.stdout),
    scan.stdout,
  );
}

function isStrong(protocol: string, cipher: string): boolean {
  if (protocol === "TLSv1.3") return cipher.startsWith("TLS_");
  return protocol === "TLSv1.2" && /^ECDHE-(ECDSA|RSA)-.*(GCM|POLY1305)/.test(cipher);
}

async function announced(guest: Guest): Promise<void> {
  const file = "/etc/avahi/services/steward.service";
  guest.check("Avahi is given a service file", existsSync(file));
  await guest.run("systemctl", ["start", "avahi-daemon.service"]);
  const found = await guest.until("avahi-browse finds it", 30, async () => {
    const { stdout } = await guest.run("avahi-browse", ["-rpt", "_https._tcp"]);
    return /^=;.*Steward.*;8443;/m.test(stdout) && stdout;
  });
  guest.check("which Debian's Avahi announces, with port and path", String(found).includes("path=/"), found);
}

/** Certificates of an authority, which certbot fetches and renews over ACME. */
async function renewed(guest: Guest, page: string): Promise<void> {
  const blocks = [...page.matchAll(/^```([\w ]*)\n(.*?)^```$/gms)].map(([, , text = ""]) => text);
  const script = blocks.find((text) => text.startsWith("#!/bin/sh\n# steward-certificate"));
  const line = blocks.find((text) => text.startsWith("certbot certonly"));
  guest.check("the page has script and line", script !== undefined && line !== undefined, page);
  mkdirSync("/usr/local/sbin", { recursive: true });
  writeFileSync("/usr/local/sbin/steward-certificate", script ?? "");
  chmodSync("/usr/local/sbin/steward-certificate", 0o755);
  await authorityRuns(guest);
  // Every certbot command needs these options to use this authority.
  const here =
    "--server https://127.0.0.1:14000/dir --agree-tos --register-unsafely-without-email --non-interactive";
  const environment = { REQUESTS_CA_BUNDLE: "/tmp/pebble/cert.pem" };
  const certbot = (words: string) => guest.run("sh", ["-ec", words], { environment, timeoutSeconds: 120 });
  const issued = await certbot((line ?? "").replace("certbot certonly", `certbot certonly ${here}`));
  guest.check("certbot fetches a certificate", issued.status === 0, issued);
  const authority = "/tmp/pebble/root.pem";
  const roots = await guest.run("curl", ["--silent", "--insecure", "https://127.0.0.1:15000/roots/0"]);
  writeFileSync(authority, roots.stdout);
  const first = await overLan(guest, authority);
  guest.check("which HTTPS shows from then on", first.stdout.includes('"steward"'), first);
  const before = (await guest.steward("tls", "fingerprint")).stdout;
  const again = await certbot("certbot renew --force-renewal --no-random-sleep-on-renew");
  const after = (await guest.steward("tls", "fingerprint")).stdout;
  guest.check("a renewal calls the script again", again.status === 0 && after !== before, again);
  const second = await overLan(guest, authority);
  guest.check("and its certificate is shown", second.stdout.includes('"steward"'), second);
  writeFileSync("/etc/steward/tls/50-ca.key", "nothing");
  const bad = await guest.steward("tls", "reload");
  guest.check("a bad key is told", bad.status === 1 && bad.stderr.includes("50-ca"), bad);
  const third = await overLan(guest, authority);
  guest.check("and the certificate from before stays", third.stdout.includes('"steward"'), third);
}

/** The lines for step-ca call this when there is a certificate, and when it is renewed; Debian has no `step` that would. */
async function asByStep(guest: Guest, page: string): Promise<void> {
  const [, block = ""] = /^```sh appliance\n(step ca certificate .*?)^```$/ms.exec(page) ?? [];
  const first = block.split("\n").find((line) => line.startsWith("/usr/local/sbin/steward-certificate"));
  const [, renewal] = /--exec '([^']+)'/.exec(block) ?? [];
  guest.check("the page has the lines for step-ca", first !== undefined && renewal === first, block);
  mkdirSync("/etc/step", { recursive: true });
  const shown = new Set<string>();
  for (const command of [first, renewal]) {
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
    const names = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
    const files = ["-keyout", "/etc/step/edge-7.key", "-out", "/etc/step/edge-7.crt"];
    await guest.run("openssl", ["req", "-x509", ...kind, ...names, ...files]);
    const ran = await guest.run("sh", ["-c", command ?? "false"]);
    const answer = await overLan(guest, "/etc/step/edge-7.crt");
    const isShown = ran.status === 0 && answer.stdout.includes('"steward"');
    guest.check("what step calls puts its certificate to use", isShown, [ran, answer]);
    shown.add((await guest.steward("tls", "fingerprint")).stdout);
  }
  guest.check("and its renewal another", shown.size === 2, [...shown]);
}

/** The lines for acme.sh and lego, with the variables that these set. */
async function asByOthers(guest: Guest, page: string): Promise<void> {
  for (const [client, prefix] of [
    ["acme.sh", "CERT"],
    ["lego", "LEGO_CERT"],
  ] as const) {
    const line = page
      .split("\n")
      .find((one) => one.includes("steward-certificate ") && one.includes(`$${prefix}_KEY_PATH`));
    const files = ["-keyout", "/etc/step/other.key", "-out", "/etc/step/other.crt"];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
    await guest.run("openssl", ["req", "-x509", ...kind, "-subj", `/CN=${client}`, ...files]);
    const chain = client === "lego" ? "LEGO_CERT_PATH" : "CERT_FULLCHAIN_PATH";
    const environment = { [chain]: "/etc/step/other.crt", [`${prefix}_KEY_PATH`]: "/etc/step/other.key" };
    const ran = await guest.run("sh", ["-c", line ?? "false"], { environment });
    const { stdout } = await guest.steward("tls", "show");
    guest.check(`what ${client} calls puts its certificate to use`, stdout.includes(`CN=${client}`), [
      ran,
      stdout,
    ]);
  }
}

/** Pebble, an authority for tests; it asks for its proof at port 80 of the device. */
async function authorityRuns(guest: Guest): Promise<void> {
  mkdirSync("/tmp/pebble", { recursive: true });
  const files = ["-keyout", "/tmp/pebble/key.pem", "-out", "/tmp/pebble/cert.pem"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"];
  const names = ["-subj", "/CN=pebble", "-addext", "subjectAltName=IP:127.0.0.1"];
  await guest.run("openssl", ["req", "-x509", ...kind, ...names, ...files]);
  const pebble = {
    listenAddress: "127.0.0.1:14000",
    managementListenAddress: "127.0.0.1:15000",
    certificate: "/tmp/pebble/cert.pem",
    privateKey: "/tmp/pebble/key.pem",
    ...{ httpPort: 80, tlsPort: 443, ocspResponderURL: "", externalAccountBindingRequired: false },
  };
  writeFileSync("/tmp/pebble/config.json", JSON.stringify({ pebble }));
  const start = (unit: string, environment: readonly string[], command: readonly string[]) => {
    const settings = environment.map((one) => `--setenv=${one}`);
    return guest.run("systemd-run", ["--quiet", `--unit=${unit}`, ...settings, ...command]);
  };
  const dns = [
    "-defaultIPv4",
    "127.0.0.1",
    "-defaultIPv6",
    "",
    "-http01",
    "",
    "-https01",
    "",
    "-tlsalpn01",
    "",
  ];
  await start("challtestsrv", [], ["/usr/bin/pebble-challtestsrv", ...dns, "-management", "127.0.0.1:8055"]);
  const wfe = ["PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0"];
  const config = ["-config", "/tmp/pebble/config.json", "-dnsserver", "127.0.0.1:8053"];
  await start("pebble", wfe, ["/usr/bin/pebble", ...config]);
  await guest.until("pebble answers", 20, async () => {
    const asked = await guest.run("curl", ["--silent", "--insecure", "https://127.0.0.1:14000/dir"]);
    return asked.status === 0;
  });
}

async function switchedOff(guest: Guest): Promise<void> {
  const disabled = await guest.steward("tls", "disable");
  guest.check("one command switches it off", disabled.status === 0, disabled);
  const after = await overLan(guest, own);
  guest.check("then nothing answers on the LAN", after.status === 7, after);
  guest.check("nor is it announced", !existsSync("/etc/avahi/services/steward.service"));
}
