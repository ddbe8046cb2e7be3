import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChallenges } from "../../../src/auth/sign-in/challenges.ts";

const challenge = { userId: `usr_${"a".repeat(32)}`, passwordHash: "$argon2id$…", rehashed: undefined };

function challengesAt(clock: { now: number }) {
  return createChallenges(() => clock.now);
}

describe("a challenge", () => {
  it("is found by its token, for five minutes of monotonic time", () => {
    const clock = { now: 100 };
    const challenges = challengesAt(clock);
    const token = challenges.open(challenge);
    assert.match(token, /^stc_[\w-]{32}$/);
    assert.equal(challenges.find(token)?.userId, challenge.userId);
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
    challenges.close(token);
    assert.equal(challenges.find(token), undefined);
  });
  it("is none for a token that was never given out, and a wrong code of it counts against no user", () => {
    const challenges = challengesAt({ now: 100 });
    for (const token of ["", "stc_", `stc_${"A".repeat(32)}`]) {
      challenges.failed(token);
      challenges.close(token);
      assert.equal(challenges.find(token), undefined);
    }
  });
  it("gives way, the oldest first, when there are a thousand", () => {
    const challenges = challengesAt({ now: 100 });
    const tokens = Array.from({ length: 1_001 }, () => challenges.open(challenge));
    const living = tokens.map((token) => challenges.find(token) !== undefined);
    assert.deepEqual([living[0], living.slice(1).every(Boolean)], [false, true]);
  });
});
