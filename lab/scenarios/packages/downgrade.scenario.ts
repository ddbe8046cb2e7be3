import { existsSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { buildFormerPackages, packagesOf, putFormerPackages, putPackages } from "./built.ts";
import { apt } from "./life.ts";

/** The last commit before settings got the form 2.0.0, which it cannot read. */
const former = "053ec703";

/** A form of the settings that the older version does not know: they stay, as docs/install.md says. */
export const scenario: TieredScenario = {
  title: "a setting of the newer version is there again after a downgrade and an upgrade",
  tiers: { container: {} },
  timeoutSeconds: 600,
  machine: "bookworm",
  prepare: async () => {
    await packagesOf("now")();
    buildFormerPackages(former);
  },
  folders: { "/root/now": putPackages("now"), "/root/former": putFormerPackages(former) },
  boots: [{ units: [], run: there }],
};

async function there(guest: Guest): Promise<void> {
  await packaged(guest, "former", "steward", "steward-runtime");
  await set(guest, "security.session_absolute=10h");
  await packaged(guest, "now", "steward", "steward-runtime");
  await set(guest, "security.session_idle=30m", "console.accent=green");
  await packaged(guest, "former", "steward");
  guest.check("the older version goes by what was before", (await setting(guest, "session_idle")) === "60m");
  const damaged = await guest.steward("status");
  guest.check("and says so", damaged.stdout.includes("changes made since"), damaged);
  await set(guest, "device.name=Pump 7");
  await packaged(guest, "now", "steward");
  const seen = await Promise.all(
    ["session_idle", "session_absolute", "accent", "name"].map((name) => setting(guest, name)),
  );
  guest.check("the newer one has all that was set", seen.join() === "30m,10h,green,Pump 7", seen);
  const status = await guest.steward("status");
  guest.check("and finds nothing missing", !status.stdout.includes("changes made since"), status);
  await packaged(guest, "former", "steward");
  guest.check("so does the older one, of what it knows", (await setting(guest, "name")) === "Pump 7");
  await packaged(guest, "now", "steward");
  guest.check("and again", (await setting(guest, "session_idle")) === "30m");
}

async function packaged(guest: Guest, folder: string, ...names: readonly string[]): Promise<void> {
  const files = names.map((name) => `/root/${folder}/${name}.deb`).filter((path) => existsSync(path));
  const ran = await apt(guest, "install", "--allow-downgrades", ...files);
  guest.check(`the ${folder} version is installed`, ran.status === 0, ran);
  await guest.stewardAnswers();
}

async function set(guest: Guest, ...values: readonly string[]): Promise<void> {
  const ran = await guest.steward("system", "set", ...values);
  guest.check(`set: ${values.join(" ")}`, ran.status === 0, ran);
}

/** The value of a setting by its last name. */
async function setting(guest: Guest, name: string): Promise<string | undefined> {
  const { stdout } = await guest.steward("-o", "json", "system", "get");
  return new RegExp(`"${name}": *"([^"]*)"`).exec(stdout)?.[1];
}
