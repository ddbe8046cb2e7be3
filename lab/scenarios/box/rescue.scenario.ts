import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { Boot, TieredScenario } from "../../machines/scenario.ts";
import { binary, productFiles } from "../updates/demo-product.ts";
import { publishing, updateScenario, updateSettings } from "../updates/update-scenario.ts";
import {
  certificate,
  fullDisk,
  makeCertificate,
  readOnlyDisk,
  refusedCodes,
  wrongYear,
} from "./rescue-clock-and-disk.ts";
import {
  cutInMidUpdate,
  damagedSettings,
  damagedUsers,
  forgottenPassword,
  lostPhone,
  lostSealingKey,
  lostSetupToken,
  midUpdate,
  secondSetter,
  stuckInConfirming,
  stuckVersion,
  withoutShell,
  withoutShellForbidden,
} from "./rescue-situations.ts";

const units = ["steward.service", "demo-product.service"];

/** The update that the boot before leaves in mid-trial, by a power cut, and then a boot without a network. */
const boots = (atTheBox: Omit<Boot, "units" | "network" | "kernel">): readonly Boot[] => [
  { units, powerCut: true, run: midUpdate },
  { units, network: false, kernel: ["steward.rescue=1"], ...atTheBox },
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
    ...publishing(binary("1.0.0"), binary(stuckVersion, "unhealthy")),
    certificate: () => makeCertificate(),
  },
  boots: boots({ run: withoutClockAndDisk }),
};

async function allTwelve(guest: Guest): Promise<void> {
  await guest.stewardAnswers(120);
  const situations: Readonly<Record<string, (guest: Guest) => Promise<void>>> = {
    ...{ wrongYear, lostSetupToken, cutInMidUpdate, stuckInConfirming, lostPhone, refusedCodes },
    ...{ forgottenPassword, readOnlyDisk, fullDisk, certificate, secondSetter },
    // Before the agent is stopped, for with it the token on the terminal goes.
    ...{ withoutShell, withoutShellForbidden, lostSealingKey, damagedSettings, damagedUsers },
  };
  for (const [name, situation] of Object.entries(situations)) {
    // One that cannot be brought about keeps the others from nothing.
    await situation(guest).catch((error: unknown) => guest.check(name, false, String(error)));
    guest.mark(name);
  }
}

async function withoutClockAndDisk(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  for (const situation of [
    ...[lostSetupToken, cutInMidUpdate, stuckInConfirming, withoutShell, withoutShellForbidden, lostPhone],
    ...[forgottenPassword, lostSealingKey, secondSetter, damagedSettings, damagedUsers],
  ])
    await situation(guest);
  await guest.types("steward doctor --bundle - | tar -tz", { says: "steward-doctor/README" });
}
