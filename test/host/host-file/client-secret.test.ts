import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readClientSecret } from "../../../src/host/linux/host-file/client-secret.ts";
import { device, put, refused } from "./key-device.ts";

const secret = "a secret of the plant";
const own = process.getuid?.();

/** The secret of a device whose host file names `etc/oidc-secret`, or no file. */
function places() {
  const { credentialsDirectory, stateDirectory } = device();
  const path = join(stateDirectory, "../etc/oidc-secret");
  return {
    ...{ path, credential: join(credentialsDirectory, "steward.oidc") },
    read: (clientSecretFile: string | null = path) =>
      readClientSecret({ clientSecretFile }, { own, credentialsDirectory }),
  };
}

const refusedHere = (work: Promise<unknown>, words: RegExp) => refused(work, words, "provider_unreachable");

describe("the secret for the sign-in provider", () => {
  it("is the file's that the host file names, without the line's end", async () => {
    const { path, read } = places();
    put(path, `${secret}\n`);
    assert.equal(await read(), secret);
    put(path, "another", 0o400);
    assert.equal(await read(), "another");
  });

  it("is none where no file is named and no credential given", async () => {
    const { credential, read } = places();
    assert.equal(await read(null), null);
    put(credential, "\n", 0o400);
    assert.equal(await read(null), null);
    assert.equal(await readClientSecret({ clientSecretFile: null }), null);
  });

  it("is the credential's first, unless that is the blank one of the unit", async () => {
    const { path, credential, read } = places();
    put(path, "of the file");
    put(credential, "\n", 0o400);
    assert.equal(await read(), "of the file");
    put(credential, `${secret}\n`, 0o400);
    assert.equal(await read(), secret);
    assert.equal(await read(null), secret);
  });

  it("has 4096 bytes at most, in either place", async () => {
    const { path, credential, read } = places();
    put(path, "x".repeat(4_096));
    assert.equal((await read())?.length, 4_096);
    put(path, "x".repeat(4_097));
    await refusedHere(read(), /oidc-secret has 4097 bytes, more than the limit of 4096/);
    put(credential, "x".repeat(4_097), 0o400);
    await refusedHere(read(), /steward\.oidc has 4097 bytes, more than the limit of 4096/);
  });

  it("is refused where the file is absent or empty: the device does not go on as a public client", async () => {
    const { path, read } = places();
    await refusedHere(read(), /oidc-secret does not exist or is empty.*account of this device/);
    for (const blank of ["", " \n"]) {
      put(path, blank);
      await refusedHere(read(), /does not exist or is empty/);
    }
  });

  it("is refused where others could read or write it", async () => {
    const { path, read } = places();
    for (const mode of [0o644, 0o641]) {
      put(path, secret, mode);
      await refusedHere(read(), /can be read by every user of this device.*chmod 640/);
    }
    for (const mode of [0o660, 0o602]) {
      put(path, secret, mode);
      await refusedHere(read(), /writable by no other user/);
    }
  });

  it("is refused from a file of another user", { skip: own !== 0 && "needs root" }, async () => {
    const { path, read } = places();
    put(path, secret);
    chownSync(path, 65_534, 65_534);
    await refusedHere(read(), /must belong to root/);
  });

  it("is refused where the file is none, and no pipe is waited for", async () => {
    const { path, credential, read } = places();
    execFileSync("mkfifo", ["-m", "600", path]);
    await refusedHere(read(), /oidc-secret must be a regular file/);
    mkdirSync(credential);
    await refusedHere(read(), /steward\.oidc cannot be read \(EISDIR\)/);
  });
});
