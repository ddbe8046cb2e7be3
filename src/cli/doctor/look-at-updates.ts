import { ifAbsent, StewardError } from "../../contract/errors.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { pathsOf } from "../../installer/files/release-directories.ts";
import { journalBytes, readReleaseJournal, type Trial } from "../../releases/release-journal.ts";
import { NotRegular, readRegular } from "../../store/files/regular-file.ts";
import { type DoctorContext, unitOf } from "./doctor-context.ts";
import { type Entry, entriesOf } from "./finding.ts";

const { ok, failing, attention } = entriesOf("updates");

/** The release journal: whether a trial is under way, and whether the guard watches it. */
export async function lookAtUpdates(context: DoctorContext): Promise<Entry[]> {
  const { releasesDirectory: releases, trustDirectory: trust } = context.places;
  const path = pathsOf({ releases, trust }).journal;
  try {
    // A pipe or the like in its place is `state_damaged`: a trial may be under way.
    const { slots } = readReleaseJournal(await readRegular(path, journalBytes).catch(ifAbsent));
    const found = await Promise.all(
      updateKinds.map(async (kind) => {
        const { trial } = slots[kind];
        return trial === null ? [] : [await trialFinding(context, kind, trial)];
      }),
    );
    const findings = found.flat();
    return findings.length > 0 ? findings : [ok("none_under_way", "No update is under way.")];
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    const what = error instanceof NotRegular ? error.message : `${path}: ${error.message}`;
    const detail = `${what} The installer keeps the damaged file and makes a new one from the links at its next run.`;
    return [failing("journal_damaged", detail, "systemctl restart steward-guard.service")];
  }
}

async function trialFinding(context: DoctorContext, kind: string, { release, phase, boots, health }: Trial) {
  const { name, version } = release;
  const what = `${name} ${version} is on trial (${phase}, boot ${boots}; ${health.successes} of ${health.needed} health checks passed in a row).`;
  const last = health.last === null ? "" : ` The last health check said: ${health.last}`;
  const state = await unitOf(context, "steward-guard.service");
  if (state?.ActiveState === "active" || phase === "installing") {
    const detail = `${what} It stays if it becomes healthy before its deadline, and is undone if not.${last}`;
    return attention("on_trial", detail, "steward update status");
  }
  return failing(
    "trial_unwatched",
    `${what} steward-guard.service, which ends the trial, does not run (${state?.ActiveState ?? "unknown"}).${last} Without it, \`steward update confirm ${kind}\` keeps the release and \`steward update abort ${kind}\` undoes it.`,
    "systemctl start steward-guard.service",
  );
}
