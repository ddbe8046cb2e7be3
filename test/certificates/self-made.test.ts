import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { factsOf } from "../../src/certificates/facts.ts";
import { createSelfMade, type SelfMadeOptions } from "../../src/certificates/self-made.ts";
import { createSignOwn } from "../../src/host/linux/certificates/self-signed.ts";
import { createRunCommand } from "../../src/host/linux/commands.ts";

const build = new Date("2026-11-20T08:00:00Z");
const days = (count: number) => count * 86_400_000;
const after = (count: number) => new Date(build.getTime() + days(count));

/** A device with clocks of the test's own; the certificates are Debian's openssl's. */
function device(test: TestContext, directory = mkdtempSync(join(tmpdir(), "steward-certificate-"))) {
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  const said: unknown[] = [];
  const world = {
    directory: join(directory, "tls"),
    wanted: {
      names: ["edge-7", "edge-7.local"],
      lanNames: [] as string[],
      addresses: ["192.0.2.7", "2001:db8::7"],
    },
    now: build,
    floor: build,
    uptime: 100,
    said,
  };
  const options: SelfMadeOptions = {
    directory: world.directory,
    mayMake: () => true,
    signOwn: createSignOwn(createRunCommand(), directory),
    wanted: () => world.wanted,
    now: () => world.now,
    floor: () => world.floor,
    uptime: () => world.uptime,
    log: (_severity, message, members) => void said.push({ message, ...members }),
  };
  const start = (changes: Partial<SelfMadeOptions> = {}) => createSelfMade({ ...options, ...changes });
  const read = async (readOwn = start()) => {
    const pair = await readOwn();
    assert.ok(pair);
    return { ...pair, facts: factsOf(pair.certificate) };
  };
  return { world, start, read, directory };
}

