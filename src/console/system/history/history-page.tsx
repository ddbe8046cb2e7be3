import { useMemo } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import type { WeekLineProps } from "../../client/parts.ts";
import { useResource } from "../../client/use-resource.ts";
import { Link } from "../../navigation/link.tsx";
import { navigate, place } from "../../navigation/navigation.ts";
import { Plot } from "../../plot/plot.tsx";
import { isShown } from "../../session/session.ts";
import { useStore } from "../../store.ts";
import { Empty, Section, Skeleton } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { dayInWords, momentInWords, worstInWords } from "./figure-words.ts";
import { daysUntilFull } from "./forecast.ts";
import { isShownEvent, timeOfEvent } from "./happenings.ts";
import { Pictures } from "./pictures.tsx";
import { axisOf, inLife, type PlotName, pointsOf, seriesOf, stepsOf, timeOf } from "./series.ts";
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
  const life = useMemo(() => history.value && inLife(history.value), [history.value]);
  const hasReadings = life !== null && seriesOf(life).length > 0;
  const notes = [
    hasReadings &&
      life.start !== history.value?.start &&
      t.history.begins(momentInWords(Date.parse(life.start))),
    oldest.length > 0 && t.history.tooMany(momentInWords(Math.max(...oldest))),
  ];
  // Both spans would show the same of a device that is younger than either.
  const choice = (life === null ||
    timeOf(stepsOf(life)).high - Date.parse(life.start) > spans.day * 3_600_000) && (
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
    <Section title={t.system.tabs.history} action={choice}>
      <ReadProblem of={all} />
      {isLoading && <Skeleton lines={12} />}
      {!isLoading &&
        life !== null &&
        (hasReadings || events.length > 0 ? (
          <Pictures history={life} events={reads.length > 0 ? events : null} notes={notes} />
        ) : (
          <Empty>{t.history.none}</Empty>
        ))}
    </Section>
  );
}

export const pages = { "/system/history": HistoryPage };

/** The least span of the axis, so that a calm week is a calm line: 2 ms, 10 °C. */
const leastSpans: Partial<Readonly<Record<PlotName, number>>> = { clock: 0.002, temperature: 10 };

/**
 * The week of the figure that says most about a tile: a line without axes, a dot at its end, and its end or its extreme in
 * words. The worst of each half hour, so that the extreme is in the line, which is too small to show more.
 */
export function Body({ of }: WeekLineProps) {
  const { value } = useResource("getHistory", { query: { hours: 168, step_seconds: 1_800 } });
  if (value === null) return null;
  const life = inLife(value);
  const steps = stepsOf(life);
  const [clock, disk, heat] = (["clock", "disk", "temperature"] as const).map((sought) =>
    seriesOf(life).find(({ name }) => name === sought),
  );
  const days = disk === undefined ? null : daysUntilFull(disk.mean, value.step_seconds);
  // Without a forecast the temperature says more, but some devices have no sensor.
  const series = of === "clock" ? clock : days === null ? (heat ?? disk) : disk;
  const first = series?.worst.findIndex((figure) => figure !== null) ?? 0;
  // A day of a week is no line yet.
  if (series === undefined || series.worst.length - first < 48) return <p hidden />;
  const dayOf = (at: number) => dayInWords(at, timeOf(steps).high);
  const isFilling = series === disk && days !== null;
  const words = isFilling ? t.history.week.full(days) : worstInWords(series, steps, t.history.week, dayOf);
  const line = pointsOf(series.worst, steps);
  const { low, high } = axisOf(series);
  const more = Math.max(0, (leastSpans[series.name] ?? 0) - (high - low)) / 2;
  const ends = { time: timeOf(steps), axis: { low: low - more, high: high + more } };
  return (
    <Link to="/system/history">
      <Plot name="week-line" ends={ends} line={line} worst={line.filter(Boolean).slice(-1)} />
      {/* The unit of the others says which they are. */}
      {series === disk ? `${t.home.disk}: ${words}` : words}
    </Link>
  );
}
