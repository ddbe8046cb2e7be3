import { describe } from "node:test";
import { at, fourServers, networkAt, type Overrides, play, type Run, viewAt } from "./scenario.ts";

const hour = 3_600;
const day = 24 * hour;

const cut = (atSeconds: number, forSeconds: number) => [
  networkAt(atSeconds, false),
  networkAt(atSeconds + forSeconds, true),
];

const stateAt = (run: Run, seconds: number) => viewAt(run, seconds)?.status;

const restOfBoot = {
  synchronisedWithin: 64,
  steps: [0.5],
  endState: "synchronised",
  endTrust: "trusted",
} as const;

describe("a network that is away", () => {
  play(
    {
      name: "for a day: the clock runs on, trusted, and within the claimed bounds",
      seconds: 2 * hour + day + hour,
      sampleSeconds: 64,
      deeds: cut(2 * hour, day),
      bounds: {
        ...restOfBoot,
        settledAfter: 900,
        // A walk of 1e-9 over a day is 1e-9 × √(86400³/3) = 15 ms (standard deviation), and the frequency's own error.
        worstSeconds: 60e-3,
        also: {
          "it is in holdover and trusted": (run) => {
            const there = stateAt(run, 2 * hour + day - 100);
            return there?.state === "holdover" && there.trust === "trusted";
          },
        },
      },
    },
    {
      name: "for two weeks: the clock is not trusted any more, until the network is back",
      seconds: 2 * hour + 14 * day + hour,
      sampleSeconds: 512,
      deeds: cut(2 * hour, 14 * day),
      bounds: {
        synchronisedWithin: 512,
        endState: "synchronised",
        endTrust: "trusted",
        also: {
          // 10 s at 15 ppm are 7.7 days.
          "in holdover after 7 days": (run) => stateAt(run, 2 * hour + 7 * day)?.state === "holdover",
          "in freerun after 8 days": (run) => stateAt(run, 2 * hour + 8 * day)?.state === "freerun",
          "not trusted after 8 days": (run) => stateAt(run, 2 * hour + 8 * day)?.trust === "none",
          "the kernel says so too": (run) => stateAt(run, 2 * hour + 8 * day)?.kernel?.synchronised === false,
        },
      },
    },
    {
      name: "right after the first burst: the claimed bounds contain the unknown oscillator",
      seconds: 8 * hour,
      sampleSeconds: 64,
      host: { oscillator: { slowPpm: 150, wander: 1e-9 } },
      deeds: cut(20, 7 * hour),
      // 150 ppm over the seven hours are 3.8 s, less what the second half of the burst taught: stepped when three polls agree.
      bounds: {
        synchronisedWithin: 64,
        endState: "synchronised",
        endTrust: "trusted",
        also: {
          "one step when the network is back": ({ host }) => {
            const [, second = 0, ...more] = host.kernel.steps;
            return more.length === 0 && second > 0.128 && second < 3.9;
          },
        },
      },
    },
    {
      name: "while a slew is under way: it runs to its end and no further",
      seconds: 4 * hour,
      host: { behindSeconds: 0.1, oscillator: { slowPpm: 0, wander: 0 } },
      deeds: cut(30, 3.5 * hour),
      // 100 ms at 500 ppm are 200 s. The slew comes in lumps of 500 µs, 144 µs of noise: by it the frequency is known from
      // the burst's four seconds to 36 ppm, 0.45 s in the three and a half hours; a slew that ran on would make 6 s.
      bounds: { settledAfter: 300, worstSeconds: 0.45, steps: [] },
    },
    {
      name: "while a trim is under way: it ends when it has done its work",
      seconds: 20 * hour,
      sampleSeconds: 64,
      host: { oscillator: { slowPpm: 20, wander: 0 }, servers: fourServers({ jitterSeconds: 2e-3 }) },
      deeds: cut(700, 18 * hour),
      // Jitter of 2 ms over ten minutes leaves about 2 ppm of frequency, 130 ms in 18 h; a trim left would make 650 ms of it.
      bounds: { settledAfter: 900, worstSeconds: 0.25 },
    },
    {
      name: "again and again for ten minutes leaves the clock in peace",
      seconds: 12 * hour,
      deeds: [2, 4, 6, 8, 10].flatMap((begin) => cut(begin * hour, 600)),
      bounds: { ...restOfBoot, settledAfter: 900, worstSeconds: 500e-6 },
    },
    {
      name: "from the start, in 1970: the clock is stepped to the floor and to the time when it comes",
      seconds: 3 * hour,
      host: {
        behindSeconds: Date.UTC(2026, 10, 20, 12) / 1_000 - 100,
        oscillator: { slowPpm: 0, wander: 0 },
      },
      deeds: cut(0, 2 * hour),
      bounds: {
        settledAfter: 2.5 * hour,
        worstSeconds: 400e-6,
        // 100 s after 1970 to 1 October 2026; from there fifty and a half days.
        steps: [Date.UTC(2026, 9, 1) / 1_000 - 100, 50.5 * day],
        endState: "synchronised",
        endTrust: "trusted",
      },
    },
  );
});

describe("a host that sleeps", () => {
  const asleepFor = (errorSeconds: number) => [at(2 * hour, (host) => void host.sleep(hour, errorSeconds))];
  play(
    ...[0.03, -0.1].map(
      (errorSeconds): Overrides => ({
        name: `for an hour and wakes ${errorSeconds} s off is slewed to the time`,
        seconds: 5 * hour,
        deeds: asleepFor(errorSeconds),
        bounds: {
          ...restOfBoot,
          // Boottime shows the hour and not the error, so nothing can claim it before the next poll.
          isHonest: false,
          settledAfter: 4 * hour,
          worstSeconds: 500e-6,
        },
      }),
    ),
    {
      name: "for an hour and wakes half a second off is stepped to the time when three polls agree",
      seconds: 5 * hour,
      deeds: asleepFor(0.5),
      bounds: {
        ...restOfBoot,
        isHonest: false,
        settledAfter: 4 * hour,
        worstSeconds: 500e-6,
        steps: [0.5, -0.5],
      },
    },
  );
});
