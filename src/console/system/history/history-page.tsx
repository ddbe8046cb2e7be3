import { useMemo } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { navigate, place } from "../../navigation/navigation.ts";
import { isShown } from "../../session/session.ts";
import { useStore } from "../../store.ts";
import { Empty, Section, Skeleton } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { momentInWords } from "./figure-words.ts";
import { isShownEvent, timeOfEvent } from "./happenings.ts";
import { Pictures } from "./pictures.tsx";
import { seriesOf } from "./series.ts";
import { WeekLine } from "./week-line.tsx";
import "../../styles/parts/history.css";
import "../../styles/parts/plot.css";

/** The spans that can be shown, by their names in the address, in hours. */
const spans = { day: 24, week: 168 } as const;

/** The events that the page shows, in readings of their own: there may be thousands of others. */
const asked = [
  { group: "updates" },
  { group: "clock" },
  { group: "device" },
  { type: "sign_in.refused" },
] as const;

/** The most that the agent gives in one answer. */
const limit = 200;

/** Figures and events of the last day or week under one axis of time. */
export function HistoryPage() {
  const span = useStore(place).query.span === "day" ? "day" : "week";
  const history = useResource("getHistory", { query: { hours: spans[span] } });
  // The same number of calls in the same order each time: a role is of a whole session.
  const reads = (isShown("/system/events") ? asked : []).map((which) =>
    useResource("listEvents", { query: { ...which, since: "7d", limit } }),
  );
  const all = [history, ...reads];
  const isLoading = all.some(({ value, error }) => value === null && error === null);
  const lists = reads.flatMap(({ value }) => value ?? []);
  const events = useMemo(
    () => lists.flatMap(({ items }) => items.filter(isShownEvent)).sort((one, other) => one.seq - other.seq),
    reads.map(({ value }) => value),
  );
  // The oldest that was read of each list that has older ones.
  const oldest = lists.flatMap(({ total, items }) =>
    total > items.length ? items.slice(-1).map(timeOfEvent) : [],
  );
  const missing = oldest.length > 0 ? t.history.tooMany(momentInWords(Math.max(...oldest))) : "";
  const choice = (
    <fieldset class="history-spans">
      <legend class="unseen">{t.history.span}</legend>
      {(["day", "week"] as const).map((one) => (
        <button
          key={one}
          type="button"
          class={one === span ? "button primary" : "button"}
          aria-pressed={one === span}
          onClick={() => void navigate("/system/history", { span: one }, { replace: true })}
        >
          {t.history.spans[one]}
        </button>
      ))}
    </fieldset>
  );
  return (
    <Section title={t.history.title} action={choice}>
      <ReadProblem of={all} />
      {isLoading && <Skeleton lines={12} />}
      {!isLoading &&
        history.value !== null &&
        (seriesOf(history.value).length === 0 && events.length === 0 ? (
          <Empty>{t.history.none}</Empty>
        ) : (
          <Pictures history={history.value} events={reads.length > 0 ? events : null} missing={missing} />
        ))}
    </Section>
  );
}

export const pages = { "/system/history": HistoryPage };
export { WeekLine as Body };
