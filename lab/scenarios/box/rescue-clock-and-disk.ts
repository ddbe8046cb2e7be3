import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
  const kept = await guest.run("hwclock", ["--systohc"]);
  guest.check("which keeps the time over a reboot", kept.status === 0, kept);
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
  await guest.run("sh", ["-c", "sync; echo u >/proc/sysrq-trigger"]);
  await guest.until("the disk is read-only", 30, async () => {
    const { status } = await guest.run("touch", ["/root/probe"]);
    return status !== 0;
  });
  guest.check("the doctor's last line mends it", (await next(guest)) === "mount -o remount,rw /");
  const session = await signIn(guest);
  guest.check("meanwhile a user signs in", session.status === 200, session.body);
  const words = ["-c", "steward doctor --bundle - | tar -tz"];
  const bundle = await guest.run("sh", words, { timeoutSeconds: 300 });
  const isWhole = bundle.stdout.includes("steward-doctor/report.txt");
  guest.check("a bundle goes to standard output", isWhole, bundle);
  // systemd 252 makes a private /dev only where /tmp can be written: the agent is tried until then.
  await guest.run("systemctl", ["restart", "--no-block", "steward.service"]);
  await typed(guest, "The disk is full or read-only");
  await changesAreTaken(guest, "mended");
}

async function changesAreTaken(guest: Guest, location: string): Promise<void> {
  await guest.until("changes are taken again", 90, async () => {
    const { status, stderr } = await guest.steward("system", "set", `device.location=${location}`);
    if (status === 0) return true;
    throw new Error(stderr);
  });
}

/** The journal has filled it to the last byte. */
export async function fullDisk(guest: Guest): Promise<void> {
  const machine = readFileSync("/etc/machine-id", "utf8").trim();
  const directory = `/var/log/journal/${machine}`;
  const archived = `system@${"0".repeat(32)}-${"0".repeat(16)}-${"0".repeat(16)}.journal`;
  const file = `${directory}/${archived}`;
  const most = `fallocate --length $(df --output=avail --block-size=1 / | tail -n 1) ${file}`;
  const filled = await guest.run("sh", ["-c", `mkdir -p ${directory}; ${most}; cat /dev/zero >>${file}`]);
  guest.check("the disk is filled", /No space left/.test(filled.stderr), filled);
  const refused = await guest.steward("system", "set", "device.location=full");
  guest.check(
    "a change is refused, with what to do",
    /No space|Free some space/.test(refused.stderr),
    refused,
  );
  const session = await signIn(guest);
  guest.check("a user signs in all the same", session.status === 200, session.body);
  const line = await next(guest);
  const largest = await guest.run("sh", ["-c", line]);
  guest.check("the doctor's last line shows what fills it", largest.stdout.includes(archived), {
    line,
    largest,
  });
  await typed(guest, "The disk is full or read-only");
  await changesAreTaken(guest, "emptied");
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

function partOf(pair: string, name: string): string {
  return new RegExp(`-----BEGIN ${name}-----[\\s\\S]*?-----END ${name}-----\\n`).exec(pair)?.[0] ?? "";
}

const installed = "/etc/steward/tls/lan.crt";

/** Installed at the right time; then the clock goes back behind its first day, and later years ahead. */
export async function certificate(guest: Guest): Promise<void> {
  const pair = String(await guest.ask("certificate"));
  mkdirSync("/etc/steward/tls", { recursive: true });
  writeFileSync(installed, partOf(pair, "CERTIFICATE"));
  writeFileSync("/etc/steward/tls/lan.key", partOf(pair, "PRIVATE KEY"), { mode: 0o640 });
  await guest.run("chgrp", ["steward", "/etc/steward/tls/lan.key"]);
  const enabled = await guest.steward("tls", "enable");
  guest.check("HTTPS is on", enabled.status === 0, enabled);
  const right = Date.parse(new X509Certificate(partOf(pair, "CERTIFICATE")).validFrom);
  await guest.clock.step((right - Date.now()) / 1_000 - 3_600);
  await doctorNames(guest, "a certificate of the future", "steward time set --yes TIME");
  const time = new Date(right + 60_000).toISOString();
  await typed(guest, "A certificate is not valid yet", { TIME: time });
  await isNow(guest, time, "the host's clock is right again");
  await isShown(guest, installed);
  await expiredCertificates(guest, new Date(right + 900 * 86_400_000).toISOString());
  const back = await guest.steward("time", "set", "--yes", new Date(right + 3_600_000).toISOString());
  guest.check("and the clock goes back", back.status === 0, back);
}

/** The installed one and the device's own, which has been made before. */
async function expiredCertificates(guest: Guest, time: string): Promise<void> {
  await typed(guest, "A certificate is not valid yet", { TIME: time });
  const line = `mv ${installed} ${installed}.expired; systemctl reload steward.service`;
  await doctorNames(guest, "an expired certificate", line);
  const aside = await guest.run("sh", ["-c", line]);
  guest.check("it is set aside", aside.status === 0, aside);
  await isShown(guest, "/var/lib/steward/tls/certificate.pem");
}

/** The dates are checked, too: curl goes by the clock of the host. */
async function isShown(guest: Guest, path: string): Promise<void> {
  const shown = await guest.until(`HTTPS shows ${path}`, 60, async () => {
    const words = ["--silent", "--show-error", "--cacert", path, "https://127.0.0.1:8443/api/health"];
    const ran = await guest.run("curl", words);
    if (ran.status === 0) return ran;
    throw new Error(`${ran.status} ${ran.stderr}`);
  });
  guest.check(`HTTPS shows ${path}, and its dates are right`, shown.stdout.includes("status"), shown);
}
