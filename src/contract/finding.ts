import { type AnyFindingCode, type FindingCode, findingKinds, levels, type OwnNeedCode } from "./findings.ts";
import { type Area, type NeedCode, needAreas } from "./need-areas.ts";
import type { Finding, Need } from "./types.ts";
import { findingWords } from "./words/en/findings.ts";
import { needWords } from "./words/en/needs.ts";
import { terminalFormat } from "./words/format.ts";
import { type GivenFacts, needFacts } from "./words/needs.ts";

export type Remedy = NonNullable<Need["remedy"]>;

/** Its sentence is the record's, as in the console. `particulars`: the agent's own. `remedy`: a line to type. */
export function finding<const Code extends FindingCode>(
  code: Code,
  facts: Finding<Code>["facts"],
  particulars = "",
  remedy: Remedy | null = null,
): Finding<Code> {
  const { level } = kindOf(code);
  const sentence = findingWords[code](facts, terminalFormat);
  return { code, level, facts, detail: `${sentence} ${particulars}`.trim(), remedy } as Finding<Code>;
}

/** A need that no health check finds, in the same way. `remedy`: the line to type. */
export function needFinding(
  code: OwnNeedCode,
  facts: GivenFacts & Readonly<Record<string, unknown>>,
  particulars = "",
  remedy?: string,
): Finding<AnyFindingCode> {
  const { level } = kindOf(code);
  const told = needFacts(facts, terminalFormat);
  const { title, text } = needWords[code];
  const detail = `${title(told)}. ${text(told)} ${particulars}`.trim();
  const typed = remedy === undefined ? null : line(remedy);
  return { code, level, facts, detail, remedy: typed } as Finding<AnyFindingCode>;
}

/** A remedy that deletes nothing. */
export function line(typed: string): Remedy {
  return { line: typed, deletes: null };
}

/** The line that a message about a file of root's names, such as who may read it. */
export function repairIn(message: string): string | undefined {
  return /As root: (.+?)\.(?: |$)/.exec(message)?.[1];
}

/** A code of a newer agent's is about the device at large. */
export function areaOf(code: string): Area {
  return needAreas[kindOf(code).need] ?? "device";
}

/** As `needs` lists it. `check`: the health check that has found it. */
export function needOf(
  { code, level, facts, detail, remedy }: Finding<AnyFindingCode>,
  check?: string,
): Need {
  const { need } = kindOf(code);
  const origin = { ...(check !== undefined && { check }), ...(need !== code && { reason: code }) };
  return { code: need, level, facts: { ...origin, ...facts }, detail, remedy };
}

/** The finding that was listed as a need, maybe by an agent of another version. */
export function findingOf({
  code: need,
  level,
  facts,
  detail,
  remedy = null,
}: Need): Finding<AnyFindingCode> {
  const { check: _, reason: code = need, ...rest } = facts as { check?: string; reason?: string };
  return { code, level, facts: rest, detail, remedy } as Finding<AnyFindingCode>;
}

/** Sorts by level; equals keep their order. */
export function gravestFirst<One extends { readonly level: (typeof levels)[number] }>(
  found: readonly One[],
): One[] {
  return [...found].sort((one, other) => levels.indexOf(one.level) - levels.indexOf(other.level));
}

function kindOf(code: string): { readonly need: NeedCode; readonly level: Finding["level"] } {
  return Object.hasOwn(findingKinds, code)
    ? findingKinds[code as FindingCode]
    : { need: code as NeedCode, level: "attention" };
}
