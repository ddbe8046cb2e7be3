import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { codeFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import { createSeal } from "../../../src/accounts/second-factor/seal.ts";
import {
  openOnDevice,
  sealForDevice,
  secretProblem,
  transportKey,
} from "../../../src/accounts/second-factor/transport.ts";

const key = createHash("sha256").update("a key").digest();
const otherKey = createHash("sha256").update("another key").digest();
const seal = createSeal([key]);
const publicKey = (await transportKey(seal)) ?? "";

/** 26 characters of base32 are 130 bits. */
const shortest = "GEZDGNBVGY3TQOJQGEZDGNBVGY";

describe("a second factor that is sealed for a device", () => {
  it("is opened on it for its user, and nowhere else and for no other", async () => {
    const sealed = await sealForDevice(shortest, "ana", publicKey);
    assert.match(sealed, /^[A-Za-z0-9+/]{100,400}={0,2}$/);
    assert.equal(await openOnDevice(seal, sealed, "ana"), shortest);
    for (const [device, name] of [
      [seal, "bob"],
      [seal, "an"],
      [seal, ""],
      [seal, shortest],
      [createSeal([otherKey]), "ana"],
      [createSeal([]), "ana"],
    ] as const)
      assert.equal(await openOnDevice(device, sealed, name), null, name);
  });

  it("is not opened with a bit of it changed, or cut short, or if it never was one", async () => {
    const bytes = Buffer.from(await sealForDevice(shortest, "ana", publicKey), "base64");
    for (let place = 0; place < bytes.length; place += 1) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(altered.readUInt8(place) ^ 1, place);
      for (const one of [altered, bytes.subarray(0, place)])
        assert.equal(await openOnDevice(seal, one.toString("base64"), "ana"), null, `${place}`);
    }
    for (const none of ["", "v1.", shortest, "A".repeat(2_000), "-".repeat(2_000)])
      assert.equal(await openOnDevice(seal, none, "ana"), null);
  });

  it("is opened with a former key of the device, and sealed to the one that seals", async () => {
    const sealed = await sealForDevice(shortest, "ana", publicKey);
    const changed = createSeal([otherKey, key]);
    assert.equal(await openOnDevice(changed, sealed, "ana"), shortest);
    assert.equal(await transportKey(changed), await transportKey(createSeal([otherKey])));
    assert.notEqual(await transportKey(changed), publicKey);
    assert.equal(await transportKey(createSeal([])), null);
  });

  it("may be typed in groups, in small letters and with padding, and is of 128 bits at least", async () => {
    const typed = ` ${shortest.toLowerCase().replace(/.{4}/g, "$& ")}== `;
    const longest = "A".repeat(128);
    for (const [text, secret] of [
      [typed, shortest],
      [longest, longest],
    ] as const)
      assert.equal(await openOnDevice(seal, await sealForDevice(text, "ana", publicKey), "ana"), secret);
    for (const wrong of [
      ...["", shortest.slice(1), `${longest}A`, `${shortest}1`, `${shortest}8`, `0${shortest}`],
    ]) {
      assert.match(secretProblem(wrong) ?? "none", /^is no base32 of 26 to 128 characters/, wrong);
      await assert.rejects(sealForDevice(wrong, "ana", publicKey), /^StewardError: The secret is no base32/);
    }
  });

  it("may be an otpauth URI, and of codes that the device does not check it says which", async () => {
    const uri = (rest: string, type = "totp") =>
      `otpauth://${type}/Box:ana?secret=${shortest}&issuer=Box${rest}`;
    for (const text of [
      ...[uri(""), ` ${uri("&algorithm=SHA1&digits=6&period=30")}\n`, uri("&algorithm=HmacSHA1")],
      ...[uri("&algorithm=sha-1")],
      `otpauth://totp/ana?secret=${shortest.toLowerCase().replace(/.{4}/g, "$&%20")}%3D%3D`,
    ])
      assert.equal(await openOnDevice(seal, await sealForDevice(text, "ana", publicKey), "ana"), shortest);
    for (const [text, part] of [
      [uri("&algorithm=SHA256"), "algorithm SHA256"],
      [uri("&digits=8"), "digits 8"],
      [uri("&period=60"), "period 60"],
      [uri("&counter=1", "hotp"), "type hotp"],
    ] as const) {
      const why = new RegExp(
        `^StewardError: The secret is one for ${part}, which this device does not check`,
      );
      await assert.rejects(sealForDevice(text, "ana", publicKey), why);
    }
    for (const text of [
      "otpauth://totp/ana",
      "otpauth://totp/ana?secret=",
      "otpauth:",
      "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP",
    ])
      await assert.rejects(sealForDevice(text, "ana", publicKey), /no base32/, text);
  });

  it("is not sealed to what is no key of a device, such as one that everyone could open", async () => {
    // 0, 1 and a point of order 8 (https://cr.yp.to/ecdh.html#validate) in bech32.
    const small = [
      "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z",
      "age1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqj7vrya",
      "age1ur4h5lpmgxu2u9jku0a0r87ydtdqnr0tnsetrlvxvgz3vh6fhqqqzyt4v9",
    ];
    const wrongs = [
      ...["", publicKey.slice(1), `${publicKey}q`, publicKey.toUpperCase(), `${publicKey.slice(0, -1)}b`],
      ...["00".repeat(32), `age1pq1${publicKey.slice(4)}`],
      ...small,
    ];
    for (const wrong of wrongs) {
      assert.equal(await codeFrom(sealForDevice(shortest, "ana", wrong)), "validation_failed", wrong);
      await assert.rejects(sealForDevice(shortest, "ana", wrong), /no key to seal to; .*`steward seal-key`/);
    }
  });
});

