import type { ApplyPlan, ReleaseAtWork, ReleaseHost } from "../../host/release-ports.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { Slot, Trial, Undo } from "../../releases/release-journal.ts";
import { journalBounds } from "../../releases/release-journal-schema.ts";
import type { JournalStore } from "../files/journal-store.ts";
import { conformLinks } from "../files/links.ts";
import { pathsOf, type ReleaseDirectories } from "../files/release-directories.ts";
import { createWatch, messageOf, type Watch } from "./health-watch.ts";
import { readOrder } from "./orders.ts";
import { committed, cut, formerOf, type Moment, refused, undone, withSlot } from "./outcomes.ts";
import { isPatient, nextStep, type TrialStep } from "./trial-step.ts";

/** What root's side works with, under the lock of the release directory. */
export interface InstallerContext {
  readonly host: ReleaseHost;
  readonly directories: ReleaseDirectories;
  readonly journal: JournalStore;
  /** null: releases of this kind are not applied here. */
  readonly plans: Readonly<Record<UpdateKind, ApplyPlan | null>>;
  /** A line for whoever reads the log of the unit. */
  readonly say: (line: string) => void;
}

/** Steps of one trial: an hour of looks every 100 ms, forth and back, and whatever it takes besides. */
const mostSteps = 100_000;

/**
 * Brings the trial of a kind to its end, whatever has ended before in the middle of it. One loop: the decider says the
 * next step, the step is done, the journal is written; each can be done again. With `untilPatient` it stops before what
 * takes long: what a boot has to wait for is done by then. Throws `storage_full`, `storage_unwritable`.
 */
export async function drive(
  parts: InstallerContext,
  kind: UpdateKind,
  { untilPatient = false }: { untilPatient?: boolean } = {},
): Promise<void> {
  const { host, directories, journal } = parts;
  const watch = createWatch(host);
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const { trial } = journal.read().slots[kind];
    if (trial === null) return;
    const order = await readOrder(host.files, directories, kind);
    const present = { bootId: host.bootId, uptime: host.uptime() };
    const step = nextStep(trial, { ...present, order, isTakenUp: steps === 0 });
    if (untilPatient && isPatient(step)) return;
    await new Step(parts, kind, watch).perform(step, trial);
  }
}

/** A plan that asks for nothing: the host file has lost the one that the release was begun under. */
const noPlan: ApplyPlan = {
  unit: null,
  activate: null,
  selfTest: null,
  health: { http: [], command: null, successes: 1, intervalSeconds: 0, withinSeconds: 0 },
};

class Step {
  readonly #parts: InstallerContext;
  readonly #kind: UpdateKind;
  readonly #watch: Watch;

  constructor(parts: InstallerContext, kind: UpdateKind, watch: Watch) {
    this.#parts = parts;
    this.#kind = kind;
    this.#watch = watch;
  }

