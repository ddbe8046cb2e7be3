import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser, enrolled, password, signIn, typing } from "../people.ts";
import { binary, productFiles } from "../updates/demo-product.ts";
import {
  applied,
  offered,
  outcomeOf,
  productSays,
  publishing,
  trusting,
  updateScenario,
  updateSettings,
} from "../updates/update-scenario.ts";

const hostFile = "/etc/steward/steward.json";
const rootOfTrust = "/etc/steward/update-root.json";
const sealKey = "/etc/steward/seal.key";
const stick = "/root/pump-7.age";
const passphrase = "seven wet horses at the old pier";
const userCount = 40;

/** A box that knows nothing yet: what box A was given by its people, and what the restore has to bring. */
const withoutOwner = `set -e
rm -f ${hostFile} /etc/steward/initial-settings.json /etc/machine-id
rm -f /etc/systemd/system/steward.service.d/initial-settings.conf
systemd-id128 new >/etc/machine-id
systemctl daemon-reload
systemctl start steward-helper.socket
systemctl start --no-block steward.service
`;

/** Root's own key for the secrets of authenticators. */
const ownKey = `set -e
head -c 32 /dev/urandom >${sealKey}
chown root:steward ${sealKey}
chmod 0640 ${sealKey}
systemctl restart steward.service
`;

/** The host keeps this of box A: the file on the stick, and the facts that the next box is compared with. */
interface BoxA {
  readonly backup: string;
  readonly secret: string;
  readonly token: string;
  readonly fingerprint: string;
  readonly hashes: readonly string[];
  readonly hostFile: string;
  readonly rootOfTrust: string;
  readonly sealKey: string;
  readonly deviceId: string;
  /** Seconds since 1970, before which the authenticator's next code would be one that box A has taken. */
  readonly codesFrom: number;
}

let kept: unknown;

/** The story of A.3: a box dies, and another one takes its place by what docs/backup.md and docs/restore.md say. */
export const scenario: TieredScenario = {
  title: "a dead box is replaced from its backup: people, programs and browsers find it as it was",
  tiers: { container: {} },
  timeoutSeconds: 600,
  ...updateScenario("demo"),
  files: { ...updateSettings(), ...productFiles({ successes: 3, interval: "1s", within: "30s" }) },
  asks: {
    ...publishing(binary("1.0.0")),
    keep: (_, value) => {
      kept = value;
    },
    "box A": () => kept,
  },
  boots: [
    { units: ["steward.service", "steward-helper.socket"], run: boxA, powerCut: true },
    { units: [], run: boxB },
    { units: [], run: anotherBox },
  ],
};

async function boxA(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const keyed = await guest.run("sh", ["-c", ownKey]);
  if (keyed.status !== 0) throw new Error(keyed.stderr);
  await trusting(guest);
  await addUser(guest);
  const secret = await enrolled(guest, "root-admin");
  const codesFrom = Date.now() / 1_000 + 60;
  for (let user = 1; user < userCount; user += 1)
    await guest.api("/api/users", { username: `user-${user}`, role: "readonly", password });
  const scopes = ["token", "add", "--user", "root-admin", "--name", "prometheus", "--scope", "metrics:read"];
  const token = (await guest.steward(...scopes)).stdout.trim();
  guest.check("the token scrapes", (await scraped(guest, token)) === 200, token.length);
  await guest.steward("system", "set", "device.name=pump house");
  for (const words of [
    ["system", "host-name", "pump-7"],
    ["system", "time-zone", "Europe/Berlin"],
    ["tls", "enable"],
  ]) {
    const ran = await guest.steward(...words, "--yes");
    guest.check(`steward ${words.join(" ")}`, ran.status === 0, ran);
  }
  const id = await offered(guest, "binary", "1.0.0");
  await applied(guest, "binary");
  const entry = await outcomeOf(guest, id, 120);
  guest.check("box A's product is installed", entry.outcome === "good", entry);
  const made = await guest.run("steward", ["backup", stick, "--passphrase-stdin"], typing(passphrase));
  guest.check("steward backup", made.status === 0, made);
  guest.note(made.stdout.trim());
  const { items } = await guest.api("/api/events?after=0&limit=200");
  const a: BoxA = {
    backup: readFileSync(stick, "base64"),
    ...{ secret, token, codesFrom, fingerprint: await shownCertificate(guest) },
    hashes: items.map(({ hash }: { hash: string }) => hash),
    hostFile: readFileSync(hostFile, "utf8"),
    rootOfTrust: readFileSync(rootOfTrust, "utf8"),
    sealKey: readFileSync(sealKey, "base64"),
    deviceId: await deviceId(guest),
  };
  await guest.ask("keep", a);
}

