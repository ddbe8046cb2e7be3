import { readFileSync, rmSync, statSync } from "node:fs";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";

const hostFile = "/etc/steward/steward.json";
const kept = "/var/lib/steward-host/steward.json";
const tls = "/etc/steward/tls";
const lan = "10.0.2.15";

/** Root's umask of a hardened host: what root makes, only root can read, until it says otherwise. */
const umask = "umask 077";

const httpsOn = { https: { enabled: true } };
const url = "https://collector.example.net";

/** Members that name a file, which only root can read. */
const members: Readonly<Record<string, object>> = {
  "/time/ca_file": { time: { ca_file: "/etc/steward/ca.pem" } },
  "/update/ca_file": { update: { ca_file: "/etc/steward/ca.pem" } },
  "/telemetry/otlp/ca_file": { telemetry: { otlp: { url, ca_file: "/etc/steward/ca.pem" } } },
  "/telemetry/otlp/headers_file": { telemetry: { otlp: { url, headers_file: "/etc/steward/headers" } } },
  "/telemetry/syslog/ca_file": { telemetry: { syslog: { server: "logs", ca_file: "/etc/steward/ca.pem" } } },
  "/maker/mark": { maker: { name: "Pumpworks", mark: "/etc/steward/mark.svg" } },
  "/maker/picture": { maker: { name: "Pumpworks", picture: "/etc/steward/of/mark.svg" } },
};

/** These take the place of the host file, and are no file. */
const noFiles: Readonly<Record<string, string>> = {
  "a link that leads nowhere": `ln -s /data/steward.json ${hostFile}`,
  "a directory": `mkdir ${hostFile}`,
  "a pipe": `mkfifo ${hostFile}`,
  "a link to a device": `ln -s /dev/null ${hostFile}`,
};

const makePair = (at: string, subject: string) =>
  `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj /CN=${subject} -keyout ${at}.key -out ${at}.crt`;
const live = "/etc/letsencrypt/live/edge-7";
const archive = "/etc/letsencrypt/archive/edge-7";
/** As certbot lays them out: only root sees the directories, and the names are links. */
const certbot = (subject: string) =>
  `mkdir -p ${live} ${archive}; cd ${archive}; ${makePair("one", subject)}; mv one.crt fullchain1.pem; mv one.key privkey1.pem; ln -sf ${archive}/fullchain1.pem ${live}/fullchain.pem; ln -sf ${archive}/privkey1.pem ${live}/privkey.pem`;

/** Certificates as people put them there, each with a subject of its own. */
const pairs: readonly (readonly [what: string, subject: string, make: string])[] = [
  [
    "a pair, in a directory, that only root can read",
    "closed",
    `mkdir ${tls}; ${makePair(`${tls}/site`, "closed")}`,
  ],
  [
    "links into certbot's directory",
    "linked",
    `mkdir -m 755 ${tls}; ${certbot("linked")}; ln -s ${live}/fullchain.pem ${tls}/site.crt; ln -s ${live}/privkey.pem ${tls}/site.key`,
  ],
  [
    "certbot's directory as a link",
    "as-a-link",
    `mkdir -m 755 ${tls}; ${certbot("as-a-link")}; ln -s ${live} ${tls}/edge-7`,
  ],
  ["certbot's names", "named", `mkdir -m 755 ${tls}; ${certbot("named")}; cp ${live}/*.pem ${tls}`],
  [
    "acme.sh's names",
    "acme-sh",
    `mkdir -m 755 ${tls}; ${makePair(`${tls}/edge-7`, "acme-sh")}; mv ${tls}/edge-7.crt ${tls}/fullchain.cer`,
  ],
];