  async perform(step: TrialStep, trial: Trial): Promise<void> {
    const { version } = trial.release;
    if (step.kind !== "watch" && step.kind !== "watch-former") {
      this.#parts.say(
        `${this.#kind} ${version}: ${step.kind}${step.kind === "undo" ? `, ${step.undo.reason}` : ""}`,
      );
    }
    switch (step.kind) {
      case "drop":
        return this.#drop(trial);
      case "watch-anew":
        return this.#change(this.#freshWatch(this.#plan() ?? noPlan));
      case "count-boot":
        return this.#change({ ...this.#begun(), boots: trial.boots + 1, phase: this.#phaseAfterBoot(trial) });
      case "switch":
        return this.#switch("activating");
      case "activate":
        return this.#activate(trial);
      case "watch":
        return this.#look(trial, { version, isFormer: false });
      case "commit":
        return this.#end((moment) => committed(this.#journal(), this.#kind, moment));
      case "undo":
        return this.#undo(step.undo, trial);
      case "switch-back":
        return this.#switch("reactivating");
      case "reactivate":
        return this.#reactivate();
      case "watch-former":
        return this.#look(trial, { version: formerOf(this.#slot())?.version ?? null, isFormer: true });
      case "finish":
        return this.#end((moment) =>
          undone(this.#journal(), this.#kind, { ...moment, isHealthy: step.isHealthy }),
        );
    }
  }

  /** Nothing was changed, and what was being made is removed. */
  async #drop({ release }: Trial): Promise<void> {
    const { journal, host } = this.#parts;
    const detail = "It was cut short before anything was changed, and can be applied again.";
    await journal.update((present) => {
      const from = formerOf(present.slots[this.#kind])?.version ?? null;
      const without = withSlot(present, this.#kind, { trial: null });
      return refused(without, { kind: this.#kind, release, detail, from }, { at: host.now() });
    });
  }

  async #switch(phase: "activating" | "reactivating"): Promise<void> {
    const { host, directories } = this.#parts;
    await conformLinks(host.files, directories, { kind: this.#kind, slot: this.#slot() });
    await this.#change({ ...this.#begun(), phase });
  }

  async #activate(trial: Trial): Promise<void> {
    const { host } = this.#parts;
    const plan = this.#plan();
    if (plan === null) {
      const reason = `The host file no longer says how ${this.#kind} are put to work.`;
      return this.#undo({ outcome: "deferred", reason }, trial);
    }
    this.#watch.begun();
    try {
      await host.activate(plan, this.#atWork(trial.release.version));
    } catch (error) {
      this.#watch.heard(messageOf(error));
      // A unit that does not start is seen by the watch, which counts its exits; a program has said its last word.
      if (plan.activate !== null) {
        const reason = `It could not be put to work: ${messageOf(error)}`;
        return this.#undo({ outcome: "failed", reason }, trial);
      }
      this.#parts.say(messageOf(error));
    }
    await this.#change({ phase: "confirming", ...this.#freshWatch(plan) });
  }

  async #reactivate(): Promise<void> {
    const { host, say } = this.#parts;
    const plan = this.#plan() ?? noPlan;
    this.#watch.begun();
    const version = formerOf(this.#slot())?.version ?? null;
    await host.activate(plan, this.#atWork(version)).catch((error: unknown) => say(messageOf(error)));
    await this.#change({ phase: "recovering", ...this.#freshWatch(plan) });
  }

  async #look(
    trial: Trial,
    { version, isFormer }: { version: string | null; isFormer: boolean },
  ): Promise<void> {
    const { host } = this.#parts;
    const plan = this.#plan() ?? noPlan;
    // A watch that a reboot has ended begins anew in this boot.
    if (trial.deadline_uptime === null) return this.#change(this.#freshWatch(plan));
    await host.pause(plan.health.intervalSeconds);
    const { health, crashes } = await this.#watch.look(trial, plan, this.#atWork(version));
    await this.#change(isFormer ? { health } : { health, crashes });
  }

  async #undo({ outcome, reason }: Pick<Undo, "outcome" | "reason">, trial: Trial): Promise<void> {
    const { host } = this.#parts;
    const unit = this.#plan()?.unit ?? null;
    const since = Date.parse(trial.begun_at);
    const lines =
      unit === null ? [] : await host.units?.log(unit, since, journalBounds.logLines).catch(() => []);
    const log = [...(lines ?? []), ...this.#watch.said()]
      .slice(-journalBounds.logLines)
      .map((line) => cut(line, journalBounds.lineLength));
    await this.#change({ phase: "undoing", undo: { outcome, reason: cut(reason, 1_000), log } });
  }

  async #end(change: (moment: Moment) => ReturnType<typeof committed>): Promise<void> {
    const { host, journal } = this.#parts;
    await journal.update(() => change({ at: host.now(), uptime: host.uptime(), bootId: host.bootId }));
  }

  #change(change: Partial<Trial>): Promise<void> {
    return this.#parts.journal.update((present) => {
      const { trial } = present.slots[this.#kind];
      return trial === null ? present : withSlot(present, this.#kind, { trial: { ...trial, ...change } });
    });
  }

  /** Without a service manager nobody else has put it to work at boot. */
  #phaseAfterBoot({ phase }: Trial): Trial["phase"] {
    if (this.#parts.host.units !== null) return phase;
    if (phase === "confirming") return "activating";
    return phase === "recovering" ? "reactivating" : phase;
  }

  /** In this boot, and nothing seen yet. */
  #begun(): Pick<Trial, "boot_id" | "deadline_uptime" | "health"> {
    const needed = this.#plan()?.health.successes ?? 0;
    const health = { successes: 0, needed, last: null, at: null };
    return { boot_id: this.#parts.host.bootId, deadline_uptime: null, health };
  }

  #freshWatch(plan: ApplyPlan): Pick<Trial, "boot_id" | "deadline_uptime" | "health"> {
    return { ...this.#begun(), deadline_uptime: this.#parts.host.uptime() + plan.health.withinSeconds };
  }

  #atWork(version: string | null): ReleaseAtWork {
    return { kind: this.#kind, version, directory: pathsOf(this.#parts.directories).current(this.#kind) };
  }

  #plan(): ApplyPlan | null {
    return this.#parts.plans[this.#kind];
  }

  #journal() {
    return this.#parts.journal.read();
  }

  #slot(): Slot {
    return this.#journal().slots[this.#kind];
  }
}
