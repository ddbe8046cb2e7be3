import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { heldTimers } from "../../../lab/host/timers.ts";
import { temporaryDirectory } from "../../../lab/simulated/virtual-host.ts";
import { context } from "../../../lab/simulated/virtual-sign-in.ts";
import { createChallenges } from "../../../src/accounts/sign-in/challenges.ts";
import { readProvisioned } from "../../../src/accounts/sign-in/first-administrator.ts";
import { createRescueToken, makeRescueToken } from "../../../src/accounts/sign-in/rescue-token.ts";
import { createSetupToken } from "../../../src/accounts/sign-in/setup-token.ts";
import { asUsername } from "../../../src/contract/text/names.ts";
import type { EventFacts } from "../../../src/journal/events/event.ts";

const account = (letter: string) => ({ id: `usr_${letter.repeat(32)}`, username: letter });
const challenge = { account: account("a"), context, passwordHash: "$argon2id$…", rehashed: undefined };

function challengesAt(clock: { now: number }) {
  const events: string[] = [];
  const timers = heldTimers();
  const refuse = ({ type, subject, from }: EventFacts, code: string): void =>
    void events.push(`${type} ${subject?.name} ${from} ${code}`);
  const made = createChallenges(
    { uptime: () => clock.now, timers },
    { record: async () => undefined, refuse },
  );
  return { ...made, events, timers };
}

describe("a challenge", () => {
  it("is found by its token, for five minutes of monotonic time", () => {
    const clock = { now: 100 };
    const challenges = challengesAt(clock);
    const token = challenges.open(challenge);
    assert.match(token, /^stc_[\w-]{32}$/);
    assert.equal(challenges.find(token)?.account, challenge.account);
    clock.now += 299.9;
    assert.ok(challenges.find(token), "a tenth of a second is left");
    clock.now += 0.1;
    assert.equal(challenges.find(token), undefined);
  });
  it("lives through four wrong codes and dies at the fifth; another one does not", () => {
    const challenges = challengesAt({ now: 100 });
    const [token, other] = [challenges.open(challenge), challenges.open(challenge)];
    for (let wrong = 0; wrong < 4; wrong += 1) challenges.failed(token);
    assert.ok(challenges.find(token), "four wrong codes");
    challenges.failed(token);
    assert.equal(challenges.find(token), undefined);
    assert.ok(challenges.find(other), "the other challenge");
  });
  it("dies when it has served", () => {
    const challenges = challengesAt({ now: 100 });
    const token = challenges.open(challenge);
    challenges.close(challenge, token);
    assert.equal(challenges.find(token), undefined);
  });
  it("is none for a token that was never given out, and a wrong code of it counts against no user", () => {
    const challenges = challengesAt({ now: 100 });
    for (const token of ["", "stc_", `stc_${"A".repeat(32)}`]) {
      challenges.failed(token);
      challenges.close(challenge, token);
      assert.equal(challenges.find(token), undefined);
    }
  });
  it("gives way, the oldest first, when there are a thousand", () => {
    const challenges = challengesAt({ now: 100 });
    const tokens = Array.from({ length: 1_001 }, () => challenges.open(challenge));
    const living = tokens.map((token) => challenges.find(token) !== undefined);
    assert.deepEqual([living[0], living.slice(1).every(Boolean)], [false, true]);
  });
  it("of one user is thrown out by no others, however many these open (two accounts against a third)", () => {
    const challenges = challengesAt({ now: 100 });
    const of = (user: string) => challenges.open({ ...challenge, account: account(user) });
    const victims = of("a");
    const [last] = Array.from({ length: 3_000 }, () => [of("b"), of("c")].at(-1)).slice(-1);
    assert.ok(challenges.find(victims), "the victim's");
    assert.ok(challenges.find(last ?? ""), "and the newest of all");
  });
});

describe("a right password", () => {
  const elsewhere = { ...context, address: "198.51.100.7", clientKey: "198.51.100.7" };
  type Challenges = ReturnType<typeof challengesAt>;
  const refused = (from = context.address) => `sign_in.refused a ${from} totp_required`;
  const away = { ...challenge, context: elsewhere };
  const cases: [string, (challenges: Challenges) => unknown, ...wanted: string[]][] = [
    ["without a second step is an event", ({ open }) => open(challenge), refused()],
    [
      "given again and again from one client is one",
      ({ open }) => Array.from({ length: 2_000 }, () => open(challenge)),
      refused(),
    ],
    [
      "from two clients is two",
      ({ open }) => [open(challenge), open(away)],
      ...[refused(), refused(elsewhere.address)],
    ],
    ["with the right second step is none", ({ open, close }) => close(challenge, open(challenge))],
    [
      "with the right second step in another request with the password is none",
      ({ open, close }) => [open(challenge), close(challenge)],
    ],
    [
      "with a wrong second step is none more: that one has its own",
      ({ open, failed }) => failed(open(challenge)),
    ],
    [
      "stays one where its owner signs in elsewhere (a thief of the password, unnoticed beside its owner)",
      ({ open, close }) => [open(away), close(challenge, open(challenge))],
      refused(elsewhere.address),
    ],
  ];
  for (const [what, act, ...wanted] of cases)
    it(what, () => {
      const challenges = challengesAt({ now: 100 });
      act(challenges);
      assert.deepEqual(challenges.events, []);
      challenges.timers.runOut();
      assert.deepEqual(challenges.events, wanted);
      assert.equal(challenges.timers.pending, 0);
    });
});

