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
  const options = [...new Set([...known, present])]
    .filter((zone) => zone !== ofBrowser && zone !== "UTC")
    .map((zone) => ({ value: zone, text: zoneName(zone) }))
    .sort((a, b) => a.text.localeCompare(b.text));
  const first = [...new Set([ofBrowser, "UTC"])].map((zone) => ({ value: zone, text: zoneName(zone) }));
  return [...first, ...options];
}

/** `Buenos Aires (America/Argentina)`. */
function zoneName(zone: string): string {
  const [city = zone, ...area] = zone.replaceAll("_", " ").split("/").reverse();
  return area.length === 0 ? city : `${city} (${area.reverse().join("/")})`;
}

export function zoneOfBrowser(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
