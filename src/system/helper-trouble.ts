import { finding, line, repairIn } from "../contract/finding.ts";
import type { Finding } from "../contract/types.ts";

/** `absence`: the reason why the root helper cannot be asked, and the line to type. */
export function helperTrouble(absence: string): Finding {
  const repair = repairIn(absence);
  return finding("root_helper_missing", {}, absence, repair === undefined ? null : line(repair));
}
