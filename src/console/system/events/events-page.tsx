import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { AuditEvent } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import { deviceNow } from "../../client/device-time.ts";
import { useResource } from "../../client/use-resource.ts";
import { csvOf, everyItem } from "../../lists/csv.ts";
import { ExportButton } from "../../lists/export-button.tsx";
import { place } from "../../navigation/navigation.ts";
import { barsOf, daily, edgesOf, stepOfSpan } from "../../plot/bars.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Section, Skeleton } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { ZoneNote } from "../../ui/words/zone-note.tsx";
import { EventChips, EventFilters } from "./event-filters.tsx";
import { type EventQuery, eventsQuery } from "./events-query.ts";
import { Histogram } from "./histogram.tsx";
import { timelineOf } from "./runs.ts";
import { Timeline } from "./timeline.tsx";
import { useEvents } from "./use-events.ts";
import "../../styles/parts/lists.css";
import "../../styles/parts/events.css";
import "../../styles/parts/plot.css";

export function EventsPage() {
  const query = eventsQuery(useStore(place).query);
  const events = useEvents(query);
  // The record begins with it, whatever the filters are.
  const oldest = useResource("listEvents", { query: { after: 0, limit: 1 } }, { isStill: true });
  const begin = Date.parse(oldest.value?.items[0]?.time ?? "") || 0;
  const { items, isPaused, waiting, total, hasOlder, loadingOlder } = events;
  const entries = timelineOf(items ?? []);
  const lines = entries.filter((entry) => "events" in entry).length;
  const loadOlder = async (): Promise<void> => void (await loadingOlder.run());
  return (
    <Section
      title={t.system.tabs.events}
      action={
        <>
          <ExportButton about="events" read={() => eventsAsCsv(query)} />
          <Button kind={isPaused ? "primary" : "plain"} onClick={() => events.setPaused(!isPaused)}>
            {!isPaused ? t.lists.pause : waiting === 0 ? t.lists.follow : t.lists.followWith(waiting)}
          </Button>
        </>
      }
    >
      {oldest.value === null && oldest.error === null ? (
        <Skeleton lines={4} />
      ) : (
        <Overview query={query} begin={begin} />
      )}
      <EventFilters
        seen={items ?? []}
        error={events.error}
        reaches={(since) => (momentOf(since, deviceNow()) ?? begin) >= begin}
      />
      <ReadProblem of={[events, { error: loadingOlder.error, reload: loadOlder }]} />
      {items === null && events.error === null && <Skeleton lines={12} />}
      {items?.length === 0 && <Empty>{t.events.empty}</Empty>}
      <ZoneNote />
      {items !== null && items.length > 0 && (
        <>
          <Timeline
            entries={entries}
            onEndNear={() => {
              if (hasOlder && loadingOlder.error === null) void loadingOlder.run();
            }}
          />
          <footer class="list-foot">
            <p role="status">{t.events.total(total, hasOlder ? total : lines)}</p>
            {hasOlder && <p>{t.lists.loading}</p>}
          </footer>
        </>
      )}
    </Section>
  );
}

export const pages = { "/system/events": EventsPage };

/** Events that are read at once; the agent gives no more. */
const limit = 200;

/** The same in every language, for programs that read it: the names of the API. */
const heads = [
  ...["seq", "time", "type", "outcome", "code", "count", "actor_kind", "actor", "subject"],
  ...["from", "request_id", "details"],
];

/** All events that match, the newest first, as a table. */
async function eventsAsCsv(query: EventQuery): Promise<{ text: string; count: number }> {
  const events = await everyItem((cursor) =>
    call("listEvents", { query: { ...query, limit, ...(cursor !== undefined && { cursor }) } }),
  );
  return { text: csvOf(heads, events.map(cellsOf)), count: events.length };
}

function cellsOf(event: AuditEvent) {
  const { seq, time, type, outcome, code, count, actor, subject, from, request_id, details } = event;
  return [
    ...[seq, time, type, outcome, code, count, actor.kind, actor.name, subject?.name ?? null],
    ...[from, request_id, Object.keys(details).length === 0 ? null : JSON.stringify(details)],
  ];
}

/** Bars of a picture, beside which one of what is older may be. */
const mostBars = (): number => (innerWidth < 640 ? 11 : 30);

/** Milliseconds that the bars show at least, of a younger device too. */
const leastLife = 600_000;

/** When the events that match happened, and how many are of each kind. Until another query is counted, the last one stays. */
function Overview({ query, begin }: { readonly query: EventQuery; readonly begin: number }) {
  const now = deviceNow();
  const to = momentOf(query.until, now) ?? now;
  const most = mostBars();
  const life = Math.max(daily.edge(to, 1 - most), Math.min(begin, to - leastLife));
  const from = momentOf(query.since, now) ?? life;
  const step = stepOfSpan(from, to, most);
  const edges = edgesOf(step, from, to);
  const counts = useResource("countEvents", {
    query: { ...query, edges: edges.map((edge) => edge / 1_000).join() },
  });
  const drawn = useRef<JSX.Element>(null);
  const { value, error } = counts;
  if (value !== null) {
    const bars = barsOf(edges, value);
    const isNarrowed = Boolean(query.since || query.until);
    drawn.current = (
      <>
        {bars.length > 0 && (
          <Histogram bars={bars} stepMilliseconds={step.milliseconds} isNarrowed={isNarrowed} />
        )}
        <EventChips counts={value} />
      </>
    );
  }
  return (
    <>
      {drawn.current ?? (error === null && <Skeleton lines={4} />)}
      <ReadProblem of={[counts]} />
    </>
  );
}

/** Milliseconds since 1970 of a time, or of how long ago it was, such as `1h30m`; null: none is named. */
function momentOf(text: string | undefined, now: number): number | null {
  if (!text) return null;
  const parts = [...text.matchAll(/(\d+)(ms|[dhms])/g)];
  const ago = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (units[unit] ?? 0), 0);
  const at = text.includes("T") ? Date.parse(text) : now - ago;
  return Number.isNaN(at) ? null : Math.max(at, 0);
}

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
