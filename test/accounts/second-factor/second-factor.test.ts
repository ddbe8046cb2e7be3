import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { virtualHost } from "../../../lab/simulated/virtual-host.ts";
import {
  codeAt,
  codeFrom,
  context,
  enrolled,
  errorFrom,
  virtualSignIn,
} from "../../../lab/simulated/virtual-sign-in.ts";

const day = 86_400;

async function begin(known?: Parameters<typeof virtualHost>[0]) {
  const host = virtualHost(known);
  const rooms = await virtualSignIn(host);
  const ana = await enrolled(rooms);
  const prove = (proof: { code?: string; recovery_code?: string | undefined }) =>
    rooms.secondFactor.prove(rooms.account(), ana.factor(), proof, context);
  const isSuspected = async (aheadSeconds: number): Promise<boolean | undefined> => {
    const error = await errorFrom(prove({ code: codeAt(host, ana.secret, aheadSeconds) }));
    assert.equal(error?.code, "totp_invalid");
    return error.details.clock?.skew_suspected;
  };
  return { host, ...rooms, ...ana, prove, isSuspected };
}

describe("a code", () => {
  for (const ahead of [-30, 0, 30])
    it(`of the time step ${ahead} s from now is taken, once`, async () => {
      const { host, secret, prove } = await begin();
      const code = codeAt(host, secret, ahead);
      assert.equal(await prove({ code }), "totp");
      assert.equal(await codeFrom(prove({ code })), "totp_reused");
    });
  for (const ahead of [-60, 60, 180, -600, 600, day])
    it(`of the time step ${ahead} s from now is never taken`, async () => {
      const { host, secret, prove } = await begin();
      for (const _ of [1, 2, 3])
        assert.equal(await codeFrom(prove({ code: codeAt(host, secret, ahead) })), "totp_invalid");
    });
  it("or a recovery code has to be given", async () => {
    const { prove } = await begin();
    assert.equal(await codeFrom(prove({})), "totp_required");
  });
  it("of a time ahead that was guessed is burnt on the disk before the guess is answered", async (test) => {
    const { host, secret, prove, usedCodes } = await begin();
    const order: string[] = [];
    const burn = usedCodes.burn.bind(usedCodes);
    test.mock.method(usedCodes, "burn", async (...args: Parameters<typeof burn>) => {
      await burn(...args);
      order.push("burnt");
    });
    order.push(await codeFrom(prove({ code: codeAt(host, secret, 600) })));
    assert.deepEqual(order, ["burnt", "totp_invalid"]);
  });
  it("of a time ahead that was guessed is burnt: it does not work when its time comes", async () => {
    for (const arrive of ["pass", "step"] as const) {
      const { host, secret, prove } = await begin();
      const guess = codeAt(host, secret, 600);
      assert.equal(await codeFrom(prove({ code: guess })), "totp_invalid");
      host[arrive](600);
      assert.equal(await codeFrom(prove({ code: guess })), "totp_reused", arrive);
    }
  });
});

describe("a skew", () => {
  it("is suspected at once while the clock is not trusted", async () => {
    const { isSuspected } = await begin({ trust: "none" });
    assert.equal(await isSuspected(180), true);
    assert.equal(await isSuspected(day), false, "a code of no time near");
  });
  it("takes two tries in a row under a trusted clock, a time step more or less", async () => {
    const { host, isSuspected } = await begin();
    assert.equal(await isSuspected(180), false);
    host.pass(30);
    assert.equal(await isSuspected(210), true);
    assert.equal(await isSuspected(-210), false);
  });
  it("is no row with a code between that is right, or of no time", async () => {
    const { host, secret, prove, isSuspected } = await begin();
    assert.equal(await isSuspected(180), false);
    assert.equal(await isSuspected(day), false);
    assert.equal(await isSuspected(180), false);
    await prove({ code: codeAt(host, secret) });
    assert.equal(await isSuspected(180), false);
  });
  it("is written down to the time step, with who and whence and without the code", async () => {
    const { events, isSuspected, account } = await begin({ trust: "none" });
    for (const seconds of [180, -600]) await isSuspected(seconds);
    const types = events.map(({ type, details }) => [type, details.skew_seconds, details.is_clock_trusted]);
    assert.deepEqual(types, [
      ["two_factor.skew_seen", 180, false],
      ["two_factor.skew_seen", -600, false],
    ]);
    const [event] = events;
    assert.deepEqual([event?.subject?.id, event?.from], [account().id, context.address]);
    assert.doesNotMatch(JSON.stringify(events), /"\d{6}"/, "no code");
  });
  it("asks for one synchronisation in five minutes of monotonic time, and only while the clock is not trusted", async () => {
    const { host, syncs, isSuspected } = await begin({ trust: "none" });
    for (let tries = 0; tries < 3; tries += 1) await isSuspected(day);
    host.pass(299);
    await isSuspected(180);
    assert.equal(syncs.length, 1);
    host.pass(1);
    await isSuspected(180);
    assert.equal(syncs.length, 2);
    host.know({ trust: "accepted" });
    host.pass(day);
    await isSuspected(180);
    assert.equal(syncs.length, 2);
  });
});

