import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { askerFiles, askRoot } from "../../machines/guest/root-helper.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";
import { addUser, signIn } from "../people.ts";
import { lan as cable, device } from "./neighbour.ts";

const name = "edge-7.example.net";
const lan = "10.0.2.15";
const own = "/var/lib/steward/tls/certificate.pem";
const script = "/usr/local/sbin/steward-certificate";
const announcement = "/etc/avahi/services/steward.service";

/** docs/tls.md as it is written, with what Debian has to try it: curl, certbot, pebble, Avahi. `testssl` judges the rest. */
export const scenario: TieredScenario = {
  title: "HTTPS on the LAN: certificate, certbot's renewal, reload, announcement",
  tiers: { container: {} },
  timeoutSeconds: 300,
  files: askerFiles,
  asks: { "the page": () => readFileSync(join(import.meta.dirname, "../../../docs/tls.md"), "utf8") },
  boots: [
    {
      run: walk(addUser, cable, fromBrowser, rootsWord, switchedOn, announced, renewed, async (guest) => {
        await guest.types("steward tls disable");
        await guest.types(overLan(own), { status: 7, what: "then nothing answers on the LAN" });
        guest.check("nor is it announced", !existsSync(announcement));
      }),
    },
  ],
};

const hostFile = "/etc/steward/steward.json";
const inHostFile = () => readFileSync(hostFile, "utf8");
/** As the console sends it; sign-in and password are a moment old. */
const asked = async (guest: Guest, header = ""): Promise<string> => {
  const { body } = await signIn(guest);
  const headers = [`Authorization: Bearer ${body.access_token}`, "Origin: http://127.0.0.1:8470", header];
  const given = headers.filter(Boolean).map((one) => `--header '${one}'`);
  return (
    await guest.run("sh", ["-c", `curl -sS -X POST ${given.join(" ")} http://127.0.0.1:8470/api/system/tls`])
  ).stdout;
};

/** A browser on the device has HTTPS switched on, and takes the certificate to another computer. */
async function fromBrowser(guest: Guest): Promise<void> {
  guest.check("there is no host file", !existsSync(hostFile));
  const proxied = await asked(guest, "Via: 1.1 proxy");
  guest.check("through a proxy it takes root's token", proxied.includes('"setup_token_required"'), proxied);
  const tls = JSON.parse(await asked(guest));
  guest.check("at the device it is on", tls.enabled === true && tls.listening === true, tls);
  guest.check("root has written one member", inHostFile() === onlyEnabled, inHostFile());
  await guest.types(`stat -c '%U %a' ${hostFile} /var/lib/steward-host/steward.json`, {
    says: "root 644\nroot 644\n",
    what: "the file is root's, every user may read it, and it is kept",
  });
  writeFileSync("/tmp/downloaded.pem", tls.certificate.pem);
  const neighbour = "ip netns exec neighbour";
  await guest.types(`${neighbour} curl -sS --cacert /tmp/downloaded.pem https://${device}:8443/api/version`, {
    ...answered,
    what: "another computer reaches it, with that certificate as its only authority",
  });
  await guest.types(
    `${neighbour} openssl s_client -connect ${device}:8443 </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256`,
    { says: `=${tls.certificate.fingerprint}\n`, what: "openssl has there the fingerprint of the page" },
  );
  const { items } = await guest.api("/api/events?type=https.enabled");
  guest.check("it is on record", items[0]?.details.because === "from_device", items);
}

const onlyEnabled = '{\n  "https": {\n    "enabled": true\n  }\n}\n';

/** Root's decision stays, also for an agent that asks root's helper past its own rules. */
async function rootsWord(guest: Guest): Promise<void> {
  await guest.types("steward tls disable");
  const off = inHostFile();
  const refused = await asked(guest);
  guest.check("root's no is respected", refused.includes('"pinned_by_host"'), refused);
  const [past] = await askRoot(guest, "steward", ["enable-https\n"]);
  guest.check("also past the agent's rules", past === "failed 1" && inHostFile() === off, past);
  await guest.types(
    `echo '{}' >/etc/steward/image.json; ln -sf image.json ${hostFile}; systemctl reload steward`,
  );
  const linked = await asked(guest);
  guest.check("a host file of the image's stays", linked.includes("journalctl"), linked);
  await guest.types("cat /etc/steward/image.json; journalctl -u steward-https -o cat --no-pager", {
    says: [
      /^\{\}$/m,
      "is a link or read-only, as an image or a tool keeps it",
      "has https.enabled, so only root changes it",
    ],
  });
  await guest.types(`rm ${hostFile} /etc/steward/image.json; systemctl reload steward`);
}

/** A request as from a browser in the LAN, which knows only this authority. */
const overLan = (authority: string): string =>
  `curl -sS --cacert ${authority} --resolve ${name}:8443:${lan} https://${name}:8443/api/version`;
const answered = { says: '"steward"' };
const fingerprint = async (guest: Guest): Promise<string> =>
  (await guest.steward("tls", "fingerprint")).stdout.trim();