describe("a second factor that is sealed by Debian's age", () => {
  const directory = scratchDirectory();
  const age = (input: string | Buffer, ...options: string[]) =>
    execFileSync("age", options, { input, stdio: ["pipe", "pipe", "pipe"] });

  for (const text of [
    `ana\n${shortest}`,
    `ana\n${shortest}\n`,
    `\ufeffana\r\n${shortest.toLowerCase()}\r\n\r\n`,
    `ana\notpauth://totp/Box:ana?secret=${shortest}&issuer=Box`,
    `ana\n${shortest.slice(0, 13)}\n${shortest.slice(13)}\n`,
  ]) {
    it(`${JSON.stringify(text)} is opened for ana, in base64 and as \`age -a\` prints it`, async () => {
      const binary = age(text, "-r", publicKey);
      const armoured = age(text, "-a", "-r", publicKey).toString();
      for (const sealed of [
        ...[binary.toString("base64"), binary.toString("base64url"), armoured],
        execFileSync("base64", [], { input: binary, encoding: "utf8" }),
      ]) {
        assert.equal(await openOnDevice(seal, sealed, "ana"), shortest);
        assert.equal(await openOnDevice(seal, sealed, "bob"), null);
      }
    });
  }

  it("is no user's without a name before it, or with another one's", async () => {
    for (const text of ["", shortest, `bob\n${shortest}`, `ana ${shortest}`, `ana\\n${shortest}`]) {
      const opened = await openOnDevice(seal, age(text, "-r", publicKey).toString("base64"), "ana");
      assert.equal(opened, null, text);
    }
  });

  it("is opened by age with the device's own key, where `steward seal` has made it", async () => {
    // HKDF-SHA256 of the sealing key, in bech32.
    const own = "AGE-SECRET-KEY-1J5Q00QJ5PY7RAAMK9N547YXTT5JHHKVTX7UA76YMNDFJ748MYDZSRTKJZ4";
    const file = join(directory, "device.key");
    writeFileSync(file, `${own}\n`);
    assert.equal(execFileSync("age-keygen", ["-y", file], { encoding: "utf8" }).trim(), publicKey);
    const sealed = Buffer.from(await sealForDevice(shortest, "ana", publicKey), "base64");
    assert.equal(age(sealed, "-d", "-i", file).toString(), `ana\n${shortest}\n`);
  });
});
