import assert from "node:assert/strict";
import { it } from "node:test";
import { exampleClock, heardSource } from "../../lab/command-line/example-clock.ts";
import { readPages } from "../../scripts/docs/pages.ts";
import { timeReport } from "../../src/cli/time/time-view.ts";
import type { TimeSource } from "../../src/contract/types.ts";
import { blocksOf } from "./blocks.ts";

const page = readPages().find(({ path }) => path === "docs/clock.md")?.text ?? "";
const shown = blocksOf(page).find(({ text }) => text.startsWith("time  "))?.text ?? "";

function source(number: number, state: TimeSource["state"], offset: readonly [number, number]): TimeSource {
  const stratum = number === 3 ? 3 : 2;
  return heardSource(`ntp${number}.branch.lan`, offset, { state, stratum, reach: 0o37 });
}

it("the status of the clock in docs/clock.md is as the command prints it", () => {
  const report = timeReport(
    exampleClock({
      ...{ mode: "observe", state: "synchronised", trust: "trusted" },
      source: { id: "2", type: "ntp", host: "ntp2.branch.lan", stratum: 2, refid: "7f7f0101" },
      ...{ offset_seconds: -3.74e-6, uncertainty_seconds: 198e-6, frequency_ppm: -0.08, poll_seconds: 64 },
      server_time: "2026-11-20T21:24:16.526Z",
      sources: [
        source(1, "candidate", [3.81e-6, 68.7e-6]),
        source(2, "selected", [-1.92e-6, 61.7e-6]),
        source(3, "candidate", [-16.5e-6, 88.7e-6]),
        source(4, "falseticker", [3, 236e-6]),
      ],
    }),
  ).split("\n");
  assert.ok(shown.includes("ntp4.branch.lan"));
  for (const line of shown.split("\n")) assert.ok(report.includes(line), `${line}: ${report.join("\n")}`);
});
