import type { Settings } from "../../contract/types.ts";
import type { SetAsideRelease } from "../../releases/journal-queries.ts";
import type { Blockers } from "../../releases/kind-blockers.ts";
import type { StoredRelease } from "../update-record.ts";

/** What decides whether something is fetched, or applied, unasked. */
export interface Circumstances {
  /** Why nothing works at all. */
  readonly blocked: string | null;
  /** Kinds that could not be judged by the last check. */
  readonly blockers: Blockers;
  readonly ota: Settings["update"]["ota"];
  readonly isTrustEstablished: boolean;
  readonly isClockTrusted: boolean;
  /** What failed here or is held back, by id. */
  readonly setAside: ReadonlyMap<string, SetAsideRelease>;
  readonly now: Date;
}

/** What stands in the way of a release being fetched unasked. */
export interface Hindrance {
  readonly kind: "blocked" | "failed" | "held" | "not_automatic" | "clock" | "wave";
  /** What goes on a sentence behind a colon, without its full stop. */
  readonly text: string;
  /** When it ends by itself; null: that is not known. */
  readonly until: Date | null;
}

/** The gravest; null: it is to be fetched now, or applied as far as this goes. */
export function hindranceOf(
  release: StoredRelease,
  circumstances: Circumstances,
  verb: "fetched" | "applied" = "fetched",
): Hindrance | null {
  const { blocked, blockers, ota, isTrustEstablished, isClockTrusted, setAside, now } = circumstances;
  if (blocked !== null) return { kind: "blocked", text: blocked, until: null };
  const blocker = blockers[release.kind];
  if (blocker !== null) {
    const text = `what its publisher signs of ${release.kind === "rules" ? "rules" : "binaries"} could not be verified at the last check (${blocker.code})`;
    return { kind: "blocked", text, until: null };
  }
  const aside = setAside.get(release.id);
  if (aside) return asideHindrance(aside);
  const isAutomatic = release.kind === "rules" ? ota.auto_update_rules : ota.auto_update_binary;
  if (!isAutomatic) {
    return {
      kind: "not_automatic",
      text: `update.ota.auto_update_${release.kind} is off, so it is not ${verb} unasked`,
      until: null,
    };
  }
  if (release.kind === "binary" && !isTrustEstablished) {
    return {
      kind: "not_automatic",
      text: "the root of trust is not established: an administrator has to confirm it, and the server of the settings has to prove itself by one complete check",
      until: null,
    };
  }
  if (!isClockTrusted) {
    return {
      kind: "clock",
      text: "nobody vouches for this device's clock, so it is not known whether the release is still good",
      until: null,
    };
  }
  if (release.due_at !== null && now.getTime() < Date.parse(release.due_at)) {
    const text = `its wave comes to this device at ${release.due_at}`;
    return { kind: "wave", text, until: new Date(release.due_at) };
  }
  return null;
}

function asideHindrance({ why, reason, until }: SetAsideRelease): Hindrance {
  const because = reason.replace(/\.$/, "");
  const ends = until === null ? null : new Date(until);
  if (why === "failed") {
    return {
      kind: "failed",
      text: `it failed here (${because}) and is not taken again: publish a newer one, or have root allow it by \`steward update apply --again\``,
      until: ends,
    };
  }
  const how = why === "held" ? "it is held back" : `it is deferred${until === null ? "" : ` until ${until}`}`;
  return { kind: "held", text: `${how} (${because}), and is applied by hand alone`, until: ends };
}
