import { describe } from "node:test";
import {
  at,
  fourServers,
  networkAt,
  play,
  servers,
  serversAt,
  setting,
  settingsAt,
  syncAt,
  viewAt,
} from "./scenario.ts";

const hour = 3_600;
const day = 24 * hour;

/** Sign-in reads whole milliseconds of one clock and hundredths of the other. */
const coarse = 0.06;

const kept = { settledAfter: 900, worstSeconds: 500e-6, steps: [0.5], end: "synchronised" } as const;

const observed = setting({ mode: "observe" });

/** A person whose watch is off by so much sets the clock. */
const setByHand = (atSeconds: number, wrongSeconds: number) =>
  at(atSeconds, (host) => host.clock.setTime(new Date((host.trueSeconds() + wrongSeconds) * 1_000)));

describe("a clock that is only observed", () => {
  for (const behindSeconds of [0.5, -100, 3_600, -1e6])
    play(`and ${behindSeconds} s off is never touched, while sign-in is right`, {
      behindSeconds,
      settings: observed,
      isUntouched: true,
      synchronisedWithin: 16,
      settledAfter: 16,
      signInWorstSeconds: coarse,
      end: "synchronised, trusted",
    });
  play("for want of the capability is never touched, though a correction is asked for", {
    behindSeconds: 100,
    blocker: "no_capability",
    isUntouched: true,
    outcomes: ["done"],
    settledAfter: 16,
    signInWorstSeconds: coarse,
    deeds: [syncAt(600)],
  });
  play("with an oscillator 200 ppm slow is right for sign-in through a day without a network", {
    settings: observed,
    oscillator: { slowPpm: 200, wander: 1e-9 },
    // 200 ppm over a day are 17 s.
    isUntouched: true,
    settledAfter: 64,
    signInWorstSeconds: 0.1,
    end: "holdover",
    seconds: day + 2 * hour,
    sampleSeconds: 64,
    deeds: [networkAt(2 * hour, false)],
  });
  play("50 ms behind says so at once, while its virtual clock is still being slewed", {
    behindSeconds: 0.05,
    settings: observed,
    isUntouched: true,
    also: {
      "the summary has the host's own lag": ({ views }) =>
        views
          .filter(({ status }) => status.state === "synchronised")
          .every(({ status }) => Math.abs((status.summary.not_set?.offset_seconds ?? 0) - 0.05) < 0.002),
    },
    seconds: 60,
    sampleSeconds: 8,
  });
  play("and set by its owner meanwhile is still right for sign-in", {
    settings: observed,
    isUntouched: true,
    settledAfter: 64,
    signInWorstSeconds: coarse,
    isHonest: false,
    seconds: 2 * hour,
    deeds: [at(1_800, ({ kernel }) => void kernel.stepByOther(-500))],
  });
  play("and then disciplined is stepped at once, for nothing went by it", {
    behindSeconds: 5_000,
    settings: observed,
    end: "synchronised",
    also: {
      // The floor has risen meanwhile, so the first step is to there.
      "in two steps at most": ({ host }) => host.kernel.steps.length <= 2,
      "within a burst": (run) => Math.abs(viewAt(run, 1_820)?.wallErrorSeconds ?? 1) < 0.01,
      "and the clock is right at the end": ({ views }) =>
        Math.abs(views.at(-1)?.wallErrorSeconds ?? 1) < 500e-6,
    },
    deeds: [settingsAt(1_800, { mode: "discipline" })],
  });
});

describe("modes that change", () => {
  play("from discipline to observe and back lose nothing", {
    ...kept,
    end: "synchronised, trusted",
    seconds: 2 * hour,
    deeds: [settingsAt(1_800, { mode: "observe" }), settingsAt(4_000, { mode: "auto" })],
  });
  play("to manual end all measuring", {
    steps: [0.5],
    outcomes: ["time_sync_disabled"],
    end: "manual",
    also: {
      "no packet is sent any more": ({ host, views }) =>
        host.network.sent ===
        views.filter(({ atSeconds }) => atSeconds <= 1_840).at(-1)?.status.counters.exchanges,
      "its summary is not made again at each check": ({ views }) =>
        new Set(views.filter(({ atSeconds }) => atSeconds > 1_840).map(({ status }) => status.summary))
          .size === 1,
    },
    seconds: 2 * hour,
    deeds: [settingsAt(1_800, { mode: "manual" }), syncAt(3_000)],
  });
  play("to manual and from it hold for a request in the same moment", {
    end: "synchronised, trusted",
    steps: [0.5],
    outcomes: ["time_sync_disabled", "done"],
    seconds: 3 * hour,
    deeds: [
      settingsAt(1_800, { mode: "manual" }),
      syncAt(1_800),
      settingsAt(3_600, { mode: "auto" }),
      syncAt(3_600),
    ],
  });
  play("an agent that is restarted in service does not step what relies on the clock", {
    behindSeconds: 0,
    isHonest: false,
    outcomes: ["done"],
    steps: [],
    end: "faulty, none",
    deeds: [at(1_800, (host) => host.restart()), at(1_799, ({ kernel }) => void kernel.stepByOther(3_000))],
  });
  play("an agent that is restarted in service goes on where it was", {
    ...kept,
    outcomes: ["done"],
    seconds: 2 * hour,
    deeds: [at(hour, (host) => host.restart())],
  });
});

