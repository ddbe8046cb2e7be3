import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { binary, productFiles } from "../updates/demo-product.ts";
import * as updates from "../updates/update-scenario.ts";
import { packagesIn } from "./built.ts";
import { confined, installed, nodeOf, removedAndPurged, upgradedAndBack } from "./life.ts";

/** Debian 13 has a Node that is new enough. Its libuv is a library of its own, with which Node changes no user of a process. */
export const scenario: TieredScenario = {
  title:
    "the package lives and dies on a bare Debian 13 with Debian's Node, which root's commands and updates go on",
  tiers: { container: {} },
  timeoutSeconds: 600,
  ...updates.updateScenario("demo"),
  machine: "trixie",
  ...packagesIn("now", "next"),
  files: { ...updates.updateSettings(), ...productFiles({ successes: 3, interval: "1s", within: "25s" }) },
  asks: updates.publishing(binary("1.0.0"), binary("1.1.0", "unhealthy"), binary("1.2.0")),
  boots: [
    {
      units: [],
      run: async (guest) => {
        await installed(guest, "steward");
        const node = await nodeOf(guest);
        guest.check("the agent runs on Debian's Node", node === "/usr/bin/node", node);
        await confined(guest);
        await withoutAgent(guest);
        await updating(guest);
        await upgradedAndBack(guest);
        await removedAndPurged(guest);
      },
    },
  ],
};

async function withoutAgent(guest: Guest): Promise<void> {
  await guest.types("node /usr/lib/steward/self-check.js", { says: /\nrights ok\n$/ });
  await guest.types("systemctl stop steward");
  const rescue = await guest.steward("user", "rescue", "root-admin", "--yes");
  guest.check("a user is rescued with the agent stopped", rescue.status === 0, rescue);
  for (const words of ["user list", "state list", "system set 'device.name=edge 7'"])
    await guest.types(`steward ${words}`, { what: `steward ${words} works, too` });
  await guest.types('[ -z "$(find /var/lib/steward ! -user steward)" ]', {
    what: "every file is the agent's",
  });
  await guest.types("systemctl start steward");
  await guest.stewardAnswers();
  const body = { username: "root-admin", password: rescue.stdout.trim() };
  const session = await guest.http("/api/auth/login", { body });
  guest.check("and the agent takes the password of the rescue", session.status === 200, session.body);
}

async function updating(guest: Guest): Promise<void> {
  await updates.trusting(guest);
  const { id } = await updates.ends(guest, "binary", "1.0.0", "good");
  await updates.ends(guest, "binary", "1.1.0", "failed");
  await updates.runs(guest, { id, version: "1.0.0" });
  await updates.ends(guest, "binary", "1.2.0", "good");
  await guest.types("steward update rollback binary --yes");
}
