import {
  added,
  damagedUsers,
  forgottenPassword,
  lostPhone,
  lostSealingKey,
  lostSetupToken,
  secondSetter,
  withoutShell,
  withoutShellForbidden,
} from "../../appliance-vm/rescue-situations.ts";
import type { Scenario } from "../../appliance-vm/scenario.ts";

/** Those of steward-rescue(7) that take no clock and no disk of the machine's own; all twelve are in the virtual machine. */
export const scenario: Scenario = {
  title: "at the box: the lines of steward-rescue(7) mend what they are for, without a network",
  timeoutSeconds: 240,
  boots: [
    {
      network: false,
      kernel: ["steward.rescue=1"],
      run: async (guest) => {
        await guest.stewardAnswers();
        await lostSetupToken(guest);
        await withoutShell(guest, "root-admin");
        await withoutShellForbidden(guest);
        await lostPhone(guest);
        await forgottenPassword(guest);
        await lostSealingKey(guest);
        await secondSetter(guest);
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
