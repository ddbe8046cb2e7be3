import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { factsOf } from "../../src/certificates/facts.ts";
import { createSelfMade, type SelfMadeOptions } from "../../src/certificates/self-made.ts";
import { createSignOwn } from "../../src/host/linux/certificates/self-signed.ts";
import { createRunCommand } from "../../src/host/linux/commands.ts";

const build = new Date("2026-11-20T08:00:00Z");
const days = (count: number) => count * 86_400_000;
const after = (count: number) => new Date(build.getTime() + days(count));

/** A device with clocks of the test's own; the certificates are Debian's openssl's. */
async function device(test: TestContext) {
  const directory = await temporaryDirectory(test);
  const world = {
    directory: join(directory, "tls"),
    names: ["edge-7", "edge-7.local"],
    lanNames: [] as string[],
    addresses: ["192.0.2.7", "2001:db8::7"],
    now: build,
    floor: build,
    uptime: 100,
    said: [] as { message: string; reason?: string }[],
  };
  const options: SelfMadeOptions = {
    directory: world.directory,
    mayMake: () => true,
    signOwn: createSignOwn(createRunCommand(), directory),
    wanted: () => world,
    now: () => world.now,
    floor: () => world.floor,
    uptime: () => world.uptime,
    log: (_severity, message, members) => void world.said.push({ message, ...members }),
  };
  const start = (changes: Partial<SelfMadeOptions> = {}) => createSelfMade({ ...options, ...changes });
  const read = async (readOwn = start()) => {
    const pair = (await readOwn()) ?? assert.fail("there is none");
    return { ...pair, ...factsOf(pair.certificate) };
  };
  return { world, start, read, directory };
}

