import type { UpdateProblem } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { goodIds, kindOnTrial } from "../../releases/journal-queries.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { StoredRelease } from "../../releases/update-record.ts";
import { type Alarm, createAlarm } from "../check/alarm.ts";
import type { CheckSource } from "../check/check-outcome.ts";
import { shuttingDown } from "../check/check-refusals.ts";
import type { CheckScheduler } from "../check/check-scheduler.ts";
import type { HoldReason } from "../facts/hold-reason.ts";
import { capitalised, nameOf } from "../facts/update-sentences.ts";
import type { UpdaterOptions } from "../facts/updater-options.ts";
import type { ApplyingView, PendingRequest, UpdateParts } from "../update-parts.ts";
import { applySituationOf, stagedReleases } from "./apply-conditions.ts";
import { decideApplying } from "./apply-decision.ts";
import { busyWith, noneToApply } from "./apply-refusals.ts";
import { InstallerRequests } from "./installer-requests.ts";

/** Read when needed, for the parts need applying too. */
export interface ApplyingPlan {
  readonly parts: () => UpdateParts;
  readonly checks: () => CheckScheduler;
  /** The installer was started, or has ended. */
  readonly onMove: () => void;
}

/** Applies releases: starts the installer, one request at a time, and follows what comes of it. */
export class Applying implements ApplyingView {
  readonly #options: UpdaterOptions;
  readonly #plan: ApplyingPlan;
  readonly #requests: InstallerRequests;
  readonly #alarm: Alarm;
  readonly #ending = new AbortController();
  /** The work in progress, in words. */
  #task: string | null = null;
  #running: Promise<void> | null = null;
  #isStarted = false;

