import { useState } from "preact/hooks";
import type { AuditEvent } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { toldOf } from "../../home/event-words.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { figuresInWords } from "./figure-words.ts";
import { isShownEvent, timeOfEvent } from "./happenings.ts";
import type { Series, Steps } from "./series.ts";
import { momentInWords } from "./time-marks.ts";

/** Rows of the table, about: an hour of a day each, a quarter of a day of a week. */
const mostRows = 28;

interface Row {
  /** The first step of it, and the first of the next one. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds since 1970. */
  readonly begin: number;
  readonly end: number;
}

interface TableProps {
  readonly steps: Steps;
  readonly series: readonly Series[];
  readonly events: readonly AuditEvent[] | null;
}

/** The same in words, behind a fold; the newest is first. */
export function HistoryTable(props: TableProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="history-table" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t.history.table}</summary>
      {isOpen && <Rows {...props} />}
    </details>
  );
}

function Rows({ steps, series, events }: TableProps) {
  const columns: Column<Row>[] = [
    { key: "time", title: t.history.time, cell: ({ begin }) => momentInWords(begin) },
    ...series.map((one) => ({
      key: one.name,
      title: t.history.plots[one.name],
      cell: ({ from, to }: Row) => figuresInWords(one, from, to),
    })),
    ...(events === null
      ? []
      : [
          {
            key: "events",
            title: t.history.happened,
            cell: (row: Row) => <bdi>{happenedIn(row, events)}</bdi>,
          },
        ]),
  ];
  return (
    <Table
      caption={t.history.title}
      columns={columns}
      rows={rowsOf(steps)}
      rowKey={({ from }) => String(from)}
    />
  );
}

function rowsOf({ start, length, count }: Steps): Row[] {
  const size = Math.ceil(count / mostRows / 12) * 12;
  const rows = Array.from({ length: Math.ceil(count / size) }, (_, row) => {
    const [from, to] = [row * size, Math.min(count, (row + 1) * size)];
    // The last row has the events of the step that is not over as well.
    return { from, to, begin: start + from * length, end: start + (to === count ? to + 1 : to) * length };
  });
  return rows.reverse();
}

function happenedIn({ begin, end }: Row, events: readonly AuditEvent[]): string {
  const within = events.filter(
    (event) => isShownEvent(event) && timeOfEvent(event) >= begin && timeOfEvent(event) < end,
  );
  return toldOf(within.toReversed())
    .map(({ text }) => text)
    .join("; ");
}