describe("the certificate that the device makes", () => {
  it("is for its names and addresses, and openssl takes it for what it is", async (test) => {
    const { world, read } = await device(test);
    const made = await read();
    const path = join(world.directory, "certificate.pem");
    const openssl = (...args: string[]) => execFileSync("openssl", args, { encoding: "utf8" });
    const text = openssl("x509", "-in", path, "-noout", "-text");
    assert.match(text, /Version: 3 .*Subject: CN = edge-7\n.*NIST CURVE: P-256/s);
    const names = /DNS:edge-7, DNS:edge-7\.local, IP Address:192\.0\.2\.7, IP Address:2001:DB8:0:0:0:0:0:7/;
    assert.match(text, names);
    assert.match(text, /CA:FALSE.*Digital Signature\n.*TLS Web Server Authentication/s);
    const at = String(build.getTime() / 1_000);
    const verify = ["verify", "-attime", at, "-purpose", "sslserver", "-verify_hostname", "edge-7.local"];
    assert.match(openssl(...verify, "-CAfile", path, path), /: OK/);
    const shown = openssl("x509", "-in", path, "-noout", "-fingerprint", "-sha256").trim();
    assert.equal(shown.split("=")[1], made.fingerprint);
    const publicKey = execFileSync("openssl", ["x509", "-in", path, "-noout", "-pubkey"]);
    const der = execFileSync("openssl", ["pkey", "-pubin", "-outform", "der"], { input: publicKey });
    const digest = execFileSync("openssl", ["dgst", "-sha256", "-binary"], { input: der });
    assert.equal(made.keyPin, `sha256//${digest.toString("base64")}`);
    assert.equal(statSync(join(world.directory, "key.pem")).mode & 0o777, 0o600);
  });

  it("begins a day before the floor, and lasts no longer than Apple's systems allow and a year and more, also where the floor lies far behind", async (test) => {
    for (const count of [0, 411, 413, 900, 5_000]) {
      const { world, read } = await device(test);
      world.now = after(count);
      const { notBefore, notAfter } = await read();
      if (count === 0) assert.deepEqual(notBefore, after(-1));
      assert.ok(notBefore < world.now, `${count} days`);
      assert.ok(notAfter.getTime() - world.now.getTime() > days(365), `${count} days`);
      assert.equal((notAfter.getTime() - notBefore.getTime()) / days(1), 824);
    }
  });

  it("is kept over restarts, also with a clock that shows 1970", async (test) => {
    const { read, world } = await device(test);
    const first = await read();
    assert.deepEqual(await read(), first);
    // The floor counts, which is never earlier than the build.
    world.now = world.floor;
    assert.deepEqual(await read(), first);
  });

  for (const [reason, change] of Object.entries({
    dates: { now: after(800), floor: after(800) },
    names: { names: ["edge-7", "edge-7.local", "pump.example.net"] },
    lan: { lanNames: ["edge-8.local"] },
    addresses: { addresses: ["192.0.2.8"] },
  }))
    it(`is made anew with the same key where its ${reason} no longer serve`, async (test) => {
      const { read, world } = await device(test);
      const first = await read();
      Object.assign(world, change);
      const second = await read();
      assert.notEqual(second.fingerprint, first.fingerprint);
      assert.equal(second.keyPin, first.keyPin);
      assert.deepEqual(second.names, [...world.names, ...world.lanNames]);
      assert.ok(second.notBefore < world.now && second.notAfter > world.now);
      assert.equal(world.said.at(-1)?.reason, reason);
    });

  it("is made anew with the same key where it begins in the future, as after a clock that ran ahead", async (test) => {
    const { read, world } = await device(test);
    world.now = world.floor = after(800);
    const first = await read();
    world.now = world.floor = build;
    const second = await read();
    assert.ok(first.notBefore > world.now && second.notBefore < world.now);
    assert.deepEqual([second.keyPin, world.said.at(-1)?.reason], [first.keyPin, "dates"]);
    world.now = second.notBefore;
    assert.deepEqual(await read(), second, "its first moment is not in the future");
  });

  it("is made anew 30 days before its end, and not before", async (test) => {
    const { read, world } = await device(test);
    const first = await read();
    const due = first.notAfter.getTime() - days(30);
    world.now = new Date(due);
    assert.deepEqual(await read(), first);
    world.now = new Date(due + 1);
    assert.notEqual((await read()).fingerprint, first.fingerprint);
  });

  const day = 86_400;
  const local = ["127.0.0.1", "::1"];
  // The wish at first; then steps: seconds that pass, what is wanted after them, and what the certificate has for it; null: it
  // is as it was.
  for (const [what, begin, steps] of [
    [
      "another address once a day at most, and never for one of IPv6",
      {},
      [
        [0, { addresses: ["192.0.2.8"] }, null],
        [day, {}, { addresses: ["192.0.2.8"] }],
        [day, { addresses: ["192.0.2.8", "2001:db8::9"] }, null],
      ],
    ],
    [
      "another address of IPv6 where there is none of IPv4, and at once for the first of either",
      { addresses: local },
      [
        [0, { addresses: ["fd00:db8::7", ...local] }, { addresses: ["fd00:db8::7"] }],
        [0, { addresses: ["fd00:db8::8", ...local] }, null],
        [0, { addresses: ["192.0.2.7", "fd00:db8::8", ...local] }, { addresses: ["192.0.2.7"] }],
      ],
    ],
    [
      "another name that the LAN gives once a day at most: others can have it change each minute",
      {},
      [
        [0, { lanNames: ["edge-8.local"] }, { names: ["edge-8.local"] }],
        [0, { lanNames: ["edge-9.local"] }, null],
        [day, {}, { names: ["edge-9.local"] }],
      ],
    ],
  ] as const)
    it(`is exchanged for ${what}`, async (test) => {
      const { read, start, world } = await device(test);
      const own = start();
      Object.assign(world, begin);
      let last = await read(own);
      for (const [seconds, change, expected] of steps) {
        world.uptime += seconds;
        Object.assign(world, change);
        const next = await read(own);
        if (expected === null) assert.equal(next.certificate, last.certificate, JSON.stringify(change));
        for (const [member, texts] of Object.entries(expected ?? {}))
          for (const text of texts) assert.ok(next[member as "names" | "addresses"].includes(text), text);
        last = next;
      }
    });

  it("is made anew where its file is damaged, with the same key; and where the key is, with another", async (test) => {
    const { read, world } = await device(test);
    const first = await read();
    writeFileSync(join(world.directory, "certificate.pem"), "-----BEGIN CERTIFICATE-----\nnothing\n");
    assert.equal((await read()).keyPin, first.keyPin);
    writeFileSync(join(world.directory, "key.pem"), "");
    const third = await read();
    assert.notEqual(third.keyPin, first.keyPin);
    assert.equal(readFileSync(join(world.directory, "certificate.pem"), "utf8"), third.certificate);
  });

  it("works where its files cannot be kept, and says that it will be another", async (test) => {
    const { read, start, world, directory } = await device(test);
    writeFileSync(join(directory, "file"), "");
    const own = start({ directory: join(directory, "file") });
    assert.deepEqual(await read(own), await read(own));
    assert.match(JSON.stringify(world.said), /the next start makes another/);
  });

  it("is not made by a command that only looks, and without openssl it is said what to install", async (test) => {
    const { start, directory } = await device(test);
    assert.equal(await start({ mayMake: () => false })(), null);
    const signOwn = createSignOwn(createRunCommand({ path: "/nowhere" }), directory);
    await assert.rejects(start({ signOwn })(), /apt-get install openssl/);
  });
});
