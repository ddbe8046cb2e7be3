import { messageOf } from "../../contract/errors.ts";
import type { ApplyPlan, ReleaseAtWork, ReleaseHost } from "../../host/release-ports.ts";
import { formerOf, isOvertaken } from "../../releases/journal-queries.ts";
import { type OutcomeCause, outcomeCause, outcomeSentence } from "../../releases/outcome-reasons.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { ReleaseJournal, Slot, Trial, Undo } from "../../releases/release-journal.ts";
import { journalBounds } from "../../releases/release-journal-schema.ts";
import type { InstalledVersions } from "../../releases/selection.ts";
import type { JournalStore } from "../files/journal-store.ts";
import { conformLinks } from "../files/links.ts";
import { pathsOf, type ReleaseDirectories } from "../files/release-directories.ts";
import { createHealthWatch, type HealthWatch } from "./health-watch.ts";
import { readOrder } from "./orders.ts";
import { committed, cut, cutCause, type Moment, refused, undone, withSlot } from "./outcomes.ts";
import { nextStep, type TrialStep, takesLong } from "./trial-step.ts";

/** The parts that the installer works with, under the lock of the release directory. */
export interface InstallerContext {
  readonly host: ReleaseHost;
  readonly directories: ReleaseDirectories;
  readonly journal: JournalStore;
  /** null: releases of this kind are not applied here. */
  readonly plans: Readonly<Record<UpdateKind, ApplyPlan | null>>;
  /** Versions of this device's package, which exist without any release; null: none. */
  readonly packaged: InstalledVersions;
  /** Writes a line to the log of the unit. */
  readonly say: (line: string) => void;
}

/** Steps of one trial at most: an hour of health checks every 100 ms, forth and back, and some more. */
const mostSteps = 100_000;

/**
 * Brings the trial of a kind to its end, also one that an earlier process left in the middle. One loop: the decider names
 * the next step, the step is done, the journal is written; each step can be done twice (docs/design/updates.md, rule 10).
 * With `stopsBeforeLongSteps` it ends after the steps that a boot has to wait for. Throws `storage_full`,
 * `storage_unwritable`.
 */
export async function runTrial(
  context: InstallerContext,
  kind: UpdateKind,
  { stopsBeforeLongSteps = false }: { stopsBeforeLongSteps?: boolean } = {},
): Promise<void> {
  const { host, directories, journal } = context;
  const watch = createHealthWatch(host);
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const { trial } = journal.read().slots[kind];
    if (trial === null) return;
    const order = await readOrder(host.files, directories, kind);
    const step = nextStep(trial, {
      bootId: host.bootId,
      uptime: host.uptime(),
      order,
      isOvertaken: isOvertaken(trial.release.version, context.packaged[kind]),
      isResumed: steps === 0,
    });
    if (stopsBeforeLongSteps && takesLong(step)) return;
    await new Step(context, kind, watch).perform(step, trial);
  }
}

/** An empty plan, for a trial whose plan was removed from the host file meanwhile. */
const noPlan: ApplyPlan = {
  unit: null,
  activate: null,
  selfTest: null,
  health: { http: [], command: null, successes: 1, intervalSeconds: 0, withinSeconds: 0 },
};

class Step {
  readonly #context: InstallerContext;
  readonly #kind: UpdateKind;
  readonly #watch: HealthWatch;

  constructor(context: InstallerContext, kind: UpdateKind, watch: HealthWatch) {
    this.#context = context;
    this.#kind = kind;
    this.#watch = watch;
  }

