import type { AuditEvent, Need } from "../contract/types.ts";
import type { Timers } from "../host/ports.ts";

/** A need as its events report it, with the facts that identify it, and without names of users. */
export type ToldNeed = Readonly<Record<string, string | number>> & {
  readonly need: string;
  readonly level: string;
};

/** Facts that tell two needs of one code apart. */
const telling = ["reason", "kind", "name", "version"] as const;

/** Further facts for the sentence about it. */
const besides = [
  "count",
  "hostname",
  "missing",
  "word",
  "trust",
  "first_ends_at",
  "support_until",
  "detail",
  "unit",
  "en",
  "de",
] as const;

interface NeedWatchOptions {
  /** Called once at each look. */
  readonly needs: () => readonly Need[];
  /** The events of the record that report needs, in any order. */
  readonly told: () => Promise<readonly Pick<AuditEvent, "seq" | "type" | "details">[]>;
  readonly record: (type: "need.began" | "need.ended", details: ToldNeed) => void;
  readonly timers: Timers;
}

export type NeedWatch = ReturnType<typeof createNeedWatch>;

/** Seconds between two looks. What is over at the next one is no event: a clock at a boot, a network for a moment. */
const lookSeconds = 60;

/** Records when the device begins to need a person and when it no longer does, also over restarts. */
export function createNeedWatch({ needs, told, record, timers }: NeedWatchOptions) {
  let open: Map<string, ToldNeed> | null = null;
  let before: ReadonlyMap<string, unknown> | null = null;
  let cancel = (): void => undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    const present = new Map(needs().map((need) => [keyOf(need.code, need.level, need.facts), need]));
    open ??= openNeeds(await told());
    for (const [key, need] of present) {
      if (!before?.has(key) || open.has(key)) continue;
      const began = toldNeed(need);
      open.set(key, began);
      record("need.began", began);
    }
    for (const [key, need] of open) {
      if (before === null || before.has(key) || present.has(key)) continue;
      open.delete(key);
      record("need.ended", need);
    }
    before = present;
  };
  const start = (): void => {
    if (isStopped) return;
    // If the record cannot be read at present, the look is repeated.
    cancel = timers.after(
      lookSeconds,
      () =>
        void look()
          .catch(() => undefined)
          .then(start),
    );
  };
  return {
    start,
    stop: (): void => {
      isStopped = true;
      cancel();
    },
  };
}

function toldNeed({ code, level, facts }: Need): ToldNeed {
  const known = [...telling, ...besides].map((name) => [name, (facts as Partial<ToldNeed>)[name]] as const);
  return { need: code, level, ...Object.fromEntries(known.filter(([, value]) => value !== undefined)) };
}

/** Needs that began and did not end, by these events of the record. */
export function openNeeds(events: Awaited<ReturnType<NeedWatchOptions["told"]>>): Map<string, ToldNeed> {
  const open = new Map<string, ToldNeed>();
  for (const { type, details } of [...events].sort((one, other) => one.seq - other.seq)) {
    const need = details as ToldNeed;
    if (type === "need.began") open.set(needKey(need), need);
    else open.delete(needKey(need));
  }
  return open;
}

/** Tells needs apart: those of one key are the same need. */
export function needKey(need: ToldNeed): string {
  return keyOf(need.need, need.level, need);
}

function keyOf(code: string, level: string, facts: object): string {
  const known = facts as Partial<ToldNeed>;
  return [code, level, ...telling.map((name) => known[name] ?? "")].join(" ");
}
