import { accentOf } from "../../contract/console/accents.ts";
import { inBrowser } from "../kept.ts";
import { keepAccent } from "../kept-accent.ts";
import { createStore } from "../store.ts";

/** The device's colour in the light scheme, for the window's icon, which the page's style does not reach. */
export const accentColour = createStore<string>(accentOf("")[0]);

/** Puts the colour of the device in force (console.accent). */
export function accentSaid(name: string): void {
  const [light, dark] = accentOf(name);
  keepAccent(light, dark);
  accentColour.set(light);
}

const keptName = "steward-maker-mark";

/** True: the maker has a mark, as far as is known. */
export const hasMark = createStore(false);

/** Goes by the last visit: a page whose session goes on is not greeted, and its head does not change once it is drawn. */
export function recallMark(): void {
  hasMark.set(inBrowser.get(keptName) !== null);
}

/** The greeting has said it, or the picture could not be loaded. */
export function markSaid(isThere: boolean): void {
  if (isThere) inBrowser.set(keptName, "");
  else inBrowser.remove(keptName);
  hasMark.set(isThere);
}
