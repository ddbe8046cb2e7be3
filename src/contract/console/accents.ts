/**
 * The colours that a device can have in the console, so that people tell it from others: in the light scheme, and in the
 * dark one. None is the red or the amber of a state. test/console/tokens.test.ts holds the contrast of each.
 */
export const accents = {
  blue: ["#1d5bb8", "#7fb0ff"],
  violet: ["#6d3ac3", "#baa3fe"],
  magenta: ["#a41b78", "#ef91c7"],
  brown: ["#914b1e", "#e3a480"],
  olive: ["#626601", "#b6bc52"],
  green: ["#1d7339", "#64cf80"],
  teal: ["#016e73", "#4ac9d0"],
  slate: ["#556272", "#a8b6c8"],
} as const;

export type Accent = keyof typeof accents;

export const accentNames = Object.keys(accents) as [Accent, ...Accent[]];

/** The colours of a name; those of the default for a name that a newer agent has. */
export function accentOf(name: string): readonly [light: string, dark: string] {
  return Object.hasOwn(accents, name) ? accents[name as Accent] : accents.blue;
}