describe("the token of rescue", () => {
  const clock = { now: 5_000.7 };
  const place = async () => {
    clock.now = 5_000.7;
    const path = join(await temporaryDirectory(), "rescue-token");
    const { token, text } = makeRescueToken(clock.now);
    await writeFile(path, text);
    return { path, token, text, rescue: createRescueToken(path, () => clock.now) };
  };

  it("is good for half an hour of the device's uptime, however its letters are written", async () => {
    const { token, rescue } = await place();
    for (const typed of [token, token.toUpperCase(), ` ${token}\n`])
      assert.equal(await rescue.isRight(typed), true);
    for (const wrong of ["", `${token}x`, token.slice(1)]) assert.equal(await rescue.isRight(wrong), false);
    clock.now = 6_799.9;
    assert.deepEqual([await rescue.isOpen(), await rescue.isRight(token)], [true, true]);
    clock.now = 6_800;
    assert.deepEqual([await rescue.isOpen(), await rescue.isRight(token)], [false, false]);
  });
  it("is none where its end lies further ahead than one is ever given: it is of another boot", async () => {
    const { path, token, rescue } = await place();
    const isOpenUntil = async (end: number) => {
      await writeFile(path, `${token} ${end}\n`);
      return rescue.isOpen();
    };
    clock.now = 5_000;
    assert.deepEqual([await isOpenUntil(6_801), await isOpenUntil(6_802)], [true, false]);
  });
  it("is none where its file is gone or has another form", async () => {
    const { path, token, text, rescue } = await place();
    for (const broken of [
      "",
      token,
      `${token} 6800`,
      `x${text}`.toUpperCase(),
      `${text}\n`,
      ` ${text}`,
      `short 6800\n`,
    ]) {
      await writeFile(path, broken);
      assert.equal(await rescue.isOpen(), false, broken);
    }
    const nowhere = createRescueToken(`${path}-gone`, () => clock.now);
    assert.deepEqual([await nowhere.isOpen(), await nowhere.isRight("")], [false, false]);
  });
  it("serves once, also where it is used twice at the same moment, and not for a wrong one", async () => {
    const { path, token, rescue } = await place();
    let uses = 0;
    const use = (given: string) => rescue.use(given, async () => ++uses);
    assert.equal(await use(`${token}x`), null);
    // Which of them reads the file first is the file system's.
    assert.deepEqual(new Set(await Promise.all([use(token), use(token)])), new Set([1, null]));
    assert.deepEqual([uses, existsSync(path)], [1, false]);
  });
  it("is still good where its use has failed, and the next one does not fail with it", async () => {
    const { token, rescue } = await place();
    await assert.rejects(
      rescue.use(token, async () => Promise.reject(new Error("no"))),
      /^Error: no$/,
    );
    assert.equal(await rescue.use(token, async () => "done"), "done");
  });
});

describe("the setup token", () => {
  it("is the one in its file, another each time, until setup is done", async () => {
    const path = join(await temporaryDirectory(), "setup-token");
    const setup = createSetupToken(path);
    assert.equal(await setup.isRight(""), false, "there is none yet");
    setup.renew();
    const first = (await readFile(path, "utf8")).trim();
    assert.match(first, /^[\w-]{22}$/);
    assert.deepEqual([await setup.isRight(first), await setup.isRight(`${first}x`)], [true, false]);
    setup.renew();
    assert.equal(await setup.isRight(first), false);
    await setup.remove();
    assert.deepEqual([existsSync(path), await setup.isRight("")], [false, false]);
    await setup.remove();
  });
});

describe("the administrator of a provisioned device", () => {
  const password_hash = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;
  const read = (change: object) =>
    readProvisioned(JSON.stringify({ username: "ana", password_hash, ...change }));

  it("has a name of this device and a hash, or none is made", () => {
    assert.deepEqual(read({}), { username: "ana", passwordHash: password_hash });
    for (const username of [undefined, 7, "", "Ana", "an", "a b c"])
      assert.throws(() => read({ username }), /^Error: username must be/, String(username));
    for (const wrong of [undefined, 7, "", "secret", `x${password_hash}`, `${password_hash}\n`])
      assert.throws(() => read({ password_hash: wrong }), /^Error: password_hash must be/, String(wrong));
    const costlier = (cost: string) => read({ password_hash: password_hash.replace("m=19456,t=2", cost) });
    assert.throws(() => costlier("m=38913,t=2"), /has m times t above 77824/);
    assert.ok(costlier("m=38912,t=2"), "twice the device's own cost");
    for (const text of ["[]", "null", "username: ana"])
      assert.throws(() => readProvisioned(text), Error, text);
  });
});

describe("a user name as it is typed", () => {
  it("may have large letters, letters of full width and blanks around it; no other letter becomes one of ours", () => {
    // U+212A, the Kelvin sign, is folded to k by Unicode.
    const names = {
      ...{ Ana: "ana", "ANA.B-2": "ana.b-2", "\u212aim": "\u212aim", Äna: "Äna" },
      ...{ " ana\n": "ana", "\ufeffana\u00a0": "ana", "ana\u200b": "ana", "\uff21\uff4e\uff41": "ana" },
      ...{ "an a": "an a", "a\u200bna": "a\u200bna" },
    };
    for (const [typed, name] of Object.entries(names)) assert.equal(asUsername(typed), name);
  });
});
