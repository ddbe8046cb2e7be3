import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import fc from "fast-check";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { counted } from "../../../lab/basics/counts.ts";
import { makeSecret, matchSteps, secondsOfStep, stepOf } from "../../../src/accounts/second-factor/totp.ts";
import { StewardError } from "../../../src/contract/errors.ts";

/** The ASCII text 12345678901234567890, with which both RFCs test. */
const rfcSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/** The codes of `count` steps from a time on, by the independent authenticator. */
function oathtool(secret: string, atSeconds: number, count = 1): string[] {
  const text = execFileSync("oathtool", [
    "--totp",
    "-b",
    "--now",
    `@${atSeconds}`,
    "-w",
    `${count - 1}`,
    secret,
  ]);
  return text.toString().trim().split("\n");
}

/** Random secrets that are compared with the independent authenticator, each in a process of its own. */
const samples = counted({ usual: 30, all: 200 });

describe("the codes", () => {
  // RFC 6238 Appendix B, SHA-1: eight digits, of which six are ours.
  const totp: [number, string][] = [
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ];
  for (const [atSeconds, eightDigits] of totp) {
    it(`at ${atSeconds} s are RFC 6238's`, async () => {
      const step = Math.floor(atSeconds / 30);
      assert.deepEqual(await matchSteps(rfcSecret, eightDigits.slice(2), atSeconds, 0), [step]);
    });
  }

  it("of random secrets at random times are those of an independent authenticator", async () => {
    for (const [seed] of fc.sample(fc.tuple(fc.integer({ min: 600, max: 2 ** 33 })), samples)) {
      const secret = await makeSecret();
      const first = stepOf(seed) - 20;
      const codes = oathtool(secret, secondsOfStep(first), 41);
      // The authenticator of all other tests is held to the independent one here.
      const own = codes.map((_, index) => codeOf(secret, secondsOfStep(first + index)));
      assert.deepEqual(own, codes, `${secret} from ${seed}`);
      for (const index of [0, 19, 20, 21, 40]) {
        const code = codes[index] ?? "";
        const expected = [...codes.keys()]
          .filter((other) => codes[other] === code)
          .map((other) => first + other);
        const found = await matchSteps(secret, code, seed, 20);
        const seen = found.sort((a, b) => a - b);
        assert.deepEqual(seen, expected, `${secret} ${code} at ${seed}`);
      }
    }
  });
});

describe("matching", () => {
  const atSeconds = 1_794_873_600;
  const step = 59_829_120;

  it("takes the step before and the step after, and no other", async () => {
    const codes = oathtool(rfcSecret, atSeconds - 60, 5);
    const found = await Promise.all(codes.map((code) => matchSteps(rfcSecret, code, atSeconds, 1)));
    assert.deepEqual(found, [[], [step - 1], [step], [step + 1], []]);
  });

  it("lets no code live longer than three steps, nor start earlier, at the seconds where steps meet", async () => {
    const [code = ""] = oathtool(rfcSecret, atSeconds);
    const isTaken = async (at: number) => (await matchSteps(rfcSecret, code, at, 1)).length > 0;
    const edges = [atSeconds - 31, atSeconds - 30, atSeconds + 59, atSeconds + 59.999, atSeconds + 60];
    assert.deepEqual(await Promise.all(edges.map(isTaken)), [false, true, true, true, false]);
  });

  it("searches 20 steps to either side, and no other", async () => {
    const codes = oathtool(rfcSecret, atSeconds - 21 * 30, 43);
    const found = await Promise.all(codes.map((code) => matchSteps(rfcSecret, code, atSeconds, 20)));
    const seen = found.map(([first]) => first);
    assert.deepEqual(seen, [
      undefined,
      ...Array.from({ length: 41 }, (_, index) => step - 20 + index),
      undefined,
    ]);
  });

  // Secrets that were searched for: two steps near each other have one code.
  const collisions: [string, string, number[]][] = [
    ["74XYAVONX6YB3T723JNE47JPJFUWRHAH", "901717", [-6, 15]],
    ["QOXSPKCNUS42C5HLIGVDLEAGMH5YUJ6O", "896489", [-4, -19]],
    ["J2V6L75STJCEGKELK6SSYIS77HVGLSQN", "356817", [1, -12]],
    ["HGJ52DNCOFN5LHIEGHGKOGJG4GHO54VM", "930148", [0, 1]],
    ["2WDJYORZDWZNCCU7PQ5VQV7RDIEPDVNQ", "723308", [-6, 6]],
  ];
  for (const [secret, code, distances] of collisions) {
    it(`finds every step of a code that has two, nearest first: ${distances}`, async () => {
      const found = await matchSteps(secret, code, atSeconds, 20);
      assert.deepEqual(
        found,
        distances.map((distance) => step + distance),
      );
      for (const one of found) assert.deepEqual(oathtool(secret, secondsOfStep(one)), [code]);
    });
  }

  it("looks for no step before 1970", async () => {
    assert.deepEqual(await matchSteps(rfcSecret, "755224", 30, 20), [0]);
    assert.deepEqual(await matchSteps(rfcSecret, "755224", -30, 1), [0]);
    assert.deepEqual(await matchSteps(rfcSecret, "755224", -31, 1), []);
  });

  it("finds nothing for a malformed code, and does not throw", async () => {
    for (const code of ["", "75522", "7552240", "75522a", "７５５２２４", "75522é", "x".repeat(1_000_000)]) {
      assert.deepEqual(await matchSteps(rfcSecret, code, 0, 1), [], JSON.stringify(code.slice(0, 9)));
    }
  });

  it("refuses an invalid time", async () => {
    for (const at of [Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
      await assert.rejects(matchSteps(rfcSecret, "755224", at, 1), RangeError);
    }
  });

  const unusable: [string, string][] = [
    ["nothing", ""],
    ["80 bits, too short to be one", "GEZDGNBVGY3TQOJQ"],
    ["more than 64 bytes", "A".repeat(200)],
    ["digits that base32 does not have", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJ1"],
    ["hex", "3132333435363738393031323334353637383930"],
    ["blanks between groups", "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ"],
    ["padding in the middle", "GEZDGNBV====GY3TQOJQGEZDGNBVGY3TQOJQ"],
    ["letters of other scripts", "ＧＥＺＤＧＮＢＶＧＹ３ＴＱＯＪＱＧＥＺＤＧＮＢＶ"],
    ["a lone bit at the end", `${rfcSecret}A`],
  ];
  for (const [name, secret] of unusable) {
    it(`says that a secret of ${name} cannot be used, without showing it`, async () => {
      await assert.rejects(matchSteps(secret, "755224", 0, 1), (error) => {
        assert.equal(error instanceof StewardError && error.code, "second_factor_unavailable", String(error));
        assert.match(String(error), /recovery code.*steward user rescue/);
        assert.ok(secret === "" || !String(error).includes(secret), "the message holds the secret");
        return true;
      });
    });
  }
});

describe("time steps", () => {
  const steps: [number, number][] = [
    [0, 0],
    [29.999, 0],
    [30, 1],
    [59, 1],
    [1_111_111_109, 0x23523ec],
    [20_000_000_000, 0x27bc86aa],
    [-1, -1],
  ];
  for (const [seconds, step] of steps) {
    it(`${seconds} s lies in step ${step}`, () => assert.equal(stepOf(seconds), step));
  }

  it("begin at a second of their own", () => {
    assert.equal(secondsOfStep(59_829_120), 1_794_873_600);
    fc.assert(fc.property(fc.nat(), (step) => stepOf(secondsOfStep(step)) === step));
  });
});
