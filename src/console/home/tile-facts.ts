import type { Need, Status } from "../../contract/types.ts";
import { updateSummaries } from "../../contract/updates/update-summaries.ts";
import { shortDuration } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { type How, howIs } from "../needs/how.ts";
import { withMark } from "../ui/time.tsx";
import { brief, visible } from "../ui/visible.ts";
import { fromNow } from "../ui/words/update-format.ts";

type UpdatesInShort = NonNullable<Status["updates"]>;

/** A release that waits without a need is applied by the device itself. */
export function updatesHow(updates: UpdatesInShort, needs: readonly Need[]): How {
  const { code } = updates.summary;
  const known = Object.hasOwn(updateSummaries, code) ? updateSummaries[code].tile : "unknown";
  const isCalm = known === "upToDate" || known === "available";
  const { [known]: usual, unknown } = t.home.updateStates;
  const calmWord = updates.last_check === null && usual === unknown ? t.home.neverChecked : usual;
  const calm = { state: isCalm ? "good" : "unknown", word: calmWord } as const;
  const hasFailed = needs.some(({ code }) => code === "update_failed");
  // "Up to date" would be a good word beside a need.
  const word = hasFailed ? "failed" : known === "upToDate" ? null : known;
  return howIs("updates", needs, calm, word && t.home.updateStates[word]);
}

export function updateFacts({ kinds, last_check }: UpdatesInShort): string[] {
  const releases = kinds.flatMap(({ kind, installed, available }) => [
    ...(installed === null ? [] : [`${t.home.kinds[kind]} ${brief(installed)}`]),
    ...(available === null ? [] : [t.home.offered(brief(available))]),
  ]);
  const checked = last_check === null ? [] : [t.home.checked(fromNow(last_check.at))];
  return [...releases.slice(0, mostFacts - 1), ...checked];
}

const mostFacts = 3;

export function clockFacts(clock: Status["clock"]): string[] {
  const { offset_seconds, uncertainty_seconds, authenticated, source, word } = clock;
  const reach = offset_seconds === null ? null : Math.abs(offset_seconds) + (uncertainty_seconds ?? 0);
  return [
    ...(reach === null ? [] : [withMark(t.home.within(shortDuration(reach)), authenticated)]),
    // Otherwise it may be "a person", who is in the word already where the clock was set by hand.
    ...(source !== null && word === "in_sync" ? [t.home.by(visible(source))] : []),
  ];
}

/** Those who are locked, or lack a second factor that they should have, are needs. */
export function peopleFacts(people: NonNullable<Status["people"]>): string[] {
  const { accounts, administrators, without_two_factor } = people;
  return [
    t.home.accounts(administrators, accounts),
    ...(without_two_factor === 0 ? [t.home.everyFactor] : []),
  ];
}
