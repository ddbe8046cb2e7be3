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
import type { Person } from "../../../src/accounts/tokens/bearer.ts";

const password = "quiet otters borrow umbrellas";

async function begin(known?: Parameters<typeof virtualHost>[0]) {
  const host = virtualHost(known);
  const rooms = await virtualSignIn(host);
  const { session } = rooms.sessions.open(rooms.account().id, context);
  const person = (): Person => ({
    ...{ kind: "user", account: rooms.account(), session, requiredAction: null },
    ...{ isSteppedUp: true, isTolerated: false },
  });
  const setUp = () => rooms.enrolment.setUp(person());
  const enable = (code: string, mayTrustClock = false) =>
    rooms.enrolment.enable(person(), code, mayTrustClock, context);
  const isEnabled = () => rooms.enrolment.status(rooms.account().id).enabled;
  return { host, ...rooms, session, person, setUp, enable, isEnabled };
}

describe("setting up a second factor", () => {
  it("changes nothing before it is enabled, and shows until when it can be", async () => {
    const { setUp, account, isEnabled } = await begin();
    const { secret, expires_at, otpauth_uri } = await setUp();
    assert.equal(expires_at, "2026-11-20T12:10:00.000Z");
    assert.match(otpauth_uri, new RegExp(`^otpauth://totp/Pump%20house:ana\\?secret=${secret}&`));
    assert.deepEqual([isEnabled(), account().two_factor], [false, null]);
  });
  it("is refused where there is one already", async () => {
    const rooms = await begin();
    await enrolled(rooms);
    assert.equal(await codeFrom(rooms.setUp()), "two_factor_already_enabled");
    assert.equal(await codeFrom(rooms.enable("123456")), "two_factor_already_enabled");
  });
});

describe("enabling it", () => {
  it("takes a code, gives ten recovery codes, ends other sessions and not this one", async () => {
    const { host, setUp, enable, isEnabled, sessions, session, account } = await begin();
    const other = sessions.open(account().id, context).session;
    const { secret } = await setUp();
    const { recovery_codes: codes } = await enable(codeAt(host, secret));
    assert.equal(new Set(codes).size, 10);
    assert.deepEqual([isEnabled(), account().two_factor?.recovery_hashes.length], [true, 10]);
    assert.deepEqual([sessions.find(other.id), sessions.find(session.id)?.id], [undefined, session.id]);
    assert.ok(!JSON.stringify(account()).includes(secret), "the secret is stored in clear");
  });
  it("consumes the code: it is no good for a sign-in", async () => {
    const { host, setUp, enable, secondFactor, account } = await begin();
    const { secret } = await setUp();
    const code = codeAt(host, secret);
    await enable(code);
    const factor = account().two_factor ?? assert.fail("not enabled");
    assert.equal(await codeFrom(secondFactor.prove(account(), factor, { code }, context)), "totp_reused");
    host.pass(30);
    const proof = { code: codeAt(host, secret) };
    assert.equal(await secondFactor.prove(account(), factor, proof, context), "totp");
  });
  it("with a wrong code changes nothing, and the right one works then", async () => {
    const { host, setUp, enable, isEnabled } = await begin();
    const { secret } = await setUp();
    for (const ahead of [86_400, 180, -180]) {
      assert.equal(await codeFrom(enable(codeAt(host, secret, ahead))), "totp_invalid");
    }
    assert.equal(isEnabled(), false);
    assert.equal(await codeFrom(enable(codeAt(host, secret))), "done");
  });
  it("is refused without a setup, and after ten minutes of monotonic time", async () => {
    const { host, setUp, enable } = await begin();
    assert.equal(await codeFrom(enable("123456")), "two_factor_not_pending");
    const { secret } = await setUp();
    host.step(365 * 86_400);
    host.pass(600);
    assert.equal(await codeFrom(enable(codeAt(host, secret))), "two_factor_not_pending");
  });
  it("keeps the secrets of four pages, and the first of more is gone", async () => {
    const { host, setUp, enable } = await begin();
    const secrets: string[] = [];
    for (let page = 0; page < 5; page += 1) secrets.push((await setUp()).secret);
    assert.equal(await codeFrom(enable(codeAt(host, secrets[0] ?? ""))), "totp_invalid");
    assert.equal(await codeFrom(enable(codeAt(host, secrets[1] ?? ""))), "done");
  });
  it("is refused while the clock is not trusted, with the known facts about the clock, unless the user accepts them", async () => {
    const { host, setUp, enable, isEnabled } = await begin({ trust: "none", state: "unsynchronised" });
    const { secret } = await setUp();
    const code = codeAt(host, secret);
    const refused = await errorFrom(enable(code));
    assert.equal(refused?.code, "clock_not_synchronised");
    assert.equal(refused.details.clock?.state, "unsynchronised");
    assert.equal(isEnabled(), false);
    assert.equal(await codeFrom(enable(code, true)), "done");
  });
  for (const trust of ["accepted", "trusted"] as const) {
    it(`under a clock that is ${trust} needs no such word`, async () => {
      const { host, setUp, enable } = await begin({ trust });
      const { secret } = await setUp();
      assert.equal(await codeFrom(enable(codeAt(host, secret))), "done");
    });
  }
  it("twice at the same moment with one code gives one set of recovery codes", async () => {
    const { host, setUp, enable } = await begin();
    const { secret } = await setUp();
    const code = codeAt(host, secret);
    const both = await Promise.all([codeFrom(enable(code)), codeFrom(enable(code))]);
    assert.deepEqual(both.sort(), ["done", "totp_reused"]);
  });
});

