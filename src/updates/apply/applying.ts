import { releaseName } from "../../contract/update-facts.ts";
import { goodIds, kindOnTrial } from "../../releases/journal-queries.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { StoredRelease } from "../../releases/update-record.ts";
import { type Alarm, createAlarm } from "../check/alarm.ts";
import type { CheckSource } from "../check/check-outcome.ts";
import { shuttingDown } from "../check/check-refusals.ts";
import { type ApplyParts, applySituationOf, doRulesLackBinary, stagedReleases } from "./apply-conditions.ts";
import { decideApplying } from "./apply-decision.ts";
import { busyWith, noneToApply, rulesNotTried } from "./apply-refusals.ts";

/** Applies releases: starts the installer, one request at a time, and follows what comes of it. */
export class Applying {
  readonly #parts: ApplyParts;
  readonly #alarm: Alarm;
  readonly #ending = new AbortController();
  /** The work in progress, in words. */
  #task: string | null = null;
  #running: Promise<void> | null = null;
  #isStarted = false;

  constructor(parts: ApplyParts) {
    this.#parts = parts;
    this.#alarm = createAlarm(parts.options, () => this.consider());
  }

  /** The work in progress, in words that follow a colon; null: none, so that work can begin. */
  busy(): string | null {
    const journal = this.#parts.watch.journal();
    const kind = kindOnTrial(journal);
    const release = kind && journal.slots[kind].trial?.release;
    return kind && release ? `${releaseName(release)} is on trial` : this.#task;
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
    const present = this.#parts.watch.journal().slots[kind].good.at(-1);
    if (present === undefined) return;
    const { id, name, version } = present;
    this.#run("an update is being rolled back", () =>
      this.#parts.requests.send({ verb: "rollback", kind }, { kind, id, name, version }, this.#ending.signal),
    );
  }

  /** Applies releases that are due without a request, unless something is in progress. */
  consider(): void {
    if (!this.#isStarted || this.#ending.signal.aborted) return;
    void this.#dropInstalled();
    const parts = this.#parts;
    // Its end leads here again.
    if (this.#parts.checks.isUnderWay()) return;
    const situation = applySituationOf(parts, this.busy());
    const { apply, again } = decideApplying(stagedReleases(parts), situation);
    if (apply !== null) this.#run(`${releaseName(apply)} is being applied`, () => this.#askFor(apply));
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
    this.#parts.requests.forget();
    this.#task = task;
    const done = async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (!this.#ending.signal.aborted) this.#parts.requests.fail(error);
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
    const hasEnded = await this.#parts.checks.checkFor(new Set(kinds), source);
    this.#ending.signal.throwIfAborted();
    if (!hasEnded) throw noneToApply("The settings or the root of trust have changed.");
    const { last_check } = this.#parts.options.record.read();
    // A payload that was fetched from the server before is still good: the installer verifies it again.
    if (source.isServer || last_check?.outcome === "ok") return;
    throw noneToApply(last_check?.detail ?? null);
  }

  async #askForEach(kinds: readonly UpdateKind[]): Promise<void> {
    let asked = 0;
    for (const kind of kinds) {
      const release = stagedReleases(this.#parts).find((one) => one.kind === kind);
      // The installer would refuse it for the same reason, and a refusal counts for a day.
      if (release === undefined || this.#parts.options.record.read().blockers?.[kind]) continue;
      if (asked > 0) {
        await this.#trialsEnd();
        if (kind === "rules" && doRulesLackBinary(this.#parts)) throw rulesNotTried(release);
      }
      asked += 1;
      await this.#askFor(release);
    }
    if (asked === 0) throw noneToApply(this.#whyNone(kinds));
  }

  async #trialsEnd(): Promise<void> {
    const { watch } = this.#parts;
    const letGo = watch.hold();
    await watch.untilQuiet(this.#ending.signal).finally(letGo);
  }

  #whyNone(kinds: readonly UpdateKind[]): string | null {
    const { downloads } = this.#parts;
    const { available, last_check, blockers } = this.#parts.options.record.read();
    const blocker = kinds.map((kind) => blockers?.[kind]).find((one) => one);
    if (blocker) return blocker.detail;
    const failures = kinds.map((kind) => available[kind] && downloads.failureOf(available[kind].id));
    return failures.find((failure) => failure !== null)?.message ?? last_check?.detail ?? null;
  }

  async #askFor(release: StoredRelease): Promise<void> {
    const { id } = release;
    // A check writes what the installer is about to read.
    await this.#parts.checks.settled();
    if (!this.#parts.downloads.isStaged(id))
      throw noneToApply(`${releaseName(release)} is no longer on this device.`);
    await this.#parts.requests.send({ verb: "install", id }, release, this.#ending.signal);
  }

  /** Removes payloads of installed releases; where that fails, the next check does it. */
  async #dropInstalled(): Promise<void> {
    const { downloads, watch } = this.#parts;
    const journal = watch.journal();
    const kept = downloads.formers(journal);
    await downloads.drop(goodIds(journal).filter((id) => !kept.includes(id))).catch(() => undefined);
  }
}
