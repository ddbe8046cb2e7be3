import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, before, describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createServer } from "node:tls";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { type Authority, createAuthority, type ServerCertificate } from "../../../lab/host/certificates.ts";
import { type Chronyd, startChronyd } from "../../../lab/host/chronyd.ts";
import { hostClock } from "../../../lab/host/host-clock.ts";
import type { Asked } from "../../../lab/host/hostile-time-server.ts";
import { heldTimers } from "../../../lab/host/timers.ts";
import { createCounters } from "../../../src/clock/counters.ts";
import { createExchange, type Exchange } from "../../../src/clock/ntp/exchange.ts";
import { encodeRequest } from "../../../src/clock/ntp/ntp-packet.ts";
import type { ExchangeOutcome } from "../../../src/clock/ntp/sample.ts";
import { SourcePool } from "../../../src/clock/ntp/source-pool.ts";
import { NtsAssociation } from "../../../src/clock/nts/association.ts";
import { exchangeKeys } from "../../../src/clock/nts/key-exchange.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { isLocalAddress } from "../../../src/host/linux/network/server-addresses.ts";
import { createKeyExchange } from "../../../src/host/linux/nts/key-exchange.ts";
import type { Datagrams } from "../../../src/host/ports.ts";
import {
  assertOffset,
  common,
  countedDatagrams,
  endServersAfterEach,
  exchange,
  sampleIn,
  serve,
} from "../exchanging.ts";

const name = "time.example";
const address = "127.0.0.1";
const directory = scratchDirectory();

let authority: Authority;
let stranger: Authority;
let server: Chronyd;
let other: Chronyd;

before(async () => {
  authority = createAuthority(scratchDirectory());
  stranger = createAuthority(scratchDirectory());
  const nts = authority.certify(name);
  [server, other] = await Promise.all([startChronyd({ nts }), startChronyd({ nts })]);
});

after(() => Promise.all([server.stop(), other.stop()]));

endServersAfterEach();

/** An association of a device that knows one authority, on a network whose names lead to this machine. */
function associate(port: number | null): NtsAssociation {
  assert.ok(port !== null, "the server has a key exchange");
  const own = process.getuid?.();
  const ask = createKeyExchange({ run: createRunCommand(), directory, caFile: authority.path, own });
  return new NtsAssociation(
    { host: name, port },
    {
      ...resolution,
      exchangeKeys: (keyRequest) => exchangeKeys(ask, keyRequest),
      monotonic,
      random: randomBytes,
    },
  );
}

const monotonic = () => hostClock.read().monotonicSeconds;
const resolution = { resolve: async (host: string) => [host === name ? address : host], isLocalAddress };

/** The time servers of such a device, by the ports of their key exchanges. */
function poolOf(ports: readonly (number | null)[], exchange: Exchange): SourcePool {
  const openAssociation = async (server: { port: number }) => associate(server.port);
  const counters = createCounters();
  const times = { timers: heldTimers(), monotonic, moved: () => 0 };
  const pool = new SourcePool({ ...resolution, exchange, openAssociation, counters, ...times });
  const servers = ports.map((port) => ({ host: `${name}:${port}`, nts: true }));
  pool.configure(servers, true);
  return pool;
}

const request = { burst: 1, isAsked: false };
const failuresOf = (pool: SourcePool) => pool.sources().map((source) => source.failure());

async function associated(port: number | null): Promise<NtsAssociation> {
  const association = associate(port);
  const target = await association.target({ isAsked: false });
  assert.ok(!("failure" in target), JSON.stringify(target));
  return association;
}

function spend({ seal }: NtsAssociation, cookies: number): void {
  for (let spent = 0; spent < cookies; spent += 1) seal(Buffer.alloc(48));
}
const assertSpent = (association: NtsAssociation) =>
  assert.throws(() => spend(association, 1), /after a key exchange/);

const nowSeconds = () => Date.now() / 1_000;

