import { describe } from "node:test";
import {
  at,
  fourServers,
  lastStatus,
  ordinaryHost,
  play,
  type Run,
  servers,
  serversAt,
  setting,
  settingsAt,
} from "./scenario.ts";

const hour = 3_600;

/** The settled clock errs by at most this with three servers left; one quieter server less hardly matters. */
const usual = { synchronisedWithin: 16, settledAfter: 900, worstSeconds: 400e-6 } as const;
const booted = { ...usual, steps: [0.5] };

const unset = { isUntouched: true, end: "unsynchronised, none" } as const;

const stateOf = (run: Run, index: number) => lastStatus(run)?.sources[index]?.state;

const votes = (run: Run) => {
  const { agreeing, configured, needed } = lastStatus(run)?.summary ?? {};
  return JSON.stringify([agreeing, configured, needed]);
};

describe("false servers", () => {
  play("one of four, 3 s off, is left out", {
    servers: servers({ offsetSeconds: 3 }, {}, {}, {}),
    ...booted,
    end: "trusted",
    also: { "it is called false": (run) => stateOf(run, 0) === "falseticker" },
  });
  play("two of four that agree with each other leave no majority, and nothing is set", {
    servers: servers({}, {}, { offsetSeconds: 60 }, { offsetSeconds: 60 }),
    ...unset,
  });
  play("all, by a year, are believed: only the floor and the ceiling bound what a majority can do", {
    servers: fourServers({ offsetSeconds: 365 * 86_400 }),
    isHonest: false,
    steps: [365 * 86_400 + 0.5],
    end: "synchronised, trusted",
  });
  play("all, by a year back, are refused: that is below the build date", {
    servers: fourServers({ offsetSeconds: -365 * 86_400 }),
    isUnmoved: true,
    end: "faulty, none",
  });
  play("one that drifts by 200 ppm among three is dropped when its interval misses the others'", {
    servers: servers({}, {}, { driftPpm: 200 }),
    // Until then it pulls the mean of three by a third of its root distance of about 11 ms and of one poll's 13 ms
    // more, and the frequency follows it for a poll.
    settledAfter: 16,
    worstSeconds: 16e-3,
    steps: [0.5],
    end: "trusted",
    also: {
      "it is called false": (run) => stateOf(run, 2) === "falseticker",
      "the others hold the time at the end": ({ views }) =>
        views.slice(-20).every(({ wallErrorSeconds }) => Math.abs(wallErrorSeconds) < 400e-6),
    },
    seconds: 2 * hour,
  });
});

describe("votes of silent servers", () => {
  const liar = { offsetSeconds: 3_600, secondOpinionOffsetSeconds: 3_600 };
  const silent = { manner: "silent" } as const;
  /** Counts the servers that agree, all of them, and those that must agree; null where the summary has no number. */
  play("two liars of five, while two of the honest ones are silent, are accepted and not trusted", {
    servers: servers(liar, liar, {}, silent, silent),
    isHonest: false,
    end: "accepted",
    also: {
      "the numbers are said": (run) => votes(run) === "[2,5,3]",
      "the clock was never called trusted": ({ views }) =>
        views.every(({ status }) => status.trust !== "trusted"),
    },
  });
  play("two honest ones of four are accepted, and trusted when a third is heard", {
    servers: servers({}, {}, silent, silent),
    ...booted,
    end: "trusted",
    also: {
      "accepted before": ({ views }) => views[100]?.status.trust === "accepted",
      "no number is told of a trusted clock": (run) => votes(run) === "[null,null,null]",
    },
    deeds: [serversAt(2_000, { manner: null })],
  });
  play("names that lead nowhere count as servers that are set", {
    servers: servers({}, {}),
    settings: setting({ servers: ["192.0.2.1", "192.0.2.2", "lost.example", "gone.example"] }),
    ...booted,
    end: "accepted",
    also: { "the numbers are said": (run) => votes(run) === "[2,4,3]" },
  });
  play("three liars of seven do not step over the panic threshold as if the machine had been paused", {
    servers: servers({}, {}, {}, {}, {}, {}, {}),
    isHonest: false,
    steps: [0.5],
    end: "faulty, none",
    deeds: [serversAt(1_000, silent), serversAt(1_000, { manner: null, offsetSeconds: 7_200 }, 3)],
    seconds: 20_000,
  });
});

/** Windows' time service says 10 s, whatever its clock errs by. */
const windows = { rootDispersionSeconds: 10.2 };

describe("servers whose time is worth little", () => {
  const in1970 = ordinaryHost.trueStartSeconds;
  play("all late by a slow network set a clock of 1970, to within half of their delay", {
    behindSeconds: in1970,
    servers: fourServers({ delaySeconds: 1.2, asymmetrySeconds: 0.8 }),
    synchronisedWithin: 16,
    settledAfter: 900,
    worstSeconds: 0.6,
    end: "synchronised, accepted",
    also: { "it is no matter of votes": (run) => votes(run) === "[null,null,null]" },
  });
  play("all late from some moment on leave a clock as it is that is known better", {
    servers: fourServers(),
    ...booted,
    worstSeconds: 0.02,
    end: "holdover, trusted",
    seconds: 3 * hour,
    deeds: [serversAt(2_000, { delaySeconds: 2.4, asymmetrySeconds: 2.2 })],
  });
  play("all domain controllers are accepted where the settings allow it, and never trusted", {
    behindSeconds: in1970,
    servers: servers(windows, windows),
    settings: setting({ max_root_distance: "16s" }),
    ...usual,
    end: "synchronised, accepted",
    also: { "never trusted": ({ views }) => views.every(({ status }) => status.trust !== "trusted") },
    seconds: 4 * hour,
  });
});

