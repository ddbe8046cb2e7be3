import { readFileSync, statSync, writeFileSync } from "node:fs";
import { codeOf } from "../../basics/authenticator.ts";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser, enrolled, signIn, typing } from "../people.ts";

const backup = "/root/box-a.age";
const passphrase = "seven wet horses at the old pier";
const certificate = "/var/lib/steward/tls/certificate.pem";
const sealKey = "/etc/steward/seal.key";
const hostFile = "/etc/steward/steward.json";

export const scenario: TieredScenario = {
  title: "a dead box is replaced by another from its backup: people, programs and browsers notice nothing",
  tiers: { container: {} },
  timeoutSeconds: 240,
  boots: [{ run: replaced }],
};

async function replaced(guest: Guest): Promise<void> {
  const a = await boxA(guest);
  await dies(guest);
  await wrongPassphrase(guest);
  const begun = performance.now();
  const ran = await restore(guest, passphrase);
  guest.check("the backup is restored", ran.status === 0, ran);
  await guest.stewardAnswers();
  guest.figure("from the line to an agent that answers", (performance.now() - begun) / 1_000, "s");
  await isA(guest, a);
}

/** With a key of root's, HTTPS, an authenticator and a program's token. */
async function boxA(guest: Guest) {
  await guest.stewardAnswers();
  // A certificate has the names that the device has when it is made.
  await typed(guest, "steward system host-name box-a");
  writeFileSync(hostFile, '{ "names": ["pump.example.net"], "https": { "enabled": true } }\n');
  await typed(
    guest,
    `head -c 32 /dev/urandom >${sealKey}; chown root:steward ${sealKey}; chmod 0640 ${sealKey}`,
  );
  await typed(guest, "systemctl restart steward.service");
  await guest.stewardAnswers();
  await addUser(guest);
  const secret = await enrolled(guest, "root-admin");
  const add = ["token", "add", "--user", "root-admin", "--name", "prometheus", "--scope", "metrics:read"];
  const token = (await guest.steward(...add)).stdout.trim();
  const made = await guest.run(
    "/usr/bin/steward",
    ["backup", backup, "--passphrase-stdin"],
    typing(passphrase),
  );
  guest.check("the backup is made", made.status === 0, made);
  const shown = readFileSync(certificate, "utf8");
  return { secret, token, shown, key: readFileSync(sealKey) };
}

/** Another machine: nothing of the former one is there, and it has another id and name. */
async function dies(guest: Guest): Promise<void> {
  await typed(guest, "systemctl stop steward.service");
  await typed(guest, `find /var/lib/steward -mindepth 1 -delete; rm -f ${sealKey} ${hostFile}`);
  await typed(guest, "rm /etc/machine-id; systemd-id128 new >/etc/machine-id");
  await typed(guest, "systemctl start steward.service");
  await guest.stewardAnswers();
  await typed(guest, "steward system host-name box-b");
}

async function wrongPassphrase(guest: Guest): Promise<void> {
  const ran = await restore(guest, "another passphrase than that");
  guest.check(
    "another passphrase changes nothing",
    ran.status === 6 && /does not open/.test(ran.stderr),
    ran,
  );
  const { body } = await guest.http("/api/setup");
  guest.check("the box still waits for its first administrator", body.setup_required === true, body);
}

function restore(guest: Guest, given: string): Promise<Ran> {
  const words = ["restore", backup, "--as-replacement", "--yes", "--passphrase-stdin"];
  return guest.run("/usr/bin/steward", words, typing(given));
}

async function isA(guest: Guest, a: Awaited<ReturnType<typeof boxA>>): Promise<void> {
  const code = codeOf(a.secret, Date.now() / 1_000 + 30);
  const { status, body } = await signIn(guest, "root-admin", { code });
  guest.check("the authenticator of before signs in", status === 200, body);
  const scraped = await guest.http("/api/metrics", { token: a.token });
  guest.check("the token of before scrapes", scraped.status === 200, scraped.status);
  const shown = await guest.until("it listens for HTTPS", 30, () => readFileSync(certificate, "utf8"));
  guest.check("a browser sees the certificate of before", shown === a.shown, shown);
  const { mode, uid, gid } = statSync(sealKey);
  const { gid: group } = statSync("/var/lib/steward");
  const isRoots = uid === 0 && gid === group && (mode & 0o777) === 0o640;
  guest.check("the key of root's is there, and the agent's group reads it", isRoots, { mode, uid, gid });
  guest.check("it is the key of before", readFileSync(sealKey).equals(a.key));
  const named = (await guest.run("hostname")).stdout.trim();
  guest.check("it has the host name of before", named === "box-a", named);
  const verified = await guest.steward("events", "--verify");
  guest.check("the record holds from box to box", verified.status === 0, verified);
  const { items } = await guest.api("/api/events?after=0&limit=200");
  const news = items.filter(({ type }: { type: string }) => type === "host.restored");
  guest.check("it is an event, once", news.length === 1, news);
  const health = await guest.api("/api/health");
  const left = health.checks.filter(({ status: one }: { status: string }) => one !== "ok");
  const isKnown = left.every(({ name }: { name: string }) => /clock|updates|time/.test(name));
  guest.check("the agent is well", isKnown, left);
}

async function typed(guest: Guest, line: string): Promise<void> {
  const ran = await guest.run("sh", ["-c", line]);
  guest.check(line.slice(0, 60), ran.status === 0, ran);
}
