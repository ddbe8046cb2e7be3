import { readFileSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { untilStatus } from "../clock/clock-scenario.ts";
import { addUser, enrolled, password, signIn, typing } from "../people.ts";
import { binary, productFiles } from "../updates/demo-product.ts";
import { ends, publishing, trusting, updateScenario, updateSettings } from "../updates/update-scenario.ts";

const hostFile = "/etc/steward/steward.json";
const rootOfTrust = "/etc/steward/update-root.json";
const sealKey = "/etc/steward/seal.key";
const stick = "/root/pump-7.age";
const passphrase = "seven wet horses at the old pier";
const people = ["anna", "bert", "carl"];

/** A box that has just been unpacked: without what box A was given by its people, and what the restore has to bring. */
const unpacked = `set -e
rm -f ${hostFile} /etc/steward/initial-settings.json /etc/machine-id
rm -f /etc/systemd/system/steward.service.d/initial-settings.conf
systemd-id128 new >/etc/machine-id
systemctl daemon-reload
systemctl start steward-helper.socket
systemctl start --no-block steward.service
! cat ${hostFile} ${rootOfTrust} ${sealKey}`;

/** The same on both boxes, in this order: files of root's, the certificate that openssl is shown, and the machine itself. */
const sameLines = `sha256sum ${hostFile} ${rootOfTrust} ${sealKey}; stat -c %U:%G:%a ${sealKey}
until openssl s_client -connect 10.0.2.15:8443 </dev/null 2>/dev/null | openssl x509 -noout -fingerprint; do sleep 0.2; done
hostname; readlink /etc/localtime; steward system get device.name`;

/** The host keeps this of box A. `codesFrom`: before, the authenticator's next code would be one that box A has taken. */
interface BoxA extends Readonly<Record<"backup" | "secret" | "token" | "same" | "deviceId", string>> {
  readonly hashes: readonly string[];
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
  ],
};

async function boxA(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  await guest.types(
    `umask 027; head -c 32 /dev/urandom >${sealKey}; chgrp steward ${sealKey}; systemctl restart steward`,
  );
  await trusting(guest);
  await addUser(guest);
  const secret = await enrolled(guest, "root-admin");
  const codesFrom = Date.now() / 1_000 + 60;
  for (const username of people) await guest.api("/api/users", { username, role: "readonly", password });
  const words = ["token", "add", "--user", "root-admin", "--name", "prometheus", "--scope", "metrics:read"];
  const token = (await guest.steward(...words)).stdout.trim();
  for (const line of [
    "system set 'device.name=pump house'",
    "system host-name pump-7 --yes",
    "system time-zone Europe/Berlin --yes",
    "tls enable --yes",
  ])
    await guest.types(`steward ${line}`);
  await ends(guest, "binary", "1.0.0", "good");
  await guest.types(`steward backup ${stick} --passphrase-stdin`, typing(passphrase));
  const { items } = await guest.api("/api/events?after=0&limit=200");
  const hashes = items.map(({ hash }: { hash: string }) => hash);
  const [backup, same] = [readFileSync(stick, "base64"), (await guest.run("sh", ["-c", sameLines])).stdout];
  const a: BoxA = { backup, secret, token, hashes, same, deviceId: await deviceId(guest), codesFrom };
  await guest.ask("keep", a);
}

async function boxB(guest: Guest): Promise<void> {
  await guest.types(unpacked, { what: "a box that knows nothing yet begins" });
  await guest.stewardAnswers();
  const a = (await guest.ask("box A")) as BoxA;
  guest.check("which is another one", (await deviceId(guest)) !== a.deviceId);
  writeFileSync(stick, Buffer.from(a.backup, "base64"));
  const begun = performance.now();
  await guest.types(
    `steward restore ${stick} --as-replacement --with-host-files --passphrase-stdin --yes`,
    typing(passphrase),
  );
  await guest.until("the agent has the users of the backup", 60, async () => {
    const { total } = await guest.api("/api/users");
    return total === people.length + 1 && (await guest.http("/api/health")).status === 200;
  });
  guest.figure("from the line typed to a device that answers", (performance.now() - begun) / 1_000, "s");
  const { status } = await guest.http("/api/metrics", { token: a.token });
  guest.check("Prometheus' token scrapes", status === 200, status);
  const same = await guest.run("sh", ["-c", sameLines]);
  guest.check("files, certificate, names and zone are box A's", same.stdout === a.same, [same, a.same]);
  await sameForPeople(guest, a);
  await sameRecord(guest, a);
  await releaseComes(guest);
}

const deviceId = async (guest: Guest) => String((await guest.api("/api/version")).device_id);

async function sameForPeople(guest: Guest, { secret, codesFrom }: BoxA): Promise<void> {
  await guest.pause(Math.max(0, codesFrom - Date.now() / 1_000));
  const code = (await guest.run("oathtool", ["--totp", "--base32", secret])).stdout.trim();
  for (const [what, name, given, status] of [
    ["the password does not do without a code", "root-admin", {}, 401],
    ["an authenticator of before signs in", "root-admin", { code }, 200],
    ["and so does a password", "anna", {}, 200],
  ] as const) {
    const answer = await signIn(guest, name, given);
    guest.check(what, answer.status === status, answer.body);
  }
}

async function sameRecord(guest: Guest, { hashes, deviceId: former }: BoxA): Promise<void> {
  const { items } = await guest.api("/api/events?after=0&limit=200");
  const begins = hashes.slice(0, -1).every((hash, index) => items[index].hash === hash);
  guest.check("the record begins with box A's", begins, { now: items.length, before: hashes.length });
  const news = items.filter(({ type }: { type: string }) => type === "host.restored");
  const isTold = news.length === 1 && news[0].details.former_device_id === former;
  guest.check("and says once where it changed boxes", isTold, { news, former });
  await guest.types("steward events --verify");
}

/** Releases are in no backup: the device fetches them from the publisher that it trusts. */
async function releaseComes(guest: Guest): Promise<void> {
  await untilStatus(guest, "the clock is trusted", 90, ({ trust }) => trust === "trusted");
  await guest.types("steward update check; steward update apply --yes", { timeoutSeconds: 180 });
  await guest.types("curl -s http://127.0.0.1:9000/health", { says: "1.0.0" });
  const { checks } = await guest.api("/api/health");
  const unwell = checks.filter(({ status }: { status: string }) => status !== "ok");
  guest.check("the agent is well", unwell.length === 0, unwell);
}