describe("few servers", () => {
  play("a single one is accepted, not trusted", {
    servers: servers({}),
    // One server's jitter of 70 µs, without others to average with.
    ...booted,
    worstSeconds: 500e-6,
    end: "accepted",
  });
  play("a single one is not enough where two must agree", {
    servers: servers({}),
    settings: setting({ min_agreeing: 2 }),
    ...unset,
  });
  play("a single one that lies and that the second opinion contradicts moves nothing", {
    servers: servers({ offsetSeconds: 3_600, secondOpinionOffsetSeconds: 0 }),
    isUnmoved: true,
    end: "faulty, none",
  });
  play("a single one that agrees with the clock is contradicted at the first round of the boot", {
    behindSeconds: 0.05,
    servers: servers({ secondOpinionOffsetSeconds: 3_600 }),
    isUnmoved: true,
    end: "faulty, none",
  });
  play("a single one on which the second opinion is silent is accepted", {
    behindSeconds: 0.05,
    servers: servers({ secondOpinionOffsetSeconds: "silent" }),
    synchronisedWithin: 16,
    end: "synchronised, accepted",
  });
  play("the second opinion is asked once in a boot where the clock needs no step, also after a restart", {
    behindSeconds: 0.05,
    servers: servers({}),
    end: "synchronised",
    also: {
      "once before the restart": ({ views }) => views[120]?.status.counters.opinions === 1,
      "not once after it": ({ views }) => views.at(-1)?.status.counters.opinions === 0,
    },
    deeds: [at(2_000, (host) => host.restart())],
  });
  play("several that agree are believed against a second opinion, which is only told", {
    servers: fourServers({ secondOpinionOffsetSeconds: 3_600 }),
    ...booted,
    also: {
      "an event tells it": ({ host }) => host.events.some(({ type }) => type === "clock.contradicted"),
    },
  });
  play("none at all: nothing is set", { servers: [], ...unset });
});

describe("difficult servers", () => {
  const named = (name: string, ...addresses: string[]) =>
    at(0, ({ network }) => void network.names.set(name, addresses));
  play("that do not know the time themselves are not believed", {
    servers: fourServers({ manner: { bad: "unsynchronised" } }),
    ...unset,
  });
  play("a single one that answers every fifth time is enough", {
    servers: servers({ answersEvery: 5 }),
    // Two bursts of four, the second after 15 s.
    synchronisedWithin: 48,
    settledAfter: 2 * hour,
    worstSeconds: 1e-3,
    steps: [0.5],
    end: "accepted",
    seconds: 4 * hour,
  });
  play("one that says DENY does not vote", {
    servers: servers({ manner: { kiss: "DENY" } }, {}, {}, {}),
    ...booted,
    also: { "it is marked": (run) => stateOf(run, 0) === "kod" },
  });
  play("two of one merit do not take turns as the leading one", {
    servers: servers({}, { jitterSeconds: 110e-6 }),
    ...usual,
    // A change takes three polls in a row; by chance that is less than once in eight polls of about fifty.
    also: {
      "the leader rarely changes": ({ host }) =>
        host.events.filter(({ type }) => type === "clock.source_changed").length <= 10,
    },
    seconds: 6 * hour,
  });
  play("a pool whose names move on with each answer keeps four servers", {
    servers: fourServers({ loss: 0.3 }),
    settings: setting({ servers: ["a.example", "b.example"] }),
    synchronisedWithin: 32,
    settledAfter: 1_800,
    worstSeconds: 1e-3,
    steps: [0.5],
    end: "trusted",
    seconds: 2 * hour,
    deeds: [
      named("a.example", "192.0.2.1", "192.0.2.2"),
      named("b.example", "192.0.2.3", "192.0.2.4"),
      at(0, ({ clock }) => clock.nudge()),
    ],
  });
  play("two names of one server vote once", {
    servers: servers({}),
    settings: setting({ servers: ["a.example", "b.example"] }),
    ...unset,
    deeds: [named("a.example", "192.0.2.1"), named("b.example", "192.0.2.1")],
  });
  play("that are replaced in the settings in service are followed by the new ones", {
    servers: fourServers(),
    settings: setting({ servers: ["192.0.2.1", "192.0.2.2"] }),
    ...booted,
    end: "trusted",
    also: { "the new ones are listed": ({ views }) => views.at(-1)?.status.source?.host !== "192.0.2.1" },
    deeds: [settingsAt(1_500, { servers: ["192.0.2.3", "192.0.2.4"] })],
  });
});
