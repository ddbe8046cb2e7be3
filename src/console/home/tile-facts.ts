import type { Need, Status } from "../../contract/types.ts";
import { relativeTime, shortDuration } from "../catalogue/formats.ts";
import type { UpdateStates } from "../catalogue/languages/en/base/home.ts";
import { t } from "../catalogue/words.ts";
import type { State } from "../ui/badge.tsx";
import { deviceNow } from "../ui/device-time.ts";
import { brief, visible } from "../ui/visible.ts";
import { remedies, type Tile } from "../needs/remedies.ts";

/** A state as a colour, and the word for it. */
export interface TileState {
  readonly state: State;
  readonly word: string;
}

/** The gravest need that a tile is about; null: none. */
export function levelOf(tile: Tile, needs: readonly Need[]): Need["level"] | null {
  const levels = needs.filter(({ code }) => remedies[code]?.tile === tile).map(({ level }) => level);
  return levels.includes("failing") ? "failing" : (levels[0] ?? null);
}

/** For what has no word of its own: in order, unless there is a need. */
export function stateOf(level: Need["level"] | null): TileState {
  if (level === null) return { state: "good", word: t.home.inOrder };
  return level === "failing"
    ? { state: "wrong", word: t.home.failing }
    : { state: "attention", word: t.home.attention };
}

/** How the word for updates follows from what their summary is about. */
const updateStates: UpdateStates = {
  signature_verification_off: "notSetUp",
  channel_not_allowed: "notSetUp",
  trust_not_installed: "notSetUp",
  trust_unusable: "unknown",
  checking: "underWay",
  downloading: "underWay",
  requested: "underWay",
  installing: "underWay",
  confirming: "underWay",
  rolling_back: "underWay",
  waiting_for_clock: "available",
  check_waiting_for_clock: "unknown",
  available: "available",
  staged: "available",
  applied: "upToDate",
  undone: "failed",
  server_not_set: "notSetUp",
  not_checked: "unknown",
  not_checked_disabled: "unknown",
  nothing_newer: "upToDate",
  check_failed: "unknown",
};

export type UpdatesInShort = NonNullable<Status["updates"]>;

/** The word for updates. What waits without a need is done by the device itself. */
export function updatesState(updates: UpdatesInShort, needs: readonly Need[]): TileState {
  const hasFailed = needs.some(({ code }) => code === "update_failed");
  const known = updateStates[updates.summary.code] ?? "unknown";
  const of = hasFailed ? "failed" : known;
  const { state } = stateOf(levelOf("updates", needs));
  const isKnown = of === "upToDate" || of === "available";
  const isWell = state === "good" && isKnown;
  const shown = of === "failed" && state === "good" ? "attention" : state === "good" ? "unknown" : state;
  return { state: isWell ? "good" : shown, word: t.home.updateStates[of] };
}

export function updateFacts({ kinds, last_check }: UpdatesInShort): string[] {
  const releases = kinds.flatMap(({ kind, installed, available }) => [
    ...(installed === null ? [] : [t.home.releases[kind](brief(installed))]),
    ...(available === null ? [] : [t.home.offered(brief(available))]),
  ]);
  const checked = last_check === null ? t.home.neverChecked : t.home.checked(ago(last_check.at));
  return [...releases.slice(0, mostFacts - 1), checked];
}

/** Facts on a tile. */
const mostFacts = 3;

export function clockFacts({
  offset_seconds,
  uncertainty_seconds,
  source,
  last_sync_at,
}: Status["clock"]): string[] {
  const reach = offset_seconds === null ? null : Math.abs(offset_seconds) + (uncertainty_seconds ?? 0);
  return [
    ...(reach === null ? [] : [t.home.within(shortDuration(reach))]),
    source === null ? t.home.noSource : t.home.by(visible(source)),
    ...(last_sync_at === null ? [] : [t.home.checked(ago(last_sync_at))]),
  ];
}

export function peopleFacts(people: NonNullable<Status["people"]>): string[] {
  const { accounts, administrators, locked, without_two_factor } = people;
  return [
    t.home.accounts(administrators, accounts),
    without_two_factor === 0 ? t.home.everyFactor : t.home.withoutFactor(without_two_factor),
    ...(locked === 0 ? [] : [t.home.locked(locked)]),
  ];
}

function ago(at: string): string {
  return relativeTime((Date.parse(at) - deviceNow()) / 1_000);
}
