import { inBrowser } from "./kept.ts";

const keptName = "steward-accent";

/** Puts the device's colour of the last visit in force, so that the page does not begin in another one. */
export function markAccent(): void {
  document.documentElement.style.cssText += inBrowser.get(keptName) ?? "";
}

/** Puts a colour in force, and keeps it for the next visit. */
export function keepAccent(light: string, dark: string): void {
  inBrowser.set(keptName, `--accent-light:${light};--accent-dark:${dark}`);
  markAccent();
}
