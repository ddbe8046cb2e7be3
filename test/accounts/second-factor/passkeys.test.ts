import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { softwarePasskey } from "../../../lab/basics/software-passkey.ts";
import { virtualHost } from "../../../lab/simulated/virtual-host.ts";
import {
  codeFrom,
  context,
  enrolled,
  errorFrom,
  virtualSignIn,
} from "../../../lab/simulated/virtual-sign-in.ts";
import type { RequestContext } from "../../../src/accounts/request-context.ts";
import { createPasskeyChallenges } from "../../../src/accounts/second-factor/passkey-challenges.ts";

const page = { origin: "https://edge-7.local:8443", host: "edge-7.local" };
const here = { ...context, pageOrigin: page.origin };

async function begin(options?: { hasCounter?: boolean }) {
  const host = virtualHost();
  const rooms = await virtualSignIn(host);
  const { factor } = await enrolled(rooms);
  const { passkeys, account, secondFactor } = rooms;
  const phone = softwarePasskey(options);
  const add = async (one = phone, name = "Phone") =>
    passkeys.add(account(), { name, ...one.make(passkeys.begin(account(), here).challenge, page) }, here);
  const ask = () => passkeys.ask(account(), here) ?? assert.fail("nothing is asked");
  const prove = (passkey: ReturnType<typeof phone.use>, where: RequestContext = here) =>
    secondFactor.prove(account(), factor(), { passkey }, where);
  return { host, ...rooms, factor, phone, add, ask, prove };
}

/** Client data as a browser writes them. */
const client = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function challenges() {
  let now = 0;
  const { open, take } = createPasskeyChallenges(() => now);
  return {
    ...{ open, take },
    pass: (seconds: number): void => {
      now += seconds;
    },
  };
}

