import { readFileSync, writeFileSync } from "node:fs";
import { productFiles } from "../demo-product.ts";
import type { Guest } from "../guest/vocabulary.ts";
import {
  appliedUntil,
  appliedWhole,
  type CutAt,
  doneAtBoot,
  heavyBinary,
  type Known,
  settledOn,
} from "../power-cuts.ts";
import type { Boot, Scenario } from "../scenario.ts";
import { publishing, trusting, updateScenario, updateSettings } from "../update-scenario.ts";

/** Each cut with the version that is tried when it comes, and what comes of it where that is one thing alone. */
const cuts: readonly { place: CutAt; version: string; isGood: boolean; ends: "old" | "new" | "either" }[] = [
  { place: "verifying", version: "1.1.0", isGood: true, ends: "old" },
  { place: "installing", version: "1.2.0", isGood: true, ends: "old" },
  { place: "switching", version: "1.3.0", isGood: true, ends: "either" },
  { place: "activating", version: "1.4.0", isGood: true, ends: "new" },
  { place: "confirming", version: "1.5.0", isGood: true, ends: "new" },
  { place: "undoing", version: "1.6.0", isGood: false, ends: "old" },
  { place: "reactivating", version: "1.7.0", isGood: false, ends: "old" },
  { place: "recovering", version: "1.8.0", isGood: false, ends: "old" },
];
const last = "1.9.0";
const units = ["steward.service", "demo-product.service"];

/** What the scenario remembers from boot to boot, on the disk that is kept. */
const memory = "/root/power-cuts.json";

interface Memory {
  readonly former: Known;
  readonly tried: Known;
}

/** The machine loses its power in every phase of an update, and of an undoing. */
export const scenario: Scenario = {
  title: "a power cut in any phase leaves the old or the new release, whole and healthy",
  timeoutSeconds: 3_600,
  keepsDisk: true,
  ...updateScenario("demo"),
  files: { ...updateSettings(), ...productFiles({ successes: 3, interval: "1s", within: "60s" }) },
  asks: publishing(
    heavyBinary("1.0.0"),
    ...cuts.map(({ version, isGood }) => heavyBinary(version, isGood)),
    heavyBinary(last),
  ),
  boots: [
    { units, powerCut: true, run: first },
    ...cuts.map((_, index): Boot => ({ units, powerCut: true, run: (guest) => afterCut(guest, index) })),
  ],
};

async function first(guest: Guest): Promise<void> {
  await trusting(guest);
  const former = await appliedWhole(guest, "1.0.0");
  await cutAt(guest, 0, former);
}

/** The boot after a cut: what it has left, and then the next one. */
async function afterCut(guest: Guest, index: number): Promise<void> {
  const { place, ends } = cuts[index] ?? { place: "confirming", ends: "old" };
  const { former, tried } = JSON.parse(readFileSync(memory, "utf8")) as Memory;
  await guest.stewardAnswers(90);
  const present = await settledOn(guest, former, tried);
  guest.note(`cut while ${place}, and then: ${await doneAtBoot(guest)}`);
  if (ends !== "either") {
    const wanted = ends === "old" ? former : tried;
    guest.check(`after a cut while ${place} it is the ${ends} one`, present.id === wanted.id);
  }
  if (index + 1 < cuts.length) await cutAt(guest, index + 1, present);
  else await appliedWhole(guest, last);
}

async function cutAt(guest: Guest, index: number, former: Known): Promise<void> {
  const { place, version } = cuts[index] ?? { place: "confirming", version: last };
  await appliedUntil(guest, { version, place }, (id) => {
    const remembered: Memory = { former, tried: { id, version } };
    writeFileSync(memory, JSON.stringify(remembered), { flush: true });
  });
}
