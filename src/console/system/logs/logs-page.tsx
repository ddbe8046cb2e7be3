import { useEffect, useRef, useState } from "preact/hooks";
import type { LogCounts, LogQuery, SeverityWord } from "../../../contract/types.ts";
import { figure, timeOfDay } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { Chips } from "../../lists/filters.tsx";
import { navigate, place } from "../../navigation/navigation.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { errorAt } from "../../ui/form/form.tsx";
import { Empty, Section, Skeleton } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { Shape } from "../../ui/shape.tsx";
import { visible } from "../../ui/visible.ts";
import { ZoneNote } from "../../ui/words/zone-note.tsx";
import { levelsOf, type UnitCount, unitsOf } from "./log-facets.ts";
import { LogFilterBar, queryOf } from "./log-filters.tsx";
import { LogLines } from "./log-lines.tsx";
import type { LogView } from "./log-view.ts";
import { type FollowedLog, useLog, useLogCounts } from "./use-log.ts";
import "../../styles/parts/lists.css";
import "../../styles/parts/logs.css";

/** Milliseconds between two announcements of how many lines have come. */
const announceMilliseconds = 10_000;

export function LogsPage() {
  const { query } = useStore(place);
  const wanted = queryOf(query);
  const log = useLog(wanted);
  const counts = useLogCounts(wanted);
  const { view, source, error } = log;
  const loadOlder = async (): Promise<void> => void (await log.loadingOlder.run());
  return (
    <Section title={t.system.tabs.logs} action={view && <FollowButton view={view} log={log} />}>
      {counts.value !== null && (
        <Facets
          counts={counts.value.units}
          chosen={{ unit: query.unit ?? "", priority: query.priority ?? "" }}
          error={error}
          onChange={change}
        />
      )}
      <LogFilterBar
        filters={query}
        seen={view?.lines ?? []}
        error={error}
        onChange={(name, value) => change({ [name]: value }, name === "q")}
      />
      {source === "agent" && <p class="hint">{t.logs.noJournal}</p>}
      <ReadProblem of={[log, counts, { error: log.loadingOlder.error, reload: loadOlder }]} />
      {view === null && error === null && <Skeleton lines={12} />}
      {view?.lines.length === 0 && <Empty>{t.logs.empty}</Empty>}
      {view !== null && view.dropped > 0 && <p class="hint">{t.logs.dropped(view.dropped)}</p>}
      <ZoneNote />
      <LogLines log={log} />
      {view !== null && view.lines.length > 0 && (
        <footer class="list-foot">
          <p>{t.logs.shown(view.lines.length)}</p>
          <CountedAt of={counts} />
        </footer>
      )}
      <Announcement view={view} />
    </Section>
  );
}

/** Beside the filters of that moment: what is typed comes later than the page was drawn. */
function change(filters: Readonly<Partial<Record<keyof LogQuery, string>>>, isTyped = false): void {
  const { path, query } = place.read();
  void navigate(path, { ...query, ...filters }, { replace: isTyped });
}

/** The counts do not follow the log: their time is said, and one button reads them again. */
function CountedAt({ of: { value, reload } }: { readonly of: ReturnType<typeof useLogCounts> }) {
  if (value === null) return null;
  const at = timeOfDay(value.at);
  return (
    <div class="log-counted">
      {value.from === null ? t.logs.countedAt(at) : t.logs.countedFrom(at, timeOfDay(new Date(value.from)))}{" "}
      <Button kind="quiet" onClick={() => void reload()}>
        {t.logs.countAgain}
      </Button>
    </div>
  );
}

function FollowButton({ view, log }: { readonly view: LogView; readonly log: FollowedLog }) {
  if (view.pausedBy === null) return <Button onClick={() => log.pause("button")}>{t.lists.pause}</Button>;
  return (
    <Button kind="primary" onClick={() => log.advance()}>
      {view.unseen === 0 ? t.lists.follow : t.lists.followWith(view.unseen)}
    </Button>
  );
}

