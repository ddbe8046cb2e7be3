import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { UpdateProblem } from "../../../src/contract/types.ts";
import { rules } from "../example-releases.ts";
import { entry, goodCheck, openToldDevice, type Told, type ToldDevice } from "../told-device.ts";

let told: ToldDevice;
before(async () => {
  told = await openToldDevice();
});

const problemOf = async (given: Told): Promise<UpdateProblem | null> =>
  (await told.tell(given)).problems()[0] ?? null;

/** The problem without its sentence, which has to match. */
async function expectProblem(given: Told, expected: Omit<UpdateProblem, "detail">, detail: RegExp) {
  const { detail: found = "none", ...rest } = (await problemOf(given)) ?? {};
  assert.match(found, detail);
  assert.deepEqual(rest, expected);
}

const no = { release: null, reason: null, failures: null, until: null };
const reason = (code: string, detail: string) => ({ code, detail, count: null, last_answer: null }) as never;

it("a device on which nothing is wrong has no problem", async () => assert.equal(await problemOf({}), null));

describe("what blocks updates is the problem", () => {
  it("with a signature that is not wanted", () =>
    expectProblem(
      { ota: { verify_signature: false }, record: { last_check: { ...goodCheck, outcome: "failed" } } },
      { ...no, code: "signature_verification_off" },
      /verifying signatures is off/,
    ));

  it("and a setting that has no effect is one", () =>
    expectProblem(
      { ota: { auto_update_binary: true } },
      { ...no, code: "automatic_binary_ineffective" },
      /no effect/,
    ));
});

describe("what was applied", () => {
  const undone = { outcome: "failed", detail: "It did not answer", restored_healthy: false } as const;
  const former = (kind: "rules" | "binary") => ({
    ...no,
    code: "former_not_healthy" as const,
    release: { kind, name: "base", version: "1.2.0" },
    reason: reason("unrecorded", "It did not answer."),
    at: entry(1).at,
  });

  for (const kind of ["rules", "binary"] as const)
    it(`is a problem where the release before is not healthy either: ${kind}`, () =>
      expectProblem(
        { journal: { sequence: 1, history: [entry(1, { ...undone, kind })] } },
        former(kind),
        /undone at .*not healthy either: look at the device/,
      ));

  it("is none where it is, nor once something else was tried of that kind", async () => {
    const healthy = entry(1, { ...undone, restored_healthy: true });
    assert.equal(await problemOf({ journal: { sequence: 1, history: [healthy] } }), null);
    const history = [entry(1, undone), entry(2)];
    assert.equal(await problemOf({ journal: { sequence: 2, history } }), null);
    const ofOther = [entry(1, undone), entry(2, { kind: "binary" })];
    const found = (await problemOf({ journal: { sequence: 2, history: ofOther } }))?.code;
    assert.equal(found, "former_not_healthy");
  });

  it("is a problem where it was refused, for as long as it is on offer", async () => {
    const refused = entry(1, { outcome: "refused", detail: "It does not fit." });
    const journal = { sequence: 1, history: [refused] };
    await expectProblem(
      { journal, record: { available: { rules, binary: null } } },
      {
        ...no,
        code: "refused",
        release: { kind: "rules", name: "base", version: "1.2.0" },
        reason: reason("unrecorded", "It does not fit."),
        at: refused.at,
      },
      /^The installer refused base 1\.2\.0 at/,
    );
    assert.equal(await problemOf({ journal }), null);
    const other = { ...rules, id: "9".repeat(32) };
    assert.equal(await problemOf({ journal, record: { available: { rules: other, binary: null } } }), null);
    const good = { sequence: 1, history: [entry(1)] };
    assert.equal(await problemOf({ journal: good, record: { available: { rules, binary: null } } }), null);
  });
});

