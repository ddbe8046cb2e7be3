import { readFileSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { Boot, Scenario, TieredScenario } from "../../machines/scenario.ts";
import { productFiles } from "./demo-product.ts";
import {
  appliedUntil,
  appliedWhole,
  type CutAt,
  doneAtBoot,
  heavyBinary,
  type Known,
  settledOn,
} from "./power-cuts.ts";
import { publishing, trusting, updateScenario, updateSettings } from "./update-scenario.ts";

/** A cut comes while this version is tried. `either` is for a place where both ends are right. */
interface Cut {
  readonly place: CutAt;
  readonly version: string;
  readonly isGood: boolean;
  readonly ends: "old" | "new" | "either";
}

const everyPhase: readonly Cut[] = [
  { place: "verifying", version: "1.1.0", isGood: true, ends: "old" },
  { place: "installing", version: "1.2.0", isGood: true, ends: "old" },
  { place: "switching", version: "1.3.0", isGood: true, ends: "either" },
  { place: "activating", version: "1.4.0", isGood: true, ends: "new" },
  { place: "confirming", version: "1.5.0", isGood: true, ends: "new" },
  { place: "undoing", version: "1.6.0", isGood: false, ends: "old" },
  { place: "reactivating", version: "1.7.0", isGood: false, ends: "old" },
  { place: "recovering", version: "1.8.0", isGood: false, ends: "old" },
];
/** A container that is killed: the short phases may be over when it goes. */
const longPhases: readonly Cut[] = [
  { place: "installing", version: "1.1.0", isGood: true, ends: "either" },
  { place: "activating", version: "1.2.0", isGood: true, ends: "new" },
  { place: "confirming", version: "1.3.0", isGood: true, ends: "new" },
  { place: "reactivating", version: "1.4.0", isGood: false, ends: "old" },
];
const last = "1.9.0";
const units = ["steward.service", "demo-product.service"];

/** The memory of the scenario from boot to boot, on the disk that is kept. */
const memory = "/root/power-cuts.json";

interface Memory {
  readonly former: Known;
  readonly tried: Known;
}

/** The machine goes in the midst of each of these, and the next boot has to make the best of it. */
function cutting(cuts: readonly Cut[]): Pick<Scenario, "timeoutSeconds" | "asks" | "boots"> {
  return {
    timeoutSeconds: 400 * (cuts.length + 1),
    asks: publishing(
      heavyBinary("1.0.0"),
      ...cuts.map(({ version, isGood }) => heavyBinary(version, isGood)),
      heavyBinary(last),
    ),
    boots: [
      { units, powerCut: true, run: (guest) => first(guest, cuts) },
      ...cuts.map(
        (cut, index): Boot => ({
          units,
          powerCut: true,
          run: (guest) => afterCut(guest, cut, cuts[index + 1]),
        }),
      ),
    ],
  };
}

/** The machine loses its power in every phase of an update, and of an undoing. */
export const scenario: TieredScenario = {
  title: "a power cut in any phase leaves the old or the new release, whole and healthy",
  tiers: { vm: {}, container: cutting(longPhases) },
  keepsDisk: true,
  ...updateScenario("demo"),
  files: { ...updateSettings(), ...productFiles({ successes: 3, interval: "1s", within: "60s" }) },
  ...cutting(everyPhase),
};

async function first(guest: Guest, [cut]: readonly Cut[]): Promise<void> {
  await trusting(guest);
  await cutOrEnd(guest, cut, await appliedWhole(guest, "1.0.0"));
}

/** The boot after a cut: what it has left, and then the next one. */
async function afterCut(guest: Guest, { place, ends }: Cut, next: Cut | undefined): Promise<void> {
  const { former, tried } = JSON.parse(readFileSync(memory, "utf8")) as Memory;
  await guest.stewardAnswers(90);
  const present = await settledOn(guest, former, tried);
  guest.note(`cut while ${place}, and then: ${await doneAtBoot(guest)}`);
  if (ends !== "either") {
    const wanted = ends === "old" ? former : tried;
    guest.check(`after a cut while ${place} it is the ${ends} one`, present.id === wanted.id);
  }
  await cutOrEnd(guest, next, present);
}

async function cutOrEnd(guest: Guest, cut: Cut | undefined, former: Known): Promise<void> {
  if (cut === undefined) return void (await appliedWhole(guest, last));
  const { place, version } = cut;
  await appliedUntil(guest, { version, place }, (id) => {
    const remembered: Memory = { former, tried: { id, version } };
    writeFileSync(memory, JSON.stringify(remembered), { flush: true });
  });
}