async function switchedOn(guest: Guest): Promise<void> {
  writeFileSync(hostFile, JSON.stringify({ names: [name] }));
  const before = overLan("/etc/ssl/certs/ca-certificates.crt");
  await guest.types(before, { status: 7, what: "before, nothing answers on the LAN" });
  await guest.types("steward tls enable --redirect-port 8080", { says: `https://${lan}:8443` });
  await guest.types(overLan(own), { ...answered, what: "curl takes its certificate for the name" });
  await guest.types(
    `openssl s_client -connect ${lan}:8443 </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256`,
    { says: `=${await fingerprint(guest)}\n` },
  );
  const leads = ["308", `https://${lan}:8443/users`];
  await guest.types(`curl -si http://${lan}:8080/users`, { says: leads });
  const process = await guest.property("MainPID");
  await guest.types("systemctl reload steward");
  guest.check("which keeps the process", (await guest.property("MainPID")) === process);
  const journal = "journalctl --unit steward.service --output cat --no-pager";
  await guest.becomes(journal, 20, { says: "host file was read again" });
}

async function announced(guest: Guest): Promise<void> {
  await guest.types(`ls ${announcement}; systemctl start avahi-daemon`);
  await guest.becomes("avahi-browse -rpt _https._tcp", 30, {
    says: [/^=;.*Steward.*;8443;.*path=\//m],
    what: "Debian's Avahi announces it, with port and path",
  });
}

/** Certificates of an authority, which certbot fetches and renews over ACME. */
async function renewed(guest: Guest): Promise<void> {
  const page = String(await guest.ask("the page"));
  const blocks = [...page.matchAll(/^```([\w ]*)\n(.*?)^```$/gms)].map(([, , text = ""]) => text);
  const text = blocks.find((one) => one.startsWith("#!/bin/sh\n# steward-certificate"));
  const line = blocks.find((one) => one.startsWith("certbot certonly"));
  guest.check("the page has script and line", text !== undefined && line !== undefined, page);
  await guest.types(`mkdir -p /usr/local/sbin; cat >${script}; chmod 755 ${script}`, { input: text ?? "" });
  await authorityRuns(guest);
  // Every certbot command needs these options to use this authority.
  const here =
    "certbot certonly --server https://127.0.0.1:14000/dir --agree-tos --register-unsafely-without-email --non-interactive";
  const environment = { REQUESTS_CA_BUNDLE: "/tmp/pebble/cert.pem" };
  await guest.types((line ?? "").replace("certbot certonly", here), { environment, timeoutSeconds: 120 });
  const authority = "/tmp/pebble/root.pem";
  await guest.types(
    `curl -sk https://127.0.0.1:15000/roots/0 >${authority}; ${overLan(authority)}`,
    answered,
  );
  const before = await fingerprint(guest);
  const renewal = "certbot renew --force-renewal --no-random-sleep-on-renew";
  await guest.types(renewal, { environment, timeoutSeconds: 120 });
  guest.check("a renewal calls the script again", (await fingerprint(guest)) !== before);
  await guest.types(overLan(authority), { ...answered, what: "and its certificate is shown" });
  writeFileSync("/etc/steward/tls/50-ca.key", "nothing");
  await guest.types("steward tls reload", { status: 1, says: "50-ca", what: "a bad key is told" });
  await guest.types(overLan(authority), { ...answered, what: "and the certificate from before stays" });
}

/** A new pair, for an hour's test. */
const newPair = (at: string, words: string): string =>
  `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 ${words} -keyout ${at}.key -out ${at}.crt`;

/** Pebble, an authority for tests; it asks for its proof at port 80 of the device. */
async function authorityRuns(guest: Guest): Promise<void> {
  const pebble = {
    listenAddress: "127.0.0.1:14000",
    managementListenAddress: "127.0.0.1:15000",
    certificate: "/tmp/pebble/cert.crt",
    privateKey: "/tmp/pebble/cert.key",
    ...{ httpPort: 80, tlsPort: 443, ocspResponderURL: "", externalAccountBindingRequired: false },
  };
  const dns = "-defaultIPv4 127.0.0.1 -defaultIPv6 '' -http01 '' -https01 '' -tlsalpn01 ''";
  const quiet = "--setenv=PEBBLE_VA_NOSLEEP=1 --setenv=PEBBLE_WFE_NONCEREJECT=0";
  const pair = newPair("/tmp/pebble/cert", "-subj /CN=pebble -addext subjectAltName=IP:127.0.0.1");
  await guest.types(
    `mkdir /tmp/pebble; cat >/tmp/pebble/config.json; ${pair}; cp /tmp/pebble/cert.crt /tmp/pebble/cert.pem
systemd-run --quiet --unit=challtestsrv /usr/bin/pebble-challtestsrv ${dns} -management 127.0.0.1:8055
systemd-run --quiet --unit=pebble ${quiet} /usr/bin/pebble -config /tmp/pebble/config.json -dnsserver 127.0.0.1:8053
until curl -sk https://127.0.0.1:14000/dir; do sleep 0.2; done`,
    { input: JSON.stringify({ pebble }), what: "an authority runs" },
  );
}
