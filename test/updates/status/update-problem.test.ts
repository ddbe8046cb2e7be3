import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { UpdateProblem } from "../../../src/contract/types.ts";
import { entry, goodCheck, openToldDevice, rules, type Told, type ToldDevice } from "../fixture.ts";

let told: ToldDevice;
before(async () => {
  told = await openToldDevice();
});

const problemsOf = async (given: Told): Promise<readonly UpdateProblem[]> =>
  (await told.tell(given)).problems();

const journal = (...history: ReturnType<typeof entry>[]) => ({ sequence: history.length, history });
const undone = { outcome: "failed", detail: "It did not answer", restored_healthy: false } as const;
const refused = entry(1, { outcome: "refused", detail: "It does not fit." });
const offered = { available: { rules, binary: null } };
const other = { available: { rules: { ...rules, id: "9".repeat(32) }, binary: null } };
const expired = { code: "update_metadata_expired", detail: "Expired." };
const doubt = { code: "clock_not_synchronised", detail: "Perhaps." };
const check = (code: string | null, failures: number, detail: string | null = "No."): Told => ({
  record: { failures, last_check: { ...goodCheck, outcome: "failed", code, detail } },
});
const off = { verify_signature: false };
const base = { kind: "rules", name: "base", version: "1.2.0" } as const;
const reason = (code: string, detail: string) => ({ code, detail, count: null, last_answer: null }) as never;

describe("the problem of updates, with its facts, is", () => {
  const ofNetwork = ["update_server_unreachable", "update_too_slow"] as const;
  const kinds = ["rules", "binary"] as const;
  const unhealthy = { reason: reason("unrecorded", "It did not answer."), at: entry(1).at };
  const misfit = { release: base, at: refused.at, reason: reason("unrecorded", "It does not fit.") };
  const internal = { failures: 2, reason: reason("internal_error", "internal_error.") };
  const blockedBy = (kind: string): Told => ({
    record: { blockers: { rules: doubt, binary: doubt, [kind]: expired } },
  });
  const unverified = reason(expired.code, expired.detail);
  const rows: [UpdateProblem["code"], Told, Partial<UpdateProblem>, RegExp][] = [
    ["signature_verification_off", { ...check(null, 1), ota: off }, {}, /signatures is off/],
    ["automatic_binary_ineffective", { ota: { auto_update_binary: true } }, {}, /no effect/],
    [
      "refused",
      { journal: journal(refused), record: offered },
      misfit,
      /^The installer refused base 1\.2\.0 at/,
    ],
    ["check_failed", check(null, 2, null), internal, /^The last 2 checks .* failed\. internal_error\.$/],
    ...ofNetwork.map((code): (typeof rows)[number] => {
      const third = { failures: 3, reason: reason(code, "No.") };
      return ["check_failed", check(code, 3), third, /^The last 3 checks .*failed\. No\.$/];
    }),
    ...kinds.flatMap((kind): typeof rows => {
      const broken = { journal: journal(entry(1, { ...undone, kind })) };
      const facts = { ...unhealthy, release: { ...base, kind } };
      const blocked = { release: { kind, name: null, version: null }, reason: unverified };
      return [
        ["former_not_healthy", broken, facts, /undone at .*not healthy either: look at the device/],
        ["not_verifiable", blockedBy(kind), blocked, / for (rules|services), .* accepted\. Expired\.$/],
      ];
    }),
  ];
  for (const [code, given, facts, words] of rows)
    it(`${code}: ${words.source}`, async () => {
      const [{ detail = "none", ...found } = {}] = await problemsOf(given);
      const none = { release: null, reason: null, failures: null, until: null };
      assert.deepEqual(found, { code, ...none, ...facts });
      assert.match(detail, words);
    });
});

describe("there is no problem", () => {
  for (const [what, given] of [
    ["on a device on which nothing is wrong", {}],
    [
      "where the former release is healthy",
      { journal: journal(entry(1, { ...undone, restored_healthy: true })) },
    ],
    ["once something else was tried of its kind", { journal: journal(entry(1, undone), entry(2)) }],
    ["in a refusal of what is no longer on offer", { journal: journal(refused) }],
    ["in a refusal of another release than that on offer", { journal: journal(refused), record: other }],
    ["in a release that proved healthy", { journal: journal(entry(1)), record: offered }],
    ["in two failures in a row by the network", check("update_server_unreachable", 2)],
    ["in former failures", { record: { failures: 9, last_check: goodCheck } }],
    [
      "in a doubt of a check",
      { record: { failures: 9, last_check: { ...goodCheck, outcome: "waiting_for_clock" } } },
    ],
    ["in doubts of both kinds", { record: { blockers: { rules: doubt, binary: doubt } } }],
  ] as [string, Told][])
    it(what, async () => assert.deepEqual(await problemsOf(given), []));
});

describe("of several problems the gravest comes first, and each is told:", () => {
  const brokenBinary = journal(refused, entry(2, { ...undone, kind: "binary" }));
  const thenBinary = journal(entry(1, undone), entry(2, { kind: "binary" }));
  const failed = check("update_signature_invalid", 1);
  const record = { ...offered, blockers: { rules: null, binary: expired } };
  const bothKinds = { record: { blockers: { rules: expired, binary: expired } } };
  for (const [codes, given] of [
    ["former_not_healthy refused", { journal: brokenBinary, record: offered }],
    ["former_not_healthy signature_verification_off", { journal: brokenBinary, ota: off }],
    ["check_failed automatic_binary_ineffective", { ...failed, ota: { auto_update_binary: true } }],
    ["not_verifiable refused", { journal: journal(refused), record }],
    ["former_not_healthy", { journal: thenBinary }],
    ["not_verifiable not_verifiable", bothKinds],
    // Not the check that the block made fail.
    ["signature_verification_off", { ...failed, ota: off }],
  ] as [string, Told][])
    it(codes, async () => assert.equal((await problemsOf(given)).map(({ code }) => code).join(" "), codes));
});