describe("ten wrong codes in a row", () => {
  it("refuse all codes, and no recovery code; a right code before them ends the row", async () => {
    const { host, secret, recoveryCodes, prove, isSuspected } = await begin();
    for (let tries = 0; tries < 9; tries += 1) await isSuspected(day);
    await prove({ code: codeAt(host, secret) });
    host.pass(30);
    for (let tries = 0; tries < 10; tries += 1) await isSuspected(day);
    const code = codeAt(host, secret);
    const refused = await errorFrom(prove({ code }));
    assert.deepEqual([refused?.code, refused?.details.retryAfterSeconds], ["account_locked", 900]);
    assert.equal(await prove({ recovery_code: recoveryCodes[0] }), "recovery_code");
    host.pass(900);
    assert.equal(await prove({ code: codeAt(host, secret) }), "totp", "the lock has spent no code");
  });
  it("that come at once are ten as well, and the eleventh is not looked at", async () => {
    const { host, secret, prove } = await begin();
    const code = codeAt(host, secret, day);
    const tries = await Promise.all(Array.from({ length: 30 }, () => codeFrom(prove({ code }))));
    assert.equal(tries.filter((one) => one === "totp_invalid").length, 10);
    assert.equal(tries.filter((one) => one === "account_locked").length, 20);
    const right = codeAt(host, secret);
    assert.equal(await codeFrom(prove({ code: right })), "account_locked");
  });
  it("count malformed codes, but neither used codes nor codes of another time", async () => {
    const { host, secret, prove, isSuspected } = await begin();
    const code = codeAt(host, secret);
    await prove({ code });
    for (let tries = 0; tries < 9; tries += 1) {
      assert.equal(await codeFrom(prove({ code: "none" })), "totp_invalid");
      assert.equal(await codeFrom(prove({ code })), "totp_reused");
      await isSuspected(180 + 30 * tries);
    }
    assert.equal(await codeFrom(prove({ code: "none" })), "totp_invalid");
    assert.equal(await codeFrom(prove({ code })), "account_locked");
  });
  for (const trust of ["trusted", "none"] as const) {
    const count = trust === "none" ? 405 : 40;
    it(`lock codes also while the trust in the clock is "${trust}" (${count} guesses with the right password)`, async () => {
      const { prove, secret, host } = await begin({ trust });
      const code = codeAt(host, secret, day);
      const guesses = await Promise.all(Array.from({ length: count }, () => codeFrom(prove({ code }))));
      assert.equal(guesses.filter((one) => one === "totp_invalid").length, 10);
    });
    it(`and thirty of other times within an hour do, while it is "${trust}", as the events say`, async () => {
      const { prove, secret, host, events } = await begin({ trust });
      const answers = [];
      for (let step = 2; step <= 20; step += 1) {
        for (const sign of [1, -1]) {
          answers.push(await codeFrom(prove({ code: codeAt(host, secret, sign * step * 30) })));
        }
      }
      assert.deepEqual(answers, [...Array(30).fill("totp_invalid"), ...Array(8).fill("account_locked")]);
      const locks = events.filter(({ type }) => type === "codes.locked");
      const found = locks.map(({ details }) => details);
      assert.deepEqual(found, [{ seconds: 3_600 }]);
    });
  }
});

describe("two parallel uses", () => {
  it("of one code: exactly one wins, a hundred times out of a hundred", async () => {
    const { host, secret, prove } = await begin();
    for (let round = 0; round < 100; round += 1) {
      // Used ones are judged, too, thirty an hour.
      host.pass(150);
      const code = codeAt(host, secret);
      const both = await Promise.all([codeFrom(prove({ code })), codeFrom(prove({ code }))]);
      assert.deepEqual(both.sort(), ["done", "totp_reused"], `round ${round}`);
    }
  });
  it("of one recovery code: exactly one wins, a hundred times out of a hundred", async () => {
    const rooms = await begin();
    let codes: readonly string[] = [];
    for (let round = 0; round < 100; round += 1) {
      if (round % 10 === 0) codes = (await enrolled(rooms)).recoveryCodes;
      const recovery_code = codes[round % 10];
      // Both have looked the account up before either spends the code.
      const account = rooms.account();
      const factor = account.two_factor;
      assert.ok(factor, "ana has a factor");
      const use = () => codeFrom(rooms.secondFactor.prove(account, factor, { recovery_code }, context));
      const both = await Promise.all([use(), use()]);
      assert.deepEqual(both.sort(), ["done", "recovery_code_invalid"], `round ${round}`);
    }
  });
});
