import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { codePoint } from "../../../lab/basics/code-point.ts";
import { type CommonPasswords, readCommonPasswords } from "../../../src/accounts/users/common-passwords.ts";
import { checkNewPassword, checkPassphrase } from "../../../src/accounts/users/password-rules.ts";
import { StewardError } from "../../../src/contract/errors.ts";

const list = join(import.meta.dirname, "../../../dist/common-passwords.txt");
const words = readFileSync(list, "utf8").split("\n");
let common: CommonPasswords;
before(async () => {
  common = await readCommonPasswords(list);
});

function codeOf(password: string, names: string[] = ["steward", "edge-gateway", "maria.lopez"]): string {
  try {
    checkNewPassword(password, { minimumCharacters: 15, names, common });
    return "accepted";
  } catch (error) {
    assert.ok(error instanceof StewardError, String(error));
    assert.ok(password.length < 15 || !error.message.includes(password), "the message repeats the password");
    return error.code;
  }
}

describe("invisible characters of a new password", () => {
  const good = "orbital walnut chimes";
  const refusal = (password: string) => {
    try {
      checkNewPassword(password, { minimumCharacters: 15, names: [], common });
      return "taken";
    } catch (error) {
      assert.ok(error instanceof StewardError && error.code === "validation_failed", String(error));
      return /^The password has (.*?), its/.exec(error.message)?.[1];
    }
  };
  for (const [password, expected] of [
    [`\ufeff${good}`, "a byte order mark (U+FEFF) at place 1"],
    [`${good}\u00a0`, "a no-break space (U+00A0) at place 22"],
    [`${good}\u200b`, "a character of no width (U+200B) at place 22"],
    [`\u00ad${good}`, "a soft hyphen (U+00AD) at place 1"],
    [`\u202a${good}\u202c`, "a mark of the direction of writing (U+202A) at place 1"],
    [`${good}\r`, "a line end (U+000D) at place 22"],
    [`${good}\t`, "a tab (U+0009) at place 22"],
    [`🏭${good}\u3000`, "a blank (U+3000) at place 23"],
    // Between others they can be meant, and a blank anywhere.
    [`orbital\u00a0wal\u00adnut ch\u200dimes`, "taken"],
    [` ${good} `, "taken"],
    [`${good} ❤\ufe0f`, "taken"],
  ] as const)
    it(`${JSON.stringify(password)}: ${expected}`, () => assert.equal(refusal(password), expected));
});

describe("the list of common passwords", () => {
  it("holds what the world's attackers try first", () => {
    for (const word of ["password", "123456", "qwerty", "letmein", "dragon"])
      assert.ok(common.has(word), word);
    assert.ok(words.length > 40_000, `${words.length} words`);
  });
  it("has each of its words, and nothing beside, between or around them", () => {
    const all = new Set(words);
    const missed = words.filter((word) => !common.has(word));
    assert.deepEqual(missed, []);
    const others = words.flatMap((word) => [`${word}\u0001`, word.slice(1), word.slice(0, -1)]);
    const wrong = ["", "\n", words.slice(0, 2).join("\n"), "\u{10ffff}", ...others]
      .filter((word) => !all.has(word))
      .filter((word) => common.has(word));
    assert.deepEqual(wrong, []);
  });
});

