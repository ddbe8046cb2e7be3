import { asStewardError } from "../../contract/errors.ts";
import type { UpdateProblem, UpdateReason } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { newestEntry } from "../../releases/journal-queries.ts";
import { reasonOf, reasonOfError } from "../../releases/outcome-reasons.ts";
import type { JournalEntry } from "../../releases/release-journal.ts";
import type { StoredRelease } from "../../releases/update-record.ts";
import type { CheckParts } from "../check/hold-conditions.ts";
import { type HoldReason, holdBecause } from "../facts/hold-reason.ts";
import { problemWith } from "../facts/update-sentences.ts";
import type { InstallRequest, ReleaseName } from "../facts/updater-options.ts";
import { nothingRecorded } from "./apply-refusals.ts";

type RequestedRelease = Pick<StoredRelease, "kind" | "id" | "name" | "version">;

/** The errand that the installer was started for. */
export interface PendingRequest {
  /** null: the previous release is requested. */
  readonly id: string | null;
  readonly release: ReleaseName;
  readonly isRollback: boolean;
}

interface RequestsPlan extends Pick<CheckParts, "options" | "watch"> {
  /** The installer was started, or has ended. */
  readonly onMove: () => void;
}

interface Failure {
  readonly code: "refused" | "installer_unavailable";
  readonly reason: UpdateReason;
  /** Seconds of uptime. */
  readonly until: number;
}

/** Seconds until the installer tries again what it refused: a day, since few reasons pass by themselves; a full disk does. */
export const refusedSeconds = 24 * 3_600;

/** Seconds after which the installer is started again without a request, when it could not be started. */
const retrySeconds = 3_600;

/** Starts the installer for one request after the other, and keeps what it refused or could not be started for. */
export class InstallerRequests {
  readonly #plan: RequestsPlan;
  readonly #failures = new Map<string, Failure>();
  #pending: PendingRequest | null = null;
  #problem: UpdateProblem | null = null;

  constructor(plan: RequestsPlan) {
    this.#plan = plan;
  }

  pending(): PendingRequest | null {
    return this.#pending;
  }

  /** The problem of the last request; null: it had none, or it was forgotten. */
  problem(): UpdateProblem | null {
    return this.#problem;
  }

  /** Ids of payloads that the installer may be reading. */
  inUse(): readonly string[] {
    const { slots } = this.#plan.watch.journal();
    const ids = [this.#pending?.id, ...updateKinds.map((kind) => slots[kind].trial?.release.id)];
    return ids.filter((id) => typeof id === "string");
  }

  /** Releases that the installer refused, or that it could not be started for, by id. */
  failures(): ReadonlyMap<string, HoldReason> {
    const { uptime, now } = this.#plan.options;
    const present = [...this.#failures].filter(([, { until }]) => until > uptime());
    const holds = present.map(([id, { code, reason, until }]) => {
      const again = new Date(now().getTime() + (until - uptime()) * 1_000);
      return [id, holdBecause(code, { reason, until: again })] as const;
    });
    return new Map(holds);
  }

  /** Settles when the journal has the result, or an event the failure. Throws only the signal's reason. */
  async send(request: InstallRequest, release: RequestedRelease, signal: AbortSignal): Promise<void> {
    const { watch } = this.#plan;
    const { sequence } = watch.journal();
    const letGo = watch.hold();
    const isRollback = request.verb === "rollback";
    this.#pending = { id: isRollback ? null : release.id, release, isRollback };
    this.#plan.onMove();
    let failure: unknown;
    try {
      await this.#plan.options.installer.ask(request, signal);
    } catch (error) {
      failure = error;
    }
    letGo();
    // While it still counts as pending: nothing else may begin before the installer's entries are known.
    await watch.refresh();
    this.#pending = null;
    signal.throwIfAborted();
    const journal = watch.journal();
    const isRecorded = journal.sequence !== sequence || journal.slots[release.kind].trial !== null;
    const last = newestEntry(journal, release.kind);
    const isRefused =
      last?.outcome === "refused" && last.release_id === release.id && last.sequence > sequence;
    if (isRefused) this.#refused(last, release);
    else if (isRecorded) this.#failures.delete(release.id);
    else this.#failed(failure ?? nothingRecorded(), release);
    this.#plan.onMove();
  }

  /** Records a request that failed before the installer was started. */
  fail(cause: unknown): void {
    const error = asStewardError(cause, "Applying");
    const reason = reasonOfError(error);
    this.#problem = problemWith("request_failed", { reason });
    const { code, message: detail } = error;
    const facts = { release_id: null, kind: null, name: null, version: null, code, detail };
    this.#plan.options.notify("update.refused", facts);
  }

  forget(): void {
    this.#problem = null;
  }

  /**
   * The journal says it too, by the wall clock; where that was ahead, the entry seems to come from the future and does
   * not count. Without this the agent would start the installer for the same release over and over.
   */
  #refused({ detail, cause }: JournalEntry, { id }: RequestedRelease): void {
    const until = this.#plan.options.uptime() + refusedSeconds;
    this.#failures.set(id, { reason: reasonOf(detail, cause), code: "refused", until });
  }

  /** The same failure again is not reported again. */
  #failed(cause: unknown, { id, kind, name, version }: RequestedRelease): void {
    const { uptime, notify } = this.#plan.options;
    const error = asStewardError(cause, "Applying");
    const reason = reasonOfError(error);
    const release = { kind, name, version };
    this.#problem = problemWith("installer_unavailable", { release, reason });
    const isNews = this.#failures.get(id)?.reason.code !== reason.code;
    this.#failures.set(id, { reason, code: "installer_unavailable", until: uptime() + retrySeconds });
    const { code, message: detail } = error;
    if (isNews) notify("update.refused", { release_id: id, kind, name, version, code, detail });
  }
}
