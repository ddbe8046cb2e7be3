import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { binary, productFiles } from "../demo-product.ts";
import type { Guest } from "../guest/vocabulary.ts";
import {
  added,
  codeOf,
  cutInMidUpdate,
  damagedUsers,
  doctorNames,
  enrolled,
  forgottenPassword,
  login,
  lostPhone,
  lostSealingKey,
  lostSetupToken,
  midUpdate,
  next,
  password,
  secondSetter,
  stuckInConfirming,
  stuckVersion,
  typed,
  withoutShell,
  withoutShellForbidden,
} from "../rescue-situations.ts";
import type { Scenario } from "../scenario.ts";
import { publishing, updateScenario, updateSettings } from "../update-scenario.ts";

const units = ["steward.service", "demo-product.service"];

/**
 * The twelve situations of steward-rescue(7) and the one without a shell, with the network cut and the clock at 1970. The
 * boot before it leaves an update in mid-trial, by a power cut.
 */
export const scenario: Scenario = {
  title:
    "at the box, in 1970 and without a network, each situation is mended by the lines of steward-rescue(7)",
  timeoutSeconds: 1_500,
  keepsDisk: true,
  ...updateScenario("demo"),
  files: { ...updateSettings(), ...productFiles({ successes: 3, interval: "1s", within: "60m" }) },
  asks: {
    ...publishing(binary("1.0.0"), binary(stuckVersion, "unhealthy")),
    certificate: () => makeCertificate(),
  },
  boots: [
    { units, powerCut: true, run: midUpdate },
    { units, network: false, rtc: "1970-01-02T00:00:00", kernel: ["steward.rescue=1"], run: atTheBox },
  ],
};

async function atTheBox(guest: Guest): Promise<void> {
  await guest.stewardAnswers(120);
  const situations: Readonly<Record<string, (guest: Guest) => Promise<void>>> = {
    ...{ wrongYear, lostSetupToken, cutInMidUpdate, stuckInConfirming, lostPhone, refusedCodes },
    ...{ forgottenPassword, readOnlyDisk, certificate, secondSetter, lostSealingKey },
    withoutShell: () => withoutShell(guest, "root-admin"),
    ...{ withoutShellForbidden, damagedUsers },
  };
  for (const [name, situation] of Object.entries(situations)) {
    // One that cannot be brought about keeps the others from nothing.
    await situation(guest).catch((error: unknown) => guest.check(name, false, String(error)));
    guest.mark(name);
  }
}

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

async function wrongYear(guest: Guest): Promise<void> {
  await doctorNames(guest, "1970 and no network", "steward time set --yes TIME");
  const time = await aRightTime(guest);
  await typed(guest, "The clock says 1970", { TIME: time });
  await isNow(guest, time, "the clock is what was typed");
}

/** The clock goes two days ahead; the phone's stays. */
async function refusedCodes(guest: Guest): Promise<void> {
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
async function readOnlyDisk(guest: Guest): Promise<void> {
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
function makeCertificate(): string {
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const more = ["-days", "30", "-subj", "/CN=lan", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "-"];
  return execFileSync("openssl", [...words, ...more], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** Installed at the right time; then the clock goes back behind its first day. */
async function certificate(guest: Guest): Promise<void> {
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
