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

/** CSS Color 5, "color-mix()" in sRGB: each channel for itself. */
function mix(colour: string, [other, percent]: readonly [string, number] = ["", 0]): string {
  const channels = [1, 3, 5].map((at) => {
    const [one, two] = [colour, other].map((text) => Number.parseInt(text.slice(at, at + 2), 16));
    return Math.round(((one ?? 0) * (100 - percent) + (two ?? 0) * percent) / 100);
  });
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** WCAG 2.2, "relative luminance". */
function luminance(colour: string): number {
  const channel = (at: number) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

/** WCAG 2.2, "contrast ratio": 1 to 21. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const grounds = ["ground", "raised", "hover"];
const states = ["good", "attention", "wrong", "unknown"];
const stateGrounds = states.map((state) => `${state}-ground`);

/** Pairs of text colour and background. */
const texts: readonly (readonly [string, readonly string[]])[] = [
  ["text", [...grounds, ...stateGrounds]],
  ["text-quiet", [...grounds, "unknown-ground"]],
  ["accent", [...grounds, ...stateGrounds]],
  ["accent-strong", [...grounds, ...stateGrounds]],
  ["on-accent", ["accent", "accent-strong"]],
  ...states.map((state) => [state, [...grounds, `${state}-ground`]] as const),
  // Toasts and explanations are written the other way round.
  ["ground", ["text"]],
];

/** Lines that a reader needs to see the controls: the edge of a field, the mark of where one is, the focus. */
const lines: readonly (readonly [string, readonly string[]])[] = [
  ["line-strong", grounds],
  ["accent", [...grounds, ...stateGrounds]],
  ["wrong", grounds],
];

/** The colours of a scheme of a device with an accent. */
function schemeOf(at: 0 | 1, accent: string): ReadonlyMap<string, string> {
  const own = pairs.map(([name, ...colours]) => [name, colours[at]] as const);
  return new Map([...own, ["accent", accent], ["accent-strong", mix(accent, mixed[at])]]);
}

function tooFaint(
  scheme: ReadonlyMap<string, string>,
  pairs: readonly (readonly [string, readonly string[]])[],
  least: number,
): string[] {
  return pairs.flatMap(([over, unders]) =>
    unders.flatMap((under) => {
      const ratio = contrast(scheme.get(over) ?? "", scheme.get(under) ?? "");
      return ratio >= least ? [] : [`${over} on ${under}: ${ratio.toFixed(2)}`];
    }),
  );
}

describe("the console's colours", () => {
  it("are measured as WCAG measures them", () => {
    // Examples with known results: the extremes, and #767676, the lightest grey that may be read on white.
    assert.equal(contrast("#000000", "#ffffff").toFixed(2), "21.00");
    assert.equal(contrast("#767676", "#ffffff").toFixed(2), "4.54");
    assert.equal(contrast("#777777", "#ffffff").toFixed(2), "4.48");
  });

  const schemes = accentNames.flatMap((name) => [
    [`${name} in the light scheme`, schemeOf(0, accents[name][0])] as const,
    [`${name} in the dark scheme`, schemeOf(1, accents[name][1])] as const,
  ]);

  it("are eight by which people tell devices apart, of which the style has the default", () => {
    assert.equal(schemes.length, 16);
    assert.equal(mixed.length, 2);
    assert.deepEqual(
      pairs.find(([name]) => name === "accent"),
      ["accent", ...accents.blue],
    );
  });

  for (const [name, scheme] of schemes) {
    describe(`with ${name}`, () => {
      it("let every text be read: 4.5 to 1", () => {
        assert.deepEqual(tooFaint(scheme, texts, 4.5), []);
      });

      it("let every line that carries meaning be seen: 3 to 1", () => {
        assert.deepEqual(tooFaint(scheme, lines, 3), []);
      });
    });
  }

  it("are all of them other colours in the dark", () => {
    assert.ok(pairs.length > 15, `only ${pairs.length} colours`);
    assert.deepEqual(
      pairs.filter(([, one, other]) => one === other),
      [],
    );
  });
});
