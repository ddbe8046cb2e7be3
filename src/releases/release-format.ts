import { updateKinds } from "../contract/update-kinds.ts";

/*
 * The description that a publisher signs for a release: the bounds by which release.ts reads it. A JSON Schema says the same
 * in docs/updates/release.schema.json.
 */

/** The form of `custom` that this agent understands. */
export const customForm = 1;

/** The last part of a path, as `steward-publisher add` names files. */
export const filePattern = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,200}$/;
export const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** As in the settings. */
export const channelPattern = /^[a-z0-9][a-z0-9._-]{0,31}$/;
export const architectures = ["any", "x64", "arm64", "arm"] as const;
/** Characters that would move the cursor of a terminal, break a line of a log, or reverse text. */
export const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** UTF-16 code units of a text for people. */
export const maximumText = 2_000;
/** Further lines of notes, and UTF-16 code units of one and of all of them. */
export const maximumNotes = { lines: 60, line: 500, all: 4_000 } as const;
export const maximumSteps = 32;
/** Seconds from the start of a release to its last wave: a year. */
export const maximumWaveSeconds = 366 * 86_400;

/** A target's path: `<channel>/<kind>/<file name>`, whose first two parts agree with `custom`. */
export const targetPathPattern = new RegExp(
  `^${inner(channelPattern)}/(?:${updateKinds.join("|")})/${inner(filePattern)}$`,
);

/** The pattern without `^` and `$`, with which each of them begins and ends. */
function inner({ source }: RegExp): string {
  return source.slice(1, -1);
}
