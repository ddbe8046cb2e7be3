import { describe } from "node:test";
import { type Overrides, play } from "./scenario.ts";

/** 128 ms is where a slew gives way to a step. */
const slewed = [0.0001, 0.001, 0.01, 0.08, 0.127];
const stepped = [0.2, 1, 100, 3_600, 1e6];

describe("a clock that is off at boot", () => {
  play(
    ...slewed.flatMap((size): Overrides[] =>
      [size, -size].map((behindSeconds) => ({
        name: `by ${behindSeconds} s is slewed to the time`,
        host: { behindSeconds },
        bounds: {
          // Two seconds of chance and a burst of four exchanges two seconds apart.
          synchronisedWithin: 16,
          // 500 ppm take 254 s for 127 ms; the frequency needs some minutes more.
          settledAfter: 1_200,
          worstSeconds: 300e-6,
          steps: [],
          endState: "synchronised",
          endTrust: "trusted",
        },
      })),
    ),
    ...stepped.flatMap((size): Overrides[] =>
      [size, -size].map((behindSeconds) => ({
        name: `by ${behindSeconds} s is stepped to the time, once and at once`,
        host: { behindSeconds },
        bounds: {
          synchronisedWithin: 16,
          settledAfter: 900,
          worstSeconds: 300e-6,
          steps: [behindSeconds],
          endState: "synchronised",
          endTrust: "trusted",
        },
      })),
    ),
  );
});
