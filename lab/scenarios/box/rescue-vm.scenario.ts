import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { Scenario } from "../../machines/scenario.ts";
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

/**
 * The twelve situations of steward-rescue(7) and the one without a shell, with the network cut and the clock at 1970. The
 * boot before it leaves an update in mid-trial, by a power cut.
 */
export const scenario: Scenario = {
  title:
    "at the box, in 1970 and without a network, each situation is mended by the lines of steward-rescue(7)",
  timeoutSeconds: 1_500,
  slowMinutes: 8,
  keepsDisk: true,
  ...updateScenario("demo"),
  files: { ...updateSettings(), ...productFiles({ successes: 3, interval: "1s", within: "60m" }) },
  asks: {
    ...publishing(binary("1.0.0"), binary(stuckVersion, "unhealthy")),
    certificate: () => makeCertificate(),
  },
  boots: [
    { units, powerCut: true, run: midUpdate },
    { units, network: false, rtc: "1970-01-02T00:00:00", kernel: ["steward.rescue=1"], run: atTheBox },
  ],
};

async function atTheBox(guest: Guest): Promise<void> {
  await guest.stewardAnswers(120);
  const situations: Readonly<Record<string, (guest: Guest) => Promise<void>>> = {
    ...{ wrongYear, lostSetupToken, cutInMidUpdate, stuckInConfirming, lostPhone, refusedCodes },
    ...{ forgottenPassword, readOnlyDisk, fullDisk, certificate, secondSetter },
    // Before the agent is stopped, for with it the token on the terminal goes.
    withoutShell: () => withoutShell(guest, "root-admin"),
    ...{ withoutShellForbidden, lostSealingKey, damagedSettings, damagedUsers },
  };
  for (const [name, situation] of Object.entries(situations)) {
    // One that cannot be brought about keeps the others from nothing.
    await situation(guest).catch((error: unknown) => guest.check(name, false, String(error)));
    guest.mark(name);
  }
}
