import type { DeviceReadings, ProcessReadings } from "../../../figures/metrics/device-metrics.ts";
import { createEventCounts } from "../../../figures/metrics/event-counts.ts";
import type { MetricSink } from "../../../figures/metrics/exposition.ts";
import { createLoopDelay } from "../../../figures/metrics/loop-delay.ts";
import { createRequestCounts } from "../../../figures/metrics/request-counts.ts";
import type { Host, HostTime } from "../../../host/host.ts";
import { monotonicMilliseconds } from "../../../host/monotonic.ts";
import type { Answered } from "../../../http/server.ts";
import type { EventFacts, EventSink } from "../../../journal/events/event.ts";
import { createBriefReading } from "../../../system/brief-reading.ts";
import { readMemory } from "../../../system/facts.ts";
import { stateOf } from "../../../system/status.ts";
import { once } from "../../once.ts";
import type { RoomsConfig } from "../config.ts";
import { presentNeeds, type StatusRooms } from "./wire-status.ts";

export function createMetering(config: RoomsConfig, { time }: Host) {
  const build = { ...config.build, node: config.nodeVersion };
  const events = createEventCounts();
  const requests = createRequestCounts();
  const loopDelay = createLoopDelay({ ...time, monotonicNow: () => monotonicMilliseconds() / 1_000 });
  // Most agents are never scraped, and the table of all metrics is long.
  const written = once(async () => {
    const { createMetricsText } = await import("../../../figures/metrics/device-metrics.ts");
    return createMetricsText([events, requests]);
  });
  const processReadings = createBriefReading(createProcessReadings(config, time.wall), time.uptime);
  const memory = createBriefReading(readMemory, time.uptime);
  const hostReadings = ({ disk }: StatusRooms) => ({
    build,
    memory: memory(),
    disk: disk.capacity(),
    process: processReadings(),
  });
  return {
    counting: <Events extends EventSink>(log: Events): Events => ({
      ...log,
      record: (facts: EventFacts) => {
        events.recorded(facts.type, facts.count);
        return log.record(facts);
      },
      refuse: (facts: EventFacts, code: string) => {
        events.refused(facts.type, code);
        log.refuse(facts, code);
      },
    }),
    // A request without an operation finds only a file of the console.
    answered: ({ operation, method, status, milliseconds }: Answered): void =>
      requests.add({
        route: operation ?? (status < 400 ? "console" : "none"),
        method,
        status,
        seconds: milliseconds / 1_000,
      }),
    /** The answer of a scrape. Only the first waits, for the parts that it needs: every room has its figures in memory. */
    read: async (rooms: StatusRooms): Promise<string> => {
      const textOf = await written();
      const drift = await rooms.configuration.drift();
      const loop = { loopDelay: loopDelay.read(), lag: loopDelay.lag() };
      return textOf(readingsOf(rooms, drift), { ...hostReadings(rooms), ...loop });
    },
    /** The same for telemetry, without the event loop's: a device never scraped is spared the timer of those. */
    readInto: async (sink: MetricSink, rooms: StatusRooms): Promise<void> => {
      const { writeMetrics } = await import("../../../figures/metrics/device-metrics.ts");
      const drift = await rooms.configuration.drift();
      const host = { ...hostReadings(rooms), loopDelay: null, lag: null };
      writeMetrics(sink, [events, requests], readingsOf(rooms, drift), host);
    },
    stop: loopDelay.stop,
  };
}

function readingsOf(rooms: StatusRooms, drift: boolean | null): DeviceReadings {
  const { causes, needs } = presentNeeds(rooms);
  const { clock, updates, people, troubles } = causes;
  // Each check was asked for the needs, which name the one that has found them.
  const failing = new Set(troubles.map(({ facts }) => (facts as { readonly check?: string }).check));
  return {
    state: stateOf(needs),
    needs,
    clock,
    updates,
    people: people.figures,
    checks: rooms.checks.map(({ name }) => ({ name, isOk: !failing.has(name) })),
    isSynchronised: rooms.clock.state().synchronised === true,
    certificateEnd: rooms.https.certificateEnd(),
    sessions: rooms.auth.sessions.count(),
    nextTokenEnd: rooms.auth.apiTokens.nextEnd(),
    receivers: rooms.notifications.figures(),
    drift,
    lastBackupAt: rooms.state.lastBackupAt(),
  };
}

/** Seconds: a smaller step is the clock's slew, and would look like another start each time. */
const leastStep = 1;

/** The start by the present clock, which may have been stepped since. */
function createProcessReadings({ processUsage }: RoomsConfig, wall: HostTime["wall"]): () => ProcessReadings {
  let startSeconds = 0;
  return () => {
    const { uptimeSeconds, ...used } = processUsage();
    const present = wall() / 1_000 - uptimeSeconds;
    if (Math.abs(present - startSeconds) > leastStep) startSeconds = Math.round(present * 1_000) / 1_000;
    return { ...used, startSeconds };
  };
}
