import type { Page } from "playwright-core";
import {
  exampleEntry,
  exampleFailed,
  exampleFailure,
  exampleHold,
  examplePassedOver,
  exampleReason,
  exampleRelease,
  exampleTrial,
  exampleUpdates,
} from "../command-line/example-updates.ts";

/** Texts that people may type and that must break nothing; each has at most 64 characters. */
export const awkward = {
  markup: "<img src=x onerror=alert(1)>&amp;<b>bold</b>",
  rightToLeft: "شركة النقل البحري ٢٤",
  emoji: "👩🏽‍🔧🏭🇩🇪 team",
  withoutBlank: "W".repeat(64),
  compound: "Rechtsschutzversicherungsgesellschaftenbeauftragte",
} as const;

export const awkwardTexts = Object.values(awkward);

const all = awkwardTexts.join(" ");
const name = "n".repeat(64);
const version = `2026.11.${"9".repeat(56)}`;
const host = (letter: string) => `${"ntp-".repeat(15)}${letter}.example.net`;

/** Notes with each of them as a paragraph, bold, as code and as a link. */
const notes = [
  `# ${awkward.withoutBlank}\n`,
  ...awkwardTexts,
  `- **${awkward.withoutBlank}** ${awkward.rightToLeft}`,
  `- [${awkward.compound}](https://example.net/${"l".repeat(80)})`,
  `1. \`${awkward.withoutBlank}\``,
].join("\n");

/** Rules that are out after others have failed, and a service on trial. */
const updates = exampleUpdates({
  state: "confirming",
  installed: { rules: version, binary: version },
  available: { rules: { ...exampleRelease, version, notes, hold: exampleHold("wave", all) }, binary: null },
  trial: { ...exampleTrial, kind: "binary", id: "d".repeat(32), name, version },
  failed: [{ ...exampleFailed, name, version }],
  passed_over: examplePassedOver.map((one) => ({ ...one, name, version, detail: all })),
  schedule: { server: `https://${"updates-".repeat(7)}.example.net/${"d".repeat(80)}` },
});

const reason = exampleReason("not_healthy_in_time", all);
const history = [
  { ...exampleFailure, sequence: 9, name, version, from_version: version, reason, log: awkwardTexts },
  { ...exampleEntry, sequence: 8, name, version },
];

const users = [..."abcde"].map((letter) => letter.repeat(32));

const needs = [
  { code: "program", level: "failing", facts: { check: "helper", reason: "odd" }, detail: all },
  {
    ...{ code: "disk", level: "failing", detail: all },
    facts: { check: "disk", reason: "disk_read_only", path: `/${name}` },
  },
  { code: "users_locked", level: "attention", facts: { count: users.length, users }, detail: all },
  { code: "update_failed", level: "attention", facts: { name, version }, detail: all },
  { code: "device_unnamed", level: "attention", facts: { hostname: name }, detail: all },
  { code: "of_a_newer_agent", level: "attention", facts: {}, detail: all },
];

const answered = { stratum: 2, reach: 255, delay_seconds: 0.01, jitter_seconds: 0.001 };
const lie = { code: "disagrees", detail: all, cause: null };
const source = (letter: string, offset_seconds: number) => {
  const isFalse = Math.abs(offset_seconds) > 1;
  return {
    ...{ ...answered, id: letter, host: host(letter), address: "2001:db8:85a3:1111:2222:8a2e:370:7334" },
    ...{ state: isFalse ? "falseticker" : "selected", reason: isFalse ? lie : null },
    ...{ offset_seconds, uncertainty_seconds: 0.01 },
  };
};
const sources = [source("a", 0), source("b", 0.001), source("c", 0.002), source("d", 3)];

interface Answer {
  readonly clock: object;
  readonly updates: { readonly kinds: readonly object[] };
}

/** The members that each of these answers has in place of the agent's. */
const replaced: Readonly<Record<string, (answer: Answer) => object>> = {
  "**/api/updates": () => updates,
  "**/api/updates/history*": () => ({ items: history, total: history.length, next_cursor: null }),
  "**/api/system/time-sync": () => ({ sources }),
  "**/api/status": (answer) => ({
    ...{ state: "failing", needs },
    clock: { ...answer.clock, source: host("a") },
    updates: {
      ...answer.updates,
      kinds: answer.updates.kinds.map((kind) => ({ ...kind, installed: version, available: version })),
    },
  }),
};

/** Has the agent's answers be awkward too where people only read them: releases, needs, time servers. */
export async function answerAwkwardly(page: Page): Promise<void> {
  for (const [path, change] of Object.entries(replaced))
    await page.route(path, async (route) => {
      if (route.request().method() !== "GET") return route.fallback();
      const response = await route.fetch();
      const answer = await response.json();
      await route.fulfill({ response, json: { ...answer, ...change(answer) } });
    });
}