async function boxB(guest: Guest): Promise<void> {
  const a = await fresh(guest);
  await refused(guest, a);
  const begun = performance.now();
  const ran = await restored(guest, stick, "--as-replacement", "--with-host-files");
  guest.check("steward restore --as-replacement", ran.status === 0, ran);
  for (const line of `${ran.stdout}${ran.stderr}`.trim().split("\n")) guest.note(line);
  await untilUsers(guest);
  guest.figure(
    "from the line typed to a device that answers",
    Math.round((performance.now() - begun) / 1_000),
    "s",
  );
  await sameForPrograms(guest, a);
  await sameForPeople(guest, a);
  await sameFiles(guest, a);
  await sameRecord(guest, a);
  await releaseComes(guest);
}

async function anotherBox(guest: Guest): Promise<void> {
  const a = await fresh(guest);
  const ran = await restored(guest, stick, "--with-host-files");
  guest.check("steward restore", ran.status === 0, ran);
  await untilUsers(guest);
  const before = await guest.http("/api/metrics", { token: a.token });
  const isSuspended = before.status === 401 && before.body.reason === "suspended";
  guest.check("a device of its own has suspended the token", isSuspended, before.body);
  const listed = await guest.steward("token", "list");
  guest.check("token list says so", /suspended/.test(listed.stdout), listed);
  const resumed = await guest.steward("token", "resume", "--all", "--yes");
  guest.check("steward token resume --all", resumed.status === 0, resumed);
  guest.check("after which it scrapes", (await scraped(guest, a.token)) === 200);
  const { items } = await guest.api("/api/events?after=0");
  const [first] = items;
  guest.check("its record begins with it", first.seq === 1 && first.type === "host.restored", first);
  const certificate = await shownCertificate(guest);
  guest.check("it shows a certificate of its own", certificate !== a.fingerprint, certificate);
  const { stdout } = await guest.run("hostname");
  guest.check("it keeps its own host name", stdout.trim() !== "pump-7", stdout);
}

/** A box that has just been unpacked, with the stick in it. */
async function fresh(guest: Guest): Promise<BoxA> {
  const begun = await guest.run("sh", ["-c", withoutOwner]);
  if (begun.status !== 0) throw new Error(begun.stderr);
  await guest.stewardAnswers();
  const a = (await guest.ask("box A")) as BoxA;
  writeFileSync(stick, Buffer.from(a.backup, "base64"));
  const isEmpty = ![hostFile, rootOfTrust, sealKey].some((path) => existsSync(path));
  const isOther = (await deviceId(guest)) !== a.deviceId;
  guest.check("the box is another one, and has nothing of box A", isEmpty && isOther, { isEmpty, isOther });
  return a;
}

async function deviceId(guest: Guest): Promise<string> {
  const { device_id: id } = await guest.api("/api/version");
  return String(id);
}

function restored(guest: Guest, file: string, ...options: readonly string[]): Promise<Ran> {
  const words = ["restore", file, "--passphrase-stdin", "--yes", ...options];
  return guest.run("steward", words, { ...typing(passphrase), timeoutSeconds: 120 });
}

async function refused(guest: Guest, a: BoxA): Promise<void> {
  const cut = "/root/cut.age";
  writeFileSync(cut, Buffer.from(a.backup, "base64").subarray(0, -500));
  const words = ["restore", stick, "--as-replacement", "--passphrase-stdin", "--yes"];
  const wrong = await guest.run("steward", words, typing("another one than that"));
  guest.check("a wrong passphrase", wrong.status === 6 && /does not open/.test(wrong.stderr), wrong);
  const short = await restored(guest, cut, "--as-replacement");
  guest.check("a file that is cut short", short.status === 6 && /cut short/.test(short.stderr), short);
  const shown = await guest.run("steward", [...words, "--check"], typing(passphrase));
  guest.check("--check shows what comes", shown.stdout.includes(`${userCount} users`), shown);
  const { total } = await guest.api("/api/users");
  const untouched = total === 0 && !existsSync(hostFile) && !existsSync(rootOfTrust);
  guest.check("none of the three has changed anything", untouched, total);
}

