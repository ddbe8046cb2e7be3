import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { exampleUpdateSummary, exampleUpdates } from "../../lab/command-line/example-updates.ts";
import * as base from "../../src/console/catalogue/languages/en/base.ts";
import * as updates from "../../src/console/catalogue/languages/en/updates.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { updatesHow } from "../../src/console/home/tile-facts.ts";
import { clockHow, howIs, needsAbout, type Tile, warningsAmong } from "../../src/console/needs/how.ts";
import { overviewOf } from "../../src/console/updates/updates-overview.ts";
import { clockWords } from "../../src/contract/clock-states.ts";
import { needCodes } from "../../src/contract/need-areas.ts";
import { summaryCodes } from "../../src/contract/schemas/update-reasons.ts";
import { checkOutcomes } from "../../src/contract/schemas/updates.ts";
import type { Need, Status, Updates } from "../../src/contract/types.ts";

const levels = ["attention", "failing"] as const;
const colours = { attention: "attention", failing: "wrong" } as const;
const calm = { state: "good", word: "in order" } as const;

const needOf = (code: Need["code"], level: Need["level"]): Need => ({
  ...{ code, level, facts: { name: "base", version: "1.3.0" }, detail: "A need.", remedy: null },
});

/** No need, each need in each level, and all of them together in each level. */
const situations: readonly (readonly Need[])[] = [
  [],
  ...needCodes.flatMap((code) => levels.map((level) => [needOf(code, level)])),
  ...levels.map((level) => needCodes.map((code) => needOf(code, level))),
];

const codesOf = (needs: readonly Need[]) => needs.map(({ code }) => code).join(", ") || "no need";
const summaryOf = (code: string) => ({ summary: { code } }) as NonNullable<Status["updates"]>;

/** The rule: a part has the colour and a reason of its gravest need; without one it is neither amber nor red. */
function assertTrue(
  tile: Tile,
  needs: readonly Need[],
  { state, reason }: { readonly state: string; readonly reason?: string | null },
  about: string,
): void {
  const [gravest] = needsAbout(tile, needs);
  const words = `${tile} with ${codesOf(needs)}, ${about}: ${state}`;
  if (gravest !== undefined) assert.equal(state, colours[gravest.level], words);
  else assert.ok(state === "good" || state === "unknown", words);
  if (reason !== undefined) assert.equal(reason === null, gravest === undefined, words);
}

describe("a part of the device on the pages of the console", () => {
  before(() => putTexts("en", { ...base, ...updates }));

  it("is green beside none of its needs, and neither amber nor red without one", () => {
    for (const needs of situations) {
      for (const tile of ["clock", "updates", "people", "host"] as const)
        assertTrue(tile, needs, howIs(tile, needs, calm), "calm");
      for (const word of clockWords) assertTrue("clock", needs, clockHow(word, needs), word);
      for (const code of summaryCodes) assertTrue("updates", needs, updatesHow(summaryOf(code), needs), code);
    }
  });

  it("is amber for what broke, and not for what the first run left", () => {
    const left = [
      "second_factor_advised",
      "device_unnamed",
      "updates_not_set_up",
      "update_trust_unconfirmed",
    ];
    const steps = needCodes.filter((code) => warningsAmong([needOf(code, "attention")]).length === 0);
    assert.deepEqual([...steps].sort(), [...left, "no_receiver"].sort());
    for (const level of levels)
      for (const tile of ["updates", "people", "host"] as const) {
        const { state } = howIs(
          tile,
          steps.map((code) => needOf(code, level)),
          calm,
        );
        assert.equal(state, level === "failing" ? "wrong" : "good", tile);
      }
  });

  it("is not called good while its needs are not known yet", () => {
    for (const { state } of [
      howIs("host", null, calm),
      clockHow("in_sync", null),
      overviewOf(exampleUpdates(), null, null),
    ])
      assert.equal(state, "unknown");
  });

  it("has no word of a good state beside a need", () => {
    const good = [base.frame.clockWords.in_sync, base.home.inOrder, base.home.updateStates.upToDate];
    for (const needs of situations.slice(1))
      for (const [tile, { word }] of [
        ["clock", clockHow("in_sync", needs)],
        ["updates", updatesHow(summaryOf("nothing_newer"), needs)],
      ] as const)
        if (needsAbout(tile, needs).length > 0) assert.ok(!good.includes(word), `${word}: ${codesOf(needs)}`);
  });

  it("is on the page of updates as on Home, whatever the last check says", () => {
    for (const needs of situations)
      for (const code of summaryCodes)
        for (const outcome of checkOutcomes) {
          const last_check = { ...exampleUpdates().schedule.last_check, outcome };
          const schedule = { last_check: last_check as Updates["schedule"]["last_check"] };
          const status = exampleUpdates({ summary: exampleUpdateSummary(code, "So."), schedule });
          const { state } = overviewOf(status, null, needs);
          assertTrue("updates", needs, { state }, `${code}, ${outcome}`);
        }
  });
});
