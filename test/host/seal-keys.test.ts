import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { StewardError } from "../../src/errors.ts";
import { readSealKeys } from "../../src/host/linux/seal-keys.ts";
import { mountPrivately } from "../store/private-mount.ts";

const key = createHash("sha256").update("a key").digest();
const otherKey = createHash("sha256").update("another key").digest();
const formerKey = createHash("sha256").update("a former key").digest();

interface Device {
  credentialsDirectory: string;
  path: string;
  fallbackPath: string;
  stateDirectory: string;
}

/** A device without any key: no credential, nothing in its /etc, an empty state directory. */
function device(test: TestContext): Device {
  const directory = mkdtempSync(join(tmpdir(), "steward-seal-keys-"));
  test.after(() => rmSync(directory, { recursive: true }));
  for (const name of ["credentials", "etc", "state"]) mkdirSync(join(directory, name), { mode: 0o700 });
  return {
    credentialsDirectory: join(directory, "credentials"),
    path: join(directory, "etc/seal.key"),
    fallbackPath: join(directory, "state/.seal.key"),
    stateDirectory: join(directory, "state"),
  };
}

function put(path: string, content: string | Uint8Array, mode = 0o640): void {
  writeFileSync(path, content);
  chmodSync(path, mode);
}

async function refused(
  work: Promise<unknown>,
  words: RegExp,
  code = "second_factor_unavailable",
): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.equal(error instanceof StewardError && error.code, code, String(error));
    assert.match(String(error), words);
    for (const secret of [key.toString("hex"), key.toString("base64"), key.toString("latin1")]) {
      assert.ok(!String(error).includes(secret.slice(0, 8)), "the message holds the key");
    }
    return true;
  });
}

const hex = (keys: readonly Uint8Array[]) => keys.map((one) => Buffer.from(one).toString("hex"));