export const scenario: TieredScenario = {
  title:
    "an administrator whose umask is 077: what only root can read is named, and neither kept nor shuts the LAN",
  tiers: { container: {} },
  timeoutSeconds: 600,
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        await shell(
          guest,
          `${umask}; echo 'X-Token: 1' >/etc/steward/headers; ${makePair("/tmp/ca", "ca")}; cp /tmp/ca.crt /etc/steward/ca.pem; mkdir /etc/steward/of; echo '<svg xmlns="http://www.w3.org/2000/svg"/>' >/etc/steward/mark.svg; cp /etc/steward/mark.svg /etc/steward/of`,
        );
        await accepted(guest);
        for (const [pointer, content] of Object.entries(members)) await ofMember(guest, pointer, content);
        await ofTheFileItself(guest);
        await ofItsDirectory(guest);
        for (const [what, make] of Object.entries(noFiles)) await ofNoFile(guest, what, make);
        await ofAnEarlierCopy(guest);
        for (const pair of pairs) await ofPair(guest, pair);
        await ofAnotherDirectory(guest);
        await ofPassphrase(guest);
        await ofSealKey(guest);
      },
    },
  ],
};

/** No certificate's: who knows what root keeps in it? */
async function ofAnotherDirectory(guest: Guest): Promise<void> {
  await shell(guest, `rm -rf ${tls}; mkdir -m 755 ${tls}; mkdir -m 700 ${tls}/private`);
  const { status } = await reload(guest);
  const need = await needOf(guest, "https");
  guest.check("a closed directory beside is no certificate", status === 0 && need === "", { status, need });
}

function shell(guest: Guest, lines: string): Promise<Ran> {
  return guest.run("sh", ["-c", lines]);
}

/** Written by root with its umask, so that only root can read it, unless another mode is given. */
function write(guest: Guest, content: object, mode = 644): Promise<Ran> {
  return guest.run("sh", ["-c", `${umask}; cat >${hostFile}; chmod ${mode} ${hostFile}`], {
    input: JSON.stringify(content),
  });
}

const reload = (guest: Guest) => guest.run("systemctl", ["reload", "steward.service"]);

/** The status of an answer over HTTPS on the LAN; "000": none. */
async function overLan(guest: Guest): Promise<string> {
  const words = ["--silent", "--insecure", "--output", "/dev/null", "--write-out", "%{http_code}"];
  return (await guest.run("curl", [...words, `https://${lan}:8443/api/version`])).stdout;
}

async function restarted(guest: Guest): Promise<string> {
  await guest.run("systemctl", ["restart", "steward.service"]);
  await guest.stewardAnswers();
  return overLan(guest);
}

/** The device as it was before: HTTPS on, which is what is kept. */
async function accepted(guest: Guest): Promise<void> {
  await shell(guest, `rm -rf ${hostFile} ${tls}`);
  await write(guest, httpsOn);
  const { status } = await reload(guest);
  const isKept = readFileSync(kept, "utf8") === JSON.stringify(httpsOn);
  guest.check("HTTPS is on, and that is kept", status === 0 && isKept && (await overLan(guest)) === "200");
}

/** The line that a message has root type, with a result. */
async function typed(guest: Guest, what: string, message: string): Promise<void> {
  const [, line] = /As root: (.+?)\.?(?:\. |\n|$)/.exec(message) ?? [];
  guest.check(`${what}: it says what root types`, line !== undefined, message);
  const ran = await shell(guest, `${umask}; ${line ?? "false"}`);
  guest.check(`${what}: which can be typed`, ran.status === 0, ran);
}

async function needOf(guest: Guest, code: string): Promise<string> {
  const { stdout } = await guest.steward("-o", "json", "status");
  const { needs } = JSON.parse(stdout) as { needs: readonly { code: string; detail: string }[] };
  return needs.find((need) => need.code === code)?.detail ?? "";
}

