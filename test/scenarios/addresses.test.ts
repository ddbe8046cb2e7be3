import { describe } from "node:test";
import type { ServerPlan } from "../../lab/simulated/time-network.ts";
import { at, play, type Run, servers, serversAt, setting, syncAt, viewAt } from "./scenario.ts";

const hour = 3_600;

const name = "time.example";

/** A host whose only server is a name with these addresses, in an order that never changes. */
const namedHost = (...changes: Partial<ServerPlan>[]) => ({
  servers: servers(...changes),
  settings: setting({ servers: [name] }),
});

const found = at(0, ({ network }) => {
  const addresses = network.servers.map(({ address }) => address);
  network.names.set(name, addresses);
});

const healed = { manner: null };

const dead = { manner: "silent" } as const;
const rate = { manner: { kiss: "RATE" } } as const;
const right = { steps: [0.5], end: "synchronised, accepted" } as const;

/** The first moment after this one at which the clock was seen to be in sync. */
const synchronisedAfter = ({ views }: Run, seconds: number): number =>
  views.find(({ atSeconds, status }) => atSeconds > seconds && status.state === "synchronised")?.atSeconds ??
  Number.POSITIVE_INFINITY;

const exchangesAt = (run: Run, seconds: number): number =>
  viewAt(run, seconds)?.status.counters.exchanges ?? 0;

describe("the addresses of a name", () => {
  for (const count of [2, 3, 7])
    play(`are asked in turn until one answers, ${count} of them dead`, {
      ...namedHost(...Array.from({ length: count }, () => dead), {}),
      ...right,
      synchronisedWithin: 64,
      deeds: [found],
    });
  play("are left in service for one that was dead before", {
    ...namedHost(dead, {}),
    ...right,
    also: { "it is the first": ({ views }) => views.at(-1)?.status.sources[0]?.address === "192.0.2.1" },
    seconds: 3 * hour,
    deeds: [found, serversAt(hour, healed), serversAt(hour, dead, 2), serversAt(hour, healed, 1)],
  });
  play("are asked at once after one that says DENY", {
    ...namedHost({ manner: { kiss: "DENY" } }, { manner: { kiss: "RSTR" } }, {}),
    ...right,
    synchronisedWithin: 16,
    deeds: [found],
  });
});

describe("a single server that refuses", () => {
  play("for a moment is right minutes later (a forged DENY of an attacker on the path for a moment)", {
    servers: servers({ manner: { kiss: "DENY" } }),
    ...right,
    synchronisedWithin: 720,
    deeds: [serversAt(10, healed)],
  });
  play("is asked at once each time that a person calls for it", {
    servers: servers({ manner: { kiss: "DENY" } }),
    ...right,
    synchronisedWithin: 80,
    outcomes: ["no_time_source", "no_time_source", "done"],
    seconds: 200,
    deeds: [at(20, ({ clock }) => clock.reselect()), syncAt(30), serversAt(40, healed), syncAt(50)],
  });
  play("for a day is asked within a minute on another network", {
    servers: servers({ manner: { kiss: "DENY" } }),
    ...right,
    // The clock lost 20 ppm of a day and an hour besides.
    steps: [2.3],
    also: { "within a minute": (run) => synchronisedAfter(run, 25 * hour) <= 25 * hour + 64 },
    seconds: 26 * hour,
    deeds: [
      serversAt(25 * hour, healed),
      at(25 * hour, ({ network }) => void Object.assign(network, { ownAddress: "203.0.113.4" })),
    ],
  });
});

describe("a single server", () => {
  play("that has no time yet after a power cut is asked as a silent one is, and followed once it has", {
    servers: servers({ manner: { bad: "unsynchronised" } }),
    ...right,
    synchronisedWithin: 720,
    deeds: [serversAt(265, healed)],
  });
  play("that said RATE for a day is followed two hours later, and asked as often as any other in the end", {
    servers: servers(rate),
    end: "synchronised, accepted",
    also: {
      "two hours later": (run) => synchronisedAfter(run, 25 * hour) <= 27.5 * hour,
      "every 8192 s at first": (run) => exchangesAt(run, 32 * hour) - exchangesAt(run, 25 * hour) <= 4,
      // The longest usual interval is 1024 s.
      "as often as any other": (run) => exchangesAt(run, 49 * hour) - exchangesAt(run, 47 * hour) >= 6,
    },
    seconds: 50 * hour,
    sampleSeconds: 600,
    deeds: [serversAt(25 * hour, healed)],
  });
});
