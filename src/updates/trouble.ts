import type { ErrorCode } from "../contract/error-codes.ts";
import { blockedReason, type StatusParts } from "./update-status.ts";

/** Failures that a network has now and then; they are worth a word only when they stay. */
const passing: readonly ErrorCode[] = ["update_server_unreachable", "update_too_slow"];

/** Checks in a row that may fail for such a reason before it is trouble. */
const patience = 3;

/** What a person should know of updates; null when all is well. */
export function troubleOf(parts: Pick<StatusParts, "options" | "trust">): string | null {
  const blocked = blockedReason(parts);
  if (blocked !== null) return blocked;
  const { last_check, failures } = parts.options.record.read();
  if (last_check?.outcome !== "failed") return null;
  const isPassing = passing.some((code) => code === last_check.code);
  if (isPassing && failures < patience) return null;
  const count =
    failures > 1 ? `The last ${failures} checks for updates failed` : "The last check for updates failed";
  return `${count}: ${last_check.detail ?? last_check.code}`;
}