describe("the certificate that the device makes", () => {
  it("is for its names and addresses, and openssl takes it for what it is", async (test) => {
    const { world, read } = device(test);
    const { facts } = await read();
    const path = join(world.directory, "certificate.pem");
    const openssl = (...args: string[]) => execFileSync("openssl", args, { encoding: "utf8" });
    const text = openssl("x509", "-in", path, "-noout", "-text");
    assert.match(text, /Version: 3 .*Subject: CN = edge-7\n.*NIST CURVE: P-256/s);
    assert.match(
      text,
      /DNS:edge-7, DNS:edge-7\.local, IP Address:192\.0\.2\.7, IP Address:2001:DB8:0:0:0:0:0:7/,
    );
    assert.match(text, /CA:FALSE.*Digital Signature\n.*TLS Web Server Authentication/s);
    const at = String(build.getTime() / 1_000);
    const verify = ["verify", "-attime", at, "-purpose", "sslserver", "-verify_hostname", "edge-7.local"];
    assert.match(openssl(...verify, "-CAfile", path, path), /: OK/);
    const shown = openssl("x509", "-in", path, "-noout", "-fingerprint", "-sha256").trim();
    assert.equal(shown.split("=")[1], facts.fingerprint);
    const publicKey = execFileSync("openssl", ["x509", "-in", path, "-noout", "-pubkey"]);
    const der = execFileSync("openssl", ["pkey", "-pubin", "-outform", "der"], { input: publicKey });
    const digest = execFileSync("openssl", ["dgst", "-sha256", "-binary"], { input: der });
    assert.equal(facts.keyPin, `sha256//${digest.toString("base64")}`);
    assert.equal(statSync(join(world.directory, "key.pem")).mode & 0o777, 0o600);
  });

  it("begins a day before the floor and lasts no longer than Apple's systems allow", async (test) => {
    const { facts } = await device(test).read();
    assert.equal(facts.notBefore.toISOString(), after(-1).toISOString());
    assert.equal((facts.notAfter.getTime() - facts.notBefore.getTime()) / days(1), 824);
  });

  it("is valid for a year and more, also where the floor lies far behind the present", async (test) => {
    for (const count of [0, 411, 413, 900, 5_000]) {
      const { world, read } = device(test);
      world.now = after(count);
      const { notBefore, notAfter } = (await read()).facts;
      assert.ok(notBefore < world.now, `${count} days`);
      assert.ok(notAfter.getTime() - world.now.getTime() > days(365), `${count} days`);
      assert.equal((notAfter.getTime() - notBefore.getTime()) / days(1), 824);
    }
  });

  it("is kept over restarts, also with a clock that shows 1970", async (test) => {
    const { read, world } = device(test);
    const first = await read();
    assert.deepEqual(await read(), first);
    // The floor counts, which is never earlier than the build.
    world.now = world.floor;
    assert.deepEqual(await read(), first);
  });

  const reasons: Record<string, (world: ReturnType<typeof device>["world"]) => void> = {
    dates: (world) => {
      world.now = after(800);
      world.floor = after(800);
    },
    names: (world) => {
      world.wanted = { ...world.wanted, names: ["edge-7", "edge-7.local", "pump.example.net"] };
    },
    lan: (world) => {
      world.wanted = { ...world.wanted, lanNames: ["edge-8.local"] };
    },
    addresses: (world) => {
      world.wanted = { ...world.wanted, addresses: ["192.0.2.8"] };
    },
  };
  for (const [reason, change] of Object.entries(reasons)) {
    it(`is made anew with the same key where its ${reason} no longer serve`, async (test) => {
      const { read, world } = device(test);
      const first = await read();
      change(world);
      const second = await read();
      assert.notEqual(second.facts.fingerprint, first.facts.fingerprint);
      assert.equal(second.facts.keyPin, first.facts.keyPin);
      assert.deepEqual(second.facts.names, [...world.wanted.names, ...world.wanted.lanNames]);
      assert.ok(second.facts.notBefore < world.now && second.facts.notAfter > world.now);
      assert.equal((world.said.at(-1) as { reason: string }).reason, reason);
    });
  }

  it("is made anew with the same key where it begins in the future, as after a clock that ran ahead", async (test) => {
    const { read, world } = device(test);
    world.now = world.floor = after(800);
    const first = await read();
    world.now = world.floor = build;
    const second = await read();
    assert.ok(first.facts.notBefore > world.now && second.facts.notBefore < world.now);
    assert.equal(second.facts.keyPin, first.facts.keyPin);
    assert.equal((world.said.at(-1) as { reason: string }).reason, "dates");
    world.now = second.facts.notBefore;
    assert.deepEqual(await read(), second, "its first moment is not in the future");
  });

  it("is made anew 30 days before its end, and not before", async (test) => {
    const { read, world } = device(test);
    const first = await read();
    const due = first.facts.notAfter.getTime() - days(30);
    world.now = new Date(due);
    assert.deepEqual(await read(), first);
    world.now = new Date(due + 1);
    assert.notEqual((await read()).facts.fingerprint, first.facts.fingerprint);
  });

  it("is exchanged for another address once a day at most, and never for one of IPv6", async (test) => {
    const { read, start, world } = device(test);
    const own = start();
    const first = await read(own);
    world.wanted = { ...world.wanted, addresses: ["192.0.2.8"] };
    assert.deepEqual(await read(own), first);
    world.uptime += 86_400;
    const second = await read(own);
    assert.deepEqual(second.facts.addresses, ["192.0.2.8"]);
    world.uptime += 86_400;
    world.wanted = { ...world.wanted, addresses: ["192.0.2.8", "2001:db8::9"] };
    assert.deepEqual(await read(own), second);
  });

  it("is exchanged for another address of IPv6 where there is none of IPv4, and at once for the first of either", async (test) => {
    const { read, start, world } = device(test);
    const own = start();
    const given = (...addresses: string[]) => {
      world.wanted = { ...world.wanted, addresses: [...addresses, "127.0.0.1", "::1"] };
      return read(own);
    };
    await given();
    const first = await given("fd00:db8::7");
    assert.ok(first.facts.addresses.includes("fd00:db8::7"), first.facts.addresses.join());
    assert.equal((await given("fd00:db8::8")).certificate, first.certificate, "not twice a day");
    assert.ok((await given("192.0.2.7", "fd00:db8::8")).facts.addresses.includes("192.0.2.7"));
  });

  it("is exchanged for another name that the LAN gives once a day at most: others can have it change each minute", async (test) => {
    const { read, start, world } = device(test);
    const own = start();
    await read(own);
    const renamed = (name: string) => {
      world.wanted = { ...world.wanted, lanNames: [name] };
      return read(own);
    };
    const first = await renamed("edge-8.local");
    assert.ok(first.facts.names.includes("edge-8.local"), first.facts.names.join());
    assert.equal((await renamed("edge-9.local")).certificate, first.certificate);
    world.uptime += 86_400;
    assert.ok((await renamed("edge-9.local")).facts.names.includes("edge-9.local"));
  });

  it("is made anew where its file is damaged, with the same key; and where the key is, with another", async (test) => {
    const { read, world } = device(test);
    const first = await read();
    writeFileSync(join(world.directory, "certificate.pem"), "-----BEGIN CERTIFICATE-----\nnothing\n");
    const second = await read();
    assert.equal(second.facts.keyPin, first.facts.keyPin);
    writeFileSync(join(world.directory, "key.pem"), "");
    const third = await read();
    assert.notEqual(third.facts.keyPin, first.facts.keyPin);
    assert.equal(readFileSync(join(world.directory, "certificate.pem"), "utf8"), third.certificate);
  });

  it("works where its files cannot be kept, and says that it will be another", async (test) => {
    const { read, start, world, directory } = device(test);
    writeFileSync(join(directory, "file"), "");
    const own = start({ directory: join(directory, "file") });
    const first = await read(own);
    assert.deepEqual(await read(own), first);
    assert.match(JSON.stringify(world.said), /the next start makes another/);
  });

  it("is not made by a command that only looks", async (test) => {
    const { start } = device(test);
    assert.equal(await start({ mayMake: () => false })(), null);
  });

  it("says what to install where there is no openssl", async (test) => {
    const { start, directory } = device(test);
    const signOwn = createSignOwn(createRunCommand({ path: "/nowhere" }), directory);
    await assert.rejects(start({ signOwn })(), /apt-get install openssl/);
  });
});