describe("taking it away", () => {
  it("takes password and code, ends other sessions, and forgets which codes were used", async () => {
    const rooms = await begin();
    const { host, accounts, account, enrolment, person, sessions, session, isEnabled } = rooms;
    await accounts.setPassword(account().id, password, null);
    const { secret } = await enrolled(rooms);
    const other = sessions.open(account().id, context).session;
    const disable = (proof: { password: string; code?: string }) =>
      codeFrom(enrolment.disable(person(), proof, context));
    const code = codeAt(host, secret);
    assert.equal(await disable({ password: "not the password at all", code }), "password_wrong");
    assert.equal(await disable({ password }), "totp_required");
    assert.equal(await disable({ password, code: codeAt(host, secret, 86_400) }), "totp_invalid");
    assert.equal(isEnabled(), true);
    assert.equal(await disable({ password, code }), "done");
    assert.equal(isEnabled(), false);
    assert.deepEqual([sessions.find(other.id), sessions.find(session.id)?.id], [undefined, session.id]);
    assert.equal(await disable({ password, code }), "two_factor_not_enabled");
  });
  it("is refused where the policy asks for one", async () => {
    const rooms = await begin();
    await enrolled(rooms);
    rooms.policy.isRequired = true;
    const disabling = rooms.enrolment.disable(rooms.person(), { password }, context);
    assert.equal(await codeFrom(disabling), "two_factor_required_by_policy");
    assert.equal(rooms.isEnabled(), true);
  });
  it("by an administrator clears its lock, and the next secret begins with nothing used", async () => {
    const rooms = await begin();
    const { host, throttle, account, enrolment, secondFactor, setUp, enable } = rooms;
    const { secret: old, factor } = await enrolled(rooms);
    await secondFactor.prove(account(), factor(), { code: codeAt(host, old) }, context);
    for (let wrong = 0; wrong < 10; wrong += 1) throttle.wrongCode("ana");
    assert.throws(() => throttle.checkCodes("ana"), { code: "account_locked" });
    await enrolment.remove(account().id);
    throttle.checkCodes("ana");
    const { secret } = await setUp();
    assert.equal(await codeFrom(enable(codeAt(host, secret))), "done");
  });
  it("kills a setup that was begun before it", async () => {
    const { host, enrolment, account, setUp, enable } = await begin();
    const { secret } = await setUp();
    await enrolment.remove(account().id);
    assert.equal(await codeFrom(enable(codeAt(host, secret))), "two_factor_not_pending");
  });
});

describe("new recovery codes", () => {
  it("end the old ones, and take a factor", async () => {
    const rooms = await begin();
    const { enrolment, person, secondFactor, account } = rooms;
    assert.equal(await codeFrom(enrolment.renewRecoveryCodes(person())), "two_factor_not_enabled");
    const { factor, recoveryCodes } = await enrolled(rooms);
    const renewed = await enrolment.renewRecoveryCodes(person());
    const prove = (code: string | undefined) =>
      codeFrom(secondFactor.prove(account(), factor(), { recovery_code: code }, context));
    assert.equal(await prove(recoveryCodes[0]), "recovery_code_invalid");
    assert.equal(await prove(renewed[0]), "done");
    assert.equal(await prove(renewed[0]), "recovery_code_invalid");
  });
});
