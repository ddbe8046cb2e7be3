import type { ErrorCode } from "../contract/error-codes.ts";
import { StewardError } from "../contract/errors.ts";
import { updateKinds } from "../contract/update-kinds.ts";
import type { FoundTarget, Refreshed } from "../tuf/client.ts";
import type { UpdateKind } from "./release.ts";

/** The reason why no release of a kind is accepted, although the repository is good and the other kind may be. */
export interface Blocker {
  readonly code: string;
  /** In sentences. */
  readonly detail: string;
}

export type Blockers = Readonly<Record<UpdateKind, Blocker | null>>;

export const noBlockers: Blockers = { rules: null, binary: null };

type Failures = Readonly<Record<UpdateKind, StewardError | null>>;

/** Codes of refused delegated metadata: top-level roles are verified before; network and disk mean nothing for a kind. */
const refusals: readonly ErrorCode[] = [
  "update_file_missing",
  "update_limit_exceeded",
  "update_metadata_expired",
  "update_metadata_malformed",
  "update_metadata_mismatch",
  "update_server_refused",
  "update_signature_invalid",
  "update_too_large",
];

/** Lists each kind apart: one's keys spoil that kind only. Throws errors of several kinds; a failed one has no targets. */
export async function listKinds(refreshed: Refreshed, channel: string) {
  const targets: FoundTarget[] = [];
  const failures: Record<UpdateKind, StewardError | null> = { rules: null, binary: null };
  for (const kind of updateKinds) {
    try {
      targets.push(...(await refreshed.list(channel, kind)));
    } catch (error) {
      failures[kind] = refusalOfKind(error);
    }
  }
  return { targets, failures };
}

/** The error, if it is a refusal of delegated metadata; throws any other error. */
export function refusalOfKind(error: unknown): StewardError {
  if (error instanceof StewardError && refusals.includes(error.code)) return error;
  throw error;
}

/** The blockers as the status has them. While the clock is not trusted, an expiry date proves nothing. */
export function blockersOf(failures: Failures, isClockTrusted: boolean): Blockers {
  const blockerOf = (error: StewardError | null): Blocker | null => {
    if (error === null) return null;
    const isDoubt = error.code === "update_metadata_expired" && !isClockTrusted;
    return { code: isDoubt ? "clock_not_synchronised" : error.code, detail: error.message };
  };
  return { rules: blockerOf(failures.rules), binary: blockerOf(failures.binary) };
}

/** The failure of all kinds together; null: at least one could be verified. */
export function failureOfAll({ rules, binary }: Failures): StewardError | null {
  if (rules === null || binary === null) return null;
  if (rules.message === binary.message) return rules;
  return new StewardError(rules.code, `${rules.message} ${binary.message}`, { cause: binary });
}