describe("large offsets in service", () => {
  const wrongBy = (offsetSeconds: number) => serversAt(1_800, { offsetSeconds });
  play("seen once before the network goes are not confirmed by looking again", {
    settledAfter: 900,
    worstSeconds: 10e-3,
    end: "trusted",
    seconds: 2 * hour,
    deeds: [
      wrongBy(30),
      // Two polls at most see it; three would be enough.
      networkAt(1_925, false),
    ],
  });
  play("backward beyond the panic threshold are refused, and forced when a person insists", {
    isHonest: false,
    outcomes: ["panic_threshold", "done"],
    steps: [0.5, -2_000],
    end: "synchronised",
    also: {
      "one event tells it": ({ host }) =>
        host.events.filter(({ type }) => type === "clock.panicked").length === 1,
      "it was faulty": (run) => viewAt(run, 3_000)?.status.state === "faulty",
    },
    seconds: 2 * hour,
    deeds: [wrongBy(-2_000), syncAt(3_600), syncAt(3_620, true)],
  });
  play("that servers want which are named while others are being asked are what a request is answered by", {
    servers: servers({}, { offsetSeconds: -2_000 }),
    settings: setting({ servers: ["192.0.2.1"] }),
    isHonest: false,
    outcomes: ["done", "panic_threshold"],
    steps: [0.5],
    deeds: [syncAt(600), settingsAt(602, { servers: ["192.0.2.2"] }), syncAt(603)],
  });
  play("after a pause of the machine are made forward when three agree for five polls", {
    isHonest: false,
    steps: [0.5, 2_000],
    end: "synchronised, trusted",
    seconds: 2 * hour,
    deeds: [wrongBy(2_000)],
  });
});

describe("a clock that is set by hand", () => {
  const off = fourServers({ manner: "silent" });
  const from1970 = Date.UTC(2026, 10, 20, 12) / 1_000;
  play("in 1970 without a network is accepted and comes to life", {
    behindSeconds: from1970,
    servers: off,
    outcomes: ["done"],
    settledAfter: 620,
    // 20 ppm over an hour are 72 ms; a Date has whole milliseconds.
    worstSeconds: 0.1,
    end: "manual, accepted",
    deeds: [setByHand(600, 0)],
  });
  play("before the floor is refused", {
    behindSeconds: from1970,
    servers: off,
    outcomes: ["time_implausible"],
    end: "none",
    deeds: [setByHand(600, -from1970 + 1e6)],
  });
  play("an hour wrong is put right when the servers appear, for it is only a person's word", {
    servers: off,
    end: "synchronised, trusted",
    outcomes: ["done"],
    steps: [900.5, -900],
    settledAfter: 3_600,
    worstSeconds: 1e-3,
    seconds: 2 * hour,
    deeds: [setByHand(600, 900), serversAt(1_800, { manner: null })],
  });
  play("while the servers keep it right is refused", {
    outcomes: ["conflict_discipliner"],
    steps: [0.5],
    end: "synchronised",
    deeds: [setByHand(600, 60)],
  });
  play("in mode manual is taken, and no server is asked", {
    settings: setting({ mode: "manual" }),
    outcomes: ["done"],
    steps: [0.5],
    end: "manual, accepted",
    also: { "no packet was sent": ({ host }) => host.network.sent === 0 },
    deeds: [setByHand(600, 0)],
  });
});

describe("the floor", () => {
  const away = (to: number) => to - Date.UTC(2026, 10, 20, 12) / 1_000;
  const in2040 = Date.UTC(2040, 0, 1) / 1_000;
  play("lies above a clock that is three years behind: first there, then to the time", {
    behindSeconds: 1e8,
    synchronisedWithin: 16,
    steps: [1e8 - 50.5 * day, 50.5 * day],
    end: "synchronised",
  });
  play("lets a clock that is three years ahead come back", {
    behindSeconds: -1e8,
    synchronisedWithin: 16,
    steps: [-1e8],
    end: "synchronised",
  });
  play("refuses a true time below it, until root resets it", {
    record: { floor_at: "2040-01-01T00:00:00.000Z" },
    oscillator: { slowPpm: 0, wander: 0 },
    isHonest: false,
    outcomes: ["done"],
    steps: [away(in2040) + 0.5, -away(in2040)],
    end: "synchronised, trusted",
    also: {
      "it was faulty until then": (run) => viewAt(run, hour - 100)?.status.state === "faulty",
      "sign-in went by the floor": (run) => (viewAt(run, hour - 100)?.signInErrorSeconds ?? 0) > 1e8,
    },
    seconds: 2 * hour,
    deeds: [at(hour, ({ clock }) => clock.resetFloor())],
  });
  play("rises with trusted time", {
    synchronisedWithin: 600,
    also: {
      "it is a day behind": ({ host }) =>
        Math.abs(host.trueSeconds() - host.clock.floor().getTime() / 1_000 - day) < hour,
    },
    seconds: 2 * day,
    sampleSeconds: 600,
  });
});