describe("a passkey", () => {
  it("is asked for and proves the second factor, each challenge once", async () => {
    const { add, ask, prove, phone, factor } = await begin();
    const { id, name, host, last_used_at } = await add();
    assert.deepEqual([name, host, last_used_at], ["Phone", "edge-7.local", null]);
    assert.match(id, /^psk_[0-9a-f]{32}$/);
    const asked = ask();
    assert.deepEqual([asked.host, asked.credentials], ["edge-7.local", [{ id: phone.id }]]);
    const answer = phone.use(asked.challenge, page);
    assert.equal(await prove(answer), "passkey");
    const found = factor().passkeys?.map(({ sign_count, last_used_at }) => [sign_count, last_used_at]);
    assert.deepEqual(found, [[1, "2026-11-20T12:00:00.000Z"]]);
    assert.equal(await codeFrom(prove(answer)), "passkey_invalid");
  });
  it("is asked for only under its own name, and nowhere that browsers have none", async () => {
    const { add, passkeys, account } = await begin();
    await add();
    const elsewhere = [
      "https://edge-7.example.net",
      "https://192.0.2.7:8443",
      "https://[2001:db8::7]",
      undefined,
    ];
    for (const pageOrigin of [...elsewhere, "http://edge-7.local"])
      assert.equal(passkeys.ask(account(), { ...context, pageOrigin }), undefined, pageOrigin);
    for (const pageOrigin of [elsewhere[1], elsewhere[2], undefined]) {
      const attempt = async () => passkeys.begin(account(), { ...context, pageOrigin });
      assert.equal(await codeFrom(attempt()), "passkey_not_possible", pageOrigin);
    }
  });
  it("proves nothing from another page, in a frame, late, or by another's key", async () => {
    const { add, ask, prove, phone, host } = await begin();
    await add();
    const other = { origin: "https://edge-7.local", host: "edge-7.local" };
    const answers = [
      () => prove(phone.use(ask().challenge, other)),
      () => prove(phone.use(ask().challenge, page), { ...here, pageOrigin: other.origin }),
      () => prove(phone.use(ask().challenge, page), context),
      () => prove(phone.use(ask().challenge, page, { crossOrigin: true })),
      () => prove({ ...softwarePasskey().use(ask().challenge, page), id: phone.id }),
      () => prove(softwarePasskey().use(ask().challenge, page)),
      () => prove(phone.use("AAAA", page)),
      () => prove({ ...phone.use(ask().challenge, page), client_data: "AAAA" }),
      () => {
        const { challenge } = ask();
        host.pass(300);
        return prove(phone.use(challenge, page));
      },
    ];
    for (const [index, answer] of answers.entries())
      assert.equal(await codeFrom(answer()), "passkey_invalid", `answer ${index}`);
    assert.equal(await prove(phone.use(ask().challenge, page)), "passkey");
  });
  it("is asked for on the ways that its browser has named, and on any where it named none", async () => {
    const { add, ask, phone, passkeys, account } = await begin();
    await add();
    const key = softwarePasskey();
    const made = key.make(passkeys.begin(account(), here).challenge, page);
    await passkeys.add(account(), { name: "Key", ...made, transports: ["nfc", "usb"] }, here);
    const known = [{ id: phone.id }, { id: key.id, transports: ["nfc", "usb"] }];
    assert.deepEqual([ask().credentials, passkeys.begin(account(), here).known], [known, known]);
  });
  it("of another user or of another name of the device proves nothing", async () => {
    const { add, ask, prove, phone, account, passkeys } = await begin();
    await add();
    const asked = (who: ReturnType<typeof account>, where: RequestContext) =>
      passkeys.ask(who, where)?.challenge ?? assert.fail("nothing is asked");
    const theirs = asked({ ...account(), id: "usr_of_another" }, here);
    assert.equal(await codeFrom(prove(phone.use(theirs, page))), "passkey_invalid");
    const named = { origin: "https://pump.example.net:8443", host: "pump.example.net" };
    const there = { ...here, pageOrigin: named.origin };
    const key = softwarePasskey();
    const made = key.make(passkeys.begin(account(), there).challenge, named);
    await passkeys.add(account(), { name: "Key", ...made }, there);
    assert.deepEqual(ask().credentials, [{ id: phone.id }]);
    assert.equal(await codeFrom(prove(key.use(ask().challenge, page))), "passkey_invalid");
    // The authenticator signs what a page gives it; the name of the device is the agent's to check.
    const elsewhere = phone.use(asked(account(), there), named);
    assert.equal(await codeFrom(prove(elsewhere, there)), "passkey_invalid");
    assert.equal(await prove(phone.use(ask().challenge, page)), "passkey");
  });
  it("says what to do where it is refused", async () => {
    const { add, ask, prove, phone } = await begin();
    await add();
    const refused = await errorFrom(prove(phone.use("AAAA", page)));
    assert.match(refused?.message ?? "", /its challenge was used.*Begin again, or use a code\.$/);
    const forged = { ...phone.use(ask().challenge, page), signature: "AAAA" };
    assert.ok((await errorFrom(prove(forged)))?.cause instanceof Error, "the log would have no cause");
  });
  it("is refused where its counter has gone back, and taken without a counter", async () => {
    const { add, ask, prove, phone } = await begin();
    await add();
    await prove(phone.use(ask().challenge, page));
    phone.rewind(0);
    assert.equal(await codeFrom(prove(phone.use(ask().challenge, page))), "passkey_invalid");
    const plain = await begin({ hasCounter: false });
    await plain.add();
    for (const _ of [1, 2])
      assert.equal(await plain.prove(plain.phone.use(plain.ask().challenge, page)), "passkey");
  });
  it("lets through one of two answers with the same counter at once", async () => {
    const { add, ask, prove, phone } = await begin();
    await add();
    const answers = [ask().challenge, ask().challenge].map((challenge) => {
      phone.rewind(4);
      return codeFrom(prove(phone.use(challenge, page)));
    });
    assert.deepEqual((await Promise.all(answers)).sort(), ["done", "passkey_invalid"]);
  });
  it("keeps the codes of an account whose passkey is wrong", async () => {
    const { add, ask, prove, throttle, account } = await begin();
    await add();
    for (let round = 0; round < 12; round += 1)
      await errorFrom(prove(softwarePasskey().use(ask().challenge, page)));
    assert.equal(throttle.lockOf(account().username)?.totp ?? false, false);
  });
});

