import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Guest } from "./guest/vocabulary.ts";
import { added, codeOf, doctorNames, enrolled, login, next, password, typed } from "./rescue-situations.ts";

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
}

/** The clock goes two days ahead; the phone's stays. */
export async function refusedCodes(guest: Guest): Promise<void> {
  await added(guest, "coded-one");
  const secret = await enrolled(guest, "coded-one");
  await guest.clock.step(2 * 86_400);
  const phone = () => Date.now() / 1_000 - 2 * 86_400;
  for (let tries = 0; tries < 3; tries += 1) {
    await login(guest, "coded-one", { password, code: codeOf(secret, phone()) });
  }
  const time = new Date(phone() * 1_000).toISOString();
  await typed(guest, "Codes are refused", { NAME: "coded-one", TIME: time });
  // A code is good once, also one that was refused: the next step of the phone's.
  const session = await guest.until("the code of the phone is taken again", 120, async () => {
    const { status, body } = await login(guest, "coded-one", { password, code: codeOf(secret) });
    if (status === 200) return body;
    throw new Error(JSON.stringify(body));
  });
  guest.check("the user signs in with a code", session.access_token !== undefined, session);
}

/** As the kernel does it where a disk reports errors (proc(5), sysrq-trigger). */
export async function readOnlyDisk(guest: Guest): Promise<void> {
  await guest.run("sh", ["-c", "sync; echo u >/proc/sysrq-trigger"]);
  await guest.until("the disk is read-only", 30, async () => {
    const { status } = await guest.run("touch", ["/root/probe"]);
    return status !== 0;
  });
  guest.check("the doctor's last line mends it", (await next(guest)) === "mount -o remount,rw /");
  const bundle = await guest.run("sh", ["-c", "steward doctor --bundle - | tar -tz"]);
  guest.check(
    "a bundle goes to standard output",
    bundle.stdout.includes("steward-doctor/report.txt"),
    bundle,
  );
  await typed(guest, "The disk is full or read-only");
  await guest.until("changes are taken again", 90, async () => {
    const { status, stderr } = await guest.steward("system", "set", "device.location=mended");
    if (status === 0) return true;
    throw new Error(stderr);
  });
}

/** By openssl of the host, for a month from now: the certificate and its key. */
export function makeCertificate(): string {
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const more = ["-days", "30", "-subj", "/CN=lan", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "-"];
  return execFileSync("openssl", [...words, ...more], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** Installed at the right time; then the clock goes back behind its first day. */
export async function certificate(guest: Guest): Promise<void> {
  const pair = String(await guest.ask("certificate"));
  const part = (name: string) =>
    new RegExp(`-----BEGIN ${name}-----[\\s\\S]*?-----END ${name}-----\\n`).exec(pair)?.[0] ?? "";
  mkdirSync("/etc/steward/tls", { recursive: true });
  writeFileSync("/etc/steward/tls/lan.crt", part("CERTIFICATE"));
  writeFileSync("/etc/steward/tls/lan.key", part("PRIVATE KEY"), { mode: 0o640 });
  await guest.run("chgrp", ["steward", "/etc/steward/tls/lan.key"]);
  const file = "/etc/steward/steward.json";
  writeFileSync(
    file,
    JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), https: { enabled: true } }),
  );
  const right = new Date(new X509Certificate(part("CERTIFICATE")).validFrom);
  await guest.clock.step((right.getTime() - Date.now()) / 1_000 - 3_600);
  await guest.run("systemctl", ["reload", "steward.service"]);
  await doctorNames(guest, "a certificate of the future", /The certificate lan\.crt is valid from/);
  const time = new Date(right.getTime() + 60_000).toISOString();
  await typed(guest, "A certificate is not valid yet", { TIME: time });
  const shown = await guest.until("HTTPS answers with it", 60, async () => {
    const ran = await guest.run("curl", [
      "--silent",
      "--cacert",
      "/etc/steward/tls/lan.crt",
      "https://127.0.0.1:8443/api/health",
    ]);
    if (ran.status === 0) return ran;
    throw new Error(ran.stderr || String(ran.status));
  });
  guest.check("and its dates are taken", shown.stdout.includes("status"), shown);
}
