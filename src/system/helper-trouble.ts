import { finding, line, repairIn } from "../contract/finding.ts";
import type { Finding } from "../contract/types.ts";

/** `absence`: the reason why the root helper cannot be asked, and the line to type. */
export function helperTrouble(absence: string): Finding {
  const sequel =
    "Until then no update is installed, and restart, host name, time zone and time daemon cannot be changed.";
  const repair = repairIn(absence);
  return finding(
    "root_helper_missing",
    {},
    `${absence} ${sequel}`,
    repair === undefined ? null : line(repair),
  );
}
