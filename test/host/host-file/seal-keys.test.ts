import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readSealKeys } from "../../../src/host/linux/host-file/seal-keys.ts";
import { device, formerKey, hex, key, otherKey, put, refused } from "./key-device.ts";

describe("the keys for secrets", () => {
  it("are the credential's first, then root's, then the agent's own: a former one still opens", async () => {
    const places = device();
    const [own, ofRoot, given] = [formerKey, otherKey, key];
    put(places.fallbackPath, own, 0o600);
    assert.deepEqual(hex(await readSealKeys(places)), hex([own]));
    put(places.path, ofRoot);
    assert.deepEqual(hex(await readSealKeys(places)), hex([ofRoot, own]));
    put(join(places.credentialsDirectory, "steward.key"), given, 0o400);
    assert.deepEqual(hex(await readSealKeys(places)), hex([given, ofRoot, own]));
  });

  it("given by root are taken alone, without systemd or with the blank credential of the unit", async () => {
    const places = device();
    put(places.path, otherKey);
    const found = hex(await readSealKeys({ ...places, credentialsDirectory: undefined }));
    assert.deepEqual(found, hex([otherKey]));
    put(join(places.credentialsDirectory, "steward.key"), "\n", 0o400);
    assert.deepEqual(hex(await readSealKeys(places)), hex([otherKey]));
    assert.deepEqual(readdirSync(places.stateDirectory), []);
  });

  const forms: [string, string | Uint8Array][] = [
    ["32 bytes", key],
    ["hex with a newline, as openssl rand -hex 32 writes it", `${key.toString("hex")}\n`],
    ["capital hex with a newline of another system", `${key.toString("hex").toUpperCase()}\r\n`],
    ["base64", key.toString("base64")],
    ["base64 with a newline, as openssl rand -base64 32 writes it", `${key.toString("base64")}\n`],
  ];
  it("are read as 32 bytes, in hex or in base64, with or without a newline", async () => {
    const ending = Buffer.concat([key.subarray(0, 31), Buffer.from("\n")]);
    const read = (content: string | Uint8Array) => {
      const places = device();
      put(places.path, content);
      return readSealKeys(places);
    };
    for (const [name, content] of forms)
      assert.deepEqual(hex(await read(content)), [key.toString("hex")], name);
    // Also where the last of 32 bytes is a newline.
    assert.deepEqual(hex(await read(ending)), [ending.toString("hex")]);
  });
});

describe("a file that is no key is refused, and no other is taken in its place:", () => {
  const hexDigits = key.toString("hex");
  const base64 = key.toString("base64");
  const nonsense: [string, string | Uint8Array][] = [
    ["nothing", ""],
    ["a newline", "\n"],
    ["31 bytes", key.subarray(1)],
    ["33 bytes", Buffer.concat([key, Buffer.of(0)])],
    ["32 bytes and a newline, which may be part of them or not", Buffer.concat([key, Buffer.from("\n")])],
    ["a passphrase of 32 letters", "correct horse battery staple now"],
    ["63 hex digits", hexDigits.slice(1)],
    ["65 hex digits", `${hexDigits}0`],
    ["a blank before it", ` ${hexDigits}`],
    ["base64 without its padding", base64.slice(0, 43)],
    ["base64 with bits behind the end", base64.replace(/.=$/, "/=")],
    ["base64 of 33 bytes", Buffer.concat([key, Buffer.of(1)]).toString("base64")],
    ["a PEM block", `-----BEGIN KEY-----\n${base64}\n-----END KEY-----\n`],
    ["32 zeros, as a power cut leaves them", Buffer.alloc(32)],
    ["zeros in hex", "0".repeat(64)],
    ["a file of a megabyte", Buffer.alloc(1024 * 1024, 7)],
  ];
  const noKey = /etc\/seal\.key (must hold 32 random bytes|holds one byte 32 times)/;
  for (const [name, content] of nonsense)
    it(name, async () => {
      const places = device();
      put(places.fallbackPath, otherKey, 0o600);
      put(places.path, content);
      await refused(readSealKeys(places), noKey);
    });

  it("a directory, or a pipe, without waiting for what will never come", async () => {
    const places = device();
    mkdirSync(places.path, { mode: 0o700 });
    await refused(readSealKeys(places), /must hold 32 random bytes/);
    const others = device();
    execFileSync("mkfifo", [others.fallbackPath]);
    await refused(readSealKeys(others), /must hold 32 random bytes/);
  });

  it("one that cannot be opened, as it may be the key, or a credential", async () => {
    const places = device();
    symlinkSync(places.path, places.path);
    await refused(readSealKeys(places), /cannot be read \(ELOOP\)/);
    assert.deepEqual(readdirSync(places.stateDirectory), []);
    const others = device();
    put(others.path, key);
    put(join(others.credentialsDirectory, "steward.key"), "short", 0o400);
    // With no line to type: it is root's to correct where systemd reads it.
    await refused(readSealKeys(others), /credentials\/steward\.key must hold(?!.*As root)/);
  });

  it("the agent's own, which is never made anew: what it sealed would be lost", async () => {
    const places = device();
    put(places.fallbackPath, "", 0o600);
    await refused(readSealKeys(places), /state\/\.seal\.key must hold/);
    assert.equal(readFileSync(places.fallbackPath).length, 0);
  });
});

describe("a key of root", () => {
  for (const mode of [0o644, 0o641, 0o642, 0o660, 0o666, 0o400, 0o440, 0o600, 0o640]) {
    const isTaken = (mode & 0o027) === 0;
    it(`of mode ${mode.toString(8)} is ${isTaken ? "taken" : "refused, with what to do"}`, async () => {
      const places = device();
      put(places.path, key, mode);
      if (isTaken) assert.equal((await readSealKeys(places)).length, 1);
      else await refused(readSealKeys(places), /read or written by others.*chown root:steward .*chmod 640/);
    });
  }

  it("that a third user owns is refused", { skip: process.getuid?.() !== 0 && "needs root" }, async () => {
    const places = device();
    put(places.path, key, 0o600);
    chownSync(places.path, 65_534, 65_534);
    await refused(readSealKeys(places), /read or written by others/);
    chownSync(places.stateDirectory, 65_534, 65_534);
    assert.equal((await readSealKeys(places)).length, 1, "the agent's own user may own it");
  });

  it("is judged where a link leads to", async () => {
    const places = device();
    put(`${places.path}.1`, key, 0o644);
    symlinkSync(`${places.path}.1`, places.path);
    await refused(readSealKeys(places), /read or written by others/);
  });
});
