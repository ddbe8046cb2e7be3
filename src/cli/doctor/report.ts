import { areas } from "../../contract/need-areas.ts";
import { escapeText } from "../../terminal/escape.ts";
import { remedyLines } from "../system/facts-view.ts";
import type { Entry, Level } from "./finding.ts";

export interface Report {
  readonly version: string;
  /** By this device's clock, however wrong it is. */
  readonly device_time: string;
  readonly is_root: boolean;
  readonly findings: readonly Entry[];
  /** The line to type next; null: nothing has to be done. */
  readonly next: string | null;
}

const marks: Readonly<Record<Level, string>> = {
  failing: "FAILING",
  attention: "attention",
  unseen: "not seen",
  ok: "ok",
};

const markWidth = Math.max(...Object.values(marks).map(({ length }) => length));
const areaWidth = Math.max(...areas.map(({ length }) => length));

/** For people; the last line is the next one to type. */
export function reportText({ findings, next, version, device_time }: Report): string {
  const head = `steward doctor, version ${version}, ${device_time} by this device's clock\n\n`;
  const end =
    next === null
      ? "If a user cannot sign in, `steward user diagnose NAME` says why.\nNothing to do."
      : `\`man steward-rescue\` has the situations with their lines. Type next:\n${escapeText(next)}`;
  return `${head}${findings.map(findingText).join("")}\n${end}\n`;
}

function findingText({ area, level, detail, remedy }: Entry): string {
  const head = `${marks[level].padEnd(markWidth)}  ${area.padEnd(areaWidth)}  `;
  const indent = " ".repeat(head.length);
  return `${head}${escapeText(detail)}\n${remedyLines(remedy)
    .map((text) => `${indent}${escapeText(text)}\n`)
    .join("")}`;
}
