import type { Settings } from "../contract/types.ts";
import type { StoredRelease } from "./update-record.ts";

/** What decides whether something is fetched unasked. */
export interface Circumstances {
  /** Why nothing works at all. */
  readonly blocked: string | null;
  readonly ota: Settings["update"]["ota"];
  readonly isTrustEstablished: boolean;
  readonly isClockVouchedFor: boolean;
  readonly now: Date;
}

/** What stands in the way of fetching a release unasked, the gravest first. */
export type Hindrance =
  | { readonly kind: "blocked"; readonly text: string }
  | { readonly kind: "not_automatic"; readonly text: string }
  | { readonly kind: "clock"; readonly text: string }
  | { readonly kind: "wave"; readonly text: string };

/** null: it is to be fetched now. */
export function hindranceOf(release: StoredRelease, circumstances: Circumstances): Hindrance | null {
  const { blocked, ota, isTrustEstablished, isClockVouchedFor, now } = circumstances;
  if (blocked !== null) return { kind: "blocked", text: blocked };
  const isAutomatic = release.kind === "rules" ? ota.auto_update_rules : ota.auto_update_binary;
  if (!isAutomatic) {
    return {
      kind: "not_automatic",
      text: `update.ota.auto_update_${release.kind} is off, so it is not fetched unasked`,
    };
  }
  if (release.kind === "binary" && !isTrustEstablished) {
    return {
      kind: "not_automatic",
      text: "the root of trust is not established: an administrator has to confirm it, and the server of the settings has to prove itself by one complete check",
    };
  }
  if (!isClockVouchedFor) {
    return {
      kind: "clock",
      text: "nobody vouches for this device's clock, so it is not known whether the release is still good",
    };
  }
  if (release.due_at !== null && now.getTime() < Date.parse(release.due_at)) {
    return { kind: "wave", text: `its wave comes to this device at ${release.due_at}` };
  }
  return null;
}
