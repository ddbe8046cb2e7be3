import { readlinkSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { binary, productFiles } from "../updates/demo-product.ts";
import {
  applied,
  offered,
  outcomeOf,
  publishing,
  runs,
  trusting,
  updateScenario,
  updateSettings,
} from "../updates/update-scenario.ts";
import { packagesOf, putPackages } from "./built.ts";
import { installed, mainProcess } from "./life.ts";

/** Debian's libuv is a library of its own, with which Node changes no user of a process. */
export const scenario: TieredScenario = {
  title: "on Debian 13's own Node root's commands work without the agent, and updates install and are undone",
  tiers: { container: {} },
  timeoutSeconds: 400,
  ...updateScenario("demo"),
  machine: "trixie",
  prepare: packagesOf("now"),
  folders: { "/root/now": putPackages("now") },
  files: { ...updateSettings(), ...productFiles({ successes: 3, interval: "1s", within: "25s" }) },
  asks: publishing(binary("1.0.0"), binary("1.1.0", "unhealthy"), binary("1.2.0")),
  boots: [
    {
      units: [],
      run: async (guest) => {
        await installed(guest, "steward");
        const node = readlinkSync(`/proc/${await mainProcess(guest)}/exe`);
        guest.check("the agent runs on Debian's Node", node === "/usr/bin/node", node);
        await withoutAgent(guest);
        await updating(guest);
        await reset(guest);
      },
    },
  ],
};

async function withoutAgent(guest: Guest): Promise<void> {
  const parts = await guest.run("node", ["/usr/lib/steward/self-check.js"]);
  guest.check("root's self-check gives its rights up", parts.stdout.endsWith("\nrights ok\n"), parts);
  await guest.run("systemctl", ["stop", "steward.service"]);
  const rescue = await guest.steward("user", "rescue", "root-admin", "--yes");
  guest.check("a user is rescued with the agent stopped", rescue.status === 0, rescue);
  for (const words of [
    ["user", "list"],
    ["state", "list"],
    ["system", "set", "device.name=edge 7"],
  ]) {
    const ran = await guest.steward(...words);
    guest.check(`steward ${words.join(" ")} works, too`, ran.status === 0, ran);
  }
  const foreign = await guest.run("find", ["/var/lib/steward", "!", "-user", "steward"]);
  guest.check("every file is the agent's", foreign.stdout === "" && foreign.status === 0, foreign);
  await guest.run("systemctl", ["start", "steward.service"]);
  await guest.stewardAnswers();
  const body = { username: "root-admin", password: rescue.stdout.trim() };
  const session = await guest.http("/api/auth/login", { body });
  guest.check("and the agent takes the password of the rescue", session.status === 200, session.body);
  const listed = await guest.steward("state", "list");
  guest.check("the state is listed beside the agent", listed.status === 0, listed);
}

async function updating(guest: Guest): Promise<void> {
  await trusting(guest);
  const first = await tried(guest, "1.0.0", "good");
  const undone = await tried(guest, "1.1.0", "failed");
  guest.check("the release before is healthy again", undone.entry.restored_healthy === true, undone);
  await runs(guest, "binary", { id: first.id, version: "1.0.0" });
  const last = await tried(guest, "1.2.0", "good");
  await runs(guest, "binary", { id: last.id, version: "1.2.0" });
  const back = await guest.steward("update", "rollback", "binary", "--yes");
  guest.check("root goes back by hand", back.status === 0, back);
}

async function tried(guest: Guest, version: string, outcome: "good" | "failed") {
  const id = await offered(guest, "binary", version);
  await applied(guest, "binary");
  const entry = await outcomeOf(guest, id, 180);
  guest.check(`the update to ${version} ends as ${outcome}`, entry.outcome === outcome, entry);
  return { id, entry };
}

async function reset(guest: Guest): Promise<void> {
  await guest.run("systemctl", ["stop", "steward.service"]);
  const gone = await guest.steward("factory-reset", "--yes");
  guest.check("the device is reset with the agent stopped", gone.status === 0, gone);
}