async function ofMember(guest: Guest, pointer: string, content: object): Promise<void> {
  const what = `${pointer} names a file that only root can read`;
  await accepted(guest);
  // The rest of the new file is in force all the same.
  await write(guest, { ...httpsOn, names: ["new.example.net"], ...content });
  const check = await guest.steward("host-file", "check");
  guest.check(`${what}: the check finds it`, check.status === 6 && check.stdout.includes(pointer), check);
  const reloaded = await reload(guest);
  guest.check(`${what}: the reload fails`, reloaded.status !== 0, reloaded);
  guest.check(`${what}: it is not kept`, readFileSync(kept, "utf8") === JSON.stringify(httpsOn));
  guest.check(`${what}: after a restart the LAN is open`, (await restarted(guest)) === "200");
  const ofNewName = await guest.run("curl", [
    "-sk",
    "-o",
    "/dev/null",
    "-w",
    "%{http_code}",
    "-H",
    "Host: new.example.net",
    `https://${lan}:8443/api/version`,
  ]);
  guest.check(`${what}: and the rest of the file in force`, ofNewName.stdout === "200", ofNewName);
  const need = await needOf(guest, "host_file");
  guest.check(`${what}: which is a need`, need.includes(pointer), need);
  guest.check(`${what}: still nothing of it is kept`, readFileSync(kept, "utf8") === JSON.stringify(httpsOn));
  await typed(guest, what, check.stdout);
  const mended = await guest.steward("host-file", "check");
  guest.check(`${what}: then there is no fault`, mended.status === 0, mended);
  guest.check(`${what}: and the reload works`, (await reload(guest)).status === 0);
  await shell(
    guest,
    "chmod 600 /etc/steward/ca.pem /etc/steward/mark.svg /etc/steward/of/mark.svg /etc/steward/headers; chgrp root /etc/steward/headers; chmod 700 /etc/steward/of",
  );
}

async function ofTheFileItself(guest: Guest): Promise<void> {
  const what = "the host file is one that only root can read";
  await accepted(guest);
  await write(guest, { ...httpsOn, names: ["new.example.net"] }, 600);
  await refusedAsAWhole(guest, what);
  const { stdout } = await guest.steward("host-file", "check");
  await typed(guest, what, stdout);
  guest.check(`${what}: then the reload works`, (await reload(guest)).status === 0);
  await write(guest, httpsOn, 600);
  const restored = await guest.steward("host-file", "restore");
  guest.check(`${what}: or the accepted one is put back`, restored.status === 0, restored);
  guest.check(`${what}: which the agent can read`, (await reload(guest)).status === 0);
}

/** Checks that a file of this kind is refused everywhere, kept nowhere, and shuts nothing. */
async function refusedAsAWhole(guest: Guest, what: string): Promise<void> {
  const check = await guest.steward("host-file", "check");
  guest.check(`${what}: the check finds it`, check.status === 6, check);
  const reloaded = await reload(guest);
  guest.check(`${what}: the reload fails`, reloaded.status !== 0, reloaded);
  guest.check(`${what}: after a restart the LAN is open`, (await restarted(guest)) === "200");
  const copy = readFileSync(kept, "utf8");
  const isReadable = ["root:644", "steward:640"].includes(
    (await guest.run("stat", ["-c", "%G:%a", kept])).stdout.trim(),
  );
  guest.check(`${what}: it is not kept`, copy === JSON.stringify(httpsOn) && isReadable, copy);
  const need = await needOf(guest, "host_file");
  guest.check(`${what}: which is a need`, need.includes(hostFile), need);
}

async function ofItsDirectory(guest: Guest): Promise<void> {
  const what = "the directory of the host file is one that only root can read";
  await accepted(guest);
  await shell(guest, "chmod 700 /etc/steward");
  await refusedAsAWhole(guest, what);
  const { stdout } = await guest.steward("host-file", "check");
  await typed(guest, what, stdout);
  guest.check(`${what}: then the reload works`, (await reload(guest)).status === 0);
}

async function ofNoFile(guest: Guest, name: string, make: string): Promise<void> {
  const what = `the host file is ${name}`;
  await accepted(guest);
  await shell(guest, `rm ${hostFile}; ${make}`);
  await refusedAsAWhole(guest, what);
  const restored = await guest.steward("host-file", "restore");
  guest.check(`${what}: the accepted one is put back`, restored.status === 0, restored);
  guest.check(
    `${what}: and set aside`,
    /host file that was last accepted/.test(restored.stderr + restored.stdout),
    restored,
  );
  guest.check(`${what}: then the reload works`, (await reload(guest)).status === 0);
  const device = statSync("/dev/null");
  guest.check(
    `${what}: nothing else was touched`,
    device.isCharacterDevice() && (device.mode & 0o777) === 0o666,
  );
  await shell(guest, `rm -rf ${hostFile}.refused`);
}