/** The reply of chronyd to this packet. */
async function replyOf(packet: Uint8Array, port: number): Promise<Buffer> {
  const socket = createSocket("udp4");
  try {
    const heard = once(socket, "message");
    socket.send(packet, port, address);
    return (await heard)[0] as Buffer;
  } finally {
    socket.close();
  }
}

/** Asks chronyd through an attacker on the way, who sends these packets on in place of the reply. */
async function askThrough(
  association: NtsAssociation,
  meddle: (reply: Buffer, asked: Asked) => readonly Uint8Array[],
): Promise<ExchangeOutcome> {
  const relay = await serve(async (asked) => {
    const reply = await replyOf(asked.request, server.port);
    for (const packet of meddle(reply, asked)) {
      await asked.send(packet);
      // The device reads it now: hundreds of them would not fit into the kernel's buffer.
      await setImmediate();
    }
  });
  return exchange({ address, port: relay.port }, association.seal);
}

/** An exchange whose deadline passes right after its first packet. */
const briefExchange: Exchange = (to, seal) => {
  const timers = heldTimers();
  const datagrams: Datagrams = {
    connect: (at, handlers) =>
      countedDatagrams.connect(at, {
        ...handlers,
        onPacket: (packet, ageSeconds) => {
          handlers.onPacket(packet, ageSeconds);
          timers.runOut();
        },
      }),
  };
  return createExchange({ ...common, datagrams, timers })(to, seal);
};

const firstPacketAt = (port: number, { seal }: NtsAssociation): Promise<ExchangeOutcome> =>
  briefExchange({ address, port }, seal);

/** A packet without its extension field of this type (RFC 7822 §2). */
function without(packet: Buffer, type: number): Buffer {
  const left = [packet.subarray(0, 48)];
  for (let at = 48; at < packet.length; at += packet.readUInt16BE(at + 2))
    if (packet.readUInt16BE(at) !== type) left.push(packet.subarray(at, at + packet.readUInt16BE(at + 2)));
  return Buffer.concat(left);
}

