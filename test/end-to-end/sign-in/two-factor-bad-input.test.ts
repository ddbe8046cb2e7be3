import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type Enrolled, enrol } from "../../../lab/agents/enrol.ts";
import { type Answer, stepUp } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { newAddress } from "./guessing.ts";

const password = goodPassword;

/** The same digits in another script. */
const inScript = (digits: string, zero: number): string =>
  digits.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

const time = standingTime();
const nextCode = (secret: string): string => codeOf(secret, time.nowSeconds() + 30);

interface Keeper extends SignedIn, Enrolled {
  username: string;
}

describe("what people and programs send as a code", () => {
  let keeper: Keeper;
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(async () => {
    await agent.signedInAdmin();
    keeper = await enrolled("keeper");
  });

  const enrolled = async (username: string): Promise<Keeper> => {
    const user = await agent.signedIn(username, "readonly");
    return { ...user, username, ...(await enrol(agent.call, { ...user, password }, time.nowSeconds())) };
  };
  /** Each from another source: wrong ones are counted. */
  const login = (username: string, proof: object): Promise<Answer> =>
    agent.call("POST", "/api/auth/login", { from: newAddress(), body: { username, password, ...proof } });
  const challengeOf = async (username: string): Promise<string> =>
    (await login(username, {})).json.challenge_token;
  const codesLeft = async (user: SignedIn): Promise<number> => {
    const { json } = await agent.call("GET", `/api/users/${user.id}/2fa`, { local: true });
    return json.recovery_codes_remaining;
  };
  /** Every route that takes a code, each as far as the code. */
  const routes: Record<string, (proof: object) => Promise<Answer>> = {
    login: (proof) => login(keeper.username, proof),
    totp: async (proof) => {
      const body = { challenge_token: await challengeOf(keeper.username), ...proof };
      return agent.call("POST", "/api/auth/totp", { from: newAddress(), body });
    },
    reauth: (proof) =>
      agent.call("POST", "/api/auth/reauth", {
        from: newAddress(),
        token: keeper.token,
        body: { password, ...proof },
      }),
    disable: (proof) =>
      agent.call("POST", `/api/users/${keeper.id}/2fa/disable`, {
        from: newAddress(),
        token: keeper.token,
        body: { password, ...proof },
      }),
  };

  describe("is taken", () => {
    const spellings: [string, (code: string) => string][] = [
      ["with a blank in its middle", (code) => `${code.slice(0, 3)} ${code.slice(3)}`],
      ["with a hyphen in its middle", (code) => `${code.slice(0, 3)}-${code.slice(3)}`],
      ["with blanks around it", (code) => `  ${code}\t\r\n`],
      ["with a blank between all digits", (code) => [...code].join(" ")],
      ["with a no-break space in its middle", (code) => `${code.slice(0, 3)}\u00a0${code.slice(3)}`],
      ["in Arabic digits", (code) => inScript(code, 0x660)],
      ["in a sentence", (code) => `Your code is ${code}.`],
    ];
    for (const [index, [name, spell]] of spellings.entries()) {
      it(`${name}, by enable as by login`, async () => {
        const user = await agent.signedIn(`spelling-${index}`, "readonly");
        await stepUp(agent.call, user.token, password);
        const base = `/api/users/${user.id}/2fa`;
        const { secret } = (await agent.call("POST", `${base}/setup`, { token: user.token })).json;
        const body = { code: spell(codeOf(secret, time.nowSeconds())), allow_unsynchronised_clock: true };
        assert.equal((await agent.call("POST", `${base}/enable`, { token: user.token, body })).status, 200);
        assert.equal((await login(`spelling-${index}`, { code: spell(nextCode(secret)) })).status, 200);
      });
    }
  });

  describe("is no code at all", () => {
    // Ten of them would lock the codes.
    beforeEach(async () => {
      const unlocked = await agent.call("POST", `/api/users/${keeper.id}/unlock`, { local: true });
      assert.equal(unlocked.status, 200);
    });
    const wrong: Record<string, (right: string) => string> = {
      "when it is empty": () => "",
      "when it is blank": () => "      ",
      "with five digits": (right) => right.slice(1),
      "with seven digits": (right) => `${right}0`,
      "with a zero before it": (right) => `0${right}`,
      twice: (right) => `${right}${right}`,
      "of letters": () => "abcdef",
      "as a power": () => "1e5000",
      "in hexadecimal": () => "0x1234",
      "with a NUL within": (right) => `${right.slice(0, 3)}\u0000${right.slice(3)}`,
      "with another line": (right) => `${right}\n000000`,
      "of 64 characters": () => "1".repeat(64),
      "that is the secret": () => keeper.secret,
      "that is a recovery code": () => keeper.recoveryCodes[9] ?? "",
    };
    for (const [name, spoil] of Object.entries(wrong)) {
      it(name, async () => {
        for (const [route, send] of Object.entries(routes)) {
          const { status, json } = await send({ code: spoil(nextCode(keeper.secret)) });
          assert.deepEqual([status, json.code], [400, "validation_failed"], route);
          assert.deepEqual([json.errors[0].pointer, json.errors[0].code], ["/code", "no_code"], route);
        }
      });
    }
    it("and none of these counts as a guess, at the client, the account or the challenge", async () => {
      const from = newAddress();
      const challenge_token = await challengeOf(keeper.username);
      const send = (proof: object) =>
        agent.call("POST", "/api/auth/totp", { from, body: { challenge_token, ...proof } });
      for (let tries = 0; tries < 40; tries += 1)
        for (const proof of [
          { code: "75522" },
          { recovery_code: "not there" },
          { code: keeper.recoveryCodes[9] },
        ])
          assert.equal((await send(proof)).status, 400);
      assert.equal((await send({ code: nextCode(keeper.secret) })).status, 200);
      time.pass(30);
    });
    it("nor does it say if the password is right (oracle)", async () => {
      const answers = await Promise.all(
        [password, "another password"].map((tried) =>
          login(keeper.username, { password: tried, code: "75522" }),
        ),
      );
      const [right, wrong] = answers.map(({ status, json }) => [status, json.code, json.detail]);
      assert.deepEqual(right, wrong);
    });
    it("and none of these has spent the right one", async () => {
      assert.equal(await codesLeft(keeper), 10);
      assert.equal((await login(keeper.username, { code: nextCode(keeper.secret) })).status, 200);
    });
  });

  describe("is refused for its form, on every route", () => {
    const malformed: [string, () => object][] = [
      ["of 257 characters", () => ({ code: "1".repeat(257) })],
      ["of 3 kB", () => ({ code: "1".repeat(3_072) })],
      ["that is a number", () => ({ code: Number(nextCode(keeper.secret)) })],
      ["that is null", () => ({ code: null })],
      ["that is true", () => ({ code: true })],
      ["in a list", () => ({ code: [nextCode(keeper.secret)] })],
      ["in an object", () => ({ code: { $ne: "" } })],
      ["that is a recovery code of 257 characters", () => ({ recovery_code: "A".repeat(257) })],
      ["that is a recovery code of 3 kB", () => ({ recovery_code: "A".repeat(3_072) })],
      ["that is a recovery code in a list", () => ({ recovery_code: keeper.recoveryCodes })],
      [
        "together with a recovery code",
        () => ({ code: nextCode(keeper.secret), recovery_code: keeper.recoveryCodes[0] }),
      ],
    ];
    for (const [name, make] of malformed) {
      it(name, async () => {
        for (const [route, send] of Object.entries(routes)) {
          const { status, json } = await send(make());
          assert.deepEqual([status, json.code], [400, "validation_failed"], route);
        }
        assert.equal(await codesLeft(keeper), 10, "no recovery code was spent");
      });
    }
    for (const member of ["secret", "otp", "totp", "skew", "counter"]) {
      it(`with a member "${member}"`, async () => {
        for (const [route, send] of Object.entries(routes)) {
          assert.equal((await send({ [member]: keeper.secret })).json.code, "unknown_field", route);
        }
      });
    }
  });

  describe("as a secret of the caller's own is taken nowhere (base32 of any kind)", () => {
    const user = ofSuite(() => agent.signedIn("own-secret", "readonly"));
    before(async () => {
      await stepUp(agent.call, user.token, password);
    });
    for (const secret of ["JBSWY3DPEHPK3PXP", "AAAAAAAAAAAAAAAA", "!!!!", "", "A".repeat(60_000)]) {
      it(`such as ${JSON.stringify(secret.slice(0, 20))}`, async () => {
        const base = `/api/users/${user.id}/2fa`;
        const set = await agent.call("POST", `${base}/setup`, { token: user.token, body: { secret } });
        assert.match(set.json.secret, /^[A-Z2-7]{32}$/);
        assert.notEqual(set.json.secret, secret);
        const body = { code: "314159", secret, allow_unsynchronised_clock: true };
        const enabled = await agent.call("POST", `${base}/enable`, { token: user.token, body });
        assert.deepEqual([enabled.status, enabled.json.code], [400, "unknown_field"]);
      });
    }
  });

  describe("as a recovery code", () => {
    let owner: Keeper;
    let other: Keeper;
    before(async () => {
      owner = await enrolled("code-owner");
      other = await enrolled("code-other");
    });
    const codes = (index: number) => owner.recoveryCodes[index] ?? "";
    const isTaken = async (recovery_code: string, username = owner.username) =>
      (await login(username, { recovery_code })).status === 200;

    it("is taken in small letters, without hyphens, with blanks, and with letters that look alike", async () => {
      assert.ok(await isTaken(codes(0).toLowerCase()), "small letters");
      assert.ok(await isTaken(codes(1).replaceAll("-", "")), "without hyphens");
      assert.ok(await isTaken(` ${codes(2).replaceAll("-", " ")}\n`), "with blanks");
      assert.ok(await isTaken(codes(3).replaceAll("0", "O").replaceAll("1", "l")), "look-alikes");
      assert.ok(await isTaken(codes(4).replaceAll("-", "").toLowerCase()), "all of it");
      assert.equal(await codesLeft(owner), 5);
    });
    it("is taken once, in whatever spelling (replay)", async () => {
      for (const again of [codes(0), codes(1), codes(0).toLowerCase(), codes(1).replaceAll("-", "")]) {
        const { status, json } = await login(owner.username, { recovery_code: again });
        assert.deepEqual([status, json.code], [401, "recovery_code_invalid"]);
      }
    });
    it("is taken once of eight at the same moment (race)", async () => {
      const all = await Promise.all(
        Array.from({ length: 8 }, () => login(owner.username, { recovery_code: codes(5) })),
      );
      assert.equal(all.filter(({ status }) => status === 200).length, 1);
      assert.equal(await codesLeft(owner), 4);
    });
    it("is not taken of another user, and not spent by that", async () => {
      assert.equal(await isTaken(codes(6), other.username), false);
      assert.equal(await codesLeft(other), 10);
      assert.ok(await isTaken(codes(6)), "by its owner");
    });
    for (const [name, spoil] of Object.entries<(code: string) => string>({
      empty: () => "",
      "cut by a symbol": (code) => code.slice(0, -1),
      "with a symbol more": (code) => `${code}0`,
      "with a letter that Crockford leaves out": (code) => `U${code.slice(1)}`,
      "of hyphens": () => "-".repeat(64),
      "that is the secret": () => owner.secret,
      "that is a code": () => nextCode(owner.secret),
    })) {
      it(`is not taken ${name}`, async () => {
        const { status, json } = await login(owner.username, { recovery_code: spoil(codes(7)) });
        assert.deepEqual([status, json.code], [400, "validation_failed"]);
        assert.equal(json.errors[0].pointer, "/recovery_code");
      });
    }
    it("is not taken any more once there are new ones", async () => {
      const body = { password, recovery_code: codes(7) };
      assert.equal((await agent.call("POST", "/api/auth/reauth", { token: owner.token, body })).status, 200);
      const path = `/api/users/${owner.id}/2fa/recovery-codes`;
      const { json } = await agent.call("POST", path, { token: owner.token });
      assert.equal(await isTaken(codes(8)), false);
      assert.ok(await isTaken(json.recovery_codes[0]), "a new one");
      assert.equal(await codesLeft(owner), 9);
    });
  });
});
