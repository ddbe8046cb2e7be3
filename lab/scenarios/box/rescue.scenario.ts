import type { Scenario } from "../../machines/scenario.ts";
import { binary, productFiles } from "../updates/demo-product.ts";
import { publishing, updateScenario, updateSettings } from "../updates/update-scenario.ts";
import {
  added,
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

/** Those of steward-rescue(7) that take no clock and no disk of the machine's own; all twelve are in the virtual machine. */
export const scenario: Scenario = {
  title: "at the box: the lines of steward-rescue(7) mend what they are for, without a network",
  timeoutSeconds: 400,
  keepsDisk: true,
  ...updateScenario("demo"),
  files: { ...updateSettings(), ...productFiles({ successes: 3, interval: "1s", within: "60m" }) },
  asks: publishing(binary("1.0.0"), binary(stuckVersion, "unhealthy")),
  boots: [
    { units, powerCut: true, run: midUpdate },
    {
      units,
      network: false,
      kernel: ["steward.rescue=1"],
      run: async (guest) => {
        await guest.stewardAnswers();
        await lostSetupToken(guest);
        await cutInMidUpdate(guest);
        await stuckInConfirming(guest);
        await withoutShell(guest, "root-admin");
        await withoutShellForbidden(guest);
        await lostPhone(guest);
        await forgottenPassword(guest);
        await lostSealingKey(guest);
        await secondSetter(guest);
        await damagedSettings(guest);
        await added(guest, "bystander");
        await damagedUsers(guest);
        const last = await guest.steward("doctor", "--bundle", "/root/doctor.tar.gz");
        guest.check("a bundle is written", /files, \d+ bytes, were written/.test(last.stderr), last);
        const listed = await guest.run("tar", ["-tzf", "/root/doctor.tar.gz"]);
        guest.check("which tar(1) reads", listed.stdout.includes("steward-doctor/README"), listed);
      },
    },
  ],
};
