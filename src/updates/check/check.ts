import { StewardError } from "../../contract/errors.ts";
import { hasTarget } from "../../releases/download/complete-part.ts";
import { installedVersions, setAsideById } from "../../releases/journal-queries.ts";
import { blockersOf, failureOfAll, listKinds } from "../../releases/kind-blockers.ts";
import { readPatch } from "../../releases/patches/patch.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { ReleaseJournal } from "../../releases/release-journal.ts";
import { type Selection, select } from "../../releases/selection.ts";
import { caps } from "../../tuf/caps.ts";
import type { FoundTarget, Refreshed } from "../../tuf/client.ts";
import { refresh } from "../../tuf/refresh.ts";
import type { Repository } from "../../tuf/repository.ts";
import type { Session } from "../../tuf/session.ts";
import { ed25519Only } from "../../tuf/signatures.ts";
import type { UpdaterOptions } from "../facts/updater-options.ts";
import { type CheckReport, type CheckResult, failedResult, targetsOf } from "./check-outcome.ts";

/** A check that has ended, and the repository that it read. */
export interface CheckDone {
  readonly report: CheckReport;
  /** null: it could not even be opened. */
  readonly repository: Repository | null;
}

interface CheckOrder extends Pick<CheckReport, "id" | "source" | "fingerprint"> {
  readonly signal: AbortSignal;
  /** Installed releases, and the blocklist. */
  readonly journal: ReleaseJournal;
  /** The device's report to the server; null: nothing is sent. */
  readonly report: string | null;
}

/** Refreshes the metadata, lists this device's releases and selects. Failures are results; throws the signal's reason. */
export async function performCheck(
  options: UpdaterOptions,
  { id, source, fingerprint, signal, journal, report }: CheckOrder,
): Promise<CheckDone> {
  const { expiryNow, now, isClockTrusted } = options;
  const deadline = new AbortController();
  const takeBack = options.timers.after(caps.refreshSeconds, () => deadline.abort(tooSlow()));
  const start = expiryNow();
  let repository: Repository | null = null;
  let result: CheckResult;
  try {
    const ending = AbortSignal.any([signal, deadline.signal]);
    repository = await options.openRepository(source.url, ending, source.isServer ? report : null);
    result = await checked(options, { source, repository, start, journal, signal: ending });
  } catch (error) {
    signal.throwIfAborted();
    result = failedResult(error, isClockTrusted());
  } finally {
    takeBack();
  }
  const { requests, bodyBytes } = repository?.cost() ?? { requests: 0, bodyBytes: 0 };
  return { report: { id, result, at: now(), requests, bodyBytes, source, fingerprint }, repository };
}

async function checked(
  options: UpdaterOptions,
  order: Pick<CheckOrder, "source" | "journal" | "signal"> & { repository: Repository; start: Date },
): Promise<CheckResult> {
  const { source, repository, start, journal, signal } = order;
  const { files, record } = options;
  const stored = record.read().validators;
  // Only validators of the same server count: those of another one mean nothing here.
  const known = stored?.server === source.url ? stored : undefined;
  const session = { repository, files, caps, verifiers: ed25519Only, start };
  const { refreshed, outdated } = source.isServer
    ? { refreshed: await refresh({ ...session, known }), outdated: null }
    : await refreshFromMedium(session);
  const channel = options.settings().ota.channel;
  const { targets, failures } = await listKinds(refreshed, channel);
  const isClockTrusted = options.isClockTrusted();
  const blockers = blockersOf(failures, isClockTrusted);
  const failure = failureOfAll(failures);
  if (failure !== null) return { ...failedResult(outdated ?? failure, isClockTrusted), blockers };
  const selection = selectFor(options, journal, { channel, targets, elsewhere: refreshed.elsewhere() });
  const isConsistentSnapshot = refreshed.root.consistent_snapshot === true;
  if (outdated !== null) {
    const chosen = [...targetsOf(selection).values()];
    const lookFor = (found: FoundTarget) => hasTarget({ repository, found, isConsistentSnapshot, signal });
    if (!(await Promise.all(chosen.map(lookFor))).includes(true)) throw outdated;
  }
  const patches = targets.flatMap((target) => readPatch(target) ?? []);
  const { validators } = refreshed;
  return { outcome: "ok", blockers, selection, patches, validators, isConsistentSnapshot };
}

/** A held release is chosen only where there is no other, so that it can be applied by hand; a failed one never is. */
function selectFor(
  { product, arch, agentVersion, installed, record, now }: UpdaterOptions,
  journal: ReleaseJournal,
  offer: { channel: string; targets: readonly FoundTarget[]; elsewhere: readonly FoundTarget[] },
): Selection {
  const { channel, targets, elsewhere } = offer;
  const { floors } = record.read();
  const aside = [...setAsideById(journal, now()).values()];
  const failed = new Set(aside.filter(({ why }) => why === "failed").map(({ id }) => id));
  const present = installedVersions(journal, installed());
  const idOf = (kind: UpdateKind) => journal.slots[kind].good.at(-1)?.id ?? null;
  const known = { installed: present, installedIds: { rules: idOf("rules"), binary: idOf("binary") } };
  const device = { ...known, product, arch, agentVersion, channel, floors, failed };
  const whole = select(targets, { ...device, held: new Set() }, elsewhere);
  if (aside.length === 0) return whole;
  // A failed release is among them, and is chosen in no case.
  const { chosen } = select(targets, { ...device, held: new Set(aside.map(({ id }) => id)) });
  return {
    ...whole,
    chosen: { rules: chosen.rules ?? whole.chosen.rules, binary: chosen.binary ?? whole.chosen.binary },
  };
}

function tooSlow(): StewardError {
  return new StewardError(
    "update_too_slow",
    `The update server took more than ${caps.refreshSeconds} seconds for its metadata. Check the network between this device and the server.`,
  );
}

/** The errors that the age of a medium has, in its words. */
const ages: Readonly<Record<string, string>> = {
  update_metadata_expired: "This medium has expired.",
  update_rollback_refused: "This medium is older than what this device has seen.",
  update_signature_invalid:
    "This medium is from before a change of the publisher's keys, or another publisher's.",
};

/**
 * Refreshes from a stick, a directory or a file that was sent. None of them can be newer than the day it was made, so one
 * that is outdated is no attack: the metadata that the device has kept decide, held against every rule of the client again,
 * and only payloads come from the medium (docs/design/updates.md, rule 16). `outdated` is then the error for a medium that
 * has none of them. Throws what `refresh` throws.
 */
async function refreshFromMedium(
  session: Session,
): Promise<{ refreshed: Refreshed; outdated: StewardError | null }> {
  try {
    return { refreshed: await refresh(session), outdated: null };
  } catch (error) {
    const words = error instanceof StewardError ? ages[error.code] : undefined;
    if (!(error instanceof StewardError) || words === undefined) throw error;
    const again = "Export the repository again (`steward-publisher export`), and bring the new archive.";
    const outdated = new StewardError(error.code, `${words} ${error.message} ${again}`);
    return { refreshed: await refreshAsKept(session).catch(() => Promise.reject(outdated)), outdated };
  }
}

/** Accepts nothing new: each role is the kept file that the one above it names, still signed and not expired. */
function refreshAsKept(session: Session): Promise<Refreshed> {
  const readMetadata = async (name: string) => {
    const bytes = name === "timestamp.json" ? await session.files.read("timestamp") : null;
    return bytes && { bytes, validators: { etag: null, last_modified: null } };
  };
  return refresh({ ...session, repository: { ...session.repository, readMetadata } });
}
