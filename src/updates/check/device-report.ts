import { updateKinds } from "../../contract/update-kinds.ts";
import { newestEntry } from "../../releases/journal-queries.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { KnownRelease, ReleaseJournal } from "../../releases/release-journal.ts";
import { type ReportedRelease, type ReportedState, reportText } from "../../releases/rollout-report.ts";
import { wavePosition } from "../../releases/waves.ts";
import type { CheckParts } from "./hold-conditions.ts";

/** The device's report about its releases to the update server; null: the setting is off, and not a byte is sent. */
export function deviceReport({ options, watch, downloads }: CheckParts): string | null {
  const { record, settings, product, agentVersion } = options;
  const { seed, available } = record.read();
  if (!settings().ota.report || seed === null) return null;
  const place = placeOf(Buffer.from(seed, "hex"));
  const releases = updateKinds.flatMap((kind) => {
    const known = outcomesOf(watch.journal(), kind);
    const offered = available[kind];
    const isNews = offered !== null && known.every(({ release }) => release.id !== offered.id);
    const state = offered && downloads.isStaged(offered.id) ? "staged" : "offered";
    const all: readonly Known[] = isNews ? [...known, { release: offered, state }] : known;
    return all.map(({ release: { id, name, version }, state }): ReportedRelease => {
      return { kind, name, version, state, ...place(id) };
    });
  });
  return reportText({ agentVersion, product, releases });
}

interface Known {
  readonly release: KnownRelease;
  readonly state: ReportedState;
}

/** The release in force, the one on trial, and the last one that was tried and is neither. */
function outcomesOf(journal: ReleaseJournal, kind: UpdateKind): readonly Known[] {
  const { good, trial } = journal.slots[kind];
  const current = good.at(-1);
  const entry = newestEntry(journal, kind);
  const known: Known[] = current === undefined ? [] : [{ release: current, state: "good" }];
  if (trial !== null) known.push({ release: trial.release, state: "trial" });
  if (!entry?.release_id || entry.name === null || entry.version === null) return known;
  const { release_id: id, name, version, outcome: state } = entry;
  return known.some(({ release }) => release.id === id)
    ? known
    : [...known, { release: { id, name, version }, state }];
}

/** Its place in the waves, in the two forms of a report. The seed stays here. */
function placeOf(seed: Uint8Array): (id: string) => Pick<ReportedRelease, "wavePercent" | "device"> {
  return (id) => {
    const position = wavePosition(seed, id);
    return {
      // Down, so that no place is the 100th percent.
      wavePercent: Math.floor(position * 100_000) / 1_000,
      device: (position * 2 ** 48).toString(16).padStart(12, "0"),
    };
  };
}
