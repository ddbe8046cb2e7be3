import { readFileSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { Boot, Scenario, TieredScenario } from "../../machines/scenario.ts";
import { productFiles } from "./demo-product.ts";
import { appliedUntil, appliedWhole, type CutAt, heavyBinary, type Known, settledOn } from "./power-cuts.ts";
import { publishing, trusting, updateScenario, updateSettings } from "./update-scenario.ts";

/** Which release the device has after a cut at this place; `either`: both are right. */
type Cut = readonly [place: CutAt, ends: "old" | "new" | "either"];

const everyPhase: readonly Cut[] = [
  ["verifying", "old"],
  ["installing", "old"],
  ["switching", "either"],
  ["activating", "new"],
  ["confirming", "new"],
  ["undoing", "old"],
  ["reactivating", "old"],
  ["recovering", "old"],
];
/** A container that is killed: the short phases may be over when it goes. */
const longPhases: readonly Cut[] = [
  ["installing", "either"],
  ["activating", "new"],
  ["confirming", "new"],
  ["reactivating", "old"],
];

const versionOf = (cuts: readonly Cut[], cut: Cut): string => `1.${cuts.indexOf(cut) + 1}.0`;
/** A phase of the way back is reached by a release that is not. */
const isGood = ([place]: Cut): boolean => !["undoing", "reactivating", "recovering"].includes(place);
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
  const next = async (guest: Guest, index: number, former: Known): Promise<void> => {
    const cut = cuts[index];
    if (cut === undefined) return void (await appliedWhole(guest, last));
    const version = versionOf(cuts, cut);
    await appliedUntil(guest, { version, place: cut[0] }, (id) => {
      const remembered: Memory = { former, tried: { id, version } };
      writeFileSync(memory, JSON.stringify(remembered), { flush: true });
    });
  };
  const afterCut = async (guest: Guest, index: number): Promise<void> => {
    const { former, tried } = JSON.parse(readFileSync(memory, "utf8")) as Memory;
    await guest.stewardAnswers(90);
    const present = await settledOn(guest, former, tried);
    const [place, ends] = cuts[index] ?? [];
    const isRight = ends === "either" || present.id === (ends === "old" ? former : tried).id;
    guest.check(`after a cut while ${place} it is: ${ends}`, isRight, { present, former, tried });
    await next(guest, index + 1, present);
  };
  const first = async (guest: Guest): Promise<void> => {
    await trusting(guest);
    await next(guest, 0, await appliedWhole(guest, "1.0.0"));
  };
  const boots = [first, ...cuts.map((_, index) => (guest: Guest) => afterCut(guest, index))];
  const releases = cuts.map((cut) => heavyBinary(versionOf(cuts, cut), isGood(cut)));
  return {
    timeoutSeconds: 400 * (cuts.length + 1),
    asks: publishing(heavyBinary("1.0.0"), ...releases, heavyBinary(last)),
    boots: boots.map((run): Boot => ({ units, powerCut: true, run })),
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
