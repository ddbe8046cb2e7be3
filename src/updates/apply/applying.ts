import { updateKinds } from "../../contract/update-kinds.ts";
import { goodIds, kindOnTrial } from "../../releases/journal-queries.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { type Alarm, createAlarm } from "../check/alarm.ts";
import type { CheckSource } from "../check/check-outcome.ts";
import { shuttingDown } from "../check/check-refusals.ts";
import type { Flights } from "../check/check-scheduler.ts";
import { nameOf } from "../status/update-summary.ts";
import type { ApplyingView, Handing, UpdateParts } from "../update-parts.ts";
import type { StoredRelease } from "../update-record.ts";
import type { UpdaterOptions } from "../updater-options.ts";
import { applySituationOf, stagedReleases } from "./apply-conditions.ts";
import { decideApplying, type Refusal } from "./apply-decision.ts";
import { busyWith, noneToApply } from "./apply-refusals.ts";
import { type Asking, createAsking } from "./installer-requests.ts";

/** The agent's side of applying: it asks root's side, one thing at a time, and follows what comes of it. */
export interface Applying extends ApplyingView {
  /** Ids of payloads that root's side may be reading. */
  inUse(): readonly string[];
  /** Throws `update_busy`, `shutting_down`. */
  requireFree(): void;
  /** Looks, fetches and asks, for each kind in order. `source` null: what is staged is taken without a look. */
  begin(kinds: readonly UpdateKind[], source: CheckSource | null): void;
  /** Goes back from the present release to the one before; both must be there. */
  rollBack(kind: UpdateKind): void;
  /** What went wrong with what was asked for last is past. */
  forget(): void;
  /** Begins what is to be applied unasked, if there is something and nothing is under way. */
  consider(): void;
  start(): void;
  /** Settles when nothing is asked for any more. */
  settled(): Promise<void>;
  /** What root's side does goes on. */
  stop(): Promise<void>;
}

/** What it is joined from; read when it is needed, for the parts need it too. */
export interface ApplyingPlan {
  readonly parts: () => UpdateParts;
  readonly flights: () => Flights;
  /** Root's side was asked, or has answered. */
  readonly onMove: () => void;
}

export function createApplying(options: UpdaterOptions, plan: ApplyingPlan): Applying {
  return new AgentsSide(options, plan);
}

class AgentsSide implements Applying {
  readonly #options: UpdaterOptions;
  readonly #plan: ApplyingPlan;
  readonly #asking: Asking;
  readonly #alarm: Alarm;
  readonly #ending = new AbortController();
  /** What was begun, in words. */
  #task: string | null = null;
  #running: Promise<void> | null = null;
  #isStarted = false;

  constructor(options: UpdaterOptions, plan: ApplyingPlan) {
    this.#options = options;
    this.#plan = plan;
    this.#asking = createAsking({ options, watch: () => plan.parts().watch, onMove: plan.onMove });
    this.#alarm = createAlarm(options, () => this.consider());
  }

  busy(): string | null {
    const journal = this.#plan.parts().watch.journal();
    const kind = kindOnTrial(journal);
    const release = kind && journal.slots[kind].trial?.release;
    return kind && release ? `${nameOf({ ...release, kind })} is being tried` : this.#task;
  }

  handing(): Handing | null {
    return this.#asking.handing();
  }

  problem(): string | null {
    return this.#asking.problem();
  }

  failures(): ReadonlyMap<string, Refusal> {
    return this.#asking.failures();
  }

  inUse(): readonly string[] {
    const { slots } = this.#plan.parts().watch.journal();
    const ids = [this.handing()?.id, ...updateKinds.map((kind) => slots[kind].trial?.release.id)];
    return ids.filter((id) => typeof id === "string");
  }

  requireFree(): void {
    if (this.#ending.signal.aborted) throw shuttingDown();
    const busy = this.busy();
    if (busy !== null) throw busyWith(busy);
  }

  begin(kinds: readonly UpdateKind[], source: CheckSource | null): void {
    this.#run("what somebody has asked for is being applied", async () => {
      if (source !== null) await this.#fetch(kinds, source);
      await this.#askForEach(kinds);
    });
  }

  rollBack(kind: UpdateKind): void {
    const present = this.#plan.parts().watch.journal().slots[kind].good.at(-1);
    if (present === undefined) return;
    const { id, name, version } = present;
    this.#run("an update is being rolled back", () =>
      this.#asking.ask({ verb: "rollback", kind }, { kind, id, name, version }, this.#ending.signal),
    );
  }

  forget(): void {
    this.#asking.forget();
  }

  consider(): void {
    if (!this.#isStarted || this.#ending.signal.aborted) return;
    void this.#dropInstalled();
    const parts = this.#plan.parts();
    // Its end leads here again.
    if (this.#plan.flights().isUnderWay()) return;
    const situation = applySituationOf(parts);
    const { apply, again } = decideApplying(stagedReleases(parts), situation);
    if (apply !== null) this.#run(`${nameOf(apply)} is being applied`, () => this.#askFor(apply));
    else if (again === null) this.#alarm.clear();
    else this.#alarm.set(Math.max(1, (again.getTime() - situation.circumstances.now.getTime()) / 1_000));
  }

  start(): void {
    this.#isStarted = true;
    this.consider();
  }

  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async stop(): Promise<void> {
    this.#ending.abort(shuttingDown());
    this.#alarm.clear();
    await this.settled();
  }

  #run(task: string, work: () => Promise<void>): void {
    this.#alarm.clear();
    this.#asking.forget();
    this.#task = task;
    const done = async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (!this.#ending.signal.aborted) this.#asking.tell(error);
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
    const hasEnded = await this.#plan.flights().flyFor(new Set(kinds), source);
    this.#ending.signal.throwIfAborted();
    if (!hasEnded) throw noneToApply("the settings or the root of trust were changed meanwhile.");
    const { last_check } = this.#options.record.read();
    // Of the server's, what was fetched before is as good as ever: root's side looks at it anew.
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
    return failures.find((failure) => failure !== null) ?? last_check?.detail ?? null;
  }

  async #askFor(release: StoredRelease): Promise<void> {
    const { id } = release;
    // A check writes what root's side is about to read.
    await this.#plan.flights().settled();
    if (!this.#plan.parts().downloads.isStaged(id))
      throw noneToApply(`${nameOf(release)} is no longer here.`);
    await this.#asking.ask({ verb: "install", id }, release, this.#ending.signal);
  }

  /** What is installed need not lie here twice; where it cannot be removed, the next check does. */
  async #dropInstalled(): Promise<void> {
    const { downloads, watch } = this.#plan.parts();
    await downloads.drop(goodIds(watch.journal())).catch(() => undefined);
  }
}
