import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type Boot, type TieredScenario, walk } from "../../machines/scenario.ts";
import { binary, productFiles } from "../updates/demo-product.ts";
import { publishing, updateScenario, updateSettings } from "../updates/update-scenario.ts";
import * as machine from "./rescue-clock-and-disk.ts";
import * as box from "./rescue-situations.ts";

const units = ["steward.service", "demo-product.service"];

/** The update that the boot before leaves in mid-trial, by a power cut, and then a boot without a network. */
const boots = (atTheBox: Omit<Boot, "units" | "network" | "kernel">): readonly Boot[] => [
  { units, powerCut: true, run: box.midUpdate },
  { units, network: false, kernel: ["steward.rescue=1"], ...atTheBox },
];

const withoutClockAndDisk = [
  ...[box.lostSetupToken, box.cutInMidUpdate, box.stuckInConfirming, box.withoutShell],
  ...[box.withoutShellForbidden, box.lostPhone, box.forgottenPassword, box.lostSealingKey],
  ...[box.secondSetter, box.damagedSettings, box.damagedUsers],
  (guest: Guest) => guest.types("steward doctor --bundle - | tar -tz", { says: "steward-doctor/README" }),
];

/** The twelve situations of steward-rescue(7) and the one without a shell. Half of them take a clock or a disk of its own. */
export const scenario: TieredScenario = {
  title: "at the box and without a network, each situation is mended by the lines of steward-rescue(7)",
  tiers: {
    vm: {
      timeoutSeconds: 1_500,
      slowMinutes: 8,
      boots: boots({ rtc: "1970-01-02T00:00:00", run: allTwelve }),
    },
    container: {},
  },
  timeoutSeconds: 400,
  keepsDisk: true,
  ...updateScenario("demo"),
  files: { ...updateSettings(), ...productFiles({ successes: 3, interval: "1s", within: "60m" }) },
  asks: {
    ...publishing(binary("1.0.0"), binary(box.stuckVersion, "unhealthy")),
    certificate: () => machine.makeCertificate(),
  },
  boots: boots({ run: walk(...withoutClockAndDisk) }),
};

async function allTwelve(guest: Guest): Promise<void> {
  await guest.stewardAnswers(120);
  for (const situation of [
    ...[machine.wrongYear, box.lostSetupToken, box.cutInMidUpdate, box.stuckInConfirming, box.lostPhone],
    ...[machine.refusedCodes, box.forgottenPassword, machine.readOnlyDisk, machine.fullDisk],
    // The token on the terminal goes when the agent is stopped.
    ...[machine.certificate, box.secondSetter, box.withoutShell, box.withoutShellForbidden],
    ...[box.lostSealingKey, box.damagedSettings, box.damagedUsers],
  ]) {
    // One that cannot be brought about keeps the others from nothing.
    await situation(guest).catch((error: unknown) => guest.check(situation.name, false, String(error)));
    guest.mark(situation.name);
  }
}
