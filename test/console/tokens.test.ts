import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { accentNames, accents } from "../../src/contract/console/accents.ts";

const css = readFileSync(join(import.meta.dirname, "../../src/console/styles/tokens.css"), "utf8");

/** The custom properties that are a colour in each scheme, without the dashes: name, light, dark. */
const pairs = [
  ...css
    .replaceAll(/var\(--accent-\w+, (#\w+)\)/g, "$1")
    .matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g),
].map(([, name = "", light = "", dark = ""]) => [name, light, dark] as const);

/** The colour that `accent-strong` mixes into the accent in each scheme, and its part of a hundred. */
const mixed = [...css.matchAll(/color-mix\(in srgb, var\(--accent\), (#[0-9a-f]{6}) (\d+)%\)/g)].map(
  ([, colour = "", percent = ""]) => [colour, Number(percent)] as const,
);

const channelsOf = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** CSS Color 5, "color-mix()" in sRGB: each channel for itself. */
function mix(colour: string, [other, percent]: readonly [string, number] = ["", 0]): string {
  const others = channelsOf(other);
  const channels = channelsOf(colour).map((channel, at) =>
    Math.round((channel * (100 - percent) + (others[at] ?? 0) * percent) / 100),
  );
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** WCAG 2.2, "relative luminance". */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, "contrast ratio": 1 to 21. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const grounds = ["ground", "raised", "hover"];
const states = ["good", "attention", "wrong", "unknown"];
const all = [...grounds, ...states.map((state) => `${state}-ground`)];

/** Colours over grounds and their least contrast: 4.5 for texts, 3 for lines that carry meaning. */
const rules: readonly (readonly [least: number, over: string, unders: readonly string[]])[] = [
  [4.5, "text", all],
  [4.5, "text-quiet", [...grounds, "unknown-ground"]],
  [4.5, "accent", all],
  [4.5, "accent-strong", all],
  [4.5, "on-accent", ["accent", "accent-strong"]],
  ...states.map((state) => [4.5, state, [...grounds, `${state}-ground`]] as const),
  // Toasts and explanations are written the other way round.
  [4.5, "ground", ["text"]],
  // The edge of a field; the mark of where one is and the focus have the accent.
  [3, "line-strong", grounds],
  [3, "wrong", grounds],
];

describe("the console's colours", () => {
  it("are measured as WCAG measures them", () => {
    // Examples with known results: the extremes, and #767676, the lightest grey that may be read on white.
    for (const [one, other, expected] of [
      ["#000000", "#ffffff", "21.00"],
      ["#767676", "#ffffff", "4.54"],
      ["#777777", "#ffffff", "4.48"],
    ] as const)
      assert.equal(contrast(one, other).toFixed(2), expected);
  });

  it("are eight by which people tell devices apart, of which the style has the default, and others in the dark", () => {
    assert.deepEqual([accentNames.length, mixed.length], [8, 2]);
    const accent = pairs.find(([name]) => name === "accent");
    assert.deepEqual(accent, ["accent", ...accents.blue]);
    assert.ok(pairs.length > 15, `only ${pairs.length} colours`);
    assert.deepEqual(
      pairs.filter(([, one, other]) => one === other),
      [],
    );
  });

  for (const name of accentNames)
    for (const [at, scheme] of ["light", "dark"].entries())
      it(`let every text be read and every line with a meaning be seen with ${name} in the ${scheme} scheme`, () => {
        const accent = accents[name][at] ?? "";
        const colours = new Map<string, string>(pairs.map(([own, ...both]) => [own, both[at] ?? ""]));
        colours.set("accent", accent).set("accent-strong", mix(accent, mixed[at]));
        const ratioOf = (one: string, other: string) =>
          contrast(colours.get(one) ?? "", colours.get(other) ?? "");
        const faint = rules.flatMap(([least, over, unders]) =>
          unders
            .filter((under) => !(ratioOf(over, under) >= least))
            .map((under) => `${over} on ${under}: ${ratioOf(over, under).toFixed(2)}`),
        );
        assert.deepEqual(faint, []);
      });
});