describe("a new password", () => {
  const refused: [string, string][] = [
    ["fourteen chars", "password_too_short"],
    ["", "password_too_short"],
    ["x".repeat(257), "password_too_long"],
    ["passwordpassword", "password_blocklisted"],
    ["PasswordPassword", "password_blocklisted"],
    ["password-password", "password_blocklisted"],
    ["P@ssw0rdP@ssw0rd", "password_blocklisted"],
    ["passwordpasswordpassword", "password_blocklisted"],
    ["dragonmonkey12345", "password_blocklisted"],
    ["dragonbaseball!", "password_blocklisted"],
    ["2026-dragon-baseball-2026", "password_blocklisted"],
    ["dragonbaseball 48213907", "accepted"],
    ["superman baseball", "password_blocklisted"],
    ["password12345678", "password_blocklisted"],
    ["12345678password", "password_blocklisted"],
    ["password!!!!!!!!!!", "password_blocklisted"],
    ["aaaaaaaaaaaaaaaaaaaa", "password_blocklisted"],
    ["abcabcabcabcabcabc", "password_blocklisted"],
    ["1234567890123456789", "password_blocklisted"],
    ["abababababababab", "password_blocklisted"],
    ["maria.lopez12345678", "password_contains_identity"],
    ["Maria.Lopez-Maria.Lopez", "password_contains_identity"],
    ["stewardsteward1", "password_contains_identity"],
    ["St3ward-password", "password_contains_identity"],
    ["edge-gateway-2026", "password_contains_identity"],
    ["Sommer2026Sommer2026", "password_blocklisted"],
    ["Herbst-2026-Herbst-2026", "password_blocklisted"],
    ["Winter2026!!!!!!", "password_blocklisted"],
    ["!!!!Winter 15.08.2026", "password_blocklisted"],
    ["Herbst2026!!!!!!", "password_blocklisted"],
    ["mountain 11112222 1999", "password_blocklisted"],
    ["correct horse battery staple", "password_blocklisted"],
    ["Correct-Horse-Battery-Staple-2026!", "password_blocklisted"],
    ["C0rrectH0rseB4tteryS7aple", "password_blocklisted"],
    ["To be, or not to be: that is the question", "password_blocklisted"],
    ["kitchenlight48213907", "accepted"],
    ["herbstlaub2026!!", "accepted"],
    ["korrekt pferd batterie klammer", "accepted"],
  ];
  for (const [password, code] of refused) {
    it(`of the form ${JSON.stringify(password.slice(0, 24))} is ${code}`, () => {
      assert.equal(codeOf(password), code);
    });
  }

  const accepted = [
    "green tractor sings loudly",
    "my steward never forgets old promises",
    "пароль из четырёх слов",
    "日本語の長いパスフレーズを使います",
    "kT9$wq!zLp2#vN8",
  ];
  for (const password of accepted) {
    it(`of the form ${JSON.stringify(password)} is accepted`, () =>
      assert.equal(codeOf(password), "accepted"));
  }

  it("is counted in characters after NFKC, not in UTF-16 units", () => {
    assert.equal(codeOf("🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🐤"), "password_too_short");
    assert.equal(codeOf("🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🐤🦆"), "accepted");
    // U+FB03 is one character that NFKC writes as three.
    assert.equal(codeOf(`${"ﬃ"} tractor sings`), "accepted");
  });

  it("is refused in fullwidth letters as it is in plain ones", () => {
    assert.equal(codeOf("ｐａｓｓｗｏｒｄｐａｓｓｗｏｒｄ"), "password_blocklisted");
  });

  it("of any kind is judged without an error of our own", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: codePoint }), (password) => {
        codeOf(password);
      }),
      { numRuns: 300 },
    );
  });

  it("that is one common word, however it is repeated or spelled, is never accepted", () => {
    const plain = words.filter((word) => /^[a-z]{5,9}$/.test(word)).slice(0, 2_000);
    fc.assert(
      fc.property(
        fc.constantFrom(...plain),
        fc.integer({ min: 3, max: 6 }),
        fc.boolean(),
        (word, times, isUpper) => {
          const password = word.repeat(times);
          assert.notEqual(codeOf(isUpper ? password.toUpperCase() : password), "accepted");
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("a passphrase of a backup, which whoever has the file can try as often as they like", () => {
  const reasonFor = (passphrase: string): string => {
    try {
      checkPassphrase(passphrase, { names: ["steward", "edge-gateway"], common });
      return "accepted";
    } catch (error) {
      assert.ok(error instanceof StewardError, String(error));
      assert.equal(error.code, "passphrase_guessable");
      assert.ok(!error.message.includes(passphrase), "the message repeats the passphrase");
      assert.doesNotMatch(error.message, /password/i);
      return error.message.slice("The passphrase ".length).split(/, (?:and who|which)/)[0] ?? "";
    }
  };
  const rows: readonly (readonly [string, string])[] = [
    ["PasswordPassword", "is one of the most common ones"],
    ["dragonfire-dragonfire", "only repeats one short or common piece"],
    ["dragon baseball", "is only two or three common words or sequences joined together"],
    ["dragon-monkey-baseball", "is only two or three common words or sequences joined together"],
    ["dr4gonm0nkeyb4seball", "is only two or three common words or sequences joined together"],
    ["12345678-dragon-2222", "is only a short or common word with digits and signs around it"],
    ["edge-gateway-dragon", 'is little more than the name "edge-gateway"'],
    ["abababababababab", "uses fewer than five different characters"],
    ["dragon monkey baseball pump", "accepted"],
    ["seven wet horses at the old pier", "accepted"],
    ["x7Kq-9vTm-Lw2z", "accepted"],
  ];
  it("of a thousand characters is judged at once (holding up others)", () => {
    const begin = performance.now();
    reasonFor(`${"a".repeat(1_010)}bcdefghijklmn`);
    assert.ok(performance.now() - begin < 5_000);
  });
  for (const [passphrase, reason] of rows)
    it(`of the form ${JSON.stringify(passphrase.slice(0, 32))}: ${reason}`, () => {
      assert.equal(reasonFor(passphrase), reason);
    });
});
