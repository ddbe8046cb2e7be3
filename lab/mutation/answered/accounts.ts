import type { Answer } from "../answered.ts";

const tolerant = "Members that are not known are left alone in every document (store/validation/members.ts).";
const secondElement =
  "What follows looks at the second element and further ones, which are missing in either.";
const wholeTag =
  "The tag that is made and given has 16 bytes, which is the default; the length is named for the reader.";

const fullTable =
  "It is called for a full table alone, in which there is a row; the type alone does not say so.";

/** Faults of the room accounts that no test can notice. */
export const answersOfAccounts: readonly Answer[] = [
  ...[
    "second-factor/used-codes.ts",
    "sessions/session.ts",
    "throttle/throttle-record.ts",
    "tokens/api-token.ts",
  ].map((file) => ({
    ...{
      file: `src/accounts/${file}`,
      source: "additionalProperties: false,",
      replacement: "true",
      why: tolerant,
    },
  })),
  {
    file: "src/accounts/second-factor/qr.ts",
    source: "for (let y = 0; y < rows.length; y += 2) {",
    replacement: "y <= rows.length",
    why: "The number of rows is odd, and y is even.",
  },
  {
    file: "src/accounts/second-factor/used-steps.ts",
    source:
      "const highest = epoch === used.epoch && used.highest !== null ? Math.max(used.highest, step) : step;",
    replacement: "true",
    why: "Only the second half goes unnoticed: Math.max takes null for 0, and no step is below.",
  },
  {
    file: "src/accounts/sign-in/challenges.ts",
    source: "if (uptime() >= deadline || challenges.size >= maximumChallenges) challenges.delete(key);",
    replacement: "uptime() > deadline",
    why: "One at its deadline is refused by find, and removed the next time.",
  },
  {
    file: "src/accounts/throttle/client-key.ts",
    source: "return /^::ffff:([0-9.]+)$/.exec(address)?.[1] ?? address;",
    replacement: "/::ffff:([0-9.]+)$/",
    why: "Node writes an IPv6 address with dots for ::/96 and ::ffff:0:0/96 alone.",
  },
  {
    file: "src/accounts/second-factor/seal.ts",
    source: 'const [, keyId = "", encoded = ""] = sealedForm.exec(sealed) ?? [];',
    ...{ replacement: '["Stryker was here"]', why: secondElement },
  },
  {
    file: "src/accounts/sign-in/rescue-token.ts",
    source: "const [, token, end] = /^([0-9a-z-]{20,64}) (\\d{1,12})\\n$/.exec(text) ?? [];",
    ...{ replacement: '["Stryker was here"]', why: secondElement },
  },
  ...[
    "const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(bound);",
    "const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(bound);",
  ].map((source) => ({
    file: "src/accounts/second-factor/seal.ts",
    source,
    replacement: "{}",
    why: wholeTag,
  })),
  {
    file: "src/accounts/sign-in/recovery.ts",
    source: "const hashes = account?.two_factor?.recovery_hashes ?? [];",
    replacement: '["Stryker was here"]',
    why: "No code has that for its hash, which has 64 hex digits.",
  },
  {
    file: "src/accounts/throttle/counters.ts",
    source: "(windows.get(client) ?? []).filter((at) => now < at + size.seconds);",
    replacement: '["Stryker was here"]',
    why: "What is no time is not before another one, and is left out by the filter.",
  },
  {
    file: "src/accounts/throttle/counters.ts",
    source: "const { limit, quietSeconds, rank = () => 0, inherits = false } = options;",
    replacement: "() => undefined",
    why: "Array.prototype.sort takes a comparison that is no number for an equal one, so that all are alike as well.",
  },
  {
    file: "src/accounts/throttle/counters.ts",
    source: "if (place) counters.delete(place.key);",
    ...{ replacement: "true", why: fullTable },
  },
  {
    file: "src/accounts/throttle/counters.ts",
    source: "return place?.counter;",
    ...{ replacement: "place.counter", why: fullTable },
  },
  {
    file: "src/accounts/throttle/throttle.ts",
    source: "if (!isAnyRunning()) return null;",
    replacement: "false",
    why: "The ends are then looked up and lie in the past, which is null as well; it spares a list of users an HMAC each.",
  },
  {
    file: "src/accounts/sign-in/recovery.ts",
    source: "if (!isRight || !mayEnter || hash === undefined) throw refusal();",
    replacement: "false",
    why: "Only the last of the three goes unnoticed: no list of hashes has an undefined one, and the removal refuses it alike.",
  },
  {
    file: "src/accounts/oidc/single-sign-on.ts",
    source: "{ details: { clock: time.describe({ isProven: false }) } },",
    replacement: "{}",
    why: "Only the innermost of the three goes unnoticed: what is not said to be proven is not proven.",
  },
];