describe("challenges of passkeys", () => {
  it("are good for less than five minutes, for one user and one purpose, and once", () => {
    const { open, take, pass } = challenges();
    const dataOf = (challenge: string, more: object = {}) => client({ challenge, ...more });
    const first = open("usr_1", "use");
    assert.match(first, /^[\w-]{43}$/);
    assert.equal(take("usr_2", "use", dataOf(first)), undefined);
    assert.equal(take("usr_1", "creation", dataOf(first)), undefined);
    assert.equal(take("usr_1", "use", dataOf(first, { crossOrigin: true })), undefined);
    pass(299);
    assert.equal(take("usr_1", "use", dataOf(first)), first);
    assert.equal(take("usr_1", "use", dataOf(first)), undefined);
    const late = open("usr_1", "use");
    pass(300);
    assert.equal(take("usr_1", "use", dataOf(late)), undefined);
  });
  it("are 1,000 at most: the oldest goes, and no other", () => {
    const { open, take } = challenges();
    const made = Array.from({ length: 1_001 }, () => open("usr_1", "use"));
    const taken = made.map((challenge) => take("usr_1", "use", client({ challenge })));
    assert.deepEqual(taken, [undefined, ...made.slice(1)]);
  });
  it("of one user are thrown out by no others, however many these open (two accounts against a third)", () => {
    const { open, take } = challenges();
    const theirs = (["use", "creation"] as const).map(
      (purpose) => [purpose, open("usr_1", purpose)] as const,
    );
    for (let index = 0; index < 3_000; index += 1) open(index % 2 === 0 ? "usr_2" : "usr_3", "use");
    for (const [purpose, challenge] of theirs)
      assert.equal(take("usr_1", purpose, client({ challenge })), challenge, purpose);
  });
  it("are not found in what is no client data", () => {
    const { take } = challenges();
    for (const data of ["", "AAAA", client(null), client([]), client({}), client({ challenge: 7 })])
      assert.equal(take("usr_1", "use", data), undefined, data);
  });
});

describe("passkeys of an account", () => {
  it("take a second factor first, and are not asked for while there is none", async () => {
    const bare = await virtualSignIn(virtualHost());
    const attempt = async () => bare.passkeys.begin(bare.account(), here);
    assert.equal(await codeFrom(attempt()), "two_factor_not_enabled");
    for (const { passkeys, account } of [bare, await begin()]) {
      assert.equal(passkeys.ask(account(), here), undefined);
      assert.equal(await codeFrom(passkeys.remove(account(), "psk_of_none")), "not_found");
    }
  });
  it("are of EdDSA, ES256 or RS256, and of the page that asked for them", async () => {
    const { passkeys, account, phone, factor } = await begin();
    // RFC 9053 and RFC 8812.
    assert.deepEqual(passkeys.begin(account(), here).algorithms, [-8, -7, -257]);
    const made = (of = page) => ({
      name: "Phone",
      ...phone.make(passkeys.begin(account(), here).challenge, of),
    });
    const refused = [
      made({ origin: "https://edge-7.example:8443", host: "edge-7.example" }),
      made({ ...page, origin: "https://edge-7.local" }),
      { ...made(), id: softwarePasskey().id },
      { ...made(), attestation: "AAAA" },
    ];
    for (const [index, one] of refused.entries()) {
      const error = await errorFrom(passkeys.add(account(), one, here));
      assert.equal(error?.code, "passkey_invalid", `answer ${index}`);
    }
    assert.equal(factor().passkeys, undefined);
  });
  it("are ten at most, none of them twice, and a challenge adds one", async () => {
    const { add, phone, passkeys, account, factor } = await begin();
    await add();
    assert.equal(await codeFrom(add()), "passkey_invalid");
    assert.deepEqual(passkeys.begin(account(), here).known, [{ id: phone.id }]);
    const { challenge } = passkeys.begin(account(), here);
    const second = { name: "Key", ...softwarePasskey().make(challenge, page) };
    await passkeys.add(account(), second, here);
    const third = { name: "Key", ...softwarePasskey().make(challenge, page) };
    assert.equal(await codeFrom(passkeys.add(account(), third, here)), "passkey_invalid");
    for (let count = 2; count < 10; count += 1) await add(softwarePasskey(), `Key ${count}`);
    assert.equal(await codeFrom(add(softwarePasskey())), "passkey_not_possible");
    assert.equal(factor().passkeys?.length, 10);
  });
  it("are not made by a challenge for use, nor used by one for making", async () => {
    const { add, ask, prove, phone, passkeys, account } = await begin();
    await add();
    const made = { name: "Key", ...softwarePasskey().make(ask().challenge, page) };
    assert.equal(await codeFrom(passkeys.add(account(), made, here)), "passkey_invalid");
    const { challenge } = passkeys.begin(account(), here);
    assert.equal(await codeFrom(prove(phone.use(challenge, page))), "passkey_invalid");
  });
  it("are removed one by one, and all with the factor", async () => {
    const { add, enrolment, passkeys, account } = await begin();
    const { id } = await add();
    await add(softwarePasskey(), "Key");
    assert.equal((await passkeys.remove(account(), id)).name, "Phone");
    assert.equal(await codeFrom(passkeys.remove(account(), id)), "not_found");
    const names = enrolment.status(account().id).passkeys.map(({ name }) => name);
    assert.deepEqual(names, ["Key"]);
    await enrolment.remove(account().id);
    assert.deepEqual(enrolment.status(account().id).passkeys, []);
  });
});