describe("the keys for secrets", () => {
  it("are the credential's first, then root's, then the agent's own: a former one still opens", async (test) => {
    const places = device(test);
    const [own, ofRoot, given] = [formerKey, otherKey, key];
    put(places.fallbackPath, own, 0o600);
    assert.deepEqual(hex(await readSealKeys(places)), hex([own]));
    put(places.path, ofRoot);
    assert.deepEqual(hex(await readSealKeys(places)), hex([ofRoot, own]));
    put(join(places.credentialsDirectory, "steward.key"), given, 0o400);
    assert.deepEqual(hex(await readSealKeys(places)), hex([given, ofRoot, own]));
  });

  it("are read without systemd too", async (test) => {
    const places = device(test);
    put(places.path, key);
    assert.deepEqual(hex(await readSealKeys({ ...places, credentialsDirectory: undefined })), [
      key.toString("hex"),
    ]);
  });

  it("given by root are taken alone: the agent makes none beside them", async (test) => {
    const places = device(test);
    put(places.path, key);
    await readSealKeys(places);
    assert.deepEqual(readdirSync(places.stateDirectory), []);
  });

  const forms: [string, string | Uint8Array][] = [
    ["32 bytes", key],
    ["hex", key.toString("hex")],
    ["hex with a newline, as openssl rand -hex 32 writes it", `${key.toString("hex")}\n`],
    ["capital hex with a newline of another system", `${key.toString("hex").toUpperCase()}\r\n`],
    ["base64", key.toString("base64")],
    ["base64 with a newline, as openssl rand -base64 32 writes it", `${key.toString("base64")}\n`],
  ];
  for (const [name, content] of forms) {
    it(`are read as ${name}`, async (test) => {
      const places = device(test);
      put(places.path, content);
      assert.deepEqual(hex(await readSealKeys(places)), [key.toString("hex")]);
    });
  }

  it("of 32 bytes are taken as they are, also with a newline at the end", async (test) => {
    const places = device(test);
    const ending = Buffer.concat([key.subarray(0, 31), Buffer.from("\n")]);
    put(places.path, ending);
    assert.deepEqual(hex(await readSealKeys(places)), [ending.toString("hex")]);
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
    ["64 bytes", Buffer.concat([key, otherKey])],
    ["a passphrase of 32 letters", "correct horse battery staple now"],
    ["16 bytes in hex", hexDigits.slice(0, 32)],
    ["63 hex digits", hexDigits.slice(1)],
    ["65 hex digits", `${hexDigits}0`],
    ["two lines", `${hexDigits}\n\n`],
    ["a blank before it", ` ${hexDigits}`],
    ["base64 without its padding", base64.slice(0, 43)],
    ["base64 with bits behind the end", base64.replace(/.=$/, "/=")],
    ["base64 of 31 bytes", key.subarray(1).toString("base64")],
    ["base64 of 33 bytes", Buffer.concat([key, Buffer.of(1)]).toString("base64")],
    ["a PEM block", `-----BEGIN KEY-----\n${base64}\n-----END KEY-----\n`],
    ["32 zeros, as a power cut leaves them", Buffer.alloc(32)],
    ["zeros in hex", "0".repeat(64)],
    ["zeros in base64", Buffer.alloc(32).toString("base64")],
    ["a file of a megabyte", Buffer.alloc(1024 * 1024, 7)],
  ];
  for (const [name, content] of nonsense) {
    it(name, async (test) => {
      const places = device(test);
      put(places.fallbackPath, otherKey, 0o600);
      put(places.path, content);
      await refused(
        readSealKeys(places),
        /etc\/seal\.key (must hold 32 random bytes|holds one byte 32 times)/,
      );
    });
  }

  it("a directory", async (test) => {
    const places = device(test);
    mkdirSync(places.path, { mode: 0o700 });
    await refused(readSealKeys(places), /must hold 32 random bytes/);
  });

  it("one that cannot be opened: it may be the key", async (test) => {
    const places = device(test);
    symlinkSync(places.path, places.path);
    await refused(readSealKeys(places), /cannot be read \(ELOOP\)/);
    assert.deepEqual(readdirSync(places.stateDirectory), []);
  });

  it("a credential", async (test) => {
    const places = device(test);
    put(places.path, key);
    put(join(places.credentialsDirectory, "steward.key"), "short", 0o400);
    await refused(readSealKeys(places), /credentials\/steward\.key must hold/);
  });

  it("the agent's own, which is never made anew: what it sealed would be lost", async (test) => {
    const places = device(test);
    put(places.fallbackPath, "", 0o600);
    await refused(readSealKeys(places), /state\/\.seal\.key must hold/);
    assert.equal(readFileSync(places.fallbackPath).length, 0);
  });
});

describe("a key of root", () => {
  for (const mode of [0o644, 0o641, 0o642, 0o660, 0o666]) {
    it(`of mode ${mode.toString(8)} is refused, with what to do`, async (test) => {
      const places = device(test);
      put(places.path, key, mode);
      await refused(readSealKeys(places), /read or written by others.*chown root:steward .*chmod 0640/);
    });
  }

  for (const mode of [0o400, 0o440, 0o600, 0o640]) {
    it(`of mode ${mode.toString(8)} is taken`, async (test) => {
      const places = device(test);
      put(places.path, key, mode);
      assert.equal((await readSealKeys(places)).length, 1);
    });
  }

  it("that a third user owns is refused", {
    skip: process.getuid?.() !== 0 && "needs root",
  }, async (test) => {
    const places = device(test);
    put(places.path, key, 0o600);
    chownSync(places.path, 65_534, 65_534);
    await refused(readSealKeys(places), /read or written by others/);
    chownSync(places.stateDirectory, 65_534, 65_534);
    assert.equal((await readSealKeys(places)).length, 1, "the agent's own user may own it");
  });

  it("is judged where a link leads to", async (test) => {
    const places = device(test);
    put(`${places.path}.1`, key, 0o644);
    symlinkSync(`${places.path}.1`, places.path);
    await refused(readSealKeys(places), /read or written by others/);
  });
});

describe("the agent's own key", () => {
  it("is made where there is none: 32 random bytes, hidden, for its user alone", async (test) => {
    const [first, second] = [device(test), device(test)];
    const [one, two] = [await readSealKeys(first), await readSealKeys(second)];
    assert.notDeepEqual(hex(one), hex(two));
    assert.deepEqual(hex(one), [readFileSync(first.fallbackPath).toString("hex")]);
    assert.equal(statSync(first.fallbackPath).mode & 0o777, 0o600);
    assert.equal(statSync(first.fallbackPath).nlink, 1);
    assert.deepEqual(readdirSync(first.stateDirectory), [".seal.key"]);
  });

  it("stays the same", async (test) => {
    const places = device(test);
    assert.deepEqual(hex(await readSealKeys(places)), hex(await readSealKeys(places)));
  });

  it("is one, though several ask for it at once", async (test) => {
    const places = device(test);
    const answers = await Promise.all(Array.from({ length: 20 }, () => readSealKeys(places)));
    assert.equal(new Set(answers.flatMap(hex)).size, 1);
    assert.deepEqual(readdirSync(places.stateDirectory), [".seal.key"]);
  });

  it("is one, though several processes ask for it at once", async (test) => {
    const places = device(test);
    const source = join(import.meta.dirname, "../../src/host/linux/seal-keys.ts");
    const program = `const { readSealKeys } = await import(${JSON.stringify(source)});
      process.stdout.write("ready"); process.stdin.once("data", async () => {
        const [key] = await readSealKeys(${JSON.stringify(places)});
        process.stdout.write(Buffer.from(key).toString("hex")); process.stdin.destroy(); });`;
    const children = Array.from({ length: 3 }, () =>
      spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], {
        cwd: join(import.meta.dirname, "../.."),
        stdio: ["pipe", "pipe", "inherit"],
      }),
    );
    const outputs = children.map(async (child) => {
      let text = "";
      for await (const chunk of child.stdout) {
        text += chunk;
        if (text === "ready") arrived();
      }
      return text;
    });
    let waiting = children.length;
    function arrived(): void {
      waiting -= 1;
      if (waiting === 0) for (const child of children) child.stdin.write("go\n");
    }
    const keys = (await Promise.all(outputs)).map((text) => text.replace(/^ready/, ""));
    assert.deepEqual(new Set(keys), new Set([readFileSync(places.fallbackPath).toString("hex")]));
  });

  it("is not made on a full disk, which is said, and nothing is left there", async (test) => {
    const mount = await mountPrivately(test, 1);
    if (typeof mount === "string") return test.skip(mount);
    mount.run('dd if=/dev/zero of="$1/all" bs=4096 2>&1 || true');
    const places = { ...device(test), fallbackPath: join(mount.seen, ".seal.key") };
    await refused(readSealKeys(places), /cannot be made.*ENOSPC.*Free some space/, "storage_full");
    assert.deepEqual(readdirSync(mount.seen), ["all"]);
    mount.run('rm "$1/all"');
    assert.equal((await readSealKeys(places)).length, 1);
  });

  it("is not made where nothing can be written, which is said", async (test) => {
    const places = device(test);
    const fallbackPath = join(places.stateDirectory, "absent/.seal.key");
    await refused(readSealKeys({ ...places, fallbackPath }), /cannot be made.*ENOENT/, "storage_unwritable");
  });
});
