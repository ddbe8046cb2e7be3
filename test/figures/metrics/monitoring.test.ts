import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { anchorOf } from "../../../scripts/docs/pages.ts";
import { alertsTests } from "../../../scripts/monitoring/alerts-tests.ts";
import { dashboard } from "../../../scripts/monitoring/dashboard.ts";
import { sourceStates } from "../../../src/contract/clock-states.ts";
import { errorCodes } from "../../../src/contract/error-codes.ts";
import { eventTypes } from "../../../src/contract/event-types.ts";
import { type MetricFamily, metricFamilies } from "../../../src/contract/metrics.ts";
import { needCodes } from "../../../src/contract/need-areas.ts";
import { deviceStates } from "../../../src/contract/schemas/status.ts";
import { updateKinds } from "../../../src/contract/update-kinds.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const alerts = read("scripts/monitoring/alerts.yml");
const tests = JSON.stringify(alertsTests()).replaceAll('\\"', '"');

const shown = dashboard()
  .panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  .join("\n");

/** The rules of alerts.yml, each with its name and its text. */
const rules = alerts
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => ({ name: text.split("\n", 1)[0] ?? "", text }));

/** The labels that Prometheus adds, and that of a histogram's bounds. */
const added = ["job", "instance", "le"];

/** These labels of metrics have only a few values. */
const known: Readonly<Record<string, readonly string[]>> = {
  "steward_device_state.state": deviceStates,
  "steward_need.code": needCodes,
  "steward_clock_sources.state": sourceStates,
  "steward_events_total.type": Object.keys(eventTypes),
  "steward_sign_ins_total.outcome": ["succeeded", ...Object.keys(errorCodes)],
};

function familyOf(name: string): [string, MetricFamily] | undefined {
  const base = name.replace(/_(bucket|sum|count)$/, "");
  return (Object.entries(metricFamilies) as [string, MetricFamily][]).find(
    ([one, { type }]) => one === name || (type === "histogram" && one === base),
  );
}

/** Lists the faults of the metrics that a text names, and of their labels. */
function complaints(text: string): string[] {
  const uses = text.matchAll(/\b((?:steward|process|nodejs)_[a-z_0-9]+)\b(?:\{([^}]*)\})?/g);
  return [...uses].flatMap(([, name = "", labels = ""]) => {
    const family = familyOf(name);
    if (family === undefined) return [`there is no metric ${name}`];
    return [...labels.matchAll(/(\w+)(=~|!~|!=|=)["']([^"']*)["']/g)].flatMap(
      ([, label = "", operator = "", value = ""]) => {
        if (added.includes(label)) return [];
        if (!family[1].labels.includes(label)) return [`${name} has no label ${label}`];
        const values = known[`${family[0]}.${label}`];
        const pieces = operator.includes("~") ? value.split("|") : [value];
        return (values === undefined ? [] : pieces)
          .filter((piece) => !values?.some((one) => new RegExp(`^(?:${piece})$`).test(one)))
          .map((piece) => `${name}: ${label} is never ${piece}`);
      },
    );
  });
}

describe("the alerts and the dashboard", () => {
  it("use metrics and labels that the agent has", () => {
    assert.ok(rules.length >= 20, `${rules.length} rules`);
    assert.deepEqual(complaints(alerts), []);
    assert.deepEqual(complaints(tests), []);
    assert.deepEqual(complaints(shown), []);
  });

  it("are noticed when they use others", () => {
    assert.deepEqual(complaints('steward_clock_ofset_seconds > 1 and steward_need{kode="clock"}'), [
      "there is no metric steward_clock_ofset_seconds",
      "steward_need has no label kode",
    ]);
    assert.deepEqual(complaints('steward_events_total{type=~"update.undone|update.forgotten"}'), [
      "steward_events_total: type is never update.forgotten",
    ]);
  });

  it("leave out no metric", () => {
    const used = new Set(
      [...`${alerts}${shown}`.matchAll(/\b(?:steward|process|nodejs)_[a-z_0-9]+/g)].map(([name]) => name),
    );
    const isUsed = (name: string) => [...used].some((one) => familyOf(one)?.[0] === name);
    const found = Object.keys(metricFamilies).filter((name) => !isUsed(name));
    assert.deepEqual(found, []);
  });

  for (const { name, text } of rules)
    it(`${name} has a severity, words, a place that helps, and a test with promtool`, () => {
      assert.match(text, /severity: (critical|warning|info) \}/);
      assert.match(text, /^ {10}summary: ".{20,}"$/m);
      const [, page = "", anchor = ""] = /^ {10}runbook: (docs\/\S+\.md)#(\S+)$/m.exec(text) ?? [];
      const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
      assert.ok(headings.includes(anchor), `${page} has no heading #${anchor}`);
      assert.ok(tests.includes(`"name":"${name}"`), "alerts-tests.ts has no test of it");
      assert.ok(tests.includes(`alertname="${name}",alertstate="firing"`), "no test sees it firing");
    });

  it("know the kinds of updates", () => {
    const kinds = new Set([...tests.matchAll(/kind="(\w+)"/g)].map(([, kind]) => kind));
    assert.deepEqual([...kinds].sort(), [...updateKinds].sort());
  });
});
