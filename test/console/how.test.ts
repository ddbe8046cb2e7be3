import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { exampleUpdateSummary, exampleUpdates } from "../../lab/command-line/example-updates.ts";
import * as base from "../../src/console/catalogue/languages/en/base.ts";
import * as updates from "../../src/console/catalogue/languages/en/updates.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { updatesHow } from "../../src/console/home/tile-facts.ts";
import { clockHow, type How, howIs, needsAbout, type Tile } from "../../src/console/needs/how.ts";
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

/** No need, each need by itself in each level, and all of them together in each level. */
const situations: readonly (readonly Need[])[] = [
  [],
  ...needCodes.flatMap((code) => levels.map((level) => [needOf(code, level)])),
  needCodes.map((code) => needOf(code, "attention")),
  needCodes.map((code) => needOf(code, "failing")),
];

/** The rule: a part has the colour of its gravest need; without one it is neither amber nor red. */
function assertTrue(tile: Tile, needs: readonly Need[], { state, reason }: How, about: string): void {
  const [gravest] = needsAbout(tile, needs);
  const words = `${tile} with ${needs.map(({ code }) => code).join(", ") || "no need"}, ${about}`;
  if (gravest !== undefined) {
    assert.equal(state, colours[gravest.level], words);
    assert.notEqual(reason, null, words);
    return;
  }
  assert.ok(state === "good" || state === "unknown", `${words}: ${state}`);
  assert.equal(reason, null, words);
}

describe("a part of the device on the pages of the console", () => {
  before(() => putTexts("en", { ...base, ...updates }));

  it("is green beside none of its needs, and neither amber nor red without one", () => {
    for (const needs of situations) {
      for (const tile of ["clock", "updates", "people", "host"] as const)
        assertTrue(tile, needs, howIs(tile, needs, calm), "calm");
      for (const word of clockWords) assertTrue("clock", needs, clockHow(word, needs), word);
      for (const code of summaryCodes) {
        const updates = { summary: { code } } as NonNullable<Status["updates"]>;
        assertTrue("updates", needs, updatesHow(updates, needs), code);
      }
    }
  });

  it("is not called good while its needs are not known yet", () => {
    assert.equal(howIs("host", null, calm).state, "unknown");
    assert.equal(clockHow("in_sync", null).state, "unknown");
    assert.equal(overviewOf(exampleUpdates(), null, null).state, "unknown");
  });

  it("has no word of a good state beside a need", () => {
    const good = [base.frame.clockWords.in_sync, base.home.inOrder, base.home.updateStates.upToDate];
    for (const needs of situations.slice(1)) {
      const [{ code } = { code: "" }] = needs;
      const told = [
        ...(needsAbout("clock", needs).length > 0 ? [clockHow("in_sync", needs)] : []),
        ...(needsAbout("updates", needs).length > 0
          ? [updatesHow({ summary: { code: "nothing_newer" } } as NonNullable<Status["updates"]>, needs)]
          : []),
      ];
      for (const { word } of told) assert.ok(!good.includes(word), `${word} beside ${code}`);
    }
  });

  it("is on the page of updates as on Home, whatever the last check says", () => {
    for (const needs of situations) {
      for (const code of summaryCodes) {
        for (const outcome of checkOutcomes) {
          const last_check = {
            ...exampleUpdates().schedule.last_check,
            outcome,
          } as Updates["schedule"]["last_check"];
          const status = exampleUpdates({
            summary: exampleUpdateSummary(code, "So."),
            schedule: { last_check },
          });
          const { state } = overviewOf(status, null, needs);
          const [gravest] = needsAbout("updates", needs);
          const words = `${code}, ${outcome}, ${needs.map((need) => need.code).join(", ")}`;
          if (gravest !== undefined) assert.equal(state, colours[gravest.level], words);
          else assert.ok(state === "good" || state === "unknown", words);
        }
      }
    }
  });
});
