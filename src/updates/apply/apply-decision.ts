import { updateKinds } from "../../contract/update-kinds.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { StoredRelease } from "../update-record.ts";
import { type Circumstances, type Hindrance, hindranceOf } from "./hold-reason.ts";
import type { WindowsNow } from "./windows.ts";

/** All that applying unasked follows from. */
export interface ApplySituation {
  readonly circumstances: Circumstances;
  /** Why the journal of releases cannot be gone by; null: it can. */
  readonly unreadable: string | null;
  readonly isSetUp: (kind: UpdateKind) => boolean;
  readonly windows: WindowsNow;
  /** Until when somebody does not want a release to be applied unasked, by its id. */
  readonly postponed: ReadonlyMap<string, Date>;
  /** What root's side did not take, or could not be asked for, by id. */
  readonly refused: ReadonlyMap<string, Refusal>;
  /** What is under way, in words; null: nothing. */
  readonly busy: string | null;
}

export interface Refusal {
  readonly text: string;
  /** When it is asked for again. */
  readonly until: Date;
}

/** What stands in the way of a staged release being applied unasked. */
export interface ApplyHindrance extends Omit<Hindrance, "kind"> {
  readonly kind:
    | Hindrance["kind"]
    | "unreadable"
    | "not_set_up"
    | "refused"
    | "postponed"
    | "window"
    | "busy";
}

export interface ApplyDecision {
  /** To be applied now; null: nothing is. */
  readonly apply: StoredRelease | null;
  /** When to decide anew if nothing else happens; null: never. */
  readonly again: Date | null;
}

/** What of the staged releases is to be applied unasked: rules before a binary, one at a time. */
export function decideApplying(staged: readonly StoredRelease[], situation: ApplySituation): ApplyDecision {
  const ordered = updateKinds.flatMap((kind) => staged.filter((release) => release.kind === kind));
  const judged = ordered.map((release) => ({ release, why: applyHindranceOf(release, situation) }));
  const free = judged.find(({ why }) => why === null);
  if (free) return { apply: free.release, again: null };
  const ends = judged.flatMap(({ why }) => (why?.until ? [why.until.getTime()] : []));
  return { apply: null, again: ends.length === 0 ? null : new Date(Math.min(...ends)) };
}

/** The gravest hindrance; null: it is to be applied now. What is urgent waits for no window. */
export function applyHindranceOf(release: StoredRelease, situation: ApplySituation): ApplyHindrance | null {
  const { circumstances, unreadable, isSetUp, windows, postponed, refused, busy } = situation;
  if (unreadable !== null) return { kind: "unreadable", text: unreadable.replace(/\.$/, ""), until: null };
  const { enabled } = circumstances.ota;
  const hindrance = hindranceOf(release, circumstances, "applied");
  if (hindrance?.kind === "blocked" || hindrance?.kind === "failed") return hindrance;
  if (!isSetUp(release.kind)) return notSetUp(release.kind);
  if (hindrance !== null) return hindrance;
  if (!enabled) {
    const text = "update.ota.enabled is off, so nothing is applied unasked";
    return { kind: "not_automatic", text, until: null };
  }
  const refusal = refused.get(release.id);
  if (refusal) return { kind: "refused", ...refusal };
  const until = postponed.get(release.id);
  if (until && until > circumstances.now) {
    return { kind: "postponed", text: `it is postponed until ${until.toISOString()}`, until };
  }
  if (!windows.isOpen && !release.urgent) return closed(windows);
  return busy === null ? null : { kind: "busy", text: busy, until: null };
}

function notSetUp(kind: UpdateKind): ApplyHindrance {
  const text = `the host file of this device does not say how ${kind === "rules" ? "rules" : "a binary"} are put to work (update.${kind})`;
  return { kind: "not_set_up", text: text.replace("a binary are", "a binary is"), until: null };
}

function closed({ opensAt }: WindowsNow): ApplyHindrance {
  const when = opensAt === null ? "" : `, at ${opensAt.toISOString()}`;
  return {
    kind: "window",
    text: `it is not applied unasked before the next of update.windows opens${when}`,
    until: opensAt,
  };
}
