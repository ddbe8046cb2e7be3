/** `failing`: something does not work; `unseen`: it could not be looked at. */
export type Level = "failing" | "attention" | "unseen" | "ok";

/**
 * What the doctor looks at, in the order in which a device is mended: nothing can be saved on a full disk, and no agent
 * starts with a host file that it refuses.
 */
export const areas = [
  "program",
  "disk",
  "host file",
  "state",
  "accounts",
  "keys",
  "agent",
  "clock",
  "updates",
  "certificate",
  "log",
] as const;

export type Area = (typeof areas)[number];

export interface Finding {
  readonly area: Area;
  readonly level: Level;
  /** For programs. */
  readonly code: string;
  /** What was found. */
  readonly what: string;
  /** What follows from it; empty: nothing. */
  readonly meaning: string;
  /** The line to type; null: there is none. */
  readonly command: string | null;
}

/** A finding without its area and level. */
export type Said = Pick<Finding, "code" | "what"> & Partial<Pick<Finding, "meaning" | "command">>;

/** Makes the findings of one area. */
export function findingsOf(area: Area): Readonly<Record<Level, (said: Said) => Finding>> {
  const make =
    (level: Level) =>
    ({ meaning = "", command = null, ...said }: Said): Finding => ({
      ...{ area, level },
      ...said,
      ...{ meaning, command },
    });
  return { failing: make("failing"), attention: make("attention"), unseen: make("unseen"), ok: make("ok") };
}

/** By area, the gravest of each first. */
export function inOrder(findings: readonly Finding[]): Finding[] {
  const levels: readonly Level[] = ["failing", "attention", "unseen", "ok"];
  const place = ({ area, level }: Finding) => areas.indexOf(area) * levels.length + levels.indexOf(level);
  return [...findings].sort((one, other) => place(one) - place(other));
}

/** What root would see that another user does not. */
const asRoot = "su -c 'steward doctor'";

/** The line to type next; null: nothing has to be done. `findings`: in order. */
export function nextCommand(findings: readonly Finding[], isRoot: boolean): string | null {
  const withCommand = (level: Level) =>
    findings.find((finding) => finding.level === level && finding.command !== null)?.command;
  const command = withCommand("failing") ?? withCommand("attention");
  if (command !== undefined && isRoot) return command;
  const isHidden = findings.some(({ level }) => level === "unseen");
  if (!isRoot && (isHidden || command !== undefined)) return asRoot;
  return command ?? null;
}
