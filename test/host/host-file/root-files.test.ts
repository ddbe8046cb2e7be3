import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { ownDirectory, write } from "../../../lab/host/judged-host-file.ts";
import { readClientSecret } from "../../../src/host/linux/host-file/client-secret.ts";
import { readInstalledRoot, updateRootFile } from "../../../src/host/linux/host-file/installed-root.ts";
import { readRequestHeaders } from "../../../src/host/linux/host-file/request-headers.ts";
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

  it("is the credential's first, unless that is the blank one of the unit, and none without either", async () => {
    const { path, credential, read } = places();
    assert.equal(await read(null), null);
    assert.equal(await readClientSecret({ clientSecretFile: null }), null);
    put(path, "of the file");
    put(credential, "\n", 0o400);
    assert.deepEqual([await read(), await read(null)], ["of the file", null]);
    put(credential, `${secret}\n`, 0o400);
    assert.deepEqual([await read(), await read(null)], [secret, secret]);
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

  it("is refused where others could read or write it, where it is no file, and no pipe is waited for", async () => {
    const { path, credential, read } = places();
    for (const [mode, words] of [
      ...[0o644, 0o641].map((mode) => [mode, /can be read by every user of this device.*chmod 640/] as const),
      ...[0o660, 0o602].map((mode) => [mode, /writable by no other user/] as const),
    ]) {
      put(path, secret, mode);
      await refusedHere(read(), words);
    }
    if (own === 0) {
      put(path, secret);
      chownSync(path, 65_534, 65_534);
      await refusedHere(read(), /must belong to root/);
    }
    rmSync(path);
    execFileSync("mkfifo", ["-m", "600", path]);
    await refusedHere(read(), /oidc-secret must be a regular file/);
    mkdirSync(credential);
    await refusedHere(read(), /steward\.oidc cannot be read \(EISDIR\)/);
  });
});

function place() {
  const path = join(device().stateDirectory, "../etc/otlp-headers");
  const refuse = (at: string, what: string) => new Error(`${at} ${what}.`);
  return { path, read: () => readRequestHeaders(path, { own, refuse }) };
}

describe("the headers for a collector", () => {
  for (const [name, text, words] of [
    ["a line without a colon", "authorization Basic eA==", /line 1 that is not of the form/],
    ["a name with a blank", "a b: c", /line 1 that is not/],
    ["no value", "authorization:", /line 1 that is not/],
    ["a value with a control character", "# x\na: b\u0007c", /line 2 that is not/],
    ["a value beyond ASCII", "a: ä", /line 1 that is not/],
    ["a header of the request itself", "Content-Length: 0", /names the header Content-Length in line 1/],
    ["another host", "host: x", /names the header host/],
    ["nothing", "\n", /does not exist or is empty/],
  ] as const)
    it(`are refused with ${name}`, async () => {
      const { path, read } = place();
      put(path, text);
      await assert.rejects(read(), words);
    });

  it("are refused where there is no file, or another user could read or write it", async () => {
    const { path, read } = place();
    await assert.rejects(read(), /does not exist or is empty/);
    put(path, "a: b");
    chmodSync(path, 0o644);
    await assert.rejects(read(), /can be read by every user.*chmod 640/);
    chmodSync(path, 0o660);
    await assert.rejects(read(), /writable by no other user/);
    if (own !== 0) return;
    chmodSync(path, 0o640);
    chownSync(path, 65_534, 0);
    await assert.rejects(read(), /must belong to root/);
  });

  it("are lines of names and values, without comments, read again each time", async () => {
    const { path, read } = place();
    put(path, "# Grafana Cloud\nAuthorization:  Basic eA==\t\r\n\nX-Scope-OrgID: plant: 7\n");
    assert.deepEqual(await read(), { authorization: "Basic eA==", "x-scope-orgid": "plant: 7" });
    put(path, "a: b");
    assert.deepEqual(await read(), { a: "b" });
  });
});

describe("the installed root of trust", asRoot, () => {
  const read = (path: string) => readInstalledRoot(path, { maximumBytes: 100 });
  const refusedHere = (path: string, words: RegExp) => refused(read(path), words, "update_root_unusable");

  it("lies beside the host file, is absent at first, and read byte for byte", async (test) => {
    assert.equal(updateRootFile("/etc/steward/steward.json"), "/etc/steward/update-root.json");
    const path = join(ownDirectory(test), "update-root.json");
    assert.equal(await read(path), null);
    write(path, "{}\n");
    assert.equal(Buffer.from((await read(path)) ?? []).toString(), "{}\n");
  });

  it("is refused where the agent's own user could have put another one there, or beyond the size of a root", async (test) => {
    const directory = ownDirectory(test);
    const path = write(join(directory, "update-root.json"), "x".repeat(101));
    await refusedHere(path, /has 101 bytes, more than the limit of 100/);
    chownSync(path, 65_534, 0);
    await refusedHere(path, /update-root\.json must belong to root/);
    chownSync(path, 0, 0);
    chmodSync(directory, 0o775);
    await refusedHere(path, /steward-host-file-\w+ must belong to root/);
  });
});