/** As releases kept it before: with the mode of root's file, which the agent could not read. */
async function ofAnEarlierCopy(guest: Guest): Promise<void> {
  await accepted(guest);
  await shell(guest, `chmod 600 ${kept}`);
  await restarted(guest);
  const { stdout } = await guest.run("stat", ["-c", "%a", kept]);
  guest.check("a kept copy that only root can read is made again", stdout === "644\n", stdout);
}

async function ofPair(guest: Guest, [what, subject, make]: (typeof pairs)[number]): Promise<void> {
  await accepted(guest);
  await shell(guest, "rm -rf /etc/letsencrypt");
  const made = await shell(guest, `${umask}; ${make}`);
  guest.check(`${what}: they are there`, made.status === 0, made);
  await certificateRefused(guest, what);
  // A directory hides what is wrong with the files in it.
  for (let turn = 1; turn <= 2; turn += 1) {
    const { status, stderr } = await guest.steward("tls", "reload");
    if (turn > 1 && status === 0) break;
    guest.check(`${what}: the command says so`, status === 1, stderr);
    await typed(guest, what, stderr);
  }
  guest.check(`${what}: then the reload works`, (await reload(guest)).status === 0);
  await shows(guest, what, subject);
}

async function certificateRefused(guest: Guest, what: string): Promise<void> {
  const reloaded = await reload(guest);
  guest.check(`${what}: the reload fails`, reloaded.status !== 0, reloaded);
  guest.check(`${what}: after a restart the LAN is open`, (await restarted(guest)) === "200");
  const need = await needOf(guest, "https");
  guest.check(`${what}: which is a need`, need.includes(tls), need);
}

async function shows(guest: Guest, what: string, subject: string): Promise<void> {
  const { stdout } = await guest.steward("tls", "show");
  guest.check(`${what}: and its certificate is shown`, stdout.includes(`CN=${subject}`), stdout);
}

async function ofPassphrase(guest: Guest): Promise<void> {
  const what = "a key with a passphrase";
  await accepted(guest);
  await shell(
    guest,
    `mkdir -m 755 ${tls}; cd ${tls}; ${makePair("one", "secret")}; mv one.crt site.crt; openssl ec -aes256 -in one.key -passout pass:tractor -out site.key; rm one.key; chgrp steward site.key; chmod 640 site.key`,
  );
  await certificateRefused(guest, what);
  const { stderr } = await guest.steward("tls", "reload");
  const [, line = "false"] = /As root: (.+?)\.\n/.exec(stderr) ?? [];
  const ran = await guest.run("setsid", ["--wait", "sh", "-c", line], { input: "tractor\n" });
  guest.check(`${what}: it says what root types`, ran.status === 0, [stderr, ran]);
  guest.check(`${what}: then the reload works`, (await reload(guest)).status === 0);
  await shows(guest, what, "secret");
}

/** The doctor, as root, sees what the agent sees. */
async function ofSealKey(guest: Guest): Promise<void> {
  const what = "a key for second factors that only root can read";
  await shell(guest, `${umask}; head -c 32 /dev/urandom >/etc/steward/seal.key`);
  const { stdout } = await guest.steward("doctor");
  guest.check(`${what}: the doctor says so`, /seal\.key cannot be read/.test(stdout), stdout);
  await typed(guest, what, stdout.replaceAll(/\s+/g, " "));
  const after = await guest.steward("doctor");
  guest.check(`${what}: then it is readable`, !/seal\.key cannot be read/.test(after.stdout), after.stdout);
  rmSync("/etc/steward/seal.key");
}
