import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { UpdateProblem } from "../../../src/contract/types.ts";
import { rules } from "../example-releases.ts";
import { entry, goodCheck, openToldDevice, type Told, type ToldDevice } from "../told-device.ts";

let told: ToldDevice;
before(async () => {
  told = await openToldDevice();
});

const problemsOf = async (given: Told): Promise<readonly UpdateProblem[]> =>
  (await told.tell(given)).problems();

const journal = (...history: ReturnType<typeof entry>[]): Told["journal"] => ({
  sequence: history.length,
  history,
});
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
const unnamed = (kind: "rules" | "binary") => ({ kind, name: null, version: null });
const reason = (code: string, detail: string) => ({ code, detail, count: null, last_answer: null }) as never;

describe("the problem of updates, with its facts, is", () => {
  for (const [what, given, facts, words] of [
    [
      "a signature that is not wanted",
      { ...check(null, 1), ota: off },
      { code: "signature_verification_off" },
      /signatures is off/,
    ],
    [
      "a setting without effect",
      { ota: { auto_update_binary: true } },
      { code: "automatic_binary_ineffective" },
      /no effect/,
    ],
    ...(["rules", "binary"] as const).map((kind) => [
      `a former release of ${kind} that is not healthy either`,
      { journal: journal(entry(1, { ...undone, kind })) },
      {
        code: "former_not_healthy",
        release: { ...base, kind },
        at: entry(1).at,
        reason: reason("unrecorded", "It did not answer."),
      },
      /undone at .*not healthy either: look at the device/,
    ]),
    [
      "a refusal of what is on offer",
      { journal: journal(refused), record: offered },
      { code: "refused", release: base, at: refused.at, reason: reason("unrecorded", "It does not fit.") },
      /^The installer refused base 1\.2\.0 at/,
    ],
    ...["update_server_unreachable", "update_too_slow"].map((code) => [
      `the third check in a row that fails by the network: ${code}`,
      check(code, 3),
      { code: "check_failed", failures: 3, reason: reason(code, "No.") },
      /^The last 3 checks .*failed\. No\.$/,
    ]),
    [
      "a check of which little is known",
      check(null, 2, null),
      { code: "check_failed", failures: 2, reason: reason("internal_error", "internal_error.") },
      /^The last 2 checks for updates failed\. internal_error\.$/,
    ],
    ...(["rules", "binary"] as const).map((kind) => [
      `${kind} that could not be verified, beside a doubt of the clock`,
      { record: { blockers: { rules: doubt, binary: doubt, [kind]: expired } } },
      { code: "not_verifiable", release: unnamed(kind), reason: reason(expired.code, expired.detail) },
      / for (rules|services), .* accepted\. Expired\.$/,
    ]),
  ] as [string, Told, Partial<UpdateProblem>, RegExp][])
    it(what, async () => {
      const [{ detail = "none", ...found } = {}] = await problemsOf(given);
      assert.deepEqual(found, { release: null, reason: null, failures: null, until: null, ...facts });
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
  const failed = check("update_signature_invalid", 1);
  const blockers = { rules: null, binary: expired };
  for (const [what, given, ...codes] of [
    [
      "a broken service, before refused rules",
      { journal: brokenBinary, record: offered },
      "former_not_healthy",
      "refused",
    ],
    [
      "a broken service, before a block",
      { journal: brokenBinary, ota: off },
      "former_not_healthy",
      "signature_verification_off",
    ],
    [
      "a failed check, before what has no effect",
      { ...failed, ota: { auto_update_binary: true } },
      "check_failed",
      "automatic_binary_ineffective",
    ],
    [
      "a kind that cannot be verified, before another's refusal",
      { journal: journal(refused), record: { ...offered, blockers } },
      "not_verifiable",
      "refused",
    ],
    [
      "a broken kind, whatever came of the other",
      { journal: journal(entry(1, undone), entry(2, { kind: "binary" })) },
      "former_not_healthy",
    ],
    [
      "both kinds that cannot be verified",
      { record: { blockers: { rules: expired, binary: expired } } },
      "not_verifiable",
      "not_verifiable",
    ],
    ["a block, not the check that it made fail", { ...failed, ota: off }, "signature_verification_off"],
  ] as [string, Told, ...UpdateProblem["code"][]][])
    it(what, async () =>
      assert.deepEqual(
        (await problemsOf(given)).map(({ code }) => code),
        codes,
      ),
    );
});