  async perform(step: TrialStep, trial: Trial): Promise<void> {
    const { version } = trial.release;
    if (step.kind !== "watch" && step.kind !== "watch-former") {
      this.#context.say(
        `${this.#kind} ${version}: ${step.kind}${step.kind === "undo" ? `, ${outcomeSentence(step.cause)}` : ""}`,
      );
    }
    switch (step.kind) {
      case "drop":
        return this.#drop(trial);
      case "watch-anew":
        return this.#change(this.#freshWatch(this.#plan() ?? noPlan));
      case "count-boot":
        return this.#change({
          ...this.#inThisBoot(),
          boots: trial.boots + 1,
          phase: this.#phaseAfterBoot(trial),
        });
      case "switch":
        return this.#switch("activating");
      case "activate":
        return this.#activate(trial);
      case "watch":
        return this.#poll(trial, { version, isFormer: false });
      case "commit":
        return this.#end((present, moment) => committed(present, this.#kind, moment));
      case "undo":
        return this.#undo(step, trial);
      case "switch-back":
        return this.#switch("reactivating");
      case "reactivate":
        return this.#reactivate();
      case "watch-former":
        return this.#poll(trial, { version: formerOf(this.#slot())?.version ?? null, isFormer: true });
      case "finish":
        return this.#end((present, moment) =>
          undone(present, this.#kind, { ...moment, isHealthy: step.isHealthy }),
        );
    }
  }

  /** Nothing was changed yet: the unfinished directory is removed later. */
  async #drop({ release }: Trial): Promise<void> {
    const { journal, host } = this.#context;
    const cause = outcomeCause("interrupted");
    const detail = outcomeSentence(cause);
    await journal.update((present) => {
      const from = formerOf(present.slots[this.#kind])?.version ?? null;
      const without = withSlot(present, this.#kind, { trial: null });
      return refused(without, { kind: this.#kind, release, detail, cause, from }, { at: host.now() });
    });
  }

  async #switch(phase: "activating" | "reactivating"): Promise<void> {
    const { host, directories } = this.#context;
    await conformLinks(host.files, directories, { kind: this.#kind, slot: this.#slot() });
    await this.#change({ ...this.#inThisBoot(), phase });
  }

  async #activate(trial: Trial): Promise<void> {
    const { host } = this.#context;
    const plan = this.#plan();
    if (plan === null) {
      return this.#undo({ outcome: "deferred", cause: outcomeCause("configuration_removed") }, trial);
    }
    this.#watch.begin();
    try {
      await host.activate(plan, this.#activeRelease(trial.release.version));
    } catch (error) {
      this.#watch.note(messageOf(error));
      // The watch counts the exits of a unit that does not start; a program that fails will not run again.
      if (plan.activate !== null) {
        const cause = outcomeCause("activation_failed", { last_answer: messageOf(error) });
        return this.#undo({ outcome: "failed", cause }, trial);
      }
      this.#context.say(messageOf(error));
    }
    await this.#change({ phase: "confirming", ...this.#freshWatch(plan) });
  }

  async #reactivate(): Promise<void> {
    const { host, say } = this.#context;
    const plan = this.#plan() ?? noPlan;
    this.#watch.begin();
    const version = formerOf(this.#slot())?.version ?? null;
    await host.activate(plan, this.#activeRelease(version)).catch((error: unknown) => say(messageOf(error)));
    await this.#change({ phase: "recovering", ...this.#freshWatch(plan) });
  }

  async #poll(
    trial: Trial,
    { version, isFormer }: { version: string | null; isFormer: boolean },
  ): Promise<void> {
    const { host } = this.#context;
    const plan = this.#plan() ?? noPlan;
    // After a reboot the watch begins again in this boot.
    if (trial.deadline_uptime === null) return this.#change(this.#freshWatch(plan));
    await host.pause(plan.health.intervalSeconds);
    const { health, crashes } = await this.#watch.poll(trial, plan, this.#activeRelease(version));
    await this.#change(isFormer ? { health } : { health, crashes });
  }

  async #undo(
    { outcome, cause }: { outcome: Undo["outcome"]; cause: OutcomeCause },
    trial: Trial,
  ): Promise<void> {
    const { host } = this.#context;
    const unit = this.#plan()?.unit ?? null;
    const since = Date.parse(trial.begun_at);
    const lines =
      unit === null ? [] : await host.units?.log(unit, since, journalBounds.logLines).catch(() => []);
    const log = [...(lines ?? []), ...this.#watch.lines()]
      .slice(-journalBounds.logLines)
      .map((line) => cut(line, journalBounds.lineLength));
    const reason = cut(outcomeSentence(cause), 1_000);
    await this.#change({ phase: "undoing", undo: { outcome, reason, cause: cutCause(cause), log } });
  }

  async #end(change: (present: ReleaseJournal, moment: Moment) => ReleaseJournal): Promise<void> {
    const { host, journal } = this.#context;
    const moment = { at: host.now(), uptime: host.uptime(), bootId: host.bootId };
    await journal.update((present) => change(present, moment));
  }

  #change(change: Partial<Trial>): Promise<void> {
    return this.#context.journal.update((present) => {
      const { trial } = present.slots[this.#kind];
      return trial === null ? present : withSlot(present, this.#kind, { trial: { ...trial, ...change } });
    });
  }

  /** Without a service manager the release was not started at boot, so it is activated again. */
  #phaseAfterBoot({ phase }: Trial): Trial["phase"] {
    if (this.#context.host.units !== null) return phase;
    if (phase === "confirming") return "activating";
    return phase === "recovering" ? "reactivating" : phase;
  }

  /** In this boot, without a health check yet. */
  #inThisBoot(): Pick<Trial, "boot_id" | "deadline_uptime" | "health"> {
    const needed = this.#plan()?.health.successes ?? 0;
    const health = { successes: 0, needed, last: null, at: null };
    return { boot_id: this.#context.host.bootId, deadline_uptime: null, health };
  }

  #freshWatch(plan: ApplyPlan): Pick<Trial, "boot_id" | "deadline_uptime" | "health"> {
    return {
      ...this.#inThisBoot(),
      deadline_uptime: this.#context.host.uptime() + plan.health.withinSeconds,
    };
  }

  #activeRelease(version: string | null): ReleaseAtWork {
    return { kind: this.#kind, version, directory: pathsOf(this.#context.directories).current(this.#kind) };
  }

  #plan(): ApplyPlan | null {
    return this.#context.plans[this.#kind];
  }

  #slot(): Slot {
    return this.#context.journal.read().slots[this.#kind];
  }
}