/** Says now and then how many lines have come, instead of each of them. */
function Announcement({ view }: { readonly view: LogView | null }) {
  const [said, setSaid] = useState({ text: "", turn: 0 });
  const newest = useRef(view);
  newest.current = view;
  useEffect(() => {
    let known = newest.current?.count ?? 0;
    const timer = setInterval(() => {
      const count = newest.current?.count ?? 0;
      const text = count > known ? t.logs.newLines(count - known) : "";
      setSaid(({ turn }) => ({ text, turn: turn + 1 }));
      known = count;
    }, announceMilliseconds);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="unseen" role="status">
      {/* Another element each time: the same text in the same one is not read again. */}
      {said.text !== "" && <p key={said.turn}>{said.text}</p>}
    </div>
  );
}

export const pages = { "/system/logs": LogsPage };

/** Services that are shown before the person asks for the others. */
const mostUnits = 8;

/** Takes one filter or two at once; an empty text takes a filter back. */
type Change = (filters: Pick<LogQuery, "unit"> & { readonly priority?: SeverityWord | "" }) => void;

interface ChoiceProps {
  readonly chosen: { readonly unit: string; readonly priority: string };
  readonly onChange: Change;
}

/** Levels and services with the number of their lines; each is one click, and so are the errors of a service. */
function Facets({
  counts,
  chosen,
  error,
  onChange,
}: ChoiceProps & { readonly counts: LogCounts["units"]; readonly error: unknown }) {
  const levels = levelsOf(counts, chosen);
  return (
    <div class="log-facets chip-row line">
      <Chips
        label={t.logs.level}
        value={chosen.priority}
        options={levels.map(({ level, count }) => ({
          value: level,
          count,
          text: t.logs.atLeast(t.logs.levels[level]),
        }))}
        onChange={(value) => onChange({ priority: value as SeverityWord | "" })}
      />
      <Services units={unitsOf(counts, chosen)} chosen={chosen} onChange={onChange} />
      {/* The address may name a level or a service that is refused. */}
      {["/unit", "/priority"].map((pointer) => {
        const sentence = errorAt(error, pointer);
        // The agent's own sentence about a unit, which is English, names the others.
        const [, readable] = /: ([^;]+);/.exec(sentence ?? "") ?? [];
        return (
          sentence !== null && (
            <p key={pointer} class="error">
              {readable ? t.logs.noUnit(readable) : sentence}
            </p>
          )
        );
      })}
    </div>
  );
}

function Services({ units, chosen, onChange }: ChoiceProps & { readonly units: readonly UnitCount[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = units.filter(({ unit }, place) => isWhole || place < mostUnits || unit === chosen.unit);
  return (
    <fieldset class="chips line">
      <legend class="unseen">{t.logs.service}</legend>
      {shown.map((one) => (
        <Service key={one.unit} of={one} chosen={chosen} onChange={onChange} />
      ))}
      {shown.length < units.length && (
        <Button kind="quiet" onClick={() => setIsWhole(true)}>
          {t.logs.moreServices(units.length - shown.length)}
        </Button>
      )}
    </fieldset>
  );
}

function Service({
  of: { unit, count, errors },
  chosen,
  onChange,
}: ChoiceProps & { readonly of: UnitCount }) {
  const isChosen = unit === chosen.unit;
  const areErrorsChosen = isChosen && chosen.priority === "err";
  const name = visible(unit.replace(/\.service$/, ""));
  return (
    <span class="facet">
      <button
        type="button"
        class="chip"
        aria-pressed={isChosen}
        title={visible(unit)}
        onClick={() => onChange({ unit: isChosen ? "" : unit })}
      >
        <span class="facet-name">{name}</span> <span class="chip-count hint">{figure(count)}</span>
      </button>
      {/* With a level chosen, the number of the service is that of its lines of the level. */}
      {errors > 0 && (chosen.priority === "" || areErrorsChosen) && (
        <button
          type="button"
          class="chip facet-errors"
          aria-pressed={areErrorsChosen}
          aria-label={t.logs.errorsOf(name, errors)}
          title={t.logs.errorsOf(name, errors)}
          onClick={() => onChange(areErrorsChosen ? { unit: "", priority: "" } : { unit, priority: "err" })}
        >
          <Shape name="wrong" /> {figure(errors)}
        </button>
      )}
    </span>
  );
}