const untilUsers = (guest: Guest) =>
  guest.until("the agent has the users of the backup", 60, async () => {
    const { total } = await guest.api("/api/users");
    return total === userCount && (await guest.http("/api/health")).status === 200;
  });

async function scraped(guest: Guest, token: string): Promise<number> {
  return (await guest.http("/api/metrics", { token })).status;
}

/** The SHA-256 of the certificate that a browser is shown, asked by openssl. */
async function shownCertificate(guest: Guest): Promise<string> {
  const line =
    "openssl s_client -connect 10.0.2.15:8443 </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256";
  return guest.until("HTTPS answers", 30, async () => {
    const { stdout } = await guest.run("sh", ["-c", line]);
    return stdout.includes("=") && stdout.trim();
  });
}

async function sameForPrograms(guest: Guest, { token, fingerprint }: BoxA): Promise<void> {
  guest.check("Prometheus' token scrapes", (await scraped(guest, token)) === 200);
  const shown = await shownCertificate(guest);
  guest.check("a browser is shown the same certificate", shown === fingerprint, [shown, fingerprint]);
}

async function sameForPeople(guest: Guest, { secret, codesFrom }: BoxA): Promise<void> {
  await guest.pause(Math.max(0, codesFrom - Date.now() / 1_000));
  const { stdout } = await guest.run("oathtool", ["--totp", "--base32", secret]);
  const without = await signIn(guest);
  guest.check("the password does not do without a code", without.status === 401, without.body);
  const answer = await signIn(guest, "root-admin", { code: stdout.trim() });
  guest.check("an authenticator of before signs in", answer.status === 200, answer.body);
  const other = await signIn(guest, `user-${userCount - 1}`);
  guest.check("and so does a password", other.status === 200, other.body);
}

async function sameFiles(guest: Guest, a: BoxA): Promise<void> {
  guest.check("the host file is box A's", readFileSync(hostFile, "utf8") === a.hostFile);
  guest.check("so is the root of trust", readFileSync(rootOfTrust, "utf8") === a.rootOfTrust);
  const { mode, uid, gid } = statSync(sealKey);
  const isRoots = uid === 0 && gid === statSync("/var/lib/steward").gid && (mode & 0o777) === 0o640;
  guest.check("and root's key, which the agent's group reads", isRoots, { mode, uid, gid });
  guest.check("which is box A's", readFileSync(sealKey, "base64") === a.sealKey);
  const { stdout: name } = await guest.run("hostname");
  guest.check("the host name is box A's", name.trim() === "pump-7", name);
  const { stdout: zone } = await guest.run("readlink", ["/etc/localtime"]);
  guest.check("and the time zone", zone.trim().endsWith("/Europe/Berlin"), zone);
  const named = await guest.steward("system", "get", "device.name");
  guest.check("and the name that people have given it", named.stdout.includes("pump house"), named);
}

async function sameRecord(guest: Guest, { hashes, deviceId: former }: BoxA): Promise<void> {
  const { items } = await guest.api("/api/events?after=0&limit=200");
  const now = items.map(({ hash }: { hash: string }) => hash);
  const begins = hashes.slice(0, -1).every((hash, index) => now[index] === hash);
  guest.check("the record begins with box A's", begins, { now: now.length, before: hashes.length });
  const news = items.filter(({ type }: { type: string }) => type === "host.restored");
  const isTold = news.length === 1 && news[0].details.former_device_id === former;
  guest.check("and says once where it changed boxes", isTold, { news, former });
  const verified = await guest.steward("events", "--verify");
  guest.check("events --verify holds from A to B", verified.status === 0, verified);
}

/** Releases are in no backup: the device fetches them from the publisher that it trusts. */
async function releaseComes(guest: Guest): Promise<void> {
  await guest.until("the clock is trusted", 90, async () => {
    const { trust } = await guest.api("/api/system/time-sync");
    return trust === "trusted";
  });
  const words = ["update", "apply", "--yes"];
  await guest.steward("update", "check");
  const ran = await guest.run("steward", words, { timeoutSeconds: 180 });
  guest.check("steward update apply", ran.status === 0, ran);
  guest.check("the product of before answers", (await productSays()) === "1.0.0", await productSays());
  const { checks } = await guest.api("/api/health");
  const unwell = checks.filter(({ status }: { status: string }) => status !== "ok");
  guest.check("the agent is well", unwell.length === 0, unwell);
}
