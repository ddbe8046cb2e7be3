import type { StewardError } from "../../src/contract/errors.ts";
import { outcomeCause } from "../../src/releases/outcome-reasons.ts";
import {
  type Committed,
  emptyJournal,
  type GoodRelease,
  type JournalEntry,
  type KnownRelease,
  type ReleaseJournal,
  releaseJournalText,
  type SetAside,
  type Trial,
} from "../../src/releases/release-journal.ts";
import type { Installer, InstallRequest } from "../../src/updates/facts/updater-options.ts";

type Kind = "rules" | "binary";

/** The installer, as far as its journal goes: a test says what becomes of a request. */
export type SimulatedInstaller = ReturnType<typeof createSimulatedInstaller>;

/** Milliseconds since 1970, as the installer stamps what it writes. */
export function createSimulatedInstaller(now: () => number) {
  const listeners = new Set<() => void>();
  let goneOn = 0;
  const at = () => new Date(now()).toISOString();
  const justNow = (): Committed => ({ at: at(), boot_id: "boot-1", uptime: 1_000 });
  const write = (journal: ReleaseJournal): void => {
    side.journal = journal;
    for (const listener of [...listeners]) listener();
  };
  const slotWith = (kind: Kind, change: Partial<ReleaseJournal["slots"][Kind]>): ReleaseJournal["slots"] => ({
    ...side.journal.slots,
    [kind]: { ...side.journal.slots[kind], ...change },
  });
  const entryOf = (
    kind: Kind,
    release: KnownRelease | null,
    change: Pick<JournalEntry, "outcome" | "detail"> & Partial<JournalEntry>,
  ): Pick<ReleaseJournal, "sequence" | "history"> => {
    const sequence = side.journal.sequence + 1;
    const entry: JournalEntry = {
      ...{ sequence, at: at(), kind, restored_healthy: null, seconds: 1, log: [] },
      ...{ release_id: release?.id ?? null, name: release?.name ?? null, version: release?.version ?? null },
      from_version: side.journal.slots[kind].good.at(-1)?.version ?? null,
      ...change,
    };
    return { sequence, history: [...side.journal.history, entry] };
  };
  const take = (kind: Kind, release: KnownRelease, change: Partial<Trial>): void => {
    const trial: Trial = {
      ...{ release, phase: "installing", begun_at: at(), begun_uptime: 0, boot_id: "boot-1", boots: 1 },
      ...{ crashes: 0, deadline_uptime: null, undo: null },
      health: { successes: 0, needed: 3, last: null, at: null },
      ...change,
    };
    write({ ...side.journal, slots: slotWith(kind, { trial }) });
  };
  const trialOf = (kind: Kind): Trial => {
    const { trial } = side.journal.slots[kind];
    if (trial === null) throw new Error(`no ${kind} are on trial`);
    return trial;
  };
  const side = {
    journal: emptyJournal,
    asked: [] as InstallRequest[],
    goneOn: () => goneOn,
    /** Rules are asked for their health where the binary answers. */
    isOnePlace: false,
    /** The installer cannot be started. */
    failure: null as StewardError | null,
    /** The installer ends without an entry. */
    isSilent: false,
    /** Bytes that are no journal. */
    damage: null as string | null,
    /** The installer takes a request only when that opens. */
    gate: null as Promise<void> | null,
    /** Releases have these names, by id. */
    names: new Map<string, { kind: Kind; name: string; version: string }>(),
    watching: () => listeners.size,
    ask: async (request: InstallRequest, signal: AbortSignal): Promise<void> => {
      side.asked.push(request);
      if (side.failure) throw side.failure;
      if (side.isSilent) return;
      if (side.gate !== null) {
        await Promise.race([
          side.gate,
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
        ]);
      }
      if (request.verb === "install") {
        const label = side.names.get(request.id) ?? { kind: "rules", name: "base", version: "0.0.0" };
        const { kind, ...release } = { ...label, id: request.id };
        return take(kind, release, { phase: "confirming" });
      }
      const release = side.journal.slots[request.kind].good.at(-1);
      if (release === undefined) throw new Error("nothing is installed");
      const undo = { outcome: "rolled_back", reason: "It was rolled back on request.", log: [] } as const;
      take(request.kind, release, { phase: "undoing", undo });
    },
    goOn: () => {
      goneOn += 1;
    },
    read: async (): Promise<Uint8Array | null> => {
      if (side.damage !== null) return Buffer.from(side.damage);
      return side.journal === emptyJournal ? null : Buffer.from(releaseJournalText(side.journal));
    },
    watch: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isSetUp: () => true,
    rulesNeedBinary: (): boolean => side.isOnePlace,
    /** The trial goes so far; those who watch hear of it. */
    phase: (kind: Kind, change: Partial<Trial>): void =>
      write({ ...side.journal, slots: slotWith(kind, { trial: { ...trialOf(kind), ...change } }) }),
    /** The trial proves healthy. */
    commit: (kind: Kind): void => {
      const { release } = trialOf(kind);
      const good = [...side.journal.slots[kind].good, { ...release, committed: justNow() }];
      const cause = outcomeCause("healthy");
      write({
        ...entryOf(kind, release, { outcome: "good", detail: "It proved healthy.", cause }),
        slots: slotWith(kind, { trial: null, good }),
      });
    },
    /** It is undone and set aside. */
    undo: (kind: Kind, outcome: "failed" | "aborted"): void => {
      const { release } = trialOf(kind);
      const reason = "It did not answer.";
      const cause = outcomeCause("not_healthy_in_time");
      const why = outcome === "aborted" ? "held" : outcome;
      const aside: SetAside = { ...release, at: at(), why, reason, cause, until: null };
      const setAside = [...side.journal.slots[kind].setAside, aside];
      write({
        ...entryOf(kind, release, { outcome, detail: reason, cause, restored_healthy: true }),
        slots: slotWith(kind, { trial: null, setAside }),
      });
    },
    /** An entry of what was not taken. */
    refuse: (kind: Kind, id: string, detail: string): void => {
      const label = side.names.get(id);
      const release = label ? { id, name: label.name, version: label.version } : null;
      const cause = { code: "update_not_acceptable", count: null, last_answer: null };
      write({ ...entryOf(kind, release, { outcome: "refused", detail, cause }), slots: side.journal.slots });
    },
    /** Committed at the beginning of the device's first boot, unless they say otherwise. */
    good: (kind: Kind, ...releases: GoodRelease[]): void => {
      const good = releases.map((release) => ({ committed: justNow(), ...release }));
      write({ ...side.journal, slots: slotWith(kind, { good }) });
    },
  };
  return side satisfies Installer;
}
