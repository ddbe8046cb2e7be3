import { describe } from "node:test";
import type { ClockHost } from "../../lab/simulated/clock-host.ts";
import { at, ordinaryHost, play, type Run, setting, syncAt, viewAt } from "./scenario.ts";

const hour = 3_600;

const signInStaysWithin = (seconds: number) => (run: Run) =>
  run.views
    .filter(({ atSeconds }) => atSeconds > 900)
    .every(({ signInErrorSeconds }) => Math.abs(signInErrorSeconds) < seconds);

/** Sign-in reads whole milliseconds of one clock and hundredths of the other. */
const coarse = 0.06;

const steppedBy = (seconds: number, atSeconds = 1_800) =>
  at(atSeconds, ({ kernel }) => void kernel.stepByOther(seconds));

const isContested = ({ host }: Run) => host.events.some(({ type }) => type === "clock.contested");

describe("an external change of the clock", () => {
  for (const seconds of [10, -10, 7_200, -7_200])
    play(`that steps it by ${seconds} s is given way to for a while, and then mended`, {
      // Between the step and the next check, up to 16 s, the agent cannot know of it.
      isHonest: false,
      // Beyond the panic threshold it is only put right forward, as after a pause.
      end: seconds > 1_000 ? "faulty" : "synchronised",
      also: {
        "an event names it": isContested,
        "the clock is left alone for two minutes": (run) =>
          Math.abs((viewAt(run, 1_900)?.wallErrorSeconds ?? 0) - seconds) < 0.01,
        "sign-in's time is as before all the while": signInStaysWithin(coarse),
      },
      seconds: 2 * hour,
      deeds: [steppedBy(seconds)],
    });
  play("that steps it back each time is fought ever less often", {
    isHonest: false,
    // Waits of 2, 4, 8, 16, 32 and 60 minutes: about fifteen corrections in twelve hours, not seventy.
    also: { "few steps are made": ({ host }) => host.kernel.steps.length <= 20 },
    seconds: 12 * hour,
    deeds: Array.from({ length: 12 * 6 }, (_, index) => steppedBy(5, 1_800 + index * 600)),
  });
  play("that sets its frequency is given way to and mended", {
    // 130 ppm in the two minutes and the poll until it is ours again: some 30 ms, slewed.
    settledAfter: 900,
    worstSeconds: 60e-3,
    isHonest: false,
    steps: [0.5],
    end: "synchronised",
    also: {
      "an event names it": isContested,
      "the clock is right at the end": ({ views }) =>
        views.slice(-20).every(({ wallErrorSeconds }) => Math.abs(wallErrorSeconds) < 500e-6),
    },
    seconds: 2 * hour,
    deeds: [at(1_800, ({ kernel }) => void kernel.setFrequencyByOther(150))],
  });
  play("that steps it by 50 ms is seen too", {
    isHonest: false,
    end: "synchronised",
    steps: [0.5],
    also: { "an event names it": isContested },
    seconds: 2 * hour,
    deeds: [steppedBy(0.05)],
  });
  play("is overruled at once by a person who asks for a correction", {
    isHonest: false,
    outcomes: ["done"],
    steps: [0.5, -10],
    end: "synchronised",
    also: {
      "the clock is right within a burst": (run) =>
        Math.abs(viewAt(run, 1_870)?.wallErrorSeconds ?? 1) < 0.01,
    },
    deeds: [steppedBy(10), syncAt(1_850)],
  });
  // Before the agent has noticed it, and while it gives way.
  for (const atSeconds of [1_801, 1_850])
    play(
      `is overruled by a person who sets the clock ${atSeconds - 1_800} s later, where no server is reached`,
      {
        servers: [],
        settings: setting({ servers: [] }),
        behindSeconds: 0,
        isHonest: false,
        outcomes: ["done"],
        end: "manual",
        also: {
          "the host's clock is right from then on, and sign-in goes by it": ({ views }) =>
            views
              .filter((view) => view.atSeconds > atSeconds)
              .every(
                ({ wallErrorSeconds, signInErrorSeconds }) =>
                  Math.abs(wallErrorSeconds) < 1 && Math.abs(signInErrorSeconds) < 1,
              ),
          "no conflict is left": ({ views }) => views.at(-1)?.status.discipliner.conflict === null,
        },
        seconds: 2 * hour,
        deeds: [
          steppedBy(-30 * 24 * hour),
          at(atSeconds, (host) => host.clock.setTime(new Date(host.trueSeconds() * 1_000))),
        ],
      },
    );
});

