import type { ClockWord } from "../../contract/clock/clock-word.ts";
import { type Area, isSetupNeed, needAreas } from "../../contract/need-areas.ts";
import type { Need } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import type { State } from "../ui/badge.tsx";
import { needInWords } from "./need-words.ts";

/** The parts of the device that have a tile on Home and a place on a page. */
export type Tile = "clock" | "updates" | "people" | "host";

/** A part of the device: a colour, a word for it, and the need that it comes of. */
export interface How {
  readonly state: State;
  readonly word: string;
  /** null: nothing needs a person. */
  readonly reason: string | null;
}

const tiles: Partial<Readonly<Record<Area, Tile>>> = { clock: "clock", updates: "updates", people: "people" };

/** Without the steps that the first run left, which only Home lists: nothing is amber for them. */
export function warningsAmong(needs: readonly Need[]): Need[] {
  return needs.filter((need) => !isSetupNeed(need));
}

/** The warnings of one part, the gravest first, as the agent lists them. One that a newer agent has is the host's. */
export function needsAbout(tile: Tile, needs: readonly Need[]): Need[] {
  const areas: Readonly<Record<string, Area | undefined>> = needAreas;
  return warningsAmong(needs).filter(({ code }) => (tiles[areas[code] ?? "device"] ?? "host") === tile);
}

/** A part by its gravest need. `needs`: null while unknown, when nothing is good. `word`: instead of the general one. */
export function howIs(
  tile: Tile,
  needs: readonly Need[] | null,
  // Without a need, nothing is amber or red.
  calm: { readonly state: Extract<State, "good" | "unknown">; readonly word: string },
  word: string | null = null,
): How {
  if (needs === null) return { ...calm, state: "unknown", reason: null };
  const [gravest] = needsAbout(tile, needs);
  if (gravest === undefined) return { ...calm, reason: null };
  const general = gravest.level === "failing" ? t.home.failing : t.home.attention;
  const reason = needInWords(gravest)?.title ?? gravest.detail;
  return { state: colourOf(gravest), word: word ?? general, reason };
}

/** The clock in a word; one that is in sync can need a person all the same, such as for servers that are silent. */
export function clockHow(word: ClockWord, needs: readonly Need[] | null): How {
  const calm = { state: word === "in_sync" ? "good" : "unknown", word: t.frame.clockWords[word] } as const;
  return howIs("clock", needs, calm, word === "in_sync" ? null : calm.word);
}

export function colourOf({ level }: Pick<Need, "level">): Extract<State, "attention" | "wrong"> {
  return level === "failing" ? "wrong" : "attention";
}
