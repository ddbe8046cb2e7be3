/** The figures of the clock behind their fold. */
export const clockDetails = {
  legend:
    "Each bar is an offset with its uncertainty; the shaded part is where the sources agree. Clocks to the right of 0 are ahead of this device.",
  columns: {
    source: "Source",
    state: "State",
    offset: "Offset",
    delay: "Delay",
    stratum: "Stratum",
    reach: "Last polls",
  },
  answered: (count: number) => `${count} of the last 8 polls answered`,
  toHistory: "Offset over the last week",
  facts: {
    offset: "This device now",
    trust: "Trust",
    deviceTime: "Device time",
    browser: "This browser",
    keptBy: "Set by",
    lastSync: "Last sync",
    poll: "Time between polls",
    lastStep: "Last step",
    leap: "Leap second",
  },
  browserSame: "says the same",
  none: "none",
  noProgram: "no program",
  aPerson: "a person",
  every: (size: string) => `every ${size}`,
};
