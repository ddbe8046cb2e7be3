import { readdirSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { stewardRelease } from "../updates/steward-release.ts";
import {
  applied,
  linked,
  offered,
  outcomeOf,
  publishing,
  releaseJournal,
  trusting,
  updateScenario,
  updateSettings,
} from "../updates/update-scenario.ts";
import { packagesOf, putPackages } from "./built.ts";
import { answersAs, apt, installed } from "./life.ts";

/** A package is installed or removed while Steward is in the middle of an update of its own. */
export const scenario: TieredScenario = {
  title: "a package that comes or goes during an update leaves a whole Steward, and the newest",
  tiers: { container: {} },
  timeoutSeconds: 900,
  ...updateScenario("steward"),
  machine: "bookworm",
  files: updateSettings(),
  prepare: packagesOf("now", "next", "0.5.0"),
  folders: {
    "/root/now": putPackages("now"),
    "/root/next": putPackages("next"),
    "/root/0.5.0": putPackages("0.5.0"),
  },
  asks: publishing(...["0.3.0", "0.4.0", "0.6.0", "0.7.0"].map((version) => stewardRelease(version))),
  boots: [{ units: [], run: duringUpdates }],
};

async function duringUpdates(guest: Guest): Promise<void> {
  await installed(guest, "steward", "steward-runtime");
  await trusting(guest);
  await olderPackage(guest);
  await newerPackage(guest);
  await asItBegins(guest);
  await removedAndBack(guest);
  const verified = await guest.steward("events", "--verify");
  guest.check("the event log is unbroken", verified.status === 0, verified);
}

async function olderPackage(guest: Guest): Promise<void> {
  guest.note("an older package during a trial");
  const id = await onTrial(guest, "0.3.0");
  const before = await guardProcess(guest);
  await packaged(guest, "next");
  const { trial } = releaseJournal().slots.binary;
  guest.check("the trial goes on", trial?.release.id === id && trial.undo === null, trial);
  const after = await guardProcess(guest);
  guest.check("with a guard of the new package", after !== "0" && after !== before, { before, after });
  await answersAs(guest, "0.3.0");
  await good(guest, id, "0.3.0");
}

async function newerPackage(guest: Guest): Promise<void> {
  guest.note("a newer package during a trial");
  const id = await onTrial(guest, "0.4.0");
  await packaged(guest, "0.5.0");
  await answersAs(guest, "0.5.0");
  const entry = await outcomeOf(guest, id, 120);
  guest.check("ends it", entry.outcome === "aborted" && entry.cause?.code === "overtaken", entry);
  guest.check("and the package is well", entry.restored_healthy === true, entry);
  const { setAside } = releaseJournal().slots.binary;
  guest.check("it is not held against the release", setAside.length === 0, setAside);
  await guest.until("nothing of the releases is left", 30, () => {
    const left = readdirSync("/var/lib/steward-releases", { recursive: true, encoding: "utf8" });
    const trees = left.filter((path) => /[0-9a-f]{32}|under-way/.test(path));
    if (trees.length === 0 && linked("binary", "current") === null) return true;
    throw new Error(trees.slice(0, 5).join(" "));
  });
  guest.check("nothing of the releases is left", true);
}

/** The installer is at its work when dpkg takes the files of the package in its hands. */
async function asItBegins(guest: Guest): Promise<void> {
  guest.note("the same package again as an update begins");
  const id = await offered(guest, "binary", "0.6.0");
  await applied(guest, "binary");
  const again = await apt(guest, "install", "--reinstall", "/root/0.5.0/steward.deb");
  guest.check("the package is installed", again.status === 0, again);
  await good(guest, id, "0.6.0");
}

async function removedAndBack(guest: Guest): Promise<void> {
  guest.note("a removal during a trial");
  const id = await onTrial(guest, "0.7.0");
  const removed = await apt(guest, "remove", "steward");
  guest.check("apt remove steward", removed.status === 0, removed);
  const units = await guest.run("systemctl", ["list-units", "--plain", "--no-legend", "steward*"]);
  const left = units.stdout.split("\n").filter((line) => line !== "" && !line.startsWith("steward-vm."));
  guest.check("ends all units of Steward", left.length === 0, left);
  guest.check("and keeps the trial", releaseJournal().slots.binary.trial?.release.id === id);
  await packaged(guest, "0.5.0");
  await good(guest, id, "0.7.0");
}

/** Until the guard watches it. */
async function onTrial(guest: Guest, version: string): Promise<string> {
  const id = await offered(guest, "binary", version);
  await applied(guest, "binary");
  const phase = () => releaseJournal().slots.binary.trial?.phase;
  await guest.until(`${version} is being confirmed`, 120, () => phase() === "confirming");
  await answersAs(guest, version);
  return id;
}

async function good(guest: Guest, id: string, version: string): Promise<void> {
  const entry = await outcomeOf(guest, id, 300);
  guest.check(`the release ${version} is good`, entry.outcome === "good", entry);
  guest.check("and current", linked("binary", "current") === id);
  await answersAs(guest, version);
}

async function packaged(guest: Guest, name: "next" | "0.5.0"): Promise<void> {
  const ran = await apt(guest, "install", `/root/${name}/steward.deb`);
  guest.check(`the package ${name} is installed`, ran.status === 0 && !/warning/i.test(ran.stderr), ran);
  const audit = await guest.run("dpkg", ["--audit"]);
  guest.check("whole", audit.stdout === "", audit);
  const users = await guest.steward("user", "list");
  guest.check("with the accounts", users.stdout.includes("root-admin"), users);
}

const guardProcess = (guest: Guest): Promise<string> => guest.property("MainPID", "steward-guard.service");
