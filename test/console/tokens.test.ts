import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";

const css = readFileSync(join(import.meta.dirname, "../../src/console/styles/tokens.css"), "utf8");

/** The custom properties that are a colour in each scheme, without the dashes: name, light, dark. */
const pairs = [...css.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(
  ([, name = "", light = "", dark = ""]) => [name, light, dark] as const,
);

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

const light = new Map(pairs.map(([name, colour]) => [name, colour]));
const dark = new Map(pairs.map(([name, , colour]) => [name, colour]));

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

  for (const [name, scheme] of [
    ["light", light],
    ["dark", dark],
  ] as const) {
    describe(`in the ${name} scheme`, () => {
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