describe("time daemons", () => {
  const sets = (daemon: ClockHost["daemon"], atSeconds: number) =>
    at(atSeconds, (host) => void Object.assign(host, { daemon }));
  /** Nothing of the clock is set between these two moments. */
  const untouched = (from: number, to: number) => {
    let before = 0;
    return [
      at(from, ({ kernel }) => {
        before = kernel.calls;
      }),
      at(to, async ({ kernel }) => {
        if (kernel.calls !== before) throw new Error(`${kernel.calls - before} calls`);
      }),
    ];
  };
  play("one that is there from the start keeps the clock alone", {
    daemon: "chronyd",
    isUntouched: true,
    isHonest: false,
    end: "delegated, accepted",
  });
  play("one that starts in mid-flight gets the clock within a look, and it comes back when it is gone", {
    isHonest: false,
    outcomes: ["done"],
    steps: [0.5],
    settledAfter: 900,
    // No program steers in the simulated hour and a half: the last frequency holds to about 0.05 ppm.
    worstSeconds: 2e-3,
    end: "synchronised, trusted",
    also: { "it was delegated": (run) => viewAt(run, 2_000)?.status.state === "delegated" },
    seconds: 3 * hour,
    deeds: [sets("chronyd", 1_800), ...untouched(1_817, 2 * hour), sets(null, 2 * hour)],
  });
  play("one that runs in mode discipline is shown as a conflict, and the clock is only observed", {
    daemon: "ntpd",
    settings: setting({ mode: "discipline" }),
    isUntouched: true,
    outcomes: ["conflict_discipliner"],
    also: { "the conflict is named": ({ views }) => views.at(-1)?.status.discipliner.conflict !== null },
    deeds: [syncAt(600)],
  });
  play("say which of their sources are authenticated", {
    daemon: "chronyd",
    isUntouched: true,
    isHonest: false,
    also: {
      "the status says so": ({ host }) => {
        const { authenticated, sources } = host.clock.status();
        return authenticated && sources.length === 1 && sources.every((one) => one.nts && one.authenticated);
      },
    },
    deeds: [
      at(1, (host) => {
        const source = { id: "a", host: "a", address: null, state: "selected", reason: null } as const;
        const figures = { offset_seconds: 0, uncertainty_seconds: 0, delay_seconds: null };
        const rest = { jitter_seconds: null, stratum: 2, reach: 255, nts: true, authenticated: true };
        host.daemonSays = { authenticated: true, sources: [{ ...source, ...figures, ...rest }] };
        host.clock.nudge();
      }),
    ],
  });
  play("a correction that is asked for is the daemon's", {
    daemon: "chronyd",
    isUntouched: true,
    isHonest: false,
    outcomes: ["done"],
    also: { "it was ordered": ({ host }) => host.orders.includes("sync") },
    deeds: [syncAt(600)],
  });
});

describe("leap seconds", () => {
  for (const kind of ["insert", "delete"] as const)
    play(`one to ${kind} at midnight is the kernel's, and is not taken for an external change`, {
      leap: { kind, atSeconds: 12 * hour },
      settledAfter: 900,
      worstSeconds: 500e-6,
      steps: [0.5],
      end: "synchronised",
      also: {
        "no event names a conflict": (run) => !isContested(run),
        // Monotonic time knows of no leap second: up to the next look sign-in goes on by it.
        "sign-in's time is right to a second": signInStaysWithin(1 + coarse),
      },
      seconds: 15 * hour, // Never at midnight itself, where the clock and the truth leap some microseconds apart.
      sampleSeconds: 17,
    });
  play("one that the leading server of three announces alone is not made", {
    servers: ordinaryHost.servers
      .slice(0, 3)
      .map((server, index) =>
        index === 0 ? { ...server, delaySeconds: 0.001, leap: "insert" as const } : server,
      ),
    settledAfter: 900,
    worstSeconds: 500e-6,
    steps: [0.5],
    seconds: 15 * hour,
  });
});
