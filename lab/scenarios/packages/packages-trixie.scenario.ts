import { readlinkSync } from "node:fs";
import type { TieredScenario } from "../../machines/scenario.ts";
import { buildPackages, putPackages } from "./built.ts";
import { confined, installed, mainProcess, removedAndPurged, upgradedAndBack } from "./life.ts";

/** Debian 13 has a Node that is new enough. */
export const scenario: TieredScenario = {
  title: "the package lives and dies on a bare Debian 13, with Debian's own Node",
  tiers: { container: {} },
  timeoutSeconds: 300,
  machine: "trixie",
  prepare: buildPackages,
  folders: { "/root/now": putPackages("now"), "/root/next": putPackages("next") },
  boots: [
    {
      units: [],
      run: async (guest) => {
        await installed(guest, "steward");
        const node = readlinkSync(`/proc/${await mainProcess(guest)}/exe`);
        guest.check("the agent runs on Debian's Node", node === "/usr/bin/node", node);
        await confined(guest);
        await upgradedAndBack(guest);
        await removedAndPurged(guest);
      },
    },
  ],
};