  constructor(options: UpdaterOptions, plan: ApplyingPlan) {
    this.#options = options;
    this.#plan = plan;
    this.#requests = new InstallerRequests({
      options,
      watch: () => plan.parts().watch,
      onMove: plan.onMove,
    });
    this.#alarm = createAlarm(options, () => this.consider());
  }

  busy(): string | null {
    const journal = this.#plan.parts().watch.journal();
    const kind = kindOnTrial(journal);
    const release = kind && journal.slots[kind].trial?.release;
    return kind && release ? `${nameOf({ ...release, kind })} is on trial` : this.#task;
  }

  pending(): PendingRequest | null {
    return this.#requests.pending();
  }

  problem(): UpdateProblem | null {
    return this.#requests.problem();
  }

  failures(): ReadonlyMap<string, HoldReason> {
    return this.#requests.failures();
  }

  /** Ids of payloads that the installer may be reading. */
  inUse(): readonly string[] {
    const { slots } = this.#plan.parts().watch.journal();
    const ids = [this.pending()?.id, ...updateKinds.map((kind) => slots[kind].trial?.release.id)];
    return ids.filter((id) => typeof id === "string");
  }

  /** Throws `update_busy`, `shutting_down`. */
  requireFree(): void {
    if (this.#ending.signal.aborted) throw shuttingDown();
    const busy = this.busy();
    if (busy !== null) throw busyWith(busy);
  }

  /** Checks, downloads and applies, for each kind in order. `source` null: staged releases are applied without a check. */
  begin(kinds: readonly UpdateKind[], source: CheckSource | null): void {
    this.#run("a requested update is being applied", async () => {
      if (source !== null) await this.#fetch(kinds, source);
      await this.#askForEach(kinds);
    });
  }

  /** Goes back to the previous release; it must be there. */
  rollBack(kind: UpdateKind): void {
    const present = this.#plan.parts().watch.journal().slots[kind].good.at(-1);
    if (present === undefined) return;
    const { id, name, version } = present;
    this.#run("an update is being rolled back", () =>
      this.#requests.send({ verb: "rollback", kind }, { kind, id, name, version }, this.#ending.signal),
    );
  }

  /** Forgets what went wrong with the last request. */
  forget(): void {
    this.#requests.forget();
  }

  /** Applies releases that are due without a request, unless something is in progress. */
  consider(): void {
    if (!this.#isStarted || this.#ending.signal.aborted) return;
    void this.#dropInstalled();
    const parts = this.#plan.parts();
    // Its end leads here again.
    if (this.#plan.checks().isUnderWay()) return;
    const situation = applySituationOf(parts);
    const { apply, again } = decideApplying(stagedReleases(parts), situation);
    if (apply !== null) this.#run(`${nameOf(apply)} is being applied`, () => this.#askFor(apply));
    else if (again === null) this.#alarm.clear();
    else this.#alarm.set(Math.max(1, (again.getTime() - situation.conditions.now.getTime()) / 1_000));
  }

  start(): void {
    this.#isStarted = true;
    this.consider();
  }

  /** Settles when no request is in progress. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** The installer goes on. */
  async stop(): Promise<void> {
    this.#ending.abort(shuttingDown());
    this.#alarm.clear();
    await this.settled();
  }

  #run(task: string, work: () => Promise<void>): void {
    this.#alarm.clear();
    this.#requests.forget();
    this.#task = task;
    const done = async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (!this.#ending.signal.aborted) this.#requests.fail(error);
      } finally {
        this.#task = null;
        this.#running = null;
        this.consider();
      }
    };
    this.#running = done();
  }

  /** Throws where there is nothing to go on with. */
  async #fetch(kinds: readonly UpdateKind[], source: CheckSource): Promise<void> {
    const hasEnded = await this.#plan.checks().checkFor(new Set(kinds), source);
    this.#ending.signal.throwIfAborted();
    if (!hasEnded) throw noneToApply("The settings or the root of trust have changed.");
    const { last_check } = this.#options.record.read();
    // What was fetched from the server before is still good: the installer verifies it again.
    if (source.isServer || last_check?.outcome === "ok") return;
    throw noneToApply(last_check?.detail ?? null);
  }

  async #askForEach(kinds: readonly UpdateKind[]): Promise<void> {
    let asked = 0;
    for (const kind of kinds) {
      const release = stagedReleases(this.#plan.parts()).find((one) => one.kind === kind);
      // The installer would refuse it for the same reason, and a refusal counts for a day.
      if (release === undefined || this.#options.record.read().blockers?.[kind]) continue;
      if (asked > 0) await this.#trialsEnd();
      asked += 1;
      await this.#askFor(release);
    }
    if (asked === 0) throw noneToApply(this.#whyNone(kinds));
  }

  async #trialsEnd(): Promise<void> {
    const { watch } = this.#plan.parts();
    const letGo = watch.hold();
    await watch.untilQuiet(this.#ending.signal).finally(letGo);
  }

  #whyNone(kinds: readonly UpdateKind[]): string | null {
    const { downloads } = this.#plan.parts();
    const { available, last_check, blockers } = this.#options.record.read();
    const blocker = kinds.map((kind) => blockers?.[kind]).find((one) => one);
    if (blocker) return blocker.detail;
    const failures = kinds.map((kind) => available[kind] && downloads.failureOf(available[kind].id));
    return failures.find((failure) => failure !== null)?.message ?? last_check?.detail ?? null;
  }

  async #askFor(release: StoredRelease): Promise<void> {
    const { id } = release;
    // A check writes what the installer is about to read.
    await this.#plan.checks().settled();
    if (!this.#plan.parts().downloads.isStaged(id))
      throw noneToApply(`${capitalised(nameOf(release))} is no longer on this device.`);
    await this.#requests.send({ verb: "install", id }, release, this.#ending.signal);
  }

  /** Removes payloads of installed releases; where that fails, the next check does it. */
  async #dropInstalled(): Promise<void> {
    const { downloads, watch } = this.#plan.parts();
    await downloads.drop(goodIds(watch.journal())).catch(() => undefined);
  }
}
