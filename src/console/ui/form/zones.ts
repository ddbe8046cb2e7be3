interface Option {
  readonly value: string;
  readonly text: string;
}

/**
 * Time zones to choose from: the browser's own first, then UTC, then all by their cities. The city comes first in each,
 * since a browser finds an option by the letters that it begins with. `present`: the device's, which may have another
 * name here.
 */
export function zoneOptions(present: string, ofBrowser: string, known: readonly string[]): readonly Option[] {
  // The device's own name of it.
  const utc = present === "Etc/UTC" ? present : "UTC";
  const first = [...new Set([ofBrowser === "UTC" ? utc : ofBrowser, utc])];
  const options = [...new Set([...known, present])]
    .filter((zone) => zone !== "UTC" && !first.includes(zone))
    .map((zone) => ({ value: zone, text: zoneName(zone) }))
    .sort((a, b) => a.text.localeCompare(b.text));
  return [...first.map((zone) => ({ value: zone, text: zoneName(zone) })), ...options];
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
