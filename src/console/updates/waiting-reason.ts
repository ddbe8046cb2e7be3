import type { Catalogue } from "../catalogue/words.ts";
import { isoTime } from "../ui/spoken.tsx";

/** Why a release does not go on by itself: those of the reasons that the catalogue has words for. */
export type Reason = keyof Catalogue["updates"]["waits"];

/** By what the agent's words are known. Others are shown as they are. */
const signs: readonly (readonly [Reason, RegExp])[] = [
  ["held", /^it is held back/],
  ["deferred", /^it is deferred/],
  ["notAutomatic", /^update\.ota\.auto_update_\w+ is off/],
  ["trust", /^the root of trust is not established/],
  ["clock", /^nobody vouches for this device's clock/],
  ["wave", /^its wave comes/],
  ["notSetUp", /^the host file of this device does not say/],
  ["disabled", /^update\.ota\.enabled is off/],
  ["postponed", /^it is postponed until/],
  ["window", /update\.windows opens/],
];

/** The reason in the agent's words; null: there is none, or none that is known here. */
export function reasonOf(hindrance: string | null): Reason | null {
  return signs.find(([, sign]) => hindrance !== null && sign.test(hindrance))?.[0] ?? null;
}

/** The first time in a text of the agent's; null: there is none. */
export function timeIn(text: string): string | null {
  return text.match(isoTime)?.[0] ?? null;
}
