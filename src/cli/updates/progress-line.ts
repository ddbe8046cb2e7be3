import { escapeText } from "../../terminal/escape.ts";
import type { Invocation } from "../client/command.ts";
import { formatBytes } from "../system/facts-view.ts";

/** ECMA-48 EL: erases the line of the cursor. */
const eraseLine = "\r\u001b[K";

/** One line that is written over; nothing where the output is not a terminal. */
export function createProgressLine({
  context,
  options,
}: Pick<Invocation, "context" | "options">): (line: string) => void {
  const { stderr } = context;
  if (!stderr.isTTY || options.has("quiet")) return () => undefined;
  let shown = "";
  return (line) => {
    if (line === shown) return;
    shown = line;
    stderr.write(`${eraseLine}${escapeText(line)}`);
  };
}

/** Continues an amount: of how much, and its share in percent. */
export function shareOf(done: number, total: number | null): string {
  if (!total) return "";
  return ` of ${formatBytes(total)} (${Math.floor((done / total) * 100)} %)`;
}
