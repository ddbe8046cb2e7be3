import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { codeOf } from "../../basics/authenticator.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { enrolled, signIn } from "../people.ts";
import { added, doctorNames, next, typed } from "./rescue-situations.ts";

/** The situations of steward-rescue(7) that take a clock and a disk of the machine's own. */

/** A time that is certainly not over: the floor's, and a month. */
async function aRightTime(guest: Guest): Promise<string> {
  const shown = await guest.steward("-o", "json", "time", "floor", "show");
  const [floor = ""] = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(shown.stdout) ?? [];
  return new Date(Date.parse(floor) + 30 * 86_400_000).toISOString();
}

async function isNow(guest: Guest, time: string, what: string): Promise<void> {
  const late = (Date.now() - Date.parse(time)) / 1_000;
  guest.check(what, late >= 0 && late < 60, late);
}

export async function wrongYear(guest: Guest): Promise<void> {
  await doctorNames(guest, "1970 and no network", "steward time set --yes TIME");
  const time = await aRightTime(guest);
  await typed(guest, "The clock says 1970", { TIME: time });
  await isNow(guest, time, "the clock is what was typed");
  await doctorNames(guest, "a battery-backed clock at 1970", "hwclock --systohc");
  await guest.types("hwclock --systohc");
}

/** The clock goes two days ahead; the phone's stays. */
export async function refusedCodes(guest: Guest): Promise<void> {
  await added(guest, "coded-one");
  const secret = await enrolled(guest, "coded-one");
  await guest.clock.step(2 * 86_400);
  const phone = () => Date.now() / 1_000 - 2 * 86_400;
  for (let tries = 0; tries < 3; tries += 1) {
    await signIn(guest, "coded-one", { code: codeOf(secret, phone()) });
  }
  const time = new Date(phone() * 1_000).toISOString();
  await typed(guest, "Codes are refused", { NAME: "coded-one", TIME: time });
  await isNow(guest, time, "the host's clock is the phone's again");
  // A code is good once, also one that was refused: the next step of the phone's.
  const session = await guest.until("the code of the phone is taken again", 120, async () => {
    const { status, body } = await signIn(guest, "coded-one", { code: codeOf(secret) });
    if (status === 200) return body;
    throw new Error(JSON.stringify(body));
  });
  guest.check("the user signs in with a code", session.access_token !== undefined, session);
}

/** As the kernel does it where a disk reports errors (proc(5), sysrq-trigger); then as a reboot finds it. */
export async function readOnlyDisk(guest: Guest): Promise<void> {
  await guest.types(
    "sync; echo u >/proc/sysrq-trigger; while touch /root/probe 2>/dev/null; do sleep 0.2; done",
  );
  guest.check("the doctor's last line mends it", (await next(guest)) === "mount -o remount,rw /");
  const session = await signIn(guest);
  guest.check("meanwhile a user signs in", session.status === 200, session.body);
  const words = { says: "steward-doctor/report.txt", timeoutSeconds: 300 };
  await guest.types("steward doctor --bundle - | tar -tz", words);
  // systemd 252 makes a private /dev only where /tmp can be written: the agent is tried until then.
  await guest.types("systemctl restart --no-block steward");
  await typed(guest, "The disk is full or read-only");
  await changesAreTaken(guest);
}

const changesAreTaken = (guest: Guest) =>
  guest.becomes("steward system set device.location=mended", 90, { what: "changes are taken again" });

/** The journal has filled it to the last byte. */
export async function fullDisk(guest: Guest): Promise<void> {
  const machine = readFileSync("/etc/machine-id", "utf8").trim();
  const archived = `system@${"0".repeat(32)}-${"0".repeat(16)}-${"0".repeat(16)}.journal`;
  const file = `/var/log/journal/${machine}/${archived}`;
  await guest.types(
    `mkdir -p $(dirname ${file}); fallocate --length $(df --output=avail --block-size=1 / | tail -n 1) ${file}; cat /dev/zero >>${file}`,
    { status: "fails", says: "No space left" },
  );
  const change = "steward system set device.location=full";
  await guest.types(change, { status: "fails", says: /No space|Free some space/ });
  const session = await signIn(guest);
  guest.check("a user signs in all the same", session.status === 200, session.body);
  await guest.types(await next(guest), { says: archived });
  await typed(guest, "The disk is full or read-only");
  await changesAreTaken(guest);
}

/** Makes a certificate and its key with the host's openssl, for a month from now. */
export function makeCertificate(): string {
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const more = ["-days", "30", "-subj", "/CN=lan", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "-"];
  return execFileSync("openssl", [...words, ...more], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

const installed = "/etc/steward/tls/lan.crt";

/** Installed at the right time; then the clock goes back behind its first day, and later years ahead. */
export async function certificate(guest: Guest): Promise<void> {
  writeFileSync("/root/pair", String(await guest.ask("certificate")));
  await guest.types(
    `mkdir -p /etc/steward/tls; openssl x509 -in /root/pair -out ${installed}; openssl pkey -in /root/pair -out ${installed.replace("crt", "key")}; chgrp steward /etc/steward/tls/lan.key; chmod 640 /etc/steward/tls/lan.key; steward tls enable`,
  );
  const right = Date.parse(new X509Certificate(readFileSync(installed)).validFrom);
  await guest.clock.step((right - Date.now()) / 1_000 - 3_600);
  await doctorNames(guest, "a certificate of the future", "steward time set --yes TIME");
  const time = new Date(right + 60_000).toISOString();
  await typed(guest, "A certificate is not valid yet", { TIME: time });
  await isNow(guest, time, "the host's clock is right again");
  await isShown(guest, installed);
  await expiredCertificates(guest, new Date(right + 900 * 86_400_000).toISOString());
  await guest.types(`steward time set --yes ${new Date(right + 3_600_000).toISOString()}`);
}

/** The installed one and the device's own, which has been made before. */
async function expiredCertificates(guest: Guest, time: string): Promise<void> {
  await typed(guest, "A certificate is not valid yet", { TIME: time });
  const line = `mv ${installed} ${installed}.expired; systemctl reload steward.service`;
  await doctorNames(guest, "an expired certificate", line);
  await guest.types(line);
  await isShown(guest, "/var/lib/steward/tls/certificate.pem");
}

/** The dates are checked, too: curl goes by the clock of the host. */
async function isShown(guest: Guest, path: string): Promise<void> {
  const line = `curl -sS --retry 60 --retry-delay 1 --retry-all-errors --cacert ${path} https://127.0.0.1:8443/api/health`;
  const what = `HTTPS shows ${path}, and its dates are right`;
  await guest.types(line, { says: "status", what, timeoutSeconds: 90 });
}
