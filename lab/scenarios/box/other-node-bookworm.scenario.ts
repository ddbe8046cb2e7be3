import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { packagesOf, putNamedPackages } from "../packages/built.ts";
import {
  answers,
  marks,
  mendedBy,
  oldNode,
  putNode,
  putOthers,
  refusedEverywhere,
  typed,
} from "./other-node.ts";

/** Debian 12 has no Node that is new enough, and its owner has no other one than an older of their own. */
export const scenario: TieredScenario = {
  title:
    "on a Debian 12 with an old Node of its owner's each command says what Steward needs, and the line to type",
  tiers: { container: {} },
  timeoutSeconds: 400,
  machine: "bookworm",
  prepare: packagesOf("now"),
  folders: { "/root/now": putNamedPackages("now") },
  boots: [{ units: [], run: onlyAnOldOne }],
};

async function onlyAnOldOne(guest: Guest): Promise<void> {
  putOthers();
  putNode(oldNode, "18.20.4", false);
  const sentence = `Steward needs Node.js 20.19 or later: ${oldNode} is version 18.20.4. As root: apt install -f --reinstall ./steward-runtime_*.deb`;
  const ran = await typed(guest, "dpkg --install --force-depends ./steward_*.deb");
  guest.check("the installation says it", ran.stderr.includes(`${sentence}\n`), ran);
  guest.check("and not that Steward is running", !/Steward is running/.test(ran.stdout), ran);
  await refusedEverywhere(guest, sentence);
  await mendedBy(guest, sentence);
  await answers(
    guest,
    "apt-get install --yes --quiet ./steward-publisher_*.deb; steward-publisher --version",
  );
  const left = await marks(guest);
  guest.check("no program of others has run", left === "", left);
}
