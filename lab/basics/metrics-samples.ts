/** The values of Prometheus' text format by name and labels, as they are written. Throws where a line is not one. */
export function samplesOf(text: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [, series = "", value = ""] =
      /^([a-z_:][a-z0-9_:]*(?:\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)*\})?) (\S+)$/i.exec(line) ?? [];
    if (series === "" || samples.has(series))
      throw new Error(`no sample, or one that is there twice: ${line}`);
    samples.set(series, Number(value.replace("Inf", "Infinity")));
  }
  return samples;
}
