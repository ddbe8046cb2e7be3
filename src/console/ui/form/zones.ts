import { isFoundIn } from "../../catalogue/formats.ts";

export interface ZoneOption {
  readonly value: string;
  readonly text: string;
}

/** Time zones: the browser's own first, then UTC, then all by their cities. `present`: the device's name for its own. */
export function zoneOptions(
  present: string,
  ofBrowser: string,
  known: readonly string[],
): readonly ZoneOption[] {
  // The device's own name of it.
  const utc = present === "Etc/UTC" ? present : "UTC";
  const first = [...new Set([ofBrowser === "UTC" ? utc : ofBrowser, utc])];
  const options = [...new Set([...known, present])]
    .filter((zone) => zone !== "UTC" && !first.includes(zone))
    .map((zone) => ({ value: zone, text: zoneName(zone) }))
    .sort((a, b) => a.text.localeCompare(b.text));
  return [...first.map((zone) => ({ value: zone, text: zoneName(zone) })), ...options];
}

/** The zones that contain each sought word; those that begin with it come first. */
export function foundZones(options: readonly ZoneOption[], sought: string): readonly ZoneOption[] {
  const found = options.filter(({ value, text }) => isFoundIn(`${text} ${value}`, sought));
  const begins = ({ text }: ZoneOption) => text.toLowerCase().startsWith(sought.trim().toLowerCase());
  return [...found.filter(begins), ...found.filter((option) => !begins(option))];
}

/** The zone of this name, or the only zone whose name contains it; else the text as it is. */
export function zoneMeant(options: readonly ZoneOption[], typed: string): string {
  const text = typed.trim();
  const named = options.find((option) => [option.text, option.value].includes(text));
  const found = text === "" ? [] : foundZones(options, text);
  return (named ?? (found.length === 1 ? found[0] : undefined))?.value ?? text;
}

/** `Buenos Aires (America/Argentina)`. */
function zoneName(zone: string): string {
  if (zone === "Etc/UTC") return "UTC";
  const [city = zone, ...area] = zone.replaceAll("_", " ").split("/").reverse();
  return area.length === 0 ? city : `${city} (${area.reverse().join("/")})`;
}

export function zoneOfBrowser(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
