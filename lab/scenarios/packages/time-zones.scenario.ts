import { copyFileSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { typing } from "../people.ts";
import { packagesOf, putPackages } from "./built.ts";
import { installed } from "./life.ts";

const localtime = "/etc/localtime";
const zones = "/usr/share/zoneinfo";
const file = "/root/pump-7.age";
const passphrase = "seven wet horses at the old pier";

/** Debian 13 has former names of zones in a package of its own, tzdata-legacy, which an upgrade from 12 does not bring. */
export const scenario: TieredScenario = {
  title: "a time zone that is a copy, or gone with the upgrade to Debian 13, has its name or its reason",
  tiers: { container: {} },
  timeoutSeconds: 400,
  machine: "trixie",
  prepare: packagesOf("now"),
  folders: { "/root/now": putPackages("now") },
  boots: [
    {
      units: [],
      run: async (guest) => {
        await installed(guest, "steward");
        await chosen(guest);
        await copied(guest);
        await gone(guest);
        await broughtBack(guest);
      },
    },
  ],
};

const zoneOf = async (guest: Guest): Promise<string> =>
  (await guest.steward("system", "time-zone")).stdout.trim();

/** The line that doctor has typed about the time zone; undefined: it has no word on it. */
async function lineOfDoctor(guest: Guest): Promise<string | undefined> {
  const { stdout } = await guest.steward("-o", "json", "doctor");
  const { findings } = JSON.parse(stdout) as {
    findings: readonly { readonly code: string; readonly remedy: { readonly line: string } | null }[];
  };
  return findings.find(({ code }) => code === "time_zone_unknown")?.remedy?.line;
}

async function replaced(guest: Guest, put: () => void): Promise<void> {
  rmSync(localtime, { force: true });
  put();
  await guest.run("systemctl", ["restart", "steward.service"]);
  await guest.stewardAnswers();
}

async function chosen(guest: Guest): Promise<void> {
  const rows: readonly (readonly [string, RegExp | null])[] = [
    ["Etc/GMT+8", null],
    ["Europe/Berlin", null],
    ["US/Pacific", /former name of America\/Los_Angeles.*steward system time-zone America\/Los_Angeles/],
    ["Asia/Calcutta", /former name of Asia\/Kolkata/],
    ["Europe/Kiev", /former name of Europe\/Kyiv/],
    ["europe/berlin", /time zone such as Europe\/Berlin/],
    ["posix/Europe/Berlin", /time zone such as/],
    ["../../etc/passwd", /time zone such as/],
    ["Factory", /not in its database/],
    ["localtime", /time zone such as/],
  ];
  for (const [name, reason] of rows) {
    const ran = await guest.steward("system", "time-zone", name);
    const isSo =
      reason === null ? ran.status === 0 && (await zoneOf(guest)) === name : reason.test(ran.stderr);
    guest.check(`${name} is ${reason === null ? "set" : "refused, with the reason"}`, isSo, ran);
  }
  guest.check("what was refused has changed nothing", readlinkSync(localtime).endsWith("/Europe/Berlin"));
}

async function copied(guest: Guest): Promise<void> {
  await replaced(guest, () => copyFileSync(`${zones}/Asia/Tokyo`, localtime));
  guest.check("a copy has its name", (await zoneOf(guest)) === "Asia/Tokyo", await zoneOf(guest));
  const made = await guest.run(
    "steward",
    ["backup", file, "--passphrase-stdin"],
    typing(passphrase, passphrase),
  );
  guest.check("a backup is made", made.status === 0, made);
  const plan = await restore(guest, "--check");
  guest.check("which has it as well", /"time_zone": *"Asia\/Tokyo"/.test(plan.stdout), plan);
  guest.check("it is no trouble", (await lineOfDoctor(guest)) === undefined);
  // Another release of the database has other years of the past.
  const bytes = readFileSync(`${zones}/Asia/Tokyo`);
  bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200);
  await replaced(guest, () => writeFileSync(localtime, bytes));
  guest.check("a copy of no zone of this device is unknown", (await zoneOf(guest)) === "unknown");
  await mended(guest, "Asia/Tokyo");
}

async function gone(guest: Guest): Promise<void> {
  await replaced(guest, () => symlinkSync(`${zones}/US/Pacific`, localtime));
  const { stdout } = await guest.steward("status");
  const isSaid = /time zone.*US\/Pacific.*Programs go by UTC; update windows go by US\/Pacific/s.test(stdout);
  guest.check("the status says that it is gone, and by what the agent goes", isSaid, stdout);
  const made = await guest.run(
    "steward",
    ["backup", "--force", file, "--passphrase-stdin"],
    typing(passphrase, passphrase),
  );
  guest.check("the backup has the name that it was set to", made.status === 0, made);
  await mended(guest, "America/Los_Angeles");
}

/** Types what doctor says. */
async function mended(guest: Guest, zone: string): Promise<void> {
  const line = await lineOfDoctor(guest);
  guest.check(`doctor has ${zone} set`, line === `steward system time-zone ${zone}`, line);
  const ran = await guest.run("sh", ["-c", line ?? "false"]);
  guest.check("which it is", ran.status === 0 && (await zoneOf(guest)) === zone, ran);
  guest.check("and doctor has no word on it", (await lineOfDoctor(guest)) === undefined);
}

/** A backup of a Debian 12 on this one. */
async function broughtBack(guest: Guest): Promise<void> {
  const ran = await restore(guest, "--as-replacement");
  const said = `${ran.stdout}${ran.stderr}`;
  guest.check("the restore goes on", ran.status === 0, ran);
  const isSaid = /time zone of the backup.*former name of America\/Los_Angeles/.test(said);
  guest.check("and says why the time zone stays", isSaid, ran);
  guest.check("it does not say that nothing was changed", !said.includes("Nothing was changed"), ran);
  await guest.stewardAnswers();
  guest.check("the zone is what it was", (await zoneOf(guest)) === "America/Los_Angeles");
}

function restore(guest: Guest, ...words: readonly string[]): Promise<Ran> {
  const all = ["-o", "json", "restore", file, "--passphrase-stdin", "--yes", ...words];
  return guest.run("steward", all, { ...typing(passphrase), timeoutSeconds: 120 });
}
