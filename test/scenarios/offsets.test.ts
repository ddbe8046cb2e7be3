import { describe } from "node:test";
import { fourServers, play } from "./scenario.ts";

/** 128 ms is where a slew gives way to a step. */
const slewed = [0.0001, 0.001, 0.01, 0.08, 0.127];
const stepped = [0.2, 1, 100, 3_600, 1e6];

const right = { synchronisedWithin: 16, worstSeconds: 300e-6, end: "synchronised, trusted" } as const;
const closely = { seconds: 20, sampleSeconds: 0.25 };

describe("a clock that is off at boot", () => {
  // 500 ppm take 254 s for 127 ms; the frequency needs some minutes more.
  for (const behindSeconds of slewed.flatMap((size) => [size, -size]))
    play(`by ${behindSeconds} s is slewed to the time`, {
      behindSeconds,
      ...right,
      settledAfter: 1_200,
      steps: [],
    });

  for (const behindSeconds of stepped.flatMap((size) => [size, -size])) {
    const steps = [behindSeconds];
    play(`by ${behindSeconds} s is stepped to the time, once and at once`, {
      behindSeconds,
      ...right,
      settledAfter: 900,
      steps,
    });
  }

  play("is stepped by the first answers, and no server is asked more often than every two seconds", {
    behindSeconds: 1e6,
    // Half a second of chance, and one exchange of 20 ms.
    synchronisedWithin: 0.75,
    steps: [1e6],
    end: "trusted",
    also: {
      "four exchanges with each of four servers, two seconds apart": ({ views }) => {
        const counts = views.map(({ status }) => status.counters.exchanges);
        const at = [4, 8, 12, 16].map((count) => views[counts.indexOf(count)]?.atSeconds ?? Number.NaN);
        const pauses = at.slice(1).map((seconds, index) => seconds - (at[index] ?? Number.NaN));
        return pauses.every((seconds) => seconds >= 2 && seconds < 2.5) && counts.at(-1) === 16;
      },
    },
    ...closely,
  });
  play("is stepped by the second answers where the first of all servers are lost", {
    behindSeconds: 1e6,
    servers: fourServers({ answersEvery: 2 }),
    synchronisedWithin: 4,
    steps: [1e6],
    end: "trusted",
    ...closely,
  });
});