describe("an attacker between a device and Debian's chronyd with NTS", () => {
  it("who does nothing lets authenticated time through, each request with a cookie of its own", async () => {
    const association = await associated(server.ntsPort);
    const cookies = new Set<string>();
    for (let turn = 0; turn < 20; turn += 1) {
      const outcome = await askThrough(association, (reply, { request }) => {
        cookies.add(request.toString("latin1", 88, 188));
        return [reply];
      });
      assertOffset(sampleIn(outcome));
    }
    assert.equal(cookies.size, 20);
  });

  it("who drops six requests costs no key exchange: the next reply brings as many cookies", async () => {
    const association = await associated(server.ntsPort);
    spend(association, 6);
    await askThrough(association, (reply) => [reply]);
    spend(association, 8);
    assertSpent(association);
  });

  it("cannot change a single byte of a reply", async () => {
    const association = await associated(server.ntsPort);
    const lies: Uint8Array[] = [];
    const outcome = await askThrough(association, (reply) => {
      const bytes = Uint8Array.from(reply);
      for (const [at, byte] of bytes.entries()) lies.push(bytes.with(at, byte ^ (1 << (at % 8))));
      return [...lies, reply];
    });
    assertOffset(sampleIn(outcome));
    assert.equal(outcome.ignored.length, lies.length);
    assert.ok(lies.length >= 228, String(lies.length));
  });

  it("cannot replay a reply", async () => {
    const association = await associated(server.ntsPort);
    let old: Buffer | undefined;
    await askThrough(association, (reply) => {
      old = reply;
      return [reply];
    });
    const outcome = await askThrough(association, (reply, { request }) => {
      assert.ok(old);
      // With the new request's nonce too: only the identifier and the proof tell it from a fresh one.
      const dressed = Buffer.from(old);
      request.copy(dressed, 24, 40, 48);
      return [old, dressed, reply];
    });
    assertOffset(sampleIn(outcome));
    assert.deepEqual(outcome.ignored, ["not_authentic", "not_authentic"]);
  });

  it("cannot strip extension fields, down to plain NTP or a kiss-o'-death", async () => {
    const association = await associated(server.ntsPort);
    const outcome = await askThrough(association, (reply, asked) => [
      // The authenticator, the unique identifier, all.
      ...[without(reply, 0x0404), without(reply, 0x0104)],
      reply.subarray(0, 48),
      asked.reply(),
      asked.reply({ stratum: 0, refid: "DENY" }),
      reply,
    ]);
    assertOffset(sampleIn(outcome));
    assert.equal(outcome.ignored.length, 5);
  });

  it("cannot have the cookies of one server taken by another, which brings new keys", async () => {
    const association = await associated(server.ntsPort);
    const outcome = await firstPacketAt(other.port, association);
    assert.deepEqual(outcome, { kind: "silent", reason: "nts_nak", ignored: ["nts_nak"] });
    association.refused();
    await association.target({ isAsked: false });
    assertOffset(sampleIn(await exchange({ address, port: server.port }, association.seal)));
  });

  it("cannot have cookies of former keys used by holding a reply back", async () => {
    const association = await associated(server.ntsPort);
    const sealed = association.seal(encodeRequest(randomBytes(8)));
    const held = await replyOf(Buffer.from(sealed.packet), server.port);
    assert.equal(await association.confirm(nowSeconds()), null);
    spend(association, 8);
    assert.equal(sealed.open(held).length, 48);
    assertSpent(association);
  });

  it("cannot have the device ask in plain where the key exchange is closed", async () => {
    const relay = await serve(({ send, reply }) => send(reply()));
    const pool = poolOf([relay.port], exchange);
    await pool.poll(request);
    assert.deepEqual(failuresOf(pool), ["nts_unreachable ECONNREFUSED"]);
    assert.equal(relay.requests.length, 0);
  });
});

/** A key exchange of the test's own: these records, in the form of RFC 8915 §4. */
async function serveKeys(test: TestContext, certificate: ServerCertificate, records = agreed(15)) {
  const options = { ...certificate, ALPNProtocols: ["ntske/1"], minVersion: "TLSv1.3" } as const;
  const tls = createServer(options, (socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(records));
  });
  tls.listen(0, address);
  await once(tls, "listening");
  test.after(() => tls.close());
  return (tls.address() as AddressInfo).port;
}

const record = (type: number, ...body: number[]) =>
  Buffer.from([type >> 8, type & 255, body.length >> 8, body.length & 255, ...body]);
const critical = 0x8000;
const cookie = record(5, ...Buffer.alloc(100, 7));
function agreed(algorithm: number, ...more: Buffer[]): Buffer {
  const head = [record(critical | 1, 0, 0), record(critical | 4, 0, algorithm), cookie];
  return Buffer.concat([...head, ...more, record(critical | 0)]);
}

const failureOf = (target: object) => ("failure" in target ? String(target.failure).split(" ")[0] : null);

/** The port of a key exchange that names a port of this machine as the one of its NTP server. */
async function sendingTo(test: TestContext, port: number): Promise<number> {
  const elsewhere = record(critical | 6, ...Buffer.from(address));
  const records = agreed(15, elsewhere, record(critical | 7, port >> 8, port & 255));
  return serveKeys(test, authority.certify(name), records);
}

/** An authenticator with a nonce and a tag of zeros. */
const forgedAuthenticator = Buffer.concat([Buffer.from("0404002800100010", "hex"), Buffer.alloc(32)]);

const past = { from: "20100101000000Z", until: "20110101000000Z" };

