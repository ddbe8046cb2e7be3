import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { stewardRelease } from "../updates/steward-release.ts";
import {
  applied,
  linked,
  offered,
  outcomeOf,
  publishing,
  trusting,
  updateScenario,
  updateSettings,
} from "../updates/update-scenario.ts";
import { packagesOf, putPackages } from "./built.ts";
import { answersAs, apt, installed } from "./life.ts";

/** Steward by its own update path and by a package, in both orders: the newest runs. */
export const scenario: TieredScenario = {
  title: "a package hides no newer release of Steward, and a release no newer package",
  tiers: { container: {} },
  timeoutSeconds: 900,
  ...updateScenario("steward"),
  machine: "bookworm",
  files: updateSettings(),
  prepare: packagesOf("now", "0.3.0", "0.5.0"),
  folders: {
    "/root/now": putPackages("now"),
    "/root/0.3.0": putPackages("0.3.0"),
    "/root/0.5.0": putPackages("0.5.0"),
  },
  asks: publishing(stewardRelease("0.2.0"), stewardRelease("0.4.0"), stewardRelease("0.6.0")),
  boots: [{ units: [], run: bothWays }],
};

async function bothWays(guest: Guest): Promise<void> {
  await installed(guest, "steward", "steward-runtime");
  await trusting(guest);
  await released(guest, "0.2.0");
  guest.note("the update path first, then a package");
  await packaged(guest, "0.3.0");
  await answersAs(guest, "0.3.0");
  await nothingToGoBackTo(guest);
  guest.note("a package first, then the update path");
  await released(guest, "0.4.0");
  const words = await guest.run("readlink", ["/var/lib/steward-releases/binary/previous"]);
  guest.check("the guard of the next release is the package's", words.status !== 0, words);
  await olderPackage(guest);
  await newerPackage(guest);
  await downgrade(guest);
}

/** 0.3.0 under the release 0.4.0: the release goes on, and a rollback leads to the package. */
async function olderPackage(guest: Guest): Promise<void> {
  await packaged(guest, "0.3.0");
  await answersAs(guest, "0.4.0");
  const back = await guest.run("steward", ["update", "rollback", "binary", "--yes"], { timeoutSeconds: 120 });
  guest.check("`steward update rollback binary` goes back to the package", back.status === 0, back);
  await answersAs(guest, "0.3.0");
  guest.check("and leaves no release", linked("binary", "current") === null);
}

async function newerPackage(guest: Guest): Promise<void> {
  await released(guest, "0.6.0");
  await packaged(guest, "0.5.0");
  await answersAs(guest, "0.6.0");
}

/** The package of the beginning again: the release is newer, and goes on until a person goes back from it. */
async function downgrade(guest: Guest): Promise<void> {
  await packaged(guest, "now");
  await answersAs(guest, "0.6.0");
  await guest.run("steward", ["update", "rollback", "binary", "--yes"], { timeoutSeconds: 120 });
  await answersAs(guest, "0.1.0");
}

/** Installs it by the update path, to its good end. */
async function released(guest: Guest, version: string): Promise<void> {
  const id = await offered(guest, "binary", version);
  await applied(guest, "binary");
  const entry = await outcomeOf(guest, id, 300);
  guest.check(`the release ${version} is good`, entry.outcome === "good", entry);
  await answersAs(guest, version);
}

async function packaged(guest: Guest, name: "now" | "0.3.0" | "0.5.0"): Promise<void> {
  const ran = await apt(guest, "install", "--allow-downgrades", `/root/${name}/steward.deb`);
  guest.check(`the package ${name} is installed`, ran.status === 0, ran);
}

async function nothingToGoBackTo(guest: Guest): Promise<void> {
  guest.check("the release that was overtaken is gone", linked("binary", "current") === null);
  const { installed } = await guest.api("/api/updates");
  guest.check("the status says the package's version", installed.binary === "0.3.0", installed);
  const back = await guest.run("steward", ["update", "rollback", "binary", "--yes"]);
  guest.check("and there is nothing to go back to", back.status === 5, back);
}
