import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { stewardRelease } from "../updates/steward-release.ts";
import * as updates from "../updates/update-scenario.ts";
import { packagesIn } from "./built.ts";
import { answersAs, apt, hasAccount, installed } from "./life.ts";

/** A package is installed or removed before, after and in the middle of an update of Steward's own. */
export const scenario: TieredScenario = {
  title: "a package hides no newer release of Steward, nor a release a newer package, also in mid-update",
  tiers: { container: {} },
  timeoutSeconds: 900,
  ...updates.updateScenario("steward"),
  machine: "bookworm",
  files: updates.updateSettings(),
  ...packagesIn("now", "0.3.0", "0.5.0"),
  asks: updates.publishing(
    ...["0.2.0", "0.4.0", "0.4.1", "0.6.0", "0.7.0"].map((version) => stewardRelease(version)),
  ),
  boots: [{ units: [], run: bothWays }],
};

async function bothWays(guest: Guest): Promise<void> {
  await installed(guest, "steward", "steward-runtime");
  await updates.trusting(guest);
  await overtaken(guest);
  await olderPackage(guest);
  await newerPackage(guest);
  await removedAndBack(guest);
  await downgrade(guest);
  await guest.types("steward events --verify");
}

async function overtaken(guest: Guest): Promise<void> {
  await updates.ends(guest, "binary", "0.2.0", "good");
  await packaged(guest, "0.3.0");
  await answersAs(guest, "0.3.0");
  guest.check("the release that was overtaken is gone", updates.linked("binary", "current") === null);
  const { installed } = await guest.api("/api/updates");
  guest.check("the status says the package's version", installed.binary === "0.3.0", installed);
  await guest.types(back, { status: 5, what: "and there is nothing to go back to" });
}

async function olderPackage(guest: Guest): Promise<void> {
  const id = await onTrial(guest, "0.4.0");
  const before = await guardProcess(guest);
  await packaged(guest, "0.3.0", "--reinstall");
  const { trial } = updates.releaseJournal().slots.binary;
  guest.check("the trial goes on", trial?.release.id === id && trial.undo === null, trial);
  const after = await guardProcess(guest);
  guest.check("with a guard of the new package", after !== "0" && after !== before, { before, after });
  await good(guest, id, "0.4.0");
}

async function newerPackage(guest: Guest): Promise<void> {
  const id = await onTrial(guest, "0.4.1");
  await packaged(guest, "0.5.0");
  await answersAs(guest, "0.5.0");
  const entry = await updates.outcomeOf(guest, id, 120);
  guest.check("ends it", entry.outcome === "aborted" && entry.cause?.code === "overtaken", entry);
  guest.check("and the package is well", entry.restored_healthy === true, entry);
  const { setAside } = updates.releaseJournal().slots.binary;
  guest.check("it is not held against the release", setAside.length === 0, setAside);
  const what = "nothing of the releases is left";
  await guest.becomes("! find /var/lib/steward-releases | grep -E '[0-9a-f]{32}|under-way'", 30, { what });
  guest.check("nor is one current", updates.linked("binary", "current") === null);
}

/** The installer is at its work when dpkg takes the files of the package in its hands; then they go, in mid-trial. */
async function removedAndBack(guest: Guest): Promise<void> {
  const first = await begun(guest, "0.6.0");
  await packaged(guest, "0.5.0", "--reinstall");
  await good(guest, first, "0.6.0");
  const id = await onTrial(guest, "0.7.0");
  const removed = await apt(guest, "remove", "steward");
  guest.check("apt remove steward", removed.status === 0, removed);
  const units = "systemctl list-units --plain --no-legend 'steward*' | grep -v ^steward-vm";
  await guest.types(`! ${units}`, { what: "ends all units of Steward" });
  guest.check("and keeps the trial", updates.releaseJournal().slots.binary.trial?.release.id === id);
  await packaged(guest, "0.5.0");
  await good(guest, id, "0.7.0");
}

/** The package of the beginning again: the releases are newer, and go on until a person goes back from each. */
async function downgrade(guest: Guest): Promise<void> {
  await packaged(guest, "now");
  await answersAs(guest, "0.7.0");
  for (const version of ["0.6.0", "0.1.0"]) {
    await guest.types(back, { timeoutSeconds: 120 });
    await answersAs(guest, version);
  }
  guest.check("and leaves no release", updates.linked("binary", "current") === null);
}

const back = "steward update rollback binary --yes";

/** Published, found, and being applied; its id. */
async function begun(guest: Guest, version: string): Promise<string> {
  const id = await updates.offered(guest, "binary", version);
  await updates.applied(guest, "binary");
  return id;
}

/** Until the guard watches it. */
async function onTrial(guest: Guest, version: string): Promise<string> {
  const id = await begun(guest, version);
  await updates.confirming(guest, version);
  await answersAs(guest, version);
  return id;
}

async function good(guest: Guest, id: string, version: string): Promise<void> {
  const entry = await updates.outcomeOf(guest, id, 300);
  const isCurrent = updates.linked("binary", "current") === id;
  guest.check(`the release ${version} is good, and current`, entry.outcome === "good" && isCurrent, entry);
  await answersAs(guest, version);
}

async function packaged(guest: Guest, name: string, how = "--allow-downgrades"): Promise<void> {
  const ran = await apt(guest, "install", how, `/root/${name}/steward.deb`);
  guest.check(`the package ${name} is installed`, ran.status === 0, ran);
  await guest.types('[ -z "$(dpkg --audit)" ]', { what: "whole" });
  await hasAccount(guest);
}

const guardProcess = (guest: Guest): Promise<string> => guest.property("MainPID", "steward-guard.service");