describe("a false key exchange", () => {
  for (const [what, given, failure] of [
    ["of an unknown authority", () => [stranger.certify(name)], "nts_unknown_authority"],
    // Its dates are wrong besides.
    ["of an unknown authority, of the past", () => [stranger.certify(name, past)], "nts_unknown_authority"],
    ["for another name", () => [authority.certify("other.example")], "nts_wrong_name"],
    ["with algorithm 16", () => [authority.certify(name), agreed(16)], "nts_refused"],
    ["with algorithm 30", () => [authority.certify(name), agreed(30)], "nts_refused"],
  ] as [string, () => [ServerCertificate, Buffer?], string][])
    it(`${what} is refused: ${failure}`, async (test) => {
      const association = associate(await serveKeys(test, ...given()));
      assert.equal(failureOf(await association.target({ isAsked: false })), failure);
    });

  it("with a stolen key whose certificate has ended counts for no present time", async (test) => {
    const association = await associated(await serveKeys(test, authority.certify(name, past)));
    assert.equal(association.isProvisional(), true);
    const failed = await association.confirm(nowSeconds());
    assert.equal(failureOf(failed ?? {}), "nts_certificate_expired");
    assertSpent(association);
  });

  it("that sends elsewhere brings no time from a server without the keys", async (test) => {
    const impostor = await serve(({ send, reply, request: { buffer, byteOffset } }) =>
      send(Buffer.concat([reply(), new Uint8Array(buffer, byteOffset + 48, 36), forgedAuthenticator])),
    );
    for (const [to, reason] of [
      [other.port, "nts_nak"],
      [impostor.port, "not_authentic"],
    ] as const) {
      const association = associate(await sendingTo(test, to));
      const target = await association.target({ isAsked: false });
      assert.ok(!("failure" in target));
      assert.deepEqual([target.host, target.port], [address, to]);
      const outcome = await firstPacketAt(to, association);
      assert.deepEqual(outcome, { kind: "silent", reason, ignored: [reason] });
    }
  });

  it("that sends to a server without NTS has no plain reply taken", async (test) => {
    const relay = await serve(({ send, reply }) => send(reply()));
    const pool = poolOf([await sendingTo(test, relay.port)], briefExchange);
    await pool.poll(request);
    assert.deepEqual(failuresOf(pool), ["not_authentic"]);
  });

  it("that sends to the server of another one gives it no second vote", async (test) => {
    const relay = await serve(({ send, reply }) => send(reply()));
    const ports = [await sendingTo(test, relay.port), await sendingTo(test, relay.port)];
    const pool = poolOf(ports, briefExchange);
    await pool.poll(request);
    assert.deepEqual(failuresOf(pool).sort(), ["not_authentic", "same_server"]);
  });

  it("is confirmed with new keys by a certificate that is valid now", async () => {
    const association = await associated(server.ntsPort);
    assert.equal(association.isProvisional(), true);
    assert.equal(await association.confirm(nowSeconds()), null);
    assert.equal(association.isProvisional(), false);
    assertOffset(sampleIn(await exchange({ address, port: server.port }, association.seal)));
  });
});

describe("time under a certificate whose dates were not judged", () => {
  it("does not count until they are", async () => {
    const pool = poolOf([server.ntsPort], exchange);
    await pool.poll(request);
    assert.deepEqual(failuresOf(pool), [null]);
    assert.equal(pool.ballot(null).measurement, null);
    await pool.confirm(nowSeconds(), request);
    assert.deepEqual(failuresOf(pool), [null]);
    assert.ok(pool.ballot(null).measurement);
  });

  it("is forgotten where they turn out to be over", async (test) => {
    const thief = await startChronyd({ nts: authority.certify(name, past) });
    test.after(() => thief.stop());
    const pool = poolOf([thief.ntsPort], exchange);
    await pool.poll(request);
    assert.notEqual(pool.provisionalOffset(null), null);
    await pool.confirm(nowSeconds(), request);
    assert.equal(failureOf({ failure: failuresOf(pool)[0] }), "nts_certificate_expired");
    assert.equal(pool.ballot(null).measurement, null);
  });
});
