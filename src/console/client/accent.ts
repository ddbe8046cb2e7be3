import { accentOf } from "../../contract/console/accents.ts";
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
