import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { connect } from "node:tls";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { createAuthority } from "../../../lab/host/certificates.ts";
import { type Chronyd, startChronyd } from "../../../lab/host/chronyd.ts";
import { realTimers } from "../../../lab/host/timers.ts";
import { createExchange, type Seal } from "../../../src/clock/ntp/exchange.ts";
import {
  exportedKeys,
  isWholeKeyExchange,
  keyExchangeRequest,
  readKeyExchange,
} from "../../../src/clock/nts/key-exchange-messages.ts";
import { type ProtectedRequest, protect } from "../../../src/clock/nts/protected-packets.ts";
import { assertOffset, common, exchange, sampleIn } from "../exchanging.ts";

/** By the deadline that it has on a device. */
const timed = createExchange({ ...common, timers: realTimers });

interface Keys {
  readonly c2s: Uint8Array;
  readonly s2c: Uint8Array;
  readonly cookies: readonly Uint8Array[];
}

/** One key exchange over node:tls, as RFC 8915 §4 has it. */
async function exchangeKeys(port: number | null, ca: string, request = keyExchangeRequest()): Promise<Keys> {
  const socket = connect({
    host: "127.0.0.1",
    port: port ?? 0,
    ca,
    ALPNProtocols: ["ntske/1"],
    minVersion: "TLSv1.3",
  });
  try {
    await new Promise<void>((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
    assert.equal(socket.alpnProtocol, "ntske/1");
    const [c2s, s2c] = exportedKeys.map(({ label, context, bytes }) =>
      socket.exportKeyingMaterial(bytes, label, Buffer.from(context)),
    );
    let answer = Buffer.alloc(0);
    socket.write(request);
    for await (const bytes of socket) {
      answer = Buffer.concat([answer, bytes]);
      if (isWholeKeyExchange(answer)) break;
    }
    const agreed = readKeyExchange(answer);
    assert.ok(agreed.kind === "agreed" && c2s && s2c, JSON.stringify(agreed));
    return { c2s, s2c, cookies: agreed.cookies };
  } finally {
    socket.destroy();
  }
}

describe("Debian's chronyd as a server with NTS", () => {
  const directory = scratchDirectory();
  const authority = createAuthority(directory);
  let server: Chronyd;
  let keys: Keys;
  before(async () => {
    server = await startChronyd({ nts: authority.certify("127.0.0.1") });
    keys = await exchangeKeys(server.ntsPort, readFileSync(authority.path, "utf8"));
  });
  after(() => server.stop());

  const address = (): { address: string; port: number } => ({ address: "127.0.0.1", port: server.port });

  /** A seal with this cookie, and the request that it made. */
  function sealing(cookie = keys.cookies[0], placeholders = 0): { seal: Seal; made: () => ProtectedRequest } {
    assert.ok(cookie);
    let made: ProtectedRequest | undefined;
    return {
      seal: (request) => {
        made = protect(request, { ...keys, cookie, placeholders, random: randomBytes });
        return made;
      },
      made: () => {
        assert.ok(made);
        return made;
      },
    };
  }

  it("gives eight cookies, and an authenticated time with a new one", async () => {
    assert.equal(keys.cookies.length, 8);
    const { seal, made } = sealing();
    const outcome = await exchange(address(), seal);
    assertOffset(sampleIn(outcome));
    assert.deepEqual([sampleIn(outcome).stratum, outcome.ignored], [2, []]);
    const [fresh] = made().cookies();
    assert.ok(fresh && fresh.length === keys.cookies[0]?.length);
    assert.ok(keys.cookies.every((cookie) => Buffer.compare(cookie, fresh) !== 0));
    // The new one is good in its turn.
    sampleIn(await exchange(address(), sealing(fresh).seal));
  });

  it("fills the store up where placeholders ask for it", async () => {
    const { seal, made } = sealing(keys.cookies[1], 7);
    sampleIn(await exchange(address(), seal));
    assert.equal(
      new Set(
        made()
          .cookies()
          .map((cookie) => Buffer.from(cookie).toString("hex")),
      ).size,
      8,
    );
  });

  it("takes a cookie twice, as it keeps no state", async () => {
    for (let turn = 0; turn < 2; turn += 1)
      sampleIn(await exchange(address(), sealing(keys.cookies[2]).seal));
  });

  it("answers a cookie with a flipped bit by NTSN, which ends nothing before the deadline", async () => {
    const spoilt = Uint8Array.from(keys.cookies[3] ?? []);
    spoilt[50] = (spoilt[50] ?? 0) ^ 1;
    assert.deepEqual(await timed(address(), sealing(spoilt).seal), {
      kind: "silent",
      reason: "nts_nak",
      ignored: ["nts_nak"],
    });
  });

  it("answers a request that another key has sealed by NTSN", async () => {
    const cookie = keys.cookies[4] ?? Buffer.alloc(0);
    const seal: Seal = (request) =>
      protect(request, { ...keys, cookie, c2s: randomBytes(32), placeholders: 0, random: randomBytes });
    assert.deepEqual((await timed(address(), seal)).ignored, ["nts_nak"]);
  });

  it("is not believed under the keys of another association", async () => {
    const other = await exchangeKeys(server.ntsPort, readFileSync(authority.path, "utf8"));
    const seal: Seal = (request) =>
      protect(request, {
        ...{ c2s: keys.c2s, s2c: other.s2c, cookie: keys.cookies[5] ?? Buffer.alloc(0) },
        ...{ placeholders: 0, random: randomBytes },
      });
    assert.deepEqual((await timed(address(), seal)).ignored, ["not_authentic"]);
  });

  it("refuses a request for another protocol, and the refusal is read", async () => {
    const request = Uint8Array.from(keyExchangeRequest());
    request[5] = 1;
    const asked = exchangeKeys(server.ntsPort, readFileSync(authority.path, "utf8"), request);
    await assert.rejects(asked, /nts_refused.*NTPv4/);
  });
});