describe("of several problems the gravest comes first, and each is told", () => {
  const refused = entry(1, { outcome: "refused", detail: "It does not fit." });
  const broken = entry(2, { kind: "binary", outcome: "failed", restored_healthy: false });
  const offered = { available: { rules, binary: null } };
  const journal = { sequence: 2, history: [refused, broken] };
  const failed = {
    ...goodCheck,
    outcome: "failed",
    code: "update_signature_invalid",
    detail: "No.",
  } as const;
  const expired = { code: "update_metadata_expired", detail: "Expired." };
  const off = { verify_signature: false };
  const check = { last_check: failed };
  const notVerified = {
    journal: { sequence: 1, history: [refused] },
    record: { ...offered, blockers: { rules: null, binary: expired } },
  };
  const both = { journal, record: offered };
  const blocked = { journal, ota: off };
  const ineffective = { record: check, ota: { auto_update_binary: true } };
  const rows: [name: string, given: Told, ...codes: UpdateProblem["code"][]][] = [
    ["a broken service, before refused rules", both, "former_not_healthy", "refused"],
    ["a broken service, before a block", blocked, "former_not_healthy", "signature_verification_off"],
    [
      "a failed check, before what has no effect",
      ineffective,
      "check_failed",
      "automatic_binary_ineffective",
    ],
    ["a kind that cannot be verified, before another's refusal", notVerified, "not_verifiable", "refused"],
    ["a block, not the check that it made fail", { record: check, ota: off }, "signature_verification_off"],
  ];
  for (const [name, given, ...codes] of rows)
    it(name, async () => {
      const shown = (await told.tell(given)).problems().map(({ code }) => code);
      assert.deepEqual(shown, codes);
    });
});

describe("a check that failed", () => {
  const failed = (code: string | null, failures: number, detail: string | null = "No."): Told => ({
    record: { failures, last_check: { ...goodCheck, outcome: "failed", code, detail } },
  });
  const check = (failures: number, why: never) => ({
    ...no,
    code: "check_failed" as const,
    failures,
    reason: why,
  });

  for (const code of ["update_server_unreachable", "update_too_slow"])
    it(`is a problem from the third in a row on where the network may be at fault: ${code}`, async () => {
      assert.equal(await problemOf(failed(code, 2)), null);
      await expectProblem(
        failed(code, 3),
        check(3, reason(code, "No.")),
        /^The last 3 checks .*failed\. No\.$/,
      );
    });

  it("is a problem with what little is known of it", () =>
    expectProblem(
      failed(null, 2, null),
      check(2, reason("internal_error", "internal_error.")),
      /^The last 2 checks for updates failed\. internal_error\.$/,
    ));

  it("is none where the clock is in doubt, or a later one was good", async () => {
    for (const outcome of ["ok", "waiting_for_clock"] as const)
      assert.equal(await problemOf({ record: { failures: 9, last_check: { ...goodCheck, outcome } } }), null);
  });
});

describe("a kind that could not be verified", () => {
  const expired = { code: "update_metadata_expired", detail: "Expired." };
  const doubt = { code: "clock_not_synchronised", detail: "Perhaps." };
  const notVerifiable = (kind: "rules" | "binary") => ({
    ...no,
    code: "not_verifiable" as const,
    release: { kind, name: null, version: null },
    reason: reason("update_metadata_expired", "Expired."),
  });
  const cases = [
    ["rules", { rules: expired, binary: null }, / for rules, .* accepted\. Expired\.$/],
    ["binary", { rules: null, binary: expired }, / for services, .* accepted\. Expired\.$/],
    ["rules", { rules: expired, binary: expired }, / for rules, .* accepted\. Expired\.$/],
    ["binary", { rules: doubt, binary: expired }, / for services, .* accepted\. Expired\.$/],
    ["rules", { rules: expired, binary: doubt }, / for rules, .* accepted\. Expired\.$/],
  ] as const;
  for (const [kind, blockers, detail] of cases)
    it(`is a problem: ${detail.source}`, () =>
      expectProblem({ record: { blockers } }, notVerifiable(kind), detail));

  it("is none where only the clock is in doubt", async () =>
    assert.equal(await problemOf({ record: { blockers: { rules: doubt, binary: doubt } } }), null));
});
