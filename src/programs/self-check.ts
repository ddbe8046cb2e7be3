import { join } from "node:path";
import { createSeal } from "../accounts/second-factor/seal.ts";
import { createPasswords } from "../accounts/users/passwords.ts";
import { messageOf, systemErrorCode } from "../contract/errors.ts";
import type { ProgramPart } from "../contract/findings.ts";
import { loadClockAddon } from "../host/linux/clock/clock-addon.ts";
import { becomeUser, openCredentials } from "../host/linux/credentials.ts";
import { missingProtections } from "../host/linux/sandbox.ts";
import { tried } from "../host/linux/tried.ts";
import { reportLine } from "../system/program-parts.ts";
import { end, fail } from "../terminal/ending.ts";
import { verifyEd25519 } from "../tuf/ed25519.ts";

/**
 * Tests each part of the program that needs another file or a native module, on input with a known answer, and prints
 * one line for each. It is a process of its own: a broken module may crash it, and it frees its memory when it ends.
 * Exit status 1 if a part does not work.
 */

/** The build defines it: without a C compiler it makes no addon for the clock. */
declare const STEWARD_HAS_CLOCK_ADDON: boolean | undefined;
const hasClockAddon = typeof STEWARD_HAS_CLOCK_ADDON !== "undefined" && STEWARD_HAS_CLOCK_ADDON;

/** RFC 8032 §7.1, test 2. */
const signed = {
  key: bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"),
  message: bytes("72"),
  signature: bytes(
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da" +
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  ),
};

/** Made by this program's first version, under a key of the bytes 0 to 31. */
const sealed = {
  text: "steward",
  record: "self-check",
  secret: "v1.1068136bb04bc298.6_7JzKeXra3Xj4hNKQakGd78YV-pgRqgqq7QItMF8eyHohg",
};

/** With the salt `steward selfcheck`, at the cost of a real one. */
const hashed = {
  password: "a known password",
  phc: "$argon2id$v=19$m=19456,t=2,p=1$c3Rld2FyZCBzZWxmY2hlY2s$wDIEhUtpdc3ek5bKSLQ08o1zGpiJHjNGrr8Yo0CLcQY",
};

const addonPath = join(import.meta.dirname, "clock-steering.node");

const nobody = { uid: 65_534, gid: 65_534 };

/** In this order: parts that cannot crash the process come first, and the one that changes its user last. */
const trials: Readonly<Record<ProgramPart, () => void | Promise<void>>> = {
  signatures: () => {
    const { key, message, signature } = signed;
    expect(verifyEd25519(key, message, signature), "a known signature was refused");
    const altered = signature.with(0, (signature[0] ?? 0) ^ 1);
    expect(!verifyEd25519(key, message, altered), "an altered signature was accepted");
  },
  "two-factor": () => {
    const seal = createSeal([Uint8Array.from({ length: 32 }, (_, index) => index)]);
    expect(seal.open(sealed.secret, sealed.record) === sealed.text, "a known secret opened to another text");
    const own = seal.seal(sealed.text, sealed.record);
    expect(seal.open(own, sealed.record) === sealed.text, "a sealed secret does not open again");
    expect(tried(() => seal.open(own, "another record")) === null, "a secret opened for another record");
  },
  passwords: async () => {
    const { verify } = createPasswords({ isKnownClient: () => false });
    expect(await verify(hashed.phc, hashed.password, null), "a known password was refused");
    expect(!(await verify(hashed.phc, "another password", null)), "a wrong password was accepted");
  },
  clock: () => {
    if (!hasClockAddon) return;
    const times = new Float64Array(2);
    loadClockAddon(addonPath).now(times);
    expect((times[0] ?? 0) > 0, "the clock cannot be read");
  },
  sandbox: () => {
    const missing = missingProtections();
    expect(missing.length === 0, missing.join(", "));
  },
  rights: () => {
    const credentials = openCredentials(addonPath, process);
    const own = { uid: credentials.geteuid(), gid: credentials.getegid() };
    // Root of a container may have no other user, and the agent's sandbox forbids the calls: they need only reach the kernel.
    try {
      becomeUser(credentials, own.uid === 0 ? nobody : own);
    } catch (error) {
      const { cause } = error as Error;
      if (!["EPERM", "EINVAL"].includes(systemErrorCode(cause) ?? "")) throw cause;
    }
  },
};

async function main(): Promise<number> {
  let status = 0;
  for (const [part, trial] of Object.entries(trials) as [ProgramPart, () => void | Promise<void>][]) {
    try {
      await trial();
      console.log(reportLine(part, null));
    } catch (error) {
      console.log(reportLine(part, messageOf(error)));
      status = 1;
    }
  }
  return status;
}

function expect(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}

main().then(end, fail);
