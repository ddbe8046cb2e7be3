import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { StewardError } from "../../../src/contract/errors.ts";
import { emptyJournal } from "../../../src/releases/release-journal.ts";
import {
  blockedReason,
  type CheckParts,
  hasWaitedForClock,
} from "../../../src/updates/check/hold-conditions.ts";
import type { TrustState } from "../../../src/updates/trust/trust-view.ts";
import { goodCheck, openToldDevice, rules, type Told, type ToldDevice } from "../fixture.ts";

let told: ToldDevice;
before(async () => {
  told = await openToldDevice();
});

interface Facts extends Told {
  readonly trust?: TrustState;
  readonly isClockTrusted?: boolean;
  readonly failure?: StewardError;
}

/** The parts of a room that knows this, with a trust and downloads that say what a test wants. */
async function partsWith({ trust = { kind: "none" }, isClockTrusted = true, ...facts }: Facts) {
  await told.tell(facts);
  told.device.isClockTrusted = isClockTrusted;
  const journal = { ...emptyJournal, ...facts.journal };
  return {
    options: told.device.options,
    trust: { state: () => trust, isEstablished: () => true },
    watch: { journal: () => journal },
    downloads: {
      isStaged: (id: string) => (facts.staged ?? []).includes(id),
      failureOf: () => facts.failure ?? null,
    },
  } as unknown as CheckParts;
}

describe("what blocks all updates", () => {
  const unusable = new StewardError("update_root_unusable", "A key is all zero.");
  const both = { enabled: true, verify_signature: false };
  const rows: [what: string, Facts, code: string | null][] = [
    ["nothing without a root, while the schedule is off", {}, null],
    ["a root that is missing, once updates are scheduled", { ota: { enabled: true } }, "trust_not_installed"],
    ["an unusable root, in any case", { trust: { kind: "unusable", error: unusable } }, "trust_unusable"],
    ["a setting, before the root", { ota: both }, "signature_verification_off"],
  ];
  for (const [what, facts, code] of rows)
    it(`is ${what}`, async () => assert.equal(blockedReason(await partsWith(facts))?.code ?? null, code));
});

describe("what has waited for the clock", () => {
  const found = { record: { available: { rules, binary: null } } };
  const doubt = { rules: null, binary: { code: "clock_not_synchronised", detail: "Perhaps." } };
  const waiting = { ...goodCheck, outcome: "waiting_for_clock" } as const;
  const off = { ota: { auto_update_rules: false } };
  const unreachable = new StewardError("update_server_unreachable", "No connection.");
  const blocked = { record: { last_check: waiting }, ota: { verify_signature: false } };
  const retried = { record: { ...found.record, download_failures: 1 } };
  const rows: [what: string, Facts, hasWaited: boolean][] = [
    ["a check that was in doubt", { record: { last_check: waiting } }, true],
    ["a kind that was in doubt", { record: { blockers: doubt } }, true],
    ["a release that nothing else holds", found, true],
    ["nothing, while the clock is not trusted", { ...found, isClockTrusted: false }, false],
    ["nothing, while a setting blocks all", blocked, false],
    ["nothing where no release is known", {}, false],
    ["no release that lies here", { ...found, staged: [rules.id] }, false],
    ["no release that is fetched on request only", { ...found, ...off }, false],
    ["no download that has failed", { ...found, failure: unreachable }, false],
    ["none after failed downloads, which have a retry", retried, false],
  ];
  for (const [what, facts, hasWaited] of rows)
    it(`is ${what}`, async () => assert.equal(hasWaitedForClock(await partsWith(facts)), hasWaited));
});
