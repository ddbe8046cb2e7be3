import { areaOf, type Remedy } from "../../contract/finding.ts";
import { type AnyFindingCode, levels } from "../../contract/findings.ts";
import { type Area, areas } from "../../contract/need-areas.ts";
import type { Finding } from "../../contract/types.ts";

export type Level = (typeof levels)[number];

/** One line of the report: a finding, or that a part of the device is well or could not be looked at. */
export interface Entry {
  readonly area: Area;
  readonly level: Level;
  /** The code of a finding of the agent, or one that only the doctor makes. */
  readonly code: string;
  readonly facts: object;
  /** The finding in English, and what follows from it. */
  readonly detail: string;
  readonly remedy: Remedy | null;
}

/** The entry for a finding that the agent makes too. */
export function entryOf(found: Finding<AnyFindingCode>): Entry {
  return { area: areaOf(found.code), ...found };
}

/** Makes entries of one area that the agent has no finding for. `typed`: the line that mends it, which deletes nothing. */
export function entriesOf(
  area: Area,
): Readonly<Record<Level, (code: string, detail: string, typed?: string) => Entry>> {
  const make = (level: Level) => (code: string, detail: string, typed?: string) => ({
    ...{ area, level, code, facts: {}, detail },
    remedy: typed === undefined ? null : { line: typed, deletes: null },
  });
  return { failing: make("failing"), attention: make("attention"), unseen: make("unseen"), ok: make("ok") };
}

/** The gravest first, and of equals what is mended first. */
export function inOrder(entries: readonly Entry[]): Entry[] {
  const place = ({ area, level }: Entry) => levels.indexOf(level) * areas.length + areas.indexOf(area);
  return [...entries].sort((one, other) => place(one) - place(other));
}

/** The line by which a user sees as much as root. */
const asRoot = "su -c 'steward doctor'";

/** The line to type next; null: nothing has to be done. `entries`: in order. One that deletes is for want of another. */
export function nextLine(entries: readonly Entry[], isRoot: boolean): string | null {
  const remedyOf = (wanted: Level) => {
    const remedies = entries.flatMap(({ level, remedy }) => (level === wanted && remedy ? [remedy] : []));
    return remedies.find(({ deletes }) => deletes === null) ?? remedies[0];
  };
  const typed = (remedyOf("failing") ?? remedyOf("attention"))?.line;
  const isHidden = entries.some(({ level }) => level === "unseen");
  if (!isRoot && (isHidden || typed !== undefined)) return asRoot;
  return typed ?? null;
}
