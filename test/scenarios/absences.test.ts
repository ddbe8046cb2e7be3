import { describe } from "node:test";
import { at, fourServers, networkAt, play, type Run, viewAt } from "./scenario.ts";

const hour = 3_600;
const day = 24 * hour;

const cut = (atSeconds: number, forSeconds: number) => [
  networkAt(atSeconds, false),
  networkAt(atSeconds + forSeconds, true),
];

const stateAt = (run: Run, seconds: number) => viewAt(run, seconds)?.status;

const restOfBoot = { synchronisedWithin: 64, steps: [0.5], end: "synchronised, trusted" } as const;

describe("a network that is away", () => {
  play("for a day: the clock runs on, trusted, and within the claimed bounds", {
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
    seconds: 2 * hour + day + hour,
    sampleSeconds: 64,
    deeds: cut(2 * hour, day),
  });
  play("for two weeks: the clock is not trusted any more, until the network is back", {
    synchronisedWithin: 512,
    end: "synchronised, trusted",
    also: {
      // 10 s at 15 ppm are 7.7 days.
      "in holdover after 7 days": (run) => stateAt(run, 2 * hour + 7 * day)?.state === "holdover",
      "in freerun after 8 days": (run) => stateAt(run, 2 * hour + 8 * day)?.state === "freerun",
      "not trusted after 8 days": (run) => stateAt(run, 2 * hour + 8 * day)?.trust === "none",
      "the kernel says so too": (run) => stateAt(run, 2 * hour + 8 * day)?.kernel?.synchronised === false,
    },
    seconds: 2 * hour + 14 * day + hour,
    sampleSeconds: 512,
    deeds: cut(2 * hour, 14 * day),
  });
  play("right after the first burst: the claimed bounds contain the unknown oscillator", {
    oscillator: { slowPpm: 150, wander: 1e-9 },
    // 150 ppm over the seven hours are 3.8 s, less what the second half of the burst taught: stepped when three polls agree.
    synchronisedWithin: 64,
    end: "synchronised, trusted",
    also: {
      "one step when the network is back": ({ host }) => {
        const [, second = 0, ...more] = host.kernel.steps;
        return more.length === 0 && second > 0.128 && second < 3.9;
      },
    },
    seconds: 8 * hour,
    sampleSeconds: 64,
    deeds: cut(20, 7 * hour),
  });
  play("while a slew is under way: it runs to its end and no further", {
    behindSeconds: 0.1,
    oscillator: { slowPpm: 0, wander: 0 },
    // 100 ms at 500 ppm are 200 s. The slew comes in lumps of 500 µs, 144 µs of noise: by it the frequency is known from
    // the burst's four seconds to 36 ppm, 0.45 s in the three and a half hours; a slew that ran on would make 6 s.
    settledAfter: 300,
    worstSeconds: 0.45,
    steps: [],
    seconds: 4 * hour,
    deeds: cut(30, 3.5 * hour),
  });
  play("while a trim is under way: it ends when it has done its work", {
    oscillator: { slowPpm: 20, wander: 0 },
    servers: fourServers({ jitterSeconds: 2e-3 }),
    // Jitter of 2 ms over ten minutes leaves about 2 ppm of frequency, 130 ms in 18 h; a trim left would make 650 ms of it.
    settledAfter: 900,
    worstSeconds: 0.25,
    seconds: 20 * hour,
    sampleSeconds: 64,
    deeds: cut(700, 18 * hour),
  });
  play("again and again for ten minutes leaves the clock in peace", {
    ...restOfBoot,
    settledAfter: 900,
    worstSeconds: 500e-6,
    seconds: 12 * hour,
    deeds: [2, 4, 6, 8, 10].flatMap((begin) => cut(begin * hour, 600)),
  });
  play("from the start, in 1970: the clock is stepped to the floor and to the time when it comes", {
    behindSeconds: Date.UTC(2026, 10, 20, 12) / 1_000 - 100,
    oscillator: { slowPpm: 0, wander: 0 },
    settledAfter: 2.5 * hour,
    worstSeconds: 400e-6,
    // 100 s after 1970 to 1 October 2026; from there fifty and a half days.
    steps: [Date.UTC(2026, 9, 1) / 1_000 - 100, 50.5 * day],
    end: "synchronised, trusted",
    seconds: 3 * hour,
    deeds: cut(0, 2 * hour),
  });
});

describe("a host that sleeps", () => {
  const asleepFor = (errorSeconds: number) => [at(2 * hour, (host) => void host.sleep(hour, errorSeconds))];
  for (const errorSeconds of [0.03, -0.1])
    play(`for an hour and wakes ${errorSeconds} s off is slewed to the time`, {
      ...restOfBoot,
      // Boottime shows the hour and not the error, so nothing can claim it before the next poll.
      isHonest: false,
      settledAfter: 4 * hour,
      worstSeconds: 500e-6,
      seconds: 5 * hour,
      deeds: asleepFor(errorSeconds),
    });
  play("for an hour and wakes half a second off is stepped to the time when three polls agree", {
    ...restOfBoot,
    isHonest: false,
    settledAfter: 4 * hour,
    worstSeconds: 500e-6,
    steps: [0.5, -0.5],
    seconds: 5 * hour,
    deeds: asleepFor(0.5),
  });
});
