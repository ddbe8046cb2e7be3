import { t } from "../../catalogue/words.ts";
import { ExportButton } from "../../lists/export-button.tsx";
import { place } from "../../navigation/navigation.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Section, Skeleton } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { EventChips, EventFilters } from "./event-filters.tsx";
import { eventsAsCsv } from "./events-csv.ts";
import { eventsQuery } from "./events-query.ts";
import { Histogram } from "./histogram.tsx";
import { Timeline } from "./timeline.tsx";
import { useCounts } from "./use-counts.ts";
import { useEvents } from "./use-events.ts";
import "../../styles/parts/lists.css";
import "../../styles/parts/events.css";
import "../../styles/parts/plot.css";

export function EventsPage() {
  const query = eventsQuery(useStore(place).query);
  const events = useEvents(query);
  const counts = useCounts(query);
  const { items, isPaused, waiting, total, hasOlder, loadingOlder } = events;
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
      {counts.value === null && counts.error === null && <Skeleton lines={4} />}
      {counts.value !== null && counts.value.bars.length > 0 && (
        <Histogram {...counts.value} isNarrowed={Boolean(query.since || query.until)} />
      )}
      {counts.value !== null && <EventChips counts={counts.value} />}
      <EventFilters error={events.error} />
      <ReadProblem of={[events, counts, { error: loadingOlder.error, reload: loadOlder }]} />
      {items === null && events.error === null && <Skeleton lines={12} />}
      {items?.length === 0 && <Empty>{t.events.empty}</Empty>}
      {items !== null && items.length > 0 && (
        <Timeline
          events={items}
          onEndNear={() => {
            if (hasOlder && loadingOlder.error === null) void loadingOlder.run();
          }}
        />
      )}
      {items !== null && items.length > 0 && (
        <footer class="list-foot">
          <p role="status">{t.events.total(total)}</p>
          {hasOlder && <p>{t.lists.loading}</p>}
        </footer>
      )}
    </Section>
  );
}

export const pages = { "/system/events": EventsPage };
