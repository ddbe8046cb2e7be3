import { describe } from "node:test";
import type { ClockHost } from "../../lab/simulated/clock-host.ts";
import type { ServerPlan } from "../../lab/simulated/time-network.ts";
import { type Deed, type HostOverrides, ordinaryHost, play, type Run, servers } from "./scenario.ts";

const hour = 3_600;

const name = "time.example";

/** A host whose only server is a name with these addresses, in an order that never changes. */
const namedHost = (...changes: Partial<ServerPlan>[]): HostOverrides => ({
  servers: servers(...changes),
  settings: { ...ordinaryHost.settings, servers: [name] },
});

const found: Deed = {
  atSeconds: 0,
  act: ({ network }) => {
    network.names.set(
      name,
      network.servers.map(({ address }) => address),
    );
    return undefined;
  },
};

/** From then on each server gives the time, but for those of these places. */
const healedAt = (atSeconds: number, ...silent: number[]): Deed => ({
  atSeconds,
  act: ({ network }) => {
    for (const [index, server] of network.servers.entries())
      server.manner = silent.includes(index) ? "silent" : null;
    return undefined;
  },
});

const askedAt = (atSeconds: number, ask: (host: ClockHost) => Promise<unknown>): Deed => ({
  atSeconds,
  act: ask,
});

const dead = { manner: "silent" } as const;
const rate = { manner: { kiss: "RATE" } } as const;
const right = { steps: [0.5], endState: "synchronised", endTrust: "accepted" } as const;

/** The first moment after this one at which the clock was seen to be in sync. */
const synchronisedAfter = ({ views }: Run, seconds: number): number =>
  views.find(({ atSeconds, status }) => atSeconds > seconds && status.state === "synchronised")?.atSeconds ??
  Number.POSITIVE_INFINITY;

const exchangesAt = ({ views }: Run, seconds: number): number =>
  views.find(({ atSeconds }) => atSeconds >= seconds)?.status.counters.exchanges ?? 0;

describe("the addresses of a name", () => {
  play(
    ...[2, 3, 7].map((count) => ({
      name: `are asked in turn until one answers, ${count} of them dead`,
      host: namedHost(...Array.from({ length: count }, () => dead), {}),
      deeds: [found],
      bounds: { ...right, synchronisedWithin: 64 },
    })),
    {
      name: "are left in service for one that was dead before",
      seconds: 3 * hour,
      host: namedHost(dead, {}),
      deeds: [found, healedAt(hour, 1)],
      bounds: {
        ...right,
        also: { "it is the first": ({ views }) => views.at(-1)?.status.sources[0]?.address === "192.0.2.1" },
      },
    },
    {
      name: "are asked at once after one that says DENY",
      host: namedHost({ manner: { kiss: "DENY" } }, { manner: { kiss: "RSTR" } }, {}),
      deeds: [found],
      bounds: { ...right, synchronisedWithin: 16 },
    },
  );
});

describe("a single server that refuses", () => {
  play(
    ...(["DENY", "RSTR"] as const).map((kiss) => ({
      name: `by ${kiss} is asked ever more rarely, down to once a day, and named`,
      seconds: 96 * hour,
      sampleSeconds: 600,
      host: { servers: servers({ manner: { kiss } }) },
      bounds: {
        isUntouched: true,
        endState: "unsynchronised" as const,
        also: {
          // After 256 s, 1024 s, 4096 s, 16384 s and 65536 s, and then once a day.
          "few packets were sent": ({ host }: Run) => host.network.sent >= 8 && host.network.sent <= 9,
          "it is named": ({ views }: Run) => views.at(-1)?.status.summary.server === "192.0.2.1",
        },
      },
    })),
    {
      name: "for a moment is right minutes later (a forged DENY of an attacker on the path for a moment)",
      host: { servers: servers({ manner: { kiss: "DENY" } }) },
      deeds: [healedAt(10)],
      bounds: { ...right, synchronisedWithin: 720 },
    },
    {
      name: "is asked at once each time that a person calls for it",
      seconds: 200,
      host: { servers: servers({ manner: { kiss: "DENY" } }) },
      deeds: [
        askedAt(20, ({ clock }) => clock.reselect()),
        askedAt(30, ({ clock }) => clock.sync({ isForced: false })),
        healedAt(40),
        askedAt(50, ({ clock }) => clock.sync({ isForced: false })),
      ],
      bounds: { ...right, synchronisedWithin: 80, outcomes: ["no_time_source", "no_time_source", "done"] },
    },
    {
      name: "for a day is asked within a minute on another network",
      seconds: 26 * hour,
      host: { servers: servers({ manner: { kiss: "DENY" } }) },
      deeds: [
        healedAt(25 * hour),
        {
          atSeconds: 25 * hour,
          act: ({ network }) => {
            network.ownAddress = "203.0.113.4";
            return undefined;
          },
        },
      ],
      bounds: {
        ...right,
        // The clock lost 20 ppm of a day and an hour besides.
        steps: [2.3],
        also: { "within a minute": (run) => synchronisedAfter(run, 25 * hour) <= 25 * hour + 64 },
      },
    },
  );
});

describe("a single server", () => {
  play(
    {
      name: "that has no time yet after a power cut is asked as a silent one is, and followed once it has",
      host: { servers: servers({ manner: { bad: "unsynchronised" } }) },
      deeds: [healedAt(265)],
      bounds: { ...right, synchronisedWithin: 720 },
    },
    {
      name: "that says RATE is left in peace, two hours at the end",
      seconds: 24 * hour,
      sampleSeconds: 600,
      host: { servers: servers(rate) },
      bounds: {
        isUntouched: true,
        endState: "unsynchronised",
        // After 256 s, 1024 s and 4096 s, and then every 8192 s.
        also: { "few packets were sent": ({ host }) => host.network.sent >= 12 && host.network.sent <= 14 },
      },
    },
    {
      name: "that said RATE for a day is followed two hours later, and asked as often as any other in the end",
      seconds: 50 * hour,
      sampleSeconds: 600,
      host: { servers: servers(rate) },
      deeds: [healedAt(25 * hour)],
      bounds: {
        ...{ endState: "synchronised", endTrust: "accepted" },
        also: {
          "two hours later": (run) => synchronisedAfter(run, 25 * hour) <= 27.5 * hour,
          "every 8192 s at first": (run) => exchangesAt(run, 32 * hour) - exchangesAt(run, 25 * hour) <= 4,
          // The longest usual interval is 1024 s.
          "as often as any other": (run) => exchangesAt(run, 49 * hour) - exchangesAt(run, 47 * hour) >= 6,
        },
      },
    },
  );
});
