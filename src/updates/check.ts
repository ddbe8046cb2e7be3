import { updateKinds } from "../contract/updates.ts";
import { StewardError } from "../errors.ts";
import { caps } from "./caps.ts";
import { type CheckReport, type CheckResult, type CheckSource, failedResult } from "./check-outcome.ts";
import type { FoundTarget } from "./client.ts";
import { refresh } from "./refresh.ts";
import type { Repository } from "./repository.ts";
import { type Selection, select } from "./selection.ts";
import { ed25519Alone } from "./signatures.ts";
import type { UpdaterOptions } from "./updater-options.ts";

/** A check that has ended, and the repository that it read. */
export interface CheckDone {
  readonly report: CheckReport;
  /** null: it could not even be opened. */
  readonly repository: Repository | null;
}

/**
 * Refreshes the trusted metadata, lists what is signed for this device's channel, and picks what it may take. Failures
 * are results; throws the signal's reason alone.
 */
export async function performCheck(
  options: UpdaterOptions,
  { source, fingerprint, signal }: { source: CheckSource; fingerprint: string; signal: AbortSignal },
): Promise<CheckDone> {
  const { expiryNow, now, isClockVouchedFor } = options;
  const deadline = new AbortController();
  const takeBack = options.timers.after(caps.refreshSeconds, () => deadline.abort(tooSlow()));
  const start = expiryNow();
  let repository: Repository | null = null;
  let result: CheckResult;
  try {
    repository = options.openRepository(source.url, AbortSignal.any([signal, deadline.signal]));
    result = await checked(options, { source, repository, start });
  } catch (error) {
    signal.throwIfAborted();
    result = failedResult(error, isClockVouchedFor());
  } finally {
    takeBack();
  }
  const { requests, bodyBytes } = repository?.cost() ?? { requests: 0, bodyBytes: 0 };
  return { report: { result, at: now(), requests, bodyBytes, source, fingerprint }, repository };
}

async function checked(
  options: UpdaterOptions,
  { source, repository, start }: { source: CheckSource; repository: Repository; start: Date },
): Promise<CheckResult> {
  const { files, record } = options;
  const stored = record.read().validators;
  const refreshed = await refresh({
    repository,
    files,
    caps,
    verifiers: ed25519Alone,
    start,
    // Of this server alone: another one's words about its files mean nothing here.
    ...(source.isServer && stored?.server === source.url && { known: stored }),
  });
  const channel = options.settings().ota.channel;
  const targets: FoundTarget[] = [];
  for (const kind of updateKinds) targets.push(...(await refreshed.list(channel, kind)));
  return {
    outcome: "ok",
    selection: selectFor(options, channel, targets),
    validators: refreshed.validators,
    isConsistentSnapshot: refreshed.root.consistent_snapshot === true,
  };
}

function selectFor(
  { product, arch, agentVersion, installed, record }: UpdaterOptions,
  channel: string,
  targets: readonly FoundTarget[],
): Selection {
  const { floors } = record.read();
  // Nothing is applied yet that could fail here, or be held back.
  const none: ReadonlySet<string> = new Set();
  const device = { product, arch, agentVersion, channel, installed: installed(), floors };
  return select(targets, { ...device, failed: none, held: none });
}

function tooSlow(): StewardError {
  return new StewardError(
    "update_too_slow",
    `The update server took more than ${caps.refreshSeconds} seconds for its metadata. Check the network between this device and the server.`,
  );
}
