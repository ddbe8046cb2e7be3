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
  const prove = (passkey: ReturnType<typeof phone.use>, where = here) =>
    secondFactor.prove(account(), factor(), { passkey }, where);
  return { host, ...rooms, factor, phone, add, ask, prove };
}

describe("a passkey", () => {
  it("is asked for and proves the second factor, each challenge once", async () => {
    const { add, ask, prove, phone, factor } = await begin();
    const { id, name, host, last_used_at } = await add();
    assert.deepEqual([name, host, last_used_at], ["Phone", "edge-7.local", null]);
    assert.match(id, /^psk_[0-9a-f]{32}$/);
    const asked = ask();
    assert.deepEqual([asked.host, asked.credentials], ["edge-7.local", [phone.id]]);
    const answer = phone.use(asked.challenge, page);
    assert.equal(await prove(answer), "passkey");
    assert.deepEqual(
      factor().passkeys?.map(({ sign_count, last_used_at }) => [sign_count, last_used_at]),
      [[1, "2026-11-20T12:00:00.000Z"]],
    );
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
    for (const pageOrigin of [elsewhere[1], undefined]) {
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
  it("is refused where its counter has gone back, and taken without a counter", async () => {
    const copied = await begin();
    await copied.add();
    await copied.prove(copied.phone.use(copied.ask().challenge, page));
    copied.phone.rewind(0);
    const again = copied.phone.use(copied.ask().challenge, page);
    assert.equal(await codeFrom(copied.prove(again)), "passkey_invalid");
    const plain = await begin({ hasCounter: false });
    await plain.add();
    for (let round = 0; round < 2; round += 1)
      assert.equal(await plain.prove(plain.phone.use(plain.ask().challenge, page)), "passkey");
  });
  it("lets through one of two answers with the same counter at once", async () => {
    const { add, ask, prove, phone } = await begin();
    await add();
    const challenges = [ask().challenge, ask().challenge];
    const answers = challenges.map((challenge) => {
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

describe("passkeys of an account", () => {
  it("take a second factor first", async () => {
    const { passkeys, account } = await virtualSignIn(virtualHost());
    const attempt = async () => passkeys.begin(account(), here);
    assert.equal(await codeFrom(attempt()), "two_factor_not_enabled");
  });
  it("are ten at most, none of them twice, and a challenge adds one", async () => {
    const { add, phone, passkeys, account, factor } = await begin();
    await add();
    assert.equal(await codeFrom(add()), "passkey_invalid");
    assert.deepEqual(passkeys.begin(account(), here).known, [phone.id]);
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
    assert.deepEqual(
      enrolment.status(account().id).passkeys.map(({ name }) => name),
      ["Key"],
    );
    await enrolment.remove(account().id);
    assert.deepEqual(enrolment.status(account().id).passkeys, []);
  });
});
